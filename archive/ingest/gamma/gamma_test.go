package gamma_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/ingest/gamma"
	"github.com/ladderback/ladderback/market"
)

type recorder struct {
	series  []market.Series
	events  []market.Event
	markets []market.Market
	rejects []string
	fail    error

	open, most int // markets at a time
}

func (r *recorder) Series(_ context.Context, s market.Series) error {
	r.series = append(r.series, s)
	return r.fail
}

func (r *recorder) Event(_ context.Context, e market.Event) error {
	r.events = append(r.events, e)
	return r.fail
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

const market1 = `{"id":"1891234","question":"Bitcoin Up or Down - June 7, 8:10PM-8:15PM ET","conditionId":"0xab","slug":"btc-updown-5m-1780877400","description":"Resolves to Up if ...",` +
	`"outcomes":"[\"Up\", \"Down\"]","clobTokenIds":"[\"71\", \"72\"]","outcomePrices":"[\"1\", \"0\"]",` +
	`"startDate":"2026-06-07T00:13:00.123456Z","eventStartTime":"2026-06-08T00:10:00Z","endDate":"2026-06-08T00:15:00Z","closedTime":"2026-06-08 00:25:16+00","updatedAt":"2026-06-08T00:30:00.5Z",` +
	`"closed":true,"active":true,"orderPriceMinTickSize":0.01,"orderMinSize":5,"feeSchedule":{"rate":0.07,"exponent":1,"takerOnly":true,"rebateRate":0.2},` +
	`"events":[{"id":"55","slug":"btc-updown-5m-1780877400","title":"Bitcoin Up or Down 5m","endDate":"2026-06-08T00:15:00Z","series":[{"id":"10","slug":"btc-up-or-down-5m","title":"Bitcoin Up or Down 5m","recurrence":"5m"}]}],` +
	`"tags":[{"id":"1","label":"Crypto","slug":"crypto"},{"id":"2","label":"Up or Down","slug":"up-or-down"}]}`

func at(s string) (i market.Instant) {
	if err := i.UnmarshalText([]byte(s)); err != nil {
		panic(err)
	}
	return i
}

func listed1() market.Market {
	return market.Market{
		Venue: market.Polymarket, VenueID: "0xab", AltID: "1891234", Slug: "btc-updown-5m-1780877400",
		Question: "Bitcoin Up or Down - June 7, 8:10PM-8:15PM ET", Description: "Resolves to Up if ...",
		Category: market.Crypto, EventID: "55", SeriesID: "10", Tags: []string{"crypto", "up-or-down"},
		Start: at("2026-06-08T00:10:00Z"), End: at("2026-06-08T00:15:00Z"),
		Closed: true, ClosedAt: at("2026-06-08T00:25:16Z"), UpdatedAt: at("2026-06-08T00:30:00.5Z"),
		Tokens: []market.Token{
			{VenueID: "71", Label: "Up", Outcome: market.Up}, {VenueID: "72", Label: "Down", Outcome: market.Down},
		},
		Mirrored: true, Tick: 100, MinSize: 5 * market.SizeOne,
		Fees:   &market.FeeSchedule{Rate: 70_000, Exponent: 1, TakerOnly: true},
		Payout: &market.Payout{Basis: market.Official, Fractions: []market.Cash{market.CashOne, 0}},
	}
}

func read(t *testing.T, text string) *recorder {
	t.Helper()
	var r recorder
	_, err := gamma.Import(t.Context(), strings.NewReader(text), &r)
	require.NoError(t, err, text)
	return &r
}

func TestMarket(t *testing.T) {
	t.Parallel()
	r := read(t, market1)
	require.Equal(t, []market.Market{listed1()}, r.markets)
	require.Equal(t, []market.Series{{
		Venue: market.Polymarket, VenueID: "10", Slug: "btc-up-or-down-5m", Title: "Bitcoin Up or Down 5m",
		Recurrence: "5m", Category: market.Crypto, Tags: []string{"crypto", "up-or-down"},
	}}, r.series)
	require.Equal(t, []market.Event{{
		Venue: market.Polymarket, VenueID: "55", Slug: "btc-updown-5m-1780877400", Title: "Bitcoin Up or Down 5m",
		SeriesID: "10", Category: market.Crypto, Tags: []string{"crypto", "up-or-down"}, End: at("2026-06-08T00:15:00Z"),
	}}, r.events)
}

// TestGroupTags: an event and a series without tags of their own are found by
// those of their markets.
func TestGroupTags(t *testing.T) {
	t.Parallel()
	game := `{"slug":"lal-bos","question":"?","outcomes":"[\"L\",\"B\"]","tags":[{"slug":"NBA"},{"slug":"sports"},{"slug":"lakers"}],` +
		`"events":[{"slug":"g","title":"G"%s,"series":[{"slug":"nba"%s}]}]}`
	r := read(t, fmt.Sprintf(game, "", ""))
	require.Equal(t, []string{"lakers", "nba", "sports"}, r.events[0].Tags)
	require.Equal(t, []string{"sports"}, r.series[0].Tags, "markets of a series differ")
	r = read(t, fmt.Sprintf(game, `,"tags":[{"slug":"game"}]`, `,"tags":[{"slug":"league"}]`))
	require.Equal(t, []string{"game"}, r.events[0].Tags)
	require.Equal(t, []string{"league"}, r.series[0].Tags)
}

func indent(text string) string {
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(text), "", "  "); err != nil {
		panic(err)
	}
	return b.String()
}

// asEvent turns market1 inside out: the event around the market.
func asEvent() string {
	inner := strings.Replace(market1, `"events":[{"id":"55","slug":"btc-updown-5m-1780877400","title":"Bitcoin Up or Down 5m","endDate":"2026-06-08T00:15:00Z","series":[{"id":"10","slug":"btc-up-or-down-5m","title":"Bitcoin Up or Down 5m","recurrence":"5m"}]}],`, "", 1)
	return `{"id":"55","slug":"btc-updown-5m-1780877400","title":"Bitcoin Up or Down 5m","endDate":"2026-06-08T00:15:00Z","series":[{"id":"10","slug":"btc-up-or-down-5m","title":"Bitcoin Up or Down 5m","recurrence":"5m"}],"markets":[` + inner + `]}`
}

// TestShapes: the same markets however they are written down.
func TestShapes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		n    int
	}{
		"object":                  {market1, 1},
		"object over many lines":  {indent(market1), 1},
		"array":                   {"[" + market1 + ",\n" + market1 + "]\n", 2},
		"array over many lines":   {indent("[" + market1 + "," + market1 + "]"), 2},
		"array on one line":       {"[" + market1 + "," + market1 + "]", 2},
		"lines":                   {market1 + "\n" + market1 + "\r\n\n" + market1, 3},
		"pages, a line each":      {"[" + market1 + "]\n[" + market1 + "," + market1 + "]\n", 3},
		"page object":             {`{"data":[` + market1 + `],"next_cursor":"x"}`, 1},
		"page object, markets":    {`{"markets":[` + market1 + `],"next_cursor":"x"}`, 1},
		"event":                   {asEvent(), 1},
		"events over many lines":  {indent("[" + asEvent() + "," + asEvent() + "]"), 2},
		"page of events":          {`{"events":[` + asEvent() + `]}`, 1},
		"objects one after other": {indent(market1) + "\n" + indent(market1), 2},
		"byte order mark":         {"\xef\xbb\xbf" + market1 + "\n" + market1, 2},
	} {
		require.True(t, gamma.Recognise([]byte(c.text)), name)
		r := read(t, c.text)
		require.Empty(t, r.rejects, name)
		require.Len(t, r.markets, c.n, name)
		for _, m := range r.markets {
			require.Equal(t, listed1(), m, name)
		}
		require.Equal(t, "10", r.events[0].SeriesID, name)
	}
}

func TestReadsOnAfterWhatIsWrong(t *testing.T) {
	t.Parallel()
	bad := strings.Replace(market1, `"closed":true`, `"closed":"perhaps"`, 1)
	r := read(t, market1+"\n{\"cut\n"+bad+"\n7\n{}\n"+market1)
	require.Equal(t, []string{"2 not valid JSON", "3 member not understood", "4 member not understood", "5 neither market nor event"}, r.rejects)
	require.Len(t, r.markets, 2)

	r = read(t, "[\n"+bad+",\n{},\n"+market1+"]")
	require.Equal(t, []string{"1 member not understood", "2 neither market nor event"}, r.rejects)
	require.Len(t, r.markets, 1)

	var cut recorder
	_, err := gamma.Import(t.Context(), strings.NewReader("[\n"+market1+",\n"+market1[:100]), &cut)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Len(t, cut.markets, 1)

	var odd recorder
	_, err = gamma.Import(t.Context(), strings.NewReader("[\n"+market1+",\n!"+market1), &odd)
	require.ErrorIs(t, err, gamma.ErrSyntax)
	require.Len(t, odd.markets, 1)
}

func TestErrorsOfSourceAndSink(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, text := range []string{market1 + "\n", "[\n" + market1 + ",\n"} {
		var r recorder
		_, err := gamma.Import(t.Context(), io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)), &r)
		require.ErrorIs(t, err, broken)
		require.Len(t, r.markets, 1)
	}
	_, err := gamma.Import(t.Context(), strings.NewReader(market1), &recorder{fail: broken})
	require.ErrorIs(t, err, broken)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = gamma.Import(ctx, strings.NewReader(market1), &recorder{})
	require.ErrorIs(t, err, context.Canceled)
}

func TestOddMarkets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, old, new, reason string
	}{
		{"no tokens", `"outcomes":"[\"Up\", \"Down\"]","clobTokenIds":"[\"71\", \"72\"]",`, ``, "market without tokens"},
		{"empty tokens", `"outcomes":"[\"Up\", \"Down\"]","clobTokenIds":"[\"71\", \"72\"]",`, `"outcomes":"[]","clobTokenIds":"",`, "market without tokens"},
		{"one outcome short", `"[\"Up\", \"Down\"]"`, `"[\"Up\"]"`, "tokens and outcomes do not match"},
		{"one price short", `"[\"1\", \"0\"]"`, `"[\"1\"]"`, "prices and outcomes do not match"},
		{"same token twice", `\"72\"`, `\"71\"`, "two tokens have one id"},
		{"array that is none", `"[\"71\", \"72\"]"`, `"71,72"`, "member not understood"},
		{"time", `"2026-06-08 00:25:16+00"`, `"soon"`, "time not understood"},
		{"end before start", `"endDate":"2026-06-08T00:15:00Z","closedTime"`, `"endDate":"2026-06-08T00:05:00Z","closedTime"`, "end not after start"},
		{"tick", `"orderPriceMinTickSize":0.01`, `"orderPriceMinTickSize":0.00001`, "tick size not understood"},
		{"minimum", `"orderMinSize":5`, `"orderMinSize":-5`, "minimum size not understood"},
		{"fees", `"exponent":1`, `"exponent":1.5`, "fee schedule not understood"},
		{"no name", `"conditionId":"0xab","slug":"btc-updown-5m-1780877400"`, `"conditionId":"","slug":null`, "no market named"},
		{"id", `"0xab"`, `"0x ab"`, "id not understood"},
	} {
		require.Contains(t, market1, c.old, c.name)
		r := read(t, strings.Replace(market1, c.old, c.new, 1))
		require.Equal(t, []string{"1 " + c.reason}, r.rejects, c.name)
		require.Empty(t, r.markets, c.name)
	}
}

func TestPayout(t *testing.T) {
	t.Parallel()
	half := []market.Cash{500_000, 500_000}
	for _, c := range []struct {
		prices, closed, status string
		want                   []market.Cash
	}{
		{`["1","0"]`, "true", "", []market.Cash{market.CashOne, 0}},
		{`["0","1.0"]`, "true", "resolved", []market.Cash{0, market.CashOne}},
		{`["1","0"]`, "false", "", nil},
		{`["1","0"]`, "true", "proposed", nil},
		{`["0.5","0.5"]`, "true", "", half}, // void
		{`["0.5","0.5"]`, "true", "disputed", nil},
		{`["0.5","0.5"]`, "false", "", nil},
		{`["0.9995","0.0005"]`, "true", "", nil},
		{`["0","0"]`, "true", "", nil},
		{`["1","1"]`, "true", "", nil},
		{`["0.0000004113679809","0.9999995886320191"]`, "true", "resolved", nil},
		{`["x","y"]`, "true", "", nil},
	} {
		text := strings.Replace(market1, `"[\"1\", \"0\"]"`, c.prices, 1) // Gamma writes it inside a string; both are read
		text = strings.Replace(text, `"closed":true`, `"umaResolutionStatus":"`+c.status+`","closed":`+c.closed, 1)
		r := read(t, text)
		require.Len(t, r.markets, 1, text)
		if c.want == nil {
			require.Nil(t, r.markets[0].Payout, c.prices)
			continue
		}
		require.Equal(t, &market.Payout{Basis: market.Official, Fractions: c.want}, r.markets[0].Payout, c.prices)
	}
	// Prices begin at one half: without a sign that it was closed it is no payout.
	text := strings.Replace(market1, `"[\"1\", \"0\"]"`, `["0.5","0.5"]`, 1)
	text = strings.Replace(text, `"closedTime":"2026-06-08 00:25:16+00",`, ``, 1)
	require.Nil(t, read(t, text).markets[0].Payout)
}

func TestOpenMarketHasNoClosingTime(t *testing.T) {
	t.Parallel()
	m := read(t, strings.Replace(market1, `"closed":true`, `"closed":false`, 1)).markets[0]
	require.False(t, m.Closed)
	require.Zero(t, m.ClosedAt)
	require.Nil(t, m.Payout)
}

func TestCategories(t *testing.T) {
	t.Parallel()
	plain := func(slug, tags string) string {
		return `{"conditionId":"0xcd","slug":"` + slug + `","question":"Q?","outcomes":["Yes","No"],"clobTokenIds":["1","2"],` +
			`"startDate":"2026-06-01T00:00:00Z","endDate":"2026-06-09T00:00:00Z"` + tags + `}`
	}
	for _, c := range []struct {
		text string
		want market.Category
	}{
		{plain("btc-updown-15m-1780877400", ""), market.Crypto},
		{plain("will-btc-hit-200k", `,"tags":[{"label":"Crypto"}]`), market.Crypto},
		{plain("lakers-celtics", `,"tags":[{"slug":"Sports"},{"slug":"nba"}]`), market.Sports},
		{plain("lakers-celtics", `,"category":"Sports"`), market.Sports},
		{plain("a-b", `,"events":[{"id":"1","slug":"e","title":"E","tags":[{"slug":"sports"}]}]`), market.Sports},
		{plain("bitcoin-up-or-down-june-8-3pm-et", `,"events":[{"id":"1","slug":"e","title":"E","seriesSlug":"btc-up-or-down-hourly"}]`), market.Crypto},
		{plain("will-it-rain", `,"tags":[{"slug":"weather"}]`), ""},
		{plain("will-it-rain", ``), ""},
	} {
		r := read(t, c.text)
		if c.want == "" {
			require.Equal(t, []string{"1 neither crypto nor sports"}, r.rejects, c.text)
			continue
		}
		require.Len(t, r.markets, 1, c.text)
		require.Equal(t, c.want, r.markets[0].Category, c.text)
		for _, e := range r.events {
			require.Equal(t, c.want, e.Category)
		}
	}
	// The listing counts as start only of what is no round.
	require.Zero(t, read(t, plain("btc-updown-15m-1780877400", "")).markets[0].Start)
	require.Equal(t, at("2026-06-01T00:00:00Z"), read(t, plain("lakers-celtics", `,"tags":[{"slug":"sports"}]`)).markets[0].Start)
	require.Equal(t, at("2026-06-08T01:00:00Z"), read(t, plain("lakers-celtics", `,"tags":[{"slug":"sports"}],"gameStartTime":"2026-06-08 01:00:00+00"`)).markets[0].Start)
	hourly := read(t, plain("bitcoin-up-or-down-june-8-3pm-et", `,"events":[{"id":"1","slug":"e","title":"E","series":[{"id":"7","slug":"btc-up-or-down-hourly","recurrence":"Hourly"}]}]`))
	require.Zero(t, hourly.markets[0].Start)
	require.Equal(t, "1h", hourly.series[0].Recurrence)
}

func TestWithoutIDs(t *testing.T) {
	t.Parallel()
	r := read(t, `{"slug":"lakers-celtics","question":"Q?","outcomes":["Yes","No"],"tags":[{"slug":"sports"}]}`)
	require.Equal(t, []market.Market{{
		Venue: market.Polymarket, Slug: "lakers-celtics", Question: "Q?", Category: market.Sports, Tags: []string{"sports"},
		Tokens: []market.Token{{Label: "Yes"}, {Label: "No"}}, Mirrored: true,
	}}, r.markets)
}

func TestRecognise(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "conditionId", `{"slug":"s"}`, `"conditionId"`} {
		require.False(t, gamma.Recognise([]byte(bad)), bad)
	}
}

func FuzzImport(f *testing.F) {
	f.Add([]byte(market1))
	f.Add([]byte(indent("[" + asEvent() + "]")))
	f.Add([]byte(market1 + "\n" + market1))
	f.Add([]byte("[[[[" + market1))
	f.Fuzz(func(t *testing.T, text []byte) {
		var r recorder
		n, err := gamma.Import(t.Context(), bytes.NewReader(text), &r)
		require.GreaterOrEqual(t, n, int64(len(r.rejects)))
		if err == nil {
			require.EqualValues(t, len(r.markets)+len(r.rejects), n)
		}
		for _, m := range r.markets {
			require.True(t, m.Category.Valid())
			require.NotEmpty(t, m.Tokens)
			if m.Payout != nil {
				require.Len(t, m.Payout.Fractions, len(m.Tokens))
			}
		}
	})
}

// TestOneAtATime: a market is done with its line, so that a list of many holds one.
func TestOneAtATime(t *testing.T) {
	t.Parallel()
	var r recorder
	_, err := gamma.Import(t.Context(), strings.NewReader("["+market1+","+market1+"]"), &r)
	require.NoError(t, err)
	require.Len(t, r.markets, 2)
	require.Equal(t, 1, r.most)
	require.Zero(t, r.open)
}
