//go:build unix

package client_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/client"
)

// booksPage is a page of 200 books of 50 levels.
func booksPage() string {
	levels := strings.TrimSuffix(strings.Repeat("[0.35,1200.5],", 25), ",")
	book := `{"t":"2026-04-01T00:00:00.250Z","bids":[` + levels + `],"asks":[` + levels + `]}`
	return `{"market_id":"m","token_id":"t","token_label":"Up","resolution":"1s","data":[` +
		strings.TrimSuffix(strings.Repeat(book+",", 200), ",") + `],"metadata":{"count":200,"limit":200,"next_cursor":null}}`
}

// throughClient reads a page of books by the client.
func throughClient(t testing.TB, page string) {
	t.Helper()
	c, n := client.New("http://any", "", client.WithHTTP(&http.Client{Transport: canned(page)})), 0
	for _, err := range c.TokenBooks(t.Context(), "t", client.Window{}) {
		require.NoError(t, err)
		n++
	}
	require.Equal(t, 200, n)
}

// intoSlices reads it by encoding/json into bare slices.
func intoSlices(t testing.TB, page string) {
	t.Helper()
	var p struct {
		Data []struct {
			T          string
			Bids, Asks [][]float64
		}
	}
	require.NoError(t, json.Unmarshal([]byte(page), &p))
}

// BenchmarkBooks reads a page of books through the client, beside encoding/json into bare
// slices: go test ./client -bench Books -benchtime 2s
func BenchmarkBooks(b *testing.B) {
	page := booksPage()
	b.Run("client", func(b *testing.B) {
		for b.Loop() {
			throughClient(b, page)
		}
	})
	b.Run("json", func(b *testing.B) {
		for b.Loop() {
			intoSlices(b, page)
		}
	})
}

// BenchmarkBooksInTurns is the processor time of both in turns, the least of each, as a
// ratio: go test ./client -bench BooksInTurns -benchtime 1x
func BenchmarkBooksInTurns(b *testing.B) {
	page := booksPage()
	used := func() int64 { // processor time, in ns
		var u syscall.Rusage
		require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return u.Utime.Nano() + u.Stime.Nano()
	}
	cost := func(read func(testing.TB, string)) int64 {
		before := used()
		for range 4 {
			read(b, page)
		}
		return used() - before
	}
	for b.Loop() {
		ours, plain := int64(1<<62), int64(1<<62)
		for range 20 {
			ours, plain = min(ours, cost(throughClient)), min(plain, cost(intoSlices))
		}
		b.ReportMetric(float64(ours)/float64(plain), "times")
	}
}
