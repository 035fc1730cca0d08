package simulate_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/archive/simulate"
	"github.com/ladderback/ladderback/market"
)

func newSimulation(t require.TestingT, c simulate.Config) *simulate.Simulation {
	s, err := simulate.New(c)
	require.NoError(t, err)
	return s
}

// digest returns the first bytes of a hash over all that a round is.
func digest(r *simulate.Round) string {
	listed := r.Market
	listed.Payout = nil
	b := fmt.Appendf(nil, "%+v %+v %v %v", r.Event, listed, r.Market.Payout.Winner(), r.Gaps)
	h := sha256.New()
	h.Write(b)
	for c := range r.Captures() {
		b = append(b[:0], byte(c.Token), byte(c.Kind), byte(c.Trade.Side))
		for _, v := range []int64{int64(c.Recv), int64(c.Exch), int64(c.Ord), int64(c.Trade.Price), int64(c.Trade.Size), int64(len(c.Bids))} {
			b = binary.AppendVarint(b, v)
		}
		for _, l := range slices.Concat(c.Bids, c.Asks) {
			b = binary.AppendVarint(binary.AppendVarint(b, int64(l.Price)), int64(l.Size))
		}
		h.Write(b)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// TestSameSeedSameCaptures compares with what the first machine made. A change
// of these values changes every simulated archive: raise Generation.
func TestSameSeedSameCaptures(t *testing.T) {
	t.Parallel()
	plain := newSimulation(t, simulate.Config{Seed: 1, Markets: 3, Coins: []string{"BTC", "DOGE"}, Types: []string{"5m"}})
	fair := newSimulation(t, simulate.Config{Seed: 2, Markets: 2, Types: []string{"15m"}, Rate: 0.5, Levels: 10, Fair: true})
	var got []string
	for _, s := range []*simulate.Simulation{plain, fair} {
		for i := range s.Len() {
			got = append(got, digest(s.Round(i)))
		}
	}
	require.Equal(t, []string{"25c250bcf18911b7", "f997863f5e1a6ba5", "d7168ccefd2842fa", "626487ac0e2e1d89", "57e16c42991aaa2a"}, got)
	require.NotEqual(t, got[0], digest(newSimulation(t, simulate.Config{Seed: 9, Markets: 1, Types: []string{"5m"}}).Round(0)))
}

func TestRoundsDoNotDependOnOrderOrCompany(t *testing.T) {
	t.Parallel()
	s := newSimulation(t, simulate.Config{Markets: 8, Types: []string{"5m"}})
	want := make([]string, s.Len())
	for i := range want {
		want[i] = digest(s.Round(i))
	}
	got := make([]string, s.Len())
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[len(got)-1-i] = digest(s.Round(len(got) - 1 - i)) })
	}
	wg.Wait()
	require.Equal(t, want, got)
	r := s.Round(3)
	first, second := digest(r), digest(r)
	require.Equal(t, first, second, "a round may be read again")
}

func TestWhatIsListed(t *testing.T) {
	t.Parallel()
	s := newSimulation(t, simulate.Demo())
	feesHold := market.Instant(1_774_828_800) * market.Second // 2026-03-30
	count := map[string]int{}
	open := 0
	slugs, ids := map[string]bool{}, map[string]bool{}
	for i := range s.Len() {
		r := s.Round(i)
		m := &r.Market
		name, ok := market.ParseRoundSlug(m.Slug)
		require.True(t, ok, m.Slug)
		require.Equal(t, market.RoundName{Coin: m.Coin, Type: m.Type, Start: m.Start, End: m.End}, name)
		require.Zero(t, m.Start%(m.End-m.Start), "rounds begin at multiples of their length")
		require.Greater(t, m.Start, feesHold)
		require.Equal(t, market.Simulated, m.Venue)
		require.Equal(t, market.Crypto, m.Category)
		require.True(t, m.Mirrored)
		require.Equal(t, []int{0, 1}, []int{m.TokenIndex(market.Up), m.TokenIndex(market.Down)})
		require.Equal(t, m.Slug, r.Event.Slug)
		require.Equal(t, m.EventID, r.Event.VenueID)
		require.Equal(t, m.SeriesID, r.Event.SeriesID)
		require.True(t, slices.IsSorted(m.Tags))
		for _, id := range []string{m.VenueID, m.Tokens[0].VenueID, m.Tokens[1].VenueID} {
			require.False(t, ids[id])
			ids[id] = true
		}
		require.False(t, slugs[m.Slug])
		slugs[m.Slug] = true
		if m.Payout == nil {
			require.False(t, m.Closed)
			require.Greater(t, m.End, s.Newest())
			open++
			continue
		}
		require.True(t, m.Closed)
		require.Equal(t, market.Official, m.Payout.Basis)
		require.Contains(t, []int{0, 1}, m.Payout.Winner())
		count[m.Coin+" "+m.Type]++
	}
	want := map[string]int{}
	for _, p := range simulate.Demo().Pairs {
		want[p.Coin+" "+p.Type] = p.Rounds
	}
	require.Equal(t, want, count)
	require.Equal(t, 240, count["BTC 15m"])
	require.Equal(t, 9, open)
	require.Len(t, s.Series(), 9)
	require.Equal(t, market.Series{
		Venue: market.Simulated, VenueID: "btc-up-or-down-5m", Slug: "btc-up-or-down-5m", Title: "Bitcoin Up or Down 5m",
		Recurrence: "5m", Category: market.Crypto, Tags: []string{"5m", "bitcoin", "crypto", "up-or-down"},
	}, s.Series()[0])
	r := newSimulation(t, simulate.Config{Markets: 1, Types: []string{"5m"}}).Round(0)
	require.Equal(t, "btc-updown-5m-1775001900", r.Market.Slug)
	require.Equal(t, "Bitcoin Up or Down: 2026-04-01 00:05–00:10 UTC", r.Market.Question)
}

// TestCapturesAreWellFormed draws configurations and holds what every round
// keeps.
func TestCapturesAreWellFormed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := simulate.Config{
			Seed:    rapid.Uint64().Draw(t, "seed"),
			Markets: 1,
			Coins:   []string{rapid.SampledFrom([]string{"BTC", "ETH", "XRP"}).Draw(t, "coin")},
			Types:   []string{rapid.SampledFrom([]string{"1m", "5m"}).Draw(t, "type")},
			Levels:  rapid.IntRange(1, 98).Draw(t, "levels"),
			Rate:    rapid.SampledFrom([]float64{0.1, 1, 3}).Draw(t, "rate"),
			Fair:    rapid.Bool().Draw(t, "fair"),
			Open:    rapid.Bool().Draw(t, "open"),
		}
		s := newSimulation(t, c)
		for i := range s.Len() {
			checkRound(t, s, s.Round(i))
		}
	})
}

// checkTrade: a taker took from the best price of a side, which is in the ladder behind the
// trade; in a fair simulation not past the fair value, so that whoever waits is paid for it.
func checkTrade(t *rapid.T, c simulate.Config, k *market.Capture, at market.Instant, q market.Quote, value int64) {
	p, buys := k.Trade.Price, k.Trade.Side == market.Bid
	if k.Token == 1 {
		p, buys = p.Mirror(), !buys
	}
	require.Equal(t, at, k.Recv, "the ladder comes with the trade")
	if buys {
		require.True(t, q.Ask.Price == market.NoPrice || q.Ask.Price >= p, "bought at %s, and %s is offered", p, q.Ask.Price)
		require.True(t, q.Bid.Price == market.NoPrice || q.Bid.Price < p)
		require.True(t, !c.Fair || int64(p)*100_000 >= value, "bought at %s, worth %d", p, value)
		return
	}
	require.True(t, q.Bid.Price == market.NoPrice || q.Bid.Price <= p, "sold at %s, and %s is bid", p, q.Bid.Price)
	require.True(t, q.Ask.Price == market.NoPrice || q.Ask.Price > p)
	require.True(t, !c.Fair || int64(p)*100_000 <= value, "sold at %s, worth %d", p, value)
}

func checkRound(t *rapid.T, s *simulate.Simulation, r *simulate.Round) {
	c := s.Config()
	book := &market.Book{}
	values := maps.Collect(r.Values())
	var traded market.Capture // at this instant; no kind: nothing
	last, ord, ladders, tick := market.Instant(0), uint32(0), 0, market.Price(100)
	for k := range r.Captures() {
		require.GreaterOrEqual(t, k.Recv, last)
		if k.Recv == last {
			ord++
		} else {
			ord = 0
		}
		require.Equal(t, ord, k.Ord)
		last = k.Recv
		require.LessOrEqual(t, k.Recv, s.Newest())
		for _, g := range r.Gaps {
			require.False(t, g.Covers(k.Recv), "captured in a gap")
		}
		switch k.Kind {
		case market.KindTrade:
			require.True(t, k.Trade.Price > 0 && k.Trade.Price < market.PriceOne && k.Trade.Size > 0 && k.Trade.Side != market.SideUnknown)
			require.Less(t, k.Recv, r.Market.End)
			traded = *k
			continue
		case market.KindTick:
			tick = k.Trade.Price
			continue
		case market.KindReset:
			continue
		}
		require.True(t, k.IsLadder())
		require.Equal(t, k.Kind == market.KindBook, k.Replace)
		require.True(t, ladders > 0 || k.Replace, "the first ladder is whole")
		ladders++
		book.Apply(k)
		checkLadder(t, c, book, tick)
		if traded.Kind == market.KindTrade {
			checkTrade(t, c, &traded, k.Recv, book.Quote(), values[k.Recv])
			traded = market.Capture{}
		}
		if v, ok := values[k.Recv]; c.Fair {
			require.True(t, ok)
			q := book.Quote()
			require.LessOrEqual(t, int64(max(q.Bid.Price, 0))*100_000, v)
			if q.Ask.Price != market.NoPrice {
				require.GreaterOrEqual(t, int64(q.Ask.Price)*100_000, v)
			}
		}
	}
	require.Len(t, values, ladders)
}

func checkLadder(t *rapid.T, c simulate.Config, book *market.Book, tick market.Price) {
	q := book.Quote()
	if q.Bid.Price != market.NoPrice && q.Ask.Price != market.NoPrice {
		require.Less(t, q.Bid.Price, q.Ask.Price)
	}
	require.LessOrEqual(t, max(len(book.Append(nil, market.Bid)), len(book.Append(nil, market.Ask))), c.Levels)
	for _, side := range []market.Side{market.Bid, market.Ask} {
		for l := book.Best(side); l.Price != market.NoPrice; l = book.Next(side, l.Price) {
			require.True(t, l.Price > 0 && l.Price < market.PriceOne && l.Price%tick == 0 && l.Size > 0)
		}
	}
}

// TestFairValueIsAMartingale: over many rounds, the payout and the value later
// on are on average the value now, whatever that is, at any time.
func TestFairValueIsAMartingale(t *testing.T) {
	t.Parallel()
	s := newSimulation(t, simulate.Config{Seed: 11, Markets: 6000, Types: []string{"5m"}, Rate: 0.2, Fair: true})
	type cell struct{ sum, squares, n float64 }
	cells := map[string]*cell{}
	add := func(name string, v float64) {
		c := cells[name]
		if c == nil {
			c = &cell{}
			cells[name] = c
		}
		c.sum += v
		c.squares += v * v
		c.n++
	}
	for i := range s.Len() {
		r := s.Round(i)
		paid := 1 - float64(r.Market.Payout.Winner())
		before, beforeAt, move := math.NaN(), market.Instant(0), 0.0
		for at, v := range r.Values() {
			if at < r.Market.Start || at >= r.Market.End {
				continue
			}
			now := float64(v) / 1e9
			if !math.IsNaN(before) {
				part := fmt.Sprintf("minute %d, value %.1f", (beforeAt-r.Market.Start)/market.Minute, before)
				add("payout at "+part, paid-before)
				add("step at "+part, now-before)
				if move != 0 {
					add(fmt.Sprintf("step after a move of %+.0f", math.Copysign(1, move)), now-before)
				}
				move = now - before
			}
			before, beforeAt = now, at
		}
	}
	require.Greater(t, len(cells), 100)
	for name, c := range cells {
		if c.n < 200 {
			continue
		}
		mean := c.sum / c.n
		deviation := math.Sqrt(c.squares/c.n-mean*mean) / math.Sqrt(c.n)
		if len(name) > 6 && name[:6] == "payout" {
			deviation *= 3.5 // one round counts several times
		}
		require.Less(t, math.Abs(mean), 4.5*deviation+1e-9, "%s: mean %g over %g", name, mean, c.n)
	}
}

// TestLooksLikeRealRounds holds the figures that were measured on real rounds
// of five minutes, roughly.
func TestLooksLikeRealRounds(t *testing.T) {
	t.Parallel()
	s := newSimulation(t, simulate.Config{Seed: 3, Markets: 200, Types: []string{"5m"}})
	var spreads, levels, best, five []int
	oneSided := map[string][2]int{}
	up, full, gaps, resets, trades, ladders := 0, 0, 0, 0, 0, 0
	for i := range s.Len() {
		r := s.Round(i)
		if r.Market.Payout.Winner() == 0 {
			up++
		}
		gaps += len(r.Gaps)
		book := &market.Book{}
		n := 0
		for c := range r.Captures() {
			switch c.Kind {
			case market.KindReset:
				resets++
			case market.KindTrade:
				trades++
			}
			if !c.IsLadder() {
				continue
			}
			n++
			book.Apply(c)
			q := book.Quote()
			sides := oneSided[phase(r, c.Recv)]
			sides[1]++
			if q.Bid.Price == market.NoPrice || q.Ask.Price == market.NoPrice {
				sides[0]++
			} else {
				spreads = append(spreads, int(q.Ask.Price-q.Bid.Price))
			}
			oneSided[phase(r, c.Recv)] = sides
			if p := phase(r, c.Recv); p == "late" && q.Bid.Price > 2000 && q.Bid.Price < 8000 {
				shares := 0
				for n, l := range book.Append(nil, market.Ask)[:5] {
					shares += int(l.Size / market.SizeOne)
					if n == 0 {
						best = append(best, shares)
					}
				}
				five = append(five, shares)
			}
			levels = append(levels, len(book.Append(nil, market.Bid)), len(book.Append(nil, market.Ask)))
		}
		ladders += n
		if n > 250 {
			full++
		}
	}
	slices.Sort(spreads)
	slices.Sort(levels)
	slices.Sort(best)
	slices.Sort(five)
	share := func(p string) float64 { return float64(oneSided[p][0]) / float64(oneSided[p][1]) }
	require.Equal(t, 100, spreads[len(spreads)/2], "half of all spreads are one cent")
	require.InDelta(t, 500, spreads[len(spreads)*99/100], 100)
	require.InDelta(t, 45, levels[len(levels)/2], 10)
	require.InDelta(t, 175, best[len(best)/2], 50, "shares at the best ask, from four minutes left")
	require.InDelta(t, 1600, five[len(five)/2], 400, "shares at the best five asks")
	require.Zero(t, share("early"))
	require.InDelta(t, 0.05, share("a minute left"), 0.04)
	require.InDelta(t, 0.16, share("ten seconds left"), 0.08)
	require.Greater(t, share("over"), 0.9)
	require.InDelta(t, 100, up, 30)
	require.InDelta(t, 190, full, 10, "most rounds are captured whole")
	require.InDelta(t, 20, gaps/2, 15)
	require.Positive(t, resets)
	require.InDelta(t, 0.14, float64(trades)/float64(ladders), 0.03)
}

func phase(r *simulate.Round, at market.Instant) string {
	switch left := r.Market.End - at; {
	case left <= 0:
		return "over"
	case left <= 10*market.Second:
		return "ten seconds left"
	case left <= 30*market.Second:
		return "half a minute left"
	case left <= market.Minute:
		return "a minute left"
	case left <= 4*market.Minute:
		return "late"
	}
	return "early"
}

// TestShortRoundsForTheFairGame: rounds of at most 500 captures can be had.
func TestShortRoundsForTheFairGame(t *testing.T) {
	t.Parallel()
	s := newSimulation(t, simulate.Config{Markets: 50, Types: []string{"5m"}, Fair: true})
	for i := range s.Len() {
		n := 0
		for range s.Round(i).Captures() {
			n++
		}
		require.LessOrEqual(t, n, 500)
	}
}

func TestConfigErrors(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]simulate.Config{
		"-1 markets":              {Markets: -1},
		"1000001 markets":         {Markets: 1_000_001},
		`coin "btc!"`:             {Coins: []string{"btc!"}},
		`length of rounds "soon"`: {Types: []string{"soon"}},
		`length of rounds "0m"`:   {Types: []string{"0m"}},
		"99 ladder levels":        {Levels: 99},
		"-1 ladder levels":        {Levels: -1},
		"rate of 1000 books":      {Rate: 1000},
		"rate of -1 books":        {Rate: -1},
		"rate of NaN books":       {Rate: math.NaN()},
		"BTC 1h is listed twice":  {Types: []string{"60m", "1h"}},
		"no rounds requested":     {Pairs: []simulate.Pair{{Coin: "BTC", Type: "5m"}}},
		"expected at most 3650":   {Markets: 10_000, Types: []string{"1d"}},
	} {
		_, err := simulate.New(c)
		require.ErrorContains(t, err, want)
	}
}

func TestMarketsAreSpreadOverPairs(t *testing.T) {
	t.Parallel()
	s := newSimulation(t, simulate.Config{Markets: 7, Coins: []string{"btc", "ETH"}, Types: []string{"5m", "15m"}})
	require.Equal(t, []simulate.Pair{{"BTC", "5m", 2}, {"BTC", "15m", 2}, {"ETH", "5m", 2}, {"ETH", "15m", 1}}, s.Config().Pairs)
	require.Equal(t, 7, s.Config().Markets)
	require.Equal(t, 7, s.Len())
	require.Equal(t, 200, newSimulation(t, simulate.Config{}).Len())
}

// BenchmarkCaptures makes rounds of fifteen minutes.
//
//	go test -run - -bench Captures ./archive/simulate
func BenchmarkCaptures(b *testing.B) {
	s := newSimulation(b, simulate.Config{Markets: 100})
	captures, i := 0, 0
	for b.Loop() {
		for range s.Round(i % s.Len()).Captures() {
			captures++
		}
		i++
	}
	b.ReportMetric(float64(captures)/b.Elapsed().Seconds()/1e6, "Mcaptures/s")
}

// TestTradesAreOfTheBook: what trades was the best of the side that was taken: the whole book
// that follows at once shows no better price there, and the trade's own alone if some is left.
func TestTradesAreOfTheBook(t *testing.T) {
	t.Parallel()
	s := newSimulation(t, simulate.Config{Seed: 5, Markets: 60, Types: []string{"5m"}})
	seen, left := 0, 0
	for i := range s.Len() {
		book := &market.Book{}
		var last *market.Trade
		var at market.Instant
		for c := range s.Round(i).Captures() {
			if last != nil {
				require.Equal(t, market.KindBook, c.Kind, "the whole ladder after a trade")
				require.Equal(t, at, c.Recv)
				book.Apply(c)
				best, worse := book.Quote().Ask, func(p market.Price) bool { return p >= last.Price }
				if last.Side == market.Ask {
					best, worse = book.Quote().Bid, func(p market.Price) bool { return p <= last.Price }
				}
				if best.Price != market.NoPrice {
					require.True(t, worse(best.Price), "%v is left at %v behind a trade at %v", best.Size, best.Price, last.Price)
				}
				if best.Price == last.Price {
					left++
				}
				last = nil
				continue
			}
			if c.IsLadder() {
				book.Apply(c)
			}
			if c.Kind == market.KindTrade {
				x := c.Trade
				require.Positive(t, x.Size)
				if c.Token == 1 {
					x.Price, x.Side = x.Price.Mirror(), x.Side.Opposite()
				}
				last, at = &x, c.Recv
				seen++
			}
		}
	}
	require.Greater(t, seen, 1000)
	require.Greater(t, left, seen/4)
}
