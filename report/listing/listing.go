// Package listing is what an archive holds, what was done to it and looked at in it, and what
// a prompt was read as: as tables for people and as documents for programs, the two forms of a
// command's answer, side by side.
package listing

import (
	"fmt"
	"io"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/ladderback/ladderback/market"
)

// NewTable makes a table without frames, with a header when columns are named.
func NewTable(w io.Writer, columns ...string) table.Writer {
	t := table.NewWriter()
	t.SetOutputMirror(w)
	style := table.StyleLight
	style.Options = table.OptionsNoBordersAndSeparators
	style.Options.SeparateHeader = len(columns) > 0
	style.Format.Header, style.Format.Footer = text.FormatDefault, text.FormatDefault
	style.Format.HeaderAlign = text.AlignLeft
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	if len(columns) > 0 {
		row := make(table.Row, len(columns))
		for i, c := range columns {
			row[i] = c
		}
		t.AppendHeader(row)
	}
	return t
}

// NumbersRight right-aligns columns, counted from 1.
func NumbersRight(t table.Writer, columns ...int) {
	configs := make([]table.ColumnConfig, len(columns))
	for i, c := range columns {
		configs[i] = table.ColumnConfig{Number: c, Align: text.AlignRight, AlignHeader: text.AlignRight}
	}
	t.SetColumnConfigs(configs)
}

// Grouped writes n with a comma every three digits.
func Grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	start := 0
	if n < 0 {
		start = 1
	}
	for i := len(s) - 3; i > start; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Plural writes a number of things.
func Plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return Grouped(int64(n)) + " " + thing + "s"
}

// Bytes writes a number of bytes as people read it: "1.5 MB".
func Bytes(n int64) string {
	switch {
	case n >= 999_950_000: // 1000.0 MB
		return fmt.Sprintf("%.2f GB", float64(n)/1e9)
	case n >= 999_950:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%d B", n)
}

// ToSecond writes an instant without parts of a second.
func ToSecond(t market.Instant) string { return t.Time().Format("2006-01-02 15:04:05") }

// ToMinute writes an instant without seconds; empty when it is not known.
func ToMinute(t market.Instant) string {
	if t == 0 {
		return ""
	}
	return t.Time().Format("2006-01-02 15:04")
}

// seconds writes a span as people read it.
func seconds(s market.Span) string {
	switch {
	case s >= market.Hour:
		return fmt.Sprintf("%.1f h", float64(s)/float64(market.Hour))
	case s >= 2*market.Minute:
		return fmt.Sprintf("%.1f min", float64(s)/float64(market.Minute))
	}
	return fmt.Sprintf("%.1f s", float64(s)/float64(market.Second))
}
