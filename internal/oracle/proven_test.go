package oracle_test

import (
	"math/rand/v2"
	"slices"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// rough returns a fixture of ladders again with sizes at what tops can say of them, or
// just beside it, and with budgets that buy about as much: what a top proves, or barely
// fails to. Levels of different captures have the same price, so sizes also change
// between the tops.
func rough(f fixture, seed int) fixture {
	r := rand.New(rand.NewPCG(uint64(seed), 2))
	size := func() market.Size {
		s := market.SizeOne << r.IntN(12)
		return max(1, s+[]market.Size{0, 0, -1, 1, fills.Lot, -fills.Lot, fills.Lot / 2, s / 2, -s / 4}[r.IntN(9)])
	}
	prices := []market.Price{5000}
	for _, round := range f.archive.All {
		round.Captures = slices.Clone(round.Captures)
		for i := range round.Captures {
			c := &round.Captures[i]
			c.Bids, c.Asks = slices.Clone(c.Bids), slices.Clone(c.Asks)
			for _, levels := range [][]market.Level{c.Bids, c.Asks} {
				for k := range levels {
					if l := &levels[k]; l.Size > 0 && r.IntN(4) > 0 {
						l.Size = size()
						prices = append(prices, l.Price, l.Price.Mirror())
					}
				}
			}
		}
	}
	out := fixture{archive: f.archive, cases: slices.Clone(f.cases)}
	for i := range out.cases {
		if r.IntN(4) == 0 {
			continue // the budget that it has
		}
		cost := fills.Value(prices[r.IntN(len(prices))], size()).Ceil()
		cost += []market.Cash{0, 1, -1, cost / 20, cost / 8}[r.IntN(5)]
		out.cases[i].Strategy = strategytest.Changed(out.cases[i].Strategy, func(s *strategy.Strategy) {
			s.BudgetPerTrade = strategy.Number(max(10_000, cost))
		})
	}
	return out
}

// undated leaves out of results when the last capture before each leg was.
func undated(results []*replay.Result) {
	for _, r := range results {
		for _, t := range r.Trades {
			for i := range t.Legs {
				t.Legs[i].AsOf = 0
			}
		}
	}
}
