package lexicon

import "slices"

// longestPhrase bounds how many tokens a phrase may have, for looking at what
// is around a lexeme.
const longestPhrase = 14

// rank settles phrases that lie within others: what is known as unsayable
// outranks what lies within it, and gives way to a longer phrase around it.
func (x *reader) rank() {
	x.drop(func(e Lexeme) bool { // the token "no" where it begins a comparator: no more than 40c
		return e.To == e.From+1 && x.tokens[e.From].text == "no" && slices.ContainsFunc(x.around(e.From, e.To), func(o Lexeme) bool {
			return o.From == e.From && x.classOf(&o) == "CMP" && x.tokens[o.To-1].text == "than"
		})
	})
	x.drop(func(e Lexeme) bool { // "1c and up is below 50c": the token
		name := x.lex.entries[e.Entry].Name
		return (name == "or up" || name == "or down") && x.HasClass(e.To, min(e.To+1, int32(len(x.tokens))), "BE")
	})
	x.Fillers = slices.DeleteFunc(x.Fillers, func(f Filler) bool { // "rule 1" opens a clause
		return f.To-f.From > 1 && x.numbered(f.To-1) && f.From > 0 && x.IsWord(f.From-1)
	})
	for i := range x.Fillers {
		x.rankFiller(&x.Fillers[i])
	}
	if !slices.ContainsFunc(x.Lexemes, func(e Lexeme) bool { return x.unsayable(&e) }) {
		return
	}
	x.drop(func(e Lexeme) bool { return x.unsayable(&e) && x.yields(&e) })
	x.Fillers = slices.DeleteFunc(x.Fillers, func(f Filler) bool { return x.covered(f.From, f.To, 0) })
	x.drop(func(e Lexeme) bool { return x.covered(e.From, e.To, 1) })
}

// numbered reports whether token i is a number, but for "one".
func (x *reader) numbered(i int32) bool {
	w := x.text(int(i))
	_, small := smallNumbers[w]
	return small && w != "one" || x.isNum(int(i))
}

// drop takes out the lexemes that a function is true of, which looks at all of them.
func (x *reader) drop(which func(e Lexeme) bool) {
	x.Lexemes = slices.DeleteFunc(slices.Clone(x.Lexemes), which)
}

// around returns the lexemes that may cover or overlap [from, to).
func (x *reader) around(from, to int32) []Lexeme {
	begin := func(e Lexeme, at int32) int { return int(e.From - at) }
	lo, _ := slices.BinarySearchFunc(x.Lexemes, from-longestPhrase, begin)
	hi, _ := slices.BinarySearchFunc(x.Lexemes, to, begin)
	return x.Lexemes[lo:hi]
}

// rankFiller makes a filler dear that is part of a longer phrase with a
// meaning, or that has words with a meaning in it.
func (x *reader) rankFiller(f *Filler) {
	for _, o := range x.around(f.From, f.To) {
		if o.From <= f.From && o.To >= f.To && o.To-o.From > f.To-f.From {
			f.Rank = max(f.Rank, 25)
		}
		if o.From >= f.From && o.To <= f.To && o.To-o.From < f.To-f.From && meaningful[x.classOf(&o)] {
			f.Rank += 12
		}
	}
}

// meaningful are the classes of words that a filler should not hide.
var meaningful = WordSet("PRON BE TOK CMP MOVE NOT QTY LAST FIRST CENT DEC USD USDC INT REAL DUR FRAC ORD TIMES")

func (x *reader) classOf(e *Lexeme) string { return x.lex.entries[e.Entry].Class }

func (x *reader) unsayable(e *Lexeme) bool { return unsayable[x.classOf(e)] }

var unsayable = WordSet("REFUSE OUTSIDE VAGUE MEAN")

// yields reports whether a longer phrase stands around an unsayable one, or, but for what
// is firm, one that begins before it and is no shorter.
func (x *reader) yields(e *Lexeme) bool {
	slots := x.lex.entries[e.Entry].Slots
	stays := x.classOf(e) == "OUTSIDE" || len(slots) > 0 && firm[slots[0].Value]
	return slices.ContainsFunc(x.around(e.From, e.To), func(o Lexeme) bool {
		return o.From <= e.From && o.To >= e.To && o.To-o.From > e.To-e.From ||
			o.From < e.From && o.To > e.From && o.To-o.From >= e.To-e.From && !stays
	}) || slices.ContainsFunc(x.Fillers, func(f Filler) bool {
		return f.From <= e.From && f.To >= e.To && f.To-f.From > e.To-e.From
	})
}

// firm are the reasons of what excludes and what names several coins.
var firm = WordSet("exclusion coins")

// covered reports whether an unsayable phrase covers [from, to) and is longer
// by at least the given number of tokens.
func (x *reader) covered(from, to, by int32) bool {
	return slices.ContainsFunc(x.around(from, to), func(o Lexeme) bool {
		return o.From <= from && o.To >= to && o.To-o.From >= to-from+by && x.unsayable(&o)
	})
}
