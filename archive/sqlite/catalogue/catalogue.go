// Package catalogue keeps markets, events and series in the embedded store, lists and
// searches them, and keeps what was counted of them.
package catalogue

import (
	"github.com/ladderback/ladderback/archive/sqlite/txn"
	"github.com/ladderback/ladderback/market"
)

// Catalogue is the catalogue as one transaction sees it.
type Catalogue struct {
	*txn.Tx
	walk int // WalkRows
	// words and venues that are known to be there.
	words  map[string]int64
	venues map[market.Venue]bool
}

// New returns the catalogue of a transaction; walk is WalkRows, if not to try others.
func New(t *txn.Tx, walk int) *Catalogue { return &Catalogue{Tx: t, walk: walk} }
