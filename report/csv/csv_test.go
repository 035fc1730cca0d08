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
