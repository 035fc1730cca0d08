package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/ladderback/ladderback/archive/derive"
	"github.com/ladderback/ladderback/archive/scan"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// deferredDocs is how many documents of a deferred import are handed on together.
const deferredDocs = 512

func (i *Import) commitIfLarge(ctx context.Context) error {
	if i.deferred && len(i.pending.docs) >= deferredDocs {
		return i.commit(ctx, false)
	}
	if i.pending.bytes < i.in.limits.commitBytes && len(i.pending.docs) < i.in.limits.commitClaims {
		return nil
	}
	return i.commit(ctx, false)
}

// commit puts the batch, and all that follows from it, in one transaction. last
// marks the source complete. i.mu is held.
func (i *Import) commit(ctx context.Context, last bool) error {
	if i.deferred {
		if len(i.pending.changes.Parts) == 0 {
			return i.pledge(ctx, last)
		}
		i.deferred = false
		if err := i.in.Settle(ctx, nil); err != nil {
			return err
		}
	}
	b, watched := i.pending, i.watched
	i.pending, i.watched = batch{}, map[store.ID]*observer{}
	src := i.src
	src.Complete = last
	var torn []store.PartKey
	err := i.in.store.Update(ctx, func(w store.Writer) (err error) {
		r := derive.New(w, sums(watched), tops) // of what is dropped
		b.changes.Sources = []store.Source{src}
		for _, d := range b.docs {
			key := store.ClaimKey{Kind: d.Kind, Owner: d.Owner, Source: src.ID}
			b.changes.Claims = append(b.changes.Claims, store.Claim{ClaimKey: key, Doc: derive.Encode(d.Says)})
		}
		if err := i.checkAlone(ctx, w); err != nil {
			return err
		}
		if err := i.replace(ctx, w, r, &b.changes, last); err != nil {
			return err
		}
		if torn, err = i.apply(ctx, w, &b.changes); err != nil {
			return err
		}
		if err := i.heardTwice(ctx, w, &b.changes); err != nil {
			return err
		}
		if err := r.Run(ctx); err != nil {
			return err
		}
		return refresh(ctx, w, b.docs, sums(watched), len(b.changes.DropParts) > 0)
	})
	if errors.Is(err, store.ErrTwice) { // of what was put so far, too
		drop := i.in.store.Update(ctx, func(w store.Writer) error { return derive.DropSource(ctx, w, src.ID, sums(nil), tops) })
		if !errors.Is(drop, store.ErrNotFound) {
			err = errors.Join(err, drop)
		}
	}
	if err != nil {
		return fmt.Errorf("import %s: %w", i.src.Name, err)
	}
	for _, p := range b.changes.Parts {
		i.parts[partID{p.Token, p.Stream}].put = true
	}
	i.src = src
	for _, k := range torn {
		i.torn[k] = true
		i.src.Complete = false
	}
	return nil
}

// pledge hands the batch on to be settled later. i.mu is held.
func (i *Import) pledge(ctx context.Context, last bool) error {
	docs := i.pending.docs
	i.pending, i.watched = batch{}, map[store.ID]*observer{}
	if err := i.in.ledger.put(ctx, i, docs, last); err != nil {
		return fmt.Errorf("import %s: %w", i.src.Name, err)
	}
	i.src.Complete = last
	if last && !i.again {
		i.seen = nil // only what an earlier import left is compared with it
	}
	return nil
}

// refreshDocs is how many claims are refreshed at a time: what is derived from them,
// and what was there before, is held in memory together.
const refreshDocs = 8192

// refresh derives what depends on the claims, which have been put. replaced: blocks under
// them were put in the place of others.
func refresh(ctx context.Context, w store.Writer, docs []derive.Doc, sum derive.Sums, replaced bool) error {
	// Events and series first: markets depend on them.
	slices.SortStableFunc(docs, func(a, b derive.Doc) int { return cmp.Compare(b.Kind, a.Kind) })
	for part := range slices.Chunk(docs, refreshDocs) {
		r := derive.New(w, sum, tops)
		if replaced {
			r.Replaced()
		}
		for _, d := range part {
			r.Touch(d)
		}
		if err := r.Run(ctx); err != nil {
			return err
		}
	}
	return nil
}

// checkAlone looks whether another file has captures of the markets of this one, from
// the time that this one has so far.
func (i *Import) checkAlone(ctx context.Context, w store.Writer) error {
	if !i.alone || len(i.parts) == 0 {
		return nil
	}
	first, last := market.Instant(math.MaxInt64), market.Instant(0)
	var owners []store.ID
	for _, p := range i.parts {
		if p.Captures > 0 {
			first, last = min(first, p.First), max(last, p.Last)
			owners = append(owners, p.Owner)
		}
	}
	slices.Sort(owners)
	parts, err := w.Parts(ctx, slices.Compact(owners))
	if err != nil {
		return err
	}
	var others []store.SourceID
	for _, p := range parts {
		if p.Source != i.src.ID && p.Whole && p.First <= last && p.Last >= first {
			others = append(others, p.Source)
		}
	}
	sources, err := w.Sources(ctx, append([]store.SourceID{}, others...))
	for _, s := range sources {
		if s.Format == i.src.Format {
			return fmt.Errorf("%w: %s has captures of the same markets between %s and %s", store.ErrTwice, s.Name,
				first.Time().Format(time.RFC3339), last.Time().Format(time.RFC3339))
		}
	}
	return err
}

// replace makes room for what c puts: what an earlier import of the file left and
// cannot stay is dropped, and what another one has finished stands.
func (i *Import) replace(ctx context.Context, w store.Writer, r *derive.Refresh, c *store.Changes, last bool) error {
	if i.again && !i.keep {
		for _, p := range c.Parts {
			if s := i.parts[partID{p.Token, p.Stream}]; s == nil || !s.put {
				c.DropParts = append(c.DropParts, p.PartKey)
			}
		}
	} else if err := i.yield(ctx, w, c); err != nil {
		return err
	}
	if last && i.again {
		return i.dropLeft(ctx, w, r, c)
	}
	return nil
}

// apply puts c, and returns the parts that were begun otherwise and are dropped:
// with any the source is not complete.
func (i *Import) apply(ctx context.Context, w store.Writer, c *store.Changes) (torn []store.PartKey, err error) {
	if err := w.Apply(ctx, c); err != nil {
		return nil, err
	}
	if i.again {
		if torn, err = i.mendParts(ctx, w, c); err != nil {
			return nil, err
		}
	}
	if len(i.torn)+len(torn) == 0 {
		return nil, nil
	}
	c.Sources[0].Complete = false
	return torn, w.Apply(ctx, &store.Changes{Sources: c.Sources})
}

// yield leaves standing what another import of the same file, which went on at
// the same time, has finished: its parts stay visible and the source complete.
func (i *Import) yield(ctx context.Context, w store.Writer, c *store.Changes) error {
	there, err := w.Sources(ctx, []store.SourceID{i.src.ID})
	if err != nil {
		return err
	}
	c.Sources[0].Complete = c.Sources[0].Complete || len(there) > 0 && there[0].Complete
	var owners []store.ID
	for _, p := range c.Parts {
		if !p.Whole {
			owners = append(owners, p.Owner)
		}
	}
	if len(owners) == 0 {
		return nil
	}
	parts, err := w.Parts(ctx, owners)
	if err != nil {
		return err
	}
	whole := map[store.PartKey]bool{}
	for _, p := range parts {
		whole[p.PartKey] = p.Whole
	}
	c.Parts = slices.DeleteFunc(c.Parts, func(p store.Part) bool { return !p.Whole && whole[p.PartKey] })
	return nil
}

// mendParts looks whether the blocks of the parts that have become whole are
// those that this import put, and no others: an earlier import that was not
// finished may have cut them differently. Where all blocks of such a part are at
// hand they replace what is there; else the part is dropped, and returned. c says then
// that it was dropped.
func (i *Import) mendParts(ctx context.Context, w store.Writer, c *store.Changes) (torn []store.PartKey, err error) {
	for _, p := range c.Parts {
		if !p.Whole {
			continue
		}
		refs, err := scan.PartRefs(ctx, w, p.PartKey)
		if err != nil {
			return nil, err
		}
		if adds(p, refs) && !i.torn[p.PartKey] {
			continue
		}
		fix := &store.Changes{DropParts: []store.PartKey{p.PartKey}}
		var own []store.Block
		for _, b := range c.Blocks {
			if b.Token == p.Token && b.Stream == p.Stream {
				own = append(own, b)
			}
		}
		if int64(len(own)) == p.Blocks {
			fix.Parts, fix.Blocks = []store.Part{p}, own
		} else {
			torn = append(torn, p.PartKey)
		}
		if err := w.Apply(ctx, fix); err != nil {
			return nil, err
		}
		c.DropParts = append(c.DropParts, p.PartKey)
	}
	return torn, nil
}

// adds reports whether blocks are as many, and hold as much, as their part
// says.
func adds(p store.Part, refs []store.BlockRef) bool {
	p.Blocks -= int64(len(refs))
	for i := range refs {
		p.Captures -= int64(refs[i].Captures)
		p.Changes -= int64(refs[i].Changes)
		p.Bytes -= int64(refs[i].Bytes)
		p.Refs -= refs[i].Sum()
	}
	return p.Blocks == 0 && p.Captures == 0 && p.Changes == 0 && p.Bytes == 0 && p.Refs == 0
}

// dropLeft drops what an earlier import of the file left and this one did not
// put again.
func (i *Import) dropLeft(ctx context.Context, w store.Writer, r *derive.Refresh, c *store.Changes) error {
	now := map[store.ClaimKey]bool{}
	for _, k := range c.Claims {
		now[k.ClaimKey] = true
	}
	dropped, err := store.SourceClaims(ctx, w, i.src.ID, func(k store.ClaimKey) bool {
		_, seen := i.seen[k.Owner]
		return !now[k] && k.Kind == store.MarketClaim && !seen
	})
	if err != nil {
		return err
	}
	return r.DropClaims(ctx, dropped, c)
}

// tops derives the tops of rounds.
var tops = derive.Tops{Make: scan.DeriveTops, Sound: scan.SoundTops}

// sums takes what an observer saw where that is all there is, and reads the
// captures anew elsewhere.
func sums(watched map[store.ID]*observer) derive.Sums {
	return func(ctx context.Context, r store.Reader, row *store.MarketRow, own []derive.Placed) (store.Stats, error) {
		if o := watched[own[0].Owner]; o != nil {
			if stats, ok := o.sums(row, own); ok {
				return stats, nil
			}
		}
		return scan.Summarise(ctx, r, row)
	}
}
