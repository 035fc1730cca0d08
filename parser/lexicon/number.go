package lexicon

import (
	"cmp"
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed phrases/numbers.txt
var numberTable string

// numberWords are the words of numbers by kind, with what they count. They are
// constant in spirit, as are the maps below.
var (
	numberWords  = readNumberWords(numberTable)
	smallNumbers = numberWords["small"]
	bigNumbers   = numberWords["big"]
	unitWords    = readUnits()
)

func readNumberWords(table string) map[string]map[string]int64 {
	out := map[string]map[string]int64{}
	for kind, words := range Rows(table) {
		if strings.Contains(kind, " ") { // a form
			continue
		}
		if out[kind] == nil {
			out[kind] = map[string]int64{}
		}
		for w := range strings.FieldsSeq(words) {
			word, value, _ := strings.Cut(w, "=")
			out[kind][word], _ = strconv.ParseInt(cmp.Or(value, "1"), 10, 64)
		}
	}
	return out
}

// readUnits returns the words behind numbers with the unit that they name.
func readUnits() map[string]unit {
	out := map[string]unit{}
	for kind := range numberWords {
		for w, v := range valuesOf(kind) {
			if v.unit != "" && v.unit != uFrac {
				out[w] = v.unit
			}
		}
	}
	return out
}

// beyond is what stands beyond the ends of a prompt: no text, behind white space.
var beyond = tok{kind: tSym, space: true}

// token returns token i.
func (x *reader) token(i int) *tok {
	if i < 0 || i >= len(x.tokens) {
		return &beyond
	}
	return &x.tokens[i]
}

// text returns the text of token i.
func (x *reader) text(i int) string { return x.token(i).text }

// word returns the text of token i when it is a word.
func (x *reader) word(i int) string {
	if k := x.token(i); k.kind == tWord {
		return k.text
	}
	return ""
}

// is reports whether token i is one of words.
func (x *reader) is(i int, words ...string) bool { return slices.Contains(words, x.text(i)) }

// isNum reports whether token i is a number in digits.
func (x *reader) isNum(i int) bool { return x.token(i).kind == tNum }

// glued reports whether a token stands at i without white space before it.
func (x *reader) glued(i int) bool { return !x.token(i).space }

// hyphen reports whether token i is a hyphen, or an underscore, with nothing
// around it.
func (x *reader) hyphen(i int) bool { return i > 0 && x.is(i, "-", "_") && x.glued(i) && x.glued(i+1) }

// number reads a number with its unit at token i and returns how many tokens
// it takes, 0 when there is none.
func (x *reader) number(i int) (value, int) {
	if k := &x.tokens[i]; (k.kind == tWord || k.kind == tSym) && !numberStarts[k.text] {
		return value{}, 0
	}
	v, end, _ := x.read(numberForms()["number"], i)
	return v, end - i
}

// numberStarts are the words and signs that a number may begin with.
var numberStarts = func() map[string]bool {
	out := map[string]bool{"a": true, "an": true, "point": true, "plus": true, "minus": true, "usd": true, "+": true, "-": true, "$": true}
	for _, kind := range [...]string{"small", "big", "multiple", "ordinal", "ordinal2", "decade", "fraction"} {
		for w := range numberWords[kind] {
			out[w] = true
		}
	}
	return out
}()

// numberForms are the rules of numbers.
var numberForms = sync.OnceValue(func() map[string]*rule { return forms(numberTable) })

// readers are the terms that read themselves, at a token.
var readers = map[string]func(x *reader, i int) (v value, end int, ok bool){
	"NUM": func(x *reader, i int) (v value, end int, ok bool) {
		k := x.token(i)
		return value{n: k.num, dec: k.dec}, i + 1, k.kind == tNum
	},
	"WORD":   func(x *reader, i int) (v value, end int, ok bool) { return value{}, i + 1, x.word(i) != "" },
	"HYPHEN": func(x *reader, i int) (v value, end int, ok bool) { return value{}, i + 1, x.hyphen(i) },
	// What may stand between a number and its unit.
	"GAP": func(x *reader, i int) (v value, end int, ok bool) {
		if x.hyphen(i) {
			i++
		}
		for x.word(i) != "" && noise[x.tokens[i].text] {
			i++
		}
		return value{}, i, true
	},
	"SIGN":     (*reader).plusMinus,
	"CARDINAL": (*reader).cardinal,
	"POINT":    (*reader).afterPoint,
}

// plusMinus reads the sign of the number behind it.
func (x *reader) plusMinus(i int) (v value, end int, ok bool) {
	switch x.text(i) {
	case "+", "-":
		ok = x.signs(i)
	case "plus", "minus":
		_, small := smallNumbers[x.text(i+1)]
		ok = !x.endsValue(i-1) && (x.isNum(i+1) || small)
	}
	v.sign = 1
	if x.is(i, "-", "minus") {
		v.sign = -1
	}
	return v, i + 1, ok
}

// signs reports whether the plus or minus at i belongs to a number behind it.
func (x *reader) signs(i int) bool {
	begins := x.tokens[i].space || x.word(i-1) != "" && !x.endsValue(i-1) ||
		x.is(i-1, "(", "[", "{", "'", ";", ":", "=", "@", ",", "/", "<", ">", "<=", ">=", "\n", "\"")
	return begins && x.glued(i+1) && (x.isNum(i+1) || x.text(i+1) == "$")
}

// cardinal reads zero, forty-two, two hundred and fifty, ten million.
func (x *reader) cardinal(i int) (v value, end int, ok bool) {
	var total, group, room int64 // room: below what another word may be added
	for end = i; ; {
		at, and := x.nextOfNumber(end, room, end == i)
		w := x.word(at)
		small, isSmall := smallNumbers[w]
		big := bigNumbers[w]
		if end == i && x.isOne(i) {
			group = 1
		}
		switch {
		case isSmall && (end == i || room > small && small > 0):
			group += small
			if room = 0; small >= 20 {
				room = 10
			}
		case isSmall, big == 0, end == i && group == 0, and, w == "dozens", big == 100 && group >= 100:
			return value{n: (total + group) * micro}, end, end > i
		case big == 100:
			group *= 100
			room = 100
		case total > maxWhole, group*big > maxWhole:
			return value{n: -1}, at + 1, true
		default:
			total += group * big
			group = 0
			room = min(big, 1000)
		}
		end = at + 1
	}
}

// counted are words of which a hundred or a thousand is one without its article.
var counted = WordSet("rounds markets trades windows samples dollars bucks")

// isOne reports whether token i is a hundred or a thousand without its article: "hundred rounds".
func (x *reader) isOne(i int) bool {
	return bigNumbers[x.word(i)] >= 100 && counted[x.text(i+1)] && !inexact[x.text(i-1)]
}

// inexact are words before a hundred that is none.
var inexact = WordSet("few couple several some many")

// nextOfNumber returns where the word of a number in words is that goes on at
// token i, and whether "and" stands before it; -1 where another number begins.
func (x *reader) nextOfNumber(i int, room int64, first bool) (at int, and bool) {
	switch {
	case first:
		return i, false
	case x.hyphen(i):
		return i + 1, false
	case room < 100:
		return i, false
	case x.text(i) == "and":
		return i + 1, true
	case x.hyphen(i+1) && unitWords[x.text(i+2)] == uTime:
		return -1, false // three hundred fifteen-minute rounds
	}
	return i, false
}

// afterPoint reads "point" and the digits in words behind it: three five, or
// thirty-five.
func (x *reader) afterPoint(i int) (v value, end int, ok bool) {
	if x.text(i) != "point" {
		return value{}, i, false
	}
	end = i + 1
	for scale := int64(micro / 10); scale > 0; scale /= 10 {
		d, isSmall := smallNumbers[x.text(end)]
		if !isSmall || d >= 10 {
			break
		}
		v.n += d * scale
		end++
	}
	if end == i+1 {
		v, end, ok = x.cardinal(end)
		v.n /= 100
		return v, end, ok && v.n < micro
	}
	return v, end, true
}
