package pool_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/sqlite/pool"
)

// TestEachRow: values come as they were bound, also those of no bytes; what a column may not hold, and an error of
// the caller, end the query, and the next one is whole.
func TestEachRow(t *testing.T) {
	t.Parallel()
	p := opened(t, 1)
	l, err := p.Take(t.Context())
	require.NoError(t, err)
	defer p.Give(l, true)
	const query = `SELECT ?, ?, ?, ?, ?`
	for range 2 {
		rows := 0
		require.NoError(t, l.EachRow(t.Context(), query, []any{int64(-7), "", []byte{0, 1}, true, "é"}, func(r *pool.Row) error {
			rows++
			require.EqualValues(t, -7, r.Int())
			require.Empty(t, r.Text())
			require.Equal(t, []byte{0, 1}, r.Bytes())
			require.True(t, r.Bool())
			require.Equal(t, "é", r.Text())
			return nil
		}))
		require.Equal(t, 1, rows)
		for text, wrong := range map[string]struct {
			value any
			read  func(*pool.Row)
		}{
			"column v is NULL":              {nil, func(r *pool.Row) { r.Text() }},
			"column v: 2 is out of range":   {int64(2), func(r *pool.Row) { r.Bool() }},
			"column v: 256 is out of range": {int64(256), func(r *pool.Row) { pool.Small[uint8](r) }},
		} {
			err := l.EachRow(t.Context(), `SELECT ? AS v UNION ALL SELECT 1`, []any{wrong.value}, func(r *pool.Row) error { wrong.read(r); return nil })
			require.EqualError(t, err, text)
		}
	}
	mine := errors.New("of the caller")
	require.ErrorIs(t, l.EachRow(t.Context(), `SELECT 1`, nil, func(*pool.Row) error { return mine }), mine)
	require.ErrorContains(t, l.EachRow(t.Context(), `SELECT x FROM none`, nil, nil), "SELECT x FROM none: sqlite3: SQL logic error: no such table: none")
	ctx, cancel := context.WithCancel(t.Context())
	require.ErrorIs(t, l.EachRow(ctx, `SELECT 1 UNION ALL SELECT 2`, nil, func(*pool.Row) error { cancel(); return nil }), context.Canceled)
	require.NoError(t, l.EachRow(t.Context(), `SELECT 1`, nil, func(*pool.Row) error { return nil }))
}
