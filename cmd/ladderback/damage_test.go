package main

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/app"
	"github.com/ladderback/ladderback/archive/store"
)

var (
	damages     = flag.Int("damages", 40, "damages that TestDamageIsFoundOrChangesNoAnswer makes")
	damagesFrom = flag.Int("damages-from", 0, "the first of them that is made")
	damagesTo   = flag.Int("damages-to", 1<<62, "the first of them that is not made any more")
)

// TestDamageIsFoundOrChangesNoAnswer damages an archive's file all over and asks every
// command that reads it: each says so, or answers as it did before. Half of the damages
// know nothing of the file (a bit, a run of bytes, a range of zeros, the end of the file
// missing); half are of whole pages, whose checksums hold: two exchanged, one repeated in
// the place of another, and writes that were lost, of one page and of several.
// 40 damages by default; of many, a slice at a time:
//
//	go test ./cmd/ladderback -run DamageIsFound -v -timeout 2h -damages 2000 [-damages-from 500 -damages-to 1000]
func TestDamageIsFoundOrChangesNoAnswer(t *testing.T) {
	t.Parallel()
	made := filepath.Join(t.TempDir(), "made.db")
	simulated := func(seed, rounds string) []byte {
		require.Equal(t, exitDone, ladderback(t, "simulate", "--archive", made, "--seed", seed, "--markets", rounds, "--types", "5m", "--rate", "0.2", "--ladder", "5").code)
		b, err := os.ReadFile(made)
		require.NoError(t, err)
		return b
	}
	before := simulated("2", "2")
	whole := simulated("1", "3")
	path := filepath.Join(t.TempDir(), "a.db")
	slug := anyRound(t, made)
	asks := [][]string{
		{"backtest", "Buy Up on BTC 5m under 60c, stop 20c", "--archive", path, "--json", "--quiet"},
		{"history", "prices", slug, "--archive", path, "--json"},
		{"history", "books", slug, "--archive", path, "--json"},
		{"history", "metrics", slug, "--archive", path, "--json"},
		{"history", "trades", slug, "--archive", path, "--json"},
		{"markets", "--archive", path, "--json", "--quiet"},
		{"markets", "show", slug, "--archive", path, "--json", "--quiet"},
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
	from, to := *damagesFrom, min(*damagesTo, *damages)
	found, answers := map[bool]int{}, 0
	for round := from; round < to; round++ {
		rnd := rand.New(rand.NewPCG(7, uint64(round)))
		b := append([]byte(nil), whole...)
		ofPages := round%2 == 1
		var what string
		if ofPages {
			what = misplace(rnd, round/2, b, whole, before)
		} else {
			at := (round*len(b) + rnd.IntN(len(b))) / *damages
			what = fmt.Sprintf("byte %d", at)
			b = spoiled(rnd, round/2, b, at)
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
			require.Equal(t, want[i].code, got.code, "damage %d, %s: %v: %s", round, what, ask, got.err)
			require.Equal(t, want[i].out, got.out, "damage %d, %s: %v", round, what, ask)
		}
		if said {
			found[ofPages]++
		}
	}
	t.Logf("%d damages of a file of %d bytes: of those of bytes %d were told by a command that met them, of those of pages %d, the others change no answer; %d answers",
		to-from, len(whole), found[false], found[true], answers)
	require.Positive(t, found[false])
	require.Positive(t, found[true])
}

// spoiled damages a file at a byte.
func spoiled(rnd *rand.Rand, kind int, b []byte, at int) []byte {
	switch kind % 8 {
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
	return b
}

// misplace damages pages of a file: b, which is as whole. before is the file at an earlier
// time. It says what it did.
func misplace(rnd *rand.Rand, kind int, b, whole, before []byte) string {
	size := int(binary.BigEndian.Uint16(whole[16:]))
	page := func(b []byte, n int) []byte { return b[n*size : (n+1)*size] }
	n := len(whole) / size
	x, y := 1+rnd.IntN(n-1), 1+rnd.IntN(n-1)
	var earlier []int // pages that were written since
	for i := 1; i < min(n, len(before)/size); i++ {
		if string(page(before, i)) != string(page(whole, i)) {
			earlier = append(earlier, i)
		}
	}
	switch kind % 4 {
	case 0:
		copy(page(b, x), page(whole, y))
		copy(page(b, y), page(whole, x))
		return fmt.Sprintf("pages %d and %d exchanged", x+1, y+1)
	case 1:
		copy(page(b, y), page(whole, x))
		return fmt.Sprintf("page %d in place of page %d", x+1, y+1)
	}
	lost := 1
	if kind%4 == 3 {
		lost += rnd.IntN(4)
	}
	what := "as before:"
	for range lost {
		x = earlier[rnd.IntN(len(earlier))]
		copy(page(b, x), page(before, x))
		what += fmt.Sprint(" page ", x+1)
	}
	return what
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
