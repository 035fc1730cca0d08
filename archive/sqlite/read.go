package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/ladderback/ladderback/archive/sqlite/packed"
	"github.com/ladderback/ladderback/archive/sqlite/short"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// Tokens returns the markets that have a token of that public id. A derived one is
// the market's own id, a colon and more.
func (t *tx) Tokens(ctx context.Context, venueID string) ([]store.ID, error) {
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
	return t.ids(ctx, query, venueID, short.Text(markets))
}

// CountMarkets returns how many markets there are.
func (t *tx) CountMarkets(ctx context.Context) (int64, error) {
	var n int64
	err := t.each(ctx, `SELECT count(*) FROM markets`, nil, func(r *sql.Rows) error { return r.Scan(&n) })
	return n, err
}

// Tags returns the tags in use by looking up the next tag after each, so the
// cost depends on the number of tags, not of markets.
func (t *tx) Tags(ctx context.Context, c market.Category) ([]string, error) {
	const all = `WITH RECURSIVE t(tag) AS (
			SELECT min(tag) FROM tags
			UNION ALL SELECT (SELECT min(tag) FROM tags WHERE tag > t.tag) FROM t WHERE t.tag IS NOT NULL)
		SELECT tag FROM t WHERE tag IS NOT NULL
			AND (?1 = '' OR EXISTS (SELECT 1 FROM tags u WHERE u.tag = t.tag AND u.category = ?1))`
	var out []string
	err := t.each(ctx, all, []any{string(c)}, func(r *sql.Rows) error {
		var tag string
		err := r.Scan(&tag)
		out = append(out, tag)
		return err
	})
	return out, err
}

// totalsOf sums up markets by a column, of which a list is bound: of its values, or of numbers
// of markets. The column's index has no markets of none, which the query must say: a list may
// have 0 in it.
func totalsOf(column, bound string) string {
	return `SELECT ` + column + `, count(*), sum(status = 0), sum(status = 2), min(category),
			coalesce(min(nullif(start_at, 0)), 0), max(end_at), max(updated_at)
		FROM markets WHERE ` + column + ` <> 0 AND ` + bound + ` ` + inList + ` AND category <> '' GROUP BY ` + column
}

// Totals returns the totals of events or series.
func (t *tx) Totals(ctx context.Context, g store.Group, ids []store.ID) (map[store.ID]store.Totals, error) {
	out := map[store.ID]store.Totals{}
	if len(ids) == 0 {
		return out, nil
	}
	query, bound := totalsOf("series", "series"), list(ids)
	if g == store.ByEvent {
		numbers, err := t.rows(ctx, eventsOf, ids)
		if err != nil {
			return nil, err
		}
		query, bound = totalsOf("event", "number"), list(numbers)
	}
	err := t.each(ctx, query, []any{bound}, func(r *sql.Rows) error {
		var id store.ID
		var v store.Totals
		err := r.Scan(&id, &v.Markets, &v.Open, &v.Resolved, &v.Category, &v.Start, &v.End, &v.UpdatedAt)
		out[id] = v
		return err
	})
	return out, err
}

// Watermarks returns the watermarks last stored.
func (t *tx) Watermarks(ctx context.Context) (map[market.Category]market.Instant, error) {
	m, err := moment(ctx, t.l)
	if err != nil {
		return nil, t.s.fail(err)
	}
	return m.Watermarks, nil
}

// NewestCapture returns the newest capture of a category.
func (t *tx) NewestCapture(ctx context.Context, c market.Category) (market.Instant, error) {
	var at market.Instant
	err := t.each(ctx, `SELECT coalesce(max(last), 0) FROM markets WHERE category = ? AND last <> 0`, []any{string(c)}, func(r *sql.Rows) error {
		return r.Scan(&at)
	})
	return at, err
}

// Sources returns sources by id, or all.
func (t *tx) Sources(ctx context.Context, ids []store.SourceID) ([]store.Source, error) {
	out, sums, err := t.sources(ctx, ids)
	for i := range out {
		if err == nil {
			err = store.Check(&out[i], sums[i], "source %s", out[i].Name)
		}
	}
	return out, err
}

// sources returns sources with the checksums kept beside them.
func (t *tx) sources(ctx context.Context, ids []store.SourceID) (out []store.Source, sums []int64, err error) {
	query := `SELECT id, sha256, name, size, format, authority, licence, imported_at, complete, problem,
			messages, rejected, markets, captures, duplicates, changes, blocks, bytes, removed, sum
		FROM sources`
	var args []any
	if ids != nil {
		query += ` WHERE id IN (SELECT value FROM json_each(?))`
		args = []any{list(ids)}
	}
	err = t.each(ctx, query+` ORDER BY imported_at, id`, args, func(r *sql.Rows) error {
		var s store.Source
		var hash, rejected sql.RawBytes
		var sum int64
		c := &s.Counts
		err := r.Scan(&s.ID, &hash, &s.Name, &s.Size, &s.Format, &s.Authority, &s.Licence, &s.ImportedAt, &s.Complete, &s.Problem,
			&c.Messages, &rejected, &c.Markets, &c.Captures, &c.Duplicates, &c.Changes, &c.Blocks, &c.Bytes, &s.Removed, &sum)
		if err != nil {
			return err
		}
		copy(s.SHA256[:], hash)
		if err := short.Untext(rejected, &c.Rejected); err != nil {
			return err
		}
		out, sums = append(out, s), append(sums, sum)
		return nil
	})
	return out, sums, err
}

// Parts returns the parts of owners.
func (t *tx) Parts(ctx context.Context, owners []store.ID) ([]store.Part, error) {
	if len(owners) == 0 {
		return nil, nil
	}
	return t.parts(ctx, `owner IN (SELECT value FROM json_each(?)) ORDER BY owner, source, token, kind`, list(owners))
}

// PartsAfter returns parts in order of their keys.
func (t *tx) PartsAfter(ctx context.Context, after store.PartKey, limit int) ([]store.Part, error) {
	return t.parts(ctx, `(owner, source, token, kind) > (?, ?, ?, ?) ORDER BY owner, source, token, kind LIMIT ?`,
		int64(after.Owner), int64(after.Source), int64(after.Token), int64(after.Stream), limit)
}

func (t *tx) parts(ctx context.Context, where string, args ...any) ([]store.Part, error) {
	parts, sums, err := t.partRows(ctx, where, args...)
	for i := range parts {
		if err == nil {
			err = store.Check(&parts[i], sums[i], "part of %v", parts[i].Stream)
		}
	}
	return parts, err
}

// partRows returns parts with the checksums kept beside them.
func (t *tx) partRows(ctx context.Context, where string, args ...any) (out []store.Part, sums []int64, err error) {
	const query = `SELECT owner, source, token, kind, whole, blocks, captures, changes, bytes, first, last, span, refs, sum FROM parts WHERE `
	err = t.each(ctx, query+where, args, func(r *sql.Rows) error {
		var p store.Part
		var sum int64
		err := r.Scan(&p.Owner, &p.Source, &p.Token, &p.Stream, &p.Whole, &p.Blocks, &p.Captures, &p.Changes, &p.Bytes, &p.First, &p.Last, &p.Span, &p.Refs, &sum)
		out, sums = append(out, p), append(sums, sum)
		return err
	})
	return out, sums, err
}

// Refs returns the blocks of tokens.
func (t *tx) Refs(ctx context.Context, tokens []store.ID, from, to market.Instant) ([]store.BlockRef, error) {
	return t.refs(ctx, ` AND first BETWEEN ? AND ?`, tokens, int64(from), int64(to))
}

// refs returns the blocks of tokens that pass a condition, as of Refs.
func (t *tx) refs(ctx context.Context, where string, tokens []store.ID, args ...any) ([]store.BlockRef, error) {
	if len(tokens) == 0 {
		return nil, nil
	}
	out, err := packed.Refs(ctx, t.l, where, append([]any{list(tokens)}, args...))
	if err != nil {
		return nil, t.s.fail(err)
	}
	return out, nil
}

// Tops returns the blocks of tops of markets.
func (t *tx) Tops(ctx context.Context, markets []store.ID) ([]store.BlockRef, error) {
	var out []store.BlockRef
	err := packed.Tops(ctx, t.l, list(markets), false, func(b store.Block) { out = append(out, b.BlockRef) })
	return out, t.s.fail(err)
}

// Places returns where captures are.
func (t *tx) Places(ctx context.Context, owners, tokens, markets []store.ID) (*store.Places, error) {
	var out store.Places
	var err error
	if out.Parts, err = t.Parts(ctx, owners); err != nil {
		return nil, err
	}
	if out.Refs, err = t.Refs(ctx, tokens, market.Earliest, market.Latest); err != nil {
		return nil, err
	}
	if len(markets) == 0 {
		return &out, nil
	}
	err = packed.Tops(ctx, t.l, list(markets), true, func(b store.Block) { out.Tops = append(out.Tops, b) })
	return &out, t.s.fail(err)
}

// BlockTokens returns tokens that have blocks.
func (t *tx) BlockTokens(ctx context.Context, after store.ID, limit int) ([]store.ID, error) {
	const query = `WITH RECURSIVE k(id) AS (
			SELECT min(token_id) FROM blocks WHERE token_id > ?
			UNION ALL SELECT (SELECT min(token_id) FROM blocks WHERE token_id > k.id) FROM k WHERE k.id IS NOT NULL)
		SELECT id FROM k WHERE id IS NOT NULL LIMIT ?`
	var out []store.ID
	err := t.each(ctx, query, []any{int64(after), limit}, func(r *sql.Rows) error {
		last := after
		if err := r.Scan(&after); err != nil {
			return err
		}
		if after <= last { // an index whose pages are not its own; asking on would never end
			return fmt.Errorf("tokens of blocks: %w: their index is out of order", store.ErrDamaged)
		}
		out = append(out, after)
		return nil
	})
	return out, err
}
