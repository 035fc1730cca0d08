//go:build linux

package postgres_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/postgres"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/internal/pgtest"
	"github.com/ladderback/ladderback/market"
)

// put imports files until one fails.
func put(t testing.TB, a *archivetest.Archive, s *archivetest.Scenario, files []archivetest.File) error {
	for i := range files {
		if err := archivetest.Put(t.Context(), a, s, &files[i]); err != nil {
			return err
		}
	}
	return nil
}

// whole is what an archive of the files is.
func whole(t testing.TB, s *archivetest.Scenario, files []archivetest.File) string {
	a := archivetest.New(mustCreate(t, pgtest.Database(t)), intake.Config{BlockCaptures: smallBlocks})
	defer a.Close()
	require.NoError(t, put(t, a, s, files))
	return archivetest.Dump(t, a)
}

func mustCreate(t testing.TB, addr string) store.Store {
	s, _, err := postgres.Create(t.Context(), addr)
	require.NoError(t, err)
	return s
}

// readAll reads every market.
func readAll(t testing.TB, a *archivetest.Archive) error {
	rows, err := a.Markets(t.Context(), store.MarketQuery{})
	if err != nil {
		return err
	}
	for i := range rows {
		m := &rows[i].Market
		_, err := archivetest.Trace(m, a.Captures(t.Context(), m))
		if err != nil && !errors.Is(err, store.ErrNotFound) { // an import may have renamed it since
			return err
		}
	}
	return nil
}

func requireSound(t testing.TB, a *archivetest.Archive) {
	t.Helper()
	v, err := a.Verify(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, v.Damage)
}

// TestServerKilled kills the server in the middle of imports and reads: what is
// asked meanwhile fails saying so, nothing is half-written, and when the server
// is back the same pool goes on.
func TestServerKilled(t *testing.T) {
	t.Parallel()
	s := archivetest.NewScenario(31, 300)
	files := append(s.Split(31, 5), archivetest.Metadata(s, 31, 2)...)
	want := whole(t, s, files)
	server := pgtest.NewServer(t)
	a := archivetest.New(mustCreate(t, server.Address("postgres")), intake.Config{BlockCaptures: smallBlocks})
	defer a.Close()
	for round := range 3 {
		failed := make(chan error, 2)
		go func() { failed <- put(t, a, s, files) }()
		go func() {
			for {
				if err := readAll(t, a); err != nil {
					failed <- err
					return
				}
			}
		}()
		time.Sleep(time.Duration(1+round*60) * time.Millisecond)
		server.Kill()
		for range 2 {
			if err := <-failed; err != nil { // an import may have ended before
				require.ErrorIs(t, err, store.ErrUnreachable)
				require.ErrorContains(t, err, "127.0.0.1")
			}
		}
		begin := time.Now()
		_, err := a.Markets(t.Context(), store.MarketQuery{})
		require.ErrorIs(t, err, store.ErrUnreachable)
		require.Less(t, time.Since(begin), time.Minute)
		server.Start()
		requireSound(t, a)
	}
	require.NoError(t, put(t, a, s, files))
	require.Equal(t, want, archivetest.Dump(t, a))
}

// TestBackendKilled ends the connections of the pool one by one, in use and
// idle: reading goes on with others.
func TestBackendKilled(t *testing.T) {
	t.Parallel()
	s := archivetest.NewScenario(32, 200)
	opened, addr := newStore(t)
	a := archivetest.New(opened, intake.Config{BlockCaptures: 2})
	defer a.Close()
	f := s.Whole()
	require.NoError(t, archivetest.Put(t.Context(), a, s, &f))
	want := archivetest.Dump(t, a)
	const end = `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
	run(t, addr, end)
	require.Equal(t, want, archivetest.Dump(t, a), "idle connections were ended")

	rows, err := a.Markets(t.Context(), store.MarketQuery{})
	require.NoError(t, err)
	m := &rows[0].Market
	whole, err := archivetest.Trace(m, a.Captures(t.Context(), m))
	require.NoError(t, err)
	n := 0
	for _, err := range a.Captures(t.Context(), m) {
		require.NoError(t, err)
		if n%20 == 0 {
			run(t, addr, end)
		}
		n++
	}
	require.Equal(t, len(whole), n, "connections were ended between blocks")
}

// TestConnectionCut cuts connections after any number of bytes: what is read is
// the whole or an error, and once they hold again all is well.
func TestConnectionCut(t *testing.T) {
	t.Parallel()
	s := archivetest.NewScenario(33, 150)
	server := pgtest.NewServer(t)
	direct := archivetest.New(mustCreate(t, server.Address("postgres")), intake.Config{BlockCaptures: smallBlocks})
	defer direct.Close()
	f := s.Whole()
	require.NoError(t, archivetest.Put(t.Context(), direct, s, &f))

	proxy := pgtest.NewProxy(t, server)
	opened, err := postgres.Open(t.Context(), proxy.Address("postgres"))
	require.NoError(t, err)
	a := archivetest.New(opened)
	defer a.Close()

	rows, err := direct.Markets(t.Context(), store.MarketQuery{})
	require.NoError(t, err)
	want := map[string][]string{}
	for i := range rows {
		m := &rows[i].Market
		want[m.Slug], err = archivetest.Trace(m, direct.Captures(t.Context(), m))
		require.NoError(t, err)
	}
	cut, whole := 0, 0
	for bytes := 200; bytes < 60_000; bytes += bytes / 2 {
		proxy.Cut(bytes)
		for i := range rows {
			m := &rows[i].Market
			got, err := archivetest.Trace(m, a.Captures(t.Context(), m))
			if err != nil {
				require.ErrorIs(t, err, store.ErrUnreachable, "after %d bytes", bytes)
				require.ErrorContains(t, err, proxy.Listen)
				cut++
				continue
			}
			require.Equal(t, want[m.Slug], got)
			whole++
		}
		proxy.Resume()
		require.NoError(t, readAll(t, a), "the pool recovers")
	}
	require.Equal(t, archivetest.Dump(t, direct), archivetest.Dump(t, a))
	require.NotZero(t, cut)
	t.Logf("%d reads were cut, %d were whole", cut, whole)
}

// TestDamagedBlock spoils one block in its row: it is named, and the rest is
// served.
func TestDamagedBlock(t *testing.T) {
	t.Parallel()
	s := archivetest.NewScenario(34, 200)
	opened, addr := newStore(t)
	a := archivetest.New(opened, intake.Config{BlockCaptures: smallBlocks})
	defer a.Close()
	f := s.Whole()
	require.NoError(t, archivetest.Put(t.Context(), a, s, &f))
	rows, err := a.Markets(t.Context(), store.MarketQuery{})
	require.NoError(t, err)
	victim := rows[1].Keys[0][0]
	var spoiled string // the stream and the span of the block
	require.NoError(t, opened.View(t.Context(), func(r store.Reader) error {
		refs, err := r.Refs(t.Context(), []store.ID{victim}, market.Earliest, market.Latest)
		spoiled = fmt.Sprintf("%v, %v to %v", refs[0].Stream, refs[0].First, refs[0].Last)
		return err
	}))
	check := func(spoil, mend, named string) {
		run(t, addr, fmt.Sprintf(spoil, victim))
		for i := range rows {
			m := &rows[i].Market
			_, err := archivetest.Trace(m, a.Captures(t.Context(), m))
			if i != 1 {
				require.NoError(t, err)
				continue
			}
			require.ErrorIs(t, err, store.ErrDamaged)
			require.ErrorContains(t, err, m.Slug)
			require.ErrorContains(t, err, named, "the block is named")
		}
		v, err := a.Verify(t.Context(), nil)
		require.NoError(t, err)
		require.NotEmpty(t, v.Damage)
		for _, d := range v.Damage {
			require.Equal(t, rows[1].Market.VenueID, d.Market)
		}
		run(t, addr, fmt.Sprintf(mend, victim))
		requireSound(t, a)
	}
	const one = ` WHERE (token_id, kind, first, sequence) = (SELECT token_id, kind, first, sequence FROM blocks WHERE token_id = %d ORDER BY kind, first, sequence LIMIT 1)`
	flip := `UPDATE blocks SET data = set_bit(data, 77, 1 - get_bit(data, 77))` + one
	check(flip, flip, "block of "+spoiled)
	check(`CREATE TABLE kept AS SELECT * FROM blocks`+one+`; DELETE FROM blocks WHERE sequence = (SELECT sequence FROM kept)`,
		`INSERT INTO blocks SELECT * FROM kept WHERE token_id = %d; DROP TABLE kept`, "blocks of books of token hawks-bulls:hawks are missing")
}

// TestDiskFull imports into a database on a disk of 24 MB: the import fails
// saying so, what was there is served whole, and once there is space importing
// again completes it.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	disk := filepath.Join(server.Dir, "disk")
	require.NoError(t, os.Mkdir(disk, 0o700))
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", disk).CombinedOutput(); err != nil {
		t.Skipf("a small disk cannot be mounted here: %s", out)
	}
	t.Cleanup(func() {
		server.Kill()
		require.NoError(t, exec.Command("umount", disk).Run())
	})
	uid, gid := server.Owner()
	require.NoError(t, os.Chown(disk, uid, gid))
	run(t, server.Address("postgres"), `CREATE TABLESPACE small LOCATION '`+disk+`'`)
	run(t, server.Address("postgres"), `CREATE DATABASE small TABLESPACE small TEMPLATE template0`)
	a := archivetest.New(mustCreate(t, server.Address("small")), intake.Config{BlockCaptures: smallBlocks})
	defer a.Close()

	s := archivetest.NewScenario(35, 200)
	files := s.Split(35, 3)
	require.NoError(t, archivetest.Put(t.Context(), a, s, &files[0]))
	var st syscall.Statfs_t
	require.NoError(t, syscall.Statfs(disk, &st))
	ballast := filepath.Join(disk, "ballast")
	// Nothing is left but a little: less than the import needs.
	free := int64(st.Bfree) * int64(st.Bsize) //nolint:unconvert // Bsize is narrower on other processors
	require.NoError(t, os.WriteFile(ballast, make([]byte, free-16<<10), 0o600))
	before := archivetest.Dump(t, a)
	err := put(t, a, s, files)
	require.ErrorIs(t, err, store.ErrFull)
	requireSound(t, a)
	require.Equal(t, before, archivetest.Dump(t, a), "nothing is half-written")
	require.NoError(t, os.Remove(ballast))
	require.NoError(t, put(t, a, s, files))
	require.Equal(t, whole(t, s, files), archivetest.Dump(t, a))
}
