package history

import (
	"context"

	"github.com/ladderback/ladderback/archive/scan"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// prices reads prices out of a store, and keeps them by what they were made from,
// which stays.
type Reader struct {
	store store.Store
	kept  *store.Recent[midsKey, *Mids] // nil: nothing is kept
}

// newPrices returns prices that keep up to about that many bytes.
func NewReader(s store.Store, bytes int) *Reader {
	p := &Reader{store: s}
	if bytes > 0 {
		p.kept = store.NewRecent[midsKey, *Mids](bytes)
	}
	return p
}

// midsKey names the prices of a chunk of a market's captures.
type midsKey struct {
	id       store.ID
	content  [32]byte
	mirrored bool
	from     market.Instant
}

const (
	// mostChunks is up to how many chunks prices are kept for at a time.
	mostChunks = 32
	// mostBooks is up to how many tokens a market has whose prices are kept: a
	// chunk holds all of them, whichever is asked for.
	mostBooks = 200
)

// Prices is Prices over the captures of a market of the store, of which
// the row is given. until is about how far emit will let it get; q.Window.End at most.
// It cares for q.Exact itself.
func (a *Reader) Prices(ctx context.Context, row *store.MarketRow, q Request, until market.Instant, emit func(t market.Instant, p []int64) bool) error {
	first := max(q.Window.First(), q.Known.From)
	if a.kept == nil || until-first > mostChunks*Chunk || len(row.Market.Tokens) > mostBooks {
		q.Exact = first
		return Prices(q, scan.From(ctx, a.store, row, first, min(q.Window.Stop(), q.Known.To), scan.ForPrices), emit)
	}
	chunk := func(from market.Instant) (*Mids, error) {
		return a.mids(ctx, row, from, min(until, q.Known.To))
	}
	return PricesOf(q, chunk, emit)
}

// mids returns the chunk that begins at from. When it is not kept, those that
// follow are read with it as far as they begin before until or take no further
// block to be decoded.
func (a *Reader) mids(ctx context.Context, row *store.MarketRow, from, until market.Instant) (*Mids, error) {
	key := func(from market.Instant) midsKey {
		return midsKey{row.ID, row.Stats.Content, row.Market.Mirrored, from}
	}
	if m, ok := a.kept.Get(key(from)); ok {
		return m, nil
	}
	end, n := from+Chunk, 1
	bound, err := scan.NextBlock(ctx, a.store, row, max(end, until))
	if err != nil {
		return nil, err
	}
	for ; n < mostChunks; n++ {
		if end >= until && (end+Chunk > bound || end > row.Stats.Last) {
			break
		}
		if _, ok := a.kept.Get(key(end)); ok {
			break
		}
		end += Chunk
	}
	made, err := ReadMids(&row.Market, from, n, scan.From(ctx, a.store, row, from, end, scan.ForPrices))
	if err != nil {
		return nil, err
	}
	for i, m := range made {
		a.kept.Put(key(from+market.Instant(i)*Chunk), m, m.Bytes()+64)
	}
	return made[0], nil
}
