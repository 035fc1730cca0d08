package lexicon

import "math/bits"

// Trie maps a node and the id of a word to the node behind that word. It is asked for
// every word at every place: open addressing takes a quarter of the time of a map. The
// zero value is empty. Nodes are below 2²⁴, words from 1 to 2¹⁶ − 1.
type Trie struct {
	places []uint64 // node<<40 | word<<24 | child, a power of two of them; 0: free
	n      int
}

const trieChild = 1<<24 - 1

// place returns where the child of a node by a word is, or where it would be.
func (t *Trie) place(key uint64) int {
	mask := len(t.places) - 1
	for i := int(key * 0x9e3779b97f4a7c15 >> bits.LeadingZeros64(uint64(mask))); ; i++ {
		if p := t.places[i&mask]; p>>24 == key || p == 0 {
			return i & mask
		}
	}
}

// Get returns the node behind a word at a node; ok is false if there is none.
func (t *Trie) Get(node, word int32) (child int32, ok bool) {
	if t.n == 0 {
		return 0, false
	}
	p := t.places[t.place(uint64(node)<<16|uint64(word))]
	return int32(p & trieChild), p != 0
}

// Put returns the node behind a word at a node: child, if there was none.
func (t *Trie) Put(node, word, child int32) int32 {
	if node > trieChild || word >= 1<<16 {
		panic("the vocabulary is too large for its table")
	}
	if t.n >= len(t.places)/4*3 {
		old := t.places
		t.places = make([]uint64, max(16, 2*len(old)))
		for _, p := range old {
			if p != 0 {
				t.places[t.place(p>>24)] = p
			}
		}
	}
	key := uint64(node)<<16 | uint64(word)
	i := t.place(key)
	if t.places[i] == 0 {
		t.places[i] = key<<24 | uint64(child)
		t.n++
	}
	return int32(t.places[i] & trieChild)
}
