package api_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/market"
)

// TestQuotesWithoutSizes: best prices of a source that gives no sizes have no
// place in a book, and one in quotes, page by page as in bulk.
func TestQuotesWithoutSizes(t *testing.T) {
	t.Parallel()
	from := market.Instant(1776081600) * market.Second
	none := market.Level{Price: market.NoPrice}
	var captures []market.Capture
	for i, q := range []market.Quote{
		{Bid: market.Level{Price: 4000}, Ask: market.Level{Price: 4150}}, {Bid: market.Level{Price: 4100, Size: 2_500_000}, Ask: none}, {Bid: none, Ask: none},
	} {
		captures = append(captures, market.Capture{Kind: market.KindQuote, Recv: from + market.Instant(i)*market.Second, Quote: q})
	}
	a, err := newArchive(filepath.Join(t.TempDir(), "quotes.db"), func(ctx context.Context, a *archive.Archive) error {
		return putMarkets(ctx, a, "quotes", []handMade{{market.Market{
			Venue: market.PolymarketUS, Slug: "no-sizes", Category: market.Sports, Tokens: []market.Token{{Label: "Yes"}, {Label: "No"}},
			Closed: true, ClosedAt: from + market.Minute,
		}, captures, []market.TokenGap{{Token: 1, Gap: market.Gap{From: from + market.Second, To: from + 2*market.Second}}}}})
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	w := worldOver(t, a, nil)

	window := fmt.Sprintf("start_ts=%s&end_ts=%s&resolution=1s", from, from+3*market.Second)
	var books struct {
		Data map[string][]struct{ Bids, Asks [][2]float64 }
	}
	w.get(t, "/v1/markets/no-sizes/books?"+window).json(t, &books)
	require.Empty(t, books.Data["Yes"][0].Bids)
	var got struct {
		Data     map[string]json.RawMessage
		Metadata struct{ Count int }
	}
	w.get(t, "/v1/markets/no-sizes/quotes?"+window).json(t, &got)
	at := func(i int) market.Instant { return from + market.Instant(i)*market.Second }
	require.JSONEq(t, fmt.Sprintf(`[{"t":"%s","bid":0.4,"bid_size":null,"ask":0.415,"ask_size":null},
		{"t":"%s","bid":0.41,"bid_size":2.5,"ask":null,"ask_size":null},
		{"t":"%s","bid":null,"bid_size":null,"ask":null,"ask_size":null}]`, at(0), at(1), at(2)), string(got.Data["Yes"]))
	var one struct{ Data json.RawMessage }
	w.get(t, "/v1/tokens/no-sizes:yes/quotes?"+window).json(t, &one)
	require.JSONEq(t, string(got.Data["Yes"]), string(one.Data))

	bulk := w.do(t, request{path: "/v1/tokens/no-sizes:yes/quotes?" + window, header: accept("text/csv")})
	rows, err := csv.NewReader(strings.NewReader(string(bulk.body))).ReadAll()
	require.NoError(t, err)
	require.Equal(t, [][]string{
		{"t", "token_id", "label", "bid", "bid_size", "ask", "ask_size"},
		{at(0).String(), "no-sizes:yes", "Yes", "0.4", "", "0.415", ""},
		{at(1).String(), "no-sizes:yes", "Yes", "0.41", "2.5", "", ""},
		{at(2).String(), "no-sizes:yes", "Yes", "", "", "", ""},
	}, rows)
	lines := w.do(t, request{path: "/v1/tokens/no-sizes:yes/quotes?" + window, header: accept("application/x-ndjson")})
	require.Equal(t, 3, strings.Count(string(lines.body), "\n"))
	require.Contains(t, string(lines.body), `"bid":0.4,"bid_size":null,"ask":0.415,"ask_size":null}`)

	gaps := w.get(t, "/v1/markets/no-sizes/gaps")
	require.JSONEq(t, fmt.Sprintf(`{"market_id":"no-sizes","count":1,"data":[{"token_id":"no-sizes:no","from":"%s","to":"%s"}]}`, at(1), at(2)), string(gaps.body))
	require.Equal(t, http.StatusNotFound, w.do(t, request{path: "/v1/markets/nothing/gaps"}).status)
}
