package main

import (
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ladderback/ladderback/app"
	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/sweep"
	"github.com/ladderback/ladderback/report/csv"
	"github.com/ladderback/ladderback/report/page"
	"github.com/ladderback/ladderback/report/progress"
	"github.com/ladderback/ladderback/report/terminal"
)

// sweepFlags are the flags of sweep, as given.
type sweepFlags struct {
	backtestFlags
	vary      []string
	block     string
	alsoTried int
	deflation string
	top       int
}

func (a *cli) sweep() *cobra.Command {
	var f sweepFlags
	cmd := &cobra.Command{
		Use:   "sweep PROMPT --vary FIELD=FROM:TO:STEP",
		Short: "Try one strategy over ranges of its numbers, and say what the best is worth",
		Long: `Replays a strategy with every combination of the values of some of its numbers,
in one pass over the captures, and says whether the best of them is better than
luck: deflated for the number tried, tested against the best of as many tries
without an edge, and by choosing on the past and trading what came next. Fields
are named as 'parse --json' prints the strategy, with indices from 0:
entry.0.threshold, exit.take_profit, or by their end where it is that of no other:
take_profit. Prices are dollars or cents (0.5, 50c), times are seconds. 'ladderback help sweeps' explains the rest.`,
		Example: `  ladderback sweep 'Buy Up on BTC 15m when Up drops below 35 cents, take profit at 55c, last 200 markets' --vary entry.0.threshold=0.25:0.45:0.05 --vary exit.take_profit=0.5:0.8:0.05
  ladderback sweep --strategy mine.json --vary exit.stop_loss=0.1,0.2,0.3 --out sweep.html`,
		Args: func(cmd *cobra.Command, args []string) error { return a.checkPromptArgs(cmd, &f.backtestFlags, args) },
		RunE: a.begin(func(cmd *cobra.Command, args []string) error { return a.runSweep(cmd, &f, args) }),
	}
	flags := cmd.Flags()
	f.archives = a.archiveFlag(flags)
	f.ask.add(flags)
	f.options.addReplay(flags)
	flags.StringVar(&f.file, "strategy", "", "read the strategy from this JSON file instead of a prompt: the object, or what parse --json or backtest --json printed (- for standard input)")
	flags.StringArrayVar(&f.vary, "vary", nil, "a number of the strategy and its values: FIELD=FROM:TO:STEP with both ends, or FIELD=VALUE,VALUE; repeat it for more fields")
	flags.StringVar(&f.block, "block", "", "how long a block of the walk-forward is, in hours or days (6h, 1d; default a tenth of the time replayed)")
	flags.IntVar(&f.alsoTried, "also-tried", 0, "how many variants of this idea you tried before: the best is deflated for them too")
	flags.StringVar(&f.deflation, "deflation", string(backtest.DeflateByNull), "what luck gives the best of many: null (the scatter of variants without an edge, and as many tries as are independent) or 2014 (the scatter of the variants, each a try)")
	flags.IntVar(&f.top, "top", 15, "how many variants the table lists")
	flags.IntVar(&f.workers, "workers", 0, "markets to replay in parallel (default one per core); does not affect results")
	flags.StringVar(&f.format, "format", "table", "table, json, csv or html")
	flags.BoolVar(&f.json, "json", false, "shorthand for --format json")
	flags.StringVar(&f.out, "out", "", "write the report to this file; its extension (.json, .csv, .html) sets the format")
	return cmd
}

func (a *cli) runSweep(cmd *cobra.Command, f *sweepFlags, args []string) error {
	defer a.LargeHeap()()
	ctx := cmd.Context()
	o, axes, err := f.read(cmd.Flags())
	if err != nil {
		return err
	}
	body, err := a.strategyOf(ctx, cmd.Flags(), &f.backtestFlags, args)
	if err != nil {
		return err
	}
	axes = sweep.Whole(body.Strategy, axes)
	if _, err := sweep.NewGrid(body.Strategy, axes); err != nil {
		return usagef("--vary %s", err)
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
	o.HoldOut = lock
	out := &backtest.SweepBody{Prompt: body.Prompt, Strategy: body.Strategy, Source: body.Source, Note: body.Note, Parse: body.Parse}
	bar := a.startProgress("Replaying", progress.Count("rounds"))
	out.Sweep, out.Tally, err = backtest.RunSweep(ctx, ar, body.Strategy, axes, o, parallel(f.workers, bar), ledger.Count)
	bar.Stop()
	if err != nil {
		return err
	}
	ledger.End(ctx, out.Sweep.Independent())
	return a.write("--out", f.out, func(w io.Writer) error { return a.renderSweep(w, out, f) })
}

// read turns the flags into options and axes.
func (f *sweepFlags) read(flags *pflag.FlagSet) (backtest.SweepOptions, []backtest.SweepAxis, error) {
	var o backtest.SweepOptions
	all, err := f.options.read(flags)
	if err != nil {
		return o, nil, err
	}
	if err := checkWorkers(flags, f.workers); err != nil {
		return o, nil, err
	}
	o.Options, o.AlsoTried = all.Options, f.alsoTried
	if f.alsoTried < 0 || f.alsoTried > 1_000_000_000 {
		return o, nil, usagef("--also-tried %d: expected 0 to 1000000000", f.alsoTried)
	}
	if o.Deflation, err = backtest.ParseDeflation(f.deflation); err != nil {
		return o, nil, usagef("--deflation %s", err)
	}
	if f.top < 1 {
		return o, nil, usagef("--top %d: expected 1 or more", f.top)
	}
	if flags.Changed("block") {
		if o.BlockHours, err = blockHours(f.block); err != nil {
			return o, nil, err
		}
	}
	if len(f.vary) == 0 {
		return o, nil, usagef("nothing to vary: expected --vary FIELD=FROM:TO:STEP, for example --vary exit.take_profit=0.5:0.8:0.05")
	}
	var axes []backtest.SweepAxis
	for _, text := range f.vary {
		axis, err := backtest.ParseSweepAxis(text)
		if err != nil {
			return o, nil, usagef("--vary %s", err)
		}
		axes = append(axes, axis)
	}
	return o, axes, nil
}

// blockHours reads a length in hours or days: 6h, 1d.
func blockHours(text string) (int64, error) {
	number, hours := strings.CutSuffix(text, "h")
	unit := int64(1)
	if !hours {
		var days bool
		if number, days = strings.CutSuffix(text, "d"); days {
			unit = 24
		}
	}
	n, err := strconv.ParseInt(number, 10, 32)
	if err != nil || number == text || n < 1 || n*unit > int64(365*market.Day/market.Hour) {
		return 0, usagef("--block %q: expected hours or days, like 6h or 1d, at most 365d", text)
	}
	return n * unit, nil
}

func (a *cli) renderSweep(w io.Writer, body *backtest.SweepBody, f *sweepFlags) error {
	switch f.format {
	case "json":
		return body.WriteJSON(w)
	case "csv":
		return csv.WriteSweep(w, body.Sweep)
	}
	shown := *body
	if a.getenv(app.EnvPrefix+"LLM_BASE_URL") == "" {
		shown.Note = "" // nobody misses a model that nobody has
	}
	if f.format == "html" {
		return page.WriteSweep(w, &shown)
	}
	a.overDemo = false // the report's band says it
	return terminal.Sweep(w, &shown, f.top, terminal.Screen{Width: a.width, Color: a.colour && f.out == ""})
}
