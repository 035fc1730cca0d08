package rules

import (
	"slices"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/parser/rules/said"
)

// figure is a number of the prompt that was read.
type figure struct {
	from, to int32
	item     int
	end      int32  // of the item
	bare     bool   // without a unit of its own
	mends    bool   // in an item that corrects another
	kind     string // what it counts: a price, a time, dollars, markets
}

// kindsOf are what numbers count by their classes, and those without a unit by the
// category around them.
var kindsOf = map[string]string{
	"CENT": "price", "DEC": "price", "USDC": "price", "EDGE": "price", "PLUSNUM": "price", "MINUSNUM": "price", "MINUSEDGE": "price", "price": "price", "amount": "price", "xval": "price",
	"DUR": "time", "LEN": "time", "CLEN": "time", "mark": "time", "time": "time", "dur": "time",
	"USD": "dollars", "ZEROUSD": "dollars", "budget": "dollars", "item.money": "dollars", "sample": "markets", "item.sample": "markets",
}

// figures lists the numbers that a reading consumed, in the order of the prompt, and
// says of each token whether it was.
func (r *reader) figures(reading *grammar.Reading) (list []figure, read []bool) {
	read = make([]bool, r.p.Tokens())
	var walk func(n grammar.Node, item int, kind string)
	walk = func(n grammar.Node, item int, kind string) {
		if k := kindsOf[n.Symbol]; k != "" {
			kind = k
		}
		if n.Line != nil {
			for _, part := range n.Parts {
				walk(part, item, kind)
			}
			return
		}
		l := &r.p.Lexemes[n.Lexeme]
		for k := l.From; k < l.To; k++ {
			read[k] = true
		}
		bare := n.Symbol == "INT" || n.Symbol == "REAL"
		if bare || kindsOf[n.Symbol] != "" {
			list = append(list, figure{l.From, l.To, item, reading.Items[item].To, bare, reading.Items[item].Meaning.Has(grammar.SlotMend), kind})
		}
	}
	for i := range reading.Items {
		walk(r.p.Node(&reading.Items[i]), i, "")
	}
	slices.SortStableFunc(list, func(a, b figure) int { return int(a.from - b.from) })
	return list, read
}

// besides are the words that put one number beside another of its kind.
var besides = lexicon.WordSet(reasons["besides"])

// headless lists the numbers that no head of their kind owns: a bare one beside a
// number of another kind or one that is not read, or beside a word that is left over,
// and a correction without a unit of what is no neighbour of its kind.
func (r *reader) headless(reading *grammar.Reading) []Obstacle {
	list, read := r.figures(reading)
	var out []Obstacle
	no := func(from, to int32) { out = append(out, r.no(from, to, "headless")) }
	for i := range list {
		f := &list[i]
		if i > 0 && r.followsStrangely(reading, &list[i-1], f) {
			no(list[i-1].from, f.to)
		}
		switch {
		case r.besideAnother(list, f, read):
			no(f.from, min(f.to+2, int32(len(read))))
		case f.kind == "price" && r.counts(reading, f):
			no(f.from, f.to+1)
		case f.bare && (r.numbersHeading(f) || r.names(reading.Items[f.item].From, f.to)):
			no(reading.Items[f.item].From, f.to)
		case f.from > 0 && (said.IsBare(&reading.Items[f.item]) && r.ofDenied(f) || f.bare && r.ofAnother(reading, f)):
			no(f.from-1, f.to)
		}
	}
	return out
}

// followsStrangely reports whether a number behind another is a correction of what is of
// another kind, or a price without a comparator straight beside a price.
func (r *reader) followsStrangely(reading *grammar.Reading, before, f *figure) bool {
	return f.bare && f.mends && before.item != f.item && before.kind != f.kind ||
		f.kind == before.kind && (said.IsBare(&reading.Items[f.item]) && r.besideOnly(before.to, f.from) || before.bare && before.to == f.from)
}

// counts reports whether a word behind a price makes an amount of it, or a count: what
// stands per trade, but for a gain or a loss, and a bare number of rounds.
func (r *reader) counts(reading *grammar.Reading, f *figure) bool {
	it, end := &reading.Items[f.item], int32(r.p.Tokens())
	if f.to == end {
		return false
	}
	own := slices.ContainsFunc([]grammar.Slot{grammar.SlotTPO, grammar.SlotSLO, grammar.SlotTrail, grammar.SlotBudget}, it.Meaning.Has)
	each := r.p.Word(f.to) == "per" && r.p.HasClass(f.to, min(f.to+2, end), "PER")
	return !own && each || f.bare && it.To == f.to && r.p.HasClass(f.to, f.to+1, "ROUND")
}

// names reports whether an item behind the key of a name begins with a number that may be
// part of that: "name: test 3", between quotation marks too.
func (r *reader) names(from, to int32) bool {
	end := int32(r.p.Tokens())
	for from > 0 && r.p.Word(from-1) == `"` {
		from--
	}
	if to < end && r.p.Word(to) == `"` {
		to++
	}
	key := from - 2
	if key > 0 && r.p.Word(key) == `"` {
		key--
	}
	return key >= 0 && r.p.HasClass(from-1, from, "COLON", "EQ") && titles[r.p.Word(key)] && (to == end || r.isBreak(to))
}

// numbersHeading reports whether the number of a sample may be the one of a heading:
// "Test #12: …", "test 4: …".
func (r *reader) numbersHeading(f *figure) bool {
	at := f.from - 1
	if at > 0 && r.p.Word(at) == "#" {
		at--
	}
	return f.kind == "markets" && at >= 0 && numbered[r.p.Word(at)] && (at == 0 || r.isBreak(at-1)) && f.to < int32(r.p.Tokens()) && r.p.HasClass(f.to, f.to+1, "COLON")
}

// titles are the keys of names, numbered what headings number, articles what begins
// another thing than a unit.
var titles, numbered, articles = lexicon.WordSet(reasons["titles"]), lexicon.WordSet(reasons["numbered"]), lexicon.WordSet("the my this")

// ofDenied reports whether a price stands right behind a side that is denied.
func (r *reader) ofDenied(f *figure) bool {
	for l, e := range r.p.Within(max(f.from-3, 0), f.from) {
		if e.Class == "TOK" && l.From > 0 && r.p.HasClass(l.From-1, l.From, "NOT") {
			return true
		}
	}
	return false
}

// ofAnother reports whether a word of money stands right before the number of a price,
// or a "no" that is not bought.
func (r *reader) ofAnother(reading *grammar.Reading, f *figure) bool {
	return f.kind == "price" && r.p.HasClass(f.from-1, f.from, "STAKE", "BUDGET") ||
		said.IsBare(&reading.Items[f.item]) && r.p.Word(f.from-1) == "no" && !reading.Items[f.item].Meaning.Has(grammar.SlotBuy)
}

// besideOnly reports whether nothing stands between two numbers but what puts them
// beside each other.
func (r *reader) besideOnly(from, to int32) bool {
	return from == to || from+1 == to && (r.isBreak(from) || besides[r.p.Word(from)] || r.p.Word(from) == "no")
}

// besideAnother reports whether an article stands behind the number of a time, or a word
// that puts numbers beside each other, and behind that one of another kind, or one that is
// not read.
func (r *reader) besideAnother(list []figure, f *figure, read []bool) bool {
	at := f.to
	if f.bare && f.kind == "time" && at < f.end && articles[r.p.Word(at)] { // "in 1 the last minute"
		return true
	}
	if at+1 >= int32(r.p.Tokens()) || !besides[r.p.Word(at)] || !r.hasNumberAt(at+1) || r.divides(at) {
		return false
	}
	k := slices.IndexFunc(list, func(o figure) bool { return o.from == at+1 })
	if k < 0 {
		return !read[at+1]
	}
	o := &list[k]
	return !read[at] && o.item == f.item || (f.bare || o.bare) && f.otherThan(o)
}

// divides reports whether token i is a dash between spaces in a prompt that others like it
// divide, which stand between no two numbers: "up - <35c - stop 25 - $20".
func (r *reader) divides(i int32) bool {
	divides := func(k int32) bool {
		between := k > 0 && r.isBreak(k) && r.p.Span(k-1, k).End < r.p.Span(k, k+1).Start && r.p.Span(k, k+1).End < r.p.Span(k+1, k+2).Start
		return between && r.p.Word(k) == r.p.Word(i) && (r.p.Word(k) == "-" || r.p.Word(k) == "–")
	}
	others := 0
	for k := range int32(r.p.Tokens() - 1) {
		if divides(k) && !r.hasNumberAt(k+1) {
			others++
		}
	}
	return others > 1 && divides(i)
}

// otherThan reports whether two numbers are known to be of different kinds.
func (f *figure) otherThan(o *figure) bool { return f.kind != "" && o.kind != "" && f.kind != o.kind }

// hasNumberAt reports whether a number begins at a token.
func (r *reader) hasNumberAt(i int32) bool {
	for l, e := range r.p.Within(i, int32(r.p.Tokens())) {
		if l.From == i && (kindsOf[e.Class] != "" || e.Class == "INT" || e.Class == "REAL") {
			return true
		}
	}
	return false
}
