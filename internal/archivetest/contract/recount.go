package contract

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// testRecount lists, captures, decides, removes and brings back rounds at random, and
// compares what is asked of each archive with what a look at every row gives: reports with
// their receipts, funnels and warnings, samples and their counts, lists and searches.
// Many archives: LADDERBACK_SEEDS=1000 go test ./archive/sqlite -run 'TestStore/every_answer' -v -timeout 0
func testRecount(t *testing.T, open Open) {
	n := seeds(t, 1)
	replayed, found := 0, 0
	for seed := range n {
		rnd := rand.New(rand.NewPCG(seed, 31))
		a := archivetest.New(open(t))
		var files []*archivetest.File
		var told []*archivetest.Scenario
		again := func(i int) { require.NoError(t, archivetest.Put(t.Context(), a, told[i], files[i])) }
		for range 20 + rnd.IntN(50) {
			m := randomRound(rnd)
			if len(told) > 0 && rnd.IntN(3) > 0 { // of which something is known
				m = told[rnd.IntN(len(told))].Markets[0]
			}
			f, s := randomFile(rnd, m, len(files))
			files, told = append(files, f), append(told, s)
			again(len(files) - 1)
			if rnd.IntN(4) == 0 {
				dropSome(t, rnd, a, files, again)
			}
		}
		for range 6 {
			replayed += checkReport(t, rnd, a)
			found += checkLists(t, rnd, a)
		}
		require.NoError(t, a.Close())
	}
	if n >= 10 {
		t.Logf("%d archives: %d rounds replayed, %d rows of lists", n, replayed, found)
		require.Greater(t, replayed, int(n))
		require.Greater(t, found, int(n))
	}
}

// randomFile returns the n-th file, which lists a round, or decides it, or has captures of it.
func randomFile(rnd *rand.Rand, m market.Market, n int) (*archivetest.File, *archivetest.Scenario) {
	m.Payout, m.Closed = nil, false
	m.Question, m.Tags, m.Tick, m.MinSize = "Up or Down? "+m.Slug[:3], [][]string{{"crypto"}, {"crypto", m.Slug[:3]}, nil}[rnd.IntN(3)], 100, market.SizeOne
	m.Tokens = []market.Token{{VenueID: m.VenueID + "1", Label: "Up", Outcome: market.Up}, {VenueID: m.VenueID + "2", Label: "Down", Outcome: market.Down}}
	f := &archivetest.File{Name: fmt.Sprint("file ", n), Authority: store.FromList}
	s := &archivetest.Scenario{}
	switch rnd.IntN(5) {
	case 0: // listed
	case 1:
		m.Payout = payout(market.Inferred, market.CashOne*market.Cash(rnd.IntN(2)))
	case 2:
		m.Payout, m.Closed = payout(market.Official, market.CashOne*market.Cash(rnd.IntN(2))), true
		f.Authority = store.FromExchange
	default:
		f.Authority = store.FromCaptures
		for at := m.Start; at < m.End && rnd.IntN(40) > 0; at += market.Span(1+rnd.IntN(40)) * market.Second {
			bid := market.Price(1000 + 100*rnd.IntN(80))
			q := market.Quote{Bid: market.Level{Price: bid, Size: 100 * market.SizeOne}, Ask: market.Level{Price: bid + 100, Size: 100 * market.SizeOne}}
			f.Messages = append(f.Messages, len(s.Messages))
			s.Messages = append(s.Messages, archivetest.Message{Capture: market.Capture{Kind: market.KindQuote, Token: rnd.IntN(2), Recv: at, Exch: at, Quote: q}})
		}
	}
	if s.Markets = []market.Market{m}; len(s.Messages) == 0 {
		f.Claims = []market.Market{m}
	}
	return f, s
}

// dropSome removes a file or a round, and may bring the file back.
func dropSome(t *testing.T, rnd *rand.Rand, a *archivetest.Archive, files []*archivetest.File, again func(int)) {
	t.Helper()
	if rnd.IntN(2) == 0 {
		rows, err := a.Markets(t.Context(), store.MarketQuery{Unlisted: true})
		require.NoError(t, err)
		if len(rows) > 0 {
			require.NoError(t, a.RemoveMarkets(t.Context(), []store.ID{rows[rnd.IntN(len(rows))].ID}))
		}
		return
	}
	sources, err := a.Sources(t.Context())
	require.NoError(t, err)
	if len(sources) == 0 {
		return
	}
	one := sources[rnd.IntN(len(sources))]
	require.NoError(t, a.RemoveSource(t.Context(), one.ID))
	if rnd.IntN(2) == 0 {
		again(slices.IndexFunc(files, func(f *archivetest.File) bool { return f.Name == one.Name }))
	}
}

// everyRow is an archive whose rounds are looked for in all of its rows.
type everyRow struct {
	replay.Source
	a *archivetest.Archive
}

func (e everyRow) Rounds(ctx context.Context, f market.RoundFilter) ([]market.Round, error) {
	rows, err := e.a.Markets(ctx, store.MarketQuery{})
	var out []market.Round
	for i := range rows {
		row := &rows[i]
		if f.Passes(&row.Market) {
			out = append(out, market.Round{
				Market: &row.Market, Captured: row.Stats.Captured, Coverage: row.Stats.Coverage,
				Content: row.Stats.Content, Captures: row.Stats.Captures, Gaps: row.Gaps,
			})
		}
	}
	return out, err
}

// checkReport compares a report with that over every row, to the last byte. It returns how
// many rounds were replayed.
func checkReport(t *testing.T, rnd *rand.Rand, a *archivetest.Archive) int {
	t.Helper()
	one := func(of ...string) string { return of[rnd.IntN(len(of))] }
	s, err := strategy.Parse(fmt.Appendf(nil, `{"market":{"coin":%q,"market_type":%q},"side":"up",
		"entry":[{"type":"time_elapsed","token":null,"comparator":"gte","threshold":%d,"within_seconds":null}],
		"exit":{"take_profit":null,"stop_loss":null,"hold_to_expiry":true},"budget_per_trade":10,"sample_size":%d}`,
		one("BTC", "ETH", "ANY"), one("5m", "15m", "ANY"), rnd.IntN(120), 1+rnd.IntN(12)))
	require.NoError(t, err)
	o := backtest.DefaultOptions()
	o.Sampling, o.Seed = replay.Sampling(one("recent", "random")), int64(rnd.IntN(3))
	if rnd.IntN(2) == 0 {
		o.Winners = replay.WinnersInferred
	}
	o.MinCoverage = []replay.Share{0, 0, 10_000, 333_333, 500_000}[rnd.IntN(5)]
	if rnd.IntN(3) == 0 {
		o.From = new(archivetest.Start + market.Span(rnd.IntN(6)-3)*6*market.Hour)
	}
	if rnd.IntN(3) == 0 {
		o.To = new(archivetest.Start + market.Span(rnd.IntN(6)-1)*6*market.Hour)
	}
	if o.From != nil && o.To != nil && *o.From >= *o.To {
		o.To = nil
	}
	report := func(src replay.Source) (*backtest.Report, string) {
		r, err := backtest.Run(t.Context(), src, s, o, replay.Parallel{Workers: 1})
		require.NoError(t, err)
		b, err := backtest.CompactJSON(r)
		require.NoError(t, err)
		return r, string(b)
	}
	r, got := report(a)
	_, want := report(everyRow{struct{ replay.Source }{a}, a})
	require.Equal(t, want, got)
	return r.Funnel.Sampled
}

// checkLists compares a list, and a search in it, page by page with what every row gives.
// It returns how many rows were in them.
func checkLists(t *testing.T, rnd *rand.Rand, a *archivetest.Archive) int {
	t.Helper()
	all, err := a.Markets(t.Context(), store.MarketQuery{})
	require.NoError(t, err)
	q := store.MarketQuery{OpenOnly: rnd.IntN(3) == 0, Page: store.Page{Sort: store.Sort(rnd.IntN(3)), Ascending: rnd.IntN(2) == 0}}
	if rnd.IntN(3) == 0 {
		q.Tags = [][]string{{"crypto"}, {"btc"}, {"btc", "crypto"}, {"none"}}[rnd.IntN(4)]
		q.AnyTag = rnd.IntN(2) == 0
	}
	if rnd.IntN(3) == 0 {
		q.Category = []market.Category{market.Crypto, market.Sports}[rnd.IntN(2)]
	}
	if rnd.IntN(3) == 0 {
		q.EndMin, q.StartMax = archivetest.Start-12*market.Hour, archivetest.Start
	}
	found := 0
	for _, text := range []string{"", strings.ToUpper(randomRound(rnd).Slug)} {
		from := rnd.IntN(len(text) + 1)
		q.Search = text[from:min(len(text), from+1+rnd.IntN(12))]
		checkList(t, a, all, q, 1+rnd.IntN(7))
		for i := range all {
			if naive(&all[i], &q) {
				found++
			}
		}
	}
	return found
}
