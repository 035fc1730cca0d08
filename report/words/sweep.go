package words

import (
	"fmt"
	"math"
	"strings"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/figures"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/strategy"
)

// tried writes how many variants the best was chosen from.
func tried(s *backtest.Sweep) string {
	out := figures.Count(s.Tried, "variant")
	if n := s.Tried - len(s.Variants); n > 0 && len(s.Variants) > 0 {
		out += fmt.Sprintf(" (%s of them tried before)", figures.Number(n))
	}
	return out
}

// enough writes how many variants can be judged: "the 17 variants with enough trades".
func enough(s *backtest.Sweep) string {
	if s.Eligible == s.Tried {
		return tried(s)
	}
	return "the " + figures.Count(s.Eligible, "variant") + " with enough trades"
}

// SweepVerdict says what the best of a sweep is worth and why, in two parts.
func SweepVerdict(s *backtest.Sweep) [2]string {
	all := tried(s)
	need := fmt.Sprintf("%d trades over %d distinct round ends", stats.MinTrades, stats.MinEnds)
	switch s.Verdict {
	case backtest.SweepNotEnough:
		return [2]string{"Not enough evidence", fmt.Sprintf("None of %s has the %s that a verdict needs.", all, need)}
	case backtest.SweepNoGain:
		return [2]string{"None of " + enough(s) + " made money",
			fmt.Sprintf("Of %s, %s; none of these had a total pnl above zero.", all, figures.Number(s.Eligible)+figures.Plural(s.Eligible, " has", " have")+" at least "+need)}
	}
	b := s.Best
	why := fmt.Sprintf("If no variant had an edge, the best of them would look at least as good in %s of cases (at most 5%% is asked for); the deflated Sharpe ratio is %s (at least 95%% is asked for).",
		Chance(b.SPA.P), Chance(b.Probability))
	switch s.Verdict {
	case backtest.SweepEdge:
		return [2]string{fmt.Sprintf("The best of %s is better than luck", all), why + " Chosen on the past it made money on what came next."}
	case backtest.SweepUnproven:
		return [2]string{fmt.Sprintf("The best of %s looks better than luck, but is unproven", all), why + " Choosing on the past and trading what came next does not confirm it."}
	}
	if b.MoreTrades > 0 {
		why += fmt.Sprintf(" An edge of this size needs about %s, over %s of rounds, to show.",
			figures.About(b.MoreTrades, "more trade"), figures.About(b.MoreEnds, "more end"))
	}
	return [2]string{fmt.Sprintf("The best of %s looks good by luck", all), why}
}

// Chance writes a probability in per cent, and does not round it to none or all.
func Chance(d stats.Decimal) string {
	switch {
	case d > 0 && d < stats.One/1000:
		return "less than 0.1%"
	case d < stats.One && d > stats.One-stats.One/1000:
		return "more than 99.9%"
	}
	return figures.Rate(d)
}

// SweepWalk says what choosing on the past made.
func SweepWalk(s *backtest.Sweep) string {
	w := s.WalkForward
	if len(w.Blocks) == 0 {
		return "There was nothing to walk forward over."
	}
	length := BlockLength(w.BlockHours)
	if w.Trades == 0 {
		return fmt.Sprintf("Choosing on the past and trading the next %s: no trades; in none of %s had any variant enough trades and a gain before.",
			length, figures.Count(len(w.Blocks), "block"))
	}
	chosen := 0
	for i := range w.Blocks {
		if w.Blocks[i].Variant != nil {
			chosen++
		}
	}
	return fmt.Sprintf("Choosing on the past and trading the next %s: %s in total, %s per trade (95%% interval: %s) over %s in %s of %s.",
		length, figures.USD(w.TotalPnL), figures.USD(*w.MeanPnL), Interval(w.Interval, figures.USD), figures.Count(w.Trades, "trade"),
		figures.Number(chosen), figures.Count(len(w.Blocks), "block"))
}

// BlockLength writes whole hours: "6 hours", "day", "2 days".
func BlockLength(hours int64) string {
	n, unit := int(hours), "hour"
	if hours%24 == 0 {
		n, unit = n/24, "day"
	}
	if n == 1 {
		return unit
	}
	return figures.Count(n, unit)
}

// SweepBest says which variant looks best and how it did; empty without one.
func SweepBest(s *backtest.Sweep) string {
	b := s.Best
	if b == nil {
		return ""
	}
	return "The best: " + SweepValues(s.Axes, b.Values) + ". " + sweepMade(s)
}

// SweepNeighbours says whether the best stands on a plateau; empty without a best.
func SweepNeighbours(s *backtest.Sweep) string {
	b := s.Best
	if b == nil {
		return ""
	}
	n := b.Neighbours
	switch {
	case n.Count == 0:
		return "No variant lies beside the best."
	case n.Eligible == 0:
		return fmt.Sprintf("Beside the best: %s, none with enough trades.", figures.Count(n.Count, "variant"))
	}
	if *b.MeanPnL <= 0 {
		return fmt.Sprintf("The %s one step beside the best made %s per trade on average.", figures.Count(n.Eligible, "variant"), figures.USD(*n.MeanPnL))
	}
	lead := "A plateau"
	if *n.MeanPnL <= 0 || 2**n.MeanPnL < *b.MeanPnL || 4*n.Positive < 3*n.Eligible {
		lead = "A peak, not a plateau"
	}
	return fmt.Sprintf("%s: the %s one step beside the best made %s per trade on average, the best itself %s; %s of %s above zero.",
		lead, figures.Count(n.Eligible, "variant"), figures.USD(*n.MeanPnL), figures.USD(*b.MeanPnL),
		figures.Number(n.Positive), figures.Number(n.Eligible))
}

// SweepLuck says what luck alone would give; empty without a best.
func SweepLuck(s *backtest.Sweep) string {
	b := s.Best
	if b == nil {
		return ""
	}
	return fmt.Sprintf("Without any edge the best of %s (about %s) would be expected to make about %s per round end; this one made %s.",
		figures.Number(s.Tried), tries(b.Tries), figures.USD(b.ExpectedMaxPnL), figures.USD(b.PnLPerEnd))
}

// tries writes how many independent tries the best is deflated for.
func tries(n stats.Decimal) string {
	whole := int(math.Round(n.Float()))
	return figures.Number(whole) + figures.Plural(whole, " independent try", " independent tries")
}

// SweepSurvivors says which variants survive; empty without a best.
func SweepSurvivors(s *backtest.Sweep) string {
	if s.Best == nil {
		return ""
	}
	if s.Survivors == 0 {
		return "No variant survives: none can be said to have an edge with a chance of 5% or less that any of those said to is false."
	}
	return figures.Count(s.Survivors, "variant") + figures.Plural(s.Survivors, " survives", " survive") +
		": with a chance of 5% or less that any of them has no edge (stepwise multiple testing over the same resamples)."
}

// SweepCounts says how many variants there were, and what became of the other
// combinations.
func SweepCounts(s *backtest.Sweep) string {
	out := fmt.Sprintf("%s of %s replayed over %s (%s)", figures.Count(len(s.Variants), "variant"), figures.Count(s.Combinations, "combination"),
		figures.Count(s.Funnel.Sampled, "round"), figures.Count(s.Ends, "distinct end"))
	if s.FirstRound != nil {
		out += ", " + figures.Dates(*s.FirstRound, *s.LastRound)
	}
	out += fmt.Sprintf("; %s with at least %d trades over %d ends.", figures.Number(s.Eligible), stats.MinTrades, stats.MinEnds)
	if s.Duplicates > 0 {
		out += fmt.Sprintf(" %s the same as another.", figures.Count(s.Duplicates, "combination")+figures.Plural(s.Duplicates, " means", " mean"))
	}
	if n := len(s.Invalid); n > 0 {
		out += fmt.Sprintf(" %s no valid strategy.", figures.Count(n, "combination")+figures.Plural(n, " is", " are"))
	}
	return out
}

// SweepField writes a field's name for the head of a column.
func SweepField(field string) string { return strings.TrimPrefix(field, "exit.") }

// SweepValue writes a value of an axis; None where the strategy leaves it out.
func SweepValue(v *strategy.Number) string {
	if v == nil {
		return figures.None
	}
	return figures.Thousands(v.String())
}

// SweepValues names the fields with their values: "take_profit 0.55, stop_loss
// 0.2".
func SweepValues(axes []backtest.SweepAxis, values []*strategy.Number) string {
	parts := make([]string, len(axes))
	for i := range axes {
		parts[i] = SweepField(axes[i].Field) + " " + SweepValue(values[i])
	}
	return strings.Join(parts, ", ")
}

// SweepMapTitle names what a map shows, and where the other fields stand.
func SweepMapTitle(m *backtest.SweepMap) string {
	var out strings.Builder
	out.WriteString("Mean pnl per trade, USD: ")
	if m.Down != nil {
		out.WriteString(SweepField(m.Down.Field) + " down, ")
	}
	out.WriteString(SweepField(m.Across.Field) + " across")
	for i := range m.Held {
		fmt.Fprintf(&out, "%s %s %s", figures.Plural(i+1, "; at", ","), SweepField(m.Held[i].Field), m.Held[i].Values[0])
	}
	return out.String()
}

// SweepMapKey explains the marks of a map.
const SweepMapKey = "◆ survives: better than luck though the best of many; • the interval excludes zero, as if this variant were the only one; ~ (pale) too few trades for a verdict; framed: the sentence's own values; empty: no valid strategy."

// SweepMark is the mark of a cell of a map; empty for most.
func SweepMark(r *backtest.SweepRow) string {
	switch {
	case r == nil || r.MeanPnL == nil:
		return ""
	case !r.Eligible:
		return "~"
	case r.Survives:
		return "◆"
	case r.Verdict == stats.Positive, r.Verdict == stats.Negative:
		return "•"
	}
	return ""
}

// SweepFigures are the numbers behind the verdict.
func SweepFigures(s *backtest.Sweep) []Figure {
	b := s.Best
	if b == nil {
		return nil
	}
	out := []Figure{
		{Name: "Sharpe ratio per round end", Value: figures.Plain(b.Sharpe, 4),
			Help: "Mean pnl of a round end divided by its standard deviation, over all ends of the sample, zero where nothing was traded; not annualised."},
		{Name: "expected of the best without an edge", Value: figures.Plain(&b.ExpectedMaxSharpe, 4),
			Help: "The Sharpe ratio that the best of as many tries would be expected to have by luck alone."},
		{Name: "deflated Sharpe ratio", Value: Chance(b.Probability), Interval: deflationName(b.Beside.Deflation) + ": " + Chance(b.Beside.Probability),
			Help: "Probability that the true Sharpe ratio is above what luck would give the best of as many tries; at least 95% is asked for. Luck is the scatter that the variants have in resamples without any edge, and as many tries as are independent; the formula of 2014 takes the scatter of the variants themselves and every variant as a try."},
		{Name: "independent tries", Value: figures.Plain(&b.Tries, 1), Interval: "of " + figures.Number(s.Tried),
			Help: "How many independent tries have, without an edge, a best like that of these variants, many of which are nearly the same."},
		{Name: "chance of a best like this without an edge", Value: Chance(b.SPA.P), Interval: Chance(b.SPA.Lower) + " to " + Chance(b.SPA.Upper),
			Help: "Hansen's test of superior predictive ability (p-value, with its lower and upper bound); at most 5% is asked for."},
		{Name: "t statistic of the best", Value: notUnderZero(b.SPA.Statistic),
			Help: "The best variant's mean in units of its own standard error; not above zero where no variant made money."},
		{Name: "the same by luck alone", Value: figures.Fixed(b.SPA.Median, 2), Interval: "up to " + figures.Fixed(b.SPA.High, 2) + " in 95 of 100",
			Help: "The t statistic of the best when every variant is moved to a mean of zero: the median, and what 95 of 100 resamples stay under."},
		{Name: "mean pnl per trade beside the best", Value: figures.Or(b.Neighbours.MeanPnL, figures.USD),
			Help: "Mean over the variants one step away on every axis; the best itself stands above it by luck if it is much higher."},
	}
	if o := s.Overfit; o != nil {
		out = append(out, Figure{Name: "probability of overfitting", Value: Chance(o.Probability), Interval: "lost " + Chance(o.Loss),
			Help: fmt.Sprintf("Of %s of %d blocks of time into two halves, so many in which the best of one half is no better than the median in the other; and those in which it loses money there.", figures.Count(o.Splits, "split"), o.Blocks)})
	}
	return out
}

// notUnderZero writes a statistic that is cut off at zero.
func notUnderZero(v stats.Decimal) string {
	if v == 0 {
		return "not above zero"
	}
	return figures.Fixed(v, 2)
}

// deflationName names a way to deflate.
func deflationName(d backtest.Deflation) string {
	if d == backtest.DeflateByScatter {
		return "formula of 2014"
	}
	return "null's scatter"
}

// SweepNothing says why there was nothing to replay; nil when there was.
func SweepNothing(s *backtest.Sweep, m strategy.MarketSpec) []string {
	r := &backtest.Report{MarketsFound: s.Funnel.Sampled, Funnel: backtest.Funnel{Funnel: s.Funnel}, Available: s.Available}
	r.Options.From, r.Options.To, r.Options.Winners = s.Options.From, s.Options.To, s.Options.Winners
	return Nothing(r, m)
}

// SweepSimulated returns the words of the band over a sweep of data that no
// exchange made; empty for real data.
func SweepSimulated(s *backtest.Sweep) string {
	return Simulated(&backtest.Report{Warnings: s.Warnings})
}

// BlockTime writes the beginning of a block.
func BlockTime(t market.Instant) string { return figures.Minute(t) }

// SweepInvalid names a combination that is no strategy, and says why.
func SweepInvalid(axes []backtest.SweepAxis, i *backtest.SweepInvalid) string {
	values := make([]*strategy.Number, len(i.Values))
	for k := range i.Values {
		values[k] = &i.Values[k]
	}
	return SweepValues(axes, values) + ": " + i.Reason
}
