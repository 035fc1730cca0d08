package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"time"
)

// Window is what history is asked for: from Start up to End, in buckets.
type Window struct {
	Start, End time.Time
	Resolution string // such as 1s, 1m, 1h
	Category   string // empty: any
	PageSize   int    // points a request, at most 200; 0: the server's
}

func (w *Window) values() url.Values {
	return values{
		"start_ts": instant(w.Start), "end_ts": instant(w.End), "resolution": w.Resolution,
		"category": w.Category, "limit": number(w.PageSize),
	}.url()
}

// Page is a page of the history of a market: by label of each token.
type Page[T any] struct {
	MarketID   string            `json:"market_id"`
	Resolution string            `json:"resolution"`
	Tokens     map[string]string `json:"tokens"` // label → token id
	Data       map[string][]T    `json:"data"`   // label → points, in the order of time
	Metadata   metadata          `json:"metadata"`
}

func market[T any](ctx context.Context, c *Client, id, what string, w Window) iter.Seq2[*Page[T], error] {
	next := func(p *Page[T]) *string { return p.Metadata.NextCursor }
	return pages(ctx, c, marketPath(id, what), w.values(), next)
}

// MarketPrices yields pages of the prices of all tokens of a market.
func (c *Client) MarketPrices(ctx context.Context, id string, w Window) iter.Seq2[*Page[Price], error] {
	return market[Price](ctx, c, id, "/prices", w)
}

// MarketBooks yields pages of the books of all tokens of a market.
func (c *Client) MarketBooks(ctx context.Context, id string, w Window) iter.Seq2[*Page[Book], error] {
	return market[Book](ctx, c, id, "/books", w)
}

// MarketQuotes yields pages of the best bids and asks of all tokens of a market.
func (c *Client) MarketQuotes(ctx context.Context, id string, w Window) iter.Seq2[*Page[Quote], error] {
	return market[Quote](ctx, c, id, "/quotes", w)
}

// MarketMetrics yields the metrics of a market.
func (c *Client) MarketMetrics(ctx context.Context, id string, w Window) iter.Seq2[Metrics, error] {
	return items[Metrics](ctx, c, marketPath(id, "/metrics"), w.values())
}

func tokenPath(id, below string) string { return "/v1/tokens/" + url.PathEscape(id) + below }

// TokenPrices yields the prices of a token.
func (c *Client) TokenPrices(ctx context.Context, id string, w Window) iter.Seq2[Price, error] {
	return items[Price](ctx, c, tokenPath(id, "/prices"), w.values())
}

// TokenBooks yields the books of a token.
func (c *Client) TokenBooks(ctx context.Context, id string, w Window) iter.Seq2[Book, error] {
	return items[Book](ctx, c, tokenPath(id, "/books"), w.values())
}

// TokenQuotes yields the best bids and asks of a token.
func (c *Client) TokenQuotes(ctx context.Context, id string, w Window) iter.Seq2[Quote, error] {
	return items[Quote](ctx, c, tokenPath(id, "/quotes"), w.values())
}

// Format is how a whole window is streamed.
type Format string

// Formats of bulk answers.
const (
	NDJSON  Format = "application/x-ndjson"
	CSV     Format = "text/csv"
	Parquet Format = "application/vnd.apache.parquet"
)

// History is a history route: of a market, or of a token.
type History struct {
	path string
}

// MarketHistory is a route of a market; what is prices, books, quotes or metrics.
func MarketHistory(id, what string) History { return History{marketPath(id, "/"+what)} }

// TokenHistory is a route of a token; what is prices, books or quotes.
func TokenHistory(id, what string) History { return History{tokenPath(id, "/"+what)} }

// Bulk streams a whole window. An answer that is cut ends with an error, never with an
// io.EOF. The caller closes it.
func (c *Client) Bulk(ctx context.Context, h History, w Window, f Format) (io.ReadCloser, error) {
	w.PageSize = 0
	r, err := c.send(ctx, call{method: http.MethodGet, path: h.path, query: w.values(), accept: string(f), again: true})
	if err != nil {
		return nil, err
	}
	return r.Body, nil
}

// PriceRow is a row of prices of a bulk answer.
type PriceRow struct {
	T          time.Time `json:"t"`
	TokenID    string    `json:"token_id"`
	TokenLabel string    `json:"label"`
	P          float64   `json:"p"`
}

// BookRow is a level of a book of a bulk answer.
type BookRow struct {
	T          time.Time `json:"t"`
	TokenID    string    `json:"token_id"`
	TokenLabel string    `json:"label"`
	Side       string    `json:"side"`  // bid or ask
	Level      int       `json:"level"` // from 1, the best
	Price      float64   `json:"price"`
	Size       float64   `json:"size"`
}

// TradeRow is a trade of a bulk answer.
type TradeRow struct {
	T          time.Time `json:"t"`
	TokenID    string    `json:"token_id"`
	TokenLabel string    `json:"label"`
	Side       string    `json:"side"` // buy or sell, of who took; empty: the source does not say
	Price      float64   `json:"price"`
	Size       float64   `json:"size"` // shares
}

// Rows yields the rows of a whole window: PriceRow, BookRow, Metrics, or a type with the
// fields that are wanted.
func Rows[T any](ctx context.Context, c *Client, h History, w Window) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		body, err := c.Bulk(ctx, h, w, NDJSON)
		if err != nil {
			yield(*new(T), err)
			return
		}
		defer body.Close()
		for d := json.NewDecoder(body); ; {
			var row T
			err := d.Decode(&row)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(row, fmt.Errorf("GET %s: %w", h.path, err))
				return
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}
