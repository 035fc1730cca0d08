package lexicon

import (
	"slices"
	"strings"
	"sync"
)

// stem is behind the tokens with which some phrases begin: a hundred thousand in all. The stems behind it
// are made when they are first asked for.
type stem struct {
	made   sync.Once
	places []place         // in phrases that go on
	ends   []int32         // the meanings of those that end there
	next   map[int32]*stem // by the id of a token
}

// place is where a phrase goes on.
type place struct {
	wording, phrase int32  // which of the phrases of a wording it is, as far as it is read
	token           int32  // of the first of the words
	words, text     string // what is left of an alternative, and behind that
	name            string // of what has a meaning of its own, up to the end of the words
}

// wording is a text that stands for some phrases, of which those are meant that begin with
// one of its alternatives.
type wording struct {
	text   string
	first  int32 // the alternative
	before int32 // the wording before it that begins with the same token, 0: none
	entry  int32 // the meaning of the phrases, or of the first of them
	own    bool  // each phrase has a meaning of its own, one behind the other
	head   int32 // what those say: index into the heads
}

// stem returns the one behind a token; nil if no phrase begins with that.
func (x *table) stem(token string) *stem {
	id := x.words[token]
	if x.latest[id] == 0 {
		return nil
	}
	s := &x.stems[id]
	s.begun.Do(func() { s.stem = &stem{}; x.begin(s.stem, x.latest[id]) })
	return s.stem
}

// step returns the stem behind a token at one, nil if there is none.
func (x *table) step(s *stem, token string) *stem {
	s.made.Do(func() {
		s.next = make(map[int32]*stem, len(s.places))
		for _, p := range s.places {
			x.goOn(s, p)
		}
		s.places = nil
	})
	return s.next[x.words[token]]
}

// add puts the phrases that a text stands for, in which {a, b} is a or b, into the
// table, beside the other meanings that they have. All of them have the meaning at an
// index of the entries, or, when it is negative, each says what the last head says by its
// own name.
func (x *table) add(text string, entry int32) {
	w := wording{text: text, head: int32(len(x.heads) - 1), entry: entry, own: entry < 0}
	var tokens [16]int32
	firsts, behind := tokens[:0], 0 // phrases that begin alike
	for group, braced := "", false; text != ""; {
		group, braced, text = cutGroup(text)
		n := 0
		for alternative := ""; group != ""; n++ {
			if alternative = group; braced {
				alternative, group, _ = strings.Cut(group, ", ")
			} else {
				group = ""
			}
			if first := x.learn(alternative); behind == 0 {
				firsts = append(firsts, first)
			}
		}
		behind = max(1, behind*n)
	}
	if w.own {
		w.entry = int32(len(x.entries))
		n := behind * len(firsts)
		x.entries = slices.Grow(x.entries, n)[:len(x.entries)+n]
	}
	for i, id := range firsts {
		w.first, w.before, x.latest[id] = int32(i), x.latest[id], int32(len(x.wordings))
		x.wordings = append(x.wordings, w)
		if w.own {
			w.entry += int32(behind)
		}
	}
}

// cutGroup cuts off what stands before a brace, or between braces.
func cutGroup(text string) (group string, braced bool, rest string) {
	if tail, ok := strings.CutPrefix(text, "{"); ok {
		group, rest, _ = strings.Cut(tail, "}")
		return group, true, strings.TrimLeft(rest, " ")
	}
	end := strings.IndexByte(text, '{')
	if end < 0 {
		return text, false, ""
	}
	return strings.TrimRight(text[:end], " "), false, text[end:]
}

// alternatives cuts off the first group.
func alternatives(text string) (group []string, rest string) {
	first, braced, rest := cutGroup(text)
	if braced {
		return strings.Split(first, ", "), rest
	}
	return []string{first}, rest
}

// begin puts the places behind the first token of wordings into a stem, in their order.
func (x *table) begin(s *stem, i int32) {
	if i == 0 {
		return
	}
	w := &x.wordings[i]
	x.begin(s, w.before)
	group, text := alternatives(w.text)
	_, p := x.read(place{wording: i, words: group[w.first], text: text, name: group[w.first]})
	x.put(s, p)
}

// goOn puts where a phrase goes on into the stems behind one.
func (x *table) goOn(s *stem, p place) {
	if p.words == "" {
		group, text := alternatives(p.text)
		for k, words := range group {
			behind := place{p.wording, p.phrase*int32(len(group)) + int32(k), 0, words, text, ""}
			if x.wordings[p.wording].own {
				behind.name = p.name + " " + words
			}
			x.goOn(s, behind)
		}
		return
	}
	id, p := x.read(p)
	if s.next[id] == nil {
		s.next[id] = &stem{}
	}
	x.put(s.next[id], p)
}

// read reads the next token of a place.
func (x *table) read(p place) (id int32, behind place) {
	word, words, _ := strings.Cut(p.words, " ")
	ids, many := x.cut[word]
	if id = x.words[word]; many {
		id = ids[p.token]
		p.token++
	}
	if int(p.token) >= len(ids) {
		p.token, p.words = 0, strings.TrimPrefix(words, "- ") // a dash is no token
	}
	return id, p
}

// put puts a place into a stem, or the meaning of the phrase that ends there.
func (x *table) put(s *stem, p place) {
	if p.words != "" || p.text != "" {
		s.places = append(s.places, p)
		return
	}
	w := &x.wordings[p.wording]
	entry := w.entry
	if w.own {
		entry += p.phrase
		e := x.heads[w.head]
		e.Name, x.entries[entry] = p.name, &e
	}
	if !slices.Contains(s.ends, entry) {
		s.ends = append(s.ends, entry)
	}
}
