package lexicon

import (
	"cmp"
	"math/bits"
)

// Trie maps a node and the id of a word to the node behind that word. It holds
// thousands of them, and is filled whenever a program begins: places that are probed
// one after the other, eight bytes each, take a quarter of the time of a map.
// The zero value is empty. Nodes are below 2²⁴, words from 1 to 2¹⁶ − 1.
type Trie struct {
	places []uint64 // node<<40 | word<<24 | child; 0: free
	n      int
	First  int // places to begin with, a power of two from 4 on; 0: a few thousand
}

const (
	firstTrie = 1 << 13 // places, of which three quarters are taken at most
	trieChild = 1<<24 - 1
	nearBits  = 8 // how many places, as a power of two, are near a node
)

// place returns where the child of a node by a word is, or where it would be: near
// those of the nodes made just before and after it, which are filled together, or
// anywhere when that place is taken.
func (t *Trie) place(key uint64) int {
	mask, hash := len(t.places)-1, key*0x9e3779b97f4a7c15
	i := (int(key>>16)<<1 + int(hash>>(64-nearBits))) & mask
	if p := t.places[i]; p>>24 == key || p == 0 {
		return i
	}
	for i = int(hash >> bits.LeadingZeros64(uint64(mask))); ; i = (i + 1) & mask {
		if p := t.places[i]; p>>24 == key || p == 0 {
			return i
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
	if t.n >= len(t.places)/4*3 {
		t.grow()
	}
	if node > trieChild || word >= 1<<16 {
		panic("the vocabulary is too large for its table")
	}
	key := uint64(node)<<16 | uint64(word)
	i := t.place(key)
	if t.places[i] == 0 {
		t.places[i] = key<<24 | uint64(child)
		t.n++
	}
	return int32(t.places[i] & trieChild)
}

func (t *Trie) grow() {
	old := t.places
	t.places = make([]uint64, cmp.Or(2*len(old), t.First, firstTrie))
	for _, p := range old {
		if p != 0 {
			t.places[t.place(p>>24)] = p
		}
	}
}
