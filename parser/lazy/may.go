package lazy

import "strings"

// May reports whether an expression of package regexp may match in a text: false where letters that it
// cannot do without are not there. part says it of what an expression
// calls by {name}; nil: none does.
func May(text, exp string, part func(name string) bool) bool {
	for _, other := range []string{"(?i", `\Q`, `\p`, `\P`, `\x`, `\1`} {
		if strings.Contains(exp, other) {
			return true // of other letters than are written
		}
	}
	r := reading{in: text, part: part, text: exp}
	return r.either()
}

// reading goes through an expression.
type reading struct {
	in   string
	part func(name string) bool
	text string // of the expression
	at   int
}

const none = 0x80 // no letter

func (r *reading) more() bool { return r.at < len(r.text) }

// to goes to one of some signs.
func (r *reading) to(signs string) {
	for r.more() && strings.IndexByte(signs, r.text[r.at]) < 0 {
		r.at++
	}
}

// either reads alternatives, to the parenthesis behind them.
func (r *reading) either() bool {
	may := r.sequence()
	for r.more() && r.text[r.at] == '|' {
		r.at++
		if may {
			r.skip(false)
			continue
		}
		may = r.sequence()
	}
	return may
}

// sequence reads what stands behind each other: letters must stand in the text as they do here.
func (r *reading) sequence() bool {
	var run []byte
	for {
		end := !r.more() || r.text[r.at] == '|' || r.text[r.at] == ')'
		may, letter := true, byte(none)
		if !end {
			may, letter = r.piece()
			at := r.at
			if r.optional() {
				may, letter = true, none
			}
			if letter != none {
				if run = append(run, letter); r.at == at { // it stands once
					continue
				}
			}
		}
		may = may && strings.Contains(r.in, string(run))
		run = run[:0]
		if end {
			return may
		}
		if !may {
			r.skip(true)
			return false
		}
	}
}

// piece reads what a count may stand behind: whether it may match, and the letter that it is.
func (r *reading) piece() (may bool, letter byte) {
	c := r.text[r.at]
	r.at++
	switch {
	case c == '(':
		r.flags()
		may = r.either()
		r.at++
		return may, none
	case c == '[':
		r.class()
	case c == '{' && r.part != nil:
		name, _, _ := strings.Cut(r.text[r.at:], "}")
		r.at += len(name) + 1
		return r.part(strings.TrimRight(name, "0123456789")), none
	case c == '\\' && r.more():
		r.at++
		if c = r.text[r.at-1]; c == '_' || c < 0x80 && !isWord(c) {
			return true, c
		}
	case c < 0x80 && !strings.ContainsRune(".^${", rune(c)):
		return true, c
	}
	return true, none
}

// flags reads what a group has before what it matches.
func (r *reading) flags() {
	if !strings.HasPrefix(r.text[r.at:], "?") {
		return
	}
	if r.to(":>)"); r.more() && r.text[r.at] != ')' {
		r.at++
	}
}

func isWord(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// optional reads how often something stands: whether it may stand not at all.
func (r *reading) optional() (is bool) {
	for r.more() {
		switch c := r.text[r.at]; {
		case c == '?' || c == '*':
			is = true
		case c == '{' && r.at+1 < len(r.text) && r.text[r.at+1] >= '0' && r.text[r.at+1] <= '9':
			is = is || r.text[r.at+1] == '0'
			r.to("}")
		case c != '+':
			return is
		}
		r.at++
	}
	return is
}

// class reads the rest of a set in brackets.
func (r *reading) class() {
	for first := r.at; r.more(); r.at++ {
		switch c := r.text[r.at]; {
		case c == '\\':
			r.at++
		case c == '[' && strings.HasPrefix(r.text[r.at:], "[:"):
			r.to("]")
		case c == ']' && r.at > first && !(r.at == first+1 && r.text[first] == '^'):
			r.at++
			return
		}
	}
}

// skip goes to the end of a sequence, or of all alternatives.
func (r *reading) skip(sequence bool) {
	for depth := 0; r.more(); r.at++ {
		switch r.text[r.at] {
		case '\\':
			r.at++
		case '[':
			r.at++
			r.class()
			r.at--
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return
			}
		case '|':
			if sequence && depth == 0 {
				return
			}
		}
	}
}
