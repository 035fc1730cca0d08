package ingest

import (
	"sync"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// names counts the markets that several files name, each once, whether a file
// names them by id, by slug or by both.
type names struct {
	mu     sync.Mutex
	of     map[store.ID]int // hash of a name → set
	parent []int            // set → set it was joined with, or itself
	sets   int
}

func newNames() *names { return &names{of: map[store.ID]int{}} }

func (n *names) add(v market.Venue, id, slug string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	a, b := -1, -1
	if id != "" {
		a = n.set(store.MarketID(v, id))
	}
	if slug != "" {
		b = n.set(store.NameID(v, slug))
	}
	if a >= 0 && b >= 0 && a != b {
		n.parent[b] = a
		n.sets--
	}
}

func (n *names) set(key store.ID) int {
	i, ok := n.of[key]
	if !ok {
		i = len(n.parent)
		n.of[key] = i
		n.parent = append(n.parent, i)
		n.sets++
	}
	for n.parent[i] != i {
		n.parent[i] = n.parent[n.parent[i]]
		i = n.parent[i]
	}
	return i
}

func (n *names) count() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.sets
}
