package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/store"
)

// TestChunks: claims that are kept together come back as they were put, and so do
// their keys; what is dropped leaves nothing.
func TestChunks(t *testing.T) {
	t.Parallel()
	s, _, err := Create(t.Context(), filepath.Join(t.TempDir(), "a.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	const n = 300
	var claims []store.Claim
	var owners []store.ID
	for i := range n {
		key := store.ClaimKey{Kind: store.MarketClaim, Owner: store.ID(i + 1), Source: 7}
		claims = append(claims, store.Claim{ClaimKey: key, Doc: fmt.Appendf(nil, `{"authority":1,"slug":"market-%d"}`, i)})
		owners = append(owners, key.Owner)
	}
	update := func(f func(ctx context.Context, t *tx) error) {
		t.Helper()
		require.NoError(t, s.Update(t.Context(), func(w store.Writer) error { return f(t.Context(), w.(*tx)) }))
	}
	chunks := func() (n int) {
		require.NoError(t, s.readers.DB.QueryRow("SELECT count(*) FROM chunks").Scan(&n))
		return n
	}
	require.NoError(t, err)
	holds := func(want []store.Claim) {
		t.Helper()
		require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
			got, err := r.Claims(t.Context(), store.MarketClaim, owners)
			require.NoError(t, err)
			require.True(t, reflect.DeepEqual(want, got), "%d claims: expected %d", len(got), len(want))
			keys, err := store.SourceClaims(t.Context(), r, 7, nil)
			require.NoError(t, err)
			require.Len(t, keys, len(want))
			for i, k := range keys {
				require.Equal(t, want[i].ClaimKey, k)
			}
			return nil
		}))
	}

	update(func(ctx context.Context, t *tx) error { return t.Apply(ctx, &store.Changes{Claims: claims}) })
	require.Equal(t, 3, chunks())
	holds(claims)

	claims[4].Doc = []byte(`{"authority":1,"slug":"another"}`)
	update(func(ctx context.Context, t *tx) error { return t.Apply(ctx, &store.Changes{Claims: claims[4:5]}) })
	require.Equal(t, 4, chunks(), "one by itself is in another")
	holds(claims)
	update(func(ctx context.Context, t *tx) error {
		c, err := t.chunk(ctx, 1)
		if err == nil && (len(c.docs[4]) > 0 || c.owners[4] != nobody) {
			err = fmt.Errorf("what was replaced is still there: %s", c.docs[4])
		}
		return err
	})

	update(func(ctx context.Context, t *tx) error { return t.Apply(ctx, &store.Changes{Claims: claims[:200]}) })
	holds(claims)
	var keys []store.ClaimKey
	for _, c := range claims[:250] {
		keys = append(keys, c.ClaimKey)
	}
	update(func(ctx context.Context, t *tx) error { return t.Apply(ctx, &store.Changes{DropClaims: keys}) })
	holds(claims[250:])
	require.Equal(t, 2, chunks())
	keys = nil
	for _, c := range claims[250:] {
		keys = append(keys, c.ClaimKey)
	}
	update(func(ctx context.Context, t *tx) error { return t.Apply(ctx, &store.Changes{DropClaims: keys}) })
	holds(nil)
	require.Zero(t, chunks())
}

// TestDamagedChunk: claims whose chunk is gone, or is not what was put, are damage.
func TestDamagedChunk(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]string{
		"gone": `DELETE FROM chunks`, "cut": `UPDATE chunks SET docs = substr(docs, 1, length(docs) - 3)`, "another": `UPDATE chunks SET docs = x'00'`,
	} {
		s, _, err := Create(t.Context(), filepath.Join(t.TempDir(), "a.db"))
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		var claims []store.Claim
		for i := range 20 {
			claims = append(claims, store.Claim{ClaimKey: store.ClaimKey{Kind: store.MarketClaim, Owner: store.ID(i + 1), Source: 7}, Doc: []byte(`{"authority":1}`)})
		}
		require.NoError(t, s.Update(t.Context(), func(w store.Writer) error {
			if err := w.Apply(t.Context(), &store.Changes{Claims: claims}); err != nil {
				return err
			}
			return w.(*tx).exec(t.Context(), spoil)
		}))
		err = s.View(t.Context(), func(r store.Reader) error {
			_, err := r.Claims(t.Context(), store.MarketClaim, []store.ID{3})
			return err
		})
		require.ErrorIs(t, err, store.ErrDamaged, name)
		require.NotErrorIs(t, err, sql.ErrNoRows)
	}
}
