package ingest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/archive/ingest/dome"
	"github.com/ladderback/ladderback/archive/ingest/exported"
	"github.com/ladderback/ladderback/archive/ingest/gamma"
	"github.com/ladderback/ladderback/archive/ingest/marketlens"
	"github.com/ladderback/ladderback/archive/ingest/marketsfile"
	"github.com/ladderback/ladderback/archive/ingest/parquet"
	"github.com/ladderback/ladderback/archive/ingest/pmxt"
	"github.com/ladderback/ladderback/archive/ingest/prices"
	"github.com/ladderback/ladderback/archive/ingest/quotecsv"
	"github.com/ladderback/ladderback/archive/ingest/rows"
	"github.com/ladderback/ladderback/archive/ingest/telonex"
	"github.com/ladderback/ladderback/archive/ingest/ussports"
	"github.com/ladderback/ladderback/archive/ingest/wslog"
	"github.com/ladderback/ladderback/archive/ingest/wsparquet"
	"github.com/ladderback/ladderback/archive/store"
)

// format is one kind of file. Each has a package of its own that knows nothing
// of the others; to add one, write the package and a line in formats.
type format struct {
	// name is what --format takes and what a source is recorded with.
	name string
	// about says in a few words what it is.
	about string
	// metadata: it says what markets there are, and is read before captures.
	metadata  bool
	authority store.Authority
	// A file is of this format when recognise says so of its beginning, or when
	// it is a table, Parquet or, with csv, CSV, that has all columns of needs.
	recognise func(prefix []byte) bool
	needs     []rows.Want
	csv       bool
	// exported: the table may also be CSV or JSON lines, where it has all columns of
	// text, or of needs where text is nil.
	exported bool
	text     []rows.Want
	// read puts what the file says into to. It returns how many messages or
	// rows it held, rejected ones included.
	read func(ctx context.Context, in *content, to *sink) (int64, error)
}

// probe is what a format is recognised by.
type probe struct {
	prefix  []byte // the beginning of the file, after decompression
	parquet bool
	columns []rows.Column // of a table
	members []rows.Column // of a table in JSON lines
}

// content is the content of a file, and what the import says of it.
type content struct {
	io.Reader // after decompression
	table     // zero for a compressed file
	name      string
	o         *Options
	marketOf  func(ctx context.Context, token string) (string, error)
}

// table is a file for formats that are read here and there.
type table struct {
	file io.ReaderAt
	size int64
}

// errCompressed: a format that is read here and there, inside gzip or zstd.
var errCompressed = errors.New("a compressed Parquet file: decompress it first")

// parquet opens the content as a Parquet file.
func (c *content) parquet() (*rows.Parquet, error) {
	if c.file == nil {
		return nil, errCompressed
	}
	return rows.OpenParquet(c.file, c.size)
}

// fromParquet makes the read function of a format out of that of its package.
func fromParquet(read func(context.Context, *rows.Parquet, *content, *sink) (int64, error)) func(context.Context, *content, *sink) (int64, error) {
	return func(ctx context.Context, in *content, to *sink) (int64, error) {
		p, err := in.parquet()
		if err != nil {
			return 0, err
		}
		return read(ctx, p, in, to)
	}
}

func (c *content) priceOptions() prices.Options {
	return prices.Options{Token: c.o.Token, MarketOf: c.marketOf}
}

func formats() []format {
	all := []format{{
		name: "dome", about: "order books of Dome's API, JSON", recognise: dome.Recognise,
		read: func(ctx context.Context, in *content, to *sink) (int64, error) {
			return dome.Import(ctx, in, to)
		},
	}, {
		name: "polymarket-ws", about: "the exchange's WebSocket log, JSON lines",
		recognise: wslog.Recognise,
		read: func(ctx context.Context, in *content, to *sink) (int64, error) {
			return wslog.Import(ctx, in, to)
		},
	}, {
		name: "polymarket-parquet", about: "a collector's WebSocket messages verbatim, Parquet",
		needs: wsparquet.Needs(),
		read: fromParquet(func(ctx context.Context, p *rows.Parquet, _ *content, to *sink) (int64, error) {
			return wsparquet.Import(ctx, p, to)
		}),
	}, {
		name: "markets", about: "a collector's list of up/down rounds, JSON lines",
		metadata: true, authority: store.FromList, recognise: marketsfile.Recognise,
		read: func(ctx context.Context, in *content, to *sink) (int64, error) {
			return marketsfile.Import(ctx, in, to)
		},
	}, {
		name: "gamma", about: "Gamma's markets and events, JSON",
		metadata: true, authority: store.FromExchange, recognise: gamma.Recognise,
		read: func(ctx context.Context, in *content, to *sink) (int64, error) {
			return gamma.Import(ctx, in, to)
		},
	}, {
		name: "pmxt-v2", about: "an hour of the PMXT archive, Parquet of 16 columns", needs: pmxt.NeedsV2(),
		read: fromParquet(func(ctx context.Context, p *rows.Parquet, _ *content, to *sink) (int64, error) {
			return pmxt.ImportV2(ctx, p, to)
		}),
	}, {
		name: "pmxt-v1", about: "an hour of the PMXT archive, Parquet with JSON in it", needs: pmxt.NeedsV1(),
		read: fromParquet(func(ctx context.Context, p *rows.Parquet, _ *content, to *sink) (int64, error) {
			return pmxt.ImportV1(ctx, p, to)
		}),
	}}
	for _, c := range []struct {
		name, about string
		channel     telonex.Channel
	}{
		{"telonex-books", "whole books of Telonex, Parquet", telonex.Books},
		{"telonex-best", "books of Telonex, their best few levels, Parquet", telonex.Best},
		{"telonex-quotes", "best prices of Telonex, Parquet", telonex.Quotes},
		{"telonex-trades", "trades of Telonex, Parquet", telonex.Trades},
	} {
		all = append(all, format{
			name: c.name, about: c.about, needs: telonex.Needs(c.channel),
			read: fromParquet(func(ctx context.Context, p *rows.Parquet, _ *content, to *sink) (int64, error) {
				return telonex.Import(ctx, c.channel, p, to)
			}),
		})
	}
	all = append(all, format{
		name: "telonex-markets", about: "Telonex's list of markets, Parquet", metadata: true, authority: store.FromList,
		needs: telonex.NeedsMarkets(),
		read: fromParquet(func(ctx context.Context, p *rows.Parquet, _ *content, to *sink) (int64, error) {
			return telonex.ImportMarkets(ctx, p, to)
		}),
	}, format{
		name: "marketlens", about: "a market's history of Marketlens, Parquet", needs: marketlens.NeedsHistory(),
		read: fromParquet(func(ctx context.Context, p *rows.Parquet, in *content, to *sink) (int64, error) {
			return marketlens.ImportHistory(ctx, p, in.name, to)
		}),
	}, format{
		name: "marketlens-markets", about: "Marketlens's markets.csv", metadata: true, authority: store.FromList,
		needs: marketlens.NeedsMarkets(), csv: true,
		read: func(ctx context.Context, in *content, to *sink) (int64, error) {
			return marketlens.ImportMarkets(ctx, in, to)
		},
	}, format{
		name: "quotes-csv", about: "best prices of up/down rounds once a second, CSV", needs: quotecsv.Needs(), csv: true,
		read: func(ctx context.Context, in *content, to *sink) (int64, error) {
			return quotecsv.Import(ctx, in, in.name, quotecsv.Options{Coin: in.o.Coin, Zone: in.o.Zone}, to)
		},
	}, format{
		name: "price-history", about: "the exchange's price history of a token, JSON", recognise: prices.RecogniseJSON,
		read: func(ctx context.Context, in *content, to *sink) (int64, error) {
			return prices.ImportJSON(ctx, in, in.name, in.priceOptions(), to)
		},
	}, format{
		name: "prices-csv", about: "prices of a token, CSV of t and p", needs: prices.Needs(), csv: true,
		read: func(ctx context.Context, in *content, to *sink) (int64, error) {
			return prices.ImportCSV(ctx, in, in.name, in.priceOptions(), to)
		},
	}, format{
		name: "prices-parquet", about: "prices of a token, Parquet of t and p", needs: prices.Needs(),
		read: fromParquet(func(ctx context.Context, p *rows.Parquet, in *content, to *sink) (int64, error) {
			return prices.ImportParquet(ctx, p, in.name, in.priceOptions(), to)
		}),
	})
	all = append(all, usSports("us-quotes", "quotes of Polymarket US, Parquet", ussports.Quotes),
		usSports("us-watch", "quotes of a few markets of Polymarket US, polled more often, Parquet", ussports.Watch),
		usSports("us-markets", "markets of Polymarket US, Parquet", ussports.Markets),
		usSports("us-labels", "outcomes of Polymarket US, Parquet", ussports.Labels))
	all = append(all, exports()...)
	for i := range all {
		if all[i].authority == 0 {
			all[i].authority = store.FromCaptures
		}
	}
	return all
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// open opens the content as a table, Parquet, CSV or JSON lines, and reads the
// columns.
func (c *content) open(columns []string) (rows.Table, error) {
	r := bufio.NewReader(c)
	if head, _ := r.Peek(len(magicParquet)); bytes.Equal(head, magicParquet) {
		p, err := c.parquet()
		if err != nil {
			return nil, err
		}
		return p.Read(columns...)
	}
	if head, _ := r.Peek(len(byteOrderMark) + 1); bytes.HasPrefix(bytes.TrimPrefix(head, byteOrderMark), []byte("{")) {
		t, err := rows.OpenLines(r)
		if err != nil {
			return nil, err
		}
		return t.Read(columns...)
	}
	t, err := rows.OpenCSV(r)
	if err != nil {
		return nil, err
	}
	t.Lines = true
	return t.Read(columns...)
}

// fromTable makes the read function of a format of tables, of which the columns are read.
func fromTable(columns []string, read func(context.Context, rows.Table, *sink) (int64, error)) func(context.Context, *content, *sink) (int64, error) {
	return func(ctx context.Context, in *content, to *sink) (int64, error) {
		t, err := in.open(columns)
		if err != nil {
			return 0, err
		}
		return read(ctx, t, to)
	}
}

// exports are the tables that package export writes.
func exports() []format {
	out := []format{{
		name: "ladderback-captures", about: "captures exported from an archive, Parquet, CSV or JSON lines", needs: exported.NeedsCaptures(), exported: true, text: exported.NeedsText(),
		read: fromTable(exported.CaptureColumns(), func(ctx context.Context, t rows.Table, to *sink) (int64, error) {
			return exported.Captures(ctx, t, to)
		}),
	}, {
		name: "ladderback-levels", about: "captures exported with a level a row, Parquet, CSV or JSON lines", needs: exported.NeedsLevels(), exported: true,
		read: fromTable(exported.LevelColumns(), func(ctx context.Context, t rows.Table, to *sink) (int64, error) {
			return exported.Levels(ctx, t, to)
		}),
	}}
	for _, k := range []struct {
		name string
		kind exported.Kind
	}{
		{"markets", exported.Markets}, {"tokens", exported.Tokens}, {"payouts", exported.Payouts},
		{"gaps", exported.Gaps}, {"events", exported.Events}, {"series", exported.Series},
	} {
		out = append(out, format{
			name: "ladderback-" + k.name, about: k.name + " exported from an archive, Parquet, CSV or JSON lines",
			metadata: true, authority: store.FromList, needs: exported.Needs(k.kind), exported: true,
			read: fromTable(rows.Names(exported.Needs(k.kind)), func(ctx context.Context, t rows.Table, to *sink) (int64, error) {
				return exported.ImportMarkets(ctx, k.kind, t, to)
			}),
		})
	}
	return out
}

// usSports is a format of package ussports.
func usSports(name, about string, kind ussports.Kind) format {
	f := format{
		name: name, about: about, needs: ussports.Needs(kind),
		read: fromParquet(func(ctx context.Context, p *rows.Parquet, _ *content, to *sink) (int64, error) {
			return ussports.Import(ctx, kind, p, to)
		}),
	}
	if kind == ussports.Markets || kind == ussports.Labels {
		f.metadata, f.authority = true, store.FromList
	}
	return f
}

// Formats returns the names of the formats that can be imported.
func Formats() []string {
	var names []string
	for _, f := range formats() {
		names = append(names, f.name)
	}
	return names
}

// DescribeFormats returns one line per format: its name and a description.
func DescribeFormats() []string {
	var lines []string
	for _, f := range formats() {
		lines = append(lines, f.name+": "+f.about)
	}
	return lines
}

func formatNamed(name string) (format, bool) {
	for _, f := range formats() {
		if strings.EqualFold(f.name, name) {
			return f, true
		}
	}
	return format{}, false
}

// is reports whether a file is of the format.
func (f *format) is(p *probe) bool {
	if f.recognise != nil {
		return !p.parquet && f.recognise(p.prefix)
	}
	if f.exported && !p.parquet {
		return f.isText(p.columns) || f.isText(p.members)
	}
	return p.columns != nil && f.csv == !p.parquet && len(rows.Missing(p.columns, f.needs)) == 0
}

// isText reports whether a table of text has the columns of one that was exported.
func (f *format) isText(have []rows.Column) bool {
	want := f.text
	if want == nil {
		want = f.needs
	}
	return have != nil && len(rows.Missing(have, want)) == 0
}

func recognise(p *probe) (format, bool) {
	// What was exported names all of its columns, which says more than a member that
	// other formats are known by.
	for _, f := range formats() {
		if f.exported && f.isText(p.members) {
			return f, true
		}
	}
	for _, f := range formats() {
		if f.is(p) {
			return f, true
		}
	}
	return format{}, false
}

// page is the page of the documentation that lists all formats.
const page = "docs/formats.md lists every format and its columns (ladderback help formats)"

// unknown says of a file that is of no format what it is instead.
func unknown(p *probe) error {
	if p.columns == nil {
		return unknownText(p.prefix)
	}
	var have []string
	for i, c := range p.columns {
		if i == maxNamed {
			have = append(have, fmt.Sprintf("and %d more", len(p.columns)-i))
			break
		}
		have = append(have, fmt.Sprintf("%s (%s)", parquet.Shorten(c.Name), c.Kind))
	}
	var nearest format
	var missing []string
	for _, f := range formats() {
		if f.needs == nil || !f.exported && f.csv == p.parquet {
			continue
		}
		// The nearest has most of its columns there: as a share.
		m := rows.Missing(p.columns, f.needs)
		if nearest.needs == nil || len(m)*len(nearest.needs) < len(missing)*len(f.needs) {
			nearest, missing = f, m
		}
	}
	if 2*len(missing) > len(nearest.needs) {
		return fmt.Errorf("%w: its columns are %s; %s", ErrFormat, strings.Join(have, ", "), page)
	}
	var want []string
	for _, w := range nearest.needs {
		text := w.Name
		if slices.Contains(missing, w.Name) {
			var kinds []string
			for _, k := range w.Kinds {
				kinds = append(kinds, k.String())
			}
			text += " (" + strings.Join(kinds, " or ") + ", missing)"
		}
		want = append(want, text)
	}
	return fmt.Errorf("%w: its columns are %s; the nearest format, %s, has %s; %s",
		ErrFormat, strings.Join(have, ", "), nearest.name, strings.Join(want, ", "), page)
}

// unknownText says of a file that is no table what it is instead.
func unknownText(prefix []byte) error {
	if bytes.HasPrefix(prefix, []byte("SQLite format 3\x00")) {
		return fmt.Errorf("%w: a database of SQLite: of an archive, `ladderback archive copy` brings the contents into another", ErrFormat)
	}
	if names := membersOf(prefix); len(names) > 0 {
		return fmt.Errorf("%w: JSON whose members are %s; a collector's log has lines such as %s; %s",
			ErrFormat, strings.Join(names, ", "), `{"recv": 1776081409.871942, "slug": "btc-updown-5m-1776081600", "msg": {…}}`, page)
	}
	return fmt.Errorf("%w: %s", ErrFormat, page)
}

// membersOf returns the names of the members of the first object in JSON, whose end
// may be missing.
func membersOf(prefix []byte) (names []string) {
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(prefix, byteOrderMark)))
	t, err := d.Token()
	for err == nil && t == json.Delim('[') {
		t, err = d.Token()
	}
	if err != nil || t != json.Delim('{') {
		return nil
	}
	for d.More() && len(names) < maxNamed {
		name, err := d.Token()
		if err != nil {
			return names
		}
		names = append(names, parquet.Shorten(fmt.Sprint(name)))
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return names
		}
	}
	return names
}

// maxNamed is how many columns of an unknown file are named.
const maxNamed = 40
