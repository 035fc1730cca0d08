package parser

import (
	"slices"

	"github.com/ladderback/ladderback/strategy"
)

// MaxPrompt is the longest prompt that is read, in code points.
const MaxPrompt = 2000

// Rules reads a prompt with the rules alone. Exactly one of the results is
// set: a strategy that is valid and canonical, or a refusal.
func Rules(prompt string, o Overrides) (*Result, *Refusal) {
	res, refusal := read(prompt, o)
	if refusal != nil {
		refusal.Rewrite = rewriteOf(prompt, refusal)
		return nil, refusal
	}
	return res, nil
}

// RulesBatch is Rules without the search for a rewrite, for many prompts of
// which only the answers are wanted: Refusal.Rewrite is empty.
func RulesBatch(prompt string, o Overrides) (*Result, *Refusal) { return read(prompt, o) }

// Screen applies the two screens that come before any reading: percentages,
// and values that are not this market's. It returns nil when a prompt passes.
func Screen(prompt string) *Refusal {
	p, refusal := prepare(prompt)
	if refusal == nil {
		refusal = p.screen()
	}
	if refusal != nil {
		refusal.Rewrite = rewriteOf(prompt, refusal)
	}
	return refusal
}

// read is Rules without the rewrite.
func read(prompt string, o Overrides) (*Result, *Refusal) {
	f, refusal := draw(prompt)
	if refusal != nil {
		return nil, refusal
	}
	return f.result(o)
}

// draw reads a prompt as far as what it says, before values that take its place.
func draw(prompt string) (*finisher, *Refusal) {
	p, refusal := prepare(prompt)
	if refusal != nil {
		return nil, refusal
	}
	if refusal := p.screen(); refusal != nil {
		return nil, refusal
	}
	if refusal := p.cannotSay(); refusal != nil {
		return nil, refusal
	}
	if refusal := p.spreadOut(); refusal != nil {
		return nil, refusal
	}
	if p.correct(); p.err == nil {
		p.run()
	}
	if p.err != nil {
		return nil, p.err
	}
	return p.finish()
}

// prepare makes a prompt ready for the screens.
func prepare(prompt string) (*parser, *Refusal) {
	t := normalise(prompt)
	if n := len(t.off) - 1; n > MaxPrompt {
		return nil, refuse(CodeBadRequest, "the prompt has %d characters: expected at most %d", n, MaxPrompt)
	}
	x := lexemes(t)
	p := &parser{t: t, all: x.out, sig: make([]int32, 0, len(x.out))}
	for i := range p.all {
		if p.all[i].kind != kFill {
			p.sig = append(p.sig, int32(i))
		}
	}
	return p, nil
}

// parser reads the lexemes of one prompt from left to right into a draft.
type parser struct {
	t   *text
	all []lexeme
	sig []int32 // lexemes of all that are no fillers
	i   int     // the lexeme at hand, as an index of sig
	err *Refusal

	draft
	clause
}

// clause is what is known of the clause at hand.
type clause struct {
	term term
	// ell is the subject and quantity of the condition before, which one
	// without a subject shares: "above 40c and below 60c".
	ell ellipsis
	// forbids is set in a clause that says when not to buy.
	forbids bool
	// unpaid is set behind "don't pay": the comparator is negated, the token
	// is bought all the same.
	unpaid    bool
	forbidsAt int
	// buying is set between a verb of buying and what is bought.
	buying   bool
	buyingAt int
	// inIf is set behind if, when, while.
	inIf bool
	// ifList is set from an if on to the end of the sentence or the next verb.
	ifList bool
	// ifAt is the if of a clause that has not said anything yet; -1: none.
	ifAt int
	// sold is the end of an exit phrase that nothing divides from what
	// follows; soldVerb tells that it began with a verb, not a label.
	sold     int
	soldVerb bool
	// soldComma is set behind the comma after an exit phrase.
	soldComma bool
	lastTok   int16 // the token spoken of last; tokNone: none yet
}

// term is a condition of which the subject has been read.
type term struct {
	tok    int16
	qty    qty
	from   int // where it begins; -1: nothing read yet
	win    tval
	hasWin bool
}

type ellipsis struct {
	tok     int16
	qty     qty
	ok      bool
	crossed bool // a comma lies between
	cond    int  // the condition it comes from; -1: from a purchase or a lone token
}

var eof = lexeme{kind: kEOF}

// x returns the i-th significant lexeme; the end's stand-in beyond it.
func (p *parser) x(i int) *lexeme {
	if i < 0 || i >= len(p.sig) {
		e := eof
		return &e
	}
	return &p.all[p.sig[i]]
}

func (p *parser) kind(i int) kind {
	if i < 0 || i >= len(p.sig) {
		return kEOF
	}
	return p.all[p.sig[i]].kind
}

// is reports whether the i-th lexeme is one of the small words.
func (p *parser) is(i int, words ...string) bool {
	x := p.x(i)
	return x.kind == kWord && slices.Contains(words, x.w)
}

// isBreak reports whether the i-th lexeme ends a phrase.
func (p *parser) isBreak(i int) bool {
	switch p.kind(i) {
	case kEOF, kComma, kStop, kSoft, kCloseParen, kOpenParen, kColon, kSlash:
		return true
	}
	return false
}

// mark records that lexemes [i, j) were read into a field.
func (p *parser) mark(i, j int, f fieldID) {
	for k := i; k < j && k < len(p.sig); k++ {
		p.x(k).field = f
	}
}

// take marks the lexemes up to j and moves behind them.
func (p *parser) take(j int, f fieldID) {
	p.mark(p.i, j, f)
	p.i = j
}

// words returns the prompt's text of lexemes [i, j).
func (p *parser) words(i, j int) string {
	if i >= j || i >= len(p.sig) {
		return ""
	}
	from, to := p.extent(i, min(j, len(p.sig)))
	return p.t.slice(from, to)
}

// extent returns where lexemes [i, j) lie in the prompt. A correction may have
// put one of them out of order.
func (p *parser) extent(i, j int) (from, to int32) {
	from, to = p.x(i).start, p.x(i).end
	for k := i + 1; k < j; k++ {
		from, to = min(from, p.x(k).start), max(to, p.x(k).end)
	}
	return from, to
}

func (p *parser) span(i, j int) strategy.Span {
	if i < 0 || i >= len(p.sig) || i >= j {
		return strategy.Span{}
	}
	from, to := p.extent(i, min(j, len(p.sig)))
	return strategy.Span{Start: int(from), End: int(to), Text: p.t.slice(from, to)}
}

// fail records the first refusal.
func (p *parser) fail(r *Refusal) bool {
	if p.err == nil {
		p.err = r
	}
	return true
}

// badFor is bad for a phrase that has a remedy.
func (p *parser) badFor(i, j int, fix remedy, format string, args ...any) bool {
	first := p.err == nil
	p.bad(i, j, format, args...)
	if first {
		p.err.fix = fix
	}
	return true
}

// bad refuses lexemes [i, j) with a message that begins with their text.
func (p *parser) bad(i, j int, format string, args ...any) bool {
	s := p.span(i, j)
	return p.fail(refuseSpan(CodeBadRequest, s, format, args...))
}

// readers are tried in this order at every lexeme. Each one reads a phrase and
// moves on, or reports that it has none there.
var readers = [...]func(*parser) bool{
	(*parser).breaks,
	(*parser).sample,
	(*parser).money,
	(*parser).depth,
	(*parser).ratio,
	(*parser).exitBehind,
	(*parser).times,
	(*parser).market,
	(*parser).exit,
	(*parser).purchase,
	(*parser).condition,
	(*parser).joint,
	(*parser).vague,
	(*parser).soft,
}

// run reads all lexemes.
func (p *parser) run() {
	p.reset()
	for p.i < len(p.sig) && p.err == nil {
		at, done := p.i, false
		for _, read := range readers {
			if done = read(p); done || p.err != nil {
				break
			}
		}
		if p.err == nil && (!done || p.i == at) {
			p.unread(p.i)
		}
	}
}

func (p *parser) reset() {
	p.clause = clause{term: term{from: -1}, sold: -1, forbidsAt: -1, buyingAt: -1, ifAt: -1}
}

// soften begins a new phrase in the same sentence.
func (p *parser) soften() {
	if p.term.tok != tokNone {
		p.ell = ellipsis{tok: p.term.tok, ok: true, cond: -1}
	}
	if p.ifAt >= 0 && (p.ifAt != p.i-1 || p.i < len(p.sig) && p.sig[p.i] != p.sig[p.ifAt]+1) {
		p.endIf()
	} else if p.ifAt >= 0 {
		p.ifAt = p.i // "when, …": the clause is still to come
	}
	p.dropTerm()
	p.term = term{from: -1}
	p.ell.crossed = true
	p.inIf = false
}

// endIf refuses an if, when or while that was followed by nothing.
func (p *parser) endIf() {
	if p.ifAt >= 0 && p.err == nil {
		p.bad(p.ifAt, p.i, "this sets no condition; say, for example, \"when Up is below 35c\"")
	}
	p.ifAt = -1
}

// breaks reads punctuation.
func (p *parser) breaks() bool {
	x := p.x(p.i)
	switch x.kind {
	case kStop:
		p.sentence()
	case kComma:
		if !p.stillForbids(p.i + 1) {
			p.forbids = false
		}
		p.comma()
	case kSoft, kSlash:
		p.forbids = false
		p.comma()
		if x.w == "|" {
			p.soldComma = false
		}
	case kColon:
		if p.term.qty != qNone || p.term.tok != tokNone {
			p.i++
			return true
		}
		p.i++
		return true
	case kOpenParen:
		p.push(elem{kind: eOpen, at: p.i})
		p.soften()
		p.ell.crossed = true
		if p.sold == p.i {
			p.soldComma = true
		}
		p.sold = -1
	case kCloseParen:
		p.push(elem{kind: eClose, at: p.i})
		p.soften()
		p.forbids = false
	default:
		return false
	}
	p.i++
	return true
}

func (p *parser) comma() {
	p.push(elem{kind: eComma, at: p.i})
	if p.sold == p.i || p.soldComma && p.sold >= 0 {
		p.soldComma = true
	}
	p.sold = -1
	p.soften()
}

// sentence ends a sentence.
func (p *parser) sentence() {
	p.push(elem{kind: eHard, at: p.i})
	p.endIf()
	p.dropTerm()
	last := p.lastTok
	p.reset()
	p.lastTok = last
}

// stillForbids reports whether what stands behind a comma goes on with a list
// of when not to buy: ", or if …".
func (p *parser) stillForbids(i int) bool {
	return p.kind(i) == kOr || p.kind(i) == kNot && p.is(i+1, "nor")
}

// unread refuses the lexeme at i, which no reader knew what to do with.
func (p *parser) unread(i int) { p.fail(p.unreadRefusal(i)) }

// number of the request as a strategy number.
func number(n int64) strategy.Number { return strategy.Number(n) }
