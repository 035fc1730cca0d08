package sqlite_test

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/market"
)

// BenchmarkCatalogue puts the metadata of 100,000 markets, then reads pages:
//
//	go test ./archive/sqlite -run - -bench Catalogue -benchtime 1x
func BenchmarkCatalogue(b *testing.B) {
	const markets = 100_000
	for b.Loop() {
		opened, _, err := sqlite.Create(b.Context(), filepath.Join(b.TempDir(), "a.db"))
		require.NoError(b, err)
		a := archivetest.New(opened)
		begin := time.Now()
		imp, err := a.Begin(b.Context(), store.Source{SHA256: sha256.Sum256(nil), Name: "bench", Format: "bench", Authority: store.FromExchange})
		require.NoError(b, err)
		for i := range markets {
			at := market.Instant(1_776_081_600+300*(i/3)) * market.Second
			coin := []string{"btc", "eth", "sol"}[i%3]
			m, err := imp.Market(b.Context(), market.Market{
				Venue: market.Polymarket, VenueID: fmt.Sprintf("0x%064x", i*7919), AltID: fmt.Sprint(500_000 + i),
				Slug: fmt.Sprintf("%s-updown-5m-%d", coin, at/market.Second), Question: fmt.Sprintf("%s Up or Down, round %d", coin, i),
				EventID: fmt.Sprint("e", i), SeriesID: fmt.Sprint("s", i%3), Tags: []string{"crypto", "up-or-down", coin},
				Start: at, End: at + 5*market.Minute, Closed: true, UpdatedAt: at + 6*market.Minute,
				Tokens: []market.Token{{VenueID: fmt.Sprint("1", i), Outcome: market.Up}, {VenueID: fmt.Sprint("2", i), Outcome: market.Down}},
				Payout: &market.Payout{Basis: market.Official, Fractions: []market.Cash{market.CashOne, 0}},
			})
			require.NoError(b, err)
			require.NoError(b, m.Done(b.Context()))
		}
		_, err = imp.Finish(b.Context(), intake.End{})
		require.NoError(b, err)
		b.Logf("%d markets in %v", markets, time.Since(begin))
		for name, q := range map[string]store.MarketQuery{
			"default":     {},
			"tag":         {Tags: []string{"eth"}},
			"rare search": {Search: "round 99123"},
			"series":      {SeriesSlugs: []string{"s1"}},
			"by id":       {Name: fmt.Sprintf("0x%064x", 50_000*7919)},
			"ending":      {Dates: store.Dates{EndMin: 1_776_081_600 * market.Second, EndMax: 1_776_085_600 * market.Second}},
		} {
			q.Limit = 100
			begin := time.Now()
			rows, err := a.Markets(b.Context(), q)
			require.NoError(b, err)
			b.Logf("page %s: %d rows in %v", name, len(rows), time.Since(begin))
		}
		begin = time.Now()
		rounds, err := a.Rounds(b.Context(), market.RoundFilter{Coin: "BTC", Type: "5m"})
		require.NoError(b, err)
		b.Logf("%d rounds in %v", len(rounds), time.Since(begin))
		require.NoError(b, a.Close())
	}
}
