package wire

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
)

// Cursors are opaque: base64url of a version, a digest of the request that they
// continue, and the place. One that is sent with another request is refused.

// What a cursor is a place in: the first byte of each.
const (
	ListCursor    byte = 1
	HistoryCursor byte = 2
)

// DigestLen is the length of a Digest in bytes.
const DigestLen = 8

// ErrCursor refuses a cursor that is malformed or belongs to another request.
var ErrCursor = BadRequest("invalid cursor: send metadata.next_cursor of the previous page, with the same parameters")

// Digest identifies the request that a cursor belongs to.
type Digest [DigestLen]byte

// DigestOf hashes parts, keeping them apart.
func DigestOf(parts ...string) Digest {
	var room [256]byte
	all := room[:0]
	for _, p := range parts {
		all = append(binary.BigEndian.AppendUint64(all, uint64(len(p))), p...)
	}
	sum := sha256.Sum256(all)
	return Digest(sum[:DigestLen])
}

// EncodeCursor returns a cursor for a place in the results of the request d.
func EncodeCursor(kind byte, d Digest, place []byte) string {
	return base64.RawURLEncoding.EncodeToString(append(append([]byte{kind}, d[:]...), place...))
}

// DecodeCursor returns the place in a cursor of this kind that belongs to d, or
// ErrCursor.
func DecodeCursor(kind byte, d Digest, cursor string) ([]byte, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(b) < 1+DigestLen || b[0] != kind || Digest(b[1:1+DigestLen]) != d {
		return nil, ErrCursor
	}
	return b[1+DigestLen:], nil
}
