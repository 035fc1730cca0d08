package main

import "github.com/spf13/cobra"

// commands lists the subcommands in the order in which help shows them.
func (a *cli) commands() []*cobra.Command {
	return []*cobra.Command{
		a.backtest(), a.sweep(), a.calibration(), a.parse(), a.explain(), a.compare(), a.runs(), a.tries(), a.regress(),
		a.importCommand(), a.record(), a.simulate(), a.archiveCommand(), a.markets(), a.history(),
		a.serve(), a.mcp(), a.skill(), a.worker(), a.keys(), a.accounts(), a.bench(),
		a.man(), a.version(),
	}
}
