package grammar

import (
	_ "embed"
	"strings"

	"github.com/ladderback/ladderback/parser/lexicon"
)

//go:embed passes.txt
var passesText string

// passLine says of what is bounded whether it is a rule.
type passLine struct {
	rule bool
	all  formPart // what its tokens may be together
	form []formPart
}

// formPart is a part of a form: any tokens, words of a list, or a token by what it
// may be.
type formPart struct {
	any, many bool
	behind    map[string]bool // a sign that stands behind the tokens
	list      map[string]bool
	longest   map[string]int32 // words of a phrase of the list, by its first
	one, none flags
}

// formParts cuts a form into its parts; those between brackets may have spaces in them.
func formParts(form string) []string {
	inside := false
	return strings.FieldsFunc(form, func(r rune) bool {
		inside = r == '[' || inside && r != ']'
		return r == ' ' && !inside
	})
}

func (w *wordTables) readPasses(text string) {
	known := map[string]formPart{}
	read := func(part string) formPart {
		p, ok := known[part]
		if !ok {
			p = w.readPart(part)
			known[part] = p
		}
		return p
	}
	for head, form := range lexicon.Rows(text) {
		words := formParts(head)
		l := passLine{rule: words[1] == "rule", all: read(append(words, "[]")[2])}
		for _, part := range formParts(form) {
			l.form = append(l.form, read(part))
		}
		w.passes[words[0]] = append(w.passes[words[0]], l)
	}
}

// signsBehind are the lists of the signs that stand behind the tokens of a form.
var signsBehind = map[string]string{":": "key signs", "=>": "arrows"}

func (w *wordTables) readPart(word string) formPart {
	word, many := strings.CutSuffix(word, "*")
	part := formPart{many: many, any: word == "..", behind: w.sets[signsBehind[word]]}
	if word[0] != '[' {
		if part.list = w.sets[strings.ReplaceAll(word, "-", " ")]; part.list == nil && !part.any && part.behind == nil {
			part.list = map[string]bool{word: true}
		}
		part.longest = make(map[string]int32, len(part.list))
		for phrase := range part.list {
			head, _, _ := strings.Cut(phrase, " ")
			part.longest[head] = max(part.longest[head], int32(strings.Count(phrase, " "))+1)
		}
		return part
	}
	for flag := range strings.FieldsSeq(strings.Trim(word, "[]")) {
		if name, not := strings.CutPrefix(flag, "-"); not {
			part.none |= flagOf[name]
		} else {
			part.one |= flagOf[name]
		}
	}
	return part
}

// Passes reports whether the tokens [i, j) may be passed over, bounded so in passes.txt.
func (p *Parse) Passes(bound string, i, j int32) bool {
	return p.chart.passes(p.chart.tokens, bound, i, j)
}

// Holds reports whether token i holds something that a rule may be made of, or may be a
// number or a word of rules misspelt.
func (p *Parse) Holds(i int32) bool {
	const nothing = isPlain | isUnknown | isOpinion | isView | isVague | isLink | isComma | isBreaks | isIdiom | isHead
	f := p.chart.tokens[i]
	return f&^nothing != 0 || f&(isVague|isOdd) != 0 || f&isUnknown != 0 && (!p.IsWord(i) || p.chart.looksLikeLaw(p.Word(i)) || p.isNumber(i+1))
}

// Marks reports whether a lexeme names a coin, a length or a side, excludes or reverses,
// in this prompt.
func (p *Parse) Marks(lexeme int32) bool {
	l := &p.Lexemes[lexeme]
	return p.chart.g.sense(l.Entry).flags&isMark != 0 && p.chart.tokens[l.To-1]&isMark != 0
}

// isNumber reports whether a number begins at token i.
func (p *Parse) isNumber(i int32) bool {
	return int(i) < len(p.chart.tokens) && p.chart.tokens[i]&isAmount != 0
}

// passes reports whether the tokens [i, j), so bounded, may be passed over; a clause
// or sentence behind an amount also by what stands behind a rule.
func (c *chart) passes(p []flags, bound string, i, j int32) bool {
	if bounded := bound == "clause" || bound == "sentence"; bounded && either(p, 0, i)&isAmount != 0 && !c.passes(p, "behind", i, j) {
		return false
	}
	c.looked += int(j - i)
	return !marked(p, i, j) && c.judges(p, bound, either(p, i, j), i, j)
}

// judges is passes for tokens of which none is marked and that are all these together.
func (c *chart) judges(p []flags, bound string, all flags, i, j int32) bool {
	c.looked++
	lines := c.g.words.passes[bound]
	for k := range lines {
		l := &lines[k]
		if all&l.all.none == 0 && (l.all.one == 0 || all&l.all.one != 0) && c.fits(p, l.form, i, j) {
			return !l.rule
		}
	}
	return false
}

// fits reports whether the tokens [i, j) are of a form.
func (c *chart) fits(p []flags, form []formPart, i, j int32) bool {
	for len(form) > 0 && form[0].many {
		n := c.takes(p, &form[0], i, j)
		if i += n; n == 0 {
			form = form[1:]
		}
	}
	switch {
	case len(form) == 0:
		return i == j
	case form[0].behind != nil:
		return i == j && j < c.n && form[0].behind[c.x.Word(j)]
	case !form[0].any:
		n := c.takes(p, &form[0], i, j)
		return n > 0 && c.fits(p, form[1:], i+n, j)
	case len(form) == 1:
		return true
	}
	for ; i <= j; i++ {
		if c.fits(p, form[1:], i, j) {
			return true
		}
	}
	return false
}

// takes returns how many tokens from i on, before j, are a part of a form; 0: none
// are.
func (c *chart) takes(p []flags, part *formPart, i, j int32) int32 {
	if i == j || part.list == nil {
		if i < j && p[i]&part.one != 0 && p[i]&part.none == 0 {
			return 1
		}
		return 0
	}
	said, end := "", min(j, i+part.longest[c.x.Word(i)])
	for k := i; k < end && p[k]&isTold == 0; k++ {
		if said += c.x.Word(k); part.list[said] {
			return k + 1 - i
		}
		said += " "
	}
	return 0
}

// tells reports whether a sentence is of a mood, or every clause of it with an
// everyday word of other things tells a story.
func (c *chart) tells(p []flags, i, j int32) bool {
	if c.telling && c.passes(p, "mood", i, j) {
		return true
	}
	for k, l := range between(p, isComma, i, j) {
		if either(p, k, l)&isTold != 0 && !(c.telling && c.passes(p, "story", k, l)) {
			return false
		}
	}
	return true
}
