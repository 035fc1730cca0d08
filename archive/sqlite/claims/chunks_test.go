package claims

import (
	"database/sql"
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/sqlitetest"
)

// TestChunks: claims that are kept together come back as they were put, and so do
// their keys, in pages; what is dropped leaves nothing.
func TestChunks(t *testing.T) {
	t.Parallel()
	c := New(sqlitetest.New(t))
	const n = 300
	var claims []store.Claim
	var owners []store.ID
	for i := range n {
		key := store.ClaimKey{Kind: store.MarketClaim, Owner: store.ID(i + 1), Source: 7}
		claims = append(claims, store.Claim{ClaimKey: key, Doc: fmt.Appendf(nil, `{"authority":1,"slug":"market-%d"}`, i)})
		owners = append(owners, key.Owner)
	}
	chunks := func() (n int) {
		require.NoError(t, c.Each(t.Context(), "SELECT count(*) FROM chunks", nil, func(r *sql.Rows) error { return r.Scan(&n) }))
		return n
	}
	holds := func(want []store.Claim) {
		t.Helper()
		got, err := c.Claims(t.Context(), store.MarketClaim, owners)
		require.NoError(t, err)
		require.True(t, reflect.DeepEqual(want, got), "%d claims: expected %d", len(got), len(want))
		var after store.ClaimKey
		for i := 0; ; {
			keys, err := c.ClaimsOf(t.Context(), 7, after, 37)
			require.NoError(t, err)
			if len(keys) == 0 {
				require.Equal(t, len(want), i)
				break
			}
			for _, after = range keys {
				require.Equal(t, want[i].ClaimKey, after)
				i++
			}
		}
	}

	require.NoError(t, c.Put(t.Context(), claims))
	require.Equal(t, 3, chunks())
	holds(claims)

	claims[4].Doc = []byte(`{"authority":1,"slug":"another"}`)
	require.NoError(t, c.Put(t.Context(), claims[4:5]))
	require.Equal(t, 4, chunks(), "one by itself is in another")
	holds(claims)
	first, err := c.chunk(t.Context(), 1)
	require.NoError(t, err)
	require.Empty(t, first.docs[4], "what was replaced is still there")
	require.EqualValues(t, nobody, first.owners[4])

	require.NoError(t, c.Put(t.Context(), claims[:200]))
	holds(claims)
	keys := func(of []store.Claim) (out []store.ClaimKey) {
		for _, c := range of {
			out = append(out, c.ClaimKey)
		}
		return out
	}
	require.NoError(t, c.Drop(t.Context(), keys(claims[:250])))
	holds(claims[250:])
	require.Equal(t, 2, chunks())
	require.NoError(t, c.Drop(t.Context(), keys(claims[250:])))
	holds(nil)
	require.Zero(t, chunks())
}

// TestPlaces: places of claims are what they were packed from, and what is cut is damage.
func TestPlaces(t *testing.T) {
	t.Parallel()
	places := []place{0, 1, perChunk - 1, perChunk, 1<<40*perChunk + 17}
	packed := packPlaces(places)
	got, err := unpackPlaces(packed)
	require.NoError(t, err)
	require.Equal(t, places, got)
	require.EqualValues(t, 1<<40, got[4].chunk())
	require.Equal(t, 17, got[4].line())
	_, err = unpackPlaces(packed[:len(packed)-1])
	require.ErrorIs(t, err, store.ErrDamaged)
}

// TestDamagedChunk: claims whose chunk is gone, or is not what was put, are damage.
func TestDamagedChunk(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]string{
		"gone": `DELETE FROM chunks`, "cut": `UPDATE chunks SET docs = substr(docs, 1, length(docs) - 3)`, "another": `UPDATE chunks SET docs = x'00'`,
		"of others": `UPDATE chunks SET owners = zeroblob(length(owners))`,
	} {
		c := New(sqlitetest.New(t))
		var claims []store.Claim
		for i := range 20 {
			claims = append(claims, store.Claim{ClaimKey: store.ClaimKey{Kind: store.MarketClaim, Owner: store.ID(i + 1), Source: 7}, Doc: []byte(`{"authority":1}`)})
		}
		require.NoError(t, c.Put(t.Context(), claims))
		require.NoError(t, c.Exec(t.Context(), spoil))
		_, err := c.Claims(t.Context(), store.MarketClaim, []store.ID{3})
		require.ErrorIs(t, err, store.ErrDamaged, name)
		require.NotErrorIs(t, err, sql.ErrNoRows)
	}
}
