package parts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/replay/sweep"
	"github.com/ladderback/ladderback/strategy"
)

// Job is what is asked: a backtest, or a sweep.
type Job struct {
	Strategy strategy.Canonical
	Options  backtest.Options
	Sweep    *Sweep // nil: a backtest
}

// Sweep is what a sweep has beyond a backtest.
type Sweep struct {
	Axes       []backtest.SweepAxis `json:"axes"`
	BlockHours int64                `json:"block_hours"` // 0: a tenth of the time that the sample spans
	AlsoTried  int                  `json:"also_tried"`
	Deflation  backtest.Deflation   `json:"deflation,omitempty"`
	// TriesBefore is that of backtest.SweepOptions, once the try is counted.
	TriesBefore stats.Decimal `json:"tries_before,omitempty"`
}

// Cells is how many combinations of values the sweep has.
func (s *Sweep) Cells() int {
	n := 1
	for _, a := range s.Axes {
		n *= len(a.Values)
	}
	return n
}

// With returns the options of the sweep, given those of its replays.
func (s *Sweep) With(o backtest.Options) backtest.SweepOptions {
	return backtest.SweepOptions{Options: o.Options, BlockHours: s.BlockHours, AlsoTried: s.AlsoTried, TriesBefore: s.TriesBefore, Deflation: s.Deflation}
}

func (j *Job) base() replay.Case {
	return replay.Case{Strategy: j.Strategy, Options: j.Options.Ruled(j.Strategy).Options}
}

// cases returns what one pass over the markets replays, and which of the cases is
// the strategy itself.
func (j *Job) cases() (cases []replay.Case, own int, err error) {
	c := j.base()
	if j.Sweep != nil {
		g, err := sweep.NewGrid(j.Strategy, j.Sweep.Axes)
		if err != nil {
			return nil, 0, err
		}
		cases, own = g.Cases(c)
		return cases, own, nil
	}
	cases = append([]replay.Case{c}, backtest.QueueCases(c)...)
	if slices.Contains(j.Options.Include, backtest.IncludeSensitivity) {
		cases = append(cases, backtest.SensitivityCases(c)...)
	}
	return cases, 0, nil
}

// Passes is how many times the markets are replayed: 2 with a baseline, else 1.
func (j *Job) Passes() int {
	if j.Sweep == nil && j.Options.Baseline {
		return 2
	}
	return 1
}

// Plan is what a job replays. It does not change once it is made, but for the rounds that
// it keeps in memory; it is safe for concurrent use.
type Plan struct {
	Funnel   replay.Funnel
	Inferred int
	Rounds   []Round // in replay order: newest end first, ties by market id
	// Ends cut Rounds into chunks: chunk i ends before Rounds[Ends[i]].
	Ends []int
	// Watermark is the newest capture of the archive as it was planned; zero: not
	// known.
	Watermark market.Instant
	// Data is the hash of the receipt over the markets.
	Data string
	Estimate

	kept kept
}

// Round is a market of a plan.
type Round struct {
	ID     string // of the market
	End    market.Instant
	Record [sha256.Size]byte // of backtest.RoundRecord
}

// Estimate is how much work a job is likely to be, all passes together.
type Estimate struct {
	Markets int           // replayed in each pass
	Replays int           // of a market each, under one case
	Blocks  int64         // of captures
	Work    time.Duration // processor time
}

// Of one processor, measured: what a market costs, a capture, and every case beyond
// the first. Cases share most of a pass.
const (
	perMarket        = 150 * time.Microsecond
	perCapture       = 250 * time.Nanosecond
	perCase          = 7 * time.Microsecond
	capturesPerBlock = 4096
	unknownCaptures  = 4000 // of a market whose captures are not counted
)

// workOf estimates one pass over one market.
func workOf(r *market.Round, cases int) (blocks int64, work time.Duration) {
	captures := r.Captures
	if captures == 0 {
		captures = unknownCaptures
	}
	return 1 + captures/capturesPerBlock, perMarket + time.Duration(captures)*perCapture + time.Duration(cases-1)*perCase
}

// Chunks of a job hold an eighth of its work each, within these bounds.
const (
	leastChunk = time.Second
	mostChunk  = 15 * time.Second
	chunksEach = 8
)

// Draw makes the plan of a job. Chunks hold so much estimated work at least; 0: an
// eighth of the job's, from one to fifteen seconds. The plan depends on the job and the
// archive alone, not on what count, which is told of the try unless it is nil, says.
func Draw(ctx context.Context, src replay.Source, j *Job, chunk time.Duration, count backtest.Counter) (*Plan, backtest.Tally, error) {
	cases, _, err := j.cases()
	if err != nil {
		return nil, backtest.Tally{}, err
	}
	write, err := writeOf(ctx, src)
	if err != nil {
		return nil, backtest.Tally{}, err
	}
	sample, err := replay.Draw(ctx, src, j.base())
	if err != nil {
		return nil, backtest.Tally{}, err
	}
	p, err := planOf(ctx, src, j, sample, len(cases), chunk)
	if err != nil {
		return nil, backtest.Tally{}, err
	}
	p.kept.put(src, write, sample)
	looked := &backtest.Looked{Strategy: j.Strategy, Options: j.base().Options, Variants: 1, Rounds: sample.Rounds}
	if j.Sweep != nil {
		looked.Options, looked.Axes = j.Options.Options, j.Sweep.Axes
		if looked.Variants, err = variants(j); err != nil {
			return nil, backtest.Tally{}, err
		}
	}
	tally, err := count.Counted(ctx, looked)
	return p, tally, err
}

// variants is how many strategies a sweep replays.
func variants(j *Job) (int, error) {
	g, err := sweep.NewGrid(j.Strategy, j.Sweep.Axes)
	if err != nil {
		return 0, err
	}
	return len(g.Variants), nil
}

// planOf makes the plan of a job over its sample.
func planOf(ctx context.Context, src replay.Source, j *Job, sample *replay.Sample, cases int, chunk time.Duration) (*Plan, error) {
	var err error
	if j.Sweep != nil {
		ends := map[market.Instant]bool{}
		for i := range sample.Rounds {
			ends[sample.Rounds[i].Market.End] = true
		}
		if err := sweep.Fits(cases, len(ends)); err != nil {
			return nil, err
		}
	}
	p := &Plan{Funnel: sample.Funnel, Inferred: sample.Inferred, Rounds: make([]Round, len(sample.Rounds))}
	p.Estimate = estimate(j, sample.Rounds, cases)
	data := sha256.New()
	for i := range sample.Rounds {
		r := &sample.Rounds[i]
		line, err := backtest.RoundRecord(r)
		if err != nil {
			return nil, fmt.Errorf("plan: market %s: %w", r.Market.VenueID, err)
		}
		p.Rounds[i] = Round{ID: r.Market.VenueID, End: r.Market.End, Record: sha256.Sum256(line)}
		data.Write(append(line, '\n'))
	}
	p.Data = hex.EncodeToString(data.Sum(nil))
	if chunk <= 0 {
		chunk = min(max(p.Work/chunksEach/time.Duration(j.Passes()), leastChunk), mostChunk)
	}
	held, whole := time.Duration(0), j.Strategy.Bankroll() != nil // rounds that share a purse are played together
	for i := range sample.Rounds {
		_, work := workOf(&sample.Rounds[i], cases)
		if held += work; held >= chunk && !whole || i == len(sample.Rounds)-1 {
			p.Ends, held = append(p.Ends, i+1), 0
		}
	}
	p.Watermark, err = watermark(ctx, src)
	return p, err
}

// EstimateOf says how much work a job would be.
func EstimateOf(ctx context.Context, src replay.Source, j *Job) (Estimate, error) {
	cases, _, err := j.cases()
	if err != nil {
		return Estimate{}, err
	}
	sample, err := replay.Draw(ctx, src, j.base())
	if err != nil {
		return Estimate{}, err
	}
	return estimate(j, sample.Rounds, len(cases)), nil
}

func estimate(j *Job, rounds []market.Round, cases int) Estimate {
	e := Estimate{Markets: len(rounds), Replays: len(rounds) * cases}
	for i := range rounds {
		blocks, work := workOf(&rounds[i], cases)
		if j.Strategy.Bankroll() != nil { // each case makes a pass of its own
			blocks, work = workOf(&rounds[i], 1)
			blocks, work = blocks*int64(cases), work*time.Duration(cases)
		}
		e.Blocks += blocks
		e.Work += work
		if j.Passes() > 1 { // the baseline, under one case
			_, work = workOf(&rounds[i], 1)
			e.Blocks, e.Work, e.Replays = e.Blocks+blocks, e.Work+work, e.Replays+1
		}
	}
	return e
}

// watermark returns the newest capture of an archive that can tell.
func watermark(ctx context.Context, src replay.Source) (market.Instant, error) {
	w, ok := src.(interface {
		Watermarks(ctx context.Context, in market.Category) (map[market.Category]market.Instant, error)
	})
	if !ok {
		return 0, nil
	}
	all, err := w.Watermarks(ctx, market.Crypto)
	return all[market.Crypto], err
}

// Span returns the markets of a chunk: Rounds[from:to].
func (p *Plan) Span(chunk int) (from, to int) {
	if chunk > 0 {
		from = p.Ends[chunk-1]
	}
	return from, p.Ends[chunk]
}

// ErrChanged is the cause of an error about a market that is no longer what was
// planned.
var ErrChanged error = market.Errorf(market.CodeConflict, "a market has changed since the run was planned")

// list returns the markets [from, to) of the plan as the archive has them, which
// must be as they were planned.
func (p *Plan) list(ctx context.Context, src replay.Source, j *Job, from, to int) (*replay.Sample, error) {
	s := &replay.Sample{Funnel: p.Funnel, Inferred: p.Inferred}
	if from == to {
		return s, nil
	}
	f := replay.RoundsOf(j.Strategy.Market(), nil, nil)
	f.From = market.Latest
	for _, r := range p.Rounds[from:to] {
		f.From, f.To = min(f.From, r.End), max(f.To, r.End+1)
	}
	found, err := src.Rounds(ctx, f)
	if err != nil {
		return nil, err
	}
	at := make(map[string][]int, len(found))
	for i := range found {
		id := found[i].Market.VenueID
		at[id] = append(at[id], i)
	}
	for _, want := range p.Rounds[from:to] {
		i, err := same(&want, found, at[want.ID])
		if err != nil {
			return nil, err
		}
		s.Rounds = append(s.Rounds, found[i])
	}
	return s, nil
}

// same returns which of the candidates is the round that was planned.
func same(want *Round, found []market.Round, candidates []int) (int, error) {
	for _, i := range candidates {
		line, err := backtest.RoundRecord(&found[i])
		if err != nil {
			return 0, err
		}
		if sha256.Sum256(line) == want.Record {
			return i, nil
		}
	}
	what := "is no longer in the archive"
	if len(candidates) > 0 {
		what = "has changed since the run was planned"
	}
	return 0, fmt.Errorf("%w: %w", market.Errorf(market.CodeConflict, "market %s %s", want.ID, what), ErrChanged)
}

// wire is a Plan without its methods.
type wire Plan

// MarshalBinary writes the plan, for another process.
func (p *Plan) MarshalBinary() ([]byte, error) { return seal((*wire)(p)) }

// UnmarshalBinary is the inverse of MarshalBinary.
func (p *Plan) UnmarshalBinary(b []byte) error {
	if err := unseal(b, (*wire)(p)); err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	return nil
}
