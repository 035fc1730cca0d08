package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/market"
)

// retryUnavailable is after how many seconds a client may ask again what was not
// available.
const retryUnavailable = 5

func badRequest(format string, args ...any) *market.Error {
	return market.Errorf(market.CodeBadRequest, format, args...)
}

func forbidden(format string, args ...any) *market.Error {
	return market.Errorf(market.CodeForbidden, format, args...)
}

func notFound(what, id string) *market.Error {
	return market.Errorf(market.CodeNotFound, "%s not found: %s", what, id)
}

func unavailable(what string, cause error) *market.Error {
	return &market.Error{
		Code: market.CodeUnavailable, Message: what + " is not available at the moment", Cause: cause, RetryAfter: retryUnavailable,
	}
}

func internal(ctx context.Context) *market.Error {
	return market.Errorf(market.CodeInternal, "internal error; request id %s", requestID(ctx))
}

// detail is one item of a 422.
type detail struct {
	Loc  []any  `json:"loc"` // strings, and numbers for places in arrays
	Msg  string `json:"msg"`
	Type string `json:"type"`
}

// details are what lies behind a CodeInvalid: every parameter that fails, at once.
type details []detail

// invalid returns the error that a 422 is made of.
func invalid(items details) error {
	return &market.Error{Code: market.CodeInvalid, Message: items.Error(), Cause: items}
}

// Error says in words what the items say.
func (items details) Error() string {
	parts := make([]string, len(items))
	for i, d := range items {
		name := make([]string, 0, len(d.Loc))
		for _, part := range d.Loc[1:] { // after path, query or body
			name = append(name, fmt.Sprint(part))
		}
		parts[i] = strings.Join(name, ".") + ": " + d.Msg
	}
	return strings.Join(parts, "; ")
}

// validationBody is the body of a 422.
type validationBody struct {
	Detail  details `json:"detail"`
	Message string  `json:"message"`
}

// envelope is the body of every error but a 422.
type envelope struct {
	Error   market.Code `json:"error"`
	Message string      `json:"message"`
	// Of a refused prompt: a whole prompt that can be read, and what the message is
	// about.
	Suggestion string          `json:"suggestion,omitempty"`
	At         []market.Phrase `json:"at,omitempty"`
}

func envelopeOf(e *market.Error) envelope { return envelope{e.Code, e.Message, e.Suggestion, e.At} }

// fail answers with an error. One that no *market.Error tells of is a 500, which
// says nothing of the inside: the log has it under the request's id. A client that
// has gone makes no failure of ours: the request is logged as a 499.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if clientGone(r.Context()) && market.CodeOf(err).Status() >= http.StatusInternalServerError {
		w.WriteHeader(market.StatusClientGone)
		return
	}
	if items, ok := errors.AsType[details](err); ok {
		writeJSON(w, market.CodeInvalid.Status(), validationBody{items, items.Error()})
		return
	}
	e := s.told(r.Context(), err)
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(e.RetryAfter))
	}
	if e.Code == market.CodeUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	writeJSON(w, e.Code.Status(), envelopeOf(e))
}

// clientGone reports whether nobody seems to wait for the answer any more: net/http
// ends the context of a request whose connection or stream was closed, or could not
// be read from in time.
func clientGone(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }

// told turns err into what the caller may see, and logs what it may not.
func (s *Server) told(ctx context.Context, err error) *market.Error {
	e := market.AsError(err)
	switch {
	case e != nil && e.Code == market.CodeUnavailable && e.RetryAfter == 0: // of an archive
		e = &market.Error{Code: e.Code, Message: e.Message, Cause: err, RetryAfter: retryUnavailable}
	case e != nil && e.Code.Status() != http.StatusInternalServerError:
	case outOfReach(err):
		e = unavailable("the archive", err)
	default:
		s.log.LogAttrs(ctx, slog.LevelError, "internal error", slog.String("request_id", requestID(ctx)), slog.String("cause", err.Error()))
		return internal(ctx)
	}
	if e.Cause != nil {
		s.log.LogAttrs(ctx, slog.LevelWarn, e.Message, slog.String("request_id", requestID(ctx)), slog.String("cause", e.Cause.Error()))
	}
	return e
}

// writeJSON answers with v as JSON.
func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := backtest.CompactJSON(v)
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(`{"error":"internal_error","message":"internal error"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client has gone: nobody is left to tell
}
