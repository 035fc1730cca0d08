package backtest

import (
	"context"
	"fmt"
	"slices"

	"github.com/ladderback/ladderback/backtest/after"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// Run backtests s over what src holds: it draws the sample, replays the
// strategy and whatever else o asks for over it, and builds the report. p.Progress
// counts markets over all passes.
func Run(ctx context.Context, src replay.Source, s strategy.Canonical, o Options, p replay.Parallel) (*Report, error) {
	r, _, err := RunCounted(ctx, src, s, o, p, nil)
	return r, err
}

// RunCounted is Run, and tells count of the try before it replays anything; the report
// does not depend on what it says.
func RunCounted(ctx context.Context, src replay.Source, s strategy.Canonical, o Options, p replay.Parallel, count Counter) (*Report, Tally, error) {
	o = o.normal().Ruled(s)
	c := replay.Case{Strategy: s, Options: o.Options}
	sample, err := replay.Draw(ctx, src, c)
	if err != nil {
		return nil, Tally{}, err
	}
	looked := &Looked{Strategy: s, Options: o.Options, Variants: 1, Rounds: sample.Rounds}
	tally, err := count.Counted(ctx, looked)
	if err != nil {
		return nil, tally, err
	}
	r, err := run(ctx, src, c, sample, o, p, looked.Data)
	return r, tally, err
}

// run replays a case over a sample, and whatever else o asks for. data is the sample's hash, where it is known.
func run(ctx context.Context, src replay.Source, c replay.Case, sample *replay.Sample, o Options, p replay.Parallel, data string) (*Report, error) {
	var err error
	others := QueueCases(c)
	cases := append([]replay.Case{c}, others...)
	if slices.Contains(o.Include, IncludeSensitivity) {
		cases = append(cases, SensitivityCases(c)...)
	}
	passes, whole := 1, src
	if o.Baseline {
		passes = 2
		src = sample.Prepare(src)
	}
	total := passes * len(sample.Rounds)
	p.Undated = o.Undated()
	results, err := sample.Replay(ctx, src, shift(p, 0, total), cases...)
	if err != nil {
		return nil, err
	}
	runs := Runs{Main: results[0], Data: data, Queue: results[1 : 1+len(others)], Sensitivity: results[1+len(others):]}
	if base, ok := BaselineCase(c, runs.Main.Trades); o.Baseline && ok {
		p.Undated = true
		results, err := sample.Replay(ctx, src, shift(p, len(sample.Rounds), total), base)
		if err != nil {
			return nil, err
		}
		runs.Baseline = results[0]
	}
	if slices.Contains(o.Include, IncludeAfter) {
		if runs.After, err = After(ctx, src, sample, runs.Main.Trades, p.Workers); err != nil {
			return nil, err
		}
	}
	if p.Progress != nil {
		p.Progress(total, total)
	}
	if len(sample.Rounds) == 0 { // what is prepared does not know what there is without a list of all
		if runs.Available, err = Available(ctx, whole); err != nil {
			return nil, err
		}
	}
	return Build(runs, o)
}

// After follows the prices behind the entries of trades over a sample. Never nil.
func After(ctx context.Context, src replay.Source, sample *replay.Sample, trades []*replay.Trade, workers int) ([]after.Trade, error) {
	out := make([]after.Trade, len(trades))
	of := make(map[string]int, len(trades))
	for i, t := range trades {
		of[marketKey(t.Market.VenueID, t.Market.Slug)] = i
	}
	at := func(round int) (int, bool) {
		m := sample.Rounds[round].Market
		i, ok := of[marketKey(m.VenueID, m.Slug)]
		return i, ok
	}
	err := sample.Follow(ctx, src, replay.Parallel{Workers: workers}, func(round int) bool { _, ok := at(round); return ok }, func(round int, x *replay.Series) error {
		i, _ := at(round)
		out[i] = after.Of(trades[i], x)
		return nil
	})
	return out, err
}

// Undated reports whether nobody sees the executions of the strategy's trades, nor
// thus which capture each of them met, as replay.Parallel.Undated has it. Those of the
// baseline, the sensitivity and a sweep are never seen.
func (o *Options) Undated() bool { return !slices.Contains(o.Include, IncludeFills) }

// Available says what an archive has, for a run that found nothing to replay.
func Available(ctx context.Context, src replay.Source) ([]Holding, error) {
	if h, ok := src.(replay.HoldingsSource); ok {
		held, err := h.Holdings(ctx)
		if err != nil {
			return nil, fmt.Errorf("what the archive has: %w", err)
		}
		return sorted(held), nil
	}
	all, err := src.Rounds(ctx, market.RoundFilter{})
	if err != nil {
		return nil, fmt.Errorf("what the archive has: %w", err)
	}
	return holdings(all), nil
}

// shift returns p with its progress moved into a longer run.
func shift(p replay.Parallel, before, total int) replay.Parallel {
	if progress := p.Progress; progress != nil {
		p.Progress = func(done, _ int) { progress(before+done, total) }
	}
	return p
}

// BaselineCase returns c with its entry replaced by the clock: the lower median
// over the trades of the time from the start of the round to the signal, in
// whole seconds. Without trades there is none.
func BaselineCase(c replay.Case, trades []*replay.Trade) (replay.Case, bool) {
	m, ok := entrySeconds(trades)
	if !ok {
		return replay.Case{}, false
	}
	return ClockCase(c, m)
}

// ClockCase returns c with its entry replaced by the clock: so many seconds after
// the start of the round. ok is false if that makes no valid strategy.
func ClockCase(c replay.Case, m int) (_ replay.Case, ok bool) {
	s := c.Strategy.Strategy()
	s.EntryAny = nil
	s.Entry = []strategy.Condition{{
		Type:       strategy.TimeElapsed,
		Comparator: strategy.GTE,
		Threshold:  strategy.Int(m),
	}}
	var err error
	c.Strategy, err = strategy.Canonicalize(s)
	return c, err == nil
}

func entrySeconds(trades []*replay.Trade) (int, bool) {
	if len(trades) == 0 {
		return 0, false
	}
	seconds := make([]int, len(trades))
	for i, t := range trades {
		seconds[i] = EntrySeconds(t)
	}
	return MedianEntry(seconds)
}

// EntrySeconds returns the time from the start of the round to the signal of a
// trade's first filled entry, or of its first buy if it has none, in whole seconds.
func EntrySeconds(t *replay.Trade) int {
	signal := t.Signal
	for i := range t.Legs {
		if l := &t.Legs[i]; l.Order == "entry" && l.Signal != 0 {
			signal = l.Signal
			break
		}
	}
	return int((signal - t.Market.Start) / market.Second)
}

// MedianEntry returns the lower median of seconds, which it sorts; ok is false if
// there are none.
func MedianEntry(seconds []int) (m int, ok bool) {
	if len(seconds) == 0 {
		return 0, false
	}
	slices.Sort(seconds)
	return seconds[(len(seconds)-1)/2], true
}

// baselineOf compares the baseline with the strategy; nil without a baseline.
func baselineOf(runs Runs) *Baseline {
	base := runs.Baseline
	m, ok := entrySeconds(runs.Main.Trades)
	if base == nil || !ok {
		return nil
	}
	total := sumPnL(base.Trades)
	out := &Baseline{
		EntrySeconds:  m,
		MarketsTraded: len(base.Trades),
		WinRate:       winRate(base.Trades),
		TotalPnL:      stats.Decimal(total),
	}
	if n := len(base.Trades); n > 0 {
		out.MeanPnL = new(stats.Mean(int64(total), n))
		out.ExcessMeanPnL = new(stats.MeanDifference(
			int64(sumPnL(runs.Main.Trades)), len(runs.Main.Trades), int64(total), n))
	}
	return out
}

func sumPnL(trades []*replay.Trade) market.Cash {
	var sum market.Cash
	for _, t := range trades {
		sum += t.PnL()
	}
	return sum
}

// The grid of the sensitivity table.
var (
	gridLatency = [...]int64{0, 250, 1000, 3000}
	gridFees    = [...]replay.Fees{replay.FeesVenue, replay.FeesNone}
	// gridBudget is in halves of the strategy's budget.
	gridBudget = [...]market.Cash{1, 2, 4, 10}
)

// SensitivityCases returns c under every combination of latency 0, 250, 1000
// and 3000 ms, fees venue and none, and ½, 1, 2 and 5 times the budget, nested
// in that order. Half a budget is rounded down to a whole 1e-6 USD.
func SensitivityCases(c replay.Case) []replay.Case {
	cases := make([]replay.Case, 0, len(gridLatency)*len(gridFees)*len(gridBudget))
	for _, latency := range gridLatency {
		for _, fees := range gridFees {
			for _, halves := range gridBudget {
				v := c
				v.Options.LatencyMS = latency
				v.Options.Fees = fees
				budget := c.Strategy.BudgetPerTrade().Cash() * halves / 2
				v.Budget = &budget
				cases = append(cases, v)
			}
		}
	}
	return cases
}

// SensitivityGrid returns the sensitivity by latency and fees, a row each, in
// which the budget grows; nil without one. A row that is cut off is left out.
func (r *Report) SensitivityGrid() [][]Sensitivity {
	columns := len(gridBudget)
	whole := len(r.Sensitivity) - len(r.Sensitivity)%columns
	return slices.Collect(slices.Chunk(r.Sensitivity[:whole], columns))
}

func sensitivityOf(main *replay.Result, results []*replay.Result) ([]Sensitivity, error) {
	cases := SensitivityCases(replay.Case{Strategy: main.Strategy, Options: main.Options})
	if len(results) != len(cases) {
		return nil, fmt.Errorf("report: %d replays for the sensitivity: expected %d", len(results), len(cases))
	}
	out := make([]Sensitivity, 0, len(results))
	for i, r := range results {
		total, err := totalPnL(r)
		if err != nil {
			return nil, err
		}
		out = append(out, Sensitivity{
			LatencyMS: cases[i].Options.LatencyMS,
			Fees:      cases[i].Options.Fees,
			Budget:    stats.Decimal(*cases[i].Budget),
			TotalPnL:  stats.Decimal(total),
		})
	}
	return out, nil
}
