package market

import (
	"fmt"
	"math"
	"time"
)

// Instant is a point in time in microseconds since 1970-01-01T00:00:00Z. Zero
// means "unknown" where a field says so; no capture of a real market is that
// old.
type Instant int64

// Span is a duration in microseconds.
type Span = Instant

// Lengths of time.
const (
	Microsecond Span = 1
	Millisecond Span = 1000
	Second      Span = 1_000_000
	Minute      Span = 60 * Second
	Hour        Span = 60 * Minute
	Day         Span = 24 * Hour
)

// InstantOf returns t in microseconds, rounded towards the past.
func InstantOf(t time.Time) Instant {
	s, ns := t.Unix(), int64(t.Nanosecond())
	return Instant(s*int64(Second) + ns/1000)
}

// Time returns i as a time in UTC.
func (i Instant) Time() time.Time { return time.UnixMicro(int64(i)).UTC() }

// String returns i as RFC 3339 in UTC with up to six decimals, no trailing
// zeros: "2026-04-13T14:00:00Z", "2026-04-13T14:00:00.25Z".
func (i Instant) String() string {
	return i.Time().Format(time.RFC3339Nano) // which is written faster than other layouts
}

// Known is nil for an instant that is not known: zero.
func (i Instant) Known() *Instant {
	if i == 0 {
		return nil
	}
	return &i
}

// MarshalText writes i as String does.
func (i Instant) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// UnmarshalText reads RFC 3339 with any offset, to the microsecond; finer
// digits are truncated towards the past.
func (i *Instant) UnmarshalText(b []byte) error {
	t, err := time.Parse(time.RFC3339Nano, string(b))
	if err != nil {
		return fmt.Errorf("instant %q: expected RFC 3339, like 2026-04-13T14:00:00Z", clip(string(b)))
	}
	*i = InstantOf(t)
	return nil
}

// ParseUnix reads Unix seconds, whole or decimal ("1776084584.058813"), exactly
// to the microsecond; finer digits are truncated towards the past. It refuses
// negative numbers and years past 9999.
func ParseUnix(s string) (Instant, error) { return parseUnix(s, microDecimals) }

// ParseUnixMillis reads Unix milliseconds, whole or decimal.
func ParseUnixMillis(s string) (Instant, error) { return parseUnix(s, microDecimals-3) }

func parseUnix(s string, decimals int) (Instant, error) {
	v, err := ParseDecimal(cutDecimals(s, decimals), decimals)
	if err != nil {
		return 0, fmt.Errorf("time %q: %w", clip(s), err)
	}
	if v < 0 || v > int64(maxInstant) {
		return 0, fmt.Errorf("time %q: %w: expected Unix time between 1970 and 9999", clip(s), ErrRange)
	}
	return Instant(v), nil
}

// maxInstant is the last second of the year 9999.
const maxInstant = Instant(253402300799) * Second

// cutDecimals drops decimals beyond the given number. Text that is not a plain
// decimal number is returned unchanged.
func cutDecimals(s string, decimals int) string {
	for i := range len(s) {
		switch c := s[i]; {
		case c == '.':
			end := i + 1 + decimals
			if end >= len(s) {
				return s
			}
			for _, d := range []byte(s[end:]) {
				if d < '0' || d > '9' {
					return s
				}
			}
			return s[:end]
		case (c < '0' || c > '9') && c != '-' && c != '+':
			return s
		}
	}
	return s
}

// Latest and Earliest bound what an Instant can hold.
const (
	Earliest Instant = math.MinInt64
	Latest   Instant = math.MaxInt64
)
