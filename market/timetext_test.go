package market_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/market"
)

func TestParseTime(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"2026-04-13T14:00:00Z":           "2026-04-13T14:00:00Z",
		"2026-04-13 14:00":               "2026-04-13T14:00:00Z", // as tables print it
		"2026-04-13T14:00:00.25Z":        "2026-04-13T14:00:00.25Z",
		"2026-04-13t14:00:00z":           "2026-04-13T14:00:00Z",
		"2026-04-13T16:00:00+02:00":      "2026-04-13T14:00:00Z",
		"2026-04-13T16:00:00 02:00":      "2026-04-13T14:00:00Z", // a + decoded as a space
		"2026-04-13T10:30:00-03:30":      "2026-04-13T14:00:00Z",
		"2026-04-13T14:00:00":            "2026-04-13T14:00:00Z",
		"2026-04-13T14:00:00.5":          "2026-04-13T14:00:00.5Z",
		"2026-04-13 14:00:00":            "2026-04-13T14:00:00Z",
		"2026-04-13T14:00":               "2026-04-13T14:00:00Z",
		"2026-04-13":                     "2026-04-13T00:00:00Z",
		"1776088800":                     "2026-04-13T14:00:00Z",
		"1776088800.25":                  "2026-04-13T14:00:00.25Z",
		"1776088800.1234567":             "2026-04-13T14:00:00.123456Z",
		"0":                              "1970-01-01T00:00:00Z",
		"1969-12-31T23:59:59Z":           "1969-12-31T23:59:59Z",
		"2026-04-13T14:00:00.123456789Z": "2026-04-13T14:00:00.123456Z",
	} {
		got, err := market.ParseTime(in)
		require.NoError(t, err, "input %q", in)
		require.Equal(t, want, got.String(), "input %q", in)
	}
	for _, bad := range []string{
		"", "yesterday", "-5", "+5", "1e9", ".", "1.2.3", "2026-13-01", "2026-02-30T00:00:00Z",
		"2026-04-13T25:00:00Z", "1776088800000", "100000000000", "NaN", "2026-04-13T14:00:00Z ", "0x10",
		"99999999999999999999999",
	} {
		_, err := market.ParseTime(bad)
		require.Error(t, err, "input %q", bad)
	}
	_, err := market.ParseTime("1776088800000")
	require.ErrorContains(t, err, "milliseconds")
}
