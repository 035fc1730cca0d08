package lists

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// A cursor gives back its place, to the list that it is of and to no other.
func TestCursorsKeepTheirPlace(t *testing.T) {
	mine, other := wire.DigestOf("markets", "{}"), wire.DigestOf("events", "{}")
	rng := rand.New(rand.NewPCG(1, 2))
	text := func(most int) string {
		b := make([]byte, rng.IntN(most+1))
		for i := range b {
			b[i] = byte(rng.IntN(256))
		}
		return string(b)
	}
	for range 2000 {
		key := store.Key{Value: market.Instant(rng.Uint64()), Venue: market.Venue(text(20)), VenueID: text(80)}
		cursor := encodeKey(mine, key)
		back, err := decodeKey(mine, cursor)
		require.NoError(t, err)
		require.Equal(t, key, back)
		_, err = decodeKey(other, cursor)
		require.ErrorIs(t, err, wire.ErrCursor)
	}
}

// A cursor that is cut where its venue says that more follows names no place.
func TestCursorsCutShort(t *testing.T) {
	d := wire.DigestOf("markets", "{}")
	for _, b := range [][]byte{nil, make([]byte, 8), {0, 0, 0, 0, 0, 0, 0, 0, 3, 'a', 'b'}} {
		_, err := decodeKey(d, wire.EncodeCursor(wire.ListCursor, d, b))
		require.ErrorIs(t, err, wire.ErrCursor, "%v", b)
	}
}
