package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/sqlstore"
)

// TestMomentOfAnother: a moment that has been looked at before is told from the one that
// another connection makes, whatever becomes of the log in between.
func TestMomentOfAnother(t *testing.T) {
	t.Parallel()
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "a.db")
	one, _, err := sqlite.Create(ctx, path)
	require.NoError(t, err)
	other, _, err := sqlite.Create(ctx, path)
	require.NoError(t, err)
	file, err := sqlstore.Open(ctx, path, sqlstore.Options{})
	require.NoError(t, err)
	for i := range 30 {
		before, err := one.Moment(ctx)
		require.NoError(t, err)
		again, err := one.Moment(ctx)
		require.NoError(t, err)
		require.Equal(t, before, again)
		require.NoError(t, other.Update(ctx, func(store.Writer) error { return nil }))
		if i%3 == 1 {
			_, err = file.ExecContext(ctx, []string{"PRAGMA wal_checkpoint(RESTART)", "PRAGMA wal_checkpoint(TRUNCATE)"}[i%2])
			require.NoError(t, err)
		}
		now, err := one.Moment(ctx)
		require.NoError(t, err)
		require.NotEqual(t, before.Write, now.Write, i)
		want, err := other.Moment(ctx)
		require.NoError(t, err)
		require.Equal(t, want, now)
	}
	require.NoError(t, file.Close())
	require.NoError(t, other.Close())
	require.NoError(t, one.Close())
	_, err = one.Moment(ctx)
	require.ErrorIs(t, err, store.ErrClosed)
}
