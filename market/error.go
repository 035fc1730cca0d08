package market

import (
	"errors"
	"fmt"
	"net/http"
)

// Code says what kind of failure an error is: stable, for machines. The API
// sends it as "error", and clients branch on it.
type Code string

// Codes. CodeFailed is that of an error that has none of its own.
const (
	CodeBadRequest        Code = "bad_request"
	CodeUnsupportedSignal Code = "unsupported_signal"
	CodeInvalid           Code = "invalid" // the parameters of a request, listed one by one
	CodeUnauthorized      Code = "unauthorized"
	CodeForbidden         Code = "forbidden"
	CodePlanRequired      Code = "plan_required"
	CodeNotFound          Code = "not_found"
	CodeMethodNotAllowed  Code = "method_not_allowed"
	CodePayloadTooLarge   Code = "payload_too_large"
	CodeHeadersTooLarge   Code = "headers_too_large"
	CodeRateLimited       Code = "rate_limited"
	CodeClientGone        Code = "client_closed_request"
	CodeInternal          Code = "internal_error"
	CodeUnavailable       Code = "unavailable"
	CodeFailed            Code = "failed"
)

// StatusClientGone is the status under which a request is logged and counted
// whose client has gone before the answer: no client ever sees it.
const StatusClientGone = 499

// Exit codes of the command line.
const (
	exitFailed = 1
	exitUsage  = 2
)

// outcomes is the one table of what a code means to a client of the API and to a
// shell.
var outcomes = map[Code]struct{ status, exit int }{
	CodeBadRequest:        {http.StatusBadRequest, exitUsage},
	CodeUnsupportedSignal: {http.StatusBadRequest, exitUsage},
	CodeInvalid:           {http.StatusUnprocessableEntity, exitUsage},
	CodeUnauthorized:      {http.StatusUnauthorized, exitFailed},
	CodeForbidden:         {http.StatusForbidden, exitFailed},
	CodePlanRequired:      {http.StatusForbidden, exitFailed},
	CodeNotFound:          {http.StatusNotFound, exitFailed},
	CodeMethodNotAllowed:  {http.StatusMethodNotAllowed, exitFailed},
	CodePayloadTooLarge:   {http.StatusRequestEntityTooLarge, exitFailed},
	CodeHeadersTooLarge:   {http.StatusRequestHeaderFieldsTooLarge, exitFailed},
	CodeRateLimited:       {http.StatusTooManyRequests, exitFailed},
	CodeClientGone:        {StatusClientGone, exitFailed},
	CodeInternal:          {http.StatusInternalServerError, exitFailed},
	CodeUnavailable:       {http.StatusServiceUnavailable, exitFailed},
	CodeFailed:            {http.StatusInternalServerError, exitFailed},
}

// Status returns the HTTP status of the code; 500 for one that is not known.
func (c Code) Status() int {
	if o, ok := outcomes[c]; ok {
		return o.status
	}
	return http.StatusInternalServerError
}

// Exit returns the exit code of a command that ends with the code: 2 for a
// mistake in what was asked, 1 for every other failure.
func (c Code) Exit() int {
	if o, ok := outcomes[c]; ok {
		return o.exit
	}
	return exitFailed
}

// Error is a failure with a code for machines, a message for people, and a cause
// for us.
type Error struct {
	Code Code
	// Message says what is wrong, and where it can what to do about it. It may be
	// shown to whoever asked.
	Message string
	// Cause is what lies behind; nil: nothing does. It is logged and shown on the
	// command line, never to a client of the API.
	Cause error
	// Suggestion is what may be asked instead: of a refused prompt, a whole prompt
	// that can be read. Empty: there is none.
	Suggestion string
	// At are the phrases of a refused prompt that the message is about, in the
	// order of the prompt.
	At []Phrase
	// RetryAfter is after how many seconds the same may be asked again with a
	// chance; 0: not known.
	RetryAfter int
}

// Phrase is a part of a prompt: the Unicode code points [Start, End).
type Phrase struct {
	Start   int    `json:"start"`
	End     int    `json:"end"`
	Text    string `json:"text"`
	Message string `json:"message"` // what is wrong with it
}

// Errorf returns an *Error with a message and no cause.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Error returns the message and the cause.
func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Message + ": " + e.Cause.Error()
	}
	return e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// AsError returns the outermost *Error in err; nil: there is none.
func AsError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return nil
}

// CodeOf returns the code of the outermost *Error in err: empty for nil,
// CodeFailed where there is none.
func CodeOf(err error) Code {
	switch e := AsError(err); {
	case err == nil:
		return ""
	case e == nil:
		return CodeFailed
	default:
		return e.Code
	}
}
