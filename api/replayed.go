package api

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/runs"
	"github.com/ladderback/ladderback/tries"
)

// What is left to the workers, rather than replayed by the server that was asked: a
// backtest of more markets than few whose estimated work, in time of one processor, is
// more than little.
const (
	few    = 1000
	little = 4 * time.Second
)

// replayed is a backtest whose client waits for the answer.
type replayed struct {
	server  *Server
	holder  identity.Holder
	body    *backtest.Body
	options backtest.Options
	turn    bool // it has its turn to run in this process
}

// large reports whether the backtest is left to the workers.
func (b *replayed) large(ctx context.Context) bool {
	if b.server.cfg.Scheduler == nil || b.body.Strategy.SampleSize() <= few {
		return false
	}
	e, err := b.spec().Estimate(ctx, b.server.Rounds(ctx))
	return err == nil && e.Work > b.server.cfg.Little
}

func (b *replayed) spec() *runs.Spec { return &runs.Spec{Body: *b.body, Options: b.options} }

// answer replays, and returns the body of the answer. tell, which may be nil, is told
// of the progress. What the workers cannot do is replayed here.
func (b *replayed) answer(ctx context.Context, tell func(done, total int)) ([]byte, error) {
	if b.turn {
		return b.here(ctx, tell)
	}
	b.server.asked.Add(1)
	defer b.server.asked.Add(-1)
	running := b.server.metrics.runs.WithLabelValues("running")
	running.Inc()
	text, err := b.server.cfg.Scheduler.Answer(ctx, runs.Request{
		Organization: b.holder.Key.Tenant(), Key: b.holder.Key.ID, Spec: *b.spec(),
	}, tell)
	running.Dec()
	if !errors.Is(err, runs.ErrUnavailable) {
		return text, err
	}
	b.server.log.Warn("a backtest is replayed by the server", "error", err)
	leave, err := b.server.places.Turn(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	return b.here(ctx, tell)
}

// here replays in this process.
func (b *replayed) here(ctx context.Context, tell func(done, total int)) ([]byte, error) {
	s := b.server
	counting := tries.Counting{Store: s.cfg.Tries, Organization: b.holder.Key.Tenant(), Prompt: b.body.Prompt}
	report, _, err := backtest.RunCounted(ctx, s.Rounds(ctx), b.body.Strategy, b.options, replay.Parallel{Workers: s.cfg.RunWorkers, Progress: tell}, counting.Count)
	if err != nil {
		return nil, err
	}
	if err := counting.End(ctx, stats.One); err != nil {
		return nil, err
	}
	body := *b.body
	body.Report = report
	var out bytes.Buffer
	err = body.WriteJSON(&out)
	return out.Bytes(), err
}

// Asked reports whether a client waits for a backtest that was left to the workers,
// who may be this process's: they have to go on while it does.
func (s *Server) Asked() bool { return s.asked.Load() > 0 }
