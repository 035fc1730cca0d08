package replay_test

import (
	"fmt"

	"github.com/ladderback/ladderback/internal/oracle"
	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/strategy"
)

// monotone: with a larger budget the same signal buys no less, for no less, at
// no better an average price.
func monotone(l *lab) error {
	small, err := l.run(l.archive, l.c)
	if err != nil {
		return err
	}
	for _, times := range []strategy.Number{2, 7} {
		c := l.c
		c.Strategy = strategytest.Changed(c.Strategy, func(s *strategy.Strategy) {
			s.BudgetPerTrade = min(s.BudgetPerTrade*times, strategy.Int(1_000_000))
		})
		large, err := l.run(l.archive, c)
		if err != nil {
			return err
		}
		for i, m := range small.Markets {
			a, b := m.Trade, large.Markets[i].Trade
			if a == nil || b == nil || a.Signal != b.Signal {
				continue // the smaller order was refused once, or altogether
			}
			if b.Shares < a.Shares || b.Cost < a.Cost || b.Entry.Cmp(a.Entry) < 0 {
				return fmt.Errorf("market %s: %s shares for %s with %s USD, %s for %s with %s",
					a.Market.VenueID, a.Shares, a.Cost, l.c.Strategy.BudgetPerTrade(), b.Shares, b.Cost, c.Strategy.BudgetPerTrade())
			}
		}
	}
	return nil
}

// agreement: the naive engine finds the same trades, legs, refusals and funnel.
func agreement(l *lab) error {
	r, err := l.run(l.archive, l.c)
	if err != nil {
		return err
	}
	want, got := oracle.Run(l.archive.All, l.c)[0].String(), oracle.Of(r).String()
	if want != got {
		return fmt.Errorf("oracle\n%sengine\n%s", want, got)
	}
	return nil
}
