package api_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
)

// TestRunsOfOrders: runs of strategies with every kind of order say what the document
// promises, and each of their trades is worked through: the answers are held against it
// as they come.
func TestRunsOfOrders(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var merged, rested int
	for _, prompt := range []string{
		"Bid 45c on Up and 45c on Down from the open on BTC 5m and merge",
		"Buy Up on BTC 5m below 60c, then buy Down when both together cost less than 105c and merge",
		"Bid 45c for Up on BTC 5m, sell half at 60c, sell with a limit at 70c",
		"Bid 48c for Up on BTC 5m, half Kelly with a 60c fair value, bankroll of $500, stop for the day after losing $100",
	} {
		id := w.finishedRun(t, "", `{"prompt":"`+prompt+`","options":{"include":["fills"]}}`)
		var run struct{ Result backtest.Body }
		a := w.do(t, request{path: runPath + "/" + id})
		require.NoError(t, json.Unmarshal(a.body, &run))
		require.NotEmpty(t, run.Result.Report.Trades, prompt)
		for i := range run.Result.Report.Trades {
			a := w.do(t, request{path: runPath + "/" + id + "/trades/" + strconv.Itoa(i+1)})
			require.Equal(t, http.StatusOK, a.status, "%s: %s", prompt, a.body)
			var x backtest.Explanation
			require.NoError(t, json.Unmarshal(a.body, &x))
			require.Empty(t, x.Differs, prompt)
			if x.Resting != nil {
				rested += len(x.Resting.Front)
			}
			if x.Trade.ExitPrice.String() == "" {
				merged++
			}
		}
	}
	require.Positive(t, merged)
	require.Positive(t, rested)
}
