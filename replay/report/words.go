package report

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// number writes n with a comma between thousands.
func number(n int) string { return thousands(strconv.Itoa(n)) }

// thousands puts commas into the whole part of a plain decimal.
func thousands(s string) string {
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

// count writes "1 market", "2 markets", "2 entries".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok {
		return number(n) + " " + stem + "ies"
	}
	return number(n) + " " + noun + "s"
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// sentence returns s with its first letter in upper case.
func sentence(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}

// percent writes part ÷ whole in per cent with one decimal, whole > 0.
func percent(part, whole int) string {
	return fixed(ratio(int64(part), int64(whole))*100, 1)
}

// fixed writes d with exactly so many decimals, 0 to 6, rounded half even.
func fixed(d Decimal, decimals int) string {
	unit := int64(1)
	for range 6 - decimals {
		unit *= 10
	}
	v := int64(round(big.NewInt(int64(d)), big.NewInt(unit)))
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

// signed writes d with its sign, a comma between thousands and two decimals.
func signed(d Decimal) string { return signedTo(d, 2) }

func signedTo(d Decimal, decimals int) string {
	s := thousands(fixed(d, decimals))
	if d > 0 {
		return "+" + s
	}
	return s
}

func signedCents(d Decimal) string { return signed(d) }

// none stands for a number that has no value.
const none = "–"

func usd(d *Decimal) string {
	if d == nil {
		return none
	}
	return signed(*d)
}

func plain(d *Decimal, decimals int) string {
	if d == nil {
		return none
	}
	return thousands(fixed(*d, decimals))
}

func signedPrice(d *Decimal) string {
	if d == nil {
		return none
	}
	s := fixed(*d, 4)
	if *d > 0 {
		return "+" + s
	}
	return s
}

// rate writes a share as per cent.
func rate(d Decimal) string { return fixed(d*100, 1) + " %" }

func intervalWords(i *Interval, number func(Decimal) string) string {
	if i == nil {
		return none
	}
	return number(i[0]) + " to " + number(i[1])
}

// clock writes an instant to the second, in UTC.
func clock(t Time) string { return t.Time().Format("2006-01-02 15:04:05") }

// monthClock is clock without the year; day is the date alone.
func monthClock(t Time) string { return t.Time().Format("Jan 02 15:04:05") }
func day(t Time) string        { return t.Time().Format("2006-01-02") }

// holdWords writes seconds as a length of time.
func holdWords(d *Decimal) string {
	if d == nil {
		return none
	}
	return spanWords(market.Span(*d)) // both count millionths of a second
}

// spanWords writes a length of time to the second: "45s", "6m12s", "1h00m".
func spanWords(s market.Span) string {
	seconds := int64(s / market.Second)
	switch {
	case s < 0:
		return "-" + spanWords(-s)
	case seconds < 60:
		return fmt.Sprintf("%ds", seconds)
	case seconds < 3600:
		return fmt.Sprintf("%dm%02ds", seconds/60, seconds%60)
	}
	return fmt.Sprintf("%dh%02dm", seconds/3600, seconds/60%60)
}

// exitWords says in a word how a trade ended.
func exitWords(r replay.ExitReason) string {
	switch r {
	case replay.TakeProfit:
		return "target"
	case replay.StopLoss:
		return "stop"
	case replay.EndOfWindow:
		return "clock"
	case replay.Expiry:
		return "settled"
	}
	return string(r)
}
