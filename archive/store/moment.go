package store

import (
	"math/rand/v2"

	"github.com/ladderback/ladderback/market"
)

// Moment distinguishes the successive states of an archive.
type Moment struct {
	// Write identifies the last transaction that wrote, as given by NewWrite:
	// while it is unchanged, so is every row. It is not a counter: an archive
	// restored from a backup, or created anew, would reach the same count again
	// with different rows.
	Write int64
	// Watermarks are those last stored. The map must not be modified.
	Watermarks map[market.Category]market.Instant
}

// NewWrite returns a random number that identifies a transaction.
func NewWrite() int64 { return rand.Int64() }
