package market

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// errTime says what ParseTime accepts.
var errTime = errors.New("expected ISO 8601, like 2026-04-13T14:00:00Z, or Unix seconds")

// layouts are the accepted forms of a date and time without an offset, taken as
// UTC. time.Parse accepts a fraction after the seconds by itself.
var layouts = [...]string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"}

// ParseTime reads a point in time as people and programs write it: RFC 3339
// with any offset (a "+" that arrived as a space is restored), the same without
// an offset (UTC; a space may stand for the T, as in tables), a bare date (midnight UTC), or Unix seconds, whole or
// decimal. Unix seconds are not negative and have no exponent; 1e11 and above
// are taken for milliseconds and refused with a hint. Digits finer than a
// microsecond are truncated towards the past.
func ParseTime(s string) (Instant, error) {
	if s != "" && strings.Trim(s, "0123456789.") == "" {
		return parseSeconds(s)
	}
	text := strings.ToUpper(s)
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return InstantOf(t), nil
	}
	if i := len(text) - len(" 00:00"); i > 0 && text[i] == ' ' && strings.ContainsRune(text, 'T') {
		if t, err := time.Parse(time.RFC3339Nano, text[:i]+"+"+text[i+1:]); err == nil {
			return InstantOf(t), nil
		}
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil {
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
