package backtest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"

	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/replay/sweep"
	"github.com/ladderback/ladderback/strategy"
)

// SweepAxis and the types below are the facts of a sweep, for those who render them.
type (
	SweepAxis    = sweep.Axis
	SweepRow     = sweep.Row
	SweepMap     = sweep.Map
	SweepBlock   = sweep.Block
	SweepInvalid = sweep.Invalid
	SweepVerdict = sweep.Verdict
	Deflation    = sweep.Deflation
)

// Ways to deflate the best of a sweep.
const (
	DeflateByNull    = sweep.ByNull
	DeflateByScatter = sweep.ByScatter
)

// Verdicts of a sweep.
const (
	SweepNotEnough = sweep.NotEnough
	SweepNoGain    = sweep.NoGain
	SweepLuck      = sweep.Luck
	SweepUnproven  = sweep.Unproven
	SweepEdge      = sweep.Edge
)

// ParseDeflation reads a way to deflate as options have it: the default is the empty
// name. Errors have code bad_request.
func ParseDeflation(text string) (Deflation, error) {
	switch d := Deflation(text); d {
	case DeflateByNull:
		return "", nil
	case DeflateByScatter:
		return d, nil
	}
	return "", market.Errorf(market.CodeBadRequest, "%q: expected %s or %s", text, DeflateByNull, DeflateByScatter)
}

// ParseSweepAxis reads what --vary says: see sweep.ParseAxis.
func ParseSweepAxis(text string) (SweepAxis, error) { return sweep.ParseAxis(text) }

// SweepOptions are the options of a sweep as applied.
type SweepOptions struct {
	replay.Options
	// BlockHours is the length of a block of the walk-forward in whole hours; 0: a
	// tenth of the time that the sample spans.
	BlockHours int64 `json:"block_hours"`
	// AlsoTried is how many variants were tried before, elsewhere.
	AlsoTried int `json:"also_tried"`
	// TriesBefore is how many independent tries were counted before this one on rounds of
	// its coin and length (Tally.Before); the best is deflated for them too. 0, and left
	// out: none.
	TriesBefore stats.Decimal `json:"tries_before,omitempty"`
	// Deflation is how the best is deflated; empty, and left out: DeflateByNull.
	Deflation Deflation `json:"deflation,omitempty"`
}

// Sweep is what a sweep found, with what a trader must know before believing it.
type Sweep struct {
	sweep.Report
	Options  SweepOptions `json:"options"`
	Warnings []Warning    `json:"warnings"` // never nil
	// Available says what the archive has when nothing was found to replay; else it
	// is left out.
	Available []Holding `json:"available,omitempty"`
	Receipt   Receipt   `json:"receipt"`
}

// RunSweep replays s with every combination of the axes' values over what src holds, in one
// pass, and judges the best of them. p.Progress counts rounds. The result is the same on any
// number of workers. It tells count, unless that is nil, of the tries before it replays
// anything; what count says of earlier ones takes the place of o.TriesBefore.
func RunSweep(ctx context.Context, src replay.Source, s strategy.Canonical, axes []SweepAxis, o SweepOptions, p replay.Parallel, count Counter) (*Sweep, Tally, error) {
	g, err := sweep.NewGrid(s, axes)
	if err != nil {
		return nil, Tally{}, err
	}
	c := replay.Case{Strategy: s, Options: o.Options}
	sample, err := replay.Draw(ctx, src, c)
	if err != nil {
		return nil, Tally{}, err
	}
	tally, err := count.Counted(ctx, &Looked{Strategy: s, Options: o.Options, Axes: axes, Variants: len(g.Variants), Rounds: sample.Rounds})
	if err != nil {
		return nil, tally, err
	}
	if count != nil {
		o.TriesBefore = tally.Before
	}
	l, err := sweep.Run(ctx, src, sample, c, g, p)
	if err != nil {
		return nil, tally, err
	}
	r, err := JudgeSweep(ctx, src, s, l, o, p.Workers)
	return r, tally, err
}

// Independent returns how many independent tries the variants of a sweep are: what it counts
// for among the tries before another. Where none is eligible each variant counts.
func (s *Sweep) Independent() stats.Decimal {
	if s.Best == nil {
		return stats.Decimal(len(s.Variants)) * stats.One
	}
	d := s.Best.Deflated
	if d.Deflation != DeflateByNull {
		d = s.Best.Beside
	}
	return d.Tries - s.Options.TriesBefore - stats.Decimal(s.Options.AlsoTried)*stats.One
}

// JudgeSweep makes the result of a sweep of s out of its ledger. workers ≤ 0: one
// per core.
func JudgeSweep(ctx context.Context, src replay.Source, s strategy.Canonical, l *sweep.Ledger, o SweepOptions, workers int) (*Sweep, error) {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	found, err := l.Judge(ctx, sweep.Options{Block: market.Span(o.BlockHours) * market.Hour, AlsoTried: float64(o.AlsoTried) + o.TriesBefore.Float(), Deflation: o.Deflation, Seed: o.Seed}, workers)
	if err != nil {
		return nil, err
	}
	out := &Sweep{Report: *found, Options: o}
	if len(l.Own) == 0 {
		if out.Available, err = Available(ctx, src); err != nil {
			return nil, err
		}
	}
	res := &replay.Result{Strategy: s, Options: o.Options, Funnel: found.Funnel, Inferred: l.Sample.Inferred, Markets: l.Own}
	for i := range l.Own {
		if t := l.Own[i].Trade; t != nil {
			res.Trades = append(res.Trades, t)
		}
	}
	out.Warnings = sweepWarnings(res)
	out.Receipt, err = sweepReceipt(res, out)
	return out, err
}

// sweepWarnings are those about the data, which hold for every variant.
func sweepWarnings(res *replay.Result) []Warning {
	ws := []Warning{}
	for _, w := range []Warning{
		{InferredWinners, inferredWinners(res)},
		{WeakFills, weakFills(res)},
		{Overlap, overlap(res)},
		{LowCoverage, poorCoverage(res)},
		{Defaults, defaults(res)},
		{SimulatedData, simulated(res)},
		{NoFeeSchedule, noFeeSchedule(res)},
		{OnePath, onePaths(res)},
		{NoTradesHeard, noTradesHeard(res)},
	} {
		if w.Message != "" {
			ws = append(ws, w)
		}
	}
	return ws
}

// sweepReceipt is that of a report, with the axes among the options.
func sweepReceipt(res *replay.Result, s *Sweep) (Receipt, error) {
	rc := Receipt{Engine: Engine, Strategy: res.Strategy.Hash(), HoldOut: s.Options.HoldOut}
	options, err := CompactJSON(struct {
		Axes []SweepAxis  `json:"axes"`
		With SweepOptions `json:"options"`
	}{s.Axes, s.Options})
	if err != nil {
		return Receipt{}, fmt.Errorf("receipt: options: %w", err)
	}
	rc.Options = hash(options)
	if rc.Data, err = dataHash(res); err != nil {
		return Receipt{}, fmt.Errorf("receipt: %w", err)
	}
	bare := *s
	bare.Receipt = Receipt{}
	b, err := CompactJSON(&bare)
	if err != nil {
		return Receipt{}, fmt.Errorf("receipt: sweep: %w", err)
	}
	cut := bytes.LastIndex(b, []byte(`,"receipt":`))
	rc.Report = hash(append(b[:cut:cut], '}'))
	return rc, nil
}

// SweepBody is the answer to a sweep: what the command writes as JSON.
type SweepBody struct {
	Prompt   string             `json:"prompt"`
	Strategy strategy.Canonical `json:"strategy"`
	Source   strategy.Source    `json:"source"`
	Note     string             `json:"note,omitempty"` // why the rules took over
	// Parse is the parser's trace; nil when a strategy was given instead of a prompt.
	Parse *strategy.Trace `json:"parse,omitempty"`
	Sweep *Sweep          `json:"sweep"`
	Tally Tally           `json:"-"` // that of Body
}

// WriteJSON writes b as one line of JSON, ended by a line feed.
func (b *SweepBody) WriteJSON(w io.Writer) error {
	if err := writeLine(w, b); err != nil {
		return fmt.Errorf("write sweep: %w", err)
	}
	return nil
}

// Summary returns the strategy in English.
func (b *SweepBody) Summary() string {
	if b.Parse != nil && b.Parse.Summary != "" {
		return b.Parse.Summary
	}
	return b.Strategy.Summary()
}
