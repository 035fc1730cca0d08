package ingest_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/ingest"
	"github.com/ladderback/ladderback/internal/oracle"
	"github.com/ladderback/ladderback/internal/oracle/drawn"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// TestPricesAgainstTheOracle: random price histories, imported from files of all
// three kinds, are traded as the naive engine says that prices alone are. The
// oracle has the prices as they were written.
func TestPricesAgainstTheOracle(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(7, 11))
	all := &replaytest.Archive{}
	var paths []string
	var listing strings.Builder
	for i := range 30 {
		from := start + 300*i
		up, down := fmt.Sprintf("71%028d", i), fmt.Sprintf("72%028d", i)
		slug := fmt.Sprintf("btc-updown-5m-%d", from)
		winner := [...]string{"up", "down"}[rnd.IntN(2)]
		fmt.Fprintf(&listing, `{"slug":%q,"condition_id":"0x%d","coin":"BTC","market_type":"5m","start":%d,"end":%d,"up_token":%q,"down_token":%q,"winner":%q,"winner_basis":"official"}`+"\n",
			slug, i, from, from+300, up, down, winner)
		r := replaytest.MustParse(fmt.Sprintf("market %s id=0x%d winner=%s tokens=%s/%s", slug, i, winner, up, down)).All[0]
		var points, rows []string
		price := 5000
		for sec := 0; sec < 300; sec += 1 + rnd.IntN(20) {
			price = min(max(price+100*(rnd.IntN(7)-3), 0), 10_000)
			points = append(points, fmt.Sprintf(`{"t":%d,"p":%g}`, from+sec, float64(price)/1e4))
			rows = append(rows, fmt.Sprintf("%d,%g", from+sec, float64(price)/1e4))
			r.Captures = append(r.Captures, market.Capture{
				Kind: market.KindPrice, Recv: r.Market.Start + market.Span(sec)*market.Second, Trade: market.Trade{Price: market.Price(price)},
			})
		}
		all.All = append(all.All, r)
		switch i % 3 {
		case 0:
			paths = append(paths, write(t, up+".json", []byte(`{"history":[`+strings.Join(points, ",")+`]}`)))
		case 1:
			paths = append(paths, write(t, "prices "+up+".csv", []byte("t,p\n"+strings.Join(rows, "\n"))))
		default:
			var cells [][]string
			for _, row := range rows {
				cells = append(cells, strings.Split(row, ","))
			}
			paths = append(paths, write(t, up+".parquet", parquetTable(t, []col{{"t", asInt}, {"p", asReal}}, cells)))
		}
	}
	a := newArchive(t)
	res := run(t, a, ingest.Options{Paths: append(paths, write(t, "list.jsonl", []byte(listing.String())))})
	require.Empty(t, res.Failed())
	require.Empty(t, res.Rejected)
	trades, last := 0, 0
	for seed := range 40 {
		c := replay.Case{Strategy: drawn.Strategies(all).Example(seed), Options: drawn.Options().Example(seed)}
		c.Strategy = strategytest.Changed(c.Strategy, func(s *strategy.Strategy) {
			s.SampleSize, s.Market = 1000, strategy.MarketSpec{Coin: strategy.Any, Type: strategy.Any}
		})
		got, err := replay.Run(t.Context(), a, c, replay.Parallel{})
		require.NoError(t, err)
		want := oracle.Run(all.All, c)[0]
		require.Equal(t, want.String(), oracle.Of(got).String(), "case %d", seed)
		trades += want.Filled
		last += strings.Count(want.String(), "last_price")
	}
	t.Logf("%d trades, %d fills at the last price", trades, last)
	require.Greater(t, trades, 20)
	require.GreaterOrEqual(t, last, trades)
}
