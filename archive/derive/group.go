package derive

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// putGroups derives the events and series that claims were put or removed of,
// as far as claims say, and touches the markets whose event or series may be
// another one by it.
func (r *Refresh) putGroups(ctx context.Context) error {
	if err := putGroup(ctx, r, seriesGroup, r.series); err != nil {
		return err
	}
	return putGroup(ctx, r, eventGroup, r.events)
}

// putGroup puts the rows of the groups touched as claims give them now.
func putGroup[D, V, R any](ctx context.Context, r *Refresh, g group[D, V, R], touched map[store.ID]bool) error {
	if len(touched) == 0 {
		return nil
	}
	ids := slices.Sorted(maps.Keys(touched))
	claimed, err := g.merge(ctx, r.w, ids)
	if err != nil {
		return err
	}
	rows, err := g.rows(ctx, r.w, ids)
	if err != nil {
		return err
	}
	old := map[store.ID]*R{}
	for i := range rows {
		old[g.id(&rows[i])] = &rows[i]
	}
	c := &store.Changes{}
	// Markets may move from and to what was and is called by the slug.
	var moved []store.ID
	var slugs []string
	for _, id := range ids {
		g.changed(r, id)
		now, was := claimed[id], old[id]
		switch {
		case now == nil && was == nil:
			continue
		case now == nil:
			g.drop(c, id)
			moved = append(moved, id)
			continue
		case was == nil || g.moved(was, now):
			moved = append(moved, id)
			slugs = append(slugs, g.slug(now))
		}
		g.put(c, id, now, was)
	}
	if err := r.touchMarkets(ctx, g.markets(moved, nil), len(moved)); err != nil {
		return err
	}
	if err := r.touchMarkets(ctx, g.markets(nil, slugs), len(slugs)); err != nil {
		return err
	}
	return r.w.Apply(ctx, c)
}

// touchMarkets touches the markets that q selects; n = 0: it selects none.
func (r *Refresh) touchMarkets(ctx context.Context, q store.MarketQuery, n int) error {
	if n == 0 {
		return nil
	}
	rows, err := r.w.Markets(ctx, q)
	if err != nil {
		return err
	}
	for i := range rows {
		r.touchRow(&rows[i])
	}
	return nil
}

func (r *Refresh) touchRow(row *store.MarketRow) {
	m := &row.Market
	if slices.Contains(row.Owners, row.ID) {
		r.markets[row.ID] = strongName{m.Venue, m.VenueID}
		return
	}
	n := store.Name{Venue: m.Venue, Text: m.VenueID}
	r.weak[store.NameID(n.Venue, n.Text)] = n
}

// sumGroups sums up the markets of the events and series that may have changed,
// fills in what no source says of them, and drops those that neither a source
// nor a market names.
func (r *Refresh) sumGroups(ctx context.Context) error {
	delete(r.groups.events, 0)
	delete(r.groups.series, 0)
	c := &store.Changes{}
	if err := r.sumEvents(ctx, slices.Sorted(maps.Keys(r.groups.events)), c); err != nil {
		return err
	}
	if err := r.sumSeries(ctx, slices.Sorted(maps.Keys(r.groups.series)), c); err != nil {
		return err
	}
	return r.w.Apply(ctx, c)
}

func (r *Refresh) sumEvents(ctx context.Context, ids []store.ID, c *store.Changes) error {
	totals, err := r.w.Totals(ctx, store.ByEvent, ids)
	if err != nil {
		return err
	}
	claimed, err := eventGroup.merge(ctx, r.w, ids)
	if err != nil {
		return err
	}
	var derived []store.ID
	for _, id := range ids {
		if claimed[id] == nil && totals[id].Markets > 0 {
			derived = append(derived, id)
		}
	}
	byEvent, err := r.firstMarkets(ctx, derived, totals)
	if err != nil {
		return err
	}
	for _, id := range ids {
		t, e := totals[id], claimed[id]
		if e == nil {
			m := byEvent[id]
			if m == nil {
				c.DropEvents = append(c.DropEvents, id)
				continue
			}
			e = &market.Event{
				Venue: m.Venue, VenueID: m.EventID, Slug: m.EventID, Title: m.Question,
				SeriesID: m.SeriesID, Category: m.Category, Tags: m.Tags,
			}
		}
		row := store.EventRow{ID: id, Event: *e, Markets: t.Markets, UpdatedAt: cmp.Or(e.UpdatedAt, t.UpdatedAt)}
		fill(&row.Event.Title, e.Slug)
		fill(&row.Event.Category, groupCategory(e.Tags))
		fill(&row.Event.Category, t.Category)
		fill(&row.Event.Start, t.Start)
		fill(&row.Event.End, t.End)
		if e.SeriesID != "" {
			row.Series = store.SeriesID(e.Venue, e.SeriesID)
		}
		switch {
		case t.Markets == 0 || t.Open > 0:
			row.Status = store.Open
		case t.Resolved == t.Markets:
			row.Status = store.Resolved
		default:
			row.Status = store.Closed
		}
		c.Events = append(c.Events, row)
	}
	return nil
}

// firstMarkets returns the listed market of each event that comes first by
// public id. totals are those of the events.
func (r *Refresh) firstMarkets(ctx context.Context, events []store.ID, totals map[store.ID]store.Totals) (map[store.ID]*market.Market, error) {
	out := map[store.ID]*market.Market{}
	see := func(row *store.MarketRow) {
		if f := out[row.Event]; f == nil || row.Market.VenueID < f.VenueID {
			out[row.Event] = &row.Market
		}
	}
	at := map[store.ID][]int{} // most events are of one market, which was put just now
	for i := range r.rows {
		if row := &r.rows[i]; row.Event != 0 && row.Market.Category != "" {
			at[row.Event] = append(at[row.Event], i)
		}
	}
	var ask []store.ID
	for _, id := range events {
		if int64(len(at[id])) != totals[id].Markets {
			ask = append(ask, id)
			continue
		}
		for _, i := range at[id] {
			see(&r.rows[i])
		}
	}
	if len(ask) == 0 {
		return out, nil
	}
	rows, err := r.w.Markets(ctx, store.MarketQuery{Events: ask})
	if err != nil {
		return nil, err
	}
	for i := range rows {
		see(&rows[i])
	}
	return out, nil
}

func (r *Refresh) sumSeries(ctx context.Context, ids []store.ID, c *store.Changes) error {
	totals, err := r.seriesTotals(ctx, ids)
	if err != nil {
		return err
	}
	claimed, err := seriesGroup.merge(ctx, r.w, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		t, s := totals[id], claimed[id]
		if s == nil {
			if t.Markets == 0 {
				c.DropSeries = append(c.DropSeries, id)
				continue
			}
			if s, err = r.derivedSeries(ctx, id); err != nil {
				return err
			}
		}
		row := store.SeriesRow{ID: id, Series: *s, Markets: t.Markets, UpdatedAt: cmp.Or(s.UpdatedAt, t.UpdatedAt)}
		fill(&row.Series.Title, s.Slug)
		fill(&row.Series.Category, groupCategory(s.Tags))
		fill(&row.Series.Category, t.Category)
		c.Series = append(c.Series, row)
	}
	return nil
}

// seriesTotals sums up the markets of series. A series may have very many: where
// the changes say enough, it goes on from the sums as they were.
func (r *Refresh) seriesTotals(ctx context.Context, ids []store.ID) (map[store.ID]store.Totals, error) {
	rows, err := r.w.Series(ctx, store.GroupQuery{IDs: ids})
	if err != nil {
		return nil, err
	}
	claimed, err := seriesGroup.merge(ctx, r.w, ids)
	if err != nil {
		return nil, err
	}
	known := map[store.ID]store.Totals{}
	for i := range rows {
		row := &rows[i]
		c := r.groups.series[row.ID]
		if c == nil || c.all || row.Markets == 0 || c.category != "" && c.category < row.Series.Category {
			continue
		}
		// The sum of updates is the row's unless a source gives the series its own.
		if s := claimed[row.ID]; s == nil || s.UpdatedAt == 0 {
			known[row.ID] = store.Totals{
				Markets: row.Markets + c.markets, Category: row.Series.Category,
				UpdatedAt: max(row.UpdatedAt, c.updated),
			}
		}
	}
	var rest []store.ID
	for _, id := range ids {
		if _, ok := known[id]; !ok {
			rest = append(rest, id)
		}
	}
	totals, err := r.w.Totals(ctx, store.BySeries, rest)
	if err != nil {
		return nil, err
	}
	maps.Copy(totals, known)
	return totals, nil
}

// derivedSeries makes the series that rounds without one belong to, out of its
// slug; a series that markets name and no source describes has only its id.
func (r *Refresh) derivedSeries(ctx context.Context, id store.ID) (*market.Series, error) {
	var m *market.Market
	for i := range r.rows {
		if r.rows[i].Series == id {
			m = &r.rows[i].Market
			break
		}
	}
	if m == nil {
		rows, err := r.w.Markets(ctx, store.MarketQuery{Series: []store.ID{id}, Unlisted: true, Page: store.Page{Limit: 1}})
		if err != nil || len(rows) == 0 {
			return &market.Series{}, err
		}
		m = &rows[0].Market
	}
	s := &market.Series{Venue: m.Venue, VenueID: m.SeriesID, Slug: m.SeriesID}
	if r, ok := seriesName(m.SeriesID); ok {
		named, _ := roundNames(r)
		s.Title, s.Recurrence, s.Tags, s.Category = named.Title, named.Recurrence, named.Tags, named.Category
	}
	return s, nil
}

func groupCategory(tags []string) market.Category {
	return category(&market.Market{Tags: tags})
}
