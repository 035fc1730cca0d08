// Package packing packs the columns of blocks: their symbols in the smallest of some
// ways, their extra bits as they are. See FORMAT.md of the package above.
package packing

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/klauspost/compress/huff0"
	"github.com/klauspost/compress/zstd"
)

// Way says how the symbols of a column stand in the block. The numbers are part of the
// format.
type Way byte

const (
	packNone     Way = 0 // as they are
	packRun      Way = 1 // one byte, repeated
	packHuffman1 Way = 2 // one Huffman-coded stream
	packHuffman4 Way = 3 // four of them
	packZstd     Way = 4 // a zstd frame
)

const (
	// shortColumn is where one Huffman-coded stream takes less than four.
	shortColumn = 1 << 10
	// MaxSymbols bounds the symbols of a column: what one Huffman-coded column
	// may hold.
	MaxSymbols = huff0.BlockSizeMax
	// Padding is how many bytes may be read past symbols, and past extra bits.
	Padding = 8
	// zstdWindow bounds what a zstd frame may look back, and so its decoder.
	zstdWindow = 1 << 18
)

// Packer compresses the symbols of columns.
type Packer struct {
	huffman huff0.Scratch
	zstd    *zstd.Encoder
	frame   []byte
}

// NewPacker returns a Packer; nil, too, is one, which leaves symbols as they are.
func NewPacker() (*Packer, error) {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false),
		zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(zstdWindow), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, fmt.Errorf("new block encoder: %w", err)
	}
	return &Packer{zstd: z}, nil
}

// Append appends a column: its symbols packed in the smallest way, or as they
// are when p is nil, and its extra bits.
func (p *Packer) Append(dst, symbols, extra []byte) []byte {
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

func (p *Packer) pack(symbols []byte) (Way, []byte) {
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

// Unpacker reads columns. The zero value is ready to use.
type Unpacker struct {
	huffman *huff0.Scratch
	zstd    *zstd.Decoder
}

// Column is a column that was read.
type Column struct {
	Symbols []byte // with Padding behind them
	Extra   []byte // with Padding behind it
	buf     []byte // what Symbols is a part of
}

// ErrColumn: the bytes are no column, or not the one that is expected.
var ErrColumn = errors.New("malformed column")

// Read reads a column of exactly want symbols from the start of b into c, and
// returns what follows it. Only columns packed as packNone are read when plain
// is true.
func (u *Unpacker) Read(c *Column, b []byte, want int, plain bool) ([]byte, error) {
	how, packed, extra, rest, err := Parts(b, want, plain)
	if err != nil {
		return nil, err
	}
	if err := u.unpack(c, how, packed, want); err != nil {
		return nil, err
	}
	var zeros [Padding]byte
	c.Extra = append(c.Extra[:0], extra...)
	c.Extra = append(c.Extra, zeros[:]...)[:len(extra)]
	return rest, nil
}

// Parts takes the column of exactly want symbols at the start of b apart, and
// returns what follows it.
func Parts(b []byte, want int, plain bool) (how Way, symbols, extra, rest []byte, err error) {
	if len(b) < 2 || want > MaxSymbols {
		return 0, nil, nil, nil, ErrColumn
	}
	how = Way(b[0])
	count, b, ok := Uvarint(b[1:])
	if !ok || count != uint64(want) || plain && how != packNone {
		return 0, nil, nil, nil, ErrColumn
	}
	var n, x uint64
	if want > 0 {
		if n, b, ok = Uvarint(b); !ok {
			return 0, nil, nil, nil, ErrColumn
		}
		x, b, ok = Uvarint(b)
		if !ok || n > uint64(len(b)) || x > uint64(len(b))-n || x > 8*uint64(want) {
			return 0, nil, nil, nil, ErrColumn
		}
	}
	return how, b[:n], b[n : n+x], b[n+x:], nil
}

// Length returns how many symbols the column at the start of b has, as it
// says; MaxSymbols + 1: more than any.
func Length(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	n, _, ok := Uvarint(b[1:])
	if !ok || n > MaxSymbols {
		return MaxSymbols + 1
	}
	return int(n)
}

// unpack makes c.Symbols the want symbols of packed.
func (u *Unpacker) unpack(c *Column, how Way, packed []byte, want int) error {
	if cap(c.buf) < want+Padding {
		c.buf = make([]byte, want+want/4+Padding)
	}
	// The decoders below fill dst to its capacity at most.
	dst := c.buf[:0:want]
	c.Symbols = c.buf[: want : want+Padding]
	var err error
	switch {
	case how == packNone && len(packed) == want:
		copy(c.Symbols, packed)
		return nil
	case how == packRun && len(packed) == 1 && want > 0:
		for i := range c.Symbols {
			c.Symbols[i] = packed[0]
		}
		return nil
	case how == packHuffman1 || how == packHuffman4:
		dst, err = u.unpackHuffman(dst, how, packed)
	case how == packZstd:
		dst, err = u.unpackZstd(dst, packed)
	default:
		return ErrColumn
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrColumn, err)
	}
	if len(dst) != want || want > 0 && &dst[0] != &c.buf[0] {
		return ErrColumn
	}
	return nil
}

func (u *Unpacker) unpackHuffman(dst []byte, how Way, packed []byte) ([]byte, error) {
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

func (u *Unpacker) unpackZstd(dst, packed []byte) ([]byte, error) {
	if u.zstd == nil {
		z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(MaxSymbols), zstd.WithDecoderMaxWindow(zstdWindow),
			zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return nil, err
		}
		u.zstd = z
	}
	return u.zstd.DecodeAll(packed, dst)
}

// Uvarint reads a varint from the start of b and returns what follows it.
func Uvarint(b []byte) (uint64, []byte, bool) {
	v, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, b, false
	}
	return v, b[n:], true
}
