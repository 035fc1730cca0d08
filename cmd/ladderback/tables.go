package main

import (
	"io"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// newTable makes a table without frames, with a header when columns are named.
func newTable(w io.Writer, columns ...string) table.Writer {
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

// numbersRight right-aligns columns, counted from 1.
func numbersRight(t table.Writer, columns ...int) {
	configs := make([]table.ColumnConfig, len(columns))
	for i, c := range columns {
		configs[i] = table.ColumnConfig{Number: c, Align: text.AlignRight, AlignHeader: text.AlignRight}
	}
	t.SetColumnConfigs(configs)
}

// grouped writes n with a comma every three digits.
func grouped(n int64) string {
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

// plural writes a number of things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return grouped(int64(n)) + " " + thing + "s"
}
