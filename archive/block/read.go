package block

import (
	"errors"
	"fmt"

	"github.com/ladderback/ladderback/market"
)

// reader turns the body of a block into a run.
type reader struct {
	unpacker unpacker
	column   column
	flags    column
	sizes    column
	ints     [4][]uint64 // columns of integers being read together
	steps    *steps
	state    [2][]amount
}

var (
	errClocks  = errors.New("times out of order or range")
	errKinds   = errors.New("kinds of capture that do not belong to the stream")
	errLadders = errors.New("levels out of range")
	errValues  = errors.New("values out of range")
	errTail    = errors.New("bytes behind the last column")
)

// body is what is left of the body of a block.
type body struct {
	h     Header
	unit  market.Price
	b     []byte
	plain bool // codec None
}

func (b *body) uvarint() (uint64, error) {
	v, rest, ok := readUvarint(b.b)
	if !ok {
		return 0, errColumn
	}
	b.b = rest
	return v, nil
}

func (x *reader) read(r *run, h Header, unit market.Price, data []byte) error {
	if x.steps == nil {
		x.steps = &steps{}
		x.steps.fixed()
	}
	b := &body{h: h, unit: unit, b: data, plain: h.Codec == None}
	clocks, err := readUnits(b)
	if err != nil {
		return err
	}
	if b.b, err = x.unpacker.read(&x.flags, b.b, h.Captures, b.plain); err != nil {
		return fmt.Errorf("flags: %w", err)
	}
	if err := x.readClocks(r, b, clocks); err != nil {
		return fmt.Errorf("clocks: %w", err)
	}
	switch h.Stream {
	case Books:
		err = x.readBooks(r, b)
	case Quotes:
		err = x.readQuotes(r, b)
	case Trades:
		err = x.readTrades(r, b)
	case Metrics:
		err = x.readMetrics(r, b)
	}
	if err != nil {
		return fmt.Errorf("%v: %w", h.Stream, err)
	}
	if len(b.b) != 0 {
		return errTail
	}
	return nil
}

// readInts reads a column of integers into x.ints[slot].
func (x *reader) readInts(b *body, slot, want int) ([]uint64, error) {
	var err error
	if b.b, err = x.unpacker.read(&x.column, b.b, want, b.plain); err != nil {
		return nil, err
	}
	v, ok := readInts(x.ints[slot][:0], x.column.symbols, x.column.extra)
	x.ints[slot] = v
	if !ok {
		return nil, errColumn
	}
	return v, nil
}

// readSizes reads a column of sizes.
func (x *reader) readSizes(b *body, want int) (amountReader, error) {
	rest, ok := x.steps.readList(b.b)
	if !ok {
		return amountReader{}, errColumn
	}
	var err error
	if b.b, err = x.unpacker.read(&x.sizes, rest, want, b.plain); err != nil {
		return amountReader{}, err
	}
	return amountReader{steps: x.steps, symbols: x.sizes.symbols, extra: x.sizes.extra}, nil
}

func readUnits(b *body) (u clockUnits, err error) {
	var v [5]uint64
	for i := range v {
		if v[i], err = b.uvarint(); err != nil {
			return u, err
		}
	}
	u = clockUnits{int64(v[0]), int64(v[1]), unzigzag(v[2]), int64(v[3]), int64(v[4])}
	if u.exchFirst < 0 || u.exchUnit < 1 || u.offUnit < 1 || u.recvUnit < 1 {
		return u, errClocks
	}
	return u, nil
}

// readClocks reads the columns of times and makes the entries of r.
func (x *reader) readClocks(r *run, b *body, u clockUnits) error {
	plain, ords := 0, 0
	for _, f := range x.flags.symbols {
		if StreamOf(market.Kind(f&kindBits)) != b.h.Stream {
			return errKinds
		}
		if f&flagNoExch != 0 {
			plain++
		}
		if f&flagOrd != 0 {
			ords++
		}
	}
	exch, err := x.readInts(b, 0, b.h.Captures-plain)
	if err != nil {
		return err
	}
	off, err := x.readInts(b, 1, b.h.Captures-plain)
	if err != nil {
		return err
	}
	recv, err := x.readInts(b, 2, plain)
	if err != nil {
		return err
	}
	ord, err := x.readInts(b, 3, ords)
	if err != nil {
		return err
	}
	prevExch, prevOff, prevRecv := u.exchFirst, u.offFirst, int64(b.h.First)
	for _, f := range x.flags.symbols {
		n := entry{kind: market.Kind(f & kindBits)}
		now := prevRecv
		if f&flagNoExch != 0 {
			now += int64(recv[0]) * u.recvUnit
			recv = recv[1:]
		} else {
			prevExch += unzigzag(exch[0]) * u.exchUnit
			prevOff += unzigzag(off[0]) * u.offUnit
			exch, off = exch[1:], off[1:]
			now = prevExch + prevOff
			n.exch = market.Instant(prevExch)
			if prevExch <= 0 || prevExch > int64(maxInstant) {
				return errClocks
			}
		}
		n.recv = market.Instant(now)
		if now < prevRecv || n.recv > b.h.Last {
			return errClocks
		}
		prevRecv = now
		if f&flagOrd != 0 {
			if ord[0] >= 1<<32-1 {
				return errClocks
			}
			n.ord = uint32(ord[0]) + 1
			ord = ord[1:]
		}
		r.entries = append(r.entries, n)
	}
	if r.entries[0].recv != b.h.First || prevRecv != int64(b.h.Last) {
		return errClocks
	}
	return nil
}

// readBooks reads the columns of levels and ticks.
func (x *reader) readBooks(r *run, b *body) error {
	ladders, ticks, key := 0, 0, 0
	for i := range r.entries {
		switch r.entries[i].kind {
		case market.KindBook, market.KindChange:
			ladders++
		case market.KindTick:
			ticks++
		}
	}
	if b.h.Keyframe {
		key = 1
	}
	counts, err := x.readInts(b, 0, 2*(ladders+key))
	if err != nil {
		return fmt.Errorf("counts: %w", err)
	}
	levels, sides := 0, 0
	for i, n := range counts {
		if n > uint64(sideLevels) {
			return errLadders
		}
		if n > 0 {
			sides++
		}
		if i >= 2*key {
			levels += int(n)
		}
	}
	if levels != b.h.Changes {
		return errLadders
	}
	for _, n := range counts[:2*key] {
		levels += int(n)
	}
	first, err := x.readInts(b, 1, sides)
	if err != nil {
		return fmt.Errorf("first prices: %w", err)
	}
	steps, err := x.readInts(b, 2, levels-sides)
	if err != nil {
		return fmt.Errorf("prices: %w", err)
	}
	tick, err := x.readInts(b, 3, ticks)
	if err != nil {
		return fmt.Errorf("ticks: %w", err)
	}
	sizes, err := x.readSizes(b, levels)
	if err != nil {
		return fmt.Errorf("sizes: %w", err)
	}
	l := ladderReader{unit: b.unit, counts: counts, first: first, steps: steps, sizes: sizes, state: &x.state}
	return l.read(r, b.h, tick)
}

// ladderReader puts the columns of levels together.
type ladderReader struct {
	unit                 market.Price
	counts, first, steps []uint64
	sizes                amountReader
	state                *[2][]amount
	at                   [2]int64 // where the side's last capture began, in units
}

func (l *ladderReader) read(r *run, h Header, ticks []uint64) error {
	grid(l.state, l.unit)
	ok := true
	if h.Keyframe {
		r.keyBids, ok = l.side(r.keyBids, 0)
		if ok {
			r.keyAsks, ok = l.side(r.keyAsks, 1)
		}
	}
	whole := false
	for i := range r.entries {
		if !ok {
			return errLadders
		}
		n := &r.entries[i]
		switch n.kind {
		case market.KindBook, market.KindChange:
			if n.kind == market.KindBook && !whole {
				whole, n.whole = true, true
				clear(l.state[0])
				clear(l.state[1])
			}
			n.bids, n.asks = int32(l.counts[0]), int32(l.counts[1])
			if r.levels, ok = l.side(r.levels, 0); ok {
				r.levels, ok = l.side(r.levels, 1)
			}
		case market.KindTick:
			if ticks[0] > uint64(market.PriceOne) {
				return errValues
			}
			r.contents = append(r.contents, content{trade: market.Trade{Price: market.Price(ticks[0])}})
			ticks = ticks[1:]
		}
	}
	if !ok || !l.sizes.done() {
		return errLadders
	}
	return nil
}

// side appends the levels of one side of one capture to dst.
func (l *ladderReader) side(dst []market.Level, side int) ([]market.Level, bool) {
	n := int(l.counts[0])
	l.counts = l.counts[1:]
	if n == 0 {
		return dst, true
	}
	state := l.state[side]
	p := l.at[side] + unzigzag(l.first[0])
	l.first = l.first[1:]
	l.at[side] = p
	steps := l.steps[:n-1]
	l.steps = l.steps[n-1:]
	for i := 0; ; i++ {
		if uint64(p) >= uint64(len(state)) {
			return dst, false
		}
		s := l.sizes.next(&state[p])
		dst = append(dst, market.Level{Price: market.Price(p) * l.unit, Size: s})
		if i == len(steps) {
			return dst, !l.sizes.broken
		}
		if side == 0 {
			p -= int64(steps[i]) + 1
		} else {
			p += int64(steps[i]) + 1
		}
	}
}

// prices reads a column of prices, each a distance from the one before.
type prices struct {
	values []uint64
	unit   market.Price
}

func (p *prices) next(before *int64) (market.Price, bool) {
	*before += unzigzag(p.values[0])
	p.values = p.values[1:]
	if uint64(*before) > uint64(market.PriceOne/p.unit) {
		return 0, false
	}
	return market.Price(*before) * p.unit, true
}

func (x *reader) readQuotes(r *run, b *body) error {
	sides, all := 0, 0
	for _, f := range x.flags.symbols {
		if market.Kind(f&kindBits) == market.KindPrice {
			all++
			continue
		}
		sides += int(f>>sideShift&1) + int(f>>(sideShift+1))
	}
	values, err := x.readInts(b, 0, all+sides)
	if err != nil {
		return fmt.Errorf("prices: %w", err)
	}
	sizes, err := x.readSizes(b, sides)
	if err != nil {
		return fmt.Errorf("sizes: %w", err)
	}
	p := prices{values, b.unit}
	var before [3]int64
	var state [2]amount
	for _, f := range x.flags.symbols {
		var c content
		ok := true
		if market.Kind(f&kindBits) == market.KindPrice {
			c.trade.Price, ok = p.next(&before[2])
		} else {
			c.quote = market.Quote{Bid: market.Level{Price: market.NoPrice}, Ask: market.Level{Price: market.NoPrice}}
			for s, l := range []*market.Level{&c.quote.Bid, &c.quote.Ask} {
				if ok && f&(flagA<<s) != 0 {
					l.Price, ok = p.next(&before[s])
					l.Size = sizes.next(&state[s])
				}
			}
		}
		if !ok {
			return errValues
		}
		r.contents = append(r.contents, c)
	}
	if !sizes.done() {
		return errValues
	}
	return nil
}

func (x *reader) readTrades(r *run, b *body) error {
	values, err := x.readInts(b, 0, b.h.Captures)
	if err != nil {
		return fmt.Errorf("prices: %w", err)
	}
	sizes, err := x.readSizes(b, b.h.Captures)
	if err != nil {
		return fmt.Errorf("sizes: %w", err)
	}
	p := prices{values, b.unit}
	before := int64(0)
	for _, f := range x.flags.symbols {
		var c content
		var ok bool
		if c.trade.Price, ok = p.next(&before); !ok || f>>sideShift > byte(market.Ask) {
			return errValues
		}
		c.trade.Side = market.Side(f >> sideShift)
		c.trade.Size = sizes.next(&amount{})
		r.contents = append(r.contents, c)
	}
	if !sizes.done() {
		return errValues
	}
	return nil
}

func (x *reader) readMetrics(r *run, b *body) error {
	all := 0
	for _, f := range x.flags.symbols {
		all += int(f>>sideShift&1) + int(f>>(sideShift+1))
	}
	unit, err := b.uvarint()
	if err != nil {
		return err
	}
	values, err := x.readInts(b, 0, all)
	if err != nil {
		return fmt.Errorf("amounts: %w", err)
	}
	var before [2]int64
	for _, f := range x.flags.symbols {
		c := content{metric: market.Metric{Liquidity: market.NoMetric, Volume: market.NoMetric}}
		for k, v := range []*market.Cash{&c.metric.Liquidity, &c.metric.Volume} {
			if f&(flagA<<k) == 0 {
				continue
			}
			before[k] += unzigzag(values[0])
			values = values[1:]
			*v = market.Cash(before[k] * int64(unit))
			if *v < 0 {
				return errValues
			}
		}
		r.contents = append(r.contents, c)
	}
	return nil
}
