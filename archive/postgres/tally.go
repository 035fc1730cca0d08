package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// Tallies returns the stored tally of each kind of market.
func (t *tx) Tallies(ctx context.Context) ([]store.Tally, error) {
	const query = `SELECT category, coin, type, status, markets, sums, ends, captured, captures, inferred, disputed,
			start_at, end_at, first, last, sum FROM tallies ORDER BY category, coin, type, status`
	var out []store.Tally
	err := t.each(ctx, query, nil, func(r pgx.Rows) error {
		var v store.Tally
		var sum int64
		err := r.Scan((*string)(&v.Category), &v.Coin, &v.Type, (*uint8)(&v.Status), &v.Markets, &v.Sums, &v.Ends, &v.Captured, &v.Captures, &v.Inferred, &v.Disputed,
			(*int64)(&v.Start), (*int64)(&v.End), (*int64)(&v.First), (*int64)(&v.Last), &sum)
		if err != nil {
			return err
		}
		restore((*string)(&v.Category), &v.Coin, &v.Type)
		out = append(out, v)
		return store.Check(&v, sum, "tally of %s %s %s", v.Category, v.Coin, v.Type)
	})
	return out, err
}

var upsertTally = upsert("tallies", 4, `category coin type status markets sums ends captured captures inferred disputed
	start_at end_at first last sum`)

func (b *batch) putTallies(tallies []store.Tally) {
	for i := range tallies {
		v := &tallies[i]
		category, coin, typ, status := keep(string(v.Category)), keep(v.Coin), keep(v.Type), int16(v.Status)
		if v.Markets == 0 {
			b.add("tally", `DELETE FROM tallies WHERE category = $1 AND coin = $2 AND type = $3 AND status = $4`, category, coin, typ, status)
			continue
		}
		b.add("tally", upsertTally, category, coin, typ, status, v.Markets, v.Sums, v.Ends, v.Captured, v.Captures, v.Inferred, v.Disputed,
			int64(v.Start), int64(v.End), int64(v.First), int64(v.Last), v.Sum())
	}
}

// Found returns the universe of the up/down rounds of a coin and length.
func (t *tx) Found(ctx context.Context, f market.RoundFilter) (store.Universe, error) {
	const query = `SELECT count(*), coalesce(sum(sum & 4294967295), 0)::bigint, coalesce(sum(end_at % $1), 0)::bigint FROM markets`
	w := &where{args: []any{int64(store.EndModulus)}}
	w.add("coin <> '' AND type <> ''")
	if f.Coin != "" {
		w.add("coin = ?", keep(f.Coin))
	}
	if f.Type != "" {
		w.add("type = ?", keep(f.Type))
	}
	if f.From != 0 {
		w.add("end_at >= ?", int64(f.From))
	}
	if f.To != 0 {
		w.add("end_at < ?", int64(f.To))
	}
	var u store.Universe
	err := t.each(ctx, query+w.String(), w.args, func(r pgx.Rows) error { return r.Scan(&u.Markets, &u.Sums, &u.Ends) })
	return u, err
}

// BoundsOf returns the bounds of the markets of a kind.
func (t *tx) BoundsOf(ctx context.Context, k store.Kind) (store.Bounds, error) {
	const query = `SELECT coalesce(min(nullif(start_at, 0)), 0), coalesce(max(end_at), 0), coalesce(min(nullif(first, 0)), 0), coalesce(max(last), 0)
		FROM markets WHERE category = $1 AND coin = $2 AND type = $3 AND status = $4`
	var b store.Bounds
	err := t.each(ctx, query, []any{keep(string(k.Category)), keep(k.Coin), keep(k.Type), int16(k.Status)}, func(r pgx.Rows) error {
		return r.Scan((*int64)(&b.Start), (*int64)(&b.End), (*int64)(&b.First), (*int64)(&b.Last))
	})
	return b, err
}

// Longest returns the markets with the longest silences or gaps.
func (t *tx) Longest(ctx context.Context, s store.Stretch, limit int) ([]store.ID, error) {
	query := `SELECT id FROM markets WHERE silence > 0 AND status <> 0 AND category <> '' ORDER BY silence DESC, venue_id LIMIT $1`
	if s == store.Gaps {
		query = `SELECT DISTINCT id FROM (SELECT m.id FROM gaps g JOIN tokens k ON k.id = g.token_id JOIN markets m ON m.id = k.market_id
			WHERE m.category <> '' ORDER BY g.to_at - g.from_at DESC, m.venue_id LIMIT 2 * $1) l`
	}
	return t.ids(ctx, query, limit)
}

// Days counts markets by day.
func (t *tx) Days(ctx context.Context) ([]store.Day, error) {
	var out []store.Day
	err := t.each(ctx, store.DaysQuery, nil, func(r pgx.Rows) error {
		var d store.Day
		err := r.Scan((*string)(&d.Category), &d.Day, &d.Markets, &d.Resolved, &d.Captured, &d.Simulated, &d.Captures, &d.Coverage)
		out = append(out, d)
		return err
	})
	return out, err
}

// Placed returns the keys of blocks of tokens.
func (t *tx) Placed(ctx context.Context) ([]store.ID, error) {
	return t.ids(ctx, `SELECT unnest(keys) FROM tokens WHERE keys <> '{}'`)
}
