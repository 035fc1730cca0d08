package lexicon

import "slices"

// NumberClasses are the classes of lexemes that are numbers.
var NumberClasses = []string{"CENT", "DEC", "USDC", "USD", "INT", "REAL", "ZERO", "PLUSNUM", "MINUSNUM", "DUR", "LEN", "CLEN", "FRAC", "ORD", "TIMES", "DECADE",
	"EDGE", "MINUSEDGE", "ZEROUSD", "BADNUM", "PCT", "SHARES", "CLOCK", "BADMONEY", "TICKS", "DAYS"}

// Number is a number of a prompt with all that it may be: the tokens [From, To).
type Number struct {
	From, To int32
	Lexemes  []int32 // indices into [Lattice.Lexemes]
}

// Numbers lists the numbers of a prompt in its order, each by the longest ways of reading it.
func (l *Lattice) Numbers() (out []Number) {
	entries := Entries()
	var found []Number
	for i, x := range l.Lexemes {
		if slices.Contains(NumberClasses, entries[x.Entry].Class) {
			found = append(found, Number{x.From, x.To, []int32{int32(i)}})
		}
	}
	slices.SortStableFunc(found, func(a, b Number) int { return int(b.To-b.From) - int(a.To-a.From) })
next:
	for _, n := range found {
		for k := range out {
			o := &out[k]
			if o.From == n.From && o.To == n.To {
				o.Lexemes = append(o.Lexemes, n.Lexemes...)
				continue next
			}
			if n.From < o.To && o.From < n.To {
				continue next
			}
		}
		out = append(out, n)
	}
	slices.SortFunc(out, func(a, b Number) int { return int(a.From - b.From) })
	return out
}
