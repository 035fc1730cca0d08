package grammar

import "math/bits"

// ways are the transitions of an automaton, in places that are probed one after the
// other: a table of states × symbols would be a hundred times as large, and nearly
// all of it empty.
type ways struct {
	places []uint64 // state<<40 | symbol<<24 | next; 0: free
	shift  int
}

// newWays places the transitions of each state. No transition leads to state 0.
func newWays(trans [][]transition) ways {
	n := 0
	for _, row := range trans {
		n += len(row)
	}
	size := bits.Len(uint(2 * n))
	w := ways{make([]uint64, 1<<size), 64 - size}
	for state, row := range trans {
		for _, t := range row {
			key := wayKey(int32(state), int(t.s))
			w.places[w.place(key)] = key<<24 | uint64(t.next)
		}
	}
	return w
}

func wayKey(state int32, s int) uint64 { return uint64(state)<<16 | uint64(s) }

// place returns where a transition is, or where it would be.
func (w *ways) place(key uint64) int {
	for i := int(key * 0x9e3779b97f4a7c15 >> w.shift); ; i = (i + 1) & (len(w.places) - 1) {
		if p := w.places[i]; p>>24 == key || p == 0 {
			return i
		}
	}
}

// after returns the state behind a symbol at a state; 0: there is none.
func (w *ways) after(state int32, s int) int32 {
	return int32(w.places[w.place(wayKey(state, s))] & (1<<24 - 1))
}
