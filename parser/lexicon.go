package parser

import (
	"slices"
	"strings"
	"sync"

	"github.com/ladderback/ladderback/strategy"
)

// entry is what a phrase of the vocabulary means.
type entry struct {
	kind kind
	sub  int16
	w    string
	v    value
}

// lexicon finds phrases and mends typing errors. It is built once and only
// read.
type lexicon struct {
	words map[string]int32 // word → id
	next  map[uint64]int32 // node<<32 | word id → node
	ends  []entry          // by node; kind kUnknown: no phrase ends here
	// mended maps what is left of a word of five letters and more when one
	// letter is taken out, and the word itself, to words.
	mended map[string][]string
	plain  map[string]struct{} // words that are not vocabulary misspelt
	// grammar holds the words of the grammar, of numbers and of coins.
	grammar map[string]bool
	// tickers holds every ticker in lower case.
	tickers map[string]bool
}

var theLexicon = sync.OnceValue(buildLexicon)

func buildLexicon() *lexicon {
	x := &lexicon{
		words:  make(map[string]int32, 4096),
		next:   make(map[uint64]int32, 8192),
		ends:   make([]entry, 1, 8192),
		mended: make(map[string][]string, 16384),
		plain:  make(map[string]struct{}, 2048),

		grammar: make(map[string]bool, 4096),
		tickers: make(map[string]bool, 64),
	}
	for _, w := range numberVocabulary() {
		x.learn(w)
	}
	for _, c := range strategy.Coins() {
		for word := range strings.FieldsSeq(strings.ToLower(c.Name + " " + strings.Join(c.Aliases, " "))) {
			x.learn(word)
		}
	}
	for _, row := range slices.Concat(vocabulary, refusals, outside) {
		if row.kind == kRefuse && len(x.grammar) == 0 {
			for w := range x.words {
				x.grammar[w] = true
			}
			delete(x.grammar, "false")
			delete(x.grammar, "true")
		}
		for phrase := range strings.SplitSeq(row.phrases, "|") {
			phrase = strings.TrimSpace(phrase)
			w := row.as
			if w == "" {
				w = phrase
			}
			x.add(phrase, entry{kind: row.kind, sub: row.sub, w: w})
		}
	}
	for phrase := range strings.FieldsFuncSeq(fillers, func(r rune) bool { return r == '|' || r == '\n' }) {
		if phrase = strings.TrimSpace(phrase); phrase != "" {
			x.add(phrase, entry{kind: kFill, w: phrase})
		}
	}
	for style := range strings.SplitSeq("momentum|trend|mean reversion|reversal|breakout|scalp|scalping|dip buying|contrarian|value|lottery|bounce|favorite|underdog", "|") {
		for noun := range strings.SplitSeq("idea|strategy|strat|trade|play|system|approach|setup|rule|test|experiment|bot|plan", "|") {
			x.add(style+" "+noun, entry{kind: kFill, w: style + " " + noun})
		}
	}
	for _, count := range [...]string{"two", "three", "four", "2", "3", "4", "several", "the", "these", "the following"} {
		for noun := range strings.SplitSeq("cases|situations|scenarios|conditions|ways|alternatives|triggers|setups|events|reasons", "|") {
			if count != "the" && count != "these" {
				x.add(count+" "+noun, entry{kind: kFill, w: count + " " + noun})
			}
			for _, of := range [...]string{"any of", "one of", "either of", "any one of", "at least one of", "in any of", "in one of", "in either of"} {
				x.add(of+" "+count+" "+noun, entry{kind: kRefuse, sub: whyAnyOf, w: of})
			}
		}
	}
	for w, seconds := range lengthWords {
		x.add(w, entry{kind: kLenWord, w: w, v: value{unit: uTime, n: seconds * micro}})
	}
	for _, c := range strategy.Coins() {
		x.addCoin(c)
	}
	for w := range strings.FieldsSeq(ordinaryWords) {
		x.plain[w] = struct{}{}
	}
	return x
}

// anyOf puts every word for all before each noun.
func anyOf(nouns string) string {
	var b strings.Builder
	for noun := range strings.SplitSeq(nouns, "|") {
		for _, all := range [...]string{"any", "every", "all", "each", "whatever", "whichever", "all the", "all of the", "any of the", "any single", "every single", "across", "across all", "across every", "across all the", "any and all", "no matter which", "no matter the"} {
			b.WriteString(all + " " + noun + "|")
		}
	}
	return strings.TrimSuffix(b.String(), "|")
}

func (x *lexicon) addCoin(c strategy.Coin) {
	x.tickers[strings.ToLower(c.Ticker)] = true
	names := append([]string{c.Ticker, c.Name}, c.Aliases...)
	for _, name := range names {
		name = strings.ToLower(name)
		if _, taken := x.lookup(name); taken && !strings.EqualFold(name, c.Ticker) {
			continue
		}
		x.add(name, entry{kind: kCoin, w: c.Ticker})
	}
}

// wordID returns the id of a word, adding it when it is new.
func (x *lexicon) wordID(w string) int32 {
	id, ok := x.words[w]
	if !ok {
		id = int32(len(x.words) + 1)
		x.words[w] = id
	}
	return id
}

// add puts a phrase into the lexicon. A phrase that is there already keeps its
// first meaning, except that tickers come last and are kept aside.
func (x *lexicon) add(phrase string, e entry) {
	node := int32(0)
	toks := splitSuffixes(scan(normalise(phrase)))
	if phrase[0] == '\'' { // a suffix by itself: 's
		toks = []tok{{kind: tWord, text: phrase}}
	}
	for _, k := range toks {
		if k.kind == tSym && (k.text == "-" || k.text == "_") {
			continue
		}
		id := x.wordID(k.text)
		key := uint64(node)<<32 | uint64(uint32(id))
		child, ok := x.next[key]
		if !ok {
			child = int32(len(x.ends))
			x.ends = append(x.ends, entry{})
			x.next[key] = child
		}
		node = child
		if k.kind == tWord {
			x.learn(k.text)
		}
	}
	if x.ends[node].kind == kUnknown {
		x.ends[node] = e
	}
}

// lookup finds a single phrase exactly.
func (x *lexicon) lookup(phrase string) (entry, bool) {
	node := int32(0)
	for _, k := range scan(normalise(phrase)) {
		child, ok := x.step(node, k.text)
		if !ok {
			return entry{}, false
		}
		node = child
	}
	return x.ends[node], x.ends[node].kind != kUnknown
}

func (x *lexicon) step(node int32, word string) (int32, bool) {
	id, ok := x.words[word]
	if !ok {
		return 0, false
	}
	child, ok := x.next[uint64(node)<<32|uint64(uint32(id))]
	return child, ok
}

// shortestMended is the length of the shortest word that is read with a typing
// error in it.
const shortestMended = 5

// learn makes a word known, and findable with a typing error in it.
func (x *lexicon) learn(w string) {
	if _, ok := x.mended[w]; ok && len(w) >= shortestMended {
		if slices.Contains(x.mended[w], w) {
			return
		}
	}
	x.wordID(w)
	if len(w) < shortestMended || strings.ContainsRune(w, '\'') {
		return
	}
	x.mended[w] = append(x.mended[w], w)
	for i := range len(w) {
		left := w[:i] + w[i+1:]
		x.mended[left] = append(x.mended[left], w)
	}
}

// mend returns the one word of the vocabulary that w is a misspelling of. Words
// of the grammar come before fillers and names of what cannot be said; of
// several, fits decides where it picks one.
func (x *lexicon) mend(w string, fits func(string) bool) (string, bool) {
	if len(w) < shortestMended-1 || len(w) > 24 {
		return "", false
	}
	if _, ok := x.plain[w]; ok {
		return "", false
	}
	var found [12]string
	n := 0
	add := func(list []string) {
		for _, c := range list {
			if n == len(found) || !oneEdit(w, c) || slices.Contains(found[:n], c) {
				continue
			}
			found[n] = c
			n++
		}
	}
	add(x.mended[w])
	var buf [24]byte
	for i := range len(w) {
		left := append(append(buf[:0], w[:i]...), w[i+1:]...)
		add(x.mended[string(left)])
	}
	list := found[:n]
	for _, keep := range [...]func(string) bool{
		func(c string) bool { return x.grammar[c] },
		func(c string) bool { return doubled(w, c) },
		fits,
		func(c string) bool { return swapped(w, c) },
	} {
		if only := narrow(list, keep); len(only) > 0 {
			list = only
		}
		if word, ok := oneWord(list); ok {
			return word, true
		}
	}
	return "", false
}

// narrow returns the words that keep likes.
func narrow(list []string, keep func(string) bool) []string {
	if keep == nil {
		return list
	}
	var out []string
	for _, c := range list {
		if keep(c) {
			out = append(out, c)
		}
	}
	return out
}

// oneWord returns the word that a list has, in one number or both.
func oneWord(list []string) (string, bool) {
	if len(list) == 0 {
		return "", false
	}
	for _, c := range list[1:] {
		if !sameButNumber(list[0], c) {
			return "", false
		}
	}
	return list[0], true
}

// sameButNumber reports whether two words differ by a plural s only.
func sameButNumber(a, b string) bool { return a+"s" == b || b+"s" == a }

// swapped reports whether a is b with two neighbours swapped.
func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// doubled reports whether a and b differ by a letter written once instead of
// twice, or twice instead of once.
func doubled(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b) != len(a)+1 || !oneEdit(a, b) {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i > 0 && b[i] == b[i-1]
}

// oneEdit reports whether a and b differ by one letter more, less or other, or
// by a swap of neighbours.
func oneEdit(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) < len(b) {
		return a[i:] == b[i+1:]
	}
	return i == len(a) || a[i+1:] == b[i+1:] || swapped(a, b)
}
