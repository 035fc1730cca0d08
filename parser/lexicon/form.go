package lexicon

import (
	"cmp"
	"fmt"
	"maps"
	"strings"
)

// A rule is a part of a number, with the forms that it is written in. They stand
// in phrases/numbers.txt.
type rule struct{ forms []form }

// form is one way to write a part of a number: terms that stand behind one
// another, and what they say together.
type form struct {
	line     int
	terms    []term
	say      saying
	examples []string
}

// term is one part of a form: words as they are written, words of a kind, a
// rule, or what reads itself. Only the last three say something.
type term struct {
	read func(x *reader, i int) (v value, end int, ok bool)
	mute bool // says nothing

	optional     bool
	ahead, not   bool // looked at only; must not be there
	behind       int  // tokens that it stands before the place where it is written
	glued, apart bool // without white space before it, with it
}

// forms reads the rules of a table, by name: "name -> terms : what they say",
// "| terms : what they say" for one more of the name above, "= example" below.
func forms(table string) map[string]*rule {
	rules := map[string]*rule{}
	var r *rule
	for n, line := range strings.Split(table, "\n") {
		line = strings.TrimSpace(line)
		name, body, ok := strings.Cut(line, " -> ")
		if ok {
			r = ruleOf(rules, name)
		} else if body, ok = strings.CutPrefix(line, "| "); !ok {
			if example, ok := strings.CutPrefix(line, "= "); ok {
				last := &r.forms[len(r.forms)-1]
				last.examples = append(last.examples, example)
			}
			continue
		}
		terms, say, _ := strings.Cut(body, " : ")
		f := form{line: n + 1, say: sayingOf(say)}
		if f.say == nil {
			panic(fmt.Sprintf("phrases/numbers.txt:%d: nothing is said by %q", n+1, say))
		}
		for t := range strings.FieldsSeq(terms) {
			f.terms = append(f.terms, termOf(t, rules))
		}
		r.forms = append(r.forms, f)
	}
	return rules
}

func ruleOf(rules map[string]*rule, name string) *rule {
	if rules[name] == nil {
		rules[name] = &rule{}
	}
	return rules[name]
}

// termOf reads a term: 'word'|'word', {kind|kind}, RULE that reads itself, or
// rule, with the marks around it.
func termOf(s string, rules map[string]*rule) term {
	var t term
	s, t.optional = strings.CutSuffix(s, "?")
	s, t.not = strings.CutPrefix(s, "!")
	s, t.ahead = strings.CutPrefix(s, "&")
	for ; s[0] == '<'; s = s[1:] {
		t.behind++
	}
	s, t.glued = strings.CutPrefix(s, "~")
	s, t.apart = strings.CutPrefix(s, "_")
	t.ahead = t.ahead || t.not || t.behind > 0
	switch read, ok := readers[s]; {
	case ok:
		t.read, t.mute = read, s == "GAP" || s == "HYPHEN"
	case s[0] == '\'':
		words := strings.Split(s[1:len(s)-1], "'|'")
		t.mute = true
		t.read = func(x *reader, i int) (value, int, bool) { return value{}, i + 1, x.is(i, words...) }
	case s[0] == '{':
		says := map[string]value{}
		for kind := range strings.SplitSeq(strings.Trim(s, "{}"), "|") {
			maps.Copy(says, valuesOf(kind))
		}
		t.read = func(x *reader, i int) (value, int, bool) {
			v, ok := says[x.text(i)]
			return v, i + 1, ok
		}
	default:
		r := ruleOf(rules, s)
		t.read = func(x *reader, i int) (value, int, bool) { return x.read(r, i) }
	}
	return t
}

// valuesOf returns what the words of a kind say; units are in capitals.
func valuesOf(kind string) map[string]value {
	out := map[string]value{}
	for w, n := range numberWords[kind] {
		switch {
		case kind == "fraction":
			out[w] = fraction(1, n)
		case kind == strings.ToUpper(kind):
			out[w] = value{n: n, unit: unit(kind)}
		default:
			out[w] = value{n: n * micro}
		}
	}
	return out
}

// read reads a rule at token i by the first of its forms that fits.
func (x *reader) read(r *rule, i int) (v value, end int, ok bool) {
	for k := range r.forms {
		if v, end, ok = x.form(&r.forms[k], i); ok {
			return v, end, ok
		}
	}
	return value{}, i, false
}

// form reads a form at token i.
func (x *reader) form(f *form, i int) (v value, end int, ok bool) {
	had := len(x.parts)
	if end, ok = x.terms(f.terms, i); ok {
		if v, ok = f.say(x, x.parts[had:]); v.at == 0 {
			v.at = int32(i)
		}
	}
	x.parts = x.parts[:had]
	return v, end, ok
}

// terms reads terms one behind the other from token i on, and collects what they
// say.
func (x *reader) terms(list []term, i int) (end int, ok bool) {
	for k := range list {
		t := &list[k]
		v, to, ok := x.term(t, i-t.behind)
		if ok == t.not && !t.optional {
			return i, false
		}
		if t.ahead {
			continue
		}
		if !t.mute {
			v.missing = !ok
			x.parts = append(x.parts, v)
		}
		if ok {
			i = to
		}
	}
	return i, true
}

// term reads a term at token i.
func (x *reader) term(t *term, i int) (v value, end int, ok bool) {
	if i < 0 || t.glued && !x.glued(i) || t.apart && x.glued(i) {
		return value{}, i, false
	}
	v, end, ok = t.read(x, i)
	v.at = cmp.Or(v.at, int32(i))
	return v, end, ok
}
