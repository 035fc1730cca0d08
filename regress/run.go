package regress

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/parser"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// Verdict is how a case compares with what was recorded.
type Verdict string

// Verdicts.
const (
	Same        Verdict = "same"
	Different   Verdict = "different"
	NotRecorded Verdict = "not_recorded" // nothing to compare with
)

// Outcome is the result of running suites.
type Outcome struct {
	Archive *Archive // that the suites were run over
	Suites  []SuiteOutcome
	// Recorded: what differed has been written into the suites.
	Recorded bool
}

// SuiteOutcome is the result of one suite.
type SuiteOutcome struct {
	Suite *Suite
	Cases []CaseOutcome // in order of the suite's cases
}

// CaseOutcome is the result of one case.
type CaseOutcome struct {
	Case        *Case
	Verdict     Verdict
	Differences []Difference // empty unless Different
	Got         *Record
	// Source says which parser read the case's prompt; empty where it has none, or
	// is refused.
	Source strategy.Source
}

// OtherArchive reports whether the suite was recorded over another archive.
func (s *SuiteOutcome) OtherArchive(here *Archive) bool {
	return s.Suite.Archive != nil && s.Suite.Archive.Fingerprint != here.Fingerprint
}

// Count returns how many cases there are, and how many of them are not Same.
func (o *Outcome) Count() (all, notSame int) {
	for i := range o.Suites {
		for _, c := range o.Suites[i].Cases {
			all++
			if c.Verdict != Same {
				notSame++
			}
		}
	}
	return all, notSame
}

// Run runs every case of the suites over src, several at a time, and compares.
// Neither the number of workers nor their order has an influence on what comes
// out. p.Progress counts cases. An error means that a case could not be run to
// its end; a prompt that is refused is no error. Prompts are read with the
// language model, held against the rules, where model is not nil.
func Run(ctx context.Context, src replay.Source, suites []*Suite, model *parser.Model, p replay.Parallel) (*Outcome, error) {
	archive, err := Fingerprint(ctx, src)
	if err != nil {
		return nil, err
	}
	out := &Outcome{Archive: archive, Suites: make([]SuiteOutcome, len(suites))}
	total := 0
	for i, s := range suites {
		out.Suites[i] = SuiteOutcome{Suite: s, Cases: make([]CaseOutcome, len(s.Cases))}
		total += len(s.Cases)
	}
	if p.Workers <= 0 {
		p.Workers = runtime.GOMAXPROCS(0)
		if model != nil {
			p.Workers = max(p.Workers, parser.InFlight)
		}
	}
	done := counter(p.Progress, total)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(p.Workers)
	inner := replay.Parallel{Workers: max(1, p.Workers/max(1, total))}
	for i := range out.Suites {
		s := &out.Suites[i]
		for j := range s.Cases {
			group.Go(func() error {
				if err := ctx.Err(); err != nil {
					return err
				}
				c, err := runCase(ctx, src, &s.Suite.Cases[j], model, inner)
				if err != nil {
					return fmt.Errorf("%s:%d: case %q: %w", s.Suite.path, s.Suite.Cases[j].Line, s.Suite.Cases[j].Name, err)
				}
				s.Cases[j] = c
				done()
				return nil
			})
		}
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return out, nil
}

// counter returns a function that counts up to total and reports it.
func counter(progress func(done, total int), total int) func() {
	if progress == nil {
		return func() {}
	}
	progress(0, total)
	var lock sync.Mutex
	n := 0
	return func() {
		lock.Lock()
		defer lock.Unlock()
		n++
		progress(n, total)
	}
}

func runCase(ctx context.Context, src replay.Source, c *Case, model *parser.Model, p replay.Parallel) (CaseOutcome, error) {
	got, by, err := c.run(ctx, src, model, p)
	if err != nil {
		return CaseOutcome{}, err
	}
	out := CaseOutcome{Case: c, Verdict: Same, Got: got, Source: by}
	if c.expected == nil {
		out.Verdict = NotRecorded
		return out, nil
	}
	if out.Differences, err = differences(c.expected, got); err != nil {
		return CaseOutcome{}, err
	}
	if len(out.Differences) > 0 {
		out.Verdict = Different
	}
	return out, nil
}

// run reads and replays the case, and says which parser read it.
func (c *Case) run(ctx context.Context, src replay.Source, model *parser.Model, p replay.Parallel) (*Record, strategy.Source, error) {
	s, record, by, err := c.understand(ctx, model)
	if err != nil || record.Refused != nil {
		return record, by, err
	}
	r, err := backtest.Run(ctx, src, s, c.Options, p)
	if err != nil {
		return nil, by, err
	}
	record.Numbers = numbersOf(r)
	return record, by, nil
}

// understand returns the canonical strategy of the case, and what is recorded of
// it before it is replayed.
func (c *Case) understand(ctx context.Context, model *parser.Model) (strategy.Canonical, *Record, strategy.Source, error) {
	if c.Prompt != nil {
		result, refusal := parser.Parse(ctx, model, *c.Prompt, parser.Overrides{SampleSize: c.SampleSize, Budget: c.Budget})
		if refusal != nil {
			return strategy.Canonical{}, &Record{Refused: &Refused{refusal.Code, refusal.Message}}, "", nil
		}
		return result.Strategy, &Record{Summary: result.Trace.Summary, Strategy: &result.Strategy}, result.Source, nil
	}
	s := *c.Strategy
	if c.SampleSize != nil {
		s.SampleSize = *c.SampleSize
	}
	if c.Budget != nil {
		s.BudgetPerTrade = *c.Budget
	}
	canonical, err := strategy.Canonicalize(s)
	var fault *strategy.Error
	switch {
	case errors.As(err, &fault):
		return canonical, &Record{Refused: &Refused{string(market.CodeOf(fault)), fault.Error()}}, "", nil
	case err != nil:
		return canonical, nil, "", err
	}
	return canonical, &Record{Summary: canonical.Summary()}, "", nil
}
