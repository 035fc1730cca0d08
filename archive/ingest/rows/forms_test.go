package rows_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/archive/ingest/rows"
	"github.com/ladderback/ladderback/archive/ingest/scalar"
	"github.com/ladderback/ladderback/market"
)

// made is a row as its numbers are: decimals as text, none where there is null.
type made struct {
	id, price, size string
	seconds         int64 // milliseconds since 1970; below 0: null
	on              bool
	levels          [][2]string
}

// read is what a table says of a row.
type read struct {
	ID, Price, Size, Time, Levels string
	On                            bool
}

// decimal draws a decimal of so many digits behind the point at most.
func decimal(t *rapid.T, label string, most int64, digits int) string {
	n := rapid.OneOf(rapid.Int64Range(-most/8, most), rapid.Int64Range(0, 20)).Draw(t, label)
	d := rapid.IntRange(0, digits).Draw(t, label+" digits")
	text := new(big.Rat).SetFrac(big.NewInt(n), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d)), nil)).FloatString(d)
	return text
}

func makeRow(t *rapid.T) made {
	r := made{
		id:      rapid.StringMatching(`[a-z0-9_-]{1,8}`).Draw(t, "id"),
		price:   decimal(t, "price", 15_000, 6),
		size:    decimal(t, "size", 1_000_000_000, 8),
		seconds: rapid.OneOf(rapid.Int64Range(1_700_000_000_000, 1_800_000_000_000), rapid.Just(int64(-1))).Draw(t, "time"),
		on:      rapid.Bool().Draw(t, "on"),
	}
	for range rapid.IntRange(0, 3).Draw(t, "levels") {
		r.levels = append(r.levels, [2]string{decimal(t, "level", 10_000, 4), decimal(t, "level size", 1_000_000, 3)})
	}
	if rapid.IntRange(0, 9).Draw(t, "nothing") == 0 {
		r.price, r.size = "", ""
	}
	return r
}

// columns are the names of the columns of every form, in the order of read.
var columns = []string{"id", "price", "size", "at", "on", "bids.price", "bids.size"}

func said[T fmt.Stringer](v T, r scalar.Reason) string {
	if r != scalar.OK {
		return string(r)
	}
	return v.String()
}

// readAll reads a table to its end.
func readAll(t require.TestingT, table rows.Table) (out []read) {
	for table.Next() == nil {
		price, why := table.Price(1)
		r := read{ID: string(table.Text(0)), Price: said(price, why), On: table.Flag(4)}
		size, why := table.Size(2)
		r.Size = said(size, why)
		at, why := table.Time(3)
		r.Time = said(at, why)
		require.Equal(t, table.Len(5), table.Len(6))
		for k := range table.Len(5) {
			price, why := table.PriceAt(5, k)
			size, sizeWhy := table.SizeAt(6, k)
			r.Levels += said(price, why) + ":" + said(size, sizeWhy) + " "
		}
		out = append(out, r)
		require.EqualValues(t, len(out), table.Row())
	}
	require.ErrorIs(t, table.Next(), io.EOF)
	return out
}

func instantText(ms int64) string {
	if ms < 0 {
		return ""
	}
	return market.Instant(ms * 1000).String()
}

func asCSV(t require.TestingT, all []made) rows.Table {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	out := [][]string{{"id", "price", "size", "at", "on", "bids"}}
	for _, r := range all {
		levels := "["
		for i, l := range r.levels {
			levels += strings.Repeat(",", min(i, 1)) + "[" + l[0] + ",\"" + l[1] + "\"]"
		}
		out = append(out, []string{r.id, r.price, r.size, instantText(r.seconds), strconv.FormatBool(r.on), levels + "]"})
	}
	require.NoError(t, w.WriteAll(out))
	c, err := rows.OpenCSV(&b)
	require.NoError(t, err)
	table, err := c.Read(columns...)
	require.NoError(t, err)
	return table
}

func asLines(t require.TestingT, all []made) rows.Table {
	var b bytes.Buffer
	number := func(s string) any {
		if s == "" {
			return nil
		}
		return json.Number(s)
	}
	for _, r := range all {
		line := map[string]any{"id": r.id, "price": number(r.price), "size": number(r.size), "at": nil, "on": r.on, "bids": r.levels}
		if r.seconds >= 0 {
			line["at"] = r.seconds
		}
		if r.levels == nil {
			line["bids"] = [][2]string{}
		}
		require.NoError(t, json.NewEncoder(&b).Encode(line))
	}
	l, err := rows.OpenLines(&b)
	require.NoError(t, err)
	table, err := l.Read(columns...)
	require.NoError(t, err)
	return table
}

// store is a way in which Parquet holds a column: its node, and a value.
type store struct {
	node parquet.Node
	of   func(text string) any
}

// scaled returns a decimal times a power of ten, which makes it whole.
func scaled(text string, digits int) *big.Int {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic(text)
	}
	r.Mul(r, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)))
	return r.Num()
}

// twos returns a number in two's complement of so many bytes.
func twos(n *big.Int, size int) []byte {
	b := make([]byte, size)
	if n = new(big.Int).Set(n); n.Sign() < 0 {
		n.Add(n, new(big.Int).Lsh(big.NewInt(1), uint(8*size)))
	}
	return n.FillBytes(b)
}

func asText(text string) any { return text }

func asReal(text string) any {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	return x
}

// numbers are the ways in which a price or a size is held. All have room for what is drawn.
var numbers = map[string]store{
	"text":    {parquet.String(), asText},
	"real":    {parquet.Leaf(parquet.DoubleType), asReal},
	"int64":   {parquet.Decimal(8, 18, parquet.Int64Type), func(text string) any { return scaled(text, 8).Int64() }},
	"fixed":   {parquet.Decimal(20, 38, parquet.FixedLenByteArrayType(16)), func(text string) any { return [16]byte(twos(scaled(text, 20), 16)) }},
	"bytes":   {parquet.Decimal(8, 18, parquet.ByteArrayType), func(text string) any { return twos(scaled(text, 8), 9) }},
	"shorter": {parquet.Decimal(8, 18, parquet.ByteArrayType), func(text string) any { return shortest(scaled(text, 8)) }},
}

// shortest returns a number in two's complement of as few bytes as hold it.
func shortest(n *big.Int) []byte {
	for size := 1; ; size++ {
		limit := new(big.Int).Lsh(big.NewInt(1), uint(8*size-1))
		if n.Cmp(limit) < 0 && n.Cmp(new(big.Int).Neg(limit)) >= 0 {
			return twos(n, size)
		}
	}
}

// times are the ways in which an instant in milliseconds is held.
var times = map[string]struct {
	node parquet.Node
	of   func(ms int64) any
}{
	"text":         {parquet.String(), func(ms int64) any { return instantText(ms) }},
	"milliseconds": {parquet.Timestamp(parquet.Millisecond), func(ms int64) any { return ms }},
	"microseconds": {parquet.Timestamp(parquet.Microsecond), func(ms int64) any { return ms * 1000 }},
	"nanoseconds":  {parquet.Timestamp(parquet.Nanosecond), func(ms int64) any { return ms * 1_000_000 }},
	"by magnitude": {parquet.Leaf(parquet.Int64Type), func(ms int64) any { return ms }},
	"real":         {parquet.Leaf(parquet.DoubleType), func(ms int64) any { return float64(ms) / 1000 }},
}

// flags are the ways in which yes and no are held.
var flags = map[string]struct {
	node parquet.Node
	of   func(on bool) any
}{
	"boolean": {parquet.Leaf(parquet.BooleanType), func(on bool) any { return on }},
	"number":  {parquet.Leaf(parquet.Int32Type), func(on bool) any { return map[bool]int32{true: 1}[on] }},
	"text":    {parquet.String(), func(on bool) any { return strings.ToUpper(strconv.FormatBool(on)) }},
}

// oneOf draws a key.
func oneOf[V any](t *rapid.T, label string, of map[string]V) V {
	names := make([]string, 0, len(of))
	for name := range of {
		names = append(names, name)
	}
	slices.Sort(names)
	return of[rapid.SampledFrom(names).Draw(t, label)]
}

// asParquet writes rows in row groups of a few, each column held in a way that is drawn.
func asParquet(t *rapid.T, all []made) rows.Table {
	price, size := oneOf(t, "price as", numbers), oneOf(t, "size as", numbers)
	at, on := oneOf(t, "time as", times), oneOf(t, "flag as", flags)
	level := oneOf(t, "levels as", numbers)
	schema := parquet.NewSchema("rows", parquet.Group{
		"id": parquet.String(), "price": parquet.Optional(price.node), "size": parquet.Optional(size.node),
		"at": parquet.Optional(at.node), "on": on.node,
		"bids": parquet.List(parquet.Group{"price": level.node, "size": level.node}),
	})
	var b bytes.Buffer
	w := parquet.NewWriter(&b, schema, parquet.MaxRowsPerRowGroup(rapid.Int64Range(1, 5).Draw(t, "rows a group")),
		parquet.PageBufferSize(rapid.IntRange(16, 200).Draw(t, "page")))
	for _, r := range all {
		var row parquet.Row
		put := func(v any, given bool, path ...string) {
			leaf, ok := schema.Lookup(path...)
			require.True(t, ok, path)
			value := parquet.NullValue().Level(0, 0, leaf.ColumnIndex)
			if given {
				value = parquet.ValueOf(v).Level(0, leaf.MaxDefinitionLevel, leaf.ColumnIndex)
			}
			row = append(row, value)
		}
		number := func(s store, text, name string) {
			if text == "" {
				put(nil, false, name)
				return
			}
			put(s.of(text), true, name)
		}
		put(r.id, true, "id")
		number(price, r.price, "price")
		number(size, r.size, "size")
		put(at.of(r.seconds), r.seconds >= 0, "at")
		put(on.of(r.on), true, "on")
		for k, part := range []string{"price", "size"} {
			leaf, ok := schema.Lookup("bids", "list", "element", part)
			require.True(t, ok)
			for i, l := range r.levels {
				row = append(row, parquet.ValueOf(level.of(l[k])).Level(min(i, 1), leaf.MaxDefinitionLevel, leaf.ColumnIndex))
			}
			if len(r.levels) == 0 {
				row = append(row, parquet.NullValue().Level(0, 0, leaf.ColumnIndex))
			}
		}
		slices.SortStableFunc(row, func(a, b parquet.Value) int { return a.Column() - b.Column() })
		_, err := w.WriteRows([]parquet.Row{row})
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	p, err := rows.OpenParquet(bytes.NewReader(b.Bytes()), int64(b.Len()))
	require.NoError(t, err)
	require.Empty(t, rows.Missing(p.Columns(), slices.Concat(rows.Needs("id", rows.Text), rows.Needs("price size", rows.Numbers...),
		rows.Needs("at", rows.Times...), rows.Needs("bids.price bids.size", rows.List))))
	table, err := p.Read(columns...)
	require.NoError(t, err)
	return table
}

// TestForms: the same rows are read alike, whether they stand in CSV, in JSON lines or in
// Parquet, and in whichever type a column is held there: taken to the same value, or refused.
func TestForms(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.Custom(makeRow), 1, 12).Draw(t, "rows")
		want := readAll(t, asCSV(t, all))
		require.Len(t, want, len(all))
		require.Equal(t, want, readAll(t, asLines(t, all)), "JSON lines")
		got := readAll(t, asParquet(t, all))
		require.Len(t, got, len(all))
		for i := range want {
			// Where a number is out of bounds and finer than the grid, one of the two is said.
			got[i].Price, want[i].Price = out(got[i].Price), out(want[i].Price)
			got[i].Size, want[i].Size = out(got[i].Size), out(want[i].Size)
			got[i].Levels, want[i].Levels = outs(got[i].Levels), outs(want[i].Levels)
		}
		require.Equal(t, want, got, "Parquet")
	})
}

// out is what was read, or that it was refused.
func out(s string) string {
	switch scalar.Reason(s) {
	case scalar.PriceRange, scalar.PricePrecision, scalar.SizeRange, scalar.SizePrecision, scalar.NegativeSize:
		return "refused"
	}
	return s
}

func outs(levels string) string {
	for _, r := range []scalar.Reason{scalar.PriceRange, scalar.PricePrecision, scalar.SizeRange, scalar.SizePrecision, scalar.NegativeSize} {
		levels = strings.ReplaceAll(levels, string(r), "refused")
	}
	return levels
}
