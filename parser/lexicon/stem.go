package lexicon

import (
	"slices"
	"strings"
)

// stem has the phrases that begin with one token: a hundred thousand in all. Those of a
// token are written out when they are first asked for.
type stem struct {
	next map[uint64]int32 // by node and the id of a token: the node behind it; node 0 is behind the stem
	ends [][]int32        // by node: the meanings of the phrase that ends there
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

// stem returns the phrases that begin with a token; nil if there are none.
func (x *table) stem(token string) *stem {
	id := x.words[token]
	if s := x.stems[id].Load(); s != nil || x.latest[id] == 0 {
		return s
	}
	x.writing.Lock()
	defer x.writing.Unlock()
	s := x.stems[id].Load()
	if s == nil {
		s = &stem{next: map[uint64]int32{}, ends: make([][]int32, 1)}
		s.write(x, x.latest[id])
		x.stems[id].Store(s)
	}
	return s
}

// step returns the node behind a token at a node of a stem.
func (x *table) step(s *stem, node int32, token string) (int32, bool) {
	next, ok := s.next[stepKey(node, x.words[token])]
	return next, ok
}

func stepKey(node, id int32) uint64 { return uint64(node)<<32 | uint64(id) }

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

// groupsOf cuts a text into what stands between braces and the alternatives in them.
func groupsOf(text string) [][]string {
	var out [][]string
	for group, braced := "", false; text != ""; {
		if group, braced, text = cutGroup(text); braced {
			out = append(out, strings.Split(group, ", "))
		} else {
			out = append(out, []string{group})
		}
	}
	return out
}

// write writes out the phrases of a wording, behind those of the wordings before it.
func (s *stem) write(x *table, i int32) {
	if i == 0 {
		return
	}
	w := x.wordings[i]
	s.write(x, w.before)
	groups := groupsOf(w.text)
	groups[0] = groups[0][w.first : w.first+1]
	s.each(x, &w, groups, -1, nil)
}

// each writes out the phrases that groups stand for behind a node, at which the phrase
// reads so far as its head does.
func (s *stem) each(x *table, w *wording, groups [][]string, node int32, head []byte) {
	if len(groups) == 0 {
		s.end(x, w, node, head)
		return
	}
	if len(head) > 0 {
		head = append(head, ' ')
	}
	for _, words := range groups[0] {
		at := node
		for word := range strings.FieldsSeq(words) {
			for _, id := range x.tokensOf(word) {
				at = s.child(at, id)
			}
		}
		s.each(x, w, groups[1:], at, append(head, words...))
	}
}

// end puts the meaning of a phrase at the node behind it.
func (s *stem) end(x *table, w *wording, node int32, phrase []byte) {
	if !slices.Contains(s.ends[node], w.entry) {
		s.ends[node] = append(s.ends[node], w.entry)
	}
	if w.own {
		e := x.heads[w.head]
		e.Name = string(phrase)
		x.entries[w.entry] = e
		w.entry++
	}
}

// child returns the node behind a token at a node, adding it when it is new; node < 0
// stands before the token of the stem.
func (s *stem) child(node, id int32) int32 {
	if node < 0 {
		return 0
	}
	child, ok := s.next[stepKey(node, id)]
	if !ok {
		child = int32(len(s.ends))
		s.next[stepKey(node, id)], s.ends = child, append(s.ends, nil)
	}
	return child
}
