package lexicon

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
)

//go:embed phrases/numbers.txt
var numberTable string

// numberWords are the words of numbers by kind, with what they count. They are
// constant in spirit, as are the maps below.
var (
	numberWords   = readNumberWords(numberTable)
	smallNumbers  = numberWords["small"]
	bigNumbers    = numberWords["big"]
	multiples     = numberWords["multiple"]
	ordinalWords  = numberWords["ordinal"]
	decadeWords   = numberWords["decade"]
	fractionWords = numberWords["fraction"]
	unitWords     = readUnits()
)

// unitWord is a word behind a number.
type unitWord struct {
	unit  unit
	times int64 // what one of it is, in cents, dollars or seconds
}

var unitKinds = map[string]unit{
	"cent": uCent, "dollar": uDollar, "time": uTime, "days": uDays, "times": uTimes, "percent": uPct,
	"share": uShare, "clock": uClock, "point": uPoint, "money": uMoney,
}

func readNumberWords(table string) map[string]map[string]int64 {
	out := map[string]map[string]int64{}
	for line := range strings.Lines(table) {
		kind, words, ok := strings.Cut(line, ":")
		if !ok || line[0] == '#' {
			continue
		}
		if out[kind] == nil {
			out[kind] = map[string]int64{}
		}
		for w := range strings.FieldsSeq(words) {
			word, value, ok := strings.Cut(w, "=")
			n := int64(1)
			if ok {
				n, _ = strconv.ParseInt(value, 10, 64)
			}
			out[kind][word] = n
		}
	}
	return out
}

func readUnits() map[string]unitWord {
	out := map[string]unitWord{}
	for kind, u := range unitKinds {
		for w, n := range numberWords[kind] {
			out[w] = unitWord{u, n}
		}
	}
	return out
}

// text returns the text of token i, "" beyond the end.
func (x *reader) text(i int) string {
	if i < 0 || i >= len(x.toks) {
		return ""
	}
	return x.toks[i].text
}

// word returns the text of token i when it is a word.
func (x *reader) word(i int) string {
	if i < 0 || i >= len(x.toks) || x.toks[i].kind != tWord {
		return ""
	}
	return x.toks[i].text
}

// is reports whether token i is one of words.
func (x *reader) is(i int, words ...string) bool { return slices.Contains(words, x.text(i)) }

// isNum reports whether token i is a number in digits.
func (x *reader) isNum(i int) bool { return i >= 0 && i < len(x.toks) && x.toks[i].kind == tNum }

// unit returns the unit that token i names, the zero value for none.
func (x *reader) unit(i int) unitWord { return unitWords[x.text(i)] }

// halfMore returns 2 where "and a half" stands at i, 4 for "and a quarter", 0
// for neither.
func (x *reader) halfMore(i int) int64 {
	if x.text(i) != "and" || x.text(i+1) != "a" || !x.is(i+2, "half", "quarter") {
		return 0
	}
	return fractionWords[x.text(i+2)]
}

// plainHalf reports whether "and half" stands at i: a half of the unit before it,
// unless it is a half of something else: "sell after 1 minute and half at 60c".
func (x *reader) plainHalf(i int) bool {
	return x.text(i) == "and" && x.text(i+1) == "half" && !x.is(i+2, "a", "an", "of", "at", "the", "my", "minute", "hour", "round", "way")
}

// wordNumber reads a number written in words at token i into v and returns how
// many tokens it takes.
func (x *reader) wordNumber(i int, v *value) int {
	w := x.word(i)
	if tens, ok := decadeWords[w]; ok {
		v.unit, v.n = uDecade, tens*micro
		if w == "teens" || w == "tens" {
			return 0
		}
		return 1
	}
	if n := x.oneOf(i, v); n > 0 {
		return n
	}
	ordinal, ok := ordinalWords[w]
	switch {
	case w == "half" && x.is(i+1, "a", "an") && x.text(i+2) == "dozen":
		v.n = 6 * micro
		return 3
	case w == "half" || w == "quarter":
		v.unit, v.num, v.den = uFrac, 1, int16(fractionWords[w])
		return 1
	case ok:
		v.unit, v.n = uOrd, ordinal*micro
		return 1
	case w == "second" && x.ordinalSecond(i):
		v.unit, v.n = uOrd, 2*micro
		return 1
	case w == "point" && x.decimalWords(i+1):
		return x.afterPoint(i, 0, v)
	}
	return x.cardinal(i, v)
}

// oneOf reads "a" before a unit or a large number: a minute, a dime, a
// hundred, a third.
func (x *reader) oneOf(i int, v *value) int {
	if x.is(i, "hundred", "thousand") && x.is(i-1, "first", "last", "next", "over", "for", "on") { // "first hundred seconds"
		v.n = bigNumbers[x.text(i)] * micro
		return x.tail(i, i+1, bigNumbers[x.text(i)], v)
	}
	if !x.is(i, "a", "an") {
		return 0
	}
	next := x.text(x.skipHyphen(i + 1))
	if times, ok := bigNumbers[next]; ok && next != "dozens" {
		v.n = times * micro
		return x.tail(i, i+2, times, v)
	}
	if den, ok := fractionWords[next]; ok {
		if x.is(i+2, "hour", "minute", "second") {
			return 0 // a half hour: read without the article
		}
		v.unit, v.num, v.den = uFrac, 1, int16(den)
		return 2
	}
	if len(next) < 3 || x.word(i+1) == "" || !x.oneUnit(i+1, next) {
		return 0
	}
	v.n = micro
	return 1
}

// oneUnit reports whether "a" before the unit at i is one of it.
func (x *reader) oneUnit(i int, word string) bool {
	switch unitWords[word].unit {
	case uTime:
		return (word != "min" || x.is(i-2, "in", "within", "inside", "over", "per", "for", "last", "after")) && !(word == "second" && x.ordinalSecond(i)) && x.text(i+1) != "mark"
	case uDollar:
		return word != "usd" && word != "bux"
	case uCent, uDays:
		return true
	}
	return false
}

// ordinalSecond reports whether "second" at i counts: second minute, second
// half.
func (x *reader) ordinalSecond(i int) bool {
	return x.is(i+1, "minute", "half", "third", "quarter", "hour", "round") && !x.isNum(i-1)
}

// counting is a number in words that is being read.
type counting struct {
	total, group int64
	room         int64 // what may still be added: below ten after tens, below a hundred after hundreds
	over         bool  // more than any field holds
}

// take adds a word and reports whether it goes on with the number.
func (c *counting) take(w string, first, and bool) bool {
	if small, ok := smallNumbers[w]; ok && (first || c.room > small && small > 0) {
		c.group += small
		c.room = 0
		if small >= 20 {
			c.room = 10
		}
		return true
	}
	big, ok := bigNumbers[w]
	switch {
	case !ok, first, and, w == "dozens", big == 100 && c.group >= 100:
		return false
	case big == 100:
		c.group *= 100
		c.room = 100
	case c.total > maxWhole, c.group*big > maxWhole:
		c.over = true
	default:
		c.total += c.group * big
		c.group = 0
		c.room = min(big, 1000)
	}
	return true
}

// cardinal reads zero, forty-two, two hundred and fifty, ten million, one and
// a half.
func (x *reader) cardinal(i int, v *value) int {
	if x.text(i) == "one" && !x.oneIsNumber(i) {
		return 0
	}
	var c counting
	n := 0
	for !c.over {
		skip, and := x.within(i, n, c.room)
		if skip < 0 || !c.take(x.word(i+n+skip), n == 0, and) {
			break
		}
		n += skip + 1
	}
	switch {
	case n == 0:
		return 0
	case c.over:
		v.n = -1
		return n
	}
	return n + x.partsBehind(i+n, c.total+c.group, v)
}

// within returns how many tokens stand between the nth word of a number that
// begins at i and the next, and whether they are "and"; -1 where another number
// begins.
func (x *reader) within(i, n int, room int64) (skip int, and bool) {
	j := i + n
	switch {
	case n == 0:
		return 0, false
	case x.hyphen(j):
		return 1, false
	case room < 100:
		return 0, false
	case x.text(j) == "and":
		return 1, true
	case x.hyphen(j+1) && x.unit(j+2).unit == uTime:
		return -1, false // three hundred fifteen-minute rounds
	}
	return 0, false
}

// partsBehind reads the parts behind a whole number in words that ends at i:
// point five, and a half, fifths. It returns how many tokens more it takes.
func (x *reader) partsBehind(i int, whole int64, v *value) int {
	v.n = whole * micro
	if x.text(i) == "point" && x.decimalWords(i+1) {
		return x.afterPoint(i, whole, v)
	}
	if den := x.halfMore(i); den > 0 {
		v.n += micro / den
		v.dec = 2
		return 3
	}
	j := x.skipHyphen(i)
	if den := fractionWords[x.text(j)]; whole > 0 && whole < 12 && whole <= den && x.text(j) != "half" {
		v.unit, v.num, v.den = uFrac, int16(whole), int16(den)
		return j + 1 - i
	}
	return 0
}

// tail reads what may follow "a hundred": and fifty.
func (x *reader) tail(i, j int, times int64, v *value) int {
	if times != 100 && times != 1000 {
		return j - i
	}
	k := j
	if x.text(k) == "and" {
		k++
	} else if x.text(k) != "" && x.word(k) == "" {
		return j - i
	}
	if _, ok := smallNumbers[x.text(k)]; !ok || x.text(k) == "one" {
		if t := bigNumbers[x.text(j)]; times == 100 && t != 0 && t != 100 {
			v.scale(t)
			return j + 1 - i
		}
		return j - i
	}
	var more value
	n := x.cardinal(k, &more)
	if n == 0 || more.unit != uNone || more.n >= times*micro || more.n < 0 {
		return j - i
	}
	v.n += more.n
	return k + n - i
}

// oneIsNumber reports whether "one" at i is a number and not a pronoun.
func (x *reader) oneIsNumber(i int) bool {
	j := x.skipHyphen(i + 1)
	next := x.text(j)
	if x.unit(j).unit != uNone && !(next == "second" && x.ordinalSecond(j)) {
		return x.toks[j].kind != tSym || next == "%" || next == "¢"
	}
	if bigNumbers[next] != 0 || fractionWords[next] != 0 {
		return true
	}
	switch next {
	case "and":
		return x.halfMore(j) > 0
	case "point":
		return x.decimalWords(j + 1)
	case "market", "markets", "round", "sample", "trade", "trades", "window":
		return true
	}
	return x.text(i-1) == "minute"
}

// decimalWords reports whether digits in words stand at i.
func (x *reader) decimalWords(i int) bool {
	_, ok := smallNumbers[x.text(i)]
	return ok
}

// afterPoint reads the digits in words behind "point" at i: three five, or
// thirty-five.
func (x *reader) afterPoint(i int, whole int64, v *value) int {
	n, frac, scale := 1, int64(0), int64(micro)
	for {
		d, ok := smallNumbers[x.text(i+n)]
		if ok && d >= 10 && n == 1 {
			frac = d * micro / 100
			n++
			if u := smallNumbers[x.text(x.skipHyphen(i+n))]; d >= 20 && u > 0 && u < 10 {
				frac += u * micro / 100
				n = x.skipHyphen(i+n) + 1 - i
			}
			break
		}
		if !ok || d >= 10 || scale < 10 {
			break
		}
		scale /= 10
		frac += d * scale
		n++
	}
	v.n, v.dec = whole*micro+frac, 2
	return n
}
