package main

import (
	"context"
	"errors"
	"io"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/ladderback/ladderback/app"
	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/compare"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/report/page"
	"github.com/ladderback/ladderback/report/terminal"
)

// pathLimit is how many trades of an HTML report can be chosen to see their
// prices.
const pathLimit = 60

func (a *cli) renderHTML(ctx context.Context, w io.Writer, src replay.Source, body *backtest.Body, archives []string) error {
	paths, err := backtest.Paths(ctx, src, body.Report, body.Strategy.Market(), pathLimit)
	if err != nil {
		return err
	}
	return page.Write(w, body, paths, version, a.ArchiveNames(archives))
}

// showFlags say how a command shows one document.
type showFlags struct {
	format string
	json   bool
}

func (f *showFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.format, "format", "table", "table or json")
	cmd.Flags().BoolVar(&f.json, "json", false, "shorthand for --format json")
}

// args checks the flags of a command that shows one document, and the rest by then. The
// format is read before anything can fail.
func (a *cli) args(f *showFlags, then cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := a.wantsJSON(cmd, f.json, &f.format); err != nil {
			return err
		}
		if err := oneOf("format", f.format, "table", "json"); err != nil {
			return err
		}
		return then(cmd, args)
	}
}

// exactly refuses another number of arguments than n, with what was expected.
func exactly(n int, expected string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return usagef("%s", expected)
		}
		return nil
	}
}

// answer writes a document as indented JSON, or by table.
func (a *cli) answer(doc any, table func()) error {
	if a.json {
		a.printJSON(doc)
	} else {
		table()
	}
	return nil
}

// show writes a document as one line of JSON, or by table.
func (a *cli) show(f *showFlags, doc any, table func(terminal.Screen) error) error {
	if f.format == "table" {
		return table(terminal.Screen{Width: a.width, Color: a.colour})
	}
	line, err := backtest.CompactJSON(doc)
	if err != nil {
		return err
	}
	_, err = a.out.Write(append(line, '\n'))
	return err
}

func (a *cli) explain() *cobra.Command {
	var f showFlags
	var archives *[]string
	cmd := &cobra.Command{
		Use:   "explain [RUN] TRADE",
		Short: "Walk through one trade of a run, from the words to the last cent",
		Long: `Walks through one trade of a run: the words behind the trigger, the captures around
the signal, the ladder at arrival with what was taken of it, the fee, every look at
the exit near its trigger, and the settlement. RUN is a file (backtest --save), the
number of a kept run ('ladderback runs'), or last (the default). TRADE is its
number from 1, or the market's slug. Times are UTC.`,
		Example: `  ladderback backtest 'Buy Up on BTC 15m under 35c'
  ladderback explain 3
  ladderback explain run.json btc-updown-15m-1775005200`,
		Args: a.args(&f, func(_ *cobra.Command, args []string) error {
			if len(args) != 1 && len(args) != 2 {
				return usagef("expected a TRADE (its number from 1, or the market's slug), preceded by the RUN unless it is the last one")
			}
			if info, err := os.Stat(args[0]); len(args) == 1 && err == nil && info.Mode().IsRegular() {
				return usagef("%s is a run: expected a TRADE after it, its number from 1 or the market's slug", args[0])
			}
			return nil
		}),
		RunE: a.begin(func(cmd *cobra.Command, args []string) error {
			run, err := a.FindRun(cmd.Context(), append([]string{"last"}, args...)[len(args)-1])
			if err != nil {
				return err
			}
			from := a.Given(*archives)
			if len(from) == 0 {
				from = run.Archive
			}
			ar, err := a.Read(cmd.Context(), from)
			if err != nil {
				return err
			}
			defer ar.Close()
			x, err := backtest.Explain(cmd.Context(), ar, run.Body, args[len(args)-1])
			if errors.Is(err, backtest.ErrOtherArchive) {
				err = a.Elsewhere(err, run, from)
			}
			if err != nil {
				return err
			}
			return a.show(&f, x, func(s terminal.Screen) error { return terminal.Trade(a.out, x, s) })
		}),
	}
	archives = a.archiveFlag(cmd.Flags())
	f.add(cmd)
	return cmd
}

func (a *cli) compare() *cobra.Command {
	var f showFlags
	var all bool
	cmd := &cobra.Command{
		Use:   "compare [A B]",
		Short: "Is run B better than run A, and what differs?",
		Long: `Says whether run B is better than run A: the mean difference round by round with its
95% interval, the numbers of both, what differs between the strategies, and the
trades that differ, the largest effect first. A and B are files (backtest --save),
numbers of kept runs ('ladderback runs'), or last; without them, the last two runs.
Of kept runs the difference is held against the tries before the later one, too.
Exit code 1 when the runs differ.`,
		Example: `  ladderback compare before.json after.json
  ladderback compare 11 last --all`,
		Args: a.args(&f, func(_ *cobra.Command, args []string) error {
			if len(args) != 0 && len(args) != 2 {
				return usagef("expected two runs, A and B: files, numbers of 'ladderback runs', or last; or none for the last two runs")
			}
			return nil
		}),
		RunE: a.begin(func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				kept := a.Kept()
				if len(kept) < 2 {
					return errors.New("fewer than two runs are kept: name two run files")
				}
				args = []string{strconv.Itoa(kept[1].Number), strconv.Itoa(kept[0].Number)}
			}
			var runs [2]*app.SavedRun
			for i, name := range args {
				var err error
				if runs[i], err = a.FindRun(cmd.Context(), name); err != nil {
					return err
				}
			}
			c, err := compare.Runs(runs[0].Body, runs[1].Body)
			if err != nil {
				return err
			}
			c.Names = [2]string{runs[0].Name, runs[1].Name}
			err = a.show(&f, c, func(s terminal.Screen) error { return terminal.Comparison(a.out, c, all, s) })
			if err != nil || c.Same {
				return err
			}
			return errSilent
		}),
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "list every trade that differs, not only the 20 with the largest effect")
	return cmd
}
