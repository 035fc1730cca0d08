package gamma

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/ladderback/ladderback/archive/ingest/scalar"
	"github.com/ladderback/ladderback/market"
)

// text is how a member stands in what Gamma writes.
type text = scalar.Text

// list is an array of strings and numbers, also one inside a string, as Gamma
// writes outcomes, token ids and prices. Null and the empty string are empty.
type list []string

func (l *list) UnmarshalJSON(b []byte) error {
	*l = nil
	if string(b) == "null" {
		return nil
	}
	if b[0] == '"' {
		var inner string
		if err := json.Unmarshal(b, &inner); err != nil {
			return err
		}
		if strings.TrimSpace(inner) == "" {
			return nil
		}
		b = []byte(inner)
	}
	var parts []text
	if err := json.Unmarshal(b, &parts); err != nil {
		return fmt.Errorf("array inside a string: %w", err)
	}
	for _, p := range parts {
		*l = append(*l, string(p))
	}
	return nil
}

// timeLayouts are the forms of time that Gamma has been seen to write. The
// fraction of a second may stand in any of them.
var timeLayouts = [...]string{
	time.RFC3339,
	"2006-01-02 15:04:05-07",
	"2006-01-02 15:04:05-07:00",
	"2006-01-02 15:04:05Z07:00",
	"2006-01-02T15:04:05",
	"2006-01-02 15:04:05",
	"2006-01-02",
}

// parseTime reads a time; one without offset is UTC. Empty is zero.
func parseTime(s text) (market.Instant, bool) {
	if s == "" {
		return 0, true
	}
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, string(s)); err == nil {
			at := market.InstantOf(t)
			return at, at > 0
		}
	}
	return 0, false
}
