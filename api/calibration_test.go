package api_test

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/replay"
)

// TestCalibrationRoute: the answer is what the command writes, byte for byte.
func TestCalibrationRoute(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	got := w.do(t, request{path: "/v1/ai/calibration?coin=btc&market_type=5m&last=4&bands=3&times=2&winners=inferred"})
	require.Equal(t, http.StatusOK, got.status, string(got.body))
	o := backtest.DefaultCalibrationOptions()
	o.Coin, o.Type, o.Last, o.Bands, o.Times, o.Winners = "BTC", "5m", 4, 3, 2, replay.WinnersInferred
	c, err := backtest.Calibrate(t.Context(), w.archive, o, replay.Parallel{})
	require.NoError(t, err)
	require.NotZero(t, c.Observations)
	var want bytes.Buffer
	require.NoError(t, c.WriteJSON(&want))
	require.Equal(t, want.String(), string(got.body))

	for path, status := range map[string]int{
		"?coin=BTC":                                 http.StatusUnprocessableEntity,
		"?coin=GOLD&market_type=5m":                 http.StatusUnprocessableEntity,
		"?coin=BTC&market_type=5m&last=0":           http.StatusUnprocessableEntity,
		"?coin=BTC&market_type=5m&last=10001":       http.StatusUnprocessableEntity,
		"?coin=BTC&market_type=5m&bands=21":         http.StatusUnprocessableEntity,
		"?coin=BTC&market_type=5m&winners=x":        http.StatusUnprocessableEntity,
		"?coin=BTC&market_type=soon":                http.StatusBadRequest,
		"?coin=BTC&market_type=5m&from=yesterdayly": http.StatusBadRequest,
		"?coin=BTC&market_type=5m&from=200&to=100":  http.StatusBadRequest,
	} {
		require.Equal(t, status, w.do(t, request{path: "/v1/ai/calibration" + path}).status, path)
	}
	of := "/v1/ai/calibration?coin=BTC&market_type=5m"
	require.Equal(t, http.StatusForbidden, w.do(t, request{path: of, plan: "starter"}).status)
	require.Equal(t, http.StatusOK, w.do(t, request{path: of, plan: "pro"}).status, "as many as the plan allows")
	require.Equal(t, http.StatusForbidden, w.do(t, request{path: of + "&last=1001", plan: "pro"}).status)
	require.Equal(t, http.StatusUnauthorized, w.do(t, request{path: of, plan: "-"}).status)
}
