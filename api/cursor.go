package api

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// Cursors are opaque: base64url of a version, a digest of the request that they
// continue, and the place. One that is sent with another request is refused.

const (
	listCursor    byte = 1
	historyCursor byte = 2
	digestLen          = 8
)

var errCursor = badRequest("invalid cursor: send metadata.next_cursor of the page before, with the same parameters")

// digest hashes what a cursor belongs to.
type digest [digestLen]byte

func digestOf(parts ...string) digest {
	h := sha256.New()
	var n [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return digest(h.Sum(nil)[:digestLen])
}

// encodeKey writes a place in a list.
func encodeKey(d digest, k store.Key) string {
	b := append([]byte{listCursor}, d[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(k.Value))
	b = append(b, byte(len(k.Venue)))
	b = append(b, k.Venue...)
	b = append(b, k.VenueID...)
	return base64.RawURLEncoding.EncodeToString(b)
}

// decodeKey reads a place in the list that d stands for.
func decodeKey(d digest, cursor string) (store.Key, error) {
	b, err := decodeCursor(listCursor, d, cursor)
	if err != nil || len(b) < 9 || len(b) < 9+int(b[8]) {
		return store.Key{}, errCursor
	}
	venue := b[9 : 9+int(b[8])]
	return store.Key{
		Value:   market.Instant(binary.BigEndian.Uint64(b)),
		Venue:   market.Venue(venue),
		VenueID: string(b[9+len(venue):]),
	}, nil
}

// bucketCursor is a place in a history: the time of the next bucket of what.
type bucketCursor struct {
	of digest // the market or token
	at market.Instant
}

// encodeBucket writes a place in the history of the request that d stands for.
func encodeBucket(d digest, c bucketCursor) string {
	b := append([]byte{historyCursor}, d[:]...)
	b = append(b, c.of[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(c.at))
	return base64.RawURLEncoding.EncodeToString(b)
}

// decodeBucket reads a place in the history of the request that d stands for.
func decodeBucket(d digest, cursor string) (bucketCursor, error) {
	b, err := decodeCursor(historyCursor, d, cursor)
	if err != nil || len(b) != digestLen+8 {
		return bucketCursor{}, errCursor
	}
	return bucketCursor{digest(b[:digestLen]), market.Instant(binary.BigEndian.Uint64(b[digestLen:]))}, nil
}

func decodeCursor(version byte, d digest, cursor string) ([]byte, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(b) < 1+digestLen || b[0] != version || digest(b[1:1+digestLen]) != d {
		return nil, errCursor
	}
	return b[1+digestLen:], nil
}
