package sqlite

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// TestPlans sees that what names a market, an event or a series finds it by an
// index, also when a category is pinned: never by walking over all markets.
func TestPlans(t *testing.T) {
	t.Parallel()
	s, _, err := Create(t.Context(), filepath.Join(t.TempDir(), "a.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	page := store.Page{Limit: 10}
	for name, q := range map[string]store.MarketQuery{
		"by name":           {Name: "x", Page: page},
		"by id":             {IDs: []store.ID{1}, Page: page},
		"by event's id":     {EventID: "x", Page: page},
		"by event's slug":   {EventSlugs: []string{"x"}, Page: page},
		"by series' slug":   {SeriesSlugs: []string{"x"}, Page: page},
		"closing":           {Closing: 1},
		"the default order": {Page: page},
		"a later page":      {Page: store.Page{Limit: 10, After: &store.Key{VenueID: "x", Venue: "y"}}},
	} {
		for _, c := range []market.Category{"", market.Sports} {
			if name == "closing" && c == "" {
				continue // always asked of one category
			}
			q.Category = c
			for _, part := range stretches(&q) {
				where, args := part.statement(&q)
				require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
					return r.(*tx).each(t.Context(), "EXPLAIN QUERY PLAN SELECT "+marketColumns+marketTables+where, args, func(rows *sql.Rows) error {
						var id, parent, unused int
						var step string
						if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
							return err
						}
						switch {
						case part.part && part.sign == 0: // of which a time is not known
							if strings.Contains(step, " m ") {
								require.Contains(t, step, "INDEX markets_timeless", "%s %s", name, c)
							}
							if strings.Contains(step, "ORDER BY") {
								require.Contains(t, step, "LAST TERM OF ORDER BY", "%s %s", name, c)
							}
						case name == "the default order", name == "a later page":
							if strings.Contains(step, "ORDER BY") {
								require.Contains(t, step, "LAST TERM OF ORDER BY", "%s %s %d", name, c, part.sign)
							}
						case strings.HasPrefix(step, "SCAN m"), strings.Contains(step, "markets_last"):
							require.Fail(t, step, "%s %s", name, c)
						}
						return nil
					})
				}))
			}
		}
	}
}

// TestPlansOfLaterPages sees that a list goes on where it is to, in either direction and
// with bounds of its own: rows between are not walked over.
func TestPlansOfLaterPages(t *testing.T) {
	t.Parallel()
	s, _, err := Create(t.Context(), filepath.Join(t.TempDir(), "a.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	for _, by := range []store.Sort{store.ByUpdatedAt, store.ByStart, store.ByEnd} {
		for _, ascending := range []bool{false, true} {
			q := store.MarketQuery{
				Dates: []store.Dates{{}, {StartMin: 1, StartMax: 9}, {EndMin: 1, EndMax: 9}}[by],
				Page:  store.Page{Sort: by, Ascending: ascending, Limit: 10, After: &store.Key{Value: 5, VenueID: "x", Venue: "y"}},
			}
			where, args := stretches(&q)[0].statement(&q)
			require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
				return r.(*tx).each(t.Context(), "EXPLAIN QUERY PLAN SELECT "+marketColumns+marketTables+where, args, func(rows *sql.Rows) error {
					var id, parent, unused int
					var step string
					err := rows.Scan(&id, &parent, &unused, &step)
					if strings.Contains(step, " m ") {
						require.Regexp(t, `venue_id[^ ]*\)[<>]\(`, step, "%d %t", by, ascending)
					}
					return err
				})
			}))
		}
	}
}

// TestTotalsPlan sees that the sums of a group read its markets alone.
func TestTotalsPlan(t *testing.T) {
	t.Parallel()
	s, _, err := Create(t.Context(), filepath.Join(t.TempDir(), "a.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	for _, query := range []string{
		totalsOf("event", "number"), totalsOf("series", "series"),
		"SELECT e.id FROM events e" + groupWhere(&store.GroupQuery{Slugs: []store.Name{{Venue: "x", Text: "y"}}}, "e.", store.EventClaim).String(),
	} {
		require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
			args := []any{"[]", "[]"}[:strings.Count(query, "?")]
			return r.(*tx).each(t.Context(), "EXPLAIN QUERY PLAN "+query, args, func(rows *sql.Rows) error {
				var id, parent, unused int
				var step string
				err := rows.Scan(&id, &parent, &unused, &step)
				require.NotRegexp(t, "SCAN (markets|e)\\b|CORRELATED", step, query)
				return err
			})
		}))
	}
}

// TestEventsOfCategory sees that whether any event has a category is looked up, and that
// its events are never the way to those of a list.
func TestEventsOfCategory(t *testing.T) {
	t.Parallel()
	s, _, err := Create(t.Context(), filepath.Join(t.TempDir(), "a.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	w := eventWhere(&store.GroupQuery{Category: market.Sports})
	for query, index := range map[string]string{
		someEvents: "COVERING INDEX events_category",
		"SELECT e.title FROM events e" + w.String() + w.Page("e.", store.Page{Limit: 10}): "INDEX events_updated",
	} {
		require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
			plan := ""
			err := r.(*tx).each(t.Context(), "EXPLAIN QUERY PLAN "+query, []any{"sports"}, func(rows *sql.Rows) error {
				var id, parent, unused int
				var step string
				err := rows.Scan(&id, &parent, &unused, &step)
				plan += step + "\n"
				return err
			})
			require.Contains(t, plan, index)
			return err
		}))
	}
}
