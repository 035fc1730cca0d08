//go:build unix

package postgres_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/archive/postgres"
	"github.com/ladderback/ladderback/archive/simulate"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/internal/pgtest"
	"github.com/ladderback/ladderback/market"
)

// What a plain table would be: a row a capture, found by token and time.
const rowTable = `CREATE TABLE captures (
	token_id    text        NOT NULL,
	received_at timestamptz NOT NULL,
	mid         numeric,
	bids        jsonb       NOT NULL,
	asks        jsonb       NOT NULL,
	PRIMARY KEY (token_id, received_at)
)`

// rowPrices reads the value that held at each quarter of a second, and the means
// of buckets. The other token's price is 1 less it.
const rowPrices = `SELECT date_bin($4::interval, g.t, 'epoch') AS t, round(avg(c.mid), 6)::float8
	FROM generate_series($2::timestamptz, $3::timestamptz - interval '250 ms', interval '250 ms') g(t),
	LATERAL (SELECT mid FROM captures WHERE token_id = $1 AND received_at <= g.t ORDER BY received_at DESC LIMIT 1) c
	GROUP BY 1 ORDER BY 1`

// rowBooks reads the book that held at the last quarter of a second of each bucket.
const rowBooks = `SELECT g.t, c.bids::text, c.asks::text
	FROM generate_series($2::timestamptz, $3::timestamptz - $4::interval, $4::interval) g(t),
	LATERAL (SELECT bids, asks FROM captures WHERE token_id = $1 AND received_at <= g.t + $4::interval - interval '250 ms' ORDER BY received_at DESC LIMIT 1) c
	ORDER BY 1`

// BenchmarkRows makes pages of 15m rounds, with ladders of 50 levels a side and
// two captures a second: 200 points at 1s from the middle on, and the whole round
// in points of 15s. It makes them out of blocks, through every layer of the server
// but the socket, with nothing kept and as serve keeps it, and out of a plain table
// of a row a capture, in SQL alone, without the JSON of an answer:
//
//	go test ./archive/postgres -run - -bench Rows -benchtime 200x
func BenchmarkRows(b *testing.B) {
	addr := pgtest.Database(b)
	opened, _, err := postgres.Create(b.Context(), addr)
	require.NoError(b, err)
	a := archivetest.New(opened)
	defer a.Close()
	sim, err := simulate.New(simulate.Config{Seed: 1, Markets: 20, Levels: 50, Rate: 2})
	require.NoError(b, err)
	_, err = sim.Write(b.Context(), a.Archive, simulate.WriteOptions{})
	require.NoError(b, err)
	markets, err := a.Markets(b.Context(), store.MarketQuery{Page: store.Page{Sort: store.ByEnd}})
	require.NoError(b, err)
	conn, err := pgx.Connect(b.Context(), addr)
	require.NoError(b, err)
	defer func() { _ = conn.Close(b.Context()) }()
	fillRows(b, conn, a, markets)
	size := func(table string) float64 {
		return float64(ask[int64](b, addr, `SELECT pg_total_relation_size($1::text::regclass)`, table)) / 1e6
	}
	b.Run("disk/blocks", func(b *testing.B) { b.ReportMetric(size("blocks"), "MB") })
	b.Run("disk/rows", func(b *testing.B) { b.ReportMetric(size("captures"), "MB") })
	opened, err = postgres.Open(b.Context(), addr)
	require.NoError(b, err)
	kept := archivetest.New(opened)
	defer kept.Close()
	kept.Remember(256 << 20)
	servers := map[string]*client{"blocks": newClient(b, a, 0), "blocks, kept": newClient(b, kept, 0)}
	queries := map[string]string{"prices": rowPrices, "books": rowBooks}
	for _, p := range []rowPage{{"prices", "1s", 200, true}, {"books", "1s", 200, true}, {"prices", "15s", 60, false}, {"books", "15s", 60, false}} {
		for _, name := range []string{"blocks", "blocks, kept"} {
			b.Run(p.kind+" at "+p.resolution+"/"+name, func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					status, body := servers[name].get(b, p.path(&markets[i%len(markets)].Market))
					require.Equal(b, http.StatusOK, status, body)
				}
			})
		}
		b.Run(p.kind+" at "+p.resolution+"/rows", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				rows, err := conn.Query(b.Context(), queries[p.kind], p.args(&markets[i%len(markets)].Market)...)
				require.NoError(b, err)
				n := 0
				for rows.Next() {
					_, err = rows.Values()
					require.NoError(b, err)
					n++
				}
				require.NoError(b, rows.Err())
				require.Equal(b, p.points, n)
			}
		})
	}
	p := rowPage{"prices", "1s", 200, true}
	requireSamePrices(b, conn, servers["blocks"], &markets[0].Market, p)
}

// rowPage is a page of one token's history.
type rowPage struct {
	kind, resolution string
	points           int
	middle           bool // from the middle of the round on, not from its start
}

// window returns the window of the page, which is full.
func (p rowPage) window(m *market.Market) (from, to market.Instant) {
	r, _ := history.FindResolution(p.resolution)
	if from = m.Start; p.middle {
		from += (m.End - m.Start) / 2
	}
	return from, from + market.Instant(p.points)*r.Span
}

func (p rowPage) path(m *market.Market) string {
	from, to := p.window(m)
	return "/v1/tokens/" + m.Tokens[0].VenueID + "/" + p.kind + "?resolution=" + p.resolution +
		"&start_ts=" + from.String() + "&end_ts=" + to.String() +
		"&limit=" + strconv.Itoa(p.points)
}

func (p rowPage) args(m *market.Market) []any {
	from, to := p.window(m)
	return []any{m.Tokens[0].VenueID, from.Time(), to.Time(), p.resolution}
}

// fillRows puts the ladder after each capture of the first token into the table.
func fillRows(b *testing.B, conn *pgx.Conn, a *archivetest.Archive, markets []store.Listing) {
	ctx := b.Context()
	_, err := conn.Exec(ctx, rowTable)
	require.NoError(b, err)
	side := func(levels []market.Level) []byte {
		out := make([][2]json.Number, len(levels))
		for i, l := range levels {
			out[i] = [2]json.Number{json.Number(l.Price.String()), json.Number(l.Size.String())}
		}
		text, err := json.Marshal(out)
		require.NoError(b, err)
		return text
	}
	for i := range markets {
		m := &markets[i].Market
		var rows [][]any
		var book market.Book
		for c, err := range a.Captures(ctx, m) {
			require.NoError(b, err)
			if c.Kind != market.KindBook && c.Kind != market.KindChange || c.Token != 0 {
				continue
			}
			book.Apply(c)
			var mid any // none on a side: the plain table does not know
			if q := book.Quote(); q.Bid.Price != market.NoPrice && q.Ask.Price != market.NoPrice {
				mid = strconv.FormatFloat(float64(q.Bid.Price+q.Ask.Price)/2e4, 'f', 5, 64)
			}
			row := []any{m.Tokens[0].VenueID, c.Recv.Time(), mid, side(book.Append(nil, market.Bid)), side(book.Append(nil, market.Ask))}
			if n := len(rows); n > 0 && rows[n-1][1] == row[1] {
				rows[n-1] = row // at the same instant: the last one counts
				continue
			}
			rows = append(rows, row)
		}
		_, err := conn.CopyFrom(ctx, pgx.Identifier{"captures"}, []string{"token_id", "received_at", "mid", "bids", "asks"}, pgx.CopyFromRows(rows))
		require.NoError(b, err)
	}
	_, err = conn.Exec(ctx, `VACUUM (ANALYZE) captures`)
	require.NoError(b, err)
}

// requireSamePrices compares a page of prices from both.
func requireSamePrices(b *testing.B, conn *pgx.Conn, c *client, m *market.Market, p rowPage) {
	rows, err := conn.Query(b.Context(), rowPrices, p.args(m)...)
	require.NoError(b, err)
	type point struct {
		T any
		P float64
	}
	want, err := pgx.CollectRows(rows, pgx.RowToStructByPos[point])
	require.NoError(b, err)
	_, body := c.get(b, p.path(m))
	var page struct{ Data []struct{ P float64 } }
	require.NoError(b, json.Unmarshal([]byte(body), &page))
	require.Len(b, page.Data, len(want))
	for i := range want {
		require.InDelta(b, want[i].P, page.Data[i].P, 1.01e-6, "point %d", i)
	}
}
