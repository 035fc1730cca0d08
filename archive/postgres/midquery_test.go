//go:build unix

package postgres_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/postgres"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/internal/pgtest"
	"github.com/ladderback/ladderback/market"
)

// lockTable makes every query of the tables wait until the function that it
// returns is called.
func lockTable(t testing.TB, addr, tables string) (release func()) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	conn, err := pgx.Connect(ctx, addr+"&application_name=locker")
	require.NoError(t, err)
	_, err = conn.PgConn().Exec(ctx, "BEGIN; LOCK TABLE "+tables+" IN ACCESS EXCLUSIVE MODE").ReadAll()
	require.NoError(t, err)
	return func() { _ = conn.Close(ctx) }
}

// requireWaiting waits until as many queries of the archive wait on the server.
func requireWaiting(t testing.TB, addr string, want int) {
	t.Helper()
	require.Eventually(t, func() bool {
		return ask[int](t, addr, `SELECT count(*)::int FROM pg_stat_activity
			WHERE datname = current_database() AND application_name = 'ladderback' AND state = 'active'`) == want
	}, time.Minute, 20*time.Millisecond, "queries on the server: expected %d", want)
}

// asks are ways to ask an archive, each with a table that it reads.
func asks(t testing.TB, a *archivetest.Archive) map[string]func(context.Context) error {
	rows, err := a.Markets(t.Context(), store.MarketQuery{})
	require.NoError(t, err)
	m := &rows[0].Market
	return map[string]func(context.Context) error{
		"markets": func(ctx context.Context) error {
			_, err := a.Markets(ctx, store.MarketQuery{})
			return err
		},
		"blocks": func(ctx context.Context) error {
			_, err := archivetest.Trace(m, a.Captures(ctx, m))
			return err
		},
		"watermarks": func(ctx context.Context) error {
			_, err := a.Watermarks(ctx, "")
			return err
		},
		"sources": func(ctx context.Context) error { return a.RemoveSource(ctx, 1) },
	}
}

// TestCancelledQuery ends the context of queries that the server is at: it stops
// as well, and the pool goes on.
func TestCancelledQuery(t *testing.T) {
	t.Parallel()
	s := archivetest.NewScenario(71, 60)
	f := s.Whole()
	opened, addr := newStore(t)
	a := archivetest.New(opened)
	defer a.Close()
	require.NoError(t, archivetest.Put(t.Context(), a, s, &f))
	want := archivetest.Dump(t, a)
	for table, asked := range asks(t, a) {
		release := lockTable(t, addr, table)
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error, 1)
		go func() { failed <- asked(ctx) }()
		requireWaiting(t, addr, 1)
		cancel()
		require.ErrorIs(t, <-failed, context.Canceled, table)
		requireWaiting(t, addr, 0) // while the table is still locked
		release()
		require.Equal(t, want, archivetest.Dump(t, a), table)
	}
}

// TestKilledQuery kills the server while it is at queries: each fails saying so,
// and once the server is back the pool goes on.
func TestKilledQuery(t *testing.T) {
	t.Parallel()
	s := archivetest.NewScenario(72, 60)
	f := s.Whole()
	server := pgtest.NewServer(t)
	addr := server.Address("postgres")
	a := archivetest.New(mustCreate(t, addr))
	defer a.Close()
	require.NoError(t, archivetest.Put(t.Context(), a, s, &f))
	want := archivetest.Dump(t, a)
	list := asks(t, a)
	release := lockTable(t, addr, "markets, blocks, watermarks, sources")
	failed := make(chan error, len(list))
	for _, asked := range list {
		go func() { failed <- asked(t.Context()) }()
	}
	requireWaiting(t, addr, len(list))
	server.Kill()
	for range list {
		err := <-failed
		require.ErrorIs(t, err, store.ErrUnreachable)
		require.ErrorContains(t, err, "127.0.0.1")
	}
	release()
	server.Start()
	require.Equal(t, want, archivetest.Dump(t, a))
	requireSound(t, a)
}

// TestPageCut cuts connections after any number of bytes while pages are made:
// a page is whole or refused as unavailable.
func TestPageCut(t *testing.T) {
	t.Parallel()
	s := archivetest.NewScenario(73, 300)
	files := append(s.Split(73, 2), archivetest.Metadata(s, 73, 3)...)
	server := pgtest.NewServer(t)
	direct := archivetest.New(mustCreate(t, server.Address("postgres")), intake.Config{BlockCaptures: smallBlocks})
	defer direct.Close()
	require.NoError(t, put(t, direct, s, files))
	proxy := pgtest.NewProxy(t, server)
	opened, err := postgres.Open(t.Context(), proxy.Address("postgres"))
	require.NoError(t, err)
	through := archivetest.New(opened)
	defer through.Close()
	want, got := newClient(t, direct, time.Minute), newClient(t, through, time.Minute)

	paths := []string{"/v1/markets?limit=3", "/v1/events"}
	rows, err := direct.Markets(t.Context(), store.MarketQuery{Category: market.Crypto})
	require.NoError(t, err)
	for i := range rows {
		for _, kind := range []string{"prices", "books", "metrics"} {
			paths = append(paths, "/v1/markets/"+rows[i].Market.VenueID+"/"+kind+"?resolution=1s&start_ts="+rows[i].Stats.First.String()+"&end_ts="+(rows[i].Stats.Last+1).String())
		}
	}
	cut, whole := 0, 0
	for bytes := 100; bytes < 100_000; bytes *= 2 {
		proxy.Cut(bytes)
		for _, path := range paths {
			_, expected := want.get(t, path)
			status, body := got.get(t, path)
			if status == http.StatusServiceUnavailable {
				cut++
				continue
			}
			require.Equal(t, http.StatusOK, status, body)
			require.Equal(t, expected, body, path)
			whole++
		}
		proxy.Resume()
		for _, path := range paths {
			status, body := got.get(t, path)
			require.Equal(t, http.StatusOK, status, body)
		}
	}
	require.NotZero(t, cut)
	require.NotZero(t, whole)
	t.Logf("%d pages were refused, %d were whole", cut, whole)
}
