// Package packed reads and writes the rows of packs, and the rows of blocks as far as
// they say where bytes are.
package packed

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ladderback/ladderback/archive/sqlite/pool"
	"github.com/ladderback/ladderback/archive/store"
)

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
func Depots(ctx context.Context, l *pool.Link) ([]store.Depot, error) {
	return pool.Collect(ctx, l, `SELECT address, at FROM depots ORDER BY at, address`, nil, func(r *sql.Rows, d *store.Depot) error {
		return r.Scan(&d.Address, &d.At)
	})
}

// Packs returns all packs.
func Packs(ctx context.Context, l *pool.Link) ([]store.PackUse, error) {
	const query = `SELECT ` + packColumns + `, count(b.pack), coalesce(sum(b.bytes), 0)
		FROM packs p LEFT JOIN blocks b ON b.pack = p.id AND b.pack <> 0 GROUP BY p.id ORDER BY p.at, p.id`
	return pool.Collect(ctx, l, query, nil, func(r *sql.Rows, p *store.PackUse) (err error) {
		p.Pack, err = scanPack(r, &p.Used, &p.UsedBytes)
		return err
	})
}

// Columns are those of a block's row, as ScanRef reads them.
const Columns = `token_id, kind, first, sequence, last, source, position, captures, changes, kinds, traded, bytes, checksum, anchor, keyframe, version`

// scanned holds what database/sql scans a row of Columns into: as they come, which
// takes a fraction of the time of converting each.
type scanned struct {
	values [columns]any
	dest   []any
}

// columns is how many Columns there are.
const columns = 16

var scans = sync.Pool{New: func() any {
	s := &scanned{dest: make([]any, columns, columns+1)}
	for i := range s.values {
		s.dest[i] = &s.values[i]
	}
	return s
}}

// ScanRef reads Columns, and what follows them.
func ScanRef(r *sql.Rows, b *store.BlockRef, more ...any) error {
	s := scans.Get().(*scanned)
	defer scans.Put(s)
	if err := r.Scan(append(s.dest, more...)...); err != nil {
		return err
	}
	var n [columns]int64
	for i, v := range s.values {
		var ok bool
		if n[i], ok = v.(int64); !ok {
			return fmt.Errorf("%w: column %d of a block's row is %T", store.ErrDamaged, i+1, v)
		}
	}
	fits := [...]bool{
		set(&b.Token, n[0]), set(&b.Stream, n[1]), set(&b.First, n[2]), set(&b.Sequence, n[3]), set(&b.Last, n[4]), set(&b.Source, n[5]),
		set(&b.Position, n[6]), set(&b.Captures, n[7]), set(&b.Changes, n[8]), set(&b.Kinds, n[9]), set(&b.Traded, n[10]),
		set(&b.Bytes, n[11]), set(&b.Checksum, n[12]), set(&b.Anchor, n[13]), n[14]&^1 == 0, set(&b.Version, n[15]),
	}
	if b.Keyframe = n[14] != 0; slices.Contains(fits[:], false) {
		return fmt.Errorf("%w: a value of a block's row is out of range", store.ErrDamaged)
	}
	return nil
}

// set sets *to, and reports whether it can hold the value.
func set[T ~int | ~int64 | ~uint8 | ~uint16 | ~uint32](to *T, v int64) bool {
	*to = T(v)
	return int64(*to) == v
}

// Refs returns the blocks of tokens that pass a condition, those of each token in order
// of (stream, first, sequence). The first argument is the JSON array of the tokens.
func Refs(ctx context.Context, l *pool.Link, where string, args []any) ([]store.BlockRef, error) {
	query := `SELECT ` + Columns + ` FROM json_each(?) CROSS JOIN blocks WHERE token_id = value AND kind BETWEEN 1 AND 4` + where
	var out []store.BlockRef
	err := l.Each(ctx, query, args, func(r *sql.Rows) error {
		out = append(out, store.BlockRef{})
		return ScanRef(r, &out[len(out)-1])
	})
	order := func(a, b store.BlockRef) int {
		return cmp.Or(cmp.Compare(a.Stream, b.Stream), cmp.Compare(a.First, b.First), cmp.Compare(a.Sequence, b.Sequence))
	}
	for i := 0; i < len(out); { // they come in the order of an index, which nobody promises
		n := i + 1
		for n < len(out) && out[n].Token == out[i].Token {
			n++
		}
		if of := out[i:n]; !slices.IsSortedFunc(of, order) {
			slices.SortFunc(of, order)
		}
		i = n
	}
	return out, err
}

// Tops passes the blocks of tops of markets to f, with their bytes if asked for. markets
// is a JSON array.
func Tops(ctx context.Context, l *pool.Link, markets string, data bool, f func(store.Block)) error {
	query := `SELECT token_id, kind, first, sequence, last, captures, bytes, checksum, version, NULL`
	if data {
		query = strings.Replace(query, "NULL", "data", 1)
	}
	return l.Each(ctx, query+` FROM json_each(?) CROSS JOIN blocks WHERE token_id = value AND kind = 5`, []any{markets}, func(r *sql.Rows) error {
		var b store.Block
		err := r.Scan(&b.Token, &b.Stream, &b.First, &b.Sequence, &b.Last, &b.Captures, &b.Bytes, &b.Checksum, &b.Version, &b.Data)
		f(b)
		return err
	})
}

// PackRefs returns blocks of a pack.
func PackRefs(ctx context.Context, l *pool.Link, pack store.ID, after int64, limit int) ([]store.PackedRef, error) {
	const query = `SELECT ` + Columns + `, place FROM blocks WHERE pack = ?1 AND pack <> 0 AND place > ?2 ORDER BY place LIMIT ?3`
	return pool.Collect(ctx, l, query, []any{int64(pack), after, limit}, func(r *sql.Rows, b *store.PackedRef) error {
		b.Pack = pack
		return ScanRef(r, &b.BlockRef, &b.Offset)
	})
}

// Put puts blocks into rows.
func Put(ctx context.Context, l *pool.Link, blocks []store.Block) error {
	const query = `INSERT INTO blocks (token_id, kind, first, sequence, last, source, position, captures, changes, kinds, traded, bytes,
			checksum, anchor, keyframe, version, data)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
	steps := pool.Steps{On: l}
	for i := range blocks {
		b := &blocks[i]
		steps.Exec(ctx, query, int64(b.Token), int64(b.Stream), int64(b.First), b.Sequence, int64(b.Last), int64(b.Source), b.Position,
			b.Captures, b.Changes, int64(b.Kinds), b.Traded, b.Bytes, int64(b.Checksum), int64(b.Anchor), b.Keyframe, int64(b.Version), b.Data)
	}
	return steps.Err
}

// Drop removes depots, and packs that no block is in.
func Drop(ctx context.Context, l *pool.Link, c *store.Changes) error {
	steps := pool.Steps{On: l}
	for _, address := range c.DropDepots {
		steps.Exec(ctx, `DELETE FROM depots WHERE address = ?`, address)
	}
	for _, id := range c.DropPacks {
		steps.Exec(ctx, `DELETE FROM packs WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM blocks WHERE pack = ?1 AND pack <> 0)`, int64(id))
	}
	return steps.Err
}

// Move puts depots and packs, and moves the bytes of blocks between their rows
// and packs.
func Move(ctx context.Context, l *pool.Link, c *store.Changes) error {
	steps := pool.Steps{On: l}
	for _, d := range c.Depots {
		steps.Exec(ctx, `INSERT INTO depots (address, at) VALUES (?, ?) ON CONFLICT DO NOTHING`, d.Address, int64(d.At))
	}
	for i := range c.Packs {
		p := &c.Packs[i]
		steps.Exec(ctx, `INSERT OR REPLACE INTO packs (id, address, name, bytes, blocks, at, sum) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			int64(p.ID), p.Address, p.Name, p.Bytes, p.Blocks, int64(p.At), p.Sum())
	}
	if steps.Err != nil {
		return steps.Err
	}
	const key = ` WHERE token_id = ? AND kind = ? AND first = ? AND sequence = ?`
	for i := range c.Packed {
		b := &c.Packed[i]
		// A row that becomes short where it stands leaves its page half empty: pages are
		// joined when rows are removed.
		r, err := l.Run(ctx, `INSERT OR REPLACE INTO blocks (`+Columns+`, data, pack, place) SELECT `+Columns+`, x'', ?, ? FROM blocks`+
			key+` AND pack = 0 AND bytes = ? AND checksum = ?`,
			int64(b.Pack), b.Offset, int64(b.Token), int64(b.Stream), int64(b.First), b.Sequence, b.Bytes, int64(b.Checksum))
		if err != nil {
			return err
		}
		if n, err := r.RowsAffected(); n != 1 {
			return fmt.Errorf("%v: %w", &b.BlockRef, cmp.Or(err, store.ErrChanged))
		}
	}
	for i := range c.Unpacked {
		b := &c.Unpacked[i]
		steps.Exec(ctx, `UPDATE blocks SET data = ?, pack = 0, place = 0`+key+` AND pack <> 0 AND bytes = ? AND checksum = ?`,
			b.Data, int64(b.Token), int64(b.Stream), int64(b.First), b.Sequence, b.Bytes, int64(b.Checksum))
	}
	return steps.Err
}

// readTogether is how many blocks a statement reads: each statement takes its locks
// anew, which costs as much as finding a block.
const readTogether = 8

const readBlock = `SELECT ?, data, pack, place FROM blocks WHERE token_id = ? AND kind = ? AND first = ? AND sequence = ?`

// reads are the statements that read so many blocks.
var reads = func() (out [readTogether + 1]string) {
	for n := 1; n <= readTogether; n++ {
		out[n] = strings.Repeat(readBlock+" UNION ALL ", n-1) + readBlock
	}
	return out
}()

// Read passes the bytes of those blocks to f whose row has them, and returns the others
// as pieces of packs. known remembers packs by their ID.
func Read(ctx context.Context, l *pool.Link, known *sync.Map, refs []store.BlockRef, which []int, f func(int, []byte) error) ([]store.Piece, error) {
	var pieces []store.Piece
	for some := range slices.Chunk(which, readTogether) {
		args := make([]any, 0, 5*len(some))
		for _, i := range some {
			ref := &refs[i]
			args = append(args, i, int64(ref.Token), int64(ref.Stream), int64(ref.First), ref.Sequence)
		}
		missing := slices.Clone(some)
		at := some[0] // the block at hand, for errors
		var away []store.Piece
		err := l.Each(ctx, reads[len(some)], args, func(r *sql.Rows) error {
			var data sql.RawBytes
			var in store.Place
			if err := r.Scan(&at, &data, &in.Pack, &in.Offset); err != nil {
				return err
			}
			missing = slices.DeleteFunc(missing, func(i int) bool { return i == at })
			if in.Pack != 0 {
				away = append(away, store.Piece{Pack: store.Pack{ID: in.Pack}, Offset: in.Offset, Ref: &refs[at], Index: at})
				return nil
			}
			return f(at, data)
		})
		if err == nil && len(missing) > 0 {
			at, err = missing[0], fmt.Errorf("%w: it is missing", store.ErrDamaged)
		}
		for i := range away {
			if err != nil {
				break
			}
			at = away[i].Index
			away[i].Pack, err = packOf(ctx, l, known, away[i].Pack.ID)
		}
		if err != nil {
			return nil, fmt.Errorf("%v: %w", &refs[at], err)
		}
		pieces = append(pieces, away...)
	}
	return pieces, nil
}

// packOf returns a pack by its id. What an id stands for never changes.
func packOf(ctx context.Context, l *pool.Link, known *sync.Map, id store.ID) (store.Pack, error) {
	if p, ok := known.Load(id); ok {
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
		known.Store(id, p)
	}
	return p, err
}
