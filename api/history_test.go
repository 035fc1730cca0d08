package api_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// wirePage is an answer of any of the history routes.
type wirePage struct {
	MarketID   string            `json:"market_id"`
	TokenID    string            `json:"token_id"`
	TokenLabel string            `json:"token_label"`
	Resolution string            `json:"resolution"`
	Tokens     map[string]string `json:"tokens"`
	Data       json.RawMessage   `json:"data"`
	Metadata   struct {
		Count      int     `json:"count"`
		Limit      int     `json:"limit"`
		NextCursor *string `json:"next_cursor"`
	} `json:"metadata"`
}

// wirePoint is a point of any kind, with its numbers as they are written.
type wirePoint struct {
	T         string           `json:"t"`
	P         json.Number      `json:"p,omitempty"`
	Liquidity json.Number      `json:"liquidity,omitempty"`
	Spread    json.Number      `json:"spread,omitempty"`
	Volume    json.Number      `json:"volume,omitempty"`
	Bids      [][2]json.Number `json:"bids,omitempty"`
	Asks      [][2]json.Number `json:"asks,omitempty"`
}

// lists returns the points by label; those of routes with one list under "".
func (p *wirePage) lists(t testing.TB) map[string][]wirePoint {
	t.Helper()
	out := map[string][]wirePoint{}
	if p.Data[0] == '{' {
		require.NoError(t, json.Unmarshal(p.Data, &out), "%s", p.Data)
		return out
	}
	var one []wirePoint
	require.NoError(t, json.Unmarshal(p.Data, &one), "%s", p.Data)
	out[""] = one
	return out
}

// timeText writes the time of a bucket.
func timeText(t market.Instant) string {
	if t%market.Second == 0 {
		return t.Time().Format("2006-01-02T15:04:05Z")
	}
	return t.Time().Format("2006-01-02T15:04:05.000Z")
}

func decimal(v int64, decimals int) json.Number {
	return json.Number(market.FormatDecimal(v, decimals))
}

func wireLevels(levels []market.Level) [][2]json.Number {
	out := [][2]json.Number{}
	for _, l := range levels {
		out = append(out, [2]json.Number{decimal(int64(l.Price), 4), decimal(int64(l.Size), 6)})
	}
	return out
}

// whole returns all that a window holds, walked from the market's first capture:
// per bucket and token for prices and books, "" for metrics.
func whole(t testing.TB, a *archive.Archive, row *store.Listing, kind string, w history.Window) map[string][]wirePoint {
	t.Helper()
	marks, err := a.Watermarks(t.Context(), "")
	require.NoError(t, err)
	m := &row.Market
	q := history.Request{Market: m, Window: w, Known: history.KnownOf(&row.MarketRow, marks[m.Category])}
	captures := a.Captures(t.Context(), m)
	out := map[string][]wirePoint{}
	put := func(token int, p wirePoint) { out[m.Tokens[token].Label] = append(out[m.Tokens[token].Label], p) }
	switch kind {
	case "prices":
		err = history.Prices(q, captures, func(t market.Instant, p []int64) bool {
			for i, v := range p {
				if v != history.None {
					put(i, wirePoint{T: timeText(t), P: decimal(v, 6)})
				}
			}
			return true
		})
	case "books":
		err = history.Books(q, captures, func(t market.Instant, b []history.Ladder) bool {
			for i, l := range b {
				if l.Known {
					put(i, wirePoint{T: timeText(t), Bids: wireLevels(l.Bids), Asks: wireLevels(l.Asks)})
				}
			}
			return true
		})
	default:
		err = history.Metrics(q, captures, func(t market.Instant, m history.Metric) bool {
			out[""] = append(out[""], wirePoint{
				T: timeText(t), Liquidity: decimal(m.Liquidity, 6), Spread: decimal(m.Spread, 6), Volume: decimal(m.Volume, 6),
			})
			return true
		})
	}
	require.NoError(t, err)
	return out
}

func historyPath(route string, w history.Window, resolution string) string {
	q := url.Values{"start_ts": {w.Start.String()}, "end_ts": {w.End.String()}, "resolution": {resolution}}
	return "/v1/" + route + "?" + q.Encode()
}

// joined reads all pages of a history route, with limits that change from page
// to page, and joins them.
func (w *world) joined(t testing.TB, path string, limit func() int, tokens int) map[string][]wirePoint {
	t.Helper()
	out := map[string][]wirePoint{}
	cursor := ""
	for n := 0; ; n++ {
		require.Less(t, n, 5000, "paging does not end: %s", path)
		l := limit()
		var page wirePage
		w.get(t, fmt.Sprintf("%s&limit=%d&cursor=%s", path, l, cursor)).json(t, &page)
		require.Equal(t, l, page.Metadata.Limit)
		count := 0
		for label, points := range page.lists(t) {
			count += len(points)
			require.LessOrEqual(t, len(points), l/tokens)
			out[label] = append(out[label], points...)
		}
		require.Equal(t, count, page.Metadata.Count)
		if page.Metadata.NextCursor == nil {
			return out
		}
		require.Positive(t, count, "an empty page that is not the last")
		cursor = *page.Metadata.NextCursor
	}
}

// TestPagesAreTheWhole joins pages of every history route over random windows,
// resolutions and limits, and compares with one walk from the first capture.
func TestPagesAreTheWhole(t *testing.T) {
	t.Parallel()
	s, err := archives()
	require.NoError(t, err)
	for name, a := range map[string]*archive.Archive{"main": s.main, "nasty": s.nasty} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := worldOver(t, a, nil)
			rows, err := a.Markets(t.Context(), store.MarketQuery{Page: store.Page{Sort: store.ByEnd}})
			require.NoError(t, err)
			rnd := rand.New(rand.NewPCG(3, 4))
			for i := range rows {
				// Twins have one label twice: TestLabelsTwice.
				if len(rows[i].Market.Tokens) <= 200 && rows[i].Market.VenueID != "twins" {
					w.checkPages(t, rnd, &rows[i])
				}
			}
		})
	}
}

// checkPages compares random windows of one market.
func (w *world) checkPages(t testing.TB, rnd *rand.Rand, row *store.Listing) {
	t.Helper()
	m := &row.Market
	from := row.Stats.First
	if from == 0 {
		from = m.Start
	}
	length := max(row.Stats.Last-from, market.Minute)
	for range 4 {
		names := []string{"1s", "5s", "15s", "30s", "1m", "60s", "5m", "10m", "15m", "1h"}
		window := history.Window{Start: from + market.Instant(rnd.Int64N(int64(length)))*5/4 - length/8}
		window.End = window.Start + 1 + market.Instant(rnd.Int64N(int64(length)))
		if window.End-window.Start < 2*market.Minute {
			names = append(names, "250ms", "250ms", "250ms")
		}
		resolution, _ := history.FindResolution(names[rnd.IntN(len(names))])
		for window.Resolution = resolution.Span; (window.End-window.Start)/window.Resolution > 700; {
			window.End -= (window.End - window.Start) / 2
		}
		for _, kind := range []string{"prices", "books", "metrics"} {
			want := whole(t, w.archive, row, kind, window)
			tokens := len(m.Tokens)
			if kind == "metrics" {
				tokens = 1
			}
			limit := func() int { return tokens + rnd.IntN(201-tokens) }
			path := historyPath("markets/"+url.PathEscape(m.VenueID)+"/"+kind, window, resolution.Name)
			got := w.joined(t, path, limit, tokens)
			for label, points := range got {
				require.Equal(t, want[label], slices.Clip(append([]wirePoint(nil), points...)), "%s %s", path, label)
			}
			for label := range want {
				require.Contains(t, got, label)
			}
			if kind == "metrics" {
				continue
			}
			for _, token := range m.Tokens {
				path := historyPath("tokens/"+url.PathEscape(token.VenueID)+"/"+kind, window, resolution.Name)
				got := w.joined(t, path, func() int { return 1 + rnd.IntN(200) }, 1)
				require.Equal(t, want[token.Label], slices.Clip(append([]wirePoint(nil), got[""]...)), path)
			}
		}
	}
}

func windowOf(from, to market.Instant) history.Window {
	return history.Window{Start: from, End: to, Resolution: market.Minute}
}

func jsonNumber(s string) json.Number { return json.Number(s) }
