package lazy

import (
	"strings"
	"sync/atomic"
)

// Letters are the bytes below 128 of a text, and which stand behind which.
type Letters struct {
	text string
	any  [2]uint64
	next [128][2]uint64 // by the first of a pair
}

// latest are those of the text before: a prompt is held against many expressions.
var latest atomic.Pointer[Letters]

// LettersOf returns those of a text.
func LettersOf(text string) *Letters {
	if l := latest.Load(); l != nil && l.text == text {
		return l
	}
	l, last := &Letters{text: text}, byte(none)
	for i := range len(text) {
		c := text[i]
		if c >= none {
			c = none
		} else {
			l.any[c/64] |= 1 << (c % 64)
			if last != none {
				l.next[last][c/64] |= 1 << (c % 64)
			}
		}
		last = c
	}
	latest.Store(l)
	return l
}

// has reports whether the text has letters behind each other, of which it has each pair.
func (l *Letters) has(run []byte) bool { return len(run) < 3 || strings.Contains(l.text, string(run)) }

// ends reports whether the text has the last of letters, behind the one before it.
func (l *Letters) ends(run []byte) bool {
	n := len(run) - 1
	in, c := &l.any, run[n]
	if n > 0 {
		in = &l.next[run[n-1]]
	}
	return in[c/64]>>(c%64)&1 == 1
}

// May reports whether an expression of package regexp may match in the text: false where letters that it
// cannot do without are not there. part says it of what an expression
// calls by {name}; nil: none does.
func (l *Letters) May(exp string, part func(name string) bool) bool {
	for _, other := range []string{"(?i", `\Q`, `\p`, `\P`, `\x`, `\1`} {
		if strings.Contains(exp, other) {
			return true // of other letters than are written
		}
	}
	r := reading{Letters: l, part: part, text: exp}
	return r.either()
}

// reading goes through an expression.
type reading struct {
	*Letters
	part func(name string) bool
	text string
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
	var of [16]byte
	for run := of[:0]; ; {
		end := !r.more() || r.text[r.at] == '|' || r.text[r.at] == ')'
		may, letter := true, byte(none)
		if !end {
			may, letter = r.piece()
			if r.optional() {
				may, letter = true, none
			}
		}
		switch {
		case letter != none && len(run) < len(of):
			run = append(run, letter)
			may = r.ends(run)
		default:
			may = may && r.has(run)
			run = run[:0]
		}
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
