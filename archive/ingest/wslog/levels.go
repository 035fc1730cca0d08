package wslog

import "github.com/ladderback/ladderback/market"

// side reads the levels of one side of a book; null is an empty side.
func (d *Decoder) side(odd *Reason) span {
	s := span{len(d.levels), len(d.levels)}
	switch d.c.peek() {
	case 'n':
		d.c.literal("null")
		return s
	case '[':
	default:
		d.c.skip()
		note(odd, BadLevel)
		return s
	}
	d.c.enter('[')
	for first := true; d.c.more(first, ']'); first = false {
		if l, next, ok := plainLevel(d.c.b, d.c.i); ok {
			d.levels = append(d.levels, l)
			d.c.i = next
			continue
		}
		if l, r := d.level(); r == OK {
			d.levels = append(d.levels, l)
		} else {
			note(odd, r)
		}
	}
	s.to = len(d.levels)
	return s
}

const (
	levelOpen  = `{"price":"`
	levelSize  = `","size":"`
	levelClose = `"}`
)

// plainLevel reads {"price":"0.35","size":"120.5"} at b[i:], written just so,
// which is how the exchange writes every level. ok is false for anything that
// needs a second look, right or wrong.
func plainLevel(b []byte, i int) (l market.Level, next int, ok bool) {
	if len(b)-i < len(levelOpen) || string(b[i:i+len(levelOpen)]) != levelOpen {
		return l, 0, false
	}
	price, i, ok := plainDecimal(b, i+len(levelOpen), priceDecimals)
	if !ok || price > int64(market.PriceOne) ||
		len(b)-i < len(levelSize) || string(b[i:i+len(levelSize)]) != levelSize {
		return l, 0, false
	}
	size, i, ok := plainDecimal(b, i+len(levelSize), sizeDecimals)
	if !ok || len(b)-i < len(levelClose) || string(b[i:i+len(levelClose)]) != levelClose {
		return l, 0, false
	}
	return market.Level{Price: market.Price(price), Size: market.Size(size)}, i + len(levelClose), true
}

// level reads a level written in any way.
func (d *Decoder) level() (market.Level, Reason) {
	if d.c.peek() != '{' {
		d.c.skip()
		return market.Level{}, BadLevel
	}
	var price, size number
	d.c.enter('{')
	for first := true; d.c.more(first, '}'); first = false {
		key := d.c.key()
		if d.c.bad {
			break
		}
		switch string(key) {
		case "price":
			price = d.number()
		case "size":
			size = d.number()
		default:
			d.c.skip()
		}
	}
	return toLevel(price, size)
}

func toLevel(price, size number) (l market.Level, r Reason) {
	if l.Price, r = parsePrice(price.text); r != OK {
		return l, r
	}
	l.Size, r = parseSize(size.text)
	return l, r
}

// changes reads the elements of a price_change; null is none.
func (d *Decoder) changes(odd *Reason) span {
	s := span{len(d.edits), len(d.edits)}
	switch d.c.peek() {
	case 'n':
		d.c.literal("null")
		return s
	case '[':
	default:
		d.c.skip()
		note(odd, BadLevel)
		return s
	}
	d.c.enter('[')
	for first := true; d.c.more(first, ']'); first = false {
		if d.c.peek() != '{' {
			d.c.skip()
			note(odd, BadLevel)
			continue
		}
		d.change(odd)
	}
	s.to = len(d.edits)
	return s
}

func (d *Decoder) change(odd *Reason) {
	var (
		e              edit
		price, size    number
		given, badSide bool
	)
	d.c.enter('{')
	for first := true; d.c.more(first, '}'); first = false {
		key := d.c.key()
		if d.c.bad {
			return
		}
		switch string(key) {
		case "asset_id":
			e.asset = d.id(odd)
		case "price":
			price = d.number()
		case "size":
			size = d.number()
		case "side":
			e.side, given, badSide = d.sideName()
		default:
			d.c.skip()
		}
	}
	level, r := toLevel(price, size)
	if r == OK && (!given || badSide) {
		r = BadSide
	}
	if r != OK {
		note(odd, r)
		return
	}
	e.level = level
	d.edits = append(d.edits, e)
}
