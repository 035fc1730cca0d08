package strategy

import (
	"fmt"

	"github.com/ladderback/ladderback/market"
)

// Error reports which field of a strategy breaks which rule. Via errors.As it is
// also a *market.Error with code bad_request.
type Error struct {
	// Field is the path of the field at fault: "strategy.entry[1].threshold".
	Field string
	// Other is the path of the second field if two contradict each other;
	// empty if one field is wrong by itself.
	Other string
	// Message states the value, or both values, and what was expected.
	Message string
}

// Error returns the path and the message.
func (e *Error) Error() string { return e.Field + ": " + e.Message }

// Unwrap returns the equivalent *market.Error.
func (e *Error) Unwrap() error { return market.Errorf(market.CodeBadRequest, "%s", e.Error()) }

// fault builds an Error about one field. The path is relative to the strategy.
func fault(path, format string, args ...any) *Error {
	return &Error{Field: rooted(path), Message: fmt.Sprintf(format, args...)}
}

// clash builds an Error about two fields that contradict each other.
func clash(path, other, format string, args ...any) *Error {
	return &Error{Field: rooted(path), Other: rooted(other), Message: fmt.Sprintf(format, args...)}
}

// rooted puts the name of the object before a path within it.
func rooted(path string) string {
	if path == "" {
		return "strategy"
	}
	return "strategy." + path
}
