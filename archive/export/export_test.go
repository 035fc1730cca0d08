package export_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/export"
	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/archive/ingest"
	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/simulate"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/internal/realdata"
	"github.com/ladderback/ladderback/market"
)

const start = market.Instant(1776081600) * market.Second

// simulated returns an archive of a few simulated rounds.
func simulated(t *testing.T) *archivetest.Archive {
	t.Helper()
	a := archivetest.NewFile(t)
	sim, err := simulate.New(simulate.Config{Seed: 4, Open: true, Levels: 4, Rate: 0.2, Pairs: []simulate.Pair{
		{Coin: "BTC", Type: "5m", Rounds: 4}, {Coin: "ETH", Type: "15m", Rounds: 1},
	}})
	require.NoError(t, err)
	_, err = sim.Write(t.Context(), a.Archive, simulate.WriteOptions{})
	require.NoError(t, err)
	return a
}

// odd returns an archive with every kind of capture, and what is rare about
// markets.
func odd(t *testing.T) *archivetest.Archive {
	t.Helper()
	a := archivetest.NewFile(t)
	write := func(name string, m market.Market, captures []market.Capture, gaps ...market.TokenGap) {
		imp, err := a.Begin(t.Context(), store.Source{SHA256: [32]byte{name[0], name[1]}, Name: name, Format: "test", Authority: store.FromList})
		require.NoError(t, err)
		require.NoError(t, imp.Series(t.Context(), market.Series{Venue: m.Venue, VenueID: "s1", Slug: "series-1", Title: "A, \"series\"", Category: m.Category, Tags: []string{"x", "y"}}))
		require.NoError(t, imp.Event(t.Context(), market.Event{Venue: m.Venue, VenueID: "e-" + name, Slug: "event-" + name, SeriesID: "s1", Category: m.Category, Start: start}))
		m.EventID, m.SeriesID = "e-"+name, "s1"
		w, err := imp.Market(t.Context(), m)
		require.NoError(t, err)
		for _, g := range gaps {
			w.Gap(g.Token, g.Gap)
		}
		for i := range captures {
			require.NoError(t, w.Add(&captures[i]), "capture %d of %s", i, name)
		}
		require.NoError(t, w.Done(t.Context()))
		_, err = imp.Finish(t.Context(), intake.End{Messages: int64(len(captures))})
		require.NoError(t, err)
	}
	none := market.Level{Price: market.NoPrice}
	write("all-kinds", market.Market{
		Venue: market.Polymarket, VenueID: "0xab", AltID: "17", Slug: "btc-updown-5m-1776081600", Question: "Up, \"or\" down?\nWho knows",
		Description: "d", Category: market.Crypto, Tags: []string{"up"}, Start: start, End: start + 5*market.Minute, Mirrored: true,
		Tick: 100, MinSize: 5 * market.SizeOne, Fees: &market.FeeSchedule{Rate: 70_000, Exponent: 1, TakerOnly: true},
		Tokens: []market.Token{{VenueID: "71", Label: "Up", Outcome: market.Up}, {Label: "Down", Outcome: market.Down}},
		Closed: true, ClosedAt: start + 6*market.Minute, UpdatedAt: start + 7*market.Minute,
		Payout: &market.Payout{Basis: market.Official, Fractions: []market.Cash{market.CashOne, 0}},
	}, []market.Capture{
		{Kind: market.KindReset, Recv: start},
		{Kind: market.KindBook, Recv: start + 1, Exch: start, Replace: true, Bids: []market.Level{{Price: 4000, Size: 1}, {Price: 3999, Size: 9_007_199_254_740_000}}, Asks: []market.Level{{Price: 4100, Size: 2_500_000}}},
		{Kind: market.KindBook, Recv: start + 1, Exch: start, Replace: true, Token: 1, Bids: []market.Level{{Price: 5900, Size: 2_500_000}}, Asks: []market.Level{{Price: 6000, Size: 1}}}, // its mirror
		{Kind: market.KindChange, Recv: start + 1, Exch: start + 1, Bids: []market.Level{{Price: 4000, Size: 0}}, Asks: []market.Level{{Price: 4050, Size: 7}, {Price: 4100, Size: 0}}},
		{Kind: market.KindBook, Recv: start + 2, Replace: true}, // empty
		{Kind: market.KindTrade, Recv: start + 3, Exch: start + 2, Trade: market.Trade{Price: 10_000, Size: 1_234_567, Side: market.Ask}},
		{Kind: market.KindTrade, Recv: start + 3, Trade: market.Trade{Price: 0}},
		{Kind: market.KindTick, Recv: start + 4, Trade: market.Trade{Price: 10}},
		{Kind: market.KindMetric, Recv: start + 5, Metric: market.Metric{Liquidity: market.NoMetric, Volume: 12_345_678}},
		{Kind: market.KindMetric, Recv: start + 6, Metric: market.Metric{Liquidity: 0, Volume: market.NoMetric}},
		{Kind: market.KindBook, Recv: start + 7, Replace: true, Asks: []market.Level{{Price: 1, Size: 3}}},
		{Kind: market.KindBook, Recv: start + market.Minute, Exch: start + market.Minute, Replace: true, Bids: []market.Level{{Price: 10, Size: 5_000_000}}},
	}, market.TokenGap{Token: 0, Gap: market.Gap{From: start + 10, To: start + 20}}, market.TokenGap{Token: 1, Gap: market.Gap{From: start + 30, To: start + 40}},
		market.TokenGap{Token: 0, Gap: market.Gap{From: start + 50, To: start + 60}})
	write("sports", market.Market{
		Venue: market.PolymarketUS, Slug: "hawks-bulls", Category: market.Sports,
		Tokens:   []market.Token{{Label: "Yes"}, {Label: "No"}},
		Payout:   &market.Payout{Basis: market.Inferred, Fractions: []market.Cash{500_000, 500_000}},
		Mirrored: true,
	}, []market.Capture{
		{Kind: market.KindQuote, Recv: start, Quote: market.Quote{Bid: market.Level{Price: 100}, Ask: market.Level{Price: 200}}},
		{Kind: market.KindQuote, Recv: start + market.Second, Quote: market.Quote{Bid: market.Level{Price: 100, Size: 5}, Ask: none}},
		{Kind: market.KindQuote, Recv: start + 2*market.Second, Quote: market.Quote{Bid: none, Ask: none}},
		{Kind: market.KindPrice, Recv: start + 3*market.Second, Trade: market.Trade{Price: 150}},
	})
	return a
}

func all(t *testing.T, a *archive.Archive) []store.Listing {
	t.Helper()
	rows, err := a.Markets(t.Context(), store.MarketQuery{Page: store.Page{Sort: store.ByStart, Ascending: true}})
	require.NoError(t, err)
	require.NotEmpty(t, rows)
	return rows
}

// run exports to a folder, and returns it.
func run(t *testing.T, a *archive.Archive, o export.Options) (string, *export.Result) {
	t.Helper()
	o.Out = filepath.Join(t.TempDir(), "out")
	if o.Resolution == 0 {
		o.Resolution = market.Second
	}
	res, err := export.Run(t.Context(), a, o)
	require.NoError(t, err)
	return o.Out, res
}

// again imports an export into a new archive.
func again(t *testing.T, dir string) *archivetest.Archive {
	t.Helper()
	b := archivetest.NewFile(t)
	res, err := ingest.Run(t.Context(), b.Archive, ingest.Options{Paths: []string{dir}})
	require.NoError(t, err)
	require.Empty(t, res.Failed())
	require.Empty(t, res.Rejected)
	require.Empty(t, res.Undescribed)
	return b
}

// same requires that b has what a has: of each market the same captures in the
// same order, tokens, payout, gaps and times.
func same(t *testing.T, a, b *archive.Archive) {
	t.Helper()
	want, got := all(t, a), all(t, b)
	require.Len(t, got, len(want))
	for i := range want {
		x, y := &want[i], &got[i]
		require.Equal(t, x.Stats.Content, y.Stats.Content, x.Market.Slug)
		require.Equal(t, x.Stats.Captures, y.Stats.Captures, x.Market.Slug)
		require.Equal(t, x.Market, y.Market)
		require.Equal(t, x.Gaps, y.Gaps)
		require.Equal(t, x.Status, y.Status)
		require.Equal(t, x.ClosedAt, y.ClosedAt)
		require.Equal(t, x.Undated, y.Undated)
		require.Equal(t, x.EventSlug, y.EventSlug)
		require.Equal(t, x.SeriesSlug, y.SeriesSlug)
	}
}

// shapes are the tables and formats that can be imported again.
var shapes = []struct {
	table  export.Table
	format export.Format
}{
	{export.Captures, export.Parquet}, {export.Captures, export.JSONL},
	{export.Levels, export.Parquet}, {export.Levels, export.CSV}, {export.Levels, export.JSONL},
}

// TestImportedAgain: an export that is imported is the archive that was exported,
// whatever else was exported beside it.
func TestImportedAgain(t *testing.T) {
	t.Parallel()
	for name, from := range map[string]func(*testing.T) *archivetest.Archive{"simulated": simulated, "odd": odd} {
		for _, s := range shapes {
			t.Run(name+" "+string(s.table)+" "+string(s.format), func(t *testing.T) {
				t.Parallel()
				a := from(t)
				dir, _ := run(t, a.Archive, export.Options{
					Tables: []export.Table{s.table, export.Markets, export.Quotes, export.Trades, export.Prices, export.Metrics}, Format: s.format,
				})
				b := again(t, dir)
				same(t, a.Archive, b.Archive)
				// And once more, which must change nothing.
				twice, _ := run(t, b.Archive, export.Options{Tables: []export.Table{s.table, export.Markets}, Format: s.format})
				same(t, a.Archive, again(t, twice).Archive)
			})
		}
	}
}

// TestRealImportedAgain: so it is of real captures.
func TestRealImportedAgain(t *testing.T) {
	t.Parallel()
	dir := realdata.Dir(t, "polymarket-btc-5m")
	files, err := filepath.Glob(filepath.Join(dir, "captures", "*.jsonl.gz"))
	require.NoError(t, err)
	if os.Getenv("LADDERBACK_INGEST_ALL") == "" {
		files = files[:2]
	}
	a := archivetest.NewFile(t)
	res, err := ingest.Run(t.Context(), a.Archive, ingest.Options{Paths: files, Markets: []string{filepath.Join(dir, "markets.jsonl")}})
	require.NoError(t, err)
	require.Empty(t, res.Failed())
	for _, s := range shapes {
		if s.table == export.Levels && os.Getenv("LADDERBACK_INGEST_ALL") == "" {
			continue
		}
		out, _ := run(t, a.Archive, export.Options{Tables: []export.Table{s.table, export.Markets}, Format: s.format})
		same(t, a.Archive, again(t, out).Archive)
	}
}

// rowsOf reads a file of any format as maps of text; an empty cell is null.
func rowsOf(t *testing.T, path string) []map[string]string {
	t.Helper()
	var out []map[string]string
	switch filepath.Ext(path) {
	case ".csv":
		f, err := os.Open(path)
		require.NoError(t, err)
		defer f.Close()
		table, err := csv.NewReader(f).ReadAll()
		require.NoError(t, err)
		for _, row := range table[1:] {
			m := map[string]string{}
			for i, name := range table[0] {
				m[name] = row[i]
			}
			out = append(out, m)
		}
	case ".jsonl":
		f, err := os.Open(path)
		require.NoError(t, err)
		defer f.Close()
		for d := json.NewDecoder(f); ; {
			d.UseNumber()
			var v map[string]any
			err := d.Decode(&v)
			if errors.Is(err, io.EOF) {
				return out
			}
			require.NoError(t, err)
			m := map[string]string{}
			for name, x := range v {
				if m[name] = fmt.Sprint(x); x == nil {
					m[name] = ""
				}
			}
			out = append(out, m)
		}
	default:
		f, err := os.Open(path)
		require.NoError(t, err)
		defer f.Close()
		st, err := f.Stat()
		require.NoError(t, err)
		p, err := parquet.OpenFile(f, st.Size())
		require.NoError(t, err)
		columns := p.Schema().Columns()
		r := parquet.NewGenericReader[any](p)
		defer r.Close()
		buf := make([]parquet.Row, 64)
		for {
			n, err := r.ReadRows(buf)
			for _, row := range buf[:n] {
				m := map[string]string{}
				for _, v := range row {
					m[columns[v.Column()][0]] = textOf(p, v)
				}
				out = append(out, m)
			}
			if errors.Is(err, io.EOF) {
				return out
			}
			require.NoError(t, err)
		}
	}
	return out
}

func textOf(p *parquet.File, v parquet.Value) string {
	leaf, _ := p.Schema().Lookup(p.Schema().Columns()[v.Column()]...)
	switch {
	case v.IsNull():
		return ""
	case strings.Contains(leaf.Node.Type().String(), "TIMESTAMP"):
		return market.Instant(v.Int64()).Time().Format("2006-01-02T15:04:05.000000Z")
	case v.Kind() == parquet.Double:
		return strings.TrimSuffix(fmt.Sprintf("%.6f", v.Double()), ".000000")
	}
	return v.String()
}

// TestFormatsAgree: a table says the same in every format, and prices, books and
// metrics what history says.
func TestFormatsAgree(t *testing.T) {
	t.Parallel()
	for name, from := range map[string]func(*testing.T) *archivetest.Archive{"simulated": simulated, "odd": odd} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := from(t)
			tables := []export.Table{export.Levels, export.Quotes, export.Trades, export.Prices, export.Metrics, export.Markets}
			var byFormat []map[string][]map[string]string
			for _, f := range []export.Format{export.Parquet, export.CSV, export.JSONL} {
				dir, res := run(t, a.Archive, export.Options{Tables: tables, Format: f})
				files := map[string][]map[string]string{}
				for _, file := range res.Files {
					rows := rowsOf(t, file.Path)
					require.Len(t, rows, int(file.Rows), file.Path)
					st, err := os.Stat(file.Path)
					require.NoError(t, err)
					require.Equal(t, st.Size(), file.Bytes)
					rel, err := filepath.Rel(dir, file.Path)
					require.NoError(t, err)
					for _, row := range rows {
						for k, v := range row {
							if strings.Contains(v, ".") && !strings.ContainsAny(v, "TZ:-") { // a number, whichever way it is written
								row[k] = strings.TrimRight(strings.TrimRight(v, "0"), ".")
							}
						}
					}
					files[strings.TrimSuffix(rel, filepath.Ext(rel))] = rows
				}
				byFormat = append(byFormat, files)
			}
			require.NotEmpty(t, byFormat[0])
			for i, other := range byFormat[1:] {
				require.Len(t, other, len(byFormat[0]))
				for name, rows := range byFormat[0] {
					require.Len(t, other[name], len(rows), name)
					for k := range rows {
						if !maps.Equal(rows[k], other[name][k]) {
							require.Equal(t, rows[k], other[name][k], "%s, row %d, format %d", name, k, i+1)
						}
					}
				}
			}
		})
	}
}

// TestBuckets: prices in an export are those that history has.
func TestBuckets(t *testing.T) {
	t.Parallel()
	a := simulated(t)
	_, res := run(t, a.Archive, export.Options{Tables: []export.Table{export.Prices}, Format: export.CSV, Resolution: market.Minute})
	got := map[string][]string{}
	for _, f := range res.Files {
		for _, row := range rowsOf(t, f.Path) {
			got[row["slug"]] = append(got[row["slug"]], row["t"]+" "+row["label"]+" "+row["p"])
		}
	}
	points := 0
	for _, row := range all(t, a.Archive) {
		found, err := a.Market(t.Context(), row.Market.Slug, "")
		require.NoError(t, err)
		q := history.Query{Points: history.PricePoints, Row: found}
		known := q.Known()
		q.Window = history.Window{Start: known.From - known.From%market.Minute, End: known.To, Resolution: market.Minute}
		if q.Window.Start >= q.Window.End {
			continue
		}
		var want []string
		err = history.Walk(t.Context(), a.Archive, &q, history.Emit{Prices: func(at market.Instant, p []int64) bool {
			for i, v := range p {
				if v != history.None {
					want = append(want, fmt.Sprintf("%s %s %s", at.Time().Format("2006-01-02T15:04:05.000000Z"), row.Market.Tokens[i].Label, market.Cash(v)))
				}
			}
			return true
		}})
		require.NoError(t, err)
		require.Equal(t, want, got[row.Market.Slug])
		points += len(want)
	}
	require.Greater(t, points, 50)
}

// TestSelection: what is asked for, and nothing else, in folders by coin, length
// and day.
func TestSelection(t *testing.T) {
	t.Parallel()
	a := simulated(t)
	rows := all(t, a.Archive)
	slugs := func(o export.Options) []string {
		t.Helper()
		o.Tables, o.Format = []export.Table{export.Trades, export.Quotes}, export.JSONL
		dir, res := run(t, a.Archive, o)
		seen := map[string]bool{}
		for _, f := range res.Files {
			rel, err := filepath.Rel(dir, f.Path)
			require.NoError(t, err)
			for _, row := range rowsOf(t, f.Path) {
				seen[row["slug"]] = true
				m, err := a.Market(t.Context(), row["slug"], "")
				require.NoError(t, err)
				require.Equal(t, filepath.Join(f.Table, "coin="+m.Market.Coin, "type="+m.Market.Type, "date="+m.Market.Start.Time().Format("2006-01-02"), "part-0.jsonl"), rel)
			}
		}
		var out []string
		for s := range seen {
			out = append(out, s)
		}
		slices.Sort(out)
		require.Equal(t, len(out), res.Markets)
		return out
	}
	want := func(keep func(m *market.Market) bool) []string {
		var out []string
		for i := range rows {
			if keep(&rows[i].Market) && rows[i].Stats.Captures > 0 {
				out = append(out, rows[i].Market.Slug)
			}
		}
		slices.Sort(out)
		return out
	}
	at := rows[2].Market.Start
	require.Equal(t, want(func(*market.Market) bool { return true }), slugs(export.Options{}))
	require.Equal(t, want(func(m *market.Market) bool { return m.Coin == "ETH" }), slugs(export.Options{Coin: "ETH"}))
	require.Equal(t, want(func(m *market.Market) bool { return m.Type == "5m" }), slugs(export.Options{Type: "5m"}))
	require.Equal(t, want(func(m *market.Market) bool { return m.Start >= at }), slugs(export.Options{From: at}))
	require.Equal(t, want(func(m *market.Market) bool { return m.Start < at }), slugs(export.Options{To: at}))
	require.Equal(t, []string{rows[0].Market.Slug}, slugs(export.Options{Names: []string{rows[0].Market.Slug, rows[0].Market.VenueID}}))
	_, err := export.Run(t.Context(), a.Archive, export.Options{Tables: export.Tables()[1:2], Format: export.CSV, Out: t.TempDir(), Coin: "DOGE"})
	require.ErrorIs(t, err, export.ErrNone)
}

// TestSorted: rows stand in order of slug and time, and a row group of small
// markets has whole ones.
func TestSorted(t *testing.T) {
	t.Parallel()
	a := simulated(t)
	_, res := run(t, a.Archive, export.Options{Tables: []export.Table{export.Captures, export.Quotes}, Format: export.Parquet})
	for _, f := range res.Files {
		rows := rowsOf(t, f.Path)
		require.True(t, slices.IsSortedFunc(rows, func(a, b map[string]string) int {
			return strings.Compare(a["slug"]+" "+a["t"], b["slug"]+" "+b["t"])
		}), f.Path)
	}
}

// TestInterrupted: a file is complete or absent.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	a := simulated(t)
	for n := range int64(4) {
		ctx, cancel := context.WithCancel(t.Context())
		out := filepath.Join(t.TempDir(), "out")
		res, err := export.Run(ctx, a.Archive, export.Options{
			Tables: []export.Table{export.Captures, export.Markets}, Format: export.Parquet, Out: out, Workers: 1,
			Progress: func(done, _ int64) {
				if done >= n {
					cancel()
				}
			},
		})
		cancel()
		var found []string
		require.NoError(t, filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				found = append(found, path)
			}
			return err
		}))
		var named []string
		for _, f := range res.Files {
			named = append(named, f.Path)
			rowsOf(t, f.Path)
		}
		slices.Sort(found)
		require.Equal(t, named, found)
		if err != nil {
			require.ErrorIs(t, err, context.Canceled)
		}
	}
}

// TestThere: an export is not mixed with another unless that is asked for.
// Folders alone, as an interrupted export leaves them, are no export.
func TestFoldersAloneAreNoExport(t *testing.T) {
	t.Parallel()
	a := simulated(t)
	out := t.TempDir()
	left := filepath.Join(out, "trades", "coin=BTC", "type=15m")
	require.NoError(t, os.MkdirAll(left, 0o755))
	o := export.Options{Tables: []export.Table{export.Trades}, Format: export.Parquet, Out: out}
	_, err := export.Run(t.Context(), a.Archive, o)
	require.NoError(t, err)
	_, err = export.Run(t.Context(), a.Archive, o)
	require.ErrorIs(t, err, export.ErrThere)
}

func TestThere(t *testing.T) {
	t.Parallel()
	a := simulated(t)
	o := export.Options{Tables: []export.Table{export.Trades}, Format: export.Parquet, Out: filepath.Join(t.TempDir(), "trades.parquet"), One: true}
	_, err := export.Run(t.Context(), a.Archive, o)
	require.NoError(t, err)
	_, err = export.Run(t.Context(), a.Archive, o)
	require.ErrorIs(t, err, export.ErrThere)
	o.Overwrite = true
	_, err = export.Run(t.Context(), a.Archive, o)
	require.NoError(t, err)
	o.Tables, o.Format = []export.Table{export.Captures}, export.CSV
	_, err = export.Run(t.Context(), a.Archive, o)
	require.ErrorIs(t, err, export.ErrNoList)
}
