package market_test

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/market"
)

func TestParsePrice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		want market.Price
		err  error
	}{
		{"0.35", 3500, nil},
		{".35", 3500, nil},
		{"0", 0, nil},
		{"1", 10000, nil},
		{"1.", 10000, nil},
		{"1.0000", 10000, nil},
		{"0.12340000", 1234, nil},
		{"+0.5", 5000, nil},
		{"3.5e-1", 3500, nil},
		{"35E-2", 3500, nil},
		{"0.00001", 0, market.ErrPrecision},
		{"1.2", 0, market.ErrRange},
		{"-0.1", 0, market.ErrRange},
		{"-0", 0, nil},
		{"", 0, market.ErrSyntax},
		{".", 0, market.ErrSyntax},
		{"-", 0, market.ErrSyntax},
		{"0.3.5", 0, market.ErrSyntax},
		{"0,35", 0, market.ErrSyntax},
		{"NaN", 0, market.ErrSyntax},
		{"1e", 0, market.ErrSyntax},
		{"1e9999", 0, market.ErrSyntax},
		{"1e99", 0, market.ErrRange},
		{"1e-99", 0, market.ErrPrecision},
		{"0e-99", 0, nil},
		{strings.Repeat("9", 100), 0, market.ErrPrecision},
		{"1" + strings.Repeat("0", 60), 0, market.ErrRange},
		{"0." + strings.Repeat("0", 90), 0, nil},
	} {
		got, err := market.ParsePrice(c.in)
		if c.err != nil {
			require.ErrorIs(t, err, c.err, "input %q", c.in)
			continue
		}
		require.NoError(t, err, "input %q", c.in)
		require.Equal(t, c.want, got, "input %q", c.in)
	}
}

func TestFormatAndParseAreInverse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := market.Cash(rapid.Int64Range(-1<<62, 1<<62).Draw(t, "cash"))
		got, err := market.ParseCash(c.String())
		require.NoError(t, err)
		require.Equal(t, c, got)
		p := market.Price(rapid.Int32Range(0, int32(market.PriceOne)).Draw(t, "price"))
		gotPrice, err := market.ParsePrice(p.String())
		require.NoError(t, err)
		require.Equal(t, p, gotPrice)
	})
}

func TestDecimalsReachBothEndsOfInt64(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]int64{"-9223372036854775808": math.MinInt64, "9223372036854775807": math.MaxInt64} {
		got, err := market.ParseDecimal(s, 0)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, s := range []string{"-9223372036854775809", "9223372036854775808", "-18446744073709551616"} {
		_, err := market.ParseDecimal(s, 0)
		require.ErrorIs(t, err, market.ErrRange, s)
	}
}

// FuzzParseDecimal compares with math/big on everything that big can read.
func FuzzParseDecimal(f *testing.F) {
	for _, s := range []string{"0.35", "-1e-3", "1E5", "00012.50", ".5", "5.", "9223372036854775807", "-9223372036854775808", "-", "1e", "0x10", "1_000"} {
		f.Add(s, 6)
	}
	f.Fuzz(func(t *testing.T, s string, decimals int) {
		decimals = ((decimals % 19) + 19) % 19
		got, err := market.ParseDecimal(s, decimals)
		if strings.ContainsAny(s, "xXpP_/bBoOiInN") || len(s) > 60 {
			return // forms that big reads and prices do not have
		}
		want, ok := new(big.Rat).SetString(s)
		if err != nil {
			if errors.Is(err, market.ErrSyntax) && ok {
				exp := strings.ToLower(s)
				require.Contains(t, exp, "e", "input %q is a number", s) // only long exponents are refused
			}
			return
		}
		require.True(t, ok, "input %q is no number, got %d", s, got)
		unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)
		back := new(big.Rat).SetFrac(big.NewInt(got), unit)
		require.Zero(t, want.Cmp(back), "input %q, decimals %d, got %d", s, decimals, got)
	})
}

func TestInstants(t *testing.T) {
	t.Parallel()
	i, err := market.ParseUnix("1776084584.058813")
	require.NoError(t, err)
	require.Equal(t, market.Instant(1776084584058813), i)
	require.Equal(t, "2026-04-13T12:49:44.058813Z", i.String())
	require.Equal(t, "2026-04-13T12:49:44Z", (i / market.Second * market.Second).String())

	cut, err := market.ParseUnix("1776084584.0588139")
	require.NoError(t, err)
	require.Equal(t, i, cut, "digits finer than a microsecond are cut")

	ms, err := market.ParseUnixMillis("1776084584058")
	require.NoError(t, err)
	require.Equal(t, market.Instant(1776084584058000), ms)

	for _, bad := range []string{"-1", "x", "", "99999999999999", "1.2.3"} {
		_, err := market.ParseUnix(bad)
		require.Error(t, err, "input %q", bad)
	}

	var back market.Instant
	require.NoError(t, back.UnmarshalText([]byte("2026-04-13T14:49:44.058813+02:00")))
	require.Equal(t, i, back)
	require.Error(t, back.UnmarshalText([]byte("yesterday")))
}
