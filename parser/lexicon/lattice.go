package lexicon

import (
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Lexeme is one meaning of a run of words.
type Lexeme struct {
	From, To int32 // in tokens, [From, To)
	Entry    int32 // index into [Entries]
	Value    Value // of a number
	Mended   bool  // read at edit distance one
}

// Filler is a run of words that may be passed over.
type Filler struct {
	From, To int32
	// Rank orders ways of passing over words: 0 for a plain filler, more for
	// one that has words with a meaning in it or is part of a longer phrase.
	Rank int32
}

// Span is a run of Unicode code points of the prompt, [Start, End).
type Span struct{ Start, End int32 }

// Lattice is a prompt with everything that its words may mean.
type Lattice struct {
	Lexemes []Lexeme // in order of From
	Fillers []Filler // in order of From

	norm   *text
	tokens []tok
}

// Tokens returns the number of tokens.
func (l *Lattice) Tokens() int { return len(l.tokens) }

// Span returns where the tokens [from, to) stand; from < to.
func (l *Lattice) Span(from, to int32) Span {
	return Span{l.tokens[from].start, l.tokens[to-1].end}
}

// Text returns the prompt's words of the tokens [from, to).
func (l *Lattice) Text(from, to int32) string {
	if from >= to {
		return ""
	}
	s := l.Span(from, to)
	return l.norm.slice(s.Start, s.End)
}

// Typo returns how token i was written and what it was read as, if it was read
// at edit distance one.
func (l *Lattice) Typo(i int32) (written, read string, ok bool) {
	k := &l.tokens[i]
	return k.typo, k.text, k.typo != ""
}

// Word returns token i as it is read, in lower case.
func (l *Lattice) Word(i int32) string { return l.tokens[i].text }

// IsWord reports whether token i is a word of Latin letters.
func (l *Lattice) IsWord(i int32) bool {
	k := &l.tokens[i]
	return k.kind == tWord && !strings.ContainsFunc(k.text, func(r rune) bool { return r >= utf8.RuneSelf })
}

// Within goes through the lexemes in the tokens [from, to), with what they say.
func (l *Lattice) Within(from, to int32) iter.Seq2[*Lexeme, *Entry] {
	entries := Entries()
	return func(yield func(*Lexeme, *Entry) bool) {
		i, _ := slices.BinarySearchFunc(l.Lexemes, from, func(x Lexeme, at int32) int { return int(x.From - at) })
		for ; i < len(l.Lexemes) && l.Lexemes[i].From < to; i++ {
			if x := &l.Lexemes[i]; x.To <= to && !yield(x, entries[x.Entry]) {
				return
			}
		}
	}
}

// Has reports whether f is true of a meaning in the tokens [from, to).
func (l *Lattice) Has(from, to int32, f func(e *Entry) bool) bool {
	for _, e := range l.Within(from, to) {
		if f(e) {
			return true
		}
	}
	return false
}

// HasClass reports whether a lexeme of one of the classes lies in [from, to).
func (l *Lattice) HasClass(from, to int32, classes ...string) bool {
	return l.Has(from, to, func(e *Entry) bool { return slices.Contains(classes, e.Class) })
}

// WordsEnd is where the last lexeme in [from, to) ends, without the fillers behind.
func (l *Lattice) WordsEnd(from, to int32) int32 {
	end := from + 1
	for x := range l.Within(from, to) {
		end = max(end, x.To)
	}
	return end
}

// Beyond says of each token whether the longest of its lexemes is of none of some classes.
func (l *Lattice) Beyond(classes map[string]bool) []bool {
	out, longest := make([]bool, len(l.tokens)), make([]int32, len(l.tokens))
	for x, e := range l.Within(0, int32(len(l.tokens))) {
		for i := x.From; i < x.To; i++ {
			if k := x.To - x.From; k >= longest[i] {
				out[i], longest[i] = !classes[e.Class] || out[i] && k == longest[i], k
			}
		}
	}
	return out
}

// Some reports whether a token in [from, to) is so.
func (l *Lattice) Some(from, to int32, is func(i int32) bool) bool {
	for i := from; i < to; i++ {
		if is(i) {
			return true
		}
	}
	return false
}

// Widen widens a span of tokens to where stop holds on both sides.
func (l *Lattice) Widen(from, to int32, stop func(i int32) bool) (lo, hi int32) {
	for from > 0 && !stop(from-1) {
		from--
	}
	for int(to) < len(l.tokens) && !stop(to) {
		to++
	}
	return from, to
}

// WordSet is a set of words; _ stands for a space.
func WordSet(words string) map[string]bool {
	out := make(map[string]bool, strings.Count(words, " ")+1)
	for w := range strings.FieldsSeq(words) {
		out[strings.ReplaceAll(w, "_", " ")] = true
	}
	return out
}

// Rows goes through the lines "name: words" of a table; comments begin with a #.
func Rows(table string) iter.Seq2[string, string] {
	return func(yield func(name, words string) bool) {
		for line := range strings.Lines(table) {
			name, words, ok := strings.Cut(strings.TrimSpace(line), ": ")
			if ok && name[0] != '#' && !yield(name, words) {
				return
			}
		}
	}
}

// reader builds a lattice.
type reader struct {
	Lattice
	lex   *table
	upper bool
	marks int64   // of a numbered list, so far
	parts []value // of the number that is being read
}

// Read returns the lattice of a prompt.
func Read(prompt string) *Lattice {
	x := &reader{lex: theTable(), upper: mostlyUpper(prompt)}
	x.norm = normalise(prompt)
	x.tokens = scan(x.norm)
	x.mendAll()
	for i := range x.tokens {
		x.at(i)
	}
	x.rank()
	return &x.Lattice
}

// mendAll cuts words in camel case and replaces misspelt ones by those of the vocabulary.
func (x *reader) mendAll() {
	for i := 0; i < len(x.tokens); i++ {
		k := &x.tokens[i]
		if k.kind != tWord || x.lex.words[k.text] != 0 || x.cutCamel(i) {
			continue
		}
		if g := k.text + "g"; len(g) > shortestMended && strings.HasSuffix(g, "ing") && x.lex.words[g] != 0 { // sittin
			k.typo, k.text = k.text, g
			continue
		}
		if m, ok := x.lex.mend(k.text, func(c string) bool { return x.fits(i, c) }); ok && (x.lex.inLanguage(m) || !x.isName(i)) {
			k.typo, k.text = k.text, m
		}
	}
}

// humps are the parts of a word in camel case.
var humps = regexp.MustCompile(`[a-z]+|[A-Z]+[a-z]*`)

// cutCamel cuts a word written like takeProfit where its parts are vocabulary.
func (x *reader) cutCamel(i int) bool {
	k := x.tokens[i]
	src := x.norm.slice(k.start, k.end)
	parts := humps.FindAllString(src, -1)
	if len(parts) < 2 || strings.Join(parts, "") != src {
		return false
	}
	var toks []tok
	for _, p := range parts {
		k.text, k.end = strings.ToLower(p), k.start+int32(len(p))
		if x.lex.words[k.text] == 0 {
			return false
		}
		toks = append(toks, k)
		k.start, k.space = k.end, false
	}
	x.tokens = slices.Replace(x.tokens, i, i+1, toks...)
	return true
}

// put adds a meaning of the tokens [i, j).
func (x *reader) put(i, j int, entry int32, v Value) {
	if x.lex.entries[entry].Class == classFill {
		x.fill(i, j)
		return
	}
	l := Lexeme{From: int32(i), To: int32(j), Entry: entry, Value: v}
	for k := i; k < j; k++ {
		l.Mended = l.Mended || x.tokens[k].typo != ""
	}
	x.Lexemes = append(x.Lexemes, l)
}

func (x *reader) class(i, j int, class string) { x.put(i, j, x.lex.byClass[class], Value{}) }

func (x *reader) fill(i, j int) {
	x.Fillers = append(x.Fillers, Filler{int32(i), int32(j), 0})
}

// at adds every meaning of what begins at token i.
func (x *reader) at(i int) {
	if x.special(i) {
		return
	}
	k, had := &x.tokens[i], len(x.Lexemes)+len(x.Fillers)
	x.phrases(i)
	if v, n := x.number(i); n > 0 {
		value, classes := v.classes()
		for c := range strings.FieldsSeq(classes) {
			x.put(i, i+n, x.lex.byClass[c], value)
		}
	}
	x.name(i)
	if c, ok := loneUnits[k.text]; ok && !x.isNum(i-1) && (len(k.text) > 1 || x.isUnitOfKey(i)) {
		x.class(i, i+1, c)
	}
	if c, ok := bareSigns[k.text]; ok {
		x.class(i, i+1, c)
	}
	x.sign(i)
	switch {
	case len(x.Lexemes)+len(x.Fillers) > had, k.kind == tNum:
	case k.kind == tOther && x.isPicture(i):
		x.fill(i, i+1)
	default:
		x.class(i, i+1, classUnknown)
	}
}

// listMark reports whether token i begins a line with the next number of a list, or a
// clause: "rules: 1) BTC 1h 2) Up".
func (x *reader) listMark(i int) bool {
	k := &x.tokens[i]
	if k.kind != tNum || k.dec != 0 || k.num != (x.marks+1)*micro || !x.is(i+1, ".", ")") || !x.glued(i+1) || i+2 >= len(x.tokens) || x.glued(i+2) {
		return false
	}
	opened := slices.ContainsFunc(x.tokens[:i], func(t tok) bool { return t.text == "(" })
	return i == 0 || x.text(i-1) == "\n" || x.is(i+1, ")") && k.space && !opened && (x.marks > 0 || x.is(i-1, ":", ".", ";", ","))
}

// special adds what means one thing only, whatever its parts mean: hyphens, marks of
// lists, T- before a number and negations of programs.
func (x *reader) special(i int) bool {
	switch {
	case x.hyphen(i) && !x.rangeHyphen(i) && !x.minusHyphen(i):
		x.fill(i, i+1)
	case x.isBullet(i), x.greets(i):
		x.fill(i, i+1)
	case x.listMark(i):
		x.marks++
		x.fill(i, i+2)
	case x.text(i) == "t" && x.is(i+1, "-", "minus") && x.isNum(i+2):
		x.class(i, i+2, "T-")
	case x.address(i):
	case x.text(i) == "!" && (x.gluedWord(i+1) || x.glued(i+1) && x.is(i+1, "(", "=")):
		x.class(i, i+1, classUnknown)
	default:
		return false
	}
	return true
}

// greets reports whether a prompt begins with a greeting at i that names an hour elsewhere.
func (x *reader) greets(i int) bool {
	return i == 0 && x.is(0, "morning", "afternoon", "evening") && x.is(1, "!", ",")
}

// isBullet reports whether token i is a sign before the words of a line, and no sum or
// comparator.
func (x *reader) isBullet(i int) bool {
	return x.is(i, "+", ">") && (i == 0 || x.text(i-1) == "\n") && i+1 < len(x.tokens) && !x.glued(i+1) && x.tokens[i+1].kind == tWord
}

// address passes over whom a line is for, @name, !bot or /backtest@bot, and over the
// path before a field, exit.take_profit; it reports whether nothing else begins there.
func (x *reader) address(i int) bool {
	if i > 0 && !x.is(i-1, "\n", ",", ";", "{", "|") {
		return false
	}
	switch to := x.text(i+2) == "@" && x.gluedWord(i+3); {
	case x.is(i, "market", "exit"):
		if x.text(i+1) == "." && x.gluedWord(i+2) {
			x.fill(i, i+2)
		}
		return false
	case !x.is(i, "!", "/", "@"), !x.gluedWord(i + 1), !to && x.lex.inLanguage(x.text(i+1)): // !up denies
		return false
	case to:
		x.fill(i, i+4)
	default:
		x.fill(i, i+2)
	}
	return true
}

// isName reports whether the word at i is written as a name: with a capital
// letter, and not because a sentence begins.
func (x *reader) isName(i int) bool {
	k := &x.tokens[i]
	first := x.norm.slice(k.start, k.start+1)
	return !x.upper && first != strings.ToLower(first) && i > 0 && x.tokens[i-1].kind == tWord
}

// loneUnits are short units that are words by themselves where no number is
// before them.
var loneUnits = map[string]string{"min": "'minute'", "sec": "'second'", "hr": "'hour'", "s": "'second'", "m": "'minute'", "secs": "'second'"}

// isUnitOfKey reports whether the word at i is the unit that a key ends with:
// max_hold_s, window (s).
func (x *reader) isUnitOfKey(i int) bool {
	return x.is(i-1, "]", ")") || x.is(i-1, "(", "[") && x.is(i+1, ")", "]") || x.is(i-1, "_") && x.hyphen(i-1)
}

// phrases adds every phrase that begins at token i.
func (x *reader) phrases(i int) {
	s := x.lex.stem(x.tokens[i].text)
	if s == nil {
		return
	}
	x.putAll(i, i+1, s.ends)
	for j := i + 1; j < len(x.tokens); j++ {
		if x.hyphen(j) {
			continue
		}
		if behind := x.lex.step(s, x.tokens[j].text); behind != nil {
			s = behind
			x.putAll(i, j+1, s.ends)
		} else if !noise[x.tokens[j].text] {
			return
		}
	}
}

// putAll adds meanings of the tokens [i, j).
func (x *reader) putAll(i, j int, entries []int32) {
	for _, e := range entries {
		x.put(i, j, e, Value{})
	}
}

// bareSigns are what signs are for that no phrase can be written with.
var bareSigns = map[string]string{"|": "SOFT", "{": "SOFT", "}": "SOFT", "_": classFill, "||": "||", "..": ".."}

// sign adds what token i is for as a sign beside its neighbours.
func (x *reader) sign(i int) {
	k := &x.tokens[i]
	switch k.text {
	case "-":
		x.dash(i)
	case "\n":
		if i+1 < len(x.tokens) && x.tokens[i+1].start > k.end { // the next line is indented
			x.class(i, i+1, "NLI")
		}
		x.class(i, i+1, "NL")
		x.class(i, i+1, "STOP")
	case "+", "plus":
		if x.isPost(i) {
			x.class(i, i+1, "POSTPLUS")
		}
	case "$":
		if x.gluedWord(i + 1) {
			x.fill(i, i+1)
		}
	case ".":
		if x.glued(i) && x.gluedWord(i+1) {
			x.class(i, i+1, "DOT")
		}
	}
}

// isPost reports whether a plus at i stands behind a bound: "80c+", "80c plus, last 5 minutes".
func (x *reader) isPost(i int) bool {
	if !x.endsValue(i - 1) {
		return false
	}
	if x.tokens[i].text == "+" {
		return !x.tokens[i].space && (!x.glued(i+1) || x.tokens[i+1].kind == tSym)
	}
	return i+1 >= len(x.tokens) || strings.Contains(",.;:\n)!", x.text(i+1))
}

// gluedWord reports whether a word stands at i without white space before it.
func (x *reader) gluedWord(i int) bool { return x.glued(i) && x.word(i) != "" }

// dash adds what a hyphen is for: a break, a minus, or both.
func (x *reader) dash(i int) {
	minus := x.hyphen(i)
	if minus || x.endsValue(i-1) && (x.isNum(i+1) || x.text(i+1) == "$") {
		x.class(i, i+1, "MINUS")
	}
	if !minus {
		x.class(i, i+1, "SOFT")
	}
}

// isPicture reports whether token i is a picture without a meaning, which may be passed
// over.
func (x *reader) isPicture(i int) bool {
	r, _ := utf8.DecodeRuneInString(x.tokens[i].text)
	return unicode.In(r, unicode.So, unicode.Sk, unicode.Po)
}

// IsSpoken reports whether token i is a word or a number, not punctuation.
func (l *Lattice) IsSpoken(i int32) bool {
	return l.tokens[i].kind != tSym
}
