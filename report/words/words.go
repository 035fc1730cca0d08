// Package words says the facts of a report in sentences: the verdict, the
// baseline, where markets and orders went, how a trade ended.
package words

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/figures"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// TooFew stands in for an interval when there are too few trades for one.
const TooFew = "too few trades"

// Assumption says what was assumed.
func Assumption(a strategy.Assumption) string {
	value := strings.Trim(string(a.Value), `"`)
	switch a.Field {
	case "market.coin":
		return value + " (no coin given)"
	case "market.market_type":
		return value + " rounds (no length given)"
	case "entry":
		if value == "[]" {
			return "bought at the first book (no condition given)"
		}
	case "exit.take_profit":
		if value == "null" {
			return "no take profit (none given)"
		}
	case "exit.stop_loss":
		if value == "null" {
			return "no stop loss (none given)"
		}
	case "exit.hold_to_expiry":
		if value == "true" {
			return "held to expiry (no exit time given)"
		}
	case "budget_per_trade":
		return "$" + value + " per trade (no budget given)"
	case "sample_size":
		return "the last " + value + " markets (no number given)"
	}
	s := a.Field + " = " + value
	if a.Why != "" {
		s += ": " + a.Why
	}
	return s
}

// smallWords are those that no strategy is made of.
const smallWords = " a an and at by for i if in it me my of on or please so that the then this to when with you "

// Ignored lists the words of the prompt that set nothing, each once, without
// those that never do.
func Ignored(spans []strategy.Span) []string {
	var out []string
	for _, s := range spans {
		w := strings.TrimSpace(s.Text)
		if !strings.Contains(smallWords, " "+strings.ToLower(w)+" ") && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// Verdict gives the verdict and the reason for it.
func Verdict(r *backtest.Report) [2]string {
	switch r.Stats.Verdict {
	case stats.Positive:
		return [2]string{"Positive", "The 95% interval of the mean pnl per trade lies wholly above zero."}
	case stats.Negative:
		return [2]string{"Negative", "The 95% interval of the mean pnl per trade lies wholly below zero."}
	case stats.NoEdge:
		why := "The 95% interval of the mean pnl per trade includes zero."
		if n := r.MoreTrades(); n > 0 {
			size := "An edge of this size"
			if *r.Stats.MeanPnL < 0 {
				size = "A loss of this size"
			}
			why += " " + size + " needs about " + figures.About(n, "more trade") + " to show."
		}
		return [2]string{"No edge", why}
	}
	if len(r.Trades) == 0 {
		return [2]string{"Not enough evidence", "There were no trades."}
	}
	return [2]string{"Not enough evidence", fmt.Sprintf("A verdict needs at least %d trades over %d distinct round ends.", stats.MinTrades, stats.MinEnds)}
}

// Headline gives the result in one sentence: the mean with its interval, the
// total, and how much it rests on.
func Headline(r *backtest.Report) string {
	st, a := &r.Stats, &r.Analysis
	over := fmt.Sprintf("%s in %s", figures.Count(len(r.Trades), "trade"), figures.Count(r.MarketsFound, "market"))
	if a.FirstRound != nil {
		over += ", " + figures.Dates(*a.FirstRound, *a.LastRound)
	}
	if st.MeanPnL == nil {
		return figures.Sentence(over) + "."
	}
	return fmt.Sprintf("%s per trade (95%% interval: %s); %s in total over %s.",
		figures.USD(*st.MeanPnL), Interval(st.MeanPnLInterval, figures.USD), figures.USD(r.TotalPnL), over)
}

// Interval writes a 95 % interval, each end by number, or TooFew.
func Interval(i *stats.Interval, number func(stats.Decimal) string) string {
	if i == nil {
		return TooFew
	}
	return figures.Interval(i, number)
}

// Simulated returns the text of the banner over a report on simulated data;
// empty for real data.
func Simulated(r *backtest.Report) string {
	for _, w := range r.Warnings {
		if w.Code == backtest.SimulatedData {
			return w.Message
		}
	}
	return ""
}

// Baseline says what the baseline of a strategy is, and how the strategy compares
// with it. The clock cannot tell the sides apart: of either it buys the dearer one.
func Baseline(b *backtest.Baseline, of strategy.Canonical) string {
	after := figures.Number(b.EntrySeconds) + " s into every round whatever the market says."
	s := "Baseline: same side, exits and budget, but bought " + after
	if of.Side() == strategy.Either {
		s = "Baseline: same exits and budget, but bought the side with the higher price, " + after
	}
	if b.ExcessMeanPnL == nil {
		return s
	}
	what := " Your entry rule made "
	if len(of.Entry())+len(of.EntryAny()) == 0 {
		if *b.ExcessMeanPnL == 0 {
			return s + " You have no entry rule to judge."
		}
		what = " You have no entry rule to judge: your times of entry made "
	}
	switch d := *b.ExcessMeanPnL; {
	case d > 0:
		return s + what + figures.Dollars(d) + " more per trade."
	case d < 0:
		return s + what + figures.Dollars(-d) + " less per trade."
	}
	return s + what + "no difference."
}

// Nothing says why there was nothing to replay: what was asked for, what the
// archive has, and what would add rounds. Empty when something was replayed.
func Nothing(r *backtest.Report, m strategy.MarketSpec) []string {
	if r.MarketsFound > 0 {
		return nil
	}
	asked := "any coin"
	if m.Coin != strategy.Any {
		asked = m.Coin
	}
	if m.Type != strategy.Any {
		asked += " " + m.Type
	}
	if r.Options.From != nil {
		asked += " from " + r.Options.From.String()
	}
	if r.Options.To != nil {
		asked += " to " + r.Options.To.String()
	}
	f := &r.Funnel
	var why string
	switch {
	case f.Universe == 0:
		why = "no such round is in the archive."
	case f.Resolved == 0:
		payout := "an official payout"
		if r.Options.Winners == replay.WinnersInferred {
			payout = "a payout"
		}
		why = fmt.Sprintf("none of %s has %s.", figures.Count(f.Universe, "round"), payout)
	case f.Captured == 0:
		why = fmt.Sprintf("none of %s with a payout was captured.", figures.Count(f.Resolved, "round"))
	default:
		why = fmt.Sprintf("none of %s is recorded for the share that min_coverage asks for.", figures.Count(f.Captured, "round"))
	}
	out := []string{"Nothing to replay for " + asked + ": " + why}
	if len(r.Available) == 0 {
		return append(out, "The archive has no up/down rounds at all.")
	}
	out[0] += " The archive has:"
	for i := range r.Available {
		out = append(out, available(&r.Available[i], r.Options.Winners))
	}
	return out
}

// available says how many rounds of a coin and length can be replayed, and between
// which ends all rounds of it lie.
func available(h *backtest.Holding, winners replay.Winners) string {
	s := fmt.Sprintf("%s %s: ", h.Coin, h.Type)
	switch {
	case h.Inferred == 0:
		s += figures.Count(h.Rounds, "round")
	case winners == replay.WinnersInferred:
		s += fmt.Sprintf("%s, %s of them with an inferred payout", figures.Count(h.Rounds+h.Inferred, "round"), figures.Number(h.Inferred))
	default:
		s += fmt.Sprintf("%s, and %s more with --winners inferred", figures.Count(h.Rounds, "round"), figures.Number(h.Inferred))
	}
	return s + fmt.Sprintf("; ends %s to %s UTC", h.First.Time().Format("2006-01-02 15:04"), h.Last.Time().Format("2006-01-02 15:04"))
}

// AsRun reports whether a cell of the sensitivity is the run itself; the second
// column has the strategy's own budget.
func AsRun(r *backtest.Report, c *backtest.Sensitivity, column int) bool {
	return column == 1 && c.LatencyMS == r.Options.LatencyMS && c.Fees == r.Options.Fees
}

// NoFees explains why the sensitivity without fees differs from the pnl before
// fees.
const NoFees = "Without fees the same budget buys more shares, so those rows differ from the pnl before fees."

// Step is one count of the funnel, or of the refusals.
type Step struct {
	Name  string `json:"name"`
	Words string `json:"words"`
	N     int    `json:"n"`
}

// Steps returns the counts of the funnel, in order.
func Steps(f *backtest.Funnel) []Step {
	return []Step{
		{"universe", "of this coin, length and dates", f.Universe},
		{"resolved", "with a payout that counts", f.Resolved},
		{"captured", "with captures during the round", f.Captured},
		{"covered", "recorded for min_coverage of the round", f.Covered},
		{"sampled", "replayed", f.Sampled},
		{"signalled", "where the entry rule held", f.Signalled},
		{"filled", "traded", f.Filled},
	}
}

// Reasons returns why orders were refused, how often each: the entry's in the order of the
// checks, then those of all other orders.
func Reasons(f *backtest.Funnel) []Step {
	all := reasons(&f.Refusals)
	for _, s := range reasons(&f.ThenRefusals) {
		s.Words = "a further order that " + s.Words
		all = append(all, s)
	}
	return slices.DeleteFunc(all, func(s Step) bool { return s.N == 0 })
}

func reasons(r *backtest.Refusals) []Step {
	return []Step{
		{"too_late", "arrived after the round had ended", r.TooLate},
		{"gap", "arrived in a gap the source declares", r.Gap},
		{"stale", "met a book that was too old", r.Stale},
		{"crossed", "met a bid above the ask", r.Crossed},
		{"no_liquidity", "found no ask", r.NoLiquidity},
		{"capped", "found no ask within the price cap", r.Capped},
		{"would_cross", "met the other side, though it only posts", r.WouldCross},
		{"below_min_size", "could buy less than the minimum order", r.BelowMinSize},
		{"self_cross", "met an own order that rests", r.SelfCross},
		{"bad_limit", "had a limit outside 0 to 1", r.BadLimit},
		{"too_many", "was beyond the 100 orders of a round", r.TooMany},
		{"no_cash", "had less money than 0.01 share costs", r.NoCash},
		{"no_edge", "had no edge by the Kelly fraction", r.NoEdge},
		{"daily_loss", "came once the day had lost enough", r.DailyLoss},
		{"losing_streak", "came once the day's last trades had lost", r.LosingStreak},
	}
}

// Exit says how a trade ended.
func Exit(r replay.ExitReason) string { return strings.ReplaceAll(string(r), "_", " ") }
