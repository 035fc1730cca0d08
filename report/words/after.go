package words

import (
	"fmt"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/figures"
)

// After says what happened after the fills, a line each; nil where that was not asked for,
// or nothing was traded.
func After(r *backtest.Report) (lines []string) {
	a := r.After
	if a == nil || len(a.Trades) == 0 {
		return nil
	}
	for _, m := range a.Markouts {
		if m.Mean == nil {
			continue
		}
		when := m.After + " after the fill"
		if m.After == "settlement" {
			when = "At settlement"
		}
		lines = append(lines, fmt.Sprintf("%s the price was %s USD a share from what was paid (95%% interval: %s; %s).",
			when, figures.SignedPrice(*m.Mean), Interval(m.Interval, figures.SignedPrice), figures.Count(m.Trades, "trade")))
	}
	if a.MeanMAE != nil && a.MeanMFE != nil {
		lines = append(lines, fmt.Sprintf("Between fill and exit it went %s against and %s for a trade, USD a share on average.", figures.SignedPrice(*a.MeanMAE), figures.SignedPrice(*a.MeanMFE)))
	}
	if n := a.MinTrackRecord; n != nil {
		lines = append(lines, fmt.Sprintf("A ratio like this one shows a true one above 0 after %s, were they independent; there are %s.", figures.Count(*n, "trade"), figures.Number(len(a.Trades))))
	}
	if d := a.Drawdown; d != nil {
		lines = append(lines, fmt.Sprintf("In other orders of the same results the deepest drawdown is %s in the middle, and %s or more in 1 of 20; it was %s.",
			figures.Dollars(d.Median), figures.Dollars(d.Percent), figures.Dollars(r.Stats.MaxDrawdown)))
	}
	return lines
}
