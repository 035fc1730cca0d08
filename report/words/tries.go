package words

import (
	"fmt"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/figures"
	"github.com/ladderback/ladderback/backtest/looks"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// neededRate is looks.Least.
const neededRate = stats.Decimal(looks.Least * 1_000_000)

// Look says the how manieth try of its rounds a run was, and whether its verdict holds
// against those before it; empty for the first.
func Look(r *backtest.Report, m strategy.MarketSpec, t backtest.Tally) string {
	d := t.Deflate(r.Stats.MeanPnL, r.Stats.MeanPnLInterval)
	text := lookAt(m, t)
	switch {
	case text == "":
		return ""
	case d == nil || r.Stats.Verdict != stats.Positive && r.Stats.Verdict != stats.Negative:
		return text + "."
	case d.Holds:
		return fmt.Sprintf("%s. The verdict holds: beyond what luck gives the best of so many with a chance of %s.", text, figures.Rate(d.Probability))
	}
	return fmt.Sprintf("%s. The verdict does not hold: beyond what luck gives the best of so many with a chance of %s, of the %s that it takes.",
		text, figures.Rate(d.Probability), figures.Rate(neededRate))
}

// SweepLook is Look for a sweep, whose verdict is deflated already.
func SweepLook(m strategy.MarketSpec, t backtest.Tally) string {
	text := lookAt(m, t)
	if text == "" {
		return ""
	}
	return text + ". The best is deflated for those too."
}

func lookAt(m strategy.MarketSpec, t backtest.Tally) string {
	if t.Look < 2 {
		return ""
	}
	as := ""
	if n := int((t.Before + stats.One/2) / stats.One); n != t.Look-1 {
		as = fmt.Sprintf(", which had as much luck as %s independent ones", figures.Number(n))
	}
	return fmt.Sprintf("%s look at %s %s: %s before it%s", Ordinal(t.Look), m.Coin, m.Type, figures.Count(t.Look-1, "try"), as)
}

// Ordinal writes a number as 1st, 2nd, 3rd, 4th, …
func Ordinal(n int) string {
	end := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			end = "st"
		case 2:
			end = "nd"
		case 3:
			end = "rd"
		}
	}
	return figures.Number(n) + end
}

// Lock says what a lockbox holds, or that it was opened; empty where there is none.
func Lock(h *replay.HoldOut) string {
	if h == nil {
		return ""
	}
	seen := ""
	if h.SeenBefore > 0 {
		seen = fmt.Sprintf(" %s had replayed rounds of it before it was put aside: it is no untouched test.", figures.Count(h.SeenBefore, "try"))
	}
	if h.Closed() {
		return fmt.Sprintf("Locked: rounds that end from %s on are held out: no command replays them.%s", figures.Clock(h.From), seen)
	}
	return fmt.Sprintf("Opened: rounds that end from %s on were held out until %s, after %s.%s", figures.Clock(h.From), figures.Clock(*h.OpenedAt), figures.Count(*h.Tries, "try"), seen)
}
