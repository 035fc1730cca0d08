package csv_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/internal/backtesttest"
	report "github.com/ladderback/ladderback/report/csv"
	"github.com/stretchr/testify/require"
)

func TestCSV(t *testing.T) {
	t.Parallel()
	res := backtesttest.Result(12)
	for i := range res.Markets {
		res.Markets[i].Round.Coverage = 412_345 // below 0.9: each trade is marked
	}
	r := backtesttest.Build(t, res, backtest.IncludeFills)
	var out bytes.Buffer
	require.NoError(t, report.Write(&out, r))
	rows, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 1+len(r.Trades))
	for i := range r.Trades {
		item := backtesttest.Marshal(t, r.Trades[i])
		names := backtesttest.Keys(t, item)
		require.Equal(t, names[:len(names)-1], rows[0], "legs have no column")
		for c, name := range rows[0] {
			require.Equal(t, strings.Trim(string(backtesttest.Fields(t, item)[name]), `"`), rows[i+1][c], name)
		}
	}
}

// TestCSVOfOrders: how many entries, and what was bought of the other token, where a
// strategy has orders.
func TestCSVOfOrders(t *testing.T) {
	t.Parallel()
	r := backtesttest.Build(t, backtesttest.Result(12))
	require.Greater(t, len(r.Trades), 1)
	r.Trades[0].Entries, r.Trades[1].Entries = new(3), new(1)
	r.Trades[0].Opposite = &backtest.Opposite{Shares: 2_500_000, Cost: 1_100_000, AvgPrice: 440_000}
	var out bytes.Buffer
	require.NoError(t, report.Write(&out, r))
	rows, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"coverage", "entries", "opposite_shares", "opposite_cost", "opposite_avg_price"}, rows[0][18:])
	require.Equal(t, []string{"3", "2.5", "1.1", "0.44"}, rows[1][19:])
	require.Equal(t, []string{"1", "", "", ""}, rows[2][19:])
}
