package history

import (
	"context"

	"github.com/maypok86/otter/v2"

	"github.com/ladderback/ladderback/archive/scan"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// Reader reads prices and books from a store and caches them, keyed by the immutable data
// they were computed from. It is safe for concurrent use.
type Reader struct {
	store store.Store
	kept  *otter.Cache[spanKey, span] // nil: nothing is kept
}

// span is what is kept of a span of a market: *Mids, *Depth.
type span interface{ Bytes() int }

// NewReader returns a Reader that caches up to about that many bytes; zero: no
// cache. The caller keeps ownership of the store.
func NewReader(s store.Store, bytes int) *Reader {
	r := &Reader{store: s}
	if bytes > 0 {
		r.kept = otter.Must(&otter.Options[spanKey, span]{
			MaximumWeight: uint64(bytes),
			Weigher:       func(_ spanKey, kept span) uint32 { return uint32(kept.Bytes() + 64) },
			Executor:      func(f func()) { f() }, // no goroutine outlives a call
		})
	}
	return r
}

// spanKey names what is kept of a span of a market's captures.
type spanKey struct {
	points   Points
	id       store.ID
	content  [32]byte
	mirrored bool
	from     market.Instant
}

const (
	// maxSpans is up to how many spans are kept for a page.
	maxSpans = 32
	// maxBooks is up to how many tokens a market has of which anything is kept: a
	// span holds all of them, whichever is asked for.
	maxBooks = 200
)

// Prices is the function Prices over the captures of the row's market in the
// store. until is roughly how far emit will let it get, at most q.Window.End.
// It sets q.Exact itself.
func (r *Reader) Prices(ctx context.Context, row *store.MarketRow, q Request, until market.Instant, emit func(t market.Instant, p []int64) bool) error {
	if !r.keeps(&q, until, Chunk) {
		return Prices(q, r.from(ctx, row, &q, scan.ForPrices), emit)
	}
	return PricesOf(q, func(from market.Instant) (*Mids, error) {
		return spanOf(ctx, r, row, PricePoints, from, min(until, q.Known.To), Chunk, ReadMids)
	}, emit)
}

// Books is the function Books over the captures of the row's market in the store, as
// Prices is.
func (r *Reader) Books(ctx context.Context, row *store.MarketRow, q Request, until market.Instant, emit func(t market.Instant, books []Ladder) bool) error {
	ctx = store.KeepBlocks(ctx)
	if !r.keeps(&q, until, DepthSpan) {
		return Books(q, r.from(ctx, row, &q, scan.ForBooks), emit)
	}
	return BooksOf(q, func(from market.Instant) (*Depth, error) {
		return spanOf(ctx, r, row, BookPoints, from, min(until, q.Known.To), DepthSpan, ReadDepths)
	}, emit)
}

// keeps reports whether what a page is made of is kept, in spans of a length. It sets
// q.Exact.
func (r *Reader) keeps(q *Request, until market.Instant, length market.Span) bool {
	q.Exact = max(q.Window.First(), q.Known.From)
	return r.kept != nil && until-q.Exact <= maxSpans*length && len(q.Market.Tokens) <= maxBooks
}

// from yields the captures of a request.
func (r *Reader) from(ctx context.Context, row *store.MarketRow, q *Request, use scan.Use) Captures {
	return scan.From(ctx, r.store, row, q.Exact, min(q.Window.Stop(), q.Known.To), use)
}

// spanOf returns the span that begins at from. When it is not kept, those that
// follow are read with it as far as they begin before until or take no further
// block to be decoded.
func spanOf[T span](ctx context.Context, r *Reader, row *store.MarketRow, points Points, from, until market.Instant, length market.Span,
	read func(m *market.Market, from market.Instant, n int, captures Captures) ([]T, error),
) (kept T, err error) {
	key := func(from market.Instant) spanKey {
		return spanKey{points, row.ID, row.Stats.Content, row.Market.Mirrored, from}
	}
	if s, ok := r.kept.GetIfPresent(key(from)); ok {
		return s.(T), nil
	}
	end, n := from+length, 1
	bound, err := scan.NextBlock(ctx, r.store, row, max(end, until))
	if err != nil {
		return kept, err
	}
	for ; n < maxSpans; n++ {
		if end >= until && (end+length > bound || end > row.Stats.Last) {
			break
		}
		if _, ok := r.kept.GetIfPresent(key(end)); ok {
			break
		}
		end += length
	}
	use := scan.ForPrices
	if points == BookPoints {
		use = scan.ForBooks
	}
	made, err := read(&row.Market, from, n, scan.From(ctx, r.store, row, from, end, use))
	if err != nil {
		return kept, err
	}
	for i, s := range made {
		r.kept.Set(key(from+market.Instant(i)*length), s)
	}
	return made[0], nil
}
