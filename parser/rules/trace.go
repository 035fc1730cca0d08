package rules

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/meaning"
	"github.com/ladderback/ladderback/strategy"
)

// tracer walks derivations: what each token was read into, and what was
// assumed.
type tracer struct {
	p       *grammar.Parse
	s       strategy.Canonical // the zero value: there is none
	fields  []string           // by token
	assumed []strategy.Assumption
}

func (r *reader) result(reading *grammar.Reading, m *meaning.Result) *Result {
	t := &tracer{p: r.p, s: m.Strategy, fields: make([]string, r.p.Tokens()), assumed: []strategy.Assumption{}}
	for i := range reading.Items {
		t.walk(r.p.Node(&reading.Items[i]), "")
	}
	for _, n := range m.Notes {
		t.assume(n.Field, string(n.Value), n.Why)
	}
	t.defaults(m, r.o)
	slices.SortStableFunc(t.assumed, func(a, b strategy.Assumption) int { return fieldOrder(a.Field) - fieldOrder(b.Field) })
	return &Result{Strategy: m.Strategy, Trace: strategy.Trace{
		Summary:     m.Strategy.Summary(),
		Assumptions: t.assumed,
		Spans:       t.spans(func(i int) bool { return t.fields[i] != "" }),
		Ignored:     t.spans(func(i int) bool { return t.fields[i] == "" && r.p.IsSpoken(int32(i)) }),
	}}
}

// readAllTheSame lists what a refused prompt says as far as it was read.
func (r *reader) readAllTheSame() []strategy.Span {
	t := &tracer{p: r.p, fields: make([]string, r.p.Tokens())}
	for i := range r.partly.Items {
		it := &r.partly.Items[i]
		if no, outside := it.Refused(); !no && !outside {
			t.walk(r.p.Node(it), "")
		}
	}
	return t.spans(func(i int) bool { return t.fields[i] != "" })
}

// walk gives the tokens of a node their field: that of the smallest part around
// them that says one thing.
func (t *tracer) walk(n grammar.Node, field string) {
	if own := t.fieldsOf(n.Meaning, strings.HasPrefix(field, "exit.")); len(own) == 1 || len(own) > 1 && field == "" {
		field = own[0]
	}
	if n.Line == nil {
		l := &t.p.Lexemes[n.Lexeme]
		for k := l.From; k < l.To; k++ {
			t.fields[k] = field
			if written, read, ok := t.p.Typo(k); ok {
				t.assume(field, strconv.Quote(read), fmt.Sprintf("%q is read as %q", written, read))
			}
		}
		return
	}
	if why, ok := reasons["note "+n.Note]; ok {
		t.assume(field, strconv.Quote(t.p.Text(n.From, t.end(&n))), why)
	}
	for _, k := range n.Parts {
		t.walk(k, field)
	}
}

// end is where the last lexeme of a node ends.
func (t *tracer) end(n *grammar.Node) int32 {
	for n.Line != nil {
		n = &n.Parts[len(n.Parts)-1]
	}
	return t.p.Lexemes[n.Lexeme].To
}

// fieldsOf lists the fields that a meaning sets, in the strategy's order; conditions of an exit are
// none.
func (t *tracer) fieldsOf(m *grammar.Meaning, sold bool) []string {
	var out []string
	put := func(f string) {
		if f != "" && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	for _, s := range m.Slots() {
		put(meaning.FieldOf(s))
	}
	if !sold {
		for c := range m.Conds().Walk() {
			put(t.conditionField(c))
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return fieldOrder(a) - fieldOrder(b) })
	return out
}

// conditionField is where a condition of the prompt stands in the strategy.
func (t *tracer) conditionField(c *grammar.Cond) string {
	if t.s == (strategy.Canonical{}) {
		return "entry"
	}
	for i, k := range t.s.Entry() {
		if meaning.Says(c, &k) {
			return "entry." + strconv.Itoa(i)
		}
	}
	for g, group := range t.s.EntryAny() {
		for i, k := range group {
			if meaning.Says(c, &k) {
				return "entry_any." + strconv.Itoa(g) + "." + strconv.Itoa(i)
			}
		}
	}
	return "entry"
}

func (t *tracer) assume(field, value, why string) {
	if field == "" {
		field = "side"
	}
	if !slices.ContainsFunc(t.assumed, func(o strategy.Assumption) bool { return o.Field == field && o.Why == why && string(o.Value) == value }) {
		t.assumed = append(t.assumed, strategy.Assumption{Field: field, Value: json.RawMessage(value), Why: why})
	}
}

// defaults lists the fields that the prompt does not set.
func (t *tracer) defaults(m *meaning.Result, o Overrides) {
	put := func(field, value, what string) {
		if !m.Said[field] {
			t.assume(field, value, "no "+what+" was named")
		}
	}
	put("market.coin", strconv.Quote(meaning.DefaultCoin), "coin")
	put("market.market_type", strconv.Quote(meaning.DefaultType), "length of market")
	if o.Budget == nil {
		put("budget_per_trade", strconv.Itoa(meaning.DefaultBudget), "budget")
	}
	if o.SampleSize == nil {
		put("sample_size", strconv.Itoa(meaning.DefaultSample), "number of markets")
	}
	exits := false
	for field, said := range m.Said {
		exits = exits || said && strings.HasPrefix(field, "exit.")
	}
	if !exits {
		t.assume("exit.hold_to_expiry", "true", "no exit was named")
	}
}

// spans joins neighbouring tokens of one field.
func (t *tracer) spans(in func(i int) bool) []strategy.Span {
	out := []strategy.Span{}
	for i := 0; i < len(t.fields); i++ {
		if !in(i) {
			continue
		}
		j := i
		for j+1 < len(t.fields) && in(j+1) && t.fields[j+1] == t.fields[i] {
			j++
		}
		out = append(out, meaning.SpanOf(t.p, int32(i), int32(j+1), t.fields[i]))
		i = j
	}
	return out
}

// fieldOrder is the place of a field in the strategy.
func fieldOrder(path string) int {
	return slices.IndexFunc(fields, func(f string) bool { return strings.HasPrefix(path, f) })
}

// fields are those of a strategy in their order, the first that a path begins with is the one.
var fields = strings.Fields(`market.coin market.market_type side entry_any entry exit.take_profit_offset exit.take_profit exit.stop_loss_offset exit.stop_loss
	exit.trailing_stop exit.max_hold_seconds exit.exit_before_seconds exit.hold_to_expiry budget_per_trade sample_size`)
