package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/ladderback/ladderback/archive/store"
)

// UsePacks lets the archive read blocks that are in packs. It must be called before
// any other method.
func (s *Store) UsePacks(r store.PackReader) { s.packs = r }

const packColumns = `p.id, p.address, p.name, p.bytes, p.blocks, p.at, p.sum`

// scanPack reads packColumns, and what follows them.
func scanPack(r pgx.Rows, more ...any) (p store.Pack, err error) {
	var sum int64
	err = r.Scan(append([]any{(*int64)(&p.ID), &p.Address, &p.Name, &p.Bytes, &p.Blocks, (*int64)(&p.At), &sum}, more...)...)
	if err != nil {
		return p, err
	}
	restore(&p.Address)
	return p, store.Check(&p, sum, "pack %s", p.Name)
}

// Depots returns all depots.
func (t *tx) Depots(ctx context.Context) ([]store.Depot, error) {
	return collect(ctx, t, `SELECT address, at FROM depots ORDER BY at, address`, nil, func(r pgx.Rows, d *store.Depot) error {
		err := r.Scan(&d.Address, (*int64)(&d.At))
		restore(&d.Address)
		return err
	})
}

// Packs returns all packs.
func (t *tx) Packs(ctx context.Context) ([]store.PackUse, error) {
	const query = `SELECT ` + packColumns + `, coalesce(b.used, 0), coalesce(b.bytes, 0)::bigint
		FROM packs p LEFT JOIN (SELECT pack, count(*) AS used, sum(bytes) AS bytes FROM blocks WHERE pack <> 0 GROUP BY pack) b ON b.pack = p.id
		ORDER BY p.at, p.id`
	return collect(ctx, t, query, nil, func(r pgx.Rows, p *store.PackUse) (err error) {
		p.Pack, err = scanPack(r, &p.Used, &p.UsedBytes)
		return err
	})
}

const refColumns = `token_id, kind, first, sequence, last, source, position, captures, changes, kinds, traded, bytes, checksum, anchor, keyframe, version`

// scanRef reads refColumns, and what follows them.
func scanRef(r pgx.Rows, b *store.BlockRef, more ...any) error {
	return r.Scan(append([]any{(*int64)(&b.Token), (*uint8)(&b.Stream), (*int64)(&b.First), &b.Sequence, (*int64)(&b.Last), (*int64)(&b.Source), &b.Position,
		&b.Captures, &b.Changes, (*uint16)(&b.Kinds), &b.Traded, &b.Bytes, &b.Checksum, (*int64)(&b.Anchor), &b.Keyframe, &b.Version}, more...)...)
}

// scanRow reads refColumns alone.
func scanRow(r pgx.Rows, b *store.BlockRef) error { return scanRef(r, b) }

// PackRefs returns blocks of a pack.
func (t *tx) PackRefs(ctx context.Context, pack store.ID, after int64, limit int) ([]store.PackedRef, error) {
	const query = `SELECT ` + refColumns + `, place FROM blocks WHERE pack = $1 AND pack <> 0 AND place > $2 ORDER BY place LIMIT $3`
	return collect(ctx, t, query, []any{int64(pack), after, limit}, func(r pgx.Rows, b *store.PackedRef) error {
		b.Pack = pack
		return scanRef(r, &b.BlockRef, &b.Offset)
	})
}

// Loose returns blocks that are in no pack.
func (t *tx) Loose(ctx context.Context, tokens []store.ID) ([]store.BlockRef, error) {
	return t.refs(ctx, `SELECT `+refColumns+` FROM blocks WHERE token_id = ANY ($1) AND kind BETWEEN 1 AND 4 AND pack = 0
		ORDER BY token_id, kind, first, sequence`, tokens)
}

// dropPacks removes depots, and packs that no block is in.
func (b *batch) dropPacks(c *store.Changes) {
	for _, address := range c.DropDepots {
		b.add("drop depot", `DELETE FROM depots WHERE address = $1`, keep(address))
	}
	if len(c.DropPacks) > 0 {
		b.add("drop packs", `DELETE FROM packs p WHERE id = ANY ($1::bigint[]) AND NOT EXISTS (SELECT 1 FROM blocks WHERE pack = p.id AND pack <> 0)`,
			numbers(c.DropPacks))
	}
}

var upsertPack = upsert("packs", 1, `id address name bytes blocks at sum`)

// putPacks puts depots and packs, and moves the bytes of blocks between their rows
// and packs.
func (t *writer) putPacks(ctx context.Context, c *store.Changes) error {
	b := &batch{}
	for _, d := range c.Depots {
		b.add("depot", `INSERT INTO depots (address, at) VALUES ($1, $2) ON CONFLICT DO NOTHING`, keep(d.Address), int64(d.At))
	}
	for i := range c.Packs {
		p := &c.Packs[i]
		b.add("pack", upsertPack, int64(p.ID), keep(p.Address), p.Name, p.Bytes, p.Blocks, int64(p.At), p.Sum())
	}
	for i := range c.Unpacked {
		k := &c.Unpacked[i]
		b.add("unpack", `UPDATE blocks SET data = $1, pack = 0, place = 0
			WHERE token_id = $2 AND kind = $3 AND first = $4 AND sequence = $5 AND pack <> 0 AND bytes = $6 AND checksum = $7`,
			k.Data, int64(k.Token), int16(k.Stream), int64(k.First), k.Sequence, int64(k.Bytes), int64(k.Checksum))
	}
	if err := t.send(ctx, b); err != nil {
		return err
	}
	return t.pack(ctx, c.Packed)
}

// pack takes the bytes of blocks out of their rows, for which packs have them.
func (t *writer) pack(ctx context.Context, blocks []store.PackedRef) error {
	if len(blocks) == 0 {
		return nil
	}
	const query = `UPDATE blocks b SET data = '', pack = k.pack, place = k.place
		FROM unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[])
			k(token_id, kind, first, sequence, bytes, checksum, pack, place)
		WHERE b.token_id = k.token_id AND b.kind = k.kind AND b.first = k.first AND b.sequence = k.sequence
			AND b.bytes = k.bytes AND b.checksum = k.checksum AND b.pack = 0`
	k := newBlockKeys(len(blocks))
	var bytes, checksums, packs, places []int64
	for i := range blocks {
		b := &blocks[i]
		k.add(&b.BlockRef)
		bytes, checksums = append(bytes, int64(b.Bytes)), append(checksums, int64(b.Checksum))
		packs, places = append(packs, int64(b.Pack)), append(places, b.Offset)
	}
	done, err := t.t.Exec(ctx, query, k.tokens, k.kinds, k.firsts, k.sequences, bytes, checksums, packs, places)
	if err != nil {
		return t.s.fail(ctx, fmt.Errorf("pack blocks: %w", err))
	}
	if n := done.RowsAffected(); n != int64(len(blocks)) {
		return fmt.Errorf("%d of %d blocks: %w", int64(len(blocks))-n, len(blocks), store.ErrChanged)
	}
	return nil
}

// pack returns a pack by its id. What an id stands for never changes.
func (s *Store) pack(ctx context.Context, q querier, id store.ID) (store.Pack, error) {
	if p, ok := s.known.Load(id); ok {
		return p.(store.Pack), nil
	}
	var p store.Pack
	err := each(ctx, q, `SELECT `+packColumns+` FROM packs p WHERE p.id = $1`, []any{int64(id)}, func(r pgx.Rows) (err error) {
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
