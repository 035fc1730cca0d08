package terminal

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/figures"
)

// listed is how many trades of a kind the table of a comparison shows.
const listed = 20

// Compare writes a comparison for a terminal.
func Comparison(w io.Writer, c *backtest.Comparison, s Screen) error {
	p := newPage(s)
	if c.Same {
		p.line("The runs are the same.")
		return p.flush(w)
	}
	p.heading("Numbers")
	t := p.grid()
	t.AppendHeader(table.Row{"", "A", "B"})
	right(t, 2, 3)
	for _, n := range c.Numbers {
		t.AppendRow(table.Row{n.Name, clean(n.A), clean(n.B)})
	}
	p.put("  ", t)
	p.fieldDifferences(c.Fields)
	p.heading(fmt.Sprintf("Trades: %s the same, %s changed, %s only in A, %s only in B",
		figures.Number(c.Equal), figures.Number(len(c.Changed)), figures.Number(len(c.OnlyA)), figures.Number(len(c.OnlyB))))
	p.changed(c.Changed)
	p.only("A", c.OnlyA)
	p.only("B", c.OnlyB)
	return p.flush(w)
}

// fieldDifferences lists what led to the numbers: prompt, strategy, options,
// data. Those of the report itself are in the table of numbers.
func (p *page) fieldDifferences(fields []backtest.FieldDifference) {
	t := p.grid()
	t.AppendHeader(table.Row{"", "A", "B"})
	longest := 0
	for _, f := range fields {
		if name, ok := strings.CutPrefix(f.Field, "report."); ok && !strings.HasPrefix(name, "receipt.") {
			continue
		}
		name := clean(strings.TrimPrefix(f.Field, "report."))
		longest = max(longest, len(name))
		t.AppendRow(table.Row{name, unquoted(f.A), unquoted(f.B)})
	}
	cell := max(12, (p.width-longest-6)/2)
	t.SetColumnConfigs([]table.ColumnConfig{
		{Number: 2, WidthMax: cell, WidthMaxEnforcer: text.WrapHard},
		{Number: 3, WidthMax: cell, WidthMaxEnforcer: text.WrapHard},
	})
	if t.Length() == 0 {
		return
	}
	p.heading("What led to them differs in")
	p.put("  ", t)
}

func (p *page) changed(ds []backtest.TradeDifference) {
	for i, d := range ds {
		if i == listed {
			p.line("  … %s more", figures.Number(len(ds)-listed))
			return
		}
		p.line("  %s  %s USD", clean(d.MarketSlug), p.tone(d.PnLChange, figures.Signed(d.PnLChange)))
		for _, f := range d.Fields {
			if !strings.HasPrefix(f.Field, "legs") {
				p.line("    %-12s %s → %s", clean(f.Field), clip(unquoted(f.A), 29), clip(unquoted(f.B), 29))
			}
		}
	}
}

func (p *page) only(name string, ts []backtest.Trade) {
	for i := range ts {
		if i == listed {
			p.line("  … %s more only in %s", figures.Number(len(ts)-listed), name)
			return
		}
		t := &ts[i]
		p.line("  only in %s: %s %s, %s at %s, %s USD", name, clean(t.MarketSlug), clean(t.Side),
			figures.Fixed(t.Shares, 2), t.EntryPrice, p.tone(t.PnL, figures.Signed(t.PnL)))
	}
}

// unquoted writes a JSON value for people: a string without its quotes.
func unquoted(s string) string {
	var text string
	if json.Unmarshal([]byte(s), &text) == nil {
		s = text
	}
	return clean(s)
}

// clip shortens s to so many characters.
func clip(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most-1]) + "…"
}
