package care

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ladderback/ladderback/archive/derive"
	"github.com/ladderback/ladderback/archive/scan"
	"github.com/ladderback/ladderback/archive/store"
)

// CopyProgress is the progress of Copy.
type CopyProgress struct {
	Sources, AllSources int
	Blocks              int64
	Bytes               int64 // of blocks
}

// CopyResult is what Copy did.
type CopyResult struct {
	Sources int   // copied now
	Already int   // that were there before
	Blocks  int64 // copied now
	Bytes   int64 // of these
	// Damage is what could not be copied. Its sources are not complete in the
	// copy: importing them there again completes it.
	Damage []Damage
	// Markets is how many markets were compared after copying, by content hash.
	Markets int64
	// Differing are the markets, by public id, whose content differs although
	// the copy has the same captures of the same sources.
	Differing []string
}

// copyBytes is about how many bytes of blocks go into one transaction.
const copyBytes = 8 << 20

// Copy copies everything in from to to, source by source. Sources already
// complete in to are left as they are. It may be interrupted at any time and
// resumes when called again. Every block is checked as it is read, and the
// content hashes of the markets are compared at the end.
func Copy(ctx context.Context, from, to store.Store, progress func(CopyProgress)) (*CopyResult, error) {
	c := &copier{from: from, to: to, out: &CopyResult{}, progress: progress}
	sources, err := store.Look(ctx, from, func(r store.Reader) ([]store.Source, error) { return r.Sources(ctx, nil) })
	if err != nil {
		return nil, fmt.Errorf("sources: %w", err)
	}
	c.at.AllSources = len(sources)
	for _, s := range sources {
		if err := c.source(ctx, s); err != nil {
			return c.out, fmt.Errorf("copy %s from %s to %s: %w", s.Name, from.Address(), to.Address(), err)
		}
		c.at.Sources++
		c.tell()
	}
	return c.out, c.compare(ctx)
}

type copier struct {
	from, to store.Store
	out      *CopyResult
	at       CopyProgress
	progress func(CopyProgress)
}

func (c *copier) tell() {
	if c.progress != nil {
		c.progress(c.at)
	}
}

func (c *copier) source(ctx context.Context, s store.Source) error {
	there, err := c.sourceIn(ctx, s.ID)
	if err != nil {
		return err
	}
	if there != nil && there.Complete {
		sound, err := scan.Sound(ctx, c.to, s.ID, true)
		if err != nil {
			return err
		}
		if sound {
			c.out.Already++
			return nil
		}
	}
	if there != nil && !s.Complete && there.Counts.Captures >= s.Counts.Captures && there.Counts.Captures > 0 {
		// Neither is whole: what is there may be more than what is here.
		c.out.Already++
		return nil
	}
	again := there != nil
	whole := s.Complete
	row := s
	row.Complete = false
	if err := c.put(ctx, &batchOf{changes: store.Changes{Sources: []store.Source{row}}}); err != nil {
		return err
	}
	for _, kind := range []store.ClaimKind{store.SeriesClaim, store.EventClaim, store.MarketClaim} {
		ok, err := c.claims(ctx, s, kind, again)
		if err != nil {
			return err
		}
		whole = whole && ok
	}
	row.Complete = whole
	if err := c.put(ctx, &batchOf{changes: store.Changes{Sources: []store.Source{row}}}); err != nil {
		return err
	}
	c.out.Sources++
	return nil
}

func (c *copier) sourceIn(ctx context.Context, id store.SourceID) (*store.Source, error) {
	found, err := store.Look(ctx, c.to, func(r store.Reader) ([]store.Source, error) { return r.Sources(ctx, []store.SourceID{id}) })
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// claims copies the claims of one kind, with the parts under them. ok: nothing
// was damaged.
func (c *copier) claims(ctx context.Context, s store.Source, kind store.ClaimKind, again bool) (ok bool, err error) {
	ok = true
	after := store.ClaimKey{Kind: kind, Owner: -1, Source: s.ID}
	for {
		page, err := c.page(ctx, after)
		if err != nil || len(page.keys) == 0 {
			return ok, err
		}
		after = page.keys[len(page.keys)-1]
		b := &batchOf{}
		for i := range page.docs {
			if err := b.claim(&page.docs[i]); err != nil {
				return ok, err
			}
			for _, p := range page.parts[page.docs[i].Owner] {
				sound, err := c.part(ctx, s, p, b, again)
				if err != nil {
					return ok, err
				}
				ok = ok && sound
			}
			if b.bytes >= copyBytes {
				if err := c.put(ctx, b); err != nil {
					return ok, err
				}
				b = &batchOf{}
			}
		}
		if err := c.put(ctx, b); err != nil {
			return ok, err
		}
	}
}

// claimPage is some of the claims of a source.
type claimPage struct {
	keys  []store.ClaimKey
	docs  []store.Claim
	parts map[store.ID][]store.Part // by owner; of markets
}

// page reads the claims of the source and kind of after that come behind it.
func (c *copier) page(ctx context.Context, after store.ClaimKey) (p claimPage, err error) {
	err = c.from.View(ctx, func(r store.Reader) (err error) {
		p = claimPage{parts: map[store.ID][]store.Part{}}
		if p.keys, err = r.ClaimsOf(ctx, after.Source, after, store.PageRows); err != nil {
			return err
		}
		p.keys = slices.DeleteFunc(p.keys, func(k store.ClaimKey) bool { return k.Kind != after.Kind })
		owners := store.Column(p.keys, func(k *store.ClaimKey) store.ID { return k.Owner })
		if p.docs, err = r.Claims(ctx, after.Kind, owners); err != nil {
			return err
		}
		p.docs = slices.DeleteFunc(p.docs, func(d store.Claim) bool { return d.Source != after.Source })
		if after.Kind != store.MarketClaim {
			return nil
		}
		parts, err := r.Parts(ctx, owners)
		for _, part := range parts {
			if part.Source == after.Source {
				p.parts[part.Owner] = append(p.parts[part.Owner], part)
			}
		}
		return err
	})
	return p, err
}

// batchOf is what goes into one transaction of a copy.
type batchOf struct {
	changes store.Changes
	docs    []derive.Doc
	bytes   int
}

func (b *batchOf) claim(c *store.Claim) error {
	doc, err := derive.Read(c)
	b.changes.Claims = append(b.changes.Claims, *c)
	b.docs = append(b.docs, doc)
	b.bytes += len(c.Doc)
	return err
}

// part adds the blocks of one part to b; not when any of them is damaged.
func (c *copier) part(ctx context.Context, s store.Source, p store.Part, b *batchOf, again bool) (sound bool, err error) {
	refs, err := store.Look(ctx, c.from, func(r store.Reader) ([]store.BlockRef, error) { return scan.PartRefs(ctx, r, p.PartKey) })
	if err == nil {
		flaws := scan.CheckPart(ctx, c.from, p, refs)
		if err := scan.Unreachable(flaws); err != nil {
			return false, err
		}
		for _, f := range flaws {
			d := Damage{Stream: p.Stream, Source: s, Problem: f.Err.Error()}
			if f.Ref != nil {
				d.of(f.Ref)
			}
			c.out.Damage = append(c.out.Damage, d)
		}
		if e := ctx.Err(); e != nil {
			return false, e
		}
		if len(flaws) > 0 {
			return false, nil
		}
	} else if errors.Is(err, store.ErrDamaged) {
		c.out.Damage = append(c.out.Damage, Damage{Stream: p.Stream, Source: s, Problem: err.Error()})
		return false, nil
	} else {
		return false, err
	}
	blocks := make([]store.Block, len(refs))
	err = c.from.ReadBlocks(ctx, refs, func(i int, data []byte) error {
		blocks[i] = store.Block{BlockRef: refs[i], Data: slices.Clone(data)}
		b.bytes += len(data)
		return nil
	})
	if err != nil {
		return false, err
	}
	if again {
		b.changes.DropParts = append(b.changes.DropParts, p.PartKey)
	}
	b.changes.Parts = append(b.changes.Parts, p)
	b.changes.Blocks = append(b.changes.Blocks, blocks...)
	return true, nil
}

func (c *copier) put(ctx context.Context, b *batchOf) error {
	err := c.to.Update(ctx, func(w store.Writer) error {
		r := derive.New(w, resum, retop)
		if len(b.changes.DropParts) > 0 {
			r.Replaced()
		}
		for _, d := range b.docs {
			r.Touch(d)
		}
		if err := w.Apply(ctx, &b.changes); err != nil {
			return err
		}
		return r.Run(ctx)
	})
	if err != nil {
		return err
	}
	for i := range b.changes.Blocks {
		c.out.Blocks++
		c.out.Bytes += int64(b.changes.Blocks[i].Bytes)
	}
	c.at.Blocks, c.at.Bytes = c.out.Blocks, c.out.Bytes
	c.tell()
	return nil
}

// compare compares the content hashes of the markets that have the same
// captures of the same sources on both sides.
func (c *copier) compare(ctx context.Context) error {
	return c.from.View(ctx, func(r store.Reader) error {
		return store.EachMarket(ctx, r, store.MarketQuery{Unlisted: true}, func(rows []store.MarketRow) error {
			ids := store.Column(rows, func(v *store.MarketRow) store.ID { return v.ID })
			there, err := store.Look(ctx, c.to, func(r store.Reader) ([]store.MarketRow, error) {
				return r.Markets(ctx, store.MarketQuery{IDs: ids, Unlisted: true})
			})
			if err != nil {
				return err
			}
			for i := range there {
				k := slices.Index(ids, there[i].ID)
				if rows[k].Basis != there[i].Basis {
					continue
				}
				c.out.Markets++
				if rows[k].Stats.Content != there[i].Stats.Content {
					c.out.Differing = append(c.out.Differing, rows[k].Market.VenueID)
				}
			}
			return nil
		})
	})
}
