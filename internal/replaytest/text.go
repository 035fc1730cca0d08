package replaytest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/market"
)

// Parse reads rounds and their captures from text, one thing a line; "#" begins
// a comment. Times are seconds from the round's start, with at most six
// decimals; levels are price or price x shares, best first.
//
//	market btc-updown-5m-1776088800 winner=up min=5
//	gap up 100 130
//	-2    up   book   0.48x100 0.47x50 | 0.52x100 0.53x200
//	12.5  up   change 0.48x0 | 0.52x50
//	13    down trade  0.47x10 buy
//	14    up   quote  0.48x10 | 0.52
//	15    up   price  0.5
//	16    up   tick   0.001
//	17    up   reset
//
// Behind the time may stand "@" and the exchange's time, likewise: "12.5@12.4".
// Levels left of "|" are bids. Captures must stand in order of time.
//
// A market has the coin, length, start and end of its slug, the tokens
// "<id>:up" and "<id>:down", mirrored books and no payout, unless said
// otherwise: id=, venue=, coin=, type=, end= and closed= (seconds from the
// start), winner=up|down, payout=0.5/0.5 (Up/Down), basis=official|inferred,
// mirrored=yes|no, tokens=ID/ID (Up/Down), min= (shares), fee=RATE/EXPONENT.
func Parse(text string) (*Archive, error) {
	a := &Archive{}
	for n, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if err := a.line(words); err != nil {
			return nil, fmt.Errorf("line %d: %q: %w", n+1, strings.TrimSpace(line), err)
		}
	}
	return a, nil
}

// MustParse is Parse for text that stands in a test.
func MustParse(text string) *Archive {
	a, err := Parse(text)
	if err != nil {
		panic("replaytest: " + err.Error())
	}
	return a
}

func (a *Archive) line(words []string) error {
	if words[0] == "market" {
		m, err := parseMarket(words[1:])
		if err == nil {
			a.All = append(a.All, &Round{Market: m})
		}
		return err
	}
	if len(a.All) == 0 {
		return fmt.Errorf("no market yet: expected a line \"market <slug>\" first")
	}
	r := a.All[len(a.All)-1]
	if words[0] == "gap" {
		return r.parseGap(words[1:])
	}
	return r.parseCapture(words)
}

func parseMarket(words []string) (market.Market, error) {
	if len(words) == 0 {
		return market.Market{}, fmt.Errorf("expected a slug")
	}
	slug := words[0]
	name, ok := market.ParseRoundSlug(slug)
	if !ok {
		return market.Market{}, fmt.Errorf("slug %q: expected <coin>-updown-<length>-<epoch>", slug)
	}
	_, _, m := market.RoundListing(market.Polymarket, slug, slug, name)
	m.Mirrored, m.Closed = true, true
	h := header{Market: m, basis: market.Official}
	for _, w := range words[1:] {
		key, value, _ := strings.Cut(w, "=")
		set := settings[key]
		if set == nil {
			return m, fmt.Errorf("%s: unknown key", w)
		}
		if err := set(&h, value); err != nil {
			return m, fmt.Errorf("%s: %w", w, err)
		}
	}
	if h.Payout != nil {
		h.Payout.Basis = h.basis
	}
	if h.up == "" {
		h.up, h.down = h.VenueID+":up", h.VenueID+":down"
	}
	h.Tokens = []market.Token{
		{VenueID: h.up, Label: "Up", Outcome: market.Up},
		{VenueID: h.down, Label: "Down", Outcome: market.Down},
	}
	return h.Market, nil
}

// header is a line "market …" as it is read.
type header struct {
	market.Market
	basis    market.Basis
	up, down string // ids of the tokens; empty: made of the market's id
}

// settings reads the values of a line "market …", by key.
var settings = map[string]func(h *header, value string) error{
	"id":       func(h *header, v string) error { h.VenueID = v; return nil },
	"venue":    func(h *header, v string) error { h.Venue = market.Venue(v); return nil },
	"coin":     func(h *header, v string) error { h.Coin = v; return nil },
	"type":     func(h *header, v string) error { h.Type = v; return nil },
	"basis":    func(h *header, v string) error { h.basis = market.Basis(v); return nil },
	"mirrored": func(h *header, v string) error { h.Mirrored = v == "yes"; return nil },
	"tokens":   func(h *header, v string) error { h.up, h.down, _ = strings.Cut(v, "/"); return nil },
	"end":      func(h *header, v string) (err error) { h.End, err = parseTime(v, h.Start); return err },
	"closed":   func(h *header, v string) (err error) { h.ClosedAt, err = parseTime(v, h.Start); return err },
	"payout":   func(h *header, v string) (err error) { h.Payout, err = parsePayout(v); return err },
	"min":      func(h *header, v string) (err error) { h.MinSize, err = market.ParseSize(v); return err },
	"fee":      func(h *header, v string) (err error) { h.Fees, err = parseFee(v); return err },
	"winner": func(h *header, v string) (err error) {
		h.Payout, err = parsePayout(map[string]string{"up": "1/0", "down": "0/1"}[v])
		return err
	},
}

func parsePayout(s string) (*market.Payout, error) {
	up, down, ok := strings.Cut(s, "/")
	u, err := market.ParseCash(up)
	if err != nil {
		return nil, err
	}
	d, err := market.ParseCash(down)
	if err != nil {
		return nil, err
	}
	if !ok || u < 0 || d < 0 || u > market.CashOne || d > market.CashOne {
		return nil, fmt.Errorf("expected two numbers from 0 to 1")
	}
	return &market.Payout{Fractions: []market.Cash{u, d}}, nil
}

func parseFee(s string) (*market.FeeSchedule, error) {
	rate, exponent, _ := strings.Cut(s, "/")
	r, err := market.ParseDecimal(rate, 6)
	if err != nil {
		return nil, err
	}
	e, err := market.ParseDecimal(exponent, 0)
	return &market.FeeSchedule{Rate: r, Exponent: int(e), TakerOnly: true}, err
}

func parseTime(s string, start market.Instant) (market.Instant, error) {
	v, err := market.ParseDecimal(s, 6)
	return start + market.Instant(v), err
}

func parseToken(s string) (int, error) {
	i := slices.Index([]string{"up", "down"}, s)
	if i < 0 {
		return 0, fmt.Errorf("token %q: expected up or down", s)
	}
	return i, nil
}

func (r *Round) parseGap(words []string) error {
	if len(words) != 3 {
		return fmt.Errorf("expected: gap <token> <from> <to>")
	}
	token, err := parseToken(words[0])
	if err != nil {
		return err
	}
	from, err := parseTime(words[1], r.Market.Start)
	if err != nil {
		return err
	}
	to, err := parseTime(words[2], r.Market.Start)
	r.Gaps = append(r.Gaps, market.TokenGap{Token: token, Gap: market.Gap{From: from, To: to}})
	return err
}

func (r *Round) parseCapture(words []string) error {
	if len(words) < 3 {
		return fmt.Errorf("expected: <seconds> <token> <kind> …")
	}
	c := market.Capture{}
	recv, exch, given := strings.Cut(words[0], "@")
	var err error
	if c.Recv, err = parseTime(recv, r.Market.Start); err != nil {
		return err
	}
	if given {
		if c.Exch, err = parseTime(exch, r.Market.Start); err != nil {
			return err
		}
	}
	if c.Token, err = parseToken(words[1]); err != nil {
		return err
	}
	if n := len(r.Captures); n > 0 {
		last := &r.Captures[n-1]
		if last.Recv > c.Recv {
			return fmt.Errorf("out of order: the capture before it is later")
		}
		if last.Recv == c.Recv {
			c.Ord = last.Ord + 1
		}
	}
	if err := parseContent(&c, words[2], words[3:]); err != nil {
		return err
	}
	r.Captures = append(r.Captures, c)
	return nil
}

func parseContent(c *market.Capture, kind string, words []string) error {
	switch kind {
	case "book", "change":
		c.Kind, c.Replace = market.KindBook, true
		if kind == "change" {
			c.Kind, c.Replace = market.KindChange, false
		}
		var err error
		c.Bids, c.Asks, err = parseSides(words)
		return err
	case "quote":
		c.Kind = market.KindQuote
		bids, asks, err := parseSides(words)
		c.Quote = market.Quote{Bid: top(bids), Ask: top(asks)}
		return err
	case "reset":
		c.Kind = market.KindReset
		return nil
	}
	if len(words) == 0 {
		return fmt.Errorf("expected a price")
	}
	l, err := parseLevel(words[0])
	c.Trade = market.Trade{Price: l.Price, Size: l.Size}
	switch kind {
	case "trade":
		c.Kind = market.KindTrade
		if len(words) > 1 {
			c.Trade.Side = map[string]market.Side{"buy": market.Bid, "sell": market.Ask}[words[1]]
		}
	case "price":
		c.Kind = market.KindPrice
	case "tick":
		c.Kind = market.KindTick
	default:
		return fmt.Errorf("kind %q: expected book, change, quote, trade, price, tick or reset", kind)
	}
	return err
}

func top(levels []market.Level) market.Level {
	if len(levels) == 0 {
		return market.Level{Price: market.NoPrice}
	}
	return levels[0]
}

func parseSides(words []string) (bids, asks []market.Level, err error) {
	side := &bids
	for _, w := range words {
		if w == "|" {
			side = &asks
			continue
		}
		l, err := parseLevel(w)
		if err != nil {
			return nil, nil, err
		}
		*side = append(*side, l)
	}
	if side == &bids {
		return nil, nil, fmt.Errorf("expected \"|\" between bids and asks")
	}
	return bids, asks, nil
}

func parseLevel(s string) (market.Level, error) {
	price, size, given := strings.Cut(s, "x")
	p, err := market.ParsePrice(price)
	if err != nil || !given {
		return market.Level{Price: p}, err
	}
	z, err := market.ParseSize(size)
	return market.Level{Price: p, Size: z}, err
}
