package postgres_test

import (
	"context"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/postgres"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest/contract"
	"github.com/ladderback/ladderback/internal/pgtest"
)

func init() { contract.Most = 2 } // archive/sqlite takes all

func TestStore(t *testing.T) {
	t.Parallel()
	d := &databases{t: t}
	require.NoError(t, d.empty(t).Close()) // skipped without a server
	contract.Run(t, d.empty)
}

// TestListsByDistance reads the lists of the suite in the way that is meant for
// long ones.
func TestListsByDistance(t *testing.T) {
	t.Parallel()
	contract.Lists(t, func(t testing.TB) store.Store {
		s, _ := newStore(t)
		return postgres.ByDistance(s)
	})
}

// newStore makes an archive in a new database.
func newStore(t testing.TB) (s *postgres.Store, addr string) {
	t.Helper()
	addr = pgtest.Database(t)
	s, _, err := postgres.Create(t.Context(), addr)
	require.NoError(t, err)
	return s, addr
}

// databases hands out stores that are empty, using databases again: making one
// takes longer than most tests.
type databases struct {
	t    testing.TB // outlives what is handed out
	mu   sync.Mutex
	free []string
}

func (d *databases) empty(t testing.TB) store.Store {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.free) == 0 {
		addr := pgtest.Database(d.t)
		s, _, err := postgres.Create(d.t.Context(), addr)
		require.NoError(t, err)
		return &reused{Store: s, d: d, addr: addr}
	}
	addr := d.free[len(d.free)-1]
	d.free = d.free[:len(d.free)-1]
	clear(t, addr)
	s, err := postgres.Open(t.Context(), addr)
	require.NoError(t, err)
	return &reused{Store: s, d: d, addr: addr}
}

// reused gives its database back when it is closed.
type reused struct {
	store.Store
	d    *databases
	addr string
	once sync.Once
}

func (r *reused) Close() error {
	err := r.Store.Close()
	r.once.Do(func() { // closed twice it is given back once
		r.d.mu.Lock()
		defer r.d.mu.Unlock()
		r.d.free = append(r.d.free, r.addr)
	})
	return err
}

// clear deletes every row of an archive.
func clear(t testing.TB, addr string) {
	run(t, addr, `DELETE FROM sources; DELETE FROM claims; DELETE FROM parts; DELETE FROM blocks; DELETE FROM markets;
		DELETE FROM venues; DELETE FROM gaps; DELETE FROM events;
		DELETE FROM series; DELETE FROM pieces; DELETE FROM tags; DELETE FROM watermarks; DELETE FROM tallies; DELETE FROM days; DELETE FROM depots; DELETE FROM packs`)
}

// run runs statements on a connection of its own.
func run(t testing.TB, addr, sql string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	conn, err := pgx.Connect(ctx, addr)
	require.NoError(t, err)
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.PgConn().Exec(ctx, sql).ReadAll()
	require.NoError(t, err, sql)
}

// ask returns the one value that a query gives.
func ask[T any](t testing.TB, addr, sql string, args ...any) T {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	conn, err := pgx.Connect(ctx, addr)
	require.NoError(t, err)
	defer func() { _ = conn.Close(ctx) }()
	var v T
	require.NoError(t, conn.QueryRow(ctx, sql, args...).Scan(&v), sql)
	return v
}
