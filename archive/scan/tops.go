package scan

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/archive/tops"
	"github.com/ladderback/ladderback/market"
)

// TopsSequence is the sequence of the tops of a market whose captures have that
// basis: tops of other captures are told by it.
func TopsSequence(basis [32]byte) int64 { return int64(binary.BigEndian.Uint64(basis[:]) >> 1) }

// hasTops reports whether tops are kept of a market: it is a round with one book,
// which is known by ladders alone.
func hasTops(m *market.Market, refs []store.BlockRef) bool {
	is := func(s block.Stream) func(store.BlockRef) bool {
		return func(r store.BlockRef) bool { return r.Stream == s }
	}
	return slices.ContainsFunc(refs, is(block.Books)) && !slices.ContainsFunc(refs, is(block.Quotes)) && canTop(m)
}

func canTop(m *market.Market) bool {
	return m.IsUpDown() && m.Mirrored && len(m.Tokens) == 2 && m.Start < m.End
}

// hasTops is hasTops of the blocks of a plan, as its parts tell of them.
func (p *plan) hasTops() bool {
	ladders := p.places != nil
	for _, part := range store.PlaceParts(p.index, p.parts) {
		if part.Stream == block.Quotes {
			return false
		}
		ladders = ladders || part.Stream == block.Books
	}
	return ladders && canTop(&p.row.Market)
}

// topsBlock encodes tops.
func topsBlock(row *store.MarketRow, places *tops.Places, all []market.Top) (*store.Block, error) {
	data, captures, err := tops.Encode(places, all)
	if err != nil {
		return nil, err
	}
	out := &store.Block{Data: data, BlockRef: store.BlockRef{
		Token: row.ID, Stream: block.Tops, Sequence: TopsSequence(row.Basis), Version: tops.Version,
		Captures: captures, Bytes: len(data), Checksum: store.Checksum(data),
	}}
	if len(all) > 0 {
		out.First, out.Last = all[0].At, all[len(all)-1].At
	}
	return out, nil
}

// openTops takes the bytes of a row of tops apart, as tops.Open does. ok is false where
// they are not those of the row, or cannot be read.
func openTops(ref *store.BlockRef, data []byte) (p *tops.Places, blocks []byte, ok bool) {
	if len(data) != ref.Bytes || store.Checksum(data) != ref.Checksum || ref.Version != tops.Version {
		return nil, nil, false
	}
	return tops.Open(data)
}

// SoundTops returns the markets, of those given, whose tops are there and were made
// of what they are now, as far as can be told without their captures.
func SoundTops(ctx context.Context, r store.Reader, rows []*store.MarketRow) (map[store.ID]bool, error) {
	want := map[store.ID]int64{}
	var ids []store.ID
	for _, row := range rows {
		ids = append(ids, row.ID)
		want[row.ID] = TopsSequence(row.Basis)
	}
	refs, err := r.Tops(ctx, ids)
	if err != nil {
		return nil, err
	}
	out, dec := map[store.ID]bool{}, new(block.Decoder)
	err = r.ReadBlocks(ctx, refs, func(i int, data []byte) error {
		ref := &refs[i]
		if _, blocks, ok := openTops(ref, data); ok && want[ref.Token] == ref.Sequence {
			first, last, err := tops.Bounds(blocks, dec)
			out[ref.Token] = err == nil && ref.First == first && ref.Last == last
		}
		return nil
	})
	if errors.Is(err, store.ErrDamaged) {
		return out, nil
	}
	return out, err
}

// CheckTops reports whether the tops of a market are kept as its captures give
// them, which is want, as of DeriveTops: what is wrong, or missing, of them otherwise;
// nil: nothing.
func CheckTops(ctx context.Context, r store.Reader, row *store.MarketRow, want *store.Block) error {
	if want == nil {
		return nil
	}
	refs, err := r.Tops(ctx, []store.ID{row.ID})
	if err != nil {
		return err
	}
	if len(refs) == 0 {
		return ErrNoTops
	}
	if len(refs) > 1 || refs[0] != want.BlockRef {
		return fmt.Errorf("tops differ from what its captures give: %w", store.ErrDamaged)
	}
	return r.ReadBlocks(ctx, refs, func(_ int, data []byte) error {
		if !bytes.Equal(data, want.Data) {
			return fmt.Errorf("tops differ from what its captures give: %w", store.ErrDamaged)
		}
		return nil
	})
}

// ErrNoTops means that tops could be kept of a round, and are not.
var ErrNoTops = errors.New("no tops are kept of the round")
