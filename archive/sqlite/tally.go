package sqlite

import (
	"context"
	"database/sql"

	"github.com/ladderback/ladderback/archive/sqlite/short"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// Tallies returns the stored tally of each kind of market.
func (t *tx) Tallies(ctx context.Context) ([]store.Tally, error) {
	const query = `SELECT category, coin, type, status, markets, sums, ends, captured, captures, inferred, disputed,
			start_at, end_at, first, last, sum FROM tallies ORDER BY category, coin, type, status`
	var out []store.Tally
	err := t.each(ctx, query, nil, func(r *sql.Rows) error {
		var v store.Tally
		var sum int64
		err := r.Scan(&v.Category, &v.Coin, &v.Type, &v.Status, &v.Markets, &v.Sums, &v.Ends, &v.Captured, &v.Captures, &v.Inferred, &v.Disputed,
			&v.Start, &v.End, &v.First, &v.Last, &sum)
		out = append(out, v)
		if err != nil {
			return err
		}
		return store.Check(&v, sum, "tally of %s %s %s", v.Category, v.Coin, v.Type)
	})
	return out, err
}

func (t *tx) putTallies(ctx context.Context, c *store.Changes) error {
	for i := range c.Tallies {
		v := &c.Tallies[i]
		key := []any{string(v.Category), v.Coin, v.Type, int64(v.Status)}
		query, args := `DELETE FROM tallies WHERE category = ? AND coin = ? AND type = ? AND status = ?`, key
		if v.Markets != 0 {
			query = `INSERT OR REPLACE INTO tallies (category, coin, type, status, markets, sums, ends, captured, captures, inferred, disputed,
				start_at, end_at, first, last, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
			args = append(key, v.Markets, v.Sums, v.Ends, v.Captured, v.Captures, v.Inferred, v.Disputed,
				int64(v.Start), int64(v.End), int64(v.First), int64(v.Last), v.Sum())
		}
		if err := t.exec(ctx, query, args...); err != nil {
			return err
		}
	}
	return nil
}

// Found returns the universe of the up/down rounds of a coin and length.
func (t *tx) Found(ctx context.Context, f market.RoundFilter) (store.Universe, error) {
	const query = `SELECT count(*), coalesce(sum(sum & 4294967295), 0), coalesce(sum(end_at % ?), 0) FROM markets
		WHERE coin <> '' AND type <> ''`
	where, args := "", []any{int64(store.EndModulus)}
	add := func(condition string, value any, set bool) {
		if set {
			where, args = where+" AND "+condition, append(args, value)
		}
	}
	add("coin = ?", f.Coin, f.Coin != "")
	add("type = ?", f.Type, f.Type != "")
	add("end_at >= ?", int64(f.From), f.From != 0)
	add("end_at < ?", int64(f.To), f.To != 0)
	var u store.Universe
	err := t.each(ctx, query+where, args, func(r *sql.Rows) error { return r.Scan(&u.Markets, &u.Sums, &u.Ends) })
	return u, err
}

// BoundsOf returns the bounds of the markets of a kind.
func (t *tx) BoundsOf(ctx context.Context, k store.Kind) (store.Bounds, error) {
	const query = `SELECT coalesce(min(nullif(start_at, 0)), 0), coalesce(max(end_at), 0), coalesce(min(nullif(first, 0)), 0), coalesce(max(last), 0)
		FROM markets WHERE category = ? AND coin = ? AND type = ? AND status = ?`
	var b store.Bounds
	err := t.each(ctx, query, []any{string(k.Category), k.Coin, k.Type, int64(k.Status)}, func(r *sql.Rows) error {
		return r.Scan(&b.Start, &b.End, &b.First, &b.Last)
	})
	return b, err
}

// Longest returns the markets with the longest silences or gaps.
func (t *tx) Longest(ctx context.Context, s store.Stretch, limit int) ([]store.ID, error) {
	query := `SELECT id FROM markets WHERE silence > 0 AND status <> 0 AND category <> '' ORDER BY silence DESC, venue_id LIMIT ?`
	if s == store.Gaps {
		// Gaps are few; tokens are found by their market's id, not by their own.
		query = `WITH g(id, span) AS MATERIALIZED (SELECT token_id, max(to_at - from_at) FROM gaps GROUP BY 1)
			SELECT DISTINCT id FROM (SELECT m.id, g.span, m.venue_id FROM g CROSS JOIN tokens k ON k.id = g.id CROSS JOIN markets m ON m.id = k.market_id
				WHERE m.category <> '' ORDER BY g.span DESC, m.venue_id LIMIT 2 * ?)`
	}
	return t.ids(ctx, query, limit)
}

// Days counts markets by day.
func (t *tx) Days(ctx context.Context) ([]store.Day, error) {
	var out []store.Day
	err := t.each(ctx, store.DaysQuery, nil, func(r *sql.Rows) error {
		var d store.Day
		err := r.Scan(&d.Category, &d.Day, &d.Markets, &d.Resolved, &d.Captured, &d.Simulated, &d.Captures, &d.Coverage)
		out = append(out, d)
		return err
	})
	return out, err
}

// Placed returns the keys of blocks of tokens.
func (t *tx) Placed(ctx context.Context) ([]store.ID, error) {
	var out []store.ID
	err := t.each(ctx, `SELECT keys FROM tokens WHERE keys <> x''`, nil, func(r *sql.Rows) error {
		var keys sql.RawBytes
		err := r.Scan(&keys)
		out = append(out, short.ReadIDs(keys)...)
		return err
	})
	return out, err
}

// ids runs a query of one column of ids.
func (t *tx) ids(ctx context.Context, query string, args ...any) ([]store.ID, error) {
	var out []store.ID
	err := t.each(ctx, query, args, func(r *sql.Rows) error {
		var id store.ID
		err := r.Scan(&id)
		out = append(out, id)
		return err
	})
	return out, err
}
