package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/store"
)

// TestClaimsOfMany asks what sources say of more owners than are looked for one by one: of
// some they say something, others are between these or behind all.
func TestClaimsOfMany(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	defer s.Close()
	var owners []store.ID
	for id := range store.ID(3000) {
		owners = append(owners, id+1)
	}
	claims := func() (found []store.ID) {
		require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
			list, err := r.Claims(t.Context(), store.MarketClaim, owners)
			for _, c := range list {
				found = append(found, c.Owner)
			}
			return err
		}))
		return found
	}
	require.Empty(t, claims(), "there are none")
	var c store.Changes
	for _, owner := range []store.ID{2, 1700} {
		c.Claims = append(c.Claims, store.Claim{ClaimKey: store.ClaimKey{Kind: store.MarketClaim, Owner: owner, Source: 1}, Doc: []byte(`{}`)})
	}
	c.Claims = append(c.Claims, store.Claim{ClaimKey: store.ClaimKey{Kind: store.EventClaim, Owner: 2000, Source: 1}, Doc: []byte(`{}`)})
	require.NoError(t, s.Update(t.Context(), func(w store.Writer) error { return w.Apply(t.Context(), &c) }))
	require.Equal(t, []store.ID{2, 1700}, claims())
}
