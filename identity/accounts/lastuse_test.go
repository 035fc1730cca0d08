package accounts_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/market"
)

// TestLastUse: a key was last used when a request came with it, not when somebody asked
// for its usage.
func TestLastUse(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, w *world) {
		in := w.register(t, "ada@example.com")
		k, _, err := w.MakeKey(t.Context(), &in.Session, "desk", 0, here(t))
		require.NoError(t, err)
		used, err := w.store.Count(t.Context(), k.ID, identity.WindowsAt(market.InstantOf(w.now())), 60)
		require.NoError(t, err)
		require.Equal(t, 1, used.InMinute)
		w.add(10 * time.Minute)
		keys, _, err := w.Usage(t.Context(), &in.Session)
		require.NoError(t, err)
		require.Equal(t, k.ID, keys[0].ID)
		require.Zero(t, keys[0].InMinute, "another minute")
		require.Equal(t, 1, keys[0].InDay)
		again, err := w.store.Used(t.Context(), k.ID, identity.Windows{})
		require.NoError(t, err)
		require.Equal(t, used.Windows, again.Windows)
	})
}
