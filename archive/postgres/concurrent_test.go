package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/postgres"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/internal/pgtest"
	"github.com/ladderback/ladderback/market"
)

const smallBlocks = 5

// open opens the archive in a database from a process of its own, as it were.
func open(t testing.TB, addr string) *archivetest.Archive {
	t.Helper()
	s, err := postgres.Open(t.Context(), addr)
	require.NoError(t, err)
	a := archivetest.New(s, intake.Config{BlockCaptures: smallBlocks})
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	return a
}

// TestImportsAtOnce imports overlapping captures from several places at once,
// and the same file twice, while others read. All see whole blocks or none, and
// the archive ends as if one had imported everything.
func TestImportsAtOnce(t *testing.T) {
	t.Parallel()
	s := archivetest.NewScenario(11, 300)
	files := append(s.Split(11, 4), archivetest.Metadata(s, 11, 3)...)

	first, addr := newStore(t)
	one := archivetest.New(first, intake.Config{BlockCaptures: smallBlocks})
	for i := range files {
		require.NoError(t, archivetest.Put(t.Context(), one, s, &files[i]))
	}
	want := archivetest.Dump(t, one)
	require.NoError(t, one.Close())

	clear(t, addr)
	var writers, readers errgroup.Group
	done := make(chan struct{})
	for w := range 3 {
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
	reader := open(t, addr)
	rounds := 0
	readers.Go(func() error {
		for {
			select {
			case <-done:
				return nil
			default:
			}
			v, err := reader.Verify(t.Context(), nil)
			if err != nil {
				return err
			}
			if len(v.Damage) > 0 {
				t.Error(v.Damage)
			}
			rounds++
		}
	})
	err := writers.Wait()
	close(done)
	require.NoError(t, err)
	require.NoError(t, readers.Wait())
	t.Logf("verified %d times meanwhile", rounds)
	require.Equal(t, want, archivetest.Dump(t, reader))
}

// TestCheckBesideAWriter has a writer commit between what a check reads first and what it
// reads last: what is whole before and after is no damage between.
func TestCheckBesideAWriter(t *testing.T) {
	t.Parallel()
	s, addr := newStore(t)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	writer, err := pgx.Connect(t.Context(), addr)
	require.NoError(t, err)
	defer writer.Close(context.WithoutCancel(t.Context()))
	exec := func(sql string) {
		_, err := writer.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	exec(`BEGIN`)
	exec(`LOCK TABLE markets, events IN ACCESS EXCLUSIVE MODE`)
	var lines []string
	var check errgroup.Group
	check.Go(func() (err error) {
		lines, err = s.Check(t.Context())
		return err
	})
	// The check has read the pieces of events, and waits for the events.
	const waiting = `SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
		WHERE NOT l.granted AND l.relation = 'events'::regclass AND d.datname = current_database()`
	require.Eventually(t, func() bool { return ask[int](t, addr, waiting) == 1 }, 10*time.Second, time.Millisecond)
	exec(`INSERT INTO events VALUES (1, 'v', 'e', 's', 't', 0, '', 'crypto', '{}', 0, 0, 0, 0, 0, 0, chr(31) || 'late' || chr(31), '{}')`)
	exec(`INSERT INTO pieces SELECT 2, substr(chr(31) || 'late' || chr(31), i, 3) FROM generate_series(1, 6) i`)
	exec(`COMMIT`)
	require.NoError(t, check.Wait())
	require.Empty(t, lines)
}

func marks(n int) map[market.Category]market.Instant {
	return map[market.Category]market.Instant{market.Crypto: market.Instant(n)}
}

// TestSnapshot reads the same before and after a commit of another.
func TestSnapshot(t *testing.T) {
	t.Parallel()
	opened, addr := newStore(t)
	t.Cleanup(func() { require.NoError(t, opened.Close()) })
	put := func(w store.Writer, n int) error {
		return w.Apply(t.Context(), &store.Changes{Watermarks: marks(n)})
	}
	require.NoError(t, opened.Update(t.Context(), func(w store.Writer) error { return put(w, 1) }))
	err := opened.View(t.Context(), func(r store.Reader) error {
		before, err := r.Watermarks(t.Context())
		require.NoError(t, err)
		other, err := postgres.Open(t.Context(), addr)
		require.NoError(t, err)
		require.NoError(t, other.Update(t.Context(), func(w store.Writer) error { return put(w, 2) }))
		require.NoError(t, other.Close())
		after, err := r.Watermarks(t.Context())
		require.Equal(t, before, after)
		return err
	})
	require.NoError(t, err)
	require.ErrorIs(t, opened.Update(t.Context(), func(w store.Writer) error {
		require.NoError(t, put(w, 3))
		return store.ErrFull
	}), store.ErrFull)
	require.NoError(t, opened.View(t.Context(), func(r store.Reader) error {
		got, err := r.Watermarks(t.Context())
		require.Equal(t, marks(2), got, "what failed left nothing")
		return err
	}))
}

// TestCancel ends a query with its context, on the server too.
func TestCancel(t *testing.T) {
	t.Parallel()
	addr := pgtest.Database(t)
	s, _, err := postgres.Create(t.Context(), addr)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	other, err := postgres.Open(t.Context(), addr)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, other.Close()) })

	require.NoError(t, s.Update(t.Context(), func(store.Writer) error {
		// A second writer waits for this one, until it is told not to.
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		err := other.Update(ctx, func(store.Writer) error { return nil })
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Eventually(t, func() bool {
			return ask[int](t, addr, `SELECT count(*)::int FROM pg_stat_activity
				WHERE datname = current_database() AND state = 'active' AND query LIKE '%pg_advisory_xact_lock%' AND pid <> pg_backend_pid()`) == 0
		}, time.Minute, 20*time.Millisecond, "the server goes on waiting")
		return nil
	}))
	require.NoError(t, other.Update(t.Context(), func(store.Writer) error { return nil }), "the pool recovers")
}
