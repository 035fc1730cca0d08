package wire

import (
	"context"
	"errors"
	"net/http"
	"net/url"
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

// storableQuery is Storable of a query that can be read.
func storableQuery(raw string) bool {
	query, err := url.QueryUnescape(raw)
	return err != nil || Storable(query)
}

// Checked refuses requests with an address that no store could look up: with null
// characters, or bytes that are not UTF-8. Data routes tell of theirs themselves: what is
// named is not found, a parameter is refused by its name. It also ends the connection of an HTTP/1 client that
// sends a body in chunks, which may have named a length beside it (RFC 9112, 6.1; net/http
// takes the length away before a handler runs).
func Checked(fail func(w http.ResponseWriter, r *http.Request, err error)) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.ProtoMajor == 1 && len(r.TransferEncoding) > 0 {
				w.Header().Set("Connection", "close")
			}
			switch {
			case strings.HasPrefix(strings.TrimPrefix(r.URL.Path, "/app"), "/v1/"):
				next.ServeHTTP(w, r)
			case !Storable(r.URL.Path):
				fail(w, r, market.Errorf(market.CodeNotFound, "no such route: %q", r.URL.Path))
			case !storableQuery(r.URL.RawQuery):
				fail(w, r, BadRequest("the query has null characters, or bytes that are not UTF-8"))
			default:
				next.ServeHTTP(w, r)
			}
		})
	}
}
