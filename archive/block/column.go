package block

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/klauspost/compress/huff0"
	"github.com/klauspost/compress/zstd"
)

// packing says how the symbols of a column stand in the block. The numbers are
// part of the format.
type packing byte

const (
	packNone     packing = 0 // as they are
	packRun      packing = 1 // one byte, repeated
	packHuffman1 packing = 2 // one Huffman-coded stream
	packHuffman4 packing = 3 // four of them
	packZstd     packing = 4 // a zstd frame
)

const (
	// shortColumn is where one Huffman-coded stream takes less than four.
	shortColumn = 1 << 10
	// maxSymbols bounds the symbols of a column: what one Huffman-coded column
	// may hold.
	maxSymbols = huff0.BlockSizeMax
	// zstdWindow bounds what a zstd frame may look back, and so its decoder.
	zstdWindow = 1 << 18
)

// packer compresses the symbols of columns.
type packer struct {
	huffman huff0.Scratch
	zstd    *zstd.Encoder
	frame   []byte
}

func newPacker() (*packer, error) {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false),
		zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(zstdWindow), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, fmt.Errorf("new block encoder: %w", err)
	}
	return &packer{zstd: z}, nil
}

// append appends a column: its symbols packed in the smallest way, or as they
// are when p is nil, and its extra bits.
func (p *packer) append(dst, symbols, extra []byte) []byte {
	if len(symbols) == 0 {
		return append(dst, byte(packNone), 0)
	}
	how, packed := packNone, symbols
	if p != nil {
		how, packed = p.pack(symbols)
	}
	dst = append(dst, byte(how))
	dst = binary.AppendUvarint(dst, uint64(len(symbols)))
	dst = binary.AppendUvarint(dst, uint64(len(packed)))
	dst = binary.AppendUvarint(dst, uint64(len(extra)))
	dst = append(dst, packed...)
	return append(dst, extra...)
}

func (p *packer) pack(symbols []byte) (packing, []byte) {
	if oneValue(symbols) {
		return packRun, symbols[:1]
	}
	how, best := packNone, symbols
	p.huffman.Reuse = huff0.ReusePolicyNone
	try, compress := packHuffman4, huff0.Compress4X
	if len(symbols) < shortColumn {
		try, compress = packHuffman1, huff0.Compress1X
	}
	if out, _, err := compress(symbols, &p.huffman); err == nil && len(out) < len(best) {
		how, best = try, out
	}
	// A frame takes longer to decode: it must be well worth it.
	p.frame = p.zstd.EncodeAll(symbols, p.frame[:0])
	if len(p.frame) < len(best)-len(best)/16 {
		how, best = packZstd, p.frame
	}
	return how, best
}

func oneValue(b []byte) bool {
	for _, v := range b {
		if v != b[0] {
			return false
		}
	}
	return true
}

// unpacker reads columns.
type unpacker struct {
	huffman *huff0.Scratch
	zstd    *zstd.Decoder
}

// column is a column that was read.
type column struct {
	symbols []byte // with padding behind them
	extra   []byte // with padding behind it
	buf     []byte // what symbols is a part of
}

var errColumn = errors.New("malformed column")

// read reads a column of exactly want symbols from the start of b into c, and
// returns what follows it. Only columns packed as packNone are read when plain
// is true.
func (u *unpacker) read(c *column, b []byte, want int, plain bool) ([]byte, error) {
	how, packed, extra, rest, err := columnParts(b, want, plain)
	if err != nil {
		return nil, err
	}
	if err := u.unpack(c, how, packed, want); err != nil {
		return nil, err
	}
	var zeros [padding]byte
	c.extra = append(c.extra[:0], extra...)
	c.extra = append(c.extra, zeros[:]...)[:len(extra)]
	return rest, nil
}

// columnParts takes the column of exactly want symbols at the start of b apart, and
// returns what follows it.
func columnParts(b []byte, want int, plain bool) (how packing, symbols, extra, rest []byte, err error) {
	if len(b) < 2 || want > maxSymbols {
		return 0, nil, nil, nil, errColumn
	}
	how = packing(b[0])
	count, b, ok := readUvarint(b[1:])
	if !ok || count != uint64(want) || plain && how != packNone {
		return 0, nil, nil, nil, errColumn
	}
	var n, x uint64
	if want > 0 {
		if n, b, ok = readUvarint(b); !ok {
			return 0, nil, nil, nil, errColumn
		}
		x, b, ok = readUvarint(b)
		if !ok || n > uint64(len(b)) || x > uint64(len(b))-n || x > 8*uint64(want) {
			return 0, nil, nil, nil, errColumn
		}
	}
	return how, b[:n], b[n : n+x], b[n+x:], nil
}

// columnLength returns how many symbols the column at the start of b has, as it
// says; maxSymbols + 1: more than any.
func columnLength(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	n, _, ok := readUvarint(b[1:])
	if !ok || n > maxSymbols {
		return maxSymbols + 1
	}
	return int(n)
}

// unpack makes c.symbols the want symbols of packed.
func (u *unpacker) unpack(c *column, how packing, packed []byte, want int) error {
	if cap(c.buf) < want+padding {
		c.buf = make([]byte, want+want/4+padding)
	}
	// The decoders below fill dst to its capacity at most.
	dst := c.buf[:0:want]
	c.symbols = c.buf[: want : want+padding]
	var err error
	switch {
	case how == packNone && len(packed) == want:
		copy(c.symbols, packed)
		return nil
	case how == packRun && len(packed) == 1 && want > 0:
		for i := range c.symbols {
			c.symbols[i] = packed[0]
		}
		return nil
	case how == packHuffman1 || how == packHuffman4:
		dst, err = u.unpackHuffman(dst, how, packed)
	case how == packZstd:
		dst, err = u.unpackZstd(dst, packed)
	default:
		return errColumn
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errColumn, err)
	}
	if len(dst) != want || want > 0 && &dst[0] != &c.buf[0] {
		return errColumn
	}
	return nil
}

func (u *unpacker) unpackHuffman(dst []byte, how packing, packed []byte) ([]byte, error) {
	s, rest, err := huff0.ReadTable(packed, u.huffman)
	if s != nil {
		u.huffman = s
	}
	if err != nil {
		return nil, err
	}
	if how == packHuffman1 {
		return s.Decoder().Decompress1X(dst, rest)
	}
	return s.Decoder().Decompress4X(dst, rest)
}

func (u *unpacker) unpackZstd(dst, packed []byte) ([]byte, error) {
	if u.zstd == nil {
		z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(maxSymbols), zstd.WithDecoderMaxWindow(zstdWindow),
			zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return nil, err
		}
		u.zstd = z
	}
	return u.zstd.DecodeAll(packed, dst)
}

// readUvarint reads a varint from the start of b and returns what follows it.
func readUvarint(b []byte) (uint64, []byte, bool) {
	v, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, b, false
	}
	return v, b[n:], true
}

// Unpacker unpacks the columns of blocks, and does no more: what a reader of blocks
// cannot be faster than. The zero value is ready to use.
type Unpacker struct {
	in     reader
	column column
}

// Unpack unpacks the columns of a block of books and returns how many symbols they
// have. The block is one that a Decoder reads.
func (u *Unpacker) Unpack(data []byte) (symbols int, err error) {
	h, _, err := parseHeader(data)
	if err != nil {
		return 0, err
	}
	u.in.code(h.Version)
	b := data[headerSize : len(data)-checksumSize]
	bases, columns := 5, 10 // flags, four clocks, counts, first, gaps, ticks, sizes
	if h.Version >= 2 {
		bases, columns = 3, 9 // three clocks
	}
	for range bases {
		var ok bool
		if _, b, ok = readUvarint(b); !ok {
			return 0, errColumn
		}
	}
	for i := range columns {
		if i == columns-1 {
			var ok bool
			if b, ok = u.in.steps.readList(b, u.in.coding); !ok {
				return 0, errColumn
			}
		}
		if len(b) < 2 {
			return 0, errColumn
		}
		count, _, ok := readUvarint(b[1:])
		if !ok || count > maxSymbols {
			return 0, errColumn
		}
		if b, err = u.in.unpacker.read(&u.column, b, int(count), false); err != nil {
			return 0, err
		}
		symbols += int(count)
	}
	return symbols, nil
}
