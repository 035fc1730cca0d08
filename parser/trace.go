package parser

import (
	"encoding/json"
	"sort"
	"strconv"
	"strings"

	"github.com/ladderback/ladderback/strategy"
)

// result applies the request's own values, makes the strategy canonical and
// writes the trace.
func (f *finisher) result(o Overrides) (*Result, *Refusal) {
	c, refusal := f.strategy(o)
	if refusal != nil {
		return nil, refusal
	}
	f.locate(c)
	return &Result{
		Strategy: c,
		Source:   strategy.SourceRules,
		Trace: strategy.Trace{
			Summary:     c.Summary(),
			Assumptions: f.assumptions(o, c),
			Spans:       f.spans(),
			Ignored:     f.ignored(),
		},
	}, nil
}

// strategy is the canonical strategy, with the values of o in the place of the
// prompt's.
func (f *finisher) strategy(o Overrides) (strategy.Canonical, *Refusal) {
	if f.budget == nil && o.Budget == nil {
		for i := range f.sig {
			if x := f.x(i); x.kind == kBudget && x.field == fieldNone {
				return strategy.Canonical{}, refuseSpan(CodeBadRequest, f.span(i, i+1), "how much? say \"$50 per trade\"")
			}
		}
	}
	if o.Budget != nil {
		f.override(fieldBudget, f.budget != nil, o.Budget.String())
		f.s.BudgetPerTrade = *o.Budget
	}
	if o.SampleSize != nil {
		f.override(fieldSample, f.sampl != nil, strconv.Itoa(*o.SampleSize))
		f.s.SampleSize = *o.SampleSize
	}
	c, err := strategy.Canonicalize(f.s)
	if err != nil {
		return c, f.refusalOf(err)
	}
	return c, nil
}

// override notes that the request's value replaces the prompt's.
func (f *finisher) override(field fieldID, both bool, value string) {
	if both {
		f.assume(field, value, "the request's own value is used, not the prompt's")
	}
}

// locate finds where each condition of the draft ended up in the canonical
// strategy.
func (f *finisher) locate(c strategy.Canonical) {
	f.where = make([]string, len(f.conds))
	find := func(list []strategy.Condition, want strategy.Condition) int {
		if want.Type == strategy.TimeElapsed && want.Comparator == strategy.LT {
			want.Comparator = strategy.LTE
		}
		for i, have := range list {
			if have.Type == want.Type && have.Token == want.Token && have.Comparator == want.Comparator && have.Threshold == want.Threshold &&
				(have.Type != strategy.PriceChange || have.WithinSeconds == want.WithinSeconds) {
				return i
			}
		}
		return -1
	}
	for _, k := range f.entry {
		f.where[k] = "entry"
		b, _ := f.build(k)
		if i := find(c.Entry(), b); i >= 0 {
			f.where[k] = "entry." + strconv.Itoa(i)
		}
	}
	for _, g := range f.any {
		for _, k := range g {
			f.where[k] = "entry_any"
			b, _ := f.build(k)
			for gi, group := range c.EntryAny() {
				if i := find(group, b); i >= 0 {
					f.where[k] = "entry_any." + strconv.Itoa(gi) + "." + strconv.Itoa(i)
					break
				}
			}
		}
	}
}

// path names a field.
func (f *finisher) path(id fieldID) string {
	if id >= fieldCond {
		k := int(id - fieldCond)
		if k < len(f.where) && f.where[k] != "" {
			return f.where[k]
		}
		return "entry"
	}
	return fieldNames[id]
}

// spans lists what was read into a field, neighbours of one field joined.
func (f *finisher) spans() []strategy.Span {
	out := []strategy.Span{}
	for i := 0; i < len(f.all); i++ {
		x := &f.all[i]
		if x.field == fieldNone {
			continue
		}
		j := i
		for j+1 < len(f.all) && f.all[j+1].field == x.field {
			j++
		}
		out = append(out, f.extentSpan(x.start, f.all[j].end, f.path(x.field)))
		i = j
	}
	return out
}

func (f *finisher) extentSpan(from, to int32, field string) strategy.Span {
	return strategy.Span{Start: int(from), End: int(to), Text: f.t.slice(from, to), Field: field}
}

// ignored lists the words that set nothing, neighbours joined.
func (f *finisher) ignored() []strategy.Span {
	out := []strategy.Span{}
	for i := 0; i < len(f.all); i++ {
		if !f.ignoredAt(i) {
			continue
		}
		j := i
		for j+1 < len(f.all) && f.ignoredAt(j+1) {
			j++
		}
		out = append(out, f.extentSpan(f.all[i].start, f.all[j].end, ""))
		i = j
	}
	return out
}

// ignoredAt reports whether lexeme i is a word that set nothing; punctuation is
// not listed.
func (f *finisher) ignoredAt(i int) bool {
	x := &f.all[i]
	if x.field != fieldNone {
		return false
	}
	switch x.kind {
	case kComma, kStop, kSoft, kColon, kEq, kMinus, kSlash, kOpenParen, kCloseParen, kPlus:
		return false
	case kFill:
		return x.w != "\"" && x.w != "'" && x.w != "*" && x.w != "_" && x.w != "#"
	}
	return true
}

// order of the fields in the strategy, for assumptions.
func fieldOrder(id fieldID) int {
	switch {
	case id >= fieldCond:
		return int(fieldEntry)*1000 + int(id-fieldCond)
	case id == fieldSold:
		return int(fieldTP) * 1000
	}
	return int(id) * 1000
}

// assumptions lists what was read or added without being said in so many words.
func (f *finisher) assumptions(o Overrides, c strategy.Canonical) []strategy.Assumption {
	list := append([]assumption{}, f.assumed...)
	add := func(id fieldID, value, what string) {
		list = append(list, assumption{id, value, "no " + what + " was named"})
	}
	if f.coin == nil {
		add(fieldCoin, defaultCoin, "coin")
	}
	if f.length == nil {
		add(fieldType, defaultType, "length of market")
	}
	if len(c.Entry()) == 0 && len(c.EntryAny()) == 0 {
		add(fieldEntry, "[]", "condition")
	}
	e := c.Exit()
	if e.TakeProfit == nil && e.TakeProfitOffset == nil && f.waivedTP == nil {
		add(fieldTP, "null", "take profit")
	}
	if e.StopLoss == nil && e.StopLossOffset == nil && e.TrailingStop == nil && f.waivedSL == nil {
		add(fieldSL, "null", "stop")
	}
	if e.HoldToExpiry && !f.saysHold() {
		add(fieldHold, "true", "end of the holding")
	}
	if f.budget == nil && o.Budget == nil {
		add(fieldBudget, defaultBudget.String(), "budget")
	}
	if f.sampl == nil && o.SampleSize == nil {
		add(fieldSample, strconv.Itoa(defaultSample), "sample size")
	}
	for i := range f.all {
		if x := &f.all[i]; x.typo {
			list = append(list, assumption{x.field, strconv.Quote(x.w), "\"" + f.t.slice(x.start, x.end) + "\" is read as a misspelling"})
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return fieldOrder(list[i].field) < fieldOrder(list[j].field) })
	out := make([]strategy.Assumption, 0, len(list))
	for _, a := range list {
		out = append(out, strategy.Assumption{Field: f.path(a.field), Value: asJSON(a.value), Why: a.why})
	}
	return out
}

func (f *finisher) saysHold() bool {
	for _, a := range f.exits {
		if a.kind == xHold {
			return true
		}
	}
	return false
}

// asJSON returns text as it is where it is JSON, else quoted.
func asJSON(s string) json.RawMessage {
	if json.Valid([]byte(s)) {
		return json.RawMessage(s)
	}
	return json.RawMessage(strconv.Quote(s))
}

// phraseOf finds the phrase behind a field that a rule of the object names.
func (f *finisher) phraseOf(path string) (strategy.Span, bool) {
	path = strings.TrimPrefix(path, "strategy.")
	if strings.HasPrefix(path, "entry") {
		return f.conditionPhrase(path)
	}
	for id, name := range fieldNames {
		if name == "" || name != path {
			continue
		}
		if id == int(fieldHold) || id == int(fieldExitBefore) {
			for _, a := range f.exits {
				if k := a.kind; k == xNever || k == xBefore || k == xAt {
					return a.span, true
				}
			}
		}
		for _, a := range f.exits {
			if int(exitFields[a.kind]) == id {
				return a.span, true
			}
		}
		for want, s := range map[fieldID]*setting{fieldCoin: f.coin, fieldType: f.length, fieldBudget: f.budget, fieldSample: f.sampl} {
			if int(want) == id && s != nil {
				return s.span, true
			}
		}
	}
	return strategy.Span{}, false
}

// conditionPhrase finds the phrase behind "entry[1].threshold"; for "entry"
// alone that of the first condition.
func (f *finisher) conditionPhrase(path string) (strategy.Span, bool) {
	if len(f.conds) == 0 {
		return strategy.Span{}, false
	}
	list := f.entry
	if strings.HasPrefix(path, "entry_any") && len(f.any) > 0 {
		list = f.any[0]
	}
	if len(list) == 0 {
		return f.conds[0].span, true
	}
	k := 0
	if i := strings.IndexByte(path, '['); i >= 0 {
		if j := strings.IndexByte(path[i:], ']'); j > 0 {
			k, _ = strconv.Atoi(path[i+1 : i+j])
		}
	}
	if k >= len(list) {
		k = len(list) - 1
	}
	return f.conds[list[k]].span, true
}
