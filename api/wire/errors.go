package wire

import (
	"fmt"
	"strings"

	"github.com/ladderback/ladderback/market"
)

// RetryUnavailable is the Retry-After of a 503, in seconds.
const RetryUnavailable = 5

// BadRequest returns a 400 whose message says what was expected.
func BadRequest(format string, args ...any) *market.Error {
	return market.Errorf(market.CodeBadRequest, format, args...)
}

// Forbidden returns a 403 for what a key's plan does not include.
func Forbidden(format string, args ...any) *market.Error {
	return market.Errorf(market.CodeForbidden, format, args...)
}

// NotFound returns a 404 for the id of what, such as a market.
func NotFound(what, id string) *market.Error {
	return market.Errorf(market.CodeNotFound, "%s not found: %s", what, id)
}

// Unavailable returns a 503 for something temporarily unavailable; cause goes
// to the log.
func Unavailable(what string, cause error) *market.Error {
	return &market.Error{
		Code: market.CodeUnavailable, Message: what + " is not available at the moment", Cause: cause, RetryAfter: RetryUnavailable,
	}
}

// Detail is one item of a 422.
type Detail struct {
	Loc  []any  `json:"loc"` // strings, and numbers for positions in arrays
	Msg  string `json:"msg"`
	Type string `json:"type"`
}

// Details lists every parameter that failed validation. It is the cause of an
// error with CodeInvalid.
type Details []Detail

// Invalid returns the error behind a 422.
func Invalid(items Details) error {
	return &market.Error{Code: market.CodeInvalid, Message: items.Error(), Cause: items}
}

// Error describes the items in words.
func (items Details) Error() string {
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

// ValidationBody is the body of a 422.
type ValidationBody struct {
	Detail  Details `json:"detail"`
	Message string  `json:"message"`
}

// Envelope is the body of every error but a 422.
type Envelope struct {
	Error   market.Code `json:"error"`
	Message string      `json:"message"`
	// Of a refused prompt: a whole prompt that can be read, what the message is about,
	// and what was read all the same.
	Suggestion string           `json:"suggestion,omitempty"`
	Confirm    *market.Offered  `json:"confirm,omitempty"` // what it says without words that hold nothing
	Choices    []market.Offered `json:"choices,omitempty"` // its readings, where there are two
	At         []market.Phrase  `json:"at,omitempty"`
	Spans      []market.Reading `json:"spans,omitempty"`
}

// EnvelopeOf returns the body that tells of e.
func EnvelopeOf(e *market.Error) Envelope {
	return Envelope{e.Code, e.Message, e.Suggestion, e.Confirm, e.Choices, e.At, e.Spans}
}
