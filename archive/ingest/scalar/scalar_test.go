package scalar_test

import (
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
