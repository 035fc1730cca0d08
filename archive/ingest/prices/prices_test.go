package prices_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/ingest/prices"
	"github.com/ladderback/ladderback/internal/ingesttest"
)

const (
	token = "71321045679252212594626385532706912750332728571942532289631379312455583992563"
	at    = "1776081600"
)

// knows is the options of an archive that knows the market of one token.
var knows = prices.Options{MarketOf: func(_ context.Context, id string) (string, error) {
	if id == token {
		return "0xaa", nil
	}
	return "", nil
}}

// TestHistories: a history says of what its prices are by itself, by the archive or by its
// name; what stands beside the prices may stand before or behind them.
func TestHistories(t *testing.T) {
	t.Parallel()
	const points = `"history":[{"t":` + at + `,"p":0.5},{"p":"0.51","x":[{}],"t":"1776081601500"}]`
	said := []string{"price of 0 at 1776081600000000, said 0: ", "price of 0 at 1776081601500000, said 0: "}
	for text, want := range map[string]struct {
		file string
		o    prices.Options
		of   []string
	}{
		`{` + points + `,"asset_id":"` + token + `"}`:                        {"a.json", knows, []string{`market "0xaa" ""`, `token "` + token + `" ""`}},
		`{"token":"` + token + `",` + points + `}`:                           {"a.json", knows, []string{`market "0xaa" ""`, `token "` + token + `" ""`}},
		` {` + points + `} `:                                                 {"of/" + token + ".json", knows, []string{`market "0xaa" ""`, `token "` + token + `" ""`}},
		`{"slug":"btc-updown-15m-1776081600","outcome":"Up",` + points + `}`: {"a.json", prices.Options{}, []string{`market "" "btc-updown-15m-1776081600"`, `token "" "Up"`}},
		`{"condition_id":"0xbb","token_id":"12",` + points + `}`:             {"a.json", prices.Options{}, []string{`market "0xbb" ""`, `token "12" ""`}},
		`{"condition_id":"0xbb","token_id":"12",` + points + `, "z":0}`:      {"a.json", prices.Options{Token: "13"}, []string{`market "0xbb" ""`, `token "13" ""`}},
	} {
		require.True(t, prices.RecogniseJSON([]byte(text)), text)
		h := &ingesttest.Heard{}
		n, err := prices.ImportJSON(t.Context(), strings.NewReader(text), want.file, want.o, h)
		require.NoError(t, err, text)
		require.EqualValues(t, 2, n)
		require.Empty(t, h.Rejected)
		require.Equal(t, append(want.of, said...), h.Lines, text)
	}
}

// TestCutHistories: a history is recognised by its beginning, wherever behind its first price
// that ends.
func TestCutHistories(t *testing.T) {
	t.Parallel()
	const text = `{"title":"prix à terme 😀","history":[{"t":1776081600,"p":0.5},{"t":1776081601,"p":0.5}]}`
	first := strings.Index(text, "},") + 1
	for end := first; end <= len(text); end++ {
		require.True(t, prices.RecogniseJSON([]byte(text[:end])), text[:end])
	}
	for _, other := range []string{
		``, `[]`, `{}`, `null`, `{"history":null}`, `{"history":[1]}`, `{"history":[{"t":1}]}`, `{"history":[{"p":1}]}`,
		`{"prices":[{"t":1,"p":0.5}]}`, `{"data":{"history":[{"t":1,"p":0.5}]}}`,
	} {
		require.False(t, prices.RecogniseJSON([]byte(other)), other)
	}
	require.True(t, prices.RecogniseJSON([]byte(`{"history":[]}`)), "of a token that was never traded")
}

// TestNoHistories: a file of which nothing can be taken is refused with the reason, and
// nothing of it reaches the archive.
func TestNoHistories(t *testing.T) {
	t.Parallel()
	lost := errors.New("lost")
	const points = `"history":[{"t":1776081600,"p":0.5}]`
	for text, want := range map[string]struct {
		o   prices.Options
		err string
	}{
		`{` + points + `}`:                                     {knows, "no token given"},
		`{"outcome":"Up",` + points + `}`:                      {knows, "no token given"},
		`{"token":"12",` + points + `}`:                        {knows, "token 12: no market in the archive has this token"},
		`{"token":"1 2",` + points + `}`:                       {knows, `"1 2": `},
		`{"token":"` + token + `",` + points:                   {knows, "price history: "},
		`{"token":"` + token + `",` + points + `} {}`:          {knows, "price history: "},
		`{"token":"` + token + `","history":{}}`:               {knows, "price history: "},
		`{"token":"` + token + `",` + points + `,"x":}`:        {knows, "price history: "},
		`{"token":"` + token + `","other":"1",` + points + `}`: {prices.Options{MarketOf: func(context.Context, string) (string, error) { return "", lost }}, "lost"},
	} {
		h := &ingesttest.Heard{}
		n, err := prices.ImportJSON(t.Context(), strings.NewReader(text), "a.json", want.o, h)
		require.ErrorContains(t, err, want.err, text)
		require.Zero(t, n)
		require.Empty(t, h.Lines)
		require.Empty(t, h.Rejected)
	}
}

// TestRejectedPrices: a price that says nothing usable is named with what is wrong, and costs
// no other.
func TestRejectedPrices(t *testing.T) {
	t.Parallel()
	for point, why := range map[string]string{
		`7`:                            "",
		`{}`:                           "",
		`{"p":0.5}`:                    "",
		`{"t":1776081600}`:             "",
		`{"t":null,"p":0.5}`:           "no time",
		`{"t":"","p":0.5}`:             "no time",
		`{"t":0,"p":0.5}`:              "no time",
		`{"t":"noon","p":0.5}`:         "time not understood",
		`{"t":1776081600,"p":"x"}`:     "price not a number",
		`{"t":1776081600,"p":1.5}`:     "price outside 0 to 1",
		`{"t":1776081600,"p":-0.1}`:    "price outside 0 to 1",
		`{"t":1776081600,"p":0.50001}`: "price finer than 0.0001",
		`{"t":[],"p":0.5}`:             "",
		`{"t":1776081600,"p":null}`:    "price not a number",
	} {
		const good = `{"t":1776081600,"p":0.5}`
		h := &ingesttest.Heard{}
		n, err := prices.ImportJSON(t.Context(), strings.NewReader(`{"history":[`+good+`,`+point+`,`+good+`]}`), token+".json", knows, h)
		require.NoError(t, err, point)
		require.EqualValues(t, 3, n, point)
		require.Len(t, h.Rejected, 1, point)
		require.Contains(t, h.Rejected[0], why, point)
		require.Len(t, h.Lines, 4, point)
	}
}

// TestTables: each row of a table may name its token; a token that the archive does not know,
// or that is none, costs its rows alone, and each is looked up once.
func TestTables(t *testing.T) {
	t.Parallel()
	asked := map[string]int{}
	o := prices.Options{MarketOf: func(ctx context.Context, id string) (string, error) {
		asked[id]++
		return knows.MarketOf(ctx, id)
	}}
	const rows = "p,asset_id,t\n0.5," + token + ",1776081600\n0.6,12,1776081601\n0.6,,1776081602\n0.6,1 2,1776081602\n0.6,12,1776081602\n" +
		"0.51," + token + ",1776081603\n0.51," + token + ",\n2," + token + ",1776081604\n"
	h := &ingesttest.Heard{}
	n, err := prices.ImportCSV(t.Context(), strings.NewReader(rows), "a.csv", o, h)
	require.NoError(t, err)
	require.EqualValues(t, 8, n)
	require.Equal(t, []string{
		`market "0xaa" ""`, `token "` + token + `" ""`,
		"price of 0 at 1776081600000000, said 0: ", "price of 0 at 1776081603000000, said 0: ",
	}, h.Lines)
	require.Len(t, h.Rejected, 6)
	require.Equal(t, map[string]int{token: 1, "12": 1}, asked)

	h = &ingesttest.Heard{}
	o.Token = token
	n, err = prices.ImportCSV(t.Context(), strings.NewReader("t,p,asset_id\n1776081600,0.5,12\n"), "a.csv", o, h)
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	require.Equal(t, `token "`+token+`" ""`, h.Lines[1], "the one given counts")

	lost := errors.New("lost")
	o = prices.Options{MarketOf: func(context.Context, string) (string, error) { return "", lost }}
	_, err = prices.ImportCSV(t.Context(), strings.NewReader(rows), "a.csv", o, &ingesttest.Heard{})
	require.ErrorIs(t, err, lost, "an archive that cannot be asked is no token that it does not know")
	_, err = prices.ImportCSV(t.Context(), strings.NewReader("t,p\n1776081600,0.5\n"), "a.csv", knows, &ingesttest.Heard{})
	require.ErrorIs(t, err, prices.ErrToken)
}
