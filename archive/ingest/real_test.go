package ingest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/ingest"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/realdata"
	"github.com/ladderback/ladderback/market"
)

// allReal asks for all of the real captures; by default the first few are
// compared.
const allReal = "LADDERBACK_INGEST_ALL"

// slowBook is a message as encoding/json reads it, prices and sizes from their
// text by the slow functions of package market.
type slowBook struct {
	Recv json.Number
	Msg  struct {
		AssetID    string `json:"asset_id"`
		Timestamp  string
		Bids, Asks []struct{ Price, Size string }
	}
}

// TestRealLadders: every ladder that the archive hands out is the one that
// encoding/json reads from the line.
func TestRealLadders(t *testing.T) {
	t.Parallel()
	dir := realdata.Dir(t, "polymarket-btc-5m")
	files, err := filepath.Glob(filepath.Join(dir, "captures", "*.jsonl.gz"))
	require.NoError(t, err)
	require.Len(t, files, 83)
	if os.Getenv(allReal) == "" {
		files = files[:3]
	}
	a := newArchive(t)
	res := run(t, a, ingest.Options{Paths: files, Markets: []string{filepath.Join(dir, "markets.jsonl")}})
	require.Empty(t, res.Failed())
	require.Zero(t, res.RejectedTotal())
	ladders := 0
	for _, path := range files {
		slug := filepath.Base(path[:len(path)-len(".jsonl.gz")])
		m, err := a.Market(t.Context(), slug, "")
		require.NoError(t, err)
		ladders += compare(t, a, m, path)
	}
	t.Logf("%d ladders compared", ladders)
	if len(files) == 83 {
		require.Equal(t, 210_542, ladders)
	}
}

func compare(t *testing.T, a *archive.Archive, m *store.Listing, path string) int {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	z, err := gzip.NewReader(bytes.NewReader(data))
	require.NoError(t, err)
	text, err := io.ReadAll(z)
	require.NoError(t, err)
	var want []slowBook
	firstOf := map[string]string{} // exchange time → token received first
	all := 0
	for line := range bytes.Lines(text) {
		var b slowBook
		require.NoError(t, json.Unmarshal(line, &b))
		all++
		if first, ok := firstOf[b.Msg.Timestamp]; ok && first != b.Msg.AssetID {
			continue // of a mirrored pair the token received first counts
		}
		firstOf[b.Msg.Timestamp] = b.Msg.AssetID
		want = append(want, b)
	}
	got := new(market.Book)
	n := 0
	for c, err := range a.Captures(t.Context(), &m.Market) {
		require.NoError(t, err)
		require.Less(t, n, len(want), path)
		w := &want[n]
		require.Equal(t, w.Msg.AssetID, m.Market.Tokens[c.Token].VenueID, "%s message %d", path, n+1)
		recv, err := market.ParseUnix(w.Recv.String())
		require.NoError(t, err)
		exch, err := market.ParseUnixMillis(w.Msg.Timestamp)
		require.NoError(t, err)
		require.Equal(t, [2]market.Instant{recv, exch}, [2]market.Instant{c.Recv, c.Exch}, "%s message %d", path, n+1)
		got.Apply(c)
		require.Len(t, got.Append(nil, market.Bid), len(w.Msg.Bids), "%s message %d", path, n+1)
		require.Len(t, got.Append(nil, market.Ask), len(w.Msg.Asks), "%s message %d", path, n+1)
		for k, levels := range [][]struct{ Price, Size string }{w.Msg.Bids, w.Msg.Asks} {
			side := []market.Side{market.Bid, market.Ask}[k]
			for _, l := range levels {
				p, err := market.ParsePrice(l.Price)
				require.NoError(t, err)
				s, err := market.ParseSize(l.Size)
				require.NoError(t, err)
				if got.Size(side, p) != s {
					t.Fatalf("%s message %d, %v at %v: got %v, want %v", path, n+1, side, p, got.Size(side, p), s)
				}
			}
		}
		n++
	}
	require.Len(t, want, n, path)
	return all
}

// TestRealTwice: the round that was captured both as lines and as Parquet, whose
// receive times are floating-point numbers, is one book.
func TestRealTwice(t *testing.T) {
	t.Parallel()
	dir := realdata.Dir(t, "polymarket-btc-5m")
	const slug = "btc-updown-5m-1776081600"
	a := newArchive(t)
	res := run(t, a, ingest.Options{
		Paths:   []string{filepath.Join(dir, "captures", slug+".jsonl.gz"), filepath.Join(dir, "parquet")},
		Markets: []string{filepath.Join(dir, "markets.jsonl")},
	})
	require.Empty(t, res.Failed())
	m, err := a.Market(t.Context(), slug, "")
	require.NoError(t, err)
	var captures int64
	for _, f := range res.Files {
		captures += f.Source.Counts.Captures
	}
	require.EqualValues(t, 2*4_362, captures)
	require.EqualValues(t, 4_362, m.Stats.Captures)
}
