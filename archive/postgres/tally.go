package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

const tallyColumns = `t.category, t.coin, t.type, t.status, t.day, t.markets, t.sums, t.ends, t.captured, t.captures, t.inferred, t.disputed, t.rounds,
	t.start_at, t.ended, t.end_at, t.first, t.last, t.sum`

// Tallies returns stored tallies.
func (t *tx) Tallies(ctx context.Context, q store.TallyQuery) ([]store.Tally, error) {
	query, w := `SELECT `+tallyColumns+` FROM tallies t`, &where{}
	if q.Keys != nil {
		query += ` JOIN unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::smallint[]) k(coin, type, day, category, status)
			USING (coin, type, day, category, status)`
		coins, types, days := make([]string, len(q.Keys)), make([]string, len(q.Keys)), make([]int64, len(q.Keys))
		categories, states := make([]string, len(q.Keys)), make([]int16, len(q.Keys))
		for i, k := range q.Keys {
			coins[i], types[i], days[i], categories[i], states[i] = keep(k.Coin), keep(k.Type), k.Day, keep(string(k.Category)), int16(k.Status)
		}
		w.args = []any{coins, types, days, categories, states}
	} else {
		w.add("t.day BETWEEN ? AND ?", q.From, q.To)
	}
	if q.Rounds {
		w.add("t.coin <> '' AND t.type <> ''")
	}
	if q.Coin != "" {
		w.add("t.coin = ?", keep(q.Coin))
	}
	if q.Type != "" {
		w.add("t.type = ?", keep(q.Type))
	}
	return collect(ctx, t, query+w.String(), w.args, func(r pgx.Rows, v *store.Tally) error {
		var rounds []byte
		var sum int64
		err := r.Scan((*string)(&v.Category), &v.Coin, &v.Type, (*uint8)(&v.Status), &v.Day, &v.Markets, &v.Sums, &v.Universe.Ends, &v.Captured, &v.Captures,
			&v.Inferred, &v.Disputed, &rounds, (*int64)(&v.Start), (*int64)(&v.Ended), (*int64)(&v.End), (*int64)(&v.First), (*int64)(&v.Last), &sum)
		if err != nil {
			return err
		}
		restore((*string)(&v.Category), &v.Coin, &v.Type)
		v.Rounds = store.Standings(rounds)
		return store.Check(v, sum, "tally of %s %s %s", v.Category, v.Coin, v.Type)
	})
}

var (
	upsertTally = upsert("tallies", 5, `category coin type status day markets sums ends captured captures inferred disputed rounds
		start_at ended end_at first last sum`)
	upsertDay = upsert("days", 2, `category day markets resolved captured simulated captures coverage sum`)
)

func (b *batch) putTallies(c *store.Changes) {
	for i := range c.Tallies {
		v := &c.Tallies[i]
		category, coin, typ, status := keep(string(v.Category)), keep(v.Coin), keep(v.Type), int16(v.Status)
		if v.Markets == 0 {
			b.add("tally", `DELETE FROM tallies WHERE category = $1 AND coin = $2 AND type = $3 AND status = $4 AND day = $5`, category, coin, typ, status, v.Day)
			continue
		}
		b.add("tally", upsertTally, category, coin, typ, status, v.Day, v.Markets, v.Sums, v.Universe.Ends, v.Captured, v.Captures, v.Inferred, v.Disputed,
			[]byte(v.Rounds), int64(v.Start), int64(v.Ended), int64(v.End), int64(v.First), int64(v.Last), v.Sum())
	}
	if c.Seal != nil {
		b.add("tally", `INSERT INTO watermarks (category, at) VALUES ($1, $2) ON CONFLICT (category) DO UPDATE SET at = excluded.at`, sealRow, *c.Seal)
	}
	for i := range c.Days {
		d := &c.Days[i]
		if category := keep(string(d.Category)); d.Markets == 0 {
			b.add("tally", `DELETE FROM days WHERE category = $1 AND day = $2`, category, d.Day)
		} else {
			b.add("tally", upsertDay, category, d.Day, d.Markets, d.Resolved, d.Captured, d.Simulated, d.Captures, d.Coverage, d.Sum())
		}
	}
}

// Seal returns the seal of the tallies.
func (t *tx) Seal(ctx context.Context) (int64, error) {
	return one[int64](ctx, t, `SELECT at FROM watermarks WHERE category = $1`, sealRow)
}

// RoundKeys passes rounds from the index that they are found by.
func (t *tx) RoundKeys(ctx context.Context, coin, length string, from, to market.Instant, each func(*store.RoundKey)) error {
	const query = `SELECT id, venue_id, end_at, standing, sum FROM markets WHERE coin <> '' AND coin = $1 AND type = $2 AND end_at BETWEEN $3 AND $4`
	return t.each(ctx, query, []any{keep(coin), keep(length), int64(from), int64(to)}, func(r pgx.Rows) error {
		var k store.RoundKey
		err := r.Scan((*int64)(&k.ID), &k.VenueID, (*int64)(&k.End), (*int64)(&k.Standing), &k.Sum)
		if err == nil {
			restore(&k.VenueID)
			each(&k)
		}
		return err
	})
}

// BoundsOf returns the bounds of the markets that a tally counts.
func (t *tx) BoundsOf(ctx context.Context, k store.TallyKey) (store.Bounds, error) {
	const bounds = `SELECT coalesce(min(nullif(start_at, 0)), 0), coalesce(min(nullif(%s, 0)), 0), coalesce(max(end_at), 0),
		coalesce(min(nullif(first, 0)), 0), coalesce(max(last), 0) FROM %s`
	w := &where{}
	w.add("category = ? AND coin = ? AND type = ? AND status = ?", keep(string(k.Category)), keep(k.Coin), keep(k.Type), int16(k.Status))
	query := fmt.Sprintf(bounds, "ended", "tallies")
	if k.Day == store.AllDays {
		w.add("day > ?", k.Day)
	} else {
		query = fmt.Sprintf(bounds, "end_at", "markets")
		w.add("end_at >= ? AND end_at < ?", int64(market.Day)*k.Day, int64(market.Day)*(k.Day+1))
		if k.Coin != "" {
			w.add("coin <> ''")
		}
	}
	var b store.Bounds
	err := t.each(ctx, query+w.String(), w.args, func(r pgx.Rows) error {
		return r.Scan((*int64)(&b.Start), (*int64)(&b.Ended), (*int64)(&b.End), (*int64)(&b.First), (*int64)(&b.Last))
	})
	return b, err
}

// Longest returns the markets with the longest silences or gaps.
func (t *tx) Longest(ctx context.Context, s store.Stretch, limit int) ([]store.ID, error) {
	query := `SELECT id FROM markets WHERE silence > 0 AND status <> 0 AND category <> '' ORDER BY silence DESC, venue_id LIMIT $1`
	if s == store.Gaps {
		query = `SELECT DISTINCT id FROM (SELECT m.id FROM gaps g JOIN markets m ON m.id = g.market_id
			WHERE m.category <> '' ORDER BY g.to_at - g.from_at DESC, m.venue_id LIMIT 2 * $1) l`
	}
	return t.ids(ctx, query, limit)
}

// Days returns stored days.
func (t *tx) Days(ctx context.Context, from, to int64) ([]store.Day, error) {
	const query = `SELECT category, day, markets, resolved, captured, simulated, captures, coverage, sum FROM days
		WHERE day BETWEEN $1 AND $2 ORDER BY category, day`
	return collect(ctx, t, query, []any{from, to}, func(r pgx.Rows, d *store.Day) error {
		var sum int64
		err := r.Scan((*string)(&d.Category), &d.Day, &d.Markets, &d.Resolved, &d.Captured, &d.Simulated, &d.Captures, &d.Coverage, &sum)
		if err != nil {
			return err
		}
		restore((*string)(&d.Category))
		return store.Check(d, sum, "tally of %s on day %d", d.Category, d.Day)
	})
}

// Placed returns the keys of blocks of tokens.
func (t *tx) Placed(ctx context.Context) ([]store.ID, error) {
	var out []store.ID
	err := t.each(ctx, `SELECT places FROM markets WHERE places <> '{}'`, nil, func(r pgx.Rows) error {
		var places []int64
		err := r.Scan(&places)
		for i := 1; i < len(places); i += 2 {
			out = append(out, store.ID(places[i]))
		}
		return err
	})
	return out, err
}
