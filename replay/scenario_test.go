package replay_test

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

var update = flag.Bool("update", false, "write the ledgers of the scenarios as they are now")

// TestScenarios replays testdata/*.txtar. Each says in words which rule it
// shows, and holds captures in the form of replaytest.Parse, what the strategy
// and the options have beside the usual, and the ledger that must come out. The
// usual strategy buys Up on BTC 5m at once with $100 and holds to expiry. A
// second "want" under another name goes with the strategy or options of the
// same ending: "strategy-b", "options-b", "want-b".
func TestScenarios(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			scenario(t, file)
		})
	}
}

func scenario(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	a := txtar.Parse(text)
	parts := map[string]string{}
	for _, f := range a.Files {
		parts[f.Name] = string(f.Data)
	}
	src, err := replaytest.Parse(parts["captures"])
	require.NoError(t, err)
	seen := false
	for i, f := range a.Files {
		ending, ok := strings.CutPrefix(f.Name, "want")
		if !ok {
			continue
		}
		seen = true
		either := func(name string) string {
			if s, ok := parts[name+ending]; ok {
				return s
			}
			return parts[name]
		}
		c := replay.Case{
			Strategy: scenarioStrategy(t, either("strategy")),
			Options:  scenarioOptions(t, either("options")),
		}
		got, err := replay.Run(t.Context(), src, c, replay.Parallel{})
		require.NoError(t, err)
		ledger := replaytest.Ledger(got)
		if *update {
			a.Files[i].Data = []byte(ledger)
			continue
		}
		require.Equal(t, string(f.Data), ledger, "%s: %s", file, f.Name)
	}
	require.True(t, seen, "no ledger in %s", file)
	if *update {
		require.NoError(t, os.WriteFile(file, txtar.Format(a), 0o644))
	}
}

const usualStrategy = `{
	"market": {"coin": "BTC", "market_type": "5m"}, "side": "up", "entry": [],
	"exit": {"take_profit": null, "stop_loss": null, "hold_to_expiry": true},
	"budget_per_trade": 100, "sample_size": 50
}`

// scenarioStrategy reads what differs from the usual strategy; exit, too, names
// only what differs.
func scenarioStrategy(t *testing.T, differs string) strategy.Canonical {
	t.Helper()
	usual, other := map[string]any{}, map[string]any{}
	require.NoError(t, json.Unmarshal([]byte(usualStrategy), &usual))
	if strings.TrimSpace(differs) != "" {
		require.NoError(t, json.Unmarshal([]byte(differs), &other))
	}
	if exit, ok := other["exit"].(map[string]any); ok {
		maps.Copy(usual["exit"].(map[string]any), exit)
		delete(other, "exit")
	}
	maps.Copy(usual, other)
	text, err := json.Marshal(usual)
	require.NoError(t, err)
	s, err := strategy.Parse(text)
	require.NoError(t, err, "strategy %s", text)
	return s
}

func scenarioOptions(t *testing.T, text string) replay.Options {
	t.Helper()
	o := replay.DefaultOptions()
	if strings.TrimSpace(text) != "" {
		require.NoError(t, json.Unmarshal([]byte(text), &o))
	}
	return o
}
