package drawn

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/market"
)

// Archives generates archives of up to most rounds that are small and nasty: few
// prices, so that ties and crossings happen; thin ladders, one-sided, empty and
// crossed; silence and declared gaps; messages of one instant; captures before
// the start and after the end; one token or both, mirrored or not; ladders,
// quotes, prices and mixtures; exchange times missing, repeated and going
// backwards; smallest orders; split payouts and missing ones; fee schedules of
// their own; rounds that end around the dates of the fee table; rounds that end
// together.
func Archives(most int) *rapid.Generator[*replaytest.Archive] {
	return rapid.Custom(func(t *rapid.T) *replaytest.Archive {
		a := &replaytest.Archive{}
		for i := range rapid.IntRange(1, most).Draw(t, "rounds") {
			a.All = append(a.All, drawRound(t, i))
		}
		return a
	})
}

// feeDates are the instants at which the dated table changes.
func feeDates() []market.Instant {
	return []market.Instant{
		day(2026, 1, 5), day(2026, 2, 12), day(2026, 2, 18), day(2026, 3, 6), day(2026, 3, 30), day(2026, 7, 10),
	}
}

func day(year int, month time.Month, d int) market.Instant {
	return market.InstantOf(time.Date(year, month, d, 0, 0, 0, 0, time.UTC))
}

func drawRound(t *rapid.T, i int) *replaytest.Round {
	r := &replaytest.Round{Market: drawMarket(t, i)}
	d := &drawer{
		t: t, r: r,
		step:   pick(t, "step", 250*market.Millisecond, market.Second, 100*market.Millisecond, 2500*market.Millisecond),
		center: market.Price(rapid.IntRange(4, 96).Draw(t, "center") * 100),
		tick:   pick[market.Price](t, "tick", 100, 100, 100, 10, 50, 1),
		stream: pick(t, "streams", onlyLadders, onlyLadders, onlyLadders, onlyChanges, onlyQuotes, onlyPrices, mixture, mixture),
		tokens: pick(t, "captured", 0, 1, 2, 2),
		calm:   one(t, 2, "calm"),
	}
	d.captures()
	if one(t, 3, "gaps") {
		for range rapid.IntRange(1, 2).Draw(t, "how many gaps") {
			from := r.Market.Start + market.Span(rapid.IntRange(-4, 60).Draw(t, "gap from"))*d.step
			to := from + market.Span(rapid.IntRange(1, 20).Draw(t, "gap length"))*d.step
			r.Gaps = append(r.Gaps, market.TokenGap{
				Token: rapid.IntRange(0, 1).Draw(t, "gap of"), Gap: market.Gap{From: from, To: to},
			})
		}
		slices.SortStableFunc(r.Gaps, func(a, b market.TokenGap) int { return int(a.From - b.From) })
	}
	return r
}

// one is true once in n, never for the smallest draw.
func one(t *rapid.T, n int, label string) bool { return rapid.IntRange(0, n-1).Draw(t, label) == n-1 }

// pick draws one of the values; the first is the simplest.
func pick[T any](t *rapid.T, label string, values ...T) T {
	return values[rapid.IntRange(0, len(values)-1).Draw(t, label)]
}

func drawMarket(t *rapid.T, i int) market.Market {
	length := pick(t, "length", 300, 300, 30, 60, 900) // seconds
	start := market.Instant(1776088800)*market.Second - market.Span(rapid.IntRange(0, 2).Draw(t, "earlier"))*300*market.Second
	end := start + market.Span(length)*market.Second
	if one(t, 4, "at a fee date") {
		end = pick(t, "fee date", feeDates()...)
		start = end - market.Span(length)*market.Second
		end += pick(t, "beside it", 0, -market.Microsecond, market.Microsecond)
	}
	coin, typ := pick(t, "coin", "BTC", "BTC", "ETH"), pick(t, "type", "5m", "5m", "15m", "1h")
	id := fmt.Sprintf("m%d", i)
	m := market.Market{
		Venue:   pick(t, "venue", market.Polymarket, market.Polymarket, market.Polymarket, market.Kalshi, market.Simulated, "elsewhere"),
		VenueID: id, Slug: id, Category: market.Crypto, Coin: coin, Type: typ, Start: start, End: end, Closed: true,
		Tokens: []market.Token{
			{VenueID: id + ":up", Label: "Up", Outcome: market.Up},
			{VenueID: id + ":down", Label: "Down", Outcome: market.Down},
		},
		Mirrored: !one(t, 4, "two books"),
		MinSize:  pick(t, "smallest order", 0, 0, 0, 5*market.SizeOne, market.SizeOne, 15_000, 10_001),
	}
	if one(t, 2, "up sorts first") {
		m.Tokens[0].VenueID = id + ":a"
	}
	if one(t, 8, "sports") {
		m.Category = market.Sports
	}
	if one(t, 4, "own fees") {
		m.Fees = &market.FeeSchedule{
			Rate:     pick(t, "rate", int64(70_000), 0, 1, 250_000, 1_000_000),
			Exponent: rapid.IntRange(0, 3).Draw(t, "exponent"), TakerOnly: true,
		}
	}
	if one(t, 2, "closed at") {
		m.ClosedAt = end + market.Span(rapid.IntRange(0, 40).Draw(t, "closed after"))*market.Second/4
	}
	m.Payout = drawPayout(t)
	return m
}

func drawPayout(t *rapid.T) *market.Payout {
	if one(t, 12, "undecided") {
		return nil
	}
	up := pick(t, "pays", market.CashOne, 0, market.CashOne, 0, 500_000, 333_333)
	down := market.CashOne - up
	if one(t, 12, "void") {
		up, down = pick[market.Cash](t, "void pays", 0, 123_457), 0
	}
	basis := market.Official
	if one(t, 8, "inferred") {
		basis = market.Inferred
	}
	return &market.Payout{Basis: basis, Fractions: []market.Cash{up, down}}
}

// What a round is captured as.
const (
	onlyLadders = iota
	onlyChanges // a ladder once, then changes of levels
	onlyQuotes
	onlyPrices
	mixture
)

// drawer draws the captures of one round.
type drawer struct {
	t      *rapid.T
	r      *replaytest.Round
	step   market.Span
	center market.Price // where the first token's prices are now
	tick   market.Price
	stream int
	tokens int // 0: up alone; 1: down alone; 2: both
	// calm: the same levels stay, with other sizes, so that it matters what was
	// taken from them.
	calm bool
}

func (d *drawer) captures() {
	m := &d.r.Market
	at := m.Start + market.Span(rapid.IntRange(-6, 4).Draw(d.t, "first capture"))*d.step
	if one(d.t, 8, "begins late") {
		at += (m.End - m.Start) / 2 / d.step * d.step
	}
	var exch market.Instant
	for i := range rapid.IntRange(1, 40).Draw(d.t, "captures") {
		c := market.Capture{Recv: at}
		switch d.tokens {
		case 1:
			c.Token = 1
		case 2:
			c.Token = rapid.IntRange(0, 1).Draw(d.t, "token")
		}
		exch = max(0, pick(d.t, "exchange time", 0, at-100*market.Millisecond, exch, exch, exch-market.Millisecond, at+d.step))
		c.Exch = exch
		d.content(&c, i == 0)
		if n := len(d.r.Captures); n > 0 && d.r.Captures[n-1].Recv == at {
			c.Ord = d.r.Captures[n-1].Ord + 1
		}
		d.r.Captures = append(d.r.Captures, c)
		at += pick[market.Span](d.t, "then", 1, 0, 1, 2, 0, 3, 5, 10) * d.step
		switch {
		case one(d.t, 24, "silence"):
			at += pick(d.t, "silent for", 31*market.Second, 29*market.Second, 30*market.Second, 120*market.Second)
		case one(d.t, 16, "off the grid"):
			at += pick(d.t, "off by", 1, 77_777*market.Microsecond)
		case one(d.t, 60, "to the end"):
			at = max(at, m.End-market.Span(rapid.IntRange(0, 8).Draw(d.t, "from the end"))*d.step)
		}
	}
}

func (d *drawer) content(c *market.Capture, first bool) {
	if !d.calm && one(d.t, 3, "moves") || one(d.t, 20, "moves at last") {
		d.center += market.Price(rapid.IntRange(-4, 4).Draw(d.t, "move")) * d.tick
		d.center = min(max(d.center, 5*d.tick), market.PriceOne-5*d.tick)
	}
	kind := pick(d.t, "kind", 0, 0, 0, 1, 1, 2, 3)
	if kind == 3 {
		c.Kind = pick(d.t, "other kind", market.KindTrade, market.KindTrade, market.KindTick, market.KindReset, market.KindMetric)
	} else {
		c.Kind = [][3]market.Kind{
			onlyLadders: {market.KindBook, market.KindBook, market.KindTrade},
			onlyChanges: {market.KindChange, market.KindChange, market.KindTrade},
			onlyQuotes:  {market.KindQuote, market.KindQuote, market.KindTrade},
			onlyPrices:  {market.KindPrice, market.KindPrice, market.KindTrade},
			mixture:     {market.KindBook, market.KindQuote, market.KindPrice},
		}[d.stream][kind]
		if first && c.Kind == market.KindChange && !one(d.t, 6, "change first") {
			c.Kind = market.KindBook
		}
	}
	switch c.Kind {
	case market.KindBook:
		c.Replace = true
		c.Bids, c.Asks = d.book(c.Token)
	case market.KindChange:
		c.Bids, c.Asks = d.changes(c.Token), d.changes(c.Token)
		if one(d.t, 8, "whole after all") {
			c.Kind = market.KindBook
			c.Replace = true
			c.Bids, c.Asks = d.book(c.Token)
		}
		bestFirst(c.Bids, c.Asks)
	case market.KindQuote:
		bids, asks := d.book(c.Token)
		c.Quote = market.Quote{Bid: d.top(bids), Ask: d.top(asks)}
	case market.KindTrade, market.KindPrice:
		c.Trade = market.Trade{Price: d.price(c.Token, rapid.IntRange(-3, 3).Draw(d.t, "at")), Size: 3 * market.SizeOne}
	case market.KindTick:
		c.Trade.Price = d.tick
	case market.KindMetric:
		c.Metric = market.Metric{Liquidity: 5, Volume: market.NoMetric}
	}
}

// price is k ticks from where the token's prices are, within [0.0001, 0.9999].
func (d *drawer) price(token, k int) market.Price {
	p := d.center + market.Price(k)*d.tick
	if token == 1 {
		p = market.PriceOne - d.center + market.Price(k)*d.tick
	}
	return min(max(p, 1), market.PriceOne-1)
}

func (d *drawer) size() market.Size {
	whole := pick[market.Size](d.t, "size", 10, 100, 2, 1, 500, 30, 0)
	part := pick[market.Size](d.t, "and", 0, 0, 0, 5_000, 123_456, 10_000, 4_999)
	return max(whole*market.SizeOne+part, 1)
}

// book draws a whole ladder around where the prices are: usually two-sided and
// not crossed.
func (d *drawer) book(token int) (bids, asks []market.Level) {
	gap := 1
	if !d.calm || one(d.t, 6, "spread changes") {
		gap = pick(d.t, "half spread", 1, 0, 2, 7, 5)
	}
	for k := range rapid.IntRange(0, 4).Draw(d.t, "bids") {
		bids = append(bids, market.Level{Price: d.price(token, -gap-k), Size: d.size()})
	}
	for k := range rapid.IntRange(0, 4).Draw(d.t, "asks") {
		asks = append(asks, market.Level{Price: d.price(token, gap+k), Size: d.size()})
	}
	if one(d.t, 12, "crossed") {
		asks = append(asks, market.Level{Price: d.price(token, -gap-1), Size: d.size()})
	}
	if one(d.t, 12, "far away") {
		bids = append(bids, market.Level{Price: d.price(token, -gap-6), Size: d.size()})
	}
	bestFirst(bids, asks)
	return unique(bids), unique(asks)
}

// changes draws new sizes of a few levels, some of them gone.
func (d *drawer) changes(token int) []market.Level {
	var out []market.Level
	for range rapid.IntRange(0, 2).Draw(d.t, "levels") {
		l := market.Level{Price: d.price(token, rapid.IntRange(-4, 4).Draw(d.t, "level"))}
		if !one(d.t, 2, "gone") {
			l.Size = d.size()
		}
		out = append(out, l)
	}
	slices.SortStableFunc(out, func(a, b market.Level) int { return int(a.Price - b.Price) })
	return unique(out)
}

// top makes a side of a quote out of a side of a ladder.
func (d *drawer) top(levels []market.Level) market.Level {
	if len(levels) == 0 {
		return market.Level{Price: market.NoPrice}
	}
	if one(d.t, 2, "no size") {
		return market.Level{Price: levels[0].Price}
	}
	return levels[0]
}

// bestFirst puts both sides best first.
func bestFirst(bids, asks []market.Level) {
	slices.SortStableFunc(bids, func(a, b market.Level) int { return int(b.Price - a.Price) })
	slices.SortStableFunc(asks, func(a, b market.Level) int { return int(a.Price - b.Price) })
}

// unique drops levels whose price stands before them.
func unique(levels []market.Level) []market.Level {
	return slices.CompactFunc(levels, func(a, b market.Level) bool { return a.Price == b.Price })
}

// Text writes the archive in the form that replaytest.Parse reads, as far as it
// can be said there.
func Text(a *replaytest.Archive) string {
	var b strings.Builder
	for _, r := range a.All {
		writeRound(&b, r)
	}
	return b.String()
}

func writeRound(b *strings.Builder, r *replaytest.Round) {
	m := &r.Market
	since := func(t market.Instant) string { return market.FormatDecimal(int64(t-m.Start), 6) }
	mirrored := "yes"
	if !m.Mirrored {
		mirrored = "no"
	}
	fmt.Fprintf(b, "market %s-updown-%s-%d id=%s venue=%s end=%s mirrored=%s tokens=%s/%s",
		strings.ToLower(m.Coin), m.Type, m.Start/market.Second, m.VenueID, m.Venue, since(m.End), mirrored,
		m.Tokens[0].VenueID, m.Tokens[1].VenueID)
	if m.Payout != nil {
		fmt.Fprintf(b, " payout=%s/%s basis=%s", m.Payout.Fractions[0], m.Payout.Fractions[1], m.Payout.Basis)
	}
	if m.ClosedAt != 0 {
		fmt.Fprintf(b, " closed=%s", since(m.ClosedAt))
	}
	if m.MinSize != 0 {
		fmt.Fprintf(b, " min=%s", m.MinSize)
	}
	if m.Fees != nil {
		fmt.Fprintf(b, " fee=%s/%d", market.FormatDecimal(m.Fees.Rate, 6), m.Fees.Exponent)
	}
	if m.Category == market.Sports {
		b.WriteString(" # sports")
	}
	fmt.Fprintf(b, " # start %s\n", m.Start)
	token := [...]string{"up", "down"}
	for _, g := range r.Gaps {
		fmt.Fprintf(b, "gap %s %s %s\n", token[g.Token], since(g.From), since(g.To))
	}
	for i := range r.Captures {
		c := &r.Captures[i]
		b.WriteString(since(c.Recv))
		if c.Exch != 0 {
			b.WriteString("@" + since(c.Exch))
		}
		fmt.Fprintf(b, " %s %s%s\n", token[c.Token], c.Kind, contentText(c))
	}
}

func contentText(c *market.Capture) string {
	var b strings.Builder
	side := func(levels []market.Level, withSize bool) {
		for _, l := range levels {
			if l.Price == market.NoPrice {
				continue
			}
			fmt.Fprintf(&b, " %s", l.Price)
			if withSize || l.Size != 0 {
				fmt.Fprintf(&b, "x%s", l.Size)
			}
		}
	}
	switch c.Kind {
	case market.KindBook, market.KindChange:
		side(c.Bids, true)
		b.WriteString(" |")
		side(c.Asks, true)
	case market.KindQuote:
		side([]market.Level{c.Quote.Bid}, false)
		b.WriteString(" |")
		side([]market.Level{c.Quote.Ask}, false)
	case market.KindTrade, market.KindPrice, market.KindTick:
		side([]market.Level{{Price: c.Trade.Price, Size: c.Trade.Size}}, false)
	}
	return b.String()
}
