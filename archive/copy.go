package archive

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// CopyProgress says how far Copy has come.
type CopyProgress struct {
	Sources, AllSources int
	Blocks              int64
	Bytes               int64 // of blocks
}

// CopyResult says what Copy did.
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

// Copy puts everything that from has into to, source by source. Sources that to
// has already, in whole, are left as they are. It may be interrupted at any
// time and goes on when it is called again. Every block is checked when it is
// read, and the content hashes of the markets are compared at the end.
func Copy(ctx context.Context, from, to *Archive, progress func(CopyProgress)) (*CopyResult, error) {
	c := &copier{from: from, to: to, out: &CopyResult{}, progress: progress}
	sources, err := from.Sources(ctx)
	if err != nil {
		return nil, err
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
	from, to *Archive
	out      *CopyResult
	at       CopyProgress
	progress func(CopyProgress)
}

func (c *copier) tell() {
	if c.progress != nil {
		c.progress(c.at)
	}
}

func (c *copier) source(ctx context.Context, s Source) error {
	there, err := c.sourceIn(ctx, s.ID)
	if err != nil {
		return err
	}
	if there != nil && there.Complete {
		sound, err := c.to.sound(ctx, s.ID, 0)
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
	if err := c.put(ctx, &batchOf{changes: Changes{Sources: []Source{row}}}); err != nil {
		return err
	}
	for _, kind := range []ClaimKind{SeriesClaim, EventClaim, MarketClaim} {
		ok, err := c.claims(ctx, s, kind, again)
		if err != nil {
			return err
		}
		whole = whole && ok
	}
	row.Complete = whole
	if err := c.put(ctx, &batchOf{changes: Changes{Sources: []Source{row}}}); err != nil {
		return err
	}
	c.out.Sources++
	return nil
}

func (c *copier) sourceIn(ctx context.Context, id SourceID) (*Source, error) {
	var found []Source
	err := c.to.store.View(ctx, func(r Reader) (err error) {
		found, err = r.Sources(ctx, []SourceID{id})
		return err
	})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// claims copies the claims of one kind, with the parts under them. ok: nothing
// was damaged.
func (c *copier) claims(ctx context.Context, s Source, kind ClaimKind, again bool) (ok bool, err error) {
	ok = true
	after := ClaimKey{Kind: kind, Owner: -1, Source: s.ID}
	for {
		var page []ClaimKey
		var docs []Claim
		var parts []Part
		err := c.from.store.View(ctx, func(r Reader) error {
			if page, err = r.ClaimsOf(ctx, s.ID, after, pageRows); err != nil {
				return err
			}
			page = slices.DeleteFunc(page, func(k ClaimKey) bool { return k.Kind != kind })
			owners := make([]ID, len(page))
			for i, k := range page {
				owners[i] = k.Owner
			}
			if docs, err = r.Claims(ctx, kind, owners); err != nil {
				return err
			}
			docs = slices.DeleteFunc(docs, func(d Claim) bool { return d.Source != s.ID })
			if kind == MarketClaim {
				parts, err = r.Parts(ctx, owners)
			}
			return err
		})
		if err != nil {
			return ok, err
		}
		if len(page) == 0 {
			return ok, nil
		}
		after = page[len(page)-1]
		b := &batchOf{}
		for i := range docs {
			if err := b.claim(&docs[i]); err != nil {
				return ok, err
			}
			for _, p := range parts {
				if p.Owner != docs[i].Owner || p.Source != s.ID || kind != MarketClaim {
					continue
				}
				sound, err := c.part(ctx, s, p, b, again)
				if err != nil {
					return ok, err
				}
				ok = ok && sound
			}
			if b.bytes >= c.to.limits.copyBytes {
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

// batchOf is what goes into one transaction of a copy.
type batchOf struct {
	changes Changes
	docs    []pendingDoc
	bytes   int
}

func (b *batchOf) claim(c *Claim) error {
	var doc any
	var err error
	switch c.Kind {
	case MarketClaim:
		doc, err = decodeDoc[marketDoc](c)
	case EventClaim:
		doc, err = decodeDoc[eventDoc](c)
	default:
		doc, err = decodeDoc[seriesDoc](c)
	}
	b.changes.Claims = append(b.changes.Claims, *c)
	b.docs = append(b.docs, pendingDoc{c.Kind, c.Owner, doc})
	b.bytes += len(c.Doc)
	return err
}

// part adds the blocks of one part to b; not when any of them is damaged.
func (c *copier) part(ctx context.Context, s Source, p Part, b *batchOf, again bool) (sound bool, err error) {
	var refs []BlockRef
	err = c.from.store.View(ctx, func(r Reader) error {
		refs, err = partRefs(ctx, r, p.PartKey)
		return err
	})
	if err == nil {
		flaws := checkPart(ctx, c.from.store, p, refs)
		for _, f := range flaws {
			d := Damage{Stream: p.Stream, Source: s, Problem: f.err.Error()}
			if f.ref != nil {
				d.of(f.ref)
			}
			c.out.Damage = append(c.out.Damage, d)
		}
		if e := ctx.Err(); e != nil {
			return false, e
		}
		if len(flaws) > 0 {
			return false, nil
		}
	} else if errors.Is(err, ErrDamaged) {
		c.out.Damage = append(c.out.Damage, Damage{Stream: p.Stream, Source: s, Problem: err.Error()})
		return false, nil
	} else {
		return false, err
	}
	blocks := make([]Block, len(refs))
	err = c.from.store.ReadBlocks(ctx, refs, func(i int, data []byte) error {
		blocks[i] = Block{refs[i], slices.Clone(data)}
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
	err := c.to.store.Update(ctx, func(w Writer) error {
		r := newRefresh(w)
		for _, d := range b.docs {
			r.touch(d.kind, d.owner, d.doc)
		}
		if err := w.Apply(ctx, &b.changes); err != nil {
			return err
		}
		return r.run(ctx)
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
	return c.from.store.View(ctx, func(r Reader) error {
		return eachMarket(ctx, r, MarketQuery{Unlisted: true}, func(rows []MarketRow) error {
			ids := make([]ID, len(rows))
			for i := range rows {
				ids[i] = rows[i].ID
			}
			var there []MarketRow
			err := c.to.store.View(ctx, func(r Reader) (err error) {
				there, err = r.Markets(ctx, MarketQuery{IDs: ids, Unlisted: true})
				return err
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
