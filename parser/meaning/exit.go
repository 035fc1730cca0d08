package meaning

import (
	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/strategy"
)

// exits settles when the position is sold.
func (b *builder) exits() {
	if b.all.Has(grammar.SlotSold) {
		b.sold()
	}
	e := &b.s.Exit
	e.TakeProfit, e.StopLoss = b.price(grammar.SlotTP), b.price(grammar.SlotSL)
	e.TakeProfitOffset, e.StopLossOffset = b.price(grammar.SlotTPO), b.price(grammar.SlotSLO)
	e.TrailingStop = b.price(grammar.SlotTrail)
	e.HoldToExpiry = b.all.Get(grammar.SlotHold) != grammar.HoldNo
	for _, s := range [...][2]grammar.Slot{{grammar.SlotTP, grammar.SlotTP}, {grammar.SlotTPO, grammar.SlotTP}, {grammar.SlotSL, grammar.SlotSL}, {grammar.SlotSLO, grammar.SlotSL}} {
		if i, ok := b.waived[s[1]]; ok && b.all.Has(s[0]) {
			b.fail(Contradicts, "this exit is both denied and given", i, b.by[s[0]])
		}
	}
	if b.all.Has(grammar.SlotMaxHold) {
		e.MaxHoldSeconds = b.whole(grammar.SlotMaxHold)
	}
	b.clock()
}

func (b *builder) price(s grammar.Slot) *strategy.Number {
	if !b.all.Has(s) {
		return nil
	}
	return strategy.Number(b.all.Get(s)).Ptr()
}

// clock settles an exit at a time.
func (b *builder) clock() {
	if i := b.by[grammar.SlotExitPart]; b.all.Has(grammar.SlotExitPart) {
		b.set(grammar.SlotExitAt, b.part(b.all.Get(grammar.SlotExitPart), i), i)
	}
	if i := b.by[grammar.SlotExitAt]; b.all.Has(grammar.SlotExitAt) {
		before := b.length*micro - b.all.Get(grammar.SlotExitAt)
		switch {
		case b.s.Market.Type == strategy.Any:
			b.fail(Unclear, "a time to sell at needs a length of market; say 5m, 15m, 1h, 4h or 1d", i)
		case b.all.Has(grammar.SlotExitBefore) && b.all.Get(grammar.SlotExitBefore) != before:
			b.fail(Contradicts, "two times to sell at", b.by[grammar.SlotExitBefore], i)
		case b.all.Get(grammar.SlotHold) == grammar.HoldYes:
			b.fail(Contradicts, "held to the end, and sold before it", b.by[grammar.SlotHold], i)
		}
		b.set(grammar.SlotExitBefore, before, i)
		b.s.Exit.HoldToExpiry = false
	}
	if b.all.Has(grammar.SlotExitBefore) && b.fault == nil {
		b.s.Exit.ExitBeforeSeconds = b.whole(grammar.SlotExitBefore)
	}
}

// soldAt is a price to sell at and the item that says it.
type soldAt struct {
	price int64
	item  int
}

// soldTwice settles two prices to sell at: one is above what is paid, the other
// below it.
func (b *builder) soldTwice() {
	hi, lo := soldAt{b.all.Get(grammar.SlotSold), b.by[grammar.SlotSold]}, *b.second
	if hi.price < lo.price {
		hi, lo = lo, hi
	}
	if from, to := b.heldBounds(); from == 0 && to == micro || b.all.Has(grammar.SlotTP) || b.all.Has(grammar.SlotSL) || b.soldAs(hi.price) != grammar.SlotTP || b.soldAs(lo.price) != grammar.SlotSL {
		b.fail(Contradicts, "two prices to sell at; say which is the take profit and which the stop", b.by[grammar.SlotSold], b.second.item)
		return
	}
	b.set(grammar.SlotTP, hi.price, hi.item)
	b.set(grammar.SlotSL, lo.price, lo.item)
}

// sold settles whether a price to sell at is a target or a stop: above what was
// paid a target, below it a stop.
func (b *builder) sold() {
	if b.second != nil {
		b.soldTwice()
		return
	}
	v, i := b.all.Get(grammar.SlotSold), b.by[grammar.SlotSold]
	slot := b.soldAs(v)
	switch {
	case slot < 0, !b.all.Has(grammar.SlotTP) && !b.all.Has(grammar.SlotSL) && b.between(v):
		b.fail(Unclear, "a target or a stop? say \"take profit at …\" or \"stop at …\"", i)
	case b.all.Has(slot) && b.all.Get(slot) != v:
		b.fail(Contradicts, "two values for one exit", b.by[slot], i)
	default:
		b.set(slot, v, i)
	}
}

// soldAs is what a price to sell at is by what is paid and the other exits, -1 where
// that is not clear.
func (b *builder) soldAs(v int64) grammar.Slot {
	lo, hi := b.heldBounds()
	above, below := lo > 0, hi < micro // at least so much is paid, at most
	target, stop := b.all.Has(grammar.SlotTP), b.all.Has(grammar.SlotSL)
	switch {
	case v > hi:
		return grammar.SlotTP
	case v < lo:
		return grammar.SlotSL
	case above && below: // within what is paid
		return -1
	case below && !stop, target && !stop && v < b.all.Get(grammar.SlotTP):
		return grammar.SlotSL
	case !above && !below && !b.all.Has(grammar.SlotFav) && v < micro/2 && !target && !stop:
		return -1
	}
	return grammar.SlotTP
}

// between reports whether one alternative of the entry pays less than v, another more.
func (b *builder) between(v int64) bool {
	less, more := false, false
	for _, g := range b.s.EntryAny {
		lo, hi := b.boundsOf(g)
		less, more = less || hi < v, more || lo > v
	}
	return less && more
}

// heldBounds are the tightest bounds of the entry on what the token bought is
// priced at, in 1e-6: 0 and 1e6 where there are none. A bound on the other token's
// price counts as its mirror. With alternatives alone, those count that bound it.
func (b *builder) heldBounds() (lo, hi int64) {
	lo, hi = b.boundsOf(b.s.Entry)
	if lo > 0 || hi < micro {
		return lo, hi
	}
	some := false
	for _, g := range b.s.EntryAny {
		switch l, h := b.boundsOf(g); {
		case l == 0 && h == micro:
		case some:
			lo, hi = min(lo, l), max(hi, h)
		default:
			lo, hi, some = l, h, true
		}
	}
	return lo, hi
}

func (b *builder) boundsOf(list []strategy.Condition) (lo, hi int64) {
	lo, hi = 0, micro
	if b.s.Order != nil {
		hi = int64(*b.s.Order.RestAt)
	}
	for _, k := range list {
		n, lower := int64(k.Threshold), k.Comparator.IsLower()
		switch {
		case !k.Type.IsPrice():
			continue
		case k.Token == b.s.Side.Other():
			n, lower = micro-n, !lower
		}
		if lower {
			lo = max(lo, n)
		} else {
			hi = min(hi, n)
		}
	}
	return lo, hi
}
