package care

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ladderback/ladderback/archive/derive"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// Selection is what to remove: sources with everything only they gave, markets,
// and every market that ended at or before a time; zero: none. All of it is
// removed in one transaction.
type Selection struct {
	Sources []store.SourceID
	Markets []store.ID
	Before  market.Instant
}

// Removal is what a Selection would remove, or has removed.
type Removal struct {
	Sources []store.Source
	// Markets are those named, or ended; not those that only a source to be removed
	// gave.
	Markets []RemovedMarket
	// Captures, Blocks and Bytes (of blocks) go with both.
	Captures, Blocks, Bytes int64
	// Emptied are packs that no block is in any more; their objects are still there.
	Emptied []store.Pack
	// Done: it has been taken out. Unshrunk says why the space was not given back
	// all the same; nil: it was.
	Done     bool
	Unshrunk error
}

// RemovedMarket identifies a market that is removed.
type RemovedMarket struct {
	ID, Slug string
	End      market.Instant
	Captures int64
}

// Preview returns what Remove would remove, without changing anything.
func Preview(ctx context.Context, s store.Store, sel Selection) (*Removal, error) {
	out, err := store.Look(ctx, s, func(r store.Reader) (*Removal, error) {
		out, _, err := sel.look(ctx, r)
		return out, err
	})
	if err != nil {
		return nil, fmt.Errorf("remove: %w", err)
	}
	return out, nil
}

// Remove removes what is selected, except what another source gave too. A
// source from which markets are removed is no longer complete; importing it
// again brings them back. If there is too little disk space to return the freed
// space, the removal still stands: Removal.Unshrunk says so, and later imports
// use the space.
func Remove(ctx context.Context, s store.Store, sel Selection) (*Removal, error) {
	var out *Removal
	err := s.Update(ctx, func(w store.Writer) (err error) {
		var ids []store.ID
		if out, ids, err = sel.look(ctx, w); err != nil {
			return err
		}
		if err := removeMarkets(ctx, w, ids); err != nil {
			return err
		}
		for _, src := range out.Sources {
			if err := derive.DropSource(ctx, w, src.ID, resum, retop); err != nil {
				return err
			}
		}
		return out.emptied(ctx, w)
	})
	if err != nil {
		return nil, fmt.Errorf("remove: %w", err)
	}
	out.Done = true
	if out.Unshrunk = s.Shrink(ctx); errors.Is(out.Unshrunk, context.Canceled) {
		return out, out.Unshrunk
	}
	return out, nil
}

// emptied drops the rows of packs that no block is in.
func (r *Removal) emptied(ctx context.Context, w store.Writer) error {
	packs, err := w.Packs(ctx)
	if err != nil {
		return err
	}
	c := &store.Changes{}
	for i := range packs {
		if p := &packs[i]; p.Used == 0 {
			r.Emptied, c.DropPacks = append(r.Emptied, p.Pack), append(c.DropPacks, p.ID)
		}
	}
	return w.Apply(ctx, c)
}

// look returns what is selected, and the markets among it.
func (sel *Selection) look(ctx context.Context, r store.Reader) (*Removal, []store.ID, error) {
	out := &Removal{}
	var err error
	sources := append([]store.SourceID{}, sel.Sources...) // nil would be all
	slices.Sort(sources)
	sources = slices.Compact(sources)
	if out.Sources, err = r.Sources(ctx, sources); err != nil {
		return nil, nil, err
	}
	if len(out.Sources) < len(sources) {
		return nil, nil, fmt.Errorf("source: %w", store.ErrNotFound)
	}
	rows, err := r.Markets(ctx, store.MarketQuery{IDs: append([]store.ID{}, sel.Markets...), Unlisted: true, Damaged: true})
	if err != nil {
		return nil, nil, err
	}
	if sel.Before != 0 {
		ended, err := r.Markets(ctx, store.MarketQuery{EndFrom: 1, EndTo: sel.Before + 1, Damaged: true})
		if err != nil {
			return nil, nil, err
		}
		rows = append(rows, ended...)
	}
	gone := map[store.PartKey]store.Part{}
	var ids, owners []store.ID
	for i := range rows {
		m := &rows[i].Market
		if slices.Contains(ids, rows[i].ID) {
			continue
		}
		ids, owners = append(ids, rows[i].ID), append(owners, rows[i].Owners...)
		out.Markets = append(out.Markets, RemovedMarket{m.VenueID, m.Slug, m.End, rows[i].Stats.Captures})
	}
	slices.SortFunc(out.Markets, func(a, b RemovedMarket) int {
		return cmp.Or(cmp.Compare(a.End, b.End), cmp.Compare(a.ID, b.ID))
	})
	parts, err := r.Parts(ctx, owners)
	if err != nil {
		return nil, nil, err
	}
	for _, src := range out.Sources {
		of, err := sourceParts(ctx, r, src.ID)
		if err != nil {
			return nil, nil, err
		}
		parts = append(parts, of...)
	}
	for _, p := range parts {
		if _, ok := gone[p.PartKey]; !ok {
			gone[p.PartKey] = p
			out.Captures += p.Captures
			out.Blocks += p.Blocks
			out.Bytes += p.Bytes
		}
	}
	return out, ids, nil
}

// sourceParts returns the parts that a source gave.
func sourceParts(ctx context.Context, r store.Reader, id store.SourceID) ([]store.Part, error) {
	keys, err := store.SourceClaims(ctx, r, id, func(k store.ClaimKey) bool { return k.Kind == store.MarketClaim })
	if err != nil {
		return nil, err
	}
	owners := store.Column(keys, func(k *store.ClaimKey) store.ID { return k.Owner })
	parts, err := r.Parts(ctx, owners)
	return slices.DeleteFunc(parts, func(p store.Part) bool { return p.Source != id }), err
}

func removeMarkets(ctx context.Context, w store.Writer, ids []store.ID) error {
	if len(ids) == 0 {
		return nil
	}
	rows, err := w.Markets(ctx, store.MarketQuery{IDs: ids, Unlisted: true, Damaged: true})
	if err != nil {
		return err
	}
	var owners []store.ID
	for i := range rows {
		owners = append(owners, rows[i].Owners...)
	}
	claims, err := w.Claims(ctx, store.MarketClaim, owners)
	if err != nil {
		return err
	}
	r, c := derive.New(w, resum, retop), &store.Changes{}
	keys := make([]store.ClaimKey, 0, len(claims))
	removed := map[store.SourceID]int64{}
	sources := []store.SourceID{}
	for i := range claims {
		src := claims[i].Source
		keys = append(keys, claims[i].ClaimKey)
		if removed[src]++; removed[src] == 1 {
			sources = append(sources, src)
		}
	}
	if c.Sources, err = w.Sources(ctx, sources); err != nil {
		return err
	}
	for i := range c.Sources {
		src := &c.Sources[i]
		if !src.Interrupted() { // else what is missing may be more than what was removed
			src.Removed += removed[src.ID]
		}
		src.Complete = false
	}
	if err := r.DropClaims(ctx, keys, c); err != nil {
		return err
	}
	if err := w.Apply(ctx, c); err != nil {
		return err
	}
	return r.Run(ctx)
}
