package api

import (
	"context"
	"iter"
	"sync/atomic"

	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/archive/scan"
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
// made of two. It implements Catalogue.
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

func (c *current) Markets(ctx context.Context, q store.MarketQuery) ([]store.Listing, error) {
	return c.of(ctx).Markets(ctx, q)
}

func (c *current) Events(ctx context.Context, q store.GroupQuery) ([]store.EventRow, error) {
	return c.of(ctx).Events(ctx, q)
}

func (c *current) Days(ctx context.Context, in market.Category) ([]store.Day, error) {
	return c.of(ctx).Days(ctx, in)
}

func (c *current) Series(ctx context.Context, q store.GroupQuery) ([]store.SeriesRow, error) {
	return c.of(ctx).Series(ctx, q)
}

// Market finds no market of a name that no store could look up.
func (c *current) Market(ctx context.Context, name string, in market.Category) (*store.Listing, error) {
	if !wire.Storable(name) {
		return nil, store.ErrNotFound
	}
	return c.of(ctx).Market(ctx, name, in)
}

// Token is to tokens what Market is to markets.
func (c *current) Token(ctx context.Context, id string, in market.Category) (*store.Listing, int, error) {
	if !wire.Storable(id) {
		return nil, 0, store.ErrNotFound
	}
	return c.of(ctx).Token(ctx, id, in)
}

func (c *current) Tags(ctx context.Context, in market.Category) ([]string, error) {
	return c.of(ctx).Tags(ctx, in)
}

func (c *current) Watermarks(ctx context.Context, in market.Category) (map[market.Category]market.Instant, error) {
	return c.of(ctx).Watermarks(ctx, in)
}

func (c *current) CapturesFrom(ctx context.Context, row *store.Listing, from, to market.Instant, use scan.Use) iter.Seq2[*market.Capture, error] {
	return c.of(ctx).CapturesFrom(ctx, row, from, to, use)
}

func (c *current) Prices(ctx context.Context, row *store.Listing, q history.Request, until market.Instant, emit func(t market.Instant, p []int64) bool) error {
	return c.of(ctx).Prices(ctx, row, q, until, emit)
}

func (c *current) Books(ctx context.Context, row *store.Listing, q history.Request, until market.Instant, emit func(t market.Instant, books []history.Ladder) bool) error {
	return c.of(ctx).Books(ctx, row, q, until, emit)
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
	all, err := s.catalogue.Watermarks(ctx, "")
	for _, at := range all {
		newest = max(newest, at)
	}
	return newest, err
}
