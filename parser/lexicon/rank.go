package lexicon

import "slices"

// longestPhrase bounds how many tokens a phrase may have, for looking at what
// is around a lexeme.
const longestPhrase = 14

// rank settles phrases that lie within others: what is known as unsayable
// outranks what lies within it, and gives way to a longer phrase around it.
func (x *reader) rank() {
	x.drop(func(e *Lexeme, around []Lexeme) bool { // the token "no" where it begins a comparator: no more than 40c
		return e.To == e.From+1 && x.toks[e.From].text == "no" && slices.ContainsFunc(around, func(o Lexeme) bool {
			return o.From == e.From && x.classOf(&o) == "CMP" && x.toks[o.To-1].text == "than"
		})
	})
	near := x.near()
	for i := range x.fillers {
		x.rankFiller(&x.fillers[i], near)
	}
	if !slices.ContainsFunc(x.lexemes, func(e Lexeme) bool { return x.unsayable(&e) }) {
		return
	}
	x.drop(func(e *Lexeme, around []Lexeme) bool { return x.unsayable(e) && x.yields(e, around) })
	near = x.near()
	x.fillers = slices.DeleteFunc(x.fillers, func(f Filler) bool { return x.covered(f.From, f.To, 0, x.around(near, f.From, f.To)) })
	x.drop(func(e *Lexeme, around []Lexeme) bool { return x.covered(e.From, e.To, 1, around) })
}

// drop takes out the lexemes that a function is true of; it is given those that may
// cover or overlap them.
func (x *reader) drop(which func(e *Lexeme, around []Lexeme) bool) {
	near, kept := x.near(), make([]Lexeme, 0, len(x.lexemes))
	for i := range x.lexemes {
		if e := &x.lexemes[i]; !which(e, x.around(near, e.From, e.To)) {
			kept = append(kept, *e)
		}
	}
	x.lexemes = kept
}

// near says of each token which lexeme is the first that begins there or later.
func (x *reader) near() []int32 {
	first := make([]int32, len(x.toks)+1)
	k := int32(len(x.lexemes))
	for i := len(x.toks); i >= 0; i-- {
		for k > 0 && int(x.lexemes[k-1].From) >= i {
			k--
		}
		first[i] = k
	}
	return first
}

// around returns the lexemes that may cover or overlap [from, to).
func (x *reader) around(first []int32, from, to int32) []Lexeme {
	hi := int32(len(x.lexemes))
	if int(to) < len(first) {
		hi = first[to]
	}
	return x.lexemes[first[max(0, from-longestPhrase)]:hi]
}

// rankFiller makes a filler dear that is part of a longer phrase with a
// meaning, or that has words with a meaning in it.
func (x *reader) rankFiller(f *Filler, near []int32) {
	for _, o := range x.around(near, f.From, f.To) {
		if o.From <= f.From && o.To >= f.To && o.To-o.From > f.To-f.From {
			f.Rank = max(f.Rank, 25)
		}
		if o.From >= f.From && o.To <= f.To && o.To-o.From < f.To-f.From && meaningful[x.classOf(&o)] {
			f.Rank += 12
		}
	}
}

// meaningful are the classes of words that a filler should not hide.
var meaningful = map[string]bool{
	"PRON": true, "BE": true, "TOK": true, "CMP": true, "MOVE": true, "NOT": true, "QTY": true, "LAST": true, "FIRST": true,
	"CENT": true, "DEC": true, "USD": true, "USDC": true, "INT": true, "REAL": true, "DUR": true, "FRAC": true, "ORD": true, "TIMES": true,
}

func (x *reader) classOf(e *Lexeme) string { return x.lex.entries[e.Entry].Class }

func (x *reader) unsayable(e *Lexeme) bool {
	c := x.classOf(e)
	return c == "REFUSE" || c == "OUTSIDE" || c == "VAGUE" || c == "MEAN"
}

// yields reports whether a longer phrase stands around an unsayable one, or one
// that begins before it and is no shorter.
func (x *reader) yields(e *Lexeme, around []Lexeme) bool {
	outside := x.classOf(e) == "OUTSIDE"
	return slices.ContainsFunc(around, func(o Lexeme) bool {
		return o.From <= e.From && o.To >= e.To && o.To-o.From > e.To-e.From ||
			o.From < e.From && o.To > e.From && o.To-o.From >= e.To-e.From && !outside
	}) || slices.ContainsFunc(x.fillers, func(f Filler) bool {
		return f.From <= e.From && f.To >= e.To && f.To-f.From > e.To-e.From
	})
}

// covered reports whether an unsayable phrase covers [from, to) and is longer
// by at least the given number of tokens.
func (x *reader) covered(from, to, by int32, around []Lexeme) bool {
	return slices.ContainsFunc(around, func(o Lexeme) bool {
		return o.From <= from && o.To >= to && o.To-o.From >= to-from+by && x.unsayable(&o)
	})
}
