package rows

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/ladderback/ladderback/archive/ingest/scalar"
	"github.com/ladderback/ladderback/market"
)

// Parquet is an open Parquet file.
type Parquet struct {
	f    *parquet.File
	r    io.ReaderAt
	size int64
}

// OpenParquet opens a Parquet file and checks its footer. Unsupported codecs
// such as LZ4 are refused here.
func OpenParquet(r io.ReaderAt, size int64) (p *Parquet, err error) {
	defer rescue(&err)
	if err := checkFooter(r, size); err != nil {
		return nil, err
	}
	f, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFile, err)
	}
	rows := int64(0)
	groups := f.Metadata().RowGroups
	for i := range groups {
		for k := range groups[i].Columns {
			if err := checkCodec(&groups[i].Columns[k]); err != nil {
				return nil, err
			}
		}
		if n := groups[i].NumRows; n < 0 || n > maxRowsPerByte*size+smallFile-rows {
			return nil, fmt.Errorf("%w: it claims more than %d rows", ErrLarge, maxRowsPerByte*size+smallFile)
		}
		rows += groups[i].NumRows
	}
	return &Parquet{f: f, r: r, size: size}, nil
}

// Rows returns how many rows the file has.
func (p *Parquet) Rows() int64 { return p.f.NumRows() }

// rescue turns a panic of the Parquet library over a damaged file into an error.
func rescue(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w: %v", ErrFile, p)
	}
}

// Columns returns the columns in file order, with lists of structures as
// "bids.price".
func (p *Parquet) Columns() []Column {
	var out []Column
	for _, path := range p.f.Schema().Columns() {
		if leaf, ok := p.f.Schema().Lookup(path...); ok {
			out = append(out, Column{Name: nameOf(path), Kind: kindOf(&leaf)})
		}
	}
	return out
}

// nameOf leaves out of a path what only says that there is a list.
func nameOf(path []string) string {
	var out []string
	for i, name := range path {
		if i > 0 && (name == "list" || name == "element" || name == "item" || name == "array" || name == "bag" || name == "array_element") {
			continue
		}
		out = append(out, name)
	}
	return strings.Join(out, ".")
}

func kindOf(leaf *parquet.LeafColumn) Kind {
	if leaf.MaxRepetitionLevel > 1 {
		return Other
	}
	k := scalarKind(leaf.Node.Type())
	if leaf.MaxRepetitionLevel == 1 {
		switch k {
		case Text, Real, Integer, Decimal:
			return List
		}
		return Other
	}
	return k
}

func scalarKind(t parquet.Type) Kind {
	if l := t.LogicalType(); l != nil {
		switch v := l.Value.(type) {
		case *format.TimestampType:
			return Time
		case *format.DecimalType:
			if v.Scale >= 0 && v.Scale <= 38 {
				return Decimal
			}
			return Other
		case *format.TimeType, *format.DateType, *format.UUIDType, *format.BsonType, *format.Float16Type:
			return Other
		}
	}
	if c := t.ConvertedType(); c != nil {
		switch *c {
		case deprecated.TimestampMillis, deprecated.TimestampMicros:
			return Time
		case deprecated.Decimal:
			return Other // the scale is not at hand
		}
	}
	switch t.Kind() {
	case parquet.Int32, parquet.Int64:
		return Integer
	case parquet.Float, parquet.Double:
		return Real
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return Text
	}
	return Other
}

// Read begins to read the named columns, in that order.
func (p *Parquet) Read(names ...string) (Table, error) {
	t := &parquetTable{p: p, spans: maxGrowth*p.size + smallFile}
	for _, name := range names {
		at := -1
		for _, path := range p.f.Schema().Columns() {
			leaf, ok := p.f.Schema().Lookup(path...)
			if ok && nameOf(path) == name {
				at = leaf.ColumnIndex
				t.columns = append(t.columns, newColumn(name, &leaf))
				break
			}
		}
		if at < 0 {
			return nil, fmt.Errorf("%w: %s", ErrColumn, name)
		}
	}
	return t, nil
}

// parquetTable reads some columns of a file side by side.
type parquetTable struct {
	p       *Parquet
	columns []*column
	group   int
	left    int64 // rows of the row group at hand
	row     int64
	spans   int64 // bytes of text that may still come
	err     error
}

// column reads one column.
type column struct {
	name   string
	index  int
	kind   Kind
	of     Kind // of the elements of a List
	scale  int
	unit   int64 // of a Time: how many a second
	single bool
	full   int // definition level of a value that is there

	pages  parquet.Pages
	page   parquet.Page
	values parquet.ValueReader
	buf    []parquet.Value
	at, n  int

	cell parquet.Value
	list []parquet.Value
}

const columnBuffer = 1024

func newColumn(name string, leaf *parquet.LeafColumn) *column {
	t := leaf.Node.Type()
	c := &column{
		name: name, index: leaf.ColumnIndex, kind: kindOf(leaf), of: scalarKind(t), single: t.Kind() == parquet.Float,
		full: leaf.MaxDefinitionLevel, buf: make([]parquet.Value, columnBuffer), unit: 1_000_000,
	}
	if l := t.LogicalType(); l != nil {
		switch v := l.Value.(type) {
		case *format.DecimalType:
			c.scale = int(v.Scale)
		case *format.TimestampType:
			if u := v.Unit.Value; u != nil {
				c.unit = int64(1e9 / u.Duration())
			}
		}
	} else if k := t.ConvertedType(); k != nil && *k == deprecated.TimestampMillis {
		c.unit = 1000
	}
	return c
}

// Next advances to the next row; io.EOF after the last.
func (t *parquetTable) Next() (err error) {
	if t.err != nil {
		return t.err
	}
	defer func() {
		if t.err = err; err != nil {
			t.close()
		}
	}()
	defer rescue(&err)
	for t.left == 0 {
		if err := t.nextGroup(); err != nil {
			return err
		}
	}
	t.left--
	t.row++
	for _, c := range t.columns {
		if err := t.read(c); err != nil {
			return fmt.Errorf("column %s: %w", c.name, err)
		}
	}
	if t.spans < 0 {
		return fmt.Errorf("%w: it claims to expand to more than %d times its size", ErrLarge, maxGrowth)
	}
	return nil
}

func (t *parquetTable) nextGroup() error {
	t.close()
	groups := t.p.f.RowGroups()
	if t.group == len(groups) {
		return io.EOF
	}
	g := groups[t.group]
	meta := &t.p.f.Metadata().RowGroups[t.group]
	t.group++
	t.left = g.NumRows()
	if t.left == 0 {
		return nil
	}
	var all int64
	for _, c := range t.columns {
		if c.index >= len(meta.Columns) {
			return fmt.Errorf("%w: row group without column %s", ErrFile, c.name)
		}
		p, err := checkPages(t.p.r, t.p.size, &meta.Columns[c.index].MetaData)
		if err != nil {
			return fmt.Errorf("column %s: %w", c.name, err)
		}
		if all += p.largest + p.words; all > maxPages {
			return fmt.Errorf("%w: pages of more than %d bytes at once", ErrLarge, maxPages)
		}
		c.pages, c.at, c.n = g.ColumnChunks()[c.index].Pages(), 0, 0
	}
	return nil
}

// close gives back what reading the row group at hand holds.
func (t *parquetTable) close() {
	for _, c := range t.columns {
		c.drop()
		if c.pages != nil {
			_ = c.pages.Close()
		}
		c.pages, c.values = nil, nil
	}
}

func (c *column) drop() {
	if c.page != nil {
		parquet.Release(c.page)
		c.page = nil
	}
}

// read takes the value, or the list of values, of the next row.
func (t *parquetTable) read(c *column) error {
	if c.at == c.n {
		if err := c.fill(); err != nil {
			return fewer(err)
		}
	}
	c.cell = c.buf[c.at]
	c.at++
	t.count(&c.cell)
	if c.kind != List {
		return nil
	}
	c.list = c.list[:0]
	for v := c.cell; ; {
		if v.DefinitionLevel() == c.full {
			c.list = append(c.list, v)
		}
		if len(c.list) > maxList {
			return fmt.Errorf("%w: a list of more than %d", ErrLarge, maxList)
		}
		if c.at == c.n {
			// What the values lie in goes when the buffer is filled again.
			for i := range c.list {
				c.list[i] = c.list[i].Clone()
			}
			if err := c.fill(); err != nil {
				if errors.Is(err, io.EOF) {
					return nil // the last of the row group
				}
				return err
			}
		}
		if c.buf[c.at].RepetitionLevel() == 0 {
			return nil
		}
		v = c.buf[c.at]
		c.at++
		t.count(&v)
	}
}

// maxList bounds the values of a list: every price on a side.
const maxList = 2 * int(market.PriceOne)

func (t *parquetTable) count(v *parquet.Value) {
	if k := v.Kind(); k == parquet.ByteArray || k == parquet.FixedLenByteArray {
		t.spans -= int64(len(v.ByteArray()))
	}
}

func fewer(err error) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: fewer values than rows", ErrFile)
	}
	return err
}

func (c *column) fill() error {
	c.at, c.n = 0, 0
	for c.n == 0 {
		if c.values == nil {
			c.drop()
			page, err := c.pages.ReadPage()
			if errors.Is(err, io.EOF) {
				return io.EOF
			}
			if err != nil {
				return fmt.Errorf("%w: %w", ErrFile, err)
			}
			c.page, c.values = page, page.Values()
		}
		n, err := c.values.ReadValues(c.buf)
		c.n = n
		if errors.Is(err, io.EOF) {
			c.values = nil
		} else if err != nil {
			return fmt.Errorf("%w: %w", ErrFile, err)
		} else if n == 0 {
			return fmt.Errorf("%w: page without values", ErrFile)
		}
	}
	return nil
}

// Row returns the number of the row, from 1.
func (t *parquetTable) Row() int64 { return t.row }

// Null reports whether the cell is null, or is a null list.
func (t *parquetTable) Null(i int) bool {
	c := t.columns[i]
	return c.cell.IsNull() && (c.kind != List || c.cell.DefinitionLevel() == 0)
}

// Text returns the text of a cell, or nil if it is null or not text.
func (t *parquetTable) Text(i int) []byte {
	c := t.columns[i]
	if c.kind != Text || c.cell.IsNull() {
		return nil
	}
	return c.cell.ByteArray()
}

// Int returns a whole number.
func (t *parquetTable) Int(i int) (int64, bool) {
	c := t.columns[i]
	switch {
	case c.cell.IsNull():
		return 0, false
	case c.cell.Kind() == parquet.Int64:
		return c.cell.Int64(), true
	case c.cell.Kind() == parquet.Int32:
		return int64(c.cell.Int32()), true
	}
	return 0, false
}

// Flag reports whether a cell is true, 1 or "true".
func (t *parquetTable) Flag(i int) bool {
	c := t.columns[i]
	switch {
	case c.cell.IsNull():
		return false
	case c.cell.Kind() == parquet.Boolean:
		return c.cell.Boolean()
	case c.kind == Text:
		return strings.EqualFold(string(c.cell.ByteArray()), "true")
	}
	v, ok := t.Int(i)
	return ok && v == 1
}

// Price returns a cell as a price.
func (t *parquetTable) Price(i int) (market.Price, scalar.Reason) {
	c := t.columns[i]
	return c.price(&c.cell)
}

// Size returns a cell as a size.
func (t *parquetTable) Size(i int) (market.Size, scalar.Reason) {
	c := t.columns[i]
	return c.size(&c.cell)
}

// Len returns the number of values of the list in a cell.
func (t *parquetTable) Len(i int) int { return len(t.columns[i].list) }

// PriceAt returns a value of the list in a cell as a price.
func (t *parquetTable) PriceAt(i, k int) (market.Price, scalar.Reason) {
	c := t.columns[i]
	return c.price(&c.list[k])
}

// SizeAt returns a value of the list in a cell as a size.
func (t *parquetTable) SizeAt(i, k int) (market.Size, scalar.Reason) {
	c := t.columns[i]
	return c.size(&c.list[k])
}

func (c *column) price(v *parquet.Value) (market.Price, scalar.Reason) {
	if v.IsNull() {
		return 0, scalar.NoPrice
	}
	switch c.of {
	case Text:
		return scalar.Price(v.ByteArray())
	case Real:
		return scalar.PriceOf(realOf(v, c.single), c.single)
	case Integer, Decimal:
		u, scale, ok := unscaled(v, c.scale)
		if !ok {
			return 0, scalar.PriceRange
		}
		return scalar.PriceUnits(u, scale)
	}
	return 0, scalar.BadPrice
}

func (c *column) size(v *parquet.Value) (market.Size, scalar.Reason) {
	if v.IsNull() {
		return 0, scalar.BadSize
	}
	switch c.of {
	case Text:
		return scalar.Size(v.ByteArray())
	case Real:
		return scalar.SizeOf(realOf(v, c.single), c.single)
	case Integer, Decimal:
		u, scale, ok := unscaled(v, c.scale)
		if !ok {
			return 0, scalar.SizeRange
		}
		return scalar.SizeUnits(u, scale)
	}
	return 0, scalar.BadSize
}

// Time returns a cell as an instant: a timestamp in its unit, a number by its
// magnitude. Null is no time.
func (t *parquetTable) Time(i int) (market.Instant, scalar.Reason) {
	c := t.columns[i]
	if c.cell.IsNull() {
		return 0, scalar.NoTime
	}
	switch c.kind {
	case Text:
		return scalar.Time(c.cell.ByteArray())
	case Real:
		return scalar.Time(appendReal(nil, realOf(&c.cell, c.single)))
	case Integer:
		v, _ := t.Int(i)
		return scalar.TimeOf(v)
	case Time:
		v, _ := t.Int(i)
		switch {
		case c.unit > 1_000_000:
			return scalar.Instant(v / (c.unit / 1_000_000))
		case v > int64(market.Second)*1<<33: // no such time, and no overflow
			return 0, scalar.BadTime
		}
		return scalar.Instant(v * (1_000_000 / c.unit))
	}
	return 0, scalar.BadTime
}

func realOf(v *parquet.Value, single bool) float64 {
	if single {
		return float64(v.Float())
	}
	return v.Double()
}

// unscaled returns the integer of a decimal, a number or bytes in two's complement,
// the highest first, and the scale that goes with it: one that is too large with
// all its digits is taken without the zeros at its end.
func unscaled(v *parquet.Value, scale int) (int64, int, bool) {
	switch v.Kind() {
	case parquet.Int32:
		return int64(v.Int32()), scale, true
	case parquet.Int64:
		return v.Int64(), scale, true
	case parquet.ByteArray, parquet.FixedLenByteArray:
	default:
		return 0, 0, false
	}
	b := v.ByteArray()
	if len(b) == 0 || len(b) > 32 { // no decimal has so many digits
		return 0, 0, false
	}
	if out, ok := wholeNumber(b); ok {
		return out, scale, true
	}
	n := new(big.Int).SetBytes(b)
	if int8(b[0]) < 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	for ten, rest := big.NewInt(10), new(big.Int); scale > 0 && !n.IsInt64(); scale-- {
		if n.QuoRem(n, ten, rest); rest.Sign() != 0 {
			return 0, 0, false
		}
	}
	return n.Int64(), scale, n.IsInt64()
}

// wholeNumber returns the number of bytes in two's complement, if it fits.
func wholeNumber(b []byte) (int64, bool) {
	sign := byte(int8(b[0]) >> 7)
	for len(b) > 8 {
		if b[0] != sign {
			return 0, false
		}
		b = b[1:]
	}
	var full [8]byte
	for i := range full {
		full[i] = sign
	}
	copy(full[8-len(b):], b)
	out := int64(binary.BigEndian.Uint64(full[:]))
	return out, (out < 0) == (sign != 0)
}
