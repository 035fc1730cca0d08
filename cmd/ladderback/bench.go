package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/bench"
)

func (a *cli) bench() *cobra.Command {
	var archives *[]string
	o := bench.Defaults
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure this machine on an archive; one JSON document",
		Long: `Measures this machine on an archive: decoding its books, replaying its rounds,
importing some of them into a temporary file, and pages of history; each beside
what bounds it. Nothing is written to the archive. Seconds are of the processor;
quiet machines give better figures.`,
		Example: "  ladderback bench --archive real.db --rounds 83",
		Args: func(cmd *cobra.Command, args []string) error {
			if o.Rounds < 1 || o.Times < 1 {
				return usagef("--rounds %d, --times %d: expected at least 1", o.Rounds, o.Times)
			}
			return noArgs(cmd, args)
		},
	}
	archives = a.archiveFlag(cmd.Flags())
	cmd.Flags().Bool("json", true, "the result always is JSON; a mistake is told as JSON, too")
	cmd.Flags().IntVar(&o.Rounds, "rounds", o.Rounds, "measure the newest that many rounds")
	cmd.Flags().IntVar(&o.Times, "times", o.Times, "repeat each measurement; the fastest counts")
	cmd.Flags().StringVar(&o.Only, "only", o.Only, "measure only what has this in its name, as \"replay\"")
	cmd.RunE = a.onArchive(archives, func(ctx context.Context, ar *archive.Archive) error {
		report, err := bench.Run(ctx, ar, o)
		if err != nil {
			return err
		}
		a.printJSON(report)
		return nil
	})
	return cmd
}
