// Package figures writes numbers, amounts of money, shares, instants and lengths
// of time as people read them.
package figures

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/market"
)

// Number writes n with a comma between thousands.
func Number(n int) string { return Thousands(strconv.Itoa(n)) }

// minus is the sign of negative numbers: as wide as a plus.
const minus = "−"

// Thousands puts commas into the whole part of a plain decimal.
func Thousands(s string) string {
	sign := ""
	if rest, ok := strings.CutPrefix(s, minus); ok {
		sign, s = minus, rest
	}
	whole, frac, _ := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if frac != "" {
		whole += "." + frac
	}
	return sign + whole
}

// Count writes "1 market", "2 markets", "2 entries", "2 days".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok && !strings.ContainsAny(stem[max(len(stem)-1, 0):], "aeou") {
		return Number(n) + " " + stem + "ies"
	}
	return Number(n) + " " + noun + "s"
}

// About writes a count of which two digits are meant, rounded up, as Count does:
// 4,312 as "4,400 trades". A million or more is "more than a million trades".
func About(n int, noun string) string {
	if n >= 1_000_000 {
		return "more than a million " + noun + "s"
	}
	unit := 1
	for n/unit >= 100 {
		unit *= 10
	}
	return Count((n+unit-1)/unit*unit, noun)
}

// Plural returns one for 1 and many otherwise.
func Plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Sentence returns s with its first letter in upper case.
func Sentence(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}

// Percent writes part ÷ whole as a percentage with one decimal. whole > 0.
func Percent(part, whole int) string {
	return Fixed(stats.Ratio(int64(part), int64(whole))*100, 1)
}

// Fixed writes d with exactly that many decimals, 0 to 6, rounded half even.
func Fixed(d stats.Decimal, decimals int) string {
	unit := int64(1)
	for range 6 - decimals {
		unit *= 10
	}
	v := int64(stats.Round(big.NewInt(int64(d)), big.NewInt(unit)))
	sign := ""
	if v < 0 {
		sign, v = minus, -v
	}
	s := strconv.FormatInt(v, 10)
	if decimals == 0 {
		return sign + s
	}
	for len(s) <= decimals {
		s = "0" + s
	}
	return sign + s[:len(s)-decimals] + "." + s[len(s)-decimals:]
}

// Signed writes d with its sign, a comma between thousands and two decimals.
func Signed(d stats.Decimal) string { return SignedTo(d, 2) }

// SignedTo is Signed with that many decimals, 0 to 6.
func SignedTo(d stats.Decimal, decimals int) string {
	s := Thousands(Fixed(d, decimals))
	if d > 0 {
		return "+" + s
	}
	return s
}

// None stands for a number that has no value.
const None = "–"

// USD writes an amount with its sign, a dollar sign and two decimals: "+$1,234.50".
func USD(d stats.Decimal) string {
	switch {
	case d > 0:
		return "+" + Dollars(d)
	case d < 0:
		return minus + Dollars(-d)
	}
	return Dollars(d)
}

// Dollars writes an amount that cannot be negative: "$1,234.50".
func Dollars(d stats.Decimal) string { return "$" + Thousands(Fixed(d, 2)) }

// Or returns number(*d), or None.
func Or(d *stats.Decimal, number func(stats.Decimal) string) string {
	if d == nil {
		return None
	}
	return number(*d)
}

// Plain writes d with that many decimals and commas between thousands, or None.
func Plain(d *stats.Decimal, decimals int) string {
	if d == nil {
		return None
	}
	return Thousands(Fixed(*d, decimals))
}

// Price writes a price in USD with four decimals.
func Price(d stats.Decimal) string {
	if d == stats.None {
		return "–"
	}
	return Fixed(d, 4)
}

// SignedPrice writes a difference of prices with its sign and four decimals.
func SignedPrice(d stats.Decimal) string {
	if d > 0 {
		return "+" + Fixed(d, 4)
	}
	return Fixed(d, 4)
}

// Rate writes a share as a percentage: "38.4%".
func Rate(d stats.Decimal) string { return Fixed(d*100, 1) + "%" }

// SignedRate is Rate with a sign: "+3.1%".
func SignedRate(d stats.Decimal) string {
	if d > 0 {
		return "+" + Rate(d)
	}
	return Rate(d)
}

// Points writes the difference of two shares in percentage points, with a sign:
// "+3.1 pp".
func Points(d stats.Decimal) string {
	return strings.TrimSuffix(SignedRate(d), "%") + " pp"
}

// Interval writes both ends, each by number, or None.
func Interval(i *stats.Interval, number func(stats.Decimal) string) string {
	if i == nil {
		return None
	}
	return number(i[0]) + " to " + number(i[1])
}

// Minute writes an instant to the minute without the year, in UTC: "Apr 03 13:00".
func Minute(t market.Instant) string { return t.Time().Format("Jan 02 15:04") }

// Dates writes the days that two instants span; a single day where they share
// it.
func Dates(from, to market.Instant) string {
	if Day(from) == Day(to) {
		return Day(from)
	}
	return Day(from) + " to " + Day(to)
}

// Clock writes an instant to the second, in UTC.
func Clock(t market.Instant) string { return t.Time().Format("2006-01-02 15:04:05") }

// Day writes the date.
func Day(t market.Instant) string { return t.Time().Format("2006-01-02") }

// Seconds writes seconds as a duration.
func Seconds(d *stats.Decimal) string {
	if d == nil {
		return None
	}
	return Span(market.Span(*d)) // both count millionths of a second
}

// Span writes a duration to the second: "45s", "6m12s", "1h00m".
func Span(s market.Span) string {
	seconds := int64(s / market.Second)
	switch {
	case s < 0:
		return "-" + Span(-s)
	case seconds < 60:
		return fmt.Sprintf("%ds", seconds)
	case seconds < 3600:
		return fmt.Sprintf("%dm%02ds", seconds/60, seconds%60)
	}
	return fmt.Sprintf("%dh%02dm", seconds/3600, seconds/60%60)
}

// Step returns the least of 1, 2, 5 and 10 times a power of ten that is least or more, which
// is above zero.
func Step(least float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(least)))
	for _, m := range []float64{1, 2, 5} {
		if m*unit >= least {
			return m * unit
		}
	}
	return 10 * unit
}
