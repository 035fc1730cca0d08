package catalogue

import (
	"context"
	"database/sql"

	"github.com/ladderback/ladderback/archive/sqlite/pool"
	"github.com/ladderback/ladderback/archive/sqlite/short"
	"github.com/ladderback/ladderback/archive/sqlite/txn"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// Tokens returns the markets that have a token of that public id. A derived one is
// the market's own id, a colon and more.
func (t *Catalogue) Tokens(ctx context.Context, venueID string) ([]store.ID, error) {
	const query = `WITH owners(number, id, venue_id, outcomes) AS (
			SELECT m.number, m.id, m.venue_id, m.outcomes FROM json_each(?2) j CROSS JOIN venues v CROSS JOIN markets m
			WHERE m.number = (SELECT at FROM ids WHERE kind = 1 AND id = market_id(v.name, j.value)))
		SELECT m.id FROM tokens k CROSS JOIN markets m ON m.number = k.market
			WHERE k.market IN (SELECT at FROM ids WHERE kind = 4 AND id IN (SELECT token_id(name, ?1) FROM venues)) AND k.derived = 0 AND k.venue_id = ?1
		UNION SELECT m.id FROM owners m CROSS JOIN tokens k ON k.market = m.number
			WHERE k.derived <> 0 AND k.venue_id IN (?1, substr(?1, 1 + length(m.venue_id)))
		UNION SELECT m.id FROM owners m CROSS JOIN words w ON w.id = m.outcomes
			WHERE EXISTS (SELECT 1 FROM json_each(w.text) k WHERE k.value ->> 0 = substr(?1, 1 + length(m.venue_id)))
		ORDER BY 1`
	var markets []string
	for i := range venueID {
		if venueID[i] == ':' {
			markets = append(markets, venueID[:i])
		}
	}
	return t.IDs(ctx, query, venueID, short.Text(markets))
}

// CountMarkets returns how many markets there are.
func (t *Catalogue) CountMarkets(ctx context.Context) (int64, error) {
	return txn.One[int64](ctx, t.Tx, `SELECT count(*) FROM markets`)
}

// Alone returns which events are of one market.
func (t *Catalogue) Alone(ctx context.Context) (out store.IDs, err error) {
	return out, t.EachRow(ctx, `SELECT id FROM events WHERE markets = 1`, nil, func(r *pool.Row) error {
		out.Add(store.ID(r.Int()))
		return nil
	})
}

// Tags returns the tags in use by looking up the next tag after each, so the
// cost depends on the number of tags, not of markets.
func (t *Catalogue) Tags(ctx context.Context, c market.Category) ([]string, error) {
	const all = `WITH RECURSIVE t(tag) AS (
			SELECT min(tag) FROM tags
			UNION ALL SELECT (SELECT min(tag) FROM tags WHERE tag > t.tag) FROM t WHERE t.tag IS NOT NULL)
		SELECT tag FROM t WHERE tag IS NOT NULL
			AND (?1 = '' OR EXISTS (SELECT 1 FROM tags u WHERE u.tag = t.tag AND u.category = ?1))`
	return pool.Collect(ctx, t, all, []any{string(c)}, func(r *sql.Rows, tag *string) error { return r.Scan(tag) })
}

// totalsOf sums up markets by a column, of which a list is bound: of its values, or of numbers
// of markets. The column's index has no markets of none, which the query must say: a list may
// have 0 in it.
func totalsOf(column, bound string) string {
	return `SELECT ` + column + `, count(*), sum(status = 0), sum(status = 2), min(category),
			coalesce(min(nullif(start_at, 0)), 0), max(end_at), max(updated_at)
		FROM markets WHERE ` + column + ` <> 0 AND ` + bound + ` ` + txn.InList + ` AND category <> '' GROUP BY ` + column
}

// Totals returns the totals of events or series.
func (t *Catalogue) Totals(ctx context.Context, g store.Group, ids []store.ID) (map[store.ID]store.Totals, error) {
	out := map[store.ID]store.Totals{}
	if len(ids) == 0 {
		return out, nil
	}
	query, bound := totalsOf("series", "series"), txn.List(ids)
	if g == store.ByEvent {
		numbers, err := t.Rows(ctx, txn.EventsOf, ids)
		if err != nil {
			return nil, err
		}
		query, bound = totalsOf("event", "number"), txn.List(numbers)
	}
	err := t.Each(ctx, query, []any{bound}, func(r *sql.Rows) error {
		var id store.ID
		var v store.Totals
		err := r.Scan(&id, &v.Markets, &v.Open, &v.Resolved, &v.Category, &v.Start, &v.End, &v.UpdatedAt)
		out[id] = v
		return err
	})
	return out, err
}

// NewestCapture returns the newest capture of a category.
func (t *Catalogue) NewestCapture(ctx context.Context, c market.Category) (market.Instant, error) {
	return txn.One[market.Instant](ctx, t.Tx, `SELECT coalesce(max(last), 0) FROM markets WHERE category = ? AND last <> 0`, string(c))
}
