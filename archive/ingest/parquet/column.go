package parquet

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/format"
)

// Value is a value of a column.
type Value struct {
	// Rep is the level on which it repeats, 0 for the first of a row; Def says how
	// much of its path is there. It is null unless Def is MaxDef of its Leaf.
	Rep, Def int
	// Bits is a number or a flag: sign-extended, or as IEEE 754 has it.
	Bits uint64
	// Bytes is a text; it is overwritten when the next page is read.
	Bytes []byte
}

// Table reads some columns of a file, row group by row group. It is used by one
// goroutine at a time.
type Table struct {
	f       *File
	room    room
	columns []*Column
	group   int
	left    int64 // bytes of values that may still come
}

// Column reads the values of a column in the row group at hand.
type Column struct {
	Value
	*Leaf
	t       *Table
	codec   format.CompressionCodec
	at, end int64 // of the pages that are still to be read
	left    int64 // values in them, and in the page at hand
	n       int64 // values still to come in the page at hand
	rep     runs
	def     runs
	values  decoder
	words   dictionary
	page    []byte
}

// Read begins to read columns; call Next first.
func (f *File) Read(leaves ...*Leaf) *Table {
	t := &Table{f: f, left: maxGrowth*f.size + smallFile}
	for _, l := range leaves {
		t.columns = append(t.columns, &Column{Leaf: l, t: t})
	}
	return t
}

// Columns returns the columns in the order in which they were asked for.
func (t *Table) Columns() []*Column { return t.columns }

// Group returns the number of the row group at hand, from 1.
func (t *Table) Group() int { return t.group }

// Next goes to the next row group and returns how many rows it has; io.EOF after
// the last.
func (t *Table) Next() (rows int64, err error) {
	if t.group == len(t.f.groups) {
		t.Close()
		return 0, io.EOF
	}
	g := &t.f.groups[t.group]
	t.group++
	for _, c := range t.columns {
		m := &g.Chunks[c.index].Meta
		c.codec, c.at, c.left, c.n, c.words.n = m.Codec, m.start(), m.Values, 0, -1
		c.end = c.at + m.Compressed
	}
	return g.Rows, nil
}

// Close gives back the memory that the table holds.
func (t *Table) Close() {
	t.room.close()
	for _, c := range t.columns {
		c.page, c.words, c.values, c.n, c.left = nil, dictionary{}, nil, 0, 0
	}
}

// LastOfPage reports whether the next value comes from another page, whose bytes
// take the place of those of this one.
func (c *Column) LastOfPage() bool { return c.n == 0 }

// IsNull reports whether the value at hand is null.
func (c *Column) IsNull() bool { return c.Def < c.MaxDef }

// Next goes to the next value; io.EOF after the last of the row group.
func (c *Column) Next() error {
	for c.n == 0 {
		if err := c.load(); err != nil {
			return err
		}
	}
	c.n--
	if c.MaxRep > 0 {
		l, err := c.rep.next()
		if err != nil || int(l) > c.MaxRep {
			return errLevel
		}
		c.Rep = int(l)
	}
	if c.MaxDef > 0 {
		l, err := c.def.next()
		if err != nil || int(l) > c.MaxDef {
			return errLevel
		}
		if c.Def = int(l); c.IsNull() {
			c.Bits, c.Bytes = 0, nil
			return nil
		}
	}
	if err := c.values(&c.Value); err != nil {
		return err
	}
	if c.t.left -= int64(len(c.Bytes)); c.MaxRep > 0 {
		c.t.left -= 8
	}
	if c.t.left < 0 {
		return fmt.Errorf("%w: it claims to expand to more than %d times its size", ErrLarge, maxGrowth)
	}
	return nil
}

var errLevel = fmt.Errorf("%w: levels of values cannot be read", ErrFile)

// load reads the next page.
func (c *Column) load() error {
	if c.left <= 0 || c.at >= c.end {
		return io.EOF
	}
	m := &c.t.room
	c.values, c.rep, c.def = nil, runs{}, runs{} // they refer to the page
	h, n, err := readHeader(c.t.f.r, c.at, c.end, &m.header)
	if err != nil {
		return err
	}
	at := c.at + n
	c.at = at + h.compressed
	switch format.PageType(h.kind) {
	case format.DictionaryPage:
		buf := c.words.page
		c.words.page = nil
		if c.words.page, err = m.unpack(c.t.f.r, at, &h, c.codec, buf); err != nil {
			return err
		}
		return c.words.index(c.Leaf, &h, m)
	case format.DataPage, format.DataPageV2:
	default:
		return nil // an index
	}
	buf := c.page
	c.page = nil
	if c.page, err = m.unpack(c.t.f.r, at, &h, c.codec, buf); err != nil {
		return err
	}
	rep, def, b := []byte(nil), []byte(nil), c.page
	switch {
	case h.kind == int64(format.DataPageV2):
		rep, def, b = b[:h.rep], b[h.rep:h.rep+h.def], b[h.rep+h.def:]
	case h.packedLevels && c.MaxRep+c.MaxDef > 0:
		return fmt.Errorf("levels in the encoding %v: %w", format.BitPacked, ErrCodec)
	default:
		if c.MaxRep > 0 {
			if rep, b, err = levels(b); err != nil {
				return err
			}
		}
		if c.MaxDef > 0 {
			if def, b, err = levels(b); err != nil {
				return err
			}
		}
	}
	c.rep, c.def = runs{b: rep, width: levelWidth(c.MaxRep)}, runs{b: def, width: levelWidth(c.MaxDef)}
	c.n = min(h.values, c.left)
	c.left -= c.n
	c.values, err = c.decoderOf(format.Encoding(h.encoding), b, h.values)
	return err
}
