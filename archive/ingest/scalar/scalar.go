// Package scalar reads values that files write in many ways: prices, sizes,
// instants, ids, sides. Everything is read exactly, from its text where there
// is one; a value that cannot be used yields a Reason.
package scalar

import (
	"errors"
	"math"
	"strings"

	"github.com/ladderback/ladderback/market"
)

// Reason says in words why something was rejected, as shown in the table of an
// import. OK, the empty Reason, means that it was accepted.
type Reason string

// Reasons that several formats give.
const (
	OK             Reason = ""
	BadTime        Reason = "time not understood"
	NoTime         Reason = "no time"
	BadPrice       Reason = "price not a number"
	NoPrice        Reason = "no price"
	PriceRange     Reason = "price outside 0 to 1"
	PricePrecision Reason = "price finer than 0.0001"
	BadSize        Reason = "size not a number"
	NegativeSize   Reason = "negative size"
	SizeRange      Reason = "size too large"
	SizePrecision  Reason = "size finer than 0.000001"
	BadSide        Reason = "side not understood"
	BadID          Reason = "id not understood"
)

// String returns r, or "ok".
func (r Reason) String() string {
	if r == OK {
		return "ok"
	}
	return string(r)
}

// Decimals of the archive's units.
const (
	PriceDecimals = 4
	SizeDecimals  = 6
)

// MaxID is the longest id, as the routes that look it up take it.
const MaxID = 200

// ID reports whether text can be an id: 1 to 200 visible ASCII characters.
func ID(text []byte) bool {
	if len(text) == 0 || len(text) > MaxID {
		return false
	}
	for _, ch := range text {
		if ch <= ' ' || ch > '~' {
			return false
		}
	}
	return true
}

// Side reads the name of a book side, an order's direction or an aggressor: buy
// and bid, sell and ask, ignoring case.
func Side(text []byte) (market.Side, Reason) {
	switch {
	case equalFold(text, "buy"), equalFold(text, "bid"):
		return market.Bid, OK
	case equalFold(text, "sell"), equalFold(text, "ask"):
		return market.Ask, OK
	}
	return market.SideUnknown, BadSide
}

func equalFold(text []byte, name string) bool {
	return len(text) == len(name) && strings.EqualFold(string(text), name)
}

// pow10 holds the powers of ten that a number can be scaled by.
var pow10 = [...]int64{1, 10, 100, 1_000, 10_000, 100_000, 1_000_000}

// PlainDecimal reads "digits" or "digits.digits" at b[i:], with at most 12
// digits before the point and at most decimals after it, and returns the number
// in units of 10^-decimals and the index after it. ok is false for anything
// else, which may still be a valid number in another notation.
func PlainDecimal(b []byte, i, decimals int) (v int64, next int, ok bool) {
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

// Price reads the text of a price in USD.
func Price(text []byte) (market.Price, Reason) {
	v, next, ok := PlainDecimal(text, 0, PriceDecimals)
	if !ok || next != len(text) {
		var err error
		v, err = market.ParseDecimal(string(text), PriceDecimals)
		switch {
		case errors.Is(err, market.ErrPrecision):
			return 0, PricePrecision
		case errors.Is(err, market.ErrRange):
			return 0, PriceRange
		case err != nil:
			return 0, BadPrice
		}
	}
	return priceUnits(v)
}

func priceUnits(v int64) (market.Price, Reason) {
	if v < 0 || v > int64(market.PriceOne) {
		return 0, PriceRange
	}
	return market.Price(v), OK
}

// Size reads the text of a number of shares.
func Size(text []byte) (market.Size, Reason) {
	v, next, ok := PlainDecimal(text, 0, SizeDecimals)
	if !ok || next != len(text) {
		var err error
		v, err = market.ParseDecimal(string(text), SizeDecimals)
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

// PriceOf reads a price stored as a floating-point number, which must be the
// one nearest to a price on the grid. single: it was stored in 32 bits.
func PriceOf(x float64, single bool) (market.Price, Reason) {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return 0, BadPrice
	case x < 0 || x > 1:
		return 0, PriceRange
	}
	v, ok := gridOf(x, float64(market.PriceOne), single)
	if !ok {
		return 0, PricePrecision
	}
	return priceUnits(v)
}

// SizeOf reads a size written as a floating-point number, as PriceOf does.
func SizeOf(x float64, single bool) (market.Size, Reason) {
	const limit = float64(1 << 53)
	switch {
	case math.IsNaN(x):
		return 0, BadSize
	case x < 0:
		return 0, NegativeSize
	case x*1e6 >= limit:
		return 0, SizeRange
	}
	v, ok := gridOf(x, 1e6, single)
	if !ok {
		return 0, SizePrecision
	}
	return market.Size(v), OK
}

// gridOf returns x in units of 1/one. A decimal on the grid and the number
// nearest to it: dividing gives that number again.
func gridOf(x, one float64, single bool) (int64, bool) {
	units := math.Round(x * one)
	if single {
		return int64(units), float32(units/one) == float32(x)
	}
	return int64(units), units/one == x
}

// PriceUnits reads a price written as unscaled × 10^-scale.
func PriceUnits(unscaled int64, scale int) (market.Price, Reason) {
	v, fits, exact := rescale(unscaled, scale, PriceDecimals)
	switch {
	case !fits:
		return 0, PriceRange
	case !exact:
		return 0, PricePrecision
	}
	return priceUnits(v)
}

// SizeUnits reads a size written as unscaled × 10^-scale.
func SizeUnits(unscaled int64, scale int) (market.Size, Reason) {
	v, fits, exact := rescale(unscaled, scale, SizeDecimals)
	switch {
	case !fits:
		return 0, SizeRange
	case !exact:
		return 0, SizePrecision
	case v < 0:
		return 0, NegativeSize
	}
	return market.Size(v), OK
}

// rescale turns v × 10^-from into units of 10^-to. It says whether the result
// fits, and whether nothing was lost.
func rescale(v int64, from, to int) (out int64, fits, exact bool) {
	for ; from > to; from-- {
		if v%10 != 0 {
			return 0, true, false
		}
		v /= 10
		if v == 0 {
			break
		}
	}
	for ; from < to; from++ {
		if v > math.MaxInt64/10 || v < math.MinInt64/10 {
			return 0, false, true
		}
		v *= 10
	}
	return v, true, true
}

// BestPrice reads a stated best price of a side. A missing price, 0, and the
// price at which nobody can trade on that side (0 for bids, 1 for asks) mean
// that the side is empty.
func BestPrice(p market.Price, side market.Side) market.Price {
	if p == 0 || side == market.Ask && p == market.PriceOne {
		return market.NoPrice
	}
	return p
}

// Times are told apart by their magnitude: below 1e11 they are seconds since
// 1970, below 1e14 milliseconds, below 1e17 microseconds, else nanoseconds.
const (
	msFrom = 100_000_000_000
	usFrom = 100_000_000_000_000
	nsFrom = 100_000_000_000_000_000
)

// Times before earliest are of another unit, or of no clock; a collector whose clock
// says 2100 or later is wrong.
const (
	earliest = market.Instant(1_000_000_000) * market.Second
	latest   = market.Instant(4_102_444_800) * market.Second
)

// Time reads a time: Unix seconds, milliseconds, microseconds or nanoseconds,
// whole or decimal, or RFC 3339. Decimals are rounded to the nearest microsecond: a
// floating-point clock shows 1776081409.871942 as 1776081409.8719418. Whole nanoseconds,
// and the digits of RFC 3339, are truncated to it. Zero is the instant 0, "not given".
func Time(text []byte) (market.Instant, Reason) {
	t, ok := plainTime(text)
	if !ok {
		t, ok = oddTime(string(text))
	}
	if !ok {
		return 0, BadTime
	}
	return Instant(int64(t))
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
	switch {
	case whole < msFrom:
		decimals = 6
	case whole < usFrom:
		decimals = 3
	case whole >= nsFrom:
		decimals = -3
		whole /= 1000
	}
	v := whole * pow10[max(decimals, 0)]
	if i == len(b) {
		return market.Instant(v), true
	}
	if b[i] != '.' || i+1 == len(b) {
		return 0, false
	}
	part, ok := fraction(b[i+1:], decimals)
	return market.Instant(v + part), ok
}

// fraction returns the decimals behind a point in units of the last of so many, rounded
// to the nearest; 0 for fewer than none.
func fraction(b []byte, decimals int) (v int64, ok bool) {
	for _, c := range b {
		d := c - '0'
		if d > 9 {
			return 0, false
		}
		decimals--
		switch {
		case decimals >= 0:
			v += int64(d) * pow10[decimals]
		case decimals == -1 && d >= 5:
			v++
		}
	}
	return v, true
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

// TimeOf reads an instant given as a whole number of seconds, milliseconds,
// microseconds or nanoseconds since 1970, told apart by magnitude as in Time.
func TimeOf(v int64) (market.Instant, Reason) {
	switch {
	case v < 0:
		return 0, BadTime
	case v < msFrom:
		v *= int64(market.Second)
	case v < usFrom:
		v *= int64(market.Second) / 1000
	case v >= nsFrom:
		v /= 1000
	}
	return Instant(v)
}

// Instant checks an instant in microseconds since 1970. Zero is "not given"; others
// outside the years 2001 to 2099 are of another unit than they are said to be.
func Instant(us int64) (market.Instant, Reason) {
	if t := market.Instant(us); t == 0 || t >= earliest && t < latest {
		return t, OK
	}
	return 0, BadTime
}
