package ingest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/ingest"
	"github.com/ladderback/ladderback/archive/sqlite"
)

// A log of the exchange's WebSocket feed, with one line that is none, goes into a
// new archive.
func ExampleRun() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "ingest")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	s, _, err := sqlite.Create(ctx, filepath.Join(dir, "archive.db"))
	if err != nil {
		panic(err)
	}
	a := archive.New(s)
	defer a.Close()

	lines := `{"recv":1776081601.25,"slug":"btc-updown-5m-1776081600","msg":{"event_type":"book","market":"0xab","asset_id":"71","timestamp":"1776081601000","bids":[{"price":"0.47","size":"50"}],"asks":[{"price":"0.52","size":"80"}]}}
not a message
`
	r, err := ingest.Run(ctx, a, ingest.Options{Paths: []string{"-"}, Stdin: strings.NewReader(lines)})
	if err != nil {
		panic(err)
	}
	f := r.Files[0]
	fmt.Println(f.Format, f.Source.Counts.Captures, "capture; rejected:", f.Source.Counts.Rejected)
	row, err := a.Market(ctx, "btc-updown-5m-1776081600", "")
	if err != nil {
		panic(err)
	}
	fmt.Println(row.Market.Coin, row.Market.Type, row.Market.Start)
	// Output:
	// polymarket-ws 1 capture; rejected: map[not valid JSON:1]
	// BTC 5m 2026-04-13T12:00:00Z
}
