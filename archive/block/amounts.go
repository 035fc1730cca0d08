package block

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/ladderback/ladderback/archive/block/packing"
	"github.com/ladderback/ladderback/market"
)

// A column of sizes says each size as a change of one that the reader knows
// (the level's size so far, the quote's last size, or zero). Of its symbols
//
//	0     the size is zero
//	1     the size is what it was before the last change
//	2     the size is what it was
//	3     64 extra bits: the size
//	4..   a change by mantissa × unit, unit 1e-6, 0.01 or 1 share; the symbol says
//	      the unit and n, the mantissa's length less one; n+1 extra bits: the sign
//	      (1: less), then the mantissa's lower n bits
//	68..  the size itself as mantissa × unit; n extra bits: the mantissa's lower bits
//	106.. a change that stands in the column's list: two for each entry, more and less
const (
	amountZero = iota
	amountBack
	amountSame
	amountWide
	amountChange // the first of those with a mantissa

	centUnit  = int64(market.SizeOne / 100)
	shareUnit = int64(market.SizeOne)

	// minListed is how often a change must occur to be listed.
	minListed = 4
	// wholeGain is how many bits shorter the mantissa of a size must be than that of its
	// change for the size itself to be written: the symbol is rarer.
	wholeGain = 3
)

// octaves are the symbols of mantissas in one unit, one for each length.
type octaves struct {
	first, count int
	unit         int64
}

// symbol returns the symbol of a mantissa > 0, and how many bits it has below its
// highest.
func (o octaves) symbol(m uint64) (symbol byte, n int, ok bool) {
	n = bits.Len64(m) - 1
	return byte(o.first + n), n, n < o.count
}

const (
	listed     = 106                // the first symbol of the list
	mostListed = (256 - listed) / 2 // how many entries it may have
)

// Which symbols say changes, in shares, 0.01 and 1e-6 share, and sizes themselves, in
// shares and 0.01 share.
var (
	changeOctaves = [3]octaves{{amountChange, 16, shareUnit}, {20, 22, centUnit}, {42, 26, 1}}
	wholeOctaves  = [2]octaves{{68, 16, shareUnit}, {84, 22, centUnit}}
)

// keeps says what each symbol keeps, of a held.
var keeps = func() (by [256]uint8) {
	by[amountZero], by[amountBack], by[amountWide] = heldZero, heldBefore, heldZero
	for _, o := range wholeOctaves {
		for n := range o.count {
			by[o.first+n] = heldZero
		}
	}
	return by
}()

// amount is a size that a column follows: what it is and what it was before.
type amount struct {
	now, before market.Size
}

func (a *amount) set(s market.Size) {
	if s != a.now {
		a.before, a.now = a.now, s
	}
}

// amountWriter is a column of sizes being written.
type amountWriter struct {
	symbols []byte // amountChange stands for a change in the arrays below
	changes []int64
	wide    []market.Size
	counts  counter
	list    []int64
	common  []tally
	extra   bitWriter
}

func (w *amountWriter) reset() {
	w.symbols, w.changes, w.wide = w.symbols[:0], w.changes[:0], w.wide[:0]
	w.list, w.common = w.list[:0], w.common[:0]
	w.extra.reset()
	w.counts.reset()
}

// put appends the size s of a, and lets a follow.
func (w *amountWriter) put(a *amount, s market.Size) {
	switch s {
	case a.now:
		w.symbols = append(w.symbols, amountSame)
	case 0:
		w.symbols = append(w.symbols, amountZero)
	case a.before:
		w.symbols = append(w.symbols, amountBack)
	default:
		d := int64(s - a.now)
		w.symbols = append(w.symbols, amountChange)
		w.changes = append(w.changes, d)
		w.wide = append(w.wide, s)
		w.counts.add(magnitude(d))
	}
	a.set(s)
}

// magnitude returns what a list has of a change.
func magnitude(d int64) int64 {
	if d < 0 {
		return -d
	}
	return d
}

// finish chooses the list and turns what was put into symbols and extra bits.
func (w *amountWriter) finish() {
	w.common = w.counts.frequent(w.common, minListed)
	slices.SortFunc(w.common, func(a, b tally) int {
		if a.count != b.count {
			return b.count - a.count
		}
		if a.value < b.value {
			return -1
		}
		return 1
	})
	w.common = w.common[:min(len(w.common), mostListed)]
	for _, t := range w.common {
		w.list = append(w.list, t.value)
	}
	slices.Sort(w.list)
	for i, v := range w.list {
		w.counts.mark(v, i)
	}
	next := 0
	for i, s := range w.symbols {
		if s != amountChange {
			continue
		}
		d := w.changes[next]
		if m := w.counts.marked(magnitude(d)); m >= 0 {
			w.symbols[i] = listSymbol(m, d)
		} else {
			w.symbols[i] = w.putChange(d, w.wide[next])
		}
		next++
	}
}

// listSymbol returns the symbol of a change that is entry m of the list.
func listSymbol(m int, d int64) byte {
	if d < 0 {
		return byte(listed + 2*m + 1)
	}
	return byte(listed + 2*m)
}

// putChange writes a change to the size s that is not listed, or the size itself where
// that is much shorter.
func (w *amountWriter) putChange(d int64, s market.Size) byte {
	sign, m := uint64(0), uint64(d)
	if d < 0 {
		sign, m = 1, -m
	}
	o := &changeOctaves[2]
	switch {
	case m%uint64(shareUnit) == 0:
		o, m = &changeOctaves[0], m/uint64(shareUnit)
	case m%uint64(centUnit) == 0:
		o, m = &changeOctaves[1], m/uint64(centUnit)
	}
	symbol, n, ok := o.symbol(m)
	if whole, of, k, fits := w.whole(s); fits && (!ok || k+wholeGain <= n) {
		w.extra.put(of, uint(k))
		return whole
	}
	if !ok {
		w.extra.put64(uint64(s))
		return amountWide
	}
	w.extra.put(sign|(m&^(1<<n))<<1, uint(n)+1)
	return byte(symbol)
}

// whole returns the symbol of a size > 0 itself, and its n extra bits.
func (w *amountWriter) whole(s market.Size) (symbol byte, extra uint64, n int, ok bool) {
	for _, o := range wholeOctaves {
		if int64(s)%o.unit == 0 {
			m := uint64(int64(s) / o.unit)
			symbol, n, ok = o.symbol(m)
			return symbol, m &^ (1 << n), n, ok
		}
	}
	return 0, 0, 0, false
}

// appendList appends the list of common changes: how many, then, when there
// are any, their greatest common divisor, the first, and how many times the
// divisor each is above the one before, less one.
func (w *amountWriter) appendList(dst []byte) []byte {
	dst = append(dst, byte(len(w.list)))
	if len(w.list) == 0 {
		return dst
	}
	unit := divisor{}
	for _, v := range w.list {
		unit.add(v)
	}
	dst = binary.AppendUvarint(dst, uint64(unit.get()))
	dst = binary.AppendVarint(dst, w.list[0]/unit.get())
	for i := 1; i < len(w.list); i++ {
		dst = binary.AppendUvarint(dst, uint64(w.list[i]-w.list[i-1])/uint64(unit.get())-1)
	}
	return dst
}

// held is a size that a reader of columns follows, with what a symbol may keep of it.
type held [4]market.Size

const (
	heldNow    = 0 // what it is
	heldBefore = 1 // what it was before
	heldZero   = 2 // nothing
	heldMask   = 3
)

func (h *held) set(s market.Size) {
	if s != h[heldNow] {
		h[heldBefore], h[heldNow] = h[heldNow], s
	}
}

// step says what a symbol of a column of sizes adds to what it keeps: base, and half
// of its masked extra bits × twice; negated when the sign says so.
type step struct {
	base  int64
	mask  uint64 // of the extra bits: those of the mantissa
	twice int32  // twice the unit, or the unit where the lowest bit is the sign
	bits  uint8  // how many; notUsed
	sign  uint8  // mask of the sign
}

// steps is what the symbols of one column of sizes do.
type steps [256]step

// fill sets what does not depend on the column.
func (t *steps) fill() {
	t[amountWide] = step{bits: wideBits}
	for _, o := range changeOctaves {
		for n := range o.count {
			t[o.first+n] = step{base: o.unit << n, mask: 1<<(n+1) - 2, twice: int32(o.unit), bits: uint8(n) + 1, sign: 1}
		}
	}
	for _, o := range wholeOctaves {
		for n := range o.count {
			t[o.first+n] = step{base: o.unit << n, mask: 1<<n - 1, twice: int32(2 * o.unit), bits: uint8(n)}
		}
	}
}

// change returns what a step of less than wideBits adds. extra has the bits that it
// needs from pos on, and padding.
func (t *step) change(extra []byte, pos uint) market.Size {
	v := bitsAt(extra, pos)
	minus := -int64(v & uint64(t.sign))
	return market.Size((t.base + int64(v&t.mask)*int64(t.twice)>>1) ^ minus - minus)
}

// readList reads a list of common changes from the start of b and returns what
// follows it.
func (t *steps) readList(b []byte) ([]byte, bool) {
	if len(b) == 0 || int(b[0]) > mostListed {
		return b, false
	}
	n := int(b[0])
	b = b[1:]
	for i := range t[listed:] {
		t[listed+i] = step{bits: notUsed}
	}
	if n == 0 {
		return b, true
	}
	unit, b, ok := packing.Uvarint(b)
	if !ok || int64(unit) <= 0 {
		return b, false
	}
	first, b, ok := packing.Uvarint(b)
	if !ok {
		return b, false
	}
	v := unzigzag(first) * int64(unit)
	t.list(0, v)
	for i := 1; i < n; i++ {
		var gap uint64
		if gap, b, ok = packing.Uvarint(b); !ok {
			return b, false
		}
		v += int64(gap+1) * int64(unit)
		t.list(i, v)
	}
	return b, true
}

// list sets what the symbols of entry i of the list do.
func (t *steps) list(i int, v int64) {
	t[listed+2*i], t[listed+2*i+1] = step{base: v}, step{base: -v}
}

// amountReader follows a column of sizes in order. The caller asks for no more
// than the column has.
type amountReader struct {
	steps   *steps
	symbols []byte
	extra   []byte // followed by padding
	at      int    // symbols that were read
	pos     uint   // bits of extra that were read
	broken  bool
	added   *[]market.Size // room for what changes returns
}

// next lets h follow to its next size, which it returns. When the column is not
// well formed, or gives a negative size, it sets broken.
func (r *amountReader) next(h *held) market.Size {
	symbol := r.symbols[r.at]
	t := &r.steps[symbol]
	r.at++
	padded := r.extra[:len(r.extra)+padding]
	s := market.Size(-1)
	switch bits := uint(t.bits); {
	case bits > wideBits || r.pos+bits > uint(len(r.extra))*8:
	case bits == wideBits:
		s = market.Size(wideAt(padded, r.pos))
		r.pos += bits
	default:
		s = h[keeps[symbol]&heldMask] + t.change(padded, r.pos)
		r.pos += bits
	}
	if s < 0 {
		r.broken = true
		return 0
	}
	h.set(s)
	return s
}

// changes returns the next n symbols, and what each adds to what it keeps. It reports
// false when the column is not well formed. The changes are valid until the next.
func (r *amountReader) changes(n int) (symbols []byte, added []market.Size, ok bool) {
	symbols = r.symbols[r.at : r.at+n]
	r.at += n
	*r.added = slices.Grow((*r.added)[:0], n)[:n]
	added = (*r.added)[:len(symbols)]
	padded, pos, end, steps := r.extra[:len(r.extra)+padding], r.pos, uint(len(r.extra))*8, r.steps
	for i, symbol := range symbols {
		t := &steps[symbol]
		bits := uint(t.bits)
		if pos+bits > end {
			return nil, nil, false
		}
		if bits < wideBits {
			added[i] = t.change(padded, pos)
		} else if bits == wideBits {
			added[i] = market.Size(wideAt(padded, pos))
		} else {
			return nil, nil, false
		}
		pos += bits
	}
	r.pos = pos
	return symbols, added, true
}

// done reports whether the whole column was read and was well formed.
func (r *amountReader) done() bool {
	return !r.broken && r.at == len(r.symbols) && (r.pos+7)/8 == uint(len(r.extra))
}
