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
	small, begins, named := c.second(p)
	var openings []chatSpan
	for i := int32(0); i < c.n; i++ {
		for j := i + 1; (i == 0 || p[i-1]&isBreaks != 0) && j < min(c.n, i+longestOpening); j++ {
			if begins[j] && (p[j]&isBuy != 0 || named || p[j-1]&isUnknown == 0) && c.passes(p, "opening", i, j) {
				openings = append(openings, chatSpan{from: i, to: j, cost: costPassed + costChatUnknown*(j-i), before: p[j]&(isAmount|isCoin) != 0})
			}
		}
	}
	fills, k := make([]lexicon.Filler, 0, len(c.x.Fillers)+8), 0
	for i := int32(0); i < c.n; i++ {
		for ; k < len(c.x.Fillers) && c.x.Fillers[k].From <= i; k++ {
			fills = append(fills, c.x.Fillers[k])
		}
		if small[i] || c.strange(p, i) {
			fills = append(fills, lexicon.Filler{From: i, To: i + 1, Rank: costPassed})
		}
	}
	x.Fillers = append(fills, c.x.Fillers[k:]...)
	return openings
}

// second says of each token whether the second reading may pass it over anywhere and
// whether a purchase or a market begins there, and whether a coin is named; it marks
// what the object cannot say and what looks like a law.
func (c *chart) second(p []flags) (small, begins []bool, named bool) {
	small, begins = make([]bool, c.n), make([]bool, c.n)
	longest, subject := c.longest(), make([]bool, c.n+1) // by where it ends
	for i := range c.x.Lexemes {
		l := &c.x.Lexemes[i]
		f, e := c.g.entryFlags[l.Entry], &lexicon.Entries()[l.Entry]
		switch {
		case f&(isToken|isQuantity) != 0:
			subject[l.To] = true
		case f&(isCoin|isBuy) != 0, c.g.entryNumber[l.Entry] == slotDur:
			begins[l.From] = true
			named = named || e.Class == "COIN"
		case e.Class == "NAME": // of a coin, and another word
			begins[l.From] = true
			p[l.From] |= isUnsaid
		}
		for k := l.From; k < l.To; k++ {
			p[k] |= f & (isUnsaid | isLink)
		}
		if f&isUnknown != 0 && looksLikeLaw(c.x.Word(l.From)) {
			p[l.From] |= isLaw
		}
		small[l.From] = small[l.From] || longest[l.From] == 1 && isSmall(e, subject[l.From])
	}
	return small, begins, named
}

// isSmall reports whether a word may be passed over anywhere: a preposition, how a
// trade ends of itself and, behind a subject, the pronoun that doubles it.
func isSmall(e *lexicon.Entry, subject bool) bool {
	return e.Class == "WORD" && sets["passed"][e.Name] || e.Class == "END" || e.Class == "PRON" && subject
}

// strange reports whether token i is a word that is not vocabulary, in a place
// where no word of a rule can stand that would change it.
func (c *chart) strange(p []flags, i int32) bool {
	const no = isOdd | isRule | isTold | isOrder | isNegated | isToken | isBreaks | isComma | isCoin | isWeak | isKeyed | isLaw
	if p[i]&isUnknown == 0 || p[i]&no != 0 {
		return false
	}
	from, to := i, i
	for from > 0 && p[from-1]&(isBreaks|isComma) == 0 {
		from--
	}
	for to < c.n && p[to]&(isBreaks|isComma) == 0 {
		to++
	}
	p[i] |= isHere
	defer func() { p[i] &^= isHere }()
	return c.passes(p, "word", from, to)
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
