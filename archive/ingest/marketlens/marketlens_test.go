package marketlens_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/ingest/marketlens"
	"github.com/ladderback/ladderback/archive/ingest/rows"
	"github.com/ladderback/ladderback/internal/ingesttest"
	"github.com/ladderback/ladderback/market"
)

const at = 1776081600000000 // microseconds

// row is a row of a history.
type row struct {
	Event string   `parquet:"event_type"`
	Time  *int64   `parquet:"t,optional,timestamp(microsecond)"`
	Price *float64 `parquet:"price,optional"`
	Size  *float64 `parquet:"size,optional"`
	Side  *string  `parquet:"side,optional"`
	Bids  *string  `parquet:"bids,optional"`
	Asks  *string  `parquet:"asks,optional"`
}

// anew is a row that says whether the feed had begun anew.
type anew struct {
	row
	Reseed *bool `parquet:"is_reseed,optional"`
}

// heard is what a history says, behind the market and the token.
func heard[T any](t *testing.T, file string, of ...T) (captures, rejected []string) {
	t.Helper()
	p := ingesttest.Parquet(t, of)
	require.Empty(t, rows.Missing(p.Columns(), marketlens.NeedsHistory()))
	h := &ingesttest.Heard{}
	n, err := marketlens.ImportHistory(t.Context(), p, file, h)
	require.NoError(t, err)
	require.EqualValues(t, len(of), n)
	if len(h.Lines) > 0 {
		require.Equal(t, []string{`market "" ""`, `token "" "Up"`}, h.Lines[:2])
		captures = h.Lines[2:]
	}
	return captures, h.Rejected
}

// TestHistory: whole books with their levels in order, one level that changes, trades with or
// without a side; where the feed began anew, nothing before it counts.
func TestHistory(t *testing.T) {
	t.Parallel()
	book := row{Event: "snapshot", Time: new(int64(at + 1)), Bids: new(`[[0.39,5],[0.4,10]]`), Asks: new(`[["0.62","3"],["0.61","2"]]`)}
	empty := row{Event: "snapshot", Time: new(int64(at + 2)), Bids: new(``), Asks: new(`[]`)}
	change := row{Event: "delta", Time: new(int64(at + 3)), Price: new(0.61), Size: new(0.0), Side: new("SELL")}
	bid := row{Event: "delta", Time: new(int64(at + 3)), Price: new(0.40), Size: new(4.0), Side: new("BUY")}
	trade := row{Event: "trade", Time: new(int64(at + 4)), Price: new(0.41), Size: new(7.5), Side: new("BUY")}
	other := row{Event: "trade", Time: new(int64(at + 5)), Price: new(0.41), Size: new(7.5)}
	want := []string{
		"book of 0 at 1776081600000001, said 0: [{0.4 10} {0.39 5}] [{0.61 2} {0.62 3}]",
		"book of 0 at 1776081600000002, said 0: [] []",
		"change of 0 at 1776081600000003, said 0: [] [{0.61 0}]",
		"change of 0 at 1776081600000003, said 0: [{0.4 4}] []",
		"trade of 0 at 1776081600000004, said 0: 0.41 7.5 bid",
		"trade of 0 at 1776081600000005, said 0: 0.41 7.5 unknown",
	}
	got, rejected := heard(t, "of/history-1.parquet", book, empty, change, bid, trade, other)
	require.Empty(t, rejected)
	require.Equal(t, want, got)

	got, rejected = heard(t, "history-1.parquet", anew{book, nil}, anew{empty, new(true)}, anew{change, new(true)}, anew{book, new(false)})
	require.Empty(t, rejected)
	require.Equal(t, []string{want[0], "reset of 0 at 1776081600000002, said 0: ", want[1], want[2], want[0]}, got, "only a whole book begins anew")
}

// TestRejectedRows: each row that says nothing usable is named with what is wrong, and costs
// no other.
func TestRejectedRows(t *testing.T) {
	t.Parallel()
	good := row{Event: "snapshot", Time: new(int64(at)), Bids: new(`[]`)}
	delta := row{Event: "delta", Time: new(int64(at)), Price: new(0.5), Size: new(1.0), Side: new("BUY")}
	for why, change := range map[string]func(*row){
		"no time":                      func(r *row) { r.Time = nil },
		"no time (0)":                  func(r *row) { r.Time = new(int64(0)) },
		"event type not known":         func(r *row) { r.Event = "heartbeat" },
		"book without bids and asks":   func(r *row) { r.Event, r.Bids = "snapshot", nil },
		"not valid JSON":               func(r *row) { r.Event, r.Bids = "snapshot", new(`[[0.4,5]`) },
		"not valid JSON (behind)":      func(r *row) { r.Event, r.Asks = "snapshot", new(`[] []`) },
		"price outside 0 to 1":         func(r *row) { r.Price = new(1.5) },
		"price outside 0 to 1 (level)": func(r *row) { r.Event, r.Asks = "snapshot", new(`[[1.4,5]]`) },
		"side not understood":          func(r *row) { r.Side = new("up") },
		"side not understood (none)":   func(r *row) { r.Side = nil },
		"no price":                     func(r *row) { r.Price = nil },
		"size":                         func(r *row) { r.Size = new(-1.0) },
	} {
		bad := delta
		change(&bad)
		captures, rejected := heard(t, "history-1.parquet", good, bad, good)
		require.Len(t, captures, 2, why)
		require.Len(t, rejected, 1, why)
		why, _, _ = strings.Cut(why, " (")
		require.Contains(t, rejected[0], why)
	}
	captures, rejected := heard(t, "history 1.parquet", good)
	require.Empty(t, captures, "markets.csv could not name it")
	require.Len(t, rejected, 1)
}

// listed writes down the markets of a list.
type listed struct {
	markets  []market.Market
	rejected []string
	err      error
}

func (l *listed) Market(_ context.Context, m market.Market) (int, error) {
	l.markets = append(l.markets, m)
	return len(l.markets) - 1, l.err
}

func (l *listed) Done(context.Context, int) error { return nil }

func (l *listed) Reject(row int64, text []byte, reason string) {
	l.rejected = append(l.rejected, fmt.Sprintf("%d %s: %s", row, text, reason))
}

const columns = "condition_id,file,series,event,question,outcomes,winning_outcome,open_time,close_time,resolved_at,market_id\n"

// list reads a markets.csv of these rows.
func list(t *testing.T, rows ...string) *listed {
	t.Helper()
	l := &listed{}
	n, err := marketlens.ImportMarkets(t.Context(), strings.NewReader(columns+strings.Join(rows, "\n")), l)
	require.NoError(t, err)
	require.EqualValues(t, len(rows), n)
	return l
}

// TestMarkets: a row says which file a market has, when it ran and who won; a round is told by
// its event, else by its series and end.
func TestMarkets(t *testing.T) {
	t.Parallel()
	const open, closes = "2026-04-13T12:00:00Z", "2026-04-13T12:15:00Z"
	l := list(t,
		"0x1,data/history-7.parquet,,btc-updown-15m-1776081600,Bitcoin?,Up|Down,down,"+open+","+closes+",2026-04-13T12:16:00Z,7",
		"0x2,,eth-up-or-down-15m,eth-some-event,Ethereum?, Up | Down ,,2026-04-12T12:00:00Z,"+closes+",,8",
		"0x3,,,a-match,Who?,Reds|Blues,Blues,"+open+","+closes+",,",
	)
	require.Empty(t, l.rejected)
	begins := market.Instant(at)
	require.Equal(t, []market.Market{
		{
			Venue: market.Polymarket, VenueID: "0x1", AltID: "history-7.parquet", Slug: "btc-updown-15m-1776081600", Question: "Bitcoin?", Mirrored: true,
			Tokens: []market.Token{{Label: "Up", Outcome: market.Up}, {Label: "Down", Outcome: market.Down}},
			Closed: true, ClosedAt: begins + 16*60*market.Second, Payout: &market.Payout{Basis: market.Official, Fractions: []market.Cash{0, market.CashOne}},
		},
		{
			Venue: market.Polymarket, VenueID: "0x2", AltID: "history-8.parquet", Question: "Ethereum?", Mirrored: true, Coin: "ETH", Type: "15m",
			Start: begins, End: begins + 15*60*market.Second, Tokens: []market.Token{{Label: "Up", Outcome: market.Up}, {Label: "Down", Outcome: market.Down}},
		},
		{
			Venue: market.Polymarket, VenueID: "0x3", Question: "Who?", Mirrored: true, Start: begins, End: begins + 15*60*market.Second,
			Tokens: []market.Token{{Label: "Reds"}, {Label: "Blues"}},
			Payout: &market.Payout{Basis: market.Inferred, Fractions: []market.Cash{0, market.CashOne}},
		},
	}, l.markets)
}

// TestRejectedMarkets: a row that says nothing usable costs no other, and an archive that takes
// no more ends the list.
func TestRejectedMarkets(t *testing.T) {
	t.Parallel()
	const good = "0x1,f.parquet,,,Q,Up|Down,,,,,"
	for row, why := range map[string]string{
		",f.parquet,,,Q,Up|Down,,,,,":                                   "id not understood",
		"0x2,f 1.parquet,,,Q,Up|Down,,,,,":                              "file name not understood",
		"0x2,f.parquet,,,Q,Up,,,,,":                                     "tokens and outcomes do not match",
		"0x2,f.parquet,,,Q,Up|Down|Draw,,,,,":                           "tokens and outcomes do not match",
		"0x2,f.parquet,,,Q,Up|,,,,,":                                    "tokens and outcomes do not match",
		"0x2,f.parquet,,,Q,Up|Down,Draw,,,,":                            "winner is not a token of the market",
		"0x2,f.parquet,,,Q,Up|Down,,noon,,,":                            "time not understood",
		"0x2,f.parquet,,,Q,Up|Down,,,noon,,":                            "time not understood",
		"0x2,f.parquet,,,Q,Up|Down,Up,,,noon,":                          "time not understood",
		"0x2,f.parquet,,,Q," + strings.Repeat("x", 2000) + "|Down,,,,,": "tokens and outcomes do not match",
	} {
		l := list(t, good, row, good)
		require.Len(t, l.markets, 2, row)
		require.Len(t, l.rejected, 1, row)
		require.Contains(t, l.rejected[0], why)
	}
	full := errors.New("full")
	n, err := marketlens.ImportMarkets(t.Context(), strings.NewReader(columns+good+"\n"+good), &listed{err: full})
	require.ErrorIs(t, err, full)
	require.EqualValues(t, 1, n)
}
