package main

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"
)

// TestPack packs an archive into a folder and into a bucket: what is read of it is the
// same to the byte, receipts included; a flipped bit is found and named; undone, it is
// as it was.
func TestPack(t *testing.T) {
	t.Parallel()
	backend := s3mem.New()
	require.NoError(t, backend.CreateBucket("captures"))
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	made := filepath.Join(t.TempDir(), "a.db")
	require.Equal(t, exitDone, ladderback(t, "simulate", "--archive", made, "--markets", "8", "--types", "5m", "--rate", "0.3").code)
	for _, in := range []string{"folder", "bucket"} {
		t.Run(in, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path, to := filepath.Join(dir, "a.db"), filepath.Join(dir, "packs")
			b, err := os.ReadFile(made)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, b, 0o644))
			env := map[string]string{"LADDERBACK_CACHE": filepath.Join(dir, "cache"), "LADDERBACK_PACKS_ACCESS_KEY": "reader", "LADDERBACK_PACKS_SECRET_KEY": "hushed"}
			if in == "bucket" {
				to = "s3://captures/all?endpoint=" + server.URL
			}
			run := func(args ...string) result {
				r := runWith(t, context.Background(), env, "", append(args, "--archive", path)...)
				require.NotContains(t, r.out+r.err, "hushed")
				return r
			}
			answers := func() string {
				var out string
				for _, args := range [][]string{
					{"backtest", "Buy Up on BTC 5m when Up is under 45c, take profit at 60c, stop at 20c", "--json"},
					{"history", "quotes", anyRound(t, path), "--format", "csv"},
				} {
					r := run(args...)
					require.Equal(t, exitDone, r.code, r.err)
					out += r.out
				}
				return out
			}
			before := answers()
			require.Contains(t, before, `"receipt"`)

			nowhere := run("archive", "pack")
			require.Equal(t, exitUsage, nowhere.code, nowhere.err)
			require.Contains(t, nowhere.err, "say where packs go, with --to")
			little := run("archive", "pack", "--to", to)
			require.Equal(t, exitDone, little.code, little.err)
			require.Contains(t, little.out, "less than a pack takes")
			r := run("archive", "pack", "--to", to, "--all")
			require.Equal(t, exitDone, r.code, r.err)
			require.Contains(t, r.out, "in 1 pack")
			r = run("archive", "pack", "--to", to, "--all")
			require.Equal(t, exitDone, r.code, r.err)
			require.Contains(t, r.out, "nothing to pack: what there is of the 8 markets that have ended is in packs already")
			require.Equal(t, before, answers())
			require.Equal(t, before, answers(), "from the cache")
			require.Equal(t, in == "bucket", isDir(filepath.Join(dir, "cache", "packs")))
			require.Equal(t, exitDone, run("archive", "verify").code)
			require.Contains(t, run("archive", "info").out, " of these in 1 pack")
			var info struct {
				Packs []struct {
					Address       string
					Packs, Blocks int
				}
			}
			require.NoError(t, json.Unmarshal([]byte(run("archive", "info", "--json").out), &info))
			require.Len(t, info.Packs, 1)
			require.Positive(t, info.Packs[0].Blocks)

			if in == "folder" {
				checkFlipped(t, filepath.Join(dir, info.Packs[0].Address), run)
			}
			r = run("archive", "pack", "--undo")
			require.Equal(t, exitDone, r.code, r.err)
			require.Contains(t, r.out, "moved back: ")
			require.NotContains(t, run("archive", "info").out, "pack")
			require.Equal(t, before, answers())
		})
	}
}

func isDir(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

// checkFlipped flips a bit in the pack of a folder, looks what is said of it, and flips
// it back.
func checkFlipped(t *testing.T, folder string, run func(...string) result) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.pack"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	flip := func() {
		b, err := os.ReadFile(files[0])
		require.NoError(t, err)
		b[len(b)/2] ^= 16
		require.NoError(t, os.WriteFile(files[0], b, 0o644))
	}
	flip()
	r := run("archive", "verify")
	require.Equal(t, exitFailed, r.code)
	require.Regexp(t, `damaged: market btc-updown-5m-\d+ \(.*checksum differs in pack [0-9a-f]{64} of .*, bytes \d+ to \d+`, r.out)
	flip()
	require.Equal(t, exitDone, run("archive", "verify").code)
}
