//go:build unix

package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
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
