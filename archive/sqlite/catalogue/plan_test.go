package catalogue

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/sqlitetest"
	"github.com/ladderback/ladderback/market"
)

// plan returns the steps that SQLite takes to answer a query, which are some.
func plan(t *testing.T, c *Catalogue, query string, args []any) (steps []string) {
	t.Helper()
	require.NoError(t, c.Each(t.Context(), "EXPLAIN QUERY PLAN "+query, args, func(rows *sql.Rows) error {
		var id, parent, unused int
		var step string
		err := rows.Scan(&id, &parent, &unused, &step)
		steps = append(steps, step)
		return err
	}))
	require.NotEmpty(t, steps, query)
	return steps
}

// TestPlans sees that what names a market, an event or a series finds it by an
// index, also when a category is pinned: never by walking over all markets.
func TestPlans(t *testing.T) {
	t.Parallel()
	c := New(sqlitetest.New(t), WalkRows)
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
		for _, category := range []market.Category{"", market.Sports} {
			if name == "closing" && category == "" {
				continue // always asked of one category
			}
			q.Category = category
			for _, part := range stretches(&q) {
				where, args := part.statement(&q)
				for _, step := range plan(t, c, "SELECT "+marketColumns+marketTables+where, args) {
					switch {
					case part.part && part.sign == 0: // of which a time is not known
						if strings.Contains(step, " m ") {
							require.Contains(t, step, "INDEX markets_timeless", "%s %s", name, category)
						}
						if strings.Contains(step, "ORDER BY") {
							require.Contains(t, step, "LAST TERM OF ORDER BY", "%s %s", name, category)
						}
					case name == "the default order", name == "a later page":
						if strings.Contains(step, "ORDER BY") {
							require.Contains(t, step, "LAST TERM OF ORDER BY", "%s %s %d", name, category, part.sign)
						}
					case strings.HasPrefix(step, "SCAN m"), strings.Contains(step, "markets_last"):
						require.Fail(t, step, "%s %s", name, category)
					}
				}
			}
		}
	}
}

// TestPlansOfLaterPages sees that a list goes on where it is to, in either direction and
// with bounds of its own: rows between are not walked over.
func TestPlansOfLaterPages(t *testing.T) {
	t.Parallel()
	c := New(sqlitetest.New(t), WalkRows)
	for _, by := range []store.Sort{store.ByUpdatedAt, store.ByStart, store.ByEnd} {
		for _, ascending := range []bool{false, true} {
			q := store.MarketQuery{
				Dates: []store.Dates{{}, {StartMin: 1, StartMax: 9}, {EndMin: 1, EndMax: 9}}[by],
				Page:  store.Page{Sort: by, Ascending: ascending, Limit: 10, After: &store.Key{Value: 5, VenueID: "x", Venue: "y"}},
			}
			where, args := stretches(&q)[0].statement(&q)
			for _, step := range plan(t, c, "SELECT "+marketColumns+marketTables+where, args) {
				if strings.Contains(step, " m ") {
					require.Regexp(t, `venue_id[^ ]*\)[<>]\(`, step, "%d %t", by, ascending)
				}
			}
		}
	}
}

// TestTotalsPlan sees that the sums of a group read its markets alone.
func TestTotalsPlan(t *testing.T) {
	t.Parallel()
	c := New(sqlitetest.New(t), WalkRows)
	for _, query := range []string{
		totalsOf("event", "number"), totalsOf("series", "series"),
		"SELECT s.id FROM series s" + groupWhere(&store.GroupQuery{Slugs: []store.Name{{Venue: "x", Text: "y"}}}, "s.", store.SeriesClaim).String(),
		ownSlug,
	} {
		for _, step := range plan(t, c, query, []any{"[]", "[]"}[:strings.Count(query, "?")]) {
			require.NotRegexp(t, "SCAN (markets|e|s)\\b|CORRELATED", step, query)
		}
	}
}

// TestEventsOfCategory sees that whether any event has a category is looked up, and that
// its events are never the way to those of a list.
func TestEventsOfCategory(t *testing.T) {
	t.Parallel()
	c := New(sqlitetest.New(t), WalkRows)
	w := eventWhere(&store.GroupQuery{Category: market.Sports})
	for query, index := range map[string]string{
		someEvents: "COVERING INDEX events_category",
		"SELECT e.title FROM events e" + w.String() + w.Page("e.", store.Page{Limit: 10}): "INDEX events_updated",
	} {
		require.Contains(t, strings.Join(plan(t, c, query, []any{"sports"}), "\n"), index)
	}
}
