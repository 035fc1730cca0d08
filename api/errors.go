package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/backtest"
)

// Codes of the error envelope: stable, for machines.
const (
	codeBadRequest        = "bad_request"
	codeUnsupportedSignal = "unsupported_signal"
	codeUnauthorized      = "unauthorized"
	codeForbidden         = "forbidden"
	codePlanRequired      = "plan_required"
	codeNotFound          = "not_found"
	codeMethodNotAllowed  = "method_not_allowed"
	codePayloadTooLarge   = "payload_too_large"
	codeHeadersTooLarge   = "headers_too_large"
	codeRateLimited       = "rate_limited"
	codeInternal          = "internal_error"
	codeUnavailable       = "unavailable"
)

// statusOf is the one table of codes and statuses.
var statusOf = map[string]int{
	codeBadRequest:        http.StatusBadRequest,
	codeUnsupportedSignal: http.StatusBadRequest,
	codeUnauthorized:      http.StatusUnauthorized,
	codeForbidden:         http.StatusForbidden,
	codePlanRequired:      http.StatusForbidden,
	codeNotFound:          http.StatusNotFound,
	codeMethodNotAllowed:  http.StatusMethodNotAllowed,
	codePayloadTooLarge:   http.StatusRequestEntityTooLarge,
	codeHeadersTooLarge:   http.StatusRequestHeaderFieldsTooLarge,
	codeRateLimited:       http.StatusTooManyRequests,
	codeInternal:          http.StatusInternalServerError,
	codeUnavailable:       http.StatusServiceUnavailable,
}

// apiError is an error as the envelope shows it.
type apiError struct {
	code    string
	message string
	// retryAfter is in seconds; zero: no Retry-After header.
	retryAfter int
	allow      string // of method_not_allowed
	cause      error  // for the log only
}

func (e *apiError) Error() string {
	if e.cause != nil {
		return e.message + ": " + e.cause.Error()
	}
	return e.message
}

func (e *apiError) Unwrap() error { return e.cause }

func badRequest(format string, args ...any) *apiError {
	return &apiError{code: codeBadRequest, message: fmt.Sprintf(format, args...)}
}

func forbidden(format string, args ...any) *apiError {
	return &apiError{code: codeForbidden, message: fmt.Sprintf(format, args...)}
}

func notFound(what, id string) *apiError {
	return &apiError{code: codeNotFound, message: what + " not found: " + id}
}

func unavailable(what string, cause error) *apiError {
	return &apiError{code: codeUnavailable, message: what + " is not available at the moment", retryAfter: 5, cause: cause}
}

// detail is one item of a 422.
type detail struct {
	Loc  []any  `json:"loc"` // strings, and numbers for places in arrays
	Msg  string `json:"msg"`
	Type string `json:"type"`
}

// validationError is the body of a 422: every parameter that fails, at once.
type validationError struct{ items []detail }

func (e *validationError) Error() string {
	parts := make([]string, len(e.items))
	for i, d := range e.items {
		name := make([]string, 0, len(d.Loc))
		for _, part := range d.Loc[1:] { // after path, query or body
			name = append(name, fmt.Sprint(part))
		}
		parts[i] = strings.Join(name, ".") + ": " + d.Msg
	}
	return strings.Join(parts, "; ")
}

// envelope is the body of every error but a 422.
type envelope struct {
	Error   string `json:"error"`
	Message string `json:"message"`
}

// fail answers with an error. Anything that is not an apiError, a
// validationError or the refusal of a strategy is a 500, which says nothing of
// the inside: the log has it under the request's id.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if invalid, ok := errors.AsType[*validationError](err); ok {
		writeJSON(w, http.StatusUnprocessableEntity, struct {
			Detail  []detail `json:"detail"`
			Message string   `json:"message"`
		}{invalid.items, invalid.Error()})
		return
	}
	e := s.envelopeOf(r.Context(), err)
	if e.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(e.retryAfter))
	}
	if e.allow != "" {
		w.Header().Set("Allow", e.allow)
	}
	if e.code == codeUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	writeJSON(w, statusOf[e.code], envelope{e.code, e.message})
}

// envelopeOf turns err into what the caller may see, and logs what it may not.
func (s *Server) envelopeOf(ctx context.Context, err error) *apiError {
	if known, ok := errors.AsType[*apiError](err); ok {
		if known.cause != nil {
			s.log.LogAttrs(ctx, slog.LevelWarn, known.message, slog.String("request_id", requestID(ctx)), slog.String("cause", known.cause.Error()))
		}
		return known
	}
	// The refusal of a prompt or of a strategy carries its own code.
	var refusal interface {
		error
		Code() string
	}
	if errors.As(err, &refusal) && statusOf[refusal.Code()] != 0 {
		return &apiError{code: refusal.Code(), message: refusal.Error()}
	}
	if unreachable(err) {
		s.log.LogAttrs(ctx, slog.LevelWarn, "archive not available", slog.String("request_id", requestID(ctx)), slog.String("cause", err.Error()))
		what := "the archive"
		if member, ok := errors.AsType[*archive.MemberError](err); ok {
			what += " of " + string(member.Category)
		}
		return unavailable(what, nil)
	}
	s.log.LogAttrs(ctx, slog.LevelError, "internal error", slog.String("request_id", requestID(ctx)), slog.String("cause", err.Error()))
	return &apiError{code: codeInternal, message: "internal error; request id " + requestID(ctx)}
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
