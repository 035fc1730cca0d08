package grammar

import (
	"os"
	"strings"

	"github.com/ladderback/ladderback/parser/lexicon"
)

var xG = os.Getenv("LB_G")

// passed are small words that say nothing where the rule is the same without them.
var passed = wordSet("of with to by")

// costPassed is what a word costs that only the second reading passes over.
const costPassed = 60

// again lets pass what a prompt that nothing covers can be read without, and
// reads it once more.
func (c *chart) again() bool {
	p := c.profile()
	entries := lexicon.Entries()
	longest := c.longest()
	small := make([]bool, c.n)
	subject := make([]bool, c.n+1)
	named := false
	buy := make([]bool, c.n)
	noLead := make([]bool, c.n)
	for i := range c.x.Lexemes {
		l := &c.x.Lexemes[i]
		e := &entries[l.Entry]
		k := c.g.entryClass[l.Entry]
		if longest[l.From] == 1 && (e.Class == "WORD" && passed[e.Name] || e.Class == "PRON" && l.From > 0 && subject[l.From-1] || k == classSettled) {
			small[l.From] = true
		}
		if e.Class == "WORD" && k == classSmall {
			p[l.From] |= isLink
		}
		if e.Class == "QTY" || k == classToken {
			subject[l.To-1] = true
		}
		named = named || k == classCoin && e.Class == "COIN"
		if k == classBuy || k == classCoin || k == classDuration {
			buy[l.From] = true
		}
		if k == classUnsayable || e.Class == "VAGUE" || e.Class == "REFUSE" {
			for t := l.From; t < l.To; t++ {
				noLead[t] = true
			}
		}
	}
	c.asides = nil
	var asides []chatSpan
	for i := int32(0); i < c.n && !strings.Contains(xG, "L"); i++ {
		if i > 0 && p[i-1]&isBreaks == 0 {
			continue
		}
		spoken := false
		for j := i; j < c.n && j-i < 16; j++ {
			if j > i && buy[j] && spoken {
				if p[j]&isBuy != 0 || named || p[j-1]&isUnknown == 0 {
					asides = append(asides, chatSpan{from: i, to: j, cost: costPassed + costChatUnknown*(j-i), before: p[j]&(isAmount|isCoin) != 0})
				}
			}
			if p[j]&isUnknown != 0 && looksLikeLaw(c.x.Word(j)) {
				break
			}
			if noLead[j] || p[j]&(isBreaks|isOdd|isOrder|isNegated|isToken|isCoin|isKeyed|isAmount) != 0 {
				break
			}
			if p[j]&isRule != 0 && !(p[j]&isMarker != 0 && c.buysSoon(buy, j+1)) {
				break
			}
			spoken = true
		}
	}
	var fills []lexicon.Filler
	k := 0
	for i := int32(0); i < c.n; i++ {
		for k < len(c.x.Fillers) && c.x.Fillers[k].From <= i {
			fills = append(fills, c.x.Fillers[k])
			k++
		}
		if small[i] || !strings.Contains(xG, "U") && c.strange(p, i) {
			fills = append(fills, lexicon.Filler{From: i, To: i + 1, Rank: costPassed})
		}
	}
	c.x.Fillers = append(fills, c.x.Fillers[k:]...)
	c.reset(c.g, c.x)
	c.parse()
	c.asides = asides
	return true
}

// buysSoon: a purchase follows, but for fillers.
func (c *chart) buysSoon(buy []bool, i int32) bool {
	for _, f := range c.x.Fillers {
		if f.From == i && f.To == i+1 {
			i++
		}
	}
	return i < c.n && buy[i]
}

// strange reports whether the token i is an unknown word where nothing stands that a rule is made of.
func (c *chart) strange(p []flags, i int32) bool {
	const no = isOdd | isRule | isOrder | isNegated | isToken | isBreaks | isComma | isCoin | isWeak | isKeyed
	if p[i]&isUnknown == 0 || p[i]&no != 0 || looksLikeLaw(c.x.Word(i)) {
		return false
	}
	a, okA := c.beside(p, i, -1)
	b, okB := c.beside(p, i, 1)
	if !okA || !okB || (a|b)&isAmount != 0 || a&isLink != 0 && b&isMarker == 0 || b&isRule != 0 && b&isMarker == 0 && !strings.Contains(xG, "r") {
		return false
	}
	for k := i; k >= 0 && p[k]&(isBreaks|isComma) == 0; k-- {
		if p[k]&(isMarker|isNegated) != 0 {
			return false
		}
	}
	return true
}

// beside is what stands beside token i, past what says nothing.
func (c *chart) beside(p []flags, i, step int32) (flags, bool) {
	for i += step; i >= 0 && i < c.n; i += step {
		switch {
		case c.x.Word(i) == "only":
			return 0, false
		case p[i]&(isBreaks|isComma) != 0:
			return 0, true
		case p[i]&isLink != 0 && step > 0 && passed[c.x.Word(i)]:
		case p[i]&isLink != 0 || p[i]&(isPlain|isUnknown) == 0 || p[i]&isMeant != 0:
			return p[i], true
		}
	}
	return 0, true
}

var lawWords = strings.Fields("above below under over beneath dont not never without except unless least most more less down before after until within between first last cross")

func looksLikeLaw(w string) bool {
	for _, l := range lawWords {
		if d := distance(w, l); d <= 1 || d == 2 && len(w) >= 5 {
			return true
		}
	}
	return false
}

// distance is the number of letters to add, drop or change.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		prev := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := prev
			if a[i] != b[j] {
				d = 1 + min(prev, row[j], row[j+1])
			}
			prev, row[j+1] = row[j+1], d
		}
	}
	return row[len(b)]
}
