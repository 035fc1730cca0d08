package app

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/api"
	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/sqlite/file"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// archiveOf makes an archive of one market, which can be read without a file beside it.
func archiveOf(t *testing.T, path, question string) {
	t.Helper()
	ar, err := createArchive(t.Context(), path)
	require.NoError(t, err)
	require.NoError(t, archivetest.Put(t.Context(), archivetest.New(ar.Store()), &archivetest.Scenario{}, &archivetest.File{
		Name: question, Authority: store.FromExchange,
		Claims: []market.Market{{Venue: market.Polymarket, VenueID: "0x1", Category: market.Crypto, Question: question}},
	}))
	require.NoError(t, ar.Close())
	require.NoError(t, file.Seal(t.Context(), path))
}

// question is what the archive that is held says of its market.
func question(t *testing.T, c api.Catalogue) string {
	t.Helper()
	rows, err := c.Markets(t.Context(), store.MarketQuery{})
	require.NoError(t, err)
	require.Len(t, rows, 1)
	return rows[0].Market.Question
}

// replacedBy notes what a server is made to answer from.
type replacedBy chan api.Catalogue

func (r replacedBy) Replace(c api.Catalogue, _ replay.Source) { r <- c }

// logged is a log that can be read while it is written.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestReplacedArchive: an archive put in the place of the one that is held is opened, once
// no log of the old one stands beside it; what is missing for a moment is waited for.
func TestReplacedArchive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, other := filepath.Join(dir, "a.db"), filepath.Join(dir, "b.db")
	archiveOf(t, path, "the first")
	archiveOf(t, other, "the second")
	h, err := quiet(nil).OpenWatched(t.Context(), []string{path}, 1<<20)
	require.NoError(t, err)
	defer func() { require.NoError(t, h.Close()) }()
	require.Equal(t, "the first", question(t, h.ar))
	require.Empty(t, h.replaced(h.stat()))
	require.NoError(t, os.Rename(path, path+".old"))
	require.Empty(t, h.replaced(h.stat()), "it may come back")

	log := path + "-wal"
	require.NoError(t, os.WriteFile(log, []byte("of the archive before"), 0o600))
	require.NoError(t, os.Rename(other, path))
	require.Equal(t, []string{path}, h.replaced(h.stat()))
	_, err = h.reopen(t.Context(), []string{path}, nil)
	require.ErrorIs(t, err, store.ErrOverwritten)
	require.ErrorContains(t, err, log)

	var out logged
	server := make(replacedBy)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var watching sync.WaitGroup
	watching.Go(func() { h.watch(ctx, server, slog.New(slog.NewTextHandler(&out, nil))) })
	require.Eventually(t, func() bool { return bytes.Contains([]byte(out.String()), []byte("cannot be opened")) }, 30*time.Second, 10*time.Millisecond)
	require.NoError(t, os.Remove(log))
	require.Equal(t, "the second", question(t, <-server))
	stop()
	watching.Wait()
	require.Equal(t, 1, bytes.Count([]byte(out.String()), []byte("cannot be opened")), "it is said once")
	require.Contains(t, out.String(), "serving the new one")
	require.Empty(t, h.replaced(h.stat()))
	require.Equal(t, "the second", question(t, h.ar))
}

// TestSettled: a file that is being written to differs from one look to the next.
func TestSettled(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a")
	look := func(text string, at int64) os.FileInfo {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		require.NoError(t, os.Chtimes(path, time.Unix(at, 0), time.Unix(at, 0)))
		fi, err := os.Stat(path)
		require.NoError(t, err)
		return fi
	}
	first := look("a", 1)
	for want, now := range map[bool][]os.FileInfo{true: {look("b", 1), nil}, false: {look("bb", 1), nil}} {
		require.Equal(t, want, settled([]os.FileInfo{first, nil}, now))
	}
	require.False(t, settled([]os.FileInfo{first}, []os.FileInfo{look("b", 2)}))
	require.False(t, settled([]os.FileInfo{nil}, []os.FileInfo{first}))
	require.False(t, settled([]os.FileInfo{first}, []os.FileInfo{nil}))
}

// TestOpen: what a command is given is opened, one archive or those of the categories as
// one; nothing is made by reading.
func TestOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.db")
	archiveOf(t, path, "the first")
	a := quiet(nil)
	for _, given := range [][]string{{path}, {"crypto=" + path}} {
		r, err := a.Read(t.Context(), given)
		require.NoError(t, err)
		require.Equal(t, "the first", question(t, r))
		require.NoError(t, r.Close())
	}
	_, err := a.Open(t.Context(), []string{"crypto=" + path}, market.Sports)
	require.ErrorContains(t, err, "none of the archives is for sports: add --archive sports=ADDR")
	ar, err := a.Open(t.Context(), []string{"sports=none.db", "crypto=" + path}, market.Crypto)
	require.NoError(t, err)
	require.Equal(t, path, ar.Address())
	require.NoError(t, ar.Close())

	none := filepath.Join(dir, "none.db")
	for _, open := range []func() error{
		func() error { _, err := a.Open(t.Context(), []string{none}, market.Crypto); return err },
		func() error { _, err := a.Read(t.Context(), []string{"crypto=" + none}); return err },
		func() error { return a.ArchiveIsThere(t.Context(), "", []string{none}) },
	} {
		require.ErrorContains(t, open(), "none.db")
		require.NoFileExists(t, none)
	}
	require.NoError(t, a.ArchiveIsThere(t.Context(), "keys.db", []string{none}), "keys have a place of their own")
	require.NoError(t, a.ArchiveIsThere(t.Context(), "", []string{path}))

	// A server that does not answer is gone on without.
	var said string
	a.Say = func(format string, args ...any) { said = fmt.Sprintf(format, args...) }
	r, err := a.Read(t.Context(), []string{"crypto=" + path, "sports=postgres://u:secret@127.0.0.1:1/d"})
	require.NoError(t, err)
	require.Contains(t, said, "Going on without it until it answers.")
	require.NotContains(t, said, "secret")
	require.NoError(t, r.Close())
}

// TestDemoAltered: what stands in the place of the demo archive and is not what was made is
// refused, with what to do; archives of other versions are taken away, keys beside them stay.
func TestDemoAltered(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := quiet(map[string]string{"LADDERBACK_CACHE": dir})
	require.False(t, a.DemoIsMade())
	path := filepath.Join(dir, DemoName())
	archiveOf(t, path, "no simulation")
	require.True(t, a.DemoIsMade())
	_, err := a.Open(t.Context(), nil, market.Crypto)
	require.ErrorContains(t, err, path+", has been altered: delete it")

	half := filepath.Join(dir, "demo-making-1")
	young := filepath.Join(dir, "demo-making-2")
	kept := []string{DemoName(), DemoName() + "-shm", "demo-1-access.db", "demo.db", filepath.Base(young)}
	for _, name := range append(kept[1:4:4], "demo-1.db", "demo-1-2.db-wal") {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	require.NoError(t, os.Mkdir(half, 0o700))
	require.NoError(t, os.Mkdir(young, 0o700))
	require.NoError(t, os.Chtimes(half, time.Time{}, time.Now().Add(-2*staleAfter)))
	removeOldDemos(dir)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	require.ElementsMatch(t, kept, left)
}

// TestCacheDir: a cache that cannot be made is an error where it was asked for.
func TestCacheDir(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := quiet(map[string]string{"LADDERBACK_CACHE": filepath.Join(file, "cache")}).CacheDir()
	require.ErrorContains(t, err, "$LADDERBACK_CACHE")
	deep := filepath.Join(t.TempDir(), "deep", "cache")
	got, err := quiet(map[string]string{"LADDERBACK_CACHE": deep}).CacheDir()
	require.NoError(t, err)
	require.Equal(t, deep, got)
	require.DirExists(t, deep)
	require.Error(t, writable(filepath.Join(file, "x")))
	require.NoError(t, writable(deep))
	entries, err := os.ReadDir(deep)
	require.NoError(t, err)
	require.Empty(t, entries, "a probe is taken away")
}

// TestKeep: a recorded file is imported; one that cannot be read is set aside under another
// name, and said; an archive that is elsewhere by now is opened.
func TestKeep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var said string
	a := quiet(nil)
	a.Say = func(format string, args ...any) { said = fmt.Sprintf(format, args...) }
	k, err := a.Keeper(t.Context(), []string{filepath.Join(dir, "a.db")})
	require.NoError(t, err)
	defer func() { require.NoError(t, k.Close()) }()
	require.NoError(t, k.ClaimSeries(t.Context(), []string{"btc-up-or-down-5m"}))

	good := filepath.Join(dir, "good.json")
	require.NoError(t, os.WriteFile(good, []byte(`[{"id":"1","conditionId":"0x1","slug":"btc-updown-5m-1776081600","question":"Up?","outcomes":"[\"Up\", \"Down\"]","clobTokenIds":"[\"71\", \"72\"]"}]`), 0o600))
	require.NoError(t, k.Keep(t.Context(), good))
	require.FileExists(t, good)
	count := func(ar *archive.Archive) int {
		rows, err := ar.Markets(t.Context(), store.MarketQuery{Unlisted: true})
		require.NoError(t, err)
		return len(rows)
	}
	require.Equal(t, 1, count(k.Archive()))

	bad := filepath.Join(dir, "bad.parquet")
	require.NoError(t, os.WriteFile(bad, []byte("PAR1 and nothing else"), 0o600))
	require.NoError(t, k.Keep(t.Context(), bad))
	require.NoFileExists(t, bad)
	require.FileExists(t, bad+unreadName)
	require.Contains(t, said, "It is kept as "+bad+".unread.")

	require.NoError(t, k.ar.Close())
	k.ar = nil // as when it did not answer at first
	require.NoError(t, k.Keep(t.Context(), good))
	require.Equal(t, 1, count(k.Archive()))

	// What waits for a server is in the cache, by its address and without it.
	away := &Keeper{a: quiet(map[string]string{"LADDERBACK_CACHE": dir}), target: "postgres://u:secret@h/d"}
	spool, err := away.Spool()
	require.NoError(t, err)
	require.Regexp(t, "^"+dir+"/recording-[0-9a-f]{12}$", filepath.ToSlash(spool))
}
