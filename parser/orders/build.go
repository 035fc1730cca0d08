package orders

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/ladderback/ladderback/strategy"
)

// Fault is why a phrase cannot be added to the strategy.
type Fault struct {
	Span    strategy.Span
	Message string
}

// builder adds phrases to a strategy.
type builder struct {
	f       *Found
	s       *strategy.Strategy
	budget  bool                      // the prompt says a budget
	at      int                       // the phrase that is added
	last    *strategy.Order           // the order that was said last; nil: none
	ahead   []func(o *strategy.Order) // what was said of the entry's order before it
	rungs   int                       // the orders that rest when a list of them was said
	twin    bool                      // a bid on the other token is of the entry's words
	parts   strategy.Number           // what the sales of parts add up to
	limits  bool                      // sales of parts in a list rest
	listed  bool                      // what is left in it rests, too
	usd     strategy.Number           // what the last further order spends, 0: none
	assumed []strategy.Assumption
	err     error
	once    map[string]bool
	often   bool // nothing says how often it is entered again
}

// Add adds what was found to the strategy of the rest. said reports whether a field
// of that one is said in the prompt.
func (f *Found) Add(s *strategy.Strategy, said func(field string) bool) (assumed []strategy.Assumption, fault *Fault) {
	b := &builder{f: f, s: s, budget: said("budget_per_trade"), once: map[string]bool{}}
	for i := range f.matches {
		b.at = i
		f.matches[i].pattern.says(b, &f.matches[i])
		if f.matches[i].loose {
			b.fail("a condition of this order, or of the entry? say \"and\" before it, or a sentence of its own")
		}
		b.asks(&f.matches[i])
		for _, name := range []string{"p", "p2"} {
			if words := f.matches[i].said[name]; words != "" && isBare(name, words) {
				b.assume(f.matches[i].pattern.field, f.matches[i].number(name), "a bare number of 2 to 99 in the place of a price is cents")
			}
		}
		if b.err != nil {
			return nil, &Fault{f.Spans[i], b.err.Error()}
		}
	}
	if b.money(); len(b.ahead) > 0 {
		return nil, &Fault{f.Spans[0], "which order? say where it rests, such as \"bid 30c for Up\""}
	}
	return b.assumed, b.lacks()
}

// lacks is the fault of what is named and not said, or said twice; nil for none.
func (b *builder) lacks() *Fault {
	for i := range b.s.Then {
		if slices.ContainsFunc(b.s.Then[:i], func(o strategy.Then) bool { return reflect.DeepEqual(o, b.s.Then[i]) }) {
			return &Fault{b.f.Spans[len(b.f.Spans)-1], "an order that is said before: once, or twice? say it once, with \"up to 2 times\" behind it for twice"}
		}
	}
	if b.s.Again != nil && b.s.Again.MaxEntries == 0 {
		b.s.Again.MaxEntries, b.often = 2, true
	}
	for i := range b.f.matches {
		if what := b.lack(&b.f.matches[i]); what != "" {
			return &Fault{b.f.Spans[i], what}
		}
	}
	return nil
}

// lack is what is not said beside a phrase, nothing for none.
func (b *builder) lack(m *match) string {
	p, z := m.pattern, b.s.Size
	switch {
	case p.topic != nil && !p.topic(b.s):
		return "this is named and not said: say what is done, or leave it out"
	case p.field == "again" && b.s.Again != nil:
		return b.lackAgain(m)
	case m.said["shares9"] != "" && !b.leaves(m.number("shares9")):
		return "this is not what the sales before it leave; say how many are bought and sold, or \"hold the rest\""
	case p.field != "size" || z == nil:
	case b.twin && z.Shares != 0 && b.s.Then[0].USD != 0:
		return "shares of both bids? say \"20 shares each\""
	case z.Kelly != nil && (z.Kelly.Probability == 0 || z.Kelly.Fraction == 0):
		return "Kelly needs a fraction and a fair value: say \"half Kelly with a 60c fair value\""
	}
	return ""
}

// lackAgain is what is not said of an entry again, nothing for none.
func (b *builder) lackAgain(m *match) string {
	switch {
	case b.once[noneAgain]:
		return "entered again, or not? give one"
	case m.said["reasons"] == "" && b.unsold(b.s.Again.After):
		return "after what? it is never sold for that; say its target or its stop"
	case b.often && often.MatchString(b.f.text[m.from:m.to]):
		return "how often? say \"up to 3 entries\" behind it"
	}
	return ""
}

func (b *builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf(format, args...)
	}
}

func (b *builder) assume(field string, value strategy.Number, why string) {
	b.assumed = append(b.assumed, strategy.Assumption{Field: field, Value: json.RawMessage(value.String()), Why: why})
}

// single refuses a field that is said twice.
func (b *builder) single(field string) {
	if b.once[field] {
		b.fail("two values for %s; give one", field)
	}
	b.once[field] = true
}

// seconds is a time of a phrase in whole seconds.
func (b *builder) seconds(time strategy.Number) int {
	n, ok := time.Whole()
	if !ok {
		b.fail("this is not a whole number of seconds")
	}
	return n
}
