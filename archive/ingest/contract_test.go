package ingest_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/ingest"
	pq "github.com/ladderback/ladderback/archive/ingest/parquet"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/market"
)

// good are five events of the first round that every format can say.
func good() []event {
	var out []event
	for i := range 5 {
		out = append(out, event{sec: strconv.Itoa(10 * (i + 1)), bid: fmt.Sprintf("0.4%d", i), ask: fmt.Sprintf("0.5%d", i), size: "12.5"})
	}
	return out
}

// bothRounds is an archive that knows the markets of the subjects.
var bothRounds = archivetest.Made(func(path string) (*sqlite.Store, error) {
	ctx, dir := context.Background(), filepath.Dir(path)
	s, _, err := sqlite.Create(ctx, path)
	if err != nil {
		return nil, err
	}
	o := ingest.Options{Paths: []string{filepath.Join(dir, "list.jsonl"), filepath.Join(dir, "markets.csv")}}
	for i, text := range [][]byte{list(), lensMarkets()} {
		if err := os.WriteFile(o.Paths[i], text, 0o600); err != nil {
			return nil, err
		}
	}
	res, err := ingest.Run(ctx, archive.New(s), o)
	if err == nil && len(res.Failed()) > 0 {
		err = res.Failed()[0].Err
	}
	return s, err
})

// imported imports a file of the subject, after what describes its markets, and
// returns what the archive then has of each round, as text.
func (s *subject) imported(t *testing.T, data []byte) (res *ingest.Result, out [2][]string) {
	t.Helper()
	res, kept := s.kept(t, data)
	for slug, lines := range kept {
		i := slices.Index(slugs[:], slug)
		require.GreaterOrEqual(t, i, 0, slug)
		out[i] = lines
	}
	return res, out
}

// kept is imported, by the slugs of whatever rounds there are.
func (s *subject) kept(t *testing.T, data []byte) (*ingest.Result, map[string][]string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.db")
	archivetest.Copy(t, bothRounds, path)
	a := archive.New(archivetest.Store(t, path))
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	res := run(t, a, ingest.Options{Paths: []string{write(t, cmpOr(s.file, "file"), data)}})
	out := map[string][]string{}
	for _, r := range rounds(t, a) {
		i := r.Market.Slug
		out[i] = nil
		b := new(market.Book)
		for c, err := range a.Captures(t.Context(), r.Market) {
			require.NoError(t, err)
			require.Equal(t, market.Up, r.Market.Tokens[c.Token].Outcome)
			sec := float64(c.Recv-r.Market.Start) / float64(market.Second)
			switch {
			case c.IsLadder():
				b.Apply(c)
				q := b.Quote()
				out[i] = append(out[i], fmt.Sprintf("%g %v×%v %v×%v", sec, q.Bid.Price, q.Bid.Size, q.Ask.Price, q.Ask.Size))
			case c.Kind == market.KindQuote:
				q := c.Quote
				out[i] = append(out[i], fmt.Sprintf("%g %v×%v %v×%v", sec, q.Bid.Price, q.Bid.Size, q.Ask.Price, q.Ask.Size))
			case c.Kind == market.KindPrice:
				out[i] = append(out[i], fmt.Sprintf("%g %v", sec, c.Trade.Price))
			}
		}
	}
	return res, out
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// says is what the archive has of an event.
func (s *subject) says(e event) string {
	sec, _ := strconv.ParseFloat(e.sec, 64)
	if !s.ladder && !s.sizes && s.format != "quotes-csv" {
		p, _ := market.ParseDecimal(e.bid, 4)
		return fmt.Sprintf("%g %v", sec, market.Price(p))
	}
	side := func(price string) string {
		p, size := market.NoPrice, market.Size(0)
		if price != "" {
			v, _ := market.ParseDecimal(price, 4)
			p = market.Price(v)
			if s.sizes {
				v, _ = market.ParseDecimal(e.size, 6)
				size = market.Size(v)
			}
		}
		return fmt.Sprintf("%v×%v", p, size)
	}
	return fmt.Sprintf("%g %s %s", sec, side(e.bid), side(e.ask))
}

func (s *subject) all(events []event) []string {
	var out []string
	for _, e := range events {
		out = append(out, s.says(e))
	}
	return out
}

// each runs a test of every format.
func each(t *testing.T, f func(t *testing.T, s subject)) {
	t.Helper()
	for _, s := range subjects() {
		t.Run(s.format, func(t *testing.T) {
			t.Parallel()
			f(t, s)
		})
	}
}

// TestContractTakesAll: a file is recognised by what is in it, and everything
// that it says is in the archive.
func TestContractTakesAll(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s subject) {
		res, got := s.imported(t, s.make(t, good()))
		require.Empty(t, res.Failed())
		require.Equal(t, s.format, res.Files[len(res.Files)-1].Format)
		require.Equal(t, s.all(good()), got[0])
		require.Empty(t, res.Rejected)
		require.Empty(t, res.Undescribed)
		require.Zero(t, res.Diverged)
	})
}

// TestContractEmptySides: a side that nothing rests on is empty, however the
// format says so.
func TestContractEmptySides(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s subject) {
		if !s.ladder && !s.sizes && s.format != "quotes-csv" {
			t.Skip("prices alone have no sides")
		}
		events := good()
		events[1].bid, events[2].ask = "", ""
		res, got := s.imported(t, s.make(t, events))
		require.Empty(t, res.Rejected)
		require.Equal(t, s.all(events), got[0])
	})
}

// TestContractRejects: what cannot be taken is rejected by reason, and nothing
// else with it.
func TestContractRejects(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s subject) {
		for name, c := range map[string]struct {
			spoil  func(e *event)
			reason string
			when   bool
		}{
			"price over 1":   {func(e *event) { e.bid = "1.2" }, "price outside 0 to 1", true},
			"negative price": {func(e *event) { e.bid = "-0.1" }, "price outside 0 to 1", true},
			"fine price":     {func(e *event) { e.bid = "0.12345" }, "price finer than 0.0001", true},
			"negative size":  {func(e *event) { e.size = "-10" }, "negative size", s.sizes},
			"fine size":      {func(e *event) { e.size = "1.0000001" }, "size finer than 0.000001", s.sizes},
			"no time":        {func(e *event) { e.sec = "" }, "no time", true},
		} {
			if !c.when {
				continue
			}
			events := good()
			c.spoil(&events[2])
			res, got := s.imported(t, s.make(t, events))
			require.Empty(t, res.Failed(), name)
			require.Equal(t, map[string]int64{c.reason: 1}, res.Rejected, name)
			require.Equal(t, s.all(slices.Delete(good(), 2, 3)), got[0], name)
		}
	})
}

// TestContractOrder: rows in any order give the same captures.
func TestContractOrder(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s subject) {
		events := good()
		slices.Reverse(events)
		res, got := s.imported(t, s.make(t, events))
		require.Empty(t, res.Failed())
		require.Equal(t, s.all(good()), got[0])
	})
}

// TestContractTwoMarkets: rows of two markets in turn go where they belong.
func TestContractTwoMarkets(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s subject) {
		if s.oneRound {
			t.Skip("a file of this format is of one market")
		}
		var events []event
		for i, e := range slices.Concat(good(), good()) {
			e.round = i % 2
			events = append(events, e)
		}
		slices.SortStableFunc(events, func(a, b event) int { return len(a.sec) - len(b.sec) })
		res, got := s.imported(t, s.make(t, events))
		require.Empty(t, res.Failed())
		for i := range 2 {
			var want []event
			for _, e := range events {
				if e.round == i && !slices.Contains(want, e) {
					want = append(want, e)
				}
			}
			slices.SortFunc(want, func(a, b event) int {
				x, _ := strconv.Atoi(a.sec)
				y, _ := strconv.Atoi(b.sec)
				return x - y
			})
			require.Equal(t, s.all(want), got[i])
		}
	})
}

// TestContractOtherUnits: instants of another unit than their column says, or of one
// that magnitude does not tell, are rejected rows: nothing is kept of 1970.
func TestContractOtherUnits(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s subject) {
		if !s.parquet() {
			t.Skip("times are text")
		}
		at := slices.IndexFunc(s.cols, func(c col) bool { return c.name == s.time })
		for what, c := range map[string]struct {
			of    cellType
			times float64
		}{
			"seconds as ms": {asMillis, 1e-3}, "ms as µs": {asMicros, 1e-3}, "µs as ns": {asNanos, 1e-3},
			"µs as ms": {asMillis, 1e3}, "minutes": {asInt, 1.0 / 60},
		} {
			cols := slices.Clone(s.cols)
			cols[at].of = c.of
			var table [][]string
			for _, e := range good() {
				cells := s.row(e)
				sec, err := strconv.ParseFloat(e.at(), 64)
				require.NoError(t, err)
				cells[at] = strconv.FormatFloat(math.Floor(sec*c.times), 'f', -1, 64)
				table = append(table, cells)
			}
			res, got := s.imported(t, s.table(t, cols, table))
			require.Empty(t, got[0], what)
			require.EqualValues(t, len(good()), res.RejectedTotal(), what)
		}
	})
}

// TestContractTimes: instants in any unit and column type are the same.
func TestContractTimes(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s subject) {
		if !s.parquet() {
			t.Skip("times are text")
		}
		at := slices.IndexFunc(s.cols, func(c col) bool { return c.name == s.time })
		want := s.all(good())
		for _, as := range []cellType{asMillis, asMicros, asNanos, asReal, asText} {
			cols := slices.Clone(s.cols)
			cols[at].of = as
			var table [][]string
			for _, e := range good() {
				cells := s.row(e)
				cells[at] = e.at()
				table = append(table, cells)
			}
			_, got := s.imported(t, s.table(t, cols, table))
			require.Equal(t, want, got[0], "column type %d", as)
		}
		for _, unit := range []float64{1, 1e3, 1e6, 1e9} { // whole numbers, by magnitude
			cols := slices.Clone(s.cols)
			cols[at].of = asInt
			var table [][]string
			for _, e := range good() {
				cells := s.row(e)
				cells[at] = e.scaled(unit)
				table = append(table, cells)
			}
			_, got := s.imported(t, s.table(t, cols, table))
			require.Equal(t, want, got[0], "a second is %g", unit)
		}
		cols := slices.Clone(s.cols)
		cols[at].of = asText
		var table [][]string
		for _, e := range good() { // with a time zone
			cells := s.row(e)
			sec, _ := strconv.ParseFloat(e.at(), 64)
			cells[at] = utc(sec+7200).Format("2006-01-02T15:04:05.000") + "+02:00"
			table = append(table, cells)
		}
		_, got := s.imported(t, s.table(t, cols, table))
		require.Equal(t, want, got[0], "in another time zone")
	})
}

// TestContractColumns: a table without a column, or with one of another type, is
// answered with what it has, what the nearest format needs, and where to look.
func TestContractColumns(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s subject) {
		if s.text != nil {
			t.Skip("no columns")
		}
		var table [][]string
		for _, e := range good() {
			table = append(table, s.row(e))
		}
		without := slices.IndexFunc(s.cols, func(c col) bool { return c.name == s.need })
		var fewer [][]string
		for _, r := range table {
			fewer = append(fewer, slices.Delete(slices.Clone(r), without, without+1))
		}
		answers := map[string][]byte{"missing": s.table(t, slices.Delete(slices.Clone(s.cols), without, without+1), fewer)}
		if s.parquet() {
			cols := slices.Clone(s.cols)
			at := slices.IndexFunc(cols, func(c col) bool { return c.name == s.time })
			cols[at].of = s.typeOfTime
			answers["other type"] = s.table(t, cols, table)
		}
		for name, data := range answers {
			res, _ := s.imported(t, data)
			require.Len(t, res.Failed(), 1, name)
			err := res.Failed()[0].Err
			require.ErrorIs(t, err, ingest.ErrFormat, name)
			require.ErrorContains(t, err, s.cols[(without+1)%len(s.cols)].name, name)
			require.ErrorContains(t, err, "nearest format", name)
			require.ErrorContains(t, err, "missing", name)
			require.ErrorContains(t, err, "docs/formats.md", name)
		}
	})
}

// TestContractDamage: a file that is cut, or of which any byte is wrong, is an
// error or says less, and never a crash.
func TestContractDamage(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s subject) {
		data := s.make(t, good())
		a := newArchive(t)
		dir := t.TempDir()
		try := func(bad []byte, what string) {
			path := filepath.Join(dir, cmpOr(s.file, "file"))
			require.NoError(t, os.WriteFile(path, bad, 0o600))
			_, err := ingest.Run(t.Context(), a, ingest.Options{Paths: []string{path}})
			require.NoError(t, err, what)
		}
		for n := range 20 {
			try(data[:len(data)*n/20], fmt.Sprintf("cut to %d of 20 parts", n))
		}
		step := max(1, len(data)/60)
		for i := 0; i < len(data); i += step {
			bad := bytes.Clone(data)
			bad[i] ^= 0xff
			try(bad, fmt.Sprintf("byte %d", i))
		}
		if s.parquet() {
			res := run(t, a, ingest.Options{Paths: []string{write(t, cmpOr(s.file, "x"), data[:len(data)*4/5])}})
			require.Len(t, res.Failed(), 1)
			require.ErrorIs(t, res.Failed()[0].Err, pq.ErrFile)
		}
	})
}

// TestContractCompression: the codecs that are read, and LZ4, which is refused
// before anything of it is unpacked.
func TestContractCompression(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s subject) {
		if !s.parquet() {
			t.Skip("no Parquet")
		}
		want := s.all(good())
		for name, o := range map[string]parquet.WriterOption{
			"none": parquet.Compression(&parquet.Uncompressed), "gzip": parquet.Compression(&parquet.Gzip), "zstd": parquet.Compression(&parquet.Zstd),
			"version 1": parquet.DataPageVersion(1), "no statistics": parquet.DataPageStatistics(false),
		} {
			res, got := s.imported(t, s.make(t, good(), o))
			require.Empty(t, res.Failed(), name)
			require.Equal(t, want, got[0], name)
		}
		for name, o := range map[string]parquet.WriterOption{
			"lz4": parquet.Compression(&parquet.Lz4Raw), "brotli": parquet.Compression(&parquet.Brotli),
		} {
			res, _ := s.imported(t, s.make(t, good(), o))
			require.Len(t, res.Failed(), 1, name)
			require.ErrorIs(t, res.Failed()[0].Err, pq.ErrCodec, name)
		}
	})
}

// TestContractTwice: the same file again, and the same rows in another file,
// change nothing.
func TestContractTwice(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s subject) {
		a := newArchive(t)
		run(t, a, ingest.Options{Paths: []string{write(t, "list.jsonl", list()), write(t, "markets.csv", lensMarkets())}})
		first := write(t, cmpOr(s.file, "file"), s.make(t, good()))
		run(t, a, ingest.Options{Paths: []string{first}})
		was := rounds(t, a)
		res := run(t, a, ingest.Options{Paths: []string{first}})
		require.Equal(t, 1, res.Already)
		res = run(t, a, ingest.Options{Paths: []string{write(t, cmpOr(s.file, "file"), s.make(t, slices.Concat(good(), good()[3:])))}})
		require.Empty(t, res.Failed())
		for i, r := range rounds(t, a) {
			require.Equal(t, was[i].Content, r.Content)
		}
	})
}
