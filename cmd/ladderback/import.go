package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ladderback/ladderback/app"
	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/ingest"
	"github.com/ladderback/ladderback/internal/outfile"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/report/listing"
	"github.com/ladderback/ladderback/report/progress"
)

func (a *cli) importCommand() *cobra.Command {
	var (
		o               ingest.Options
		archives        *[]string
		rejects, format string
		zone            string
		asJSON          bool
	)
	cmd := &cobra.Command{
		Use:   "import PATH…",
		Short: "Bring captures and market metadata into an archive",
		Long: `Reads captures and market metadata into an archive, creating it if there is
none. Paths are files, folders (read recursively) or - for standard input;
.gz and .zst are unpacked. Formats are recognised by content. Importing the same
files again changes nothing; an import that was interrupted is completed by
running it again.

Formats:

  ` + strings.Join(ingest.DescribeFormats(), "\n  "),
		Example: `  ladderback import captures/ --markets markets.jsonl --archive real.db
  zcat log.gz | ladderback import - --archive real.db --rejects rejected.jsonl`,
		Args: func(cmd *cobra.Command, args []string) error {
			a.json = asJSON
			if len(args) == 0 && len(o.Markets) == 0 {
				return usagef("expected a PATH: files or folders of captures, or - for standard input")
			}
			if format != "" {
				if err := oneOf("format", format, ingest.Formats()...); err != nil {
					return err
				}
			}
			if zone != "" {
				at, err := time.LoadLocation(zone)
				if err != nil {
					return usagef("--timezone %q: not known; expected a name such as UTC or Europe/Berlin", zone)
				}
				o.Zone = at
			}
			if o.Coin != "" {
				coin, ok := market.CoinByName(o.Coin)
				if !ok {
					return usagef("--coin %q: not known; expected a ticker such as BTC", o.Coin)
				}
				o.Coin = coin
			}
			if err := checkWorkers(cmd.Flags(), o.Workers); err != nil {
				return err
			}
			_, err := a.ToWrite(*archives, "import")
			return err
		},
		RunE: a.begin(func(cmd *cobra.Command, args []string) error {
			o.Paths, o.Format, o.Stdin = args, format, a.in
			return a.runImport(cmd, *archives, o, rejects)
		}),
	}
	flags := cmd.Flags()
	archives = a.archiveToWrite(flags)
	flags.StringSliceVar(&o.Markets, "markets", nil, "file with market metadata; may be repeated")
	flags.StringVar(&format, "format", "", "require this format instead of detecting it: "+strings.Join(ingest.Formats(), ", "))
	flags.StringVar(&o.Licence, "licence", "", "licence of these captures, kept with the source")
	flags.StringVar(&o.Token, "token", "", "token id for files that hold only prices")
	flags.StringVar(&o.Coin, "coin", "", "coin for files of rounds that name none")
	flags.StringVar(&zone, "timezone", "", "time zone for times without one in such files (default UTC)")
	flags.StringVar(&rejects, "rejects", "", "write rejected lines to this file, with file, line and reason")
	flags.BoolVar(&o.SkipUnknown, "skip-unknown", false, "leave out files in folders that are of no known format")
	flags.IntVar(&o.Workers, "workers", 0, "files to read in parallel (default one per core)")
	flags.BoolVar(&asJSON, "json", false, "print the result as JSON")
	return cmd
}

// importGC is GOGC during an import, which leaves little behind: it keeps the memory
// that is held near what is used.
const importGC = 60

// importMemory is what an import's memory is collected harder to stay under, in bytes: it
// is made for 256 MiB, of which the program itself takes some 40. It is no bound of what a
// file may ask for: those are the importers'.
const importMemory = 160 << 20

// sparingly makes collection keep an import's memory low; undo takes that back. A limit
// that the user has set ($GOMEMLIMIT) stays.
func sparingly() (undo func()) {
	percent, limit := debug.SetGCPercent(importGC), debug.SetMemoryLimit(-1)
	if limit == math.MaxInt64 {
		debug.SetMemoryLimit(importMemory)
	}
	return func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
}

func (a *cli) runImport(cmd *cobra.Command, archives []string, o ingest.Options, rejects string) (err error) {
	ctx := cmd.Context()
	target, err := a.ToWrite(archives, "import")
	if err != nil {
		return err
	}
	if err := somethingThere(append(o.Markets, o.Paths...)); err != nil {
		return err
	}
	_, missing := os.Stat(target)
	ar, err := a.Create(ctx, target)
	if err != nil {
		return err
	}
	defer func() {
		empty := err != nil && !app.IsPostgres(target) && errors.Is(missing, fs.ErrNotExist) && isEmpty(ctx, ar)
		if e := ar.Close(); err == nil {
			err = e
		}
		if empty && os.Remove(target) == nil {
			a.say("removed %s again: there is nothing in it", target)
		}
	}()
	if rejects != "" {
		f, e := outfile.Create(rejects)
		if e != nil {
			return fmt.Errorf("--rejects %s: %w", rejects, e)
		}
		defer func() { err = errors.Join(err, f.Commit()) }() // what was rejected is told however the import ends
		o.Rejects = f
	}
	bar := a.startProgress("Importing", progress.Bytes())
	o.Progress = func(p ingest.Progress) { bar.Set(p.Done, p.Total) }
	defer sparingly()()
	result, err := ingest.Run(ctx, ar, o)
	bar.Stop()
	if a.json {
		a.printJSON(listing.ImportedDocument(result, err))
	} else if err != nil || !nothingRead(result) {
		listing.Imported(a.out, result)
	}
	return a.importEnded(result, err)
}

// nothingRead reports whether no file of an import could be read.
func nothingRead(r *ingest.Result) bool {
	return r.Messages == 0 && len(r.Failed()) > 0 && len(r.Failed()) == len(r.Files)
}

// isEmpty reports whether an archive holds nothing at all.
func isEmpty(ctx context.Context, ar *archive.Archive) bool {
	sources, err := ar.Sources(context.WithoutCancel(ctx))
	return err == nil && len(sources) == 0
}

// importEnded reports how an import ended, beside its result.
func (a *cli) importEnded(result *ingest.Result, err error) error {
	if err != nil && a.json && !result.Interrupted { // the document has said it
		if text := advice(err); text != "" {
			a.say("%s", text)
		}
		return errSilent
	}
	if err != nil {
		if result.Interrupted {
			a.say("Everything complete is kept. Run the same import again to finish it.")
		}
		return err
	}
	a.sayUndescribed(result.Undescribed)
	for _, f := range result.Failed() {
		fmt.Fprintf(a.err, "ladderback: %s: %s\n", f.Path, problem(f))
	}
	if len(result.Failed()) > 0 {
		return errSilent
	}
	return nil
}

// somethingThere refuses paths if none of them exists, before an archive is
// created for nothing.
func somethingThere(paths []string) error {
	var first error
	for _, p := range paths {
		_, err := os.Stat(p)
		if p == "-" || err == nil {
			return nil
		}
		if first == nil {
			first = fmt.Errorf("%s: no such file or folder", p)
		}
	}
	return first
}

// problem says what is wrong with a file without naming it again.
func problem(f ingest.File) string {
	var path *fs.PathError
	if errors.As(f.Err, &path) && path.Path == f.Path {
		return path.Err.Error()
	}
	return strings.TrimPrefix(f.Err.Error(), f.Path+": ")
}

// sayUndescribed names the markets whose captures are kept but not shown, because
// no metadata says which token is which.
func (a *cli) sayUndescribed(slugs []string) {
	if len(slugs) == 0 {
		return
	}
	a.say("No metadata describes the tokens captured in %s (%s): the captures are kept, and appear once metadata is imported (--markets FILE). `ladderback record --backfill` asks Polymarket's Gamma for it, or: curl 'https://gamma-api.polymarket.com/markets?slug=%s' for one by its slug (slug may be repeated; ?condition_ids= for one by its id).",
		listing.Plural(len(slugs), "market"), listing.SomeOf(slugs), slugs[0])
}
