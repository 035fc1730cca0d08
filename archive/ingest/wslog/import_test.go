package wslog_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/ingest/wslog"
	"github.com/ladderback/ladderback/market"
)

// recorder writes down what it is given, a line each.
type recorder struct {
	log    []string
	open   map[string]int // names → handle
	names  []string
	tokens [][]string
	refuse func(c *market.Capture) error
}

func (r *recorder) Market(_ context.Context, m market.Market) (int, error) {
	text := fmt.Sprintf("market %s %s", m.VenueID, m.Slug)
	if m.Question != "" {
		text += " " + m.Question
	}
	for i, t := range m.Tokens {
		text += fmt.Sprintf(" %s=%s=%s:%v", t.VenueID, t.Label, t.Outcome, m.Payout.Fractions[i])
	}
	if m.Closed {
		text += " closed " + string(m.Payout.Basis)
	}
	r.log = append(r.log, text)
	for _, n := range []string{m.VenueID, m.Slug} {
		if h, ok := r.open[n]; ok && n != "" {
			r.open[m.VenueID], r.open[m.Slug] = h, h
			return h, nil
		}
	}
	if r.open == nil {
		r.open = map[string]int{}
	}
	h := len(r.tokens)
	r.tokens = append(r.tokens, nil)
	r.names = append(r.names, m.VenueID+"/"+m.Slug)
	r.open[m.VenueID], r.open[m.Slug] = h, h
	return h, nil
}

func (r *recorder) Token(h int, t market.Token) int {
	key := t.VenueID
	if key == "" {
		key = t.Label
	}
	for i, k := range r.tokens[h] {
		if k == key {
			r.log = append(r.log, fmt.Sprintf("token %s is %s %s", k, t.Label, t.Outcome))
			return i
		}
	}
	r.tokens[h] = append(r.tokens[h], key)
	return len(r.tokens[h]) - 1
}

func (r *recorder) Diverged(h, token int, g market.Gap) {
	r.log = append(r.log, fmt.Sprintf("diverged %s %s %d-%d", r.names[h], r.tokens[h][token], seconds(g.From), seconds(g.To)))
}

func (r *recorder) Gap(h, token int, g market.Gap) {
	r.log = append(r.log, fmt.Sprintf("gap %s %s %d-%d", r.names[h], r.tokens[h][token], seconds(g.From), seconds(g.To)))
}

func (r *recorder) Add(h int, c *market.Capture) error {
	if r.refuse != nil {
		if err := r.refuse(c); err != nil {
			return err
		}
	}
	r.log = append(r.log, fmt.Sprintf("%v %s %s %d %d/%d", c.Kind, r.names[h], r.tokens[h][c.Token], seconds(c.Recv), len(c.Bids), len(c.Asks)))
	return nil
}

func (r *recorder) Done(_ context.Context, h int) error {
	r.log = append(r.log, "done "+r.names[h])
	for n, was := range r.open {
		if was == h {
			delete(r.open, n)
		}
	}
	return nil
}

func (r *recorder) Reject(line int64, _ []byte, reason string) {
	r.log = append(r.log, fmt.Sprintf("reject %d %s", line, reason))
}

func importText(t *testing.T, lines ...string) (*recorder, int64) {
	t.Helper()
	var r recorder
	n, err := wslog.Import(t.Context(), strings.NewReader(later(strings.Join(lines, "\n"))), &r)
	require.NoError(t, err)
	return &r, n
}

func bookLine(recv int, slug, condition, asset string) string {
	return fmt.Sprintf(`{"recv":%d,"slug":%q,"msg":{"market":%q,"asset_id":%q,"timestamp":"%d000","bids":[{"price":"0.4","size":"1"}],"asks":[],"event_type":"book"}}`,
		base+recv, slug, condition, asset, base+recv)
}

// base is when the seconds of the tests are counted from, Unix seconds: times long ago are
// of another unit.
const base = 1_776_000_000

func seconds(t market.Instant) int64 { return int64(t/market.Second) - base }

var few = regexp.MustCompile(`"(recv|from|to)":("?)(\d{1,4}\b)`)

// later counts the times of lines from base.
func later(lines string) string {
	return few.ReplaceAllStringFunc(lines, func(m string) string {
		part := few.FindStringSubmatch(m)
		n, _ := strconv.Atoi(part[3])
		return fmt.Sprintf(`"%s":%s%d`, part[1], part[2], base+n)
	})
}

func TestImportNamesMarketsAndTokens(t *testing.T) {
	t.Parallel()
	r, n := importText(t,
		bookLine(100, "s1", "0x1", "11"),
		bookLine(101, "s2", "0x2", "21"),
		bookLine(102, "", "0x1", "12"),
		`{"recv":103,"slug":"s1","msg":{"asset_id":"11","event_type":"last_trade_price","price":"0.5"}}`, // by slug
		`{"recv":104,"msg":{"asset_id":"21","event_type":"best_bid_ask","best_bid":"0.5"}}`,              // by token
		`{"recv":105,"msg":{"asset_id":"99","event_type":"best_bid_ask","best_bid":"0.5"}}`,              // of no market
		bookLine(106, "s2", "0x2", "11"), // another market's token
		bookLine(107, "s1", "0x3", "31"), // a slug used twice
	)
	require.EqualValues(t, 8, n)
	require.Equal(t, []string{
		"market 0x1 s1", "book 0x1/s1 11 100 1/0",
		"market 0x2 s2", "book 0x2/s2 21 101 1/0",
		"book 0x1/s1 12 102 1/0",
		"trade 0x1/s1 11 103 0/0",
		"quote 0x2/s2 21 104 0/0",
		"reject 6 no market named",
		"reject 7 token belongs to another market",
		"market 0x3 ", "book 0x3/ 31 107 1/0",
	}, r.log)
}

func TestImportLearnsTheConditionLate(t *testing.T) {
	t.Parallel()
	r, _ := importText(t,
		`{"recv":100,"slug":"s1","msg":{"asset_id":"11","event_type":"last_trade_price","price":"0.5"}}`,
		bookLine(101, "s1", "0x1", "11"),
	)
	require.Equal(t, []string{"market  s1", "trade /s1 11 100 0/0", "market 0x1 s1", "book /s1 11 101 1/0"}, r.log)
}

func TestImportResolves(t *testing.T) {
	t.Parallel()
	r, _ := importText(t,
		bookLine(100, "s1", "0x1", "11"),
		`{"recv":400,"msg":{"market":"0x1","winning_asset_id":"12","winning_outcome":"Down","event_type":"market_resolved"}}`,
		`{"recv":401,"msg":{"market":"0x1","winning_asset_id":"11","event_type":"market_resolved"}}`,
		`{"recv":402,"msg":{"market":"0x1","winning_asset_id":"13","event_type":"market_resolved"}}`,
	)
	require.Equal(t, []string{
		"market 0x1 s1", "book 0x1/s1 11 100 1/0",
		"reject 3 winner contradicts an earlier one",
		"reject 4 winner is not a token of the market",
		"token 11 is Up up",
		"market 0x1 s1 11=Up=up:0 12=Down=down:1 closed inferred",
	}, r.log)

	r, _ = importText(t,
		`{"recv":400,"slug":"s","msg":{"market":"0x1","winning_outcome":"up","event_type":"market_resolved"}}`)
	require.Equal(t, "market 0x1 s =up=up:1 =Down=down:0 closed inferred", r.log[len(r.log)-1])

	r, _ = importText(t,
		`{"recv":1,"msg":{"market":"0x1","slug":"s","question":"Who?","assets_ids":["1","2","3"],"outcomes":["A","B","C"],"event_type":"new_market"}}`,
		`{"recv":400,"slug":"s","msg":{"market":"0x1","winning_outcome":"B","event_type":"market_resolved"}}`)
	require.Equal(t, "market 0x1 s Who? 1=A=other:0 2=B=other:1 3=C=other:0 closed inferred", r.log[len(r.log)-1])
}

func TestImportGapsAndResets(t *testing.T) {
	t.Parallel()
	r, _ := importText(t,
		`{"recv":90,"slug":"btc-updown-5m-1776081600","gap":{"from":80,"to":90}}`,
		`{"recv":90,"slug":"other","gap":{"from":80,"to":90}}`,
		bookLine(100, "s1", "0x1", "11"),
		bookLine(100, "s1", "0x1", "12"),
		bookLine(100, "s2", "0x2", "21"),
		`{"recv":120,"slug":"s1","gap":{"from":101,"to":"119.5"}}`,
		`{"recv":120,"slug":"s1","asset_id":"11","gap":{"from":130,"to":131}}`,
		`{"recv":120,"slug":"s1","reset":true}`,
		`{"recv":121,"asset_id":"12","slug":"s1","reset":true}`,
		bookLine(170, "s2", "0x2", "21"),
		`{"recv":190,"reset":true}`,
	)
	require.Equal(t, []string{
		"market  btc-updown-5m-1776081600",
		"market  other",
		"market 0x1 s1", "book 0x1/s1 11 100 1/0", "book 0x1/s1 12 100 1/0",
		"market 0x2 s2", "book 0x2/s2 21 100 1/0",
		"gap 0x1/s1 11 130-131",
		"reset 0x1/s1 11 120 0/0", "reset 0x1/s1 12 120 0/0",
		"reset 0x1/s1 12 121 0/0",
		"book 0x2/s2 21 170 1/0",
		"reset 0x2/s2 21 190 0/0",
		"gap /btc-updown-5m-1776081600 Up 80-90", "gap /btc-updown-5m-1776081600 Down 80-90",
		"reject 2 no token id",
		"gap 0x1/s1 11 101-119", "gap 0x1/s1 12 101-119",
	}, r.log)
}

// TestImportEndsSilentMarkets: one that has been silent is done, with all that
// waited, and is opened again when it is heard of once more.
func TestImportEndsSilentMarkets(t *testing.T) {
	t.Parallel()
	lines := []string{
		bookLine(1000, "s1", "0x1", "11"), bookLine(1000, "s1", "0x1", "12"),
		`{"recv":1300,"msg":{"market":"0x1","winning_asset_id":"12","winning_outcome":"Down","event_type":"market_resolved"}}`,
	}
	for k := range 5000 {
		lines = append(lines, bookLine(1300+k, "s2", "0x2", "21"))
	}
	lines = append(lines, bookLine(9000, "s1", "0x1", "12"))
	r, _ := importText(t, lines...)
	done := -1
	for i, l := range r.log {
		if l == "done 0x1/s1" {
			require.Equal(t, -1, done)
			done = i
		}
	}
	require.Positive(t, done)
	require.Equal(t, []string{"token 11 is Up up", "market 0x1 s1 11=Up=up:0 12=Down=down:1 closed inferred"}, r.log[done-2:done])
	require.Equal(t, []string{"market 0x1 s1", "book 0x1/s1 12 9000 1/0"}, r.log[len(r.log)-2:])
}

func TestImportRejectsWhatCannotBeStored(t *testing.T) {
	t.Parallel()
	text := strings.NewReader(bookLine(100, "s1", "0x1", "11") + "\n" + bookLine(101, "s1", "0x1", "11"))
	r := recorder{refuse: func(c *market.Capture) error {
		if seconds(c.Recv) == 100 {
			return fmt.Errorf("too odd: %w", block.ErrCapture)
		}
		return nil
	}}
	n, err := wslog.Import(t.Context(), text, &r)
	require.NoError(t, err)
	require.EqualValues(t, 2, n)
	require.Equal(t, []string{"market 0x1 s1", "reject 1 capture cannot be stored", "book 0x1/s1 11 101 1/0"}, r.log)
}

func TestImportStops(t *testing.T) {
	t.Parallel()
	full := errors.New("disk full")
	r := recorder{refuse: func(*market.Capture) error { return full }}
	_, err := wslog.Import(t.Context(), strings.NewReader(bookLine(100, "s1", "0x1", "11")), &r)
	require.ErrorIs(t, err, full)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	text := bytes.Repeat([]byte(bookLine(100, "s1", "0x1", "11")+"\n"), 5000)
	_, err = wslog.Import(ctx, bytes.NewReader(text), &recorder{})
	require.ErrorIs(t, err, context.Canceled)
}
