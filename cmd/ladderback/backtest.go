package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ladderback/ladderback/app"
	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/internal/outfile"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/parser"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/replay/queue"
	"github.com/ladderback/ladderback/report/csv"
	"github.com/ladderback/ladderback/report/progress"
	"github.com/ladderback/ladderback/report/terminal"
	"github.com/ladderback/ladderback/strategy"
)

// backtestFlags are the flags of backtest, as given.
type backtestFlags struct {
	archives *[]string
	ask      askFlags
	file     string
	options  optionFlags
	workers  int
	format   string
	json     bool
	out      string
	save     string
	keep     bool
}

func (a *cli) backtest() *cobra.Command {
	var f backtestFlags
	cmd := &cobra.Command{
		Use:   "backtest PROMPT",
		Short: "Replay a strategy over resolved rounds and report the result",
		Long: `Reads a strategy in plain English (or from a file), replays it over resolved
up/down rounds of the archive, fills it against the captured order books, and
reports the result. Times are UTC. The last 20 runs are kept: 'runs' lists
them, and 'explain' and 'compare' accept their numbers.`,
		Example: `  ladderback backtest 'Buy Up on BTC 15m when Up drops below 35 cents in the first 5 minutes, take profit at 55c, stop at 20c, $50 per trade, last 200 markets'
  ladderback backtest --strategy mine.json --archive real.db --out report.html`,
		Args: func(cmd *cobra.Command, args []string) error { return a.checkPromptArgs(cmd, &f, args) },
		RunE: a.begin(func(cmd *cobra.Command, args []string) error {
			return a.runBacktest(cmd, &f, args)
		}),
	}
	flags := cmd.Flags()
	f.archives = a.archiveFlag(flags)
	f.ask.add(flags)
	f.options.add(flags)
	flags.StringVar(&f.file, "strategy", "", "read the strategy from this JSON file instead of a prompt: the object, or what parse --json or backtest --json printed (- for standard input)")
	flags.IntVar(&f.workers, "workers", 0, "markets to replay in parallel (default one per core); does not affect results")
	flags.StringVar(&f.format, "format", "table", "table, json, csv or html")
	flags.BoolVar(&f.json, "json", false, "shorthand for --format json")
	flags.StringVar(&f.out, "out", "", "write the report to this file; its extension (.json, .csv, .html) sets the format")
	flags.StringVar(&f.save, "save", "", "also save the run to this file, as JSON")
	flags.BoolVar(&f.keep, "keep", true, "keep the run for explain and compare")
	return cmd
}

// checkPromptArgs settles the format, and refuses anything but one prompt, or one
// strategy file.
func (a *cli) checkPromptArgs(cmd *cobra.Command, f *backtestFlags, args []string) error {
	if err := a.wantsJSON(cmd, f.json, &f.format); err != nil {
		return err
	}
	if err := oneOf("format", f.format, "table", "json", "csv", "html"); err != nil {
		return err
	}
	if f.format == "html" && f.out == "" && a.screen {
		return usagef("--format html: a terminal cannot show a page; add --out report.html")
	}
	if err := a.formatOfOut(cmd, f.out, reportFiles, &f.format); err != nil {
		return err
	}
	if ext := strings.ToLower(filepath.Ext(f.save)); ext == ".html" || ext == ".htm" || ext == ".csv" {
		return usagef("--save %s: a saved run is JSON; --out %s writes the report in that form", f.save, f.save)
	}
	if f.file != "" {
		if len(args) > 0 {
			return usagef("a PROMPT or --strategy, not both")
		}
		return nil
	}
	return onePrompt(args)
}

// onePrompt refuses anything but one argument that is not blank.
func onePrompt(args []string) error {
	switch {
	case len(args) == 0 || strings.TrimSpace(args[0]) == "":
		return usagef("expected a PROMPT: the strategy in plain English, in quotes")
	case len(args) > 1:
		return usagef("expected one PROMPT, got %d arguments: put the sentence in quotes", len(args))
	}
	return nil
}

func (a *cli) runBacktest(cmd *cobra.Command, f *backtestFlags, args []string) error {
	defer a.LargeHeap()()
	ctx := cmd.Context()
	options, err := f.options.read(cmd.Flags())
	if err != nil {
		return err
	}
	if err := checkWorkers(cmd.Flags(), f.workers); err != nil {
		return err
	}
	body, err := a.strategyOf(ctx, cmd.Flags(), f, args)
	if err != nil {
		return err
	}
	ar, err := a.Read(ctx, *f.archives)
	if err != nil {
		return err
	}
	defer ar.Close()
	ledger, lock, err := a.Ledger(ctx, *f.archives, body.Prompt)
	if err != nil {
		return err
	}
	defer ledger.Close()
	options.HoldOut = lock

	what := "markets"
	if options.Baseline {
		what = "markets, including the baseline's"
	}
	bar := a.startProgress("Replaying", progress.Count(what))
	body.Report, body.Tally, err = backtest.RunCounted(ctx, ar, body.Strategy, options, parallel(f.workers, bar), ledger.Count)
	bar.Stop()
	if err != nil {
		return err
	}
	ledger.End(ctx, stats.One)
	var text bytes.Buffer // shown, saved and kept
	if err := body.WriteJSON(&text); err != nil {
		return err
	}
	return a.backtested(ctx, ar, body, text.Bytes(), f)
}

// backtested shows, saves and keeps a run, of which text is the JSON.
func (a *cli) backtested(ctx context.Context, ar replay.Source, body *backtest.Body, text []byte, f *backtestFlags) error {
	if err := a.write("--out", f.out, func(w io.Writer) error { return a.render(ctx, w, ar, body, text, f) }); err != nil {
		return err
	}
	if f.save != "" {
		if err := a.write("--save", f.save, func(w io.Writer) error { return put(w, text) }); err != nil {
			return err
		}
	}
	if !f.keep {
		return nil
	}
	if n := a.Keep(body, text, a.Given(*f.archives)); n > 0 && a.terminal && len(body.Report.Trades) > 0 {
		a.say("Kept as run %d. Next: ladderback explain last 1, or ladderback compare after another run.", n)
	}
	return nil
}

// outFormats are the formats that extensions of --out mean, beside .txt: a table.
type outFormats map[string]string

var (
	reportFiles  = outFormats{".html": "html", ".htm": "html", ".json": "json", ".csv": "csv"}
	historyFiles = outFormats{".json": "json", ".csv": "csv", ".ndjson": "ndjson", ".jsonl": "ndjson", ".parquet": "parquet"}
	tableFiles   = outFormats{".json": "json"}
)

// formatOfOut takes the format from the extension of --out, and refuses one that
// contradicts --format. Messages are those of a result that is not on standard output.
func (a *cli) formatOfOut(cmd *cobra.Command, out string, files outFormats, format *string) error {
	if out == "" || out == "-" {
		return nil
	}
	a.table = false
	ext := strings.ToLower(filepath.Ext(out))
	means := files[ext]
	if ext == ".txt" {
		means = "table"
	}
	given := cmd.Flags().Changed("format") || cmd.Flags().Changed("json")
	switch {
	case given && means != "" && means != *format:
		return usagef("--out %s and --format %s: the file's extension means %s; drop one of them", out, *format, means)
	case given || ext == "":
	case means == "":
		return usagef("--out %s: the extension %s means no format: expected %s or .txt, or a --format", out, filepath.Ext(out),
			strings.Join(slices.Sorted(maps.Keys(files)), ", "))
	default:
		*format = means
	}
	return nil
}

// checkWorkers refuses a given number of workers below 1.
func checkWorkers(flags *pflag.FlagSet, n int) error {
	if n < 0 || n == 0 && flags.Changed("workers") {
		return usagef("--workers %d: expected 1 or more", n)
	}
	return nil
}

// strategyOf reads the prompt or the strategy file and returns the body of the
// answer without a report.
func (a *cli) strategyOf(ctx context.Context, flags *pflag.FlagSet, f *backtestFlags, args []string) (*backtest.Body, error) {
	over, err := f.ask.overrides(flags)
	if err != nil {
		return nil, err
	}
	if f.file != "" {
		return a.StrategyFile(ctx, f.file, over)
	}
	return a.Prompt(ctx, args[0], f.ask.parser, over, a.accepts(ctx, &f.ask))
}

// put writes text.
func put(w io.Writer, text []byte) error {
	_, err := w.Write(text)
	return err
}

// render writes the body, of which text is the JSON, in the requested format.
func (a *cli) render(ctx context.Context, w io.Writer, src replay.Source, body *backtest.Body, text []byte, f *backtestFlags) error {
	switch f.format {
	case "json":
		return put(w, text)
	case "csv":
		return csv.Write(w, body.Report)
	}
	shown := *body
	if a.getenv(app.EnvPrefix+"LLM_BASE_URL") == "" {
		shown.Note = "" // nobody misses a model that nobody has
	}
	if f.format == "html" {
		return a.renderHTML(ctx, w, src, &shown, *f.archives)
	}
	a.overDemo = false // the report's warnings say it
	return terminal.Run(w, &shown, terminal.Screen{Width: a.width, Color: a.colour && f.out == ""})
}

// write gives f standard output, or the file at path, which the flag named.
func (a *cli) write(flag, path string, f func(w io.Writer) error) error {
	if path == "" || path == "-" {
		return f(a.out)
	}
	if err := outfile.Write(flag, path, f); err != nil {
		return err
	}
	a.say("written to %s", path)
	return nil
}

// askFlags are the flags that go with a prompt.
type askFlags struct {
	sample int
	budget string
	parser string
	accept bool
}

func (f *askFlags) add(flags *pflag.FlagSet) {
	flags.IntVar(&f.sample, "sample", 0, "number of resolved markets to replay, 1 to 10000; overrides the prompt")
	flags.StringVar(&f.budget, "budget", "", "US dollars per trade; overrides the prompt")
	flags.StringVar(&f.parser, "parser", "auto", "auto (the language model when configured), rules or llm")
	flags.BoolVar(&f.accept, "accept", false, "take a prompt that is nearly read without the words that it leaves out")
}

// overrides returns what replaces the prompt's own sample and budget.
func (f *askFlags) overrides(flags *pflag.FlagSet) (o parser.Overrides, err error) {
	if err := oneOf("parser", f.parser, "auto", "rules", "llm"); err != nil {
		return o, err
	}
	if flags.Changed("sample") {
		if f.sample < 1 || f.sample > 10_000 {
			return o, usagef("--sample %d: expected 1 to 10000", f.sample)
		}
		o.SampleSize = &f.sample
	}
	if flags.Changed("budget") {
		n, err := strategy.ParseNumber(strings.TrimPrefix(f.budget, "$"))
		if err != nil || n <= 0 || n > 1_000_000*strategy.One {
			return o, usagef("--budget %q: expected US dollars above 0, at most 1000000, with at most 6 decimals", f.budget)
		}
		o.Budget = &n
	}
	return o, nil
}

// optionFlags are the options of a replay, as given.
type optionFlags struct {
	sampling, from, to, slippage, fees, winners, coverage, queue string
	seed, latency, stale                                         int64
	baseline                                                     bool
	include                                                      []string
}

func (f *optionFlags) add(flags *pflag.FlagSet) {
	f.addReplay(flags)
	flags.BoolVar(&f.baseline, "baseline", true, "also replay the same exits with an entry by the clock, for comparison")
	flags.StringSliceVar(&f.include, "include", nil, "add to the report: fills (every execution), sensitivity (other latencies, fees and budgets), after (what happened after the fills)")
}

// addReplay adds what the engine is told, without what a report may hold.
func (f *optionFlags) addReplay(flags *pflag.FlagSet) {
	d := backtest.DefaultOptions()
	flags.StringVar(&f.sampling, "sampling", string(d.Sampling), "recent or random")
	flags.Int64Var(&f.seed, "seed", d.Seed, "seed for random sampling and the intervals")
	windowFlags(flags, &f.from, &f.to, "rounds that end at or after this time (2026-04-01 14:00, ISO 8601 or Unix seconds)", "rounds that end before this time")
	f.latency = d.LatencyMS
	flags.Var((*milliseconds)(&f.latency), "latency", "order latency: milliseconds, or with a unit (250ms, 1s)")
	flags.StringVar(&f.slippage, "max-slippage", market.Cash(d.MaxSlippage).String(), "most an entry may pay above the best ask at its signal, in dollars or cents (0.05, 5c), or none")
	flags.Var((*milliseconds)(&f.stale), "stale", "maximum age of the capture that an order fills against: milliseconds, or with a unit (30s), 0 for any (default 30s for ladders, any for quotes and prices)")
	flags.StringVar(&f.fees, "fees", string(d.Fees), "venue or none")
	flags.StringVar(&f.winners, "winners", string(d.Winners), "official, or inferred (counts both)")
	flags.StringVar(&f.queue, "queue", "", "rule by which orders that rest fill: through (only what must have met them; the default), back or front (of the queue)")
	flags.StringVar(&f.coverage, "min-coverage", "0", "minimum recorded share of a round for it to be replayed, 0 to 1 (or 90%)")
}

// read turns the flags into options.
func (f *optionFlags) read(flags *pflag.FlagSet) (backtest.Options, error) {
	o := backtest.DefaultOptions()
	o.Sampling, o.Fees, o.Winners = replay.Sampling(f.sampling), replay.Fees(f.fees), replay.Winners(f.winners)
	o.Seed, o.LatencyMS, o.Baseline, o.Queue = f.seed, f.latency, f.baseline, queue.Rule(f.queue)
	for _, bound := range []struct {
		flag, text string
		into       **market.Instant
	}{{"from", f.from, &o.From}, {"to", f.to, &o.To}} {
		if !flags.Changed(bound.flag) {
			continue
		}
		t, err := market.ParseTime(bound.text)
		if err != nil {
			return o, usagef("--%s: %s", bound.flag, err)
		}
		*bound.into = &t
	}
	if f.slippage == "none" {
		o.MaxSlippage = replay.NoCap
	} else {
		c, err := dollars(f.slippage)
		if err != nil || c < 0 {
			return o, usagef("--max-slippage %q: expected dollars or cents, like 0.05 or 5c, or none", f.slippage)
		}
		o.MaxSlippage = replay.Slippage(c)
	}
	if flags.Changed("stale") {
		if f.stale < 0 {
			return o, usagef("--stale %d: expected a duration of 0 or more, like 30s", f.stale)
		}
		o.StaleMS = replay.Stale(f.stale)
	}
	var err error
	if o.MinCoverage, err = parseShare(f.coverage); err != nil {
		return o, usagef("--min-coverage %q: expected a share from 0 to 1, like 0.9 or 90%%", f.coverage)
	}
	for _, part := range f.include {
		if err := oneOf("include", part, string(backtest.IncludeFills), string(backtest.IncludeSensitivity), string(backtest.IncludeAfter)); err != nil {
			return o, err
		}
		if !slices.Contains(o.Include, backtest.Include(part)) {
			o.Include = append(o.Include, backtest.Include(part))
		}
	}
	slices.Sort(o.Include)
	if err := o.Validate(); err != nil {
		return o, flagError(err)
	}
	return o, nil
}

// flagError names the flag instead of the option's JSON name.
func flagError(err error) error {
	var bad *replay.OptionError
	if !errors.As(err, &bad) {
		return usagef("%s", err)
	}
	flag := strings.ReplaceAll(strings.TrimSuffix(bad.Field, "_ms"), "_", "-")
	return usagef("--%s %s: expected %s", flag, bad.Value, bad.Want)
}
