package replay_test

import (
	"context"
	"iter"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// streamed is one long round handed out as a decoder would: differences of a
// deep book, the same slices every time.
type streamed struct {
	round    market.Round
	captures []market.Capture
	changes  int
}

func (s *streamed) Rounds(context.Context, market.RoundFilter) ([]market.Round, error) {
	return []market.Round{s.round}, nil
}

func (s *streamed) Captures(context.Context, *market.Market) iter.Seq2[*market.Capture, error] {
	return func(yield func(*market.Capture, error) bool) {
		for i := range s.captures {
			if !yield(&s.captures[i], nil) {
				return
			}
		}
	}
}

// newStreamed makes a 15-minute round of ten ladders a second, fifty levels a
// side, about a dozen of them changing each time, as real rounds have it.
func newStreamed() *streamed {
	r := rand.New(rand.NewPCG(1, 2))
	name, _ := market.ParseRoundSlug("btc-updown-15m-1776088800")
	_, _, m := market.RoundListing(market.Polymarket, "m", "btc-updown-15m-1776088800", name)
	m.Mirrored = true
	m.Tokens = []market.Token{{VenueID: "1", Outcome: market.Up}, {VenueID: "2", Outcome: market.Down}}
	m.Payout = &market.Payout{Basis: market.Official, Fractions: []market.Cash{market.CashOne, 0}}
	s := &streamed{round: market.Round{Market: &m, Captured: true}}
	mid := market.Price(5_000)
	size := func() market.Size { return market.Size(1+r.IntN(500)) * market.SizeOne }
	whole := func() (bids, asks []market.Level) {
		for i := market.Price(1); i <= 50; i++ {
			if p := mid - 50*i; p > 0 {
				bids = append(bids, market.Level{Price: p, Size: size()})
			}
			if p := mid + 50*i; p < market.PriceOne {
				asks = append(asks, market.Level{Price: p, Size: size()})
			}
		}
		return bids, asks
	}
	for at := m.Start; at < m.End; at += 100 * market.Millisecond {
		c := market.Capture{Kind: market.KindBook, Recv: at, Exch: at}
		if len(s.captures)%200 == 0 {
			mid = min(8_000, max(2_000, mid+50*market.Price(r.IntN(5)-2)))
			c.Replace = true
			c.Bids, c.Asks = whole()
		} else {
			for range 6 {
				c.Bids = append(c.Bids, market.Level{Price: mid - 50*market.Price(1+r.IntN(50)), Size: size()})
				c.Asks = append(c.Asks, market.Level{Price: mid + 50*market.Price(1+r.IntN(50)), Size: size()})
			}
		}
		s.changes += len(c.Bids) + len(c.Asks)
		s.captures = append(s.captures, c)
	}
	return s
}

// BenchmarkReplay replays the round under strategies that never end early.
//
//	go test ./replay -run - -bench Replay -benchtime 2s
func BenchmarkReplay(b *testing.B) {
	price := func(cents int) strategy.Condition {
		return strategy.Condition{Type: strategy.Price, Token: strategy.TokenUp, Comparator: strategy.LT, Threshold: strategy.Cents(cents)}
	}
	depth := price(0)
	depth.Type, depth.Comparator, depth.Threshold = strategy.BidDepth, strategy.GT, strategy.Int(1_000_000)
	for _, bench := range []struct {
		name  string
		entry []strategy.Condition
		exit  strategy.Exit
		cases int
	}{
		{"watching a price", []strategy.Condition{price(1)}, strategy.Exit{HoldToExpiry: true}, 1},
		{"watching a depth", []strategy.Condition{depth}, strategy.Exit{HoldToExpiry: true}, 1},
		{"holding for a profit", nil, strategy.Exit{HoldToExpiry: true, TakeProfit: strategy.Cents(99).Ptr()}, 1},
		{"holding with a stop", nil, strategy.Exit{HoldToExpiry: true, StopLoss: strategy.Cents(1).Ptr()}, 1},
		{"32 at once", nil, strategy.Exit{HoldToExpiry: true, StopLoss: strategy.Cents(1).Ptr()}, 32},
	} {
		b.Run(bench.name, func(b *testing.B) {
			src := newStreamed()
			c := replay.Case{Options: replay.DefaultOptions(), Strategy: strategytest.Canonicalize(strategy.Strategy{
				Market: strategy.MarketSpec{Coin: "BTC", Type: "15m"}, Side: strategy.Up,
				Entry: bench.entry, Exit: bench.exit, BudgetPerTrade: strategy.Int(100), SampleSize: 1,
			})}
			sample, err := replay.Draw(b.Context(), src, c)
			require.NoError(b, err)
			cases := make([]replay.Case, bench.cases)
			for i := range cases {
				cases[i] = c
			}
			b.ReportAllocs()
			for b.Loop() {
				_, err := sample.Replay(b.Context(), src, replay.Parallel{Workers: 1}, cases...)
				require.NoError(b, err)
			}
			b.ReportMetric(float64(src.changes)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mchanges/s")
		})
	}
}
