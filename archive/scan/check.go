package scan

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// PartRefs returns the blocks of one part, in order of position.
func PartRefs(ctx context.Context, r store.Reader, k store.PartKey) ([]store.BlockRef, error) {
	all, err := r.Refs(ctx, []store.ID{k.Token}, market.Earliest, market.Latest)
	if err != nil {
		return nil, err
	}
	return refsOf(all, k), nil
}

// refsOf returns those of blocks that belong to a part, in order of position.
func refsOf(all []store.BlockRef, k store.PartKey) []store.BlockRef {
	own := only(all, func(b *store.BlockRef) bool {
		return b.Token == k.Token && b.Source == k.Source && b.Stream == k.Stream
	})
	slices.SortFunc(own, func(a, b store.BlockRef) int {
		if a.Position < b.Position {
			return -1
		}
		return 1
	})
	return own
}

// Flaw is something wrong with a part, or with a block of it.
type Flaw struct {
	Ref *store.BlockRef // nil: it is about the part
	Err error
}

// Unreachable returns the flaw that says that blocks could not be asked for, rather than that
// they are wrong; nil: there is none.
func Unreachable(flaws []Flaw) error {
	for _, f := range flaws {
		if errors.Is(f.Err, store.ErrUnreachable) {
			return f.Err
		}
	}
	return nil
}

// CheckPart reads the blocks of a part and returns everything wrong with it.
func CheckPart(ctx context.Context, blocks store.BlockReader, p store.Part, refs []store.BlockRef) []Flaw {
	return checkPart(p, refs, readAll(ctx, blocks, refs))
}

// CheckPart is PartRefs and CheckPart for a visible part of the market that d was derived
// from: its blocks have been read, and are sound.
func (d *Derived) CheckPart(p store.Part) ([]store.BlockRef, []Flaw) {
	refs := refsOf(d.Refs, p.PartKey)
	return refs, checkPart(p, refs, make([]error, len(refs)))
}

// checkPart returns everything wrong with the rows of a part and what was wrong with each
// of its blocks.
func checkPart(p store.Part, refs []store.BlockRef, read []error) []Flaw {
	var out []Flaw
	var sum store.Part
	next := int64(0)
	for i := range refs {
		ref := &refs[i]
		if lane := ref.Position &^ 0xffffffff; ref.Position != next && ref.Position != lane {
			out = append(out, Flaw{ref, errors.New("a block before it is missing")})
		}
		next = ref.Position + 1
		if ref.Sequence != store.Sequence(ref.Source, ref.Token, ref.Stream, ref.Position) {
			out = append(out, Flaw{ref, errors.New("key does not match its contents")})
		}
		if read[i] != nil {
			out = append(out, Flaw{ref, read[i]})
		}
		sum.Blocks++
		sum.Captures += int64(ref.Captures)
		sum.Changes += int64(ref.Changes)
		sum.Bytes += int64(ref.Bytes)
		sum.Refs += ref.Sum()
	}
	if p.Blocks != sum.Blocks || p.Captures != sum.Captures || p.Changes != sum.Changes || p.Bytes != sum.Bytes {
		out = append(out, Flaw{nil, fmt.Errorf("%d blocks with %d captures: expected %d with %d", sum.Blocks, sum.Captures, p.Blocks, p.Captures)})
	} else if p.Refs != sum.Refs {
		out = append(out, Flaw{nil, errors.New("rows of its blocks differ from their checksum")})
	}
	return out
}

// checkTogether is how many blocks are read together to be checked.
const checkTogether = 64

// readAll reads and decodes blocks and returns what is wrong with each; nil: nothing.
func readAll(ctx context.Context, blocks store.BlockReader, refs []store.BlockRef) []error {
	var d block.Decoder
	out := make([]error, len(refs))
	for at := 0; at < len(refs); at += checkTogether {
		some, errs := refs[at:min(at+checkTogether, len(refs))], out[at:]
		done := make([]bool, len(some))
		read := func(from, to int) error {
			return blocks.ReadBlocks(ctx, some[from:to], func(i int, data []byte) error {
				done[from+i], errs[from+i] = true, checkBlock(&d, &some[from+i], data)
				return nil
			})
		}
		if read(0, len(some)) == nil {
			continue
		}
		for i := range some { // one that cannot be read says nothing of the others
			if done[i] || ctx.Err() != nil {
				continue
			}
			if err := read(i, i+1); err != nil {
				errs[i] = err
			}
		}
	}
	return out
}

// checkBlock decodes the bytes of a block and compares its captures with its row.
func checkBlock(d *block.Decoder, ref *store.BlockRef, data []byte) error {
	if err := decode(d, ref, data); err != nil {
		return err
	}
	var sums blockSums
	for c := d.Next(); c != nil; c = d.Next() {
		sums.add(c)
	}
	if err := d.Err(); err != nil {
		return damaged(ref, err)
	}
	return sums.end(ref)
}

// blockSums is what the row of a block says of its captures.
type blockSums struct {
	kinds  store.Kinds
	traded int64
}

func (s *blockSums) add(c *market.Capture) {
	s.kinds |= store.KindsOf(c)
	s.traded = store.AddTraded(s.traded, c)
}

// end compares the sums of the captures of a block with its row, and begins anew.
func (s *blockSums) end(ref *store.BlockRef) error {
	was := *s
	*s = blockSums{}
	if was != (blockSums{ref.Kinds, ref.Traded}) {
		return damaged(ref, errors.New("kinds or traded value of its captures differ from its row"))
	}
	return nil
}

// Sound reports whether every block of a source is present and readable. Of one that
// is not complete it reports instead whether the blocks present can be kept when it is
// imported again: they are readable by this program.
func Sound(ctx context.Context, s store.Store, id store.SourceID, complete bool) (bool, error) {
	sound := true
	err := s.View(ctx, func(r store.Reader) error {
		keys, err := store.SourceClaims(ctx, r, id, func(k store.ClaimKey) bool { return k.Kind == store.MarketClaim })
		if err != nil {
			return err
		}
		for page := range slices.Chunk(keys, store.PageRows) {
			if !sound {
				break
			}
			parts, err := r.Parts(ctx, store.Column(page, func(k *store.ClaimKey) store.ID { return k.Owner }))
			if err != nil {
				return err
			}
			for _, p := range parts {
				if p.Source != id {
					continue
				}
				refs, err := PartRefs(ctx, r, p.PartKey)
				flaws := CheckPart(ctx, r, p, refs)
				if err := Unreachable(flaws); err != nil {
					return err
				}
				if !complete {
					flaws = slices.DeleteFunc(flaws, func(f Flaw) bool {
						return !errors.Is(f.Err, store.ErrDamaged) && !errors.Is(f.Err, store.ErrBlockVersion)
					})
				}
				if err != nil || len(flaws) > 0 {
					sound = false
					break
				}
			}
		}
		return ctx.Err()
	})
	if errors.Is(err, store.ErrDamaged) {
		return false, nil
	}
	return sound, err
}
