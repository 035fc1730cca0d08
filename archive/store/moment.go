package store

import (
	"math/rand/v2"

	"github.com/ladderback/ladderback/market"
)

// Moment tells the states that an archive goes through apart.
type Moment struct {
	// Write is of the transaction that wrote last, as of NewWrite: as long as it
	// is the same, every row is. It is no count: one that is restored from a
	// backup, or made anew, comes to the same count again with other rows.
	Write int64
	// Watermarks are those that were last put. Nobody changes the map.
	Watermarks map[market.Category]market.Instant
}

// NewWrite returns a number that no other transaction is marked by.
func NewWrite() int64 { return rand.Int64() }
