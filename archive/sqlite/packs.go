package sqlite

import (
	"context"

	"github.com/ladderback/ladderback/archive/sqlite/packed"
	"github.com/ladderback/ladderback/archive/store"
)

// UsePacks lets the archive read blocks that are in packs. It must be called before
// any other method.
func (s *Store) UsePacks(r store.PackReader) { s.packs = r }

// Depots returns all depots.
func (t *tx) Depots(ctx context.Context) ([]store.Depot, error) {
	out, err := packed.Depots(ctx, t.Link)
	return out, t.Fail(err)
}

// Packs returns all packs.
func (t *tx) Packs(ctx context.Context) ([]store.PackUse, error) {
	out, err := packed.Packs(ctx, t.Link)
	return out, t.Fail(err)
}

// PackRefs returns blocks of a pack.
func (t *tx) PackRefs(ctx context.Context, pack store.ID, after int64, limit int) ([]store.PackedRef, error) {
	out, err := packed.PackRefs(ctx, t.Link, pack, after, limit)
	return out, t.Fail(err)
}

// Loose returns blocks that are in no pack.
func (t *tx) Loose(ctx context.Context, tokens []store.ID) ([]store.BlockRef, error) {
	return t.refs(ctx, ` AND pack = 0`, tokens)
}

// PutBlocks puts blocks into rows.
func (t *tx) PutBlocks(ctx context.Context, blocks []store.Block) error {
	return t.Fail(packed.Put(ctx, t.Link, blocks))
}

// putPacks puts depots and packs, and moves the bytes of blocks between their rows
// and packs.
func (t *tx) putPacks(ctx context.Context, c *store.Changes) error {
	return t.Fail(packed.Move(ctx, t.Link, c))
}

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
		return packed.Read(ctx, t.Link, &t.s.known, refs, which, f)
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
	return packed.Read(ctx, l, &s.known, refs, which, f)
}
