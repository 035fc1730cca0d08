package archive

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// look returns what read gives of one snapshot; zero, with what was read in the error,
// if it failed.
func look[T any](ctx context.Context, a *Archive, what string, read func(store.Reader) (T, error)) (T, error) {
	out, err := store.Look(ctx, a.store, read)
	if err != nil {
		return *new(T), fmt.Errorf("%s: %w", what, err)
	}
	return out, nil
}

// Markets returns the markets that q selects, in the order q asks for.
func (a *Archive) Markets(ctx context.Context, q store.MarketQuery) ([]store.Listing, error) {
	return look(ctx, a, "list markets", func(r store.Reader) ([]store.Listing, error) { return r.Listings(ctx, q) })
}

// Events returns the events that q selects, in the order q asks for.
func (a *Archive) Events(ctx context.Context, q store.GroupQuery) ([]store.EventRow, error) {
	return look(ctx, a, "list events", func(r store.Reader) ([]store.EventRow, error) { return r.Events(ctx, q) })
}

// Series returns the series that q selects, ordered by UpdatedAt.
func (a *Archive) Series(ctx context.Context, q store.GroupQuery) ([]store.SeriesRow, error) {
	return look(ctx, a, "list series", func(r store.Reader) ([]store.SeriesRow, error) { return r.Series(ctx, q) })
}

// Market finds a market by id, slug, the venue's alternative id, or scoped id
// "<scope>:market:<id>", where scope is a venue or a category. If several
// match, the most recently updated one is returned. c restricts the category;
// empty: any. It returns ErrNotFound when there is none. The listing may share
// memory with other callers and must not be modified.
func (a *Archive) Market(ctx context.Context, name string, c market.Category) (*store.Listing, error) {
	return look(ctx, a, "market "+name, func(r store.Reader) (*store.Listing, error) { return findMarket(ctx, r, name, c) })
}

func findMarket(ctx context.Context, r store.Reader, name string, c market.Category) (*store.Listing, error) {
	if name == "" {
		return nil, store.ErrNotFound
	}
	q := store.MarketQuery{Name: name, Category: c, Page: store.Page{Limit: 1}}
	found, err := r.Listings(ctx, q)
	if err != nil {
		return nil, err
	}
	if scope, id, ok := strings.Cut(name, ":market:"); ok && scope != "" && id != "" && len(found) == 0 {
		q.Name = id
		if cat := market.Category(scope); !cat.Valid() {
			q.Venue = market.Venue(scope)
		} else if c == "" || c == cat {
			q.Category = cat
		} else {
			return nil, store.ErrNotFound
		}
		if found, err = r.Listings(ctx, q); err != nil {
			return nil, err
		}
	}
	if len(found) == 0 {
		return nil, store.ErrNotFound
	}
	return &found[0], mark(ctx, r, &found[0])
}

// mark sets the watermark of a row.
func mark(ctx context.Context, r store.Reader, row *store.Listing) error {
	marks, err := r.Watermarks(ctx)
	row.Watermark = marks[row.Market.Category]
	return err
}

// Token finds a token by its id, and returns its market and its index there. c
// restricts the category; empty: any. It returns ErrNotFound when there is
// none. The listing may share memory with other callers and must not be
// modified.
func (a *Archive) Token(ctx context.Context, id string, c market.Category) (*store.Listing, int, error) {
	found, err := look(ctx, a, "token "+id, func(r store.Reader) (*store.Listing, error) {
		ids, err := r.Tokens(ctx, id)
		if err != nil {
			return nil, err
		}
		if len(ids) == 0 {
			return nil, store.ErrNotFound
		}
		rows, err := r.Listings(ctx, store.MarketQuery{IDs: ids, Category: c, Page: store.Page{Limit: 1}})
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 {
			return nil, store.ErrNotFound
		}
		return &rows[0], mark(ctx, r, &rows[0])
	})
	if err != nil {
		return nil, 0, err
	}
	for i, t := range found.Market.Tokens {
		if t.VenueID == id {
			return found, i, nil
		}
	}
	return nil, 0, fmt.Errorf("token %s: %w", id, store.ErrNotFound)
}

// Tags returns the tags of everything in a category (empty: in any), sorted and
// without duplicates.
func (a *Archive) Tags(ctx context.Context, c market.Category) ([]string, error) {
	return look(ctx, a, "tags", func(r store.Reader) ([]string, error) { return r.Tags(ctx, c) })
}

// Days counts the markets of a category (empty: of each) by the UTC day of their
// start.
func (a *Archive) Days(ctx context.Context, c market.Category) ([]store.Day, error) {
	out, err := look(ctx, a, "days", func(r store.Reader) ([]store.Day, error) { return r.Days(ctx, store.FirstDay, store.LastDay) })
	return slices.DeleteFunc(out, func(d store.Day) bool { return c != "" && d.Category != c }), err
}

// Watermarks returns the time of the newest capture of the category (empty: of
// each category); categories without captures are left out.
func (a *Archive) Watermarks(ctx context.Context, c market.Category) (map[market.Category]market.Instant, error) {
	m, err := a.store.Moment(ctx)
	if err != nil {
		return nil, fmt.Errorf("watermarks: %w", err)
	}
	out := maps.Clone(m.Watermarks) // the store's own
	maps.DeleteFunc(out, func(of market.Category, at market.Instant) bool { return at == 0 || c != "" && of != c })
	return out, nil
}

// Sources returns the imported sources in order of import.
func (a *Archive) Sources(ctx context.Context) ([]store.Source, error) {
	return look(ctx, a, "sources", func(r store.Reader) ([]store.Source, error) { return r.Sources(ctx, nil) })
}

// Connections returns the state of the archive's connections under the empty
// category; it is empty when the store has none.
func (a *Archive) Connections() map[market.Category]store.Connections {
	if c, ok := store.ConnectionsOf(a.store); ok {
		return map[market.Category]store.Connections{"": c}
	}
	return nil
}

// Rounds returns every up/down round that passes the filter, decided or not,
// latest end first, ties by market id ascending.
func (a *Archive) Rounds(ctx context.Context, f market.RoundFilter) ([]market.Round, error) {
	rounds, err := a.rounds(ctx, func(r store.Reader) ([]store.MarketRow, error) { return store.Rounds(ctx, r, f) })
	slices.SortFunc(rounds, func(x, y market.Round) int {
		return market.NewestFirst(x.Market.End, y.Market.End, x.Market.VenueID, y.Market.VenueID)
	})
	return rounds, err
}

// Sample returns what d draws of the rounds that Rounds gives, as store.Sample does.
func (a *Archive) Sample(ctx context.Context, d market.RoundDraw) ([]market.Round, market.RoundCount, error) {
	return a.sample(ctx, d, "")
}

// sample is Sample of the rounds of a category; empty: of all.
func (a *Archive) sample(ctx context.Context, d market.RoundDraw, c market.Category) (rounds []market.Round, n market.RoundCount, err error) {
	rounds, err = a.rounds(ctx, func(r store.Reader) (rows []store.MarketRow, err error) {
		rows, n, err = store.Sample(ctx, r, d, c)
		return rows, err
	})
	return rounds, n, err
}

// Holdings returns what there is of each coin and length among the rounds that Rounds
// gives, in any order.
func (a *Archive) Holdings(ctx context.Context) ([]market.Holding, error) { return a.holdings(ctx, "") }

func (a *Archive) holdings(ctx context.Context, c market.Category) ([]market.Holding, error) {
	return look(ctx, a, "holdings", func(r store.Reader) ([]market.Holding, error) { return store.Holdings(ctx, r, c) })
}

// rounds returns the rounds of the rows that read gives, in their order.
func (a *Archive) rounds(ctx context.Context, read func(store.Reader) ([]store.MarketRow, error)) ([]market.Round, error) {
	before, err := a.store.Moment(ctx)
	if err != nil {
		return nil, fmt.Errorf("rounds: %w", err)
	}
	rows, err := look(ctx, a, "rounds", read)
	if err != nil {
		return nil, err
	}
	a.listed.add(before.Write, rows)
	out := make([]market.Round, len(rows))
	for i := range rows {
		row := &rows[i]
		out[i] = market.Round{
			Market: &row.Market, Captured: row.Stats.Captured, Content: row.Stats.Content,
			Coverage: row.Stats.Coverage, Captures: row.Stats.Captures, Gaps: row.Gaps,
		}
	}
	return out, nil
}
