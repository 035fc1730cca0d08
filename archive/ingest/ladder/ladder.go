// Package ladder reads the levels of one side of a book as files write them.
package ladder

import (
	"slices"

	"github.com/ladderback/ladderback/archive/ingest/jsonlex"
	"github.com/ladderback/ladderback/archive/ingest/scalar"
	"github.com/ladderback/ladderback/market"
)

// BadLevel says that a level has not a price and a size, or that levels are no
// array.
const BadLevel scalar.Reason = "level not understood"

// BadJSON says that a text is not JSON, or has more behind it.
const BadJSON scalar.Reason = "not valid JSON"

// Side reads with c the text of one side of a whole book, best first, to the end of buf;
// no text is an empty side. What it returns is part of buf.
func Side(buf *[]market.Level, c *jsonlex.Cursor, text []byte, side market.Side) ([]market.Level, scalar.Reason) {
	from := len(*buf)
	c.Reset(text)
	if !c.Bad && c.AtEnd() {
		return nil, scalar.OK
	}
	all, r := Append(*buf, c, true)
	*buf = all
	switch {
	case c.Bad || !c.AtEnd():
		return nil, BadJSON
	case r != scalar.OK:
		return nil, r
	}
	return Order(all[from:len(all):len(all)], side, true), scalar.OK
}

// Append reads an array of levels at c, each {"price":…,"size":…} or, where
// pairs is true, ["price","size"] too, with numbers quoted or not, and appends
// them to dst in file order. Null is an empty side. The reason is that of the
// first level that cannot be used; c passes over all of them. Invalid JSON
// shows in c.Bad.
func Append(dst []market.Level, c *jsonlex.Cursor, pairs bool) ([]market.Level, scalar.Reason) {
	var odd scalar.Reason
	switch c.Peek() {
	case 'n':
		c.Literal("null")
		return dst, odd
	case '[':
	default:
		c.Skip()
		return dst, BadLevel
	}
	for range c.Elements {
		if l, next, ok := plain(c.Text, c.At); ok {
			dst = append(dst, l)
			c.At = next
			continue
		}
		if l, r := level(c, pairs); r == scalar.OK {
			dst = append(dst, l)
		} else if odd == scalar.OK {
			odd = r
		}
	}
	return dst, odd
}

const (
	levelOpen  = `{"price":"`
	levelSize  = `","size":"`
	levelClose = `"}`
)

// plain reads {"price":"0.35","size":"120.5"} at b[i:], written just so, which
// is how the exchange writes every level. ok is false for anything that needs a
// second look, right or wrong.
func plain(b []byte, i int) (l market.Level, next int, ok bool) {
	if len(b)-i < len(levelOpen) || string(b[i:i+len(levelOpen)]) != levelOpen {
		return l, 0, false
	}
	price, i, ok := scalar.PlainDecimal(b, i+len(levelOpen), scalar.PriceDecimals)
	if !ok || price > int64(market.PriceOne) ||
		len(b)-i < len(levelSize) || string(b[i:i+len(levelSize)]) != levelSize {
		return l, 0, false
	}
	size, i, ok := scalar.PlainDecimal(b, i+len(levelSize), scalar.SizeDecimals)
	if !ok || len(b)-i < len(levelClose) || string(b[i:i+len(levelClose)]) != levelClose {
		return l, 0, false
	}
	return market.Level{Price: market.Price(price), Size: market.Size(size)}, i + len(levelClose), true
}

// level reads a level written in any way.
func level(c *jsonlex.Cursor, pairs bool) (market.Level, scalar.Reason) {
	var price, size []byte
	switch ch := c.Peek(); {
	case ch == '{':
		for key := range c.Members() {
			switch string(key) {
			case "price":
				price, _, _ = c.Scalar()
			case "size":
				size, _, _ = c.Scalar()
			default:
				c.Skip()
			}
		}
	case ch == '[' && pairs:
		n := 0
		for range c.Elements {
			switch n++; n {
			case 1:
				price, _, _ = c.Scalar()
			case 2:
				size, _, _ = c.Scalar()
			default:
				c.Skip()
			}
		}
		if n != 2 {
			return market.Level{}, BadLevel
		}
	default:
		c.Skip()
		return market.Level{}, BadLevel
	}
	return Of(price, size)
}

// Of reads a level from the texts of its price and size.
func Of(price, size []byte) (l market.Level, r scalar.Reason) {
	if l.Price, r = scalar.Price(price); r != scalar.OK {
		return l, r
	}
	l.Size, r = scalar.Size(size)
	return l, r
}

// Order sorts the levels of one side best first, keeping the last of those that
// share a price, and returns the shortened l. If whole is true, levels of size
// zero are dropped. The exchange sends levels best last; that and best first
// are the cheap cases.
func Order(l []market.Level, side market.Side, whole bool) []market.Level {
	rising, falling, zeros := true, true, false
	for i := range l {
		zeros = zeros || l[i].Size == 0
		if i > 0 {
			rising = rising && l[i-1].Price < l[i].Price
			falling = falling && l[i-1].Price > l[i].Price
		}
	}
	if !rising && !falling {
		l = sortRising(l)
		rising = true
	}
	if whole && zeros {
		l = slices.DeleteFunc(l, func(v market.Level) bool { return v.Size == 0 })
	}
	if rising == (side == market.Bid) {
		slices.Reverse(l)
	}
	return l
}

// sortRising sorts by price and keeps the last of each price.
func sortRising(l []market.Level) []market.Level {
	slices.SortStableFunc(l, func(a, b market.Level) int { return int(a.Price - b.Price) })
	n := 0
	for i := range l {
		if i+1 < len(l) && l[i+1].Price == l[i].Price {
			continue
		}
		l[n] = l[i]
		n++
	}
	return l[:n]
}
