package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/ladderback/ladderback/archive/sqlite/fresh"
	"github.com/ladderback/ladderback/archive/sqlite/packed"
	"github.com/ladderback/ladderback/archive/sqlite/pool"
	"github.com/ladderback/ladderback/archive/sqlite/short"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// Apply deletes, then stores.
func (t *tx) Apply(ctx context.Context, c *store.Changes) error {
	for _, step := range []func(context.Context, *store.Changes) error{
		t.drop, t.putSources, t.putCaptures, t.putMarkets, t.putEvents, t.putSeries, t.putWatermarks, t.putTallies, t.putPacks,
	} {
		if err := step(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) drop(ctx context.Context, c *store.Changes) error {
	for _, id := range c.DropSources {
		if err := t.exec(ctx, `DELETE FROM sources WHERE id = ?`, int64(id)); err != nil {
			return err
		}
	}
	if err := t.dropClaims(ctx, c.DropClaims); err != nil {
		return err
	}
	for _, k := range c.DropParts {
		if err := t.exec(ctx, `DELETE FROM parts WHERE owner = ? AND source = ? AND token = ? AND kind = ?`,
			int64(k.Owner), int64(k.Source), int64(k.Token), int64(k.Stream)); err != nil {
			return err
		}
		if err := t.exec(ctx, `DELETE FROM blocks WHERE token_id = ? AND kind = ? AND source = ?`,
			int64(k.Token), int64(k.Stream), int64(k.Source)); err != nil {
			return err
		}
	}
	if err := t.dropMarkets(ctx, c); err != nil {
		return err
	}
	for _, id := range c.DropEvents {
		if err := t.dropGroup(ctx, `DELETE FROM events WHERE id = ?`, store.EventClaim, `SELECT category, tags FROM events WHERE id = ?`, id); err != nil {
			return err
		}
	}
	for _, id := range c.DropSeries {
		if err := t.dropGroup(ctx, `DELETE FROM series WHERE id = ?`, store.SeriesClaim, `SELECT category, tags FROM series WHERE id = ?`, id); err != nil {
			return err
		}
	}
	return t.s.fail(packed.Drop(ctx, t.l, c))
}

// dropMarkets removes markets, and tops of others.
func (t *tx) dropMarkets(ctx context.Context, c *store.Changes) error {
	for _, id := range c.DropMarkets {
		if err := t.dropMarket(ctx, id); err != nil {
			return err
		}
	}
	for _, id := range c.DropTops {
		if err := t.exec(ctx, dropTops, int64(id)); err != nil {
			return err
		}
	}
	return nil
}

const dropTops = `DELETE FROM blocks WHERE token_id = ? AND kind = 5`

// dropMarket removes a market's row with all that stands beside it.
func (t *tx) dropMarket(ctx context.Context, id store.ID) error {
	if err := t.dropTags(ctx, store.MarketClaim, `SELECT category, tags FROM markets WHERE id = ?`, id); err != nil {
		return err
	}
	for _, q := range []string{
		`DELETE FROM gaps WHERE token_id IN (SELECT id FROM tokens WHERE market_id = ?)`,
		`DELETE FROM tokens WHERE market_id = ?`,
		`DELETE FROM schedules WHERE market_id = ?`,
		dropTops,
		`DELETE FROM markets WHERE id = ?`,
	} {
		if err := t.exec(ctx, q, int64(id)); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) dropGroup(ctx context.Context, del string, kind store.ClaimKind, sel string, id store.ID) error {
	if err := t.dropTags(ctx, kind, sel, id); err != nil {
		return err
	}
	return t.exec(ctx, del, int64(id))
}

// dropTags removes the tags of a row, which the query sel gives with its
// category.
func (t *tx) dropTags(ctx context.Context, kind store.ClaimKind, sel string, id store.ID) error {
	var category market.Category
	var tags []string
	err := t.each(ctx, sel, []any{int64(id)}, func(r *sql.Rows) error {
		var raw sql.RawBytes
		if err := r.Scan(&category, &raw); err != nil {
			return err
		}
		return short.Untext(raw, &tags)
	})
	if err != nil {
		return err
	}
	return t.deleteTags(ctx, kind, id, category, tags)
}

func (t *tx) putSources(ctx context.Context, c *store.Changes) error {
	const query = `INSERT OR REPLACE INTO sources (id, sha256, name, size, format, authority, licence, imported_at, complete, problem,
			messages, rejected, markets, captures, duplicates, changes, blocks, bytes, removed, sum)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	for i := range c.Sources {
		s := &c.Sources[i]
		n := &s.Counts
		err := t.exec(ctx, query, int64(s.ID), s.SHA256[:], s.Name, s.Size, s.Format, int64(s.Authority), s.Licence, int64(s.ImportedAt), s.Complete, s.Problem,
			n.Messages, short.Text(n.Rejected), n.Markets, n.Captures, n.Duplicates, n.Changes, n.Blocks, n.Bytes, s.Removed, s.Sum())
		if err != nil {
			return err
		}
	}
	return nil
}

// putCaptures puts claims, parts and blocks.
func (t *tx) putCaptures(ctx context.Context, c *store.Changes) error {
	if err := t.putClaims(ctx, c.Claims); err != nil {
		return err
	}
	const part = `INSERT OR REPLACE INTO parts (owner, source, token, kind, whole, blocks, captures, changes, bytes, first, last, span, refs, sum)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	for i := range c.Parts {
		p := &c.Parts[i]
		if err := t.exec(ctx, part, int64(p.Owner), int64(p.Source), int64(p.Token), int64(p.Stream), p.Whole, p.Blocks, p.Captures,
			p.Changes, p.Bytes, int64(p.First), int64(p.Last), int64(p.Span), p.Refs, p.Sum()); err != nil {
			return err
		}
	}
	return t.PutBlocks(ctx, c.Blocks)
}

func (t *tx) putWatermarks(ctx context.Context, c *store.Changes) error {
	for category, at := range c.Watermarks {
		if err := t.exec(ctx, `INSERT OR REPLACE INTO watermarks (category, at) VALUES (?, ?)`, string(category), int64(at)); err != nil {
			return err
		}
	}
	return nil
}

// Shrink returns free pages to the system.
func (s *Store) Shrink(ctx context.Context) error {
	if s.writer == nil {
		return fmt.Errorf("%s: %w", s.path, store.ErrReadOnly)
	}
	err := s.writer.Transact(ctx, "BEGIN IMMEDIATE", func(l *pool.Link) error {
		if err := fresh.Write(l); err != nil {
			return err
		}
		// Each step of the statement frees a page.
		if err := l.Each(ctx, `PRAGMA incremental_vacuum`, nil, func(*sql.Rows) error { return nil }); err != nil {
			return err
		}
		return s.settle(ctx, l)
	})
	if err != nil {
		return s.fail(err)
	}
	l, err := s.writer.Take(ctx)
	if err != nil {
		return s.fail(err)
	}
	defer s.writer.Give(l, true)
	return s.fail(l.Each(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`, nil, func(*sql.Rows) error { return nil }))
}
