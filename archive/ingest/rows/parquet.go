package rows

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/ladderback/ladderback/archive/ingest/parquet"
	"github.com/ladderback/ladderback/archive/ingest/scalar"
	"github.com/ladderback/ladderback/market"
)

// ErrColumn: a table lacks a column that was asked for.
var ErrColumn = errors.New("column missing")

// Parquet is an open Parquet file.
type Parquet struct{ *parquet.File }

// OpenParquet opens a Parquet file and checks its footer. What is not read, such
// as LZ4, is refused here.
func OpenParquet(r io.ReaderAt, size int64) (*Parquet, error) {
	f, err := parquet.Open(r, size)
	if err != nil {
		return nil, err
	}
	return &Parquet{f}, nil
}

// Columns returns the columns in file order, with lists of structures as
// "bids.price".
func (p *Parquet) Columns() []Column {
	var out []Column
	for i := range p.Leaves() {
		leaf := &p.Leaves()[i]
		out = append(out, Column{Name: nameOf(leaf.Path), Kind: kindOf(leaf)})
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

func kindOf(leaf *parquet.Leaf) Kind {
	k := scalarKind(leaf)
	switch {
	case leaf.MaxRep == 0:
		return k
	case leaf.MaxRep == 1 && slices.Contains(Numbers, k):
		return List
	}
	return Other
}

func scalarKind(leaf *parquet.Leaf) Kind {
	e := leaf.Schema
	switch v := e.LogicalType.Value.(type) {
	case *format.TimestampType:
		return only(leaf, Time, format.Int64)
	case *format.DecimalType:
		return decimalKind(leaf, v.Scale)
	case *format.TimeType, *format.DateType, *format.UUIDType, *format.BsonType, *format.Float16Type:
		return Other
	case nil:
		if e.ConvertedType.Valid {
			switch e.ConvertedType.V {
			case deprecated.TimestampMillis, deprecated.TimestampMicros:
				return only(leaf, Time, format.Int64)
			case deprecated.Decimal:
				return decimalKind(leaf, e.Scale.V)
			case deprecated.Date, deprecated.TimeMillis, deprecated.TimeMicros, deprecated.Bson, deprecated.Interval:
				return Other
			}
		}
	}
	switch leaf.Physical {
	case format.Int32, format.Int64:
		return Integer
	case format.Float, format.Double:
		return Real
	case format.ByteArray, format.FixedLenByteArray:
		return Text
	}
	return Other
}

// only returns the kind if the values are stored as one of the types.
func only(leaf *parquet.Leaf, k Kind, types ...format.Type) Kind {
	if slices.Contains(types, leaf.Physical) {
		return k
	}
	return Other
}

func decimalKind(leaf *parquet.Leaf, scale int32) Kind {
	if scale < 0 || scale > 38 {
		return Other
	}
	return only(leaf, Decimal, format.Int32, format.Int64, format.ByteArray, format.FixedLenByteArray)
}

// Read begins to read the named columns, in that order.
func (p *Parquet) Read(names ...string) (Table, error) {
	t := &parquetTable{}
	var leaves []*parquet.Leaf
	for _, name := range names {
		at := slices.IndexFunc(p.Leaves(), func(l parquet.Leaf) bool { return nameOf(l.Path) == name })
		if at < 0 {
			return nil, fmt.Errorf("%w: %s", ErrColumn, name)
		}
		leaves = append(leaves, &p.Leaves()[at])
	}
	t.t = p.File.Read(leaves...)
	for i, c := range t.t.Columns() {
		t.columns = append(t.columns, newColumn(names[i], c))
	}
	return t, nil
}

// parquetTable reads some columns of a file side by side.
type parquetTable struct {
	t       *parquet.Table
	columns []*column
	left    int64 // rows of the row group at hand
	row     int64
	err     error
}

// column reads one column.
type column struct {
	*parquet.Column
	name   string
	kind   Kind
	of     Kind // of the elements of a List
	scale  int
	unit   int64 // of a Time: how many a second
	single bool

	ahead bool // the value at hand belongs to the next row
	null  bool // there is no list
	list  []parquet.Value
}

func newColumn(name string, from *parquet.Column) *column {
	c := &column{
		Column: from, name: name, kind: kindOf(from.Leaf), of: scalarKind(from.Leaf), single: from.Physical == format.Float, unit: 1_000_000,
	}
	e := from.Schema
	switch v := e.LogicalType.Value.(type) {
	case *format.DecimalType:
		c.scale = int(v.Scale)
	case *format.TimestampType:
		if u := v.Unit.Value; u != nil {
			c.unit = int64(1e9 / u.Duration())
		}
	case nil:
		c.scale = int(e.Scale.V)
		if e.ConvertedType.Valid && e.ConvertedType.V == deprecated.TimestampMillis {
			c.unit = 1000
		}
	}
	return c
}

// Next advances to the next row; io.EOF after the last.
func (t *parquetTable) Next() error {
	if t.err == nil {
		if t.err = t.next(); t.err != nil {
			t.t.Close()
		}
	}
	return t.err
}

func (t *parquetTable) next() (err error) {
	for t.left == 0 {
		if t.left, err = t.t.Next(); err != nil {
			return err
		}
		for _, c := range t.columns {
			c.ahead = false
		}
	}
	t.left--
	t.row++
	for _, c := range t.columns {
		if err := c.read(); err != nil {
			return fmt.Errorf("row group %d, column %s: %w", t.t.Group(), c.name, err)
		}
	}
	return nil
}

// read takes the value, or the list of values, of the next row.
func (c *column) read() error {
	if !c.ahead {
		err := c.Next()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("%w: fewer values than rows", parquet.ErrFile)
		}
		if err != nil {
			return err
		}
		if c.Rep != 0 {
			return fmt.Errorf("%w: a row without its first value", parquet.ErrFile)
		}
	}
	if c.ahead = false; c.MaxRep == 0 {
		return nil
	}
	c.null, c.list = c.Def == 0, c.list[:0]
	for {
		if !c.IsNull() {
			c.list = append(c.list, c.Value)
		}
		if len(c.list) > maxList {
			return fmt.Errorf("%w: a list of more than %d", parquet.ErrLarge, maxList)
		}
		if c.LastOfPage() { // and with it what the values lie in
			for i := range c.list {
				c.list[i].Bytes = slices.Clone(c.list[i].Bytes)
			}
		}
		err := c.Next()
		if errors.Is(err, io.EOF) {
			return nil // the last of the row group
		}
		if err != nil {
			return err
		}
		if c.Rep == 0 {
			c.ahead = true
			return nil
		}
	}
}

// maxList bounds the values of a list: every price on a side.
const maxList = 2 * int(market.PriceOne)

// Row returns the number of the row, from 1.
func (t *parquetTable) Row() int64 { return t.row }

// Null reports whether the cell is null, or is a null list.
func (t *parquetTable) Null(i int) bool {
	c := t.columns[i]
	if c.MaxRep > 0 {
		return c.null
	}
	return c.IsNull()
}

// Text returns the text of a cell, or nil if it is null or not text.
func (t *parquetTable) Text(i int) []byte {
	c := t.columns[i]
	if c.kind != Text || c.IsNull() {
		return nil
	}
	return c.Bytes
}

// Int returns a whole number.
func (t *parquetTable) Int(i int) (int64, bool) {
	c := t.columns[i]
	if c.MaxRep > 0 || c.IsNull() || c.Physical != format.Int64 && c.Physical != format.Int32 {
		return 0, false
	}
	return int64(c.Bits), true
}

// Flag reports whether a cell is true, 1 or "true".
func (t *parquetTable) Flag(i int) bool {
	c := t.columns[i]
	switch {
	case c.MaxRep > 0 || c.IsNull():
		return false
	case c.Physical == format.Boolean:
		return c.Bits != 0
	case c.kind == Text:
		return strings.EqualFold(string(c.Bytes), "true")
	}
	v, ok := t.Int(i)
	return ok && v == 1
}

// Price returns a cell as a price.
func (t *parquetTable) Price(i int) (market.Price, scalar.Reason) {
	c := t.columns[i]
	return c.price(c.cell())
}

// Size returns a cell as a size.
func (t *parquetTable) Size(i int) (market.Size, scalar.Reason) {
	c := t.columns[i]
	return c.size(c.cell())
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

// cell is the value at hand, nil if it is null or a list.
func (c *column) cell() *parquet.Value {
	if c.MaxRep > 0 || c.IsNull() {
		return nil
	}
	return &c.Value
}

func (c *column) price(v *parquet.Value) (market.Price, scalar.Reason) {
	if v == nil {
		return 0, scalar.NoPrice
	}
	switch c.of {
	case Text:
		return scalar.Price(v.Bytes)
	case Real:
		return scalar.PriceOf(c.real(v), c.single)
	case Integer, Decimal:
		u, scale, ok := c.unscaled(v)
		if !ok {
			return 0, scalar.PriceRange
		}
		return scalar.PriceUnits(u, scale)
	}
	return 0, scalar.BadPrice
}

func (c *column) size(v *parquet.Value) (market.Size, scalar.Reason) {
	if v == nil {
		return 0, scalar.BadSize
	}
	switch c.of {
	case Text:
		return scalar.Size(v.Bytes)
	case Real:
		return scalar.SizeOf(c.real(v), c.single)
	case Integer, Decimal:
		u, scale, ok := c.unscaled(v)
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
	if c.cell() == nil {
		return 0, scalar.NoTime
	}
	switch c.kind {
	case Text:
		return scalar.Time(c.Bytes)
	case Real:
		return scalar.Time(appendReal(nil, c.real(&c.Value)))
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

func (c *column) real(v *parquet.Value) float64 {
	if c.single {
		return float64(math.Float32frombits(uint32(v.Bits)))
	}
	return math.Float64frombits(v.Bits)
}

// unscaled returns the integer of a decimal, a number or bytes in two's complement,
// the highest first, and the scale that goes with it: one that is too large with
// all its digits is taken without the zeros at its end.
func (c *column) unscaled(v *parquet.Value) (int64, int, bool) {
	if c.Physical == format.Int32 || c.Physical == format.Int64 {
		return int64(v.Bits), c.scale, true
	}
	b, scale := v.Bytes, c.scale
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
