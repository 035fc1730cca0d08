package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/ladderback/ladderback/report/listing"
	"github.com/ladderback/ladderback/report/usage"
)

func (a *cli) man() *cobra.Command {
	return &cobra.Command{
		Use:   "man FOLDER",
		Short: "Write the manual pages",
		Long: `Writes a manual page for each command into FOLDER, which is made where it is not
there: ladderback.1, ladderback-backtest.1 and so on. Releases have them in share/man.`,
		Example: "  ladderback man ~/.local/share/man/man1 && man ladderback-backtest",
		Args:    exactly(1, "expected the FOLDER to write the manual pages to, such as ~/.local/share/man/man1"),
		RunE: a.begin(func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			n, err := usage.Manuals(args[0], cmd.Root(), version)
			if err == nil {
				a.say("wrote %s to %s", listing.Plural(n, "manual page"), args[0])
			}
			return err
		}),
	}
}
