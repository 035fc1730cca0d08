package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
)

func TestCalibration(t *testing.T) {
	t.Parallel()
	r := withDemo(t, "calibration", "bitcoin", "15m", "--json", "--last", "50", "--bands", "4")
	require.Equal(t, exitDone, r.code, r.err)
	var c backtest.Calibration
	require.NoError(t, json.Unmarshal([]byte(r.out), &c))
	require.Equal(t, "BTC", c.Options.Coin)
	require.Equal(t, 50, c.Sampled)
	require.Len(t, c.Prices, 4)
	require.Len(t, c.Times, 5)
	require.Greater(t, c.Observations, 200)

	r = withDemo(t, "calibration", "btc", "15m", "--last", "50", "--bands", "4")
	require.Equal(t, exitDone, r.code, r.err)
	for _, part := range []string{"SIMULATED DATA", "Are prices right?", "13m30s", "25¢ to 50¢", "Brier", "in 50 rounds"} {
		require.Contains(t, r.out, part)
	}

	r = withDemo(t, "calibration", "btc", "7m")
	require.Equal(t, exitDone, r.code, r.err)
	require.Contains(t, r.out, "Nothing to replay for BTC 7m: no such round is in the archive. The archive has:")
	require.Contains(t, r.out, "BTC 15m: 240 rounds")
	require.NotContains(t, r.out, "Not enough evidence")

	file := filepath.Join(t.TempDir(), "c.json")
	require.Equal(t, exitDone, withDemo(t, "calibration", "any", "5m", "--json", "--out", file, "--quiet").code)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &c))
	require.Equal(t, 120, c.Sampled, "40 of each of three coins")
	require.Equal(t, 40, c.Ends, "they end together")
}

func TestCalibrationRefusals(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"expected COIN LENGTH":            {"btc"},
		"coin: GOLD: expected":            {"gold", "15m"},
		"market_type: soon: expected":     {"btc", "soon"},
		"--bands: 0: expected":            {"btc", "15m", "--bands", "0"},
		"--winners anybody: expected":     {"btc", "15m", "--winners", "anybody"},
		"--from: ":                        {"btc", "15m", "--from", "yesterday-ish"},
		"--workers -1: expected":          {"btc", "15m", "--workers", "-1"},
		"--format \"html\": expected one": {"btc", "15m", "--format", "html"},
	} {
		r := withDemo(t, append([]string{"calibration"}, args...)...)
		require.Equal(t, exitUsage, r.code, want)
		require.Contains(t, r.err, want)
	}
}
