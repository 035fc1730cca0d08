package block

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"

	"github.com/ladderback/ladderback/archive/block/packing"
	"github.com/ladderback/ladderback/market"
)

// together is how many captures a reader reads together.
const together = 128

// reader turns the body of a block into a run, some captures at a time. The zero
// value is ready to use.
type reader struct {
	unpacker packing.Unpacker
	flags    packing.Column
	tally    flagTally
	sizes    packing.Column
	steps    *steps
	intSteps *intSteps
	ladders  ladderReader

	h     Header
	unit  market.Price
	units clockUnits
	bare  bool // sizes of quotes and trades are left out
	// The columns of times, and how far they have been read.
	recv, exch, ord intColumn
	prevRecv        int64
	timed           int // entries whose times have been read
	plain, ords     int // captures without exchange time, and with an order

	quotes valueReader
	added  []market.Size // see amountReader
	values intColumn     // of columns that are read whole
	ints   []uint64      // their values
	parts  [3][together]uint64
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
	v, rest, ok := packing.Uvarint(b.b)
	if !ok {
		return 0, errColumn
	}
	b.b = rest
	return v, nil
}

// open unpacks the columns of a block and makes r ready for its captures, which more
// reads.
func (x *reader) open(r *run, h Header, unit market.Price, data []byte) error {
	x.ready()
	x.h, x.unit = h, unit
	b := &body{h: h, unit: unit, b: data, plain: h.Codec == None}
	if err := x.openClocks(r, b); err != nil {
		return err
	}
	var err error
	switch h.Stream {
	case Books:
		err = x.openBooks(r, b)
	case Quotes, Trades:
		err = x.openValues(r, b)
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

// ready makes the tables of x.
func (x *reader) ready() {
	if x.steps == nil {
		x.steps, x.intSteps = &steps{}, &intSteps{}
		x.steps.fill()
		x.intSteps.fill()
	}
}

// more reads the next captures: up to so many of those that are read together, and of
// those received before an instant. With the last, nothing may be left of any column.
func (x *reader) more(r *run, before market.Instant, most int) error {
	from := len(r.entries)
	if x.timed == from {
		if err := x.moreClocks(r); err != nil {
			return fmt.Errorf("clocks: %w", err)
		}
	}
	to := min(x.timed, from+most)
	r.entries = r.entries[:to]
	if to > from && r.entries[to-1].recv >= before {
		to = from + sort.Search(to-from, func(i int) bool { return r.entries[from+i].recv >= before })
		r.entries = r.entries[:to]
	}
	var err error
	switch x.h.Stream {
	case Books:
		err = x.ladders.more(r, from, x.unit)
	case Quotes, Trades:
		err = x.quotes.more(r, x.flags.Symbols[from:to], x.unit)
	}
	if err != nil {
		return fmt.Errorf("%v: %w", x.h.Stream, err)
	}
	if to < x.h.Captures {
		return nil
	}
	return x.end(r)
}

// moreClocks reads the times of the captures that are read together next.
func (x *reader) moreClocks(r *run) error {
	from := x.timed
	x.timed = min(from+together, x.h.Captures)
	if err := x.readClocks(r.entries[from:x.timed], x.flags.Symbols[from:x.timed]); err != nil {
		return err
	}
	if from == 0 && r.entries[:1][0].recv != x.h.First {
		return errClocks
	}
	return nil
}

// end returns an error when anything is left of a column, or the last capture is
// not that of the header.
func (x *reader) end(r *run) error {
	if x.prevRecv != int64(x.h.Last) || !x.exch.done() || !x.recv.done() || !x.ord.done() {
		return fmt.Errorf("clocks: %w", errClocks)
	}
	switch {
	case x.h.Stream == Books && !x.ladders.done():
		return fmt.Errorf("%v: %w", x.h.Stream, errLadders)
	case (x.h.Stream == Quotes || x.h.Stream == Trades) && !x.quotes.done():
		return fmt.Errorf("%v: %w", x.h.Stream, errValues)
	}
	return nil
}

// intColumn is a column of integers that is read in parts.
type intColumn struct {
	column packing.Column
	intReader
}

// openInts unpacks the next column, of integers; want −1: it may have any number of
// values up to most.
func (x *reader) openInts(b *body, c *intColumn, want, most int) error {
	if want < 0 {
		if want = packing.Length(b.b); want > most {
			return errColumn
		}
	}
	var err error
	if b.b, err = x.unpacker.Read(&c.column, b.b, want, b.plain); err != nil {
		return err
	}
	c.intReader = intReader{steps: x.intSteps, symbols: c.column.Symbols, extra: c.column.Extra}
	return nil
}

// readInts reads a column of integers. The values are valid until the next.
func (x *reader) readInts(b *body, want int) ([]uint64, error) {
	if err := x.openInts(b, &x.values, want, 0); err != nil {
		return nil, err
	}
	x.ints = slices.Grow(x.ints[:0], want)[:want]
	if !x.values.fill(x.ints) || !x.values.done() {
		return nil, errColumn
	}
	return x.ints, nil
}

// readSizes reads a column of sizes.
func (x *reader) readSizes(b *body, want int) (amountReader, error) {
	rest, ok := x.steps.readList(b.b)
	if !ok {
		return amountReader{}, errColumn
	}
	var err error
	if b.b, err = x.unpacker.Read(&x.sizes, rest, want, b.plain); err != nil {
		return amountReader{}, err
	}
	return amountReader{steps: x.steps, symbols: x.sizes.Symbols, extra: x.sizes.Extra, added: &x.added}, nil
}

// skipSizes passes over a column of sizes.
func (x *reader) skipSizes(b *body, want int) error {
	rest, ok := x.steps.readList(b.b)
	if !ok {
		return errColumn
	}
	var err error
	_, _, _, b.b, err = packing.Parts(rest, want, b.plain)
	return err
}

// clockUnits are what a block's times are multiples of.
type clockUnits struct {
	recvUnit int64
	exchUnit int64
	exchBase int64 // of exchange times, beside the first receive time
	// inverse is 2⁶⁴ ÷ exchUnit, rounded up, where the quotient of no time that a block
	// spans suffers from that; 0: otherwise.
	inverse uint64
}

// units returns how many whole exchange units a time ≥ 0 within a block has.
func (u *clockUnits) units(time int64) int64 {
	if u.inverse == 0 {
		return time / u.exchUnit
	}
	whole, _ := bits.Mul64(uint64(time), u.inverse)
	return int64(whole)
}

func readUnits(b *body) (u clockUnits, err error) {
	var v [3]uint64
	for i := range v {
		if v[i], err = b.uvarint(); err != nil {
			return u, err
		}
	}
	u = clockUnits{recvUnit: int64(v[0]), exchUnit: int64(v[1]), exchBase: unzigzag(v[2])}
	if u.recvUnit < 1 || u.exchUnit < 1 {
		return u, errClocks
	}
	if span := uint64(b.h.Last - b.h.First); u.exchUnit > 1 && span <= math.MaxUint64/uint64(u.exchUnit) {
		u.inverse = math.MaxUint64/uint64(u.exchUnit) + 1
	}
	return u, nil
}

// openClocks reads what says of each capture what it is, and unpacks the columns of
// times.
func (x *reader) openClocks(r *run, b *body) error {
	var err error
	if x.units, err = readUnits(b); err != nil {
		return err
	}
	if rest, ok := x.onlyTrades(b); ok {
		x.flags.Symbols, b.b = tradeFlags[:b.h.Captures], rest
	} else if b.b, err = x.unpacker.Read(&x.flags, b.b, b.h.Captures, b.plain); err != nil {
		return fmt.Errorf("flags: %w", err)
	}
	x.tally.of(x.flags.Symbols)
	x.plain, x.ords = 0, 0
	for f, n := range &x.tally {
		if n == 0 {
			continue
		}
		if StreamOf(market.Kind(f&kindBits)) != b.h.Stream {
			return fmt.Errorf("clocks: %w", errKinds)
		}
		x.plain += n * (f & flagNoExch / flagNoExch)
		x.ords += n * (f & flagOrd / flagOrd)
	}
	for _, c := range []struct {
		column *intColumn
		want   int
	}{{&x.recv, b.h.Captures}, {&x.exch, b.h.Captures - x.plain}, {&x.ord, x.ords}} {
		if err := x.openInts(b, c.column, c.want, 0); err != nil {
			return fmt.Errorf("clocks: %w", err)
		}
	}
	x.prevRecv = int64(b.h.First)
	r.entries, x.timed = slices.Grow(r.entries[:0], b.h.Captures), 0
	return nil
}

// tradeFlags are the flags of trades with an exchange time, in no order and of no side.
var tradeFlags = bytes.Repeat([]byte{byte(market.KindTrade)}, MaxCaptures)

// onlyTrades reports whether the flags of a block are these, as far as somebody asks:
// by the lengths of the columns behind them. It returns what follows the flags.
func (x *reader) onlyTrades(b *body) (rest []byte, ok bool) {
	if !x.bare || b.h.Stream != Trades {
		return nil, false
	}
	_, _, _, rest, err := packing.Parts(b.b, b.h.Captures, b.plain)
	next := rest
	for _, want := range []int{b.h.Captures, b.h.Captures, 0} {
		if err != nil {
			return nil, false
		}
		_, _, _, next, err = packing.Parts(next, want, b.plain)
	}
	return rest, err == nil
}

// among returns how many captures with these flags, of those of the block, have no
// exchange time, and how many have an order.
func (x *reader) among(flags []byte) (plain, ords int) {
	if x.ords == 0 && (x.plain == 0 || x.plain == x.h.Captures) {
		return x.plain * len(flags) / x.h.Captures, 0
	}
	for _, f := range flags {
		plain += int(f & flagNoExch)
		ords += int(f & flagOrd)
	}
	return plain / flagNoExch, ords / flagOrd
}

// readClocks reads the times of captures into their entries, and what they are.
// flags are theirs.
func (x *reader) readClocks(entries []entry, flags []byte) error {
	plain, ords := x.among(flags)
	recv, exch, ord := x.parts[0][:len(flags)], x.parts[1][:len(flags)-plain], x.parts[2][:ords]
	if !x.recv.fill(recv) || !x.exch.fill(exch) || !x.ord.fill(ord) {
		return errColumn
	}
	u, first := &x.units, int64(x.h.First)
	now, wrong := x.prevRecv, int64(0) // negative: a time is
	entries, recv = entries[:len(flags)], recv[:len(flags)]
	for i, f := range flags {
		next := now + int64(recv[i])*u.recvUnit
		wrong |= next | (next - now)
		now = next
		entries[i] = entry{kind: market.Kind(f & kindBits), recv: market.Instant(now)}
	}
	if wrong < 0 || now > int64(x.h.Last) {
		return errClocks
	}
	x.prevRecv = now
	if len(exch) == 0 {
		return setOrders(entries, flags, ord)
	}
	for i := range entries {
		if plain > 0 && flags[i]&flagNoExch != 0 {
			continue
		}
		at := u.exchBase + (u.units(int64(entries[i].recv)-first)+unzigzag(exch[0]))*u.exchUnit
		wrong |= (at - 1) | (int64(maxInstant) - at)
		entries[i].exch = market.Instant(at)
		exch = exch[1:]
	}
	if wrong < 0 {
		return errClocks
	}
	return setOrders(entries, flags, ord)
}

// setOrders gives the entries that have one their order.
func setOrders(entries []entry, flags []byte, ord []uint64) error {
	for i := 0; len(ord) > 0; i++ {
		if flags[i]&flagOrd == 0 {
			continue
		}
		if ord[0] >= 1<<32-1 {
			return errClocks
		}
		entries[i].ord = uint32(ord[0]) + 1
		ord = ord[1:]
	}
	return nil
}

// flagTally is how many captures of a block have which flags.
type flagTally [256]int

// of counts flags. Mostly neighbours are equal.
func (t *flagTally) of(flags []byte) {
	clear(t[:])
	for len(flags) >= swar {
		some := flags[:swar]
		if same(some) {
			t[some[0]] += swar
		} else {
			for _, f := range some {
				t[f]++
			}
		}
		flags = flags[swar:]
	}
	for _, f := range flags {
		t[f]++
	}
}

// same reports whether the bytes of a word are equal.
func same(b []byte) bool { return binary.LittleEndian.Uint64(b) == uint64(b[0])*swarOnes }
