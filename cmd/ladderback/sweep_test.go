package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/app"
)

const sweepPrompt = "Buy Down on BTC 15m when Up price is above 60 cents in the first 10 minutes, take profit at 80c, stop at 10c, $5, last 120 markets"

// TestSweep runs one sweep in every format: they say the same in the same words.
func TestSweep(t *testing.T) {
	t.Parallel()
	args := []string{"sweep", sweepPrompt, "--vary", "entry.0.threshold=0.55:0.7:0.05", "--vary", "exit.take_profit=0.5,0.65,0.8", "--vary", "exit.stop_loss=0.1,0.55", "--fees", "none", "--quiet"}
	r := withDemo(t, append(args, "--json")...)
	require.Equal(t, exitDone, r.code, r.err)
	var body struct {
		Prompt   string
		Strategy struct{ Side string }
		Sweep    struct {
			Combinations, Tried, Eligible int
			Invalid                       []struct{ Reason string }
			Verdict                       string
			Own                           struct {
				Number, Trades int
				TotalPnL       float64    `json:"total_pnl"`
				Interval       [2]float64 `json:"mean_pnl_interval"`
			}
			Variants    []struct{ Number int }
			WalkForward struct {
				TotalPnL float64 `json:"total_pnl"`
			} `json:"walk_forward"`
			Options struct{ Fees string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(r.out), &body))
	s := body.Sweep
	require.Equal(t, 24, s.Combinations)
	require.Len(t, s.Invalid, 4)
	require.Contains(t, s.Invalid[0].Reason, "stop")
	require.Len(t, s.Variants, 20)
	require.Equal(t, "none", s.Options.Fees)

	// The strategy itself is what backtest makes of it.
	alone := withDemo(t, "backtest", sweepPrompt, "--fees", "none", "--quiet", "--json")
	require.Equal(t, exitDone, alone.code, alone.err)
	var one struct {
		Report struct {
			MarketsTraded int     `json:"markets_traded"`
			TotalPnL      float64 `json:"total_pnl"`
			Stats         struct {
				Interval [2]float64 `json:"mean_pnl_interval"`
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(alone.out), &one))
	require.Equal(t, one.Report.MarketsTraded, s.Own.Trades)
	require.InDelta(t, one.Report.TotalPnL, s.Own.TotalPnL, 0)
	require.Equal(t, one.Report.Stats.Interval, s.Own.Interval)

	table := withDemo(t, args...)
	require.Equal(t, exitDone, table.code, table.err)
	require.True(t, strings.HasPrefix(table.out, " SIMULATED DATA "))
	require.NotContains(t, table.out, app.DemoNotice)
	page := withDemo(t, append(args, "--format", "html")...)
	require.Equal(t, exitDone, page.code, page.err)
	for _, words := range []string{
		"20 variants of 24 combinations replayed over 120 rounds", "4 combinations are no valid strategy", "Choosing on the past and trading the next",
		"deflated Sharpe ratio", "chance of a best like this without an edge", "the sentence's own values",
	} {
		require.Contains(t, strings.Join(strings.Fields(table.out), " "), words)
		require.Contains(t, strings.ReplaceAll(page.out, "&#39;", "'"), words)
	}
	require.Contains(t, table.out, "[", "the frame around the sentence's own values")
	require.NotContains(t, page.out, "https://", "the page needs nothing else")
	require.NotContains(t, page.out, "ZgotmplZ")

	lines, err := csv.NewReader(strings.NewReader(withDemo(t, append(args, "--format", "csv")...).out)).ReadAll()
	require.NoError(t, err)
	require.Len(t, lines, 21)
	require.Equal(t, []string{"rank", "number", "entry.0.threshold", "exit.take_profit", "exit.stop_loss"}, lines[0][:5])

	require.Equal(t, table.out, withDemo(t, append(args, "--workers", "1")...).out)
}

func TestSweepMistakes(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"":                                          "nothing to vary: expected --vary FIELD=FROM:TO:STEP",
		"--vary exit.foo=1,2":                       "--vary exit.foo: no number of this strategy; there are entry.0.threshold",
		"--vary exit.take_profit=1:2":               "--vary exit.take_profit=1:2: a range has three parts",
		"--vary exit.take_profit=0.5:0.6:0":         "a step of 0 does not move",
		"--vary sample_size=1,2":                    "every variant is replayed over the same rounds",
		"--vary exit.take_profit=0.1,0.2":           "none of the 2 variants is a valid strategy",
		"--vary exit.stop_loss=0.1 --block 7x":      `--block "7x": expected hours or days, like 6h or 1d`,
		"--vary exit.stop_loss=0.1 --block 0d":      `--block "0d": expected hours or days`,
		"--vary exit.stop_loss=0.1 --top 0":         "--top 0: expected 1 or more",
		"--vary exit.stop_loss=0.1 --also-tried -1": "--also-tried -1: expected 0 to 1000000000",
		"--vary exit.stop_loss=0.0001:0.9999:0.0001 --vary exit.trailing_stop=0.1,0.2": "9999 × 2: more than 10000 variants",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			r := withDemo(t, append([]string{"sweep", "Buy Up on BTC 15m below 35c, last 5 markets"}, strings.Fields(args)...)...)
			require.Equal(t, exitUsage, r.code, r.out+r.err)
			require.Contains(t, r.err, want)
		})
	}
	r := withDemo(t, "sweep", "--vary", "exit.stop_loss=0.1")
	require.Equal(t, exitUsage, r.code)
	require.Contains(t, r.err, "expected a PROMPT")
}

// A sweep that is interrupted says so and writes nothing.
func TestSweepIsInterrupted(t *testing.T) {
	t.Parallel()
	dir, err := demoCache()
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := runWith(t, ctx, map[string]string{"LADDERBACK_CACHE": dir}, "", "sweep", sweepPrompt, "--vary", "exit.stop_loss=0.05,0.1")
	require.Equal(t, exitInterrupted, r.code)
	require.Empty(t, r.out)
}

// Nothing to replay is said with what the archive has.
func TestSweepOfNothing(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"table", "html", "json", "csv"} {
		r := withDemo(t, "sweep", "Buy Up on DOGE 4h below 35c", "--vary", "exit.stop_loss=0.05,0.1", "--format", format, "--quiet")
		require.Equal(t, exitDone, r.code, r.err)
		if format == "table" || format == "html" {
			require.Contains(t, r.out, "Nothing to replay for DOGE 4h")
		}
	}
}
