package scalar_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/ingest/scalar"
	"github.com/ladderback/ladderback/market"
)

func TestTime(t *testing.T) {
	t.Parallel()
	const at = 1776081409_871942
	for text, want := range map[string]market.Instant{
		"1776081409.871942":                at,
		"1776081409.8719418":               at, // the same as a floating-point clock shows it
		"1776081409.8719423":               at,
		"1776081409.8719425":               at + 1,
		"1776081409.87194249":              at, // rounded once
		"1776081409.9999997":               1776081410_000000,
		"1776081409871.942":                at,
		"1776081409871.9418":               at,
		"1776081409871942":                 at,
		"1776081409871941.6":               at,
		"1776081409871942999":              at, // nanoseconds
		"1776081409871942999.9":            at,
		"2026-04-13T11:56:49.8719429Z":     at,
		"2026-04-13T13:56:49.871942+02:00": at,
		"1776081409":                       1776081409_000000,
		"1776081409.5":                     1776081409_500000,
		"0":                                0,
	} {
		got, r := scalar.Time([]byte(text))
		require.Equal(t, scalar.OK, r, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "1776081409.5s", "-1", "4102444799.9999999", "99999999999999999999"} {
		_, r := scalar.Time([]byte(text))
		require.Equal(t, scalar.BadTime, r, text)
	}
}

// read is a reading of one value: what it is in the archive's units, and why not.
type read struct {
	units  int64
	reason scalar.Reason
}

func of[T ~int64 | ~int32](v T, r scalar.Reason) read { return read{int64(v), r} }

func TestPricesAndSizes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]read{
		"0.5": {5000, scalar.OK}, "1": {10_000, scalar.OK}, "0": {0, scalar.OK}, ".5": {5000, scalar.OK}, "5e-1": {5000, scalar.OK}, "0.50000": {5000, scalar.OK},
		"0.12345": {0, scalar.PricePrecision}, "1.0001": {0, scalar.PriceRange}, "-0.1": {0, scalar.PriceRange}, "1e30": {0, scalar.PriceRange}, "half": {0, scalar.BadPrice}, "": {0, scalar.BadPrice}, "0.5 ": {0, scalar.BadPrice},
	} {
		require.Equal(t, want, of(scalar.Price([]byte(text))), text)
	}
	for text, want := range map[string]read{
		"12.5": {12_500_000, scalar.OK}, "0.000001": {1, scalar.OK}, "999999999999": {999_999_999_999_000_000, scalar.OK},
		"0.0000001": {0, scalar.SizePrecision}, "-1": {0, scalar.NegativeSize}, "1e30": {0, scalar.SizeRange}, "many": {0, scalar.BadSize},
	} {
		require.Equal(t, want, of(scalar.Size([]byte(text))), text)
	}
	v, next, ok := scalar.PlainDecimal([]byte("x12.5,"), 1, 4)
	require.True(t, ok)
	require.EqualValues(t, 125_000, v)
	require.Equal(t, 5, next)
	for _, text := range []string{"1234567890123", "1.", "1.23456", ".5", ""} {
		_, _, ok := scalar.PlainDecimal([]byte(text), 0, 4)
		require.False(t, ok, text)
	}
}

// TestNumbersOfFiles: floating-point numbers are those next to a number of the grid, and
// scaled integers lose nothing.
func TestNumbersOfFiles(t *testing.T) {
	t.Parallel()
	for x, want := range map[float64]read{
		0.07: {700, scalar.OK}, 0: {0, scalar.OK}, 1: {10_000, scalar.OK}, 0.07000000001: {0, scalar.PricePrecision}, 1.0001: {0, scalar.PriceRange}, -0.01: {0, scalar.PriceRange},
		math.Inf(1): {0, scalar.BadPrice}, float64(float32(0.07)): {0, scalar.PricePrecision},
	} {
		require.Equal(t, want, of(scalar.PriceOf(x, false)), x)
	}
	require.Equal(t, read{700, scalar.OK}, of(scalar.PriceOf(float64(float32(0.07)), true)))
	require.Equal(t, read{0, scalar.BadPrice}, of(scalar.PriceOf(math.NaN(), false)))
	for x, want := range map[float64]read{
		2.5: {2_500_000, scalar.OK}, 0.1: {100_000, scalar.OK}, 8e9: {8_000_000_000_000_000, scalar.OK}, 1e10: {0, scalar.SizeRange}, -1: {0, scalar.NegativeSize}, 1e-7: {0, scalar.SizePrecision}, math.Inf(1): {0, scalar.SizeRange},
	} {
		require.Equal(t, want, of(scalar.SizeOf(x, false)), x)
	}
	for _, c := range []struct {
		unscaled int64
		scale    int
		price    read
		size     read
	}{
		{7, 2, read{700, scalar.OK}, read{70_000, scalar.OK}},
		{700_000, 7, read{700, scalar.OK}, read{70_000, scalar.OK}},
		{123_456, 6, read{0, scalar.PricePrecision}, read{123_456, scalar.OK}},
		{1_234_561, 7, read{0, scalar.PricePrecision}, read{0, scalar.SizePrecision}},
		{2, 0, read{0, scalar.PriceRange}, read{2_000_000, scalar.OK}},
		{-1, 0, read{0, scalar.PriceRange}, read{0, scalar.NegativeSize}},
		{math.MaxInt64, 0, read{0, scalar.PriceRange}, read{0, scalar.SizeRange}},
		{0, 40, read{0, scalar.OK}, read{0, scalar.OK}},
	} {
		require.Equal(t, c.price, of(scalar.PriceUnits(c.unscaled, c.scale)), "%d at %d", c.unscaled, c.scale)
		require.Equal(t, c.size, of(scalar.SizeUnits(c.unscaled, c.scale)), "%d at %d", c.unscaled, c.scale)
	}
}

func TestSidesAndIDs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]market.Side{"buy": market.Bid, "BID": market.Bid, "Sell": market.Ask, "ask": market.Ask} {
		side, r := scalar.Side([]byte(text))
		require.Equal(t, scalar.OK, r)
		require.Equal(t, want, side, text)
	}
	for _, text := range []string{"", "b", "buyer", "ask "} {
		_, r := scalar.Side([]byte(text))
		require.Equal(t, scalar.BadSide, r, text)
	}
	for text, want := range map[string]bool{"": false, "a b": false, "a\n": false, "ü": false, "~!": true, strings.Repeat("x", scalar.MaxID): true, strings.Repeat("x", scalar.MaxID+1): false} {
		require.Equal(t, want, scalar.ID([]byte(text)), text)
	}
	require.Equal(t, market.NoPrice, scalar.BestPrice(0, market.Bid))
	require.Equal(t, market.NoPrice, scalar.BestPrice(0, market.Ask))
	require.Equal(t, market.NoPrice, scalar.BestPrice(market.PriceOne, market.Ask), "nobody sells at 1")
	require.Equal(t, market.PriceOne, scalar.BestPrice(market.PriceOne, market.Bid))
	require.Equal(t, market.Price(1), scalar.BestPrice(1, market.Ask))
}
