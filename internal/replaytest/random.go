package replaytest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// Random makes archives, strategies and options out of one seed: small, and
// crowded with the coincidences that rules are made for (captures at the start,
// at the end, at named instants and at arrivals; thin, empty and crossed books;
// several messages an instant). The same seed gives the same things.
type Random struct{ *rand.Rand }

// NewRandom returns a Random for a seed.
func NewRandom(seed uint64) Random { return Random{rand.New(rand.NewPCG(seed, 0x6c6164646572))} }

// chance is true n times out of 100.
func (r Random) chance(n int) bool { return r.IntN(100) < n }

func pick[T any](r Random, of ...T) T { return of[r.IntN(len(of))] }

// Archive returns an archive of n rounds.
func (r Random) Archive(n int) *Archive {
	a := &Archive{}
	for i := range n {
		a.All = append(a.All, r.Round(i))
	}
	return a
}

// Round returns the i-th round of an archive: i keeps ids apart.
func (r Random) Round(i int) *Round {
	coin, length := pick(r, "btc", "btc", "eth"), pick(r, "5m", "5m", "5m", "15m")
	// Starts on either side of the dates of the fee table.
	start := pick(r, 1_776_088_800, 1_776_088_800, 1_776_088_800, 1_774_828_500, 1_770_854_100, 1_767_571_200, 1_750_000_200)
	start += 300 * r.IntN(3)
	slug := fmt.Sprintf("%s-updown-%s-%d", coin, length, start)
	name, _ := market.ParseRoundSlug(slug)
	venue := market.Polymarket
	if r.chance(15) {
		venue = pick(r, market.Kalshi, market.Simulated, "elsewhere")
	}
	id := fmt.Sprintf("%c%d", pick(r, 'a', 'B', 'c'), i)
	_, _, m := market.RoundListing(venue, id, slug, name)
	m.Closed = true
	m.Mirrored = r.chance(80)
	m.Tokens = []market.Token{
		{VenueID: fmt.Sprintf("%d", 100+r.IntN(900)), Label: "Up", Outcome: market.Up},
		{VenueID: fmt.Sprintf("%d", 1000+r.IntN(900)), Label: "Down", Outcome: market.Down},
	}
	if r.chance(20) {
		m.ClosedAt = m.End + market.Span(r.IntN(600_000_000))
	}
	if r.chance(20) {
		m.MinSize = market.Size(r.IntN(8)) * market.SizeOne
	}
	if r.chance(15) {
		m.Fees = &market.FeeSchedule{Rate: int64(r.IntN(100_000)), Exponent: r.IntN(3), TakerOnly: true}
	}
	r.payout(&m)
	round := &Round{Market: m}
	for range r.IntN(3) {
		if r.chance(30) {
			from := m.Start + r.moment(m.End-m.Start)
			round.Gaps = append(round.Gaps, market.TokenGap{Token: r.IntN(2), Gap: market.Gap{
				From: from, To: from + market.Span(1+r.IntN(60))*market.Second/2,
			}})
		}
	}
	slices.SortFunc(round.Gaps, func(a, b market.TokenGap) int { return int(a.From - b.From) })
	r.captures(round)
	return round
}

func (r Random) payout(m *market.Market) {
	up := market.Cash(0)
	switch n := r.IntN(100); {
	case n < 4:
		return // not decided
	case n < 48:
		up = market.CashOne
	case n < 56:
		up = market.Cash(r.IntN(1_000_001))
	}
	m.Payout = &market.Payout{Basis: market.Official, Fractions: []market.Cash{up, market.CashOne - up}}
	if r.chance(20) {
		m.Payout.Basis = market.Inferred
	}
}

// moment returns a time in [0, span): often a whole or quarter second.
func (r Random) moment(span market.Span) market.Span {
	t := market.Span(r.Int64N(int64(span)))
	switch r.IntN(4) {
	case 0:
		return t - t%market.Second
	case 1:
		return t - t%(market.Second/4)
	case 2:
		return t - t%(5*market.Second)
	}
	return t
}

// side is a random ladder of one token.
type side struct{ bids, asks []market.Level }

// captures fills the round with what was received about it.
func (r Random) captures(round *Round) {
	m := &round.Market
	kinds := pick(r, []string{"ladder"}, []string{"ladder"}, []string{"ladder"}, []string{"quote"}, []string{"price"},
		[]string{"price", "quote", "ladder"}, []string{"quote", "ladder"})
	both := !m.Mirrored || r.chance(60)
	length := m.End - m.Start
	var times []market.Instant
	for range 10 + r.IntN(90) {
		t := m.Start - 20*market.Second + r.moment(length+30*market.Second)
		if r.chance(60) { // in bursts, so that fills meet fresh books
			t = m.Start + r.moment(20*market.Second) + market.Span(r.IntN(2))*length/2
		}
		times = append(times, t)
	}
	slices.Sort(times)
	mid := 2_000 + r.IntN(6_000)
	for i, t := range times {
		mid = min(9_700, max(300, mid+r.IntN(801)-400))
		token := 0
		if both {
			token = r.IntN(2)
		}
		kind := kinds[min(len(kinds)-1, i*len(kinds)*2/len(times))]
		r.message(round, t, token, kind, mid)
	}
}

// message appends one thing received about a token, where mid is about Up, and
// now and then what a mirrored pair or a burst has with it.
func (r Random) message(round *Round, at market.Instant, token int, kind string, mid int) {
	exch := market.Instant(0)
	if r.chance(70) {
		exch = at - market.Span(r.IntN(3))*market.Second/2
	}
	c := market.Capture{Token: token, Recv: at, Exch: exch}
	if token == 1 {
		mid = int(market.PriceOne) - mid
	}
	if r.chance(12) {
		kind = pick(r, "trade", "trade", "tick", "reset")
	}
	r.content(&c, kind, mid)
	round.add(c)
	if round.Market.Mirrored && c.IsLadder() && r.chance(30) { // the pair's other half, as it should be
		other := c
		other.Token = 1 - c.Token
		other.Bids, other.Asks = mirrored(c.Asks), mirrored(c.Bids)
		round.add(other)
	}
	if r.chance(12) {
		r.message(round, at, token, kind, int(market.PriceOne)/2)
	}
}

// content fills a capture with a message of the kind around mid.
func (r Random) content(c *market.Capture, kind string, mid int) {
	switch kind {
	case "ladder":
		c.Kind, c.Replace = market.KindBook, true
		s := r.ladder(mid)
		c.Bids, c.Asks = s.bids, s.asks
		if r.chance(45) {
			c.Kind, c.Replace = market.KindChange, false
			c.Bids, c.Asks = r.changed(s.bids), r.changed(s.asks)
		}
	case "quote":
		c.Kind = market.KindQuote
		s := r.ladder(mid)
		c.Quote = market.Quote{Bid: top(s.bids), Ask: top(s.asks)}
		if r.chance(15) {
			c.Quote.Bid.Size, c.Quote.Ask.Size = 0, 0
		}
	case "price":
		c.Kind = market.KindPrice
		c.Trade.Price = market.Price(mid)
	case "trade":
		c.Kind = market.KindTrade
		c.Trade = market.Trade{Price: market.Price(r.cents(mid + r.IntN(801) - 400)), Size: r.size(), Side: market.Bid}
	case "tick":
		c.Kind = market.KindTick
		c.Trade.Price = 10
	case "reset":
		c.Kind = market.KindReset
	}
}

// add appends a capture, with its place among those of its receive time.
func (r *Round) add(c market.Capture) {
	if n := len(r.Captures); n > 0 && r.Captures[n-1].Recv == c.Recv {
		c.Ord = r.Captures[n-1].Ord + 1
	}
	r.Captures = append(r.Captures, c)
}

func mirrored(levels []market.Level) []market.Level {
	var out []market.Level
	for _, l := range levels {
		out = append(out, market.Level{Price: l.Price.Mirror(), Size: l.Size})
	}
	return out
}

func (r Random) cents(p int) int {
	p = min(9_900, max(100, p))
	if r.chance(85) {
		return p - p%100
	}
	return p
}

func (r Random) size() market.Size {
	switch r.IntN(4) {
	case 0:
		return market.Size(1 + r.IntN(30_000_000))
	case 1:
		return market.Size(1+r.IntN(3_000)) * 10_000
	case 2:
		return market.Size(1 + r.IntN(20_000))
	}
	return market.Size(1+r.IntN(400)) * market.SizeOne
}

// ladder returns a book around mid: mostly tight, at times wide, one-sided,
// empty or crossed.
func (r Random) ladder(mid int) side {
	spread := pick(r, 50, 100, 100, 200, 200, 500, 1_000, 1_001, 1_500)
	if r.chance(5) {
		spread = -300
	}
	ask, bid := r.cents(mid+spread/2), r.cents(mid-spread/2)
	if spread > 0 && bid >= ask {
		bid = ask - 50
	}
	var s side
	for i, n := 0, 1+r.IntN(5); i < n && ask < 10_000; i++ {
		s.asks = append(s.asks, market.Level{Price: market.Price(ask), Size: r.size()})
		ask += pick(r, 100, 100, 200, 500, 37)
	}
	for i, n := 0, 1+r.IntN(5); i < n && bid > 0; i++ {
		s.bids = append(s.bids, market.Level{Price: market.Price(bid), Size: r.size()})
		bid -= pick(r, 100, 100, 200, 500, 37)
	}
	switch r.IntN(25) {
	case 0:
		s.asks = nil
	case 1:
		s.bids = nil
	case 2:
		s = side{}
	}
	return s
}

// changed turns levels into changes: some set, some removed.
func (r Random) changed(levels []market.Level) []market.Level {
	var out []market.Level
	for _, l := range levels {
		switch r.IntN(3) {
		case 0:
			out = append(out, l)
		case 1:
			out = append(out, market.Level{Price: l.Price})
		}
	}
	return out
}

// Options returns random options.
func (r Random) Options() replay.Options {
	o := replay.DefaultOptions()
	o.LatencyMS = pick[int64](r, 0, 1, 250, 250, 250, 1_000, 5_000, 30_000)
	o.MaxSlippage = pick(r, replay.NoCap, 0, 10_000, 50_000, 50_000, 123_456)
	o.StaleMS = pick(r, replay.StaleDefault, replay.StaleDefault, 0, 1_000, 30_000)
	o.Fees = pick(r, replay.FeesVenue, replay.FeesVenue, replay.FeesNone)
	o.Winners = pick(r, replay.WinnersOfficial, replay.WinnersInferred)
	o.Sampling = pick(r, replay.Recent, replay.Random)
	o.Seed = r.Int64N(100)
	return o
}

// Strategy returns a random valid strategy in canonical form, one that trades
// more often than not.
func (r Random) Strategy() strategy.Canonical {
	for {
		if s, err := strategy.Canonicalize(r.draft()); err == nil {
			return s
		}
	}
}

func (r Random) draft() strategy.Strategy {
	s := strategy.Strategy{
		Market: strategy.MarketSpec{
			Coin: pick(r, "BTC", "BTC", strategy.Any),
			Type: pick(r, "5m", "5m", strategy.Any),
		},
		Side:           pick(r, strategy.Up, strategy.Down, strategy.Either),
		BudgetPerTrade: strategy.Number(1 + r.IntN(100_000_000)),
		SampleSize:     1 + r.IntN(20),
	}
	for range pick(r, 0, 1, 1, 1, 2, 2, 3) {
		s.Entry = append(s.Entry, r.condition(s.Side))
	}
	if r.chance(20) {
		for range 2 + r.IntN(2) {
			group := []strategy.Condition{r.condition(s.Side)}
			if r.chance(40) {
				group = append(group, r.condition(s.Side))
			}
			s.EntryAny = append(s.EntryAny, group)
		}
	}
	s.Exit = r.exit()
	return s
}

// price returns a price as a number: whole cents, mostly.
func (r Random) price(low, high int) strategy.Number {
	p := low + r.IntN(high-low)
	if r.chance(70) {
		p -= p % 100
	}
	return strategytest.PriceNumber(market.Price(max(1, p)))
}

func (r Random) exit() strategy.Exit {
	e := strategy.Exit{HoldToExpiry: r.chance(60)}
	switch r.IntN(4) {
	case 0:
		e.TakeProfit = r.price(3_000, 9_500).Ptr()
	case 1, 2:
		e.TakeProfitOffset = r.price(100, 2_000).Ptr()
	}
	switch r.IntN(4) {
	case 0:
		e.StopLoss = r.price(500, 7_000).Ptr()
	case 1:
		e.StopLossOffset = r.price(100, 2_000).Ptr()
	}
	if r.chance(25) {
		e.TrailingStop = r.price(100, 2_000).Ptr()
	}
	if r.chance(25) {
		e.MaxHoldSeconds = 1 + r.IntN(150)
	}
	if !e.HoldToExpiry && r.chance(50) {
		e.ExitBeforeSeconds = 1 + r.IntN(150)
	}
	return e
}

func (r Random) condition(side strategy.Side) strategy.Condition {
	c := strategy.Condition{
		Type: pick(r, strategy.Price, strategy.Price, strategy.BestAsk, strategy.BestBid, strategy.Spread,
			strategy.AskDepth, strategy.BidDepth, strategy.Imbalance, strategy.PriceChange,
			strategy.TimeElapsed, strategy.TimeRemaining),
		Comparator: pick(r, strategy.LT, strategy.LTE, strategy.GT, strategy.GTE),
		Token:      pick(r, strategy.TokenUp, strategy.TokenDown),
	}
	if side == strategy.Either {
		c.Token = pick(r, strategy.TokenSame, strategy.TokenOpposite)
	}
	switch c.Type {
	case strategy.Price, strategy.BestAsk, strategy.BestBid:
		c.Threshold = r.price(2_000, 8_000)
	case strategy.Spread:
		c.Threshold = r.price(50, 1_000)
	case strategy.AskDepth, strategy.BidDepth:
		c.Threshold = strategy.Number(r.IntN(50_000_000))
	case strategy.Imbalance:
		c.Threshold = r.price(2_000, 8_000)
	case strategy.PriceChange:
		c.Threshold = r.price(100, 800)
		if r.chance(50) {
			c.Threshold = -c.Threshold
		}
		c.WithinSeconds = pick(r, 1, 2, 5, 10, 30)
		return c
	default:
		c.Token = strategy.TokenNone
		c.Threshold = strategy.Int(r.IntN(200))
		if r.chance(20) {
			c.Threshold += strategy.Number(r.IntN(1_000_000))
		}
		return c
	}
	if r.chance(25) {
		c.Comparator = pick(r, strategy.CrossesAbove, strategy.CrossesBelow)
	}
	if r.chance(20) {
		c.WithinSeconds = 1 + r.IntN(250)
	}
	return c
}
