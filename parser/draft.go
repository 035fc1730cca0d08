package parser

import (
	"strings"

	"github.com/ladderback/ladderback/strategy"
)

// draft is what has been read so far.
type draft struct {
	coin, length  *setting
	budget, sampl *setting
	buys          []mention
	nots          []mention // tokens that are not to be bought
	lone          []mention // tokens spoken of, in order
	hints         []mention // pictures that point up or down
	fav           []mention // favorite or underdog
	conds         []cond
	elems         []elem
	exits         []exitAct
	openAt        []strategy.Span
	openFrom      []int
	assumed       []assumption
	waivedTP      *strategy.Span
	waivedSL      *strategy.Span
	prohibitions  int
	purchases     int // verbs of buying read so far
	orBuys        bool
	corrected     bool
	emptyBuy      bool // a verb of buying without what is bought
}

// setting is a value for a field that is given once.
type setting struct {
	text string          // of coin and length
	n    strategy.Number // of budget and sample
	span strategy.Span
	at   int
}

// mention is a token spoken of.
type mention struct {
	tok  int16
	span strategy.Span
	at   int
	head bool // at the start of a clause, not behind if
	pron bool
	// forbids is set where the clause says when not to buy.
	forbids bool
}

// assumption in the making: the field as an id, resolved at the end.
type assumption struct {
	field fieldID
	value string
	why   string
}

// How the token of a condition is known.
type how uint8

const (
	howHeld     how = iota // not named: the token bought
	howNamed               // named
	howEllipsis            // shared with the condition before
	howPron                // it
)

// cond is a condition as read.
type cond struct {
	typ     strategy.Type
	tok     int16
	how     how
	crossed bool // howEllipsis over a comma
	cmp     strategy.Comparator
	n       strategy.Number
	win     tval
	at      tval // of time conditions
	isTime  bool
	span    strategy.Span
	from    int
	to      int
	buys    int // verbs of buying before it
	inIf    bool
	joined  bool // by "and" to a condition before it
	boxed   bool // in brackets
	not     bool // its verb is negated: isn't over 70c
	plain   bool // a price without a comparator
	moved   bool // said with a verb of moving: drops below, recovers to
}

// elemKind is a part of the structure of the conditions.
type elemKind uint8

const (
	eCond elemKind = iota
	eAnd
	eOr
	eComma
	eHard // a sentence, but, if, unless
	eOpen
	eClose
)

type elem struct {
	kind elemKind
	cond int
	at   int
}

func (p *parser) push(e elem) { p.elems = append(p.elems, e) }

// assume records an assumption about a field.
func (p *parser) assume(f fieldID, value, why string) {
	p.assumed = append(p.assumed, assumption{f, value, why})
}

// set gives a field its value, or refuses a second, other one.
func (p *parser) set(have **setting, s setting, what string) bool {
	if *have == nil {
		*have = &s
		return true
	}
	old := *have
	if old.text == s.text && old.n == s.n {
		return true
	}
	p.clash(old.span, s.span, "two values for %s; give one", what)
	return false
}

// clash refuses two phrases that contradict each other.
func (p *parser) clash(a, b strategy.Span, format string, args ...any) bool {
	if a.Start > b.Start {
		a, b = b, a
	}
	r := refuse(CodeBadRequest, format, args...)
	r.Message = "\"" + a.Text + "\" and \"" + b.Text + "\": " + r.Message
	r.Phrases = []strategy.Span{a, b}
	if strings.HasPrefix(format, "both sides") {
		r.fix = fixBoth
	}
	return p.fail(r)
}
