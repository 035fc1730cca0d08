package scan

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// The prefetcher has one policy: what markets that will be asked for in roughly some order
// need first is read for a group of them in one question, and everything else when it is
// asked for. First come, where tops are asked for, these, and of rounds whose tops do not
// say where their ladders are the places of all blocks; else the places of all blocks, and,
// of markets of a few small ones, the blocks. What has been read is held up to budget bytes.
const (
	// groupMarkets is how many markets a group has. More make the questions rarer, and
	// older when the last one is read.
	groupMarkets = 32
	// togetherBytes is up to how many bytes of blocks are read together.
	togetherBytes = 256 << 10
	// budget is how many bytes are held of plans, blocks and tops, about: what is beyond
	// is thrown away once it has been used, and read again where it is asked for again.
	budget = 36 << 20
)

// Planned returns a function like Captures for markets that will be read in
// roughly this order, through these pointers and once each. It locates the
// blocks of several upcoming markets in one query, which saves most round trips
// to a server. A market read again, or not among them, is read on its own. The
// captures of a market are those of some moment between the first call for a
// neighbour in the order and the call for the market itself.
//
// Rows that listed has of the markets, which may be nil, are read again only when the
// archive has been written to since. The function is safe for concurrent use, each sequence
// for one reader.
func Planned(s store.Store, markets []*market.Market, listed *Listed) func(context.Context, *market.Market) iter.Seq2[*market.Capture, error] {
	h := newPrefetcher(s, markets, listed)
	return func(ctx context.Context, m *market.Market) iter.Seq2[*market.Capture, error] {
		return func(yield func(*market.Capture, error) bool) {
			if err := h.captures(ctx, m, yield); err != nil {
				yield(nil, fmt.Errorf("captures of %s: %w", m.VenueID, err))
			}
		}
	}
}

// Listed are rows of markets as of a write.
type Listed struct {
	Write int64 // of the store's Moment
	Rows  map[*market.Market]*store.MarketRow
}

// of returns the rows of markets; nil unless all are there.
func (l *Listed) of(markets []*market.Market) []store.MarketRow {
	if l == nil {
		return nil
	}
	out := make([]store.MarketRow, len(markets))
	for i, m := range markets {
		row := l.Rows[m]
		if row == nil {
			return nil
		}
		out[i] = *row
	}
	return out
}

// prefetcher knows which markets will be read.
type prefetcher struct {
	store  store.Store
	listed *Listed // nil: none
	of     map[*market.Market]*planned
	tops   bool         // tops are asked for, and markets again and again
	held   atomic.Int64 // bytes of what has been read
}

// hold reports whether there is room for so many bytes more, which are then held.
func (h *prefetcher) hold(bytes int64) bool {
	if h.held.Add(bytes) <= budget {
		return true
	}
	h.held.Add(-bytes)
	return false
}

func newPrefetcher(s store.Store, markets []*market.Market, listed *Listed) *prefetcher {
	h := &prefetcher{store: s, listed: listed, of: make(map[*market.Market]*planned, len(markets))}
	var last *planned
	for some := range slices.Chunk(markets, groupMarkets) {
		p := &planned{markets: some}
		for _, m := range some {
			h.of[m] = p
		}
		if last != nil {
			last.next = p
		}
		last = p
	}
	return h
}

// planned is a group of markets whose plans are read together.
type planned struct {
	markets []*market.Market
	next    *planned // the group that is read behind it; nil: none
	mu      sync.Mutex
	asked   bool
	plans   map[store.ID]*plan // nil: it has been taken
	taken   int                // how many times plans were taken in this pass
	keep    bool               // plans are not taken away
}

// preloaded has the blocks of a market in memory.
type preloaded struct {
	store.BlockReader
	blocks map[blockKey][]byte
	bytes  int64
}

type blockKey struct {
	token    store.ID
	stream   block.Stream
	first    market.Instant
	sequence int64
}

func keyOf(r *store.BlockRef) blockKey { return blockKey{r.Token, r.Stream, r.First, r.Sequence} }

// ReadBlocks implements BlockReader.
func (n preloaded) ReadBlocks(ctx context.Context, refs []store.BlockRef, each func(i int, data []byte) error) error {
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

func (h *prefetcher) captures(ctx context.Context, m *market.Market, yield func(*market.Capture, error) bool) error {
	p := h.planFor(ctx, m)
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

// planFor returns the plan of m; nil when there is none. With tops it may be asked for
// again and again, without them once.
func (h *prefetcher) planFor(ctx context.Context, m *market.Market) *plan {
	g := h.of[m]
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	id := store.MarketID(m.Venue, m.VenueID)
	p, known := g.plans[id]
	if g.taken++; g.taken == 1 && g.next != nil && h.tops {
		// While the captures of this group are read, the plans of the next are.
		go g.next.prepare(ctx, h)
	}
	if g.taken >= len(g.markets) {
		g.taken = 0
	}
	if !g.asked || known && p == nil && h.tops {
		if g.load(ctx, h) != nil {
			return nil // the market by itself fails better
		}
		p = g.plans[id]
	}
	if p != nil && !g.keep {
		g.takePlan(ctx, h, p)
	}
	return p
}

// takePlan takes a plan that is not kept out of its group, with blocks of the market where no
// tops were asked for.
func (g *planned) takePlan(ctx context.Context, h *prefetcher, p *plan) {
	if p.near == nil && !h.tops {
		g.fetch(ctx, h, p.row.ID)
	}
	if g.plans[p.row.ID] = nil; p.near != nil {
		h.held.Add(-p.near.bytes)
	}
}

// prepare reads the plans of a group if those that it has, if any, have all been
// taken away.
func (g *planned) prepare(ctx context.Context, h *prefetcher) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, p := range g.plans {
		if p != nil {
			return
		}
	}
	if len(g.plans) == 0 && g.asked {
		return
	}
	_ = g.load(ctx, h) // whoever asks for a market tries again, and is told
}

// load reads the plans of a group.
func (g *planned) load(ctx context.Context, h *prefetcher) error {
	plans, err := h.plansOf(ctx, g.markets)
	if err != nil {
		return err
	}
	g.plans, g.asked = plans, true
	h.settle(g)
	return nil
}

// settle decides whether the plans of a group are kept: while there is room.
func (h *prefetcher) settle(g *planned) {
	if !h.tops {
		return
	}
	size := int64(0)
	for _, p := range g.plans {
		size += p.size()
	}
	if g.keep = h.hold(size); !g.keep {
		return
	}
	for _, p := range g.plans {
		p.kept = true
	}
}

// size returns about how many bytes a plan takes.
func (p *plan) size() int64 {
	const row, ref = 2048, 192
	size := int64(row + len(p.topsData))
	for i := range p.parts {
		size += ref * p.parts[i].Blocks
		if p.parts[i].Stream == block.Trades {
			size += tapeBytes * p.parts[i].Captures
		}
	}
	return size
}

// locate reads the places of the blocks of a plan that was made without.
func (h *prefetcher) locate(ctx context.Context, p *plan) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.unread {
		return nil
	}
	err := h.store.View(ctx, func(r store.Reader) error {
		owners := p.row.Owners
		if p.parts != nil {
			owners = nil
		}
		at, err := r.Places(ctx, owners, slices.Sorted(maps.Keys(p.index)), nil)
		if err != nil {
			return err
		}
		if p.parts == nil {
			p.parts = at.Parts
		}
		if err := store.CheckParts(&p.row, p.index, p.parts); err != nil {
			return err
		}
		p.refs, err = store.BlocksIn(&p.row, p.index, p.parts, at.Refs)
		return err
	})
	if errors.Is(err, store.ErrDamaged) { // or changed since
		now, again := planAs(ctx, h.store, &p.row)
		if again == nil {
			p.refs, err = now.refs, nil
		} else if errors.Is(again, store.ErrChanged) {
			err = store.ErrChanged
		}
	}
	p.unread = err != nil
	return err
}

// fetch reads the blocks of the market, when they are few, with those of the
// next ones.
func (g *planned) fetch(ctx context.Context, h *prefetcher, id store.ID) {
	var refs []store.BlockRef
	var of []*preloaded // a ref each
	bytes := int64(0)
	found := map[*plan]*preloaded{}
	for _, m := range g.markets[slices.IndexFunc(g.markets, func(m *market.Market) bool { return store.MarketID(m.Venue, m.VenueID) == id }):] {
		p := g.plans[store.MarketID(m.Venue, m.VenueID)]
		if p == nil || p.near != nil {
			continue
		}
		size := int64(0)
		for i := range p.refs {
			size += int64(p.refs[i].Bytes)
		}
		if bytes+size > togetherBytes || !h.hold(size) {
			break
		}
		bytes += size
		n := &preloaded{h.store, make(map[blockKey][]byte, len(p.refs)), size}
		found[p] = n
		for i := range p.refs {
			refs, of = append(refs, p.refs[i]), append(of, n)
		}
	}
	if len(refs) == 0 {
		return
	}
	err := h.store.ReadBlocks(ctx, refs, func(i int, data []byte) error {
		of[i].blocks[keyOf(&refs[i])] = slices.Clone(data)
		return nil
	})
	if err != nil {
		h.held.Add(-bytes)
		return // each market by itself fails better
	}
	for p, n := range found {
		p.near = n
	}
}

// plansOf is planOf for several markets on one snapshot. It leaves out those that
// cannot be read.
func (h *prefetcher) plansOf(ctx context.Context, markets []*market.Market) (out map[store.ID]*plan, err error) {
	if rows := h.listed.of(markets); rows != nil {
		out, err := plansOf(ctx, h.store, markets, rows, h.tops)
		now, changed := h.store.Moment(ctx)
		if changed == nil && now.Write == h.listed.Write {
			return out, err
		}
	}
	return plansOf(ctx, h.store, markets, nil, h.tops)
}

// plansOf is the same with the rows of the markets; nil: they are read.
func plansOf(ctx context.Context, s store.Store, markets []*market.Market, rows []store.MarketRow, tops bool) (map[store.ID]*plan, error) {
	ids := make([]store.ID, len(markets))
	for i, m := range markets {
		ids[i] = store.MarketID(m.Venue, m.VenueID)
	}
	out := make(map[store.ID]*plan, len(ids))
	err := s.View(ctx, func(r store.Reader) (err error) {
		rows := rows
		if rows == nil {
			rows, err = r.Markets(ctx, store.MarketQuery{IDs: ids, Unlisted: true})
		}
		if err == nil && tops {
			rows, err = placedByTops(ctx, r, rows, out)
		}
		if err != nil || len(rows) == 0 {
			return err
		}
		owners, tokens := ownersAndTokens(rows)
		at, err := r.Places(ctx, owners, tokens, nil)
		if err != nil {
			return err
		}
		for i := range rows {
			id := rows[i].ID
			p, err := planIn(&rows[i], at)
			if err != nil {
				delete(out, id)
				continue
			}
			p.shareTops(out[id])
			out[id] = p
		}
		return nil
	})
	return out, err
}

// placedByTops makes plans of the markets whose tops say where their ladders are, and
// returns the rows of the others, whose plans have no more than their tops.
func placedByTops(ctx context.Context, r store.Reader, rows []store.MarketRow, out map[store.ID]*plan) (others []store.MarketRow, err error) {
	at, err := r.Places(ctx, nil, nil, idsOf(rows))
	if err != nil {
		return nil, err
	}
	for i := range rows {
		out[rows[i].ID] = &plan{row: rows[i], index: rows[i].Index(), unread: true}
	}
	addTops(at.Tops, out)
	for i := range rows {
		if out[rows[i].ID].places == nil {
			others = append(others, rows[i])
		}
	}
	return others, nil
}

// idsOf returns the ids of markets, in order.
func idsOf(rows []store.MarketRow) []store.ID {
	out := store.Column(rows, func(v *store.MarketRow) store.ID { return v.ID })
	slices.Sort(out)
	return out
}

// ownersAndTokens returns the owners of the parts of markets and the keys of their
// blocks, in order.
func ownersAndTokens(rows []store.MarketRow) (owners, tokens []store.ID) {
	for i := range rows {
		owners = append(owners, rows[i].Owners...)
		for _, keys := range rows[i].Keys {
			tokens = append(tokens, keys...)
		}
	}
	slices.Sort(owners)
	slices.Sort(tokens)
	return slices.Compact(owners), slices.Compact(tokens)
}

// planIn returns the plan of a market whose places are among others.
func planIn(row *store.MarketRow, at *store.Places) (*plan, error) {
	p := &plan{row: *row, index: row.Index()}
	p.parts = only(at.Parts, func(p *store.Part) bool { return slices.Contains(row.Owners, p.Owner) })
	if err := store.CheckParts(row, p.index, p.parts); err != nil {
		return nil, err
	}
	var err error
	p.refs, err = store.BlocksIn(row, p.index, p.parts, only(at.Refs, func(r *store.BlockRef) bool { _, ok := p.index[r.Token]; return ok }))
	return p, err
}

// addTops gives plans the tops that were made of what their markets are now.
func addTops(tops []store.Block, plans map[store.ID]*plan) {
	for i := range tops {
		b := &tops[i]
		if p := plans[b.Token]; p != nil && b.Sequence == TopsSequence(p.row.Basis) {
			ref := b.BlockRef                                     // a pointer into tops would hold the others
			if places, blocks, ok := openTops(&ref, b.Data); ok { // else the captures say what they would
				p.tops, p.topsData, p.places = &ref, blocks, places
			}
		}
	}
}

// shareTops gives p what another plan of the same market has of its tops; nil: nothing.
func (p *plan) shareTops(of *plan) {
	if of != nil {
		p.tops, p.topsData, p.places = of.tops, of.topsData, of.places
	}
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
