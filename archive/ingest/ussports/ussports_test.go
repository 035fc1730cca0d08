package ussports_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/ingest/rows"
	"github.com/ladderback/ladderback/archive/ingest/ussports"
	"github.com/ladderback/ladderback/internal/realdata"
	"github.com/ladderback/ladderback/market"
)

type recorder struct {
	log     []string
	markets []market.Market
	quiet   bool // only count
	quotes  int
	rejects map[string]int
	fail    error
}

func (r *recorder) note(format string, args ...any) {
	if !r.quiet {
		r.log = append(r.log, fmt.Sprintf(format, args...))
	}
}

func (r *recorder) Market(_ context.Context, m market.Market) (int, error) {
	r.markets = append(r.markets, m)
	r.note("market %s %s %s", m.Slug, m.Category, m.Question)
	return len(r.markets) - 1, r.fail
}

func (r *recorder) Token(h int, t market.Token) int {
	for i, k := range r.markets[h].Tokens {
		if k == t {
			return i
		}
	}
	return -1
}

func (r *recorder) Add(h int, c *market.Capture) error {
	r.quotes++
	r.note("%v %s %d %d %v %v", c.Kind, r.markets[h].Slug, c.Token, c.Recv-epoch, c.Quote.Bid.Price, c.Quote.Ask.Price)
	if c.Recv == epoch+666 {
		return fmt.Errorf("odd: %w", block.ErrCapture)
	}
	return nil
}

func (r *recorder) Done(_ context.Context, h int) error {
	r.note("done %s", r.markets[h].Slug)
	return nil
}

func (r *recorder) Reject(row int64, text []byte, reason string) {
	if r.rejects == nil {
		r.rejects = map[string]int{}
	}
	r.rejects[reason]++
	r.note("reject %d %s %s", row, text, reason)
}

type quoteRow struct {
	TS        *int64   `parquet:"ts,timestamp(microsecond)"`
	Slug      *string  `parquet:"slug"`
	Category  *string  `parquet:"category"`
	Bid       *float64 `parquet:"bid"`
	Ask       *float64 `parquet:"ask"`
	Mid       *float64 `parquet:"mid"`
	Spread    *float64 `parquet:"spread"`
	Volume24h *float64 `parquet:"volume24hr"`
	Segment   *int32   `parquet:"segment"`
}

type marketRow struct {
	Slug     *string `parquet:"slug"`
	Question *string `parquet:"question"`
	Category *string `parquet:"category"`
	NSnaps   *int64  `parquet:"n_snaps"`
	FirstTS  *int64  `parquet:"first_ts,timestamp(microsecond)"`
	LastTS   *int64  `parquet:"last_ts,timestamp(microsecond)"`
}

type labelRow struct {
	Slug   *string `parquet:"slug"`
	Y      *int32  `parquet:"y"`
	Source *string `parquet:"source"`
}

func table[T any](t testing.TB, rows []T, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, append(options, parquet.MaxRowsPerRowGroup(3))...)
	_, err := w.Write(rows)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

func read(t *testing.T, data []byte, kind ussports.Kind) (*recorder, int64) {
	t.Helper()
	var r recorder
	p, err := rows.OpenParquet(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	require.Empty(t, rows.Missing(p.Columns(), ussports.Needs(kind)))
	n, err := ussports.Import(t.Context(), kind, p, &r)
	require.NoError(t, err)
	return &r, n
}

// epoch is the instant 0 of the tests.
const epoch = 1_783_715_146 * market.Second

func quote(after int64, slug, category string, bid, ask *float64) quoteRow {
	ts := int64(epoch) + after
	return quoteRow{TS: &ts, Slug: &slug, Category: &category, Bid: bid, Ask: ask}
}

func TestQuotes(t *testing.T) {
	t.Parallel()
	p := func(x float64) *float64 { return &x }
	data := table(t, []quoteRow{
		quote(1, "a", "sports", p(0.02), p(0.51)),
		quote(2, "a", "sports", nil, p(0.51)),
		quote(3, "a", "sports", p(0.0), nil),
		quote(4, "a", "sports", p(0.6), p(0.5)), // crossed
		quote(5, "a", "sports", p(0.12345), p(0.5)),
		quote(6, "a", "sports", p(1.2), nil),
		quote(7, "a", "sports", p(math.NaN()), nil),
		quote(8, "a", "sports", p(-0.1), nil),
		quote(9, "a", "sports", p(0.0001), p(1)),
		{Slug: new("a"), Category: new("sports")},
		quote(666, "a", "sports", nil, nil),
		quote(1, "b", "climate", p(0.5), nil),
		quote(2, "b", "climate", p(0.5), nil),
		quote(1, "c", "crypto", p(0.5), nil),
		quote(1, "d d", "sports", p(0.5), nil),
		quote(9, "a", "sports", p(0.3), nil),
	})
	r, n := read(t, data, ussports.Quotes)
	require.EqualValues(t, 16, n)
	const bad = "price outside 0 to 1, or finer than 0.0001"
	require.Equal(t, []string{
		"market a sports ",
		"quote a 0 1 0.02 0.51", "quote a 0 2 -0.0001 0.51", "quote a 0 3 -0.0001 -0.0001", "quote a 0 4 0.6 0.5",
		"reject 5 a " + bad, "reject 6 a " + bad, "reject 7 a " + bad, "reject 8 a " + bad,
		"quote a 0 9 0.0001 1", "reject 10 a time not understood",
		"quote a 0 666 -0.0001 -0.0001", "reject 11 a capture cannot be stored",
		"done a",
		"reject 12 b neither crypto nor sports", "reject 13 b neither crypto nor sports",
		"market c crypto ", "quote c 0 1 0.5 -0.0001", "done c",
		"reject 15 d d id not understood",
		"market a sports ", "quote a 0 9 0.3 -0.0001", "done a",
	}, r.log)
	require.Equal(t, market.PolymarketUS, r.markets[0].Venue)
	require.False(t, r.markets[0].Mirrored)
}

type watchRow struct {
	TS         *int64   `parquet:"ts,timestamp(microsecond)"`
	Slug       *string  `parquet:"slug"`
	Bid        *float64 `parquet:"bid"`
	Ask        *float64 `parquet:"ask"`
	Mid        *float64 `parquet:"mid"`
	LastTraded *float64 `parquet:"last_traded"`
}

// TestWatch: rows of several markets in order of time; the quotes are what bid and ask
// say, whatever the mid and the last trade are.
func TestWatch(t *testing.T) {
	t.Parallel()
	p := func(x float64) *float64 { return &x }
	row := func(after int64, slug string, bid, ask *float64) watchRow {
		ts := int64(epoch) + after
		return watchRow{TS: &ts, Slug: &slug, Bid: bid, Ask: ask, Mid: p(0.9), LastTraded: p(0.8)}
	}
	early := int64(epoch) / 1000 // milliseconds, in a column of microseconds
	r, n := read(t, table(t, []watchRow{
		row(1, "b", p(0.4), p(0.42)),
		row(2, "a", p(0.1), nil),
		row(3, "b", p(0), p(0.43)),
		row(4, "b", p(1.4), p(0.43)),
		row(5, "a a", p(0.4), nil),
		{Slug: new("a"), Bid: p(0.2)},
		{TS: &early, Slug: new("a"), Bid: p(0.2)},
		{TS: new(int64(epoch) + 6), Bid: p(0.2)},
		row(7, "a", p(0.1001), p(0.999)),
	}), ussports.Watch)
	require.EqualValues(t, 9, n)
	require.Equal(t, []string{
		"market b  ", "quote b 0 1 0.4 0.42", "market a  ", "quote a 0 2 0.1 -0.0001", "quote b 0 3 -0.0001 0.43",
		"reject 4 b price outside 0 to 1, or finer than 0.0001", "reject 5 a a id not understood",
		"reject 6 a time not understood", "reject 7 a time not understood", "reject 8  id not understood",
		"quote a 0 7 0.1001 0.999", "done a", "done b",
	}, r.log)
}

func TestMarketsAndLabels(t *testing.T) {
	t.Parallel()
	r, _ := read(t, table(t, []marketRow{
		{Slug: new("a"), Question: new("Who wins?"), Category: new("sports")},
		{Slug: new("b"), Question: new("Rain?"), Category: new("climate")},
		{Slug: nil, Category: new("sports")},
		{Slug: new("c")},
	}), ussports.Markets)
	require.Equal(t, []string{
		"market a sports Who wins?", "done a", "reject 2 b neither crypto nor sports", "reject 3  id not understood",
		"market c sports ", "done c",
	}, r.log)

	yes, no, void := int32(1), int32(0), int32(2)
	r, _ = read(t, table(t, []labelRow{
		{new("a"), &yes, new("api")}, {new("b"), &no, new("convergence")}, {new("c"), &void, new("api")}, {new("d"), nil, nil},
	}), ussports.Labels)
	require.Equal(t, []string{
		"market a  ", "done a", "market b  ", "done b", "reject 3 c outcome not understood", "reject 4 d outcome not understood",
	}, r.log)
	require.Equal(t, &market.Payout{Basis: market.Official, Fractions: []market.Cash{market.CashOne, 0}}, r.markets[0].Payout)
	require.Equal(t, &market.Payout{Basis: market.Inferred, Fractions: []market.Cash{0, market.CashOne}}, r.markets[1].Payout)
}

func TestErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	yes := int32(1)
	data := table(t, []labelRow{{new("a"), &yes, nil}})
	open := func() *rows.Parquet {
		p, err := rows.OpenParquet(bytes.NewReader(data), int64(len(data)))
		require.NoError(t, err)
		return p
	}
	_, err := ussports.Import(t.Context(), ussports.Labels, open(), &recorder{fail: broken})
	require.ErrorIs(t, err, broken)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = ussports.Import(ctx, ussports.Labels, open(), &recorder{})
	require.ErrorIs(t, err, context.Canceled)
	_, err = ussports.Import(t.Context(), ussports.Quotes, open(), &recorder{})
	require.ErrorIs(t, err, rows.ErrColumn)
}

// TestReal reads the real files and finds what their README counts.
func TestReal(t *testing.T) {
	t.Parallel()
	dir := realdata.Dir(t, "polymarket-us-sports")
	var r recorder
	r.quiet = true
	for name, kind := range map[string]ussports.Kind{
		"markets.parquet": ussports.Markets, "labels.parquet": ussports.Labels,
		"quotes/dt=2026-07-10/data_0.parquet": ussports.Quotes,
	} {
		f, err := os.Open(filepath.Join(dir, name))
		require.NoError(t, err)
		t.Cleanup(func() { _ = f.Close() })
		st, err := f.Stat()
		require.NoError(t, err)
		p, err := rows.OpenParquet(f, st.Size())
		require.NoError(t, err, name)
		require.Empty(t, rows.Missing(p.Columns(), ussports.Needs(kind)), name)
		_, err = ussports.Import(t.Context(), kind, p, &r)
		require.NoError(t, err, name)
	}
	official := 0
	for _, m := range r.markets {
		if m.Payout != nil && m.Payout.Basis == market.Official {
			official++
		}
	}
	require.Equal(t, 35_233, official)
	require.Equal(t, 733_299, r.quotes)
	require.Equal(t, map[string]int{"neither crypto nor sports": 50_051 + 164_709 - 161_511 - 51}, r.rejects)
}
