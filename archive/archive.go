package archive

import (
	"context"
	"fmt"
	"iter"

	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/archive/scan"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// Archive is an archive of captures. It is safe for concurrent use.
type Archive struct {
	store   store.Store
	history *history.Reader
	listed  listed
}

// New returns the archive in a store and takes ownership of the store.
func New(s store.Store) *Archive { return &Archive{store: s, history: history.NewReader(s, 0)} }

// Store returns the store, for code that writes to or maintains the archive.
func (a *Archive) Store() store.Store { return a.store }

// StoreOf returns the store, whatever the market.
func (a *Archive) StoreOf(*market.Market) store.Store { return a.store }

// Close closes the archive and its store. It waits for reads and writes in
// progress; a sequence of captures still being iterated ends with an error. A
// second call does nothing.
func (a *Archive) Close() error {
	return a.store.Close()
}

// Address returns where the archive is, for messages.
func (a *Archive) Address() string { return a.store.Address() }

// Remember lets a cache up to about that many bytes of what Market, Token,
// CapturesFrom and Prices read. The cache is never staler than the call it
// answers: a call that follows a write by any process sees that write. Remember
// must be called before any other method.
func (a *Archive) Remember(bytes int) {
	a.store = store.Cached(a.store, bytes/2)
	a.history = history.NewReader(a.store, bytes/2)
}

// Written identifies the last write to the archive: while it is the same, so is all that
// is read of it.
func (a *Archive) Written(ctx context.Context) (int64, error) {
	m, err := a.store.Moment(ctx)
	if err != nil {
		return 0, fmt.Errorf("last write: %w", err)
	}
	return m.Write, nil
}

// Captures yields the captures of one market as scan.Captures does.
func (a *Archive) Captures(ctx context.Context, m *market.Market) iter.Seq2[*market.Capture, error] {
	return scan.Captures(ctx, a.store, m)
}

// Planned is scan.Planned over the archive. Rows that Rounds or Sample read of the markets
// are read again only when the archive has been written to since.
func (a *Archive) Planned(markets []*market.Market) func(context.Context, *market.Market) iter.Seq2[*market.Capture, error] {
	return scan.Planned(a.store, markets, a.listed.of(markets))
}

// Tops is scan.PlannedTops over the archive, with rows as for Planned.
func (a *Archive) Tops(markets []*market.Market) func(context.Context, *market.Market) (*market.Tops, error) {
	return scan.PlannedTops(a.store, markets, a.listed.of(markets))
}

// CapturesFrom yields captures of one market as scan.From does.
func (a *Archive) CapturesFrom(ctx context.Context, row *store.Listing, from, to market.Instant, use scan.Use) iter.Seq2[*market.Capture, error] {
	return scan.From(store.KeepBlocks(ctx), a.store, &row.MarketRow, from, to, use)
}

// Books passes the books of one market to emit as history.Books does.
func (a *Archive) Books(ctx context.Context, row *store.Listing, q history.Request, until market.Instant, emit func(t market.Instant, books []history.Ladder) bool) error {
	return a.history.Books(ctx, &row.MarketRow, q, until, emit)
}

// Prices passes the prices of one market to emit as history.Prices does.
func (a *Archive) Prices(ctx context.Context, row *store.Listing, q history.Request, until market.Instant, emit func(t market.Instant, p []int64) bool) error {
	return a.history.Prices(ctx, &row.MarketRow, q, until, emit)
}
