package store

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/market"
)

// BlocksOf returns what Reader.Blocks does, by Parts and Refs.
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

// Index returns the index in the market's tokens by block key.
func (row *MarketRow) Index() map[ID]int {
	index := map[ID]int{}
	for i, keys := range row.Keys {
		for _, k := range keys {
			index[k] = i
		}
	}
	return index
}

// Visible keeps of all blocks of a market's tokens those that its visible
// parts name, in place, and checks that none is missing: else it is ErrDamaged. index
// is that of Index.
func Visible(row *MarketRow, index map[ID]int, parts []Part, all []BlockRef) ([]BlockRef, error) {
	type partOf struct {
		token  ID
		stream block.Stream
		source SourceID
	}
	want := map[partOf]int64{}
	for _, p := range parts {
		if _, ok := index[p.Token]; ok && p.Whole {
			want[partOf{p.Token, p.Stream, p.Source}] += p.Blocks
		}
	}
	refs := all[:0]
	for _, ref := range all {
		k := partOf{ref.Token, ref.Stream, ref.Source}
		if _, ok := want[k]; ok {
			want[k]--
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
	}
	return refs, nil
}
