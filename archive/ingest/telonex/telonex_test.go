package telonex_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/ingest/rows"
	"github.com/ladderback/ladderback/archive/ingest/telonex"
	"github.com/ladderback/ladderback/internal/ingesttest"
	"github.com/ladderback/ladderback/market"
)

// own are the columns that every channel has.
type own struct {
	Exch    *int64 `parquet:"timestamp_us,optional"`
	Recv    *int64 `parquet:"local_timestamp_us,optional"`
	Market  string `parquet:"market_id"`
	Slug    string `parquet:"slug"`
	Asset   string `parquet:"asset_id"`
	Outcome string `parquet:"outcome"`
}

const at = 1_776_081_600_000_000

func of(n int64) *int64      { return &n }
func num(x float64) *float64 { return &x }

// up is a row of Up so many microseconds into the round.
func up(n int64) own {
	return own{of(at + n - 100), of(at + n), "0x1", "btc-updown-15m-1776081600", "71", "Up"}
}

type level struct {
	Price float64 `parquet:"price"`
	Size  float64 `parquet:"size"`
}

type booksRow struct {
	own
	Bids []level `parquet:"bids,list"`
	Asks []level `parquet:"asks,list"`
}

type bestRow struct {
	own
	Bid0     *float64 `parquet:"bid_price_0,optional"`
	BidSize0 *float64 `parquet:"bid_size_0,optional"`
	Ask0     *float64 `parquet:"ask_price_0,optional"`
	AskSize0 *float64 `parquet:"ask_size_0,optional"`
	Bid1     *float64 `parquet:"bid_price_1,optional"`
	BidSize1 *float64 `parquet:"bid_size_1,optional"`
	Ask1     *float64 `parquet:"ask_price_1,optional"`
	AskSize1 *float64 `parquet:"ask_size_1,optional"`
}

type quotesRow struct {
	own
	Bid     *float64 `parquet:"bid_price,optional"`
	BidSize *float64 `parquet:"bid_size,optional"`
	Ask     *float64 `parquet:"ask_price,optional"`
	AskSize *float64 `parquet:"ask_size,optional"`
}

type tradesRow struct {
	own
	Price  *float64 `parquet:"price,optional"`
	Size   *float64 `parquet:"size,optional"`
	Side   string   `parquet:"side,optional"`
	Origin string   `parquet:"origin_asset_id,optional"`
}

// imported reads a file of a channel and returns its captures, behind the market and the
// token.
func imported[T any](t *testing.T, c telonex.Channel, of ...T) (captures, rejected []string, n int64) {
	t.Helper()
	p := ingesttest.Parquet(t, of)
	require.Empty(t, rows.Missing(p.Columns(), telonex.Needs(c)))
	h := &ingesttest.Heard{}
	n, err := telonex.Import(t.Context(), c, p, h)
	require.NoError(t, err)
	if len(h.Lines) > 0 {
		require.Equal(t, []string{`market "0x1" "btc-updown-15m-1776081600"`, `token "71" "Up"`}, h.Lines[:2])
		captures = h.Lines[2:]
	}
	return captures, h.Rejected, n
}

// capture is how a capture of up(n) begins.
func capture(kind string, n int64) string {
	return fmt.Sprintf("%s of 0 at %d, said %d: ", kind, at+n, at+n-100)
}

// TestChannels: the whole ladder in any order, the best levels as far as there are columns of
// them, best prices with an empty side, trades of the token that was traded.
func TestChannels(t *testing.T) {
	t.Parallel()
	got, rejected, n := imported(t, telonex.Books,
		booksRow{up(1), []level{{0.39, 5}, {0.40, 10}}, []level{{0.62, 3}, {0.61, 2}}}, booksRow{up(2), nil, []level{{0.61, 2}}})
	require.Empty(t, rejected)
	require.EqualValues(t, 2, n)
	require.Equal(t, []string{capture("book", 1) + "[{0.4 10} {0.39 5}] [{0.61 2} {0.62 3}]", capture("book", 2) + "[] [{0.61 2}]"}, got)

	got, rejected, _ = imported(t, telonex.Best,
		bestRow{up(1), num(0.40), num(10), num(0.61), num(2), num(0.39), num(5), num(0.62), num(3)},
		bestRow{own: up(2), Bid0: num(0.40), BidSize0: num(10), Ask0: num(0), AskSize0: num(3)})
	require.Empty(t, rejected)
	require.Equal(t, []string{capture("book", 1) + "[{0.4 10} {0.39 5}] [{0.61 2} {0.62 3}]", capture("book", 2) + "[{0.4 10}] []"}, got)

	got, rejected, _ = imported(t, telonex.Quotes, quotesRow{up(1), num(0.40), num(10), num(0.61), num(2)}, quotesRow{own: up(2), Ask: num(0.61), AskSize: num(2)})
	require.Empty(t, rejected)
	require.Equal(t, []string{capture("quote", 1) + "{0.4 10} {0.61 2}", capture("quote", 2) + "{-0.0001 0} {0.61 2}"}, got)

	got, rejected, n = imported(t, telonex.Trades,
		tradesRow{up(1), num(0.40), num(10), "buy", "71"}, tradesRow{up(2), num(0.60), num(10), "sell", "72"}, tradesRow{own: up(3), Price: num(0.41)})
	require.Empty(t, rejected)
	require.EqualValues(t, 2, n, "that of the other token stands in its own file")
	require.Equal(t, []string{capture("trade", 1) + "0.4 10 bid", capture("trade", 3) + "0.41 0 unknown"}, got)
}

// TestTimes: without a receive time the exchange's is taken, and without the exchange's there
// is none.
func TestTimes(t *testing.T) {
	t.Parallel()
	one, two, none := up(1), up(2), up(3)
	one.Recv, two.Exch, none.Recv, none.Exch = nil, nil, nil, nil
	got, rejected, _ := imported(t, telonex.Quotes, quotesRow{own: one, Bid: num(0.4), BidSize: num(3)}, quotesRow{own: two, Bid: num(0.4), BidSize: num(3)}, quotesRow{own: none, Bid: num(0.4), BidSize: num(3)})
	require.Equal(t, []string{
		fmt.Sprintf("quote of 0 at %d, said %d: {0.4 3} {-0.0001 0}", at-99, at-99), fmt.Sprintf("quote of 0 at %d, said 0: {0.4 3} {-0.0001 0}", at+2),
	}, got)
	require.Equal(t, []string{`3 "71": no time`}, rejected)
}

// TestRejectedRows: each row that says nothing usable is named with what is wrong, and costs
// no other.
func TestRejectedRows(t *testing.T) {
	t.Parallel()
	good := quotesRow{up(1), num(0.40), num(10), num(0.61), num(2)}
	for why, spoil := range map[string]func(r *quotesRow){
		"id not understood":                func(r *quotesRow) { r.Market = "0x 1" },
		"no token id":                      func(r *quotesRow) { r.Asset = "" },
		"tokens and outcomes do not match": func(r *quotesRow) { r.Outcome = string(make([]byte, 5000)) },
		"time not understood":              func(r *quotesRow) { r.Recv = of(-5) },
		"price outside 0 to 1":             func(r *quotesRow) { r.Bid = num(1.2) },
		"price finer than 0.0001":          func(r *quotesRow) { r.Ask = num(0.61001) },
		"negative size":                    func(r *quotesRow) { r.BidSize = num(-1) },
	} {
		bad := good
		spoil(&bad)
		got, rejected, n := imported(t, telonex.Quotes, good, bad, good)
		require.EqualValues(t, 3, n, why)
		require.Len(t, got, 2, why)
		require.Equal(t, []string{fmt.Sprintf("2 %q: %s", bad.Asset, why)}, rejected)
	}
	_, rejected, _ := imported(t, telonex.Trades, tradesRow{up(1), num(0.40), num(10), "hold", "71"}, tradesRow{own: up(1)})
	require.Equal(t, []string{`1 "71": side not understood`, `2 "71": no price`}, rejected)
	_, rejected, _ = imported(t, telonex.Books, booksRow{up(1), []level{{0.4, 1}, {1.4, 1}}, nil})
	require.Equal(t, []string{`1 "71": price outside 0 to 1`}, rejected)
}

type listedRow struct {
	ID       string `parquet:"market_id"`
	Slug     string `parquet:"slug"`
	Question string `parquet:"question"`
	Outcome0 string `parquet:"outcome_0"`
	Outcome1 string `parquet:"outcome_1"`
	Asset0   string `parquet:"asset_id_0"`
	Asset1   string `parquet:"asset_id_1"`
	Status   string `parquet:"status"`
	Result   string `parquet:"result_id"`
	Start    int64  `parquet:"start_date_us"`
	End      *int64 `parquet:"end_date_us,optional"`
}

// listed is a sink of markets.
type listed struct {
	ingesttest.Heard
	markets []market.Market
}

func (l *listed) Market(_ context.Context, m market.Market) (int, error) {
	l.markets = append(l.markets, m)
	return len(l.markets), nil
}

// TestMarkets: rounds with their tokens and, once they are resolved, who won, by id, by label
// or by number; what is no round, or not understood, is rejected by its row.
func TestMarkets(t *testing.T) {
	t.Parallel()
	round := listedRow{"0x1", "btc-updown-15m-1776081600", "Up?", "Up", "Down", "71", "72", "open", "72", 5, of(at + 900_000_000)}
	with := func(change func(r *listedRow)) listedRow { r := round; change(&r); return r }
	resolved := func(result string) listedRow {
		return with(func(r *listedRow) { r.Status, r.Result = "resolved", result })
	}
	p := ingesttest.Parquet(t, []listedRow{
		round, resolved("72"), resolved("Up"), resolved("1"), resolved(""), resolved("Draw"),
		with(func(r *listedRow) { r.Slug = "will-it-rain" }),
		with(func(r *listedRow) { r.ID = "" }),
		with(func(r *listedRow) { r.Asset1 = "7 2" }),
		with(func(r *listedRow) { r.Outcome0 = "" }),
		with(func(r *listedRow) { r.End = of(-1) }),
		with(func(r *listedRow) { r.End = nil }),
	})
	require.Empty(t, rows.Missing(p.Columns(), telonex.NeedsMarkets()))
	var l listed
	n, err := telonex.ImportMarkets(t.Context(), p, &l)
	require.NoError(t, err)
	require.EqualValues(t, 12, n)
	require.Equal(t, []string{
		`6 "btc-updown-15m-1776081600": outcome not understood`, `7 "will-it-rain": neither crypto nor sports`,
		`8 "btc-updown-15m-1776081600": id not understood`, `9 "btc-updown-15m-1776081600": id not understood`,
		`10 "btc-updown-15m-1776081600": tokens and outcomes do not match`, `11 "btc-updown-15m-1776081600": time not understood`,
	}, l.Rejected)
	require.Len(t, l.markets, 6)
	first := l.markets[0]
	require.Equal(t, []any{market.Polymarket, "0x1", "Up?", market.Instant(at + 900_000_000), market.Instant(0), true}, []any{first.Venue, first.VenueID, first.Question, first.End, first.Start, first.Mirrored})
	require.Equal(t, []market.Token{{VenueID: "71", Label: "Up", Outcome: market.Up}, {VenueID: "72", Label: "Down", Outcome: market.Down}}, first.Tokens)
	for i, won := range []int{-1, 1, 0, 1, -1, -1} {
		if won < 0 {
			require.Nil(t, l.markets[i].Payout, i)
			continue
		}
		require.Equal(t, market.Official, l.markets[i].Payout.Basis)
		require.Equal(t, market.CashOne, l.markets[i].Payout.Fractions[won], i)
		require.Zero(t, l.markets[i].Payout.Fractions[1-won], i)
	}
	require.Zero(t, l.markets[5].End)
}
