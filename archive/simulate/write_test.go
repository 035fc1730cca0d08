package simulate_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/simulate"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/market"
)

func newArchive(t *testing.T) *archive.Archive {
	opened, _, err := sqlite.Create(t.Context(), filepath.Join(t.TempDir(), "simulated.db"))
	require.NoError(t, err)
	a := archive.New(opened)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	return a
}

func contents(t *testing.T, a *archive.Archive) map[string][32]byte {
	rounds, err := a.Rounds(t.Context(), market.RoundFilter{})
	require.NoError(t, err)
	out := map[string][32]byte{}
	for i := range rounds {
		out[rounds[i].Market.Slug] = rounds[i].Content
	}
	return out
}

func TestWrite(t *testing.T) {
	t.Parallel()
	s := newSimulation(t, simulate.Config{Markets: 9, Coins: []string{"BTC", "SOL"}, Types: []string{"5m"}, Open: true})
	a := newArchive(t)
	var told []int
	src, err := s.Write(t.Context(), a, simulate.WriteOptions{Workers: 3, Progress: func(done, all int) {
		require.Equal(t, s.Len(), all)
		told = append(told, done)
	}})
	require.NoError(t, err)
	require.True(t, src.Complete)
	require.Equal(t, simulate.Format, src.Format)
	require.EqualValues(t, 11, src.Counts.Markets)
	require.Len(t, told, 11)
	require.IsIncreasing(t, told)
	got := contents(t, a)
	require.Len(t, got, 11)

	again, err := s.Write(t.Context(), a, simulate.WriteOptions{})
	require.NoError(t, err)
	require.Equal(t, src.Counts, again.Counts)
	require.Equal(t, got, contents(t, a))

	b := newArchive(t)
	_, err = s.Write(t.Context(), b, simulate.WriteOptions{Workers: 1})
	require.NoError(t, err)
	require.Equal(t, got, contents(t, b), "whatever the number of workers")
}

// TestWrittenIsWhatWasMade reads a round back from the archive.
func TestWrittenIsWhatWasMade(t *testing.T) {
	t.Parallel()
	s := newSimulation(t, simulate.Config{Seed: 5, Markets: 4, Types: []string{"5m"}})
	a := newArchive(t)
	_, err := s.Write(t.Context(), a, simulate.WriteOptions{})
	require.NoError(t, err)
	rounds, err := a.Rounds(t.Context(), market.RoundFilter{Coin: "BTC", Type: "5m"})
	require.NoError(t, err)
	require.Len(t, rounds, 4)
	for i := range s.Len() {
		want := s.Round(i)
		var m *market.Market
		for k := range rounds {
			if rounds[k].Market.Slug == want.Market.Slug {
				m = rounds[k].Market
				require.Equal(t, want.Gaps, rounds[k].Gaps)
			}
		}
		require.NotNil(t, m)
		require.Equal(t, want.Market.VenueID, m.VenueID)
		require.Equal(t, want.Market.Tokens, m.Tokens)
		require.Equal(t, want.Market.Payout, m.Payout)
		require.Equal(t, []any{want.Market.Start, want.Market.End, want.Market.Question}, []any{m.Start, m.End, m.Question})
		requireCaptures(t, a, m, want)
	}
}

func requireCaptures(t *testing.T, a *archive.Archive, m *market.Market, want *simulate.Round) {
	var made, read market.Book
	stored := a.Captures(t.Context(), m)
	type seen struct {
		kind       market.Kind
		token      int
		recv, exch market.Instant
		trade      market.Trade
		quote      market.Quote
		bids, asks int
	}
	note := func(b *market.Book, c *market.Capture) seen {
		if c.IsLadder() {
			b.Apply(c)
		}
		return seen{c.Kind, c.Token, c.Recv, c.Exch, c.Trade, b.Quote(), len(b.Append(nil, market.Bid)), len(b.Append(nil, market.Ask))}
	}
	var from []seen
	for c := range want.Captures() {
		from = append(from, note(&made, c))
	}
	n := 0
	for c, err := range stored {
		require.NoError(t, err)
		require.Less(t, n, len(from))
		require.Equal(t, from[n], note(&read, c), "capture %d", n)
		n++
	}
	require.Len(t, from, n)
}

func TestWriteStopsWhenTold(t *testing.T) {
	t.Parallel()
	s := newSimulation(t, simulate.Config{Markets: 40, Types: []string{"5m"}})
	a := newArchive(t)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := s.Write(ctx, a, simulate.WriteOptions{Progress: func(done, _ int) {
		if done == 3 {
			cancel()
		}
	}})
	require.ErrorIs(t, err, context.Canceled)
	src, err := s.Write(t.Context(), a, simulate.WriteOptions{})
	require.NoError(t, err, "and goes on when told again")
	require.True(t, src.Complete)
	require.Len(t, contents(t, a), 40)
}

// BenchmarkDemo makes the demo archive.
//
//	go test -run - -bench Demo -benchtime 1x ./archive/simulate
func BenchmarkDemo(b *testing.B) {
	for b.Loop() {
		s := newSimulation(b, simulate.Demo())
		path := filepath.Join(b.TempDir(), "demo.db")
		opened, _, err := sqlite.Create(b.Context(), path)
		require.NoError(b, err)
		a := archive.New(opened)
		src, err := s.Write(b.Context(), a, simulate.WriteOptions{})
		require.NoError(b, err)
		require.NoError(b, a.Close())
		file, err := os.Stat(path)
		require.NoError(b, err)
		b.ReportMetric(float64(file.Size())/1e6, "MB")
		b.ReportMetric(float64(src.Counts.Bytes)/float64(src.Counts.Changes), "B/change")
	}
}
