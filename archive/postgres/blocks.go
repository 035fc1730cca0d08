package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// readGroup is how many blocks one query reads.
const readGroup = 16

// Refs returns the blocks of tokens.
func (t *tx) Refs(ctx context.Context, tokens []store.ID, from, to market.Instant) ([]store.BlockRef, error) {
	return t.refs(ctx, refsIn, tokens, int64(from), int64(to))
}

// refsIn selects the blocks of tokens whose first capture lies in a span.
const refsIn = `SELECT ` + refColumns + ` FROM blocks WHERE token_id = ANY($1) AND kind BETWEEN 1 AND 4 AND first BETWEEN $2 AND $3
	ORDER BY token_id, kind, first, sequence`

// refs returns the blocks of tokens that a query gives.
func (t *tx) refs(ctx context.Context, query string, tokens []store.ID, args ...any) ([]store.BlockRef, error) {
	if len(tokens) == 0 {
		return nil, nil
	}
	return collect(ctx, t, query, append([]any{numbers(tokens)}, args...), scanRow)
}

const (
	topsColumns = `token_id, first, sequence, last, captures, bytes, checksum, version`
	topsOf      = ` FROM blocks WHERE token_id = ANY($1) AND kind = 5`
)

// scanTops reads topsColumns, and what follows them.
func scanTops(r pgx.Rows, b *store.BlockRef, more ...any) error {
	b.Stream = block.Tops
	return r.Scan(append([]any{(*int64)(&b.Token), (*int64)(&b.First), &b.Sequence, (*int64)(&b.Last), &b.Captures, &b.Bytes, &b.Checksum, &b.Version}, more...)...)
}

// Tops returns the blocks of tops of markets.
func (t *tx) Tops(ctx context.Context, markets []store.ID) ([]store.BlockRef, error) {
	if len(markets) == 0 {
		return nil, nil
	}
	return collect(ctx, t, `SELECT `+topsColumns+topsOf, []any{numbers(markets)}, func(r pgx.Rows, b *store.BlockRef) error { return scanTops(r, b) })
}

// Places returns where captures are, in one way to the server and back.
func (t *tx) Places(ctx context.Context, owners, tokens, markets []store.ID) (*store.Places, error) {
	var out store.Places
	b := &reads{}
	if len(owners) > 0 {
		b.add(`SELECT `+partColumns+` FROM parts WHERE `+partsOf, []any{numbers(owners)}, into(&out.Parts, scanPart))
	}
	if len(tokens) > 0 {
		b.add(refsIn, []any{numbers(tokens), int64(market.Earliest), int64(market.Latest)}, into(&out.Refs, scanRow))
	}
	if len(markets) > 0 {
		b.add(`SELECT `+topsColumns+`, data`+topsOf, []any{numbers(markets)}, into(&out.Tops, func(r pgx.Rows, k *store.Block) error {
			return scanTops(r, &k.BlockRef, &k.Data)
		}))
	}
	if len(b.scans) == 0 {
		return &out, nil
	}
	if err := t.read(ctx, b); err != nil {
		return nil, err
	}
	return &out, nil
}

// BlockTokens returns tokens that have blocks, by looking for the next one after
// each: their number counts, not that of the blocks.
func (t *tx) BlockTokens(ctx context.Context, after store.ID, limit int) ([]store.ID, error) {
	const query = `WITH RECURSIVE k(id) AS (
			SELECT min(token_id) FROM blocks WHERE token_id > $1
			UNION ALL SELECT (SELECT min(token_id) FROM blocks WHERE token_id > k.id) FROM k WHERE k.id IS NOT NULL)
		SELECT id FROM k WHERE id IS NOT NULL LIMIT $2`
	return t.ids(ctx, query, int64(after), limit)
}

// ReadBlocks reads committed blocks. Blocks do not change: when a connection is
// lost, another one goes on with those that were not handed out.
func (s *Store) ReadBlocks(ctx context.Context, refs []store.BlockRef, f func(int, []byte) error) error {
	return s.owned(ctx, store.ReadFrom(ctx, s.packs, len(refs), f, func(which []int, _ bool, f func(int, []byte) error) ([]store.Piece, error) {
		return s.readRows(ctx, refs, which, f)
	}))
}

// ReadBlocks reads blocks, those of the transaction too.
func (t *tx) ReadBlocks(ctx context.Context, refs []store.BlockRef, f func(int, []byte) error) error {
	return t.s.owned(ctx, store.ReadFrom(ctx, t.s.packs, len(refs), f, func(which []int, again bool, f func(int, []byte) error) ([]store.Piece, error) {
		if again { // what this transaction sees is of before they were moved
			return t.s.readRows(ctx, refs, which, f)
		}
		r := newBlockReader(t.s, refs, f)
		err := r.read(ctx, t.q, which)
		return r.pieces, err
	}))
}

// readRows reads blocks on a connection of its own.
func (s *Store) readRows(ctx context.Context, refs []store.BlockRef, which []int, f func(int, []byte) error) ([]store.Piece, error) {
	if len(which) == 0 {
		return nil, nil
	}
	r := newBlockReader(s, refs, f)
	err := s.fresh(ctx, func(c *pgxpool.Conn) error {
		err := r.read(ctx, c, which)
		if err == nil {
			c.Release()
		}
		return err
	})
	return r.pieces, err
}

// blockReader reads blocks and remembers which were handed out, or found to be in
// packs.
type blockReader struct {
	s      *Store
	refs   []store.BlockRef
	f      func(int, []byte) error
	done   []bool
	pieces []store.Piece // without their Pack until read returns
}

func newBlockReader(s *Store, refs []store.BlockRef, f func(int, []byte) error) *blockReader {
	return &blockReader{s: s, refs: refs, f: f, done: make([]bool, len(refs))}
}

// read reads those of the blocks that are not done yet, some at a time.
func (r *blockReader) read(ctx context.Context, q querier, which []int) error {
	var group []int
	for k, i := range which {
		if !r.done[i] {
			group = append(group, i)
		}
		if len(group) == readGroup || k == len(which)-1 && len(group) > 0 {
			if err := r.readGroup(ctx, q, group); err != nil {
				return err
			}
			group = group[:0]
		}
	}
	for i := range r.pieces {
		p, err := r.s.pack(ctx, q, r.pieces[i].Pack.ID)
		if err != nil {
			return fmt.Errorf("%v: %w", r.pieces[i].Ref, err)
		}
		r.pieces[i].Pack = p
	}
	return nil
}

func (r *blockReader) readGroup(ctx context.Context, q querier, group []int) error {
	// Of one block, as an order needs it, planning what is for several takes longer than
	// reading: statements are not prepared, since a pooler may stand in between.
	const one = `SELECT 1::bigint, data, pack, place FROM blocks WHERE token_id = $1 AND kind = $2 AND first = $3 AND sequence = $4`
	const query = `SELECT k.i, b.data, b.pack, b.place
		FROM unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[]) WITH ORDINALITY k(token_id, kind, first, sequence, i)
		JOIN blocks b ON b.token_id = k.token_id AND b.kind = k.kind AND b.first = k.first AND b.sequence = k.sequence`
	k := newBlockKeys(len(group))
	for _, i := range group {
		k.add(&r.refs[i])
	}
	var rows pgx.Rows
	var err error
	if len(group) == 1 {
		rows, err = q.Query(ctx, one, k.tokens[0], k.kinds[0], k.firsts[0], k.sequences[0])
	} else {
		rows, err = q.Query(ctx, query, k.tokens, k.kinds, k.firsts, k.sequences)
	}
	if err != nil {
		return fmt.Errorf("%v: %w", &r.refs[group[0]], err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := r.row(rows, group); err != nil {
			return err
		}
	}
	rows.Close()
	for _, i := range group {
		if !r.done[i] {
			err := rows.Err()
			if err == nil {
				err = fmt.Errorf("%w: it is missing", store.ErrDamaged)
			}
			return fmt.Errorf("%v: %w", &r.refs[i], err)
		}
	}
	return rows.Err()
}

// row takes one block of a group.
func (r *blockReader) row(rows pgx.Rows, group []int) error {
	var n int64
	var data pgtype.DriverBytes // valid until the next row
	var in store.Place
	if err := rows.Scan(&n, &data, (*int64)(&in.Pack), &in.Offset); err != nil {
		return fmt.Errorf("%v: %w", &r.refs[group[0]], err)
	}
	i := group[n-1]
	if r.done[i] {
		return nil
	}
	r.done[i] = true
	if in.Pack != 0 {
		r.pieces = append(r.pieces, store.Piece{Pack: store.Pack{ID: in.Pack}, Offset: in.Offset, Ref: &r.refs[i], Index: i})
		return nil
	}
	if err := r.f(i, data); err != nil {
		return fmt.Errorf("%v: %w", &r.refs[i], err)
	}
	return nil
}

// blockKeys are keys of blocks, a list per column.
type blockKeys struct {
	tokens            []int64
	kinds             []int16
	firsts, sequences []int64
}

func newBlockKeys(n int) *blockKeys {
	return &blockKeys{make([]int64, 0, n), make([]int16, 0, n), make([]int64, 0, n), make([]int64, 0, n)}
}

func (k *blockKeys) add(b *store.BlockRef) {
	k.tokens = append(k.tokens, int64(b.Token))
	k.kinds = append(k.kinds, int16(b.Stream))
	k.firsts = append(k.firsts, int64(b.First))
	k.sequences = append(k.sequences, b.Sequence)
}

// blockKey is the key of a block.
type blockKey struct {
	token    store.ID
	stream   block.Stream
	first    market.Instant
	sequence int64
}

func keyOf(b *store.BlockRef) blockKey { return blockKey{b.Token, b.Stream, b.First, b.Sequence} }

var blockColumns = []string{
	"token_id", "kind", "first", "sequence", "last", "source", "position", "captures", "changes", "kinds", "traded", "bytes",
	"checksum", "anchor", "keyframe", "version", "data",
}

// PutBlocks puts the blocks that are not there. No other transaction writes
// meanwhile, so what is not there now is not there when they are copied in.
func (t *writer) PutBlocks(ctx context.Context, blocks []store.Block) error {
	if len(blocks) == 0 {
		return nil
	}
	k := newBlockKeys(len(blocks))
	for i := range blocks {
		k.add(&blocks[i].BlockRef)
	}
	const query = `SELECT b.token_id, b.kind, b.first, b.sequence
		FROM unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[]) k(token_id, kind, first, sequence)
		JOIN blocks b ON b.token_id = k.token_id AND b.kind = k.kind AND b.first = k.first AND b.sequence = k.sequence`
	there := map[blockKey]bool{}
	err := t.each(ctx, query, []any{k.tokens, k.kinds, k.firsts, k.sequences}, func(r pgx.Rows) error {
		var b blockKey
		err := r.Scan((*int64)(&b.token), (*uint8)(&b.stream), (*int64)(&b.first), &b.sequence)
		there[b] = true
		return err
	})
	if err != nil {
		return err
	}
	i := -1
	_, err = t.t.CopyFrom(ctx, pgx.Identifier{"blocks"}, blockColumns, pgx.CopyFromFunc(func() ([]any, error) {
		for i++; i < len(blocks); i++ {
			b := &blocks[i]
			if key := keyOf(&b.BlockRef); !there[key] {
				there[key] = true
				return []any{
					int64(b.Token), int16(b.Stream), int64(b.First), b.Sequence, int64(b.Last), int64(b.Source), b.Position,
					int64(b.Captures), int64(b.Changes), int32(b.Kinds), b.Traded, int64(b.Bytes), int64(b.Checksum), int64(b.Anchor),
					b.Keyframe, int16(b.Version), b.Data,
				}, nil
			}
		}
		return nil, nil
	}))
	return t.s.fail(ctx, err)
}
