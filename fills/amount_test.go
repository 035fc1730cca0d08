package fills_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
)

// amount draws a sum of products and the same as a fraction of a USD.
func amount(t *rapid.T, name string) (fills.Amount, *big.Rat) {
	per := rapid.Int64Range(-2_000_000, 2_000_000).Draw(t, name+" per share")
	size := market.Size(rapid.OneOf(rapid.Int64Range(0, 1_000), rapid.Int64Range(0, 1<<62)).Draw(t, name+" size"))
	rest := market.Cash(rapid.Int64Range(-1_000_000, 1_000_000).Draw(t, name+" rest"))
	a := fills.Scaled(per, size).Add(fills.AmountOf(rest))
	return a, add(mul(big.NewRat(per, 1_000_000), sizeRat(size)), cashRat(rest))
}

func TestAmountsAreExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, x := amount(t, "a")
		b, y := amount(t, "b")
		requireRat(t, x, a.Rat(), "a")
		requireRat(t, add(x, y), a.Add(b).Rat(), "a+b")
		requireRat(t, new(big.Rat).Sub(x, y), a.Sub(b).Rat(), "a-b")
		requireRat(t, new(big.Rat).Neg(x), a.Neg().Rat(), "-a")
		require.Equal(t, x.Cmp(y), a.Cmp(b))
		require.Equal(t, x.Sign(), a.Sign())
		k := rapid.Int64Range(0, 1_000_000).Draw(t, "k")
		requireRat(t, mul(x, big.NewRat(k, 1)), a.Times(k).Rat(), "a*k")

		floor := new(big.Int).Div(new(big.Int).Mul(x.Num(), big.NewInt(1_000_000)), x.Denom()) // Euclidean: down for a positive divisor
		require.Equal(t, floor.Int64(), int64(a.Floor()))
		ceil := new(big.Int).Set(floor)
		if new(big.Rat).SetFrac(floor, big.NewInt(1_000_000)).Cmp(x) != 0 {
			ceil.Add(ceil, big.NewInt(1))
		}
		require.Equal(t, ceil.Int64(), int64(a.Ceil()))
		require.Equal(t, halfEven(x), int64(a.Round()))
	})
}

// halfEven rounds to millionths, half to even.
func halfEven(x *big.Rat) int64 {
	scaled := mul(x, big.NewRat(1_000_000, 1))
	floor := new(big.Int).Div(scaled.Num(), scaled.Denom())
	rest := new(big.Rat).Sub(scaled, new(big.Rat).SetInt(floor))
	switch rest.Cmp(big.NewRat(1, 2)) {
	case 1:
		floor.Add(floor, big.NewInt(1))
	case 0:
		if floor.Bit(0) == 1 {
			floor.Add(floor, big.NewInt(1))
		}
	}
	return floor.Int64()
}

func TestAveragesCompareExactly(t *testing.T) {
	t.Parallel()
	average := func(t *rapid.T, name string) (fills.Average, *big.Rat) {
		size := market.Size(rapid.OneOf(rapid.Int64Range(1, 1_000), rapid.Int64Range(1, 1<<62)).Draw(t, name+" shares"))
		value := fills.Scaled(rapid.Int64Range(-1_000_000, 1_000_000).Draw(t, name), size)
		value = value.Add(fills.Value(1, market.Size(rapid.Int64Range(0, 3).Draw(t, name+" rest"))))
		return fills.Average{Value: value, Shares: size}, new(big.Rat).Quo(value.Rat(), sizeRat(size))
	}
	rapid.Check(t, func(t *rapid.T) {
		a, x := average(t, "a")
		b, y := average(t, "b")
		require.Equal(t, x.Cmp(y), a.Cmp(b), "%s against %s", x, y)
		require.Zero(t, a.Cmp(a))
		off := rapid.Int64Range(-1_000_000, 1_000_000).Draw(t, "off")
		requireRat(t, new(big.Rat).Sub(x, big.NewRat(off, 1_000_000)), a.Less(off).Rat(), "less")
		requireRat(t, x, a.Rat(), "average")
		if x.Sign() >= 0 && x.Cmp(big.NewRat(1, 1)) <= 0 {
			require.Equal(t, halfEven(x), int64(a.Round()))
		}
	})
	require.Zero(t, fills.Average{}.Round())
	require.False(t, fills.Average{}.Known())
}

func TestAverageDown(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.Int64Range(0, 1_000_000).Draw(t, "price")
		shares := market.Size(rapid.Int64Range(1, 1<<40).Draw(t, "shares"))
		more := rapid.Int64Range(0, int64(shares)-1).Draw(t, "more") // of 1e-12 USD, in all
		v := fills.Average{Value: fills.Scaled(p, shares).Add(fills.Scaled(more, 1)), Shares: shares}
		low, rounded := v.Down()
		require.Equal(t, p, low)
		require.Equal(t, more != 0, rounded)
	})
	low, rounded := fills.Average{}.Down()
	require.Zero(t, low)
	require.False(t, rounded)
}
