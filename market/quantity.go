package market

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strings"
)

// Price is a price per share in units of 1e-4 USD. Prices of ladders, quotes
// and trades lie in [0, PriceOne]; the difference of two prices may be
// negative.
type Price int32

// Size is a number of shares in units of 1e-6 share. Sizes are never negative;
// zero means that nothing rests at a level.
type Size int64

// Cash is an amount of money in units of 1e-6 USD. A negative amount is a loss
// or a payment.
type Cash int64

const (
	// PriceOne is 1 USD: the payout of a share of the winning token.
	PriceOne Price = 10_000
	// SizeOne is one share.
	SizeOne Size = 1_000_000
	// CashOne is one US dollar.
	CashOne Cash = 1_000_000

	priceDecimals = 4
	microDecimals = 6
)

// Errors of ParseDecimal and of the Parse functions built on it.
var (
	ErrSyntax    = errors.New("not a decimal number")
	ErrRange     = errors.New("number out of range")
	ErrPrecision = errors.New("too many decimals")
)

// Mirror returns the price of the other token of a mirrored pair: 1 − p.
func (p Price) Mirror() Price { return PriceOne - p }

// Valid reports whether p is a price that a level, a quote or a trade may
// have: 0 ≤ p ≤ 1.
func (p Price) Valid() bool { return p >= 0 && p <= PriceOne }

// String returns p in USD with up to four decimals, no trailing zeros: "0.35".
func (p Price) String() string { return formatDecimal(int64(p), priceDecimals) }

// Float returns p in USD, for statistics and output only.
func (p Price) Float() float64 { return float64(p) / float64(PriceOne) }

// String returns s in shares with up to six decimals, no trailing zeros.
func (s Size) String() string { return formatDecimal(int64(s), microDecimals) }

// Float returns s in shares, for statistics and output only.
func (s Size) Float() float64 { return float64(s) / float64(SizeOne) }

// String returns c in USD with up to six decimals, no trailing zeros: "-12.5".
func (c Cash) String() string { return formatDecimal(int64(c), microDecimals) }

// Float returns c in USD, for statistics and output only.
func (c Cash) Float() float64 { return float64(c) / float64(CashOne) }

// ParsePrice reads a price in USD: "0.35", ".35", "1", "0.3500". The result
// lies in [0, PriceOne]. A nonzero digit beyond the fourth decimal gives
// ErrPrecision, a value below 0 or above 1 ErrRange, anything else ErrSyntax.
func ParsePrice(s string) (Price, error) {
	v, err := ParseDecimal(s, priceDecimals)
	if err != nil {
		return 0, fmt.Errorf("price %q: %w", clip(s), err)
	}
	if v < 0 || v > int64(PriceOne) {
		return 0, fmt.Errorf("price %q: %w: expected 0 to 1", clip(s), ErrRange)
	}
	return Price(v), nil
}

// ParseSize reads a number of shares, at least 0. A nonzero digit beyond the
// sixth decimal gives ErrPrecision, a negative number ErrRange.
func ParseSize(s string) (Size, error) {
	v, err := ParseDecimal(s, microDecimals)
	if err != nil {
		return 0, fmt.Errorf("size %q: %w", clip(s), err)
	}
	if v < 0 {
		return 0, fmt.Errorf("size %q: %w: expected 0 or more", clip(s), ErrRange)
	}
	return Size(v), nil
}

// ParseCash reads an amount in USD. A nonzero digit beyond the sixth decimal
// gives ErrPrecision.
func ParseCash(s string) (Cash, error) {
	v, err := ParseDecimal(s, microDecimals)
	if err != nil {
		return 0, fmt.Errorf("amount %q: %w", clip(s), err)
	}
	return Cash(v), nil
}

// ParseDecimal reads a decimal number exactly and returns it in units of
// 10^-decimals, 0 ≤ decimals ≤ 18. It takes an optional sign, digits with an
// optional point (at least one digit), and an optional exponent of at most
// three digits. Digits beyond decimals must be zero (else ErrPrecision); what
// does not fit an int64 is ErrRange.
func ParseDecimal(s string, decimals int) (int64, error) {
	neg := strings.HasPrefix(s, "-")
	if neg || strings.HasPrefix(s, "+") {
		s = s[1:]
	}
	d, rest, err := readDigits(s)
	if err != nil {
		return 0, err
	}
	if rest != "" {
		exp, ok := parseExponent(rest)
		if !ok {
			return 0, ErrSyntax
		}
		d.scale -= exp
	}
	v, err := d.units(decimals)
	switch {
	case err != nil:
		return 0, err
	case neg && v <= -math.MinInt64:
		return int64(-v), nil // two's complement, so the smallest int64 works too
	case v > math.MaxInt64:
		return 0, ErrRange
	}
	return int64(v), nil
}

// digits are the digits of a number without leading zeros: their value is
// digit[0:n] × 10^-scale.
type digits struct {
	digit [40]byte
	n     int
	scale int
}

// readDigits reads digits with an optional point, at least one digit, and
// returns the rest of the text.
func readDigits(s string) (d digits, rest string, err error) {
	i, seen, point := 0, false, false
	for ; i < len(s); i++ {
		if c := s[i]; c == '.' && !point {
			point = true
			continue
		} else if c < '0' || c > '9' {
			break
		}
		seen = true
		if point {
			d.scale++
		}
		if err := d.add(s[i] - '0'); err != nil {
			return d, "", err
		}
	}
	if !seen {
		return d, "", ErrSyntax
	}
	return d, s[i:], nil
}

// add appends a digit. Zeros that do not fit only shift the scale.
func (d *digits) add(v byte) error {
	switch {
	case d.n == 0 && v == 0:
	case d.n < len(d.digit):
		d.digit[d.n] = v
		d.n++
	case v != 0:
		return ErrPrecision
	default:
		d.scale--
	}
	return nil
}

// units returns the value in units of 10^-decimals.
func (d *digits) units(decimals int) (uint64, error) {
	shift := decimals - d.scale
	for ; d.n > 0 && shift < 0; shift++ {
		if d.digit[d.n-1] != 0 {
			return 0, ErrPrecision
		}
		d.n--
	}
	var v uint64
	for _, c := range d.digit[:d.n] {
		hi, lo := bits.Mul64(v, 10)
		lo, carry := bits.Add64(lo, uint64(c), 0)
		if hi != 0 || carry != 0 {
			return 0, ErrRange
		}
		v = lo
	}
	for ; v != 0 && shift > 0; shift-- {
		hi, lo := bits.Mul64(v, 10)
		if hi != 0 {
			return 0, ErrRange
		}
		v = lo
	}
	return v, nil
}

// parseExponent reads "e5", "E-3" and the like, the whole of s.
func parseExponent(s string) (int, bool) {
	if s[0] != 'e' && s[0] != 'E' {
		return 0, false
	}
	s = s[1:]
	neg := false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		neg = s[0] == '-'
		s = s[1:]
	}
	if s == "" || len(s) > 3 {
		return 0, false
	}
	exp := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		exp = exp*10 + int(s[i]-'0')
	}
	if neg {
		exp = -exp
	}
	return exp, true
}

// FormatDecimal formats v, in units of 10^-decimals, without trailing zeros:
// FormatDecimal(3500, 4) = "0.35".
func FormatDecimal(v int64, decimals int) string { return formatDecimal(v, decimals) }

func formatDecimal(v int64, decimals int) string {
	u := uint64(v)
	if v < 0 {
		u = -u
	}
	s := fmt.Sprintf("%0*d", decimals+1, u)
	whole, frac := s[:len(s)-decimals], strings.TrimRight(s[len(s)-decimals:], "0")
	if frac != "" {
		whole += "." + frac
	}
	if v < 0 {
		return "-" + whole
	}
	return whole
}

// clip shortens text from outside for an error message.
func clip(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}
