package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/ladderback/ladderback/archive/sqlite/fresh"
	"github.com/ladderback/ladderback/archive/sqlite/packed"
	"github.com/ladderback/ladderback/archive/sqlite/pool"
	"github.com/ladderback/ladderback/archive/sqlite/short"
	"github.com/ladderback/ladderback/archive/store"
)

// Apply deletes, then stores.
func (t *tx) Apply(ctx context.Context, c *store.Changes) error {
	for _, step := range []func(context.Context, *store.Changes) error{
		t.drop, t.putSources, t.putCaptures, t.Catalogue.Put, t.putWatermarks, t.PutTallies, t.putPacks,
	} {
		if err := step(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) drop(ctx context.Context, c *store.Changes) error {
	steps := pool.Steps{On: t}
	for _, id := range c.DropSources {
		steps.Exec(ctx, `DELETE FROM sources WHERE id = ?`, int64(id))
	}
	for _, k := range c.DropParts {
		steps.Exec(ctx, `DELETE FROM parts WHERE owner = ? AND source = ? AND token = ? AND kind = ?`,
			int64(k.Owner), int64(k.Source), int64(k.Token), int64(k.Stream))
		steps.Exec(ctx, `DELETE FROM blocks WHERE token_id = ? AND kind = ? AND source = ?`,
			int64(k.Token), int64(k.Stream), int64(k.Source))
	}
	for _, id := range slices.Concat(c.DropMarkets, c.DropTops) {
		steps.Exec(ctx, `DELETE FROM blocks WHERE token_id = ? AND kind = 5`, int64(id))
	}
	if steps.Err != nil {
		return steps.Err
	}
	if err := t.Chunks.Drop(ctx, c.DropClaims); err != nil {
		return err
	}
	if err := t.Catalogue.Drop(ctx, c); err != nil {
		return err
	}
	return t.Fail(packed.Drop(ctx, t.Link, c))
}

func (t *tx) putSources(ctx context.Context, c *store.Changes) error {
	const query = `INSERT OR REPLACE INTO sources (id, sha256, name, size, format, authority, licence, imported_at, complete, problem,
			messages, rejected, markets, captures, duplicates, changes, blocks, bytes, removed, sum)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	steps := pool.Steps{On: t}
	for i := range c.Sources {
		s := &c.Sources[i]
		n := &s.Counts
		steps.Exec(ctx, query, int64(s.ID), s.SHA256[:], s.Name, s.Size, s.Format, int64(s.Authority), s.Licence, int64(s.ImportedAt), s.Complete, s.Problem,
			n.Messages, short.Text(n.Rejected), n.Markets, n.Captures, n.Duplicates, n.Changes, n.Blocks, n.Bytes, s.Removed, s.Sum())
	}
	return steps.Err
}

// putCaptures puts claims, parts and blocks.
func (t *tx) putCaptures(ctx context.Context, c *store.Changes) error {
	if err := t.Chunks.Put(ctx, c.Claims); err != nil {
		return err
	}
	const part = `INSERT OR REPLACE INTO parts (owner, source, token, kind, whole, blocks, captures, changes, bytes, first, last, span, refs, sum)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	steps := pool.Steps{On: t}
	for i := range c.Parts {
		p := &c.Parts[i]
		steps.Exec(ctx, part, int64(p.Owner), int64(p.Source), int64(p.Token), int64(p.Stream), p.Whole, p.Blocks, p.Captures,
			p.Changes, p.Bytes, int64(p.First), int64(p.Last), int64(p.Span), p.Refs, p.Sum())
	}
	if steps.Err != nil {
		return steps.Err
	}
	return t.PutBlocks(ctx, c.Blocks)
}

func (t *tx) putWatermarks(ctx context.Context, c *store.Changes) error {
	steps := pool.Steps{On: t}
	for category, at := range c.Watermarks {
		steps.Exec(ctx, `INSERT OR REPLACE INTO watermarks (category, at) VALUES (?, ?)`, string(category), int64(at))
	}
	return steps.Err
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
