package lists

import (
	"encoding/binary"

	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// encodeKey writes a place in a list.
func encodeKey(d wire.Digest, k store.Key) string {
	b := binary.BigEndian.AppendUint64(nil, uint64(k.Value))
	b = append(b, byte(len(k.Venue)))
	b = append(b, k.Venue...)
	b = append(b, k.VenueID...)
	return wire.EncodeCursor(wire.ListCursor, d, b)
}

// decodeKey reads a place in the list that d stands for.
func decodeKey(d wire.Digest, cursor string) (store.Key, error) {
	b, err := wire.DecodeCursor(wire.ListCursor, d, cursor)
	if err != nil || len(b) < 9 || len(b) < 9+int(b[8]) {
		return store.Key{}, wire.ErrCursor
	}
	venue := b[9 : 9+int(b[8])]
	return store.Key{
		Value:   market.Instant(binary.BigEndian.Uint64(b)),
		Venue:   market.Venue(venue),
		VenueID: string(b[9+len(venue):]),
	}, nil
}
