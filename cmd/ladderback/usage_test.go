package main

import (
	"context"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/app"
)

func TestWordsOfMistakes(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"backtest up --sample 1.5":                          `--sample "1.5": expected a whole number`,
		"backtest up --baseline=maybe":                      `--baseline "maybe": expected true or false`,
		"simulate --rate x --archive a.db":                  `--rate "x": expected a number`,
		"simulate --seed -1 --archive a.db":                 `--seed "-1": expected a whole number, 0 or more`,
		"backtest up --workers 0":                           "--workers 0: expected 1 or more",
		"backtest up --latency 1000000000001":               "--latency 1000000000001: expected whole milliseconds, 0 to 1000000000000",
		"backtest up --stale 1000000000001":                 "--stale 1000000000001: expected whole milliseconds, 0 to 1000000000000",
		"import x --workers 0 --archive a.db":               "--workers 0: expected 1 or more",
		"regress x --workers 0":                             "--workers 0: expected 1 or more",
		"backtest up --json --format csv":                   "--json and --format csv: expected one of them",
		"history prices x --format csv --json":              "--json and --format csv: expected one of them",
		"version --format table --json":                     "--json and --format table: expected one of them",
		"simulate --coins FOO --archive a.db":               "--coins FOO: expected tickers",
		"simulate --types 7m --archive a.db":                `--types "7m": expected one of 5m, 15m, 1h, 4h, 1d`,
		"simulate --ladder 99 --archive a.db":               "--ladder 99: expected 1 to 98",
		"simulate --rate 21 --archive a.db":                 "--rate 21: expected 0.01 to 20",
		"simulate --markets 0 --archive a.db":               "--markets 0: expected 1 to 1000000",
		"parse up --batch x.jsonl":                          "a PROMPT or --batch, not both",
		"parse --batch x.jsonl --parser llm":                "no language model is configured",
		"parse --batch x.jsonl --sample 5":                  "--sample does not go with --batch",
		"serve --addr nowhere --archive demo":               `--addr "nowhere": expected an address like 127.0.0.1:8080`,
		"serve --addr 127.0.0.1:99999":                      `--addr "127.0.0.1:99999": expected an address like 127.0.0.1:8080`,
		"history prices SLUG --start x":                     `--from "x": expected ISO 8601`,
		"history prices SLUG --end 1e9":                     `--to "1e9": expected ISO 8601`,
		"history prices SLUG --resolution 7m":               "--resolution: Unsupported resolution '7m'. Allowed: 250ms",
		"history prices SLUG --start 1775100000 --end 1775": "--from 2026-04-02T03:20:00Z: expected a time before --to 1970-01-01T00:29:35Z",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			args = strings.Replace(args, "SLUG", "btc-updown-15m-1775005200", 1)
			if strings.HasPrefix(args, "serve") {
				args = strings.Replace(args, "--archive demo", "", 1) + " --metrics-addr none --local-key"
			}
			r := withDemo(t, strings.Fields(args)...)
			require.Equal(t, exitUsage, r.code, r.out+r.err)
			require.Contains(t, r.out+r.err, want)
		})
	}
}

func TestCompletionAndHelpHaveExamples(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"help --help", "completion --help", "completion bash --help", "completion zsh --help", "completion fish --help", "completion powershell --help"} {
		r := ladderback(t, strings.Fields(args)...)
		require.Equal(t, exitDone, r.code, args)
		require.Contains(t, r.out, "Examples:", args)
	}
}

// TestDemoSaysThatItIsSimulated looks at what is left when messages are turned
// off: the result itself has to say it.
func TestDemoSaysThatItIsSimulated(t *testing.T) {
	t.Parallel()
	for _, args := range []string{
		"history prices btc-updown-15m-1775005200", "archive info", "archive info --coverage", "archive sources", "archive verify",
	} {
		r := withDemo(t, append(strings.Fields(args), "--quiet")...)
		require.Equal(t, exitDone, r.code, r.err)
		require.True(t, strings.HasSuffix(r.out, app.DemoNotice+"\n"), args)
		require.Empty(t, r.err)
	}
	require.NotContains(t, withDemo(t, "archive", "info").out, "57.5 min", "an open round is not silent, it is not over")
	r := withDemo(t, "backtest", "Buy Up on BTC 15m below 35c, last 2 markets")
	require.True(t, strings.HasPrefix(r.out, " SIMULATED DATA "), "above everything else")
	require.NotContains(t, r.out+r.err, app.DemoNotice, "the report's own warning is enough")
	for _, format := range []string{"json", "csv"} {
		r := withDemo(t, "history", "prices", "btc-updown-15m-1775005200", "--format", format)
		require.NotContains(t, r.out, app.DemoNotice)
		require.Contains(t, r.err, app.DemoNotice)
	}
	r = withDemo(t, "history", "prices", "no-such-market")
	require.Contains(t, r.err, app.DemoNotice, "why a market of one's own is not found")
}

// TestKeysStayOutOfTheDemo holds that the demo archive is never written to, also
// by those whom the file's permissions do not stop.
func TestKeysStayOutOfTheDemo(t *testing.T) {
	t.Parallel()
	cache, err := demoCache()
	require.NoError(t, err)
	demo := filepath.Join(cache, app.DemoName())
	r := withDemo(t, "keys", "create", "--access", demo)
	require.Equal(t, exitUsage, r.code)
	require.Contains(t, r.err, "read-only")
	for _, args := range [][]string{{"keys", "create"}, {"keys", "create", "--archive", demo}} {
		require.Equal(t, exitDone, withDemo(t, args...).code)
	}
	require.FileExists(t, strings.TrimSuffix(demo, ".db")+"-access.db")
}

// TestRulesThatWereAskedFor holds that no note denies a model that is there.
func TestRulesThatWereAskedFor(t *testing.T) {
	t.Parallel()
	const missing = "No language model is configured"
	env := map[string]string{"LADDERBACK_LLM_BASE_URL": "http://127.0.0.1:1/v1", "LADDERBACK_LLM_MODEL": "m"}
	r := runWith(t, context.Background(), env, "", "parse", "Buy Up", "--parser", "rules", "--json")
	require.Equal(t, exitDone, r.code, r.err)
	require.NotContains(t, r.out, missing)
	require.Contains(t, r.out, `"note":"The rules read the prompt, as requested."`)
	require.Contains(t, ladderback(t, "parse", "Buy Up", "--json").out, missing)
	require.NotContains(t, ladderback(t, "parse", "Buy Up").out, missing, "nobody asked for one")
}

func TestSettingsThatCannotBe(t *testing.T) {
	t.Parallel()
	model := map[string]string{"LADDERBACK_LLM_BASE_URL": "http://127.0.0.1:1/v1", "LADDERBACK_LLM_MODEL": "m"}
	for set, want := range map[string]string{
		"LADDERBACK_LLM_TIMEOUT=5":      `configuration: LADDERBACK_LLM_TIMEOUT "5": expected a duration with its unit, like 15s`,
		"LADDERBACK_LLM_TIMEOUT=-5s":    `LADDERBACK_LLM_TIMEOUT "-5s": expected a duration`,
		"LADDERBACK_LLM_MAX_TOKENS=1.5": `LADDERBACK_LLM_MAX_TOKENS "1.5": expected a whole number, 0 or more`,
		"LADDERBACK_LLM_TEMPERATURE=x":  `LADDERBACK_LLM_TEMPERATURE "x": expected a number, 0 or more`,
		"LADDERBACK_RUNS=-1":            `LADDERBACK_RUNS "-1": expected a whole number, 0 or more`,
	} {
		env := maps.Clone(model)
		name, value, _ := strings.Cut(set, "=")
		env[name] = value
		r := runWith(t, context.Background(), env, "", "parse", "Buy Up")
		require.Equal(t, exitFailed, r.code, set)
		require.Contains(t, r.err, want)
		require.Equal(t, 1, strings.Count(r.err, "\n"), r.err)
	}
	for file, want := range map[string]string{
		"llm:\n  timeout: 15\n": `llm.timeout "15": expected a duration with its unit, like 15s`,
		"runs: -3\n":            `runs "-3": expected a whole number, 0 or more`,
		"llm: 3\n":              `'llm' expected a map`,
		"foo: 3\n":              `unknown setting "foo"`,
		"plans:\n  - name: x\n    finest_resolution: 7s\n":             `plan x: finest_resolution "7s": expected one of 250ms, 1s`,
		"plans:\n  - name: x\n    finest_resolution: 1s\n    foo: 3\n": `unknown setting "plans[0].foo"`,
	} {
		path := filepath.Join(t.TempDir(), "c.yaml")
		require.NoError(t, os.WriteFile(path, []byte(file), 0o600))
		a := &cli{out: io.Discard, err: io.Discard, getenv: func(string) string { return "" }}
		a.shared()
		_, err := a.Settings(path)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "\n")
	}
}
