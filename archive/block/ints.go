package block

import (
	"encoding/binary"
	"math/bits"
)

// A column of unsigned integers is a byte per value, its symbol, and a string
// of extra bits. Values below 16 are their own symbol; from there on there are
// eight symbols per power of two, the rest of the value in extra bits:
//
//	symbol 0..15        the value
//	symbol 16+8k+j      (8+j) << (k+1), plus k+1 extra bits    (k 0..28, j 0..7)
//	symbol 255          64 extra bits: the value
//
// Extra bits fill bytes from the lowest bit upwards.
const (
	intDirect  = 16
	intOctaves = 29
	intSymbols = intDirect + 8*intOctaves // 248: the first symbol that is not used
	wideSymbol = 255
	wideBits   = 64
	// notUsed, as a count of extra bits, is more than any column has: symbols
	// that stand for nothing are found by it.
	notUsed = 255
)

// bitWriter collects bits.
type bitWriter struct {
	out []byte
	acc uint64
	n   uint // bits in acc, below 8 between calls
}

func (w *bitWriter) reset() { w.out, w.acc, w.n = w.out[:0], 0, 0 }

// put appends the lowest n ≤ 56 bits of v; the others must be zero.
func (w *bitWriter) put(v uint64, n uint) {
	w.acc |= v << w.n
	w.n += n
	for w.n >= 8 {
		w.out = append(w.out, byte(w.acc))
		w.acc >>= 8
		w.n -= 8
	}
}

func (w *bitWriter) put64(v uint64) {
	w.put(v&0xffffffff, 32)
	w.put(v>>32, 32)
}

// bytes returns what was written, the last byte filled up with zeros.
func (w *bitWriter) bytes() []byte {
	if w.n > 0 {
		w.out = append(w.out, byte(w.acc))
		w.acc, w.n = 0, 0
	}
	return w.out
}

// bitsAt returns the 57 or more bits of b from bit position pos on, lowest
// first. b must have 8 bytes from pos/8 on.
func bitsAt(b []byte, pos uint) uint64 {
	i := pos >> 3
	return binary.LittleEndian.Uint64(b[i:i+8:i+8]) >> (pos & 7)
}

// wideAt returns 64 bits. b must have 12 bytes from pos/8 on.
func wideAt(b []byte, pos uint) uint64 {
	return bitsAt(b, pos)&0xffffffff | bitsAt(b, pos+32)<<32
}

// intWriter is a column of integers being written.
type intWriter struct {
	symbols []byte
	extra   bitWriter
	bytes   bool // each value is its own symbol
}

func (w *intWriter) reset() {
	w.symbols, w.bytes = w.symbols[:0], false
	w.extra.reset()
}

func (w *intWriter) put(v uint64) {
	if v < intDirect || w.bytes {
		w.symbols = append(w.symbols, byte(v))
		return
	}
	n := uint(bits.Len64(v)) - 4 // extra bits, at least 1
	if n > intOctaves {
		w.symbols = append(w.symbols, wideSymbol)
		w.extra.put64(v)
		return
	}
	w.symbols = append(w.symbols, byte(intDirect+8*(n-1)+uint(v>>n)&7))
	w.extra.put(v&(1<<n-1), n)
}

func (w *intWriter) putSigned(v int64) { w.put(zigzag(v)) }

// zigzag maps signed integers to unsigned ones, small to small.
func zigzag(v int64) uint64 { return uint64(v<<1) ^ uint64(v>>63) }

func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// intStep says what a symbol of a column of integers does.
type intStep struct {
	base uint64
	mask uint64 // of the extra bits
	bits uint   // how many, or notUsed
}

// intSteps is what the symbols of every column of integers do.
type intSteps [256]intStep

func (t *intSteps) fill() {
	for s := range t {
		n := uint(s-intDirect)/8 + 1
		switch {
		case s < intDirect:
			t[s] = intStep{base: uint64(s)}
		case s < intSymbols:
			t[s] = intStep{base: (8 + uint64(s&7)) << n, mask: 1<<n - 1, bits: n}
		default:
			t[s] = intStep{bits: notUsed}
		}
	}
	t[wideSymbol].bits = wideBits
}

// intReader reads a column of integers in parts.
type intReader struct {
	steps   *intSteps
	symbols []byte
	extra   []byte // followed by padding
	at      int    // symbols that were read
	pos     uint   // bits of extra that were read
	broken  bool
}

// fill fills dst with the next values. It reports false when the column has not so
// many, a symbol is not used, or the extra bits are too few.
func (r *intReader) fill(dst []uint64) bool {
	if len(dst) > len(r.symbols)-r.at {
		return false
	}
	symbols := r.symbols[r.at : r.at+len(dst)]
	r.at += len(dst)
	pos, end := r.pos, uint(len(r.extra))*8
	extra, t := r.extra[:len(r.extra)+padding], r.steps
	for i, s := range symbols {
		v := &t[s]
		if pos+v.bits > end || v.bits > wideBits {
			return false
		}
		dst[i] = v.base + bitsAt(extra, pos)&v.mask
		if v.bits >= wideBits {
			dst[i] = wideAt(extra, pos)
		}
		pos += v.bits
	}
	r.pos = pos
	return true
}

// take returns the symbols of the next n values, with padding behind them. It reports
// false when the column has not so many.
func (r *intReader) take(n int) ([]byte, bool) {
	if n > len(r.symbols)-r.at {
		return nil, false
	}
	some := r.symbols[r.at : r.at+n]
	r.at += n
	return some, true
}

// value returns the value of the symbol s, whose turn it is. When the symbol is
// not used or the extra bits are too few, it sets broken.
func (r *intReader) value(s byte) uint64 {
	v := &r.steps[s]
	pos := r.pos
	if pos+v.bits > uint(len(r.extra))*8 || v.bits > wideBits {
		r.broken = true
		return 0
	}
	r.pos += v.bits
	padded := r.extra[:len(r.extra)+padding]
	if v.bits == wideBits {
		return wideAt(padded, pos)
	}
	return v.base + bitsAt(padded, pos)&v.mask
}

// done reports whether the whole column was read and was well formed.
func (r *intReader) done() bool {
	return !r.broken && r.at == len(r.symbols) && (r.pos+7)/8 == uint(len(r.extra))
}
