package scan

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// places says where the ladders of a round are that has them in one lane of its one
// source, which nearly all have: in front of its tops, so that an order finds its block
// without a look at the rows of the others. Lengths and checksums are those of the rows.
type places struct {
	source store.SourceID
	token  store.ID
	lane   int64
	blocks []place // in order, numbered from 0 in their lane
}

type place struct {
	first    market.Instant
	bytes    int
	checksum uint32
}

// placesOf returns the places of the ladders among the blocks of a market; nil: they are
// in several lanes, or the market has several sources.
func placesOf(refs []store.BlockRef) *places {
	var out *places
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
			out = &places{source: r.Source, token: r.Token, lane: r.Position >> 32}
		}
		n := len(out.blocks)
		if r.Token != out.token || r.Position != out.position(n) || r.Sequence != store.Sequence(r.Source, r.Token, r.Stream, r.Position) ||
			n > 0 && r.First < out.blocks[n-1].first {
			return nil
		}
		out.blocks = append(out.blocks, place{r.First, r.Bytes, r.Checksum})
	}
	return out
}

func (p *places) position(n int) int64 { return p.lane<<32 | int64(n) }

// append appends the places, behind their length; nil: a length of 0.
func (p *places) append(dst []byte) []byte {
	if p == nil {
		return append(dst, 0)
	}
	var b []byte
	b = binary.LittleEndian.AppendUint64(b, uint64(p.source))
	b = binary.LittleEndian.AppendUint64(b, uint64(p.token))
	b = binary.AppendUvarint(b, uint64(p.lane))
	before := market.Instant(0)
	for _, x := range p.blocks {
		b = binary.AppendUvarint(b, uint64(x.first-before))
		b = binary.AppendUvarint(b, uint64(x.bytes))
		b = binary.LittleEndian.AppendUint32(b, x.checksum)
		before = x.first
	}
	dst = binary.AppendUvarint(dst, uint64(len(b)))
	return append(dst, b...)
}

// readPlaces reads what append has written from the start of data, and returns what
// follows it; nil: there are none. ok is false where it was not written so.
func readPlaces(data []byte) (p *places, rest []byte, ok bool) {
	n, size := binary.Uvarint(data)
	if size <= 0 || n > uint64(len(data)-size) {
		return nil, nil, false
	}
	b, rest := data[size:size+int(n)], data[size+int(n):]
	if n == 0 {
		return nil, rest, true
	}
	if len(b) < 16 {
		return nil, nil, false
	}
	p = &places{source: store.SourceID(binary.LittleEndian.Uint64(b)), token: store.ID(binary.LittleEndian.Uint64(b[8:]))}
	b = b[16:]
	next := func() (v uint64) {
		v, size := binary.Uvarint(b)
		if size <= 0 {
			ok, b = false, nil
			return 0
		}
		b = b[size:]
		return v
	}
	ok = true
	p.lane = int64(next())
	at := market.Instant(0)
	p.blocks = make([]place, 0, len(b)/10)
	for ok && len(b) > 0 {
		at += market.Instant(next())
		x := place{first: at, bytes: int(next())}
		if len(b) < 4 {
			return nil, nil, false
		}
		x.checksum, b = binary.LittleEndian.Uint32(b), b[4:]
		p.blocks = append(p.blocks, x)
	}
	return p, rest, ok && len(p.blocks) > 0
}

// laneFrom returns the lane of the ladders from the block on in which an instant lies,
// and the number of that block.
func (p *places) laneFrom(at market.Instant, token int) (l *lane, number int) {
	n, _ := slices.BinarySearchFunc(p.blocks, at, func(x place, at market.Instant) int { return cmp.Compare(x.first, at) })
	n = max(0, n-1)
	refs := make([]store.BlockRef, len(p.blocks)-n)
	for i := range refs {
		x, position := &p.blocks[n+i], p.position(n+i)
		refs[i] = store.BlockRef{
			Token: p.token, Stream: block.Books, First: x.first, Sequence: store.Sequence(p.source, p.token, block.Books, position),
			Source: p.source, Position: position, Bytes: x.bytes, Checksum: x.checksum,
		}
	}
	return &lane{source: p.source, stream: block.Books, number: p.lane, key: p.token, token: token, refs: refs, at: refs[0].First, skip: at, batch: 1, placed: true}, n
}

// errNotPlaced says that the places of the ladders do not lead to the one asked for.
var errNotPlaced = errors.New("the ladder is not where the tops say")

// ladders yields captures as of market.Glance.Ladders. Where the places lead nowhere, the
// rows of all blocks tell what there is, or what is wrong.
func (h *ahead) ladders(ctx context.Context, p *plan, at market.Instant, yield func(*market.Capture, error) bool) {
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
		err = p.around(ctx, h.store, at, yield)
	}
	if err != nil {
		yield(nil, fmt.Errorf("captures of %s: %w", p.row.Market.VenueID, err))
	}
}

// ladders yields the ladders from an instant on.
func (p *plan) ladders(ctx context.Context, blocks store.BlockReader, at market.Instant, yield func(*market.Capture) bool) error {
	token, ok := p.index[p.places.token]
	if !ok {
		return errNotPlaced
	}
	l, number := p.places.laneFrom(at, token)
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

// cuts returns where blocks of ladders begin.
func (p *places) cuts() []market.Instant {
	out := make([]market.Instant, len(p.blocks))
	for i := range p.blocks {
		out[i] = p.blocks[i].first
	}
	return out
}
