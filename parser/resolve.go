package parser

import (
	"github.com/ladderback/ladderback/strategy"
)

// soldPrices decides which prices to sell at are targets and which are stops:
// of two said together the higher is the target; else what lies above the price
// paid, as far as the entry bounds it.
func (f *finisher) soldPrices() {
	if f.gained(); f.err != nil {
		return
	}
	var sold []int
	for k := range f.exits {
		if f.exits[k].kind == xSold {
			sold = append(sold, k)
		}
	}
	for len(sold) > 0 {
		a := &f.exits[sold[0]]
		var b *exitAct
		n := 1
		for _, k := range sold[1:] {
			if f.exits[k].phrase == a.phrase {
				b = &f.exits[k]
				n++
			}
		}
		switch {
		case n > 2:
			f.fail(refuseSpan(CodeBadRequest, a.span, "sell at which of these prices? say one target and one stop"))
			return
		case n == 2:
			f.soldPair(a, b)
			if f.err != nil {
				return
			}
			var rest []int
			for _, k := range sold {
				if f.exits[k].phrase != a.phrase {
					rest = append(rest, k)
				}
			}
			sold = rest
		default:
			f.soldOne(a)
			if f.err != nil {
				return
			}
			sold = sold[1:]
		}
	}
}

// gained reads "take profit of x" as a distance from entry, and refuses it where
// x may as well be the price.
func (f *finisher) gained() {
	lower, upper := f.paid()
	for k := range f.exits {
		a := &f.exits[k]
		if !a.gained || a.kind != xTP {
			continue
		}
		if upper != nil && a.n > *upper || upper == nil && lower != nil && a.n > *lower || upper == nil && lower == nil && a.n >= strategy.One/2 {
			f.fail(refuseSpan(CodeBadRequest, a.span, "a price or a distance from entry? say \"take profit at …\" or \"take profit … above entry\""))
			return
		}
		a.kind = xTPOffset
		f.assume(fieldTPOffset, a.n.String(), "a profit of that much is a distance from entry")
	}
}

func (f *finisher) soldPair(a, b *exitAct) {
	if a.n == b.n {
		f.clash(a.span, b.span, "twice the same price; give a target and a stop")
		return
	}
	if a.n < b.n {
		a, b = b, a
	}
	if a.lower || b.upper {
		f.clash(a.span, b.span, "a target lies above and a stop below")
		return
	}
	a.kind, b.kind = xTP, xSL
	f.assume(fieldTP, a.n.String(), "of two prices to sell at the higher is the target")
	f.assume(fieldSL, b.n.String(), "of two prices to sell at the lower is the stop")
}

// paid returns the tightest bounds of the entry on what is paid.
func (f *finisher) paid() (lower, upper *strategy.Number) { return f.paidIn(f.s.Entry) }

// paidAtMost returns a price that what is paid does not exceed, read from every
// alternative and from the other token too, nil: none. It only tells a target
// from a stop.
func (f *finisher) paidAtMost() *strategy.Number {
	groups := f.s.EntryAny
	if len(groups) == 0 {
		groups = [][]strategy.Condition{nil}
	}
	var most *strategy.Number
	for _, g := range groups {
		list := append(append([]strategy.Condition{}, f.s.Entry...), g...)
		_, upper := f.paidIn(list)
		for _, c := range list {
			rises := c.Comparator == strategy.GT || c.Comparator == strategy.GTE || c.Comparator == strategy.CrossesAbove
			if c.Token == f.s.Side.Other() && rises && (c.Type == strategy.Price || c.Type == strategy.BestBid) && (upper == nil || strategy.One-c.Threshold < *upper) {
				upper = (strategy.One - c.Threshold).Ptr()
			}
		}
		if upper == nil {
			return nil
		}
		if most == nil || *upper > *most {
			most = upper
		}
	}
	return most
}

func (f *finisher) paidIn(list []strategy.Condition) (lower, upper *strategy.Number) {
	for k := range list {
		c := &list[k]
		if c.Token != f.s.Side.Held() || c.Type != strategy.Price && c.Type != strategy.BestAsk && c.Type != strategy.BestBid {
			continue
		}
		switch c.Comparator {
		case strategy.LT, strategy.LTE, strategy.CrossesBelow:
			if upper == nil || c.Threshold < *upper {
				upper = &c.Threshold
			}
		default:
			if lower == nil || c.Threshold > *lower {
				lower = &c.Threshold
			}
		}
	}
	return lower, upper
}

func (f *finisher) soldOne(a *exitAct) {
	lower, upper := f.paid()
	switch {
	case a.upper:
		a.kind = xTP
	case a.lower:
		a.kind = xSL
	case upper != nil && a.n >= *upper:
		a.kind = xTP
	case lower != nil && a.n <= *lower:
		a.kind = xSL
	case upper != nil && lower != nil:
		f.fail(refuseSpan(CodeBadRequest, a.span, "a target or a stop? it lies between the prices of the entry; say \"take profit at\" or \"stop at\""))
		return
	case upper != nil:
		a.kind = xSL
	case lower != nil:
		a.kind = xTP
	default:
		f.soldUnbound(a)
		return
	}
	if a.kind == xSL && !a.lower {
		f.assume(fieldSL, a.n.String(), "a price to sell at below what is paid is a stop")
	}
}

// soldUnbound decides about a price where the entry does not bound what is paid.
func (f *finisher) soldUnbound(a *exitAct) {
	for _, b := range f.exits {
		switch {
		case b.kind == xTP && a.n < b.n:
			a.kind = xSL
			f.assume(fieldSL, a.n.String(), "a price to sell at below the target is a stop")
			return
		case b.kind == xSL && a.n > b.n:
			a.kind = xTP
			return
		}
	}
	if most := f.paidAtMost(); most != nil && a.n > *most {
		a.kind = xTP
		f.assume(fieldTP, a.n.String(), "a price to sell at above what is paid is the target")
		return
	}
	if a.n < strategy.One/2 {
		f.fail(refuseSpan(CodeBadRequest, a.span, "a target or a stop? the entry does not say what is paid; say \"take profit at\" or \"stop at\""))
		return
	}
	a.kind = xTP
	f.assume(fieldTP, a.n.String(), "a price to sell at is the target")
}

// exits builds the exit.
func (f *finisher) exitsOf() {
	f.soldPrices()
	if f.err != nil {
		return
	}
	e := &f.s.Exit
	e.HoldToExpiry = true
	seen := map[exitKind]*exitAct{}
	for k := range f.exits {
		a := &f.exits[k]
		f.mark(a.from, a.to, exitFields[a.kind])
		kind := a.kind
		switch kind {
		case xAt:
			t, ok := f.beforeEnd(a)
			if !ok {
				return
			}
			a.n, kind = t, xBefore
		case xBefore, xMaxHold:
			t, ok := f.seconds(a.t, a.span)
			if !ok {
				return
			}
			a.n = t
		}
		if old := seen[kind]; old != nil && old.n != a.n {
			f.clash(old.span, a.span, "two values for %s; give one", fieldNames[exitFields[kind]])
			return
		}
		seen[kind] = a
	}
	for _, pair := range [][2]exitKind{{xTP, xTPOffset}, {xSL, xSLOffset}} {
		if a, b := seen[pair[0]], seen[pair[1]]; a != nil && b != nil {
			f.clash(a.span, b.span, "a price and a distance from entry; give one of them")
			return
		}
	}
	f.waived(seen)
	f.holding(seen)
	if f.err != nil {
		return
	}
	get := func(k exitKind) *strategy.Number {
		if a := seen[k]; a != nil {
			return a.n.Ptr()
		}
		return nil
	}
	e.TakeProfit, e.StopLoss = get(xTP), get(xSL)
	e.TakeProfitOffset, e.StopLossOffset, e.TrailingStop = get(xTPOffset), get(xSLOffset), get(xTrail)
	for _, c := range []struct {
		kind exitKind
		to   *int
	}{{xMaxHold, &e.MaxHoldSeconds}, {xBefore, &e.ExitBeforeSeconds}} {
		a := seen[c.kind]
		if a == nil {
			continue
		}
		if a.n%strategy.One != 0 || a.n < strategy.One || a.n > strategy.Int(86400) {
			f.fail(refuseSpan(CodeBadRequest, a.span, "a time to sell is whole seconds, at least 1, within the market's length"))
			return
		}
		*c.to = int(a.n / strategy.One)
	}
}

// beforeEnd turns a time since the start into one before the end.
func (f *finisher) beforeEnd(a *exitAct) (strategy.Number, bool) {
	if f.s.Market.Type == strategy.Any {
		f.fail(refuseSpan(CodeBadRequest, a.span, "a time since the start needs a length of market; say 5m, 15m, 1h, 4h or 1d, or \"exit 1 minute before the end\""))
		return 0, false
	}
	t, ok := f.seconds(a.t, a.span)
	if !ok {
		return 0, false
	}
	length, _ := strategy.Length(f.s.Market.Type)
	left := strategy.Number(length) - t
	if left < strategy.One {
		f.fail(refuseSpan(CodeBadRequest, a.span, "this is not before the end of a market of %s", f.s.Market.Type))
		return 0, false
	}
	return left, true
}

// waived refuses an exit that is both given and waived.
func (f *finisher) waived(seen map[exitKind]*exitAct) {
	for _, w := range []struct {
		span  *strategy.Span
		kinds []exitKind
	}{{f.waivedTP, []exitKind{xTP, xTPOffset}}, {f.waivedSL, []exitKind{xSL, xSLOffset, xTrail}}} {
		if w.span == nil {
			continue
		}
		for _, k := range w.kinds {
			if a := seen[k]; a != nil {
				f.clash(*w.span, a.span, "with or without? say one")
				return
			}
		}
	}
}

// holding decides hold_to_expiry.
func (f *finisher) holding(seen map[exitKind]*exitAct) {
	hold, never, before := seen[xHold], seen[xNever], seen[xBefore]
	if hold != nil && hold.to-hold.from == 1 && f.kind(hold.from) == kHold && (never != nil || before != nil || seen[xMaxHold] != nil) {
		hold = nil // a bare "hold" says nothing about the end
	}
	switch {
	case hold != nil && never != nil:
		f.clash(hold.span, never.span, "hold to expiry or not? say one")
	case hold != nil && before != nil:
		f.clash(hold.span, before.span, "hold to expiry, or sell before? say one")
	case never != nil || before != nil:
		f.s.Exit.HoldToExpiry = false
	}
}
