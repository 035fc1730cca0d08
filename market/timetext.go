package market

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// errTime says what ParseTime accepts.
var errTime = errors.New("expected ISO 8601, like 2026-04-13T14:00:00Z, or Unix seconds")

// layouts are the accepted forms of a date and time, the ones without an offset
// taken as UTC. time.Parse accepts a fraction after the seconds by itself.
var layouts = [...]string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly}

// ParseTime reads a point in time as people and programs write it: RFC 3339
// with any offset (a "+" that arrived as a space is restored) or without one
// (UTC), with a space for the T as in tables, with or without seconds; a bare
// date (midnight UTC); or Unix seconds, whole or decimal. Unix seconds are not
// negative and have no exponent; 1e11 and above are taken for milliseconds and
// refused with a hint. Digits finer than a microsecond are truncated towards the
// past.
func ParseTime(s string) (Instant, error) {
	if s != "" && strings.Trim(s, "0123456789.") == "" {
		return parseSeconds(s)
	}
	text := []byte(strings.ToUpper(s))
	day := len(time.DateOnly)
	if len(text) > day && text[day] == ' ' {
		text[day] = 'T'
	}
	if plus := len(text) - len("+00:00"); plus > day && text[plus] == ' ' {
		text[plus] = '+'
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, string(text)); err == nil {
			return InstantOf(t), nil
		}
	}
	return 0, fmt.Errorf("time %q: %w", clip(s), errTime)
}

func parseSeconds(s string) (Instant, error) {
	const firstMillis = 100_000_000_000
	whole, _, _ := strings.Cut(s, ".")
	if v, err := ParseDecimal(whole, 0); whole != "" && (err != nil || v >= firstMillis) {
		return 0, fmt.Errorf("time %q: %w; this looks like milliseconds: divide by 1000", clip(s), errTime)
	}
	t, err := ParseUnix(s)
	if err != nil {
		return 0, fmt.Errorf("time %q: %w", clip(s), errTime)
	}
	return t, nil
}
