package grammar

import (
	"iter"
	"slices"

	"github.com/ladderback/ladderback/parser/lexicon"
)

// Costs of commentary: dearer than reading the same words.
const (
	costChat        = 40
	costChatUnknown = 14 // for each word that has a meaning or is not vocabulary
)

// chatSpan is a stretch of commentary; behind and before say that an item on the
// market must stand there, which cuts it out of its sentence.
type chatSpan struct {
	from, to, cost int32
	behind, before bool
}

// profile says of each token what it may be, for the caller to change.
func (c *chart) profile() []flags { return slices.Clone(c.tokens) }

// makeProfile says of each token what it may be.
func (c *chart) makeProfile() []flags {
	p := make([]flags, c.n)
	c.markLexemes(p)
	for i := range p {
		if i > 0 {
			p[i] = c.behind(int32(i), p[i], p[i-1])
		}
		if p[i]&isOpinion != 0 {
			p[i] &^= isRule | isWeak | isTold | isMeant
		}
		if p[i]&isIdiom != 0 {
			p[i] &^= isCoin | isOrder | isToken | isNegated | isMove | isQuantity | isJoiner
			if i+1 == len(p) || c.x.Word(int32(i)+1) != "'s" {
				p[i] &^= isMark
			}
		}
	}
	for _, e := range c.x.Lexemes {
		if c.g.sense(e.Entry).flags&isMinus != 0 { // a dash that is the sign of a number divides nothing
			p[e.From] &^= isBreaks
		}
		mark(p[e.From+1:e.To], 0, isUnknown) // the unit of a number is known
	}
	for _, f := range c.x.Fillers {
		mark(p[f.From:f.To], isPlain, 0)
		if f.To-f.From > 1 { // "I don't understand", "if that makes sense"
			mark(p[f.From:f.To], 0, isRule|isWeak|isNegated|isTold|isMark)
		}
	}
	c.keyed(p)
	c.strangeKeys(p)
	const said = isAmount | isToken | isCoin | isBuy | isQuantity | isMarker
	mark(p[:1+slices.IndexFunc(p, func(f flags) bool { return f&said != 0 })], isHead, 0)
	return p
}

// behind is what token i may be, f, by the token before it.
func (c *chart) behind(i int32, f, before flags) flags {
	switch {
	case f&isToken != 0 && before&isUnknown != 0 && c.g.words.sets["particles"][c.x.Text(i, i+1)]: // "chopped up"
		return f &^ isMark
	case c.g.words.sets["spans"][c.x.Word(i)] && c.x.HasClass(i-1, i, "FIRST", "LAST"): // "I only watch the first minute"
		return f | isMark
	}
	return f
}

// markLexemes marks the tokens by everything that they may mean.
func (c *chart) markLexemes(p []flags) {
	longest, named := c.longest(isToken), c.x.HasClass(0, c.n, "COIN")
	for i := range c.x.Lexemes {
		e := &c.x.Lexemes[i]
		f := c.flagsOf(e)
		if f&isToken != 0 && e.To-e.From < longest[e.From] { // "give up"
			f = isMeant
		}
		if lexicon.Entries()[e.Entry].Class == "NAME" {
			if !named {
				f |= isBegin
			}
			if e.To < c.n && c.x.Word(e.To) == "'s" || e.From > 0 && c.g.words.sets["naming"][c.x.Word(e.From-1)] {
				f |= isMark // "hype's 15m", "a strategy for hype"
			}
		}
		mark(p[e.From:e.To], f&^isMark, 0)
		if k := e.To - 1; e.To-e.From > 1 || !c.g.words.sets["other words"][c.x.Word(k)] {
			p[k] |= f & isMark // the noun
		}
	}
}

// mark adds flags to tokens and takes others from them.
func mark(p []flags, with, without flags) {
	for i := range p {
		p[i] = p[i]&^without | with
	}
}

// longest says of each token how long the longest lexeme is that it is part of, but for
// those with a flag.
func (c *chart) longest(without flags) []int32 {
	out := make([]int32, c.n)
	for _, e := range c.x.Lexemes {
		if c.g.sense(e.Entry).flags&without != 0 {
			continue
		}
		for k := e.From; k < e.To; k++ {
			out[k] = max(out[k], e.To-e.From)
		}
	}
	return out
}

// keyed marks the keys that have a value, and their values up to the next comma
// or break: "coin: x", "coin x".
func (c *chart) keyed(p []flags) {
	for i := range c.x.Lexemes {
		e := &c.x.Lexemes[i]
		entry := lexicon.Entries()[e.Entry]
		if keys := c.g.words.sets["keys"]; !keys[entry.Class] && (entry.Class != "WORD" || !keys[entry.Name]) || !c.opens(p, e.From) {
			continue
		}
		value := e.To
		for c.isSep(value) {
			value++
		}
		end := c.clauseEnd(p, value)
		if end == value || value == e.To && !c.isSep(e.To-1) && (end != value+1 || !c.g.words.sets["terse keys"][entry.Name] && !c.g.words.sets["open values"][c.x.Word(value)]) {
			continue
		}
		mark(p[e.From:end], isKeyed, 0)
	}
}

// How many tokens the name of a strange key may have, and its value.
const longestKey, longestValue = 3, 3

// strangeKeys marks words of no meaning before a sign of keys, and the bare number
// or bound behind it, which is theirs alone: "cooldown: 5m", "volatility: < 0.3".
func (c *chart) strangeKeys(p []flags) {
	for k := int32(1); k+1 < c.n; k++ {
		w, from := c.x.Word(k), k-1
		for w != "=" && k-from < longestKey && !c.opens(p, from) {
			from--
		}
		if w != "=" && (w != ":" && w != "->" || !c.opens(p, from)) {
			continue
		}
		end := c.clauseEnd(p, k+1)
		key, value := either(p, from, k), either(p, k+1, end)
		if end-k-1 <= longestValue && key&isMeant == 0 && key&(isUnknown|isOpinion) != 0 && isBare(value) {
			mark(p[from:end], isKeyed, 0)
		}
	}
}

// isBare reports whether a value is a number or a bound that does not say of what.
func isBare(v flags) bool {
	const no = isToken | isCoin | isMarker | isCue | isQuantity | isNegated | isUnknown | isOpinion
	return v&isAmount != 0 && v&no == 0 && v&(isRound|isRule) != isRound
}

// between iterates over the stretches of [i, j) between tokens that are marks.
func between(p []flags, marks flags, i, j int32) iter.Seq2[int32, int32] {
	return func(yield func(i, j int32) bool) {
		for from, k := i, i; k <= j; k++ {
			if k < j && p[k]&marks == 0 {
				continue
			}
			if from < k && !yield(from, k) {
				return
			}
			from = k + 1
		}
	}
}

// clauseEnd is where the clause ends that token i is in.
func (c *chart) clauseEnd(p []flags, i int32) int32 {
	for i < c.n && p[i]&(isBreaks|isComma) == 0 {
		i++
	}
	return i
}

// opens reports whether token i is the first of its clause, or quoted.
func (c *chart) opens(p []flags, i int32) bool {
	return i == 0 || p[i-1]&(isBreaks|isComma) != 0 || c.x.Word(i-1) == "\""
}

// isSep reports whether token i is what stands between a key and its value.
func (c *chart) isSep(i int32) bool { return i < c.n && c.g.words.sets["key signs"][c.x.Word(i)] }

// chat is the commentary of a prompt.
type chat struct {
	spans   []chatSpan
	clauses [][2]int32 // sentences that are commentary but for a market named
}

// inside reports whether a piece lies in a sentence that is commentary.
func (t *chat) inside(from, to int32) bool {
	return slices.ContainsFunc(t.clauses, func(c [2]int32) bool { return from >= c[0] && to <= c[1] })
}

// commentary finds what says nothing: between two breaks, without a number, a
// word of buying, selling or sizing, a marker of a condition or a negation that
// could reach a rule; between commas, without any word that has a meaning. A
// market that is named in it is read.
func (c *chart) commentary() *chat {
	p := c.profile()
	t := &chat{}
	for i, j := range between(p, isBreaks, 0, c.n) {
		for k, l := range between(p, isComma, i, j) {
			if (k > i || l < j) && c.passes(p, "clause", k, l) {
				t.spans = append(t.spans, chatSpan{from: k, to: l, cost: cost(p, k, l)})
			}
		}
		c.sentence(p, t, i, j)
	}
	return t
}

// cost of taking [i, j) as commentary.
func cost(p []flags, i, j int32) int32 {
	n := int32(costChat)
	for k := i; k < j; k++ {
		if p[k]&(isUnknown|isMeant) != 0 {
			n += costChatUnknown
		}
	}
	return n
}

// sentence takes a sentence that is no rule, but for the market that it names.
func (c *chart) sentence(p []flags, t *chat, i, j int32) {
	all := either(p, i, j)
	var cuts []int32
	if all&(isCoin|isRule) != 0 {
		cuts = c.markets(p, i, j)
	}
	if c.passes(p, "statement", i, j) {
		t.clauses = append(t.clauses, [2]int32{i, j})
		t.spans = append(t.spans, chatSpan{from: i, to: j, cost: cost(p, i, j)})
		return
	}
	if !c.passes(p, "sentence", i, j) || all&isTold != 0 && !c.tells(p, i, j) {
		return
	}
	if all&isKeyed == 0 {
		t.clauses = append(t.clauses, [2]int32{i, j})
	}
	cuts = append(cuts, i, j)
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	for a, from := range cuts {
		all, n := flags(0), int32(costChat)
		for b := a + 1; b < len(cuts) && !marked(p, cuts[b-1], cuts[b]); b++ {
			all, n = all|either(p, cuts[b-1], cuts[b]), n+cost(p, cuts[b-1], cuts[b])-costChat
			switch {
			case c.judges(p, "part", all, from, cuts[b]):
				t.spans = append(t.spans, chatSpan{from, cuts[b], n, from > i, cuts[b] < j})
			case all&isMarket != 0:
				b = len(cuts) // nor is more of it
			}
		}
	}
}

// marked reports whether a token of [i, j) is never passed over, unless it stands in an
// item on the market.
func marked(p []flags, i, j int32) bool {
	return slices.ContainsFunc(p[i:j], func(f flags) bool { return f&(isMark|isMarket) == isMark })
}

// either is what the tokens of [i, j) may be.
func either(p []flags, i, j int32) flags {
	all := flags(0)
	for k := i; k < j; k++ {
		all |= p[k]
	}
	return all
}

// markets marks the tokens of the items on the market in [i, j) that name a coin
// or a length, and returns where they begin and end.
func (c *chart) markets(p []flags, i, j int32) []int32 {
	var cuts []int32
	for to := i + 1; to <= j; to++ {
		for _, ei := range c.at[to].pieces {
			e := &c.edges[ei]
			if e.s != c.g.ids["item.market"] || e.from < i || e.says.mask&(1<<SlotCoin|1<<SlotLen) == 0 {
				continue
			}
			cuts = append(cuts, e.from, to)
			mark(p[e.from:to], isMarket, 0)
		}
	}
	return cuts
}
