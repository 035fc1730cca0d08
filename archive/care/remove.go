package care

import (
	"context"
	"fmt"
	"slices"

	"github.com/ladderback/ladderback/archive/derive"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// RemoveSource takes out all that one source gave. What another source gave too
// stays.
func RemoveSource(ctx context.Context, s store.Store, id store.SourceID) error {
	err := s.Update(ctx, func(w store.Writer) error { return derive.DropSource(ctx, w, id, resum) })
	if err != nil {
		return fmt.Errorf("remove source: %w", err)
	}
	return s.Shrink(ctx)
}

// RemoveMarkets takes out the given markets with their captures. The sources
// that gave them are complete no more: importing one again brings them back.
func RemoveMarkets(ctx context.Context, s store.Store, ids []store.ID) error {
	err := s.Update(ctx, func(w store.Writer) error { return removeMarkets(ctx, w, ids) })
	if err != nil {
		return fmt.Errorf("remove markets: %w", err)
	}
	return s.Shrink(ctx)
}

// RemoveBefore takes out the markets that ended at or before t, and returns how
// many there were.
func RemoveBefore(ctx context.Context, s store.Store, t market.Instant) (int, error) {
	n := 0
	err := s.Update(ctx, func(w store.Writer) error {
		rows, err := w.Markets(ctx, store.MarketQuery{EndFrom: 1, EndTo: t + 1})
		if err != nil {
			return err
		}
		ids := make([]store.ID, 0, len(rows))
		for i := range rows {
			ids = append(ids, rows[i].ID)
		}
		n = len(ids)
		return removeMarkets(ctx, w, ids)
	})
	if err != nil {
		return 0, fmt.Errorf("remove markets before %v: %w", t, err)
	}
	return n, s.Shrink(ctx)
}

func removeMarkets(ctx context.Context, w store.Writer, ids []store.ID) error {
	if len(ids) == 0 {
		return nil
	}
	rows, err := w.Markets(ctx, store.MarketQuery{IDs: ids, Unlisted: true})
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
	r, c := derive.New(w, resum), &store.Changes{}
	keys := make([]store.ClaimKey, 0, len(claims))
	var sources []store.SourceID
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
	if err := r.DropClaims(ctx, keys, c); err != nil {
		return err
	}
	if err := w.Apply(ctx, c); err != nil {
		return err
	}
	return r.Run(ctx)
}
