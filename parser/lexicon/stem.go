package lexicon

import (
	"math/bits"
	"slices"
	"strings"
	"sync"
)

// stem has the phrases that begin with one token: a hundred thousand in all. Those of a
// token are written out when they are first asked for.
type stem struct {
	once  sync.Once
	parts []part // in the order of the files
	size  int    // phrases that they write out
	next  Trie   // node 0 is behind the token
	ends  [][]int32
	x     *table
}

// part is what a text gives to a stem: phrases that begin with its token.
type part struct {
	of   int32 // index into wordings
	only int32 // which alternative they begin with, when the text begins with a brace
}

// wording is what the files say of some phrases, or of one.
type wording struct {
	text  string  // as written: {a, b} is a or b
	entry int32   // the meaning of the phrases, or of the first of them
	own   bool    // each phrase has a meaning of its own, one behind the other
	ids   []int32 // in place of a text: the tokens of its one phrase
}

// stem returns the phrases that begin with a token; nil if there are none.
func (x *table) stem(token string) *stem {
	id := x.words[token]
	if int(id) >= len(x.stems) || x.stems[id] == nil {
		return nil
	}
	s := x.stems[id]
	s.once.Do(s.write)
	return s
}

// step returns the node behind a token at a node of a stem.
func (x *table) step(s *stem, node int32, token string) (int32, bool) {
	id, ok := x.words[token]
	if !ok {
		return 0, false
	}
	return s.next.Get(node, id)
}

// add puts the phrases that a text stands for, in which {a, b} is a or b, into the
// table, beside the other meanings that they have.
func (x *table) add(text string, e Entry) {
	w := wording{text: text, own: e.Name == ""}
	switch {
	case !w.own:
		w.entry = x.intern(e)
	case strings.Contains(text, "{"):
		w.entry = x.appendAll(text, e)
	default:
		e.Name = text
		w.entry = x.intern(e)
	}
	if asWhole(text) {
		x.addWhole(w)
		return
	}
	x.learnAll(text)
	p := part{of: int32(len(x.wordings))}
	x.wordings = append(x.wordings, w)
	first, rest, braced := alternatives(text)
	if !braced {
		x.begin(text, p, phrasesOf(text))
		return
	}
	behind := phrasesOf(rest)
	for alternative := range strings.SplitSeq(first, ", ") {
		x.begin(alternative, p, behind)
		p.only++
	}
}

// appendAll gives every phrase that a text stands for a meaning of its own, and returns
// the first of them; the others are behind it.
func (x *table) appendAll(text string, e Entry) int32 {
	first, n := len(x.entries), phrasesOf(text)
	names, ends := make([]byte, 0, n*len(text)), make([]int, 0, n) // more than they take, in one piece
	each(text, func(phrase []byte) {
		names = append(names, phrase...)
		ends = append(ends, len(names))
	})
	all, from := string(names), 0
	for _, to := range ends {
		e.Name, from = all[from:to], to
		x.entries = append(x.entries, e)
	}
	return int32(first)
}

// begin gives a part that writes out n phrases to the stem of the token that a text
// begins with.
func (x *table) begin(text string, p part, n int) {
	word, _, _ := strings.Cut(text, " ")
	x.give(x.ids[word][0], p, n)
}

func (x *table) give(token int32, p part, n int) {
	if int(token) >= len(x.stems) {
		x.stems = append(x.stems, make([]*stem, int(token)+1024-len(x.stems))...)
	}
	s := x.stems[token]
	if s == nil {
		s = &stem{x: x}
		x.stems[token] = s
	}
	if s.ends != nil { // has been asked for while the table is built
		s.writePart(p)
		return
	}
	s.parts, s.size = append(s.parts, p), s.size+n
}

// addWhole adds phrases whose tokens are not those of their words.
func (x *table) addWhole(w wording) {
	each(w.text, func(bytes []byte) {
		phrase := string(bytes)
		if phrase[0] == '\'' { // a suffix by itself: 's
			x.learn(phrase)
			w.ids = []int32{x.wordID(phrase)}
		} else {
			w.ids = x.tokensOf(phrase)
		}
		x.wordings = append(x.wordings, w)
		x.give(w.ids[0], part{of: int32(len(x.wordings) - 1)}, 1)
		if w.own {
			w.entry++
		}
	})
}

// asWhole reports whether the tokens of a phrase may be others than those of its
// words, one after the other: numbers and signs look at their neighbours.
func asWhole(text string) bool {
	if strings.Contains(text, "{,") || strings.Contains(text, ", ,") || strings.Contains(text, ", }") {
		return true
	}
	before := byte(' ')
	for i := range len(text) {
		next := byte(' ')
		if i+1 < len(text) {
			next = text[i+1]
		}
		if i == 0 && text[0] == '\'' || wholeAt(before, text[i], next) {
			return true
		}
		before = text[i]
	}
	return false
}

// wholeAt reports whether a sign that stands between two others makes a phrase whole: a
// comma within a number, an operator, a brace within a word, or what begins a word and
// may be no token.
func wholeAt(before, sign, next byte) bool {
	switch sign {
	case ',':
		return next != ' ' || before == ' ' || before == '{'
	case '-', '_':
		return before == ' ' || before == '{'
	case '=':
		return strings.IndexByte("*+-/", before) >= 0
	case '{':
		return before != ' '
	case '}':
		return next != ' '
	}
	return false
}

// alternatives returns what stands in the brace that a text begins with, and what
// stands behind it.
func alternatives(text string) (of, rest string, ok bool) {
	if text == "" || text[0] != '{' {
		return "", "", false
	}
	return strings.Cut(text[1:], "}")
}

// phrasesOf returns how many phrases a text stands for.
func phrasesOf(text string) int {
	n := 1
	for {
		open := strings.IndexByte(text, '{')
		if open < 0 {
			return n
		}
		of, rest, ok := alternatives(text[open:])
		if !ok {
			return n
		}
		n *= strings.Count(of, ", ") + 1
		text = rest
	}
}

// each calls f with each phrase that a text stands for, which is f's until it returns.
func each(text string, f func(phrase []byte)) {
	var behind func(phrase []byte, text string)
	behind = func(phrase []byte, text string) {
		open := strings.IndexByte(text, '{')
		if open >= 0 {
			if of, rest, ok := alternatives(text[open:]); ok {
				phrase = append(phrase, text[:open]...)
				for word := range strings.SplitSeq(of, ", ") {
					behind(append(phrase, word...), rest)
				}
				return
			}
		}
		f(append(phrase, text...))
	}
	behind(make([]byte, 0, 128), text)
}

// learnAll learns the words of a text, in the order in which its phrases have them.
func (x *table) learnAll(text string) {
	var others []string // alternatives that are not the first of theirs
	for text != "" {
		literal := text
		if open := strings.IndexByte(text, '{'); open >= 0 {
			literal = text[:open]
		}
		x.learnWords(literal)
		of, rest, ok := alternatives(text[len(literal):])
		if !ok {
			break
		}
		first, more, _ := strings.Cut(of, ", ")
		x.learnWords(first)
		others, text = append(others, more), rest
	}
	for _, more := range slices.Backward(others) {
		for alternative := range strings.SplitSeq(more, ", ") {
			x.learnWords(alternative)
		}
	}
}

func (x *table) learnWords(text string) {
	for word := range strings.SplitSeq(text, " ") {
		if _, ok := x.ids[word]; !ok {
			x.ids[word] = x.tokensOf(word)
		}
	}
}

// write writes out the phrases of a stem.
func (s *stem) write() {
	s.next.First = max(16, 1<<bits.Len(uint(2*s.size)))
	s.ends = make([][]int32, 1, s.size+s.size/2+1)
	for i := range s.parts {
		s.writePart(s.parts[i])
	}
	s.parts = nil
}

func (s *stem) writePart(p part) {
	w := &s.x.wordings[p.of]
	if w.ids != nil {
		node := int32(0)
		for _, id := range w.ids[1:] {
			node = s.child(node, id)
		}
		s.end(node, w.entry)
		return
	}
	entry, node, text := w.entry, int32(-1), w.text
	if of, rest, ok := alternatives(text); ok {
		for range p.only {
			_, of, _ = strings.Cut(of, ", ")
		}
		if of, _, _ = strings.Cut(of, ", "); w.own {
			entry += p.only * int32(phrasesOf(rest))
		}
		node, text = s.words(node, of), rest
	}
	s.phrases(node, text, &entry, w.own)
}

// phrases writes out what a text stands for behind a node.
func (s *stem) phrases(node int32, text string, entry *int32, own bool) {
	if open := strings.IndexByte(text, '{'); open >= 0 {
		if of, rest, ok := alternatives(text[open:]); ok {
			node = s.words(node, text[:open])
			for alternative := range strings.SplitSeq(of, ", ") {
				s.phrases(s.words(node, alternative), rest, entry, own)
			}
			return
		}
	}
	s.end(s.words(node, text), *entry)
	if own {
		*entry++
	}
}

// words returns the node behind the words of a text at a node; −1 is before the token
// of the stem.
func (s *stem) words(node int32, text string) int32 {
	for text != "" {
		var word string
		word, text, _ = strings.Cut(text, " ")
		for _, id := range s.x.ids[word] {
			node = s.child(node, id)
		}
	}
	return node
}

// child returns the node behind a token at a node, adding it when it is new.
func (s *stem) child(node, id int32) int32 {
	if node < 0 {
		return 0
	}
	child := s.next.Put(node, id, int32(len(s.ends)))
	if int(child) == len(s.ends) {
		s.ends = append(s.ends, nil)
	}
	return child
}

// end gives a node a meaning that it has not yet.
func (s *stem) end(node, entry int32) {
	if !slices.Contains(s.ends[node], entry) {
		s.ends[node] = append(s.ends[node], entry)
	}
}
