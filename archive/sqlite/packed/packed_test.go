package packed_test

import (
	"database/sql"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/sqlite/packed"
	"github.com/ladderback/ladderback/archive/sqlite/pool"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/sqlitetest"
	"github.com/ladderback/ladderback/market"
)

// blockOf is a block of a token, whose row has its bytes.
func blockOf(token store.ID, stream block.Stream, first market.Instant, text string) store.Block {
	return store.Block{Data: []byte(text), BlockRef: store.BlockRef{
		Token: token, Stream: stream, First: first, Sequence: int64(first) * 3, Last: first + 5, Source: 9, Position: 1<<32 | 4, Captures: 6, Changes: 7,
		Kinds: 0x3ff, Traded: -1, Bytes: len(text), Checksum: store.Checksum([]byte(text)), Anchor: first - 1, Keyframe: first%2 == 0, Version: 1,
	}}
}

func refs(blocks ...store.Block) (out []store.BlockRef) {
	for i := range blocks {
		out = append(out, blocks[i].BlockRef)
	}
	return out
}

// TestRowsComeBack: every field of a row, by token, and of a token by stream and time; putting
// a block again changes nothing.
func TestRowsComeBack(t *testing.T) {
	t.Parallel()
	l := sqlitetest.New(t).Link
	blocks := []store.Block{
		blockOf(5, block.Books, 10, "a"), blockOf(5, block.Books, 30, "b"), blockOf(5, block.Trades, 20, "c"), blockOf(7, block.Quotes, 2, "d"), blockOf(1<<62, block.Metrics, 4, "e"),
	}
	tops := blockOf(5, block.Tops, 1, "tops")
	require.NoError(t, packed.Put(t.Context(), l, []store.Block{blocks[4], blocks[2], tops, blocks[1], blocks[0], blocks[3]}))
	again := blocks[0]
	again.Data, again.Last = []byte("other"), 99
	require.NoError(t, packed.Put(t.Context(), l, []store.Block{again}))
	got, err := packed.Refs(t.Context(), l, "", []any{`[5, 7, 4611686018427387904]`})
	require.NoError(t, err)
	require.Equal(t, refs(blocks...), got, "tops are not among them")
	got, err = packed.Refs(t.Context(), l, " AND first >= ?", []any{`[5]`, 20})
	require.NoError(t, err)
	require.Equal(t, refs(blocks[1], blocks[2]), got)

	for _, data := range []bool{false, true} {
		var found []store.Block
		require.NoError(t, packed.Tops(t.Context(), l, `[5, 7]`, data, func(b store.Block) { found = append(found, b) }))
		require.Len(t, found, 1)
		require.Equal(t, [3]int64{5, tops.Sequence, int64(tops.Checksum)}, [3]int64{int64(found[0].Token), found[0].Sequence, int64(found[0].Checksum)})
		require.Equal(t, data, string(found[0].Data) == "tops")
	}
}

// read is what Read passes on, by index, and where it says that the others are.
func read(t *testing.T, l *pool.Link, known *sync.Map, list []store.BlockRef, which ...int) (map[int]string, []store.Piece, error) {
	t.Helper()
	out := map[int]string{}
	pieces, err := packed.Read(t.Context(), l, known, list, which, func(i int, data []byte) error {
		out[i] = string(data)
		return nil
	})
	return out, pieces, err
}

// TestMove takes bytes out of rows into a pack and back; a block that is not as it was
// described, or is in a pack already, is not moved, and the rest of its row stays.
func TestMove(t *testing.T) {
	t.Parallel()
	l := sqlitetest.New(t).Link
	a, b, c := blockOf(5, block.Books, 10, "first"), blockOf(5, block.Books, 20, "second"), blockOf(5, block.Books, 30, "third")
	all := refs(a, b, c)
	require.NoError(t, packed.Put(t.Context(), l, []store.Block{a, b, c}))
	pack := store.Pack{Address: "folder", Name: "sum", Bytes: 100, Blocks: 2, At: 77}
	pack.ID = store.PackID(pack.Address, pack.Name)
	in := func(of store.Block, offset int64) store.PackedRef {
		return store.PackedRef{BlockRef: of.BlockRef, Place: store.Place{Pack: pack.ID, Offset: offset}}
	}
	move := func(c *store.Changes) error { return packed.Move(t.Context(), l, c) }
	require.NoError(t, move(&store.Changes{
		Depots: []store.Depot{{Address: "folder", At: 3}, {Address: "folder", At: 4}, {Address: "another", At: 1}}, Packs: []store.Pack{pack}, Packed: []store.PackedRef{in(a, 8), in(b, 0)},
	}))
	depots, err := packed.Depots(t.Context(), l)
	require.NoError(t, err)
	require.Equal(t, []store.Depot{{Address: "another", At: 1}, {Address: "folder", At: 3}}, depots, "by when they were first used")
	packs, err := packed.Packs(t.Context(), l)
	require.NoError(t, err)
	require.Equal(t, []store.PackUse{{Pack: pack, Used: 2, UsedBytes: int64(a.Bytes + b.Bytes)}}, packs)
	inPack, err := packed.PackRefs(t.Context(), l, pack.ID, -1, 10)
	require.NoError(t, err)
	require.Equal(t, []store.PackedRef{in(b, 0), in(a, 8)}, inPack, "as they lie in it")
	inPack, err = packed.PackRefs(t.Context(), l, pack.ID, 0, 10)
	require.NoError(t, err)
	require.Equal(t, []store.PackedRef{in(a, 8)}, inPack)

	var known sync.Map
	data, pieces, err := read(t, l, &known, all, 2, 0)
	require.NoError(t, err)
	require.Equal(t, map[int]string{2: "third"}, data)
	require.Equal(t, []store.Piece{{Pack: pack, Offset: 8, Ref: &all[0], Index: 0}}, pieces)
	rows, err := packed.Refs(t.Context(), l, "", []any{`[5]`})
	require.NoError(t, err)
	require.Equal(t, all, rows, "rows say what they said")

	require.ErrorIs(t, move(&store.Changes{Packed: []store.PackedRef{in(a, 8)}}), store.ErrChanged, "it is in a pack")
	other := in(c, 20)
	other.Checksum++
	require.ErrorIs(t, move(&store.Changes{Packed: []store.PackedRef{other}}), store.ErrChanged)
	require.NoError(t, packed.Drop(t.Context(), l, &store.Changes{DropPacks: []store.ID{pack.ID}, DropDepots: []string{"another"}}))
	packs, err = packed.Packs(t.Context(), l)
	require.NoError(t, err)
	require.Len(t, packs, 1, "blocks are in it")

	wrong, gone := b, blockOf(5, block.Books, 40, "gone")
	wrong.Checksum++
	require.NoError(t, move(&store.Changes{Unpacked: []store.Block{a, wrong, gone}}))
	data, pieces, err = read(t, l, &known, all, 0, 1, 2)
	require.NoError(t, err)
	require.Equal(t, map[int]string{0: "first", 2: "third"}, data)
	require.Len(t, pieces, 1, "the one that is not as it was described stays in its pack")
	require.NoError(t, move(&store.Changes{Unpacked: []store.Block{b}}))
	require.NoError(t, packed.Drop(t.Context(), l, &store.Changes{DropPacks: []store.ID{pack.ID}}))
	packs, err = packed.Packs(t.Context(), l)
	require.NoError(t, err)
	require.Empty(t, packs)
	depots, err = packed.Depots(t.Context(), l)
	require.NoError(t, err)
	require.Equal(t, []store.Depot{{Address: "folder", At: 3}}, depots)
}

// TestReadTellsOfWhatIsMissing: of a row, and of the row of a pack, by the block that it is
// about; more blocks than one statement reads come like one.
func TestReadTellsOfWhatIsMissing(t *testing.T) {
	t.Parallel()
	l := sqlitetest.New(t).Link
	var blocks []store.Block
	var which []int
	for i := range 21 {
		blocks, which = append(blocks, blockOf(5, block.Books, market.Instant(10*i), strings.Repeat("x", i))), append(which, i)
	}
	list := refs(blocks...)
	require.NoError(t, packed.Put(t.Context(), l, blocks[:20]))
	data, pieces, err := read(t, l, &sync.Map{}, list, which[:20]...)
	require.NoError(t, err)
	require.Empty(t, pieces)
	require.Len(t, data, 20)
	for i := range 20 {
		require.Len(t, data[i], i)
	}
	_, _, err = read(t, l, &sync.Map{}, list, which...)
	require.ErrorIs(t, err, store.ErrDamaged)
	require.ErrorContains(t, err, list[20].String()+": archive damaged: it is missing")

	require.NoError(t, l.Exec(t.Context(), `UPDATE blocks SET pack = 77, data = x'' WHERE first = 50`))
	_, _, err = read(t, l, &sync.Map{}, list, which[:20]...)
	require.ErrorContains(t, err, list[5].String()+": archive damaged: the row of its pack is missing")
	mine := errors.New("of the caller")
	_, err = packed.Read(t.Context(), l, &sync.Map{}, list, []int{7, 8}, func(i int, _ []byte) error {
		if i == 8 {
			return mine
		}
		return nil
	})
	require.ErrorIs(t, err, mine)
	require.ErrorContains(t, err, list[8].String())
}

// TestRowsOutOfRange: a number that its field cannot hold is damage, and so is one that is
// none; it does not become another number.
func TestRowsOutOfRange(t *testing.T) {
	t.Parallel()
	for _, spoil := range []string{
		"checksum = 4294967296", "checksum = -1", "kinds = 65536", "keyframe = 2", "keyframe = -1", "version = 256",
	} {
		l := sqlitetest.New(t).Link
		require.NoError(t, packed.Put(t.Context(), l, []store.Block{blockOf(5, block.Books, 10, "a")}))
		require.NoError(t, l.Exec(t.Context(), `UPDATE blocks SET `+spoil))
		_, err := packed.Refs(t.Context(), l, "", []any{`[5]`})
		require.ErrorIs(t, err, store.ErrDamaged, spoil)
		require.ErrorContains(t, err, "out of range", spoil)
	}
	l := sqlitetest.New(t).Link
	err := l.Each(t.Context(), `SELECT 1, 2, 3, 4, 5, 6, 7, 'eight', 9, 10, 11, 12, 13, 14, 1, 1`, nil, func(r *sql.Rows) error {
		return packed.ScanRef(r, &store.BlockRef{})
	})
	require.ErrorIs(t, err, store.ErrDamaged)
	require.ErrorContains(t, err, "column 8 of a block's row is string")

	pack := store.Pack{ID: 3, Address: "folder", Name: "sum"}
	require.NoError(t, packed.Move(t.Context(), l, &store.Changes{Packs: []store.Pack{pack}}))
	require.NoError(t, l.Exec(t.Context(), `UPDATE packs SET bytes = 1`))
	_, err = packed.Packs(t.Context(), l)
	require.ErrorContains(t, err, "pack sum")
}
