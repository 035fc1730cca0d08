package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ladderback/ladderback/app"
	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/export"
	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/report/listing"
	"github.com/ladderback/ladderback/report/progress"
)

// exportFlags are the flags of archive export, as given.
type exportFlags struct {
	archives                   *[]string
	out, format, resolution    string
	markets                    []string
	category, coin, typ        string
	from, to                   string
	overwrite, json            bool
	tables                     []export.Table
	bounds                     [2]market.Instant
	workers                    int
	one, stdout, resolutionSet bool
	levels                     bool // in place of captures, which were not asked for by name
}

// tableNames lists the tables that archive export writes.
func tableNames() []string {
	var out []string
	for _, t := range export.Tables() {
		out = append(out, string(t))
	}
	return out
}

func (a *cli) archiveExport() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "export [TABLE…]",
		Short: "Write captures, quotes, trades, buckets and market tables to Parquet, CSV or JSON lines",
		Long: `Writes tables of the archive to files that pandas, polars, DuckDB and R read.

  captures  all that was captured; books are lists
  levels    the same, a row for each level
  quotes    every change of a best bid or ask
  trades    each trade once
  prices, books, metrics
            what 'history' prints, in buckets
  markets   markets, tokens, payouts, gaps, events
            and series: a file each

Without a table, captures and markets: 'ladderback import' of that folder gives
the same archive again; as CSV levels and markets, hundreds of times as large.
--out is a folder, with a folder for each table in it and in that one for each
coin, length and day of the start, coin=BTC/type=5m/date=…, so that readers skip
what they do not need; or, for one table, a file that ends in the format's name,
or - for standard output. Files appear when they are complete. Times are UTC.`,
		Example: `  ladderback archive export --out btc --coin BTC --type 5m --archive real.db
  ladderback archive export quotes --out quotes.parquet --from 2026-04-13 --archive real.db
  ladderback archive export prices --resolution 1s --format csv --out - --market btc-updown-5m-1776081600 --archive real.db`,
		ValidArgs: tableNames(),
		Args: func(cmd *cobra.Command, args []string) error {
			a.json, a.table = f.json, !f.json
			f.resolutionSet = cmd.Flags().Changed("resolution")
			return f.check(args, cmd.Flags().Changed("format"))
		},
	}
	flags := cmd.Flags()
	f.archives = a.archiveFlag(flags)
	flags.StringVar(&f.out, "out", "", "folder or file to write to; - is standard output")
	flags.StringVar(&f.format, "format", "parquet", "parquet, csv or jsonl")
	flags.StringVar(&f.resolution, "resolution", "1s", "size of a bucket of prices, books and metrics: "+app.ResolutionNames)
	flags.StringSliceVar(&f.markets, "market", nil, "slug or id of a market; may be repeated")
	flags.StringVar(&f.category, "category", "", "crypto or sports")
	flags.StringVar(&f.coin, "coin", "", "rounds of this coin")
	flags.StringVar(&f.typ, "type", "", "rounds of this length: 5m, 15m, 1h, …")
	windowFlags(flags, &f.from, &f.to, "markets that start at or after this time", "markets that start before this time")
	flags.BoolVar(&f.overwrite, "overwrite", false, "replace files that are there")
	flags.IntVar(&f.workers, "workers", 0, "files written at a time (default one per core)")
	flags.BoolVar(&f.json, "json", false, "report what was written as JSON")
	cmd.RunE = a.begin(func(cmd *cobra.Command, _ []string) (err error) {
		if f.stdout { // the report would mix with it
			a.table = false
		}
		addrs, err := a.Addresses(*f.archives)
		if err != nil {
			return err
		}
		c := market.Category(f.category)
		switch {
		case c == "" && len(addrs) > 1:
			return usagef("one archive at a time is exported: pick it with --category")
		case c == "":
			c = market.Crypto
		}
		ar, err := a.Open(cmd.Context(), *f.archives, c)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, ar.Close()) }()
		return a.export(cmd.Context(), ar, &f)
	})
	return cmd
}

// check reads the flags.
func (f *exportFlags) check(args []string, formatGiven bool) error {
	f.tables = nil
	for _, name := range args {
		if !slices.Contains(tableNames(), name) {
			return usagef("table %q: expected one of %s", name, strings.Join(tableNames(), ", "))
		}
		if t := export.Table(name); !slices.Contains(f.tables, t) {
			f.tables = append(f.tables, t)
		}
	}
	if f.out == "" {
		return usagef("archive export needs --out: a folder, a file, or - for standard output")
	}
	if err := errors.Join(f.checkOut(formatGiven), f.checkTimes()); err != nil {
		return err
	}
	return f.checkTables()
}

// checkTables checks the tables against the rest.
func (f *exportFlags) checkTables() error {
	if len(f.tables) == 0 {
		f.tables = []export.Table{export.Captures, export.Markets}
		if f.format == string(export.CSV) {
			f.tables[0], f.levels = export.Levels, true
		}
	}
	if (f.one || f.stdout) && (len(f.tables) > 1 || f.tables[0] == export.Markets) {
		return usagef("--out %s is one file: name one table other than markets, or a folder", f.out)
	}
	if f.format == string(export.CSV) && slices.Contains(f.tables, export.Captures) {
		return usagef("CSV has no lists: export levels in place of captures, or use --format parquet or jsonl")
	}
	if f.resolutionSet && !slices.ContainsFunc(f.tables, export.Table.Bucketed) {
		return usagef("--resolution: only prices, books and metrics are in buckets")
	}
	if f.category != "" && !market.Category(f.category).Valid() {
		return usagef("--category %q: expected crypto or sports", f.category)
	}
	return nil
}

// checkOut finds out whether one file is meant, and of what format.
func (f *exportFlags) checkOut(formatGiven bool) error {
	f.stdout = f.out == "-"
	info, err := os.Stat(f.out)
	f.one = err == nil && !info.IsDir() && !info.Mode().IsRegular() // a device, a FIFO
	if ext := strings.TrimPrefix(filepath.Ext(f.out), "."); slices.Contains([]string{"parquet", "csv", "jsonl"}, ext) {
		f.one = true
		if formatGiven && f.format != ext {
			return usagef("--out %s and --format %s: expected one format", f.out, f.format)
		}
		f.format = ext
	}
	return oneOf("format", f.format, "parquet", "csv", "jsonl")
}

func (f *exportFlags) checkTimes() error {
	if _, ok := history.FindResolution(f.resolution); !ok {
		return usagef("--resolution %q: expected one of %s", f.resolution, strings.Join(resolutionsOf(history.Resolutions()), ", "))
	}
	for i, text := range []string{f.from, f.to} {
		if text == "" {
			continue
		}
		at, err := market.ParseTime(text)
		if err != nil {
			return usagef("--%s%s", []string{"from", "to"}[i], strings.TrimPrefix(err.Error(), "time"))
		}
		f.bounds[i] = at
	}
	if f.from != "" && f.to != "" && f.bounds[0] >= f.bounds[1] {
		return usagef("--from %s: expected a time before --to %s", f.from, f.to)
	}
	return nil
}

func (a *cli) export(ctx context.Context, ar *archive.Archive, f *exportFlags) error {
	res, _ := history.FindResolution(f.resolution)
	o := export.Options{
		Tables: f.tables, Format: export.Format(f.format), Out: f.out, One: f.one || f.stdout, Overwrite: f.overwrite,
		Names: f.markets, Category: market.Category(f.category), Coin: strings.ToUpper(f.coin), Type: f.typ,
		From: f.bounds[0], To: f.bounds[1], Resolution: res.Span, Workers: f.workers,
	}
	if f.stdout {
		o.Stdout = a.out
	}
	if f.levels {
		a.say("CSV has no lists: captures are written as levels, a row for each level of a book, hundreds of times as large as Parquet.")
	}
	bar := a.startProgress("Exporting", progress.Count("market tables"))
	o.Progress = bar.Set
	result, err := export.Run(ctx, ar, o)
	bar.Stop()
	if errors.Is(err, export.ErrThere) {
		return fmt.Errorf("%w: choose another --out, or --overwrite", err)
	}
	if f.stdout || err != nil && len(result.Files) == 0 {
		return err
	}
	return errors.Join(err, a.answer(listing.ExportDocument(result), func() { listing.Exported(a.out, result) }))
}
