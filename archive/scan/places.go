package scan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/archive/tops"
	"github.com/ladderback/ladderback/market"
)

// placesOf returns the places of the ladders among the blocks of a market; nil: they are
// in several lanes, or the market has several sources.
func placesOf(refs []store.BlockRef) *tops.Places {
	var out *tops.Places
	refs = slices.Clone(refs)
	slices.SortFunc(refs, func(a, b store.BlockRef) int { return cmp.Compare(a.Position, b.Position) })
	for i := range refs {
		r := &refs[i]
		if r.Source != refs[0].Source {
			return nil
		}
		if r.Stream != block.Books {
			continue
		}
		if out == nil {
			out = &tops.Places{Source: uint64(r.Source), Token: uint64(r.Token), Lane: r.Position >> 32}
		}
		n := len(out.Blocks)
		if r.Token != store.ID(out.Token) || r.Position != position(out, n) || r.Sequence != store.Sequence(r.Source, r.Token, r.Stream, r.Position) ||
			n > 0 && r.First < out.Blocks[n-1].First {
			return nil
		}
		out.Blocks = append(out.Blocks, tops.Place{First: r.First, Bytes: r.Bytes, Checksum: r.Checksum})
	}
	return out
}

// position returns the position of a block of the ladders in its lane.
func position(p *tops.Places, n int) int64 { return p.Lane<<32 | int64(n) }

// laneFrom returns the lane of the ladders from the block on in which an instant lies,
// and the number of that block.
func laneFrom(p *tops.Places, at market.Instant, index int) (l *lane, number int) {
	n, _ := slices.BinarySearchFunc(p.Blocks, at, func(x tops.Place, at market.Instant) int { return cmp.Compare(x.First, at) })
	n = max(0, n-1)
	source, token := store.SourceID(p.Source), store.ID(p.Token)
	refs := make([]store.BlockRef, len(p.Blocks)-n)
	for i := range refs {
		x, place := &p.Blocks[n+i], position(p, n+i)
		refs[i] = store.BlockRef{
			Token: token, Stream: block.Books, First: x.First, Sequence: store.Sequence(source, token, block.Books, place),
			Source: source, Position: place, Bytes: x.Bytes, Checksum: x.Checksum,
		}
	}
	return &lane{source: source, stream: block.Books, number: p.Lane, key: token, token: index, refs: refs, at: refs[0].First, skip: at, batch: 1, placed: true}, n
}

// errNotPlaced says that the places of the ladders do not lead to the one asked for.
var errNotPlaced = errors.New("the ladder is not where the tops say")

// ladders yields captures as of market.Tops.Ladders. Where the places lead nowhere, the
// rows of all blocks tell what there is, or what is wrong.
func (h *prefetcher) ladders(ctx context.Context, p *plan, at market.Instant, yield func(*market.Capture, error) bool) {
	some := false
	err := p.ladders(ctx, h.store, at, func(c *market.Capture) bool {
		some = true
		return yield(c, nil)
	})
	if err == nil {
		return
	}
	again := h.locate(ctx, p)
	switch {
	case again != nil:
		err = again
	case some:
		err = p.blame(ctx, h.store, err)
	default:
		err = p.from(ctx, h.store, at, market.Latest, ForReplay, yield)
	}
	if err != nil {
		yield(nil, fmt.Errorf("captures of %s: %w", p.row.Market.VenueID, err))
	}
}

// ladders yields the ladders from an instant on.
func (p *plan) ladders(ctx context.Context, blocks store.BlockReader, at market.Instant, yield func(*market.Capture) bool) error {
	token, ok := p.index[store.ID(p.places.Token)]
	if !ok {
		return errNotPlaced
	}
	l, number := laneFrom(p.places, at, token)
	defer release([]*lane{l})
	if err := l.fetch(ctx, blocks); err != nil {
		return err
	}
	ref := &l.refs[0]
	if err := l.openNext(ref); err != nil {
		return err
	}
	if ref.Anchor == 0 && number > 0 {
		return errNotPlaced // nothing but changes before it
	}
	l.from, l.keyframe = 1, ref.Keyframe
	if !l.begins(ref) {
		if err := l.advance(ctx, blocks); err != nil {
			return err
		}
	}
	for l.head != nil && yield(l.head) {
		if err := l.advance(ctx, blocks); err != nil {
			return err
		}
	}
	return ctx.Err()
}
