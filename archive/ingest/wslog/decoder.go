package wslog

import (
	"github.com/ladderback/ladderback/archive/ingest/jsonlex"
	"github.com/ladderback/ladderback/archive/ingest/scalar"
	"github.com/ladderback/ladderback/archive/ingest/stream"
	"github.com/ladderback/ladderback/market"
)

// Decoder turns lines into messages. The zero value is ready to use; it is
// meant to be reused and stops allocating once its buffers have grown. It is
// not safe for concurrent use.
type Decoder struct {
	c      jsonlex.Cursor
	raw    []raw
	levels []market.Level
	edits  []edit
	texts  [][]byte
	msgs   []stream.Message
	many   bool // more than maxMessages in the line
}

// Bounds of what one line may hold. Real lines hold a few hundred messages at
// most, and a message names two tokens.
const (
	maxMessages = 10_000
	maxTokens   = 64
)

// span is a part of one of the Decoder's arenas.
type span struct{ from, to int }

// raw is a message as its members come in, before it is known what it is.
type raw struct {
	kind  stream.Type // from event_type
	named bool        // event_type was given
	odd   stream.Reason

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

	bestBid, bestAsk number // as the exchange states them after it
}

// envelope is what stands around the messages of a line.
type envelope struct {
	recv     market.Instant
	slug     []byte
	odd      stream.Reason
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
// call, and only as long as line is not modified.
func (d *Decoder) Decode(line []byte) []stream.Message {
	d.c.Reset(line)
	d.clear()
	switch {
	case d.c.Bad:
		d.reject(stream.BadJSON)
		return d.msgs
	case d.c.AtEnd():
		return nil
	}
	switch d.c.Peek() {
	case '{':
		d.object()
	case '[':
		for range d.c.Elements {
			switch {
			case d.full():
				d.c.Skip()
			case d.c.Peek() == '{':
				d.object()
			default:
				d.c.Skip()
				d.reject(stream.NotAMessage)
			}
		}
	default:
		d.c.Skip()
		d.reject(stream.NotAMessage)
	}
	return d.finish()
}

func (d *Decoder) clear() {
	d.raw, d.levels, d.edits, d.texts = d.raw[:0], d.levels[:0], d.edits[:0], d.texts[:0]
	d.msgs, d.many = d.msgs[:0], false
}

// finish returns the messages of a text that was read.
func (d *Decoder) finish() []stream.Message {
	switch {
	case d.c.Bad || !d.c.AtEnd():
		d.msgs = d.msgs[:0]
		d.reject(stream.BadJSON)
	case d.many:
		d.msgs = d.msgs[:0]
		d.reject(stream.TooMany)
	}
	return d.msgs
}

// DecodeMessage reads the text of a message of the exchange, or of an array of
// them, that was received at recv and belongs to the market of that slug (empty:
// not known), as Decode reads a line.
func (d *Decoder) DecodeMessage(recv market.Instant, slug, text []byte) []stream.Message {
	d.c.Reset(text)
	d.clear()
	if d.c.AtEnd() {
		d.reject(stream.BadJSON)
		return d.msgs
	}
	e := envelope{recv: recv, hasMsg: true}
	d.raw = append(d.raw, raw{slug: slug})
	d.payload(&e)
	if !d.c.Bad {
		d.emitObject(&e, 0)
	}
	return d.finish()
}

// full reports whether the line holds no further message.
func (d *Decoder) full() bool {
	d.many = d.many || len(d.msgs) >= maxMessages || len(d.raw) >= maxMessages
	return d.many
}

func (d *Decoder) reject(r stream.Reason) *stream.Message {
	d.msgs = append(d.msgs, stream.Message{Reject: r})
	return &d.msgs[len(d.msgs)-1]
}

// object reads an object of the top level: a message, or an envelope around
// messages, and appends what it says to d.msgs.
func (d *Decoder) object() {
	var e envelope
	base := len(d.raw)
	d.raw = append(d.raw, raw{})
	for key := range d.c.Members() {
		switch string(key) {
		case "recv", "capturedAt", "ts":
			e.recv = d.time(&e.odd)
		case "msg", "book":
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
	if d.c.Bad {
		return
	}
	d.emitObject(&e, base)
}

// payload reads the value of msg or payload: a message, an array of them, or
// null for none.
func (d *Decoder) payload(e *envelope) {
	e.notAnObj = false
	e.msg = span{len(d.raw), len(d.raw)}
	switch d.c.Peek() {
	case '{':
		d.message()
	case '[':
		for range d.c.Elements {
			switch {
			case d.full():
				d.c.Skip()
			case d.c.Peek() == '{':
				d.message()
			default:
				d.c.Skip()
				d.raw = append(d.raw, raw{odd: stream.NotAMessage})
			}
		}
	default:
		e.notAnObj = true
		d.c.Skip()
	}
	e.msg.to = len(d.raw)
}

// message reads one message object and appends it to d.raw.
func (d *Decoder) message() {
	at := len(d.raw)
	d.raw = append(d.raw, raw{})
	for key := range d.c.Members() {
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
		d.c.Skip()
		return false
	}
	return true
}

// note keeps the first reason.
func note(odd *stream.Reason, r stream.Reason) {
	if *odd == stream.OK {
		*odd = r
	}
}

func (d *Decoder) eventType() (stream.Type, bool) {
	text, null, ok := d.c.Scalar()
	if !ok {
		return stream.Unknown, true
	}
	if null {
		return stream.Unknown, false
	}
	switch string(text) {
	case "book":
		return stream.Book, true
	case "price_change":
		return stream.Change, true
	case "last_trade_price":
		return stream.Trade, true
	case "tick_size_change":
		return stream.Tick, true
	case "best_bid_ask":
		return stream.Quote, true
	case "new_market":
		return stream.Listing, true
	case "market_resolved":
		return stream.Resolved, true
	}
	return stream.Unknown, true
}

// id reads an id: a string or a number of 1 to 200 visible ASCII characters.
// Null and the empty string are no id.
func (d *Decoder) id(odd *stream.Reason) []byte {
	text, _, ok := d.c.Scalar()
	if !ok || len(text) > 0 && !scalar.ID(text) {
		note(odd, stream.BadID)
		return nil
	}
	return text
}

func (d *Decoder) time(odd *stream.Reason) market.Instant {
	text, _, ok := d.c.Scalar()
	if !ok {
		note(odd, stream.BadTime)
		return 0
	}
	if len(text) == 0 {
		return 0
	}
	t, r := scalar.Time(text)
	if r != stream.OK {
		note(odd, r)
	}
	return t
}

// number takes a scalar without looking at its value yet.
func (d *Decoder) number() number {
	text, _, ok := d.c.Scalar()
	return number{text: text, bad: !ok}
}

func (d *Decoder) sideName() (s market.Side, given, bad bool) {
	text, null, ok := d.c.Scalar()
	if !ok {
		return market.SideUnknown, true, true
	}
	if null || len(text) == 0 {
		return market.SideUnknown, false, false
	}
	s, r := scalar.Side(text)
	return s, true, r != stream.OK
}

// flag reads true or false; anything else counts as false.
func (d *Decoder) flag() bool {
	yes := d.c.Peek() == 't'
	d.c.Skip()
	return yes
}

// gap reads {"from": …, "to": …}.
func (d *Decoder) gap(e *envelope) {
	e.gap = market.Gap{}
	if d.c.Peek() != '{' {
		d.c.Skip()
		note(&e.odd, stream.BadGap)
		return
	}
	var odd stream.Reason
	for key := range d.c.Members() {
		switch string(key) {
		case "from":
			e.gap.From = d.time(&odd)
		case "to":
			e.gap.To = d.time(&odd)
		default:
			d.c.Skip()
		}
	}
	if odd != stream.OK || e.gap.From <= 0 || e.gap.To <= e.gap.From {
		note(&e.odd, stream.BadGap)
	}
}

// label reads text for people; anything but a string or a number is none.
func (d *Decoder) label() []byte {
	text, _, _ := d.c.Scalar()
	return text
}

// textArray reads an array of strings; null is an empty one.
func (d *Decoder) textArray(odd *stream.Reason) span {
	s := span{len(d.texts), len(d.texts)}
	switch d.c.Peek() {
	case 'n':
		d.c.Literal("null")
		return s
	case '[':
	default:
		d.c.Skip()
		note(odd, stream.BadOutcome)
		return s
	}
	for range d.c.Elements {
		text, _, ok := d.c.Scalar()
		switch {
		case !ok || len(text) == 0 || len(text) > scalar.MaxID:
			note(odd, stream.BadOutcome)
		case len(d.texts)-s.from == maxTokens:
			note(odd, stream.TooManyTokens)
		default:
			d.texts = append(d.texts, text)
		}
	}
	s.to = len(d.texts)
	return s
}
