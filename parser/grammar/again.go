package grammar

import (
	"cmp"
	"slices"

	"github.com/ladderback/ladderback/parser/lexicon"
)

// What a prompt that nothing covers is read without, the second time: small
// words that other languages put elsewhere, words that are not vocabulary, and
// what is said before the first rule of a sentence.

const (
	costPassed     = 60 // of a word that only the second reading passes over
	longestOpening = 16 // tokens before the first rule of a sentence
	longestStrange = 80 // tokens of a clause with words that are not vocabulary
)

// Again reads the prompt once more, without what may be passed over, which is
// stories alone where the first reading covers it; nil when that is nothing, or
// the prompt was much work already. Like p, the result must be closed.
func (p *Parse) Again() *Parse {
	c, x := p.chart, *p.Lattice
	if c.steps > MaxSteps/2 {
		return nil
	}
	var openings []chatSpan
	telling := slices.ContainsFunc(x.Lexemes, func(l lexicon.Lexeme) bool { return c.g.sense(l.Entry).flags&isTold != 0 })
	if len(p.readings) == 0 {
		openings = c.passOver(&x)
	}
	if len(openings) == 0 && len(x.Fillers) == len(p.Fillers) && !telling {
		return nil
	}
	return read(&x, openings, telling)
}

// passOver adds what the second reading passes over to the fillers of x, and
// returns what it passes over before the rules of sentences.
func (c *chart) passOver(x *lexicon.Lattice) []chatSpan {
	p, named := c.profile(), x.HasClass(0, c.n, "COIN")
	c.markAgain(p)
	var openings []chatSpan
	for i, end := range between(p, isBreaks, 0, c.n) {
		for j := i + 1; j < min(end, i+longestOpening); j++ {
			if p[j]&isBegin != 0 && (p[j]&isBuy != 0 || named || p[j-1]&isUnknown == 0) && c.passes(p, "opening", i, j) {
				openings = append(openings, chatSpan{from: i, to: j, cost: costPassed + costChatUnknown*(j-i), before: p[j]&(isAmount|isCoin) != 0})
			}
		}
	}
	x.Fillers = slices.Clone(x.Fillers)
	for from, to := range between(p, isBreaks|isComma, 0, c.n) {
		for i := from; i < to; i++ {
			if !c.isSep(i+1) && (p[i]&isPassed != 0 || c.strange(p, i, from, to)) { // the last word of a key is part of it
				x.Fillers = append(x.Fillers, lexicon.Filler{From: i, To: i + 1, Rank: costPassed})
			}
		}
	}
	c.asides(p, x)
	slices.SortStableFunc(x.Fillers, func(a, b lexicon.Filler) int { return cmp.Compare(a.From, b.From) })
	return openings
}

// asides adds what stands between brackets in the midst of a rule and says nothing:
// "the spread (hope that's the word) is 1c".
func (c *chart) asides(p []flags, x *lexicon.Lattice) {
	for from := range c.n {
		for to := from + 2; c.x.Word(from) == "(" && to < c.n; to++ {
			if c.x.Word(to) == ")" {
				if c.passes(p, "clause", from+1, to) && c.passes(p, "aside", from+1, to) {
					x.Fillers = append(x.Fillers, lexicon.Filler{From: from, To: to + 1, Rank: costPassed})
				}
				break
			}
		}
	}
}

// markAgain marks what the second reading looks at: where a purchase or a market
// begins, what may be passed over anywhere (a preposition, how a trade ends of itself
// and, behind a subject, the pronoun that doubles it), what the object cannot say and
// what looks like a law.
func (c *chart) markAgain(p []flags) {
	longest, subject := c.longest(0), make([]bool, c.n+1) // by where it ends
	for _, l := range c.x.Lexemes {
		is, e, at := c.g.sense(l.Entry), lexicon.Entries()[l.Entry], &p[l.From]
		switch {
		case is.flags&(isToken|isQuantity) != 0:
			subject[l.To] = true
		case is.flags&(isCoin|isBuy) != 0, is.number == slotDur:
			*at |= isBegin
		case e.Class == "NAME": // of a coin, and another word
			*at |= isBegin | isUnsaid
		}
		mark(p[l.From:l.To], is.flags&(isUnsaid|isLink), 0)
		if is.flags&isUnknown != 0 && c.looksLikeLaw(c.x.Word(l.From)) {
			*at |= isLaw
		}
		if longest[l.From] == 1 && (e.Class == "WORD" && c.g.words.sets["passed"][e.Name] || e.Class == "END" || e.Class == "PRON" && subject[l.From]) {
			*at |= isPassed
		}
	}
}

// strange reports whether token i of the clause [from, to) is a word that is not
// vocabulary, in a place where no word of a rule can stand that would change it.
func (c *chart) strange(p []flags, i, from, to int32) bool {
	p[i] |= isHere
	defer func() { p[i] &^= isHere }()
	return p[i]&isUnknown != 0 && to-from <= longestStrange && c.passes(p, "word", from, to)
}

// looksLikeLaw reports whether a word looks like one that a rule turns on.
func (c *chart) looksLikeLaw(w string) bool {
	for law := range c.g.words.sets["law words"] {
		if d := distance(w, law); d <= 1 || d == 2 && len(w) >= 5 {
			return true
		}
	}
	return false
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
