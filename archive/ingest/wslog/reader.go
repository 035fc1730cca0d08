package wslog

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/ladderback/ladderback/archive/ingest/stream"
)

const (
	readSize = 256 << 10
	// MaxLine is the longest line that is read, in bytes; longer ones are
	// rejected and skipped.
	MaxLine = 16 << 20
)

// Reader reads a log line by line. It is not safe for concurrent use.
type Reader struct {
	r   io.Reader
	d   Decoder
	buf []byte
	// buf[pos:end] is what was read and not yet handed out; scanned bytes of it
	// are known to hold no line end.
	pos, end, scanned int
	err               error // of r; io.EOF at its end
	text              []byte
	line              int64
	skipping          bool // within a line that is too long
}

// NewReader returns a Reader of r.
func NewReader(r io.Reader) *Reader {
	return &Reader{r: r, buf: make([]byte, readSize)}
}

// Import reads a log to its end and puts what it says into to, as stream.Import
// does.
func Import(ctx context.Context, r io.Reader, to stream.Sink) (messages int64, err error) {
	return stream.Import(ctx, NewReader(r), to)
}

// Next returns the messages of the next line that holds anything, io.EOF at the
// end, or the error of the underlying reader. A line cut short by such an error
// is not returned. The messages and Line are valid until the next call.
func (r *Reader) Next() ([]stream.Message, error) {
	for {
		line, tooLong, err := r.next()
		if err != nil {
			return nil, err
		}
		r.line++
		r.text = line
		if tooLong {
			r.d.msgs = r.d.msgs[:0]
			r.d.reject(stream.TooLong)
			return r.d.msgs, nil
		}
		if r.line == 1 {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		if msgs := r.d.Decode(line); len(msgs) > 0 {
			return msgs, nil
		}
	}
}

// Line returns the number, from 1, and the text of the line last read by Next.
// If the line is too long, text is its first part.
func (r *Reader) Line() (number int64, text []byte) { return r.line, r.text }

// next returns the next line without its end.
func (r *Reader) next() (line []byte, tooLong bool, err error) {
	for {
		if i := bytes.IndexByte(r.buf[r.pos+r.scanned:r.end], '\n'); i >= 0 {
			i += r.pos + r.scanned
			line = r.buf[r.pos:i]
			r.pos, r.scanned = i+1, 0
			if r.skipping {
				r.skipping = false
				continue
			}
			return r.bounded(line)
		}
		r.scanned = r.end - r.pos
		if r.err != nil {
			line = r.buf[r.pos:r.end]
			r.pos, r.scanned = r.end, 0
			if errors.Is(r.err, io.EOF) && len(line) > 0 && !r.skipping {
				return r.bounded(line)
			}
			return nil, false, r.err
		}
		if r.scanned > MaxLine {
			line = r.buf[r.pos:r.end]
			first := !r.skipping
			r.pos, r.scanned, r.skipping = r.end, 0, true
			if first {
				return r.bounded(line)
			}
			continue
		}
		r.fill()
	}
}

// keepOfLong is how much of a line that is too long is handed out, in bytes.
const keepOfLong = 1024

func (r *Reader) bounded(line []byte) ([]byte, bool, error) {
	if len(line) > MaxLine {
		return line[:keepOfLong], true, nil
	}
	return line, false, nil
}

// fill reads more, making room first.
func (r *Reader) fill() {
	if r.pos > 0 {
		copy(r.buf, r.buf[r.pos:r.end])
		r.end -= r.pos
		r.pos = 0
	}
	if r.end == len(r.buf) {
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
	}
	for empty := 0; r.err == nil; empty++ {
		n, err := r.r.Read(r.buf[r.end:])
		r.end += n
		r.err = err
		if n > 0 {
			return
		}
		if err == nil && empty == 100 {
			r.err = io.ErrNoProgress
		}
	}
	if errors.Is(r.err, io.EOF) {
		r.err = io.EOF
	}
}
