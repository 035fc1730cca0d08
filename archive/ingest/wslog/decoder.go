package wslog

import (
	"unicode/utf8"

	"github.com/ladderback/ladderback/market"
)

// Decoder turns lines into messages. The zero value is ready; it is meant to
// be reused and allocates nothing once its buffers have grown. It is not safe
// for concurrent use.
type Decoder struct {
	c      cursor
	raw    []raw
	levels []market.Level
	edits  []edit
	texts  [][]byte
	msgs   []Message
	assets [][]byte
}

// span is a part of one of the Decoder's arenas.
type span struct{ from, to int }

// raw is a message as its members come in, before it is known what it is.
type raw struct {
	kind  Type // from event_type
	named bool // event_type was given
	odd   Reason

	slug, market, asset, question []byte
	winner, winnerOutcome         []byte
	exch                          market.Instant

	bids, asks       span // of levels
	hasBids, hasAsks bool
	edits            span
	hasEdits         bool
	assets, outcomes span // of texts

	price, tick, size number
	bestBid, bestAsk  number
	side              market.Side
	hasSide, badSide  bool
}

// number is the text of a scalar member; nil when absent or null.
type number struct {
	text []byte
	bad  bool // it was neither string, number nor null
}

// edit is one element of a price_change.
type edit struct {
	asset []byte // nil: the message's
	side  market.Side
	level market.Level
}

// envelope is what stands around the messages of a line.
type envelope struct {
	recv     market.Instant
	slug     []byte
	odd      Reason
	msg      span // of raw: messages of a msg or payload member
	hasMsg   bool
	hasLoad  bool
	gap      market.Gap
	hasGap   bool
	reset    bool
	hasOwn   bool // the object itself has members of a message
	notAnObj bool
}

// Decode reads one line, without its end, and returns its messages in order. A
// line that is not valid JSON gives one message with a Reason; a line without
// content, or an empty array, gives none. The messages are valid until the next
// call, and only as long as line is not changed.
func (d *Decoder) Decode(line []byte) []Message {
	d.c.reset(line)
	d.raw, d.levels, d.edits, d.texts = d.raw[:0], d.levels[:0], d.edits[:0], d.texts[:0]
	d.assets, d.msgs = d.assets[:0], d.msgs[:0]
	if d.c.atEnd() {
		return nil
	}
	switch d.c.peek() {
	case '{':
		d.object()
	case '[':
		d.c.enter('[')
		for first := true; d.c.more(first, ']'); first = false {
			if d.c.peek() == '{' {
				d.object()
				continue
			}
			d.c.skip()
			d.reject(NotAMessage)
		}
	default:
		d.c.skip()
		d.reject(NotAMessage)
	}
	if d.c.bad || !d.c.atEnd() {
		d.msgs = d.msgs[:0]
		d.reject(BadJSON)
	}
	return d.msgs
}

func (d *Decoder) reject(r Reason) *Message {
	d.msgs = append(d.msgs, Message{Reject: r})
	return &d.msgs[len(d.msgs)-1]
}

// object reads an object of the top level: a message, or an envelope around
// messages, and appends what it says to d.msgs.
func (d *Decoder) object() {
	var e envelope
	base := len(d.raw)
	d.raw = append(d.raw, raw{})
	d.c.enter('{')
	for first := true; d.c.more(first, '}'); first = false {
		key := d.c.key()
		if d.c.bad {
			return
		}
		switch string(key) {
		case "recv", "capturedAt":
			e.recv = d.time(&e.odd)
		case "msg":
			e.hasMsg = true
			d.payload(&e)
		case "payload":
			e.hasLoad = true
			d.payload(&e)
		case "gap":
			e.hasGap = true
			d.gap(&e)
		case "reset":
			e.reset = d.flag()
		default:
			if d.member(base, key) && string(key) != "slug" && string(key) != "market" && string(key) != "asset_id" {
				e.hasOwn = true
			}
		}
	}
	if d.c.bad {
		return
	}
	d.emitObject(&e, base)
}

// payload reads the value of msg or payload: a message, an array of them, or
// null for none.
func (d *Decoder) payload(e *envelope) {
	e.notAnObj = false
	e.msg = span{len(d.raw), len(d.raw)}
	switch d.c.peek() {
	case '{':
		d.message()
	case '[':
		d.c.enter('[')
		for first := true; d.c.more(first, ']'); first = false {
			if d.c.peek() == '{' {
				d.message()
				continue
			}
			d.c.skip()
			d.raw = append(d.raw, raw{odd: NotAMessage})
		}
	default:
		e.notAnObj = true
		d.c.skip()
	}
	e.msg.to = len(d.raw)
}

// message reads one message object and appends it to d.raw.
func (d *Decoder) message() {
	at := len(d.raw)
	d.raw = append(d.raw, raw{})
	d.c.enter('{')
	for first := true; d.c.more(first, '}'); first = false {
		key := d.c.key()
		if d.c.bad {
			return
		}
		d.member(at, key)
	}
}

// member reads the value of a member of the message d.raw[at]. It reports
// whether the name is one that messages have; the value is taken either way.
func (d *Decoder) member(at int, key []byte) bool {
	m := &d.raw[at]
	switch string(key) {
	case "event_type":
		m.kind, m.named = d.eventType()
	case "asset_id":
		m.asset = d.id(&m.odd)
	case "market":
		m.market = d.id(&m.odd)
	case "slug":
		m.slug = d.id(&m.odd)
	case "timestamp":
		m.exch = d.time(&m.odd)
	case "bids":
		m.bids, m.hasBids = d.side(&m.odd), true
	case "asks":
		m.asks, m.hasAsks = d.side(&m.odd), true
	case "price_changes", "changes":
		m.edits, m.hasEdits = d.changes(&m.odd), true
	case "price":
		m.price = d.number()
	case "size":
		m.size = d.number()
	case "side":
		m.side, m.hasSide, m.badSide = d.sideName()
	case "new_tick_size":
		m.tick = d.number()
	case "best_bid":
		m.bestBid = d.number()
	case "best_ask":
		m.bestAsk = d.number()
	case "assets_ids", "asset_ids", "clob_token_ids":
		m.assets = d.textArray(&m.odd)
	case "outcomes":
		m.outcomes = d.textArray(&m.odd)
	case "question":
		m.question = d.label()
	case "winning_asset_id":
		m.winner = d.id(&m.odd)
	case "winning_outcome":
		m.winnerOutcome = d.label()
	default:
		d.c.skip()
		return false
	}
	return true
}

// note keeps the first reason.
func note(odd *Reason, r Reason) {
	if *odd == OK {
		*odd = r
	}
}

func (d *Decoder) eventType() (Type, bool) {
	text, null, ok := d.c.scalar()
	if !ok {
		return Unknown, true
	}
	if null {
		return Unknown, false
	}
	switch string(text) {
	case "book":
		return Book, true
	case "price_change":
		return Change, true
	case "last_trade_price":
		return Trade, true
	case "tick_size_change":
		return Tick, true
	case "best_bid_ask":
		return Quote, true
	case "new_market":
		return Listing, true
	case "market_resolved":
		return Resolved, true
	}
	return Unknown, true
}

// maxID is the longest id, as the routes that look it up take it.
const maxID = 200

// id reads an id: a string or a number of 1 to 200 visible ASCII characters.
// Null and the empty string are no id.
func (d *Decoder) id(odd *Reason) []byte {
	text, _, ok := d.c.scalar()
	if !ok || len(text) > maxID {
		note(odd, BadID)
		return nil
	}
	for _, ch := range text {
		if ch <= ' ' || ch > '~' {
			note(odd, BadID)
			return nil
		}
	}
	return text
}

func (d *Decoder) time(odd *Reason) market.Instant {
	text, _, ok := d.c.scalar()
	if !ok {
		note(odd, BadTime)
		return 0
	}
	if len(text) == 0 {
		return 0
	}
	t, r := parseTime(text)
	if r != OK {
		note(odd, r)
	}
	return t
}

// number takes a scalar without looking at its value yet.
func (d *Decoder) number() number {
	text, _, ok := d.c.scalar()
	return number{text: text, bad: !ok}
}

func (d *Decoder) sideName() (s market.Side, given, bad bool) {
	text, null, ok := d.c.scalar()
	if !ok {
		return market.SideUnknown, true, true
	}
	if null || len(text) == 0 {
		return market.SideUnknown, false, false
	}
	switch string(text) {
	case "BUY", "buy", "Buy":
		return market.Bid, true, false
	case "SELL", "sell", "Sell":
		return market.Ask, true, false
	}
	return market.SideUnknown, true, true
}

// flag reads true or false; anything else counts as false.
func (d *Decoder) flag() bool {
	yes := d.c.peek() == 't'
	d.c.skip()
	return yes
}

// gap reads {"from": …, "to": …}.
func (d *Decoder) gap(e *envelope) {
	e.gap = market.Gap{}
	if d.c.peek() != '{' {
		d.c.skip()
		note(&e.odd, BadGap)
		return
	}
	var odd Reason
	d.c.enter('{')
	for first := true; d.c.more(first, '}'); first = false {
		key := d.c.key()
		if d.c.bad {
			return
		}
		switch string(key) {
		case "from":
			e.gap.From = d.time(&odd)
		case "to":
			e.gap.To = d.time(&odd)
		default:
			d.c.skip()
		}
	}
	if odd != OK || e.gap.From <= 0 || e.gap.To <= e.gap.From {
		note(&e.odd, BadGap)
	}
}

// label reads text for people; anything but a string or a number is none.
func (d *Decoder) label() []byte {
	text, _, _ := d.c.scalar()
	return valid(text)
}

// valid returns text as encoding/json would: U+FFFD for each byte that is no
// UTF-8.
func valid(text []byte) []byte {
	if utf8.Valid(text) {
		return text
	}
	return []byte(string([]rune(string(text))))
}

// textArray reads an array of strings; null is an empty one.
func (d *Decoder) textArray(odd *Reason) span {
	s := span{len(d.texts), len(d.texts)}
	switch d.c.peek() {
	case 'n':
		d.c.literal("null")
		return s
	case '[':
	default:
		d.c.skip()
		note(odd, BadOutcome)
		return s
	}
	d.c.enter('[')
	for first := true; d.c.more(first, ']'); first = false {
		text, _, ok := d.c.scalar()
		if !ok || len(text) == 0 || len(text) > maxID {
			note(odd, BadOutcome)
		}
		d.texts = append(d.texts, valid(text))
	}
	s.to = len(d.texts)
	return s
}
