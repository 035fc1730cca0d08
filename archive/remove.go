package archive

import (
	"context"
	"fmt"
	"slices"

	"github.com/ladderback/ladderback/market"
)

// claimPage is how many claims of a source are looked at at a time.
const claimPage = 1000

// claimsOf returns the claims of a source that want selects; nil: all.
func claimsOf(ctx context.Context, r Reader, s SourceID, want func(ClaimKey) bool) ([]ClaimKey, error) {
	var out []ClaimKey
	after := ClaimKey{}
	for {
		page, err := r.ClaimsOf(ctx, s, after, claimPage)
		if err != nil {
			return nil, err
		}
		for _, k := range page {
			if want == nil || want(k) {
				out = append(out, k)
			}
		}
		if len(page) < claimPage {
			return out, nil
		}
		after = page[len(page)-1]
	}
}

// dropClaims adds to c the removal of claims, with the parts under them, and
// touches what they were about.
func (r *refresh) dropClaims(ctx context.Context, keys []ClaimKey, c *Changes) error {
	byKind := map[ClaimKind][]ID{}
	gone := map[ClaimKey]bool{}
	for _, k := range keys {
		byKind[k.Kind] = append(byKind[k.Kind], k.Owner)
		gone[k] = true
	}
	c.DropClaims = append(c.DropClaims, keys...)
	for _, id := range byKind[EventClaim] {
		r.events[id] = true
	}
	for _, id := range byKind[SeriesClaim] {
		r.series[id] = true
	}
	owners := byKind[MarketClaim]
	claims, err := r.w.Claims(ctx, MarketClaim, owners)
	if err != nil {
		return err
	}
	for i := range claims {
		if !gone[claims[i].ClaimKey] {
			continue
		}
		d, err := decodeDoc[marketDoc](&claims[i])
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
		if gone[ClaimKey{MarketClaim, p.Owner, p.Source}] {
			c.DropParts = append(c.DropParts, p.PartKey)
			r.shrunk = true
		}
	}
	return nil
}

// RemoveSource takes out all that one source gave. What another source gave too
// stays. It returns the bytes of blocks removed.
func (a *Archive) RemoveSource(ctx context.Context, id SourceID) error {
	err := a.store.Update(ctx, func(w Writer) error {
		src, err := w.Sources(ctx, []SourceID{id})
		if err != nil {
			return err
		}
		if len(src) == 0 {
			return fmt.Errorf("source %d: %w", id, ErrNotFound)
		}
		r, c := newRefresh(w), &Changes{DropSources: []SourceID{id}}
		keys, err := claimsOf(ctx, w, id, nil)
		if err != nil {
			return err
		}
		if err := r.dropClaims(ctx, keys, c); err != nil {
			return err
		}
		if err := w.Apply(ctx, c); err != nil {
			return err
		}
		return r.run(ctx)
	})
	if err != nil {
		return fmt.Errorf("remove source: %w", err)
	}
	return a.store.Shrink(ctx)
}

// RemoveMarkets takes out the given markets with their captures. The sources
// that gave them are complete no more: importing one again brings them back.
func (a *Archive) RemoveMarkets(ctx context.Context, ids []ID) error {
	err := a.store.Update(ctx, func(w Writer) error { return removeMarkets(ctx, w, ids) })
	if err != nil {
		return fmt.Errorf("remove markets: %w", err)
	}
	return a.store.Shrink(ctx)
}

// RemoveBefore takes out the markets that ended at or before t, and returns how
// many there were.
func (a *Archive) RemoveBefore(ctx context.Context, t market.Instant) (int, error) {
	n := 0
	err := a.store.Update(ctx, func(w Writer) error {
		rows, err := w.Markets(ctx, MarketQuery{EndFrom: 1, EndTo: t + 1})
		if err != nil {
			return err
		}
		ids := make([]ID, 0, len(rows))
		for i := range rows {
			ids = append(ids, rows[i].ID)
		}
		n = len(ids)
		return removeMarkets(ctx, w, ids)
	})
	if err != nil {
		return 0, fmt.Errorf("remove markets before %v: %w", t, err)
	}
	return n, a.store.Shrink(ctx)
}

func removeMarkets(ctx context.Context, w Writer, ids []ID) error {
	if len(ids) == 0 {
		return nil
	}
	rows, err := w.Markets(ctx, MarketQuery{IDs: ids, Unlisted: true})
	if err != nil {
		return err
	}
	var owners []ID
	for i := range rows {
		owners = append(owners, rows[i].Owners...)
	}
	claims, err := w.Claims(ctx, MarketClaim, owners)
	if err != nil {
		return err
	}
	r, c := newRefresh(w), &Changes{}
	keys := make([]ClaimKey, 0, len(claims))
	var sources []SourceID
	for i := range claims {
		keys = append(keys, claims[i].ClaimKey)
		if !slices.Contains(sources, claims[i].Source) {
			sources = append(sources, claims[i].Source)
		}
	}
	if c.Sources, err = w.Sources(ctx, sources); err != nil {
		return err
	}
	for i := range c.Sources {
		c.Sources[i].Complete = false
	}
	if err := r.dropClaims(ctx, keys, c); err != nil {
		return err
	}
	if err := w.Apply(ctx, c); err != nil {
		return err
	}
	return r.run(ctx)
}
