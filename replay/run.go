package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/orders"
	"github.com/ladderback/ladderback/replay/queue"
	"github.com/ladderback/ladderback/replay/tape"
	"github.com/ladderback/ladderback/strategy"
)

// Parallel controls how a replay is executed. It does not affect results.
type Parallel struct {
	Workers int // markets replayed in parallel; 0: one per CPU
	// Progress, when not nil, is called with the number of markets done, from
	// 0 to total, never concurrently and never decreasing.
	Progress func(done, total int)
	// Undated says that nobody asks for Leg.AsOf, which is then zero where an order
	// is filled without looking up what was captured last.
	Undated bool
}

// Case is one strategy under one set of options.
type Case struct {
	Strategy strategy.Canonical
	Options  Options
	// Budget replaces the strategy's budget if not nil, and may exceed the bounds
	// of a strategy's budget.
	Budget *market.Cash
}

func (c *Case) budget() market.Cash {
	if c.Budget != nil {
		return *c.Budget
	}
	return c.Strategy.BudgetPerTrade().Cash()
}

// validate returns an error for a case without a strategy, or whose options are
// out of range.
func (c *Case) validate() error {
	if c.Strategy.IsZero() {
		return errors.New("the case has no strategy")
	}
	return c.Options.Validate()
}

// Run draws a sample for c and replays c over it.
func Run(ctx context.Context, src Source, c Case, p Parallel) (*Result, error) {
	s, err := Draw(ctx, src, c)
	if err != nil {
		return nil, err
	}
	r, err := s.Replay(ctx, src, p, c)
	if err != nil {
		return nil, err
	}
	return r[0], nil
}

// Replay replays every case over the sampled rounds in one pass over their
// captures and returns one result per case, in order. The sample decides: the
// cases' own coin, length, sample size, sampling, dates and winners are ignored.
// It streams the captures, and holds the results of all markets in memory.
func (s *Sample) Replay(ctx context.Context, src Source, p Parallel, cases ...Case) ([]*Result, error) {
	byCase := make([][]MarketResult, len(cases))
	for i := range byCase {
		byCase[i] = make([]MarketResult, len(s.Rounds))
	}
	if err := s.Visit(ctx, src, p, cases, func(round int, which []int, results []MarketResult) {
		for i, k := range which {
			byCase[k][round] = results[i]
		}
	}); err != nil {
		return nil, err
	}
	results := make([]*Result, len(cases))
	for i := range cases {
		results[i] = s.Collect(cases[i], byCase[i])
	}
	return results, nil
}

// Visit is Replay for those who keep little of each market: it calls visit with the index
// of a round, indices of cases, ascending, and their results in it, and holds on to nothing.
// Cases without a bankroll come together, once a round; of a case with one each round comes
// by itself, as it is settled, and what its results have for Bankroll is filled in once Visit
// returns. The calls come from several goroutines, in no order, but one at a time for cases
// with a bankroll. The results belong to visit.
func (s *Sample) Visit(ctx context.Context, src Source, p Parallel, cases []Case, visit func(round int, which []int, results []MarketResult)) error {
	var apart, pursed []int // rounds of these share nothing, or a purse
	var alone []Case        // those that are apart
	for i := range cases {
		if err := cases[i].validate(); err != nil {
			return fmt.Errorf("replay: %w", err)
		}
		if cases[i].Strategy.Bankroll() != nil {
			pursed = append(pursed, i)
			continue
		}
		apart, alone = append(apart, i), append(alone, cases[i])
	}
	if len(apart) > 0 {
		planned, q := s.planFor(src), p
		if len(pursed) > 0 {
			q.Progress = nil
		}
		if err := s.each(ctx, q, func(ctx context.Context, e *engine, i int) error {
			results, err := e.replay(ctx, planned, &s.Rounds[i], alone)
			if err == nil {
				visit(i, apart, results)
			}
			return err
		}); err != nil {
			return fmt.Errorf("replay: %w", err)
		}
	}
	if len(pursed) > 0 {
		if err := s.together(ctx, src, p, cases, pursed, visit); err != nil {
			return fmt.Errorf("replay: %w", err)
		}
	}
	return nil
}

// MarketError is what went wrong in the replay of one market.
type MarketError struct {
	Market *market.Market
	Err    error
}

func (e *MarketError) Error() string { return "market " + e.Market.VenueID + ": " + e.Err.Error() }
func (e *MarketError) Unwrap() error { return e.Err }

// each calls do for every round, on as many workers as p says, each with an
// engine of its own. The first error ends the others.
func (s *Sample) each(ctx context.Context, p Parallel, do func(ctx context.Context, e *engine, i int) error) error {
	workers := p.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = max(1, min(workers, len(s.Rounds)))
	var lock sync.Mutex
	next, finished := 0, 0
	take := func() (int, bool) {
		lock.Lock()
		defer lock.Unlock()
		if next == len(s.Rounds) {
			return 0, false
		}
		next++
		return next - 1, true
	}
	report := func(n int) {
		lock.Lock()
		defer lock.Unlock()
		finished += n
		if p.Progress != nil {
			p.Progress(finished, len(s.Rounds))
		}
	}
	report(0)
	group, ctx := errgroup.WithContext(ctx)
	for range workers {
		group.Go(func() error {
			e := &engine{seam: s.seam, undated: p.Undated}
			for i, ok := take(); ok; i, ok = take() {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := s.guarded(i, func() error { return do(ctx, e, i) }); err != nil {
					return err
				}
				report(1)
			}
			return nil
		})
	}
	return group.Wait()
}

// guarded calls f, about a round; its panic is an error, with the stack: one round
// that cannot be replayed ends its run, not the process.
func (s *Sample) guarded(round int, f func() error) error {
	return caught(f, func(err error) error { return &MarketError{s.Rounds[round].Market, err} })
}

// caught calls f. Its panic is an error, with the stack, that says tells about.
func caught(f func() error, says func(error) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = says(fmt.Errorf("panic: %v\n%s", v, debug.Stack()))
		}
	}()
	return f()
}

// Collect makes the result of c out of those of the sampled rounds, in their
// order. Where they were made does not matter.
func (s *Sample) Collect(c Case, markets []MarketResult) *Result {
	r := &Result{Strategy: c.Strategy, Options: c.Options, Funnel: s.Funnel, Inferred: s.Inferred}
	r.Markets = slices.Grow(r.Markets, len(s.Rounds))
	for i := range s.Rounds {
		m := markets[i]
		r.Markets = append(r.Markets, m)
		r.Bankroll = m.Bankroll
		for reason, n := range m.Refusals {
			r.Refusals[reason] += n
			r.Then[reason] += m.Then[reason]
		}
		if m.Signalled {
			r.Funnel.Signalled++
		}
		if m.Trade != nil {
			r.Funnel.Filled++
			r.Trades = append(r.Trades, m.Trade)
		}
	}
	slices.SortStableFunc(r.Trades, func(a, b *Trade) int {
		return cmp.Or(cmp.Compare(a.ExitTime, b.ExitTime), strings.Compare(a.Market.VenueID, b.Market.VenueID))
	})
	return r
}

// engine replays one market at a time, always for the same cases. It is reused
// from market to market.
type engine struct {
	tape    tape.Tape // of the captures
	tops    tape.Tape // of the tops
	prints  queue.Prints
	crowd   []*orders.Terms  // of the cases that share an entry
	players []*orders.Player // of rounds before: they begin the next one
	history bool             // a case looks back
	undated bool             // see Parallel.Undated
	seam    orders.Seam
	trace   *Trace
}

// replay replays the cases over one round and returns one result per case.
func (e *engine) replay(ctx context.Context, src plannedSource, round *market.Round, cases []Case) ([]MarketResult, error) {
	if round.Market.Decided() == "" {
		return nil, &MarketError{round.Market, errors.New("its payout is not known")}
	}
	out := make([]MarketResult, len(cases))
	if err := e.play(ctx, src, round, cases, out); err != nil {
		return nil, &MarketError{round.Market, err}
	}
	return out, nil
}
