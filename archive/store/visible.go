package store

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/market"
)

// BlocksOf implements Reader.Blocks using Parts and Refs.
func BlocksOf(ctx context.Context, r Reader, row *MarketRow) ([]BlockRef, error) {
	parts, err := r.Parts(ctx, row.Owners)
	if err != nil {
		return nil, err
	}
	index := row.Index()
	all, err := r.Refs(ctx, slices.Sorted(maps.Keys(index)), market.Earliest, market.Latest)
	if err != nil {
		return nil, err
	}
	return Visible(row, index, parts, all)
}

// Index maps block keys to indices in the market's tokens.
func (row *MarketRow) Index() map[ID]int {
	index := map[ID]int{}
	for i, keys := range row.Keys {
		for _, k := range keys {
			index[k] = i
		}
	}
	return index
}

// Visible filters all blocks of a market's tokens, in place, down to those of
// its visible parts. It is ErrDamaged if the parts are not those that the row
// was made from, or the blocks not those of the parts. index is the result of
// Index.
func Visible(row *MarketRow, index map[ID]int, parts []Part, all []BlockRef) ([]BlockRef, error) {
	if err := CheckParts(row, index, parts); err != nil {
		return nil, err
	}
	return BlocksIn(row, index, parts, all)
}

// CheckParts returns ErrDamaged if the parts are not those that the row was made from.
// index is the result of Index.
func CheckParts(row *MarketRow, index map[ID]int, parts []Part) error {
	placed := PlaceParts(index, parts)
	if basis := [32]byte{}; len(placed) > 0 || row.Basis != basis {
		if basis = BasisOf(&row.Market, placed); basis != row.Basis {
			return fmt.Errorf("captures differ from those its row was made from: %w", ErrDamaged)
		}
	}
	return nil
}

// BlocksIn is Visible for parts that CheckParts has passed.
func BlocksIn(row *MarketRow, index map[ID]int, parts []Part, all []BlockRef) ([]BlockRef, error) {
	type partOf struct {
		token  ID
		stream block.Stream
		source SourceID
	}
	want, sums := map[partOf]int64{}, map[partOf]int64{}
	for _, p := range parts {
		if _, ok := index[p.Token]; ok && p.Whole {
			k := partOf{p.Token, p.Stream, p.Source}
			want[k] += p.Blocks
			sums[k] += p.Refs
		}
	}
	refs := all[:0]
	for _, ref := range all {
		k := partOf{ref.Token, ref.Stream, ref.Source}
		if _, ok := want[k]; ok {
			want[k]--
			sums[k] -= ref.Sum()
			refs = append(refs, ref)
		}
	}
	for k, n := range want {
		what := "missing"
		if n < 0 {
			n, what = -n, "too many"
		}
		if n != 0 {
			return nil, fmt.Errorf("%d blocks of %v of token %s are %s: %w",
				n, k.stream, row.Market.Tokens[index[k.token]].VenueID, what, ErrDamaged)
		}
		if sums[k] != 0 {
			return nil, fmt.Errorf("rows of the blocks of %v of token %s differ from their checksum: %w",
				k.stream, row.Market.Tokens[index[k.token]].VenueID, ErrDamaged)
		}
	}
	return refs, nil
}
