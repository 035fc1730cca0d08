package queue

import (
	"cmp"
	"slices"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
)

// Rule says how much of what traded at an order's own price fills it.
type Rule string

// Rules, from the one that fills least.
const (
	Through Rule = "through" // nothing: only what must have met the order
	Back    Rule = "back"    // what trades beyond the queue that the order joined
	Front   Rule = "front"   // all of it
)

// Rules are all rules, from the one that fills least.
var Rules = []Rule{Through, Back, Front}

// Valid reports whether r is one of the rules; or empty, which stands for Through.
func (r Rule) Valid() bool { return r == "" || slices.Contains(Rules, r) }

// Endless is a queue of unknown length.
const Endless = fills.Unlimited

// Order is an own order that rests.
type Order struct {
	Side    market.Side
	Price   market.Price
	Left    market.Size // not filled, a multiple of fills.Lot
	Arrived market.Instant
	Rank    int // precedence among orders of one price and arrival
	// Ahead is what stands before it at its price: Endless where that is not shown.
	Ahead market.Size

	shown market.Size // at its price as of the last capture; Endless: not known
}

// Shown is what a market shows of one ladder.
type Shown interface {
	// Size returns what rests at a price: Endless where no size, or nothing of that
	// price, is shown.
	Size(side market.Side, p market.Price) market.Size
	// Best returns the best price of a side; NoPrice: nothing rests there.
	Best(side market.Side) market.Price
	// Levels appends what rests on a side, best first, up to and with a price.
	Levels(dst []market.Level, side market.Side, to market.Price) []market.Level
	// Crossed reports whether the best bid is above the best ask.
	Crossed() bool
}

// Fill is what an order got at one capture.
type Fill struct {
	Order *Order
	Size  market.Size // a multiple of fills.Lot
	// What there was for it: shares offered, traded below its price, and at it; and
	// the queue ahead before the capture.
	Offers, Below, At, Ahead market.Size
}

// Book is one ladder with the own orders that rest in it, and what is remembered of
// the shares that were taken from it. The zero value of all but Rule is an empty one.
type Book struct {
	Rule Rule

	orders [2][]*Order // bids, asks: best price, arrival, rank
	taken  [2][]market.Level
	owed   map[market.Price]market.Size
	flow   []market.Level // traded since the last Match, beyond what was owed
	traded bool           // there was a trade message
	levels []market.Level
}

// Traded notes a trade message, with the price of the book's token.
func (b *Book) Traded(p market.Price, size market.Size) {
	b.traded = true
	owed := min(b.owed[p], size)
	if owed > 0 {
		b.owed[p] -= owed
	}
	if size > owed && !b.Empty() {
		b.flow = append(b.flow, market.Level{Price: p, Size: size - owed})
	}
}

// Seen says that the market had a trade message before, of whatever ladder.
func (b *Book) Seen() { b.traded = true }

// Heard reports whether the market had a trade message.
func (b *Book) Heard() bool { return b.traded }

// Captured brings what is remembered up to date with a capture: no more of a level is
// taken than it shows, which size tells: 0 where nothing of a price is.
func (b *Book) Captured(size func(side market.Side, p market.Price) market.Size) {
	for i, side := range sides {
		for k := range b.taken[i] {
			l := &b.taken[i][k]
			l.Size = min(l.Size, size(side, l.Price))
		}
	}
}

var sides = [2]market.Side{market.Bid, market.Ask}

func index(s market.Side) int { return int(s - market.Bid) }

// Untouched reports whether nothing is remembered as taken.
func (b *Book) Untouched() bool { return len(b.taken[0])+len(b.taken[1]) == 0 }

// Available takes off levels of a side what was taken.
func (b *Book) Available(side market.Side, levels []market.Level) {
	for _, t := range b.taken[index(side)] {
		for i := range levels {
			if levels[i].Price == t.Price && levels[i].Size != fills.Unlimited {
				levels[i].Size = max(0, levels[i].Size-t.Size)
			}
		}
	}
}

// Taken returns what was taken from a side and is still shown. It belongs to the book.
func (b *Book) Taken(side market.Side) []market.Level { return b.taken[index(side)] }

// Take notes that shares shown on a side were taken: those who bought them in the
// record are owed the next trades at that price.
func (b *Book) Take(side market.Side, l market.Level) {
	if b.owed == nil {
		b.owed = map[market.Price]market.Size{}
	}
	b.owed[l.Price] += l.Size
	taken := &b.taken[index(side)]
	for i := range *taken {
		if (*taken)[i].Price == l.Price {
			(*taken)[i].Size += l.Size
			return
		}
	}
	*taken = append(*taken, l)
}

// Meets reports whether an own order rests on a side at or beyond a price, as seen
// from the other side: a bid no lower, an ask no higher.
func (b *Book) Meets(side market.Side, p market.Price) bool {
	best, ok := b.Best(side)
	return ok && !better(side, p, best)
}

// Best returns the best price of the own orders of a side.
func (b *Book) Best(side market.Side) (market.Price, bool) {
	if o := b.orders[index(side)]; len(o) > 0 {
		return o[0].Price, true
	}
	return market.NoPrice, false
}

// better reports whether p is a better price than q on a side.
func better(side market.Side, p, q market.Price) bool {
	if side == market.Bid {
		return p > q
	}
	return p < q
}

// Rest lets an order rest. What stands before it at its price is what is shown there;
// nothing is where its price is the best; and nobody who came before it has more before
// them.
func (b *Book) Rest(o *Order, shown Shown) {
	b.levels = shown.Levels(b.levels[:0], o.Side, worst(o.Side))
	o.Ahead = 0
	if len(b.levels) > 0 && !better(o.Side, o.Price, b.levels[0].Price) {
		o.Ahead = shown.Size(o.Side, o.Price)
	}
	o.shown = shown.Size(o.Side, o.Price)
	list := &b.orders[index(o.Side)]
	for _, x := range *list {
		if x.Price == o.Price {
			x.Ahead = min(x.Ahead, o.Ahead)
		}
	}
	at, _ := slices.BinarySearchFunc(*list, o, compare)
	*list = slices.Insert(*list, at, o)
}

func compare(x, y *Order) int {
	price := cmp.Compare(x.Price, y.Price)
	if x.Side == market.Bid {
		price = -price
	}
	return cmp.Or(price, cmp.Compare(x.Arrived, y.Arrived), cmp.Compare(x.Rank, y.Rank))
}

// Remove takes an order out of the book.
func (b *Book) Remove(o *Order) {
	list := &b.orders[index(o.Side)]
	*list = slices.DeleteFunc(*list, func(x *Order) bool { return x == o })
}

// Empty reports whether nothing rests.
func (b *Book) Empty() bool { return len(b.orders[0])+len(b.orders[1]) == 0 }
