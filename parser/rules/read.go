// Package rules reads a prompt by the language's table alone: the
// deterministic parser, which is a product of its own.
package rules

import (
	"slices"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/parser/meaning"
	"github.com/ladderback/ladderback/parser/rules/said"
	"github.com/ladderback/ladderback/strategy"
)

// Codes of refusals, as the API's errors carry them.
const (
	CodeBadRequest        = "bad_request"
	CodeUnsupportedSignal = "unsupported_signal"
)

// marginNoSide is how much dearer than the cheapest a reading may be and still count
// where nothing in that one says what is bought; elsewhere none may.
const marginNoSide = 30

// Overrides are the request's own values. They override the prompt's.
type Overrides = meaning.Overrides

// Result is a prompt that was understood.
type Result struct {
	Strategy strategy.Canonical
	Trace    strategy.Trace
}

// Read reads a prompt. A prompt that is a JSON object is the strategy itself.
func Read(prompt string, o Overrides) (*Result, *Refusal) {
	if isObject(prompt) {
		return readObject(prompt, o)
	}
	return readText(prompt, o)
}

// readPlain reads a prompt, or what is left of it without its orders, by the grammar.
func readPlain(prompt string, o Overrides) (*Result, *Refusal) {
	p := grammar.New(prompt)
	defer p.Close()
	r := &reader{p: p, o: o}
	res, refusal := r.answer()
	if refusal != nil {
		refusal.Spans = r.readAllTheSame()
		refusal.prompt, refusal.o = prompt, o
	}
	return res, refusal
}

// answer reads a prompt, or says why not.
func (r *reader) answer() (*Result, *Refusal) {
	res, refusal := r.reads()
	if res == nil && refusal == nil {
		refusal = r.unread()
	}
	return res, refusal
}

// reads reads a prompt, and one that is refused once more; neither: words are left over.
func (r *reader) reads() (res *Result, refusal *Refusal) {
	if len(r.p.Readings()) > 0 {
		if res, refusal = r.read(); refusal == nil {
			return res, nil
		}
	}
	if res = r.again(); res != nil {
		return res, nil
	}
	return nil, refusal
}

// again reads a prompt that is refused without the words that it may mean the
// same without; nil: it cannot be read like that either.
func (r *reader) again() *Result {
	p := r.p.Again()
	if p == nil {
		return nil
	}
	defer p.Close()
	if len(p.Readings()) == 0 {
		return nil
	}
	res, _ := (&reader{p: p, o: r.o}).read()
	return res
}

type reader struct {
	p *grammar.Parse
	o Overrides
	// By token, of what look has seen: punctuation, the end of a sentence, part of the
	// language of rules, the end of a line, and that or the end of a sentence that no dash or
	// colon makes.
	breaks, ends, ruled, lines, stops []bool
	last                              sentence // that was asked for
	held                              []bool   // by token: an item of the reading that is looked at holds it
	// partly is the reading, maybe with gaps, by which the prompt was refused; nil: no
	// more of it was read.
	partly *grammar.Reading
}

func (r *reader) read() (*Result, *Refusal) {
	readings := r.p.Readings()
	r.partly = &readings[0]
	if list := r.known(&readings[0]); len(list) > 0 {
		return nil, r.asking(list, r.or(r.refusal(list, ""), &readings[0]))
	}
	var best *meaning.Result
	var fault *meaning.Fault // of the first reading that has one
	chosen, faulty := 0, 0
	for i := range readings {
		more := readings[i].Cost - readings[0].Cost
		margin := 0
		if best == nil && fault != nil && fault.Kind == meaning.NoSide {
			margin = marginNoSide
		}
		if more > margin {
			break
		}
		if r.isNone(&readings[i], more) {
			continue
		}
		m, f := meaning.Build(readings[i].Items, r.o)
		switch {
		case f != nil:
			if fault == nil {
				fault, faulty = f, i
			}
			if i == 0 && f.Threshold {
				return nil, r.faulty(&readings[0], f) // an imbalance of 70 is no 70 cents
			}
		case best == nil:
			best, chosen = m, i
		case !best.Strategy.Equal(m.Strategy):
			return nil, r.twoReadings(best.Strategy, m.Strategy)
		}
	}
	if best == nil {
		return nil, r.faulty(&readings[faulty], fault)
	}
	return r.bought(&readings[chosen], best)
}

// or is a refusal or, where that is not of another market's values, the one of a
// reading with the tokens of two markets: that wins over whatever else is wrong.
func (r *reader) or(refusal *Refusal, reading *grammar.Reading) *Refusal {
	if _, f := meaning.Build(reading.Items, r.o); f != nil && refusal.Code != CodeUnsupportedSignal {
		if other := r.faulty(reading, f); other.Code == CodeUnsupportedSignal {
			return other
		}
	}
	return refusal
}

// asking is a refusal of what the first reading names that cannot be said, with what it says
// where that has to be confirmed alone.
func (r *reader) asking(list []Obstacle, refusal *Refusal) *Refusal {
	if slices.ContainsFunc(list, func(o Obstacle) bool { return !confirmed[o.Why] }) {
		return refusal
	}
	first := &r.p.Readings()[0]
	if m, f := meaning.Build(first.Items, r.o); f == nil {
		if res, _ := r.bought(first, m); res != nil {
			refusal.choices = []strategy.Canonical{res.Strategy}
		}
	}
	return refusal
}

// bought is the answer of a reading, unless it buys nothing.
func (r *reader) bought(reading *grammar.Reading, m *meaning.Result) (*Result, *Refusal) {
	if r.onlyObserves(reading) || r.onlyAsks(reading) || r.fades(reading) {
		return nil, r.refusal(nil, meaning.NoPurchase)
	}
	if i := r.ofCommentary(reading); i >= 0 {
		return nil, r.faulty(reading, &meaning.Fault{Kind: meaning.Unclear, Message: "\"it\": what was spoken of before, or the price? name which", Items: []int{i}})
	}
	if list := slices.Concat(r.headless(reading), r.ofExits(reading), r.misread(reading), r.strayed(reading), r.shaped(reading), r.untimed(reading, m.Strategy), r.untrailed(reading, m.Strategy), r.ofOtherIt(reading, m.Strategy), r.whichCoin(reading), r.opinion(reading), r.unheld(reading, m.Strategy)); len(list) > 0 {
		return nil, r.refusal(list, "")
	}
	return r.result(reading, m), nil
}

// ofCommentary returns the item with a condition on "it" that may be what the
// commentary before it speaks of, -1 for none: "look at the ask; if it is below 40c".
func (r *reader) ofCommentary(reading *grammar.Reading) int {
	from := int32(0)
	for i := range reading.Items {
		it := &reading.Items[i]
		for c := range it.Meaning.Conds().Walk() {
			if c.Tok == grammar.TokPron && c.Qty == grammar.NoQuantity && r.p.Has(from, it.From, func(e *lexicon.Entry) bool { return e.Class == "QTY" && e.Name != "price" }) {
				return i
			}
		}
		from = it.To
	}
	return -1
}

// fades reports whether a move is said to be faded and nothing else says what is
// bought than the condition: "fade the pump: Up jumps 8c in 30s".
func (r *reader) fades(reading *grammar.Reading) bool {
	fading := lexicon.Slot{Key: "why", Value: "fading"}
	return !said.SomeHas(reading.Items, grammar.SlotSide) &&
		r.p.Has(0, int32(r.p.Tokens()), func(e *lexicon.Entry) bool { return slices.Contains(e.Slots, fading) })
}

// isNone reports whether a reading that costs so much more than the cheapest one
// says what cannot be said, or buys what that one looks at.
func (r *reader) isNone(reading *grammar.Reading, more int) bool {
	return len(r.known(reading)) > 0 || more > 0 && sideOfCondition(&r.p.Readings()[0], reading)
}

// onlyObserves reports whether a reading is one sentence on a token, with its verb,
// and nothing of what is bought: "Up is below 40c".
func (r *reader) onlyObserves(reading *grammar.Reading) bool {
	if len(reading.Items) != 1 {
		return false
	}
	it := &reading.Items[0]
	return (it.Kind == "item.head" || it.Kind == "item.cond") && r.hasClass(it, "BE", "MOVE", "CROSS")
}

// onlyAsks reports whether a reading is a side alone, without a word of buying, that is asked or thought of, or
// nothing but what is bought in a question for a choice: "maybe Up?", "which of them would you take?".
func (r *reader) onlyAsks(reading *grammar.Reading) bool {
	if len(reading.Items) == 0 || slices.ContainsFunc(reading.Items, func(it grammar.Item) bool {
		return it.Kind != "item.head" || said.HasConds(&it) || it.Meaning.Has(grammar.SlotCoin) || it.Meaning.Has(grammar.SlotLen)
	}) {
		return false
	}
	it := &reading.Items[0]
	return r.someOf(0, int32(r.p.Tokens()), choosing) || len(reading.Items) == 1 && !r.hasClass(it, "BUY") && (r.p.HasClass(0, int32(r.p.Tokens()), "QUESTION") || it.From > 0 && unsure[r.p.Word(it.From-1)])
}

// whichCoin are the words that ask for a coin where none is named: "which coin is best?".
func (r *reader) whichCoin(reading *grammar.Reading) (list []Obstacle) {
	if said.SomeHas(reading.Items, grammar.SlotCoin) {
		return nil
	}
	for i := range int32(r.p.Tokens()) - 1 {
		if choosing[r.p.Word(i)] && coinWords[r.p.Word(i+1)] {
			list = append(list, r.no(i, i+2, "search"))
		}
	}
	return list
}

// opinion are the words of a question that asks what somebody thinks of what could be bought, and says nothing
// of how: "is Up at 40c any good?", "what do you guys think about Up at 40c?".
func (r *reader) opinion(reading *grammar.Reading) []Obstacle {
	it := &reading.Items[0]
	asks := it.From == 1 && inverting[r.p.Word(0)] || r.someOf(0, it.From, thought)
	if !asks || !r.p.HasClass(0, int32(r.p.Tokens()), "QUESTION") || slices.ContainsFunc(reading.Items, func(it grammar.Item) bool {
		return r.hasClass(&it, "BUY") || slices.ContainsFunc(it.Meaning.Slots(), func(s grammar.Slot) bool { return !ofMarket[s] })
	}) {
		return nil
	}
	return []Obstacle{r.no(0, it.From, "search")}
}

// Words of such a question: verbs that begin it, and those of a thought; what it names all the same.
var (
	inverting = lexicon.WordSet("is are was does did would will isn't aren't doesn't wouldn't")
	thought   = lexicon.WordSet("think thinks like likes fancy")
	ofMarket  = map[grammar.Slot]bool{grammar.SlotCoin: true, grammar.SlotLen: true, grammar.SlotSide: true, grammar.SlotFav: true, grammar.SlotSoft: true, grammar.SlotHint: true}
)

var coinWords = lexicon.WordSet("coin crypto asset ticker")

// choosing are words of a question for a choice.
var choosing = lexicon.WordSet("which what who")

// unsure are words of a thought.
var unsure = lexicon.WordSet("maybe perhaps possibly probably")

// sideOfCondition reports whether a reading takes the token of what the cheapest
// one reads as a condition for what is bought, without a word for buying before
// it: "if Down is over 60c and Up under 40c, buy".
func sideOfCondition(cheapest, other *grammar.Reading) bool {
	return slices.ContainsFunc(other.Items, func(head grammar.Item) bool {
		m := &head.Meaning
		return (m.Has(grammar.SlotSoft) || m.Has(grammar.SlotHint) || m.Has(grammar.SlotSide)) && !m.Has(grammar.SlotBuy) && slices.ContainsFunc(cheapest.Items, func(c grammar.Item) bool {
			return c.Kind == "item.if" && c.From < head.From && head.To <= c.To
		})
	})
}
