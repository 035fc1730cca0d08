//go:build unix

package postgres_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/ladderback/ladderback/api"
	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/postgres"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/internal/pgtest"
)

// bouncerPool is how many connections pgbouncer makes to a database: fewer than
// there are processes in these tests.
const bouncerPool = 3

// TestMigrateBehindPgbouncer makes an archive, and keys and limits, from many
// processes at once through pgbouncer, which gives each transaction another
// connection.
func TestMigrateBehindPgbouncer(t *testing.T) {
	t.Parallel()
	direct := pgtest.Database(t)
	addr := pgtest.Bouncer(t, direct, bouncerPool)
	var makers errgroup.Group
	for range 6 {
		makers.Go(func() error {
			a, _, err := postgres.Create(t.Context(), addr)
			if err != nil {
				return err
			}
			return a.Close()
		})
		makers.Go(func() error {
			k, err := identity.Open(t.Context(), addr, true)
			if err != nil {
				return err
			}
			return k.Close()
		})
	}
	require.NoError(t, makers.Wait())
	require.Zero(t, ask[int](t, direct, `SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory'
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`), "a lock was left behind")
	opened, err := postgres.Open(t.Context(), addr)
	require.NoError(t, err)
	a := archivetest.New(opened)
	require.NoError(t, a.Close())
	k, err := identity.Open(t.Context(), addr, false)
	require.NoError(t, err)
	require.NoError(t, k.Close())
}

// TestBehindPgbouncer imports, reads, lists, answers and counts requests from
// several processes at once through pgbouncer in transaction mode: the archive
// and the answers are those of the embedded store.
func TestBehindPgbouncer(t *testing.T) {
	t.Parallel()
	s := archivetest.NewScenario(51, 300)
	files := append(s.Split(51, 4), archivetest.Metadata(s, 51, 3)...)
	file, _, err := sqlite.Create(t.Context(), filepath.Join(t.TempDir(), "archive.db"))
	require.NoError(t, err)
	here := archivetest.New(file, intake.Config{BlockCaptures: smallBlocks})
	t.Cleanup(func() { require.NoError(t, here.Close()) })
	require.NoError(t, put(t, here, s, files))

	addr := pgtest.Bouncer(t, pgtest.Database(t), bouncerPool)
	require.NoError(t, mustCreate(t, addr).Close())
	var writers, readers errgroup.Group
	for w := range 4 {
		a := open(t, addr)
		writers.Go(func() error {
			for i := range files {
				f := &files[(i+w)%len(files)]
				if err := archivetest.Put(t.Context(), a, s, f); err != nil {
					return err
				}
			}
			return nil
		})
	}
	stop := make(chan struct{})
	for range 2 {
		a := open(t, addr)
		readers.Go(func() error {
			for {
				select {
				case <-stop:
					return nil
				default:
				}
				// A market may get its id from metadata after it was listed.
				if err := readAll(t, a); err != nil && !errors.Is(err, store.ErrNotFound) {
					return err
				}
				v, err := a.Verify(t.Context(), nil)
				if err != nil {
					return err
				}
				if len(v.Damage) > 0 {
					t.Error(v.Damage)
				}
			}
		})
	}
	err = writers.Wait()
	close(stop)
	require.NoError(t, err)
	require.NoError(t, readers.Wait())
	there := open(t, addr)
	require.Equal(t, archivetest.Dump(t, here), archivetest.Dump(t, there))
	sameAnswers(t, here, there, addr)
}

// sameAnswers asks two archives the routes of lists, markets and history, from
// several places at once, with the keys and limits at addr.
func sameAnswers(t *testing.T, here, there *archivetest.Archive, addr string) {
	t.Helper()
	ctx := t.Context()
	keys, err := identity.Open(ctx, addr, true)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, keys.Close()) })
	plans := identity.DefaultPlans()
	now := time.Date(2026, 4, 13, 14, 0, 10, 0, time.UTC) // a minute that does not end
	guard := identity.NewKeys(keys, plans, func() time.Time { return now })
	_, unlimited, err := guard.Create(ctx, "enterprise", "", "", 0)
	require.NoError(t, err)
	_, starter, err := guard.Create(ctx, "starter", "", "", 0)
	require.NoError(t, err)
	server := func(a *archivetest.Archive) *api.Server {
		s, err := api.New(api.Config{Catalogue: a, Rounds: a, Keys: guard})
		require.NoError(t, err)
		return s
	}
	one, other := server(here), server(there)
	get := func(s *api.Server, key, path string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, path, nil).WithContext(ctx)
		r.Header.Set("Authorization", "Bearer "+key)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w
	}
	rows, err := here.Markets(ctx, store.MarketQuery{})
	require.NoError(t, err)
	paths := []string{"/v1/markets?limit=2", "/v1/events", "/v1/series", "/v1/tags"}
	for i := range rows {
		m := &rows[i].Market
		q := url.Values{"start_ts": {rows[i].Stats.First.String()}, "end_ts": {(rows[i].Stats.Last + 1).String()}, "resolution": {"1s"}}
		for _, kind := range []string{"prices", "books", "metrics"} {
			paths = append(paths, "/v1/markets/"+url.PathEscape(m.VenueID)+"/"+kind+"?"+q.Encode())
		}
	}
	var clients errgroup.Group
	for c := range 6 {
		clients.Go(func() error {
			for i := range paths {
				path := paths[(i+c)%len(paths)]
				a, b := get(one, unlimited, path), get(other, unlimited, path)
				if a.Code != http.StatusOK || b.Code != a.Code || a.Body.String() != b.Body.String() {
					t.Errorf("%s: %d %s: %d %s", path, a.Code, a.Body, b.Code, b.Body)
				}
			}
			return nil
		})
	}
	passed := make(chan bool, 100)
	for range cap(passed) {
		clients.Go(func() error {
			passed <- get(other, starter, "/v1/tags").Code == http.StatusOK
			return nil
		})
	}
	require.NoError(t, clients.Wait())
	close(passed)
	n := 0
	for ok := range passed {
		if ok {
			n++
		}
	}
	require.Equal(t, plans["starter"].RequestsPerMinute, n)
}
