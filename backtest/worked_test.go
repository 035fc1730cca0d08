package backtest_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/ingest"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/internal/backtesttest"
	"github.com/ladderback/ladderback/internal/realdata"
	"github.com/ladderback/ladderback/strategy"
)

// workedStrategy buys a side of BTC 5m below a price in the first 3 minutes.
func workedStrategy(side strategy.Side, below int, exit strategy.Exit) strategy.Strategy {
	return strategy.Strategy{
		Market: strategy.MarketSpec{Coin: "BTC", Type: "5m"},
		Side:   side,
		Entry: []strategy.Condition{{
			Type: strategy.Price, Token: side.Held(), Comparator: strategy.LT,
			Threshold: strategy.Cents(below), WithinSeconds: 180,
		}},
		Exit: exit, BudgetPerTrade: strategy.Int(50), SampleSize: 100,
	}
}

// realArchive imports some rounds of the real captures.
func realArchive(t *testing.T, slugs ...string) *archive.Archive {
	t.Helper()
	dir := realdata.Dir(t, "polymarket-btc-5m")
	ctx := context.Background()
	opened, _, err := sqlite.Create(ctx, filepath.Join(t.TempDir(), "real.db"))
	require.NoError(t, err)
	a := archive.New(opened)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	o := ingest.Options{Markets: []string{filepath.Join(dir, "markets.jsonl")}}
	for _, slug := range slugs {
		o.Paths = append(o.Paths, filepath.Join(dir, "captures", slug+".jsonl.gz"))
	}
	result, err := ingest.Run(ctx, a, o)
	require.NoError(t, err)
	require.Empty(t, result.Failed())
	return a
}

// The trades of docs/worked-trades.md were worked by hand; the engine makes the
// same ones, to the micro-dollar.
func TestWorkedTrades(t *testing.T) {
	t.Parallel()
	worked := []struct {
		slug string
		s    strategy.Strategy
	}{
		{"btc-updown-5m-1776097500", workedStrategy(strategy.Down, 45, strategy.Exit{
			TakeProfit: strategy.Cents(70).Ptr(), StopLoss: strategy.Cents(30).Ptr(), HoldToExpiry: true,
		})},
		{"btc-updown-5m-1776083400", workedStrategy(strategy.Up, 40, strategy.Exit{
			TakeProfit: strategy.Cents(55).Ptr(), StopLoss: strategy.Cents(25).Ptr(), HoldToExpiry: true,
		})},
		{"btc-updown-5m-1776159300", workedStrategy(strategy.Up, 35, strategy.Exit{HoldToExpiry: true})},
	}
	a := realArchive(t, worked[0].slug, worked[1].slug, worked[2].slug)
	page, err := os.ReadFile("../docs/worked-trades.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```json\n(.*?)\n```").FindAllSubmatch(page, -1)
	require.Len(t, blocks, len(worked))
	o := backtest.DefaultOptions()
	o.Include = []backtest.Include{backtest.IncludeFills}
	for i, w := range worked {
		var byHand map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(blocks[i][1], &byHand))
		b := backtesttest.Saved(t, a, w.s, o)
		x := explain(t, a, b, w.slug)
		require.Empty(t, x.Differs)
		engine := backtesttest.Fields(t, backtesttest.Marshal(t, x.Trade))
		for name, want := range byHand {
			require.JSONEq(t, string(want), string(engine[name]), "%s: %s", w.slug, name)
		}
		require.Len(t, engine, len(byHand)+2, "all but the market's and the token's id")
	}
}
