package exchange

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/ladderback/ladderback/market"
)

// Round is one round to play.
type Round struct {
	Slug, Condition string
	Coin, Type      string
	Tokens          [2]string // Up, Down
	Start, End      time.Time
	Winner          int // index in Tokens
	// Messages are the messages captured, in order of receipt.
	Messages func() iter.Seq2[Message, error]
}

// Message is a captured message.
type Message struct {
	At   time.Time // when it was received, and is sent
	Data []byte    // as the exchange sent it
}

func (r *Round) other(token string) string {
	if token == r.Tokens[0] {
		return r.Tokens[1]
	}
	return r.Tokens[0]
}

// File returns the messages of a log of one round, JSON lines in gzip.
func File(path string) func() iter.Seq2[Message, error] {
	return func() iter.Seq2[Message, error] {
		return func(yield func(Message, error) bool) {
			if err := read(path, yield); err != nil {
				yield(Message{}, err)
			}
		}
	}
}

func read(path string, yield func(Message, error) bool) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var line struct {
			Recv json.Number     `json:"recv"`
			Msg  json.RawMessage `json:"msg"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return err
		}
		at, err := market.ParseUnix(string(line.Recv))
		if err != nil {
			return err
		}
		if !yield(Message{At: at.Time(), Data: line.Msg}, nil) {
			return nil
		}
	}
	return lines.Err()
}

// Key tells messages apart by what they say: kind, time of the exchange, and
// content, of a book or a change in terms of the token Up, since both tokens'
// books are one.
type Key [16]byte

// Facts are what a Key is made of.
type Facts struct {
	Kind  string // "book", "change", "trade", "tick", "resolved"
	Round string
	Token string // of trades and ticks
	Exch  int64  // µs
	Up    []Level
	Price market.Price
	Size  market.Size
}

// Level is a level of the book of the token Up.
type Level struct {
	Bid   bool
	Price market.Price
	Size  market.Size
}

// UpLevels returns levels as those of Up; down: they are of Down.
func UpLevels(bids, asks []market.Level, down bool) []Level {
	out := make([]Level, 0, len(bids)+len(asks))
	for bid, side := range map[bool][]market.Level{true: bids, false: asks} {
		for _, l := range side {
			if down {
				out = append(out, Level{!bid, l.Price.Mirror(), l.Size})
			} else {
				out = append(out, Level{bid, l.Price, l.Size})
			}
		}
	}
	return out
}

// Key returns the key of f.
func (f Facts) Key() Key {
	slices.SortFunc(f.Up, func(a, b Level) int {
		if a.Bid != b.Bid {
			if a.Bid {
				return -1
			}
			return 1
		}
		return int(a.Price - b.Price)
	})
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %s %d %v %d %d", f.Kind, f.Round, f.Token, f.Exch, f.Up, f.Price, f.Size))
	return Key(sum[:16])
}

// message is one to send.
type message struct {
	data   []byte
	tokens []string // it is about
	exch   time.Time
	kind   string // of its facts
	key    Key
	book   *book // it leaves the token with; nil: as it was
}

// book is a whole book.
type book struct {
	at         time.Time // by the exchange's clock; zero: there is none
	bids, asks map[market.Price]market.Size
}

func (b book) mirror() book {
	turn := func(l map[market.Price]market.Size) map[market.Price]market.Size {
		out := make(map[market.Price]market.Size, len(l))
		for p, s := range l {
			out[p.Mirror()] = s
		}
		return out
	}
	return book{b.at, turn(b.asks), turn(b.bids)}
}

type wireLevel struct {
	Price string `json:"price"`
	Size  string `json:"size"`
}

type wireBook struct {
	Type   string      `json:"event_type"`
	Market string      `json:"market"`
	Asset  string      `json:"asset_id"`
	Time   string      `json:"timestamp"`
	Bids   []wireLevel `json:"bids"`
	Asks   []wireLevel `json:"asks"`
}

type wireChange struct {
	Asset   string `json:"asset_id"`
	Price   string `json:"price"`
	Size    string `json:"size"`
	Side    string `json:"side"`
	BestBid string `json:"best_bid"`
	BestAsk string `json:"best_ask"`
}

func parseSide(l []wireLevel) (map[market.Price]market.Size, error) {
	out := make(map[market.Price]market.Size, len(l))
	for _, v := range l {
		p, err := market.ParsePrice(v.Price)
		if err != nil {
			return nil, err
		}
		s, err := market.ParseSize(v.Size)
		if err != nil {
			return nil, err
		}
		if s > 0 {
			out[p] = s
		}
	}
	return out, nil
}

// levels returns a side, in ascending order of price.
func levels(side map[market.Price]market.Size) []market.Level {
	out := make([]market.Level, 0, len(side))
	for _, p := range slices.Sorted(maps.Keys(side)) {
		out = append(out, market.Level{Price: p, Size: side[p]})
	}
	return out
}

func millis(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }

// exch returns the exchange's time as the facts have it.
func exch(t time.Time) int64 { return t.UnixMilli() * 1000 }

func (r *Round) facts(kind, token string, b book) Facts {
	return Facts{Kind: kind, Round: r.Slug, Exch: exch(b.at), Up: UpLevels(levels(b.bids), levels(b.asks), token == r.Tokens[1])}
}

// variants returns what is sent for a captured message: it as it is, or the
// changes since the last; and sometimes a trade.
func (s *Server) variants(p *playing, m Message) []message {
	var w wireBook
	if json.Unmarshal(m.Data, &w) != nil {
		return nil
	}
	at, err := strconv.ParseInt(w.Time, 10, 64)
	bids, err2 := parseSide(w.Bids)
	asks, err3 := parseSide(w.Asks)
	if err != nil || err2 != nil || err3 != nil {
		return nil
	}
	b := book{time.UnixMilli(at), bids, asks}
	was := p.books[w.Asset]
	var out []message
	if !was.at.IsZero() && s.rng.IntN(100) < s.c.Changes {
		if c, ok := p.change(w.Asset, was, b); ok {
			out = append(out, c)
		}
	}
	if out == nil {
		out = append(out, message{data: m.Data, tokens: []string{w.Asset}, exch: b.at, kind: "book", key: p.facts("book", w.Asset, b).Key(), book: &b})
	}
	if s.rng.IntN(100) < s.c.Trades && len(asks) > 0 {
		best := slices.Min(slices.Collect(maps.Keys(asks)))
		size := market.Size(1+s.rng.IntN(50)) * market.SizeOne
		out = append(out, message{
			data: fmt.Appendf(nil, `{"event_type":"last_trade_price","market":%q,"asset_id":%q,"timestamp":%q,"price":%q,"size":%q,"side":"BUY","fee_rate_bps":"0"}`,
				p.Condition, w.Asset, w.Time, best, size),
			tokens: []string{w.Asset}, exch: b.at,
			kind: "trade", key: Facts{Kind: "trade", Round: p.Slug, Token: w.Asset, Exch: exch(b.at), Price: best, Size: size}.Key(),
		})
	}
	if s.rng.IntN(2000) < s.c.Trades {
		tick := []market.Price{10, 100}[s.rng.IntN(2)]
		out = append(out, message{
			data: fmt.Appendf(nil, `{"event_type":"tick_size_change","market":%q,"asset_id":%q,"timestamp":%q,"old_tick_size":"0.01","new_tick_size":%q}`,
				p.Condition, w.Asset, w.Time, tick),
			tokens: []string{w.Asset}, exch: b.at,
			kind: "tick", key: Facts{Kind: "tick", Round: p.Slug, Token: w.Asset, Exch: exch(b.at), Price: tick}.Key(),
		})
	}
	return out
}

// whole returns the message with the whole book of a token.
func (r *Round) whole(token string, b book) *message {
	w := wireBook{Type: "book", Market: r.Condition, Asset: token, Time: millis(b.at), Bids: []wireLevel{}, Asks: []wireLevel{}}
	for _, l := range levels(b.bids) {
		w.Bids = append(w.Bids, wireLevel{l.Price.String(), l.Size.String()})
	}
	asks := levels(b.asks)
	slices.Reverse(asks) // best last
	for _, l := range asks {
		w.Asks = append(w.Asks, wireLevel{l.Price.String(), l.Size.String()})
	}
	data, _ := json.Marshal(w) // strings can be written
	return &message{data: data, tokens: []string{token}, exch: b.at, kind: "book", key: r.facts("book", token, b).Key()}
}

// change returns the changes from one book to the next, of both tokens; none when
// nothing differs.
func (r *Round) change(token string, was, now book) (message, bool) {
	var changes []wireChange
	diff := func(side string, was, now map[market.Price]market.Size) (d map[market.Price]market.Size) {
		d = map[market.Price]market.Size{}
		for p, s := range now {
			if was[p] != s {
				d[p] = s
			}
		}
		for p := range was {
			if _, ok := now[p]; !ok {
				d[p] = 0
			}
		}
		for _, l := range levels(d) {
			other := map[string]string{"BUY": "SELL", "SELL": "BUY"}[side]
			changes = append(changes, wireChange{Asset: token, Price: l.Price.String(), Size: l.Size.String(), Side: side},
				wireChange{Asset: r.other(token), Price: l.Price.Mirror().String(), Size: l.Size.String(), Side: other})
		}
		return d
	}
	d := book{at: now.at, bids: diff("BUY", was.bids, now.bids), asks: diff("SELL", was.asks, now.asks)}
	if len(changes) == 0 {
		return message{}, false
	}
	data, _ := json.Marshal(struct { // strings can be written
		Type    string       `json:"event_type"`
		Market  string       `json:"market"`
		Changes []wireChange `json:"price_changes"`
		Time    string       `json:"timestamp"`
	}{"price_change", r.Condition, changes, millis(now.at)})
	return message{
		data: data, tokens: []string{token, r.other(token)}, exch: now.at, kind: "change", key: r.facts("change", token, d).Key(), book: &now,
	}, true
}

// resolution returns the message that says who won; misled: that the other did.
func (r *Round) resolution(at time.Time, misled bool) *message {
	winner := r.Winner
	if misled {
		winner = 1 - winner
	}
	data := fmt.Appendf(nil,
		`{"event_type":"market_resolved","market":%q,"assets_ids":[%q,%q],"outcomes":["Up","Down"],"winning_asset_id":%q,"winning_outcome":%q,"timestamp":%q}`,
		r.Condition, r.Tokens[0], r.Tokens[1], r.Tokens[winner], [2]string{"Up", "Down"}[winner], millis(at))
	return &message{data: data, tokens: r.Tokens[:], kind: "resolved", key: Facts{Kind: "resolved", Round: r.Slug}.Key()}
}
