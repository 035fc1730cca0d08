package history

import (
	"context"
	"log/slog"
	"time"

	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/market"
)

// Catalogue is what the history routes read.
type Catalogue interface {
	history.Source
	Market(ctx context.Context, name string, c market.Category) (*store.Listing, error)
	Token(ctx context.Context, id string, c market.Category) (*store.Listing, int, error)
	Watermarks(ctx context.Context, c market.Category) (map[market.Category]market.Instant, error)
}

// Config configures a Handler. Every field is required.
type Config struct {
	Catalogue func(context.Context) Catalogue // what a request is answered from
	Keys      *identity.Keys                  // counts the points of bulk answers
	Log       *slog.Logger
	// RequestTimeout bounds the time until a bulk answer begins, or until a
	// page is complete.
	RequestTimeout time.Duration
	// WriteTimeout bounds how long a client may take to read one part of a bulk
	// answer.
	WriteTimeout time.Duration
	// Served is called with the number of points sent, by kind.
	Served func(kind history.Points, points int64)
	// Limited is called when a bulk answer is refused because the day's points
	// are used up.
	Limited func()
}

// Handler serves the history routes. It is safe for concurrent use.
type Handler struct{ cfg Config }

// New returns a handler.
func New(cfg Config) *Handler { return &Handler{cfg} }

// Route is one of the history routes.
type Route struct {
	point history.Points
	token bool // of one token, not of a market
}

// The history routes.
var (
	MarketPrices  = Route{history.PricePoints, false}
	MarketBooks   = Route{history.BookPoints, false}
	MarketMetrics = Route{history.MetricPoints, false}
	MarketQuotes  = Route{history.QuotePoints, false} // an extension
	TokenPrices   = Route{history.PricePoints, true}
	TokenBooks    = Route{history.BookPoints, true}
	TokenQuotes   = Route{history.QuotePoints, true} // an extension
)

// Parameter returns the name of the route's path parameter.
func (r Route) Parameter() string {
	if r.token {
		return "token_id"
	}
	return "id_or_slug"
}

func (r Route) String() string {
	if r.token {
		return "token " + string(r.point)
	}
	return "market " + string(r.point)
}

// perToken reports whether a bucket has a point per token.
func (r Route) perToken() bool { return !r.token && r.point != history.MetricPoints }
