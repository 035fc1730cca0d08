package block

import (
	"fmt"

	"github.com/ladderback/ladderback/market"
)

// Quoted is a capture of a block of quotes, without what NextQuotes does not read.
type Quoted struct {
	Recv             market.Instant
	Bid, Ask         market.Price // NoPrice: the side is empty
	BidSize, AskSize market.Size  // 0: not given, or left out (Decoder.Prices)
	// Alone is the price of a price alone, whose sides say nothing; NoPrice: it is a
	// quote.
	Alone market.Price
}

// NextQuotes returns the next captures of a block of quotes, some at a time and valid
// until the next call; none after the last, and where Err says that the block is
// damaged. It makes no captures of them, and is not mixed with Next.
func (d *Decoder) NextQuotes() []Quoted {
	if d.err != nil || d.at >= d.header.Captures {
		return nil
	}
	out, err := d.in.quoted(&d.run)
	if d.at += len(out); err != nil {
		d.err = fmt.Errorf("%w: %v: %w", ErrCorrupt, d.header.Stream, err)
		return nil
	}
	return out
}

// quoted reads the next captures of a block of quotes.
func (x *reader) quoted(r *run) ([]Quoted, error) {
	from := x.timed
	if err := x.moreClocks(r); err != nil {
		return nil, fmt.Errorf("clocks: %w", err)
	}
	v := &x.quotes
	out, flags := v.room()[:x.timed-from], x.flags.Symbols[from:x.timed]
	for i := range out {
		out[i].Recv = r.entries[from : from+len(out)][i].recv
	}
	n, both := pricesOf(flags)
	prices := v.some[:n]
	if !v.prices.fill(prices) {
		return nil, errColumn
	}
	ok := true
	switch most := uint64(market.PriceOne / x.unit); {
	case !both:
		ok = v.mixed(out, flags, prices, x.unit, most)
	default:
		ok = v.bothPrices(out, prices, x.unit, most) && (v.bare || v.bothSizes(out))
	}
	if !ok {
		return nil, errValues
	}
	if x.timed == x.h.Captures {
		return out, x.end(r)
	}
	return out, nil
}

// room is where the captures that are read together go.
func (v *valueReader) room() *[together]Quoted {
	if v.quoted == nil {
		v.quoted = new([together]Quoted)
	}
	return v.quoted
}

// mixed reads what captures with these flags hold.
func (v *valueReader) mixed(out []Quoted, flags []byte, prices []uint64, unit market.Price, most uint64) bool {
	var c content
	for i, f := range flags {
		var ok bool
		if prices, ok = v.one(&c, f, prices, unit, most); !ok || v.sizes.broken {
			return false
		}
		q := &out[i]
		if market.Kind(f&kindBits) == market.KindPrice {
			q.Alone = c.trade.Price
			continue
		}
		*q = Quoted{q.Recv, c.quote.Bid.Price, c.quote.Ask.Price, c.quote.Bid.Size, c.quote.Ask.Size, market.NoPrice}
	}
	return true
}

// bothPrices reads the prices of quotes that all have a bid and an ask: what tops
// mostly are.
func (v *valueReader) bothPrices(out []Quoted, prices []uint64, unit market.Price, most uint64) bool {
	bid, ask := v.before[0], v.before[1]
	prices = prices[:2*len(out)]
	for i := range out {
		bid += unzigzag(prices[2*i])
		ask += unzigzag(prices[2*i+1])
		if uint64(bid) > most || uint64(ask) > most {
			return false
		}
		q := &out[i]
		q.Bid, q.Ask, q.Alone = market.Price(bid)*unit, market.Price(ask)*unit, market.NoPrice
		q.BidSize, q.AskSize = 0, 0
	}
	v.before[0], v.before[1] = bid, ask
	return true
}

// bothSizes reads the sizes of such quotes: amountReader.next is spelled out. It
// reports false when the column of sizes is not well formed.
func (v *valueReader) bothSizes(out []Quoted) bool {
	z := &v.sizes
	symbols := z.symbols[z.at : z.at+2*len(out)]
	z.at += len(symbols)
	extra, pos, end := z.extra[:len(z.extra)+padding], z.pos, uint(len(z.extra))*8
	steps, bid, ask := z.steps, v.state[0], v.state[1]
	for i := range out {
		q := &out[i]
		for s, symbol := range symbols[2*i : 2*i+2] {
			a := &bid
			if s == 1 {
				a = &ask
			}
			if symbol != amountSame {
				t := &steps[symbol]
				bits := uint(t.bits)
				if pos+bits > end || bits > wideBits {
					return false
				}
				size := market.Size(0)
				if bits < wideBits {
					size = a[z.by[symbol]&heldMask] + t.change(extra, pos)
				} else {
					size = market.Size(wideAt(extra, pos))
				}
				if pos += bits; size < 0 {
					return false
				}
				a.set(size)
			}
			if s == 0 {
				q.BidSize = a[heldNow]
			} else {
				q.AskSize = a[heldNow]
			}
		}
	}
	v.state[0], v.state[1], z.pos = bid, ask, pos
	return true
}
