package runs

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/parts"
	"github.com/ladderback/ladderback/market"
)

// What of a run is done now.
const (
	stagePlan     = "plan"
	stageStrategy = "strategy" // the first pass
	stageBaseline = "baseline" // the second
	stageMerge    = "merge"
)

// Places of what is no chunk of a pass.
const (
	planChunk     = -2        // the plan of the run
	baselineChunk = -1        // between the passes: what the baseline is
	mergeChunk    = 1_000_000 // putting the run together
)

// Bounds of what is tried again.
const (
	maxAttempts = 3  // of a chunk that fails, or panics
	maxStarts   = 10 // of a chunk whose worker is dead each time; one that was slow comes back and is not counted
	// maxOutage is how long a run waits for an archive that is away.
	maxOutage = market.Span(30) * market.Minute
)

// recordPlan records the plan of a run, whose first chunks are done next.
func (s *Store) recordPlan(ctx context.Context, p *claim, plan *parts.Plan, fingerprint string) error {
	packed, err := s.encodePlan(plan)
	if err != nil {
		return err
	}
	s.planCache.put(p.Run, packed, plan)
	return s.record(ctx, p, func(ctx context.Context, t *Tx) error {
		if _, err := t.exec(ctx, `UPDATE runs SET stage = $1, plan = $2, chunks = $3, fingerprint = $4, priority = $5, phase = $6, done = 0, total = $7,
			look = $8, earlier = $9, try = $10 WHERE id = $11`,
			stageStrategy, packed, len(plan.Ends), fingerprint, p.run.priority(plan.Work), string(backtest.PassStrategy), len(plan.Rounds),
			p.run.Tally.Look, int64(p.run.Tally.Before), p.run.tryIdentity, p.Run); err != nil {
			return err
		}
		if err := p.deleteChunk(ctx, t); err != nil {
			return err
		}
		if len(plan.Ends) == 0 { // nothing to replay
			return s.scheduleMerge(ctx, t, p)
		}
		return s.schedulePass(ctx, t, p, plan, 0)
	})
}

// priority returns that of the chunks of a run, by how much work it is.
func (r *Run) priority(work time.Duration) int {
	switch {
	case work <= 5*time.Second:
		return 1
	case work <= time.Minute, r.Interactive:
		return 2
	case work <= 10*time.Minute:
		return 3
	}
	return 4
}

// deleteChunk removes a chunk that is done and has no result.
func (p *claim) deleteChunk(ctx context.Context, t *Tx) error {
	_, err := t.exec(ctx, `DELETE FROM run_chunks WHERE run = $1 AND chunk = $2`, p.Run, p.Chunk)
	return err
}

func (s *Store) schedulePass(ctx context.Context, t *Tx, p *claim, plan *parts.Plan, pass int) error {
	kind := ChunkTask
	if p.run.Spec.Kind() == Sweep {
		kind = SweepTask
	}
	for i := range plan.Ends {
		from, to := plan.Span(i)
		if err := addChunk(ctx, t, p.Run, pass*len(plan.Ends)+i, kind, to-from); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) scheduleMerge(ctx context.Context, t *Tx, p *claim) error {
	if _, err := t.exec(ctx, `UPDATE runs SET stage = $1 WHERE id = $2`, stageMerge, p.Run); err != nil {
		return err
	}
	kind := MergeTask
	if p.run.Spec.Kind() == Sweep {
		kind = SweepMergeTask
	}
	return addChunk(ctx, t, p.Run, mergeChunk, kind, 0)
}

// recordBaseline records what the baseline is (nil: there is none), which is replayed next.
func (s *Store) recordBaseline(ctx context.Context, p *claim, clock *int) error {
	return s.record(ctx, p, func(ctx context.Context, t *Tx) error {
		if err := p.deleteChunk(ctx, t); err != nil {
			return err
		}
		if clock == nil {
			return s.scheduleMerge(ctx, t, p)
		}
		if _, err := t.exec(ctx, `UPDATE runs SET stage = $1, clock = $2, phase = $3, done = 0 WHERE id = $4`, stageBaseline, *clock, string(backtest.PassBaseline), p.Run); err != nil {
			return err
		}
		return s.schedulePass(ctx, t, p, p.plan, 1)
	})
}

// recordChunk records what a chunk found. The last chunk of a pass leads on to what
// follows.
func (s *Store) recordChunk(ctx context.Context, p *claim, result []byte) error {
	packed := s.encoder.EncodeAll(result, nil)
	return s.record(ctx, p, func(ctx context.Context, t *Tx) error {
		if _, err := t.exec(ctx, `UPDATE run_chunks SET state = 'done', result = $1, progress = markets, worker = '', starts = 0 WHERE run = $2 AND chunk = $3`,
			packed, p.Run, p.Chunk); err != nil {
			return err
		}
		if err := s.updateProgress(ctx, t, p); err != nil {
			return err
		}
		var left int
		if err := t.row(ctx, `SELECT count(*) FROM run_chunks WHERE run = $1 AND state <> 'done'`, p.Run).Scan(&left); err != nil || left > 0 {
			return err
		}
		if pass, _ := p.pass(); pass == 0 && p.run.Spec.job().Passes() > 1 {
			return addChunk(ctx, t, p.Run, baselineChunk, PlanTask, 0)
		}
		return s.scheduleMerge(ctx, t, p)
	})
}

// chunkResults returns what the chunks of a pass found.
func (s *Store) chunkResults(ctx context.Context, p *claim, pass int) parts.Results {
	return func(chunk int) ([]byte, error) {
		ctx, cancel := bounded(ctx)
		defer cancel()
		var packed []byte
		err := s.db.QueryRowContext(ctx, s.spell(`SELECT result FROM run_chunks WHERE run = $1 AND chunk = $2 AND state = 'done'`), p.Run, pass*len(p.plan.Ends)+chunk).Scan(&packed)
		if err != nil {
			return nil, fmt.Errorf("result of chunk %d: %w", chunk, err)
		}
		return s.decoder.DecodeAll(packed, nil)
	}
}

// recordAnswer ends a run with its answer.
func (s *Store) recordAnswer(ctx context.Context, p *claim, text, headline []byte, verdict string) error {
	packed := s.encoder.EncodeAll(text, nil)
	s.planCache.drop(p.Run, time.Now().Add(-planTTL))
	return s.record(ctx, p, func(ctx context.Context, t *Tx) error {
		if _, err := t.exec(ctx, `UPDATE runs SET state = 'done', stage = '', result = $1, headline = $2, verdict = $3, ended_at = {now}, done = total, plan = NULL,
			phase = $4 WHERE id = $5`,
			packed, string(headline), verdict, string(p.lastPhase()), p.Run); err != nil {
			return err
		}
		return s.deleteChunks(ctx, t, p.run.Organization, p.Run)
	})
}

// lastPhase is what a run that is done shows as its phase.
func (p *claim) lastPhase() backtest.Pass {
	if p.run.Spec.job().Passes() > 1 {
		return backtest.PassBaseline
	}
	return backtest.PassStrategy
}

// answerFromEarlier ends a run with the answer of an earlier one, if there is one of the same
// fingerprint: remake writes that for this run.
func (s *Store) answerFromEarlier(ctx context.Context, p *claim, fingerprint string, rounds int, remake func(earlier []byte) ([]byte, error)) (bool, error) {
	asking, cancel := bounded(ctx)
	defer cancel()
	var packed []byte
	var headline, verdict string
	err := s.db.QueryRowContext(asking, s.spell(`SELECT result, headline, verdict FROM runs
		WHERE organization = $1 AND fingerprint = $2 AND state = 'done' AND fingerprint <> '' ORDER BY created_at LIMIT 1`),
		p.run.Organization, fingerprint).Scan(&packed, &headline, &verdict)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	earlier, err := s.decoder.DecodeAll(packed, nil)
	if err != nil {
		return false, err
	}
	text, err := remake(earlier)
	if err != nil {
		return false, err
	}
	packed = s.encoder.EncodeAll(text, nil)
	return true, s.record(ctx, p, func(ctx context.Context, t *Tx) error {
		if _, err := t.exec(ctx, `UPDATE runs SET state = 'done', stage = '', result = $1, headline = $2, verdict = $3, ended_at = {now}, phase = $4, done = $5, total = $5,
			fingerprint = $6, cached = 1, look = $7, earlier = $8, try = $9 WHERE id = $10`,
			packed, headline, verdict, string(p.lastPhase()), rounds, fingerprint, p.run.Tally.Look, int64(p.run.Tally.Before), p.run.tryIdentity, p.Run); err != nil {
			return err
		}
		return s.deleteChunks(ctx, t, p.run.Organization, p.Run)
	})
}

// failure is why a claim failed.
type failure struct {
	message string // for the client
	// final: trying again would not help. away: it is not the chunk's fault, but what
	// it needs is out of reach.
	final, unreachable bool
	// changed: the plan holds no longer; another try makes a new one.
	planChanged bool
	pause       time.Duration // before the next try
}

// recordFailure records that a claim failed: it is tried again, or its run has failed.
func (s *Store) recordFailure(ctx context.Context, p *claim, f failure) (over bool, err error) {
	err = s.record(ctx, p, func(ctx context.Context, t *Tx) error {
		over = f.final
		pause := int64(f.pause / time.Microsecond)
		if f.unreachable {
			var since, now int64
			if err := t.row(ctx, `SELECT since, {now} FROM run_chunks WHERE run = $1 AND chunk = $2`, p.Run, p.Chunk).Scan(&since, &now); err != nil {
				return err
			}
			if since == 0 {
				since = now
			}
			if over = p.run.Interactive || now-since > int64(maxOutage); !over {
				_, err := t.exec(ctx, `UPDATE run_chunks SET state = 'waiting', worker = '', starts = starts - 1, since = $1, due = {now} + $2 WHERE run = $3 AND chunk = $4`,
					since, pause, p.Run, p.Chunk)
				return err
			}
		}
		var tries int
		if err := t.row(ctx, `UPDATE run_chunks SET state = 'waiting', worker = '', starts = 0, tries = tries + 1, due = {now} + $1 * (tries + 1)
			WHERE run = $2 AND chunk = $3 RETURNING tries`, pause, p.Run, p.Chunk).Scan(&tries); err != nil {
			return err
		}
		if over = over || tries >= maxAttempts; !over {
			return nil
		}
		return s.failRun(ctx, t, p.Run, p.Chunk, p.describe()+f.message, f.planChanged)
	})
	return over, err
}

// failRun ends a run that failed. What is done of it is kept for another try, unless
// its plan holds no longer.
func (s *Store) failRun(ctx context.Context, t *Tx, run string, chunk int, why string, changed bool) error {
	if _, err := t.exec(ctx, `UPDATE runs SET state = 'failed', error = $1, ended_at = {now} WHERE id = $2 AND state IN ('queued', 'running')`, why, run); err != nil {
		return err
	}
	if changed {
		if _, err := t.exec(ctx, `UPDATE runs SET stage = '', plan = NULL, clock = NULL, chunks = 0, fingerprint = '', done = 0, total = 0, phase = '' WHERE id = $1`, run); err != nil {
			return err
		}
		_, err := t.exec(ctx, `DELETE FROM run_chunks WHERE run = $1`, run)
		return err
	}
	_, err := t.exec(ctx, `UPDATE run_chunks SET state = CASE WHEN chunk = $1 THEN 'failed' ELSE 'waiting' END, worker = '' WHERE run = $2 AND state <> 'done'`, chunk, run)
	return err
}

func (s *Store) encodePlan(p *parts.Plan) ([]byte, error) {
	text, err := p.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return s.encoder.EncodeAll(text, nil), nil
}

// planOf returns the plan of a run, which the process may have in memory.
func (s *Store) planOf(run string, packed []byte) (*parts.Plan, error) {
	if p := s.planCache.get(run, packed); p != nil {
		return p, nil
	}
	text, err := s.decoder.DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	p := &parts.Plan{}
	if err := p.UnmarshalBinary(text); err != nil {
		return nil, err
	}
	s.planCache.put(run, packed, p)
	return p, nil
}
