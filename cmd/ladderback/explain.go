package main

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/report/page"
	"github.com/ladderback/ladderback/report/terminal"
)

// pathLimit is how many trades of an HTML report can be chosen to see their
// prices.
const pathLimit = 60

func (a *app) renderHTML(ctx context.Context, w io.Writer, src replay.Source, body *backtest.Body) error {
	paths, err := backtest.Paths(ctx, src, body.Report, body.Strategy.Market(), pathLimit)
	if err != nil {
		return err
	}
	return page.Write(w, body, paths)
}

// showFlags say how a command shows one document.
type showFlags struct {
	format string
	json   bool
}

func (f *showFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.format, "format", "table", "table or json")
	cmd.Flags().BoolVar(&f.json, "json", false, "the same as --format json")
}

// check reads the format; it is called before anything can fail.
func (a *app) check(cmd *cobra.Command, f *showFlags) error {
	if err := a.wantsJSON(cmd, f.json, &f.format); err != nil {
		return err
	}
	return oneOf("format", f.format, "table", "json")
}

// show writes a document as one line of JSON, or by table.
func (a *app) show(f *showFlags, doc any, table func(terminal.Screen) error) error {
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

func (a *app) explain() *cobra.Command {
	var f showFlags
	var archives *[]string
	cmd := &cobra.Command{
		Use:   "explain RUN.json TRADE",
		Short: "Work one trade of a saved run through, from the words to the last cent",
		Long: `Works one trade of a saved run (backtest --json) through: the words behind the
trigger, the captures around the signal, the ladder at arrival with what was
taken of it, the fee, every look at the exit near its trigger, the settlement.
TRADE is its number from 1, or the market's slug. Times are UTC.`,
		Example: `  ladderback backtest 'Buy Up on BTC 15m under 35c' --json > run.json
  ladderback explain run.json 1`,
		Args: func(cmd *cobra.Command, args []string) error {
			if err := a.check(cmd, &f); err != nil {
				return err
			}
			if len(args) != 2 {
				return usagef("two arguments are needed: RUN.json and the TRADE (its number from 1, or the market's slug)")
			}
			return nil
		},
		RunE: a.begin(func(cmd *cobra.Command, args []string) error {
			body, err := a.readRun(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			ar, err := a.read(cmd.Context(), *archives)
			if err != nil {
				return err
			}
			defer ar.Close()
			x, err := backtest.Explain(cmd.Context(), ar, body, args[1])
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

func (a *app) compare() *cobra.Command {
	var f showFlags
	cmd := &cobra.Command{
		Use:     "compare A.json B.json",
		Short:   "Two saved runs side by side: numbers, and which trades differ in what",
		Long:    "Lays two saved runs (backtest --json) side by side. Exit code 1 when they differ.",
		Example: "  ladderback compare before.json after.json",
		Args: func(cmd *cobra.Command, args []string) error {
			if err := a.check(cmd, &f); err != nil {
				return err
			}
			if len(args) != 2 {
				return usagef("two saved runs are needed: A.json and B.json")
			}
			return nil
		},
		RunE: a.begin(func(cmd *cobra.Command, args []string) error {
			var runs [2]*backtest.Body
			for i, path := range args {
				body, err := a.readRun(cmd.Context(), path)
				if err != nil {
					return err
				}
				runs[i] = body
			}
			c, err := backtest.Compare(runs[0], runs[1])
			if err != nil {
				return err
			}
			err = a.show(&f, c, func(s terminal.Screen) error { return terminal.Comparison(a.out, c, s) })
			if err != nil || c.Same {
				return err
			}
			return errSilent
		}),
	}
	f.add(cmd)
	return cmd
}

// readRun reads a saved run.
func (a *app) readRun(ctx context.Context, path string) (*backtest.Body, error) {
	text, err := a.readFile(ctx, path)
	if err != nil {
		return nil, err
	}
	body, err := backtest.ReadBody(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return body, nil
}
