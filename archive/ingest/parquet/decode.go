package parquet

import (
	"encoding/binary"
	"fmt"

	"github.com/parquet-go/parquet-go/format"
)

// decoder takes the next value of a page into v
// (https://parquet.apache.org/docs/file-format/data-pages/encodings).
type decoder func(v *Value) error

var (
	errShort = fmt.Errorf("%w: a page ends too early", ErrFile)
	errDelta = fmt.Errorf("%w: differences between values cannot be read", ErrFile)
)

// plainDictionary is the old name of two encodings: of indexes, and of a dictionary.
const plainDictionary format.Encoding = 2

// decoderOf returns what decodes the values in b, at most n of them.
func (c *Column) decoderOf(e format.Encoding, b []byte, n int64) (decoder, error) {
	whole := c.Physical == format.Int32 || c.Physical == format.Int64
	switch {
	case e == format.Plain:
		return plain(c.Leaf, b), nil
	case e == plainDictionary || e == format.RLEDictionary:
		return c.words.decoder(c.Leaf, b)
	case e == format.RLE && c.Physical == format.Boolean:
		b, _, err := levels(b)
		r := runs{b: b, width: 1}
		return func(v *Value) error {
			bit, err := r.next()
			v.Bits = uint64(bit)
			return err
		}, err
	case e == format.DeltaBinaryPacked && whole:
		d, err := newDeltas(b, n)
		if err != nil {
			return nil, err
		}
		return func(v *Value) error {
			x, err := d.next()
			if v.Bits = uint64(x); c.Physical == format.Int32 {
				v.Bits = uint64(int64(int32(x)))
			}
			return err
		}, nil
	case e == format.DeltaLengthByteArray && c.Physical == format.ByteArray:
		return deltaTexts(b, n)
	case e == format.ByteStreamSplit && c.width > 0:
		return split(c.Leaf, b)
	}
	return nil, fmt.Errorf("encoding %v: %w", e, ErrCodec)
}

// set takes a value of a fixed width.
func (l *Leaf) set(v *Value, b []byte) {
	switch l.Physical {
	case format.Int32:
		v.Bits = uint64(int64(int32(binary.LittleEndian.Uint32(b))))
	case format.Float:
		v.Bits = uint64(binary.LittleEndian.Uint32(b))
	case format.Int64, format.Double:
		v.Bits = binary.LittleEndian.Uint64(b)
	default:
		v.Bytes = b
	}
}

// text cuts a text, after its length, off b.
func text(b []byte) (of, rest []byte, err error) { return levels(b) }

// plain decodes values that stand as they are.
func plain(l *Leaf, b []byte) decoder {
	switch {
	case l.Physical == format.Boolean:
		i := 0
		return func(v *Value) error {
			if i/8 >= len(b) {
				return errShort
			}
			v.Bits = uint64(b[i/8] >> (i % 8) & 1)
			i++
			return nil
		}
	case l.Physical == format.ByteArray:
		return func(v *Value) (err error) {
			v.Bytes, b, err = text(b)
			return err
		}
	}
	return func(v *Value) error {
		if len(b) < l.width {
			return errShort
		}
		l.set(v, b[:l.width])
		b = b[l.width:]
		return nil
	}
}

// split decodes values of which the first bytes stand together, then the second.
func split(l *Leaf, b []byte) (decoder, error) {
	n, i := len(b)/l.width, 0
	cell := make([]byte, l.width)
	if l.Physical == format.FixedLenByteArray || len(b)%l.width != 0 {
		return nil, fmt.Errorf("encoding %v of bytes: %w", format.ByteStreamSplit, ErrCodec)
	}
	return func(v *Value) error {
		if i >= n {
			return errShort
		}
		for k := range cell {
			cell[k] = b[k*n+i]
		}
		i++
		l.set(v, cell)
		return nil
	}, nil
}

// dictionary is what the values of a chunk are indexes into.
type dictionary struct {
	page   []byte
	starts []uint32 // of texts
	n      int      // -1: there is none
}

// index takes the page as a dictionary.
func (d *dictionary) index(l *Leaf, h *pageHeader, m *room) error {
	if e := format.Encoding(h.encoding); e != format.Plain && e != plainDictionary || l.Physical == format.Boolean {
		return fmt.Errorf("a dictionary in the encoding %v: %w", e, ErrCodec)
	}
	d.n = int(h.values)
	if l.width > 0 {
		if d.n > len(d.page)/l.width {
			return errShort
		}
		return nil
	}
	if d.n > len(d.page)/4 {
		return errShort
	}
	if cap(d.starts) < d.n {
		m.held += int64(4 * (d.n - cap(d.starts)))
		d.starts = make([]uint32, 0, d.n)
	}
	d.starts = d.starts[:0]
	for b := d.page; len(d.starts) < d.n; {
		d.starts = append(d.starts, uint32(len(d.page)-len(b)))
		_, rest, err := text(b)
		if err != nil {
			return err
		}
		b = rest
	}
	return nil
}

// decoder decodes indexes: their width, then themselves.
func (d *dictionary) decoder(l *Leaf, b []byte) (decoder, error) {
	switch {
	case d.n < 0:
		return nil, fmt.Errorf("%w: no dictionary", ErrFile)
	case len(b) == 0: // every value is null
		return func(*Value) error { return errShort }, nil
	case b[0] > 32:
		return nil, fmt.Errorf("%w: indexes of %d bits", ErrFile, b[0])
	}
	r := runs{b: b[1:], width: int(b[0])}
	return func(v *Value) error {
		at, err := r.next()
		switch {
		case err != nil:
			return err
		case int64(at) >= int64(d.n):
			return fmt.Errorf("%w: value %d of a dictionary of %d", ErrFile, at, d.n)
		case l.width > 0:
			l.set(v, d.page[int(at)*l.width:][:l.width])
			return nil
		}
		v.Bytes, _, err = text(d.page[d.starts[at]:])
		return err
	}, nil
}

// runs are whole numbers of a width in bits, in runs that repeat one or hold them
// packed. They come one by one: what a run claims to be long takes no room.
type runs struct {
	b      []byte
	width  int    // 0 to 32
	left   uint64 // in the run at hand
	packed []byte // nil: the run repeats value
	bit    int    // of packed, that comes next
	value  uint32
}

func (r *runs) next() (uint32, error) {
	if r.width == 0 {
		return 0, nil
	}
	for r.left == 0 {
		if err := r.run(); err != nil {
			return 0, err
		}
	}
	r.left--
	if r.packed == nil {
		return r.value, nil
	}
	v, ok := bitsAt(r.packed, r.bit, r.width)
	if !ok {
		return 0, errShort
	}
	r.bit += r.width
	return uint32(v), nil
}

// run begins the next run.
func (r *runs) run() error {
	head, n := binary.Uvarint(r.b)
	if n <= 0 {
		return errShort
	}
	r.b = r.b[n:]
	if head&1 == 0 {
		size := (r.width + 7) / 8
		if len(r.b) < size {
			return errShort
		}
		var word [4]byte
		copy(word[:], r.b[:size])
		r.left, r.packed, r.value, r.b = head>>1, nil, binary.LittleEndian.Uint32(word[:]), r.b[size:]
		return nil
	}
	// Eight values a group, so as many bytes as a value has bits; the last group may
	// be cut off where its values are not needed.
	groups := head >> 1
	size := min(uint64(len(r.b)), groups*uint64(r.width))
	if groups > maxPageValues {
		return errShort
	}
	r.left, r.packed, r.bit, r.b = 8*groups, r.b[:size:size], 0, r.b[size:]
	return nil
}

// bitsAt returns a number of at most 64 bits that begins at a bit, the lowest first.
func bitsAt(b []byte, bit, width int) (uint64, bool) {
	first, last := bit/8, (bit+width+7)/8
	if last > len(b) {
		return 0, false
	}
	if width <= 56 && first+8 <= len(b) {
		return binary.LittleEndian.Uint64(b[first:]) >> (bit % 8) & (1<<width - 1), true
	}
	var word [16]byte
	copy(word[:], b[first:last])
	low, high := binary.LittleEndian.Uint64(word[:8]), uint64(word[8])
	v := low >> (bit % 8)
	if shift := bit % 8; shift > 0 {
		v |= high << (64 - shift)
	}
	if width < 64 {
		v &= 1<<width - 1
	}
	return v, true
}

// deltas are whole numbers as differences, in blocks of miniblocks of one width.
type deltas struct {
	b       []byte
	mini    int    // values of a miniblock
	minis   int    // of a block
	left    int64  // values still to come
	value   int64  // the last
	least   int64  // difference of the block
	widths  []byte // of the miniblocks of the block that are still to come
	packed  []byte // the miniblock at hand
	i       int    // values taken from it
	started bool
}

// newDeltas begins to read numbers, at most n.
func newDeltas(b []byte, n int64) (*deltas, error) {
	d := &deltas{b: b}
	block, ok1 := d.uvarint()
	minis, ok2 := d.uvarint()
	total, ok3 := d.uvarint()
	first, ok4 := d.uvarint()
	if !ok1 || !ok2 || !ok3 || !ok4 || block == 0 || block > 1<<20 || block%128 != 0 ||
		minis == 0 || minis > block || block%minis != 0 || block/minis%32 != 0 || total > uint64(n) {
		return nil, errDelta
	}
	d.mini, d.minis, d.left, d.value = int(block/minis), int(minis), int64(total), unzigzag(first)
	d.i = d.mini
	return d, nil
}

func unzigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

func (d *deltas) uvarint() (uint64, bool) {
	u, n := binary.Uvarint(d.b)
	if n <= 0 {
		return 0, false
	}
	d.b = d.b[n:]
	return u, true
}

func (d *deltas) next() (int64, error) {
	if d.left == 0 {
		return 0, errShort
	}
	d.left--
	if !d.started {
		d.started = true
		return d.value, nil
	}
	if d.i == d.mini {
		if err := d.miniblock(); err != nil {
			return 0, err
		}
	}
	width := int(d.widths[0])
	v, ok := bitsAt(d.packed, d.i*width, width)
	if !ok {
		return 0, errDelta
	}
	d.i++
	d.value += d.least + int64(v)
	return d.value, nil
}

// miniblock begins the next miniblock, in the next block after the last.
func (d *deltas) miniblock() error {
	if len(d.widths) > 0 {
		d.widths = d.widths[1:]
	}
	if len(d.widths) == 0 {
		least, ok := d.uvarint()
		if !ok || len(d.b) < d.minis {
			return errDelta
		}
		d.least, d.widths, d.b = unzigzag(least), d.b[:d.minis], d.b[d.minis:]
	}
	if d.widths[0] > 64 {
		return errDelta
	}
	// The last miniblock may be cut off where its values are not needed.
	n := min(len(d.b), d.mini*int(d.widths[0])/8)
	d.packed, d.b, d.i = d.b[:n], d.b[n:], 0
	return nil
}

// deltaTexts decodes texts of which first all lengths stand, as differences.
func deltaTexts(b []byte, n int64) (decoder, error) {
	lengths, err := newDeltas(b, n)
	if err != nil {
		return nil, err
	}
	end := *lengths // reads over them, to where the texts begin
	for end.left > 0 {
		if _, err := end.next(); err != nil {
			return nil, err
		}
	}
	// Of a block all widths are there, and the miniblocks that have values.
	texts := end.b
	return func(v *Value) error {
		n, err := lengths.next()
		if err != nil || n < 0 || n > int64(len(texts)) {
			return errShort
		}
		v.Bytes, texts = texts[:n], texts[n:]
		return nil
	}, nil
}
