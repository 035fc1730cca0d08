package wslog

import (
	"errors"

	"github.com/ladderback/ladderback/market"
)

// pow10 holds the powers of ten that a number can be scaled by.
var pow10 = [...]int64{1, 10, 100, 1_000, 10_000, 100_000, 1_000_000}

// plainDecimal reads "digits" or "digits.digits" at b[i:], at most 12 digits
// before the point and at most decimals behind it, and returns the number in
// units of 10^-decimals and the index behind it. ok is false when it is
// anything else; the number may still be right then, only less plain.
func plainDecimal(b []byte, i, decimals int) (v int64, next int, ok bool) {
	start := i
	for i < len(b) && b[i]-'0' <= 9 {
		v = v*10 + int64(b[i]-'0')
		i++
	}
	if i == start || i-start > 12 {
		return 0, i, false
	}
	if i == len(b) || b[i] != '.' {
		return v * pow10[decimals], i, true
	}
	i++
	start = i
	for i < len(b) && b[i]-'0' <= 9 {
		v = v*10 + int64(b[i]-'0')
		i++
	}
	n := i - start
	if n == 0 || n > decimals {
		return 0, i, false
	}
	return v * pow10[decimals-n], i, true
}

const (
	priceDecimals = 4
	sizeDecimals  = 6
)

// parsePrice reads the text of a price in USD.
func parsePrice(text []byte) (market.Price, Reason) {
	v, next, ok := plainDecimal(text, 0, priceDecimals)
	if !ok || next != len(text) {
		var err error
		v, err = market.ParseDecimal(string(text), priceDecimals)
		switch {
		case errors.Is(err, market.ErrPrecision):
			return 0, PricePrecision
		case errors.Is(err, market.ErrRange):
			return 0, PriceRange
		case err != nil:
			return 0, BadPrice
		}
	}
	if v < 0 || v > int64(market.PriceOne) {
		return 0, PriceRange
	}
	return market.Price(v), OK
}

// parseSize reads the text of a number of shares.
func parseSize(text []byte) (market.Size, Reason) {
	v, next, ok := plainDecimal(text, 0, sizeDecimals)
	if !ok || next != len(text) {
		var err error
		v, err = market.ParseDecimal(string(text), sizeDecimals)
		switch {
		case errors.Is(err, market.ErrPrecision):
			return 0, SizePrecision
		case errors.Is(err, market.ErrRange):
			return 0, SizeRange
		case err != nil:
			return 0, BadSize
		}
	}
	if v < 0 {
		return 0, NegativeSize
	}
	return market.Size(v), OK
}

// Times are told apart by their magnitude: below 1e11 they are seconds since
// 1970, below 1e14 milliseconds, below 1e17 microseconds, else nanoseconds.
const (
	msFrom = 100_000_000_000
	usFrom = 100_000_000_000_000
	nsFrom = 100_000_000_000_000_000
)

// latest bounds times: a collector whose clock says 2100 or later is wrong.
const latest = market.Instant(4_102_444_800) * market.Second

// parseTime reads a time: Unix seconds, milliseconds, microseconds or
// nanoseconds, whole or decimal, or RFC 3339. Digits finer than a microsecond
// are cut. Zero is the instant 0, "not given".
func parseTime(text []byte) (market.Instant, Reason) {
	t, ok := plainTime(text)
	if !ok {
		t, ok = oddTime(string(text))
	}
	if !ok || t < 0 || t >= latest {
		return 0, BadTime
	}
	return t, OK
}

// plainTime reads digits with an optional point and digits behind it.
func plainTime(b []byte) (market.Instant, bool) {
	var whole int64
	i := 0
	for i < len(b) && b[i]-'0' <= 9 {
		whole = whole*10 + int64(b[i]-'0')
		i++
	}
	if i == 0 || i > 19 || whole < 0 {
		return 0, false
	}
	var decimals int
	var unit int64
	switch {
	case whole < msFrom:
		decimals, unit = 6, 1
	case whole < usFrom:
		decimals, unit = 3, 1
	case whole < nsFrom:
		decimals, unit = 0, 1
	default:
		decimals, unit = 0, 1000
	}
	v := whole * pow10[decimals] / unit
	if i == len(b) {
		return market.Instant(v), true
	}
	if b[i] != '.' || i+1 == len(b) {
		return 0, false
	}
	for i++; i < len(b); i++ {
		d := b[i] - '0'
		if d > 9 {
			return 0, false
		}
		if decimals > 0 {
			decimals--
			v += int64(d) * pow10[decimals]
		}
	}
	return market.Instant(v), true
}

// oddTime reads times with an exponent, in seconds or milliseconds, and RFC
// 3339.
func oddTime(s string) (market.Instant, bool) {
	var at market.Instant
	if at.UnmarshalText([]byte(s)) == nil {
		return at, true
	}
	v, err := market.ParseDecimal(s, 6)
	if err != nil {
		return 0, false
	}
	if v >= msFrom*int64(market.Second) {
		v /= 1000
	}
	return market.Instant(v), true
}
