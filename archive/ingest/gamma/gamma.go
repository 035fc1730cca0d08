package gamma

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/ladderback/ladderback/market"
)

// Sink receives the metadata.
type Sink interface {
	Series(ctx context.Context, s market.Series) error
	Event(ctx context.Context, e market.Event) error
	Market(ctx context.Context, m market.Market) (handle int, err error)
	// Done says that the object has no more of the market.
	Done(ctx context.Context, handle int) error
	// Reject takes an object that says nothing usable; line is where it begins
	// in JSON lines, else its number in the file, from 1.
	Reject(line int64, text []byte, reason string)
}

// Recognise reports whether prefix, the beginning of a file, is JSON with the
// members that only Gamma's markets have.
func Recognise(prefix []byte) bool {
	head := bytes.TrimSpace(bytes.TrimPrefix(prefix, bom))
	if len(head) == 0 || head[0] != '{' && head[0] != '[' {
		return false
	}
	if bytes.Contains(head, []byte(`"transactionHash"`)) { // trades name the market too
		return false
	}
	return bytes.Contains(head, []byte(`"conditionId"`)) || bytes.Contains(head, []byte(`"clobTokenIds"`))
}

var bom = []byte("\xef\xbb\xbf")

const (
	firstLook = 4 << 20  // how far to look for the end of the first line
	maxObject = 64 << 20 // the longest object or line that is read
)

// Import reads metadata to its end and passes it to to. It returns the number
// of markets, rejected ones included (an object that is not a market counts as
// one), and the error that ended it early: the context's, the sink's, r's, or
// where the text stops being JSON.
func Import(ctx context.Context, r io.Reader, to Sink) (objects int64, err error) {
	in := bufio.NewReaderSize(r, firstLook)
	// An error comes up again when what could be read has been read.
	head, _ := in.Peek(firstLook)
	im := importer{to: to, in: in}
	if bytes.HasPrefix(head, bom) {
		_, _ = in.Discard(len(bom))
		head = head[len(bom):]
	}
	line, _, ended := bytes.Cut(bytes.TrimLeft(head, " \t\r\n"), []byte("\n"))
	if ended && json.Valid(line) {
		err = im.lines(ctx)
	} else {
		err = im.document(ctx)
	}
	return im.objects, err
}

type importer struct {
	to      Sink
	in      *bufio.Reader
	objects int64
	at      int64 // line or number of the object at hand
}

func (im *importer) reject(raw []byte, reason string) {
	im.objects++
	im.to.Reject(im.at, raw, reason)
}

// lines reads JSON lines: a bad one does not end the file.
func (im *importer) lines(ctx context.Context) error {
	var line []byte
	for {
		part, err := im.in.ReadSlice('\n')
		if room := maxObject - len(line); len(part) > room {
			part = part[:room]
		}
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && err != io.EOF {
			return err
		}
		im.at++
		if text := bytes.TrimSpace(line); len(text) > 0 {
			if len(line) == maxObject {
				im.reject(text[:1024], reasonTooLong)
			} else if err := im.value(ctx, text, 0); err != nil {
				return err
			}
		}
		line = line[:0]
		if err == io.EOF {
			return nil
		}
	}
}

// document reads values one after another, written over any number of lines.
// The elements of an array at the top are read one by one.
func (im *importer) document(ctx context.Context) error {
	bounded := &boundedReader{r: im.in, left: maxObject}
	d := json.NewDecoder(bounded)
	depth := 0
	for {
		if depth > 0 && !d.More() {
			if _, err := d.Token(); err != nil {
				return unexpected(err)
			}
			depth--
			continue
		}
		if depth == 0 {
			c, err := im.peek(d)
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if c == '[' {
				if _, err := d.Token(); err != nil {
					return unexpected(err)
				}
				depth++
				continue
			}
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return unexpected(err)
		}
		bounded.left = maxObject
		im.at++
		if err := im.value(ctx, raw, 0); err != nil {
			return err
		}
	}
}

// peek returns the next byte that d will read and that is not white space.
func (im *importer) peek(d *json.Decoder) (byte, error) {
	for {
		rest, err := io.ReadAll(io.LimitReader(d.Buffered(), firstLook))
		if err != nil {
			return 0, err
		}
		if rest = bytes.TrimLeft(rest, " \t\r\n"); len(rest) > 0 {
			return rest[0], nil
		}
		// Nothing but white space is buffered: the next byte is the reader's.
		b, err := im.in.Peek(1)
		if err != nil {
			return 0, err
		}
		if b[0] != ' ' && b[0] != '\t' && b[0] != '\r' && b[0] != '\n' {
			return b[0], nil
		}
		_, _ = im.in.Discard(1)
	}
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("%w at byte %d: %w", ErrSyntax, syntax.Offset, err)
	}
	return err
}

// ErrSyntax says that the text stops being JSON, and nothing behind that can be
// read.
var ErrSyntax = errors.New("not valid JSON")

// boundedReader fails when more than left bytes are read without a new object.
type boundedReader struct {
	r    io.Reader
	left int
}

var errTooLong = errors.New(reasonTooLong)

func (b *boundedReader) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// maxNested is how deep arrays and wrappers may stand in each other: each is read
// again with all that it holds.
const maxNested = 8

// value takes an array or an object of any of the known shapes, which stands in
// depth others.
func (im *importer) value(ctx context.Context, raw []byte, depth int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if depth > maxNested {
		im.reject(raw, reasonShape)
		return nil
	}
	if len(raw) > 0 && raw[0] == '[' {
		var parts []json.RawMessage
		if json.Unmarshal(raw, &parts) != nil {
			im.reject(raw, reasonJSON)
			return nil
		}
		return im.all(ctx, parts, depth+1)
	}
	var s shape
	if err := json.Unmarshal(raw, &s); err != nil {
		im.reject(raw, reasonOf(err))
		return nil
	}
	switch {
	case s.isMarket():
		return im.market(ctx, raw, nil)
	case s.isEvent():
		return im.event(ctx, raw)
	case s.Markets != nil || s.Events != nil || s.Data != nil:
		for _, part := range [][]json.RawMessage{s.Markets, s.Events, s.Data} {
			if err := im.all(ctx, part, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	im.reject(raw, reasonShape)
	return nil
}

func reasonOf(err error) string {
	if _, ok := errors.AsType[*json.SyntaxError](err); ok {
		return reasonJSON
	}
	return reasonMember
}

func (im *importer) all(ctx context.Context, parts []json.RawMessage, depth int) error {
	for _, p := range parts {
		if err := im.value(ctx, p, depth); err != nil {
			return err
		}
	}
	return nil
}

// event takes an event with its markets.
func (im *importer) event(ctx context.Context, raw []byte) error {
	var e groupEvent
	if err := json.Unmarshal(raw, &e); err != nil {
		im.reject(raw, reasonMember)
		return nil
	}
	for _, m := range e.Markets {
		if err := im.market(ctx, m, &e); err != nil {
			return err
		}
	}
	return nil
}

func (im *importer) market(ctx context.Context, raw []byte, e *groupEvent) error {
	var o marketObject
	if err := json.Unmarshal(raw, &o); err != nil {
		im.reject(raw, reasonMember)
		return nil
	}
	l, reason := convert(&o, e)
	if reason != "" {
		im.reject(raw, reason)
		return nil
	}
	im.objects++
	if l.series.VenueID != "" {
		if err := im.to.Series(ctx, l.series); err != nil {
			return err
		}
	}
	if l.event.VenueID != "" {
		if err := im.to.Event(ctx, l.event); err != nil {
			return err
		}
	}
	h, err := im.to.Market(ctx, l.market)
	if err != nil {
		return err
	}
	return im.to.Done(ctx, h)
}
