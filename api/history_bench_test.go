package api_test

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/api"
	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/postgres"
	"github.com/ladderback/ladderback/archive/simulate"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/internal/pgtest"
	"github.com/ladderback/ladderback/market"
)

// benchMarkets names the variable with how many markets the archive of
// BenchmarkHistory has; those beyond the first 100 have no captures.
const benchMarkets = "LADDERBACK_MARKETS"

// BenchmarkHistory measures pages of 200 points at 1s from random places of
// random 15m rounds with ladders of 50 levels a side and two books a second,
// through every middleware (keys on, limits on), without the network: median and
// 99th percentile. "kept" is a server as it is after a while, which has read the
// rounds before; "nothing kept" one that has no memory for what it reads.
//
//	go test ./api -run '^$' -bench History -benchtime 2000x
//	LADDERBACK_MARKETS=100000 go test ./api -run '^$' -bench History -benchtime 2000x
//
// LADDERBACK_BENCH_ARCHIVE names a file with other rounds to ask for, such as real
// ones. With LADDERBACK_TEST_POSTGRES the same with archive, keys and limits in
// PostgreSQL.
func BenchmarkHistory(b *testing.B) {
	n := 100
	if text := os.Getenv(benchMarkets); text != "" {
		var err error
		n, err = strconv.Atoi(text)
		require.NoError(b, err)
	}
	if path := os.Getenv("LADDERBACK_BENCH_ARCHIVE"); path != "" {
		opened, err := sqlite.Open(b.Context(), path)
		require.NoError(b, err)
		a := archive.New(opened)
		defer a.Close()
		users, err := identity.Open(b.Context(), filepath.Join(b.TempDir(), "keys.db"), true)
		require.NoError(b, err)
		benchStore(b, a, users)
		return
	}
	b.Run("file", func(b *testing.B) {
		path := filepath.Join(b.TempDir(), "bench.db")
		a, err := newArchive(path, nil)
		require.NoError(b, err)
		defer a.Close()
		users, err := identity.Open(b.Context(), path, true)
		require.NoError(b, err)
		fillBench(b, a, n)
		benchStore(b, a, users)
	})
	if os.Getenv("LADDERBACK_TEST_POSTGRES") == "" {
		return
	}
	b.Run("postgres", func(b *testing.B) {
		addr := pgtest.Database(b)
		opened, _, err := postgres.Create(b.Context(), addr)
		require.NoError(b, err)
		a := archive.New(opened)
		defer a.Close()
		users, err := identity.Open(b.Context(), addr, true)
		require.NoError(b, err)
		fillBench(b, a, n)
		benchStore(b, a, users)
	})
}

// fillBench fills an archive with n markets.
func fillBench(b *testing.B, a *archive.Archive, n int) {
	sim, err := simulate.New(simulate.Config{Seed: 1, Markets: min(n, 100), Levels: 50, Rate: 2})
	require.NoError(b, err)
	_, err = sim.Write(b.Context(), a, simulate.WriteOptions{})
	require.NoError(b, err)
	require.NoError(b, putCatalogue(b, a, n-100))
}

// benchStore measures every kind of page.
func benchStore(b *testing.B, a *archive.Archive, users *identity.Store) {
	rounds, err := a.Markets(b.Context(), store.MarketQuery{UpDown: true})
	require.NoError(b, err)
	rounds = slices.DeleteFunc(rounds, func(r store.Listing) bool { return !r.Stats.Captured })
	w := &world{t: b, archive: a, clock: &testClock{now: time.Now()}}
	limited := identity.DefaultPlans()["scale"] // limits that a measurement does not reach
	limited.RequestsPerMinute, limited.RequestsPerDay, limited.HistoryDays = 1<<30, 1<<30, 36500
	w.guard = identity.NewKeys(users, identity.NewPlans(limited), w.clock.Now)
	_, key, err := w.guard.Create(b.Context(), "scale", "acme", "bench", 0)
	require.NoError(b, err)
	defer func() { require.NoError(b, users.Close()) }()
	w.api, err = api.New(api.Config{Catalogue: a, Rounds: a, Keys: w.guard})
	require.NoError(b, err)
	for _, memory := range []struct {
		name  string
		bytes int
	}{{"kept", 256 << 20}, {"nothing kept", 0}} {
		b.Run(memory.name, func(b *testing.B) {
			a.Remember(memory.bytes)
			for _, kind := range []string{"prices", "books", "metrics"} {
				if memory.bytes > 0 { // as it is after a while
					for i := range rounds {
						w.page(b, key, kind, &rounds[i].Market, 0)
					}
				}
				b.Run(kind, func(b *testing.B) { w.measure(b, key, kind, rounds) })
			}
		})
	}
}

// page asks for 200 points at 1s from so long after the market's start.
func (w *world) page(b *testing.B, key, kind string, m *market.Market, after market.Span) *httptest.ResponseRecorder {
	window := history.Window{Start: m.Start + after, End: m.End}
	r := httptest.NewRequest(http.MethodGet, historyPath("markets/"+m.VenueID+"/"+kind, window, "1s")+"&limit=200", nil)
	r.Header.Set("Authorization", "Bearer "+key)
	rec := httptest.NewRecorder()
	w.api.ServeHTTP(rec, r)
	if rec.Code != http.StatusOK {
		b.Fatalf("%d %s", rec.Code, rec.Body)
	}
	return rec
}

func (w *world) measure(b *testing.B, key, kind string, rounds []store.Listing) {
	b.ReportAllocs()
	rnd := rand.New(rand.NewPCG(1, 2))
	var took []time.Duration
	bytes := 0
	for b.Loop() {
		m := &rounds[rnd.IntN(len(rounds))].Market
		after := market.Span(rnd.Int64N(int64(m.End-m.Start-100*market.Second)/int64(market.Second))) * market.Second
		begun := time.Now()
		bytes += w.page(b, key, kind, m, after).Body.Len()
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	b.ReportMetric(float64(bytes)/float64(len(took)), "B/page")
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1e3, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1e3, "p99-ms")
}

// putCatalogue puts n markets without captures, each with an event, of three
// series.
func putCatalogue(b *testing.B, a *archive.Archive, n int) error {
	if n <= 0 {
		return nil
	}
	ctx := b.Context()
	imp, err := intake.New(a.Store(), intake.Config{}).Begin(ctx, store.Source{SHA256: sha256.Sum256([]byte("catalogue")), Name: "catalogue", Format: "test", Authority: store.FromExchange})
	if err != nil {
		return err
	}
	defer imp.Close()
	for i := range n {
		from := market.Instant(1_776_081_600+300*(i/3)) * market.Second
		coin := []string{"btc", "eth", "sol"}[i%3]
		m, err := imp.Market(ctx, market.Market{
			Venue: market.Polymarket, VenueID: fmt.Sprintf("0x%064x", i*7919), AltID: fmt.Sprint(500_000 + i), Category: market.Crypto,
			Slug: fmt.Sprintf("%s-updown-5m-%d", coin, from/market.Second), Question: fmt.Sprintf("%s Up or Down, round %d", coin, i),
			EventID: fmt.Sprint("e", i), SeriesID: fmt.Sprint("s", i%3), Tags: []string{"crypto", "up-or-down", coin},
			Start: from, End: from + 5*market.Minute, Closed: true, UpdatedAt: from + 6*market.Minute,
			Tokens: []market.Token{{VenueID: fmt.Sprint("1", i), Outcome: market.Up}, {VenueID: fmt.Sprint("2", i), Outcome: market.Down}},
			Payout: &market.Payout{Basis: market.Official, Fractions: []market.Cash{market.CashOne, 0}},
		})
		if err == nil {
			err = m.Done(ctx)
		}
		if err != nil {
			return err
		}
	}
	_, err = imp.Finish(ctx, intake.End{Messages: 1})
	return err
}
