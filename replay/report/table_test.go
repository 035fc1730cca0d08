package report_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/replay/report"
)

func table(t *testing.T, b *report.Body, s report.Screen) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, b.WriteTable(&out, s))
	return out.String()
}

func TestTable(t *testing.T) {
	t.Parallel()
	b := body(build(t, fixture(60), report.IncludeSensitivity))
	golden(t, "table-80.txt", []byte(table(t, b, report.Screen{Width: 80})))
	golden(t, "table-120.txt", []byte(table(t, b, report.Screen{Width: 120})))
	golden(t, "table-color.txt", []byte(table(t, b, report.Screen{Width: 80, Color: true})))
}

func TestTableFitsTheScreen(t *testing.T) {
	t.Parallel()
	for _, width := range []int{80, 100, 116, 120, 200} {
		for _, n := range []int{0, 1, 2, 12, 300} {
			b := body(build(t, fixture(n), report.IncludeSensitivity))
			for i, l := range strings.Split(table(t, b, report.Screen{Width: width}), "\n") {
				require.LessOrEqual(t, utf8.RuneCountInString(l), width, "n=%d line %d: %s", n, i+1, l)
			}
		}
	}
}

// What a prompt brings along must not steer the terminal.
func TestTableTakesControlCharactersOut(t *testing.T) {
	t.Parallel()
	b := body(build(t, fixture(3)))
	b.Note = "evil\x1b[2Jnote\u202eabc\u009b"
	out := table(t, b, report.Screen{})
	require.NotContains(t, out, "\x1b")
	require.NotContains(t, out, "\u202e")
	require.NotContains(t, out, "\u009b")
	require.Contains(t, out, "evil[2Jnoteabc")
}

// Trades that neither win nor lose draw a flat line.
func TestTableOfNothingWon(t *testing.T) {
	t.Parallel()
	res := fixture(12)
	for _, one := range res.Trades {
		one.Proceeds = one.Cost
	}
	r := build(t, res)
	require.NotContains(t, table(t, body(r), report.Screen{}), "NaN")
	require.NotContains(t, page(t, body(r), fixturePaths(r, 1)), "NaN")
}
