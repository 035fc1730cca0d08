package history

import (
	"context"

	"github.com/maypok86/otter/v2"

	"github.com/ladderback/ladderback/archive/scan"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// Reader reads prices from a store and caches them, keyed by the immutable data
// they were computed from. It is safe for concurrent use.
type Reader struct {
	store store.Store
	kept  *otter.Cache[midsKey, *Mids] // nil: nothing is kept
}

// NewReader returns a Reader that caches up to about that many bytes; zero: no
// cache. The caller keeps ownership of the store.
func NewReader(s store.Store, bytes int) *Reader {
	r := &Reader{store: s}
	if bytes > 0 {
		r.kept = otter.Must(&otter.Options[midsKey, *Mids]{
			MaximumWeight: uint64(bytes),
			Weigher:       func(_ midsKey, m *Mids) uint32 { return uint32(m.Bytes() + 64) },
			Executor:      func(f func()) { f() }, // no goroutine outlives a call
		})
	}
	return r
}

// midsKey names the prices of a chunk of a market's captures.
type midsKey struct {
	id       store.ID
	content  [32]byte
	mirrored bool
	from     market.Instant
}

const (
	// maxChunks is up to how many chunks prices are kept for at a time.
	maxChunks = 32
	// maxBooks is up to how many tokens a market has whose prices are kept: a
	// chunk holds all of them, whichever is asked for.
	maxBooks = 200
)

// Prices is the function Prices over the captures of the row's market in the
// store. until is roughly how far emit will let it get, at most q.Window.End.
// It sets q.Exact itself.
func (r *Reader) Prices(ctx context.Context, row *store.MarketRow, q Request, until market.Instant, emit func(t market.Instant, p []int64) bool) error {
	first := max(q.Window.First(), q.Known.From)
	if r.kept == nil || until-first > maxChunks*Chunk || len(row.Market.Tokens) > maxBooks {
		q.Exact = first
		return Prices(q, scan.From(ctx, r.store, row, first, min(q.Window.Stop(), q.Known.To), scan.ForPrices), emit)
	}
	chunk := func(from market.Instant) (*Mids, error) {
		return r.mids(ctx, row, from, min(until, q.Known.To))
	}
	return PricesOf(q, chunk, emit)
}

// mids returns the chunk that begins at from. When it is not kept, those that
// follow are read with it as far as they begin before until or take no further
// block to be decoded.
func (r *Reader) mids(ctx context.Context, row *store.MarketRow, from, until market.Instant) (*Mids, error) {
	key := func(from market.Instant) midsKey {
		return midsKey{row.ID, row.Stats.Content, row.Market.Mirrored, from}
	}
	if m, ok := r.kept.GetIfPresent(key(from)); ok {
		return m, nil
	}
	end, n := from+Chunk, 1
	bound, err := scan.NextBlock(ctx, r.store, row, max(end, until))
	if err != nil {
		return nil, err
	}
	for ; n < maxChunks; n++ {
		if end >= until && (end+Chunk > bound || end > row.Stats.Last) {
			break
		}
		if _, ok := r.kept.GetIfPresent(key(end)); ok {
			break
		}
		end += Chunk
	}
	made, err := ReadMids(&row.Market, from, n, scan.From(ctx, r.store, row, from, end, scan.ForPrices))
	if err != nil {
		return nil, err
	}
	for i, m := range made {
		r.kept.Set(key(from+market.Instant(i)*Chunk), m)
	}
	return made[0], nil
}
