package lexicon

import (
	"strings"
	"unicode"
)

// fits reports whether the word c goes better than others at token i: a unit
// behind a number, or the beginning of a phrase that goes on.
func (x *reader) fits(i int, c string) bool {
	_, small := smallNumbers[x.text(i-1)]
	if _, unit := unitWords[c]; unit && (small || x.isNum(i-1)) {
		return true
	}
	s := x.lex.stem(c)
	if s == nil || i+1 >= len(x.tokens) {
		return false
	}
	return x.lex.step(s, x.tokens[i+1].text) != nil
}

// mostlyUpper reports whether a prompt is typed in capitals, so that capitals
// say nothing about a word.
func mostlyUpper(s string) bool {
	upper, lower := 0, 0
	for _, r := range s {
		if unicode.IsUpper(r) {
			upper++
		} else if unicode.IsLower(r) {
			lower++
		}
	}
	return upper > 2*lower && upper > 6
}

// rangeHyphen reports whether the hyphen at i stands between two numbers.
func (x *reader) rangeHyphen(i int) bool {
	return x.text(i) == "-" && (x.isNum(i+1) || x.text(i+1) == "$") && (x.endsValue(i-1) || x.text(i-1) == "$")
}

// minusHyphen reports whether the hyphen at i is the sign of the number behind
// it: +10c/-5c, entry-5c.
func (x *reader) minusHyphen(i int) bool {
	return x.is(i-1, "/", "=", "<", ">", "<=", ">=", "==", ":", "(", "[", ",", "\"", "'", "{", ";") ||
		x.isNum(i+1) && x.is(i-1, "entry", "cost", "fill", "paid", "sl", "stop")
}

// noise are words that may stand anywhere, even within a phrase.
var noise = WordSet("um umm uh uhh uhm er erm hmm hm ah oh eh please pls like just really basically literally simply")

// name adds the coin that the word at i, which has another meaning, may name: for sure
// in capitals in a prompt that is not.
func (x *reader) name(i int) {
	k := &x.tokens[i]
	coin, ok := x.lex.named[k.text]
	if !ok || k.typo != "" || k.text == "op" && (x.is(i+1, "here", "said", "says", "asked", "posted", "wrote") || x.is(i-1, "with", "thanks", "as", "hey", "dear")) {
		return // who wrote first, not Optimism
	}
	if src := x.norm.slice(k.start, k.end); !x.upper && src == strings.ToUpper(src) {
		coin = x.lex.coins[x.lex.entries[coin].Name]
	}
	x.put(i, i+1, coin, Value{})
}

// endsValue reports whether token i ends a number with or without its unit.
func (x *reader) endsValue(i int) bool {
	_, unit := unitWords[x.text(i)]
	return x.isNum(i) || x.text(i) == "¢" || unit && x.isNum(i-1)
}
