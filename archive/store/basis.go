package store

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/ladderback/ladderback/market"
)

// BasisOf hashes everything that the statistics of a market's captures depend
// on: the blocks, the tokens they belong to, and the bounds of the round.
func BasisOf(k *market.Market, parts []Placed) [32]byte {
	b := []byte("ladderback basis 1\n")
	b = binary.AppendVarint(b, int64(k.Start))
	b = binary.AppendVarint(b, int64(k.End))
	if k.Mirrored {
		b = append(b, 1)
	}
	for _, t := range k.Tokens {
		b = binary.AppendUvarint(b, uint64(len(t.VenueID)))
		b = append(b, t.VenueID...)
	}
	b = append(b, '\n')
	for _, p := range parts {
		for _, v := range []int64{int64(p.Source), int64(p.Token), int64(p.Stream), p.Blocks, p.Captures, p.Changes, int64(p.Index)} {
			b = binary.AppendVarint(b, v)
		}
	}
	return sha256.Sum256(b)
}

// Placed is a part whose token has a position in the market.
type Placed struct {
	Part
	Index int // in Market.Tokens
}

// PlaceParts returns the visible parts whose token has a position in places,
// which is keyed by block key. Their order depends only on the parts.
func PlaceParts(places map[ID]int, parts []Part) []Placed {
	var out []Placed
	for _, p := range parts {
		if at, ok := places[p.Token]; ok && p.Whole && p.Blocks > 0 {
			out = append(out, Placed{p, at})
		}
	}
	slices.SortFunc(out, func(a, b Placed) int {
		return cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(a.Stream, b.Stream),
			cmp.Compare(a.Source, b.Source), cmp.Compare(a.Token, b.Token), cmp.Compare(a.Owner, b.Owner))
	})
	return out
}
