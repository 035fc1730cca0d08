package runs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/parts"
	"github.com/ladderback/ladderback/internal/sqlstore"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/tries"
)

var errLeaseLost = errors.New("the run is no longer ours")

// Outcomes of tasks, for metrics.
const (
	TaskDone     = "done"
	TaskFailed   = "failed"
	TaskReleased = "released" // put back, by a worker that stops
	TaskLost     = "taken"    // its run is over, or another worker has it
)

// runTask does a task and records what came of it. life ends when the scheduler stops.
func (d *Scheduler) runTask(ctx, life context.Context, task *Task) error {
	p, err := d.claimTask(ctx, task, fmt.Sprintf("%s.%d", d.worker, d.started.Add(1)), d.cfg.Lease)
	if errors.Is(err, errNothingToClaim) {
		return nil
	}
	if err != nil {
		d.cfg.Log.Warn("begin a task", "task", task.Kind, "run", task.Run, "error", err)
		return errNotRecorded
	}
	began := time.Now()
	w := &activeClaim{claim: p}
	working, cancel := context.WithCancelCause(ctx)
	w.cancel = cancel
	d.track(w)
	record, err := d.execute(working, w)
	cause := context.Cause(working)
	cancel(nil)
	d.notify()

	outcome, note := TaskDone, record
	switch {
	case err == nil:
	case errors.Is(cause, errLeaseLost):
		outcome, note = TaskLost, func(ctx context.Context) error { return d.abandonClaim(ctx, p) }
	case ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded):
		outcome, note = TaskReleased, func(ctx context.Context) error { return d.releaseClaim(ctx, p) }
	default:
		outcome, note = TaskFailed, d.failureRecorder(p, err, errors.Is(ctx.Err(), context.DeadlineExceeded))
	}
	err = d.recordWithRetry(ctx, life, note)
	if err != nil && outcome == TaskDone && !sqlstore.Unreachable(err) { // it is no use to try that again
		outcome, err = TaskFailed, d.recordWithRetry(ctx, life, d.failureRecorder(p, fmt.Errorf("record what it found: %w", err), false))
	}
	d.untrack(w)
	if d.cfg.Observe != nil {
		d.cfg.Observe(task.Kind, outcome, time.Since(began))
	}
	d.notify()
	if err != nil {
		d.cfg.Log.Warn("record a task", "task", task.Kind, "run", task.Run, "chunk", task.Chunk, "error", err)
		d.keepUnrecorded(p)
		return errNotRecorded
	}
	return nil
}

// recordTimeout is how long what came of a task is kept while it cannot be recorded; a
// process that stops keeps it for a lease.
const recordTimeout = 90 * time.Second

// recordWithRetry records what came of a task, again and again while the database is away:
// that does no harm, since what was recorded is the worker's no longer.
func (d *Scheduler) recordWithRetry(ctx, life context.Context, note func(context.Context) error) error {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer done()
	defer context.AfterFunc(life, func() { time.AfterFunc(d.cfg.Lease, done) })()
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		err := note(ctx)
		if err == nil || !sqlstore.Unreachable(err) {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return err
		}
	}
}

// errNotRecorded goes into the table of the queue, which keeps errors: it says
// nothing of the run.
var errNotRecorded = errors.New("not recorded; the log says why")

// failureRecorder returns how to record that a claim failed.
func (d *Scheduler) failureRecorder(p *claim, err error, late bool) func(context.Context) error {
	f := failure{message: clientMessage(err), pause: d.cfg.RetryDelay, planChanged: errors.Is(err, parts.ErrChanged)}
	code := market.CodeOf(err)
	switch {
	case late:
		f.message = fmt.Sprintf("it took longer than %s", p.Kind.timeout())
	case f.planChanged, code == market.CodeBadRequest:
		f.final = true
	case sqlstore.Lacking(err):
		f.message, f.final = "a database has not all of its tables; the log of the server says what is missing", true
	case code == market.CodeUnavailable, sqlstore.Unreachable(err):
		f.message, f.unreachable = "the archive is out of reach", true
		if code == market.CodeUnavailable {
			f.message = clientMessage(err)
		}
	}
	return func(ctx context.Context) error {
		over, recorded := d.recordFailure(ctx, p, f)
		d.cfg.Log.Warn("a task failed", "task", p.Kind, "run", p.Run, "chunk", p.Chunk, "over", over, "error", err)
		return recorded
	}
}

// clientMessage returns what a client is told of an error.
func clientMessage(err error) string {
	where := ""
	if m, ok := errors.AsType[*replay.MarketError](err); ok {
		where = "market " + m.Market.Slug + ": "
	}
	var known *market.Error
	if errors.As(err, &known) && known.Code != market.CodeInternal {
		return where + known.Message
	}
	return where + "the replay failed; the log of the server says why"
}

// execute does a claim and returns how to record it. A panic is an error.
func (d *Scheduler) execute(ctx context.Context, w *activeClaim) (record func(context.Context) error, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	p, src := w.claim, d.cfg.Source(ctx)
	job := p.run.job()
	switch p.Kind {
	case PlanTask:
		if p.Chunk == baselineChunk {
			return d.executeBaseline(ctx, p, job)
		}
		return d.executePlan(ctx, p, job, src)
	case ChunkTask, SweepTask:
		pass, chunk := p.pass()
		var clock *int
		if pass == 1 {
			clock = p.baselineClock
		}
		result, err := p.plan.Replay(ctx, src, job, chunk, clock, replay.Parallel{
			Workers: d.cfg.Workers, Progress: func(done, _ int) { w.done.Store(int64(done)) },
		})
		return func(ctx context.Context) error { return d.recordChunk(ctx, p, result) }, err
	}
	a, err := p.plan.Merge(ctx, src, job, d.chunkResults(ctx, p, 0), p.baselineClock, d.chunkResults(ctx, p, 1), d.cfg.Workers)
	if err != nil {
		return nil, err
	}
	text, headline, verdict, err := renderAnswer(a, &p.run.Spec)
	if err == nil { // before it is recorded: what ends here and is not recorded is merged again, and ends once
		err = d.endTry(ctx, &p.run, a)
	}
	return func(ctx context.Context) error { return d.recordAnswer(ctx, p, text, headline, verdict) }, err
}

// endTry notes that the try that a run is came to its end.
func (d *Scheduler) endTry(ctx context.Context, r *Run, a *parts.Answer) error {
	c := tries.Counting{Store: d.cfg.Tries, Organization: r.Organization, Identity: r.tryIdentity}
	if c.Store == nil {
		return nil
	}
	return c.End(ctx, a.Independent())
}

// count counts the try that a run is, before anything of it is replayed, and plans it.
func (d *Scheduler) count(ctx context.Context, p *claim, job *parts.Job, src replay.Source) (*parts.Plan, error) {
	c := tries.Counting{Store: d.cfg.Tries, Organization: p.run.Organization, Prompt: p.run.Spec.Body.Prompt}
	if c.Store != nil {
		lock, err := c.Store.HoldOut(ctx, c.Organization)
		if err != nil {
			return nil, err
		}
		if asked := job.Options.HoldOut; lock.Closed() && (!asked.Closed() || asked.From != lock.From) {
			return nil, market.Errorf(market.CodeBadRequest, "rounds from %s on were put aside after this was asked for: ask again", lock.From)
		}
	}
	plan, tally, err := parts.Draw(ctx, src, job, d.cfg.MinChunkWork, c.Count)
	p.run.Tally, p.run.tryIdentity = tally, c.Identity
	return plan, err
}

// executePlan fixes what the run replays, or answers it with an earlier run's result.
func (d *Scheduler) executePlan(ctx context.Context, p *claim, job *parts.Job, src replay.Source) (func(context.Context) error, error) {
	plan, err := d.count(ctx, p, job, src)
	if err != nil {
		return nil, err
	}
	mark, err := fingerprint(p, plan)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		if mark != "" {
			answered, err := d.answerFromEarlier(ctx, p, mark, len(plan.Rounds), func(earlier []byte) ([]byte, error) {
				var found parts.Answer
				if err := json.Unmarshal(earlier, &found); err != nil {
					return nil, fmt.Errorf("earlier result: %w", err)
				}
				if err := d.endTry(ctx, &p.run, &found); err != nil {
					return nil, err
				}
				return renderCached(&p.run.Spec, earlier)
			})
			if answered || err != nil {
				return err
			}
		}
		return d.recordPlan(ctx, p, plan, mark)
	}, nil
}

// executeBaseline finds what the baseline of a run is.
func (d *Scheduler) executeBaseline(ctx context.Context, p *claim, job *parts.Job) (func(context.Context) error, error) {
	seconds, ok, err := p.plan.Clock(job, d.chunkResults(ctx, p, 0))
	clock := &seconds
	if !ok {
		clock = nil
	}
	return func(ctx context.Context) error { return d.recordBaseline(ctx, p, clock) }, err
}

// fingerprint is the same for runs that have the same result: it covers what a
// receipt does, and what the report says of the archive beyond the markets
// replayed. It is empty for a run without markets, which says what the archive has.
func fingerprint(p *claim, plan *parts.Plan) (string, error) {
	if len(plan.Rounds) == 0 {
		return "", nil
	}
	text, err := json.Marshal(struct {
		Kind     Kind
		Engine   int
		Strategy string
		Options  backtest.Options
		Sweep    *parts.Sweep
		Data     string
		Funnel   replay.Funnel
		Inferred int
	}{p.run.Spec.Kind(), p.run.Engine, p.run.Spec.Body.Strategy.Hash(), p.run.Spec.Options, p.run.job().Sweep, plan.Data, plan.Funnel, plan.Inferred})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// renderCached writes the answer to a spec with what an earlier run of the same found: all
// but the prompt and how it was read is the same.
func renderCached(s *Spec, earlier []byte) ([]byte, error) {
	var found struct {
		Report json.RawMessage `json:"report,omitempty"`
		Sweep  json.RawMessage `json:"sweep,omitempty"`
	}
	if err := json.Unmarshal(earlier, &found); err != nil {
		return nil, fmt.Errorf("earlier result: %w", err)
	}
	own, err := backtest.CompactJSON(s.Body) // without a report
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.Write(bytes.TrimSuffix(own, []byte("}")))
	if found.Sweep != nil {
		out.WriteString(`,"sweep":`)
		out.Write(found.Sweep)
	} else {
		out.WriteString(`,"report":`)
		out.Write(found.Report)
	}
	out.WriteString("}\n")
	return out.Bytes(), nil
}
