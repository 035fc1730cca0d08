package block

import (
	"encoding/binary"
	"slices"

	"github.com/ladderback/ladderback/archive/block/packing"
	"github.com/ladderback/ladderback/market"
)

// The flags of a capture: its kind in the lower four bits, then
const (
	kindBits   = 0x0f
	flagNoExch = 0x10 // no exchange time
	flagOrd    = 0x20 // Ord is not zero
	flagA      = 0x40 // quote: has a bid; metric: liquidity; trade: the side's lower bit
	flagB      = 0x80 // quote: has an ask; metric: volume; trade: the side's upper bit
	sideShift  = 6
)

// columns are the columns of a block that is being written. A column that a
// stream does not have stays empty.
type columns struct {
	flags                []byte
	recv, exch, ord      intWriter
	counts, first, steps intWriter // of levels
	values               intWriter // prices of ticks, quotes, trades; metrics
	sizes                amountWriter
	lags                 []int64 // of exchange times behind receive times, in units

	state [2][]amount // per side, by price in units
}

func (w *columns) reset() {
	w.flags = w.flags[:0]
	for _, c := range []*intWriter{&w.recv, &w.exch, &w.ord, &w.counts, &w.first, &w.steps, &w.values} {
		c.reset()
	}
	w.sizes.reset()
}

// appendBlock appends a whole block.
func (w *columns) appendBlock(dst []byte, h Header, r *run, p *packing.Packer) []byte {
	w.reset()
	at := len(dst)
	unit := priceUnit(r)
	dst = appendHeader(dst, h, unit)
	w.putFlags(r)
	dst = w.putClocks(dst, r)
	dst = p.Append(dst, w.flags, nil)
	for _, c := range []*intWriter{&w.recv, &w.exch, &w.ord} {
		dst = p.Append(dst, c.symbols, c.extra.bytes())
	}
	switch h.Stream {
	case Books:
		if narrow(unit) {
			w.counts.bytes, w.first.bytes, w.steps.bytes = true, true, true
		}
		w.putLadders(r, h.Keyframe, unit)
		for _, c := range []*intWriter{&w.counts, &w.first, &w.steps} {
			dst = p.Append(dst, c.symbols, c.extra.bytes())
		}
	case Quotes:
		w.putQuotes(r, unit)
	case Trades:
		w.putTrades(r, unit)
	case Metrics:
		dst = w.putMetrics(dst, r)
	}
	dst = p.Append(dst, w.values.symbols, w.values.extra.bytes())
	if h.Stream != Metrics {
		w.sizes.finish()
		dst = w.sizes.appendList(dst)
		dst = p.Append(dst, w.sizes.symbols, w.sizes.extra.bytes())
	}
	return seal(dst, at)
}

// priceUnit returns the largest step that all prices of r are multiples of,
// those of ticks apart.
func priceUnit(r *run) market.Price {
	var d divisor
	for i := range r.levels {
		d.add(int64(r.levels[i].Price))
	}
	next := 0
	for i := range r.entries {
		k := r.entries[i].kind
		if k == market.KindBook || k == market.KindChange || k == market.KindReset {
			continue
		}
		c := &r.contents[next]
		next++
		switch k {
		case market.KindQuote:
			if c.quote.Bid.Price > 0 {
				d.add(int64(c.quote.Bid.Price))
			}
			if c.quote.Ask.Price > 0 {
				d.add(int64(c.quote.Ask.Price))
			}
		case market.KindTrade, market.KindPrice:
			d.add(int64(c.trade.Price))
		}
	}
	return market.Price(d.get())
}

func (w *columns) putFlags(r *run) {
	next := 0
	for i := range r.entries {
		n := &r.entries[i]
		f := byte(n.kind)
		if n.exch == 0 {
			f |= flagNoExch
		}
		if n.ord != 0 {
			f |= flagOrd
		}
		switch n.kind {
		case market.KindBook, market.KindChange, market.KindReset:
		default:
			f |= contentFlags(n.kind, &r.contents[next])
			next++
		}
		w.flags = append(w.flags, f)
	}
}

func contentFlags(k market.Kind, c *content) byte {
	f := byte(0)
	a, b := false, false
	switch k {
	case market.KindQuote:
		a, b = c.quote.Bid.Price != market.NoPrice, c.quote.Ask.Price != market.NoPrice
	case market.KindMetric:
		a, b = c.metric.Liquidity != market.NoMetric, c.metric.Volume != market.NoMetric
	case market.KindTrade:
		return byte(c.trade.Side) << sideShift
	}
	if a {
		f |= flagA
	}
	if b {
		f |= flagB
	}
	return f
}

// putClocks fills the columns of times, receive times and how far exchange times are from
// where they mostly are beside them, and appends what they are based on.
func (w *columns) putClocks(dst []byte, r *run) []byte {
	var recv, exch divisor
	first, prev, origin := int64(r.entries[0].recv), int64(r.entries[0].recv), int64(0)
	for i := range r.entries {
		n := &r.entries[i]
		recv.add(int64(n.recv) - prev)
		prev = int64(n.recv)
		if n.exch == 0 {
			continue
		}
		if origin == 0 {
			origin = int64(n.exch)
		}
		exch.add(int64(n.exch) - origin)
	}
	recvUnit, exchUnit := recv.get(), exch.get()
	w.lags = w.lags[:0]
	prev = first
	for i := range r.entries {
		n := &r.entries[i]
		w.recv.put(uint64((int64(n.recv) - prev) / recvUnit))
		prev = int64(n.recv)
		if n.exch != 0 {
			w.lags = append(w.lags, (int64(n.exch)-origin)/exchUnit-(prev-first)/exchUnit)
		}
		if n.ord != 0 {
			w.ord.put(uint64(n.ord) - 1)
		}
	}
	usual := int64(0)
	if k := len(w.lags); k > 0 {
		sorted := append(w.lags, w.lags...)[k:]
		slices.Sort(sorted)
		usual = sorted[k/2]
	}
	for _, lag := range w.lags {
		w.exch.putSigned(lag - usual)
	}
	dst = binary.AppendUvarint(dst, uint64(recvUnit))
	dst = binary.AppendUvarint(dst, uint64(exchUnit))
	return binary.AppendVarint(dst, origin+usual*exchUnit)
}

// narrow reports whether prices in steps of unit, of which none is above narrowMost,
// stand as bytes.
func narrow(unit market.Price) bool { return market.PriceOne/unit <= narrowMost }

// grid makes the states of both sides zero, for prices in steps of unit.
func grid(state *[2][]amount, unit market.Price) {
	n := int(market.PriceOne/unit) + 1
	for i := range state {
		if cap(state[i]) < n {
			state[i] = make([]amount, n)
			continue
		}
		state[i] = state[i][:n]
		clear(state[i])
	}
}

// putLadders fills the columns of levels, and those of ticks.
func (w *columns) putLadders(r *run, keyframe bool, unit market.Price) {
	grid(&w.state, unit)
	var at [2]int64 // where the side's last capture began, in units
	if keyframe {
		bids, asks := r.keyframe()
		w.putSide(bids, 0, &at[0], unit)
		w.putSide(asks, 1, &at[1], unit)
	}
	levels, contents := r.levels[r.keyLevels:], r.contents
	for i := range r.entries {
		n := &r.entries[i]
		switch n.kind {
		case market.KindBook, market.KindChange:
			if n.whole {
				clear(w.state[0])
				clear(w.state[1])
			}
			w.putSide(levels[:n.bids], 0, &at[0], unit)
			w.putSide(levels[n.bids:n.bids+n.asks], 1, &at[1], unit)
			levels = levels[n.bids+n.asks:]
		case market.KindTick:
			w.values.put(uint64(contents[0].trade.Price))
			contents = contents[1:]
		}
	}
}

// putSide writes the levels of one side of a capture.
func (w *columns) putSide(levels []market.Level, side int, first *int64, unit market.Price) {
	w.counts.put(uint64(len(levels)))
	state := w.state[side]
	before := int64(0)
	for i, l := range levels {
		p := int64(l.Price / unit)
		switch {
		case i == 0:
			w.first.putSigned(p - *first)
			*first = p
		case side == 0:
			w.steps.put(uint64(before - p - 1))
		default:
			w.steps.put(uint64(p - before - 1))
		}
		before = p
		w.sizes.put(&state[p], l.Size)
	}
}

func (w *columns) putQuotes(r *run, unit market.Price) {
	var prices [3]int64 // bid, ask, price alone
	var sizes [2]amount
	for i := range r.entries {
		c := &r.contents[i]
		if r.entries[i].kind == market.KindPrice {
			w.putPrice(c.trade.Price, unit, &prices[2])
			continue
		}
		for s, l := range []market.Level{c.quote.Bid, c.quote.Ask} {
			if l.Price != market.NoPrice {
				w.putPrice(l.Price, unit, &prices[s])
				w.sizes.put(&sizes[s], l.Size)
			}
		}
	}
}

func (w *columns) putTrades(r *run, unit market.Price) {
	price := int64(0)
	for i := range r.contents {
		t := &r.contents[i].trade
		w.putPrice(t.Price, unit, &price)
		w.sizes.put(&amount{}, t.Size)
	}
}

// putPrice writes a price as its distance from the previous one.
func (w *columns) putPrice(p, unit market.Price, before *int64) {
	v := int64(p / unit)
	w.values.putSigned(v - *before)
	*before = v
}

// putMetrics fills the column of amounts, as their distances from the ones
// before, and appends their unit.
func (w *columns) putMetrics(dst []byte, r *run) []byte {
	var unit divisor
	for i := range r.contents {
		m := &r.contents[i].metric
		if m.Liquidity != market.NoMetric {
			unit.add(int64(m.Liquidity))
		}
		if m.Volume != market.NoMetric {
			unit.add(int64(m.Volume))
		}
	}
	var before [2]int64
	for i := range r.contents {
		m := &r.contents[i].metric
		for k, v := range []market.Cash{m.Liquidity, m.Volume} {
			if v != market.NoMetric {
				n := int64(v) / unit.get()
				w.values.putSigned(n - before[k])
				before[k] = n
			}
		}
	}
	return binary.AppendUvarint(dst, uint64(unit.get()))
}
