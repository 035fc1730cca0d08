package words_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/report/words"
)

// TestOrders: what rests, pairs and a bankroll each have their table, where there are any.
func TestOrders(t *testing.T) {
	t.Parallel()
	require.Empty(t, words.Orders(&backtest.Report{}))
	won, lost := stats.One/4, stats.One/2
	grids := words.Orders(&backtest.Report{
		Queue: &backtest.QueueReport{
			Through: backtest.QueueSide{Orders: 3, FilledShares: 1250 * stats.One, FilledIfWon: &won, FilledIfLost: &lost, Verdict: stats.NotEnough},
			Front:   backtest.QueueSide{Orders: 4, TotalPnL: -stats.One, Verdict: stats.NoEdge},
		},
		Pairs:    &backtest.Pairs{Pairs: 2 * stats.One, Stranded: 7},
		Bankroll: &backtest.Bankroll{MostOpen: 90 * stats.One},
	})
	require.Len(t, grids, 3)
	for _, g := range grids {
		for _, row := range g.Rows {
			require.Len(t, row, len(g.Head), "%s: %v", g.Title, row)
		}
	}
	rows := map[string][]string{}
	for _, row := range grids[0].Rows {
		rows[row[0]] = row[1:]
	}
	require.Equal(t, []string{"3", "0", "4"}, rows["orders accepted"])
	require.Equal(t, "1,250.00", rows["shares filled"][0])
	require.Equal(t, []string{"25.0%", "–", "–"}, rows["filled where its token won"])
	require.Equal(t, "50.0%", rows["filled where it lost"][0])
	require.Equal(t, "−$1.00", rows["total pnl"][2])
	require.Equal(t, []string{"too few trades", "", "no edge"}, rows["verdict"])
	require.Equal(t, []string{"rounds that settled with a leg alone", "7"}, grids[1].Rows[2])
	require.Equal(t, [][]string{{"most open at once", "$90.00"}}, grids[2].Rows)
	start := 100 * stats.One
	purse := words.Orders(&backtest.Report{Bankroll: &backtest.Bankroll{Start: &start}})[0].Rows
	require.Equal(t, []string{"start", "$100.00"}, purse[0])
	require.Equal(t, []string{"ruined", "never"}, purse[len(purse)-1])
}
