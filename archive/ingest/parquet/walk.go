package parquet

import "encoding/binary"

// walker walks over a structure in Thrift's compact protocol without building
// it (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md).
type walker struct {
	b       []byte
	i       int
	structs int  // elements of lists that are still allowed
	bad     bool // the text is none
	short   bool // it ended too early
}

const maxThriftDepth = 24

// Types of the compact protocol.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftInt16  = 4
	thriftInt32  = 5
	thriftInt64  = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

func (t *walker) fail(short bool) {
	t.bad, t.short = true, t.short || short
}

func (t *walker) next() byte {
	if t.i >= len(t.b) {
		t.fail(true)
		return 0
	}
	t.i++
	return t.b[t.i-1]
}

func (t *walker) skip(n uint64) {
	if n > uint64(len(t.b)-t.i) {
		t.fail(true)
		return
	}
	t.i += int(n)
}

func (t *walker) uvarint() uint64 {
	v, n := binary.Uvarint(t.b[t.i:])
	if n <= 0 {
		t.fail(n == 0)
		return 0
	}
	t.i += n
	return v
}

func (t *walker) varint() int64 {
	v := t.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

// structure walks over a structure. field, which may be nil, gets the numbers
// and flags of it and of the structures that are its fields: id within in, the
// id of the structure around it, 0 for the outermost.
func (t *walker) structure(in int, field func(in, id int, v int64)) { t.fields(in, 0, field) }

func (t *walker) fields(in, depth int, field func(in, id int, v int64)) {
	if depth > maxThriftDepth {
		t.fail(false)
		return
	}
	id := 0
	for !t.bad && t.structs >= 0 {
		head := t.next()
		kind := head & 0x0f
		if kind == 0 {
			return
		}
		if delta := head >> 4; delta != 0 {
			id += int(delta)
		} else {
			id = int(t.varint())
		}
		v, number := t.value(kind, id, depth, depth == 0, field)
		if number && field != nil && !t.bad {
			field(in, id, v)
		}
	}
}

// value walks over a value. Of a number or a flag it returns the value.
func (t *walker) value(kind byte, id, depth int, tell bool, field func(in, id int, v int64)) (v int64, number bool) {
	switch kind {
	case thriftTrue:
		return 1, true
	case thriftFalse:
		return 0, true
	case thriftByte:
		return int64(t.next()), true
	case thriftInt16, thriftInt32, thriftInt64:
		return t.varint(), true
	case thriftDouble:
		t.skip(8)
	case thriftBinary:
		t.skip(t.uvarint())
	case thriftList, thriftSet:
		t.list(depth)
	case thriftMap:
		if n := t.uvarint(); n > 0 {
			kinds := t.next()
			t.elements(2*n, depth, func(i uint64) byte {
				if i%2 == 0 {
					return kinds >> 4
				}
				return kinds & 0x0f
			})
		}
	case thriftStruct:
		if !tell {
			field = nil
		}
		t.fields(id, depth+1, field)
	default:
		t.fail(false)
	}
	return 0, false
}

func (t *walker) list(depth int) {
	head := t.next()
	n, kind := uint64(head>>4), head&0x0f
	if n == 15 {
		n = t.uvarint()
	}
	t.elements(n, depth, func(uint64) byte { return kind })
}

func (t *walker) elements(n uint64, depth int, kindOf func(uint64) byte) {
	if depth >= maxThriftDepth || n > uint64(len(t.b)-t.i) {
		t.fail(n > uint64(len(t.b)-t.i))
		return
	}
	for i := uint64(0); i < n && !t.bad && t.structs >= 0; i++ {
		t.structs--
		switch kind := kindOf(i); kind {
		case thriftTrue, thriftFalse:
			t.next() // in a list a flag takes a byte
		default:
			t.value(kind, 0, depth+1, false, nil)
		}
	}
}
