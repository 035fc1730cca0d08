package wslog

import (
	"github.com/ladderback/ladderback/archive/ingest/ladder"
	"github.com/ladderback/ladderback/archive/ingest/stream"
)

// side reads the levels of one side of a book; null is an empty side.
func (d *Decoder) side(odd *stream.Reason) span {
	s := span{len(d.levels), 0}
	levels, r := ladder.Append(d.levels, &d.c, false)
	d.levels, s.to = levels, len(levels)
	note(odd, r)
	return s
}

// changes reads the elements of a price_change; null is none.
func (d *Decoder) changes(odd *stream.Reason) span {
	s := span{len(d.edits), len(d.edits)}
	switch d.c.Peek() {
	case 'n':
		d.c.Literal("null")
		return s
	case '[':
	default:
		d.c.Skip()
		note(odd, stream.BadLevel)
		return s
	}
	for range d.c.Elements {
		if d.c.Peek() != '{' {
			d.c.Skip()
			note(odd, stream.BadLevel)
			continue
		}
		d.change(odd)
	}
	s.to = len(d.edits)
	return s
}

func (d *Decoder) change(odd *stream.Reason) {
	var (
		e              edit
		price, size    number
		given, badSide bool
	)
	for key := range d.c.Members() {
		switch string(key) {
		case "asset_id":
			e.asset = d.id(odd)
		case "price":
			price = d.number()
		case "size":
			size = d.number()
		case "side":
			e.side, given, badSide = d.sideName()
		case "best_bid":
			e.bestBid = d.number()
		case "best_ask":
			e.bestAsk = d.number()
		default:
			d.c.Skip()
		}
	}
	level, r := ladder.Of(price.text, size.text)
	if r == stream.OK && (!given || badSide) {
		r = stream.BadSide
	}
	if r != stream.OK {
		note(odd, r)
		return
	}
	e.level = level
	d.edits = append(d.edits, e)
}
