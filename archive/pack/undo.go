package pack

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ladderback/ladderback/archive/store"
)

// KeepOrphans is how long an object stays that no row names: it may be one whose rows
// are about to be written.
const KeepOrphans = 24 * time.Hour

const (
	// backBytes is about how many bytes of blocks go back to rows in one transaction,
	// of at most backBlocks blocks.
	backBytes  = 8 << 20
	backBlocks = 1000
	// deleteTogether is how many objects are removed in one transaction.
	deleteTogether = 100
)

// Undone is what Undo did.
type Undone struct {
	Packs  int // that are gone
	Blocks int64
	Bytes  int64 // of these
	// Left are packs with blocks that could not be read; the errors say why. Their
	// other blocks are back in rows.
	Left []error
}

// Undo moves the bytes of all blocks back from packs into rows, and removes the packs.
// An interrupted run may be repeated. progress, if not nil, is called with the number
// of blocks that are back and of all.
func (p *Packs) Undo(ctx context.Context, s store.Store, dryRun bool, progress func(done, all int64)) (*Undone, error) {
	packs, err := packsOf(ctx, s)
	if err != nil {
		return nil, err
	}
	out, all := &Undone{}, int64(0)
	for i := range packs {
		all += packs[i].Used
	}
	for i := range packs {
		u := &packs[i]
		if dryRun {
			out.Packs, out.Blocks, out.Bytes = out.Packs+1, out.Blocks+u.Used, out.Bytes+u.UsedBytes
			continue
		}
		err := p.unpack(ctx, s, u.ID, func(blocks []store.Block) {
			out.Blocks += int64(len(blocks))
			for k := range blocks {
				out.Bytes += int64(blocks[k].Bytes)
			}
			if progress != nil {
				progress(out.Blocks, all)
			}
		})
		if errors.Is(err, store.ErrDamaged) {
			out.Left = append(out.Left, err)
			continue
		}
		if err == nil {
			err = p.Discard(ctx, s, []store.Pack{u.Pack})
		}
		if err != nil {
			return out, fmt.Errorf("undo packs: %w", err)
		}
		out.Packs++
	}
	return out, nil
}

func packsOf(ctx context.Context, s store.Store) ([]store.PackUse, error) {
	return store.Look(ctx, s, func(r store.Reader) ([]store.PackUse, error) { return r.Packs(ctx) })
}

// unpack moves the blocks of a pack back into rows, some at a time. Those that cannot
// be read stay; the error is that of the first.
func (p *Packs) unpack(ctx context.Context, s store.Store, pack store.ID, did func([]store.Block)) error {
	var bad error
	for after := int64(-1); ; {
		refs, err := store.Look(ctx, s, func(r store.Reader) ([]store.PackedRef, error) {
			return r.PackRefs(ctx, pack, after, backBlocks)
		})
		if err != nil || len(refs) == 0 {
			return errors.Join(err, bad)
		}
		n, size := 0, 0
		for n < len(refs) && (n == 0 || size+refs[n].Bytes <= backBytes) {
			size += refs[n].Bytes
			n++
		}
		after = refs[n-1].Offset
		blocks, err := readable(store.Uncached(ctx), s, refs[:n])
		if err != nil && !errors.Is(err, store.ErrDamaged) {
			return err
		}
		if bad == nil {
			bad = err
		}
		if len(blocks) == 0 {
			continue
		}
		if err := s.Update(ctx, func(w store.Writer) error { return w.Apply(ctx, &store.Changes{Unpacked: blocks}) }); err != nil {
			return err
		}
		did(blocks)
	}
}

// readable reads blocks, all together or, when something is wrong with one, singly,
// and returns those that can be read. The error is that of the first that cannot.
func readable(ctx context.Context, s store.BlockReader, packed []store.PackedRef) ([]store.Block, error) {
	refs := store.Column(packed, func(v *store.PackedRef) store.BlockRef { return v.BlockRef })
	out := make([]store.Block, 0, len(refs))
	read := func(some []store.BlockRef) error {
		return s.ReadBlocks(ctx, some, func(i int, data []byte) error {
			out = append(out, store.Block{BlockRef: some[i], Data: slices.Clone(data)})
			return nil
		})
	}
	err := read(refs)
	if !errors.Is(err, store.ErrDamaged) {
		return out, err
	}
	out = out[:0]
	var first error
	for i := range refs {
		if err := read(refs[i : i+1]); err != nil {
			if !errors.Is(err, store.ErrDamaged) {
				return nil, err
			}
			if first == nil {
				first = err
			}
		}
	}
	return out, first
}

// Discard removes packs that no block is in: their rows, then their objects. The
// others stay.
func (p *Packs) Discard(ctx context.Context, s store.Store, packs []store.Pack) error {
	if len(packs) == 0 {
		return nil
	}
	drop := &store.Changes{}
	names := map[string][]string{}
	for i := range packs {
		drop.DropPacks = append(drop.DropPacks, packs[i].ID)
		names[packs[i].Address] = append(names[packs[i].Address], packs[i].Name+suffix)
	}
	if err := s.Update(ctx, func(w store.Writer) error { return w.Apply(ctx, drop) }); err != nil {
		return err
	}
	for address, list := range names {
		if _, err := p.delete(ctx, s, address, list); err != nil {
			return err
		}
	}
	return nil
}

// dropEmpty discards the packs that no block is in any more.
func (p *Packs) dropEmpty(ctx context.Context, s store.Store) error {
	packs, err := packsOf(ctx, s)
	var empty []store.Pack
	for i := range packs {
		if packs[i].Used == 0 {
			empty = append(empty, packs[i].Pack)
		}
	}
	if err != nil {
		return err
	}
	return p.Discard(ctx, s, empty)
}

// delete removes those of the objects that no row names, and returns how many. It does
// so in transactions, so that nobody makes a row name one meanwhile.
func (p *Packs) delete(ctx context.Context, s store.Store, address string, names []string) (n int, err error) {
	b, err := p.bucket(address)
	if err != nil {
		return 0, err
	}
	for some := range slices.Chunk(names, deleteTogether) {
		err := s.Update(ctx, func(w store.Writer) error {
			packs, err := w.Packs(ctx)
			if err != nil {
				return err
			}
			named := map[string]bool{}
			for i := range packs {
				named[packs[i].Name+suffix] = true
			}
			for _, name := range some {
				if named[name] {
					continue
				}
				if err := b.Delete(ctx, name); err != nil {
					return err
				}
				n++
			}
			return nil
		})
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// Sweep removes the objects in the depots of the archive that no row names and that
// were written before a time, and returns how many there are.
func (p *Packs) Sweep(ctx context.Context, s store.Store, before time.Time, dryRun bool) (n int, err error) {
	var depots []store.Depot
	var packs []store.PackUse
	if err := s.View(ctx, func(r store.Reader) error {
		if depots, err = r.Depots(ctx); err != nil {
			return err
		}
		packs, err = r.Packs(ctx)
		return err
	}); err != nil {
		return 0, err
	}
	named, used := map[string]bool{}, map[string]bool{}
	for i := range packs {
		named[packs[i].Name+suffix], used[packs[i].Address] = true, true
	}
	for _, d := range depots {
		b, err := p.bucket(d.Address)
		if err != nil {
			return n, err
		}
		var orphans []string
		err = b.List(ctx, func(name string, written time.Time) error {
			if !named[name] && written.Before(before) {
				orphans = append(orphans, name)
			}
			return nil
		})
		switch {
		case err != nil && !used[d.Address] && errors.Is(err, store.ErrUnreachable):
			continue // nothing of the archive is there any more
		case err != nil:
			return n, err
		case dryRun:
			n += len(orphans)
			continue
		}
		gone, err := p.delete(ctx, s, d.Address, orphans)
		if n += gone; err != nil {
			return n, err
		}
	}
	return n, nil
}
