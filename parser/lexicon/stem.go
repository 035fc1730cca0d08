package lexicon

import (
	"slices"
	"strings"
	"sync"
)

// stem has the phrases that begin with one token: a hundred thousand in all. Those of a
// token are written out when they are first asked for.
type stem struct {
	once     sync.Once
	wordings []wording          // in the order of the files
	next     map[[2]int32]int32 // by node and the id of a token: the node behind it; node 0 is behind the stem
	ends     [][]int32          // by node: the meanings of the phrase that ends there
}

// wording stands for some phrases, or for one: a word or words out of each group, one
// behind the other.
type wording struct {
	groups [][]string
	entry  int32 // the meaning of the phrases, or of the first of them
	own    bool  // each phrase has a meaning of its own, one behind the other
}

// stem returns the phrases that begin with a token; nil if there are none.
func (x *table) stem(token string) *stem {
	s := x.stems[x.words[token]]
	if s != nil {
		s.once.Do(func() { s.write(x) })
	}
	return s
}

// step returns the node behind a token at a node of a stem.
func (x *table) step(s *stem, node int32, token string) (int32, bool) {
	next, ok := s.next[[2]int32{node, x.words[token]}]
	return next, ok
}

// add puts the phrases that a text stands for, in which {a, b} is a or b, into the
// table, beside the other meanings that they have. All of them have the meaning at an
// index of the entries, or, when it is negative, each has e by its own name.
func (x *table) add(text string, e Entry, entry int32) {
	w := wording{groups: groupsOf(text), entry: entry, own: entry < 0}
	if w.own {
		w.entry = int32(len(x.entries))
		each(w.groups, nil, func(phrase []byte) {
			e.Name = string(phrase)
			x.entries = append(x.entries, e)
		})
	}
	behind := int32(1) // phrases that begin alike
	for i, group := range w.groups {
		for word := range strings.FieldsSeq(strings.Join(group, " ")) {
			if x.ids[word] == nil {
				x.ids[word] = x.tokensOf(word)
			}
		}
		if i > 0 {
			behind *= int32(len(group))
		}
	}
	for _, first := range w.groups[0] {
		w.groups = slices.Concat([][]string{{first}}, w.groups[1:])
		word, _, _ := strings.Cut(first, " ")
		id := x.ids[word][0]
		if x.stems[id] == nil {
			x.stems[id] = &stem{}
		}
		x.stems[id].wordings = append(x.stems[id].wordings, w)
		if w.own {
			w.entry += behind
		}
	}
}

// groupsOf cuts a text into what stands between braces and the alternatives in them.
func groupsOf(text string) [][]string {
	var out [][]string
	for text != "" {
		plain, rest, _ := strings.Cut(text, "{")
		if plain = strings.TrimSpace(plain); plain != "" {
			out = append(out, []string{plain})
		}
		braced, behind, _ := strings.Cut(rest, "}")
		if braced != "" {
			out = append(out, strings.Split(braced, ", "))
		}
		text = behind
	}
	return out
}

// each calls f with each phrase that groups stand for behind a head; the phrase is f's
// until it returns.
func each(groups [][]string, head []byte, f func(phrase []byte)) {
	if len(groups) == 0 {
		f(head)
		return
	}
	if len(head) > 0 {
		head = append(head, ' ')
	}
	for _, words := range groups[0] {
		each(groups[1:], append(head, words...), f)
	}
}

// write writes out the phrases of a stem.
func (s *stem) write(x *table) {
	s.next, s.ends = map[[2]int32]int32{}, make([][]int32, 1)
	for _, w := range s.wordings {
		each(w.groups, nil, func(phrase []byte) {
			node := int32(-1) // before the token of the stem
			for word := range strings.FieldsSeq(string(phrase)) {
				for _, id := range x.ids[word] {
					node = s.child(node, id)
				}
			}
			if !slices.Contains(s.ends[node], w.entry) {
				s.ends[node] = append(s.ends[node], w.entry)
			}
			if w.own {
				w.entry++
			}
		})
	}
	s.wordings = nil
}

// child returns the node behind a token at a node, adding it when it is new.
func (s *stem) child(node, id int32) int32 {
	if node < 0 {
		return 0
	}
	child, ok := s.next[[2]int32{node, id}]
	if !ok {
		child = int32(len(s.ends))
		s.next[[2]int32{node, id}], s.ends = child, append(s.ends, nil)
	}
	return child
}
