package api_test

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// btc returns a decided BTC round of the main archive and the path of one of its
// histories over the whole round.
func btc(t testing.TB, w *world, kind, resolution string) (*store.Listing, string, history.Window) {
	t.Helper()
	rows, err := w.archive.Markets(t.Context(), store.MarketQuery{Coin: "BTC", Page: store.Page{Sort: store.ByEnd, Ascending: true, Limit: 1}})
	require.NoError(t, err)
	r, ok := history.FindResolution(resolution)
	require.True(t, ok)
	m := &rows[0].Market
	window := history.Window{Start: m.Start, End: m.End, Resolution: r.Span}
	return &rows[0], historyPath("markets/"+m.VenueID+"/"+kind, window, resolution), window
}

func accept(media string) http.Header { return http.Header{"Accept": {media}} }

// bulkRows returns what a bulk answer must hold, as CSV records.
func bulkRows(t testing.TB, w *world, row *store.Listing, kind string, window history.Window) [][]string {
	t.Helper()
	lists := whole(t, w.archive, row, kind, window)
	if kind == "metrics" {
		out := [][]string{{"t", "liquidity", "spread", "volume"}}
		for _, p := range lists[""] {
			out = append(out, []string{p.T, string(p.Liquidity), string(p.Spread), string(p.Volume)})
		}
		return out
	}
	at := map[string][][]string{}
	for _, token := range row.Market.Tokens {
		for _, p := range lists[token.Label] {
			head := []string{p.T, token.VenueID, token.Label}
			if kind == "prices" {
				at[p.T] = append(at[p.T], append(head, string(p.P)))
			}
			for i, side := range [][][2]json.Number{p.Bids, p.Asks} {
				for k, l := range side {
					at[p.T] = append(at[p.T], append(head[:3:3], []string{"bid", "ask"}[i], fmt.Sprint(k+1), string(l[0]), string(l[1])))
				}
			}
		}
	}
	out := [][]string{{"t", "token_id", "label", "p"}}
	if kind == "books" {
		out = [][]string{{"t", "token_id", "label", "side", "level", "price", "size"}}
	}
	for t := window.First(); t < window.End; t += window.Resolution {
		out = append(out, at[timeText(t)]...)
	}
	return out
}

func TestBulk(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, kind := range []string{"prices", "books", "metrics"} {
		row, path, window := btc(t, w, kind, "1s")
		want := bulkRows(t, w, row, kind, window)
		require.Greater(t, len(want), 300)

		a := w.do(t, request{path: path, header: accept("text/csv")})
		require.Equal(t, 200, a.status)
		got, err := csv.NewReader(bytes.NewReader(a.body)).ReadAll()
		require.NoError(t, err)
		require.Equal(t, want, got)

		a = w.do(t, request{path: path, header: accept("application/x-ndjson")})
		lines := strings.Split(strings.TrimSuffix(string(a.body), "\n"), "\n")
		require.Len(t, lines, len(want)-1)
		for i, line := range lines {
			var fields map[string]any
			dec := json.NewDecoder(strings.NewReader(line))
			dec.UseNumber()
			require.NoError(t, dec.Decode(&fields), line)
			require.Len(t, fields, len(want[0]))
			for k, name := range want[0] {
				require.Equal(t, want[i+1][k], fmt.Sprint(fields[name]), line)
			}
		}

		a = w.do(t, request{path: path, header: accept("application/vnd.apache.parquet")})
		require.Equal(t, want, parquetRecords(t, a.body))
	}
	// One token of a market.
	row, _, window := btc(t, w, "prices", "1s")
	a := w.do(t, request{path: historyPath("tokens/"+row.Market.Tokens[1].VenueID+"/prices", window, "1s"), header: accept("text/csv")})
	require.Equal(t, 300+1, strings.Count(string(a.body), "\n"))
	require.Equal(t, 300, strings.Count(string(a.body), row.Market.Tokens[1].VenueID))
	// A label that CSV must quote.
	a = w.do(t, request{path: "/v1/tokens/x%2Fy/books?" + window1, header: accept("text/csv")})
	require.Equal(t, "t,token_id,label,side,level,price,size\n"+
		"2026-04-01T12:00:00Z,x/y,\"Yes, \"\"really\"\"\",bid,1,0.49,10\n2026-04-01T12:00:00Z,x/y,\"Yes, \"\"really\"\"\",ask,1,0.51,10\n", string(a.body))
}

const window1 = "start_ts=2026-04-01T12:00:00Z&end_ts=2026-04-01T12:01:00Z&resolution=1m"

// parquetRecords reads a Parquet file into records like those of CSV.
func parquetRecords(t testing.TB, file []byte) [][]string {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	var names []string
	for _, c := range f.Schema().Fields() {
		names = append(names, c.Name())
	}
	out := [][]string{names}
	for _, g := range f.RowGroups() {
		rows := g.Rows()
		buf := make([]parquet.Row, 100)
		for {
			n, err := rows.ReadRows(buf)
			for _, row := range buf[:n] {
				record := make([]string, len(row))
				for i, v := range row {
					switch {
					case names[i] == "t":
						record[i] = timeText(market.Instant(v.Int64()))
					case v.Kind() == parquet.Double:
						record[i] = fmt.Sprint(v.Double())
					default:
						record[i] = v.String()
					}
				}
				out = append(out, record)
			}
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
		}
		require.NoError(t, rows.Close())
	}
	return out
}

func TestBulkNegotiation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	_, path, _ := btc(t, w, "prices", "1m")
	for header, media := range map[string]string{
		"*/*": "application/json", "": "application/json", "application/json": "application/json", "text/*": "application/json",
		"application/json, text/csv": "application/json", "text/csv;q=0.5, application/json;q=0.4": "text/csv",
		"text/csv, */*;q=0.1": "text/csv", "text/csv;q=0, */*": "application/json", "TEXT/CSV": "text/csv", "text/html": "application/json",
		"*/*, text/csv": "text/csv", "*/*, text/csv;q=0.9": "application/json", "application/xml": "application/json",
	} {
		a := w.do(t, request{path: path, header: accept(header)})
		require.Equal(t, 200, a.status)
		require.Contains(t, a.header.Get("Content-Type"), media, header)
	}
	for _, extra := range []string{"&limit=10", "&cursor=", "&limit=10&cursor=x"} {
		w.do(t, request{path: path + extra, header: accept("text/csv")}).fails(t, 400, "bad_request")
	}
	w.do(t, request{path: "/v1/markets/nobody/prices?" + window, header: accept("text/csv")}).fails(t, 404, "not_found")
	// HEAD says the same without walking, and counts no points.
	a := w.do(t, request{method: http.MethodHead, path: path, plan: "starter", header: accept("text/csv")})
	require.Equal(t, 200, a.status)
	require.Contains(t, a.header.Get("Content-Type"), "text/csv")
}

func TestBulkLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	rows, err := w.archive.Markets(t.Context(), store.MarketQuery{Coin: "ETH", OpenOnly: false, Page: store.Page{Sort: store.ByEnd, Ascending: true, Limit: 1}})
	require.NoError(t, err)
	m := &rows[0].Market
	resolution, _ := history.FindResolution("250ms")
	path := historyPath("markets/"+m.VenueID+"/prices", history.Window{Start: m.Start, End: m.End, Resolution: resolution.Span}, "250ms")
	bulk := func() *answer { return w.do(t, request{path: path, plan: "starter", header: accept("text/csv")}) }
	points := 0
	for {
		a := bulk()
		if a.status != 200 {
			msg := a.fails(t, 429, "rate_limited")
			require.Contains(t, msg, "200000")
			require.Equal(t, fmt.Sprint(12*3600-10), a.header.Get("Retry-After"))
			break
		}
		points += strings.Count(string(a.body), "\n") - 1
		require.Less(t, points, 200_001)
	}
	require.Greater(t, points+7200, 200_000, "the day is used to its end")
	require.Equal(t, 200, w.do(t, request{path: path, plan: "starter"}).status, "pages are not bulk")
}

func TestETag(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	_, path, _ := btc(t, w, "books", "1s")
	a := w.get(t, path)
	tag := a.header.Get("ETag")
	require.NotEmpty(t, tag)
	require.Equal(t, "private, no-cache", a.header.Get("Cache-Control"))
	for _, match := range []string{tag, "W/" + tag, `"x", ` + tag, "*"} {
		got := w.do(t, request{path: path, header: http.Header{"If-None-Match": {match}}})
		require.Equal(t, http.StatusNotModified, got.status)
		require.Equal(t, tag, got.header.Get("ETag"))
		require.Equal(t, "private, no-cache", got.header.Get("Cache-Control"))
	}
	require.Equal(t, 200, w.do(t, request{path: path, header: http.Header{"If-None-Match": {`"other"`}}}).status)
	head := w.do(t, request{method: http.MethodHead, path: path, header: http.Header{"If-None-Match": {tag}}})
	require.Equal(t, http.StatusNotModified, head.status)
	require.Equal(t, tag, head.header.Get("ETag"))
	for _, encoding := range []string{"identity", "gzip", "zstd"} {
		q := request{path: path, header: http.Header{"Accept-Encoding": {encoding}}}
		get := w.do(t, q)
		q.method = http.MethodHead
		head := w.do(t, q)
		require.Empty(t, head.body)
		for _, name := range []string{"ETag", "Content-Type", "Content-Encoding", "Content-Length", "Vary", "Cache-Control"} {
			require.Equal(t, get.header.Values(name), head.header.Values(name), "%s %s", encoding, name)
		}
	}
	seen := map[string]string{tag: path}
	for _, q := range []request{
		{path: path + "&limit=10"}, {path: strings.Replace(path, "/books", "/prices", 1)}, {path: strings.Replace(path, "=1s", "=5s", 1)},
		{path: path, header: accept("text/csv")}, {path: path, header: http.Header{"Accept-Encoding": {"gzip"}}},
		{path: strings.Replace(path, "=1s", "=1m", 1)}, {path: strings.Replace(path, "=1s", "=60s", 1)},
	} {
		got := w.do(t, q).header.Get("ETag")
		require.NotEmpty(t, got)
		require.Empty(t, seen[got], "%v", q)
		seen[got] = q.path
	}
	for _, bad := range []string{"&limit=1", "&limit=999", "&cursor=x"} {
		got := w.do(t, request{path: path + bad, header: http.Header{"If-None-Match": {"*"}}})
		require.Equal(t, 400, got.status)
		require.Empty(t, got.header.Get("ETag"))
		require.Empty(t, got.header.Get("Cache-Control"))
	}
}

func TestEncodings(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	_, path, _ := btc(t, w, "books", "1s")
	for _, media := range []string{"application/json", "text/csv"} {
		plain := w.do(t, request{path: path, header: accept(media)})
		for encodings, want := range map[string]string{
			"gzip": "gzip", "zstd": "zstd", "gzip, zstd": "zstd", "gzip;q=1, zstd;q=0.5": "gzip", "br": "", "identity": "", "gzip;q=0": "", "": "",
		} {
			a := w.do(t, request{path: path, header: http.Header{"Accept": {media}, "Accept-Encoding": {encodings}}})
			require.Equal(t, want, a.header.Get("Content-Encoding"), encodings)
			require.Contains(t, strings.Join(a.header.Values("Vary"), ", "), "Accept-Encoding")
			body := a.body
			var err error
			switch want {
			case "gzip":
				z, zerr := gzip.NewReader(bytes.NewReader(body))
				require.NoError(t, zerr)
				body, err = io.ReadAll(z)
			case "zstd":
				z, zerr := zstd.NewReader(bytes.NewReader(body))
				require.NoError(t, zerr)
				body, err = io.ReadAll(z)
				z.Close()
			}
			require.NoError(t, err)
			require.Equal(t, string(plain.body), string(body), encodings)
			if want != "" {
				require.Less(t, len(a.body), len(plain.body)/2)
			}
		}
	}
}
