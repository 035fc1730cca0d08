package sqlite_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/store"
)

// TestPackedShrinks: a file whose blocks have gone into a pack gives their space back,
// also where each of them fitted into a page.
func TestPackedShrinks(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s, _, err := sqlite.Create(ctx, filepath.Join(t.TempDir(), "small.db"))
	require.NoError(t, err)
	defer s.Close()
	const blocks, size = 200, 12_000
	c := &store.Changes{}
	for i := range blocks {
		data := bytes.Repeat([]byte{byte(i)}, size)
		c.Blocks = append(c.Blocks, store.Block{
			BlockRef: store.BlockRef{Token: store.ID(i % 7), Stream: block.Books, First: 1, Sequence: int64(i), Last: 2, Bytes: size, Checksum: store.Checksum(data), Version: block.Version},
			Data:     data,
		})
	}
	require.NoError(t, s.Update(ctx, func(w store.Writer) error { return w.Apply(ctx, c) }))
	require.NoError(t, s.Shrink(ctx))
	before, err := s.Size(ctx)
	require.NoError(t, err)
	require.Greater(t, before, int64(blocks*size))
	row := store.Pack{Address: "packs", Name: "p", Bytes: blocks * size, Blocks: blocks, At: 1}
	row.ID = store.PackID(row.Address, row.Name)
	into := &store.Changes{Packs: []store.Pack{row}}
	for i := range c.Blocks {
		into.Packed = append(into.Packed, store.PackedRef{BlockRef: c.Blocks[i].BlockRef, Place: store.Place{Pack: row.ID, Offset: int64(8 + i*size)}})
	}
	require.NoError(t, s.Update(ctx, func(w store.Writer) error { return w.Apply(ctx, into) }))
	require.NoError(t, s.Shrink(ctx))
	after, err := s.Size(ctx)
	require.NoError(t, err)
	require.Less(t, after, before-blocks*size*9/10)
	require.ErrorIs(t, s.Update(ctx, func(w store.Writer) error { return w.Apply(ctx, into) }), store.ErrChanged)
	require.NoError(t, s.View(ctx, func(r store.Reader) error {
		refs, err := r.PackRefs(ctx, row.ID, -1, 2*blocks)
		require.Len(t, refs, blocks)
		return err
	}))
}
