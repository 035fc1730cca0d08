package wslog_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/ingest/wslog"
	"github.com/ladderback/ladderback/internal/realdata"
)

// realText returns the text of the real captures from the one with that number
// to before the other.
func realText(tb testing.TB, from, to int) []byte {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(realdata.Dir(tb, "polymarket-btc-5m"), "captures", "*.jsonl.gz"))
	require.NoError(tb, err)
	var text []byte
	for _, name := range files[from:to] {
		data, err := os.ReadFile(name)
		require.NoError(tb, err)
		z, err := gzip.NewReader(bytes.NewReader(data))
		require.NoError(tb, err)
		more, err := io.ReadAll(z)
		require.NoError(tb, err)
		text = append(text, more...)
	}
	return text
}

// BenchmarkReader measures the scanner alone over real captures:
//
//	go test -run '^$' -bench Reader -cpu 1 ./archive/ingest/wslog
func BenchmarkReader(b *testing.B) {
	text := realText(b, 0, 4)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		r := wslog.NewReader(bytes.NewReader(text))
		for {
			_, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(b, err)
		}
	}
}

// BenchmarkEncodingJSON is the same with encoding/json, for comparison.
func BenchmarkEncodingJSON(b *testing.B) {
	text := realText(b, 0, 1)
	b.SetBytes(int64(len(text)))
	type level struct{ Price, Size string }
	for b.Loop() {
		for line := range bytes.Lines(text) {
			var v struct {
				Recv json.Number
				Slug string
				Msg  struct {
					Market    string
					AssetID   string `json:"asset_id"`
					Timestamp string
					EventType string `json:"event_type"`
					Bids      []level
					Asks      []level
				}
			}
			require.NoError(b, json.Unmarshal(line, &v))
		}
	}
}
