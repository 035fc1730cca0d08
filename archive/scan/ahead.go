package scan

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

const (
	// aheadMarkets is for how many markets it is asked together where their
	// blocks are. More make the questions rarer, and older when the last one is
	// read.
	aheadMarkets = 32
	// aheadBytes is up to how many bytes of blocks are read together for markets
	// whose blocks are no more than smallMarket.
	aheadBytes, smallMarket = 256 << 10, 64 << 10
)

// Planned returns a function like Captures for markets that will be read in
// roughly this order, through these pointers and once each. It locates the
// blocks of several upcoming markets in one query, which saves most round trips
// to a server. A market read again, or not among them, is read on its own. The
// captures of a market are those of some moment between the first call for a
// neighbour in the order and the call for the market itself.
func Planned(s store.Store, markets []*market.Market) func(context.Context, *market.Market) iter.Seq2[*market.Capture, error] {
	h := newAhead(s, markets)
	return func(ctx context.Context, m *market.Market) iter.Seq2[*market.Capture, error] {
		return func(yield func(*market.Capture, error) bool) {
			if err := h.captures(ctx, m, yield); err != nil {
				yield(nil, fmt.Errorf("captures of %s: %w", m.VenueID, err))
			}
		}
	}
}

// ahead knows which markets will be read.
type ahead struct {
	store store.Store
	of    map[*market.Market]*planned
	tops  bool // tops are read with the plans, and no blocks ahead
}

func newAhead(s store.Store, markets []*market.Market) *ahead {
	h := &ahead{store: s, of: make(map[*market.Market]*planned, len(markets))}
	for some := range slices.Chunk(markets, aheadMarkets) {
		p := &planned{markets: some}
		for _, m := range some {
			h.of[m] = p
		}
	}
	return h
}

// planned is a group of markets whose plans are read together.
type planned struct {
	markets []*market.Market
	mu      sync.Mutex
	asked   bool
	plans   map[store.ID]*plan // of those not read yet
}

// near has the blocks of a market in memory.
type near struct {
	store.BlockReader
	blocks map[blockKey][]byte
}

type blockKey struct {
	token    store.ID
	stream   block.Stream
	first    market.Instant
	sequence int64
}

func keyOf(r *store.BlockRef) blockKey { return blockKey{r.Token, r.Stream, r.First, r.Sequence} }

// ReadBlocks implements BlockReader.
func (n near) ReadBlocks(ctx context.Context, refs []store.BlockRef, each func(i int, data []byte) error) error {
	for i := range refs {
		if _, ok := n.blocks[keyOf(&refs[i])]; !ok {
			return n.BlockReader.ReadBlocks(ctx, refs, each)
		}
	}
	for i := range refs {
		if err := each(i, n.blocks[keyOf(&refs[i])]); err != nil {
			return err
		}
	}
	return nil
}

func (h *ahead) captures(ctx context.Context, m *market.Market, yield func(*market.Capture, error) bool) error {
	p := h.take(ctx, m)
	if p == nil {
		return captures(ctx, h.store, m, yield)
	}
	some := false
	err := p.follow(ctx, h.store, m, func(c *market.Capture, err error) bool {
		some = true
		return yield(c, err)
	})
	if !some && errors.Is(err, store.ErrChanged) { // since the plan was made
		return captures(ctx, h.store, m, yield)
	}
	return err
}

// take returns the plan of m, once; nil when there is none.
func (h *ahead) take(ctx context.Context, m *market.Market) *plan {
	g := h.of[m]
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.asked {
		plans, err := plansOf(ctx, h.store, g.markets, h.tops)
		if err != nil {
			return nil // the market by itself fails better
		}
		g.plans, g.asked = plans, true
	}
	id := store.MarketID(m.Venue, m.VenueID)
	p := g.plans[id]
	if p != nil && p.near == nil && !h.tops {
		g.fetch(ctx, h.store, id)
	}
	delete(g.plans, id)
	return p
}

// fetch reads the blocks of the market, when they are few, with those of the
// next ones.
func (g *planned) fetch(ctx context.Context, blocks store.BlockReader, id store.ID) {
	var refs []store.BlockRef
	var of []*near // a ref each
	bytes := 0
	found := map[*plan]*near{}
	for _, m := range g.markets[slices.IndexFunc(g.markets, func(m *market.Market) bool { return store.MarketID(m.Venue, m.VenueID) == id }):] {
		p := g.plans[store.MarketID(m.Venue, m.VenueID)]
		if p == nil || p.near != nil {
			continue
		}
		size := 0
		for i := range p.refs {
			size += p.refs[i].Bytes
		}
		if size > smallMarket || bytes+size > aheadBytes {
			break
		}
		bytes += size
		n := &near{blocks, make(map[blockKey][]byte, len(p.refs))}
		found[p] = n
		for i := range p.refs {
			refs, of = append(refs, p.refs[i]), append(of, n)
		}
	}
	if len(refs) == 0 {
		return
	}
	err := blocks.ReadBlocks(ctx, refs, func(i int, data []byte) error {
		of[i].blocks[keyOf(&refs[i])] = slices.Clone(data)
		return nil
	})
	if err != nil {
		return // each market by itself fails better
	}
	for p, n := range found {
		p.near = n
	}
}

// plansOf is planOf for several markets on one snapshot. It leaves out those that
// cannot be read.
func plansOf(ctx context.Context, s store.Store, markets []*market.Market, tops bool) (map[store.ID]*plan, error) {
	ids := make([]store.ID, len(markets))
	for i, m := range markets {
		ids[i] = store.MarketID(m.Venue, m.VenueID)
	}
	out := make(map[store.ID]*plan, len(ids))
	err := s.View(ctx, func(r store.Reader) error {
		rows, err := r.Markets(ctx, store.MarketQuery{IDs: ids, Unlisted: true})
		if err != nil {
			return err
		}
		owners, tokens := map[store.ID]bool{}, map[store.ID]bool{}
		for i := range rows {
			for _, o := range rows[i].Owners {
				owners[o] = true
			}
			for _, keys := range rows[i].Keys {
				for _, k := range keys {
					tokens[k] = true
				}
			}
		}
		parts, err := r.Parts(ctx, slices.Sorted(maps.Keys(owners)))
		if err != nil {
			return err
		}
		refs, err := r.Refs(ctx, slices.Sorted(maps.Keys(tokens)), market.Earliest, market.Latest)
		if err != nil {
			return err
		}
		for i := range rows {
			row := &rows[i]
			index := row.Index()
			p := &plan{row: *row, index: index}
			p.refs, err = store.Visible(row, index,
				only(parts, func(p *store.Part) bool { return slices.Contains(row.Owners, p.Owner) }),
				only(refs, func(r *store.BlockRef) bool { _, ok := index[r.Token]; return ok }))
			if err == nil {
				out[row.ID] = p
			}
		}
		if tops {
			return addTops(ctx, r, out)
		}
		return nil
	})
	return out, err
}

// addTops reads the tops of the markets that have any made of what they are now.
func addTops(ctx context.Context, r store.Reader, plans map[store.ID]*plan) error {
	refs, err := r.Tops(ctx, slices.Sorted(maps.Keys(plans)))
	if err != nil {
		return err
	}
	refs = slices.DeleteFunc(refs, func(b store.BlockRef) bool {
		p := plans[b.Token]
		return p == nil || b.Sequence != TopsSequence(p.row.Basis)
	})
	return r.ReadBlocks(ctx, refs, func(i int, data []byte) error {
		p := plans[refs[i].Token]
		p.tops, p.topsData = &refs[i], slices.Clone(data)
		return nil
	})
}

// only returns the values that pass, in a slice of their own.
func only[T any](all []T, pass func(*T) bool) []T {
	var out []T
	for i := range all {
		if pass(&all[i]) {
			out = append(out, all[i])
		}
	}
	return out
}
