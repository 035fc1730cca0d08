//go:build unix

package main

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/identity"
)

// TestFirstSignalEndsAWait: a command that waits for somebody to write to a pipe or
// a FIFO ends at the first SIGTERM.
func TestFirstSignalEndsAWait(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	db := filepath.Join(dir, "a.db")
	for _, args := range [][]string{
		{"import", "-", "--archive", db},
		{"import", fifo, "--archive", db},
		{"parse", "--batch", "-"},
		{"parse", "--batch", fifo},
		{"backtest", "--strategy", "-", "--archive", db},
	} {
		for wait := 500 * time.Millisecond; ; wait *= 2 { // until it waits: longer on a busy machine
			r, w, err := os.Pipe()
			require.NoError(t, err)
			p := beginReading(t, r, nil, args...)
			time.Sleep(wait)
			code := p.stop(syscall.SIGTERM)
			require.NoError(t, w.Close())
			require.NoError(t, r.Close())
			if killed := -1; code == killed && wait < 10*time.Second {
				continue // before it had begun
			}
			require.Equal(t, exitInterrupted, code, "%v: %s", args, p.log.String())
			break
		}
	}
}

// TestArchiveReplacedUnderAServer puts another archive in the place of the one that
// is served, or copies it over that one: no answer is made of both, and the new one
// is served without a restart.
func TestArchiveReplacedUnderAServer(t *testing.T) {
	t.Parallel()
	for how, replace := range map[string]func(other, db string) error{
		"replaced": os.Rename,
		"overwritten": func(other, db string) error { // into the same inode
			b, err := os.ReadFile(other)
			return errors.Join(err, os.WriteFile(db, b, 0o600))
		},
	} {
		t.Run(how, func(t *testing.T) { archiveReplaced(t, how, replace) })
	}
}

func archiveReplaced(t *testing.T, how string, replace func(other, db string) error) {
	t.Parallel()
	dir := t.TempDir()
	db, other := filepath.Join(dir, "a.db"), filepath.Join(dir, "b.db")
	for path, coin := range map[string]string{db: "BTC", other: "ETH"} {
		r := ladderback(t, "simulate", "--markets", "2", "--types", "5m", "--coins", coin, "--archive", path)
		require.Equal(t, exitDone, r.code, r.err)
	}
	accessFile, keys := newKeys(t, "enterprise")
	p := serve(t, nil, "--archive", db, "--access", accessFile)
	series := func() (int, string) {
		resp, body := p.get("/v1/series", keys["enterprise"])
		return resp.StatusCode, string(body)
	}
	status, body := series()
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, "btc")

	require.NoError(t, replace(other, db))
	unready, readies := 0, 0
	require.Eventually(t, func() bool {
		resp, ready := p.get("/readyz", "")
		status, body := series()
		switch status {
		case http.StatusServiceUnavailable:
			unready++
			require.Contains(t, body, how)
		case http.StatusOK:
			require.NotEqual(t, strings.Contains(body, "btc"), strings.Contains(body, "eth"), body)
		default:
			t.Fatalf("%d: %s", status, body)
		}
		if resp.StatusCode != http.StatusOK {
			readies++
			require.Contains(t, string(ready), how)
		}
		return status == http.StatusOK && strings.Contains(body, "eth") && resp.StatusCode == http.StatusOK
	}, time.Minute, 20*time.Millisecond)
	require.Positive(t, unready, "the old file was answered from after it was gone")
	require.Positive(t, readies)
	require.Equal(t, exitDone, p.stop(syscall.SIGTERM), p.log.String())
}

// TestArchiveReplacedBesideItsLog renames a new archive into the place of a served one
// that was written to while it was served: the log of the old one never gets into the
// new file, and once it is deleted the new one is served.
func TestArchiveReplacedBesideItsLog(t *testing.T) {
	t.Parallel()
	t.Run("deleted", func(t *testing.T) { archiveReplacedBesideItsLog(t, false) })
	t.Run("stopped", func(t *testing.T) { archiveReplacedBesideItsLog(t, true) })
}

func archiveReplacedBesideItsLog(t *testing.T, stops bool) {
	t.Parallel()
	dir := t.TempDir()
	db, other := filepath.Join(dir, "a.db"), filepath.Join(dir, "b.db")
	simulated := func(path, coin, seed string) {
		r := ladderback(t, "simulate", "--markets", "2", "--types", "5m", "--coins", coin, "--seed", seed, "--archive", path)
		require.Equal(t, exitDone, r.code, r.err)
	}
	simulated(db, "BTC", "1")
	simulated(other, "ETH", "1")
	want, err := os.ReadFile(other)
	require.NoError(t, err)
	accessFile, keys := newKeys(t, "enterprise")
	p := serve(t, nil, "--archive", db, "--access", accessFile)
	resp, _ := p.get("/v1/series", keys["enterprise"])
	require.Equal(t, http.StatusOK, resp.StatusCode)
	simulated(db, "SOL", "2") // while it is served: the log keeps what it wrote
	info, err := os.Stat(db + "-wal")
	require.NoError(t, err)
	require.Positive(t, info.Size())

	require.NoError(t, os.Rename(other, db))
	require.Eventually(t, func() bool { return strings.Contains(p.log.String(), "a.db-wal") }, time.Minute, 20*time.Millisecond)
	for range 3 {
		resp, body := p.get("/v1/series", keys["enterprise"])
		require.Equal(t, http.StatusServiceUnavailable, resp.StatusCode, string(body))
		resp, body = p.get("/readyz", "")
		require.Equal(t, http.StatusServiceUnavailable, resp.StatusCode, string(body))
		require.Contains(t, string(body), "replaced")
	}
	got, err := os.ReadFile(db)
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, got), "the new file is as it was moved there")

	if stops {
		require.Equal(t, exitDone, p.stop(syscall.SIGTERM), p.log.String())
		got, err := os.ReadFile(db)
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, got), "nor is it written to when the server stops")
		return
	}
	require.NoError(t, errors.Join(os.Remove(db+"-wal"), os.Remove(db+"-shm")))
	require.Eventually(t, func() bool {
		resp, body := p.get("/v1/series", keys["enterprise"])
		return resp.StatusCode == http.StatusOK && strings.Contains(string(body), "eth") && !strings.Contains(string(body), "btc")
	}, time.Minute, 20*time.Millisecond)
	require.Equal(t, exitDone, p.stop(syscall.SIGTERM), p.log.String())
	require.Equal(t, exitDone, ladderback(t, "archive", "verify", "--archive", db).code)
}

// TestPlanThatIsGone: a key whose plan is not configured any more is told so, and
// so is who starts the server.
func TestPlanThatIsGone(t *testing.T) {
	t.Parallel()
	path, err := smallArchive()
	require.NoError(t, err)
	accessFile, keys := newKeys(t, "scale")
	config := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(config, []byte("plans:\n  - {name: Pro, finest_resolution: 1s, prices: true}\n"), 0o600))
	p := serve(t, nil, "--archive", path, "--access", accessFile, "--config", config)
	require.Contains(t, p.log.String(), "Plan scale is not configured: its 1 key will be refused")
	resp, body := p.get("/v1/tags", keys["scale"])
	require.Equal(t, http.StatusForbidden, resp.StatusCode)
	require.JSONEq(t, `{"error":"forbidden","message":"plan scale of this key is not configured on this server"}`, string(body))
}

// TestAddressesThatAreNone: what is no file and no address of PostgreSQL is refused
// without repeating it.
func TestAddressesThatAreNone(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{"host=db user=x password=hunter2 dbname=y", "mysql://u:hunter2@h/d", "crypto=host=db password=hunter2"} {
		for _, args := range [][]string{
			{"archive", "info", "--archive", addr}, {"keys", "list", "--access", addr}, {"archive", "copy", addr, "x.db"}, {"serve", "--access", addr},
		} {
			if strings.HasPrefix(addr, "crypto=") && args[0] != "serve" && args[1] != "info" {
				continue
			}
			r := ladderback(t, args...)
			require.Equal(t, exitUsage, r.code, "%v: %s", args, r.err)
			require.NotContains(t, r.err+r.out, "hunter2", "%v", args)
			require.Contains(t, r.err, "postgres://", "%v", args)
		}
	}
}

// TestTwoFirstRuns: of two processes that need the demo archive at once one makes
// it.
func TestTwoFirstRuns(t *testing.T) {
	t.Parallel()
	_, err := demoCache()
	require.NoError(t, err)
	said := strings.Join(firstRuns[:], "")
	require.Equal(t, 1, strings.Count(said, "Building the demo archive"))
	require.LessOrEqual(t, strings.Count(said, "Waiting for the demo archive"), 1)
}

// TestKeysBesideTheArchive: keys do not go into the file of captures, unless one of
// an earlier version has them there.
func TestKeysBesideTheArchive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := filepath.Join(dir, "a.db")
	require.Equal(t, exitDone, ladderback(t, "simulate", "--markets", "1", "--types", "5m", "--archive", db).code)
	require.Equal(t, exitDone, ladderback(t, "keys", "create", "--archive", db).code)
	require.FileExists(t, filepath.Join(dir, "a-access.db"))
	require.False(t, identity.InFile(t.Context(), db))

	old := filepath.Join(dir, "old.db")
	require.Equal(t, exitDone, ladderback(t, "simulate", "--markets", "1", "--types", "5m", "--archive", old).code)
	require.Equal(t, exitDone, ladderback(t, "keys", "create", "--access", old, "--name", "within").code)
	require.Contains(t, ladderback(t, "keys", "list", "--archive", old).out, "within")
	require.NoFileExists(t, filepath.Join(dir, "old-access.db"))
}

func TestVersionFlag(t *testing.T) {
	t.Parallel()
	require.Equal(t, "ladderback "+version+"\n", ladderback(t, "--version").out)
}

// TestWorkingDirectoryGone gives a strategy as an object where the working directory has been
// removed, as that of a shell may be: the schema is compiled in and needs no folder.
func TestWorkingDirectoryGone(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "gone")
	require.NoError(t, os.Mkdir(dir, 0o700))
	cmd := exec.Command("/bin/sh", "-c", `cd "$1" && rmdir "$1" && exec "$2" backtest --strategy - --archive /nowhere`, "sh", dir, os.Args[0])
	cmd.Env = []string{asProgram + "=1", "HOME=" + t.TempDir()}
	cmd.Stdin = strings.NewReader(`{"side": "up"}`)
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "market", "what the object lacks")
	require.NotContains(t, string(out), "goroutine")
}
