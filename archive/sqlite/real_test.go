package sqlite_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/ingest"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/internal/realdata"
	"github.com/ladderback/ladderback/market"
)

// realAll is the variable that makes TestRealCaptures compare all 83 markets
// rather than every twelfth.
const realAll = "LADDERBACK_REAL_ALL"

// TestRealCaptures imports real captures and compares every ladder that the
// archive hands out with the message it came in, read by encoding/json.
func TestRealCaptures(t *testing.T) {
	t.Parallel()
	dir := realdata.Dir(t, "polymarket-btc-5m")
	files, err := filepath.Glob(filepath.Join(dir, "captures", "*.jsonl.gz"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	if os.Getenv(realAll) == "" {
		var some []string
		for i := 0; i < len(files); i += 12 {
			some = append(some, files[i])
		}
		files = some
	}
	path := filepath.Join(memory(t), "real.db")
	opened, _, err := sqlite.Create(t.Context(), path)
	require.NoError(t, err)
	a := archivetest.New(opened)
	defer a.Close()
	begin := time.Now()
	res, err := ingest.Run(t.Context(), a.Archive, ingest.Options{Paths: files, Markets: []string{filepath.Join(dir, "markets.jsonl")}})
	require.NoError(t, err)
	require.Empty(t, res.Failed())
	t.Logf("%d captures, %d level changes in %v: %d bytes of blocks, %.2f a change",
		res.Captures, res.Changes, time.Since(begin), res.Bytes, float64(res.Bytes)/float64(res.Changes))
	for _, f := range files {
		compareReal(t, a, f)
	}
	v, err := a.Verify(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, v.Damage)
}

type wireLevel struct {
	Price, Size string
}

// compareReal compares what the archive has of the market of a file with the
// file.
func compareReal(t *testing.T, a *archivetest.Archive, file string) {
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	var messages []archivetest.Message
	var row *store.Listing
	for lines.Scan() {
		var l struct {
			Recv json.Number
			Slug string
			Msg  struct {
				AssetID   string `json:"asset_id"`
				Timestamp string
				Bids      []wireLevel
				Asks      []wireLevel
			}
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &l))
		if row == nil {
			row, err = a.Market(t.Context(), l.Slug, "")
			require.NoError(t, err)
		}
		c := market.Capture{Kind: market.KindBook, Replace: true, Bids: levels(t, l.Msg.Bids), Asks: levels(t, l.Msg.Asks)}
		c.Recv, err = market.ParseUnix(l.Recv.String())
		require.NoError(t, err)
		c.Exch, err = market.ParseUnixMillis(l.Msg.Timestamp)
		require.NoError(t, err)
		c.Token = slices.IndexFunc(row.Market.Tokens, func(k market.Token) bool { return k.VenueID == l.Msg.AssetID })
		require.NotEqual(t, -1, c.Token)
		messages = append(messages, archivetest.Message{Capture: c})
	}
	require.NoError(t, lines.Err())
	m := &row.Market
	want, err := archivetest.Trace(m, archivetest.Model(m, messages, func(i int) int { return i }))
	require.NoError(t, err)
	got, err := archivetest.Trace(m, a.Captures(t.Context(), m))
	require.NoError(t, err)
	require.Len(t, got, len(want), m.Slug)
	for i := range want {
		require.Equal(t, want[i], got[i], "%s: capture %d", m.Slug, i)
	}
}

// levels turns a side around: the exchange sends the best level last.
func levels(t testing.TB, side []wireLevel) []market.Level {
	out := make([]market.Level, 0, len(side))
	for _, l := range slices.Backward(side) {
		p, err := market.ParsePrice(l.Price)
		require.NoError(t, err)
		z, err := market.ParseSize(l.Size)
		require.NoError(t, err)
		out = append(out, market.Level{Price: p, Size: z})
	}
	return out
}
