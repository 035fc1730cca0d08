package store

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/market"
)

// ID is a 63-bit hash of a venue and the venue's own id for something, but for the first bits
// of those of markets, names and events. It is the same in every archive and never negative.
type ID int64

// MarketID returns the ID of the market that the venue calls venueID.
func MarketID(v market.Venue, venueID string) ID { return idOf("market", string(v), venueID) &^ named }

// TokenID returns the ID of the token that the venue calls venueID.
func TokenID(v market.Venue, venueID string) ID { return idOf("token", string(v), venueID) }

// EventID returns the ID of the event that the venue calls venueID. Its first 20 bits are of
// the number that venueID ends with, the time of a round or a count of events: what is new
// stands together in an index, and the rest is of the hash.
func EventID(v market.Venue, venueID string) ID {
	return ID(endNumber(venueID)>>12&(1<<20-1))<<hashed | idOf("event", string(v), venueID)&(1<<hashed-1)
}

// NameID returns the owner of claims about a market known only by its slug or
// an alternative id. It differs from the ID of a market with that public id, so
// that a market whose real id happens to be another's slug stays distinct. All of them are
// behind those of markets: most names have no claims, and to see that reads one page of an
// index, not one for each.
func NameID(v market.Venue, name string) ID { return idOf("market named", string(v), name) | named }

const (
	named  = 1 << 62 // in IDs of names, and in none of markets
	hashed = 43      // bits of the ID of an event that are of its hash
)

// endNumber returns the number that an id ends with, of which the last 18 digits count.
func endNumber(id string) (n int64) {
	power := int64(1)
	for i := len(id) - 1; i >= max(0, len(id)-18) && id[i] >= '0' && id[i] <= '9'; i-- {
		n += int64(id[i]-'0') * power
		power *= 10
	}
	return n
}

// SeriesID returns the ID of the series that the venue calls venueID.
func SeriesID(v market.Venue, venueID string) ID { return idOf("series", string(v), venueID) }

// sourceID hashes the SHA-256 of a file.
func sourceID(sum [32]byte) SourceID {
	return SourceID(idOf("source", string(sum[:])))
}

// idOf hashes parts, each prefixed with its length, so that no two lists of
// parts give the same bytes.
func idOf(parts ...string) ID {
	var room [128]byte // for most
	b := room[:0]
	for _, p := range parts {
		b = binary.AppendUvarint(b, uint64(len(p)))
		b = append(b, p...)
	}
	sum := sha256.Sum256(b)
	return ID(binary.BigEndian.Uint64(sum[:8]) &^ (1 << 63))
}

// Sequence returns the last part of a block's key: a hash of the block's
// position in its source, so that storing it again gives the same key.
func Sequence(src SourceID, token ID, s block.Stream, position int64) int64 {
	var b [25]byte
	binary.BigEndian.PutUint64(b[0:], uint64(src))
	binary.BigEndian.PutUint64(b[8:], uint64(token))
	binary.BigEndian.PutUint64(b[16:], uint64(position))
	b[24] = byte(s)
	sum := sha256.Sum256(b[:])
	return int64(binary.BigEndian.Uint64(sum[:8]) &^ (1 << 63))
}

// IDs is a number of ids and their sum: equal ones are of the same ids, which are hashes. The zero value is
// none.
type IDs struct {
	N   int64
	Sum ID
}

// Add adds an id.
func (s *IDs) Add(id ID) { s.N, s.Sum = s.N+1, s.Sum+id }

// Checksum returns the BlockRef.Checksum of a block's bytes.
func Checksum(data []byte) uint32 { return crc32.Checksum(data, castagnoli) }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// String names the block for a message.
func (r *BlockRef) String() string {
	return fmt.Sprintf("block of %v, %v to %v", r.Stream, r.First, r.Last)
}
