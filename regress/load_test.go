package regress_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/regress"
)

// TestProblems reads suites that are wrong: the message names the file, the
// line, the field, and what was expected.
func TestProblems(t *testing.T) {
	t.Parallel()
	strategy := "{market: {coin: BTC, market_type: 5m}, side: up, entry: [], exit: {take_profit: null, stop_loss: null, hold_to_expiry: true}, budget_per_trade: 30, sample_size: 6}"
	one := func(fields string) string { return "cases:\n  - name: a\n    prompt: buy Up\n    " + fields + "\n" }
	for name, c := range map[string]struct{ text, want string }{
		"empty":             {"", "suite.yaml: is empty: expected a suite with cases"},
		"comments only":     {"# nothing\n", "suite.yaml: is empty: expected a suite with cases"},
		"a list":            {"- a\n", "suite.yaml:1: expected fields (archive, cases) at the top"},
		"no YAML":           {"cases:\n  - name: [\n", "suite.yaml:2: not valid YAML: "},
		"tabs":              {"cases:\n\t- name: a\n", "suite.yaml:2: not valid YAML: "},
		"two documents":     {one("") + "---\n" + one(""), "suite.yaml:5: a second document begins here: expected one suite a file"},
		"unknown field":     {"case: []\n", "suite.yaml:1: case: unknown field: expected one of description, archive, cases"},
		"no cases":          {"description: x\n", "suite.yaml:1: cases: missing: expected a list of cases"},
		"empty cases":       {"cases: []\n", "suite.yaml:1: cases: is an empty list: expected a list of at least one case"},
		"cases no list":     {"cases: 5\n", "suite.yaml:1: cases: is the number 5: expected a list of at least one case"},
		"case no fields":    {"cases:\n  - buy Up\n", `suite.yaml:2: cases[0]: is "buy Up": expected fields out of name, prompt, strategy, `},
		"field of a case":   {one("promt: x"), "suite.yaml:4: cases[0].promt: unknown field: expected one of name, prompt, strategy, sampleSize, budget, options, expect"},
		"twice":             {one("prompt: x"), "suite.yaml:4: cases[0].prompt: is given twice, first on line 3"},
		"alias":             {"cases:\n  - &a\n    name: a\n    prompt: buy Up\n  - *a\n", "suite.yaml:5: cases[1]: is an alias (*a): expected the value itself, so that each case can be read alone"},
		"merge":             {one("<<: {budget: 5}"), "suite.yaml:4: cases[0]: has a field whose name is <<: expected a word"},
		"tag":               {one("budget: !!binary aGk="), "suite.yaml:4: cases[0].budget: has the tag !!binary: expected plain text, numbers, lists and fields"},
		"no name":           {"cases:\n  - prompt: x\n", "suite.yaml:2: cases[0].name: missing: expected a name for the case"},
		"name no text":      {"cases:\n  - name: 5\n    prompt: x\n", "suite.yaml:2: cases[0].name: is the number 5: expected text (in quotes where it looks like something else)"},
		"name of two lines": {"cases:\n  - name: |\n      a\n      b\n    prompt: x\n", `suite.yaml:2: cases[0].name: "a\nb\n": expected a name on one line`},
		"names alike":       {one("") + "  - name: a\n    prompt: x\n", `suite.yaml:5: cases[1].name: "a" is the name of the case on line 2 too: expected names of their own`},
		"neither":           {"cases:\n  - name: a\n", "suite.yaml:2: cases[0].prompt: missing: expected a prompt, or a strategy"},
		"both":              {one("strategy: " + strategy), "suite.yaml:4: cases[0].strategy: stands beside a prompt: expected one of them"},
		"prompt no text":    {"cases:\n  - name: a\n    prompt: [x]\n", "suite.yaml:3: cases[0].prompt: is a list: expected text (in quotes where it looks like something else)"},
		"sample":            {one("sampleSize: 0"), "suite.yaml:4: cases[0].sampleSize: is the number 0: expected a whole number, 1 to 10000"},
		"sample, not whole": {one("sampleSize: 1.5"), "suite.yaml:4: cases[0].sampleSize: is the number 1.5: expected a whole number, 1 to 10000"},
		"sample, text":      {one("sampleSize: '5'"), `suite.yaml:4: cases[0].sampleSize: is "5": expected a whole number, 1 to 10000`},
		"budget":            {one("budget: $5"), `suite.yaml:4: cases[0].budget: is "$5": expected US dollars above 0, at most 1000000, with at most 6 decimals`},
		"options":           {one("options: fast"), `suite.yaml:4: cases[0].options: is "fast": expected fields out of sampling, seed, from, to, `},
		"option":            {one("options: {latency: 5}"), "suite.yaml:4: cases[0].options.latency: unknown field: expected one of sampling, seed, from, to, latency_ms, max_slippage, stale_ms, fees, winners, min_coverage, baseline, include"},
		"sampling":          {one("options: {sampling: newest}"), `suite.yaml:4: cases[0].options.sampling: is "newest": expected recent or random`},
		"seed":              {one("options: {seed: x}"), `suite.yaml:4: cases[0].options.seed: is "x": expected a whole number, -9223372036854775808 to 9223372036854775807`},
		"latency":           {one("options: {latency_ms: -1}"), "suite.yaml:4: cases[0].options.latency_ms: is the number -1: expected a whole number, 0 to 1000000000000"},
		"stale":             {one("options: {stale_ms: 1s}"), `suite.yaml:4: cases[0].options.stale_ms: is "1s": expected a whole number, 0 to 1000000000000`},
		"from":              {one("options: {from: yesterday}"), `suite.yaml:4: cases[0].options.from: is "yesterday": expected ISO 8601, like 2026-04-13T14:00:00Z, or Unix seconds`},
		"to before from":    {one("options:\n      from: 2026-04-02\n      to: 2026-04-01"), "suite.yaml:6: cases[0].options.to: is 2026-04-01T00:00:00Z: expected a time after from (2026-04-02T00:00:00Z)"},
		"slippage":          {one("options: {max_slippage: 2}"), "suite.yaml:4: cases[0].options.max_slippage: is the number 2: expected 0 to 1 USD with at most 6 decimals, or none"},
		"fees":              {one("options: {fees: 0}"), "suite.yaml:4: cases[0].options.fees: is the number 0: expected venue or none"},
		"baseline":          {one("options: {baseline: 1}"), "suite.yaml:4: cases[0].options.baseline: is the number 1: expected true or false"},
		"include":           {one("options: {include: [fills, all]}"), `suite.yaml:4: cases[0].options.include: is "all": expected fills or sensitivity`},
		"expect":            {one("expect: {totl_pnl: 5}"), "suite.yaml:4: cases[0].expect.totl_pnl: unknown field: expected one of refused, summary, strategy, "},
		"expect no fields":  {one("expect: 5"), "suite.yaml:4: cases[0].expect: is the number 5: expected fields out of refused, "},
		"archive":           {"archive: demo\n" + one(""), `suite.yaml:1: archive: is "demo": expected fields out of fingerprint, rounds, resolved, from, to`},
		"no fingerprint":    {"archive: {rounds: 5}\n" + one(""), "suite.yaml:1: archive.fingerprint: missing: expected the archive's hash, as --update records it"},
		"fingerprint":       {"archive:\n  fingerprint: abc\n" + one(""), `suite.yaml:2: archive.fingerprint: is "abc": expected 64 hex digits, as --update records them`},
		"strategy":          {"cases:\n  - name: a\n    strategy:\n      market: {coin: BTC, market_type: 5m}\n      side: sideways\n", "suite.yaml:4: cases[0].strategy.entry: is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := save(t, c.text)
			_, err := regress.Load(path)
			var wrong *regress.Error
			require.ErrorAs(t, err, &wrong)
			require.Equal(t, market.CodeBadRequest, market.CodeOf(wrong))
			message := strings.ReplaceAll(err.Error(), filepath.Dir(path)+string(filepath.Separator), "")
			require.Contains(t, message, c.want)
		})
	}
}

// TestProblemsOfAStrategy: the line is that of the field at fault.
func TestProblemsOfAStrategy(t *testing.T) {
	t.Parallel()
	const text = `cases:
  - name: a
    strategy:
      market: {coin: BTC, market_type: 5m}
      side: up
      entry:
        - {type: price, token: up, comparator: lt, threshold: 0.3, within_seconds: null}
        - type: price
          token: up
          comparator: is
          threshold: 0.4
          within_seconds: null
      exit: {take_profit: null, stop_loss: null, hold_to_expiry: true}
      budget_per_trade: 30
      sample_size: 6
`
	for _, c := range []struct{ old, new, want string }{
		{"", "", ":10: cases[0].strategy.entry[1].comparator: "},
		{"comparator: is", "comparator: lt\n          thresold: 1", ":11: cases[0].strategy.entry[1].thresold: "},
		{"side: up", "side: sideways", ":5: cases[0].strategy.side: "},
		{"budget_per_trade: 30", "budget_per_trade: 0x30", "0x30: expected a decimal number"},
		{"sample_size: 6", "sample_size: six", ":15: cases[0].strategy.sample_size: "},
	} {
		changed := strings.Replace(text, c.old, c.new, 1)
		if c.old != "" {
			changed = strings.Replace(changed, "comparator: is", "comparator: lt", 1)
		}
		_, err := regress.Load(save(t, changed))
		require.ErrorContains(t, err, c.want)
	}
}

// TestAllProblemsAtOnce: every problem of every file is told.
func TestAllProblemsAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.yaml"), []byte("cases:\n  - name: a\n    budget: -1\n    sampleSize: x\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.yaml"), []byte("nothing\n"), 0o600))
	_, err := regress.Load(dir)
	var wrong *regress.Error
	require.ErrorAs(t, err, &wrong)
	require.Len(t, wrong.Problems, 4, err)
}

func TestNothingToLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := regress.Load(dir)
	require.ErrorContains(t, err, "no suite in it: expected files named *.yaml or *.yml")
	_, err = regress.Load(filepath.Join(dir, "no.yaml"))
	require.ErrorContains(t, err, "no.yaml: no such file or directory: expected a suite (a YAML file) or a folder of them")
	var wrong *regress.Error
	require.ErrorAs(t, err, &wrong)
}
