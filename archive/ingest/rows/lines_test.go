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
