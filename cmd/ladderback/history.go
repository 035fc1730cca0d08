package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	apihistory "github.com/ladderback/ladderback/api/history"
	"github.com/ladderback/ladderback/app"
	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/archive/table"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/report/listing"
)

// What history prints, and in which formats.
var (
	historyKinds   = []string{"prices", "books", "quotes", "metrics", "trades"}
	historyFormats = []string{"table", "json", "csv", "ndjson", "parquet"}
)

// historyFlags are the flags of history, as given.
type historyFlags struct {
	archives                                   *[]string
	start, end, resolution, token, format, out string
	json                                       bool
}

func (a *cli) history() *cobra.Command {
	var f historyFlags
	cmd := &cobra.Command{
		Use:   "history KIND MARKET",
		Short: "Prices, order books, quotes, metrics or trades of a market",
		Long: `Prints what the data routes return, every page of it, about a market (its slug or
id): KIND is prices, books, quotes (best bid and ask) or metrics, in uniform
buckets; or trades, each as it was made. Markets whose source gives best prices
without sizes have no books, but quotes. --token picks one of the market's tokens
by label or id. csv, ndjson and parquet have the rows of the API's bulk answers
(of trades, for which it has no route, one for each). Times are UTC.`,
		Example: `  ladderback history prices btc-updown-15m-1775005200 --resolution 1m
  ladderback history books btc-updown-15m-1775005200 --token Up --from '2026-04-01 01:00' --to '2026-04-01 01:01' --resolution 1s --format csv
  ladderback history trades btc-updown-15m-1775005200 --format parquet > trades.parquet`,
		Args: func(cmd *cobra.Command, args []string) error {
			if err := a.wantsJSON(cmd, f.json, &f.format); err != nil {
				return err
			}
			if err := oneOf("format", f.format, historyFormats...); err != nil {
				return err
			}
			if err := a.formatOfOut(cmd, f.out, historyFiles, &f.format); err != nil {
				return err
			}
			if f.format == "parquet" && f.out == "" && a.screen {
				return usagef("--format parquet writes no text: redirect it to a file, or name one with --out")
			}
			if len(args) != 2 {
				return usagef("expected two arguments: prices, books, quotes, metrics or trades, and the market's slug or id")
			}
			if err := oneOfWords("the first argument", args[0], historyKinds...); err != nil {
				return err
			}
			if args[0] == "metrics" && f.token != "" {
				return usagef("--token: metrics cover the whole market")
			}
			if args[0] == "trades" && cmd.Flags().Changed("resolution") {
				return usagef("--resolution: trades are not in buckets")
			}
			return nil
		},
		RunE: a.begin(func(cmd *cobra.Command, args []string) error {
			return a.runHistory(cmd.Context(), &f, args[0], args[1])
		}),
	}
	flags := cmd.Flags()
	f.archives = a.archiveFlag(flags)
	windowFlags(flags, &f.start, &f.end, "first instant, inclusive (default the start of the bucket in which the market starts)", "end, exclusive (default the market's end)")
	flags.StringVar(&f.out, "out", "", "write to this file; its extension (.json, .csv, .ndjson, .parquet) sets the format")
	flags.StringVar(&f.resolution, "resolution", "1m", "size of a bucket: "+app.ResolutionNames)
	flags.StringVar(&f.token, "token", "", "one token, by label or id")
	flags.StringVar(&f.format, "format", "table", "table, json, csv, ndjson or parquet")
	flags.BoolVar(&f.json, "json", false, "shorthand for --format json")
	return cmd
}

// oneOfWords is oneOf for an argument.
func oneOfWords(what, value string, allowed ...string) error {
	if err := oneOf("", value, allowed...); err != nil {
		return usagef("%s is %q: expected one of %s", what, value, strings.Join(allowed, ", "))
	}
	return nil
}

func (a *cli) runHistory(ctx context.Context, f *historyFlags, kind, id string) (err error) {
	ar, err := a.Read(ctx, *f.archives)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ar.Close()) }()
	q, res, err := f.query(kind)
	if err != nil {
		return err
	}
	return a.write("--out", f.out, func(w io.Writer) error {
		out := &counted{Writer: w}
		for try := 0; ; try++ {
			err := f.answer(ctx, ar, id, q, res, out)
			if !errors.Is(err, store.ErrChanged) || out.n > 0 || try == maxTries {
				return err
			}
		}
	})
}

// maxTries is how often a history is restarted because a write changed its data.
const maxTries = 3

// counted counts what is written.
type counted struct {
	io.Writer
	n int
}

func (w *counted) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.n += n
	return n, err
}

// pageLimit is the limit stated in a JSON answer: the maximum of the routes' pages.
const pageLimit = 200

// answer looks the market up and writes its history.
func (f *historyFlags) answer(ctx context.Context, ar app.Reader, id string, q history.Query, res history.Resolution, out io.Writer) error {
	row, err := ar.Market(ctx, id, "")
	if errors.Is(err, store.ErrNotFound) {
		return market.Errorf(market.CodeNotFound, "market not found: %s", id)
	}
	if err != nil {
		return err
	}
	if err := f.complete(&q, row); err != nil {
		return err
	}
	form := table.Format(f.format)
	isRows := slices.Contains([]table.Format{table.CSV, table.NDJSON, table.Parquet}, form)
	if q.Points == apihistory.TradePoints {
		return f.trades(ctx, ar, &q, isRows, out)
	}
	if isRows {
		return apihistory.WriteRows(ctx, out, form, ar, &q)
	}
	if f.format == "json" {
		return apihistory.WritePage(ctx, out, ar, &q, res.Name, pageLimit)
	}
	var p history.Page
	if err := p.Read(ctx, ar, &q); err != nil {
		return err
	}
	return listing.History(out, &q, &p)
}

// query reads what the flags say without the market. Bounds that are not given
// stay zero.
func (f *historyFlags) query(kind string) (q history.Query, res history.Resolution, err error) {
	q.Points = history.Points(kind)
	res, ok := history.FindResolution(f.resolution)
	if !ok {
		return q, res, usagef("--resolution: Unsupported resolution '%s'. Allowed: %s", f.resolution, strings.Join(resolutionsOf(history.Resolutions()), ", "))
	}
	q.Window.Resolution = res.Span
	for _, bound := range []struct {
		flag, text string
		at         *market.Instant
	}{{"--from", f.start, &q.Window.Start}, {"--to", f.end, &q.Window.End}} {
		if bound.text == "" {
			continue
		}
		if *bound.at, err = market.ParseTime(bound.text); err != nil {
			return q, res, usagef("%s%s", bound.flag, strings.TrimPrefix(err.Error(), "time"))
		}
	}
	return q, res, nil
}

func resolutionsOf(all []history.Resolution) []string {
	names := make([]string, len(all))
	for i, r := range all {
		names[i] = r.Name
	}
	return names
}

// complete puts the market, its token and the bounds that were not given into q.
func (f *historyFlags) complete(q *history.Query, row *store.Listing) error {
	q.Row = row
	m, w := &row.Market, &q.Window
	// Without a start the window begins with the bucket that holds the market's
	// start, and without either bound it holds that bucket at least.
	end := m.End
	if f.start == "" {
		w.Start = max(0, m.Start-m.Start%w.Resolution)
		end = max(end, w.Start+w.Resolution)
	}
	if f.end == "" {
		w.End = end
	}
	if w.Start >= w.End {
		return usagef("--from %s: expected a time before --to %s", w.Start, w.End)
	}
	if f.token != "" {
		labels := make([]string, len(m.Tokens))
		for i, t := range m.Tokens {
			if t.VenueID == f.token || strings.EqualFold(t.Label, f.token) {
				q.OneToken, q.Token = true, i
				return nil
			}
			labels[i] = t.Label
		}
		return usagef("--token %s: the market's tokens are %s", f.token, strings.Join(labels, ", "))
	}
	if n := len(m.Tokens); q.PerToken() && n > pageLimit {
		return usagef("market %s has %d tokens, more than %d: pick one with --token", m.VenueID, n, pageLimit)
	}
	return nil
}

// trades writes the trades of the market in the window: without bounds, all.
func (f *historyFlags) trades(ctx context.Context, ar app.Reader, q *history.Query, isRows bool, out io.Writer) error {
	m := &q.Row.Market
	from, to := market.Earliest, market.Latest
	if f.start != "" {
		from = q.Window.Start
	}
	if f.end != "" {
		to = q.Window.End
	}
	first, last := q.Tokens()
	each := func(emit func(c *market.Capture) bool) error {
		return history.Trades(m, ar.Captures(ctx, m), func(c *market.Capture) bool {
			if c.Recv >= to {
				return false
			}
			return c.Recv < from || c.Token < first || c.Token >= last || emit(c)
		})
	}
	if isRows {
		return apihistory.WriteTrades(out, table.Format(f.format), q.Row, each)
	}
	labels := history.Labels(m)
	var trades []table.Trade
	err := each(func(c *market.Capture) bool {
		trades = append(trades, table.TradeOf(c, table.Token{ID: m.Tokens[c.Token].VenueID, Label: labels[c.Token]}))
		return true
	})
	if err != nil {
		return err
	}
	if f.format == "json" {
		return table.WriteTrades(out, m.VenueID, trades)
	}
	return listing.Trades(out, trades)
}
