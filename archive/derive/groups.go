package derive

import (
	"cmp"
	"context"
	"slices"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// group is one of the two things that markets belong to, events or series, of
// which sources say D, together V, and the store keeps R.
type group[D, V, R any] struct {
	kind   store.ClaimKind
	weight func(d *D) (store.Authority, Unix) // and when it was updated
	// add takes in a claim; those that count more came before it.
	add func(v *V, d *D)
	// finish fills in what every V has, when all claims are in.
	finish func(v *V)

	rows func(ctx context.Context, r store.Reader, ids []store.ID) ([]R, error)
	id   func(row *R) store.ID
	slug func(v *V) string
	// moved reports whether markets may belong to another group by the change.
	moved func(was *R, now *V) bool
	// put puts the row of now, with the sums of was; nil: there was none.
	put  func(c *store.Changes, id store.ID, now *V, was *R)
	drop func(c *store.Changes, id store.ID)
	// markets selects those of any of the groups, by id or else by slug.
	markets func(ids []store.ID, slugs []string) store.MarketQuery
	// changed notes that the sums of a group are to be made anew.
	changed func(r *Refresh, id store.ID)
}

var seriesGroup = group[SeriesDoc, market.Series, store.SeriesRow]{
	kind:   store.SeriesClaim,
	weight: func(d *SeriesDoc) (store.Authority, Unix) { return d.Authority, d.UpdatedAt },
	add: func(s *market.Series, d *SeriesDoc) {
		fill(&s.Venue, d.Venue)
		fill(&s.VenueID, d.VenueID)
		fill(&s.Slug, d.Slug)
		fill(&s.Title, d.Title)
		fill(&s.Recurrence, d.Recurrence)
		fill(&s.Category, d.Category)
		s.UpdatedAt = max(s.UpdatedAt, market.Instant(d.UpdatedAt))
		if s.Tags == nil {
			s.Tags = d.Tags
		}
	},
	finish: func(s *market.Series) { fill(&s.Slug, s.VenueID) },
	rows: func(ctx context.Context, r store.Reader, ids []store.ID) ([]store.SeriesRow, error) {
		return r.Series(ctx, store.GroupQuery{IDs: ids})
	},
	id:    func(row *store.SeriesRow) store.ID { return row.ID },
	slug:  func(s *market.Series) string { return s.Slug },
	moved: func(was *store.SeriesRow, now *market.Series) bool { return was.Series.Slug != now.Slug },
	put: func(c *store.Changes, id store.ID, now *market.Series, was *store.SeriesRow) {
		row := store.SeriesRow{ID: id, Series: *now}
		if was != nil {
			row.Markets, row.UpdatedAt = was.Markets, was.UpdatedAt
		}
		c.Series = append(c.Series, row)
	},
	drop: func(c *store.Changes, id store.ID) { c.DropSeries = append(c.DropSeries, id) },
	markets: func(ids []store.ID, slugs []string) store.MarketQuery {
		return store.MarketQuery{Series: ids, SeriesSlugs: slugs, Unlisted: true}
	},
	changed: func(r *Refresh, id store.ID) { r.groups.change(id).all = true },
}

var eventGroup = group[EventDoc, market.Event, store.EventRow]{
	kind:   store.EventClaim,
	weight: func(d *EventDoc) (store.Authority, Unix) { return d.Authority, d.UpdatedAt },
	add: func(e *market.Event, d *EventDoc) {
		fill(&e.Venue, d.Venue)
		fill(&e.VenueID, d.VenueID)
		fill(&e.Slug, d.Slug)
		fill(&e.Title, d.Title)
		fill(&e.SeriesID, d.SeriesID)
		fill(&e.Category, d.Category)
		fill(&e.Start, market.Instant(d.Start))
		fill(&e.End, market.Instant(d.End))
		e.UpdatedAt = max(e.UpdatedAt, market.Instant(d.UpdatedAt))
		if e.Tags == nil {
			e.Tags = d.Tags
		}
	},
	finish: func(e *market.Event) { fill(&e.Slug, e.VenueID) },
	rows: func(ctx context.Context, r store.Reader, ids []store.ID) ([]store.EventRow, error) {
		return r.Events(ctx, store.GroupQuery{IDs: ids})
	},
	id:   func(row *store.EventRow) store.ID { return row.ID },
	slug: func(e *market.Event) string { return e.Slug },
	moved: func(was *store.EventRow, now *market.Event) bool {
		return was.Event.Slug != now.Slug || was.Event.SeriesID != now.SeriesID
	},
	put: func(c *store.Changes, id store.ID, now *market.Event, was *store.EventRow) {
		row := store.EventRow{ID: id, Event: *now}
		if was != nil {
			row.Markets, row.UpdatedAt, row.Status = was.Markets, was.UpdatedAt, was.Status
		}
		c.Events = append(c.Events, row)
	},
	drop: func(c *store.Changes, id store.ID) { c.DropEvents = append(c.DropEvents, id) },
	markets: func(ids []store.ID, slugs []string) store.MarketQuery {
		return store.MarketQuery{Events: ids, EventSlugs: slugs, Unlisted: true}
	},
	changed: func(r *Refresh, id store.ID) { r.groups.events[id] = true },
}

// merge makes one of what sources say of each group. Those that no source says
// anything of are not in the result.
func (g *group[D, V, R]) merge(ctx context.Context, r store.Reader, ids []store.ID) (map[store.ID]*V, error) {
	claims, err := r.Claims(ctx, g.kind, ids)
	if err != nil {
		return nil, err
	}
	type saidOf struct {
		source store.SourceID
		doc    *D
	}
	said := map[store.ID][]saidOf{}
	for i := range claims {
		d, err := Decode[D](&claims[i])
		if err != nil {
			return nil, err
		}
		said[claims[i].Owner] = append(said[claims[i].Owner], saidOf{claims[i].Source, d})
	}
	out := map[store.ID]*V{}
	for id, list := range said {
		slices.SortFunc(list, func(a, b saidOf) int {
			x, at := g.weight(a.doc)
			y, bt := g.weight(b.doc)
			return cmp.Or(cmp.Compare(y, x), cmp.Compare(bt, at), cmp.Compare(a.source, b.source))
		})
		v := new(V)
		for _, c := range list {
			g.add(v, c.doc)
		}
		g.finish(v)
		out[id] = v
	}
	return out, nil
}
