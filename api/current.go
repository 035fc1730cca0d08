package api

import (
	"context"
	"sync/atomic"

	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// holding is an archive as the routes and the backtests read it.
type holding struct {
	Catalogue
	rounds replay.Source
}

// current is the archive that the server answers from, which may be replaced
// while it runs. A request stays with the one that it began with: no answer is
// made of two.
type current struct{ held atomic.Pointer[holding] }

type holdingKey struct{}

// pinned keeps a request with the archive that is current now.
func (c *current) pinned(ctx context.Context) context.Context {
	return context.WithValue(ctx, holdingKey{}, c.held.Load())
}

// of returns the archive of a request; outside of one, the current.
func (c *current) of(ctx context.Context) *holding {
	if h, ok := ctx.Value(holdingKey{}).(*holding); ok {
		return h
	}
	return c.held.Load()
}

// Replace switches the server to another archive from the next request on.
// Requests in flight stay with the previous one, which the caller closes.
func (s *Server) Replace(c Catalogue, rounds replay.Source) {
	s.catalogue.held.Store(&holding{c, rounds})
}

// Market finds no market of a name that no store could look up.
func (h *holding) Market(ctx context.Context, name string, in market.Category) (*store.Listing, error) {
	if !wire.Storable(name) {
		return nil, store.ErrNotFound
	}
	return h.Catalogue.Market(ctx, name, in)
}

// Token is to tokens what Market is to markets.
func (h *holding) Token(ctx context.Context, id string, in market.Category) (*store.Listing, int, error) {
	if !wire.Storable(id) {
		return nil, 0, store.ErrNotFound
	}
	return h.Catalogue.Token(ctx, id, in)
}

// Connections returns the connection counts of the current archive; nil if it
// does not report them.
func (c *current) Connections() map[market.Category]store.Connections {
	if x, ok := c.held.Load().Catalogue.(interface {
		Connections() map[market.Category]store.Connections
	}); ok {
		return x.Connections()
	}
	return nil
}

// Watermark returns the newest capture of the current archive; zero: it has none.
func (s *Server) Watermark(ctx context.Context) (newest market.Instant, err error) {
	all, err := s.catalogue.of(ctx).Watermarks(ctx, "")
	for _, at := range all {
		newest = max(newest, at)
	}
	return newest, err
}
