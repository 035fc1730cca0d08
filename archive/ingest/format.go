package ingest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/ladderback/ladderback/archive/ingest/gamma"
	"github.com/ladderback/ladderback/archive/ingest/marketsfile"
	"github.com/ladderback/ladderback/archive/ingest/ussports"
	"github.com/ladderback/ladderback/archive/ingest/wslog"
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
	// recognise reports whether a file is of this format. Only one of the
	// formats says so.
	recognise func(p *probe) bool
	// read puts what the file says into to. It returns how many messages or
	// rows it held, rejected ones included.
	read func(ctx context.Context, in *content, to *sink) (int64, error)
}

// probe is what a format is recognised by.
type probe struct {
	prefix []byte // the beginning of the file, after decompression
	table         // zero for a compressed file
}

// content is the content of a file.
type content struct {
	io.Reader // after decompression
	table     // zero for a compressed file
}

// table is a file for formats that are read here and there.
type table struct {
	file io.ReaderAt
	size int64
}

// errCompressed: a format that is read here and there, inside gzip or zstd.
var errCompressed = errors.New("a Parquet file inside a compressed one: unpack it first")

// byPrefix recognises a format that is read from front to back.
func byPrefix(f func(prefix []byte) bool) func(*probe) bool {
	return func(p *probe) bool { return f(p.prefix) }
}

// usSports is a format of package ussports.
func usSports(kind ussports.Kind) (recognise func(*probe) bool, read func(context.Context, *content, *sink) (int64, error)) {
	return func(p *probe) bool {
			return p.file != nil && bytes.HasPrefix(p.prefix, magicParquet) && ussports.KindOf(p.file, p.size) == kind
		}, func(ctx context.Context, in *content, to *sink) (int64, error) {
			if in.file == nil {
				return 0, errCompressed
			}
			return ussports.Import(ctx, kind, in.file, in.size, to)
		}
}

func formats() []format {
	isQuotes, readQuotes := usSports(ussports.Quotes)
	isMarkets, readMarkets := usSports(ussports.Markets)
	isLabels, readLabels := usSports(ussports.Labels)
	return []format{{
		name:      "polymarket-ws",
		about:     "the exchange's WebSocket log, JSON lines",
		authority: store.FromCaptures,
		recognise: byPrefix(wslog.Recognise),
		read: func(ctx context.Context, in *content, to *sink) (int64, error) {
			return wslog.Import(ctx, in, to)
		},
	}, {
		name:      "markets",
		about:     "a collector's list of up/down rounds, JSON lines",
		metadata:  true,
		authority: store.FromList,
		recognise: byPrefix(marketsfile.Recognise),
		read: func(ctx context.Context, in *content, to *sink) (int64, error) {
			return marketsfile.Import(ctx, in, to)
		},
	}, {
		name:      "gamma",
		about:     "Gamma's markets and events, JSON",
		metadata:  true,
		authority: store.FromExchange,
		recognise: byPrefix(gamma.Recognise),
		read: func(ctx context.Context, in *content, to *sink) (int64, error) {
			return gamma.Import(ctx, in, to)
		},
	}, {
		name: "us-quotes", about: "quotes of Polymarket US, Parquet",
		authority: store.FromCaptures, recognise: isQuotes, read: readQuotes,
	}, {
		name: "us-markets", about: "markets of Polymarket US, Parquet", metadata: true,
		authority: store.FromList, recognise: isMarkets, read: readMarkets,
	}, {
		name: "us-labels", about: "outcomes of Polymarket US, Parquet", metadata: true,
		authority: store.FromList, recognise: isLabels, read: readLabels,
	}}
}

// Formats returns the names of the formats that files can be read in.
func Formats() []string {
	var names []string
	for _, f := range formats() {
		names = append(names, f.name)
	}
	return names
}

// DescribeFormats returns one line a format, its name and what it is.
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

func recognise(p *probe) (format, bool) {
	for _, f := range formats() {
		if f.recognise(p) {
			return f, true
		}
	}
	return format{}, false
}
