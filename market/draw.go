package market

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"
)

// RoundDraw says which rounds a sample is drawn from, and which of them it takes:
// rounds that pass the filter, with a payout that counts and a capture in
// [Start, End), covered for at least Covered of their time.
type RoundDraw struct {
	RoundFilter
	Inferred bool  // payouts that a source inferred count too
	Covered  int64 // least Round.Coverage
	Limit    int   // how many are taken
	// Random takes those whose DrawKey sorts first; else the newest are taken.
	Random bool
	Seed   int64
}

// RoundCount counts the rounds that pass the filter of a RoundDraw; each but Inferred
// is a part of the one before it.
type RoundCount struct {
	Universe, Resolved, Captured, Covered int
	// Inferred counts the rounds excluded by RoundDraw.Inferred alone: a source
	// inferred their payout, and everything else about them qualifies.
	Inferred int
}

// Of draws the sample from rounds of which it may take any: newest end first, ties
// by market id. It is how sources sample that have no better way.
func (d *RoundDraw) Of(rounds []Round) ([]Round, RoundCount) {
	var n RoundCount
	var out []Round
	for _, r := range rounds {
		m := r.Market
		if !d.Passes(m) { // sources may be generous
			continue
		}
		captured := r.Captured && m.Start < m.End
		if n.Add(d, m.Decided(), captured, r.Coverage) {
			out = append(out, r)
		}
	}
	newest := func(a, b Round) int {
		return NewestFirst(a.Market.End, b.Market.End, a.Market.VenueID, b.Market.VenueID)
	}
	slices.SortStableFunc(out, newest)
	if d.Random {
		keys := make(map[string][sha256.Size]byte, len(out))
		for i := range out {
			keys[out[i].Market.VenueID] = DrawKey(d.Seed, out[i].Market.VenueID)
		}
		slices.SortStableFunc(out, func(a, b Round) int {
			x, y := keys[a.Market.VenueID], keys[b.Market.VenueID]
			return bytes.Compare(x[:], y[:])
		})
	}
	out = slices.Clone(out[:min(len(out), d.Limit)])
	slices.SortStableFunc(out, newest)
	return out, n
}

// Add counts a round that passes the filter, and reports whether it may be sampled.
// basis is that of Market.Decided.
func (n *RoundCount) Add(d *RoundDraw, basis Basis, captured bool, coverage int64) bool {
	n.Universe++
	covered := captured && coverage >= d.Covered
	if basis == Inferred && !d.Inferred {
		if covered {
			n.Inferred++
		}
		return false
	}
	if basis == "" {
		return false
	}
	n.Resolved++
	if captured {
		n.Captured++
	}
	if covered {
		n.Covered++
	}
	return covered
}

// Holding is what an archive has of one coin and length.
type Holding struct {
	Coin, Type  string
	First, Last Instant // ends of its rounds
	// Rounds counts the captured rounds with an official payout, Inferred those with one
	// that a source inferred.
	Rounds, Inferred int
}

// NewestFirst orders rounds: newest end first, ties by market id as bytes.
func NewestFirst(aEnd, bEnd Instant, aID, bID string) int {
	return cmp.Or(cmp.Compare(bEnd, aEnd), strings.Compare(aID, bID))
}

// DrawKey is what random sampling sorts rounds by: the SHA-256 of "<seed>:<market id>".
func DrawKey(seed int64, id string) [sha256.Size]byte {
	b := make([]byte, 0, 96)
	b = append(strconv.AppendInt(b, seed, 10), ':')
	return sha256.Sum256(append(b, id...))
}
