package grammar

import (
	"slices"
	"strings"

	"github.com/ladderback/ladderback/parser/lexicon"
)

// What a prompt that nothing covers is read without, the second time: small
// words that other languages put elsewhere, words that are not vocabulary, and
// what is said before the first rule of a sentence.

const (
	costPassed     = 60 // of a word that only the second reading passes over
	longestOpening = 16 // tokens before the first rule of a sentence
)

// passed are the prepositions without which a rule says the same.
var passed = wordSet("of with to by")

// places are prepositions that a condition has in front: in the moment when.
var places = wordSet("in at on")

// Again reads the prompt once more, without what may be passed over, which is
// stories alone where the first reading covers it; nil when that is nothing, or
// the prompt was much work already. Like p, the result must be closed.
func (p *Parse) Again() *Parse {
	c, x := p.chart, *p.Lattice
	if c.steps > MaxSteps/2 {
		return nil
	}
	var openings []chatSpan
	telling := c.anyTold()
	if len(p.readings) == 0 {
		openings = c.passOver(&x)
	}
	if len(openings) == 0 && len(x.Fillers) == len(p.Fillers) && !telling {
		return nil
	}
	again := &Parse{Lattice: &x, chart: charts.Get().(*chart)}
	again.chart.reset(c.g, &x)
	again.chart.openings, again.chart.telling = openings, telling
	again.chart.parse()
	again.readings, again.furthest = again.chart.cover()
	return again
}

// passOver adds what the second reading passes over to the fillers of x, and
// returns what it passes over before the rules of sentences.
func (c *chart) passOver(x *lexicon.Lattice) []chatSpan {
	p := c.profile()
	s := c.second(p)
	var openings []chatSpan
	for i := int32(0); i < c.n; i++ {
		if i == 0 || p[i-1]&isBreaks != 0 {
			openings = append(openings, c.opening(p, s, i)...)
		}
	}
	fills, k := make([]lexicon.Filler, 0, len(c.x.Fillers)+8), 0
	for i := int32(0); i < c.n; i++ {
		for ; k < len(c.x.Fillers) && c.x.Fillers[k].From <= i; k++ {
			fills = append(fills, c.x.Fillers[k])
		}
		if s.small[i] || c.strange(p, i) {
			fills = append(fills, lexicon.Filler{From: i, To: i + 1, Rank: costPassed})
		}
	}
	x.Fillers = append(fills, c.x.Fillers[k:]...)
	return openings
}

// second is what the second reading asks of tokens.
type second struct {
	small    []bool // may be passed over: a preposition, a doubled subject, "settle"
	begins   []bool // a purchase or a market begins there
	unspoken []bool // part of what the object cannot say, in a rule or outside, or a coin's name
	named    bool   // a coin is
}

func (c *chart) second(p []flags) second {
	s := second{small: make([]bool, c.n), begins: make([]bool, c.n), unspoken: make([]bool, c.n)}
	longest, subject := c.longest(), make([]bool, c.n+1) // by where it ends
	for i := range c.x.Lexemes {
		l := &c.x.Lexemes[i]
		k, e := c.g.entryClass[l.Entry], &lexicon.Entries()[l.Entry]
		switch {
		case k == classToken, e.Class == "QTY":
			subject[l.To] = true
		case k == classCoin, k == classDuration, k == classBuy:
			s.begins[l.From] = true
			s.named = s.named || e.Class == "COIN"
		case e.Class == "NAME":
			s.begins[l.From], s.unspoken[l.From] = true, true
		case k == classUnsayable, k == classTold, k == classOpinion && e.Class != "OPINION" && e.Class != "PERSON":
			for t := l.From; t < l.To; t++ {
				s.unspoken[t] = true
			}
		case k == classSmall && (e.Class == "WORD" || e.Class == "BE"):
			p[l.From] |= isLink
		}
		s.small[l.From] = s.small[l.From] || longest[l.From] == 1 && isSmall(e, subject[l.From])
	}
	return s
}

// isSmall reports whether a word may be passed over anywhere: a preposition, how a
// trade ends of itself and, behind a subject, the pronoun that doubles it.
func isSmall(e *lexicon.Entry, subject bool) bool {
	return e.Class == "WORD" && passed[e.Name] || e.Class == "END" || e.Class == "PRON" && subject
}

// opening lists what may be passed over from the beginning of a sentence at i
// to a purchase or a market: words without a number, an order, a token or a
// condition in them.
func (c *chart) opening(p []flags, s second, i int32) []chatSpan {
	var out []chatSpan
	linked := false // behind a preposition
	for j := i; j < c.n && j < i+longestOpening; j++ {
		if j > i && s.begins[j] && (p[j]&isBuy != 0 || s.named || p[j-1]&isUnknown == 0) {
			out = append(out, chatSpan{from: i, to: j, cost: costPassed + costChatUnknown*(j-i), before: p[j]&(isAmount|isCoin) != 0})
		}
		if s.unspoken[j] || c.ofRule(p, s, j) || p[j]&isUnknown != 0 && (linked || looksLikeLaw(c.x.Word(j))) {
			break
		}
		linked = p[j]&isLink != 0 || linked && p[j]&isPlain != 0
	}
	return out
}

// ofRule reports whether token j makes an opening a rule; a marker does not where
// a purchase follows: how much if I buy.
func (c *chart) ofRule(p []flags, s second, j int32) bool {
	const no = isBreaks | isOdd | isOrder | isNegated | isToken | isCoin | isKeyed | isAmount | isTold
	return p[j]&no != 0 || p[j]&isRule != 0 && (p[j]&isMarker == 0 || !c.buysAt(s, j+1))
}

// buysAt reports whether a purchase or a market begins at i, or behind fillers.
func (c *chart) buysAt(s second, i int32) bool {
	for _, f := range c.x.Fillers {
		if f.From == i && f.To == i+1 {
			i++
		}
	}
	return i < c.n && s.begins[i]
}

// strange reports whether token i is a word that is not vocabulary, in a place
// where no word of a rule can stand that would change it: not beside a number, a
// token or a length, not behind a preposition, a marker of a condition or a
// negation, not before an exit, and not like a word that rules are made of.
func (c *chart) strange(p []flags, i int32) bool {
	const no = isOdd | isRule | isTold | isOrder | isNegated | isToken | isBreaks | isComma | isCoin | isWeak | isKeyed
	if p[i]&isUnknown == 0 || p[i]&no != 0 || looksLikeLaw(c.x.Word(i)) {
		return false
	}
	before, behind := c.beside(p, i, -1), c.beside(p, i, 1)
	a, b := c.flagsAt(p, before), c.flagsAt(p, behind)
	switch {
	case (a|b)&(isAmount|isToken) != 0, b&(isRule|isWeak|isTold) != 0 && b&(isMarker|isCue) == 0:
		return false
	case a&isLink != 0 && (b&isMarker == 0 || !places[c.x.Word(before)]):
		return false
	}
	for k := i; k >= 0 && p[k]&(isBreaks|isComma) == 0; k-- {
		if p[k]&(isMarker|isNegated) != 0 || c.x.Word(k) == "only" {
			return false
		}
	}
	return behind < 0 || behind >= c.n || c.x.Word(behind) != "only"
}

// beside is the token next to i that says something, past fillers, unknown words
// and, forward, prepositions; one outside the prompt where there is none.
func (c *chart) beside(p []flags, i, step int32) int32 {
	for i += step; i >= 0 && i < c.n && c.x.Word(i) != "only" && p[i]&(isBreaks|isComma) == 0; i += step {
		if p[i]&isLink != 0 && step > 0 {
			continue
		}
		if p[i]&isLink != 0 || p[i]&(isPlain|isUnknown) == 0 || p[i]&isMeant != 0 {
			break
		}
	}
	return i
}

// flagsAt is what token i may be, nothing outside the prompt.
func (c *chart) flagsAt(p []flags, i int32) flags {
	if i < 0 || i >= c.n {
		return 0
	}
	return p[i]
}

// lawWords are words that a rule turns on: what looks like one is not passed over.
var lawWords = strings.Fields("above below under over beneath dont not never without except unless least most more less down before after until within between first last cross")

func looksLikeLaw(w string) bool {
	return slices.ContainsFunc(lawWords, func(l string) bool { d := distance(w, l); return d <= 1 || d == 2 && len(w) >= 5 })
}

// distance is how many letters are added, dropped or changed between two words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		left := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := left
			if a[i] != b[j] {
				d = 1 + min(left, row[j], row[j+1])
			}
			left, row[j+1] = row[j+1], d
		}
	}
	return row[len(b)]
}
