package scan

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/archive/tops"
	"github.com/ladderback/ladderback/market"
)

// PlannedTops returns a function that gives the tops of markets that will be asked
// for in roughly this order, through these pointers; nil where an archive has none, or
// none that fit its captures. Tops of several upcoming markets are read together.
// Markets may be asked for in that order again: what has been found of them by then is
// kept within the budget, and what was found at first holds.
//
// listed is as for Planned.
func PlannedTops(s store.Store, markets []*market.Market, listed *Listed) func(context.Context, *market.Market) (*market.Tops, error) {
	h := newPrefetcher(s, markets, listed)
	h.tops = true
	return func(ctx context.Context, m *market.Market) (*market.Tops, error) {
		p := h.planFor(ctx, m)
		if p == nil || p.tops == nil || p.tops.Bytes == 0 {
			return nil, ctx.Err()
		}
		k := &p.row.Market
		if k.Start != m.Start || k.End != m.End || !m.Mirrored || len(m.Tokens) != len(k.Tokens) || !p.hasTops() {
			return nil, nil
		}
		r := &topsRead{h: h, p: p}
		out := &market.Tops{Read: r.read, Close: r.close, Cuts: p.cuts, From: h.from(p)}
		if p.places != nil {
			out.Ladders = h.laddersFrom(p)
		}
		return out, nil
	}
}

// topsRead reads the tops of a plan: those that are kept with it, or, where they are not
// enough, all again from the first.
type topsRead struct {
	h      *prefetcher
	p      *plan
	reader *tops.Reader // nil: nothing has been decoded
	space  *arena
	last   keptTops // what reader gave last
}

// keptTops are the tops of a market from the first on; all: there are no more.
type keptTops struct {
	tops []market.Top
	all  bool
}

// read is market.Tops.Read.
func (r *topsRead) read(about int) ([]market.Top, bool, error) {
	if r.reader == nil {
		if k := r.p.keptTops(); k.all || len(k.tops) >= about {
			return k.tops, !k.all, nil
		}
		r.space = spaces.Get().(*arena)
		r.reader = tops.NewReader(r.p.topsData, &r.space.dec, r.space.reserve(r.p.tops.Captures))
	}
	out, more, err := r.reader.Read(about)
	if err != nil {
		return nil, false, damaged(r.p.tops, err)
	}
	r.last = keptTops{out, !more}
	return out, more, nil
}

// close is market.Tops.Close.
func (r *topsRead) close() {
	if r.reader == nil {
		return
	}
	r.keep()
	spaces.Put(r.space)
}

// keep keeps what has been read of the tops of a plan with it, while there is room.
func (r *topsRead) keep() {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	const top = 16
	n := len(r.last.tops)
	size := int64(top * n)
	if !r.p.kept || n <= len(r.p.keeps.tops) || n > r.space.taken {
		return
	}
	if !r.h.hold(size) {
		return
	}
	r.space.keep(n)
	r.p.keeps = keptTops{slices.Clip(r.last.tops), r.last.all}
}

// keptTops returns what is kept of the tops of a plan.
func (p *plan) keptTops() keptTops {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.keeps
}

// arena is where tops are read to. Those that are kept stay where they are, and the next
// stand behind them. Its decoder makes no tables for ladders.
type arena struct {
	dec   block.Decoder
	free  []market.Top
	taken int // how many tops what reserve returned last has space for
}

var spaces = sync.Pool{New: func() any { return new(arena) }}

// spaceTops is how many tops a space holds: a megabyte.
const spaceTops = 1 << 16

// reserve returns space for so many tops, or for spaceTops: more have to find their own.
func (s *arena) reserve(n int) []market.Top {
	if s.taken = min(max(n, 0), spaceTops); cap(s.free) < s.taken {
		s.free = make([]market.Top, 0, spaceTops)
	}
	return s.free[:0:s.taken]
}

// keep leaves alone the first n tops of what reserve returned.
func (s *arena) keep(n int) { s.free = s.free[n:n:cap(s.free)] }

// from returns what yields captures as of market.Tops.From.
func (h *prefetcher) from(p *plan) func(context.Context, market.Instant) iter.Seq2[*market.Capture, error] {
	return func(ctx context.Context, at market.Instant) iter.Seq2[*market.Capture, error] {
		return func(yield func(*market.Capture, error) bool) {
			err := h.locate(ctx, p)
			if err == nil {
				err = p.from(ctx, h.store, at, market.Latest, ForReplay, yield)
			}
			if err != nil {
				yield(nil, fmt.Errorf("captures of %s: %w", p.row.Market.VenueID, err))
			}
		}
	}
}

// laddersFrom returns what yields captures as of market.Tops.Ladders.
func (h *prefetcher) laddersFrom(p *plan) func(context.Context, market.Instant) iter.Seq2[*market.Capture, error] {
	return func(ctx context.Context, at market.Instant) iter.Seq2[*market.Capture, error] {
		return func(yield func(*market.Capture, error) bool) { h.ladders(ctx, p, at, yield) }
	}
}

// cuts returns where blocks of ladders begin.
func (p *plan) cuts() []market.Instant {
	if p.places != nil {
		return p.places.Cuts()
	}
	var out []market.Instant
	for i := range p.refs {
		if p.refs[i].Stream == block.Books {
			out = append(out, p.refs[i].First)
		}
	}
	slices.Sort(out)
	return out
}
