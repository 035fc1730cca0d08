package scalar

import (
	"encoding/json"
	"errors"
)

// Text is what JSON has as a string, or the digits of a number; empty for null.
type Text string

// UnmarshalJSON reads a string, a number or null.
func (s *Text) UnmarshalJSON(b []byte) error {
	switch {
	case b[0] == '"':
		return json.Unmarshal(b, (*string)(s))
	case string(b) == "null":
		*s = ""
	case b[0] == '-' || b[0] >= '0' && b[0] <= '9':
		*s = Text(b)
	default:
		return errors.New("expected a string, number or null")
	}
	return nil
}
