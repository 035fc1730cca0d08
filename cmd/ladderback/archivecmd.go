package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

func (a *app) archiveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "archive",
		Short:   "What is in an archive; check, copy, clean it",
		Example: "  ladderback archive info --archive real.db",
		Args:    subcommandOf,
		RunE:    a.begin(func(cmd *cobra.Command, _ []string) error { return cmd.Help() }),
	}
	cmd.AddCommand(a.archiveInfo(), a.archiveVerify(), a.archiveSources(), a.archiveCopy(), a.archiveMigrate(), a.archiveRemove())
	return cmd
}

// onArchive makes the RunE of a subcommand over one archive that is there.
func (a *app) onArchive(archives *[]string, f func(ctx context.Context, ar *archive.Archive) error) func(*cobra.Command, []string) error {
	return a.begin(func(cmd *cobra.Command, _ []string) (err error) {
		ar, err := a.open(cmd.Context(), *archives, market.Crypto)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, ar.Close()) }()
		return f(cmd.Context(), ar)
	})
}

func (a *app) archiveVerify() *cobra.Command {
	var archives *[]string
	var show showFlags
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check every checksum and invariant; exit 1 when something is damaged",
		Long: `Checks the archive's own structure, the checksum and content of every block, and
that each market is what its sources make it. What is damaged is listed with the
source whose import would mend it.`,
		Example: "  ladderback archive verify --archive real.db",
		Args: func(cmd *cobra.Command, args []string) error {
			if err := a.check(cmd, &show); err != nil {
				return err
			}
			return noArgs(cmd, args)
		},
	}
	archives = a.archiveFlag(cmd.Flags())
	show.add(cmd)
	cmd.RunE = a.onArchive(archives, func(ctx context.Context, ar *archive.Archive) error {
		bar := a.startProgress("Verifying", count("markets"))
		v, err := care.Verify(ctx, ar.Store(), func(done, all int64) { bar.set(done, all) })
		bar.stop()
		if err != nil {
			return err
		}
		return a.printVerification(v)
	})
	return cmd
}

func (a *app) printVerification(v *care.Verification) error {
	lines := make([]string, len(v.Damage))
	for i, d := range v.Damage {
		lines[i] = d.String()
	}
	if a.json {
		a.printJSON(struct {
			Markets    int64    `json:"markets"`
			Blocks     int64    `json:"blocks"`
			Captures   int64    `json:"captures"`
			Bytes      int64    `json:"bytes"`
			Damage     []string `json:"damage"`
			Unfinished int      `json:"unfinished_imports"`
		}{v.Markets, v.Blocks, v.Captures, v.Bytes, lines, len(v.Unfinished)})
	} else {
		fmt.Fprintf(a.out, "%s markets, %s blocks (%s), %s captures read\n", grouped(v.Markets), grouped(v.Blocks), bytesText(v.Bytes), grouped(v.Captures))
		for _, s := range v.Unfinished {
			fmt.Fprintf(a.out, "not finished: the import of %s; run it again to complete it\n", s.Name)
		}
		for _, l := range lines {
			fmt.Fprintln(a.out, "damaged:", l)
		}
		if len(lines) == 0 {
			fmt.Fprintln(a.out, "no damage found")
		}
		if slices.ContainsFunc(v.Damage, func(d care.Damage) bool { return d.Source.ID == 0 }) {
			a.say(`What is not said to be mended by an import is of the file itself: 'ladderback archive copy'
saves what can be read into a new archive; import the sources that it lacks into that,
all of them where nothing could be copied.`)
		}
	}
	if len(lines) > 0 {
		return errSilent
	}
	return nil
}

// sourceRecord is a source as JSON.
type sourceRecord struct {
	ID         string           `json:"id"`
	Name       string           `json:"name"`
	SHA256     string           `json:"sha256"`
	Size       int64            `json:"size"`
	Format     string           `json:"format"`
	Licence    string           `json:"licence,omitempty"`
	ImportedAt market.Instant   `json:"imported_at"`
	Complete   bool             `json:"complete"`
	Problem    string           `json:"problem,omitempty"`
	Messages   int64            `json:"messages"`
	Markets    int64            `json:"markets"`
	Captures   int64            `json:"captures"`
	Blocks     int64            `json:"blocks"`
	Bytes      int64            `json:"bytes"`
	Rejected   map[string]int64 `json:"rejected"`
}

// shortID is the part of a source's SHA-256 that names it in tables and flags.
func shortID(s store.Source) string { return fmt.Sprintf("%x", s.SHA256[:6]) }

func (a *app) archiveSources() *cobra.Command {
	var archives *[]string
	var show showFlags
	cmd := &cobra.Command{
		Use:     "sources",
		Short:   "Which file gave what, when, under what licence; times are UTC",
		Example: "  ladderback archive sources --archive real.db",
		Args: func(cmd *cobra.Command, args []string) error {
			if err := a.check(cmd, &show); err != nil {
				return err
			}
			return noArgs(cmd, args)
		},
	}
	archives = a.archiveFlag(cmd.Flags())
	show.add(cmd)
	cmd.RunE = a.onArchive(archives, func(ctx context.Context, ar *archive.Archive) error {
		sources, err := ar.Sources(ctx)
		if err != nil {
			return err
		}
		if a.json {
			records := make([]sourceRecord, len(sources))
			for i, s := range sources {
				n := s.Counts
				records[i] = sourceRecord{shortID(s), s.Name, fmt.Sprintf("%x", s.SHA256), s.Size, s.Format, s.Licence, s.ImportedAt,
					s.Complete, s.Problem, n.Messages, n.Markets, n.Captures, n.Blocks, n.Bytes, n.Rejected}
			}
			a.printJSON(records)
			return nil
		}
		a.printSources(sources)
		return nil
	})
	return cmd
}

// printSources writes two lines a source: names of files take what width they
// need.
func (a *app) printSources(sources []store.Source) {
	for _, s := range sources {
		what := []string{s.Format, bytesText(s.Size), "imported " + toMinute(s.ImportedAt) + " UTC",
			plural(int(s.Counts.Markets), "market"), plural(int(s.Counts.Captures), "capture")}
		if s.Licence != "" {
			what = append(what, s.Licence)
		}
		switch {
		case s.Problem != "":
			what = append(what, s.Problem)
		case !s.Complete:
			what = append(what, "not complete: import it again")
		}
		fmt.Fprintf(a.out, "%s  %s\n              %s\n", shortID(s), s.Name, strings.Join(what, ", "))
	}
}

func (a *app) archiveCopy() *cobra.Command {
	var show showFlags
	cmd := &cobra.Command{
		Use:   "copy FROM TO",
		Short: "Copy an archive to another address, block by block, verified",
		Long: `Copies everything FROM one archive TO another, which is created or migrated.
Every block is checked on the way and every market's content compared at the
end. A copy that was interrupted goes on when it is run again.`,
		Example: "  ladderback archive copy real.db backup.db",
		Args: func(cmd *cobra.Command, args []string) error {
			if err := a.check(cmd, &show); err != nil {
				return err
			}
			if len(args) != 2 {
				return usagef("two addresses are needed: FROM and TO")
			}
			if err := errors.Join(checkAddress("FROM", args[0]), checkAddress("TO", args[1])); err != nil {
				return err
			}
			return a.notDemo(args[1])
		},
		RunE: a.begin(func(cmd *cobra.Command, args []string) (err error) {
			ctx := cmd.Context()
			from, err := a.openOne(ctx, args[0])
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, from.Close()) }()
			to, err := a.create(ctx, args[1])
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, to.Close()) }()
			bar := a.startProgress("Copying", count("sources"))
			result, err := care.Copy(ctx, from.Store(), to.Store(), func(p care.CopyProgress) { bar.set(int64(p.Sources), int64(p.AllSources)) })
			bar.stop()
			if err != nil {
				return err
			}
			if a.json {
				a.printJSON(copyRecordOf(result))
			} else {
				a.printCopy(result)
			}
			if len(result.Damage)+len(result.Differing) > 0 {
				return errSilent
			}
			return nil
		}),
	}
	show.add(cmd)
	return cmd
}

// printCopy says what a copy did.
func (a *app) printCopy(result *care.CopyResult) {
	fmt.Fprintf(a.out, "%s copied, %d were there before; %s, %s; %s compared\n",
		plural(result.Sources, "source"), result.Already, plural(int(result.Blocks), "block"), bytesText(result.Bytes), plural(int(result.Markets), "market"))
	for _, d := range result.Damage {
		fmt.Fprintln(a.out, "not copied:", d)
	}
	for _, id := range result.Differing {
		fmt.Fprintln(a.out, "differs:", id)
	}
}

// copyRecord is what a copy did, as JSON.
type copyRecord struct {
	Sources   int      `json:"sources"`
	Already   int      `json:"sources_there_before"`
	Blocks    int64    `json:"blocks"`
	Bytes     int64    `json:"bytes"`
	Markets   int64    `json:"markets_compared"`
	NotCopied []string `json:"not_copied"`
	Differing []string `json:"differing_markets"`
}

func copyRecordOf(r *care.CopyResult) copyRecord {
	out := copyRecord{r.Sources, r.Already, r.Blocks, r.Bytes, r.Markets, []string{}, append([]string{}, r.Differing...)}
	for _, d := range r.Damage {
		out.NotCopied = append(out.NotCopied, d.String())
	}
	return out
}

func (a *app) archiveRemove() *cobra.Command {
	var show showFlags
	var archives *[]string
	var markets, sources []string
	var before string
	cmd := &cobra.Command{
		Use:   "remove",
		Short: "Take out markets, sources, or what ended before a time",
		Long: `Takes out markets (by slug or id), sources (by the id that 'archive sources'
shows, or the file's name), or every market that ended before a time. A capture
that another source gave too stays. The file shrinks.`,
		Example: `  ladderback archive remove --market btc-updown-5m-1776081600 --archive real.db
  ladderback archive remove --before 2026-04-14 --archive real.db`,
		Args: func(cmd *cobra.Command, args []string) error {
			if err := a.check(cmd, &show); err != nil {
				return err
			}
			if len(markets) == 0 && len(sources) == 0 && before == "" {
				return usagef("say what to take out: --market, --source or --before")
			}
			if _, err := a.toWrite(*archives, "archive remove"); err != nil {
				return err
			}
			if before != "" {
				if _, err := market.ParseTime(before); err != nil {
					return usagef("--before: %s", err)
				}
			}
			return noArgs(cmd, args)
		},
	}
	archives = a.archiveToWrite(cmd.Flags())
	show.add(cmd)
	cmd.Flags().StringSliceVar(&markets, "market", nil, "slug or id of a market; may be repeated")
	cmd.Flags().StringSliceVar(&sources, "source", nil, "id or file name of a source; may be repeated")
	cmd.Flags().StringVar(&before, "before", "", "markets that ended at or before this time")
	cmd.RunE = a.onArchive(archives, func(ctx context.Context, ar *archive.Archive) error {
		return a.remove(ctx, ar, markets, sources, before)
	})
	return cmd
}

// removed says what a removal took out.
type removed struct {
	Markets int      `json:"markets"`
	Sources []string `json:"sources"`
}

func (a *app) remove(ctx context.Context, ar *archive.Archive, markets, sources []string, before string) error {
	out := removed{Sources: []string{}}
	if len(markets) > 0 {
		ids := make([]store.ID, 0, len(markets))
		for _, name := range markets {
			m, err := ar.Market(ctx, name, "")
			if err != nil {
				return err
			}
			ids = append(ids, m.ID)
		}
		if err := care.RemoveMarkets(ctx, ar.Store(), ids); err != nil {
			return err
		}
		out.Markets += len(ids)
	}
	all, err := ar.Sources(ctx)
	if err != nil {
		return err
	}
	for _, name := range sources {
		src, err := findSource(all, name)
		if err != nil {
			return err
		}
		if err := care.RemoveSource(ctx, ar.Store(), src.ID); err != nil {
			return err
		}
		out.Sources = append(out.Sources, src.Name)
	}
	if before != "" {
		t, err := market.ParseTime(before)
		if err != nil {
			return err
		}
		n, err := care.RemoveBefore(ctx, ar.Store(), t)
		if err != nil {
			return err
		}
		out.Markets += n
	}
	if a.json {
		a.printJSON(out)
		return nil
	}
	fmt.Fprintf(a.out, "removed: %s, %s\n", plural(out.Markets, "market"), plural(len(out.Sources), "source"))
	return nil
}

// findSource finds a source by the beginning of its SHA-256 (at least six
// digits) or by its file's name.
func findSource(all []store.Source, name string) (store.Source, error) {
	var found []store.Source
	for _, s := range all {
		if s.Name == name || len(name) >= 6 && strings.HasPrefix(fmt.Sprintf("%x", s.SHA256), strings.ToLower(name)) {
			found = append(found, s)
		}
	}
	switch len(found) {
	case 0:
		return store.Source{}, fmt.Errorf("source %q: %w; 'archive sources' lists them", name, store.ErrNotFound)
	case 1:
		return found[0], nil
	}
	return store.Source{}, fmt.Errorf("source %q: %d sources have that name; use the id that 'archive sources' shows", name, len(found))
}
