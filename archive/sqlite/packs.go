package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/ladderback/ladderback/archive/sqlite/pool"
	"github.com/ladderback/ladderback/archive/store"
)

// UsePacks lets the archive read blocks that are in packs. It must be called before
// any other method.
func (s *Store) UsePacks(r store.PackReader) { s.packs = r }

const packColumns = `p.id, p.address, p.name, p.bytes, p.blocks, p.at, p.sum`

// scanPack reads packColumns, and what follows them.
func scanPack(r *sql.Rows, more ...any) (p store.Pack, err error) {
	var sum int64
	err = r.Scan(append([]any{&p.ID, &p.Address, &p.Name, &p.Bytes, &p.Blocks, &p.At, &sum}, more...)...)
	if err != nil {
		return p, err
	}
	return p, store.Check(&p, sum, "pack %s", p.Name)
}

// Depots returns all depots.
func (t *tx) Depots(ctx context.Context) ([]store.Depot, error) {
	var out []store.Depot
	err := t.each(ctx, `SELECT address, at FROM depots ORDER BY at, address`, nil, func(r *sql.Rows) error {
		var d store.Depot
		err := r.Scan(&d.Address, &d.At)
		out = append(out, d)
		return err
	})
	return out, err
}

// Packs returns all packs.
func (t *tx) Packs(ctx context.Context) ([]store.PackUse, error) {
	const query = `SELECT ` + packColumns + `, count(b.pack), coalesce(sum(b.bytes), 0)
		FROM packs p LEFT JOIN blocks b ON b.pack = p.id AND b.pack <> 0 GROUP BY p.id ORDER BY p.at, p.id`
	var out []store.PackUse
	err := t.each(ctx, query, nil, func(r *sql.Rows) (err error) {
		var p store.PackUse
		p.Pack, err = scanPack(r, &p.Used, &p.UsedBytes)
		out = append(out, p)
		return err
	})
	return out, err
}

const refColumns = `token_id, kind, first, sequence, last, source, position, captures, changes, kinds, traded, bytes, checksum, anchor, keyframe, version`

// scanRef reads refColumns, and what follows them.
func scanRef(r *sql.Rows, b *store.BlockRef, more ...any) error {
	return r.Scan(append([]any{&b.Token, &b.Stream, &b.First, &b.Sequence, &b.Last, &b.Source, &b.Position, &b.Captures, &b.Changes,
		&b.Kinds, &b.Traded, &b.Bytes, &b.Checksum, &b.Anchor, &b.Keyframe, &b.Version}, more...)...)
}

// PackRefs returns blocks of a pack.
func (t *tx) PackRefs(ctx context.Context, pack store.ID, after int64, limit int) ([]store.PackedRef, error) {
	const query = `SELECT ` + refColumns + `, place FROM blocks WHERE pack = ?1 AND pack <> 0 AND place > ?2 ORDER BY place LIMIT ?3`
	var out []store.PackedRef
	err := t.each(ctx, query, []any{int64(pack), after, limit}, func(r *sql.Rows) error {
		b := store.PackedRef{Place: store.Place{Pack: pack}}
		err := scanRef(r, &b.BlockRef, &b.Offset)
		out = append(out, b)
		return err
	})
	return out, err
}

// Loose returns blocks that are in no pack.
func (t *tx) Loose(ctx context.Context, tokens []store.ID) ([]store.BlockRef, error) {
	return t.refs(ctx, `SELECT `+refColumns+` FROM blocks WHERE token_id = ? AND kind BETWEEN 1 AND 4 AND pack = 0 ORDER BY kind, first, sequence`, tokens)
}

// PutBlocks puts blocks into rows.
func (t *tx) PutBlocks(ctx context.Context, blocks []store.Block) error {
	const query = `INSERT INTO blocks (token_id, kind, first, sequence, last, source, position, captures, changes, kinds, traded, bytes,
			checksum, anchor, keyframe, version, data)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
	for i := range blocks {
		b := &blocks[i]
		if err := t.exec(ctx, query, int64(b.Token), int64(b.Stream), int64(b.First), b.Sequence, int64(b.Last), int64(b.Source), b.Position,
			b.Captures, b.Changes, int64(b.Kinds), b.Traded, b.Bytes, int64(b.Checksum), int64(b.Anchor), b.Keyframe, int64(b.Version), b.Data); err != nil {
			return err
		}
	}
	return nil
}

// dropPacks removes depots, and packs that no block is in.
func (t *tx) dropPacks(ctx context.Context, c *store.Changes) error {
	for _, address := range c.DropDepots {
		if err := t.exec(ctx, `DELETE FROM depots WHERE address = ?`, address); err != nil {
			return err
		}
	}
	for _, id := range c.DropPacks {
		if err := t.exec(ctx, `DELETE FROM packs WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM blocks WHERE pack = ?1 AND pack <> 0)`, int64(id)); err != nil {
			return err
		}
	}
	return nil
}

// putPacks puts depots and packs, and moves the bytes of blocks between their rows
// and packs.
func (t *tx) putPacks(ctx context.Context, c *store.Changes) error {
	for _, d := range c.Depots {
		if err := t.exec(ctx, `INSERT INTO depots (address, at) VALUES (?, ?) ON CONFLICT DO NOTHING`, d.Address, int64(d.At)); err != nil {
			return err
		}
	}
	for i := range c.Packs {
		p := &c.Packs[i]
		if err := t.exec(ctx, `INSERT OR REPLACE INTO packs (id, address, name, bytes, blocks, at, sum) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			int64(p.ID), p.Address, p.Name, p.Bytes, p.Blocks, int64(p.At), p.Sum()); err != nil {
			return err
		}
	}
	const key = ` WHERE token_id = ? AND kind = ? AND first = ? AND sequence = ?`
	for i := range c.Packed {
		b := &c.Packed[i]
		n, err := t.change(ctx, `UPDATE blocks SET data = x'', pack = ?, place = ?`+key+` AND pack = 0 AND bytes = ? AND checksum = ?`,
			int64(b.Pack), b.Offset, int64(b.Token), int64(b.Stream), int64(b.First), b.Sequence, b.Bytes, int64(b.Checksum))
		if err == nil && n != 1 {
			err = fmt.Errorf("%v: %w", &b.BlockRef, store.ErrChanged)
		}
		if err != nil {
			return err
		}
	}
	for i := range c.Unpacked {
		b := &c.Unpacked[i]
		if err := t.exec(ctx, `UPDATE blocks SET data = ?, pack = 0, place = 0`+key+` AND pack <> 0 AND bytes = ? AND checksum = ?`,
			b.Data, int64(b.Token), int64(b.Stream), int64(b.First), b.Sequence, b.Bytes, int64(b.Checksum)); err != nil {
			return err
		}
	}
	return nil
}

// change runs a statement and returns how many rows it changed.
func (t *tx) change(ctx context.Context, query string, args ...any) (n int64, err error) {
	st, done, err := t.l.Prepare(ctx, query)
	if err == nil {
		var result sql.Result
		if result, err = st.ExecContext(ctx, args...); err == nil {
			n, err = result.RowsAffected()
		}
		err = errors.Join(err, done())
	}
	if err != nil {
		return 0, t.s.fail(fmt.Errorf("%s: %w", pool.FirstWords(query), err))
	}
	return n, nil
}

const readBlock = `SELECT data, pack, place FROM blocks WHERE token_id = ? AND kind = ? AND first = ? AND sequence = ?`

// ReadBlocks reads committed blocks.
func (s *Store) ReadBlocks(ctx context.Context, refs []store.BlockRef, f func(int, []byte) error) error {
	return s.owned(store.ReadFrom(ctx, s.packs, len(refs), f, func(which []int, _ bool, f func(int, []byte) error) ([]store.Piece, error) {
		return s.readRows(ctx, refs, which, f)
	}))
}

// ReadBlocks reads blocks, those of the transaction too.
func (t *tx) ReadBlocks(ctx context.Context, refs []store.BlockRef, f func(int, []byte) error) error {
	return t.s.owned(store.ReadFrom(ctx, t.s.packs, len(refs), f, func(which []int, again bool, f func(int, []byte) error) ([]store.Piece, error) {
		if again { // what this transaction sees is of before they were moved
			return t.s.readRows(ctx, refs, which, f)
		}
		return t.s.readOn(ctx, t.l, refs, which, f)
	}))
}

// readRows is readOn with a connection of its own.
func (s *Store) readRows(ctx context.Context, refs []store.BlockRef, which []int, f func(int, []byte) error) ([]store.Piece, error) {
	if len(which) == 0 {
		return nil, nil
	}
	l, err := s.readers.Take(ctx)
	if err != nil {
		return nil, s.fail(err)
	}
	defer s.readers.Give(l, true)
	if err := s.inPlace(); err != nil {
		return nil, err
	}
	return s.readOn(ctx, l, refs, which, f)
}

// readOn passes the bytes of those blocks to f whose row has them, and returns the
// others as pieces of packs.
func (s *Store) readOn(ctx context.Context, l *pool.Link, refs []store.BlockRef, which []int, f func(int, []byte) error) ([]store.Piece, error) {
	var pieces []store.Piece
	for _, i := range which {
		ref, found := &refs[i], false
		args := []any{int64(ref.Token), int64(ref.Stream), int64(ref.First), ref.Sequence}
		var in store.Place
		err := l.Each(ctx, readBlock, args, func(r *sql.Rows) error {
			var data sql.RawBytes
			if err := r.Scan(&data, &in.Pack, &in.Offset); err != nil {
				return err
			}
			found = true
			if in.Pack != 0 {
				return nil
			}
			return f(i, data)
		})
		switch {
		case err != nil:
		case !found:
			err = fmt.Errorf("%w: it is missing", store.ErrDamaged)
		case in.Pack != 0:
			var p store.Pack
			p, err = s.pack(ctx, l, in.Pack)
			pieces = append(pieces, store.Piece{Pack: p, Offset: in.Offset, Ref: ref, Index: i})
		}
		if err != nil {
			return nil, fmt.Errorf("%v: %w", ref, err)
		}
	}
	return pieces, nil
}

// pack returns a pack by its id. What an id stands for never changes.
func (s *Store) pack(ctx context.Context, l *pool.Link, id store.ID) (store.Pack, error) {
	if p, ok := s.known.Load(id); ok {
		return p.(store.Pack), nil
	}
	var p store.Pack
	err := l.Each(ctx, `SELECT `+packColumns+` FROM packs p WHERE p.id = ?`, []any{int64(id)}, func(r *sql.Rows) (err error) {
		p, err = scanPack(r)
		return err
	})
	if err == nil && p.ID == 0 {
		err = fmt.Errorf("%w: the row of its pack is missing", store.ErrDamaged)
	}
	if err == nil {
		s.known.Store(id, p)
	}
	return p, err
}

// noStep is the step of a migration that is done by its statements alone.
func (t *tx) noStep(context.Context) error { return nil }
