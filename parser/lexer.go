package parser

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lexer turns tokens into lexemes.
type lexer struct {
	t     *text
	lex   *lexicon
	toks  []tok
	typos map[int]string // what was typed, by token, where a word was mended
	upper bool           // the whole prompt is in capitals
	out   []lexeme
}

// lexemes reads the whole text.
func lexemes(t *text) *lexer {
	x := &lexer{t: t, lex: theLexicon(), toks: splitSuffixes(scan(t))}
	hums := x.takeHums()
	x.upper = mostlyUpper(t.src)
	for i := range x.toks {
		k := &x.toks[i]
		if k.kind != tWord || x.lex.words[k.text] != 0 {
			continue
		}
		if m, ok := x.lex.mend(k.text, func(c string) bool { return x.fits(i, c) }); ok {
			if x.typos == nil {
				x.typos = make(map[int]string)
			}
			x.typos[i] = k.text
			k.text = m
		}
	}
	x.out = make([]lexeme, 0, len(x.toks)+1)
	for i := 0; i < len(x.toks); {
		i += x.next(i)
	}
	if len(hums) > 0 {
		x.out = append(x.out, hums...)
		slices.SortStableFunc(x.out, func(a, b lexeme) int { return int(a.start) - int(b.start) })
	}
	return x
}

// takeHums takes out what is hummed between words, with a comma behind it, so
// that phrases and numbers close up, and returns it as fillers.
func (x *lexer) takeHums() []lexeme {
	var hums []lexeme
	kept := x.toks[:0]
	for i := 0; i < len(x.toks); i++ {
		k := x.toks[i]
		if k.kind != tWord || !isHum(k.text) {
			kept = append(kept, k)
			continue
		}
		hums = append(hums, lexeme{kind: kFill, w: k.text, extent: extent{k.start, k.end}})
		divided := len(kept) == 0 || kept[len(kept)-1].kind == tSym || kept[len(kept)-1].text == "so" || kept[len(kept)-1].text == "and"
		if i+1 < len(x.toks) && x.toks[i+1].text == "," && !x.toks[i+1].space && divided {
			i++
		}
	}
	x.toks = kept
	return hums
}

func isHum(w string) bool {
	switch w {
	case "um", "umm", "ummm", "uh", "uhh", "uhm", "er", "erm", "hmm", "hm", "mmm", "ah", "ahh", "ehm", "uhhh", "hmmm":
		return true
	}
	return false
}

// fits reports whether the word c goes better than others at token i: a unit
// behind a number, or the beginning of a phrase that goes on.
func (x *lexer) fits(i int, c string) bool {
	if i > 0 {
		_, small := smallNumbers[x.toks[i-1].text]
		if _, unit := unitWords[c]; unit && (small || x.toks[i-1].kind == tNum) {
			return true
		}
	}
	node, ok := x.lex.step(0, c)
	if !ok || i+1 >= len(x.toks) {
		return false
	}
	_, ok = x.lex.step(node, x.toks[i+1].text)
	return ok
}

// mostlyUpper reports whether a prompt is typed in capitals, so that capitals
// say nothing about a word.
func mostlyUpper(s string) bool {
	upper, lower := 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case 'A' <= c && c <= 'Z':
			upper++
		case 'a' <= c && c <= 'z':
			lower++
		}
	}
	return upper > 2*lower && upper > 6
}

// splitSuffixes cuts 's, 're, 'm and the like off words.
func splitSuffixes(toks []tok) []tok {
	need := 0
	for i := range toks {
		if suffixOf(&toks[i]) > 0 {
			need++
		}
	}
	if need == 0 {
		return toks
	}
	out := make([]tok, 0, len(toks)+need)
	for _, k := range toks {
		n := suffixOf(&k)
		if n == 0 {
			out = append(out, k)
			continue
		}
		tail := k
		cut := len(k.text) - n
		k.text, tail.text = k.text[:cut], k.text[cut:]
		k.end -= int32(n)
		tail.start, tail.space = k.end, false
		out = append(out, k, tail)
	}
	return out
}

// suffixOf returns the length of the suffix that is cut off a word, 0: none.
func suffixOf(k *tok) int {
	if k.kind != tWord {
		return 0
	}
	for _, s := range [...]string{"'s", "'re", "'ll", "'d", "'ve", "'m"} {
		if len(k.text) > len(s) && strings.HasSuffix(k.text, s) {
			return len(s)
		}
	}
	return 0
}

// word returns the text of token i when it is a word.
func (x *lexer) word(i int) string {
	if i < 0 || i >= len(x.toks) || x.toks[i].kind != tWord {
		return ""
	}
	return x.toks[i].text
}

// next reads one lexeme at token i and returns how many tokens it took.
func (x *lexer) next(i int) int {
	if x.hyphen(i) && !x.rangeHyphen(i) && !x.minusHyphen(i) {
		return 1
	}
	if n := x.clockOffset(i); n > 0 {
		return n
	}
	if n := x.plusTime(i); n > 0 {
		return n
	}
	if n := x.lastMin(i); n > 0 {
		return n
	}
	if n := x.listMark(i); n > 0 {
		return n
	}
	if x.timesSample(i) {
		return x.emit(i, 1, entry{kind: kSample, w: "sample"})
	}
	n, e := x.phrase(i)
	if v, m := x.number(i); m > n || m == n && m > 0 && e.kind != kTok {
		if m == n && (e.kind == kVague || e.kind == kRefuse) && v.unit == uFrac {
			return x.emit(i, n, e)
		}
		return x.emit(i, m, entry{kind: kVal, v: v})
	}
	if n > 0 {
		if n == 1 && e.kind != kCoin && x.isTicker(i) {
			e = entry{kind: kCoin, w: strings.ToUpper(x.toks[i].text)}
		}
		return x.emit(i, n, e)
	}
	k := &x.toks[i]
	switch k.kind {
	case tSym:
		return x.symbol(i)
	case tOther:
		return x.emoji(i)
	}
	if x.isTicker(i) {
		return x.emit(i, 1, entry{kind: kCoin, w: strings.ToUpper(k.text)})
	}
	return x.emit(i, 1, entry{kind: kUnknown, w: k.text})
}

// rangeHyphen reports whether the hyphen at i stands between two numbers.
func (x *lexer) rangeHyphen(i int) bool {
	next := x.toks[i+1]
	if next.kind != tNum && next.text != "$" || x.toks[i].text == "_" {
		return false
	}
	prev := x.toks[i-1]
	if prev.kind == tNum || prev.text == "¢" || prev.text == "$" {
		return true
	}
	_, unit := unitWords[prev.text]
	return unit && i >= 2 && x.toks[i-2].kind == tNum
}

// clockOffset reads T-45s and T+2m: the mark before or after which the clock
// counts.
func (x *lexer) clockOffset(i int) int {
	if x.text(i) != "t" || i+2 >= len(x.toks) {
		return 0
	}
	sign := x.text(i + 1)
	if sign == "minus" {
		sign = "-"
	}
	if sign == "plus" {
		sign = "+"
	}
	if sign != "-" && sign != "+" || x.toks[i+2].kind != tNum {
		return 0
	}
	return x.emit(i, 2, entry{kind: kWord, w: "t" + sign})
}

// lastMin reads "min" as a minute behind first, last and the like.
func (x *lexer) lastMin(i int) int {
	if s := x.text(i); s != "min" && s != "sec" && s != "hr" {
		return 0
	}
	switch x.text(i - 1) {
	case "first", "last", "final", "opening", "closing", "past", "a", "each", "half":
	default:
		return 0
	}
	w := map[string]string{"min": "minute", "sec": "second", "hr": "hour"}[x.text(i)]
	return x.emit(i, 1, entry{kind: kWord, w: w})
}

// plusTime reads "5+ minutes": a duration, or more.
func (x *lexer) plusTime(i int) int {
	if i+2 >= len(x.toks) || x.toks[i].kind != tNum || x.text(i+1) != "+" || x.toks[i+1].space || x.toks[i].num < 0 {
		return 0
	}
	u, ok := unitWords[x.text(i+2)]
	if !ok || u.unit != uTime || len(x.text(i+2)) < 3 {
		return 0
	}
	v := value{n: x.toks[i].num, dec: x.toks[i].dec, unit: uTime}
	v.scale(u.times)
	x.emit(i, 3, entry{kind: kVal, v: v})
	x.emit(i+2, 1, entry{kind: kPost, sub: cmpGTE, w: "or more"})
	x.out[len(x.out)-1].start = x.out[len(x.out)-1].end
	return 3
}

// timesSample reports whether the x at i, behind an amount of money, counts
// the markets to replay: $50 x200.
func (x *lexer) timesSample(i int) bool {
	if x.text(i) != "x" || i+1 >= len(x.toks) || x.toks[i+1].kind != tNum || x.toks[i+1].space || x.toks[i+1].dec != 0 || x.toks[i+1].num < 10*micro || len(x.out) == 0 {
		return false
	}
	if last := &x.out[len(x.out)-1]; last.kind != kVal || last.v.unit != uDollar || last.v.n < micro {
		return false
	}
	switch x.text(i + 2) {
	case "", ",", ".", ";", "\n", "rounds", "markets", "trades":
		return true
	}
	return false
}

// phrase finds the longest phrase of the vocabulary at token i.
func (x *lexer) phrase(i int) (int, entry) {
	node, best := int32(0), 0
	var found entry
	for j := i; j < len(x.toks); j++ {
		if j > i && x.hyphen(j) {
			if child, ok := x.lex.step(node, "-"); ok {
				node = child
			}
			continue
		}
		child, ok := x.lex.step(node, x.toks[j].text)
		if !ok && j > i && isNoise(x.toks[j].text) {
			continue // "at um most"
		}
		if !ok {
			break
		}
		node = child
		if e := x.lex.ends[node]; e.kind != kUnknown && (e.kind != kPost || x.endsComparison(i, j)) &&
			(e.kind != kCmp || x.toks[i].text != "up" || x.startsValue(j+1)) &&
			(e.kind != kBuy || j == i || x.toks[j].text != "up" || x.buysMore(j+1)) &&
			(e.kind != kTP || !isHope(x.toks[i].text) || x.bought() && x.startsValue(j+1)) &&
			(e.kind != kFill || x.toks[j].text != "between" || !x.startsValue(j+1)) &&
			(e.kind != kFill || x.toks[i].text != "per" || x.pricedBefore()) &&
			(e.kind != kEntryRef || x.toks[i].text != "i" && x.toks[i].text != "we" || x.afterEntryWord(i)) &&
			(e.kind != kRefuse || x.toks[j].text != "more" || x.text(j+1) != "than") {
			if e.kind == kGone && x.toks[j].text == "gone" && x.goesOn(j+1) {
				e = entry{kind: kMove, sub: moveGo, w: "go"} // has gone up
			}
			best, found = j-i+1, e
		}
	}
	return best, found
}

// isHope reports whether a word that sets nothing by itself may begin a phrase
// for a target: aiming for 58c.
func isHope(w string) bool {
	switch w {
	case "aim", "aims", "aiming", "my", "the", "shoot", "shooting", "looking", "hope", "hoping", "want", "happy", "eyeing", "gunning", "holding", "hold":
		return true
	}
	return false
}

// bought reports whether a token or a verb of buying has been read.
func (x *lexer) bought() bool {
	for i := range x.out {
		if k := x.out[i].kind; k == kTok || k == kBuy || k == kFav || k == kEither {
			return true
		}
	}
	return false
}

// minusHyphen reports whether the hyphen at i is the sign of the number behind
// it: +10c/-5c, entry-5c.
func (x *lexer) minusHyphen(i int) bool {
	switch x.text(i - 1) {
	case "/":
		return true
	case "entry", "cost", "fill", "paid":
		return i+1 < len(x.toks) && x.toks[i+1].kind == tNum
	}
	return false
}

// pricedBefore reports whether the price of a token has been read just before:
// "40c per share".
func (x *lexer) pricedBefore() bool {
	if len(x.out) == 0 {
		return false
	}
	last := &x.out[len(x.out)-1]
	if last.kind == kProfit || last.kind == kLoss {
		return true
	}
	return last.kind == kVal && (last.v.unit == uCent || (last.v.unit == uDollar || last.v.unit == uNone) && last.v.n < micro)
}

// listMark reads what numbers the parts of a list, (a), (2), and returns how
// many tokens it takes.
func (x *lexer) listMark(i int) int {
	if x.text(i) != "(" || x.text(i+2) != ")" {
		return 0
	}
	switch x.text(i + 1) {
	case "a", "b", "c", "d", "e", "i", "ii", "iii", "iv", "1", "2", "3", "4", "5":
		return x.emit(i, 3, entry{kind: kFill, w: "list mark"})
	}
	return 0
}

// goesOn reports whether the word at i says where something has gone.
func (x *lexer) goesOn(i int) bool {
	switch x.text(i) {
	case "up", "down", "above", "below", "over", "under", "past", "to", "back", "higher", "lower":
		return true
	}
	return false
}

// afterEntryWord reports whether "I bought" at i is counted from: after I
// bought, above where I bought.
func (x *lexer) afterEntryWord(i int) bool {
	switch x.text(i - 1) {
	case "after", "since", "from", "of", "above", "below", "than", "over", "under":
		return true
	}
	return false
}

// buysMore reports whether what is bought stands at i, so that the "up" before
// it belongs to the verb: "scoop up Down", not "scoop Up under 22c".
func (x *lexer) buysMore(i int) bool {
	for i < len(x.toks) && isNoise(x.toks[i].text) {
		i++
	}
	switch x.text(i) {
	case "up", "down", "yes", "no", "the", "it", "them", "either", "some", "any", "whichever", "shares", "tokens", "$", "a", "an", "ups", "downs", "on":
		return true
	}
	return i < len(x.toks) && x.toks[i].kind == tNum
}

// isNoise reports whether a word may stand anywhere, even within a phrase.
func isNoise(w string) bool {
	switch w {
	case "um", "umm", "uh", "uhh", "uhm", "er", "erm", "hmm", "hm", "ah", "oh", "eh", "please", "pls", "like", "just", "really", "basically", "literally", "simply", "actually":
		return true
	}
	return false
}

// endsComparison reports whether the words from i to j ("or more", "and up")
// stand behind a value and not before another: "35c or less", not "below 30c or
// above 70c".
func (x *lexer) endsComparison(i, j int) bool {
	last := x.toks[j].text
	prev := kEOF
	for k := len(x.out) - 1; k >= 0 && (prev == kEOF || prev == kFill); k-- {
		prev = x.out[k].kind
	}
	switch prev {
	case kVal, kPer:
	case kLeft, kGone, kQty, kEnd, kOpen, kSide, kRound:
		if last == "up" || last == "down" {
			return false
		}
	default:
		return false
	}
	if j+1 >= len(x.toks) {
		return true
	}
	next := x.toks[j+1]
	if last == "up" || last == "down" || (x.toks[i].text == "and" || x.toks[i].text == "or") && (last == "down" || last == "up") {
		return next.kind == tSym && next.text != "$" && next.text != "(" && next.text != "<" && next.text != ">" && next.text != "<=" && next.text != ">=" && next.text != "@"
	}
	if next.kind == tNum || next.kind == tFrac || next.text == "$" || next.text == "than" {
		return false
	}
	if next.kind == tWord {
		var v value
		return x.wordNumber(j+1, &v) == 0
	}
	return true
}

// startsValue reports whether a number stands at token i: "up to $50", not "Up
// to drop".
func (x *lexer) startsValue(i int) bool {
	for i < len(x.toks) && isNoise(x.toks[i].text) {
		i++
	}
	if i >= len(x.toks) {
		return false
	}
	if k := x.toks[i]; k.kind == tNum || k.kind == tFrac || k.text == "$" || k.text == "minute" {
		return true
	}
	var v value
	return x.toks[i].kind == tWord && x.wordNumber(i, &v) > 0
}

// isTicker reports whether the word at i, which has another meaning, names a
// coin: in capitals in a prompt that is not, or before a length of market.
func (x *lexer) isTicker(i int) bool {
	k := &x.toks[i]
	if k.kind != tWord || !x.lex.tickers[k.text] {
		return false
	}
	if _, mended := x.typos[i]; mended {
		return false
	}
	if src := x.t.slice(k.start, k.end); !x.upper && src == strings.ToUpper(src) {
		return true
	}
	if i+2 < len(x.toks) && x.toks[i+1].kind == tNum && !x.toks[i+2].space {
		switch x.toks[i+1].text + x.toks[i+2].text {
		case "5m", "15m", "1h", "4h", "1d":
			return true
		}
	}
	switch x.text(i + 1) {
	case "markets", "rounds":
		return true
	}
	return false
}

// emit adds a lexeme made of n tokens from i.
func (x *lexer) emit(i, n int, e entry) int {
	l := lexeme{kind: e.kind, sub: e.sub, w: e.w, v: e.v}
	l.start, l.end = x.toks[i].start, x.toks[i+n-1].end
	l.glued = !x.toks[i].space
	if len(x.typos) > 0 {
		for j := i; j < i+n; j++ {
			if _, ok := x.typos[j]; ok {
				l.typo = true
			}
		}
	}
	x.out = append(x.out, l)
	return n
}

// symbol reads punctuation.
func (x *lexer) symbol(i int) int {
	k := &x.toks[i]
	e := entry{w: k.text}
	switch k.text {
	case ",":
		e.kind = kComma
	case ".", ";", "!", "?", "\n":
		e.kind = kStop
	case "->", "-->", "--", "|", "[", "]", "{", "}", "==>":
		e.kind = kSoft
	case "-":
		e.kind = kSoft
		if x.hyphen(i) {
			e.kind = kMinus
		}
	case "=>":
		e.kind = kSoft
		if i+1 < len(x.toks) && (x.toks[i+1].kind == tNum || x.toks[i+1].text == "$") {
			e = entry{kind: kCmp, sub: cmpGTE, w: "at or above"}
		}
	case ":":
		e.kind = kColon
	case "=", "==":
		e.kind = kEq
	case "+":
		e.kind = kPlus
		if !k.space && i > 0 && x.endsValue(i-1) && (i+1 >= len(x.toks) || x.toks[i+1].space || x.toks[i+1].kind == tSym) {
			e = entry{kind: kPost, sub: cmpGTE, w: "or more"}
		}
	case "/":
		e.kind = kSlash
	case "(":
		e.kind = kOpenParen
	case ")":
		e.kind = kCloseParen
	case "\"", "'", "*", "_", "#":
		e.kind = kFill
	case "$":
		if i+1 < len(x.toks) && !x.toks[i+1].space && x.toks[i+1].kind == tWord {
			e.kind = kFill
		}
	case "%":
		e = entry{kind: kVal, w: "%", v: value{unit: uPct}}
	case "~":
		e = entry{kind: kVague, sub: whyVaguePrice, w: "~"}
	}
	return x.emit(i, 1, e)
}

// endsValue reports whether token i ends a number with or without its unit.
func (x *lexer) endsValue(i int) bool {
	if i < 0 {
		return false
	}
	if x.toks[i].kind == tNum || x.toks[i].text == "¢" {
		return true
	}
	_, unit := unitWords[x.toks[i].text]
	return unit && i > 0 && x.toks[i-1].kind == tNum
}

// emoji reads a sign beyond ASCII: pictures are fillers, except those that
// point somewhere, forbid something, or are money.
func (x *lexer) emoji(i int) int {
	r, _ := utf8.DecodeRuneInString(x.toks[i].text)
	e := entry{kind: kFill, w: x.toks[i].text}
	switch r {
	case '₿':
		e = entry{kind: kCoin, w: "BTC"}
	case '📈', '⬆', '🔼', '↑', '▲', '⏫', '👆', '☝', '🟢', '↗', '🐂':
		e = entry{kind: kHigher, sub: tokUp, w: "picture"}
	case '📉', '⬇', '🔽', '↓', '▼', '⏬', '👇', '🔴', '↘', '🐻':
		e = entry{kind: kHigher, sub: tokDown, w: "picture"}
	case '❌', '🚫', '⛔', '👎', '✗', '✘', '🙅', '❎', '🔁', '🔄', '≠', '±', '∞', '≈', '∼', '≃', '≅':
		e = entry{kind: kUnknown, w: x.toks[i].text}
	case '¥', '€', '£', '₹', '₩', '₽', '₺', '฿', '₫', '₴':
		e = entry{kind: kRefuse, sub: whyCurrency, w: x.toks[i].text}
	default:
		if r == utf8.RuneError || !unicode.Is(unicode.So, r) && !unicode.Is(unicode.Sk, r) && !unicode.Is(unicode.Po, r) && !unicode.Is(unicode.Co, r) {
			e.kind = kUnknown
		}
		if unicode.Is(unicode.Co, r) {
			e.kind = kUnknown
		}
	}
	return x.emit(i, 1, e)
}
