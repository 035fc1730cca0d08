package exported_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/ingest/exported"
	"github.com/ladderback/ladderback/archive/ingest/rows"
	"github.com/ladderback/ladderback/market"
)

// heard is a sink that writes down what it is told.
type heard struct {
	open   int
	tokens map[int]int
	lines  []string
	refuse error // of captures of price 0.13
}

func (h *heard) note(format string, args ...any) {
	h.lines = append(h.lines, strings.TrimSpace(fmt.Sprintf(format, args...)))
}

func (h *heard) Market(_ context.Context, m market.Market) (int, error) {
	h.open++
	text := fmt.Sprintf("market %s %q %s %s", m.Venue, m.VenueID, m.Slug, m.Category)
	for i, t := range m.Tokens {
		text += fmt.Sprintf(" [%s %s %s]", t.VenueID, t.Label, t.Outcome)
		if m.Payout != nil {
			text += fmt.Sprint("=", m.Payout.Fractions[i])
		}
	}
	if m.Payout != nil {
		text += " " + string(m.Payout.Basis)
	}
	h.note("%s", text)
	return h.open, nil
}

func (h *heard) Token(handle int, t market.Token) int {
	if h.tokens == nil {
		h.tokens = map[int]int{}
	}
	h.tokens[handle]++
	h.note("token %q %s %s", t.VenueID, t.Label, t.Outcome)
	return h.tokens[handle] - 1
}

func (h *heard) Gap(_, token int, g market.Gap) {
	h.note("gap of %d %d %d", token, g.From/market.Second, g.To/market.Second)
}

func (h *heard) Add(_ int, c *market.Capture) error {
	if h.refuse != nil && c.Trade.Price == 1300 {
		return h.refuse
	}
	text := fmt.Sprintf("%s of %d at %d %d", c.Kind, c.Token, c.Recv/market.Second, c.Exch/market.Second)
	switch c.Kind {
	case market.KindBook, market.KindChange:
		text += fmt.Sprint(" ", c.Bids, c.Asks, c.Replace)
	case market.KindQuote:
		text += fmt.Sprint(" ", c.Quote)
	case market.KindMetric:
		text += fmt.Sprint(" ", int64(c.Metric.Liquidity), " ", int64(c.Metric.Volume))
	default:
		text += fmt.Sprint(" ", c.Trade.Price, " ", c.Trade.Size, " ", c.Trade.Side)
	}
	h.note("%s", text)
	return nil
}

func (h *heard) Done(_ context.Context, handle int) error { h.note("done %d", handle); return nil }
func (h *heard) Reject(row int64, _ []byte, reason string) {
	h.note("%d: %s", row, reason)
}
func (h *heard) Event(_ context.Context, e market.Event) error {
	h.note("event %s %v %d", e.VenueID, e.Tags, e.Start/market.Second)
	return nil
}
func (h *heard) Series(_ context.Context, s market.Series) error {
	h.note("series %s %s %v", s.VenueID, s.Recurrence, s.Tags)
	return nil
}

// table is a table of CSV with some columns; of the others nothing is said.
func table(t *testing.T, all []string, names string, lines ...string) rows.Table {
	t.Helper()
	own := strings.Fields(names)
	header := append([]string{}, own...)
	for _, n := range all {
		n, _, _ = strings.Cut(n, ".")
		if !strings.Contains(" "+strings.Join(header, " ")+" ", " "+n+" ") {
			header = append(header, n)
		}
	}
	text := strings.Join(header, ",") + "\n"
	for _, l := range lines {
		text += l + strings.Repeat(",", len(header)-len(own)) + "\n"
	}
	c, err := rows.OpenCSV(strings.NewReader(text))
	require.NoError(t, err)
	out, err := c.Read(all...)
	require.NoError(t, err)
	return out
}

const market1 = "v,sports,m1,game,"

func captures(t *testing.T, h *heard, lines ...string) (int64, error) {
	t.Helper()
	const names = "venue category market_id slug token_id label t kind side price size liquidity volume bids asks bid bid_size ask ask_size"
	return exported.Captures(t.Context(), table(t, exported.CaptureColumns(), names, lines...), h)
}

// TestCaptures: each kind as it was exported, markets one after the other; a bad row takes
// nothing from those beside it.
func TestCaptures(t *testing.T) {
	t.Parallel()
	h := &heard{}
	n, err := captures(t, h,
		market1+`yes,Yes,1776081600,book,,,,,,"[[0.4,5],[0.39,0],[0.41,1]]","[[0.6,2]]",,,,`,
		market1+`yes,Yes,1776081601,change,,,,,,"[[0.4,0]]",,,,,`,
		market1+`m1:no,No,1776081602,trade,sell,0.35,7,,,,,,,,`,
		market1+`yes,Yes,1776081603,quote,,,,,,,,0.4,5,,`,
		market1+`yes,Yes,1776081604,metric,,,,12.5,,,,,,,`,
		market1+`yes,Yes,1776081605,tick,,0.001,,,,,,,,,`,
		market1+`yes,Yes,,price,,0.5,,,,,,,,,`,
		market1+`yes,Yes,1776081606,price,,1.5,,,,,,,,,`,
		market1+`yes,Yes,1776081606,prices,,0.5,,,,,,,,,`,
		market1+`,Yes,1776081606,price,,0.5,,,,,,,,,`,
		market1+`yes,Yes,1776081606,book,,,,,,"[[0.4]]",,,,,`,
		market1+`yes,Yes,1776081606,reset,,,,,,,,,,,`,
		`v,sports,m2,m2,up,Up,1776081606,price,,0.5,,,,,,,,,`,
	)
	require.NoError(t, err)
	require.EqualValues(t, 13, n)
	require.Equal(t, []string{
		`market v "m1" game sports`, `token "yes" Yes other`,
		"book of 0 at 1776081600 0 [{0.41 1} {0.4 5}] [{0.6 2}] true",
		"change of 0 at 1776081601 0 [{0.4 0}] [] false",
		`token "" No other`, // an id made of the market's and the label is none
		"trade of 1 at 1776081602 0 0.35 7 ask",
		"quote of 0 at 1776081603 0 {{0.4 5} {-0.0001 0}}",
		"metric of 0 at 1776081604 0 12500000 -1",
		"tick of 0 at 1776081605 0 0.001 0 unknown",
		"7: no time", "8: price outside 0 to 1", "9: kind not understood", "10: id not understood", "11: price not a number",
		"reset of 0 at 1776081606 0 0 0 unknown",
		"done 1", `market v "" m2 sports`, `token "up" Up up`, // a slug that stands for the id
		"price of 0 at 1776081606 0 0.5 0 unknown", "done 2",
	}, h.lines)
}

// TestMarketsOfCaptures: a market that cannot be is refused row by row, and the next is not.
func TestMarketsOfCaptures(t *testing.T) {
	t.Parallel()
	h := &heard{}
	const rest = "yes,Yes,1776081600,price,,0.5,,,,,,,,,"
	n, err := captures(t, h,
		"v,chess,m1,game,"+rest, "v,chess,m1,game,"+rest, "v,crypto,m1,game,"+rest, ",crypto,m1,game,"+rest, "v,crypto,,game,"+rest, "v,crypto,m1,a game,"+rest, "v,crypto,m1,game,"+rest)
	require.NoError(t, err)
	require.EqualValues(t, 7, n)
	require.Equal(t, []string{
		"1: neither crypto nor sports", "2: neither crypto nor sports",
		`market v "m1" game crypto`, `token "yes" Yes other`, "price of 0 at 1776081600 0 0.5 0 unknown", "done 1",
		"4: no venue", "5: id not understood", "6: id not understood",
		`market v "m1" game crypto`, `token "yes" Yes other`, "price of 0 at 1776081600 0 0.5 0 unknown", "done 2",
	}, h.lines)

	// A capture that the archive does not keep is a bad row, any other error the end.
	h = &heard{refuse: fmt.Errorf("because: %w", block.ErrCapture)}
	_, err = captures(t, h, market1+rest, market1+strings.Replace(rest, "0.5", "0.13", 1), market1+rest)
	require.NoError(t, err)
	require.Len(t, h.lines, 6)
	require.True(t, strings.HasPrefix(h.lines[3], "2: "), h.lines[3])
	h = &heard{refuse: errors.New("of the disk")}
	n, err = captures(t, h, market1+rest, market1+strings.Replace(rest, "0.5", "0.13", 1), market1+rest)
	require.ErrorIs(t, err, h.refuse)
	require.EqualValues(t, 2, n)

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = exported.Captures(ended, table(t, exported.CaptureColumns(), "venue", "v"), &heard{})
	require.ErrorIs(t, err, context.Canceled)
}

// TestLevels: rows of one number are one capture; what contradicts the first of them takes
// the whole of it, and nothing of the next.
func TestLevels(t *testing.T) {
	t.Parallel()
	const names = "venue category market_id slug token_id label seq t kind side price size"
	read := func(lines ...string) []string {
		h := &heard{}
		for i := range lines {
			lines[i] = market1 + lines[i]
		}
		_, err := exported.Levels(t.Context(), table(t, exported.LevelColumns(), names, lines...), h)
		require.NoError(t, err)
		require.Equal(t, []string{`market v "m1" game sports`, "done 1"}, []string{h.lines[0], h.lines[len(h.lines)-1]})
		return h.lines[1 : len(h.lines)-1]
	}
	require.Equal(t, []string{
		`token "yes" Yes other`,
		"book of 0 at 1776081600 0 [{0.41 1} {0.4 5}] [{0.6 2}] true", "book of 0 at 1776081601 0 [] [] true",
		"quote of 0 at 1776081602 0 {{0.4 5} {0.6 0}}", "trade of 0 at 1776081603 0 0.5 1 bid",
	}, read(
		"yes,Yes,1,1776081600,book,bid,0.4,5", "yes,Yes,1,1776081600,book,ask,0.6,2", "yes,Yes,1,1776081600,book,bid,0.41,1",
		"yes,Yes,2,1776081601,book,,,",
		"yes,Yes,3,1776081602,quote,ask,0.6,", "yes,Yes,3,1776081602,quote,bid,0.4,5",
		"yes,Yes,4,1776081603,trade,buy,0.5,1",
	))
	for reason, second := range map[string]string{
		"rows of one capture contradict each other": "yes,Yes,1,1776081601,book,ask,0.6,2",
		"price outside 0 to 1":                      "yes,Yes,1,1776081600,book,ask,1.6,2",
		"side not understood":                       "yes,Yes,1,1776081600,book,up,0.6,2",
		"size not a number":                         "yes,Yes,1,1776081600,book,ask,0.6,",
		"kind not understood":                       "yes,Yes,1,1776081600,?,ask,0.6,2",
	} {
		require.Equal(t, []string{`token "yes" Yes other`, "2: " + reason, "book of 0 at 1776081605 0 [{0.3 1}] [] true"}, read(
			"yes,Yes,1,1776081600,book,bid,0.4,5", second, "yes,Yes,1,1776081600,book,bid,0.41,1", "yes,Yes,2,1776081605,book,bid,0.3,1"), reason)
	}
	require.Equal(t, []string{`token "yes" Yes other`, "2: number of the capture not understood", "book of 0 at 1776081600 0 [{0.4 5}] [] true"},
		read("yes,Yes,1,1776081600,book,bid,0.4,5", "yes,Yes,x,1776081600,book,bid,0.3,5"))
	require.Equal(t, []string{`token "yes" Yes other`, "trade of 0 at 1776081603 0 0.5 1 bid", "3: rows of one capture contradict each other"},
		read("yes,Yes,1,1776081603,trade,buy,0.5,1", "yes,Yes,2,1776081604,trade,buy,0.5,1", "yes,Yes,2,1776081604,trade,buy,0.5,1"), "a trade has no second row")
}

// TestImportMarkets: rows of a market, one after the other, are one market; a row that is
// refused says nothing of it.
func TestImportMarkets(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1001)
	for name, c := range map[string]struct {
		kind  exported.Kind
		names string
		lines []string
		want  []string
	}{
		"tokens": {exported.Tokens, "venue market_id slug token_id label outcome derived",
			[]string{"v,m1,game,71,Up,up,", "v,m1,game,x,Down,down,true", "v,m1,game,,Yes,,", "v,m2,,x,,,true", "v,m3,,71," + long + ",,", ",m3,,71,Up,,"},
			[]string{"3: id not understood", "4: id not understood", "5: id not understood", "6: no venue",
				`market v "m1" game  [71 Up up] [ Down down]`, "done 1"}},
		"payouts": {exported.Payouts, "venue market_id slug token_id label basis pays",
			[]string{"v,m1,game,71,Up (71),official,1", "v,m1,game,m1:down,Down,official,0", "v,m1,game,73,Other,inferred,0", "v,m2,,71,Up,official,1.1", "v,m2,,71,Up,perhaps,1", "v,m2,,71," + long + ",official,1"},
			[]string{"3: payouts of one market differ in basis", "4: outcome not understood", "5: outcome not understood", "6: id not understood",
				`market v "m1" game  [71 Up other]=1 [ Down down]=0 official`, "done 1"}},
		"gaps": {exported.Gaps, "venue market_id slug token_id label gap_from gap_to",
			[]string{"v,m1,game,71,Up,1776081600,1776081610", "v,m1,game,72,Down,1776081600,1776081610", "v,m1,game,71,Up,1776081620,1776081621",
				"v,m1,game,71,Up,1776081620,1776081620", "v,m1,game,71,Up,,1776081620", "v,m2,,71,Up,1776081600,soon"},
			[]string{"4: gap not understood", "5: no time", "6: time not understood",
				`market v "m1" game  [71 Up up] [72 Down down]`, `token "71" Up up`, "gap of 0 1776081600 1776081610",
				`token "72" Down down`, "gap of 1 1776081600 1776081610", `token "71" Up up`, "gap of 2 1776081620 1776081621", "done 1"}},
		"events": {exported.Events, "venue event_id slug title series_id category tags start",
			[]string{`v,e1,,,,,"a,b",1776081600`, "v,e2,,,,,,", ",e3,,,,,,", "v,e 4,,,,,,", "v,e5,,,,,,noon"},
			[]string{"event e1 [a b] 1776081600", "event e2 [] 0", "3: no venue", "4: id not understood", "5: time not understood"}},
		"series": {exported.Series, "venue series_id slug title recurrence category tags",
			[]string{"v,s1,,,daily,,a", "v,,,,,,"},
			[]string{"series s1 daily [a]", "2: id not understood"}},
		"markets": {exported.Markets, "venue market_id slug category start end undated tick fee_rate fee_exponent",
			[]string{"v,m1,game,sports,1776081600,1776081700,,0.01,0.1,1", "v,m2,,chess,,,,,,", "v,m3,,crypto,later,,,,,", "v,m4,,crypto,,,,2,,", "v,m5,,crypto,,,,,0.1,101", "v,m6,m6,crypto,,,1,,,"},
			[]string{`market v "m1" game sports`, "done 1", "2: neither crypto nor sports", "3: time not understood", "4: price outside 0 to 1", "5: number not understood",
				`market v "" m6 crypto`, "done 2"}},
	} {
		h := &heard{}
		n, err := exported.ImportMarkets(t.Context(), c.kind, table(t, rows.Names(exported.Needs(c.kind)), c.names, c.lines...), h)
		require.NoError(t, err, name)
		require.EqualValues(t, len(c.lines), n, name)
		require.Equal(t, c.want, h.lines, name)
	}
}

// TestMostTokens: a market has 64 at most, in every table that names them.
func TestMostTokens(t *testing.T) {
	t.Parallel()
	var lines, trades []string
	for i := range 65 {
		lines = append(lines, fmt.Sprintf("v,m1,game,%d,Outcome %d,,", i, i))
		trades = append(trades, fmt.Sprintf(market1+"%d,%d,1776081600,price,,0.5,,,,,,,,,", i, i))
	}
	h := &heard{}
	_, err := exported.ImportMarkets(t.Context(), exported.Tokens, table(t, rows.Names(exported.Needs(exported.Tokens)), "venue market_id slug token_id label outcome derived", lines...), h)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(h.lines[0], "65: "), h.lines[0])
	require.Equal(t, 64, strings.Count(h.lines[1], "["))
	h = &heard{}
	_, err = captures(t, h, trades...)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(h.lines[len(h.lines)-2], "65: "), h.lines[len(h.lines)-2])
}
