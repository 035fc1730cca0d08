package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// ids runs a query of one column of ids.
func (t *tx) ids(ctx context.Context, query string, args ...any) ([]store.ID, error) {
	return collect(ctx, t, query, args, func(r pgx.Rows, id *store.ID) error { return r.Scan((*int64)(id)) })
}

// Tokens returns the markets that have a token of that public id.
func (t *tx) Tokens(ctx context.Context, venueID string) ([]store.ID, error) {
	return t.ids(ctx, `SELECT id FROM markets WHERE token_ids @> ARRAY[$1::bigint] AND $2::text = ANY (tokens) ORDER BY id`, tokenHash(venueID), keep(venueID))
}

// Tags returns the tags in use.
func (t *tx) Tags(ctx context.Context, c market.Category) ([]string, error) {
	return collect(ctx, t, `SELECT DISTINCT tag FROM tags WHERE $1 = '' OR category = $1 ORDER BY tag`, []any{keep(string(c))}, func(r pgx.Rows, tag *string) error {
		err := r.Scan(tag)
		restore(tag)
		return err
	})
}

// Totals returns the totals of events or series.
func (t *tx) Totals(ctx context.Context, g store.Group, ids []store.ID) (map[store.ID]store.Totals, error) {
	column := "event"
	if g == store.BySeries {
		column = "series"
	}
	query := `SELECT ` + column + `, count(*), count(*) FILTER (WHERE status = 0), count(*) FILTER (WHERE status = 2), min(category),
			coalesce(min(nullif(start_at, 0)), 0), max(end_at), max(updated_at)
		FROM markets WHERE ` + column + ` <> 0 AND ` + column + ` = ANY ($1::bigint[]) AND category <> '' GROUP BY ` + column
	out := map[store.ID]store.Totals{}
	if len(ids) == 0 {
		return out, nil
	}
	err := t.each(ctx, query, []any{numbers(ids)}, func(r pgx.Rows) error {
		var id int64
		var v store.Totals
		err := r.Scan(&id, &v.Markets, &v.Open, &v.Resolved, (*string)(&v.Category), (*int64)(&v.Start), (*int64)(&v.End), (*int64)(&v.UpdatedAt))
		out[store.ID(id)] = v
		return err
	})
	return out, err
}

// Watermarks returns the watermarks last stored.
func (t *tx) Watermarks(ctx context.Context) (map[market.Category]market.Instant, error) {
	m, err := moment(ctx, t.q)
	return m.Watermarks, t.s.fail(ctx, err)
}

// NewestCapture returns the newest capture of a category.
func (t *tx) NewestCapture(ctx context.Context, c market.Category) (market.Instant, error) {
	at, err := one[int64](ctx, t, `SELECT coalesce(max(last), 0) FROM markets WHERE category = $1`, string(c))
	return market.Instant(at), err
}

// Sources returns sources by id, or all.
func (t *tx) Sources(ctx context.Context, ids []store.SourceID) ([]store.Source, error) {
	return t.sources(ctx, ids, func(s *store.Source, sum int64) error { return store.Check(s, sum, "source %s", s.Name) })
}

// sources returns sources, of which check is told the checksum kept beside each.
func (t *tx) sources(ctx context.Context, ids []store.SourceID, check func(*store.Source, int64) error) ([]store.Source, error) {
	query := `SELECT id, sha256, name, size, format, authority, licence, imported_at, complete, problem,
			messages, rejected::text, markets, captures, duplicates, changes, blocks, bytes, removed, sum
		FROM sources`
	var args []any
	if ids != nil {
		query += ` WHERE id = ANY ($1::bigint[])`
		args = []any{numbers(ids)}
	}
	return collect(ctx, t, query+` ORDER BY imported_at, id`, args, func(r pgx.Rows, s *store.Source) error {
		var hash []byte
		var sum int64
		var rejected string
		c := &s.Counts
		err := r.Scan((*int64)(&s.ID), &hash, &s.Name, &s.Size, &s.Format, (*uint8)(&s.Authority), &s.Licence, (*int64)(&s.ImportedAt), &s.Complete, &s.Problem,
			&c.Messages, &rejected, &c.Markets, &c.Captures, &c.Duplicates, &c.Changes, &c.Blocks, &c.Bytes, &s.Removed, &sum)
		if err != nil {
			return err
		}
		restore(&s.Name, &s.Format, &s.Licence, &s.Problem)
		copy(s.SHA256[:], hash)
		if rejected != "{}" {
			if err := json.Unmarshal([]byte(rejected), &c.Rejected); err != nil {
				return fmt.Errorf("source %d: rejection counts: %w: %w", s.ID, store.ErrDamaged, err)
			}
		}
		return check(s, sum)
	})
}

// manyOwners is of how many owners it takes less to ask first which are behind all that
// there are claims about, as names are of which nothing is said.
const manyOwners = 1000

// Claims returns the claims about owners.
func (t *tx) Claims(ctx context.Context, k store.ClaimKind, owners []store.ID) ([]store.Claim, error) {
	ids := numbers(owners)
	if len(ids) >= manyOwners {
		last, err := t.ids(ctx, `SELECT owner FROM claims WHERE kind = $1 ORDER BY owner DESC LIMIT 1`, int16(k))
		if err != nil {
			return nil, err
		}
		ids = slices.DeleteFunc(ids, func(id int64) bool { return len(last) == 0 || id > int64(last[0]) })
	}
	if len(ids) == 0 {
		return nil, nil
	}
	const query = `SELECT owner, source, doc FROM claims
		WHERE kind = $1 AND owner = ANY ($2::bigint[]) ORDER BY owner, source`
	return collect(ctx, t, query, []any{int16(k), ids}, func(r pgx.Rows, c *store.Claim) error {
		c.Kind = k
		return r.Scan((*int64)(&c.Owner), (*int64)(&c.Source), &c.Doc)
	})
}

// ClaimsOf returns claims of one source.
func (t *tx) ClaimsOf(ctx context.Context, s store.SourceID, after store.ClaimKey, limit int) ([]store.ClaimKey, error) {
	const query = `SELECT kind, owner FROM claims WHERE source = $1 AND (kind, owner) > ($2, $3)
		ORDER BY kind, owner LIMIT $4`
	owner := after.Owner
	if after.Kind == 0 {
		owner = -1
	}
	return collect(ctx, t, query, []any{int64(s), int16(after.Kind), int64(owner), limit}, func(r pgx.Rows, k *store.ClaimKey) error {
		k.Source = s
		return r.Scan((*uint8)(&k.Kind), (*int64)(&k.Owner))
	})
}

// Blocks returns the blocks of the visible parts of a market.
func (t *tx) Blocks(ctx context.Context, row *store.MarketRow) ([]store.BlockRef, error) {
	return store.BlocksOf(ctx, t, row)
}

// partsOf selects the parts of owners.
const partsOf = `owner = ANY ($1::bigint[]) ORDER BY owner, source, token, kind`

// Parts returns the parts of owners.
func (t *tx) Parts(ctx context.Context, owners []store.ID) ([]store.Part, error) {
	if len(owners) == 0 {
		return nil, nil
	}
	return t.parts(ctx, partsOf, numbers(owners))
}

// PartsAfter returns parts in order of their keys.
func (t *tx) PartsAfter(ctx context.Context, after store.PartKey, limit int) ([]store.Part, error) {
	return t.parts(ctx, `(owner, source, token, kind) > ($1, $2, $3, $4) ORDER BY owner, source, token, kind LIMIT $5`,
		int64(after.Owner), int64(after.Source), int64(after.Token), int16(after.Stream), limit)
}

func (t *tx) parts(ctx context.Context, where string, args ...any) ([]store.Part, error) {
	return collect(ctx, t, `SELECT `+partColumns+` FROM parts WHERE `+where, args, scanPart)
}

const partColumns = `owner, source, token, kind, whole, blocks, captures, changes, bytes, first, last, span, refs, sum`

// scanPart reads partColumns.
func scanPart(r pgx.Rows, p *store.Part) error {
	sum, err := scanPartSum(r, p)
	if err != nil {
		return err
	}
	return store.Check(p, sum, "part of %v", p.Stream)
}

// scanPartSum is scanPart without comparing the part with the checksum beside it.
func scanPartSum(r pgx.Rows, p *store.Part) (sum int64, err error) {
	err = r.Scan((*int64)(&p.Owner), (*int64)(&p.Source), (*int64)(&p.Token), (*uint8)(&p.Stream), &p.Whole, &p.Blocks, &p.Captures, &p.Changes, &p.Bytes,
		(*int64)(&p.First), (*int64)(&p.Last), (*int64)(&p.Span), &p.Refs, &sum)
	return sum, err
}
