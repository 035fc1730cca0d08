package terminal

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/ladderback/ladderback/backtest/compare"
	"github.com/ladderback/ladderback/backtest/diff"
	"github.com/ladderback/ladderback/backtest/figures"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/report/words"
)

// listed is how many trades the table of a comparison shows unless all are asked
// for.
const listed = 20

// Comparison writes a comparison for a terminal: whether B is better than A,
// the numbers and what led to them, and the trades that differ, one per line,
// largest effect first; only 20 of them unless all.
func Comparison(w io.Writer, c *compare.Comparison, all bool, s Screen) error {
	p := newPage(s)
	if c.Same {
		p.line("The runs are the same.")
		return p.flush(w)
	}
	if c.Simulated != "" {
		p.paragraph(p.paint(reverse, " SIMULATED DATA ")+" ", clean(c.Simulated))
		p.WriteByte('\n')
	}
	a, b := names(c)
	answer := words.Answer(&c.Paired, a, b)
	p.heading(fmt.Sprintf("Is %s better than %s?", b, a))
	p.paragraph("  ", p.paint(answerInk(c.Paired.Answer), answer[0])+". "+answer[1])
	p.heading("Numbers")
	t := p.grid(table.Row{"", a, b, "difference"}, 2, 3, 4)
	for i := range c.Numbers {
		n := words.Pair(&c.Numbers[i])
		t.AppendRow(table.Row{n[0], n[1], n[2], n[3]})
	}
	p.put(t)
	p.causes(c.Fields, a, b)
	p.heading(fmt.Sprintf("Trades: %s the same, %s changed, %s only in %s, %s only in %s",
		figures.Number(c.Equal), figures.Number(len(c.Changed)), figures.Number(len(c.OnlyA)), a, figures.Number(len(c.OnlyB)), b))
	p.exitChanges(c.Exits, a, b)
	p.effects(c, all, a, b)
	return p.flush(w)
}

// names are what the columns are called: 24 characters of each at most.
func names(c *compare.Comparison) (a, b string) {
	a, b = clip(clean(c.Names[0]), 24), clip(clean(c.Names[1]), 24)
	if a == "" || b == "" || a == b {
		return "A", "B"
	}
	return a, b
}

func answerInk(a compare.Answer) ink {
	switch a {
	case compare.Better:
		return green
	case compare.Worse:
		return red
	}
	return amber
}

// causes lists what led to the numbers: prompt, strategy, options, data. Those of
// the report itself are in the table of numbers.
func (p *page) causes(fields []diff.Field, a, b string) {
	t := p.grid(table.Row{"", a, b})
	longest, prompt := 0, ""
	for _, f := range fields {
		if name, ok := strings.CutPrefix(f.Field, "report."); ok && name != "receipt.data" && name != "receipt.engine" {
			continue
		}
		if f.Field == "prompt" {
			prompt = p.wordDiff(unquoted(f.A), unquoted(f.B))
			continue
		}
		name := clean(strings.TrimPrefix(f.Field, "report."))
		longest = max(longest, len(name))
		limit := 64
		if name == "receipt.data" {
			limit = 12
		}
		t.AppendRow(table.Row{name, clip(unquoted(f.A), limit), clip(unquoted(f.B), limit)})
	}
	if t.Length() == 0 && prompt == "" {
		return
	}
	p.heading("What differs between the runs")
	if prompt != "" {
		p.paragraph("  prompt  ", prompt)
	}
	if t.Length() == 0 {
		return
	}
	cell := max(12, (p.width-longest-6)/2)
	t.SetColumnConfigs([]table.ColumnConfig{
		{Number: 2, WidthMax: cell, WidthMaxEnforcer: text.WrapText},
		{Number: 3, WidthMax: cell, WidthMaxEnforcer: text.WrapText},
	})
	p.put(t)
}

// wordDiff writes two texts as one: what only the first has as [-words-], what
// only the second has as {+words+}.
func (p *page) wordDiff(a, b string) string {
	var parts []string
	for _, c := range words.Diff(a, b) {
		switch c.Op {
		case '-':
			parts = append(parts, p.paint(red, "[-"+c.Text+"-]"))
		case '+':
			parts = append(parts, p.paint(green, "{+"+c.Text+"+}"))
		default:
			parts = append(parts, c.Text)
		}
	}
	return strings.Join(parts, " ")
}

// exitChanges sums the effects by how the trades ended.
func (p *page) exitChanges(es []compare.ExitChange, a, b string) {
	if len(es) == 0 {
		return
	}
	t := p.grid(table.Row{"exit in " + a, "exit in " + b, "trades", "difference"}, 3, 4)
	for _, e := range es {
		t.AppendRow(table.Row{words.ExitOf(e.A), words.ExitOf(e.B), figures.Number(e.Trades), p.tone(e.PnLChange, figures.USD(e.PnLChange))})
	}
	p.put(t)
	p.WriteByte('\n')
}

// effect is a line about one market.
type effect struct {
	slug   string
	a, b   *stats.Decimal
	change stats.Decimal
	what   string
}

// effects lists the trades that differ, the largest effect first.
func (p *page) effects(c *compare.Comparison, all bool, a, b string) {
	var es []effect
	for _, d := range c.Changed {
		es = append(es, effect{d.MarketSlug, &d.PnLA, &d.PnLB, d.PnLChange, what(d.Fields)})
	}
	for i := range c.OnlyA {
		t := &c.OnlyA[i]
		es = append(es, effect{t.MarketSlug, &t.PnL, nil, -t.PnL, "only in " + a})
	}
	for i := range c.OnlyB {
		t := &c.OnlyB[i]
		es = append(es, effect{t.MarketSlug, nil, &t.PnL, t.PnL, "only in " + b})
	}
	if len(es) == 0 {
		return
	}
	slices.SortStableFunc(es, func(x, y effect) int { return cmp.Compare(y.change.Abs(), x.change.Abs()) })
	hidden := 0
	if !all && len(es) > listed {
		hidden, es = len(es)-listed, es[:listed]
	}
	t := p.grid(table.Row{"pnl of market", a, b, "change", "what changed"}, 2, 3, 4)
	used := 0
	for _, e := range es {
		used = max(used, len(e.slug))
	}
	for _, e := range es {
		t.AppendRow(table.Row{
			clean(e.slug), figures.Or(e.a, figures.Signed), figures.Or(e.b, figures.Signed), p.tone(e.change, figures.Signed(e.change)),
			clip(clean(e.what), max(12, p.width-used-max(8, len(a))-max(8, len(b))-18)),
		})
	}
	p.put(t)
	if hidden > 0 {
		p.line("  … %s more with smaller effects; --all lists them", figures.Number(hidden))
	}
}

// what names the change of a trade that explains most: its exit, else its prices,
// else its size.
func what(fields []diff.Field) string {
	by := make(map[string]diff.Field, len(fields))
	for _, f := range fields {
		by[f.Field] = f
	}
	if f, ok := by["exit_reason"]; ok {
		return words.ExitOf(unquoted(f.A)) + " → " + words.ExitOf(unquoted(f.B))
	}
	for _, one := range []struct{ field, name string }{
		{"side", "side"}, {"entry_price", "entry"}, {"exit_price", "exit"}, {"shares", "shares"}, {"fees", "fees"},
	} {
		if f, ok := by[one.field]; ok {
			return one.name + " " + unquoted(f.A) + " → " + unquoted(f.B)
		}
	}
	if len(fields) > 0 {
		return strings.ReplaceAll(fields[0].Field, "_", " ")
	}
	return ""
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
func clip(s string, limit int) string {
	r := []rune(s)
	if len(r) <= limit {
		return s
	}
	return string(r[:limit-1]) + "…"
}
