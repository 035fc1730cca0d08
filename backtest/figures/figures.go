// Package figures writes numbers, amounts of money, shares, instants and lengths
// of time as people read them.
package figures

import (
	"fmt"
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

// Thousands puts commas into the whole part of a plain decimal.
func Thousands(s string) string {
	sign := ""
	if rest, ok := strings.CutPrefix(s, "-"); ok {
		sign, s = "-", rest
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

// Count writes "1 market", "2 markets", "2 entries".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok {
		return Number(n) + " " + stem + "ies"
	}
	return Number(n) + " " + noun + "s"
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

// Percent writes part ÷ whole in per cent with one decimal, whole > 0.
func Percent(part, whole int) string {
	return Fixed(stats.Ratio(int64(part), int64(whole))*100, 1)
}

// Fixed writes d with exactly so many decimals, 0 to 6, rounded half even.
func Fixed(d stats.Decimal, decimals int) string {
	unit := int64(1)
	for range 6 - decimals {
		unit *= 10
	}
	v := int64(stats.Round(big.NewInt(int64(d)), big.NewInt(unit)))
	sign := ""
	if v < 0 {
		sign, v = "-", -v
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

// SignedTo is Signed with so many decimals, 0 to 6.
func SignedTo(d stats.Decimal, decimals int) string {
	s := Thousands(Fixed(d, decimals))
	if d > 0 {
		return "+" + s
	}
	return s
}

// None stands for a number that has no value.
const None = "–"

// USD is Signed, or None.
func USD(d *stats.Decimal) string {
	if d == nil {
		return None
	}
	return Signed(*d)
}

// Plain writes d with so many decimals and commas between thousands, or None.
func Plain(d *stats.Decimal, decimals int) string {
	if d == nil {
		return None
	}
	return Thousands(Fixed(*d, decimals))
}

// SignedPrice writes a difference of prices with its sign and four decimals, or
// None.
func SignedPrice(d *stats.Decimal) string {
	if d == nil {
		return None
	}
	s := Fixed(*d, 4)
	if *d > 0 {
		return "+" + s
	}
	return s
}

// Rate writes a share as per cent.
func Rate(d stats.Decimal) string { return Fixed(d*100, 1) + " %" }

// Interval writes both ends, each by number, or None.
func Interval(i *stats.Interval, number func(stats.Decimal) string) string {
	if i == nil {
		return None
	}
	return number(i[0]) + " to " + number(i[1])
}

// Clock writes an instant to the second, in UTC.
func Clock(t market.Instant) string { return t.Time().Format("2006-01-02 15:04:05") }

// MonthClock is Clock without the year.
func MonthClock(t market.Instant) string { return t.Time().Format("Jan 02 15:04:05") }

// Day writes the date alone.
func Day(t market.Instant) string { return t.Time().Format("2006-01-02") }

// Seconds writes seconds as a length of time.
func Seconds(d *stats.Decimal) string {
	if d == nil {
		return None
	}
	return Span(market.Span(*d)) // both count millionths of a second
}

// Span writes a length of time to the second: "45s", "6m12s", "1h00m".
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
