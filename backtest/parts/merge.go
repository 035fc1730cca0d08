package parts

import (
	"context"
	"fmt"
	"slices"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/replay/sweep"
)

// Answer is what a job found: a report, or a sweep.
type Answer struct {
	Report *backtest.Report
	Sweep  *backtest.Sweep
}

// Independent returns how many independent tries it counts for among those before another.
func (a *Answer) Independent() stats.Decimal {
	if a.Sweep != nil {
		return a.Sweep.Independent()
	}
	return stats.One
}

// Merge makes the answer out of what the chunks found. clock and second are those
// of the baseline; a nil clock: there is none. workers, ≤ 0 for one per core, make
// no difference to the answer.
func (p *Plan) Merge(ctx context.Context, src replay.Source, j *Job, first Results, clock *int, second Results, workers int) (*Answer, error) {
	s, _, err := p.sample(ctx, src, j, 0, len(p.Rounds))
	if err != nil {
		return nil, err
	}
	if j.Sweep != nil {
		return p.mergeSweep(ctx, src, j, s, first, workers)
	}
	cases, _, err := j.cases()
	if err != nil {
		return nil, err
	}
	others := make([]*replay.Result, len(cases)-1)
	for i := range others {
		others[i] = &replay.Result{}
	}
	rules := backtest.QueueCases(j.base())
	out := backtest.Runs{Sensitivity: others[len(rules):]}
	if out.Queue, err = p.queues(s, rules, first); err != nil {
		return nil, err
	}
	if out.Main, err = p.collect(s, j.base(), first, func(_, k int, pnl, fees market.Cash) error {
		if k < 1 || k > len(others) {
			if k == 0 {
				return nil // the strategy itself
			}
			return errBroken
		}
		r := others[k-1]
		r.Trades = append(r.Trades, &replay.Trade{Proceeds: pnl, Fees: fees}) // all that a total is made of
		return nil
	}); err != nil {
		return nil, err
	}
	if clock != nil {
		c, ok := backtest.ClockCase(j.base(), *clock)
		if !ok {
			return nil, fmt.Errorf("baseline at %d s: no valid strategy", *clock)
		}
		if out.Baseline, err = p.collect(s, c, second, func(int, int, market.Cash, market.Cash) error { return nil }); err != nil {
			return nil, err
		}
	}
	if err := lookedUp(ctx, src, j, s, &out, workers); err != nil {
		return nil, err
	}
	report, err := backtest.Build(out, j.Options)
	return &Answer{Report: report}, err
}

// lookedUp fills in what the archive says once the trades are known.
func lookedUp(ctx context.Context, src replay.Source, j *Job, s *replay.Sample, out *backtest.Runs, workers int) (err error) {
	if slices.Contains(j.Options.Include, backtest.IncludeAfter) {
		if out.After, err = backtest.After(ctx, src, s, out.Main.Trades, workers); err != nil {
			return err
		}
	}
	if len(s.Rounds) == 0 {
		out.Available, err = backtest.Available(ctx, src)
	}
	return err
}

// visit passes on what the chunks found: for each round its own result, and the
// trades of all cases.
func (p *Plan) visit(s *replay.Sample, from Results, own func(round int, r replay.MarketResult), made func(round, k int, pnl, second market.Cash) error) error {
	for chunk := range p.Ends {
		b, err := from(chunk)
		if err != nil {
			return err
		}
		f, err := read(b)
		if err != nil {
			return err
		}
		start, end := p.Span(chunk)
		if len(f.Markets) != end-start {
			return errBroken
		}
		for i, m := range f.Markets {
			round := &s.Rounds[start+i]
			r := replay.MarketResult{Round: *round, Signalled: m.Signalled, Refusals: m.Refusals}
			if r.Schedule, err = fills.ScheduleOf(round.Market); err != nil {
				return err
			}
			if m.Trade != nil {
				r.Trade = m.Trade.in(round.Market)
			}
			if o := m.Orders; o != nil {
				r.Then, r.Limits, r.Bankroll = o.Then, o.Limits, o.Bankroll
			}
			own(start+i, r)
			var failed error
			if err := each(m.Made, func(k int, pnl, second market.Cash) {
				if failed == nil {
					failed = made(start+i, k, pnl, second)
				}
			}); err != nil || failed != nil {
				return errBroken
			}
		}
	}
	return nil
}

func (p *Plan) collect(s *replay.Sample, c replay.Case, from Results, made func(round, k int, pnl, second market.Cash) error) (*replay.Result, error) {
	markets := make([]replay.MarketResult, len(s.Rounds))
	if err := p.visit(s, from, func(round int, r replay.MarketResult) { markets[round] = r }, made); err != nil {
		return nil, err
	}
	return s.Collect(c, markets), nil
}

// queues returns the results under the other rules for what rests.
func (p *Plan) queues(s *replay.Sample, cases []replay.Case, from Results) ([]*replay.Result, error) {
	if len(cases) == 0 {
		return nil, nil
	}
	markets := make([][]replay.MarketResult, len(cases))
	for chunk := range p.Ends {
		b, err := from(chunk)
		if err != nil {
			return nil, err
		}
		f, err := read(b)
		if err != nil {
			return nil, err
		}
		start, _ := p.Span(chunk)
		for i, m := range f.Markets {
			if m.Orders == nil || len(m.Orders.Queue) != len(cases) || start+i >= len(s.Rounds) {
				return nil, errBroken
			}
			for k, q := range m.Orders.Queue {
				r := replay.MarketResult{Round: s.Rounds[start+i], Limits: q.Limits}
				if q.Trade != nil {
					r.Trade = q.Trade.in(r.Round.Market)
				}
				markets[k] = append(markets[k], r)
			}
		}
	}
	var out []*replay.Result
	for k, c := range cases {
		if len(markets[k]) != len(s.Rounds) {
			return nil, errBroken
		}
		out = append(out, s.Collect(c, markets[k]))
	}
	return out, nil
}

func (p *Plan) mergeSweep(ctx context.Context, src replay.Source, j *Job, s *replay.Sample, from Results, workers int) (*Answer, error) {
	g, err := sweep.NewGrid(j.Strategy, j.Sweep.Axes)
	if err != nil {
		return nil, err
	}
	l, err := sweep.NewLedger(s, g)
	if err != nil {
		return nil, err
	}
	cases, _ := g.Cases(j.base())
	if err := p.visit(s, from, func(round int, r replay.MarketResult) { l.Own[round] = r }, func(round, k int, pnl, cost market.Cash) error {
		if k >= len(cases) {
			return errBroken
		}
		l.Book(round, k, pnl, cost)
		return nil
	}); err != nil {
		return nil, err
	}
	found, err := backtest.JudgeSweep(ctx, src, j.Strategy, l, j.Sweep.With(j.Options), workers)
	return &Answer{Sweep: found}, err
}
