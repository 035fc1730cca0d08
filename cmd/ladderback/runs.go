package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ladderback/ladderback/app"
	"github.com/ladderback/ladderback/backtest/figures"
	"github.com/ladderback/ladderback/report/listing"
)

// runs lists the kept runs.
func (a *cli) runs() *cobra.Command {
	var f showFlags
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List the last backtests, for explain and compare",
		Long: `Lists the last 20 backtests, newest first. 'explain' and 'compare' accept their
numbers, or the word last for the newest, wherever they accept a run's file.`,
		Example: `  ladderback runs
  ladderback explain last 3
  ladderback compare 11 last`,
		Args: a.args(&f, func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("runs takes no arguments; 'ladderback explain %s 1' walks through a trade", args[0])
			}
			return nil
		}),
		RunE: a.begin(func(_ *cobra.Command, _ []string) error {
			list := a.Kept()
			if f.format == "json" {
				a.printJSON(list)
				return nil
			}
			if len(list) == 0 {
				a.say("No runs yet: 'ladderback backtest' keeps the last %d.", app.MaxKept)
				return nil
			}
			a.printRuns(a.out, list)
			return nil
		}),
	}
	f.add(cmd)
	return cmd
}

func (a *cli) printRuns(w io.Writer, list []app.KeptRun) {
	t := listing.NewTable(w, "run", "made (UTC)", "trades", "per trade", "verdict", "strategy")
	listing.NumbersRight(t, 1, 3, 4)
	simulated, widest := false, 0
	for i := range list {
		widest = max(widest, len(list[i].Verdict)+2)
	}
	for i := range list {
		k := &list[i]
		verdict := strings.ReplaceAll(string(k.Verdict), "_", " ")
		if k.Simulated {
			verdict, simulated = verdict+" *", true
		}
		room := max(12, a.width-widest-47) // the other columns and what is between them
		prompt := []rune(strings.Join(strings.Fields(k.Prompt), " "))
		if len(prompt) > room {
			prompt = append(prompt[:room-1], '…')
		}
		t.AppendRow([]any{
			k.Number, k.At.Format("2006-01-02 15:04"), figures.Number(k.Trades), figures.Or(k.MeanPnL, figures.USD),
			verdict, string(prompt),
		})
	}
	t.Render()
	if simulated {
		fmt.Fprintln(w, "* over simulated data")
	}
}
