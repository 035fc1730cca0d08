// Package words says the facts of a report in sentences: the verdict, the
// baseline, where markets and orders went, how a trade ended.
package words

import (
	"fmt"
	"strings"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/figures"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// Assumption says what was taken for granted, and why.
func Assumption(a strategy.Assumption) string {
	value := "null"
	if len(a.Value) > 0 {
		value = strings.Trim(string(a.Value), `"`)
	}
	s := a.Field + " = " + value
	if a.Why != "" {
		s += ": " + a.Why
	}
	return s
}

// Verdict says the verdict and why, in two parts.
func Verdict(r *backtest.Report) [2]string {
	switch r.Stats.Verdict {
	case stats.Positive:
		return [2]string{"Positive", ": the mean gain a trade is above 0 in the whole of its 95 % interval."}
	case stats.Negative:
		return [2]string{"Negative", ": the mean gain a trade is below 0 in the whole of its 95 % interval."}
	case stats.NoEdge:
		return [2]string{"No edge", ": the 95 % interval of the mean gain a trade contains 0."}
	}
	if len(r.Trades) == 0 {
		return [2]string{"Not enough evidence", ": there were no trades."}
	}
	return [2]string{"Not enough evidence", fmt.Sprintf(": a verdict needs %d trades in rounds with %d distinct ends.", stats.MinTrades, stats.MinEnds)}
}

// Baseline says what the baseline is, and how the strategy compares with it.
func Baseline(b *backtest.Baseline) string {
	s := fmt.Sprintf("Baseline: the same side, exits and money, bought %s s after the start whatever the market says.", figures.Number(b.EntrySeconds))
	if b.ExcessMeanPnL != nil {
		switch d := *b.ExcessMeanPnL; {
		case d > 0:
			s += fmt.Sprintf(" The entry rule made %s USD a trade more than that.", figures.Fixed(d, 2))
		case d < 0:
			s += fmt.Sprintf(" The entry rule made %s USD a trade less than that.", figures.Fixed(-d, 2))
		default:
			s += " The entry rule made no difference."
		}
	}
	return s
}

// Step is one count of the funnel, or of the refusals.
type Step struct {
	Name, Words string
	N           int
}

// Steps are the counts of the funnel in order.
func Steps(f *backtest.Funnel) []Step {
	return []Step{
		{"universe", "of this coin, length and dates", f.Universe},
		{"resolved", "with a payout that counts", f.Resolved},
		{"captured", "with captures during the round", f.Captured},
		{"sampled", "replayed", f.Sampled},
		{"signalled", "where the entry held", f.Signalled},
		{"filled", "traded", f.Filled},
	}
}

// Reasons are the counts of the refusals in order of the checks.
func Reasons(r *backtest.Refusals) []Step {
	return []Step{
		{"too_late", "arrived at or after the end", r.TooLate},
		{"gap", "arrived in a gap that the source declares", r.Gap},
		{"stale", "met a book that was too old", r.Stale},
		{"crossed", "met a bid above the ask", r.Crossed},
		{"no_liquidity", "found no ask", r.NoLiquidity},
		{"capped", "found no ask at or under the price cap", r.Capped},
		{"below_min_size", "could buy less than the smallest order", r.BelowMinSize},
	}
}

// Exit says in a word how a trade ended.
func Exit(r replay.ExitReason) string {
	switch r {
	case replay.TakeProfit:
		return "target"
	case replay.StopLoss:
		return "stop"
	case replay.EndOfWindow:
		return "clock"
	case replay.Expiry:
		return "settled"
	}
	return string(r)
}
