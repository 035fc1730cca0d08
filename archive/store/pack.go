package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/ladderback/ladderback/market"
)

// Pack is an object outside the database, in a folder or a bucket, that has the
// bytes of many blocks. It never changes.
type Pack struct {
	ID      ID             // of Address and Name: PackID
	Address string         // the Depot.Address it is in
	Name    string         // of the object there: the SHA-256 of its bytes
	Bytes   int64          // of the object
	Blocks  int64          // that were put into it
	At      market.Instant // when it was written
}

// PackID returns the ID of a pack.
func PackID(address, name string) ID { return idOf("pack", address, name) }

// Sum returns the checksum of the row of a pack.
func (p *Pack) Sum() int64 {
	var e encoding
	e.num(int64(p.ID))
	e.text(p.Address, p.Name)
	e.num(p.Bytes, p.Blocks, int64(p.At))
	return e.sum()
}

// PackUse is a pack with what the archive still has in it.
type PackUse struct {
	Pack
	Used      int64 // blocks
	UsedBytes int64 // of these
}

// Depot is a folder, or the part of a bucket under a prefix, in which this archive
// alone keeps packs.
type Depot struct {
	Address string
	At      market.Instant // first used
}

// Place is where a pack has the bytes of a block. The zero Place: the block's own
// row has them.
type Place struct {
	Pack   ID
	Offset int64 // of the first byte in the object
}

// PackedRef is a block in a pack.
type PackedRef struct {
	BlockRef
	Place
}

// Piece is a block to be read from a pack.
type Piece struct {
	Pack   Pack
	Offset int64
	Ref    *BlockRef
	Index  int // in the list of blocks asked for
}

// PackReader reads blocks that are in packs.
type PackReader interface {
	// ReadPieces passes the bytes of pieces to each, with the index in pieces, in any
	// order, one call at a time, and only after they have been compared with the
	// length and the checksum of the block. data is valid only during the call. A
	// pack that is not there is ErrNoPack.
	ReadPieces(ctx context.Context, pieces []Piece, each func(i int, data []byte) error) error
}

// ErrNoPack: the object with the bytes of a block is not there. It is ErrDamaged
// too.
var ErrNoPack = fmt.Errorf("%w: a pack is missing", ErrDamaged)

// BlockStore keeps the bytes of blocks: the rows of a database do, and packs.
type BlockStore interface {
	// PutBlocks keeps blocks. One whose key is there already stays as it is.
	PutBlocks(ctx context.Context, blocks []Block) error
	BlockReader
}

// PackIndex reads the rows that say what is in packs.
type PackIndex interface {
	// Depots returns all depots, in order of their first use.
	Depots(ctx context.Context) ([]Depot, error)
	// Packs returns all packs, in order of At, then ID.
	Packs(ctx context.Context) ([]PackUse, error)
	// PackRefs returns up to limit blocks of a pack that begin behind the given
	// offset, in order.
	PackRefs(ctx context.Context, pack ID, after int64, limit int) ([]PackedRef, error)
	// Loose returns the blocks of tokens that are in no pack, in the order of Refs;
	// no tops.
	Loose(ctx context.Context, tokens []ID) ([]BlockRef, error)
}

// packTries is how often blocks are looked up whose pack was gone when it was to be
// read.
const packTries = 4

// ReadFrom reads blocks for a store whose rows name packs. rows passes the bytes of
// the blocks with these indexes to each where their row has them, and returns the
// other blocks as pieces. again: their packs were gone when they were read, so that
// the rows as of now are asked for. packs may be nil.
func ReadFrom(ctx context.Context, packs PackReader, n int, each func(i int, data []byte) error,
	rows func(which []int, again bool, each func(i int, data []byte) error) ([]Piece, error)) error {
	which := make([]int, n)
	for i := range which {
		which[i] = i
	}
	for try := 1; ; try++ {
		pieces, err := rows(which, try > 1, each)
		if err != nil || len(pieces) == 0 {
			return err
		}
		if packs == nil {
			p := &pieces[0]
			return fmt.Errorf("%v: it is in pack %s of %s, and packs are not read here", p.Ref, p.Pack.Name, p.Pack.Address)
		}
		handed := make([]bool, len(pieces))
		err = packs.ReadPieces(ctx, pieces, func(i int, data []byte) error {
			handed[i] = true
			return each(pieces[i].Index, data)
		})
		if !errors.Is(err, ErrNoPack) || try == packTries {
			return err
		}
		which = which[:0]
		for i := range pieces {
			if !handed[i] {
				which = append(which, pieces[i].Index)
			}
		}
	}
}

type uncached struct{}

// Uncached returns a context with which what is kept outside the archive to make
// reading faster is passed over: for checks.
func Uncached(ctx context.Context) context.Context {
	return context.WithValue(ctx, uncached{}, true)
}

// IsUncached reports whether ctx is of Uncached.
func IsUncached(ctx context.Context) bool { return ctx.Value(uncached{}) != nil }
