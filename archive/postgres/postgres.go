// Package postgres keeps an archive in PostgreSQL, through pgx.
//
// Any number of processes read, each on a snapshot; writers wait for each
// other. Everything except creating and migrating tables is safe behind
// pgbouncer in transaction mode.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/sqlstore"
)

// Version is the version of the archive that this package reads and writes.
const Version = 1

// maxConnections is the size of the pool unless the address says pool_max_conns.
const maxConnections = 16

// Open opens the archive at addr (postgres://…). It neither creates nor
// migrates: an older archive is store.ErrOlder, a newer one store.ErrNewer,
// a database without an archive store.ErrNoStore.
func Open(ctx context.Context, addr string) (*Store, error) {
	s, err := connect(ctx, addr)
	if err != nil {
		return nil, err
	}
	if err := s.ready(ctx); err != nil {
		s.pool.Close()
		return nil, err
	}
	return s, nil
}

// OpenLater is Open, except that an unreachable server is not an error: away
// gives the reason, and every operation tries the server again and fails with
// store.ErrUnreachable until it responds. Whatever Open would refuse is refused
// then. away is nil if the server responds now.
func OpenLater(ctx context.Context, addr string) (s *Store, away, err error) {
	if s, err = newStore(ctx, addr); err != nil {
		return nil, nil, err
	}
	err = s.ready(ctx)
	if errors.Is(err, store.ErrUnreachable) {
		away, err = err, nil
	}
	if err != nil {
		s.pool.Close()
		return nil, nil, err
	}
	return s, away, nil
}

// Create opens the archive at addr, creating its tables if there are none and
// migrating an older archive. The database itself must exist. notice describes,
// for people, what was done; it is empty if nothing was.
func Create(ctx context.Context, addr string) (s *Store, notice string, err error) {
	if s, err = connect(ctx, addr); err != nil {
		return nil, "", err
	}
	if notice, err = s.prepare(ctx); err != nil {
		s.pool.Close()
		return nil, "", err
	}
	return s, notice, nil
}

// Store is an archive.Store in a database.
type Store struct {
	address string // without a password
	pool    *pgxpool.Pool
	schema  *sqlstore.Schema // that is expected
	checked atomic.Bool      // that they are those
	// writing holds a token while a transaction of this process writes, so that
	// those that wait hold no connection.
	writing chan struct{}
	samples samples
	// unsettled is how many markets were put since the server noted how rows are
	// spread. It belongs to who writes.
	unsettled int
	distant   bool             // no rows are gathered: by tests
	packs     store.PackReader // nil: none
	known     sync.Map         // store.Pack by its ID
}

// connect opens a pool and sees that the server answers.
func connect(ctx context.Context, addr string) (*Store, error) {
	s, err := newStore(ctx, addr)
	if err != nil {
		return nil, err
	}
	if err := s.pool.Ping(ctx); err != nil {
		s.pool.Close()
		return nil, s.fail(ctx, err)
	}
	return s, nil
}

// newStore makes a pool, without a connection yet.
func newStore(ctx context.Context, addr string) (*Store, error) {
	s := &Store{address: sqlstore.Display(addr), schema: &schema, writing: make(chan struct{}, 1)}
	var err error
	s.pool, err = sqlstore.Pool(ctx, addr, maxConnections)
	return s, err
}

// Address returns the address without its password.
func (s *Store) Address() string { return s.address }

// Close closes all connections, waiting for those in use.
func (s *Store) Close() error {
	s.samples.end()
	s.pool.Close()
	return nil
}

// Size returns the bytes of the archive's tables with their indexes.
func (s *Store) Size(ctx context.Context) (int64, error) {
	const query = `SELECT coalesce(sum(pg_total_relation_size(to_regclass(t))), 0)::bigint FROM unnest($1::text[]) t`
	var n int64
	err := s.pool.QueryRow(ctx, query, tables).Scan(&n)
	return n, s.fail(ctx, err)
}

// tables are the archive's.
var tables = []string{
	"sources", "claims", "parts", "blocks", "markets", "venues", "gaps",
	"events", "series", "pieces", "tags", "watermarks", "tallies", "days", "depots", "packs",
}

// Shrink lets the server reuse space freed by deletions and updates the
// planner's statistics.
func (s *Store) Shrink(ctx context.Context) error {
	for _, t := range tables {
		if _, err := s.pool.Exec(ctx, `VACUUM (ANALYZE) `+t, pgx.QueryExecModeExec); err != nil {
			return s.fail(ctx, fmt.Errorf("vacuum %s: %w", t, err))
		}
	}
	return nil
}

const (
	// grown says whether there are so many more rows than the server knows of
	// that it would choose other ways to them.
	grown = `SELECT $1 > 500 + 0.1 * greatest(0, reltuples) FROM pg_class WHERE oid = 'markets'::regclass`
	// merge puts what lies unsorted in the indexes of the archive's tables where
	// it belongs. Until then every look-up reads it all.
	merge = `SELECT count(gin_clean_pending_list(c.oid)) FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid JOIN pg_am a ON a.oid = c.relam
		WHERE a.amname = 'gin' AND i.indrelid = ANY (SELECT to_regclass(t) FROM unnest($1::text[]) t) AND pg_has_role(c.relowner, 'USAGE')`
)

// settle prepares for readers what w and the writers of this process before it
// have put, when w completed a source. What it leaves undone makes lists slower
// until the server does it by itself: no error.
func (s *Store) settle(ctx context.Context, w *writer) {
	s.unsettled += w.markets
	if !w.whole || s.unsettled == 0 {
		return
	}
	if _, err := s.pool.Exec(ctx, merge, tables); err != nil {
		return
	}
	var much bool
	if err := s.pool.QueryRow(ctx, grown, s.unsettled).Scan(&much); err != nil || !much {
		return
	}
	for _, t := range tables {
		if _, err := s.pool.Exec(ctx, `ANALYZE `+t, pgx.QueryExecModeExec); err != nil {
			return
		}
	}
	s.unsettled = 0
}

// Check returns the indexes that the server itself marks as invalid, and checks
// that fail. Blocks have checksums of their own, which package archive
// verifies.
func (s *Store) Check(ctx context.Context) ([]string, error) {
	const invalid = `SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
		WHERE i.indrelid = ANY (SELECT to_regclass(t) FROM unnest($1::text[]) t) AND NOT (i.indisvalid AND i.indisready)
		ORDER BY 1`
	var out []string
	// One snapshot: a writer that commits between two reads is not damage.
	err := s.View(ctx, func(r store.Reader) error {
		t := r.(*tx)
		err := t.each(ctx, invalid, []any{tables}, func(rows pgx.Rows) error {
			var name string
			err := rows.Scan(&name)
			out = append(out, fmt.Sprintf("index %s is not valid: REINDEX INDEX %s repairs it", name, name))
			return err
		})
		for _, table := range []string{"events", "markets"} {
			if err != nil {
				break
			}
			var n int
			if n, err = t.lacking(ctx, table); n > 0 {
				out = append(out, fmt.Sprintf("table pieces: %d rows of %s cannot be found by each letter of their text", n, table))
			}
		}
		return err
	})
	return out, err
}
