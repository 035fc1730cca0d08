package main

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ladderback/ladderback/app"
	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/report/listing"
	"github.com/ladderback/ladderback/report/progress"
)

func (a *cli) archiveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "archive",
		Short:   "Inspect, check, copy, export and clean up an archive",
		Example: "  ladderback archive info --archive real.db",
		Args:    subcommandOf,
		RunE:    a.begin(func(cmd *cobra.Command, _ []string) error { return cmd.Help() }),
	}
	cmd.AddCommand(a.archiveInfo(), a.archiveVerify(), a.archiveSources(), a.archiveCopy(), a.archivePack(), a.archiveExport(), a.archiveRemove())
	return cmd
}

// onArchive makes the RunE of a subcommand over one existing archive.
func (a *cli) onArchive(archives *[]string, f func(ctx context.Context, ar *archive.Archive) error) func(*cobra.Command, []string) error {
	return a.begin(func(cmd *cobra.Command, _ []string) (err error) {
		ar, err := a.Open(cmd.Context(), *archives, market.Crypto)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, ar.Close()) }()
		return f(cmd.Context(), ar)
	})
}

func (a *cli) archiveVerify() *cobra.Command {
	var archives *[]string
	var show showFlags
	var since string
	var check care.Check
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check every checksum and invariant; exit 1 on damage",
		Long: `Checks the archive's own structure, the checksum and content of every block, and
that each market agrees with its sources. Damage is listed with the source whose
import would repair it.

It ends with the watermark up to which it looked: --since with that checks what came
after, the markets that end or were updated at that time or later. The structure of
the archive, its events and series, its counts and what belongs to no market are
checked only without it. Interrupted, it says what it found so far.`,
		Example: `  ladderback archive verify --archive real.db
  ladderback archive verify --archive real.db --since 2026-04-14T12:00:00Z`,
		Args: a.args(&show, func(cmd *cobra.Command, args []string) (err error) {
			if since != "" {
				if check.Since, err = market.ParseTime(since); err != nil {
					return usagef("--since: %s", err)
				}
			}
			return noArgs(cmd, args)
		}),
	}
	archives = a.archiveFlag(cmd.Flags())
	cmd.Flags().StringVar(&since, "since", "", "check only the markets that end or were updated at this `time` (UTC) or later")
	show.add(cmd)
	cmd.RunE = a.onArchive(archives, func(ctx context.Context, ar *archive.Archive) error {
		defer a.LargeHeap()()
		bar := a.startProgress("Verifying", progress.Count("markets"))
		check.Progress = func(done, all int64) { bar.Set(done, all) }
		v, err := care.Verify(ctx, ar.Store(), check)
		bar.Stop()
		if err != nil {
			if v.Markets > 0 {
				a.say("not all was checked: %s markets were, with %d damages", listing.Grouped(v.Markets), len(v.Damage))
				for _, d := range v.Damage {
					a.say("damaged: %s", d)
				}
			}
			return err
		}
		return a.tellVerification(v)
	})
	return cmd
}

// tellVerification reports what was found; errSilent: there is damage.
func (a *cli) tellVerification(v *care.Verification) error {
	if a.json {
		a.printJSON(listing.VerificationDocument(v))
	} else {
		listing.Verification(a.out, v)
		if slices.ContainsFunc(v.Damage, func(d care.Damage) bool { return d.Source.ID == 0 }) {
			a.say(`Damage that no import is listed to repair is in the file itself: 'ladderback archive copy'
saves what is still readable to a new archive; import the missing sources into that,
or all of them if nothing could be copied.`)
		}
	}
	if len(v.Damage) > 0 {
		return errSilent
	}
	return nil
}

func (a *cli) archiveSources() *cobra.Command {
	var archives *[]string
	var show showFlags
	cmd := &cobra.Command{
		Use:     "sources",
		Short:   "The imported files: contents, date and licence; times are UTC",
		Example: "  ladderback archive sources --archive real.db",
		Args:    a.args(&show, noArgs),
	}
	archives = a.archiveFlag(cmd.Flags())
	show.add(cmd)
	cmd.RunE = a.onArchive(archives, func(ctx context.Context, ar *archive.Archive) error {
		sources, err := ar.Sources(ctx)
		if err != nil {
			return err
		}
		width := 0 // --json has the names in whole, and so has what is no terminal
		if a.screen {
			width = a.width
		}
		return a.answer(listing.SourcesDocument(sources), func() { listing.Sources(a.out, sources, width) })
	})
	return cmd
}

func (a *cli) archiveCopy() *cobra.Command {
	var show showFlags
	cmd := &cobra.Command{
		Use:   "copy FROM [TO]",
		Short: "Copy an archive to another address, block by block, verified",
		Long: `Copies everything FROM one archive TO another, which is created or migrated.
Without TO, that is $LADDERBACK_ARCHIVE, whose password then stands in no argument.
Every block is checked on the way and every market's content compared at the
end. Run an interrupted copy again to resume it.`,
		Example: "  ladderback archive copy real.db backup.db",
		Args: a.args(&show, func(_ *cobra.Command, args []string) error {
			args = a.fromAndTo(args)
			if len(args) != 2 {
				return usagef("expected two addresses: FROM and TO (or $%s)", app.ArchiveEnv)
			}
			if err := errors.Join(app.CheckAddress("FROM", args[0]), app.CheckAddress("TO", args[1])); err != nil {
				return err
			}
			return a.NotDemo(args[1])
		}),
		RunE: a.begin(func(cmd *cobra.Command, args []string) (err error) {
			ctx := cmd.Context()
			args = a.fromAndTo(args)
			from, err := a.OpenOne(ctx, args[0])
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, from.Close()) }()
			to, err := a.Create(ctx, args[1])
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, to.Close()) }()
			bar := a.startProgress("Copying", progress.Count("sources"))
			result, err := care.Copy(ctx, from.Store(), to.Store(), func(p care.CopyProgress) { bar.Set(int64(p.Sources), int64(p.AllSources)) })
			bar.Stop()
			if err != nil {
				return err
			}
			err = a.answer(listing.CopyDocument(result), func() { listing.Copy(a.out, result) })
			if len(result.Damage)+len(result.Differing) > 0 {
				return errSilent
			}
			return err
		}),
	}
	show.add(cmd)
	return cmd
}

// fromAndTo adds the archive of the environment to one address alone.
func (a *cli) fromAndTo(args []string) []string {
	if to := a.getenv(app.ArchiveEnv); len(args) == 1 && to != "" {
		return []string{args[0], to}
	}
	return args
}
