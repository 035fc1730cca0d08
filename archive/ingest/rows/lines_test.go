package rows_test

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/ingest/rows"
	"github.com/ladderback/ladderback/archive/ingest/scalar"
)

// TestLines: cells are what stands in the object, whatever the order of its members.
func TestLines(t *testing.T) {
	t.Parallel()
	const text = `{"id":"a\"b","n":12,"on":true,"bids":[[0.5,10],["0.49","2.5"]],"none":null}
{"n":1.5e1,"extra":[1],"id":"c","bids":[]}

{"id":"d","bids":"x","n":"0.25"}
not an object
{"id":"e","bids":[[0.5]],"n":1}
`
	l, err := rows.OpenLines(strings.NewReader(text))
	require.NoError(t, err)
	table, err := l.Read("id", "n", "on", "bids.price", "bids.size", "none")
	require.NoError(t, err)
	next := func() { t.Helper(); require.NoError(t, table.Next()) }

	next()
	require.EqualValues(t, 1, table.Row())
	require.Equal(t, `a"b`, string(table.Text(0)))
	n, ok := table.Int(1)
	require.True(t, ok)
	require.EqualValues(t, 12, n)
	require.True(t, table.Flag(2))
	require.True(t, table.Null(5))
	require.Equal(t, 2, table.Len(3))
	p, r := table.PriceAt(3, 1)
	require.Equal(t, scalar.OK, r)
	require.Equal(t, "0.49", p.String())
	size, r := table.SizeAt(4, 0)
	require.Equal(t, scalar.OK, r)
	require.Equal(t, "10", size.String())

	next()
	require.Equal(t, "c", string(table.Text(0)))
	require.False(t, table.Flag(2))
	require.Zero(t, table.Len(3))
	for range 3 { // lists that are none, or have a level that is none
		next()
		if table.Null(0) {
			continue // no object
		}
		require.Equal(t, 1, table.Len(3))
		_, r = table.PriceAt(3, 0)
		require.Equal(t, scalar.BadPrice, r)
	}
	require.ErrorIs(t, table.Next(), io.EOF)

	_, err = l.Read("id", "missing")
	require.ErrorIs(t, err, rows.ErrColumn)
	for _, bad := range []string{"", "[1,2]\n", "{\"a\":1}\n", "{\"a\":1,\"b\":\n"} {
		_, err := rows.OpenLines(strings.NewReader(bad))
		require.ErrorIs(t, err, rows.ErrLines, bad)
	}
}

// TestCellsOfCSV: every kind of cell, a record on several lines, levels in a text, and the
// number of the row, which counts lines that hold nothing.
func TestCellsOfCSV(t *testing.T) {
	t.Parallel()
	const text = "on,price,size,time,bids,note\n" +
		"TRUE,0.5,2.5,1776081409,\"[[0.5,10],[0.49,\"\"2.5\"\"]]\",\"one\ntwo\"\n" +
		"\n" +
		"0,,,,,\n" +
		"1,0.12345,-1,soon,\"[[0.5]]\",x\n" +
		"1,0.5,1,0,[],\"left open\n"
	c, err := rows.OpenCSV(strings.NewReader(text))
	require.NoError(t, err)
	c.Lines = true
	require.Len(t, c.Columns(), 6)
	table, err := c.Read("on", "price", "size", "time", "bids.price", "bids.size", "note")
	require.NoError(t, err)
	next := func(row int64) {
		t.Helper()
		require.NoError(t, table.Next())
		require.Equal(t, row, table.Row())
	}

	next(1)
	require.True(t, table.Flag(0))
	price, r := table.Price(1)
	require.Equal(t, scalar.OK, r)
	require.EqualValues(t, 5000, price)
	size, r := table.Size(2)
	require.Equal(t, scalar.OK, r)
	require.EqualValues(t, 2_500_000, size)
	at, r := table.Time(3)
	require.Equal(t, scalar.OK, r)
	require.EqualValues(t, 1776081409_000000, at)
	require.Equal(t, 2, table.Len(4))
	price, r = table.PriceAt(4, 1)
	require.Equal(t, scalar.OK, r)
	require.EqualValues(t, 4900, price)
	size, r = table.SizeAt(5, 1)
	require.Equal(t, scalar.OK, r)
	require.EqualValues(t, 2_500_000, size)
	require.Equal(t, "one\ntwo", string(table.Text(6)))

	next(3)
	require.False(t, table.Flag(0))
	_, r = table.Price(1)
	require.Equal(t, scalar.NoPrice, r)
	_, r = table.Size(2)
	require.Equal(t, scalar.BadSize, r)
	_, r = table.Time(3)
	require.Equal(t, scalar.NoTime, r)
	require.Zero(t, table.Len(4))

	next(4)
	require.True(t, table.Flag(0))
	_, r = table.Price(1)
	require.Equal(t, scalar.PricePrecision, r)
	_, r = table.Size(2)
	require.Equal(t, scalar.NegativeSize, r)
	_, r = table.Time(3)
	require.Equal(t, scalar.BadTime, r)
	_, r = table.PriceAt(4, 0)
	require.Equal(t, scalar.BadPrice, r)
	_, r = table.SizeAt(5, 0)
	require.Equal(t, scalar.BadSize, r)

	next(5)
	require.True(t, table.Null(1), "a quotation that nobody ends")
	require.ErrorIs(t, table.Next(), io.EOF)
}

// TestHeaders: what is no header of a table of columns is told from one.
func TestHeaders(t *testing.T) {
	t.Parallel()
	require.Equal(t, []rows.Column{{Name: "a", Kind: rows.Text}, {Name: "b", Kind: rows.Text}}, rows.Header([]byte("\xef\xbb\xbfa,b\n1,2\n")))
	for _, text := range []string{"", "a\n", "a,\n", "a,b c\n", "a,\"b\n", "a," + strings.Repeat("x", 101) + "\n"} {
		require.Nil(t, rows.Header([]byte(text)), text)
	}
	have := []rows.Column{{Name: "a", Kind: rows.Text}, {Name: "b", Kind: rows.List}}
	require.Equal(t, []string{"b", "c"}, rows.Missing(have, rows.Needs("a b c", rows.Numbers...)))
	require.Empty(t, rows.Missing(have, append(rows.Needs("a", rows.Times...), rows.Needs("b", rows.List)...)))
}
