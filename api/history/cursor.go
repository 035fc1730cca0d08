package history

import (
	"encoding/binary"

	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/market"
)

// bucketCursor is a place in a history: the time of the next bucket of what.
type bucketCursor struct {
	of wire.Digest // the market or token
	at market.Instant
}

// encodeBucket writes a place in the history of the request that d stands for.
func encodeBucket(d wire.Digest, c bucketCursor) string {
	return wire.EncodeCursor(wire.HistoryCursor, d, binary.BigEndian.AppendUint64(c.of[:], uint64(c.at)))
}

// decodeBucket reads a place in the history of the request that d stands for.
func decodeBucket(d wire.Digest, cursor string) (bucketCursor, error) {
	b, err := wire.DecodeCursor(wire.HistoryCursor, d, cursor)
	if err != nil || len(b) != wire.DigestLen+8 {
		return bucketCursor{}, wire.ErrCursor
	}
	return bucketCursor{wire.Digest(b[:wire.DigestLen]), market.Instant(binary.BigEndian.Uint64(b[wire.DigestLen:]))}, nil
}
