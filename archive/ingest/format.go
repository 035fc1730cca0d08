package ingest

import (
	"context"
	"io"
	"strings"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/ingest/gamma"
	"github.com/ladderback/ladderback/archive/ingest/marketsfile"
	"github.com/ladderback/ladderback/archive/ingest/wslog"
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
	authority archive.Authority
	// recognise reports whether prefix, the beginning of a file after
	// decompression, is of this format. Only one of the formats says so.
	recognise func(prefix []byte) bool
	// read puts what the file says into to. It returns how many messages or
	// rows it held, rejected ones included.
	read func(ctx context.Context, in io.Reader, to *sink) (int64, error)
}

func formats() []format {
	return []format{{
		name:      "polymarket-ws",
		about:     "the exchange's WebSocket log, JSON lines",
		authority: archive.FromCaptures,
		recognise: wslog.Recognise,
		read: func(ctx context.Context, in io.Reader, to *sink) (int64, error) {
			return wslog.Import(ctx, in, to)
		},
	}, {
		name:      "markets",
		about:     "a collector's list of up/down rounds, JSON lines",
		metadata:  true,
		authority: archive.FromList,
		recognise: marketsfile.Recognise,
		read: func(ctx context.Context, in io.Reader, to *sink) (int64, error) {
			return marketsfile.Import(ctx, in, to)
		},
	}, {
		name:      "gamma",
		about:     "Gamma's markets and events, JSON",
		metadata:  true,
		authority: archive.FromExchange,
		recognise: gamma.Recognise,
		read: func(ctx context.Context, in io.Reader, to *sink) (int64, error) {
			return gamma.Import(ctx, in, to)
		},
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

func recognise(prefix []byte) (format, bool) {
	for _, f := range formats() {
		if f.recognise(prefix) {
			return f, true
		}
	}
	return format{}, false
}
