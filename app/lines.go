package app

import (
	"context"
	"io"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/ladderback/ladderback/api/wire"
)

// lines writes records as the JSONHandler that it has does, in a third of the time: those of
// plain text and numbers, as a request's is. All others it leaves to that handler.
type lines struct {
	slog.Handler
	out   io.Writer // takes a line a call, from any goroutine
	clean func(text string) string
}

// oneByOne is a writer that is called by one goroutine at a time.
type oneByOne struct {
	mu sync.Mutex
	w  io.Writer
}

// Write implements io.Writer.
func (o *oneByOne) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.w.Write(p)
}

// Handle implements slog.Handler.
func (l *lines) Handle(ctx context.Context, r slog.Record) error {
	line := wire.TakeBuffer()
	defer line.Give()
	b := append(line.B, `{"time":"`...)
	b = r.Time.AppendFormat(b, time.RFC3339Nano)
	b = append(append(append(b, `","level":"`...), r.Level.String()...), '"')
	b, plain := l.append(b, slog.String(slog.MessageKey, r.Message))
	r.Attrs(func(at slog.Attr) bool {
		if plain {
			b, plain = l.append(b, at)
		}
		return plain
	})
	line.B = append(b, '}', '\n')
	if !plain || r.Time.IsZero() {
		return l.Handler.Handle(ctx, r)
	}
	_, err := l.out.Write(line.B)
	return err
}

// append appends an attribute, if it is one of those that Handle writes.
func (l *lines) append(b []byte, at slog.Attr) ([]byte, bool) {
	if at.Key == "" || !plainText(at.Key) {
		return b, false
	}
	b = append(append(append(b, `,"`...), at.Key...), `":`...)
	switch v := at.Value; v.Kind() {
	case slog.KindString:
		text := l.clean(v.String())
		return append(append(append(b, '"'), text...), '"'), plainText(text)
	case slog.KindInt64:
		return strconv.AppendInt(b, v.Int64(), 10), true
	case slog.KindFloat64:
		f := v.Float64()
		return strconv.AppendFloat(b, f, 'f', -1, 64), f == 0 || f > 1e-6 && f < 1e21
	}
	return b, false
}

// plainText reports whether a text is the same in JSON.
func plainText(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
