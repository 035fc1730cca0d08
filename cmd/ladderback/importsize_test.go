//go:build unix

package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/report/listing"
)

// importSize is how large the larger of two imports is; documented bounds are compared,
// those on time too, with, for example,
//
//	LADDERBACK_IMPORT_SIZE=200000 go test ./cmd/ladderback -run ImportGrows -v -timeout 1h
func importSize(t *testing.T, usual int) int {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the unit of a process's memory is that of Linux")
	}
	if n, err := strconv.Atoi(os.Getenv("LADDERBACK_IMPORT_SIZE")); err == nil {
		return n
	}
	return usual
}

// imported imports a file in a process of its own, and returns what that took of a
// processor and, at most, of memory in bytes.
func imported(t *testing.T, path string, markets int) (time.Duration, int64) {
	t.Helper()
	p := begin(t, nil, "import", path, "--quiet", "--archive", filepath.Join(t.TempDir(), "a.db"))
	<-p.ended
	require.NoError(t, p.err, p.log.String())
	require.Regexp(t, `markets\s+`+listing.Grouped(int64(markets))+"\n", p.out.String())
	used := p.cmd.ProcessState
	took, peak := used.UserTime()+used.SystemTime(), used.SysUsage().(*syscall.Rusage).Maxrss<<10
	t.Logf("%s: %d markets, %v of a processor, %d MiB", filepath.Base(path), markets, took.Round(10*time.Millisecond), peak>>20)
	return took, peak
}

const (
	importMost = 256 << 20 // bytes, whatever the file
	perMarket  = 1500      // bytes that a further market may take
	slack      = 64 << 20  // of what is kept of the archive, up to which a small one does not come, and of when garbage is collected
)

// grows compares the import of a file with one of a quarter of its markets: each further
// one takes a bounded share of memory and, in a run by hand on a machine that does nothing
// else, four times as many take at most six times as much of a processor.
func grows(t *testing.T, n int, write func(path string, n int)) {
	t.Helper()
	dir := t.TempDir()
	small, large := filepath.Join(dir, "quarter"), filepath.Join(dir, "whole")
	write(small, n/4)
	write(large, n)
	quarter, least := imported(t, small, n/4)
	whole, most := imported(t, large, n)
	if os.Getenv("LADDERBACK_IMPORT_SIZE") != "" {
		require.LessOrEqual(t, whole, 6*quarter)
	}
	require.LessOrEqual(t, most, int64(importMost))
	require.LessOrEqual(t, most-least, int64(n-n/4)*perMarket+slack)
}

// TestImportGrowsWithARoundList: a list of rounds, which are all that a collector wrote down.
func TestImportGrowsWithARoundList(t *testing.T) {
	n := importSize(t, 12_000)
	grows(t, n, func(path string, n int) {
		f, err := os.Create(path)
		require.NoError(t, err)
		w := bufio.NewWriter(f)
		for i := range n {
			start := 1_577_836_800 + 300*i
			fmt.Fprintf(w, `{"slug":"btc-updown-5m-%d","condition_id":"0x%064x","coin":"BTC","market_type":"5m","start":%d,"end":%d,"up_token":"%d","down_token":"%d","winner":"up","winner_basis":"official"}`+"\n",
				start, uint64(i)*0x9E3779B97F4A7C15, start, start+300, uint64(i)*0xBF58476D1CE4E5B9, uint64(i)*0x94D049BB133111EB+1)
		}
		require.NoError(t, w.Flush())
		require.NoError(t, f.Close())
	})
}

// TestImportGrowsWithMarketsInParquet: a table of quotes with another market in each row.
func TestImportGrowsWithMarketsInParquet(t *testing.T) {
	type quote struct {
		TS       int64    `parquet:"ts,timestamp(microsecond)"`
		Slug     string   `parquet:"slug"`
		Category string   `parquet:"category"`
		Bid      *float64 `parquet:"bid"`
		Ask      *float64 `parquet:"ask"`
		Segment  int64    `parquet:"segment"`
	}
	n := importSize(t, 12_000)
	grows(t, n, func(path string, n int) {
		bid, ask := 0.25, 0.31
		rows := make([]quote, n)
		for i := range rows {
			rows[i] = quote{1_783_715_146_000_000 + int64(i), fmt.Sprintf("aec-nba-lal-bos-%06d", i), "sports", &bid, &ask, 0}
		}
		require.NoError(t, parquet.WriteFile(path, rows))
	})
}
