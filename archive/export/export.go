package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// Table is a kind of data that can be exported.
type Table string

// Tables. Prices, Books and Metrics are bucketed, as on the data routes.
const (
	Captures Table = "captures" // everything captured, as it was: books are lists
	Levels   Table = "levels"   // the same, one level of a book a row
	Quotes   Table = "quotes"   // every change of a best bid or ask
	Trades   Table = "trades"
	Prices   Table = "prices"
	Books    Table = "books"
	Metrics  Table = "metrics"
	Markets  Table = "markets" // and tokens, payouts, gaps, events, series: a file each
)

// Tables returns all tables, in the order in which messages list them.
func Tables() []Table {
	return []Table{Captures, Levels, Quotes, Trades, Prices, Books, Metrics, Markets}
}

// Bucketed reports whether the table is in buckets of a resolution.
func (t Table) Bucketed() bool {
	return t == Prices || t == Books || t == Metrics
}

// Format is a file format.
type Format string

// Formats. CSV has no lists for the levels of a book: see Levels.
const (
	Parquet Format = "parquet"
	CSV     Format = "csv"
	JSONL   Format = "jsonl"
)

// Options say what to export, and where to.
type Options struct {
	// Tables to export, each to a folder of its own in Out. At least one.
	Tables []Table
	Format Format
	// Out is a folder, created if it does not exist. With One it is the file that
	// the only table is written to; with Stdout it is not used.
	Out    string
	One    bool
	Stdout io.Writer
	// Overwrite replaces existing files, which are an error otherwise.
	Overwrite bool

	// Names are ids or slugs of markets; empty: all that the other options select.
	Names    []string
	Category market.Category // empty: any
	Coin     string          // upper case; empty: any
	Type     string          // length of a round; empty: any
	// From and To bound the start of a market: From ≤ start < To; zero: no bound.
	From, To market.Instant
	// Resolution is the bucket size of the tables that are bucketed.
	Resolution market.Span

	// Workers is the number of files written at a time; zero: one per core.
	Workers int
	// Progress is called now and then, from any goroutine; nil: never.
	Progress func(markets, of int64)
}

// File is a file that was written.
type File struct {
	Path  string
	Table string
	Rows  int64
	Bytes int64
}

// Result is what an export wrote.
type Result struct {
	Files   []File // in order of path
	Markets int    // with captures, or, of Markets alone, all
}

// Rows returns the rows, bytes and number of a table's files.
func (r *Result) Rows(table string) (rows, bytes int64, files int) {
	for _, f := range r.Files {
		if f.Table == table {
			rows, bytes, files = rows+f.Rows, bytes+f.Bytes, files+1
		}
	}
	return rows, bytes, files
}

// Errors in what is asked for.
var (
	ErrThere  error = market.Errorf(market.CodeBadRequest, "already there")
	ErrNone   error = market.Errorf(market.CodeNotFound, "no market matches")
	ErrNoList error = market.Errorf(market.CodeBadRequest, "CSV has no lists")
)

// Run exports. The Result is never nil: after a failure or an interruption it names
// the files that were complete by then, which remain.
func Run(ctx context.Context, a *archive.Archive, o Options) (*Result, error) {
	x := &run{a: a, o: o, result: &Result{}}
	err := x.run(ctx)
	slices.SortFunc(x.result.Files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	return x.result, err
}

// run is one call of Run.
type run struct {
	a        *archive.Archive
	o        Options
	chosen   []chosen
	mu       sync.Mutex
	result   *Result
	done     atomic.Int64
	of       int64
	lastTold atomic.Int64
}

// chosen is a market that is exported.
type chosen struct {
	id         store.ID
	slug       string
	folder     string // of its partition
	captured   bool
	start, end market.Instant
}

func (x *run) run(ctx context.Context) error {
	if x.o.Format == CSV && slices.Contains(x.o.Tables, Captures) {
		return fmt.Errorf("%w: export levels in place of captures", ErrNoList)
	}
	if err := x.room(); err != nil {
		return err
	}
	if err := x.choose(ctx); err != nil {
		return err
	}
	parts := x.partitions()
	for _, t := range x.o.Tables {
		if t == Markets {
			x.of += int64(len(x.chosen))
			continue
		}
		for _, p := range parts {
			x.of += int64(len(p.markets))
		}
	}
	workers := x.o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	for _, t := range x.o.Tables {
		if t == Markets {
			g.Go(func() error { return x.catalogue(ctx) })
			continue
		}
		for _, p := range parts {
			g.Go(func() error { return x.table(ctx, t, p) })
		}
	}
	err := g.Wait()
	if x.o.Progress != nil {
		x.o.Progress(x.done.Load(), x.of)
	}
	return err
}

// room refuses to mix an export with an earlier one.
func (x *run) room() error {
	if x.o.Overwrite || x.o.Stdout != nil {
		return nil
	}
	if x.o.One {
		if info, err := os.Stat(x.o.Out); err == nil && info.Mode().IsRegular() {
			return fmt.Errorf("%s is %w", x.o.Out, ErrThere)
		}
		return nil
	}
	for _, t := range x.o.Tables {
		path := filepath.Join(x.o.Out, string(t))
		there, err := holdsFile(path)
		if err != nil {
			return err
		}
		if there {
			return fmt.Errorf("%s is %w", path, ErrThere)
		}
	}
	return nil
}

// holdsFile reports whether there is a file anywhere under path. An export that
// ended early may have left folders alone.
func holdsFile(path string) (bool, error) {
	found := false
	err := filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case !e.IsDir():
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found, err
}

// pageOfMarkets is how many markets are looked up at a time.
const pageOfMarkets = 1000

// choose lists the markets that are exported, in order of slug.
func (x *run) choose(ctx context.Context) error {
	if len(x.o.Names) > 0 {
		for _, name := range x.o.Names {
			row, err := x.a.Market(ctx, name, x.o.Category)
			if err != nil {
				return err
			}
			if !slices.ContainsFunc(x.chosen, func(c chosen) bool { return c.id == row.ID }) {
				x.take(row)
			}
		}
	} else if err := x.chooseAll(ctx); err != nil {
		return err
	}
	if len(x.chosen) == 0 {
		return ErrNone
	}
	slices.SortFunc(x.chosen, func(a, b chosen) int {
		return cmp.Or(cmp.Compare(a.folder, b.folder), cmp.Compare(a.slug, b.slug), cmp.Compare(a.id, b.id))
	})
	for _, c := range x.chosen {
		if c.captured || slices.Equal(x.o.Tables, []Table{Markets}) {
			x.result.Markets++
		}
	}
	return nil
}

func (x *run) chooseAll(ctx context.Context) error {
	q := store.MarketQuery{
		Category: x.o.Category, Coin: x.o.Coin, Type: x.o.Type,
		Page: store.Page{Sort: store.ByStart, Ascending: true, Limit: pageOfMarkets},
	}
	q.StartMin = x.o.From
	if x.o.To != 0 {
		q.StartMax = x.o.To - 1
	}
	for {
		rows, err := x.a.Markets(ctx, q)
		if err != nil {
			return err
		}
		for i := range rows {
			x.take(&rows[i])
		}
		if len(rows) < pageOfMarkets {
			return nil
		}
		after := rows[len(rows)-1].Key(store.ByStart)
		q.After = &after
	}
}

// none stands in the name of a folder where a market has no coin, no length or
// no start: what readers of such folders take for null.
const none = "__HIVE_DEFAULT_PARTITION__"

func (x *run) take(row *store.Listing) {
	m := &row.Market
	date := none
	if m.Start != 0 {
		date = m.Start.Time().Format(time.DateOnly)
	}
	x.chosen = append(x.chosen, chosen{
		id: row.ID, slug: m.Slug, captured: row.Stats.Captures > 0, start: m.Start, end: m.End,
		folder: filepath.Join("coin="+folderName(m.Coin), "type="+folderName(m.Type), "date="+date),
	})
}

// folderName makes a value the name of a folder: coins and lengths are plain
// words, whatever else a source may call them is written as %XX.
func folderName(v string) string {
	if v == "" {
		return none
	}
	var b strings.Builder
	for _, c := range []byte(v) {
		if c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// partition is the markets of one file.
type partition struct {
	folder  string
	markets []chosen
}

// partitions groups the markets with captures by their folder; as one, in order
// of slug, when a single file is asked for.
func (x *run) partitions() []partition {
	var out []partition
	for _, c := range x.chosen {
		if !c.captured {
			continue
		}
		if x.o.One {
			c.folder = ""
		}
		if n := len(out); n == 0 || out[n-1].folder != c.folder {
			out = append(out, partition{folder: c.folder})
		}
		p := &out[len(out)-1]
		p.markets = append(p.markets, c)
	}
	if x.o.One {
		for _, p := range out {
			slices.SortFunc(p.markets, func(a, b chosen) int { return cmp.Or(cmp.Compare(a.slug, b.slug), cmp.Compare(a.id, b.id)) })
		}
	}
	return out
}

// path returns where the file of a table and a partition goes.
func (x *run) path(t Table, p partition) string {
	if x.o.One {
		return x.o.Out
	}
	return filepath.Join(x.o.Out, string(t), p.folder, "part-0."+string(x.o.Format))
}

// table writes the file of a table and a partition.
func (x *run) table(ctx context.Context, t Table, p partition) error {
	switch t {
	case Captures:
		return write(ctx, x, t, p, x.captures)
	case Levels:
		return write(ctx, x, t, p, x.levels)
	case Trades:
		return write(ctx, x, t, p, x.trades)
	case Prices:
		return write(ctx, x, t, p, x.prices)
	case Books:
		return write(ctx, x, t, p, x.books)
	case Quotes:
		return write(ctx, x, t, p, x.quotes)
	case Metrics:
		return write(ctx, x, t, p, x.metrics)
	}
	return market.Errorf(market.CodeBadRequest, "unknown table %q", t)
}

// write writes a file with the rows that of makes of each market.
func write[T any](ctx context.Context, x *run, t Table, p partition, of func(context.Context, *store.Listing, func(T) error) error) (err error) {
	f, err := create[T](x, string(t), x.path(t, p))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.end(err == nil)) }()
	for _, c := range p.markets {
		rows, err := x.a.Markets(ctx, store.MarketQuery{IDs: []store.ID{c.id}})
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			return fmt.Errorf("market %s: %w", c.slug, store.ErrChanged)
		}
		if err := of(ctx, &rows[0], f.put); err != nil {
			return err
		}
		if err := f.endMarket(); err != nil {
			return err
		}
		x.advance(1)
	}
	return nil
}

// tellEvery is how often progress is told.
const tellEvery = 100 * time.Millisecond

func (x *run) advance(n int64) {
	done := x.done.Add(n)
	if x.o.Progress == nil {
		return
	}
	now := time.Now().UnixNano()
	if was := x.lastTold.Load(); now-was >= int64(tellEvery) && x.lastTold.CompareAndSwap(was, now) {
		x.o.Progress(done, x.of)
	}
}

// query asks for all buckets of a market; false: it has none.
func (x *run) query(ctx context.Context, row *store.Listing, p history.Points) (*history.Query, bool, error) {
	marks, err := x.a.Watermarks(ctx, row.Market.Category)
	if err != nil {
		return nil, false, err
	}
	row.Watermark = marks[row.Market.Category]
	q := &history.Query{Points: p, Row: row}
	known := q.Known()
	res := x.o.Resolution
	q.Window = history.Window{Start: known.From / res * res, End: known.To, Resolution: res}
	return q, q.Window.Start < q.Window.End, nil
}
