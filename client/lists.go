package client

import (
	"context"
	"iter"
	"net/url"
	"strconv"
	"time"

	"github.com/ladderback/ladderback/backtest"
)

// ListQuery is what all lists are asked by. Zero fields ask for nothing.
type ListQuery struct {
	Search   string // in slug, title or question
	Category string
	Tags     []string
	AnyTag   bool // one of Tags is enough
	// What starts or ends in these times, inclusive.
	StartMin, StartMax, EndMin, EndMax time.Time
	Sort, Order                        string // such as start_date, asc; default updated_at, desc
	PageSize                           int    // of each request; 0: the server's
}

func (l *ListQuery) values() url.Values {
	q := values{
		"search": l.Search, "category": l.Category, "sort": l.Sort, "order": l.Order, "limit": number(l.PageSize),
		"start_date_min": instant(l.StartMin), "start_date_max": instant(l.StartMax),
		"end_date_min": instant(l.EndMin), "end_date_max": instant(l.EndMax),
	}.url()
	for _, t := range l.Tags {
		q.Add("tags", t)
	}
	if l.AnyTag {
		q.Set("tags_match", "any")
	}
	return q
}

// values are parameters, of which empty ones are not sent.
type values map[string]string

func (v values) url() url.Values { return v.into(url.Values{}) }

func (v values) into(q url.Values) url.Values {
	for name, one := range v {
		if one != "" {
			q.Set(name, one)
		}
	}
	return q
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// pageOf is a page of a list.
type pageOf[T any] struct {
	Data     []T      `json:"data"`
	Metadata metadata `json:"metadata"`
}

type metadata struct {
	NextCursor *string `json:"next_cursor"`
}

// pages yields the pages at a path; an error ends them.
func pages[P any](ctx context.Context, c *Client, path string, q url.Values, next func(*P) *string) iter.Seq2[*P, error] {
	return func(yield func(*P, error) bool) {
		for {
			p, err := get[P](ctx, c, path, q)
			if !yield(p, err) || err != nil {
				return
			}
			cursor := next(p)
			if cursor == nil {
				return
			}
			q.Set("cursor", *cursor)
		}
	}
}

// items yields the items of a list at a path.
func items[T any](ctx context.Context, c *Client, path string, q url.Values) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		next := func(p *pageOf[T]) *string { return p.Metadata.NextCursor }
		for p, err := range pages(ctx, c, path, q, next) {
			if err != nil {
				yield(*new(T), err)
				return
			}
			for _, one := range p.Data {
				if !yield(one, nil) {
					return
				}
			}
		}
	}
}

// Series yields series, by q.
func (c *Client) Series(ctx context.Context, q ListQuery) iter.Seq2[Series, error] {
	return items[Series](ctx, c, "/v1/series", q.values())
}

// EventQuery asks for events.
type EventQuery struct {
	ListQuery
	SeriesID, SeriesSlug string
	OpenOnly             bool
}

// Events yields events, by q.
func (c *Client) Events(ctx context.Context, q EventQuery) iter.Seq2[Event, error] {
	v := values{"series_id": q.SeriesID, "series_slug": q.SeriesSlug}.into(q.values())
	if q.OpenOnly {
		v.Set("include_closed", "false")
	}
	return items[Event](ctx, c, "/v1/events", v)
}

// MarketQuery asks for markets.
type MarketQuery struct {
	ListQuery
	EventID, EventSlug, SeriesSlug string
	IncludeClosed                  bool // not the open ones alone
}

// Markets yields markets as lists show them, by q.
func (c *Client) Markets(ctx context.Context, q MarketQuery) iter.Seq2[Market, error] {
	v := values{"event_id": q.EventID, "event_slug": q.EventSlug, "series_slug": q.SeriesSlug}.into(q.values())
	if q.IncludeClosed {
		v.Set("include_closed", "true")
	}
	return items[Market](ctx, c, "/v1/markets", v)
}

// Market returns a market by id or slug.
func (c *Client) Market(ctx context.Context, id string) (*Market, error) {
	return get[Market](ctx, c, marketPath(id, ""), nil)
}

func marketPath(id, below string) string { return "/v1/markets/" + url.PathEscape(id) + below }

// Gaps returns when nothing was captured of a market, although it might have been.
func (c *Client) Gaps(ctx context.Context, id string) ([]Gap, error) {
	return data[Gap](ctx, c, marketPath(id, "/gaps"), nil)
}

// data returns the items of a list of one page.
func data[T any](ctx context.Context, c *Client, path string, q url.Values) ([]T, error) {
	p, err := get[pageOf[T]](ctx, c, path, q)
	if err != nil {
		return nil, err
	}
	return p.Data, nil
}

// Tags returns all tags in use, of a category or (empty) of all, in order.
func (c *Client) Tags(ctx context.Context, category string) ([]string, error) {
	return data[string](ctx, c, "/v1/tags", values{"category": category}.url())
}

// Archive returns what the server holds, by category (empty: all), with the rounds that
// backtests may replay.
func (c *Client) Archive(ctx context.Context, category string) (*Archive, error) {
	return get[Archive](ctx, c, "/v1/archive", values{"category": category, "rounds": "true"}.url())
}

// CalibrationQuery says which rounds Calibration looks at; zero fields are left to the
// server.
type CalibrationQuery struct {
	Coin       string    // ticker, or "ANY"; needed
	MarketType string    // length of the rounds; needed
	From, To   time.Time // bounds of their ends
	Winners    string    // official or inferred
	Last       int       // so many rounds, the newest
	Bands      int       // of prices
	Times      int       // in a round
}

// Calibration holds prices against outcomes, by price and time left.
func (c *Client) Calibration(ctx context.Context, q CalibrationQuery) (*backtest.Calibration, error) {
	v := values{
		"coin": q.Coin, "market_type": q.MarketType, "winners": q.Winners, "from": instant(q.From), "to": instant(q.To),
		"last": number(q.Last), "bands": number(q.Bands), "times": number(q.Times),
	}
	return get[backtest.Calibration](ctx, c, "/v1/ai/calibration", v.url())
}

// Tries returns what the key's organization tried on rounds of a coin and length; both empty:
// of all.
func (c *Client) Tries(ctx context.Context, coin, marketType string) (*TriesRecord, error) {
	return get[TriesRecord](ctx, c, "/v1/ai/tries", values{"coin": coin, "market_type": marketType}.url())
}

// Usage returns what the key may do, and has left.
func (c *Client) Usage(ctx context.Context) (*Usage, error) {
	return get[Usage](ctx, c, "/v1/usage", nil)
}

// Conditions are the quantities that conditions may test.
type Conditions struct {
	Entry  []ConditionType `json:"data"`   // of an entry
	Orders []ConditionType `json:"orders"` // of orders: those of an entry, and what reads what is held
}

// Conditions returns the quantities that conditions may test.
func (c *Client) Conditions(ctx context.Context) (*Conditions, error) {
	return get[Conditions](ctx, c, "/v1/ai/conditions", nil)
}

// Health returns nil while the server answers.
func (c *Client) Health(ctx context.Context) error {
	_, err := get[struct{}](ctx, c, "/v1/health", nil)
	return err
}

// Ready returns nil while the server can answer questions about its archive.
func (c *Client) Ready(ctx context.Context) error {
	_, err := get[struct{}](ctx, c, "/readyz", nil)
	return err
}
