package scan

import (
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

// topsBlock lays out tops; nil: none belong to the market.
func topsBlock(row *store.MarketRow, t *RoundTops) (*store.Block, error) {
	if t == nil {
		return nil, nil
	}
	data, captures, err := tops.Encode(t.places, t.all)
	if err != nil {
		return nil, err
	}
	return &store.Block{Data: data, BlockRef: t.ref(row, captures, len(data), store.Checksum(data))}, nil
}

// ref is the row of the tops of a market, where they are laid out as so many captures and
// in such bytes.
func (t *RoundTops) ref(row *store.MarketRow, captures, bytes int, checksum uint32) store.BlockRef {
	ref := store.BlockRef{
		Token: row.ID, Stream: block.Tops, Sequence: TopsSequence(row.Basis), Version: tops.Version,
		Captures: captures, Bytes: bytes, Checksum: checksum,
	}
	if n := len(t.all); n > 0 {
		ref.First, ref.Last = t.all[0].At, t.all[n-1].At
	}
	return ref
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

// CheckTops reports whether the tops of a market are kept as its captures give them,
// which is want, as of Derive: what is wrong, or missing, of them otherwise; nil: nothing.
// They are read and compared, which takes a tenth of laying them out.
func CheckTops(ctx context.Context, r store.Reader, row *store.MarketRow, want *RoundTops) error {
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
	ref := &refs[0]
	if len(refs) > 1 || *ref != want.ref(row, ref.Captures, ref.Bytes, ref.Checksum) {
		return errTops
	}
	return r.ReadBlocks(ctx, refs, func(_ int, data []byte) error {
		dec := decoders.Get().(*block.Decoder)
		defer giveDecoder(dec)
		if len(data) != ref.Bytes || store.Checksum(data) != ref.Checksum || !tops.Same(data, ref.Captures, want.places, want.all, dec) {
			return errTops
		}
		return nil
	})
}

// ErrNoTops means that tops could be kept of a round, and are not.
var ErrNoTops = errors.New("no tops are kept of the round")

var errTops = fmt.Errorf("tops differ from what its captures give: %w", store.ErrDamaged)
