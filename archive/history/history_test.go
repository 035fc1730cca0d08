package history_test

import (
	"cmp"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/market"
)

// drawMarket draws a market with captures in receive order, nasty on purpose:
// few prices, empty and crossed sides, captures between grid points, streams
// mixed.
func drawMarket(t *rapid.T) (*market.Market, []market.Capture) {
	m := &market.Market{Tokens: []market.Token{{VenueID: "a"}, {VenueID: "b"}}}
	m.Mirrored = rapid.Bool().Draw(t, "mirrored")
	if !m.Mirrored && rapid.Bool().Draw(t, "three tokens") {
		m.Tokens = append(m.Tokens, market.Token{VenueID: "c"})
	}
	kinds := rapid.SampledFrom([][]market.Kind{
		{market.KindBook, market.KindChange},
		{market.KindBook, market.KindChange, market.KindTrade, market.KindReset},
		{market.KindQuote},
		{market.KindQuote, market.KindTrade},
		{market.KindPrice},
		{market.KindTrade},
		{market.KindBook, market.KindChange, market.KindQuote, market.KindTrade, market.KindPrice, market.KindMetric, market.KindTick},
	}).Draw(t, "kinds")
	one := rapid.Custom(func(t *rapid.T) market.Capture { return drawCapture(t, len(m.Tokens), kinds) })
	captures := rapid.SliceOfN(one, 1, 25).Draw(t, "captures")
	slices.SortStableFunc(captures, func(a, b market.Capture) int { return cmp.Compare(a.Recv, b.Recv) })
	return m, captures
}

func drawCapture(t *rapid.T, tokens int, kinds []market.Kind) market.Capture {
	price := func(label string) market.Price {
		return market.Price(rapid.SampledFrom([]int{0, 100, 3000, 3300, 3333, 5000, 5001, 7000, 9900, 10000}).Draw(t, label))
	}
	size := func(label string) market.Size {
		return market.Size(rapid.SampledFrom([]int{0, 1, 333_333, 1_000_000, 2_560_000, 655_350_000, 167_772_150_000, 167_772_160_000}).Draw(t, label))
	}
	side := func(label string) []market.Level {
		set := map[market.Price]market.Size{}
		for range rapid.IntRange(0, 3).Draw(t, label) {
			set[price("price")] = size("size")
		}
		out := []market.Level{}
		for p, z := range set {
			out = append(out, market.Level{Price: p, Size: z})
		}
		return out
	}
	quoteSide := func(label string) market.Level {
		if rapid.IntRange(0, 3).Draw(t, label) == 0 {
			return market.Level{Price: market.NoPrice}
		}
		return market.Level{Price: price(label), Size: size(label)}
	}
	c := market.Capture{
		Token: rapid.IntRange(0, tokens-1).Draw(t, "token"),
		Kind:  rapid.SampledFrom(kinds).Draw(t, "kind"),
		Recv:  market.Instant(rapid.IntRange(0, 80).Draw(t, "recv")) * 50 * market.Millisecond,
		Exch:  market.Instant(rapid.IntRange(0, 3).Draw(t, "exch")),
	}
	switch c.Kind {
	case market.KindBook, market.KindChange:
		c.Replace = c.Kind == market.KindBook
		c.Bids, c.Asks = side("bids"), side("asks")
	case market.KindQuote:
		c.Quote = market.Quote{Bid: quoteSide("bid"), Ask: quoteSide("ask")}
	case market.KindTrade:
		c.Trade = market.Trade{Price: price("trade"), Size: size("traded")}
	case market.KindPrice:
		c.Trade.Price = price("last")
	case market.KindMetric:
		metric := func(label string) market.Cash {
			return market.Cash(rapid.SampledFrom([]int{-1, 0, 12_345_678}).Draw(t, label))
		}
		c.Metric = market.Metric{Liquidity: metric("liquidity"), Volume: metric("volume")}
	}
	return c
}

func sequence(captures []market.Capture) history.Captures {
	return func(yield func(*market.Capture, error) bool) {
		for i := range captures {
			if !yield(&captures[i], nil) {
				return
			}
		}
	}
}

func drawWindow(t *rapid.T, captures []market.Capture) (history.Window, history.Known) {
	w := history.Window{
		Start:      market.Instant(rapid.IntRange(0, 60).Draw(t, "start")) * 70 * market.Millisecond,
		Resolution: market.Span(rapid.SampledFrom([]int{1, 2, 4, 5, 12}).Draw(t, "resolution")) * grid,
	}
	w.End = w.Start + 1 + market.Instant(rapid.IntRange(0, 100).Draw(t, "length"))*60*market.Millisecond
	known := history.Known{From: captures[0].Recv, To: market.Instant(rapid.IntRange(0, 100).Draw(t, "to")) * 60 * market.Millisecond}
	if rapid.Bool().Draw(t, "aligned") { // both ends are times of buckets
		w.Start -= w.Start % w.Resolution
		w.End = max(w.Start+w.Resolution, w.End-w.End%w.Resolution)
		known.To -= known.To % grid
	}
	return w, known
}

// walked returns what the package says of the window.
func walked(t require.TestingT, m *market.Market, captures []market.Capture, w history.Window, known history.Known) map[market.Instant]*bucket {
	out := map[market.Instant]*bucket{}
	at := func(t market.Instant) *bucket {
		if out[t] == nil {
			out[t] = &bucket{T: t}
		}
		return out[t]
	}
	r := history.Request{Market: m, Window: w, Known: known}
	require.NoError(t, history.Prices(r, sequence(captures), func(t market.Instant, p []int64) bool {
		at(t).Prices = slices.Clone(p)
		return true
	}))
	require.NoError(t, history.Metrics(r, sequence(captures), func(t market.Instant, m history.Metric) bool {
		at(t).Metric = &m
		return true
	}))
	require.NoError(t, history.Books(r, sequence(captures), func(t market.Instant, books []history.Ladder) bool {
		for _, l := range books {
			at(t).Books = append(at(t).Books, history.Ladder{
				Known: l.Known, Bids: append([]market.Level{}, l.Bids...), Asks: append([]market.Level{}, l.Asks...),
			})
		}
		return true
	}))
	return out
}

// TestAgainstOracle compares every bucket of random markets with the oracle, to
// the last digit.
func TestAgainstOracle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m, captures := drawMarket(t)
		w, known := drawWindow(t, captures)
		got := walked(t, m, captures, w, known)
		for _, want := range buckets(m, captures, w, known) {
			b := got[want.T]
			delete(got, want.T)
			if b == nil {
				b = &bucket{}
			}
			if slices.ContainsFunc(want.Prices, func(p int64) bool { return p != history.None }) {
				require.Equal(t, want.Prices, b.Prices, "prices at %s", want.T)
			} else {
				require.Nil(t, b.Prices, "prices at %s", want.T)
			}
			require.Equal(t, want.Metric, b.Metric, "metrics at %s", want.T)
			if slices.ContainsFunc(want.Books, func(l history.Ladder) bool { return l.Known }) {
				require.Equal(t, want.Books, b.Books, "books at %s", want.T)
			} else {
				require.Nil(t, b.Books, "books at %s", want.T)
			}
		}
		require.Empty(t, got, "buckets outside of the window")
	})
}

// TestSuffix walks from the middle: captures before it that only add up to the
// right state, and the spread that may lie before, looked for in steps.
func TestSuffix(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m, captures := drawMarket(t)
		w, known := drawWindow(t, captures)
		suffix := func(from market.Instant) history.Captures {
			crammed := slices.Clone(captures)
			for i := range crammed {
				if crammed[i].Recv < from {
					crammed[i].Recv = min(captures[0].Recv, from-1)
				}
			}
			return sequence(crammed)
		}
		var want, got []history.Metric
		collect := func(into *[]history.Metric) func(market.Instant, history.Metric) bool {
			return func(_ market.Instant, m history.Metric) bool {
				*into = append(*into, m)
				return true
			}
		}
		r := history.Request{Market: m, Window: w, Known: known}
		require.NoError(t, history.Metrics(r, sequence(captures), collect(&want)))

		r.Exact = w.First() - grid
		err := history.Metrics(r, suffix(r.Exact), collect(&got))
		if errors.Is(err, history.ErrSpread) {
			require.Empty(t, got)
			r.Seed.NoSpread = true
			step := market.Span(rapid.IntRange(1, 9).Draw(t, "step")) * grid
			for to := r.Exact; to > known.From; to -= step {
				spread, found, err := history.LastSpread(m, known, to-step, to, suffix(to-step))
				require.NoError(t, err)
				if found {
					r.Seed = history.Seed{Spread: spread, SpreadKnown: true}
					break
				}
			}
			err = history.Metrics(r, suffix(r.Exact), collect(&got))
		}
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}

// TestOrderAndStop sees that buckets come in order and that emit can stop.
func TestOrderAndStop(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m, captures := drawMarket(t)
		w, known := drawWindow(t, captures)
		r := history.Request{Market: m, Window: w, Known: known}
		var all []market.Instant
		require.NoError(t, history.Prices(r, sequence(captures), func(t market.Instant, _ []int64) bool {
			all = append(all, t)
			return true
		}))
		require.True(t, slices.IsSorted(all), "%v", all)
		if len(all) == 0 {
			return
		}
		k := rapid.IntRange(1, len(all)).Draw(t, "stop after")
		var some []market.Instant
		require.NoError(t, history.Prices(r, sequence(captures), func(t market.Instant, _ []int64) bool {
			some = append(some, t)
			return len(some) < k
		}))
		require.Equal(t, all[:k], some)
	})
}

func TestWindowErrors(t *testing.T) {
	t.Parallel()
	require.Error(t, history.Window{Start: 1, End: 1, Resolution: grid}.Validate())
	require.Error(t, history.Window{Start: 0, End: 1, Resolution: grid - 1}.Validate())
	require.Error(t, history.Window{Start: 0, End: 1}.Validate())
	require.NoError(t, history.Window{Start: 0, End: 1, Resolution: grid}.Validate())
}
