package catalogue

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/ladderback/ladderback/archive/sqlite/pool"
	"github.com/ladderback/ladderback/archive/sqlite/short"
	"github.com/ladderback/ladderback/archive/sqlite/txn"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// sealRow is the row among the watermarks that has the seal of the tallies.
const sealRow = "#tallies"

const tallyColumns = `category, coin, type, status, day, markets, sums, ends, captured, captures, inferred, disputed, rounds,
	start_at, ended, end_at, first, last, sum`

// Tallies returns stored tallies.
func (t *Catalogue) Tallies(ctx context.Context, q store.TallyQuery) ([]store.Tally, error) {
	query, args := `SELECT `+tallyColumns+` FROM tallies WHERE day BETWEEN ? AND ?`, []any{q.From, q.To}
	switch {
	case q.Keys != nil:
		keys := store.Column(q.Keys, func(k *store.TallyKey) [5]any { return [5]any{k.Coin, k.Type, k.Day, string(k.Category), k.Status} })
		query = `SELECT ` + tallyColumns + ` FROM (SELECT value AS k FROM json_each(?)) CROSS JOIN tallies
			WHERE coin = k ->> 0 AND type = k ->> 1 AND day = k ->> 2 AND category = k ->> 3 AND status = k ->> 4`
		args = []any{short.Text(keys)}
	case q.Rounds:
		query += ` AND coin <> '' AND type <> ''`
		for _, c := range [][2]string{{"coin", q.Coin}, {"type", q.Type}} {
			if c[1] != "" {
				query, args = query+" AND "+c[0]+" = ?", append(args, c[1])
			}
		}
	}
	return pool.Collect(ctx, t, query, args, func(r *sql.Rows, v *store.Tally) error {
		var sum int64
		err := r.Scan(&v.Category, &v.Coin, &v.Type, &v.Status, &v.Day, &v.Markets, &v.Sums, &v.Universe.Ends, &v.Captured, &v.Captures, &v.Inferred, &v.Disputed,
			&v.Rounds, &v.Start, &v.Ended, &v.End, &v.First, &v.Last, &sum)
		if err != nil {
			return err
		}
		return store.Check(v, sum, "tally of %s %s %s", v.Category, v.Coin, v.Type)
	})
}

// PutTallies puts tallies with their seal, and days.
func (t *Catalogue) PutTallies(ctx context.Context, c *store.Changes) error {
	steps := pool.Steps{On: t}
	for i := range c.Tallies {
		v := &c.Tallies[i]
		key := []any{string(v.Category), v.Coin, v.Type, int64(v.Status), v.Day}
		query, args := `DELETE FROM tallies WHERE category = ? AND coin = ? AND type = ? AND status = ? AND day = ?`, key
		if v.Markets != 0 {
			query = `INSERT OR REPLACE INTO tallies (` + tallyColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
			args = append(key, v.Markets, v.Sums, v.Universe.Ends, v.Captured, v.Captures, v.Inferred, v.Disputed, []byte(v.Rounds),
				int64(v.Start), int64(v.Ended), int64(v.End), int64(v.First), int64(v.Last), v.Sum())
		}
		steps.Exec(ctx, query, args...)
	}
	if c.Seal != nil {
		steps.Exec(ctx, `INSERT OR REPLACE INTO watermarks (category, at) VALUES (?, ?)`, sealRow, *c.Seal)
	}
	for i := range c.Days {
		d := &c.Days[i]
		query, args := `DELETE FROM days WHERE category = ? AND day = ?`, []any{string(d.Category), d.Day}
		if d.Markets != 0 {
			query = `INSERT OR REPLACE INTO days (category, day, markets, resolved, captured, simulated, captures, coverage, sum)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
			args = append(args, d.Markets, d.Resolved, d.Captured, d.Simulated, d.Captures, d.Coverage, d.Sum())
		}
		steps.Exec(ctx, query, args...)
	}
	return steps.Err
}

// Seal returns the seal of the tallies.
func (t *Catalogue) Seal(ctx context.Context) (int64, error) {
	return txn.One[int64](ctx, t.Tx, `SELECT at FROM watermarks WHERE category = ?`, sealRow)
}

// RoundKeys passes rounds from the index that they are found by.
func (t *Catalogue) RoundKeys(ctx context.Context, coin, length string, from, to market.Instant, each func(*store.RoundKey)) error {
	const query = `SELECT id, venue_id, end_at, standing, sum FROM markets INDEXED BY markets_round
		WHERE coin <> '' AND coin = ? AND type = ? AND end_at BETWEEN ? AND ?`
	return t.Each(ctx, query, []any{coin, length, int64(from), int64(to)}, func(r *sql.Rows) error {
		var k store.RoundKey
		err := r.Scan(&k.ID, &k.VenueID, &k.End, &k.Standing, &k.Sum)
		each(&k)
		return err
	})
}

// BoundsOf returns the bounds of the markets that a tally counts.
func (t *Catalogue) BoundsOf(ctx context.Context, k store.TallyKey) (store.Bounds, error) {
	const (
		bounds = `SELECT coalesce(min(nullif(start_at, 0)), 0), coalesce(min(nullif(%s, 0)), 0), coalesce(max(end_at), 0),
			coalesce(min(nullif(first, 0)), 0), coalesce(max(last), 0) FROM %s WHERE category = ? AND coin = ? AND type = ? AND status = ? AND `
		days = `day > ?`
		rows = `end_at >= ? AND end_at < ?`
	)
	query, args := fmt.Sprintf(bounds, "ended", "tallies")+days, []any{string(k.Category), k.Coin, k.Type, int64(k.Status), k.Day}
	if k.Day != store.AllDays {
		query, args[4] = fmt.Sprintf(bounds, "end_at", "markets")+rows, int64(market.Day)*k.Day
		args = append(args, int64(market.Day)*(k.Day+1))
		switch {
		case k.Coin != "":
			query += ` AND coin <> ''`
		case k.Day != 0: // then they have an end
			query += ` AND end_at <> 0`
		}
	}
	var b store.Bounds
	err := t.Each(ctx, query, args, func(r *sql.Rows) error {
		return r.Scan(&b.Start, &b.Ended, &b.End, &b.First, &b.Last)
	})
	return b, err
}

// Longest returns the markets with the longest silences or gaps.
func (t *Catalogue) Longest(ctx context.Context, s store.Stretch, limit int) ([]store.ID, error) {
	query := `SELECT id FROM markets WHERE silence > 0 AND status <> 0 AND category <> '' ORDER BY silence DESC, venue_id LIMIT ?`
	if s == store.Gaps {
		// Gaps are few, and tokens are found by their ids.
		query = `WITH g(id, span) AS MATERIALIZED (SELECT token_id, max(to_at - from_at) FROM gaps GROUP BY 1)
			SELECT DISTINCT id FROM (SELECT m.id, g.span, m.venue_id FROM g CROSS JOIN markets m
				WHERE m.number IN (SELECT at FROM ids WHERE kind = 4 AND id = g.id) AND m.category <> '' ORDER BY g.span DESC, m.venue_id LIMIT 2 * ?)`
	}
	return t.IDs(ctx, query, limit)
}

// Days returns stored days.
func (t *Catalogue) Days(ctx context.Context, from, to int64) ([]store.Day, error) {
	const query = `SELECT category, day, markets, resolved, captured, simulated, captures, coverage, sum FROM days
		WHERE day BETWEEN ? AND ? ORDER BY category, day`
	return pool.Collect(ctx, t, query, []any{from, to}, func(r *sql.Rows, d *store.Day) error {
		var sum int64
		err := r.Scan(&d.Category, &d.Day, &d.Markets, &d.Resolved, &d.Captured, &d.Simulated, &d.Captures, &d.Coverage, &sum)
		if err != nil {
			return err
		}
		return store.Check(d, sum, "tally of %s on day %d", d.Category, d.Day)
	})
}

// Placed returns the keys of blocks of tokens.
func (t *Catalogue) Placed(ctx context.Context) ([]store.ID, error) {
	var out []store.ID
	err := t.Each(ctx, `SELECT keys FROM tokens WHERE keys <> x''`, nil, func(r *sql.Rows) error {
		var keys sql.RawBytes
		err := r.Scan(&keys)
		out = append(out, short.ReadIDs(keys)...)
		return err
	})
	return out, err
}
