package derive

import (
	"context"
	"fmt"

	"github.com/ladderback/ladderback/archive/store"
)

// DropClaims adds to c the removal of claims, with the parts under them, and
// touches what they were about.
func (r *Refresh) DropClaims(ctx context.Context, keys []store.ClaimKey, c *store.Changes) error {
	byKind := map[store.ClaimKind][]store.ID{}
	gone := map[store.ClaimKey]bool{}
	for _, k := range keys {
		byKind[k.Kind] = append(byKind[k.Kind], k.Owner)
		gone[k] = true
	}
	c.DropClaims = append(c.DropClaims, keys...)
	for _, id := range byKind[store.EventClaim] {
		r.events[id] = true
	}
	for _, id := range byKind[store.SeriesClaim] {
		r.series[id] = true
	}
	owners := byKind[store.MarketClaim]
	claims, err := r.w.Claims(ctx, store.MarketClaim, owners)
	if err != nil {
		return err
	}
	for i := range claims {
		if !gone[claims[i].ClaimKey] {
			continue
		}
		d, err := Decode[MarketDoc](&claims[i])
		if err != nil {
			return err
		}
		r.touchMarket(claims[i].Owner, d)
	}
	parts, err := r.w.Parts(ctx, owners)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if gone[store.ClaimKey{Kind: store.MarketClaim, Owner: p.Owner, Source: p.Source}] {
			c.DropParts = append(c.DropParts, p.PartKey)
			r.shrunk = true
		}
	}
	return nil
}

// DropSource removes everything that one source gave, within the transaction of
// w, and derives afresh what depended on it. A missing source is ErrNotFound.
func DropSource(ctx context.Context, w store.Writer, id store.SourceID, sum Sums, top Tops) error {
	src, err := w.Sources(ctx, []store.SourceID{id})
	if err != nil {
		return err
	}
	if len(src) == 0 {
		return fmt.Errorf("source %d: %w", id, store.ErrNotFound)
	}
	r, c := New(w, sum, top), &store.Changes{DropSources: []store.SourceID{id}}
	keys, err := store.SourceClaims(ctx, w, id, nil)
	if err != nil {
		return err
	}
	if err := r.DropClaims(ctx, keys, c); err != nil {
		return err
	}
	if err := w.Apply(ctx, c); err != nil {
		return err
	}
	return r.Run(ctx)
}
