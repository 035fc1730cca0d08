package stats

import (
	"fmt"
	"math"
	"math/big"

	"github.com/ladderback/ladderback/market"
)

// Decimal is a number of the report in units of 1e-6, exact. Its JSON form is
// the shortest plain decimal: 12.5, -0.02, 0; never an exponent, never -0.
type Decimal int64

// One is the Decimal 1.
const One Decimal = 1_000_000

// maxDecimal is the largest Decimal. Ratios beyond it are written as it.
const maxDecimal = Decimal(math.MaxInt64)

// String returns d with as many of six decimals as needed.
func (d Decimal) String() string {
	if d == None {
		return ""
	}
	return market.FormatDecimal(int64(d), 6)
}

// Float returns d as a float64, for drawing only.
func (d Decimal) Float() float64 { return float64(d) / float64(One) }

// Abs returns d without its sign.
func (d Decimal) Abs() Decimal { return max(d, -d) }

// None is no number: null in JSON, empty as text.
const None Decimal = math.MinInt64

// MarshalJSON writes d as a JSON number, or null.
func (d Decimal) MarshalJSON() ([]byte, error) {
	if d == None {
		return []byte("null"), nil
	}
	return []byte(d.String()), nil
}

// UnmarshalJSON reads a JSON number of at most six decimals, or null.
func (d *Decimal) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*d = None
		return nil
	}
	v, err := market.ParseDecimal(string(b), 6)
	if err != nil {
		return fmt.Errorf("number %q: %w", b, err)
	}
	*d = Decimal(v)
	return nil
}

var unit = big.NewInt(1)

// Round returns num ÷ den rounded half even to a whole number; den must be
// above zero. A result that does not fit a Decimal becomes the nearest one that
// does.
func Round(num, den *big.Int) Decimal {
	q, r := new(big.Int).QuoRem(num, den, new(big.Int))
	switch twice := r.Abs(r).Lsh(r, 1).Cmp(den); {
	case twice > 0, twice == 0 && q.Bit(0) == 1:
		if num.Sign() < 0 {
			q.Sub(q, unit)
		} else {
			q.Add(q, unit)
		}
	}
	if !q.IsInt64() {
		if q.Sign() < 0 {
			return -maxDecimal
		}
		return maxDecimal
	}
	return Decimal(q.Int64())
}

// Ratio returns num ÷ den rounded half even to six decimals, for numbers of the
// same unit; den must be above zero.
func Ratio(num, den int64) Decimal {
	n := new(big.Int).Mul(big.NewInt(num), big.NewInt(int64(One)))
	return Round(n, big.NewInt(den))
}

// Mean returns sum ÷ n rounded half even, where sum is in micro-units.
func Mean(sum int64, n int) Decimal { return Round(big.NewInt(sum), big.NewInt(int64(n))) }

// rootOf returns √(num ÷ den) rounded to the nearest whole number, half even;
// num ≥ 0 and den > 0.
func rootOf(num, den *big.Int) Decimal {
	r := new(big.Int).Sqrt(new(big.Int).Quo(num, den))
	// r = ⌊√(num/den)⌋. Rounded up when num/den > (r + ½)², that is when
	// 4·num > den·(2r+1)².
	half := new(big.Int).Lsh(r, 1)
	half.Add(half, unit)
	half.Mul(half, half).Mul(half, den)
	four := new(big.Int).Lsh(num, 2)
	if c := four.Cmp(half); c > 0 || c == 0 && r.Bit(0) == 1 {
		r.Add(r, unit)
	}
	if !r.IsInt64() {
		return maxDecimal
	}
	return Decimal(r.Int64())
}

// MeanDifference returns a/n − b/m, rounded once.
func MeanDifference(a int64, n int, b int64, m int) Decimal {
	x := new(big.Int).Mul(big.NewInt(a), big.NewInt(int64(m)))
	y := new(big.Int).Mul(big.NewInt(b), big.NewInt(int64(n)))
	return Round(x.Sub(x, y), new(big.Int).Mul(big.NewInt(int64(n)), big.NewInt(int64(m))))
}
