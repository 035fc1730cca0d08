// Package terminal writes runs, explanations and comparisons for a terminal.
package terminal

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/ladderback/ladderback/backtest/stats"
)

// Screen describes the terminal.
type Screen struct {
	Width int  // columns; below 60 counts as 60, zero as 80
	Color bool // whether to write ANSI colours
}

// minWidth is the narrowest screen that the tables are made for, defaultWidth
// that of one that does not say.
const (
	minWidth     = 60
	defaultWidth = 80
)

// page collects the lines of a report for the terminal.
type page struct {
	bytes.Buffer
	width int
	color bool
}

func newPage(s Screen) *page {
	p := &page{width: s.Width, color: s.Color}
	switch {
	case p.width == 0:
		p.width = defaultWidth
	case p.width < minWidth:
		p.width = minWidth
	}
	return p
}

// ink is an ANSI attribute.
type ink string

const (
	bold  ink = "1"
	faint ink = "2"
	red   ink = "31"
	green ink = "32"
	amber ink = "33"

	reverse ink = "1;7"
)

// paint returns s in the ink, where the screen has colours.
func (p *page) paint(i ink, s string) string {
	if !p.color || s == "" {
		return s
	}
	return "\x1b[" + string(i) + "m" + s + "\x1b[0m"
}

// tone paints an amount by its sign.
func (p *page) tone(d stats.Decimal, s string) string { return p.toned(cmp.Compare(d, 0), s) }

// toned paints a gain (1) or a loss (−1).
func (p *page) toned(sign int, s string) string {
	switch sign {
	case 1:
		return p.paint(green, s)
	case -1:
		return p.paint(red, s)
	}
	return s
}

func (p *page) line(format string, args ...any) {
	_, _ = fmt.Fprintf(p, format, args...) // a buffer never fails
	p.WriteByte('\n')
}

// heading begins a part, after an empty line unless it is the first.
func (p *page) heading(s string) {
	if p.Len() > 0 {
		p.WriteByte('\n')
	}
	for l := range strings.SplitSeq(text.WrapSoft(s, p.width), "\n") {
		p.line("%s", p.paint(bold, strings.TrimRight(l, " ")))
	}
}

// paragraph writes s wrapped to the width, its lines behind lead and then
// behind as many spaces. Text from outside must have been cleaned.
func (p *page) paragraph(lead, s string) {
	room := p.width - text.StringWidthWithoutEscSequences(lead)
	for i, l := range strings.Split(text.WrapSoft(s, room), "\n") {
		if i == 1 {
			lead = strings.Repeat(" ", text.StringWidthWithoutEscSequences(lead))
		}
		p.line("%s%s", lead, strings.TrimRight(l, " "))
	}
}

// clean takes control characters out of text from outside, so that a prompt
// cannot steer the terminal; line ends and tabs become spaces.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\r', r == '\t':
			return ' '
		case r < 0x20, r >= 0x7f && r < 0xa0, r == 0x2028, r == 0x2029, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return -1
		}
		return r
	}, s)
}

// tight reports whether a screen has no room for what other columns say already.
func (p *page) tight() bool { return p.width < defaultWidth }

// grid is a table without frames: columns parted by two spaces.
type grid struct {
	table.Writer
	columns map[int]table.ColumnConfig // from 1
}

// grid begins a table; header nil: it has none. The named columns, from 1, are numbers.
func (p *page) grid(header table.Row, numbers ...int) *grid {
	t := &grid{table.NewWriter(), map[int]table.ColumnConfig{}}
	style := table.StyleDefault
	style.Name = "report"
	style.Box = table.BoxStyle{PaddingLeft: "", PaddingRight: "", MiddleVertical: "  ", MiddleHorizontal: "─", MiddleSeparator: "──", UnfinishedRow: "…"}
	style.Options = table.Options{SeparateColumns: true, SeparateHeader: true}
	style.Format = table.FormatOptions{}
	t.SetStyle(style)
	if header != nil {
		t.AppendHeader(header)
	}
	right(t, numbers...)
	return t
}

// right aligns the named columns, from 1, to the right.
func right(t *grid, columns ...int) {
	for _, c := range columns {
		t.columns[c] = table.ColumnConfig{Number: c, Align: text.AlignRight, AlignHeader: text.AlignRight}
	}
	t.SetColumnConfigs(slices.Collect(maps.Values(t.columns)))
}

// Bounds of a table that is too wide for the screen.
const (
	widestWords   = 40 // columns of the screen for a column of words
	narrowWords   = 12
	narrowestWord = 5
	mostColumns   = 20 // that a table has
	shortHeading  = 7  // of a column of numbers: none shorter is broken
)

// whole keeps the named columns of words, from 1, on one line.
func whole(t *grid, columns ...int) {
	for _, c := range columns {
		t.columns[c] = table.ColumnConfig{Number: c, Align: text.AlignLeft}
	}
	t.SetColumnConfigs(slices.Collect(maps.Values(t.columns)))
}

// narrow wraps the columns of words, which are those not aligned otherwise, to a width.
func (t *grid) narrow(width int) {
	for c := 1; c <= mostColumns; c++ {
		if t.columns[c].Align == text.AlignDefault {
			t.columns[c] = table.ColumnConfig{Number: c, WidthMax: width, WidthMaxEnforcer: text.WrapSoft}
		}
	}
	t.SetColumnConfigs(slices.Collect(maps.Values(t.columns)))
}

// breakHeadings puts each word of the longer headings of numbers on a line of its own.
func (t *grid) breakHeadings() {
	for n, c := range t.columns {
		if c.Align == text.AlignRight {
			c.WidthMax, c.WidthMaxEnforcer = shortHeading, func(s string, most int) string {
				if text.StringWidthWithoutEscSequences(s) <= most {
					return s
				}
				return strings.NewReplacer(" ", "\n", "_", "_\n").Replace(s) // names of fields, too
			}
			t.columns[n] = c
		}
	}
	t.SetColumnConfigs(slices.Collect(maps.Values(t.columns)))
}

// fits reports whether a table behind the indent is no wider than the screen.
func (p *page) fits(t table.Writer) bool {
	for l := range strings.SplitSeq(t.Render(), "\n") {
		if text.StringWidthWithoutEscSequences(strings.TrimRight(l, " "))+len(indent) > p.width {
			return false
		}
	}
	return true
}

// narrowed wraps words until a table fits, and reports whether it does with
// words of no less than a width.
func (p *page) narrowed(t *grid, least int) bool {
	for width := widestWords; !p.fits(t); width-- {
		if width < least {
			return false
		}
		t.narrow(width)
	}
	return true
}

// indent is what stands before a table.
const indent = "  "

// put writes a table behind the indent. One that is too wide has its words on several lines;
// where they would be very narrow, the headings of its numbers too.
func (p *page) put(t *grid) {
	if !p.narrowed(t, narrowWords) {
		t.breakHeadings()
		p.narrowed(t, narrowestWord)
	}
	for l := range strings.SplitSeq(t.Render(), "\n") {
		p.line("%s", strings.TrimRight(indent+l, " "))
	}
}

func (p *page) flush(w io.Writer) error {
	_, err := p.WriteTo(w)
	return err
}
