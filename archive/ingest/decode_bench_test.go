package ingest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/ingest/exported"
	"github.com/ladderback/ladderback/archive/ingest/rows"
	"github.com/ladderback/ladderback/archive/ingest/stream"
	"github.com/ladderback/ladderback/market"
)

// benchDir names the variable of a folder in which the files of BenchmarkDecode
// are left, to be read by other programs.
const benchDir = "LADDERBACK_BENCH_FILES"

// counter counts what a decoder hands out.
type counter struct {
	*keeper
	changes int64
}

func (c *counter) Add(_ int, m *market.Capture) error {
	c.changes += int64(max(1, len(m.Bids)+len(m.Asks)))
	return nil
}

// BenchmarkDecode reads a file of 20,000 events a format, from its bytes to
// captures, without a store: go test -bench Decode -benchtime 5x ./archive/ingest.
func BenchmarkDecode(b *testing.B) {
	var events []event
	for i := range 20_000 {
		sec := float64(i) / 70
		events = append(events, event{
			sec: strconv.FormatFloat(sec, 'f', 3, 64), bid: fmt.Sprintf("0.%02d", 20+i%30), ask: fmt.Sprintf("0.%02d", 55+i%30), size: fmt.Sprint(10 + i%1000),
		})
	}
	for _, s := range subjects() {
		decode := decoders[s.format]
		switch {
		case s.format == "ladderback-captures" && s.parquet():
			decode = ofParquet(func(ctx context.Context, p *rows.Parquet, to stream.Sink) (int64, error) {
				t, err := p.Read(exported.CaptureColumns()...)
				if err != nil {
					return 0, err
				}
				return exported.Captures(ctx, t, to)
			})
		case decode == nil:
			continue // the same as lines of JSON
		}
		b.Run(s.format, func(b *testing.B) {
			var data []byte
			if s.parquet() {
				var table [][]string
				for _, e := range events {
					table = append(table, s.row(e))
				}
				data = parquetTable(b, s.cols, table, parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(1<<20))
			} else {
				data = s.make(b, events)
			}
			if dir := os.Getenv(benchDir); dir != "" {
				ending := map[bool]string{true: ".parquet", false: ".txt"}[s.parquet()]
				require.NoError(b, os.WriteFile(filepath.Join(dir, strings.ReplaceAll(s.format, "/", "-")+ending), data, 0o600))
			}
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			var changes int64
			for b.Loop() {
				c := &counter{keeper: &keeper{t: b}}
				n, err := decode(context.Background(), data, c)
				require.NoError(b, err)
				require.EqualValues(b, len(events), n)
				changes += c.changes
			}
			b.ReportMetric(float64(changes)/b.Elapsed().Seconds(), "changes/s")
		})
	}
}
