package wire

import (
	"context"
	"errors"
)

// RequestLog gathers what the log line of a request says.
type RequestLog struct {
	ID   string
	Key  string // the key's id, never the key
	Long bool   // it may take its time: a backtest, a bulk answer
	Cut  bool   // the client went away while the answer was on its way
}

type logKey struct{}

// WithLog gives a request its log.
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

// ClientGone reports whether nobody seems to wait for the answer any more: net/http
// ends the context of a request whose connection or stream was closed, or could not
// be read from in time.
func ClientGone(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }
