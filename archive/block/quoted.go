package block

import (
	"fmt"

	"github.com/ladderback/ladderback/market"
)

// NextQuotes returns the next captures of a block of quotes as tops, some at a time and
// valid until the next call; none after the last, and where Err says that the block is
// damaged. A price alone is a top of which no ladder is known. Sizes, in millionths of a
// share, are those of market.Least: a block with others is damaged here. It makes no
// captures of them, and is not mixed with Next.
func (d *Decoder) NextQuotes() []market.Top {
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
func (x *reader) quoted(r *run) ([]market.Top, error) {
	from, v := x.timed, &x.quotes
	if v.shown == nil {
		v.shown = new([together]market.Top)
	}
	out, err := x.moreTimes(r, v.shown)
	if err != nil {
		return nil, fmt.Errorf("clocks: %w", err)
	}
	flags := x.flags.Symbols[from:x.timed]
	n, both := pricesOf(flags)
	ok := n <= len(v.prices.symbols)-v.prices.at
	switch most := uint64(market.PriceOne / x.unit); {
	case ok && both:
		ok = v.bothPrices(out, x.unit, most) && (v.bare || v.bothSizes(out))
	case ok:
		ok = v.mixed(out, flags, v.some[:n], x.unit, most)
	}
	if !ok {
		return nil, errValues
	}
	if x.timed == x.h.Captures {
		return out, x.end(r)
	}
	return out, nil
}

// moreTimes is moreClocks for those who ask for nothing but receive times.
func (x *reader) moreTimes(r *run, room *[together]market.Top) ([]market.Top, error) {
	from := x.timed
	if x.plain < x.h.Captures || x.ords > 0 {
		err := x.moreClocks(r)
		out := room[:x.timed-from]
		for i := range out {
			out[i].At = r.entries[from : from+len(out)][i].recv
		}
		return out, err
	}
	x.timed = min(from+together, x.h.Captures)
	out := room[:x.timed-from]
	recv := x.parts[0][:len(out)]
	if !x.recv.fill(recv) {
		return nil, errColumn
	}
	now, wrong, unit := x.prevRecv, int64(0), x.units.recvUnit // negative: a time is
	for i, n := range recv {
		next := now + int64(n)*unit
		wrong |= next | (next - now)
		now, out[i].At = next, market.Instant(next)
	}
	if wrong < 0 || from == 0 && out[0].At != x.h.First {
		return nil, errClocks
	}
	x.prevRecv = now
	return out, nil
}

// mixed reads what captures with these flags hold. prices is room for theirs.
func (v *valueReader) mixed(out []market.Top, flags []byte, prices []uint64, unit market.Price, most uint64) bool {
	if !v.prices.fill(prices) {
		return false
	}
	var c content
	for i, f := range flags {
		var ok bool
		if prices, ok = v.one(&c, f, prices, unit, most); !ok || v.sizes.broken {
			return false
		}
		q := &out[i]
		if market.Kind(f&kindBits) == market.KindPrice {
			*q = market.Top{At: q.At, Bid: market.NoLadder, Ask: market.NoLadder, Trade: int16(c.trade.Price)}
			continue
		}
		bid, ask := c.quote.Bid, c.quote.Ask
		*q = market.Top{At: q.At, Bid: int16(bid.Price), Ask: int16(ask.Price), Trade: int16(market.NoPrice),
			Least: [2]market.Least{market.Least(bid.Size), market.Least(ask.Size)}}
		if (bid.Size|ask.Size)>>8 != 0 {
			return false
		}
	}
	return true
}

// bothPrices reads the prices of quotes that all have a bid and an ask, which the column
// has: what tops mostly are.
func (v *valueReader) bothPrices(out []market.Top, unit market.Price, most uint64) bool {
	z := &v.prices
	symbols := z.symbols[z.at : z.at+2*len(out)]
	z.at += len(symbols)
	bid, ask, wrong := v.before[0], v.before[1], false
	for i := range out {
		// Nearly all are their own symbol.
		a, b := uint64(symbols[2*i]), uint64(symbols[2*i+1])
		if a >= intDirect {
			a = z.value(byte(a))
		}
		if b >= intDirect {
			b = z.value(byte(b))
		}
		bid += unzigzag(a)
		ask += unzigzag(b)
		wrong = wrong || uint64(bid) > most || uint64(ask) > most
		q := &out[i]
		q.Bid, q.Ask, q.Trade, q.Least = int16(market.Price(bid)*unit), int16(market.Price(ask)*unit), int16(market.NoPrice), [2]market.Least{}
	}
	v.before[0], v.before[1] = bid, ask
	return !wrong && !z.broken
}

// bothSizes reads the sizes of such quotes; false: the column is not well formed. For each
// side amountReader.next is spelled out: a call for each change takes a third longer.
func (v *valueReader) bothSizes(out []market.Top) bool {
	z := &v.sizes
	symbols := z.symbols[z.at : z.at+2*len(out)]
	z.at += len(symbols)
	steps, by, wrong := z.steps, &keeps, market.Size(0)
	bid, bidBefore, ask, askBefore := v.state[0][heldNow], v.state[0][heldBefore], v.state[1][heldNow], v.state[1][heldBefore]
	for i := range out {
		a, b := symbols[2*i], symbols[2*i+1]
		if a != amountSame {
			s, t := kept(by[a], bid, bidBefore), &steps[a]
			if s += market.Size(t.base); t.bits != 0 {
				s = z.extended(s, t)
			}
			if s != bid {
				bidBefore, bid = bid, s
			}
		}
		if b != amountSame {
			s, t := kept(by[b], ask, askBefore), &steps[b]
			if s += market.Size(t.base); t.bits != 0 {
				s = z.extended(s, t)
			}
			if s != ask {
				askBefore, ask = ask, s
			}
		}
		wrong |= bid | ask
		q := &out[i]
		q.Least[0], q.Least[1] = market.Least(bid), market.Least(ask)
	}
	v.state[0], v.state[1] = held{bid, bidBefore}, held{ask, askBefore}
	return wrong>>8 == 0 && !z.broken
}

// kept returns what a symbol keeps of a size that is so much, and was so much before.
func kept(by uint8, now, before market.Size) market.Size {
	if by == heldBefore {
		now = before
	}
	if by == heldZero {
		now = 0
	}
	return now
}

// extended returns the size that a step with extra bits leads to, from one that its base
// has been added to; where there are not so many it sets broken.
func (r *amountReader) extended(from market.Size, t *step) market.Size {
	bits, pos, padded := uint(t.bits), r.pos, r.extra[:len(r.extra)+padding]
	if bits > wideBits || pos+bits > uint(len(r.extra))*8 {
		r.broken = true
		return 0
	}
	r.pos += bits
	if bits == wideBits {
		return market.Size(wideAt(padded, pos))
	}
	return from - market.Size(t.base) + t.change(padded, pos)
}
