package main

import (
	"cmp"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/app"
	"github.com/ladderback/ladderback/archive/store"
)

// TestDamageIsFoundOrChangesNoAnswer damages an archive's file all over (a bit, a run of
// bytes, a range of zeros, the end of the file missing) and asks every command that reads
// it: each says so, or answers as it did before. 40 damages by default; of many, a slice
// at a time:
//
//	LADDERBACK_DAMAGES=1000 LADDERBACK_DAMAGES_FROM=250 LADDERBACK_DAMAGES_TO=500 go test ./cmd/ladderback -run DamageIsFound -v
func TestDamageIsFoundOrChangesNoAnswer(t *testing.T) {
	t.Parallel()
	number := func(name string, usual int) int {
		n, err := strconv.Atoi(cmp.Or(os.Getenv(name), strconv.Itoa(usual)))
		require.NoError(t, err)
		return n
	}
	n := number("LADDERBACK_DAMAGES", 40)
	from, to := number("LADDERBACK_DAMAGES_FROM", 0), number("LADDERBACK_DAMAGES_TO", n)
	made := filepath.Join(t.TempDir(), "made.db")
	require.Equal(t, exitDone, ladderback(t, "simulate", "--archive", made, "--markets", "3", "--types", "5m", "--rate", "0.2", "--ladder", "5").code)
	whole, err := os.ReadFile(made)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "a.db")
	slug := anyRound(t, made)
	asks := [][]string{
		{"backtest", "Buy Up on BTC 5m under 60c, stop 20c", "--archive", path, "--json", "--quiet"},
		{"history", "prices", slug, "--archive", path, "--json"},
		{"history", "books", slug, "--archive", path, "--json"},
		{"history", "metrics", slug, "--archive", path, "--json"},
		{"archive", "info", "--archive", path, "--json"},
		{"archive", "info", "--coverage", "--archive", path, "--json", "--quiet"},
		{"archive", "sources", "--archive", path, "--json"},
	}
	put := func(b []byte) {
		for _, end := range []string{"", "-wal", "-shm"} {
			require.NoError(t, os.RemoveAll(path+end))
		}
		require.NoError(t, os.WriteFile(path, b, 0o600))
	}
	put(whole)
	want := make([]result, len(asks))
	for i, ask := range asks {
		want[i] = ladderback(t, ask...)
		require.Equal(t, exitDone, want[i].code, "%v: %s", ask, want[i].err)
	}
	found, answers := 0, 0
	for round := from; round < to; round++ {
		rnd := rand.New(rand.NewPCG(7, uint64(round)))
		b := append([]byte(nil), whole...)
		at := (round*len(b) + rnd.IntN(len(b))) / n
		switch round % 8 {
		case 0, 2, 4:
			b[at] ^= 1 << rnd.IntN(8)
		case 1, 3, 5:
			for i := range rnd.IntN(64) + 1 {
				b[(at+i)%len(b)] = byte(rnd.Uint32())
			}
		case 6:
			clear(b[at:min(len(b), at+1+rnd.IntN(20_000))])
		case 7:
			b = b[:max(1, at)]
		}
		put(b)
		said := false
		for i, ask := range asks {
			got := ladderback(t, ask...)
			answers++
			if got.code == exitFailed {
				said = true
				continue
			}
			require.Equal(t, want[i].code, got.code, "damage %d at byte %d: %v: %s", round, at, ask, got.err)
			require.Equal(t, want[i].out, got.out, "damage %d at byte %d: %v", round, at, ask)
		}
		if said {
			found++
		}
	}
	t.Logf("%d damages of a file of %d bytes: %d found by a command that met them, %d change no answer; %d answers", to-from, len(whole), found, to-from-found, answers)
	require.Positive(t, found)
}

// anyRound returns the slug of a round of an archive.
func anyRound(t *testing.T, path string) string {
	ar, err := (&app.App{Getenv: func(string) string { return "" }}).OpenOne(t.Context(), path)
	require.NoError(t, err)
	defer ar.Close()
	rows, err := ar.Markets(t.Context(), store.MarketQuery{Page: store.Page{Limit: 1}})
	require.NoError(t, err)
	require.NotEmpty(t, rows)
	return rows[0].Market.Slug
}
