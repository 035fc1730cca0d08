package api

import (
	"encoding/json"
	"net/http"

	"github.com/ladderback/ladderback/api/question"
	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/parts"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/replay/sweep"
	"github.com/ladderback/ladderback/report/words"
	"github.com/ladderback/ladderback/runs"
)

// sweepRecord is a sweep without its result.
type sweepRecord struct {
	runBase
	Axes         []backtest.SweepAxis  `json:"axes"`
	Combinations int                   `json:"combinations"` // of the axes' values
	Options      backtest.SweepOptions `json:"options"`
	Headline     *runs.SweepHeadline   `json:"headline"`
	Error        *string               `json:"error"`
}

// sweepDetail is a sweep by itself.
type sweepDetail struct {
	sweepRecord
	// Result is what 'ladderback sweep --json' writes; null until the sweep is done.
	Result json.RawMessage `json:"result"`
	Words  *words.Sweep    `json:"words,omitempty"` // the result in sentences
}

func sweepRecordOf(r *runs.Run) sweepRecord {
	return sweepRecord{
		runBase: baseOf(r), Axes: r.Spec.Sweep.Axes, Combinations: r.Spec.Sweep.Cells(), Options: r.SweepOptions(),
		Headline: r.SweepHeadline, Error: wire.SomeText(r.Error),
	}
}

// sweepVerdicts are the values of the list's filter.
var sweepVerdicts = []string{string(backtest.SweepNotEnough), string(backtest.SweepNoGain), string(backtest.SweepLuck), string(backtest.SweepUnproven), string(backtest.SweepEdge)}

// listSweeps answers GET /v1/ai/sweeps.
func (s *Server) listSweeps(w http.ResponseWriter, r *http.Request, d *runs.Scheduler) error {
	return list(w, r, d, runs.Sweep, sweepVerdicts, sweepRecordOf)
}

// startSweep answers POST /v1/ai/sweeps.
func (s *Server) startSweep(w http.ResponseWriter, r *http.Request, d *runs.Scheduler) error {
	q, err := question.Read(r, question.Sweep)
	if err != nil {
		return err
	}
	return s.start(w, r, d, q, func(body *backtest.Body, h identity.Holder) (*runs.Spec, error) {
		axes := sweep.Whole(body.Strategy, q.Axes)
		spec := &runs.Spec{Body: *body, Options: q.Options, Sweep: &parts.Sweep{Axes: axes, BlockHours: q.BlockHours, AlsoTried: q.AlsoTried, Deflation: q.Deflation}}
		if err := withinPlan(&h.Plan, body.Strategy); err != nil {
			return nil, err
		}
		if err := sweepWithinPlan(&h.Plan, spec); err != nil {
			return nil, err
		}
		_, err := sweep.NewGrid(body.Strategy, axes)
		return spec, err
	})
}

// sweepWithinPlan refuses a sweep of more markets times variants than the plan
// allows.
func sweepWithinPlan(p *identity.Plan, spec *runs.Spec) error {
	markets := int64(spec.Body.Strategy.SampleSize())
	variants := int64(1)
	for _, a := range spec.Sweep.Axes {
		if variants *= int64(len(a.Values)); variants > sweep.MaxVariants {
			break // what follows is refused anyway, and could overflow
		}
	}
	if limit := p.SweepReplays; limit > 0 && markets*variants > limit {
		return wire.Forbidden("sweep of %d markets × %d variants: plan %s allows at most %d of markets × variants per sweep", markets, variants, p.Name, limit)
	}
	return nil
}
