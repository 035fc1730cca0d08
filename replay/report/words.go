package report

import (
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
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
