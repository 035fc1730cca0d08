package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/app"
	"github.com/ladderback/ladderback/archive/ingest"
	"github.com/ladderback/ladderback/docs"
	"github.com/ladderback/ladderback/report/usage"
)

func everyCommand(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, c := range cmd.Commands() {
		everyCommand(c, visit)
	}
}

// TestHelpFits holds that help is no wider than the terminal, and that the
// examples in it are those of the command, broken where a shell reads on.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	spaces := regexp.MustCompile(`\s+`)
	for _, width := range []int{60, 80, 200} {
		a := &cli{out: io.Discard, err: io.Discard, getenv: func(string) string { return "" }, width: width}
		everyCommand(a.root(), func(cmd *cobra.Command) {
			if cmd.Parent() != nil && cmd.Parent().Name() == "completion" {
				return // cobra's own words
			}
			var help strings.Builder
			usage.Help(&help, cmd, a.width, docs.Names())
			for line := range strings.Lines(help.String()) {
				line = strings.TrimRight(line, "\n")
				if len(strings.Fields(line)) > 1 && !strings.Contains(line, "http") {
					require.LessOrEqual(t, text.StringWidth(line), min(width, usage.Widest)+1, "%s: %s", cmd.CommandPath(), line)
				}
			}
			shown := spaces.ReplaceAllString(strings.ReplaceAll(help.String(), "\\\n", ""), " ")
			require.Contains(t, shown, spaces.ReplaceAllString(strings.TrimSpace(cmd.Example), " "), cmd.CommandPath())
		})
	}
}

func TestHelpGroupsFlags(t *testing.T) {
	t.Parallel()
	r := ladderback(t, "backtest", "--help")
	require.Equal(t, exitDone, r.code)
	last := -1
	for _, heading := range []string{"\nStrategy:\n", "\nMarket data:\n", "\nExecution:\n", "\nOutput:\n"} {
		at := strings.Index(r.out, heading)
		require.Greater(t, at, last, heading)
		last = at
	}
	a := &cli{out: io.Discard, err: io.Discard, getenv: func(string) string { return "" }, width: 80}
	root := a.root()
	cmd, _, err := root.Find([]string{"backtest"})
	require.NoError(t, err)
	for _, name := range []string{"strategy", "latency", "seed", "out", "quiet", "include"} {
		require.NotNil(t, cmd.Flag(name), name)
		require.Len(t, regexp.MustCompile(`\n  (?:-\w, |    )--`+name+" ").FindAllString(r.out, -1), 1, name)
	}
}

// TestHelpListsFormats: formats stand one per line, not run together.
func TestHelpListsFormats(t *testing.T) {
	t.Parallel()
	a := &cli{out: io.Discard, err: io.Discard, getenv: func(string) string { return "" }, width: 80}
	root := a.root()
	cmd, _, err := root.Find([]string{"import"})
	require.NoError(t, err)
	var help strings.Builder
	usage.Help(&help, cmd, a.width, docs.Names())
	// A line that is too long goes on beneath the description.
	unwrapped := regexp.MustCompile(`\n {4,}(\S)`).ReplaceAllString(help.String(), " $1")
	for _, line := range ingest.DescribeFormats() {
		require.Contains(t, unwrapped, "\n  "+line+"\n")
	}
}

func TestHelpTopics(t *testing.T) {
	t.Parallel()
	root := ladderback(t, "--help")
	require.Contains(t, strings.Join(strings.Fields(root.out), " "), strings.Join(docs.Names(), ", "))
	r := ladderback(t, "help", "language")
	require.Equal(t, exitDone, r.code)
	require.Contains(t, r.out, "WHAT A PROMPT MAY SAY")
	require.Contains(t, r.out, "Buy Up below 35c, not Down")
	require.Contains(t, ladderback(t, "help", "archive", "info").out, "ladderback archive info [flags]")
	r = ladderback(t, "help", "nothing")
	require.Equal(t, exitUsage, r.code)
	require.Contains(t, r.err, `no command or topic "nothing"`)
	for _, name := range docs.Names() {
		about, topic := subject((&cli{getenv: func(string) string { return "" }}).root(), []string{name})
		require.Nil(t, about, "a document has the name of a command: it cannot be printed")
		require.Equal(t, name, topic)
	}
}

// TestCompletedValues holds the values that a shell offers to those that the
// command takes: the list in its own refusal.
func TestCompletedValues(t *testing.T) {
	t.Parallel()
	listed := regexp.MustCompile(`expected (?:one of )?(.*)`)
	for args, rest := range map[string]string{
		"backtest --format": "Up", "backtest --parser": "Up", "backtest --sampling": "Up", "backtest --fees": "Up",
		"sweep --format": "Up", "backtest --winners": "Up", "backtest --include": "Up", "history --format": "prices x", "markets --status": "", "markets --category": "", "parse --format": "Up", "simulate --types": "--archive a.db",
		"import --format": "x --archive " + t.TempDir() + "/a.db",
	} {
		words := strings.Fields(args)
		r := ladderback(t, append(append(words, "no-such-value"), strings.Fields(rest)...)...)
		require.Equal(t, exitUsage, r.code, args)
		m := listed.FindStringSubmatch(r.err)
		require.NotNil(t, m, r.err)
		want := regexp.MustCompile(`, | or `).Split(strings.ReplaceAll(m[1], `"`, ""), -1)
		require.Equal(t, want, flagValues(words[0], strings.TrimPrefix(words[1], "--")), args)
	}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	path, err := smallArchive()
	require.NoError(t, err)
	offered := func(args ...string) []string {
		r := runWith(t, context.Background(), map[string]string{"LADDERBACK_ARCHIVE": path}, "", append([]string{"__complete"}, args...)...)
		require.Equal(t, exitDone, r.code, r.err)
		lines := strings.Split(strings.TrimSpace(r.out), "\n")
		return lines[:len(lines)-1] // the last is a directive
	}
	require.Equal(t, []string{"prices", "books", "quotes", "metrics", "trades"}, offered("history", ""))
	slugs := offered("history", "prices", "btc-updown-1h-")
	require.GreaterOrEqual(t, len(slugs), 6)
	require.Contains(t, slugs[0], "btc-updown-1h-")
	require.Empty(t, offered("history", "prices", "nothing-like-it"))
	require.Equal(t, slugs, offered("markets", "show", "btc-updown-1h-"))
	require.Equal(t, slugs, offered("history", "--archive", path, "trades", "btc-updown-1h-"))
	require.Equal(t, statuses, offered("markets", "--status", ""))
	require.Contains(t, offered("archive", "export", ""), "captures")
	require.Contains(t, offered("archive", "export", "--format", ""), "jsonl")
	require.Equal(t, []string{"enterprise", "pro", "scale", "starter"}, offered("keys", "create", "--plan", ""))
	require.Contains(t, offered("history", "--resolution", ""), "250ms")
	require.Contains(t, strings.Join(offered("help", ""), "\n"), "language\tWhat a prompt may say")
	// Without an archive nothing is made for a completion.
	cache := t.TempDir()
	r := runWith(t, context.Background(), map[string]string{"LADDERBACK_CACHE": cache}, "", "__complete", "history", "prices", "")
	require.Equal(t, exitDone, r.code)
	require.NoFileExists(t, cache+"/"+app.DemoName())
}

func TestUnitsInFlags(t *testing.T) {
	t.Parallel()
	const prompt = "Buy Up on BTC 1h below 45c, last 3 markets"
	path, err := smallArchive()
	require.NoError(t, err)
	run := func(flags ...string) result {
		return ladderback(t, append([]string{"backtest", prompt, "--archive", path, "--json", "--quiet"}, flags...)...)
	}
	plain := run("--latency", "500", "--max-slippage", "0.04", "--stale", "20000")
	require.Equal(t, exitDone, plain.code, plain.out+plain.err)
	require.Contains(t, plain.out, `"latency_ms":500`)
	require.Contains(t, plain.out, `"stale_ms":20000`)
	require.Equal(t, plain.out, run("--latency", "500ms", "--max-slippage", "4c", "--stale", "20s").out)
	require.Equal(t, plain.out, run("--latency", "0.5s", "--max-slippage", "$0.04", "--stale", "20s").out)
	for flags, want := range map[string]string{
		"--latency 1.5":           `--latency "1.5": expected whole milliseconds, or a time with its unit, like 250ms or 2s`,
		"--latency 10us":          `--latency "10us": expected whole milliseconds`,
		"--max-slippage 5%":       `--max-slippage "5%": expected dollars or cents, like 0.05 or 5c, or none`,
		"--max-slippage 0.00001c": `--max-slippage "0.00001c": expected`,
		"--stale -1s":             `--stale -1000: expected`,
	} {
		r := ladderback(t, append([]string{"backtest", prompt, "--archive", path}, strings.Fields(flags)...)...)
		require.Equal(t, exitUsage, r.code, flags)
		require.Contains(t, r.err, want)
	}
}

// TestTutorial runs the commands of the tutorial and holds its numbers to what
// they say.
func TestTutorial(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../../docs/tutorial.md")
	require.NoError(t, err)
	page := string(content)
	dir := t.TempDir()
	runs := regexp.MustCompile(`(?m)^ladderback backtest ('[^']*') (.*) --json --out (\w+\.json)$`).FindAllStringSubmatchIndex(page, -1)
	require.Len(t, runs, 5)
	number := regexp.MustCompile(`\*\*([+-][\d,]+\.\d\d) USD(?: over (\d+) trades)?\*\*`)
	for i, m := range runs {
		prompt, flags, file := page[m[2]+1:m[3]-1], page[m[4]:m[5]], page[m[6]:m[7]]
		out := filepath.Join(dir, file)
		r := withDemo(t, append([]string{"backtest", prompt, "--json", "--out", out, "--quiet"}, strings.Fields(flags)...)...)
		require.Equal(t, exitDone, r.code, r.out+r.err)
		content, err := os.ReadFile(out)
		require.NoError(t, err)
		var b body
		require.NoError(t, json.Unmarshal(content, &b))
		behind := page[m[1]:]
		if i+1 < len(runs) {
			behind = page[m[1]:runs[i+1][0]]
		}
		said := number.FindStringSubmatch(behind)
		require.NotNil(t, said, "no result is told behind %s", file)
		told, err := strconv.ParseFloat(strings.ReplaceAll(said[1], ",", ""), 64)
		require.NoError(t, err)
		require.InDelta(t, b.Report.TotalPnL, told, 0.005, file)
		if said[2] != "" {
			require.Equal(t, strconv.Itoa(b.Report.MarketsTraded), said[2], file)
		}
	}
	r := withDemo(t, "explain", filepath.Join(dir, "dip.json"), "3")
	require.Equal(t, exitDone, r.code, r.err)
	require.Contains(t, r.out, "136.64", "the shares that the tutorial speaks of")
}
