package main

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/ingest"
	"github.com/ladderback/ladderback/archive/pack"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/report/listing"
)

// removeFlags are those of archive remove.
type removeFlags struct {
	markets, sources []string
	before           string
	dryRun, yes      bool
}

func (f *removeFlags) check() error {
	if len(f.markets) == 0 && len(f.sources) == 0 && f.before == "" {
		return usagef("name what to remove: --market, --source or --before")
	}
	if f.dryRun && f.yes {
		return usagef("--dry-run or --yes, not both")
	}
	if f.before != "" {
		if _, err := market.ParseTime(f.before); err != nil {
			return usagef("--before: %s", err)
		}
	}
	return nil
}

func (a *cli) archiveRemove() *cobra.Command {
	var show showFlags
	var archives *[]string
	var f removeFlags
	cmd := &cobra.Command{
		Use:   "remove",
		Short: "Remove markets, sources, or everything that ended before a time",
		Long: `Removes markets (by slug or id), sources (by the id that 'archive sources'
shows, or the file's name), or every market that ended before a time. Captures
that another source also provided stay. The file shrinks. On a terminal it lists
what will go and asks first; --yes skips the question, --dry-run only lists.`,
		Example: `  ladderback archive remove --market btc-updown-5m-1776081600 --archive real.db
  ladderback archive remove --before 2026-04-14 --archive real.db --dry-run`,
		Args: a.args(&show, func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			if _, err := a.ToWrite(*archives, "archive remove"); err != nil {
				return err
			}
			return noArgs(cmd, args)
		}),
	}
	archives = a.archiveToWrite(cmd.Flags())
	show.add(cmd)
	cmd.Flags().StringSliceVar(&f.markets, "market", nil, "slug or id of a market; may be repeated")
	cmd.Flags().StringSliceVar(&f.sources, "source", nil, "id or file name of a source; may be repeated")
	cmd.Flags().StringVar(&f.before, "before", "", "markets that ended at or before this time")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "show what would be removed, without changing anything")
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	cmd.RunE = a.onArchive(archives, func(ctx context.Context, ar *archive.Archive) error {
		target, err := a.ToWrite(*archives, "archive remove")
		if err != nil {
			return err
		}
		return a.remove(ctx, ar, &f, a.Packs(target))
	})
	return cmd
}

// selection finds what the flags name.
func (f *removeFlags) selection(ctx context.Context, ar *archive.Archive) (sel care.Selection, err error) {
	for _, name := range f.markets {
		m, err := ar.Market(ctx, name, "")
		if err != nil {
			return sel, err
		}
		sel.Markets = append(sel.Markets, m.ID)
	}
	if len(f.sources) > 0 {
		all, err := ar.Sources(ctx)
		if err != nil {
			return sel, err
		}
		for _, name := range f.sources {
			src, err := care.FindSource(all, name)
			if err != nil {
				return sel, err
			}
			if !slices.Contains(sel.Sources, src.ID) {
				sel.Sources = append(sel.Sources, src.ID)
			}
		}
	}
	if f.before != "" {
		sel.Before, err = market.ParseTime(f.before)
	}
	return sel, err
}

func (a *cli) remove(ctx context.Context, ar *archive.Archive, f *removeFlags, packs *pack.Packs) error {
	sel, err := f.selection(ctx, ar)
	if err != nil {
		return err
	}
	out, err := care.Preview(ctx, ar.Store(), sel)
	if err != nil {
		return err
	}
	if len(out.Markets)+len(out.Sources) > 0 {
		if !a.agreed(ctx, out, f) {
			a.say("Nothing was removed.")
			return errSilent
		}
		if !f.dryRun {
			if out, err = care.Remove(ctx, ar.Store(), sel); err != nil {
				return err
			}
			if err := packs.Discard(ctx, ar.Store(), out.Emptied); err != nil {
				a.say("Packs of which nothing is left are still there (%v): 'archive pack' removes them after a day.", err)
			}
		}
	}
	err = a.answer(listing.RemovalDocument(out, f.dryRun), func() { listing.Removed(a.out, out, f.dryRun) })
	if out.Unshrunk != nil {
		return errSilent
	}
	return err
}

// agreed lists what goes, where it is asked for or only tried, and asks; true
// where nothing is asked.
func (a *cli) agreed(ctx context.Context, r *care.Removal, f *removeFlags) bool {
	ask := a.asks && !f.yes && !a.json
	if !a.json && (f.dryRun || ask) {
		listing.Removal(a.out, r)
	}
	return !ask || f.dryRun || a.confirm(ctx, "Remove this?")
}

// confirm asks a question that is answered by y or yes on a line.
func (a *cli) confirm(ctx context.Context, question string) bool {
	fmt.Fprintf(a.err, "%s [y/N] ", question)
	line, _ := bufio.NewReader(ingest.Interruptible(ctx, a.in)).ReadString('\n') // the end of input is not a yes
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true
	}
	return false
}
