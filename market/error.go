package market

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// Code is the kind of a failure: stable, for machines. The API sends it as
// "error", and clients branch on it.
type Code string

// Codes. An error with no code of its own has CodeFailed.
const (
	CodeBadRequest        Code = "bad_request"
	CodeUnsupportedSignal Code = "unsupported_signal"
	CodeInvalid           Code = "invalid" // the parameters of a request, listed one by one
	CodeUnauthorized      Code = "unauthorized"
	CodeForbidden         Code = "forbidden"
	CodePlanRequired      Code = "plan_required"
	CodeNotFound          Code = "not_found"
	CodeConflict          Code = "conflict" // with what was asked before, or with the state of things
	CodeMethodNotAllowed  Code = "method_not_allowed"
	CodePayloadTooLarge   Code = "payload_too_large"
	CodeRateLimited       Code = "rate_limited"
	CodeClientGone        Code = "client_closed_request"
	CodeInternal          Code = "internal_error"
	CodeUnavailable       Code = "unavailable"
	CodeFailed            Code = "failed"
)

// StatusClientGone is the status logged and counted for a request whose client
// disconnected before the answer; no client ever sees it.
const StatusClientGone = 499

// Exit codes of the command line.
const (
	exitFailed = 1
	exitUsage  = 2
)

// outcomes is the single table of what each code means to an API client and to
// a shell.
var outcomes = map[Code]struct{ status, exit int }{
	CodeBadRequest:        {http.StatusBadRequest, exitUsage},
	CodeUnsupportedSignal: {http.StatusBadRequest, exitUsage},
	CodeInvalid:           {http.StatusUnprocessableEntity, exitUsage},
	CodeUnauthorized:      {http.StatusUnauthorized, exitFailed},
	CodeForbidden:         {http.StatusForbidden, exitFailed},
	CodePlanRequired:      {http.StatusForbidden, exitFailed},
	CodeNotFound:          {http.StatusNotFound, exitFailed},
	CodeConflict:          {http.StatusConflict, exitFailed},
	CodeMethodNotAllowed:  {http.StatusMethodNotAllowed, exitFailed},
	CodePayloadTooLarge:   {http.StatusRequestEntityTooLarge, exitFailed},
	CodeRateLimited:       {http.StatusTooManyRequests, exitFailed},
	CodeClientGone:        {StatusClientGone, exitFailed},
	CodeInternal:          {http.StatusInternalServerError, exitFailed},
	CodeUnavailable:       {http.StatusServiceUnavailable, exitFailed},
	CodeFailed:            {http.StatusInternalServerError, exitFailed},
}

// Status returns the HTTP status of the code; 500 for an unknown one.
func (c Code) Status() int {
	if o, ok := outcomes[c]; ok {
		return o.status
	}
	return http.StatusInternalServerError
}

// Exit returns the exit code of a command that fails with c: 2 for a mistake in
// the request, 1 for every other failure.
func (c Code) Exit() int {
	if o, ok := outcomes[c]; ok {
		return o.exit
	}
	return exitFailed
}

// Error is a failure with a code for machines, a message for people, and a
// cause for maintainers.
type Error struct {
	Code Code
	// Message says what is wrong and, where possible, what to do about it. It
	// is safe to show to the caller.
	Message string
	// Cause is the underlying error; nil: none. It is logged and shown on the
	// command line, never to an API client.
	Cause error
	// Suggestion is what to ask instead: for a refused prompt, a complete
	// prompt that can be read. Empty: none.
	Suggestion string
	// Confirm is what a refused prompt says without words that hold nothing; nil: it
	// is not as clear as that.
	Confirm *Offered
	// Choices are the readings of a prompt that has more than one.
	Choices []Offered
	// At lists the phrases of a refused prompt that the message is about, in
	// prompt order.
	At []Phrase
	// Spans lists what was read all the same of a refused prompt, in prompt order.
	Spans []Reading
	// RetryAfter is the number of seconds after which a retry may succeed; 0:
	// unknown.
	RetryAfter int
}

// Offered is a strategy that somebody may take instead of one that was refused.
type Offered struct {
	Strategy json.RawMessage `json:"strategy"`
	Summary  string          `json:"summary"`
	// LeftOut are the words of the prompt that it leaves out, in prompt order; empty for
	// one of two readings.
	LeftOut []Left `json:"left_out,omitempty"`
	// Alone are the fields that only a language model has read.
	Alone []string `json:"read_by_model_alone,omitempty"`
	// Likely are the fields that the rules have not read, but that the words around their numbers
	// most likely mean.
	Likely []string `json:"likely,omitempty"`
}

// Left is a part of a prompt that is left out: the Unicode code points [Start, End).
type Left struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	Text  string `json:"text"`
}

// Phrase is a part of a prompt: the Unicode code points [Start, End).
type Phrase struct {
	Start   int    `json:"start"`
	End     int    `json:"end"`
	Text    string `json:"text"`
	Message string `json:"message"` // what is wrong with it
}

// Reading is a part of a prompt, the Unicode code points [Start, End), and the field
// of a strategy that it was read into.
type Reading struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	Text  string `json:"text"`
	Field string `json:"field"`
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

// AsError returns the outermost *Error in err, or nil.
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
