//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// writers are command lines, one for each flag that names a file to be written, with
// FILE where it goes and ARCHIVE for an archive of rounds of an hour. Each says what
// the file begins with, and what its name has to end with.
var writers = []struct{ flag, args, begins, ext string }{
	{"backtest --out", `backtest PROMPT --archive ARCHIVE --format csv --keep=false --out FILE`, "market_id,", ""},
	{"backtest --save", `backtest PROMPT --archive ARCHIVE --keep=false --save FILE`, `{`, ""},
	{"sweep --out", `sweep PROMPT --archive ARCHIVE --vary exit.take_profit=0.7,0.8 --format json --out FILE`, `{`, ""},
	{"regress --junit", `regress SUITE --archive ARCHIVE --junit FILE`, "<?xml", ""},
	{"import --rejects", `import LINES --archive NEW --rejects FILE`, `{`, ""},
	{"history --out", `history prices SLUG --archive ARCHIVE --format csv --out FILE`, "t,", ""},
	{"archive export --out", `archive export prices --archive ARCHIVE --format csv --out FILE`, "market_id,", ".csv"},
}

// filled puts the files that a command line needs in place of their names.
func filled(t *testing.T, line, file string) []string {
	t.Helper()
	archive, err := smallArchive()
	require.NoError(t, err)
	dir := t.TempDir()
	suite, lines := filepath.Join(dir, "suite.yaml"), filepath.Join(dir, "log.jsonl")
	require.NoError(t, os.WriteFile(suite, []byte("cases:\n  - name: one\n    prompt: Buy Up on BTC 1h under 60c\n"), 0o600))
	require.NoError(t, os.WriteFile(lines, []byte(`{"event_type":"last_trade_price","asset_id":"1","price":"2"}`+"\n"), 0o600))
	args := strings.Fields(line)
	for i, arg := range args {
		args[i] = map[string]string{
			"FILE": file, "ARCHIVE": archive, "NEW": filepath.Join(dir, "new.db"), "SUITE": suite, "LINES": lines, "PROMPT": "Buy Up on BTC 1h under 60c, take profit 70c",
		}[arg]
		if args[i] == "" {
			args[i] = arg
		}
		if arg == "SLUG" {
			args[i] = anyRound(t, archive)
		}
	}
	return args
}

// TestWhatIsNoFileIsWrittenToAndStays: a device, a FIFO or a link that a flag names is
// written to, or followed, and stands there afterwards.
func TestWhatIsNoFileIsWrittenToAndStays(t *testing.T) {
	t.Parallel()
	for _, w := range writers {
		t.Run(w.flag, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			run := func(file string) {
				t.Helper()
				r := runWith(t, context.Background(), map[string]string{"LADDERBACK_CACHE": dir}, "", filled(t, w.args, file)...)
				require.Contains(t, []int{exitDone, exitFailed}, r.code, r.err) // a suite without results, lines that are rejected
				require.NotContains(t, r.err, "FILE")
			}
			kind := func(file string) os.FileMode {
				info, err := os.Lstat(file)
				require.NoError(t, err)
				return info.Mode().Type()
			}

			plain, link := filepath.Join(dir, "plain"+w.ext), filepath.Join(dir, "link"+w.ext)
			require.NoError(t, os.Symlink(plain, link))
			run(link)
			text, err := os.ReadFile(plain)
			require.NoError(t, err)
			require.Truef(t, strings.HasPrefix(string(text), w.begins), "%.60s", text)
			require.Equal(t, os.ModeSymlink, kind(link))

			fifo := filepath.Join(dir, "fifo")
			require.NoError(t, syscall.Mkfifo(fifo, 0o600))
			got := make(chan string, 1)
			go func() {
				b, _ := os.ReadFile(fifo)
				got <- string(b)
			}()
			run(fifo)
			require.Equal(t, os.ModeNamedPipe, kind(fifo))
			require.Truef(t, strings.HasPrefix(<-got, w.begins), "of the FIFO")

			device := filepath.Join(dir, "null")
			if err := syscall.Mknod(device, syscall.S_IFCHR|0o666, 1<<8|3); err != nil {
				t.Skipf("only root makes devices: %v", err)
			}
			run(device)
			require.Equal(t, os.ModeDevice|os.ModeCharDevice, kind(device))
			left, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.False(t, slices.ContainsFunc(left, func(e os.DirEntry) bool { return strings.Contains(e.Name(), "partial") }))
		})
	}
}
