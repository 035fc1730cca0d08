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
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/exchange"
)

// TestRecord: the command records, says how it stands, and when it is told to
// stop has everything in files and in the archive.
func TestRecord(t *testing.T) {
	t.Parallel()
	// Its messages begin ten seconds ago.
	rounds := exchange.Synthetic(1, time.Now().Add(170*time.Second).Truncate(time.Second), 1)
	server := exchange.New(exchange.Config{
		Rounds: rounds, Now: time.Now, Changes: 50,
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

	dir := t.TempDir()
	db, out := filepath.Join(dir, "live.db"), filepath.Join(dir, "feed")
	p := begin(t, []string{
		"LADDERBACK_RECORD_GAMMA=" + web.URL, "LADDERBACK_RECORD_FEED=ws" + web.URL[len("http"):] + "/ws/market",
	}, "record", "--coins", "btc", "--types", "5m", "--archive", db, "--out", out, "--rotate", "1s", "--metrics-addr", "127.0.0.1:0")
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
