package archive_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// Captures of a market go into a new archive, and come out in the order in which
// they were received.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "archive")
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

	imp, err := intake.New(a.Store(), intake.Config{}).Begin(ctx, store.Source{
		SHA256: sha256.Sum256([]byte("the file")), Name: "captures.jsonl", Format: "example", Authority: store.FromCaptures,
	})
	if err != nil {
		panic(err)
	}
	defer imp.Close()
	m, err := imp.Market(ctx, market.Market{
		Venue: market.Polymarket, Slug: "btc-updown-5m-1776081600",
		Tokens: []market.Token{{Outcome: market.Up}, {Outcome: market.Down}},
	})
	if err != nil {
		panic(err)
	}
	start := 1_776_081_600 * market.Second
	for i, p := range []market.Price{5000, 5200, 4900} {
		c := market.Capture{Kind: market.KindTrade, Recv: start + market.Instant(i)*market.Second}
		c.Trade = market.Trade{Price: p, Size: 10 * market.SizeOne, Side: market.Bid}
		if err := m.Add(&c); err != nil {
			panic(err)
		}
	}
	if _, err := imp.Finish(ctx, intake.End{Messages: 3}); err != nil {
		panic(err)
	}

	row, err := a.Market(ctx, "btc-updown-5m-1776081600", "")
	if err != nil {
		panic(err)
	}
	fmt.Println(row.Market.Coin, row.Market.Type, "from", row.Market.Start)
	for c, err := range a.Captures(ctx, &row.Market) {
		if err != nil {
			panic(err)
		}
		fmt.Println(c.Recv, c.Trade.Price)
	}
	// Output:
	// BTC 5m from 2026-04-13T12:00:00Z
	// 2026-04-13T12:00:00Z 0.5
	// 2026-04-13T12:00:01Z 0.52
	// 2026-04-13T12:00:02Z 0.49
}
