package listing_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/archive/ingest"
	"github.com/ladderback/ladderback/archive/simulate"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/archive/table"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/report/listing"
)

const noon = market.Instant(1_775_044_800_000_000) // 2026-04-01 12:00 UTC

func document(t *testing.T, v any) map[string]any {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	var out map[string]any
	require.NoError(t, json.Unmarshal(text, &out))
	return out
}

func TestAmounts(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1: "-1", -1234567: "-1,234,567", 1e9: "1,000,000,000"} {
		require.Equal(t, want, listing.Grouped(n))
	}
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 999_949: "999.9 kB", 999_950: "1.0 MB", 1_500_000: "1.5 MB", 999_949_999: "999.9 MB", 999_950_000: "1.00 GB", 2_030_000_000: "2.03 GB"} {
		require.Equal(t, want, listing.Bytes(n))
	}
	require.Equal(t, "1 market", listing.Plural(1, "market"))
	require.Equal(t, "1,200 markets", listing.Plural(1200, "market"))
	require.Empty(t, listing.ToMinute(0))
	require.Equal(t, "2026-04-01 12:00", listing.ToMinute(noon))
}

// TestSources: names are told from the folder that all files are in, with what is unusual
// about each; a simulation was imported at no time.
func TestSources(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	listing.Sources(&out, nil, 0)
	require.Equal(t, "no sources\n", out.String())
	out.Reset()
	sources := []store.Source{
		{Name: "/data/captures/a.jsonl", Format: "ws", Size: 1500, ImportedAt: noon, Complete: true, Counts: store.Counts{Markets: 2, Captures: 1000}},
		{Name: "/data/captures-b/b.jsonl", Format: simulate.Format, Licence: "CC0", ImportedAt: noon, Removed: 1, Counts: store.Counts{Markets: 3, Captures: 234}},
	}
	listing.Sources(&out, sources, 0)
	text := out.String()
	require.Contains(t, text, "Files in /data/\n")
	require.Contains(t, text, "captures/a.jsonl (ws)")
	require.Contains(t, text, "captures-b/b.jsonl ("+simulate.Format+", CC0, 1 market removed)")
	require.Contains(t, text, "–")
	require.Contains(t, text, "1,234")
	require.Equal(t, 1, strings.Count(text, "2026-04-01 12:00"))

	got, err := json.Marshal(listing.SourcesDocument(sources))
	require.NoError(t, err)
	require.Contains(t, string(got), `"markets_removed":1`)
	require.Equal(t, 2, strings.Count(string(got), `"id":"000000000000"`))
}

// TestSourcesFitAWidth: the name of a file is cut at a width, and without one is not.
func TestSourcesFitAWidth(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long", 40)
	for _, width := range []int{80, 0} {
		var out bytes.Buffer
		listing.Sources(&out, []store.Source{{Name: "/data/" + long, Format: "log"}, {Name: "/data/short", Format: "log"}}, width)
		require.Equal(t, width == 0, strings.Contains(out.String(), long), out.String())
		for line := range strings.Lines(out.String()) {
			require.True(t, width == 0 || utf8.RuneCountInString(strings.TrimRight(line, "\n")) <= width, line)
		}
	}
}

// TestInfoSaysOneAndMany: what is said of several is said of one in its own words, and of
// none not at all.
func TestInfoSaysOneAndMany(t *testing.T) {
	t.Parallel()
	say := func(n int) string {
		var out bytes.Buffer
		listing.Info(&out, &care.Info{Address: "a.db", Disputed: n, Unlisted: n, Unfinished: n, Repeated: int64(n)})
		return out.String()
	}
	require.NotContains(t, say(0), "disagree")
	require.Contains(t, say(1), "1 market has sources that disagree")
	require.Contains(t, say(1), "1 market has no category and appears in no list: import its metadata")
	require.Contains(t, say(1), "1 import is unfinished")
	require.Contains(t, say(1), "1 capture came from several sources: results count it once")
	require.Contains(t, say(1200), "1,200 markets have sources that disagree")
	d := document(t, listing.InfoDocument(&care.Info{Watermarks: map[market.Category]market.Instant{market.Crypto: noon, market.Sports: 0}}))
	require.Nil(t, d["first_capture"])
	require.Len(t, d["watermarks"], 1)
	require.Equal(t, []any{}, d["streams"], "nothing is an empty list")
}

// TestCoverage: columns that say nothing are left out.
func TestCoverage(t *testing.T) {
	t.Parallel()
	one := care.Coverage{OneSided: -1, Crossed: -1, Trades: 1200, Sized: 1000}
	one.Market.Coin, one.Market.Type, one.Stats.Coverage = "BTC", "5m", 500_000
	row := listing.CoverageOf(&one)
	require.Nil(t, row.OneSided)
	require.InDelta(t, 0.5, row.Coverage, 0)
	var out bytes.Buffer
	listing.CoverageTable(&out, []listing.Coverage{row})
	require.Contains(t, out.String(), "BTC 5m")
	require.Contains(t, out.String(), "1,200, 200 unsized")
	require.Contains(t, out.String(), "50.0%")
	require.NotContains(t, strings.SplitN(out.String(), "\n", 2)[0], "crossed")
	one.Crossed, one.Gap = 20_000, 3*market.Second
	out.Reset()
	listing.CoverageTable(&out, []listing.Coverage{listing.CoverageOf(&one)})
	head := strings.SplitN(out.String(), "\n", 2)[0]
	require.Contains(t, head, "crossed")
	require.Contains(t, head, "gaps")
	require.Contains(t, out.String(), "2.0%")
	require.Contains(t, out.String(), "3 s")
	out.Reset()
	listing.CoverageTable(&out, nil)
	require.Contains(t, out.String(), "no up/down rounds")
}

// round is a market with two tokens, of which one is bought.
func round() *store.Listing {
	row := &store.Listing{}
	row.Market = market.Market{
		VenueID: "m1", Slug: "btc-updown-5m-1", Question: "Up?", Category: market.Crypto, Coin: "BTC", Type: "5m", Start: noon, End: noon + 5*market.Minute,
		Tokens: []market.Token{{VenueID: "u", Label: "Up"}, {VenueID: "d", Label: "Down"}},
		Payout: &market.Payout{Basis: market.Inferred, Fractions: []market.Cash{market.CashOne, 0}},
	}
	row.Status = store.Resolved
	row.Stats = store.Stats{Captures: 1234, First: noon, Last: noon + market.Minute, Coverage: 900_000}
	return row
}

// TestMarkets: a winner that a source infers is marked, in a list and by itself; an end on
// the day of the start is told without it.
func TestMarkets(t *testing.T) {
	t.Parallel()
	row := round()
	var out bytes.Buffer
	listing.Markets(&out, []store.Listing{*row})
	require.Contains(t, out.String(), "Up*")
	require.Contains(t, out.String(), "* inferred by a source")
	require.Contains(t, out.String(), "2026-04-01 12:00 ")
	require.Contains(t, out.String(), " 12:05 ")
	row.Market.Payout.Basis, row.Market.End = market.Official, noon+market.Day
	out.Reset()
	listing.Markets(&out, []store.Listing{*row})
	require.NotContains(t, out.String(), "*")
	require.Contains(t, out.String(), "2026-04-02 12:00")

	words := []listing.Word{{Source: "a", Basis: market.Official, Winner: "Up"}, {Source: "b", Basis: market.Inferred}}
	out.Reset()
	listing.Market(&out, row, words)
	require.Contains(t, out.String(), "resolved, winner Up\n")
	require.Contains(t, out.String(), "none, inferred: b")
	require.Contains(t, out.String(), "90% covered")
	d := document(t, listing.MarketDocument(row, words))
	require.Len(t, d["tokens"], 2)
	require.InDelta(t, 1, d["tokens"].([]any)[0].(map[string]any)["pays"], 0)
	list := document(t, listing.MarketsDocument(nil, true))
	require.Equal(t, []any{}, list["data"])
	require.Equal(t, true, list["more"])
}

// TestHistory: lists of several tokens are one table by time, in which a token without a
// point has an empty cell.
func TestHistory(t *testing.T) {
	t.Parallel()
	row := round()
	q := &history.Query{Row: row, Points: history.PricePoints}
	q.Window.Resolution = market.Second
	p := &history.Page{Count: 3, Lists: []history.List{
		{Prices: []history.PriceAt{{T: noon, P: 400_000}, {T: noon + 2*market.Second, P: 412_349}}},
		{Prices: []history.PriceAt{{T: noon + market.Second, P: 600_000}}},
	}}
	var out bytes.Buffer
	require.NoError(t, listing.History(&out, q, p))
	var got [][]string
	for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n")[2:] {
		got = append(got, strings.Fields(strings.ReplaceAll(line, "│", "")))
	}
	require.Equal(t, [][]string{{"2026-04-01", "12:00:00", "0.4000"}, {"2026-04-01", "12:00:01", "0.6000"}, {"2026-04-01", "12:00:02", "0.4123"}}, got)
	out.Reset()
	require.NoError(t, listing.History(&out, q, &history.Page{}))
	require.Equal(t, "no points in this window\n", out.String())
}

// TestMetricsOfACrossedBook: its spread is below 0, and so is what is written; halves of the
// last decimal go away from 0.
func TestMetricsOfACrossedBook(t *testing.T) {
	t.Parallel()
	q := &history.Query{Row: round(), Points: history.MetricPoints}
	q.Window.Resolution = market.Minute
	p := &history.Page{Count: 4, Lists: []history.List{{}}}
	for i, spread := range []int64{10_000, -10_000, -1_234_567, -50} {
		p.Lists[0].Metrics = append(p.Lists[0].Metrics, history.MetricAt{
			T: noon + market.Instant(i)*market.Minute, Metric: history.Metric{Liquidity: 1_234_567_891, Spread: spread, Volume: 5_000},
		})
	}
	var out bytes.Buffer
	require.NoError(t, listing.History(&out, q, p))
	var got [][]string
	for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n")[2:] {
		got = append(got, strings.Fields(strings.ReplaceAll(line, "│", ""))[1:])
	}
	require.Equal(t, [][]string{
		{"12:00", "1,234.57", "0.0100", "0.01"}, {"12:01", "1,234.57", "-0.0100", "0.01"}, {"12:02", "1,234.57", "-1.2346", "0.01"}, {"12:03", "1,234.57", "-0.0001", "0.01"},
	}, got)
}

func TestTrades(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, listing.Trades(&out, nil))
	require.Equal(t, "no trades in this window\n", out.String())
	out.Reset()
	require.NoError(t, listing.Trades(&out, []table.Trade{{T: noon, Label: "Up", Price: "0.4"}}))
	require.Contains(t, out.String(), "12:00:00.000000")
}

// TestImported: what an import did not meet is not told, and its error stands in the
// document.
func TestImported(t *testing.T) {
	t.Parallel()
	r := &ingest.Result{Files: []ingest.File{{Path: "a", Err: errors.New("broken")}}, Rejected: map[string]int64{"z": 1, "b": 2}, Changes: 4, Bytes: 10}
	var out bytes.Buffer
	listing.Imported(&out, r)
	require.NotContains(t, out.String(), "skipped")
	require.Contains(t, out.String(), "2.50 per level change")
	require.Less(t, strings.Index(out.String(), "  b"), strings.Index(out.String(), "  z"), "reasons in order")
	d := document(t, listing.ImportedDocument(r, errors.New("full")))
	require.Equal(t, "full", d["message"])
	require.Equal(t, "broken", d["files"].([]any)[0].(map[string]any)["error"])
	require.Equal(t, map[string]any{}, document(t, listing.ImportedDocument(&ingest.Result{}, nil))["rejected"])
	require.Equal(t, "a, b, c, d, e, …", listing.SomeOf([]string{"a", "b", "c", "d", "e", "f"}))
}

// TestVerification: damage is a line each, in the table and in the document.
func TestVerification(t *testing.T) {
	t.Parallel()
	v := &care.Verification{Markets: 2, Untopped: 1200}
	var out bytes.Buffer
	listing.Verification(&out, v)
	require.Contains(t, out.String(), "no damage found")
	require.Contains(t, out.String(), "1,200 rounds without tops")
	require.Equal(t, []any{}, document(t, listing.VerificationDocument(v))["damage"])
	v.Damage = []care.Damage{{Problem: "checksum differs"}}
	out.Reset()
	listing.Verification(&out, v)
	require.Equal(t, 1, strings.Count(out.String(), "damaged:"))
	require.NotContains(t, out.String(), "no damage found")
	require.Len(t, document(t, listing.VerificationDocument(v))["damage"], 1)
}
