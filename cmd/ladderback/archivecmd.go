package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/ladderback/ladderback/app"
	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/simulate"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
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
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check every checksum and invariant; exit 1 on damage",
		Long: `Checks the archive's own structure, the checksum and content of every block, and
that each market agrees with its sources. Damage is listed with the source whose
import would repair it.`,
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

func (a *cli) printVerification(v *care.Verification) error {
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
		if v.Untopped > 0 {
			fmt.Fprintf(a.out, "slower than need be: %s rounds without tops; 'ladderback archive copy' makes them in another archive\n", grouped(v.Untopped))
		}
		for _, l := range lines {
			fmt.Fprintln(a.out, "damaged:", l)
		}
		if len(lines) == 0 {
			fmt.Fprintln(a.out, "no damage found")
		}
		if slices.ContainsFunc(v.Damage, func(d care.Damage) bool { return d.Source.ID == 0 }) {
			a.say(`Damage that no import is listed to repair is in the file itself: 'ladderback archive copy'
saves what is still readable to a new archive; import the missing sources into that,
or all of them if nothing could be copied.`)
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
	Removed    int64            `json:"markets_removed"`
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

func (a *cli) archiveSources() *cobra.Command {
	var archives *[]string
	var show showFlags
	cmd := &cobra.Command{
		Use:     "sources",
		Short:   "The imported files: contents, date and licence; times are UTC",
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
					s.Complete, s.Removed, s.Problem, n.Messages, n.Markets, n.Captures, n.Blocks, n.Bytes, n.Rejected}
			}
			a.printJSON(records)
			return nil
		}
		a.printSources(sources)
		return nil
	})
	return cmd
}

// printSources writes one line per source, with names relative to their common
// folder, and the totals.
func (a *cli) printSources(sources []store.Source) {
	if len(sources) == 0 {
		fmt.Fprintln(a.out, "no sources")
		return
	}
	folder := commonFolder(sources)
	if folder != "" {
		fmt.Fprintf(a.out, "Files in %s\n\n", folder)
	}
	t := newTable(a.out, "id", "imported (UTC)", "size", "markets", "captures", "file") // the file last: it may be long
	numbersRight(t, 3, 4, 5)
	var size, markets, captures int64
	for i := range sources {
		s := &sources[i]
		size, markets, captures = size+s.Size, markets+s.Counts.Markets, captures+s.Counts.Captures
		t.AppendRow(table.Row{shortID(*s), importedAt(s), bytesText(s.Size), grouped(s.Counts.Markets), grouped(s.Counts.Captures),
			strings.TrimPrefix(s.Name, folder) + remarks(s)})
	}
	t.AppendFooter(table.Row{plural(len(sources), "source"), "", bytesText(size), grouped(markets), grouped(captures)})
	t.Render()
}

// importedAt is when the import of a source began; a simulation, which is the same
// whenever it is made, has no such time.
func importedAt(s *store.Source) string {
	if s.Format == simulate.Format {
		return "–"
	}
	return toMinute(s.ImportedAt)
}

// remarks lists the format of a source and what is unusual about it, in brackets.
func remarks(s *store.Source) string {
	out := []string{s.Format}
	if s.Licence != "" {
		out = append(out, s.Licence)
	}
	switch {
	case s.Problem != "":
		out = append(out, s.Problem)
	case s.Interrupted():
		out = append(out, "not finished: import it again")
	case !s.Complete:
		out = append(out, plural(int(s.Removed), "market")+" removed")
	}
	return " (" + strings.Join(out, ", ") + ")"
}

// commonFolder returns the folder, with its separator, that contains all files;
// empty if there is none, or only one file.
func commonFolder(sources []store.Source) string {
	if len(sources) < 2 {
		return ""
	}
	folder := sources[0].Name
	for i := range sources {
		for !strings.HasPrefix(sources[i].Name, folder) {
			folder = folder[:max(0, strings.LastIndexByte(strings.TrimSuffix(folder, "/"), '/')+1)]
		}
	}
	return folder[:strings.LastIndexByte(folder, '/')+1]
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
		Args: func(cmd *cobra.Command, args []string) error {
			if err := a.check(cmd, &show); err != nil {
				return err
			}
			args = a.fromAndTo(args)
			if len(args) != 2 {
				return usagef("expected two addresses: FROM and TO (or $%s)", app.ArchiveEnv)
			}
			if err := errors.Join(app.CheckAddress("FROM", args[0]), app.CheckAddress("TO", args[1])); err != nil {
				return err
			}
			return a.NotDemo(args[1])
		},
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

// fromAndTo adds the archive of the environment to one address alone.
func (a *cli) fromAndTo(args []string) []string {
	if to := a.getenv(app.ArchiveEnv); len(args) == 1 && to != "" {
		return []string{args[0], to}
	}
	return args
}

// printCopy reports what a copy did.
func (a *cli) printCopy(result *care.CopyResult) {
	fmt.Fprintf(a.out, "%s copied, %d already there; %s, %s; %s compared\n",
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

// findSource finds a source by the beginning of its SHA-256 (at least six
// digits), by its file's name as imported, or by the last part of that.
func findSource(all []store.Source, name string) (store.Source, error) {
	var found, called []store.Source
	for _, s := range all {
		if s.Name == name || len(name) >= 6 && strings.HasPrefix(fmt.Sprintf("%x", s.SHA256), strings.ToLower(name)) {
			found = append(found, s)
		}
		if filepath.Base(s.Name) == name {
			called = append(called, s)
		}
	}
	if len(found) == 0 {
		found = called
	}
	switch len(found) {
	case 0:
		return store.Source{}, fmt.Errorf("source %q: %w; 'archive sources' lists them", name, store.ErrNotFound)
	case 1:
		return found[0], nil
	}
	return store.Source{}, fmt.Errorf("source %q: %d sources have that name; use the id shown by 'archive sources'", name, len(found))
}
