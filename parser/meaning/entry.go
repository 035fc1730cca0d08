package meaning

import (
	"slices"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/strategy"
)

// conditions makes the entry's conditions.
func (b *builder) conditions() {
	some := len(b.entry)+len(b.any) > 0
	switch open, fav := b.all.Get(grammar.SlotOpen), b.all.Has(grammar.SlotFav); {
	case b.side == grammar.SideEither && b.soft == grammar.SideEither && !some && !fav:
		b.fail(Unclear, "Up or Down: on what condition? say \"buy either side when its price is below 35c\"", b.at(grammar.SlotSoft))
		return
	case open == grammar.OpenFree && some:
		b.fail(Contradicts, "no condition, and one: say which", b.by[grammar.SlotOpen])
		return
	case open != 0 && (some || fav) && !slices.ContainsFunc(b.entry, func(k *condition) bool { return k.Qty == grammar.Elapsed && k.Cmp <= 2 }): // its own end is said
		b.entry = append(b.entry, &condition{grammar.Cond{Qty: grammar.Elapsed, Cmp: 2, Num: OpenSeconds * micro}, b.by[grammar.SlotOpen]})
		b.note("entry", "10", "at the open is read as in the first 10 seconds")
	}
	b.pronouns()
	b.s.Entry = b.list(b.entry)
	for _, g := range b.any {
		b.s.EntryAny = append(b.s.EntryAny, b.list(g))
	}
	b.alternatives()
}

// alternatives refuses two of which one says nothing beside the other, or that
// leave out nothing: "not above 40c or below 20c". What stands in brackets means
// what it says.
func (b *builder) alternatives() {
	for i, g := range b.s.EntryAny {
		for _, h := range b.s.EntryAny[:i] {
			if len(g) == 1 && len(h) == 1 && !b.any[i][0].Closed && idle(b.onClock(g[0]), b.onClock(h[0])) {
				b.fail(Unclear, "one of these alternatives says nothing: what is denied, and what is \"or\"? say each bound by itself", b.anyItem)
			}
		}
	}
}

// onClock is a condition on the time that is left as one on the time that has
// passed, where the length of the market is known.
func (b *builder) onClock(c strategy.Condition) strategy.Condition {
	if left := int64(c.Threshold); c.Type == strategy.TimeRemaining && b.length > 0 {
		c.Type, c.Threshold = strategy.TimeElapsed, strategy.Number(b.length*micro-left)
		c.Comparator = map[strategy.Comparator]strategy.Comparator{strategy.LT: strategy.GT, strategy.LTE: strategy.GTE, strategy.GT: strategy.LT, strategy.GTE: strategy.LTE}[c.Comparator]
	}
	return c
}

// idle reports whether "x or y" is x, y, or always so.
func idle(x, y strategy.Condition) bool {
	lower := x.Comparator.IsLower()
	strict := func(c strategy.Condition) bool { return isOneOf(c.Comparator, strategy.LT, strategy.GT) }
	meet := x.Threshold == y.Threshold && strict(x) != strict(y)
	return x != y && oneValue(x, y) && (lower == y.Comparator.IsLower() || !empty(x, y, lower) || meet)
}

// pronouns settles what "it" is where a side of the book was spoken of: the offer
// that is bought, where nothing else was; else it may be the ask or the token, and
// that is refused.
func (b *builder) pronouns() {
	offered, book := b.all.Has(grammar.SlotOffer), false
	for _, k := range b.conds() {
		switch {
		case k.IsTime():
		case k.Tok == grammar.TokPron && (book && k.Qty == grammar.NoQuantity || offered && isOneOf(k.Qty, grammar.Price, grammar.Change)):
			b.fail(Unclear, "\"it\": the ask, the bid or the price? name which", k.item)
		case k.Qty != grammar.NoQuantity:
			book = book || offered || isOneOf(k.Qty, grammar.Ask, grammar.Bid) && k.Tok <= grammar.TokHeld
		case offered && !book && !isOneOf(k.Tok, grammar.SideUp, grammar.SideDown):
			k.Qty = grammar.Ask
		}
	}
}

func isOneOf[T comparable](v T, list ...T) bool { return slices.Contains(list, v) }

var quantities = map[grammar.Quantity]strategy.Type{
	grammar.NoQuantity: strategy.Price, grammar.Price: strategy.Price, grammar.Ask: strategy.BestAsk, grammar.Bid: strategy.BestBid,
	grammar.Spread: strategy.Spread, grammar.AskDepth: strategy.AskDepth, grammar.BidDepth: strategy.BidDepth, grammar.Imbalance: strategy.Imbalance,
	grammar.Change: strategy.PriceChange, grammar.Elapsed: strategy.TimeElapsed, grammar.Remaining: strategy.TimeRemaining,
}

var comparators = [...]strategy.Comparator{"", strategy.LT, strategy.LTE, strategy.GT, strategy.GTE, strategy.CrossesAbove, strategy.CrossesBelow}

// list makes the conditions of a list, in its order.
func (b *builder) list(list []*condition) []strategy.Condition {
	out := []strategy.Condition{}
	last, spoken := int8(0), -1 // the token spoken of last, and the item that names it
	says := b.saysSide()
	for _, k := range list {
		typ, ok := quantities[k.Qty]
		o := strategy.Condition{Type: typ, Comparator: comparators[k.Cmp], Threshold: strategy.Number(k.Num), WithinSeconds: int(k.Win / micro)}
		switch {
		case !ok:
			b.fail(Unclear, "depth of which side? say \"ask depth\" or \"bid depth\"", k.item)
		case k.Win%micro != 0:
			b.fail(Unclear, "the look-back is not a whole number of seconds", k.item)
		case k.Part != 0:
			o.Threshold = strategy.Number(b.part(int64(k.Part), k.item))
		}
		if !k.IsTime() {
			if k.Tok == grammar.TokPron && says > spoken && says <= k.item {
				last = int8(b.side)
			}
			if o.Token = b.token(k, &last); isOneOf(k.Tok, grammar.SideUp, grammar.SideDown, grammar.TokOther) {
				spoken = k.item
			}
		}
		out = append(out, o)
	}
	return out
}

// saysSide is the item that names the token that is bought, -1 for none.
func (b *builder) saysSide() int {
	for _, slot := range []grammar.Slot{grammar.SlotSide, grammar.SlotSoft, grammar.SlotHint} {
		if at, ok := b.by[slot]; ok && isOneOf(b.side, grammar.SideUp, grammar.SideDown) {
			return at
		}
	}
	return -1
}

// token settles the token of a condition. "It" is the token spoken of last,
// else the one bought.
func (b *builder) token(k *condition, last *int8) strategy.Token {
	if k.Tok != 0 && k.Tok != grammar.TokHeld && k.Tok != grammar.TokPron {
		*last = k.Tok
	}
	t := k.Tok
	if t == grammar.TokPron && b.s.Side != strategy.Either {
		t = *last
	}
	named := isOneOf(t, grammar.SideUp, grammar.SideDown)
	switch {
	case k.Tok == 0 && *last != 0 && int64(*last) != b.side: // another than the one bought was spoken of
		if isOneOf(k.Qty, grammar.NoQuantity, grammar.Change) {
			b.fail(Unclear, "of which token? name Up or Down", k.item)
		}
	case named && b.s.Side == strategy.Either:
		b.fail(Unclear, "with either side there is no Up and Down; say \"its price\" or \"the other side's price\"", k.item)
	case t == grammar.TokOther, named && int64(t) != b.side:
		return b.s.Side.Other()
	}
	return b.s.Side.Held()
}

// favorite adds what "favorite" and "underdog" imply, unless a bound on the
// same token's price implies it.
func (b *builder) favorite() {
	if !b.all.Has(grammar.SlotFav) {
		return
	}
	leader := b.all.Get(grammar.SlotFav) == grammar.FavLeader
	if slices.ContainsFunc(b.s.Entry, func(k strategy.Condition) bool { return IsFavorite(k, leader) }) {
		return
	}
	c := strategy.Condition{Type: strategy.Price, Token: strategy.TokenSame, Comparator: strategy.GT, Threshold: micro / 2}
	if !leader {
		c.Comparator = strategy.LT
	}
	b.s.Entry, b.entry = append(b.s.Entry, c), append(b.entry, &condition{item: -1})
	b.note("entry", "0.5", "the favorite is the side above 0.50, the underdog the one below")
}

// IsFavorite reports whether a condition implies that the favorite is bought, or the underdog.
func IsFavorite(k strategy.Condition, leader bool) bool {
	lower := k.Comparator.IsLower()
	return k.Type == strategy.Price && k.Token == strategy.TokenSame && (leader && lower && k.Threshold >= micro/2 || !leader && !lower && k.Threshold <= micro/2)
}

// repeats refuses two values for one bound, and bounds that leave nothing.
func (b *builder) repeats() {
	for i, x := range b.s.Entry {
		for j, y := range b.s.Entry[:i] {
			switch lower := x.Comparator.IsLower(); {
			case !oneValue(x, y):
			case lower != y.Comparator.IsLower():
				if empty(x, y, lower) {
					b.fail(Contradicts, "no value meets both of these bounds", b.entry[j].item, b.entry[i].item)
				}
			case x.Threshold != y.Threshold && !x.Type.IsTime() && b.entry[i].item != b.entry[j].item:
				b.fail(Contradicts, "two values for one bound; give one", b.entry[j].item, b.entry[i].item)
			}
		}
	}
}

// oneValue reports whether two conditions are bounds of one value.
func oneValue(x, y strategy.Condition) bool {
	return x.Type == y.Type && x.Token == y.Token && x.WithinSeconds == y.WithinSeconds && !x.Comparator.IsCrossing() && !y.Comparator.IsCrossing()
}

// empty reports whether no value meets two bounds, of which the first is a lower
// one or the second.
func empty(lo, hi strategy.Condition, first bool) bool {
	if !first {
		lo, hi = hi, lo
	}
	return hi.Threshold < lo.Threshold || hi.Threshold == lo.Threshold && (hi.Comparator == strategy.LT || lo.Comparator == strategy.GT)
}

// Says reports whether k came from a condition of the prompt, or from part of
// one that lacks its subject.
func Says(c *grammar.Cond, k *strategy.Condition) bool {
	typ := quantities[c.Qty] == k.Type
	if c.Qty == grammar.NoQuantity {
		typ = !k.Type.IsTime()
	}
	return typ && comparators[c.Cmp] == k.Comparator && (c.Part != 0 || strategy.Number(c.Num) == k.Threshold) &&
		(c.Qty != grammar.Change || c.Win == int64(k.WithinSeconds)*micro)
}
