package docs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	prettytext "github.com/jedib0t/go-pretty/v6/text"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// Text returns a document as plain text in lines of at most width columns;
// lines of code are never broken.
func Text(name string, width int) (string, error) {
	source, ok := page(name)
	if !ok {
		return "", fmt.Errorf("docs: no document %q", name)
	}
	w := textWriter{source: source, width: max(width, 40)}
	root := markdown().Parser().Parse(text.NewReader(source))
	w.blocks(root, "")
	return strings.TrimLeft(w.out.String(), "\n"), nil
}

type textWriter struct {
	out    strings.Builder
	source []byte
	width  int
}

// blocks writes the children of n behind indent, each after an empty line.
func (w *textWriter) blocks(n ast.Node, indent string) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.block(c, indent)
	}
}

func (w *textWriter) block(n ast.Node, indent string) {
	switch n := n.(type) {
	case *ast.Heading:
		title := plain(n, w.source)
		if n.Level == 1 {
			title = strings.ToUpper(title)
		}
		w.out.WriteString("\n" + title + "\n")
	case *ast.List:
		w.list(n, indent)
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		w.out.WriteString("\n")
		for i := range n.Lines().Len() {
			line := n.Lines().At(i)
			w.out.WriteString(strings.TrimRight(indent+"    "+string(line.Value(w.source)), "\n ") + "\n")
		}
	case *extast.Table:
		w.table(n, indent)
	case *ast.HTMLBlock:
	case *ast.Blockquote:
		w.quote(n, indent)
	case *ast.Paragraph, *ast.TextBlock:
		w.out.WriteString("\n" + wrap(plain(n, w.source), w.width, indent, indent))
	default:
		w.blocks(n, indent)
	}
}

// quote keeps the lines of a quotation apart: each is an example of its own.
func (w *textWriter) quote(n *ast.Blockquote, indent string) {
	indent += "    "
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.out.WriteString("\n")
		for line := range strings.Lines(string(c.Lines().Value(w.source))) {
			w.out.WriteString(wrap(strings.TrimSpace(line), w.width, indent, indent+"  "))
		}
	}
}

func (w *textWriter) list(n *ast.List, indent string) {
	w.out.WriteString("\n")
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "- "
		if n.IsOrdered() {
			mark = strconv.Itoa(number) + ". "
			number++
		}
		inner := indent + strings.Repeat(" ", len(mark))
		for c := item.FirstChild(); c != nil; c = c.NextSibling() {
			switch c.(type) {
			case *ast.Paragraph, *ast.TextBlock:
				first := inner
				if c.PreviousSibling() == nil {
					first = indent + mark
				}
				w.out.WriteString(wrap(plain(c, w.source), w.width, first, inner))
			default:
				w.block(c, inner)
			}
		}
	}
}

// table writes a table whose cells wrap so that its rows fit.
func (w *textWriter) table(n *extast.Table, indent string) {
	var rows [][]string
	var widest, longest []int // of a cell, of a word
	for r := n.FirstChild(); r != nil; r = r.NextSibling() {
		var row []string
		for c := r.FirstChild(); c != nil; c = c.NextSibling() {
			row = append(row, plain(c, w.source))
			if len(row) > len(widest) {
				widest, longest = append(widest, 1), append(longest, 1)
			}
			i := len(row) - 1
			widest[i] = max(widest[i], prettytext.StringWidth(row[i]))
			longest[i] = max(longest[i], longestWord(row[i]))
		}
		rows = append(rows, row)
	}
	t := table.NewWriter()
	style := table.StyleLight
	style.Options = table.OptionsNoBordersAndSeparators
	style.Options.SeparateHeader = true
	style.Format.Header = prettytext.FormatDefault
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	var configs []table.ColumnConfig
	for i, wide := range fit(widest, longest, w.width-len(indent)-3*len(widest)) {
		configs = append(configs, table.ColumnConfig{Number: i + 1, WidthMax: wide, WidthMaxEnforcer: prettytext.WrapSoft})
	}
	t.SetColumnConfigs(configs)
	for i, row := range rows {
		cells := make(table.Row, len(row))
		for j, c := range row {
			cells[j] = c
		}
		if i == 0 {
			t.AppendHeader(cells)
		} else {
			t.AppendRow(cells)
		}
	}
	w.out.WriteString("\n")
	for line := range strings.Lines(t.Render() + "\n") {
		w.out.WriteString(indent + line)
	}
}

// fit shares room among columns: each gets its longest word, and what is left
// goes to those that need more for a whole cell, a column at a time.
func fit(widest, longest []int, room int) []int {
	out := slices.Clone(longest)
	for _, n := range out {
		room -= n
	}
	for grown := true; grown && room > 0; {
		grown = false
		for i := range out {
			if out[i] < widest[i] && room > 0 {
				out[i], room, grown = out[i]+1, room-1, true
			}
		}
	}
	if room < 0 { // the widest words are broken
		i := slices.Index(out, slices.Max(out))
		out[i] = max(out[i]+room, 8)
	}
	return out
}

// longestWord returns the width of the widest word.
func longestWord(words string) int {
	n := 1
	for word := range strings.FieldsSeq(words) {
		n = max(n, prettytext.StringWidth(word))
	}
	return n
}

// wrap breaks words into lines of at most width columns, the first behind first
// and the others behind rest.
func wrap(words string, width int, first, rest string) string {
	var out strings.Builder
	line, empty := first, true
	for word := range strings.FieldsSeq(words) {
		if !empty && prettytext.StringWidth(line)+1+prettytext.StringWidth(word) > width {
			out.WriteString(line + "\n")
			line, empty = rest, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	return out.String() + line + "\n"
}

// plain returns the text of a block without marks. A link to an address is
// followed by it, a link to another document by the command that prints it.
func plain(n ast.Node, source []byte) string {
	var out strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			out.Write(c.Segment.Value(source))
			if c.SoftLineBreak() || c.HardLineBreak() {
				out.WriteByte(' ')
			}
		case *ast.String:
			out.Write(c.Value)
		case *ast.AutoLink:
			out.Write(c.URL(source))
		case *ast.RawHTML, *ast.Image:
		case *ast.Link:
			out.WriteString(linkText(c, source))
		default:
			out.WriteString(plain(c, source))
		}
	}
	return out.String()
}

func linkText(l *ast.Link, source []byte) string {
	words, target := plain(l, source), string(l.Destination)
	name, _, _ := strings.Cut(target, ".md")
	switch {
	case strings.HasPrefix(target, "http"):
		return words + " (" + target + ")"
	case Title(name) != "":
		return words + " (ladderback help " + name + ")"
	}
	return words
}
