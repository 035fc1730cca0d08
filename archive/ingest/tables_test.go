package ingest_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"
)

// cellType is how a column of a generated table is stored. Cells are given as
// text; the empty text is null, for lists too.
type cellType uint8

const (
	asText cellType = iota
	asFixed66
	asReal
	asInt
	asMillis // timestamp
	asMicros
	asNanos
	asPrice9x4  // decimal(9,4)
	asSize18x6  // decimal(18,6)
	asDecimal38 // decimal(38,18), in 16 bytes
	asBool
	asLevels // list of {price, size} as text: "0.40:10 0.39:5"
)

type col struct {
	name string
	of   cellType
}

// parquetTable writes a Parquet file, three rows a row group.
func parquetTable(t testing.TB, cols []col, rows [][]string, options ...parquet.WriterOption) []byte {
	t.Helper()
	return parquetTableOf(t, cols, rows, nodeOf, options...)
}

// wordsOf is nodeOf with dictionaries, but for flags and lists.
func wordsOf(k cellType) parquet.Node {
	if k == asBool || k == asLevels {
		return nodeOf(k)
	}
	return parquet.Encoded(nodeOf(k), &parquet.RLEDictionary)
}

func parquetTableOf(t testing.TB, cols []col, rows [][]string, nodeOf func(cellType) parquet.Node, options ...parquet.WriterOption) []byte {
	t.Helper()
	group := parquet.Group{}
	for _, c := range cols {
		group[c.name] = parquet.Optional(nodeOf(c.of))
	}
	schema := parquet.NewSchema("rows", group)
	var b bytes.Buffer
	options = append([]parquet.WriterOption{schema, parquet.MaxRowsPerRowGroup(3), parquet.Compression(&parquet.Snappy)}, options...)
	w := parquet.NewWriter(&b, options...)
	for _, cells := range rows {
		var row parquet.Row
		for i, c := range cols {
			row = append(row, valuesOf(t, schema, c, cells[i])...)
		}
		slices.SortStableFunc(row, func(a, b parquet.Value) int { return a.Column() - b.Column() })
		_, err := w.WriteRows([]parquet.Row{row})
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

func nodeOf(k cellType) parquet.Node {
	switch k {
	case asFixed66:
		return parquet.Leaf(parquet.FixedLenByteArrayType(66))
	case asReal:
		return parquet.Leaf(parquet.DoubleType)
	case asInt:
		return parquet.Leaf(parquet.Int64Type)
	case asMillis:
		return parquet.Timestamp(parquet.Millisecond)
	case asMicros:
		return parquet.Timestamp(parquet.Microsecond)
	case asNanos:
		return parquet.Timestamp(parquet.Nanosecond)
	case asPrice9x4:
		return parquet.Decimal(4, 9, parquet.Int32Type)
	case asSize18x6:
		return parquet.Decimal(6, 18, parquet.Int64Type)
	case asDecimal38:
		return parquet.Decimal(18, 38, parquet.FixedLenByteArrayType(16))
	case asBool:
		return parquet.Leaf(parquet.BooleanType)
	case asLevels:
		return parquet.List(parquet.Group{"price": parquet.String(), "size": parquet.String()})
	}
	return parquet.String()
}

func valuesOf(t testing.TB, schema *parquet.Schema, c col, text string) []parquet.Value {
	t.Helper()
	if c.of == asLevels {
		return levelValues(t, schema, c.name, text)
	}
	leaf, ok := schema.Lookup(c.name)
	require.True(t, ok, c.name)
	if text == "" {
		return []parquet.Value{parquet.NullValue().Level(0, 0, leaf.ColumnIndex)}
	}
	return []parquet.Value{parquet.ValueOf(cellOf(t, c, text)).Level(0, 1, leaf.ColumnIndex)}
}

func levelValues(t testing.TB, schema *parquet.Schema, name, text string) []parquet.Value {
	t.Helper()
	var out []parquet.Value
	for k, part := range []string{"price", "size"} {
		leaf, ok := schema.Lookup(name, "list", "element", part)
		require.True(t, ok, name)
		levels := strings.Fields(text)
		if len(levels) == 0 {
			out = append(out, parquet.NullValue().Level(0, 1, leaf.ColumnIndex))
		}
		for i, l := range levels {
			rep := 1
			if i == 0 {
				rep = 0
			}
			value, _, _ := strings.Cut(l, ":")
			if k == 1 {
				_, value, _ = strings.Cut(l, ":")
			}
			out = append(out, parquet.ValueOf(value).Level(rep, leaf.MaxDefinitionLevel, leaf.ColumnIndex))
		}
	}
	return out
}

func cellOf(t testing.TB, c col, text string) any {
	t.Helper()
	real := func() float64 {
		x, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err, "%s %s", c.name, text)
		return x
	}
	whole := func(scale int64) int64 {
		r, ok := new(big.Rat).SetString(text)
		require.True(t, ok, text)
		r.Mul(r, new(big.Rat).SetInt64(scale))
		require.True(t, r.IsInt(), "%s: %s is finer than the column", c.name, text)
		return r.Num().Int64()
	}
	switch c.of {
	case asFixed66:
		return [66]byte([]byte(fmt.Sprintf("%-66s", text)))
	case asReal:
		return real()
	case asInt:
		return whole(1)
	case asMillis: // cells of times are in seconds
		return whole(1e3)
	case asMicros:
		return whole(1e6)
	case asNanos:
		return whole(1e9)
	case asPrice9x4:
		return int32(whole(1e4))
	case asSize18x6:
		return whole(1e6)
	case asDecimal38:
		r, _ := new(big.Rat).SetString(text)
		r.Mul(r, new(big.Rat).SetInt64(1e18))
		var b [16]byte
		n := new(big.Int).Set(r.Num())
		if n.Sign() < 0 {
			n.Add(n, new(big.Int).Lsh(big.NewInt(1), 128))
		}
		n.FillBytes(b[:])
		return b
	case asBool:
		return text == "true"
	}
	return text
}

// csvTable writes a CSV file with line ends as Windows has them.
func csvTable(t testing.TB, cols []col, rows [][]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	var head []string
	for _, c := range cols {
		head = append(head, c.name)
	}
	require.NoError(t, w.Write(head))
	require.NoError(t, w.WriteAll(rows))
	return b.Bytes()
}

func utc(sec float64) time.Time { return time.UnixMicro(int64(sec * 1e6)).UTC() }
