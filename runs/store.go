package runs

import (
	"context"
	"database/sql"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/ladderback/ladderback/internal/sqlstore"
	"github.com/ladderback/ladderback/market"
)

//go:embed migrations/*/*.sql
var migrations embed.FS

// packWindow is how far back, in bytes, what is packed refers: the encoder holds twice
// as much for as long as the process lives.
const packWindow = 1 << 19

var schema = sqlstore.Schema{Part: "runs", Migrations: sqlstore.Folder(migrations, "migrations")}

// Store is the table of runs and the queue of their tasks, in PostgreSQL or in a
// file. It is safe for concurrent use, also by several processes.
type Store struct {
	db        *sqlstore.DB
	queue     Queue
	encoder   *zstd.Encoder
	decoder   *zstd.Decoder
	planCache planCache
}

// Open opens the table at an address: postgres://…, or a file, which is created if
// it does not exist. Tables are created or migrated as needed, also by several
// processes at once.
func Open(ctx context.Context, addr string) (*Store, error) {
	s := &Store{}
	var err error
	if s.encoder, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(packWindow), zstd.WithLowerEncoderMem(true)); err != nil {
		return nil, err
	}
	if s.decoder, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0)); err != nil {
		return nil, err
	}
	connections := 4
	if sqlstore.DialectOf(addr) == sqlstore.PostgreSQL {
		connections = 8
	}
	if s.db, err = sqlstore.Open(ctx, addr, sqlstore.Options{Connections: connections, Create: true}); err != nil {
		return nil, fmt.Errorf("address of runs: %w", err)
	}
	if _, err := schema.Migrate(ctx, s.db.DB, s.db.Dialect); err != nil {
		return nil, errors.Join(fmt.Errorf("table of runs: %w", err), s.Close())
	}
	s.queue = newEmbeddedQueue(s)
	if s.db.Pool != nil {
		q, err := openRiver(ctx, s.db.Pool.Config())
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.queue = q
	}
	return s, nil
}

// spell turns a query, written for PostgreSQL, into the database's own words.
func (s *Store) spell(query string) string { return s.db.Dialect.Spell(query) }

// Close closes the store.
func (s *Store) Close() error {
	if s.queue != nil {
		s.queue.Close()
	}
	return s.db.Close()
}

// Now returns the time by the clock of the database, which all its processes share.
func (s *Store) Now(ctx context.Context) (now market.Instant, err error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	err = s.db.QueryRowContext(ctx, s.spell(`SELECT {now}`)).Scan((*int64)(&now))
	return now, err
}

const runColumns = `id, organization, key_id, state, phase, done, total, spec, headline, error, created_at, started_at, ended_at, expires, share IS NOT NULL, engine, cached, attended, look, earlier, try`

func scanRun(row interface{ Scan(...any) error }) (Run, error) {
	var r Run
	var spec, headline string
	var cached, interactive int64
	err := row.Scan(&r.ID, &r.Organization, &r.Key, &r.State, &r.Progress.Phase, &r.Progress.Done, &r.Progress.Total, &spec, &headline, &r.Error,
		(*int64)(&r.CreatedAt), (*int64)(&r.StartedAt), (*int64)(&r.EndedAt), (*int64)(&r.Expires), &r.Shared, &r.Engine, &cached, &interactive, &r.Tally.Look, (*int64)(&r.Tally.Before), &r.tryIdentity)
	r.Cached, r.Interactive = cached != 0, interactive != 0
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return Run{}, ErrNoRun
	case err != nil:
		return Run{}, err
	}
	if err := json.Unmarshal([]byte(spec), &r.Spec); err != nil {
		return Run{}, fmt.Errorf("%s: strategy: %w", r.ID, err)
	}
	if headline != "" {
		var into any = &r.Headline
		if r.Spec.Kind() == Sweep {
			into = &r.SweepHeadline
		}
		if err := json.Unmarshal([]byte(headline), into); err != nil {
			return Run{}, fmt.Errorf("%s: headline: %w", r.ID, err)
		}
	}
	return r, nil
}

func (s *Store) findOne(ctx context.Context, query string, args ...any) (Run, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	return scanRun(s.db.QueryRowContext(ctx, s.spell(query), args...))
}

// execChanged runs a statement and reports whether it changed a row.
func (s *Store) execChanged(ctx context.Context, query string, args ...any) (bool, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	res, err := s.db.ExecContext(ctx, s.spell(query), args...)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// insertRunSQL adds a run unless the organization has too many waiting ($12; 0: any
// number) or has used the name of the request.
const insertRunSQL = `
INSERT INTO runs (id, organization, key_id, state, total, spec, prompt, coin, market_type, idempotency, digest, created_at, expires, kind, engine, at_once, attended)
SELECT CAST($1 AS text), CAST($2 AS text), CAST($3 AS text), 'queued', 0,
	CAST($4 AS text), CAST($5 AS text), CAST($6 AS text), CAST($7 AS text), CAST($8 AS text), CAST($9 AS text), CAST($10 AS bigint), CAST($11 AS bigint), CAST($13 AS text), CAST($14 AS bigint), CAST($15 AS bigint), CAST($16 AS bigint)
WHERE CAST($12 AS bigint) = 0 OR (SELECT count(*) FROM runs WHERE organization = CAST($2 AS text) AND state IN ('queued', 'running') AND attended = 0) < CAST($12 AS bigint)
ON CONFLICT (organization, idempotency) DO NOTHING
RETURNING ` + runColumns

// Add queues a run. If the request's name was used before with the same digest, Add
// returns the run created then, and existed is true; with another digest it fails
// with ErrOtherBody. If too many runs of the organization are waiting, it fails
// with code rate_limited.
func (s *Store) Add(ctx context.Context, q Request, engine int) (r Run, existed bool, err error) {
	spec, err := q.Spec.text()
	if err != nil {
		return Run{}, false, err
	}
	if q.Idempotency != "" {
		if r, err := s.findByIdempotencyKey(ctx, &q); err == nil || !errors.Is(err, ErrNoRun) {
			return r, true, err
		}
	}
	now, err := s.Now(ctx)
	if err != nil {
		return Run{}, false, err
	}
	var expires int64
	if q.Retention > 0 {
		expires = int64(now) + int64(q.Retention)
	}
	m := q.Spec.Body.Strategy.Strategy().Market
	name := sql.NullString{String: q.Idempotency, Valid: q.Idempotency != ""}
	err = s.updateOrganization(ctx, q.Organization, func(ctx context.Context, t *Tx) error {
		r, err = scanRun(t.row(ctx, insertRunSQL, newID(q.prefix()), q.Organization, q.Key, spec, q.Spec.Body.Prompt, m.Coin, m.Type, name, q.digest(), int64(now), expires,
			q.MaxQueued, string(q.Spec.Kind()), engine, q.MaxConcurrent, boolInt(q.Interactive)))
		if err != nil {
			return err
		}
		return s.dispatch(ctx, t, q.Organization)
	})
	if !errors.Is(err, ErrNoRun) {
		return r, false, err
	}
	if q.Idempotency != "" { // another request of that name was faster
		if r, err := s.findByIdempotencyKey(ctx, &q); err == nil || !errors.Is(err, ErrNoRun) {
			return r, true, err
		}
	}
	return Run{}, false, errTooManyRuns(q.MaxQueued)
}

func errTooManyRuns(waiting int) error {
	full := market.Errorf(market.CodeRateLimited, "%d runs of this organization are waiting or running; try again when one is done", waiting)
	full.RetryAfter = retryAfter
	return full
}

// retryAfter is after how many seconds a place in the queue is likely to be free.
const retryAfter = 10

// findByIdempotencyKey returns the run that a request of this name made.
func (s *Store) findByIdempotencyKey(ctx context.Context, q *Request) (Run, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	var digest string
	err := s.db.QueryRowContext(ctx, s.spell(`SELECT digest FROM runs WHERE organization = $1 AND idempotency = $2`), q.Organization, q.Idempotency).Scan(&digest)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return Run{}, ErrNoRun
	case err != nil:
		return Run{}, err
	case digest != q.digest():
		return Run{}, ErrOtherBody
	}
	return s.findOne(ctx, `SELECT `+runColumns+` FROM runs WHERE organization = $1 AND idempotency = $2`, q.Organization, q.Idempotency)
}

// Find returns a run of an organization, or ErrNoRun.
func (s *Store) Find(ctx context.Context, organization, id string) (Run, error) {
	return s.findOne(ctx, `SELECT `+runColumns+` FROM runs WHERE id = $1 AND organization = $2`, id, organization)
}

// Result returns the answer of a finished run, byte for byte. It fails with
// ErrNoRun or ErrNotDone.
func (s *Store) Result(ctx context.Context, organization, id string) ([]byte, error) {
	return s.decodedResult(ctx, `SELECT result FROM runs WHERE id = $1 AND organization = $2`, id, organization)
}

func (s *Store) decodedResult(ctx context.Context, query string, args ...any) ([]byte, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	var packed []byte
	switch err := s.db.QueryRowContext(ctx, s.spell(query), args...).Scan(&packed); {
	case errors.Is(err, sql.ErrNoRows):
		return nil, ErrNoRun
	case err != nil:
		return nil, err
	case packed == nil:
		return nil, ErrNotDone
	}
	return s.decoder.DecodeAll(packed, nil)
}

// like makes a pattern of LIKE out of a text that is searched for.
var like = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// List returns the runs of an organization, newest first.
func (s *Store) List(ctx context.Context, organization string, f Filter) (out []Run, err error) {
	query := `SELECT ` + runColumns + ` FROM runs WHERE organization = $1`
	args := []any{organization}
	where := func(condition string, values ...any) {
		for _, v := range values {
			args = append(args, v)
			condition = strings.Replace(condition, "$?", fmt.Sprintf("$%d", len(args)), 1)
		}
		query += " AND " + condition
	}
	if f.Search != "" {
		where(`lower(prompt) LIKE $? ESCAPE '\'`, "%"+like.Replace(strings.ToLower(f.Search))+"%")
	}
	where(`attended = $?`, boolInt(f.Interactive))
	for _, column := range []struct{ name, value string }{
		{"kind", string(f.Kind)}, {"coin", f.Coin}, {"market_type", f.Type}, {"verdict", f.Verdict}, {"state", string(f.State)},
	} {
		if column.value != "" {
			where(column.name+` = $?`, column.value)
		}
	}
	if f.After != (Cursor{}) {
		where(`(created_at, id) < ($?, $?)`, int64(f.After.CreatedAt), f.After.ID)
	}
	args = append(args, f.Limit)
	query += fmt.Sprintf(` ORDER BY created_at DESC, id DESC LIMIT $%d`, len(args))
	err = s.queryEach(ctx, query, args, func(row scanner) error {
		r, err := scanRun(row)
		out = append(out, r)
		return err
	})
	return out, err
}

// Delete removes a run and its result. It fails with ErrNoRun.
func (s *Store) Delete(ctx context.Context, organization, id string) error {
	return s.updateOrganization(ctx, organization, func(ctx context.Context, t *Tx) error {
		if _, err := t.exec(ctx, `DELETE FROM run_chunks WHERE run IN (SELECT id FROM runs WHERE id = $1 AND organization = $2)`, id, organization); err != nil {
			return err
		}
		n, err := t.exec(ctx, `DELETE FROM runs WHERE id = $1 AND organization = $2`, id, organization)
		if err != nil {
			return err
		}
		if n == 0 {
			return ErrNoRun
		}
		return s.deleteChunks(ctx, t, organization, id)
	})
}

// DeleteExpired removes the runs that have expired and are not shared, and returns how
// many.
func (s *Store) DeleteExpired(ctx context.Context, now market.Instant) (int64, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	res, err := s.db.ExecContext(ctx, s.spell(`DELETE FROM runs WHERE expires > 0 AND expires <= $1 AND share IS NULL AND state NOT IN ('queued', 'running')`), int64(now))
	if err != nil {
		return 0, err
	}
	if _, err := s.execChanged(ctx, `DELETE FROM run_chunks WHERE run NOT IN (SELECT id FROM runs)`); err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// Share makes a link to a finished run and returns its token; an earlier link stops
// working. It fails with ErrNoRun or ErrNotDone.
func (s *Store) Share(ctx context.Context, organization, id string) (token string, err error) {
	token, digest := newShare()
	ok, err := s.execChanged(ctx, `UPDATE runs SET share = $1 WHERE id = $2 AND organization = $3 AND state = 'done'`, digest, id, organization)
	if err != nil || ok {
		return token, err
	}
	if _, err := s.Find(ctx, organization, id); err != nil {
		return "", err
	}
	return "", ErrNotDone
}

// Unshare withdraws the link to a run. It fails with ErrNoRun.
func (s *Store) Unshare(ctx context.Context, organization, id string) error {
	ok, err := s.execChanged(ctx, `UPDATE runs SET share = NULL WHERE id = $1 AND organization = $2`, id, organization)
	if err == nil && !ok {
		return ErrNoRun
	}
	return err
}

// Shared returns the run that a link leads to, and its result. It fails with
// ErrNoRun for any other token.
func (s *Store) Shared(ctx context.Context, token string) (Run, []byte, error) {
	digest := shareDigest(token)
	r, err := s.findOne(ctx, `SELECT `+runColumns+` FROM runs WHERE share = $1`, digest)
	if err != nil {
		return Run{}, nil, err
	}
	result, err := s.decodedResult(ctx, `SELECT result FROM runs WHERE share = $1`, digest)
	return r, result, err
}
