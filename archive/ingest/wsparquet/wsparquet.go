// Package wsparquet reads the Parquet files of a collector of the exchange's
// WebSocket messages: one row per message, verbatim in raw_data.
package wsparquet

import (
	"context"

	"github.com/ladderback/ladderback/archive/ingest/rows"
	"github.com/ladderback/ladderback/archive/ingest/scalar"
	"github.com/ladderback/ladderback/archive/ingest/stream"
	"github.com/ladderback/ladderback/archive/ingest/wslog"
)

// Needs returns the columns that identify these files.
func Needs() []rows.Want {
	return append(rows.Needs("timestamp", rows.Times...), rows.Needs("slug raw_data", rows.Text)...)
}

// Import reads a file to its end, as stream.Import does.
func Import(ctx context.Context, p *rows.Parquet, to stream.Sink) (messages int64, err error) {
	t, err := p.Read("timestamp", "slug", "raw_data")
	if err != nil {
		return 0, err
	}
	return stream.Import(ctx, &source{t: t}, to)
}

type source struct {
	t rows.Table
	d wslog.Decoder
}

// Next returns the messages of the next row. They are those of a line of a log
// that has this receive time, slug and message.
func (s *source) Next() ([]stream.Message, error) {
	for {
		if err := s.t.Next(); err != nil {
			return nil, err
		}
		recv, r := rows.Received(s.t, 0)
		slug, text := s.t.Text(1), s.t.Text(2)
		switch {
		case len(text) > wslog.MaxLine:
			r = stream.TooLong
		case r == stream.OK && len(slug) > 0 && !scalar.ID(slug):
			r = stream.BadID
		}
		if r != stream.OK {
			return []stream.Message{{Reject: r}}, nil
		}
		if msgs := s.d.DecodeMessage(recv, slug, text); len(msgs) > 0 {
			return msgs, nil
		}
	}
}

func (s *source) Line() (int64, []byte) { return s.t.Row(), s.t.Text(2) }
