package block

import (
	"github.com/ladderback/ladderback/archive/block/packing"
)

// What the package uses of packing everywhere.
const (
	padding    = packing.Padding
	maxSymbols = packing.MaxSymbols
)

var errColumn = packing.ErrColumn

// Unpacker unpacks the columns of blocks, and does no more: what a reader of blocks
// cannot be faster than. The zero value is ready to use.
type Unpacker struct {
	in     reader
	column packing.Column
}

// Unpack unpacks the columns of a block of books and returns how many symbols they
// have. The block is one that a Decoder reads.
func (u *Unpacker) Unpack(data []byte) (symbols int, err error) {
	_, _, err = parseHeader(data)
	if err != nil {
		return 0, err
	}
	u.in.ready()
	b := data[headerSize : len(data)-checksumSize]
	const columns = 9 // flags, three clocks, counts, first, gaps, ticks, sizes
	for range 3 {     // the bases of clocks
		var ok bool
		if _, b, ok = packing.Uvarint(b); !ok {
			return 0, errColumn
		}
	}
	for i := range columns {
		if i == columns-1 {
			var ok bool
			if b, ok = u.in.steps.readList(b); !ok {
				return 0, errColumn
			}
		}
		if len(b) < 2 {
			return 0, errColumn
		}
		count, _, ok := packing.Uvarint(b[1:])
		if !ok || count > maxSymbols {
			return 0, errColumn
		}
		if b, err = u.in.unpacker.Read(&u.column, b, int(count), false); err != nil {
			return 0, err
		}
		symbols += int(count)
	}
	return symbols, nil
}
