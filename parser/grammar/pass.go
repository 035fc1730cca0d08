package grammar

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed passes.txt
var passesText string

// passLines are the lines of passes.txt by their bounds, in its order.
var passLines = func() map[string][]passLine {
	out, err := readPasses(passesText)
	if err != nil {
		panic(err)
	}
	return out
}()

// passLine says of what is bounded whether it is a rule.
type passLine struct {
	rule bool
	one  []flags // of each, one token must be
	none flags   // that no token may be
	form []formPart
}

// formPart is a part of a form: any tokens, words of a list, or a token by what it
// may be.
type formPart struct {
	any, many, key bool
	list           map[string]bool
	one, none      flags
}

func readPasses(text string) (map[string][]passLine, error) {
	out := map[string][]passLine{}
	for line := range strings.Lines(text) {
		head, form, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || line[0] == '#' {
			continue
		}
		words := strings.Fields(head)
		l := passLine{rule: words[1] == "rule"}
		for _, w := range words[2:] {
			f := flagOf[w[1:]]
			if f == 0 {
				return nil, fmt.Errorf("passes.txt: %q: no such flag", w)
			}
			if w[0] == '+' {
				l.one = append(l.one, f)
			} else {
				l.none |= f
			}
		}
		for form != "" {
			word, rest, _ := strings.Cut(form, " ")
			if word[0] == '[' {
				end := strings.IndexByte(form, ']') + 1
				word, rest, _ = strings.Cut(form[end:], " ")
				word = form[:end] + word
			}
			part, err := readPart(word)
			if err != nil {
				return nil, err
			}
			l.form, form = append(l.form, part), rest
		}
		out[words[0]] = append(out[words[0]], l)
	}
	return out, nil
}

func readPart(word string) (formPart, error) {
	word, many := strings.CutSuffix(word, "*")
	part := formPart{many: many, any: word == "..", key: word == ":"}
	if word[0] != '[' {
		name := strings.ReplaceAll(word, "-", " ")
		if part.list = sets[name]; part.list == nil && !part.any && !part.key {
			part.list = map[string]bool{word: true}
		}
		return part, nil
	}
	for w := range strings.FieldsSeq(strings.Trim(word, "[]")) {
		name, not := strings.CutPrefix(w, "-")
		switch f := flagOf[name]; {
		case f == 0:
			return part, fmt.Errorf("passes.txt: %q: no such flag", w)
		case not:
			part.none |= f
		default:
			part.one |= f
		}
	}
	return part, nil
}

// passes reports whether the tokens [i, j), so bounded, may be passed over.
func (c *chart) passes(p []flags, bound string, i, j int32) bool {
	all := either(p, i, j)
	for k := range passLines[bound] {
		if l := &passLines[bound][k]; l.concerns(all) && c.fits(p, l.form, i, j) {
			return !l.rule
		}
	}
	return false
}

func (l *passLine) concerns(all flags) bool {
	for _, f := range l.one {
		if all&f == 0 {
			return false
		}
	}
	return all&l.none == 0
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
	case form[0].key:
		return i == j && c.isSep(j)
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
	if part.list == nil {
		if i < j && p[i]&part.one != 0 && p[i]&part.none == 0 {
			return 1
		}
		return 0
	}
	said := ""
	for k := i; k < min(j, i+4) && p[k]&isTold == 0; k++ {
		said += c.x.Word(k)
		if part.list[said] {
			return k + 1 - i
		}
		said += " "
	}
	return 0
}

// tells reports whether every clause of a sentence with an everyday word of other
// things tells a story.
func (c *chart) tells(p []flags, i, j int32) bool {
	for from := i; from < j; from++ {
		to := from
		for to < j && p[to]&isComma == 0 {
			to++
		}
		if either(p, from, to)&isTold != 0 && !(c.telling && c.passes(p, "story", from, to)) {
			return false
		}
		from = to
	}
	return true
}

// anyTold reports whether an everyday word of other things is in the prompt.
func (c *chart) anyTold() bool {
	for i := range c.x.Lexemes {
		if c.g.entryFlags[c.x.Lexemes[i].Entry]&isTold != 0 {
			return true
		}
	}
	return false
}
