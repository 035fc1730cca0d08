package archive

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/ladderback/ladderback/market"
)

// Listing is a market with the slugs of its event and series.
type Listing struct {
	MarketRow
	EventSlug  string // empty: it has no event
	SeriesSlug string // empty: it has no series
	// Watermark is that of the market's category, as of the same moment. Market
	// and Token set it.
	Watermark market.Instant `json:"-"`

	shared *shared // nil in lists
}

// Key returns the place of a market in a list sorted by s.
func (row *MarketRow) Key(s Sort) Key {
	v := row.UpdatedAt
	switch s {
	case ByStart:
		v = row.Market.Start
	case ByEnd:
		v = row.Market.End
	}
	return Key{v, row.Market.VenueID, row.Market.Venue}
}

// Key returns the place of an event in a list sorted by s.
func (row *EventRow) Key(s Sort) Key {
	v := row.UpdatedAt
	switch s {
	case ByStart:
		v = row.Event.Start
	case ByEnd:
		v = row.Event.End
	}
	return Key{v, row.Event.VenueID, row.Event.Venue}
}

// Key returns the place of a series in a list.
func (row *SeriesRow) Key() Key {
	return Key{row.UpdatedAt, row.Series.VenueID, row.Series.Venue}
}

// Markets returns the markets that q selects, in its order.
func (a *Archive) Markets(ctx context.Context, q MarketQuery) ([]Listing, error) {
	var out []Listing
	err := a.store.View(ctx, func(r Reader) (err error) {
		out, err = r.Listings(ctx, q)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list markets: %w", err)
	}
	return out, nil
}

// ListingsOf returns the markets that q selects, and looks up the slugs of their
// events and series one after the other.
func ListingsOf(ctx context.Context, r Reader, q MarketQuery) ([]Listing, error) {
	rows, err := r.Markets(ctx, q)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	events, series := []ID{}, []ID{}
	seen := map[ID]bool{0: true}
	for i := range rows {
		if e := rows[i].Event; !seen[e] {
			events, seen[e] = append(events, e), true
		}
		if s := rows[i].Series; !seen[s] {
			series, seen[s] = append(series, s), true
		}
	}
	slugs := map[ID]string{}
	es, err := r.Events(ctx, GroupQuery{IDs: events})
	if err != nil {
		return nil, err
	}
	for i := range es {
		slugs[es[i].ID] = es[i].Event.Slug
	}
	ss, err := r.Series(ctx, GroupQuery{IDs: series})
	if err != nil {
		return nil, err
	}
	for i := range ss {
		slugs[ss[i].ID] = ss[i].Series.Slug
	}
	out := make([]Listing, len(rows))
	for i := range rows {
		out[i] = Listing{MarketRow: rows[i], EventSlug: slugs[rows[i].Event], SeriesSlug: slugs[rows[i].Series]}
	}
	return out, nil
}

// Events returns the events that q selects, in its order.
func (a *Archive) Events(ctx context.Context, q GroupQuery) ([]EventRow, error) {
	var out []EventRow
	err := a.store.View(ctx, func(r Reader) (err error) {
		out, err = r.Events(ctx, q)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list events: %w", err)
	}
	return out, nil
}

// Series returns the series that q selects, in its order, which is by
// UpdatedAt.
func (a *Archive) Series(ctx context.Context, q GroupQuery) ([]SeriesRow, error) {
	var out []SeriesRow
	err := a.store.View(ctx, func(r Reader) (err error) {
		out, err = r.Series(ctx, q)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list series: %w", err)
	}
	return out, nil
}

// Market finds a market by id, slug, another id of the venue's, or scoped id
// "<scope>:market:<id>", where scope is a venue or a category. Of several the
// most recently updated counts. c pins the category; empty: any. It returns
// ErrNotFound when there is none. The listing may be that of other callers too:
// it is not to be changed.
func (a *Archive) Market(ctx context.Context, name string, c market.Category) (*Listing, error) {
	row, _, err := a.remembered(ctx, rowKey{false, name, c}, func() (*Listing, int, error) {
		row, err := a.findMarket(ctx, name, c)
		return row, 0, err
	})
	return row, err
}

func (a *Archive) findMarket(ctx context.Context, name string, c market.Category) (*Listing, error) {
	q := MarketQuery{Name: name, Category: c, Page: Page{Limit: 1}}
	found, err := a.Markets(ctx, q)
	if err != nil {
		return nil, err
	}
	if scope, id, ok := strings.Cut(name, ":market:"); ok && scope != "" && len(found) == 0 {
		q.Name = id
		if cat := market.Category(scope); !cat.Valid() {
			q.Venue = market.Venue(scope)
		} else if c == "" || c == cat {
			q.Category = cat
		} else {
			return nil, fmt.Errorf("market %s: %w", name, ErrNotFound)
		}
		if found, err = a.Markets(ctx, q); err != nil {
			return nil, err
		}
	}
	if len(found) == 0 || name == "" {
		return nil, fmt.Errorf("market %s: %w", name, ErrNotFound)
	}
	return &found[0], nil
}

// Token finds a token by its id, and returns its market and its index there. c
// pins the category; empty: any. It returns ErrNotFound when there is none. The
// listing may be that of other callers too: it is not to be changed.
func (a *Archive) Token(ctx context.Context, id string, c market.Category) (*Listing, int, error) {
	return a.remembered(ctx, rowKey{true, id, c}, func() (*Listing, int, error) { return a.findToken(ctx, id, c) })
}

func (a *Archive) findToken(ctx context.Context, id string, c market.Category) (*Listing, int, error) {
	var found []Listing
	err := a.store.View(ctx, func(r Reader) error {
		ids, err := r.Tokens(ctx, id)
		if err != nil || len(ids) == 0 {
			return err
		}
		found, err = r.Listings(ctx, MarketQuery{IDs: ids, Category: c, Page: Page{Limit: 1}})
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("token %s: %w", id, err)
	}
	if len(found) > 0 {
		for i, t := range found[0].Market.Tokens {
			if t.VenueID == id {
				return &found[0], i, nil
			}
		}
	}
	return nil, 0, fmt.Errorf("token %s: %w", id, ErrNotFound)
}

// Tags returns the tags of everything in a category (empty: in any), sorted,
// each once.
func (a *Archive) Tags(ctx context.Context, c market.Category) ([]string, error) {
	var out []string
	err := a.store.View(ctx, func(r Reader) (err error) {
		out, err = r.Tags(ctx, c)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("tags: %w", err)
	}
	return out, nil
}

// Watermarks returns the newest capture of the category (empty: of each) that
// has any.
func (a *Archive) Watermarks(ctx context.Context, c market.Category) (map[market.Category]market.Instant, error) {
	m, err := a.store.Moment(ctx)
	if err != nil {
		return nil, fmt.Errorf("watermarks: %w", err)
	}
	out := maps.Clone(m.Watermarks) // the store's own
	maps.DeleteFunc(out, func(of market.Category, at market.Instant) bool { return at == 0 || c != "" && of != c })
	return out, nil
}

// Sources returns what was imported, in order of import.
func (a *Archive) Sources(ctx context.Context) ([]Source, error) {
	var out []Source
	err := a.store.View(ctx, func(r Reader) (err error) {
		out, err = r.Sources(ctx, nil)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("sources: %w", err)
	}
	return out, nil
}
