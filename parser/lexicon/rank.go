package lexicon

// longestPhrase bounds how many tokens a phrase may have, for looking at what
// is around a lexeme.
const longestPhrase = 14

// nearby indexes lexemes by where they begin.
type nearby struct {
	first []int32 // by token: first lexeme that begins there or later
	n     int32
}

func (x *reader) near() nearby {
	first := make([]int32, len(x.toks)+1)
	k := int32(len(x.lexemes))
	for i := len(x.toks); i >= 0; i-- {
		for k > 0 && int(x.lexemes[k-1].From) >= i {
			k--
		}
		first[i] = k
	}
	return nearby{first, int32(len(x.lexemes))}
}

// around returns the lexemes that may cover or overlap [from, to).
func (x *reader) around(n nearby, from, to int32) []Lexeme {
	lo := n.first[max(0, from-longestPhrase)]
	hi := n.n
	if int(to) < len(n.first) {
		hi = n.first[to]
	}
	return x.lexemes[lo:hi]
}

// rank settles phrases that lie within others: what is known as unsayable
// outranks what lies within it, and gives way to a longer phrase around it.
func (x *reader) rank() {
	n := x.near()
	x.negations(n)
	n = x.near()
	for i := range x.fillers {
		x.rankFiller(n, &x.fillers[i])
	}
	if !x.anyUnsayable() {
		return
	}
	drop := make([]bool, len(x.lexemes))
	for i := range x.lexemes {
		e := &x.lexemes[i]
		drop[i] = x.unsayable(e) && x.yields(n, e)
	}
	x.keep(drop)
	n = x.near()
	drop = make([]bool, len(x.lexemes))
	for i := range x.lexemes {
		drop[i] = x.blocked(n, x.lexemes[i].From, x.lexemes[i].To, 1)
	}
	fills := x.fillers[:0:0]
	for _, f := range x.fillers {
		if !x.blocked(n, f.From, f.To, 0) {
			fills = append(fills, f)
		}
	}
	x.fillers = fills
	x.keep(drop)
}

// negations drops the token "no" where it begins a comparator: no more than 40c.
func (x *reader) negations(n nearby) {
	drop := make([]bool, len(x.lexemes))
	for i := range x.lexemes {
		e := &x.lexemes[i]
		if x.toks[e.From].text != "no" || e.To > e.From+1 {
			continue
		}
		for _, o := range x.around(n, e.From, e.To) {
			drop[i] = drop[i] || o.From == e.From && x.lex.entries[o.Entry].Class == "CMP" && x.toks[o.To-1].text == "than"
		}
	}
	x.keep(drop)
}

// rankFiller makes a filler dear that is part of a longer phrase with a
// meaning, or that has words with a meaning in it.
func (x *reader) rankFiller(n nearby, f *Filler) {
	for _, o := range x.around(n, f.From, f.To) {
		if o.From <= f.From && o.To >= f.To && o.To-o.From > f.To-f.From {
			f.Rank = max(f.Rank, 25)
		}
		if o.From >= f.From && o.To <= f.To && o.To-o.From < f.To-f.From && meaningful[x.lex.entries[o.Entry].Class] {
			f.Rank += 12
		}
	}
}

// meaningful are the classes of words that a filler should not hide.
var meaningful = map[string]bool{
	"PRON": true, "BE": true, "TOK": true, "CMP": true, "MOVE": true, "NOT": true, "QTY": true, "LAST": true, "FIRST": true,
	"CENT": true, "DEC": true, "USD": true, "USDC": true, "INT": true, "REAL": true, "DUR": true, "FRAC": true, "ORD": true, "TIMES": true,
}

func (x *reader) unsayable(e *Lexeme) bool {
	switch x.lex.entries[e.Entry].Class {
	case "REFUSE", "OUTSIDE", "VAGUE", "MEAN":
		return true
	}
	return false
}

func (x *reader) anyUnsayable() bool {
	for i := range x.lexemes {
		if x.unsayable(&x.lexemes[i]) {
			return true
		}
	}
	return false
}

// yields reports whether a longer phrase stands around an unsayable one, or one
// that begins before it and is no shorter.
func (x *reader) yields(n nearby, e *Lexeme) bool {
	outside := x.lex.entries[e.Entry].Class == "OUTSIDE"
	for _, o := range x.around(n, e.From, e.To) {
		if o.From <= e.From && o.To >= e.To && o.To-o.From > e.To-e.From ||
			o.From < e.From && o.To > e.From && o.To-o.From >= e.To-e.From && !outside {
			return true
		}
	}
	for i := range x.fillers {
		f := &x.fillers[i]
		if f.From <= e.From && f.To >= e.To && f.To-f.From > e.To-e.From {
			return true
		}
	}
	return false
}

// blocked reports whether an unsayable phrase covers [from, to) and is longer
// by at least the given number of tokens.
func (x *reader) blocked(n nearby, from, to, by int32) bool {
	for _, o := range x.around(n, from, to) {
		if o.From <= from && o.To >= to && o.To-o.From >= to-from+by && x.unsayable(&o) {
			return true
		}
	}
	return false
}

func (x *reader) keep(drop []bool) {
	kept := x.lexemes[:0]
	for i, e := range x.lexemes {
		if !drop[i] {
			kept = append(kept, e)
		}
	}
	x.lexemes = kept
}
