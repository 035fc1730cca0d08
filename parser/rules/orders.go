package rules

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/meaning"
	"github.com/ladderback/ladderback/parser/orders"
	"github.com/ladderback/ladderback/strategy"
)

// readText reads a prompt in words as it is in plain.
func readText(prompt string, o Overrides) (*Result, *Refusal) {
	s := plainly(prompt)
	res, refusal := readSpelt(s.text, o)
	switch {
	case s.text == prompt:
	case res != nil:
		s.put(res.Trace.Spans)
		s.put(res.Trace.Ignored)
	default:
		s.put(refusal.Spans)
		for i := range refusal.Obstacles {
			s.move(&refusal.Obstacles[i].Span)
		}
		refusal.prompt = prompt
	}
	return res, refusal
}

// readSpelt reads what a prompt says of orders by their table, the rest
// by the grammar. One that is refused is read once more without what only names orders.
func readSpelt(prompt string, o Overrides) (*Result, *Refusal) {
	found := orders.Find(prompt, false, readConditions)
	res, refusal := readOrders(found, prompt, o)
	if refusal == nil || found.Over() {
		return res, refusal
	}
	if named := orders.Find(prompt, true, readConditions); named.Late() {
		if again, _ := readOrders(named, prompt, o); again != nil {
			return again, nil
		}
	}
	return nil, refusal
}

// readOrders reads a prompt by what was found of orders in it, nil for nothing.
func readOrders(found *orders.Found, prompt string, o Overrides) (*Result, *Refusal) {
	switch {
	case found == nil:
		return readPlain(prompt, o)
	case found.Over():
		return nil, ordersRefusal(found.Spans[len(found.Spans)-1], "more is said of orders than a strategy can have: at most 19 further orders", prompt, o)
	}
	with := o
	with.Limit, with.Ordered = found.Limit(), true
	rest, refusal := readPlain(found.Rest, with)
	if refusal != nil {
		return nil, ofPrompt(refusal, prompt, o)
	}
	s := rest.Strategy.Strategy()
	assumed := rest.Trace.Assumptions
	said := func(field string) bool {
		return field == "budget_per_trade" && o.Budget != nil || !slices.ContainsFunc(assumed, func(a strategy.Assumption) bool {
			return a.Field == field && strings.HasPrefix(a.Why, "no ")
		})
	}
	if with.Limit != nil && besideLimit(&rest.Trace) {
		return nil, ordersRefusal(found.Spans[0], "two prices without a word for what they are: where the order rests, and what else? say \"when its price is at most 40c\"", prompt, o)
	}
	if at := ofAgain(found.Spans, rest.Trace.Spans, []rune(prompt)); at != nil {
		return nil, ordersRefusal(*at, "an entry again costs what the first does; say \"$50 per trade\" for each of them", prompt, o)
	}
	more, fault := found.Add(&s, said)
	if fault != nil {
		return nil, ordersRefusal(fault.Span, fault.Message, prompt, o)
	}
	if fault := found.Doubt(&s, rest.Trace.Spans); fault != nil {
		return nil, ordersRefusal(fault.Span, fault.Message, prompt, o)
	}
	c, err := strategy.Canonicalize(s)
	if err != nil {
		return nil, ordersRefusal(found.Spans[0], meaning.InWords(err.Error()), prompt, o)
	}
	for _, a := range more {
		assumed = slices.DeleteFunc(assumed, func(b strategy.Assumption) bool { return b.Field == a.Field && strings.HasPrefix(b.Why, "no ") })
	}
	assumed = append(assumed, more...)
	slices.SortStableFunc(assumed, func(a, b strategy.Assumption) int { return cmp.Compare(fieldOrder(a.Field), fieldOrder(b.Field)) })
	return &Result{Strategy: c, Trace: strategy.Trace{
		Summary: c.Summary(), Assumptions: assumed, Spans: found.Spliced(prompt, rest.Trace.Spans), Ignored: found.Uncovered(prompt, rest.Trace.Ignored),
	}}, nil
}

// ofAgain returns what an entry again is said to cost, which was read as what each does.
func ofAgain(found, rest []strategy.Span, prompt []rune) *strategy.Span {
	for i := range rest {
		b := &rest[i]
		if b.Field == "budget_per_trade" && !everyTrade.MatchString(string(prompt[b.Start:b.End])) && slices.ContainsFunc(found, func(f strategy.Span) bool {
			return f.Field == "again" && f.End <= b.Start && againWith.MatchString(string(prompt[f.End:b.End]))
		}) {
			return b
		}
	}
	return nil
}

var (
	againWith  = words(`^\s*(?:with|for|w/|using)\s[^,.;]*$`)
	everyTrade = words(`\b(?:per|each|every|a (?:trade|entry|pop|go|shot|round))\b`)
)

// besideLimit reports whether a price beside a limit may be the limit's own, or its amount.
func besideLimit(t *strategy.Trace) bool {
	return slices.ContainsFunc(t.Assumptions, func(a strategy.Assumption) bool { return a.Why == reasons["note atmost"] }) ||
		slices.ContainsFunc(t.Spans, func(at strategy.Span) bool {
			return strings.HasPrefix(at.Field, "entry") && bareAmount.MatchString(at.Text)
		})
}

var bareAmount = words(`^for \$?[\d.]+ ?(?:c|cents?)?(?: each)?$|^[\d.]+ ?c? max$`)

// ordersRefusal refuses a phrase of orders.
func ordersRefusal(at strategy.Span, message, prompt string, o Overrides) *Refusal {
	at.Field = ""
	return &Refusal{Code: CodeBadRequest, Inexact: true, Message: quote(at.Text) + ": " + message, Obstacles: []Obstacle{{Span: at, Why: "orders", Remedy: message}}, prompt: prompt, o: o}
}

// ofPrompt gives a refusal of the rest of a prompt the words of the prompt.
func ofPrompt(r *Refusal, prompt string, o Overrides) *Refusal {
	all := []rune(prompt)
	words := func(s *strategy.Span) { s.Text = string(all[s.Start:s.End]) }
	for i := range r.Obstacles {
		blank := quote(r.Obstacles[i].Text)
		words(&r.Obstacles[i].Span)
		r.Message = strings.Replace(r.Message, blank, quote(r.Obstacles[i].Text), 1)
	}
	for i := range r.Spans {
		words(&r.Spans[i])
	}
	r.prompt, r.o = prompt, o
	return r
}

// ofEntry is a time that is counted from a purchase, which no condition of the round is.
var ofEntry = words(`\b(?:seconds?|secs?|minutes?|mins?|hours?|\d ?[smh]) (?:of|after|from|into|in) (?:the |my )?(?:entry|trade|purchase|position|fill|buy|buying)\b|\bof buying\b`)

// readConditions reads the conditions of an order as those of an entry.
func readConditions(words string, on strategy.MarketSpec, side strategy.Side) ([]strategy.Condition, bool) {
	if ofEntry.MatchString(words) {
		return nil, false
	}
	market := "BTC " + on.Type + " markets"
	if on.Type == strategy.Any {
		market = "BTC markets of any length"
	}
	bought := map[strategy.Side]string{strategy.Up: "Up", strategy.Down: "Down", strategy.Either: "either side"}[side]
	p := grammar.New("Buy " + bought + " on " + market + " " + words + ".")
	defer p.Close()
	res, _ := (&reader{p: p}).reads()
	if res == nil {
		return nil, false
	}
	for _, s := range res.Trace.Spans {
		if s.Field != "side" && !strings.HasPrefix(s.Field, "entry") && !strings.HasPrefix(s.Field, "market.") {
			return nil, false
		}
	}
	s := res.Strategy.Strategy()
	if s.EntryAny != nil || len(s.Entry) == 0 || s.Side != side || s.Market != (strategy.MarketSpec{Coin: "BTC", Type: on.Type}) {
		return nil, false
	}
	return s.Entry, true
}
