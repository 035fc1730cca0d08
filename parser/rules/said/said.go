// Package said tells what an item of a reading says, by what it sets and by its conditions, and which words turn
// some items to something else.
package said

import (
	"slices"

	"github.com/ladderback/ladderback/parser/grammar"
)

// Sells reports whether an item says at what price or when to sell.
func Sells(it *grammar.Item) bool {
	return slices.ContainsFunc([]grammar.Slot{grammar.SlotTP, grammar.SlotSL, grammar.SlotTPO, grammar.SlotSLO, grammar.SlotTrail, grammar.SlotSold, grammar.SlotMaxHold, grammar.SlotExitBefore, grammar.SlotExitAt, grammar.SlotExitPart}, func(s grammar.Slot) bool {
		return it.Meaning.Has(s) && it.Meaning.Get(s) != grammar.None
	})
}

// Buys reports whether an item says what is bought.
func Buys(it *grammar.Item) bool { return it.Kind == "item.buy" || it.Kind == "item.head" }

// Bounds reports whether an item says when to buy, and not what.
func Bounds(it *grammar.Item) bool { return HasConds(it) && !Buys(it) }

// IsExit reports whether an item says when it is sold.
func IsExit(it *grammar.Item) bool { return it.Kind == "item.exit" || it.Kind == "item.orexit" }

// IsBound reports whether an item has conditions of an entry, and says nothing else.
func IsBound(it *grammar.Item) bool {
	return HasConds(it) && !Sells(it) && !Buys(it) && it.Kind != "item.market"
}

// HasPriceOrExit reports whether an item says a price of the entry, or an exit.
func HasPriceOrExit(it *grammar.Item) bool { return Sells(it) || HasPrice(it) }

// AnyCond reports whether a condition of an item is so.
func AnyCond(it *grammar.Item, is func(c *grammar.Cond) bool) bool {
	return !it.Meaning.Conds().Every(func(c *grammar.Cond) bool { return !is(c) })
}

// SomeHas reports whether an item says a slot.
func SomeHas(items []grammar.Item, slot grammar.Slot) bool {
	return slices.ContainsFunc(items, func(it grammar.Item) bool { return it.Meaning.Has(slot) })
}

// HasConds reports whether an item has conditions.
func HasConds(it *grammar.Item) bool { return it.Meaning.Conds() != nil }

// IsAmount reports whether an item is an amount of dollars or a number of rounds.
func IsAmount(it *grammar.Item) bool { return it.Kind == "item.sample" || it.Kind == "item.money" }

// Having reports of an item whether one of the conditions that must all hold is so.
func Having(is func(c grammar.Cond) bool) func(it *grammar.Item) bool {
	return func(it *grammar.Item) bool { return slices.ContainsFunc(All(it), is) }
}

// Items with a condition on a price or the spread, on a move, the time that is left, any time.
var (
	HasPrice     = Having(func(c grammar.Cond) bool { return c.Qty <= grammar.Spread })
	HasChange    = Having(func(c grammar.Cond) bool { return c.Qty == grammar.Change })
	HasRemaining = Having(func(c grammar.Cond) bool { return c.Qty == grammar.Remaining })
	HasTime      = Having(func(c grammar.Cond) bool { return c.IsTime() })
	HasUntimed   = Having(func(c grammar.Cond) bool { return !c.IsTime() })
	HasLate      = Having(func(c grammar.Cond) bool { return c.IsLate() })
)

// HasLength reports whether an item says a length of markets.
func HasLength(it *grammar.Item) bool { return it.Meaning.Has(grammar.SlotLen) }

// All are the conditions of an item that must all hold.
func All(it *grammar.Item) []grammar.Cond {
	if x := it.Meaning.Conds(); x != nil {
		return x.All
	}
	return nil
}

// IsMove reports whether an item says of a move and maybe of times, and of nothing else.
func IsMove(it *grammar.Item) bool {
	list := All(it)
	return len(list) > 0 && list[0].Qty == grammar.Change && !slices.ContainsFunc(list, func(c grammar.Cond) bool { return c.Qty != grammar.Change && !c.IsTime() })
}

// IsTime reports whether an item has times and no other condition.
func IsTime(it *grammar.Item) bool {
	return HasTime(it) && len(it.Meaning.Conds().Any) == 0 && !HasUntimed(it)
}

// Far is a distance from entry that is as likely a price, in 1e-6.
const Far = 300_000

// IsFar reports whether a distance from entry is as likely a price.
func IsFar(it *grammar.Item) bool {
	return max(it.Meaning.Get(grammar.SlotTPO), it.Meaning.Get(grammar.SlotTrail)) >= Far
}

// IsNear reports whether an item sells at a price that may be a gain.
func IsNear(it *grammar.Item) bool {
	at := it.Meaning.Get(grammar.SlotSold)
	return at > 0 && at < Far
}

// IsLate reports whether an item has a time from which on it holds, and is no sale.
func IsLate(it *grammar.Item) bool { return !Sells(it) && HasLate(it) }

// Widest is the spread that may be called tight, in 1e-6: up to it a price is the mid.
const Widest = 100_000

// HasWide reports whether an item has a bound of the spread that is no tight one.
func HasWide(it *grammar.Item) bool {
	return AnyCond(it, func(c *grammar.Cond) bool { return c.Qty == grammar.Spread && c.Num > Widest })
}

// Spreads is how many conditions of an item are on the spread.
func Spreads(it *grammar.Item) (n int) {
	it.Meaning.Conds().Every(func(c *grammar.Cond) bool {
		if c.Qty == grammar.Spread {
			n++
		}
		return true
	})
	return n
}

// SellsTwice reports whether an item sells at a price and at a time.
func SellsTwice(it *grammar.Item) bool {
	has := func(s grammar.Slot) bool { return it.Meaning.Has(s) }
	return slices.ContainsFunc([]grammar.Slot{grammar.SlotMaxHold, grammar.SlotExitBefore, grammar.SlotExitAt, grammar.SlotExitPart}, has) &&
		slices.ContainsFunc([]grammar.Slot{grammar.SlotTP, grammar.SlotSL, grammar.SlotTPO, grammar.SlotSLO, grammar.SlotSold}, has)
}

// IsBare reports whether an item has a price without a comparator.
func IsBare(it *grammar.Item) bool {
	return AnyCond(it, func(c *grammar.Cond) bool { return c.Bare })
}
