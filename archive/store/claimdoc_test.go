package store_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/store"
)

// TestClaimsAreSmall: documents come back as they were, and one by itself takes a fraction
// of its bytes, as what such documents have in common is known.
func TestClaimsAreSmall(t *testing.T) {
	t.Parallel()
	plain, packed := 0, 0
	var docs [][]byte
	for i := range 200 {
		doc := fmt.Appendf(nil, `{"authority":2,"venue":"polymarket-us","slug":"aec-mlb-nyy-bos-2026-07-%02d-%d","question":"Will the Yankees win game %d?","category":"sports","tokens":[{"label":"Yes"},{"label":"No"}],"payout":{"basis":"inferred","fractions":[0,1000000]}}`, 1+i%30, i, i)
		one := store.PackDoc(doc)
		back, err := store.PlainDoc(one)
		require.NoError(t, err)
		require.Equal(t, string(doc), string(back))
		plain, packed = plain+len(doc), packed+len(one)
		docs = append(docs, doc)
	}
	require.Less(t, packed, plain/2, "%d of %d bytes", packed, plain)
	together := store.PackDocs(append(docs, nil))
	require.Less(t, len(together), packed/5)
	back, err := store.PlainDocs(together)
	require.NoError(t, err)
	require.Len(t, back, len(docs)+1)
	require.Equal(t, docs[7], back[7])
	require.Empty(t, back[len(docs)], "an empty one keeps its place")
}

// TestDamagedClaims: what is cut, flipped or of no dictionary of ours is damage.
func TestDamagedClaims(t *testing.T) {
	t.Parallel()
	packed := store.PackDoc([]byte(`{"venue":"polymarket","slug":"btc-updown-5m-1"}`))
	flipped := bytes.Clone(packed)
	flipped[len(flipped)-6] ^= 1
	for name, doc := range map[string][]byte{"cut": packed[:len(packed)-1], "flipped": flipped, "no frame": {1, 2, 3}} {
		_, err := store.PlainDoc(doc)
		require.ErrorIs(t, err, store.ErrDamaged, name)
	}
	for _, doc := range [][]byte{nil, []byte(`{"a":1}`)} {
		back, err := store.PlainDoc(doc)
		require.NoError(t, err)
		require.Equal(t, doc, back, "plain JSON is readable")
	}
}
