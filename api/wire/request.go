package wire

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/ladderback/ladderback/market"
)

// RequestLog collects what the log line of a request says.
type RequestLog struct {
	ID   string
	Key  string      // the key's id, never the key
	Code market.Code // of the error that was answered; empty: none
	Bulk int64       // points of a bulk answer
	Long bool        // may take long: a backtest, a bulk answer
	Cut  bool        // the client disconnected before the end of the answer
}

type logKey struct{}

// WithLog returns a context that carries the log of a request.
func WithLog(ctx context.Context, l *RequestLog) context.Context {
	return context.WithValue(ctx, logKey{}, l)
}

// LogOf returns the log of a request; never nil.
func LogOf(ctx context.Context) *RequestLog {
	if l, ok := ctx.Value(logKey{}).(*RequestLog); ok {
		return l
	}
	return &RequestLog{}
}

// ClientGone reports whether the client seems to have gone: net/http ends the
// context of a request whose connection or stream was closed, or could not be
// read in time.
func ClientGone(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }

// Storable reports whether a text can be kept by every store: PostgreSQL takes neither
// null characters nor what is not UTF-8.
func Storable(text string) bool {
	return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0
}
