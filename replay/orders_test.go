package replay_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// newOrdersLab is a lab with a strategy of many orders.
func newOrdersLab(seed uint64) *lab {
	r := replaytest.NewRandom(seed)
	return &lab{seed: seed, archive: r.Archive(4), c: replay.Case{Strategy: r.Orders(), Options: r.OrderOptions()}}
}

// orderLaws are the laws that hold with any orders.
var orderLaws = []law{
	{"conservation of orders", conserved},
	{"future perturbation", func(l *lab) error {
		if l.c.Strategy.Bankroll() != nil {
			return nil // rounds by themselves have other money
		}
		return futurePerturbation(l)
	}},
	{"mirror", mirror},
	{"any number of workers", workers},
}

func TestLawsOfOrders(t *testing.T) {
	t.Parallel()
	var traded, rested, paired, again int
	for seed := range *labs {
		l := newOrdersLab(seed)
		for _, law := range orderLaws {
			require.NoError(t, law.check(l), "seed %d: %s", seed, law.name)
		}
		r, err := l.run(l.archive, l.c)
		require.NoError(t, err)
		for _, m := range r.Markets {
			for i := range m.Limits {
				rested += min(1, int(m.Limits[i].Rested))
			}
			if m.Trade != nil {
				traded++
				again += max(0, m.Trade.Entries-1)
				for _, g := range m.Trade.Legs {
					if g.Action == replay.Merge {
						paired++
					}
				}
			}
		}
	}
	t.Logf("%d traded, %d orders filled as they rested, %d merges, %d entries again", traded, rested, paired, again)
	require.Greater(t, min(traded, rested, 10*paired, 5*again), int(*labs/4), "too little to mean anything")
}

// conserved: the legs of every item reconcile with its numbers, shares of each token are
// never sold that are not held, and all that is bought is sold, merged or settled.
func conserved(l *lab) error {
	r, err := l.run(l.archive, l.c)
	if err != nil {
		return err
	}
	for i := range r.Markets {
		m := &r.Markets[i]
		if err := conservedIn(m, l.c); err != nil {
			return fmt.Errorf("market %s: %w", m.Round.Market.VenueID, err)
		}
	}
	return nil
}

func conservedIn(m *replay.MarketResult, c replay.Case) error {
	if m.Trade == nil {
		return nil
	}
	var held [2]market.Size
	var cash, fees market.Cash
	filled := map[string]market.Size{}
	for _, g := range m.Trade.Legs {
		switch g.Action {
		case replay.Buy:
			held[g.Token] += g.Shares
			cash -= g.Cash + g.Fee
		case replay.Merge:
			held[0] -= g.Shares
			held[1] -= g.Shares
			if g.Cash != market.Cash(g.Shares) {
				return fmt.Errorf("%s pairs merged for %s", g.Shares, g.Cash)
			}
			cash += g.Cash
		default:
			held[g.Token] -= g.Shares
			cash += g.Cash - g.Fee
		}
		fees += g.Fee
		if g.Shares <= 0 || g.Shares%fills.Lot != 0 || held[0] < 0 || held[1] < 0 {
			return fmt.Errorf("%+v leaves %v", g, held)
		}
		if g.Kind == fills.Resting {
			filled[g.Order] += g.Shares
		}
	}
	for _, x := range m.Limits {
		filled[x.Order] -= x.Rested
		if x.Filled() > x.Sent || x.End == "" {
			return fmt.Errorf("limit %+v", x)
		}
	}
	for name, n := range filled {
		if n != 0 {
			return fmt.Errorf("%s: legs have %s more than its orders", name, n)
		}
	}
	if held != [2]market.Size{} || cash != m.Trade.PnL() || fees != m.Trade.Fees {
		return fmt.Errorf("left %v, pnl %s of %s, fees %s of %s", held, cash, m.Trade.PnL(), fees, m.Trade.Fees)
	}
	return nil
}

// turned returns legs with the tokens turned round.
func turned(legs []replay.Leg) []replay.Leg {
	var out []replay.Leg
	for _, g := range legs {
		g.Token = 1 - g.Token
		out = append(out, g)
	}
	return out
}
