package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

func (a *cli) archiveInfo() *cobra.Command {
	var archives *[]string
	var show showFlags
	var coverage bool
	cmd := &cobra.Command{
		Use:     "info",
		Short:   "Contents and size of an archive; --coverage lists each market; times are UTC",
		Example: "  ladderback archive info --archive real.db --coverage",
		Args: func(cmd *cobra.Command, args []string) error {
			if err := a.check(cmd, &show); err != nil {
				return err
			}
			return noArgs(cmd, args)
		},
	}
	archives = a.archiveFlag(cmd.Flags())
	show.add(cmd)
	cmd.Flags().BoolVar(&coverage, "coverage", false, "how well each market was captured")
	cmd.RunE = a.onArchive(archives, func(ctx context.Context, ar *archive.Archive) error {
		if coverage {
			return a.printCoverage(ctx, ar)
		}
		info, err := care.InfoOf(ctx, ar.Store())
		if err != nil {
			return err
		}
		if a.json {
			a.printJSON(infoRecordOf(info))
			return nil
		}
		a.printInfo(info)
		return nil
	})
	return cmd
}

func (a *cli) printInfo(in *care.Info) {
	fmt.Fprintf(a.out, "%s\n%s (metadata %s), %s\n", in.Address, bytesText(in.Bytes), bytesText(in.Metadata), plural(in.Sources, "source"))
	if in.First != 0 {
		fmt.Fprintf(a.out, "%s captures from %s to %s UTC\n", grouped(in.Captures), shortTime(in.First), shortTime(in.Last))
	}
	for _, c := range []market.Category{market.Crypto, market.Sports} {
		if t := in.Watermarks[c]; t != 0 {
			fmt.Fprintf(a.out, "watermark of %s: %s UTC\n", c, shortTime(t))
		}
	}
	fmt.Fprintln(a.out)
	t := newTable(a.out, "markets", "status", "number", "captured", "from (UTC)", "to (UTC)")
	numbersRight(t, 3, 4)
	for _, m := range in.Markets {
		kind := string(m.Category)
		if m.Coin != "" {
			kind = m.Coin + " " + m.Type
		}
		t.AppendRow([]any{kind, m.Status, grouped(int64(m.Markets)), grouped(int64(m.Captured)), toMinute(m.Start), toMinute(m.End)})
	}
	t.Render()
	fmt.Fprintln(a.out)
	t = newTable(a.out, "stream", "blocks", "captures", "level changes", "bytes", "bytes each")
	numbersRight(t, 2, 3, 4, 5, 6)
	for _, s := range in.Streams {
		each := "capture"
		if s.Changes > 0 {
			each = "change"
		}
		t.AppendRow([]any{s.Stream, grouped(s.Blocks), grouped(s.Captures), grouped(s.Changes), grouped(s.Bytes), fmt.Sprintf("%.2f a %s", s.PerChange(), each)})
	}
	t.Render()
	a.printPacks(in.Packs)
	a.printSpans("Longest silences within a round", in.Silences)
	a.printSpans("Longest gaps that sources declare", in.Gaps)
	a.printRemarks(in)
}

// printPacks says where blocks are that are not in the archive itself.
func (a *cli) printPacks(packs []care.PackTotal) {
	for _, p := range packs {
		fmt.Fprintf(a.out, "\n%s (%s) of these in %s, %s, in %s\n", plural(int(p.Blocks), "block"), bytesText(p.UsedBytes), plural(p.Packs, "pack"), bytesText(p.Bytes), p.Address)
	}
}

func (a *cli) printSpans(title string, spans []care.MarketSpan) {
	if len(spans) == 0 {
		return
	}
	fmt.Fprintf(a.out, "\n%s\n", title)
	for _, s := range spans[:min(3, len(spans))] {
		fmt.Fprintf(a.out, "  %8s  %s\n", seconds(s.Length), s.Slug)
	}
}

// printRemarks adds what a reader would want to know and the table does not show.
func (a *cli) printRemarks(in *care.Info) {
	var lines []string
	add := func(n int64, format string) {
		if n > 0 {
			text := fmt.Sprintf(format, grouped(n))
			if n == 1 {
				text = oneOnly.Replace(text)
			}
			lines = append(lines, text)
		}
	}
	add(in.Repeated, "%s captures came from several sources: results count each once")
	add(int64(in.Inferred), "%s markets have a payout that a source inferred, not the exchange's own\n  (backtest --winners inferred counts them)")
	add(int64(in.Disputed), "%s markets have sources that disagree on the winner: not resolved ('markets show' says which)")
	for _, id := range in.DisputedMarkets {
		lines = append(lines, "  "+id)
	}
	add(int64(in.Unlisted), "%s markets have no category and appear in no list: import their metadata")
	add(in.Unplaced, "%s captures are of tokens that no metadata describes: import it")
	add(int64(in.Reduced), "%s sources are partly removed ('archive sources' lists them)")
	add(int64(in.Unfinished), "%s imports are unfinished: run them again ('archive sources' lists them)")
	if len(lines) > 0 {
		fmt.Fprintf(a.out, "\n%s\n", strings.Join(lines, "\n"))
	}
}

// oneOnly turns what is said of several into what is said of one.
var oneOnly = strings.NewReplacer("markets have", "market has", "markets are", "market is", "appear in", "appears in", "captures came", "capture came",
	"captures are", "capture is", "sources are", "source is", "imports are", "import is", "import their", "import its", "results count each", "results count it")

// toMinute writes an instant without seconds; empty when it is not known.
func toMinute(t market.Instant) string {
	if t == 0 {
		return ""
	}
	return t.Time().Format("2006-01-02 15:04")
}

// seconds writes a span as people read it.
func seconds(s market.Span) string {
	switch {
	case s >= market.Hour:
		return fmt.Sprintf("%.1f h", float64(s)/float64(market.Hour))
	case s >= 2*market.Minute:
		return fmt.Sprintf("%.1f min", float64(s)/float64(market.Minute))
	}
	return fmt.Sprintf("%.1f s", float64(s)/float64(market.Second))
}

// infoRecord is the JSON form of Info.
type infoRecord struct {
	Address    string                             `json:"address"`
	Bytes      int64                              `json:"bytes"`
	Metadata   int64                              `json:"metadata_bytes"`
	Sources    int                                `json:"sources"`
	Captures   int64                              `json:"captures"`
	Repeated   int64                              `json:"repeated_captures"`
	First      *market.Instant                    `json:"first_capture"`
	Last       *market.Instant                    `json:"last_capture"`
	Watermarks map[market.Category]market.Instant `json:"watermarks"`
	Markets    []marketCount                      `json:"markets"`
	Streams    []streamTotal                      `json:"streams"`
	Packs      []packTotal                        `json:"packs"`
	Silences   []marketSpan                       `json:"longest_silences"`
	Gaps       []marketSpan                       `json:"longest_gaps"`
	Inferred   int                                `json:"inferred"`
	Disputed   []string                           `json:"disputed"`
	Unlisted   int                                `json:"unlisted"`
	Unplaced   int64                              `json:"unplaced_captures"`
	Unfinished int                                `json:"unfinished_imports"`
	Reduced    int                                `json:"partly_removed_sources"`
}

type marketCount struct {
	Category market.Category `json:"category"`
	Coin     string          `json:"coin"`
	Type     string          `json:"market_type"`
	Status   string          `json:"status"`
	Markets  int             `json:"markets"`
	Captured int             `json:"captured"`
	Start    *market.Instant `json:"start"`
	End      *market.Instant `json:"end"`
}

type streamTotal struct {
	Stream   string `json:"stream"`
	Blocks   int64  `json:"blocks"`
	Captures int64  `json:"captures"`
	Changes  int64  `json:"level_changes"`
	Bytes    int64  `json:"bytes"`
}

type packTotal struct {
	Address   string `json:"address"`
	Packs     int    `json:"packs"`
	Bytes     int64  `json:"bytes"`
	Blocks    int64  `json:"blocks"`
	UsedBytes int64  `json:"block_bytes"`
}

type marketSpan struct {
	ID      string  `json:"market_id"`
	Slug    string  `json:"market_slug"`
	Seconds float64 `json:"seconds"`
}

func infoRecordOf(in *care.Info) infoRecord {
	out := infoRecord{
		Address: in.Address, Bytes: in.Bytes, Metadata: in.Metadata, Sources: in.Sources, Captures: in.Captures, Repeated: in.Repeated, First: known(in.First), Last: known(in.Last),
		Watermarks: in.Watermarks, Markets: []marketCount{}, Streams: []streamTotal{}, Packs: []packTotal{}, Silences: spansOf(in.Silences), Gaps: spansOf(in.Gaps),
		Inferred: in.Inferred, Disputed: append([]string{}, in.DisputedMarkets...), Unlisted: in.Unlisted, Unplaced: in.Unplaced, Unfinished: in.Unfinished, Reduced: in.Reduced,
	}
	maps.DeleteFunc(out.Watermarks, func(_ market.Category, t market.Instant) bool { return t == 0 })
	for _, m := range in.Markets {
		out.Markets = append(out.Markets, marketCount{m.Category, m.Coin, m.Type, m.Status.String(), m.Markets, m.Captured, known(m.Start), known(m.End)})
	}
	for _, s := range in.Streams {
		out.Streams = append(out.Streams, streamTotal{s.Stream.String(), s.Blocks, s.Captures, s.Changes, s.Bytes})
	}
	for _, p := range in.Packs {
		out.Packs = append(out.Packs, packTotal(p))
	}
	return out
}

func spansOf(spans []care.MarketSpan) []marketSpan {
	out := make([]marketSpan, len(spans))
	for i, s := range spans {
		out[i] = marketSpan{s.ID, s.Slug, float64(s.Length) / float64(market.Second)}
	}
	return out
}

// known returns nil for an instant that is not known.
func known(t market.Instant) *market.Instant {
	if t == 0 {
		return nil
	}
	return &t
}

// coverageRecord is how well one market was captured.
type coverageRecord struct {
	ID       string          `json:"market_id"`
	Slug     string          `json:"market_slug"`
	Coin     string          `json:"coin"`
	Type     string          `json:"market_type"`
	Status   string          `json:"status"`
	Start    *market.Instant `json:"start"`
	Captures int64           `json:"captures"`
	Coverage float64         `json:"coverage"`
	Gap      float64         `json:"gap_seconds"`
	Silence  float64         `json:"longest_silence_seconds"`
	OneSided *float64        `json:"one_sided"`
	Crossed  *float64        `json:"crossed"`
	Resets   int             `json:"reconnections"`
	Trades   int64           `json:"trades"`
	Sized    int64           `json:"trades_with_size"`
}

func (a *cli) printCoverage(ctx context.Context, ar *archive.Archive) error {
	records := []coverageRecord{}
	bar := a.startProgress("Reading", count("markets"))
	err := care.CoverageOf(ctx, ar.Store(), store.MarketQuery{UpDown: true, Page: store.Page{Sort: store.ByEnd, Ascending: true}}, func(c *care.Coverage) error {
		share := func(v int64) *float64 {
			if v < 0 {
				return nil
			}
			f := float64(v) / 1e6
			return &f
		}
		records = append(records, coverageRecord{
			ID: c.Market.VenueID, Slug: c.Market.Slug, Coin: c.Market.Coin, Type: c.Market.Type, Status: c.Status.String(), Start: known(c.Market.Start), Captures: c.Stats.Captures,
			Coverage: float64(c.Stats.Coverage) / 1e6, Gap: float64(c.Gap) / float64(market.Second),
			Silence: float64(c.Stats.Silence) / float64(market.Second), OneSided: share(c.OneSided), Crossed: share(c.Crossed), Resets: c.Resets,
			Trades: c.Trades, Sized: c.Sized,
		})
		bar.set(int64(len(records)), 0)
		return nil
	})
	bar.stop()
	if err != nil {
		return err
	}
	if a.json {
		a.printJSON(records)
		return nil
	}
	a.coverageTable(records)
	return nil
}

// brief writes seconds in at most seven columns.
func brief(seconds float64) string {
	switch {
	case seconds == 0:
		return ""
	case seconds < 1000:
		return fmt.Sprintf("%.1f s", seconds)
	}
	return fmt.Sprintf("%.0f s", seconds)
}

// traded says how many trades were captured, and how many of them have no size.
func traded(r coverageRecord) string {
	if r.Sized == r.Trades {
		return grouped(r.Trades)
	}
	return grouped(r.Trades) + ", " + grouped(r.Trades-r.Sized) + " unsized"
}

// coverageTable writes one line per market. The columns crossed and gaps appear
// where there is anything in them.
func (a *cli) coverageTable(records []coverageRecord) {
	percent := func(f *float64) string {
		if f == nil {
			return ""
		}
		return fmt.Sprintf("%.1f%%", *f*100)
	}
	gaps := slices.ContainsFunc(records, func(r coverageRecord) bool { return r.Gap > 0 })
	columns := []string{"start (UTC)", "market", "captures", "trades", "cover", "silence", "1-sided"}
	crossed := slices.ContainsFunc(records, func(r coverageRecord) bool { return r.Crossed != nil && *r.Crossed > 0 })
	if crossed {
		columns = append(columns, "crossed")
	}
	if gaps {
		columns = append(columns, "gaps")
	}
	t := newTable(a.out, columns...)
	numbersRight(t, 3, 4, 5, 6, 7, 8, 9)
	for _, r := range records {
		start := ""
		if r.Start != nil {
			start = toMinute(*r.Start)
		}
		name := r.Slug
		if r.Coin != "" { // its start is in the first column
			name = r.Coin + " " + r.Type
		}
		row := table.Row{start, name, grouped(r.Captures), traded(r), percent(&r.Coverage), brief(r.Silence), percent(r.OneSided)}
		if crossed {
			row = append(row, percent(r.Crossed))
		}
		if gaps && r.Gap > 0 {
			row = append(row, fmt.Sprintf("%.0f s", r.Gap))
		}
		t.AppendRow(row)
	}
	t.Render()
	if len(records) == 0 {
		fmt.Fprintln(a.out, "no up/down rounds: coverage needs a round's start and end")
		return
	}
	fmt.Fprint(a.out, `
Trades: messages of trades in the round; those without a size fill no order that
rests. Cover: share of the round with a value at most 30 s old. Silence: the
longest time without a capture. 1-sided: share of the time with one side of the
book empty; crossed: with a bid not below the ask. Gaps: time that sources
declare missing.
`)
}
