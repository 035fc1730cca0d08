package marketsfile_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/ingest/marketsfile"
	"github.com/ladderback/ladderback/internal/realdata"
	"github.com/ladderback/ladderback/market"
)

type recorder struct {
	markets []market.Market
	rejects []string
	fail    error

	open, most int // markets at a time
}

func (r *recorder) Market(_ context.Context, m market.Market) (int, error) {
	r.markets = append(r.markets, m)
	r.open++
	r.most = max(r.most, r.open)
	return 0, r.fail
}

func (r *recorder) Done(context.Context, int) error {
	r.open--
	return nil
}

func (r *recorder) Reject(line int64, _ []byte, reason string) {
	r.rejects = append(r.rejects, fmt.Sprintf("%d %s", line, reason))
}

const line1 = `{"slug": "btc-updown-5m-1776081600", "condition_id": "0x0c", "coin": "BTC", "market_type": "5m", "start": 1776081600, "end": 1776081900, "up_token": "83", "down_token": "76", "captured_token": "76", "winner": "down", "winner_basis": "official", "full_coverage": true}`

func round1() market.Market {
	return market.Market{
		Venue: market.Polymarket, VenueID: "0x0c", Slug: "btc-updown-5m-1776081600", Coin: "BTC", Type: "5m",
		Start: 1776081600 * market.Second, End: 1776081900 * market.Second, Mirrored: true,
		Tokens: []market.Token{
			{VenueID: "83", Label: "Up", Outcome: market.Up}, {VenueID: "76", Label: "Down", Outcome: market.Down},
		},
		Payout: &market.Payout{Basis: market.Official, Fractions: []market.Cash{0, market.CashOne}},
	}
}

func TestImport(t *testing.T) {
	t.Parallel()
	var r recorder
	n, err := marketsfile.Import(t.Context(), strings.NewReader(strings.Join([]string{
		line1,
		strings.Replace(line1, `"83"`, "null", 1),
		strings.Replace(line1, `"official"`, `"last_quotes"`, 1),
		strings.Replace(line1, `"official"`, `null`, 1),
		strings.Replace(line1, `"winner": "down"`, `"winner": null`, 1),
		strings.Replace(line1, `"winner": "down"`, `"winner": "83"`, 1),
	}, "\r\n\n")), &r)
	require.NoError(t, err)
	require.EqualValues(t, 6, n)
	require.Empty(t, r.rejects)
	want := round1()
	require.Equal(t, want, r.markets[0])
	want.Tokens[0].VenueID = ""
	require.Equal(t, want, r.markets[1])
	want = round1()
	want.Payout.Basis = market.Inferred
	require.Equal(t, want, r.markets[2])
	require.Equal(t, want, r.markets[3])
	require.Nil(t, r.markets[4].Payout)
	require.Equal(t, []market.Cash{market.CashOne, 0}, r.markets[5].Payout.Fractions)
}

func TestImportRejects(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ old, new, reason string }{
		{`"winner": "down"`, `"winner": "sideways"`, "winner is not a token of the market"},
		{`"up_token": "83", "down_token": "76"`, `"up_token": null, "down_token": null`, "market without tokens"},
		{`"up_token": "83", "down_token": "76", `, ``, "market without tokens"},
		{`"83"`, `"76"`, "both tokens have one id"},
		{`"83"`, `"8 3"`, "id not understood"},
		{`"83"`, `["83"]`, "member not understood"},
		{`"end": 1776081900`, `"end": 1776081600`, "end not after start"},
		{`"end": 1776081900`, `"end": "later"`, "time not understood"},
		{`"market_type": "5m"`, `"market_type": "soon"`, "length not understood"},
		{`"slug": "btc-updown-5m-1776081600", "condition_id": "0x0c"`, `"slug": null`, "no market named"},
		{`"slug": "btc-updown-5m-1776081600"`, `"slug": "will-it-rain", "coin": null`, ""},
		{`true}`, ``, "not valid JSON"},
	} {
		var r recorder
		n, err := marketsfile.Import(t.Context(), strings.NewReader(strings.Replace(line1, c.old, c.new, 1)+"\n"+line1), &r)
		require.NoError(t, err, c.new)
		require.EqualValues(t, 2, n, c.new)
		require.Equal(t, round1(), r.markets[len(r.markets)-1], c.new)
		if c.reason == "" {
			require.Empty(t, r.rejects, c.new)
			continue
		}
		require.Equal(t, []string{"1 " + c.reason}, r.rejects, c.new)
		require.Len(t, r.markets, 1, c.new)
	}
	var r recorder
	_, err := marketsfile.Import(t.Context(), strings.NewReader(`{"slug":"will-it-rain","up_token":"1","down_token":"2"}`), &r)
	require.NoError(t, err)
	require.Equal(t, []string{"1 neither crypto nor sports"}, r.rejects)
}

func TestImportLongLinesAndErrors(t *testing.T) {
	t.Parallel()
	var r recorder
	long := `{"slug":"` + strings.Repeat("x", 3<<20) + `"}`
	n, err := marketsfile.Import(t.Context(), strings.NewReader(long+"\n"+line1), &r)
	require.NoError(t, err)
	require.EqualValues(t, 2, n)
	require.Equal(t, []string{"1 line too long"}, r.rejects)
	require.Equal(t, []market.Market{round1()}, r.markets)

	broken := errors.New("broken")
	_, err = marketsfile.Import(t.Context(), iotest.ErrReader(broken), &r)
	require.ErrorIs(t, err, broken)
	_, err = marketsfile.Import(t.Context(), strings.NewReader(line1), &recorder{fail: broken})
	require.ErrorIs(t, err, broken)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = marketsfile.Import(ctx, strings.NewReader(line1), &recorder{})
	require.ErrorIs(t, err, context.Canceled)
}

func TestRecognise(t *testing.T) {
	t.Parallel()
	require.True(t, marketsfile.Recognise([]byte(line1)))
	require.True(t, marketsfile.Recognise([]byte("\xef\xbb\xbfbad\n"+line1+"\n{\"cut")))
	require.False(t, marketsfile.Recognise([]byte(`{"recv":1,"slug":"s","msg":{}}`)))
	require.False(t, marketsfile.Recognise([]byte(`[1]`)))
	require.False(t, marketsfile.Recognise(nil))
}

// TestRealMarkets: every one of the real list is read, with the winners that
// its README counts.
func TestRealMarkets(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join(realdata.Dir(t, "polymarket-btc-5m"), "markets.jsonl"))
	require.NoError(t, err)
	require.True(t, marketsfile.Recognise(data))
	var r recorder
	n, err := marketsfile.Import(t.Context(), bytes.NewReader(data), &r)
	require.NoError(t, err)
	require.EqualValues(t, 83, n)
	require.Empty(t, r.rejects)
	count := map[string]int{}
	for _, m := range r.markets {
		if m.Payout != nil {
			count[string(m.Payout.Basis)]++
		}
		if m.Tokens[0].VenueID == "" {
			count["up unknown"]++
		}
	}
	require.Equal(t, map[string]int{"official": 10, "inferred": 62, "up unknown": 43}, count)
}

// TestOneAtATime: a market is done with its line, so that a list of many holds one.
func TestOneAtATime(t *testing.T) {
	t.Parallel()
	var r recorder
	_, err := marketsfile.Import(t.Context(), strings.NewReader(line1+"\n"+line1), &r)
	require.NoError(t, err)
	require.Len(t, r.markets, 2)
	require.Equal(t, 1, r.most)
	require.Zero(t, r.open)
}
