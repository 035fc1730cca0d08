package ingest_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/ingest"
	"github.com/ladderback/ladderback/market"
)

// move is a change of one level of Up, with the best prices after it.
type move struct {
	sec              string
	side             string
	price, size      string
	bestBid, bestAsk string
}

// mirrored is the same change as the other token has it.
func (m move) mirrored() move {
	one := func(p string) string {
		v, _ := strconv.ParseFloat(p, 64)
		return strconv.FormatFloat(1-v, 'f', 2, 64)
	}
	side := map[string]string{"BUY": "SELL", "SELL": "BUY"}[m.side]
	return move{m.sec, side, one(m.price), m.size, one(m.bestAsk), one(m.bestBid)}
}

// withChanges writes a whole book of Up and then changes, each also as its mirror
// for Down where both is true, in the formats that have changes.
func withChanges(t *testing.T, format string, first event, moves []move, both bool) (name string, data []byte) {
	t.Helper()
	s := subjectNamed(t, format)
	each := func(f func(token int, m move) []string) []byte {
		rows := [][]string{s.row(first)}
		for token := range 2 {
			for _, m := range moves {
				if token == 0 {
					rows = append(rows, f(0, m))
				} else if both {
					rows = append(rows, f(1, m.mirrored()))
				}
			}
		}
		return parquetTable(t, s.cols, rows)
	}
	tokens := [2]string{ups[0], downs[0]}
	switch format {
	case "polymarket-ws":
		b := s.text([]event{first})
		for _, m := range moves {
			one := func(token int, m move) string {
				return fmt.Sprintf(`{"asset_id":%q,"price":%q,"size":%q,"side":%q,"best_bid":%q,"best_ask":%q}`, tokens[token], m.price, m.size, m.side, m.bestBid, m.bestAsk)
			}
			all := []string{one(0, m)}
			if both {
				all = append(all, one(1, m.mirrored()))
			}
			at := event{sec: m.sec}.at()
			b = fmt.Appendf(b, `{"recv":%s,"msg":{"event_type":"price_change","market":%q,"timestamp":"%s","price_changes":[%s]}}`+"\n",
				at, conditions[0], event{sec: m.sec}.scaled(1e3), strings.Join(all, ","))
		}
		return "log", b
	case "pmxt-v2":
		return "hour", each(func(token int, m move) []string {
			at := event{sec: m.sec}.at()
			return []string{at, at, conditions[0], "price_change", tokens[token], "", "", m.price, m.size, m.side, m.bestBid, m.bestAsk, "", "", "", ""}
		})
	case "pmxt-v1":
		return "hour", each(func(token int, m move) []string {
			at := event{sec: m.sec}.at()
			return []string{at, "", conditions[0], "price_change", fmt.Sprintf(
				`{"update_type":"price_change","market_id":%q,"token_id":%q,"timestamp":%s,"change_price":%q,"change_size":%q,"change_side":%q,"best_bid":%q,"best_ask":%q}`,
				conditions[0], tokens[token], at, m.price, m.size, m.side, m.bestBid, m.bestAsk)}
		})
	case "marketlens":
		return s.file, each(func(_ int, m move) []string {
			return []string{"delta", event{sec: m.sec}.scaled(1e3), m.price, m.size, m.side, "false", "", "", ""}
		})
	}
	require.Fail(t, format)
	return "", nil
}

var changeFormats = []string{"polymarket-ws", "pmxt-v2", "pmxt-v1", "marketlens"}

// book0 is the whole book that changes begin with: 0.40 bid, 0.50 asked.
var book0 = event{sec: "10", bid: "0.40", ask: "0.50", size: "5"}

// TestContractMirroredChanges: what comes once for each token counts once.
func TestContractMirroredChanges(t *testing.T) {
	t.Parallel()
	moves := []move{
		{"20", "BUY", "0.42", "7", "0.42", "0.50"}, {"30", "SELL", "0.48", "3", "0.42", "0.48"}, {"40", "BUY", "0.42", "0", "0.40", "0.48"},
	}
	for _, format := range changeFormats {
		for _, both := range []bool{false, true} {
			if both && format == "marketlens" {
				continue // of one token only
			}
			a := newArchive(t)
			name, data := withChanges(t, format, book0, moves, both)
			res := run(t, a, ingest.Options{
				Paths:   []string{write(t, name, data)},
				Markets: []string{write(t, "list.jsonl", list()), write(t, "markets.csv", lensMarkets())},
			})
			require.Empty(t, res.Failed(), format)
			require.Empty(t, res.Rejected, format)
			require.Zero(t, res.Diverged, format)
			require.Equal(t, []string{"10 0.4×5 0.5×5", "20 0.42×7 0.5×5", "30 0.42×7 0.48×3", "40 0.4×5 0.48×3"}, ofUp(t, a), "%s, both tokens: %v", format, both)
		}
	}
}

// TestContractDivergence: changes that do not lead to the best prices stated are
// a gap, and counted, in each format that states them.
func TestContractDivergence(t *testing.T) {
	t.Parallel()
	moves := []move{{"20", "BUY", "0.42", "7", "0.42", "0.50"}, {"30", "BUY", "0.43", "7", "0.45", "0.50"}, {"40", "BUY", "0.44", "7", "0.44", "0.50"}}
	for _, format := range changeFormats[:3] {
		a := newArchive(t)
		name, data := withChanges(t, format, book0, moves, false)
		res := run(t, a, ingest.Options{Paths: []string{write(t, name, data)}, Markets: []string{write(t, "list.jsonl", list())}})
		require.Empty(t, res.Failed(), format)
		require.EqualValues(t, 1, res.Diverged, format)
		r := firstRound(t, a)
		require.Len(t, r.Gaps, 1, format)
		require.Equal(t, r.Market.Start+30*market.Second, r.Gaps[0].From, format)
		require.Equal(t, r.Market.Start+70*market.Second, r.Gaps[0].To, "30 s behind the last message")
	}
}

// TestOneBookFromTwoSources: the same messages as JSON lines and as Parquet are
// one book, and what each of them says of the market is kept.
func TestOneBookFromTwoSources(t *testing.T) {
	t.Parallel()
	lines, table := subjectNamed(t, "polymarket-ws"), subjectNamed(t, "polymarket-parquet")
	alone, _ := lines.imported(t, lines.make(t, good()))
	require.Empty(t, alone.Failed())
	content := func(paths ...string) (string, int) {
		a := newArchive(t)
		run(t, a, ingest.Options{Paths: append(paths, write(t, "list.jsonl", list()))})
		sources, err := a.Sources(t.Context())
		require.NoError(t, err)
		for _, r := range rounds(t, a) {
			if r.Market.Slug == slugs[0] {
				return fmt.Sprintf("%x", r.Content), len(sources)
			}
		}
		return "", 0
	}
	one, _ := content(write(t, "log", lines.make(t, good())))
	two, _ := content(write(t, "table", table.make(t, good())))
	both, sources := content(write(t, "log", lines.make(t, good())), write(t, "table", table.make(t, good())))
	require.Equal(t, one, two)
	require.Equal(t, one, both)
	require.Equal(t, 3, sources)
}

// ofUp returns the ladder of the first round at each of its captures, as Up has
// it.
func ofUp(t *testing.T, a *archive.Archive) []string {
	t.Helper()
	var out []string
	r := firstRound(t, a)
	b := new(market.Book)
	for c, err := range a.Captures(t.Context(), r.Market) {
		require.NoError(t, err)
		require.Equal(t, market.Up, r.Market.Tokens[c.Token].Outcome, "the other token's is the same")
		b.Apply(c)
		q := b.Quote()
		out = append(out, fmt.Sprintf("%g %v×%v %v×%v", float64(c.Recv-r.Market.Start)/float64(market.Second), q.Bid.Price, q.Bid.Size, q.Ask.Price, q.Ask.Size))
	}
	return out
}

func firstRound(t *testing.T, a *archive.Archive) market.Round {
	t.Helper()
	for _, r := range rounds(t, a) {
		if r.Market.Slug == slugs[0] {
			return r
		}
	}
	require.Fail(t, "no first round")
	return market.Round{}
}
