package strategy

import (
	"errors"
	"fmt"

	"github.com/ladderback/ladderback/market"
)

const (
	numberDecimals = 6
	// priceStep is the finest step of prices, changes, ratios, offsets and
	// trailing stops: four decimals.
	priceStep Number = 100
)

// ParseNumber reads a decimal number exactly: "0.35", "-2", "1e-2". More than
// six decimals, trailing zeros aside, yield market.ErrPrecision, a magnitude of 9.2e12 or
// more market.ErrRange, and anything that is not a number market.ErrSyntax.
func ParseNumber(s string) (Number, error) {
	v, err := market.ParseDecimal(s, numberDecimals)
	if err != nil {
		return 0, fmt.Errorf("number %q: %w", clip(s), err)
	}
	return Number(v), nil
}

// Int returns the Number n.
func Int(n int) Number { return Number(n) * One }

// Cents returns a number of hundredths of a dollar as a Number: Cents(35) is
// 0.35.
func Cents(n int) Number { return Number(n) * (One / 100) }

// Ptr returns a pointer to a copy of n, for the optional fields of Exit.
func (n Number) Ptr() *Number { return &n }

// String returns the shortest decimal: "0.35", "50", "-0.02".
func (n Number) String() string { return market.FormatDecimal(int64(n), numberDecimals) }

// Float returns the nearest float64, for output and statistics only.
func (n Number) Float() float64 { return float64(n) / float64(One) }

// Cash returns n as US dollars.
func (n Number) Cash() market.Cash { return market.Cash(n) }

// Whole returns n as an int and whether it is whole.
func (n Number) Whole() (int, bool) { return int(n / One), n%One == 0 }

// MarshalJSON writes the shortest decimal.
func (n Number) MarshalJSON() ([]byte, error) { return []byte(n.String()), nil }

// UnmarshalJSON reads a JSON number exactly, in any notation.
func (n *Number) UnmarshalJSON(b []byte) error {
	v, err := ParseNumber(string(b))
	if err != nil {
		return err
	}
	*n = v
	return nil
}

// numberProblem says in words why text is not a Number.
func numberProblem(err error) string {
	switch {
	case errors.Is(err, market.ErrPrecision):
		return "has too many decimals: expected at most 4 in prices, changes, ratios and offsets, 6 in seconds and dollars"
	case errors.Is(err, market.ErrRange):
		return "is out of range"
	}
	return "is not a decimal number"
}

// clip shortens text from outside for an error message.
func clip(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && s[cut]&0xC0 == 0x80 {
		cut--
	}
	return s[:cut] + "…"
}
