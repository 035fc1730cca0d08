package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/ladderback/ladderback/archive/sqlite/packed"
	"github.com/ladderback/ladderback/archive/sqlite/pool"
	"github.com/ladderback/ladderback/archive/sqlite/short"
	"github.com/ladderback/ladderback/archive/sqlite/txn"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// Watermarks returns the watermarks last stored.
func (t *tx) Watermarks(ctx context.Context) (map[market.Category]market.Instant, error) {
	m, err := moment(ctx, t.Link)
	if err != nil {
		return nil, t.Fail(err)
	}
	return m.Watermarks, nil
}

// Sources returns sources by id, or all.
func (t *tx) Sources(ctx context.Context, ids []store.SourceID) ([]store.Source, error) {
	query := `SELECT id, sha256, name, size, format, authority, licence, imported_at, complete, problem,
			messages, rejected, markets, captures, duplicates, changes, blocks, bytes, removed, sum
		FROM sources`
	var args []any
	if ids != nil {
		query += ` WHERE id IN (SELECT value FROM json_each(?))`
		args = []any{txn.List(ids)}
	}
	return pool.Collect(ctx, t, query+` ORDER BY imported_at, id`, args, func(r *sql.Rows, s *store.Source) error {
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
		return store.Check(s, sum, "source %s", s.Name)
	})
}

// Parts returns the parts of owners.
func (t *tx) Parts(ctx context.Context, owners []store.ID) ([]store.Part, error) {
	if len(owners) == 0 {
		return nil, nil
	}
	return t.parts(ctx, `owner IN (SELECT value FROM json_each(?)) ORDER BY owner, source, token, kind`, txn.List(owners))
}

// PartsAfter returns parts in order of their keys.
func (t *tx) PartsAfter(ctx context.Context, after store.PartKey, limit int) ([]store.Part, error) {
	return t.parts(ctx, `(owner, source, token, kind) > (?, ?, ?, ?) ORDER BY owner, source, token, kind LIMIT ?`,
		int64(after.Owner), int64(after.Source), int64(after.Token), int64(after.Stream), limit)
}

func (t *tx) parts(ctx context.Context, where string, args ...any) ([]store.Part, error) {
	const query = `SELECT owner, source, token, kind, whole, blocks, captures, changes, bytes, first, last, span, refs, sum FROM parts WHERE `
	return pool.Collect(ctx, t, query+where, args, func(r *sql.Rows, p *store.Part) error {
		var sum int64
		err := r.Scan(&p.Owner, &p.Source, &p.Token, &p.Stream, &p.Whole, &p.Blocks, &p.Captures, &p.Changes, &p.Bytes, &p.First, &p.Last, &p.Span, &p.Refs, &sum)
		if err != nil {
			return err
		}
		return store.Check(p, sum, "part of %v", p.Stream)
	})
}

// Blocks returns the blocks of the visible parts of a market.
func (t *tx) Blocks(ctx context.Context, row *store.MarketRow) ([]store.BlockRef, error) {
	return store.BlocksOf(ctx, t, row)
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
	out, err := packed.Refs(ctx, t.Link, where, append([]any{txn.List(tokens)}, args...))
	if err != nil {
		return nil, t.Fail(err)
	}
	return out, nil
}

// Tops returns the blocks of tops of markets.
func (t *tx) Tops(ctx context.Context, markets []store.ID) ([]store.BlockRef, error) {
	var out []store.BlockRef
	err := packed.Tops(ctx, t.Link, txn.List(markets), false, func(b store.Block) { out = append(out, b.BlockRef) })
	return out, t.Fail(err)
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
	err = packed.Tops(ctx, t.Link, txn.List(markets), true, func(b store.Block) { out.Tops = append(out.Tops, b) })
	return &out, t.Fail(err)
}

// BlockTokens returns tokens that have blocks.
func (t *tx) BlockTokens(ctx context.Context, after store.ID, limit int) ([]store.ID, error) {
	const query = `WITH RECURSIVE k(id) AS (
			SELECT min(token_id) FROM blocks WHERE token_id > ?
			UNION ALL SELECT (SELECT min(token_id) FROM blocks WHERE token_id > k.id) FROM k WHERE k.id IS NOT NULL)
		SELECT id FROM k WHERE id IS NOT NULL LIMIT ?`
	var out []store.ID
	err := t.Each(ctx, query, []any{int64(after), limit}, func(r *sql.Rows) error {
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
