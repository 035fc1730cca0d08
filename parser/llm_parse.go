package parser

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ladderback/ladderback/strategy"
)

// noteNoModel is the note where no model is configured.
const noteNoModel = "No language model is configured; the rules read the prompt."

// Parse reads a prompt: with the language model where m is not nil, held
// against the rules, else with the rules alone. Exactly one of the results is
// set: a strategy that is valid and canonical, or a refusal.
//
// The screens come first, and what the rules know that the object cannot say
// is refused without asking. The model's answer counts when it finished, is a
// valid strategy, is borne out by the prompt, and is the same as that of the
// rules wherever they read the whole prompt. Otherwise the rules' answer
// stands, with a note that says why.
func Parse(ctx context.Context, m *Model, prompt string, o Overrides) (*Result, *Refusal) {
	if m == nil {
		res, refusal := Rules(prompt, o)
		if res != nil {
			res.Note = noteNoModel
		}
		return res, refusal
	}
	return m.parse(ctx, prompt, o)
}

func (m *Model) parse(ctx context.Context, prompt string, o Overrides) (*Result, *Refusal) {
	res, refusal := Rules(prompt, o)
	if refusal != nil && !refusal.unread {
		return nil, refusal
	}
	p, failed := prepare(prompt)
	if failed != nil {
		return nil, failed
	}
	plain := withoutStrangeWords(prompt)
	s, failure := m.read(ctx, prompt, func(c strategy.Canonical) *objection {
		object := c.Strategy()
		return against(p, &object, plain)
	})
	trace := &strategy.ModelTrace{Name: m.cfg.Model, PromptVersion: m.instructions.Version, PromptHash: m.instructions.Hash}
	switch {
	case failure != nil && res == nil:
		return nil, refusal
	case failure != nil:
		res.Note = sentence(failure.note + "; the rules read the prompt")
		res.Trace.Model, res.Trace.Differences = trace, failure.differences
		return res, nil
	case res != nil: // both read the same
		res.Source, res.Trace.Model = strategy.SourceLLM, trace
		return res, nil
	}
	res, strange := grounded(p, s.Strategy(), o)
	if strange != nil {
		return nil, strange
	}
	res.Trace.Model = trace
	if plain == nil && len(refusal.Phrases) > 0 {
		res.Trace.Assumptions = append(res.Trace.Assumptions, unchecked(res.Strategy, refusal.Phrases[0].Text))
	}
	return res, nil
}

// unchecked says that the entry was read by the model alone.
func unchecked(s strategy.Canonical, word string) strategy.Assumption {
	entry, err := json.Marshal(s.Entry())
	if err != nil {
		entry = []byte("null")
	}
	return strategy.Assumption{Field: "entry", Value: entry, Why: fmt.Sprintf("read by the language model alone, as the rules do not know %q: check what is compared, and how", word)}
}

// withoutStrangeWords returns what the rules read in a prompt, without the
// request's own values. Where they do not know a few phrases, it is what they
// read in the rest; nil when they cannot read that either, or when they do not
// know more than two and one in twelve words, as then the rest is not the
// prompt any more.
func withoutStrangeWords(prompt string) *strategy.Strategy {
	for range 3 + len(strings.Fields(prompt))/12 {
		res, refusal := read(prompt, Overrides{})
		if res != nil {
			object := res.Strategy.Strategy()
			return &object
		}
		if !refusal.unread || len(refusal.Phrases) == 0 {
			return nil
		}
		s, runes := refusal.Phrases[0], []rune(prompt)
		prompt = string(runes[:s.Start]) + " " + string(runes[s.End:])
	}
	return nil
}

// against judges a valid answer by the prompt and by what the rules read; nil:
// nothing.
func against(p *parser, s, rules *strategy.Strategy) *objection {
	if rules == nil {
		return gather(p).ground(s)
	}
	differences := differ(s, rules)
	if len(differences) == 0 {
		return nil
	}
	e := gather(p)
	if wrong := e.ground(s); wrong != nil {
		wrong.differences = differences
		return wrong
	}
	fields := make([]string, len(differences))
	for i, d := range differences {
		fields[i] = d.Field
	}
	// The model is told where to look again, not what the rules read: it sees
	// nothing but the prompt and our instructions.
	return &objection{
		modelFailure{outcome: "differs", differences: differences, note: "the language model read the prompt differently (" + strings.Join(fields, ", ") + ")"},
		"compare " + strings.Join(fields, ", ") + " with the sentence, word by word.",
	}
}

// differ lists the fields in which two canonical strategies differ, in the
// order of the object; none when they are the same. A list of another length
// is one difference.
func differ(llm, rules *strategy.Strategy) []strategy.Difference {
	a, errA := json.Marshal(llm)
	b, errB := json.Marshal(rules)
	if errA != nil || errB != nil || bytes.Equal(a, b) {
		return nil
	}
	var out []strategy.Difference
	walkDifferences("", a, b, &out)
	return out
}

func walkDifferences(path string, a, b json.RawMessage, out *[]strategy.Difference) {
	if bytes.Equal(a, b) {
		return
	}
	if keys, x, y, ok := bothObjects(a, b); ok {
		for _, key := range keys {
			walkDifferences(joinPath(path, key), orNull(x[key]), orNull(y[key]), out)
		}
		return
	}
	var x, y []json.RawMessage
	if a[0] == '[' && b[0] == '[' && json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && len(x) == len(y) {
		for i := range x {
			walkDifferences(joinPath(path, strconv.Itoa(i)), x[i], y[i], out)
		}
		return
	}
	*out = append(*out, strategy.Difference{Field: path, LLM: a, Rules: b})
}

// bothObjects reads two JSON objects and the keys of both, those of the first
// in its order.
func bothObjects(a, b json.RawMessage) (keys []string, x, y map[string]json.RawMessage, ok bool) {
	if a[0] != '{' || b[0] != '{' || json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return nil, nil, nil, false
	}
	for _, object := range []json.RawMessage{a, b} {
		d := json.NewDecoder(bytes.NewReader(object))
		_, _ = d.Token()
		for d.More() {
			t, err := d.Token()
			if err != nil {
				return nil, nil, nil, false
			}
			if key, isKey := t.(string); isKey && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
			var skipped json.RawMessage
			if d.Decode(&skipped) != nil {
				return nil, nil, nil, false
			}
		}
	}
	return keys, x, y, true
}

func orNull(m json.RawMessage) json.RawMessage {
	if m == nil {
		return json.RawMessage("null")
	}
	return m
}

func joinPath(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// sentence makes a note start with a capital and end with a full stop.
func sentence(note string) string { return strings.ToUpper(note[:1]) + note[1:] + "." }

// grounded makes the result of an answer that the rules have no reading of to
// hold against: its trace is made from the numbers that the answer came from.
func grounded(p *parser, s strategy.Strategy, o Overrides) (*Result, *Refusal) {
	e := gather(p)
	spans := e.spans(&s)
	assumptions := e.assumptions(&s)
	assumptions = override(&s, o, assumptions)
	c, err := strategy.Canonicalize(s)
	if err != nil {
		return nil, refuse(CodeBadRequest, "%v", err)
	}
	return &Result{Strategy: c, Source: strategy.SourceLLM, Trace: strategy.Trace{
		Summary: c.Summary(), Assumptions: assumptions, Spans: spans, Ignored: []strategy.Span{},
	}}, nil
}

// spans gives each number of the prompt the first field that came from it.
func (e *evidence) spans(s *strategy.Strategy) []strategy.Span {
	out := []strategy.Span{}
	fields := make([]string, len(e.values))
	for _, t := range targets(s) {
		for i, v := range e.values {
			if fields[i] == "" && t.from(v.v) {
				fields[i] = strings.NewReplacer("[", ".", "]", "").Replace(t.path)
			}
		}
	}
	for i, v := range e.values {
		if fields[i] != "" && !v.implied {
			out = append(out, strategy.Span{Start: int(v.start), End: int(v.end), Text: v.text, Field: fields[i]})
		}
	}
	return out
}

// assumptions lists the defaults that an answer uses.
func (e *evidence) assumptions(s *strategy.Strategy) []strategy.Assumption {
	out := []strategy.Assumption{}
	add := func(field, value, what string) {
		out = append(out, strategy.Assumption{Field: field, Value: json.RawMessage(value), Why: "no " + what + " was named"})
	}
	if len(e.coins) == 0 && !e.anyCoin {
		add("market.coin", strconv.Quote(s.Market.Coin), "coin")
	}
	if len(e.lengths) == 0 && !e.anyLen {
		add("market.market_type", strconv.Quote(s.Market.Type), "length of market")
	}
	if len(s.Entry) == 0 && s.EntryAny == nil {
		add("entry", "[]", "condition")
	}
	for _, t := range targets(s) {
		what := map[targetKind]string{ofBudget: "budget", ofSample: "sample size"}[t.what]
		if what != "" && !slices.ContainsFunc(e.values, func(v evidenced) bool { return t.from(v.v) }) {
			add(t.path, t.want.String(), what)
		}
	}
	return out
}

// override puts the request's own values over those of the prompt.
func override(s *strategy.Strategy, o Overrides, assumptions []strategy.Assumption) []strategy.Assumption {
	drop := func(field string) {
		assumptions = slices.DeleteFunc(assumptions, func(a strategy.Assumption) bool { return a.Field == field })
	}
	say := func(field, value, instead string) {
		assumptions = append(assumptions, strategy.Assumption{Field: field, Value: json.RawMessage(value), Why: fmt.Sprintf("the request's own value, instead of %s", instead)})
	}
	if o.Budget != nil {
		drop("budget_per_trade")
		if *o.Budget != s.BudgetPerTrade {
			say("budget_per_trade", o.Budget.String(), s.BudgetPerTrade.String())
		}
		s.BudgetPerTrade = *o.Budget
	}
	if o.SampleSize != nil {
		drop("sample_size")
		if *o.SampleSize != s.SampleSize {
			say("sample_size", strconv.Itoa(*o.SampleSize), strconv.Itoa(s.SampleSize))
		}
		s.SampleSize = *o.SampleSize
	}
	return assumptions
}
