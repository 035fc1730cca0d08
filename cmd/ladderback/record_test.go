//go:build unix

package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/exchange"
	"github.com/ladderback/ladderback/internal/pgtest"
	"github.com/ladderback/ladderback/internal/realdata"
)

// TestRecord: the command records, says how it stands, and when it is told to
// stop has everything in files and in the archive.
func TestRecord(t *testing.T) {
	t.Parallel()
	server, env := feedOf(t)
	dir := t.TempDir()
	db, out := filepath.Join(dir, "live.db"), filepath.Join(dir, "feed")
	p := begin(t, env, "record", "--coins", "btc", "--types", "5m", "--archive", db, "--out", out, "--rotate", "1s", "--metrics-addr", "127.0.0.1:0")
	require.Eventually(t, func() bool { return metricsOn.MatchString(p.log.String()) && len(server.Sent()) > 20 },
		time.Minute, 20*time.Millisecond, p.log.String())
	metrics := metricsOn.FindStringSubmatch(p.log.String())[1]
	watermark := regexp.MustCompile(`ladderback_watermark_seconds{category="crypto"} [1-9]`)
	require.Eventually(t, func() bool { return watermark.MatchString(pageOf(t, metrics)) }, time.Minute, 100*time.Millisecond)
	text := pageOf(t, metrics)
	require.Regexp(t, `ladderback_record_messages_total [1-9]`, text)
	require.Regexp(t, `ladderback_record_rounds 1`, text)
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	<-p.ended
	require.NoError(t, p.err, p.log.String())
	require.Contains(t, p.out.String(), "gaps declared")

	files, err := filepath.Glob(filepath.Join(out, "*-captures.jsonl.zst"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	parts, err := filepath.Glob(filepath.Join(out, "*.part"))
	require.NoError(t, err)
	require.Empty(t, parts)
	info := begin(t, nil, "archive", "info", "--archive", db, "--json")
	<-info.ended
	require.NoError(t, info.err, info.log.String())
	require.Contains(t, info.out.String(), `"markets": 1`)
}

// feedOf plays a round whose messages began ten seconds ago, and returns what points a recorder to it.
func feedOf(t *testing.T) (*exchange.Server, []string) {
	t.Helper()
	server := exchange.New(exchange.Config{
		Rounds: exchange.Synthetic(1, time.Now().Add(170*time.Second).Truncate(time.Second), 1), Now: time.Now, Changes: 50, Trades: 50,
		Sleep: func(ctx context.Context, at time.Time) error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Until(at)):
				return nil
			}
		},
	})
	web := httptest.NewServer(server)
	t.Cleanup(web.Close)
	go func() { _ = server.Play(t.Context()) }() // ends with the test
	return server, []string{"LADDERBACK_RECORD_GAMMA=" + web.URL, "LADDERBACK_RECORD_FEED=ws" + web.URL[len("http"):] + "/ws/market"}
}

// TestSecondRecorder: while one recorder feeds an archive, another of the same series
// is refused whatever its folder and the name of the series; one of another is not.
func TestSecondRecorder(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]func(*testing.T) string{
		"file":       func(t *testing.T) string { return filepath.Join(t.TempDir(), "live.db") },
		"PostgreSQL": func(t *testing.T) string { return pgtest.Database(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, env := feedOf(t)
			addr := at(t)
			record := func(more ...string) *process {
				return begin(t, env, append([]string{"record", "--coins", "BTC", "--archive", addr, "--out", t.TempDir(), "--rotate", "1s", "--metrics-addr", "127.0.0.1:0"}, more...)...)
			}
			first := record("--types", "5m")
			require.Eventually(t, func() bool { return metricsOn.MatchString(first.log.String()) }, time.Minute, 20*time.Millisecond)
			second := record("--types", "15m", "--series", "bitcoin-up-or-down-5m")
			<-second.ended
			require.Equal(t, exitFailed, second.cmd.ProcessState.ExitCode(), second.log.String())
			require.Contains(t, second.log.String(), "another recorder records the same into this archive: btc-up-or-down-5m")
			other := record("--types", "15m", "--for", "1s")
			<-other.ended
			require.NotContains(t, other.log.String(), "another recorder", "of another series")
			require.Zero(t, first.stop(syscall.SIGTERM), first.log.String())
			again := record("--types", "5m", "--for", "2s")
			<-again.ended
			require.NotContains(t, again.log.String(), "another recorder", "the first has ended")
		})
	}
}

// TestRecordedTwice: what two recorders heard at the same time, neither of which could
// know of the other, is in the archive once: of the one that is handed over first.
func TestRecordedTwice(t *testing.T) {
	t.Parallel()
	server, env := feedOf(t)
	dir := t.TempDir()
	record := func(folder string, more ...string) *process {
		return begin(t, env, append([]string{"record", "--coins", "BTC", "--types", "5m", "--out", filepath.Join(dir, folder)}, more...)...)
	}
	both := []*process{record("a"), record("b")}
	require.Eventually(t, func() bool { return len(server.Sent()) > 200 }, time.Minute, 20*time.Millisecond)
	for _, p := range both {
		require.Zero(t, p.stop(syscall.SIGTERM), p.log.String())
	}
	db := filepath.Join(dir, "live.db")
	first := record("a", "--archive", db, "--for", "2s") // what is left of the last run is handed over
	<-first.ended
	require.NoError(t, first.err, first.log.String())
	trades := func() string {
		p := begin(t, nil, "archive", "export", "trades", "--archive", db, "--out", "-", "--format", "csv")
		<-p.ended
		require.NoError(t, p.err, p.log.String())
		return p.out.String()
	}
	want := trades()
	require.Greater(t, strings.Count(want, "\n"), 10)
	second := record("b", "--archive", db, "--for", "10s")
	<-second.ended
	require.Equal(t, exitFailed, second.cmd.ProcessState.ExitCode(), second.log.String())
	require.Contains(t, second.log.String(), "has captures of the same markets between")
	require.Equal(t, want, trades())
}

// TestBackfillInterrupted: Ctrl-C ends it with what was answered imported, and the same
// command asks for the rest.
func TestBackfillInterrupted(t *testing.T) {
	t.Parallel()
	dir := realdata.Dir(t, "polymarket-btc-5m")
	rounds, err := exchange.Load(dir)
	require.NoError(t, err)
	pages, held := atomic.Int64{}, make(chan struct{})
	server := exchange.New(exchange.Config{Rounds: rounds, Now: time.Now, Intercept: func(_ http.ResponseWriter, r *http.Request) bool {
		if pages.Add(1) == 2 { // the first was answered
			close(held)
			<-r.Context().Done()
			return true
		}
		return false
	}})
	web := httptest.NewServer(server)
	t.Cleanup(web.Close)
	db := filepath.Join(t.TempDir(), "btc.db")
	do := func(args ...string) *process {
		return begin(t, []string{"LADDERBACK_RECORD_GAMMA=" + web.URL}, append(args, "--archive", db)...)
	}
	copyUndescribed(t, dir, db)
	first := do("record", "--backfill", "--json")
	<-held
	require.Zero(t, first.stop(syscall.SIGINT), first.log.String())
	require.Contains(t, first.log.String(), "run it again to go on")
	var asked struct{ Wanting, Asked, Found int }
	require.NoError(t, json.Unmarshal([]byte(first.out.String()), &asked))
	require.Equal(t, 50, asked.Asked)
	second := do("record", "--backfill", "--json")
	<-second.ended
	require.NoError(t, second.err, second.log.String())
	left := asked.Wanting - asked.Asked
	require.Positive(t, left)
	require.NoError(t, json.Unmarshal([]byte(second.out.String()), &asked))
	require.Equal(t, left, asked.Wanting)
	require.Equal(t, left, asked.Found)
}

func pageOf(t testing.TB, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return string(text)
}

// TestRecordNothing: a recording that reached nobody fails, and says that nothing is
// whole.
func TestRecordNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := begin(t, []string{"LADDERBACK_RECORD_GAMMA=http://127.0.0.1:1", "LADDERBACK_RECORD_FEED=ws://127.0.0.1:1/ws/market"},
		"record", "--out", dir, "--for", "8s", "--json", "--series", "sprint-up-or-down-5m")
	<-p.ended
	require.Equal(t, 1, p.cmd.ProcessState.ExitCode(), p.log.String())
	require.JSONEq(t, `{"messages": 0, "bytes": 0, "written_bytes": 0, "gaps": 0, "rejected": {}, "files_waiting": 0, "watermark": null}`, p.out.String())
	lines := strings.Split(strings.TrimSpace(p.log.String()), "\n")
	var line struct{ Level, Msg, Series, Error string }
	require.NoError(t, json.Unmarshal([]byte(lines[0]), &line), lines[0])
	require.Equal(t, "WARN", line.Level)
	require.Equal(t, "btc-up-or-down-5m", line.Series)
	require.NotContains(t, line.Error, "series_slug", "the address that was asked is long")
	require.Contains(t, line.Error, "/events: dial tcp 127.0.0.1:1")

	p = begin(t, []string{"LADDERBACK_RECORD_GAMMA=http://127.0.0.1:1", "LADDERBACK_RECORD_FEED=ws://127.0.0.1:1/ws/market"}, "record", "--out", t.TempDir())
	require.Eventually(t, func() bool { return strings.Contains(p.log.String(), "dial tcp") }, time.Minute, 20*time.Millisecond)
	require.Equal(t, exitFailed, p.stop(syscall.SIGINT), "to end by Ctrl-C is no interruption: %s", p.log.String())

	for _, c := range []struct{ flag, value, says string }{
		{"--for", "abc", `--for "abc": expected a length of time such as 90s, 30m or 24h`},
		{"--series", "BTC up", "--series BTC up: expected the slug of a series"},
	} {
		p := begin(t, nil, "record", "--out", dir, c.flag, c.value)
		<-p.ended
		require.Equal(t, 2, p.cmd.ProcessState.ExitCode())
		require.Contains(t, p.log.String(), c.says)
	}
}
