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
	planning   = "plan"
	strategies = "strategy" // the first pass
	baselines  = "baseline" // the second
	merging    = "merge"
)

// Places of what is no chunk of a pass.
const (
	planPlace  = -2        // the plan of the run
	turnPlace  = -1        // between the passes: what the baseline is
	mergePlace = 1_000_000 // putting the run together
)

// Bounds of what is tried again.
const (
	mostTries  = 3  // of a chunk that fails, or panics
	mostStarts = 10 // of a chunk whose worker is dead each time; one that was slow comes back and is not counted
	// patience is how long a run waits for an archive that is away.
	patience = market.Span(30) * market.Minute
)

// fewSlots is how many chunks of an organization are released while no worker is
// known.
const fewSlots = 2

// usualAtOnce is how many runs of an organization are worked on at a time unless
// its plan says otherwise.
const usualAtOnce = 8

// recent says which workers are alive.
const recent = `seen > {now} - 30000000`

// dispatch lets the next of an organization's runs begin, and releases the next of
// its chunks: as many as there are slots, small runs first. Whoever changes what is
// at work calls it in the same transaction.
func (s *Store) dispatch(ctx context.Context, t *Tx, organization string) error {
	if err := s.admit(ctx, t, organization); err != nil {
		return err
	}
	var engines []int
	err := t.rows(ctx, `SELECT DISTINCT r.engine FROM run_chunks c JOIN runs r ON r.id = c.run
		WHERE c.state = 'waiting' AND c.due <= {now} AND c.run IN (`+active+`)`, []any{organization}, func(row scanner) error {
		var one int
		err := row.Scan(&one)
		engines = append(engines, one)
		return err
	})
	if err != nil {
		return err
	}
	for _, engine := range engines {
		if err := s.release(ctx, t, organization, engine); err != nil {
			return err
		}
	}
	return nil
}

// active selects the runs of an organization ($1) that have begun.
const active = `SELECT id FROM runs WHERE organization = $1 AND stage <> '' AND state IN ('queued', 'running')`

// release releases the next chunks of an organization's runs of one engine.
func (s *Store) release(ctx context.Context, t *Tx, organization string, engine int) error {
	var window, out int
	if err := t.row(ctx, `SELECT CAST(coalesce(sum(slots), 0) AS bigint) FROM run_workers WHERE engine = $1 AND `+recent, engine).Scan(&window); err != nil {
		return err
	}
	if window == 0 {
		window = fewSlots
	}
	if err := t.row(ctx, `SELECT count(*) FROM run_chunks c JOIN runs r ON r.id = c.run WHERE c.state = 'released' AND r.engine = $2 AND c.run IN (`+active+`)`,
		organization, engine).Scan(&out); err != nil {
		return err
	}
	if out >= window {
		return nil
	}
	var tasks []Task
	err := t.rows(ctx, `SELECT c.kind, c.run, c.chunk, r.engine, r.priority FROM run_chunks c JOIN runs r ON r.id = c.run
		WHERE c.state = 'waiting' AND c.due <= {now} AND r.engine = $3 AND c.run IN (`+active+`)
		ORDER BY r.priority, r.created_at, c.run, c.chunk LIMIT $2`, []any{organization, window - out, engine}, func(row scanner) error {
		var one Task
		err := row.Scan(&one.Kind, &one.Run, &one.Chunk, &one.Engine, &one.Priority)
		if one.Kind == PlanTask {
			one.Priority = 1 // it is quick, and says how large the run is
		}
		tasks = append(tasks, one)
		return err
	})
	if err != nil {
		return err
	}
	for _, one := range tasks {
		if _, err := t.exec(ctx, `UPDATE run_chunks SET state = 'released', worker = '', beat = {now} WHERE run = $1 AND chunk = $2`, one.Run, one.Chunk); err != nil {
			return err
		}
	}
	return s.queue.Put(ctx, t, tasks)
}

// admit lets runs begin, the oldest first, while fewer are at work than the
// organization may have.
func (s *Store) admit(ctx context.Context, t *Tx, organization string) error {
	var active int
	if err := t.row(ctx, `SELECT count(*) FROM runs WHERE organization = $1 AND stage <> '' AND state IN ('queued', 'running') AND attended = 0`, organization).Scan(&active); err != nil {
		return err
	}
	for {
		var id string
		var most, attended int
		err := t.row(ctx, `SELECT id, at_once, attended FROM runs WHERE organization = $1 AND state = 'queued' AND stage = '' ORDER BY attended DESC, created_at, id LIMIT 1`,
			organization).Scan(&id, &most, &attended)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if most == 0 {
			most = usualAtOnce
		}
		if active >= most && attended == 0 {
			return nil
		}
		if _, err := t.exec(ctx, `UPDATE runs SET stage = $1 WHERE id = $2`, planning, id); err != nil {
			return err
		}
		if err := addChunk(ctx, t, id, planPlace, PlanTask, 0); err != nil {
			return err
		}
		active += 1 - attended
	}
}

func addChunk(ctx context.Context, t *Tx, run string, place int, kind TaskKind, markets int) error {
	_, err := t.exec(ctx, `INSERT INTO run_chunks (run, chunk, kind, state, markets) VALUES ($1, $2, $3, 'waiting', $4) ON CONFLICT (run, chunk) DO NOTHING`,
		run, place, string(kind), markets)
	return err
}

// clear removes the chunks of a run that is over.
func (s *Store) clear(ctx context.Context, t *Tx, organization, id string) error {
	if _, err := t.exec(ctx, `DELETE FROM run_chunks WHERE run = $1`, id); err != nil {
		return err
	}
	return s.dispatch(ctx, t, organization)
}

// Cancel ends a run that is not over and leaves any other as it is. It returns the
// run as it is then, or ErrNoRun.
func (s *Store) Cancel(ctx context.Context, organization, id string) (Run, error) {
	err := s.of(ctx, organization, func(ctx context.Context, t *Tx) error {
		// Its chunks first: whoever works on them locks them before the run.
		if _, err := t.exec(ctx, `DELETE FROM run_chunks WHERE run IN (SELECT id FROM runs WHERE id = $1 AND organization = $2 AND state IN ('queued', 'running'))`,
			id, organization); err != nil {
			return err
		}
		n, err := t.exec(ctx, `UPDATE runs SET state = 'cancelled', stage = '', ended_at = {now} WHERE id = $1 AND organization = $2 AND state IN ('queued', 'running')`,
			id, organization)
		if err != nil || n == 0 {
			return err
		}
		return s.clear(ctx, t, organization, id)
	})
	if err != nil {
		return Run{}, err
	}
	return s.Find(ctx, organization, id)
}

// Retry lets a run that failed go on from what is done of it. It fails with ErrNoRun,
// ErrNotFailed, or, if too many runs of the organization are waiting (0: any number),
// with code rate_limited.
func (s *Store) Retry(ctx context.Context, organization, id string, waiting int) (Run, error) {
	err := s.of(ctx, organization, func(ctx context.Context, t *Tx) error {
		var state State
		err := t.row(ctx, `SELECT state FROM runs WHERE id = $1 AND organization = $2`, id, organization).Scan(&state)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return ErrNoRun
		case err != nil:
			return err
		case state != Failed:
			return ErrNotFailed
		}
		var open int
		if err := t.row(ctx, `SELECT count(*) FROM runs WHERE organization = $1 AND state IN ('queued', 'running') AND attended = 0`, organization).Scan(&open); err != nil {
			return err
		}
		if waiting > 0 && open >= waiting {
			return tooMany(waiting)
		}
		if _, err := t.exec(ctx, `UPDATE runs SET state = 'queued', error = '', ended_at = 0 WHERE id = $1`, id); err != nil {
			return err
		}
		if _, err := t.exec(ctx, `UPDATE run_chunks SET state = 'waiting', tries = 0, starts = 0, due = 0, since = 0, worker = '' WHERE run = $1 AND state <> 'done'`, id); err != nil {
			return err
		}
		return s.dispatch(ctx, t, organization)
	})
	if err != nil {
		return Run{}, err
	}
	return s.Find(ctx, organization, id)
}

// piece is a task that a worker has begun, with its run.
type piece struct {
	*Task
	worker string
	run    Run
	stage  string
	plan   *parts.Plan // nil: not made yet
	clock  *int
}

// pass returns which pass of the plan a chunk belongs to, and which chunk of it it is.
func (p *piece) pass() (pass, chunk int) {
	n := len(p.plan.Ends)
	if p.Chunk >= n {
		return 1, p.Chunk - n
	}
	return 0, p.Chunk
}

// errStale says that a task is not to be done: its run is over, or another worker
// does it.
var errStale = errors.New("nothing to be done")

// begin claims what a task is about. It fails with errStale, and takes the task out
// of the queue, if there is nothing to claim.
func (s *Store) begin(ctx context.Context, task *Task, worker string, lease time.Duration) (*piece, error) {
	p := &piece{Task: task, worker: worker}
	err := s.update(ctx, func(ctx context.Context, t *Tx) error {
		n, err := t.exec(ctx, `UPDATE run_chunks SET worker = $1, beat = {now}, starts = starts + 1
			WHERE run = $2 AND chunk = $3 AND kind = $4 AND state = 'released' AND (worker = '' OR beat < {now} - $5)
			AND EXISTS (SELECT 1 FROM runs WHERE id = $2 AND state IN ('queued', 'running') AND engine = $6)`,
			worker, task.Run, task.Chunk, string(task.Kind), int64(lease/time.Microsecond), task.Engine)
		if err != nil {
			return err
		}
		if n == 0 {
			p.stage = ""
			return task.complete(ctx, t)
		}
		if _, err := t.exec(ctx, `UPDATE runs SET state = 'running', started_at = CASE WHEN started_at = 0 THEN {now} ELSE started_at END WHERE id = $1 AND state = 'queued'`, task.Run); err != nil {
			return err
		}
		var packed []byte
		if err := t.row(ctx, `SELECT stage, plan, clock FROM runs WHERE id = $1`, task.Run).Scan(&p.stage, &packed, &p.clock); err != nil {
			return err
		}
		if packed != nil {
			if p.plan, err = s.unpackPlan(packed); err != nil {
				return err
			}
		}
		p.run, err = scanRun(t.row(ctx, `SELECT `+runColumns+` FROM runs WHERE id = $1`, task.Run))
		return err
	})
	if err == nil && p.stage == "" {
		return nil, errStale
	}
	return p, err
}

// mine reports whether a piece is still its worker's, and locks it.
func (p *piece) mine(ctx context.Context, t *Tx) (bool, error) {
	n, err := t.exec(ctx, `UPDATE run_chunks SET beat = {now} WHERE run = $1 AND chunk = $2 AND worker = $3 AND state = 'released'
		AND EXISTS (SELECT 1 FROM runs WHERE id = $1 AND state = 'running')`, p.Run, p.Chunk, p.worker)
	return n > 0, err
}

// end records what came of a piece: write is called if it is still the worker's.
// Either way the task is over.
func (s *Store) end(ctx context.Context, p *piece, write func(ctx context.Context, t *Tx) error) error {
	return s.of(ctx, p.run.Organization, func(ctx context.Context, t *Tx) error {
		ours, err := p.mine(ctx, t)
		if err != nil {
			return err
		}
		if err := p.complete(ctx, t); err != nil { // before it is released again
			return err
		}
		if !ours {
			return p.alive(ctx, t)
		}
		if err := write(ctx, t); err != nil {
			return err
		}
		return s.dispatch(ctx, t, p.run.Organization)
	})
}

// alive takes back that a piece was begun in vain: its worker lost it because it was
// slow, or did not reach the database, which is no fault of the piece.
func (p *piece) alive(ctx context.Context, t *Tx) error {
	_, err := t.exec(ctx, `UPDATE run_chunks SET starts = starts - 1 WHERE run = $1 AND chunk = $2 AND starts > 0 AND state <> 'done'`, p.Run, p.Chunk)
	return err
}

// lose gives up a piece that is no longer its worker's.
func (s *Store) lose(ctx context.Context, p *piece) error {
	return s.update(ctx, func(ctx context.Context, t *Tx) error {
		if err := p.complete(ctx, t); err != nil {
			return err
		}
		return p.alive(ctx, t)
	})
}

// planned records the plan of a run, whose first chunks are done next.
func (s *Store) planned(ctx context.Context, p *piece, plan *parts.Plan, fingerprint string) error {
	packed, err := s.packPlan(plan)
	if err != nil {
		return err
	}
	return s.end(ctx, p, func(ctx context.Context, t *Tx) error {
		if _, err := t.exec(ctx, `UPDATE runs SET stage = $1, plan = $2, chunks = $3, fingerprint = $4, priority = $5, phase = $6, done = 0, total = $7 WHERE id = $8`,
			strategies, packed, len(plan.Ends), fingerprint, p.run.priority(plan.Work), string(backtest.PassStrategy), len(plan.Rounds), p.Run); err != nil {
			return err
		}
		if err := p.drop(ctx, t); err != nil {
			return err
		}
		if len(plan.Ends) == 0 { // nothing to replay
			return s.toMerge(ctx, t, p)
		}
		return s.addPass(ctx, t, p, plan, 0)
	})
}

// priority returns that of the chunks of a run, by how much work it is.
func (r *Run) priority(work time.Duration) int {
	switch {
	case work <= 5*time.Second:
		return 1
	case work <= time.Minute, r.Attended:
		return 2
	case work <= 10*time.Minute:
		return 3
	}
	return 4
}

// drop removes a piece that is done and has no result.
func (p *piece) drop(ctx context.Context, t *Tx) error {
	_, err := t.exec(ctx, `DELETE FROM run_chunks WHERE run = $1 AND chunk = $2`, p.Run, p.Chunk)
	return err
}

func (s *Store) addPass(ctx context.Context, t *Tx, p *piece, plan *parts.Plan, pass int) error {
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

func (s *Store) toMerge(ctx context.Context, t *Tx, p *piece) error {
	if _, err := t.exec(ctx, `UPDATE runs SET stage = $1 WHERE id = $2`, merging, p.Run); err != nil {
		return err
	}
	kind := MergeTask
	if p.run.Spec.Kind() == Sweep {
		kind = SweepMergeTask
	}
	return addChunk(ctx, t, p.Run, mergePlace, kind, 0)
}

// turned records what the baseline is (nil: there is none), which is replayed next.
func (s *Store) turned(ctx context.Context, p *piece, clock *int) error {
	return s.end(ctx, p, func(ctx context.Context, t *Tx) error {
		if err := p.drop(ctx, t); err != nil {
			return err
		}
		if clock == nil {
			return s.toMerge(ctx, t, p)
		}
		if _, err := t.exec(ctx, `UPDATE runs SET stage = $1, clock = $2, phase = $3, done = 0 WHERE id = $4`, baselines, *clock, string(backtest.PassBaseline), p.Run); err != nil {
			return err
		}
		return s.addPass(ctx, t, p, p.plan, 1)
	})
}

// replayed records what a chunk found. The last chunk of a pass leads on to what
// follows.
func (s *Store) replayed(ctx context.Context, p *piece, result []byte) error {
	packed := s.pack.EncodeAll(result, nil)
	return s.end(ctx, p, func(ctx context.Context, t *Tx) error {
		if _, err := t.exec(ctx, `UPDATE run_chunks SET state = 'done', result = $1, progress = markets, worker = '', starts = 0 WHERE run = $2 AND chunk = $3`,
			packed, p.Run, p.Chunk); err != nil {
			return err
		}
		if err := s.count(ctx, t, p); err != nil {
			return err
		}
		var left int
		if err := t.row(ctx, `SELECT count(*) FROM run_chunks WHERE run = $1 AND state <> 'done'`, p.Run).Scan(&left); err != nil || left > 0 {
			return err
		}
		if pass, _ := p.pass(); pass == 0 && p.run.Spec.job().Passes() > 1 {
			return addChunk(ctx, t, p.Run, turnPlace, PlanTask, 0)
		}
		return s.toMerge(ctx, t, p)
	})
}

// count brings the progress of a run up to date; it never goes back within a pass.
func (s *Store) count(ctx context.Context, t *Tx, p *piece) error {
	pass, _ := p.pass()
	n := len(p.plan.Ends)
	var done int
	if err := t.row(ctx, `SELECT CAST(coalesce(sum(progress), 0) AS bigint) FROM run_chunks WHERE run = $1 AND chunk >= $2 AND chunk < $3`, p.Run, pass*n, (pass+1)*n).Scan(&done); err != nil {
		return err
	}
	_, err := t.exec(ctx, `UPDATE runs SET done = $1 WHERE id = $2 AND stage = $3 AND done < $1`, done, p.Run, [...]string{strategies, baselines}[pass])
	return err
}

// held returns the pieces that are a worker's, by the names that it began them under.
func (s *Store) held(ctx context.Context, worker string) (map[string]bool, error) {
	out := map[string]bool{}
	return out, s.each(ctx, `SELECT worker FROM run_chunks WHERE state = 'released' AND worker LIKE $1`, []any{worker + ".%"}, func(row scanner) error {
		var name string
		err := row.Scan(&name)
		out[name] = true
		return err
	})
}

// tellOf says that a piece is at work, and how many of its markets are done. It
// returns false when the piece is no longer the worker's: its run is over, or
// another worker has it.
func (s *Store) tellOf(ctx context.Context, p *piece, done int) (ours bool, err error) {
	more := false
	err = s.update(ctx, func(ctx context.Context, t *Tx) error {
		if ours, err = p.mine(ctx, t); err != nil || !ours || done == 0 || p.plan == nil || p.Chunk < 0 || p.Chunk >= mergePlace {
			return err
		}
		n, err := t.exec(ctx, `UPDATE run_chunks SET progress = $1 WHERE run = $2 AND chunk = $3 AND progress < $1 AND $1 <= markets`, done, p.Run, p.Chunk)
		more = n > 0
		return err
	})
	if err == nil && more { // in a transaction of its own: whoever cancels a run locks it first, and its chunks then
		err = s.update(ctx, func(ctx context.Context, t *Tx) error { return s.count(ctx, t, p) })
	}
	return ours, err
}

// found returns what the chunks of a pass found.
func (s *Store) found(ctx context.Context, p *piece, pass int) parts.Results {
	return func(chunk int) ([]byte, error) {
		ctx, cancel := bounded(ctx)
		defer cancel()
		var packed []byte
		err := s.db.QueryRowContext(ctx, s.spell(`SELECT result FROM run_chunks WHERE run = $1 AND chunk = $2 AND state = 'done'`), p.Run, pass*len(p.plan.Ends)+chunk).Scan(&packed)
		if err != nil {
			return nil, fmt.Errorf("result of chunk %d: %w", chunk, err)
		}
		return s.open.DecodeAll(packed, nil)
	}
}

// finished ends a run with its answer.
func (s *Store) finished(ctx context.Context, p *piece, text, headline []byte, verdict string) error {
	packed := s.pack.EncodeAll(text, nil)
	return s.end(ctx, p, func(ctx context.Context, t *Tx) error {
		if _, err := t.exec(ctx, `UPDATE runs SET state = 'done', stage = '', result = $1, headline = $2, verdict = $3, ended_at = {now}, done = total, plan = NULL,
			phase = $4 WHERE id = $5`,
			packed, string(headline), verdict, string(p.lastPhase()), p.Run); err != nil {
			return err
		}
		return s.clear(ctx, t, p.run.Organization, p.Run)
	})
}

// lastPhase is what a run that is done shows as its phase.
func (p *piece) lastPhase() backtest.Pass {
	if p.run.Spec.job().Passes() > 1 {
		return backtest.PassBaseline
	}
	return backtest.PassStrategy
}

// answered ends a run with the answer of an earlier one, if there is one of the same
// fingerprint: remake writes that for this run.
func (s *Store) answered(ctx context.Context, p *piece, fingerprint string, rounds int, remake func(earlier []byte) ([]byte, error)) (bool, error) {
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
	earlier, err := s.open.DecodeAll(packed, nil)
	if err != nil {
		return false, err
	}
	text, err := remake(earlier)
	if err != nil {
		return false, err
	}
	packed = s.pack.EncodeAll(text, nil)
	return true, s.end(ctx, p, func(ctx context.Context, t *Tx) error {
		if _, err := t.exec(ctx, `UPDATE runs SET state = 'done', stage = '', result = $1, headline = $2, verdict = $3, ended_at = {now}, phase = $4, done = $5, total = $5,
			fingerprint = $6, cached = 1 WHERE id = $7`,
			packed, headline, verdict, string(p.lastPhase()), rounds, fingerprint, p.Run); err != nil {
			return err
		}
		return s.clear(ctx, t, p.run.Organization, p.Run)
	})
}

// released puts a piece back, for a worker that stops.
func (s *Store) released(ctx context.Context, p *piece) error {
	return s.end(ctx, p, func(ctx context.Context, t *Tx) error {
		_, err := t.exec(ctx, `UPDATE run_chunks SET state = 'waiting', worker = '', starts = starts - 1 WHERE run = $1 AND chunk = $2`, p.Run, p.Chunk)
		return err
	})
}

// putBack puts back a piece whose end could not be recorded, if it is still its
// worker's. Its task may have ended since: another is released.
func (s *Store) putBack(ctx context.Context, p *piece) error {
	return s.of(ctx, p.run.Organization, func(ctx context.Context, t *Tx) error {
		ours, err := p.mine(ctx, t)
		if err != nil {
			return err
		}
		if err := p.alive(ctx, t); err != nil || !ours {
			return err
		}
		if _, err := t.exec(ctx, `UPDATE run_chunks SET state = 'waiting', worker = '' WHERE run = $1 AND chunk = $2`, p.Run, p.Chunk); err != nil {
			return err
		}
		return s.dispatch(ctx, t, p.run.Organization)
	})
}

// failure is why a piece failed.
type failure struct {
	why string // for the client
	// final: trying again would not help. away: it is not the piece's fault, but what
	// it needs is out of reach.
	final, away bool
	// changed: the plan holds no longer; another try makes a new one.
	changed bool
	pause   time.Duration // before the next try
}

// failed records that a piece failed: it is tried again, or its run has failed.
func (s *Store) failed(ctx context.Context, p *piece, f failure) (over bool, err error) {
	err = s.end(ctx, p, func(ctx context.Context, t *Tx) error {
		over = f.final
		pause := int64(f.pause / time.Microsecond)
		if f.away {
			var since, now int64
			if err := t.row(ctx, `SELECT since, {now} FROM run_chunks WHERE run = $1 AND chunk = $2`, p.Run, p.Chunk).Scan(&since, &now); err != nil {
				return err
			}
			if since == 0 {
				since = now
			}
			if over = p.run.Attended || now-since > int64(patience); !over {
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
		if over = over || tries >= mostTries; !over {
			return nil
		}
		return s.giveUp(ctx, t, p.Run, p.Chunk, p.where()+f.why, f.changed)
	})
	return over, err
}

// giveUp ends a run that failed. What is done of it is kept for another try, unless
// its plan holds no longer.
func (s *Store) giveUp(ctx context.Context, t *Tx, run string, chunk int, why string, changed bool) error {
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

// where says in words which piece of its run this is.
func (p *piece) where() string {
	switch {
	case p.Chunk >= mergePlace:
		return "putting the chunks together: "
	case p.Chunk < 0 || p.plan == nil:
		return ""
	}
	pass, chunk := p.pass()
	from, to := p.plan.Span(chunk)
	of := ""
	if pass == 1 {
		of = " of the baseline"
	}
	return fmt.Sprintf("chunk %d of %d%s (markets %d to %d of %d): ", chunk+1, len(p.plan.Ends), of, from+1, to, len(p.plan.Rounds))
}

func (s *Store) packPlan(p *parts.Plan) ([]byte, error) {
	text, err := p.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return s.pack.EncodeAll(text, nil), nil
}

func (s *Store) unpackPlan(packed []byte) (*parts.Plan, error) {
	text, err := s.open.DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	p := &parts.Plan{}
	return p, p.UnmarshalBinary(text)
}
