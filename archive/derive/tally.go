package derive

import (
	"context"

	"github.com/ladderback/ladderback/archive/store"
)

// see notes what a market's row was and is; nil: there was or is none.
func (r *Refresh) see(was, is *store.MarketRow) {
	r.groups.see(was, is)
	if was != nil || is != nil {
		r.seen = append(r.seen, seen{was, is})
	}
}

// tally brings the tallies up to date with the rows that have changed. When one of
// those was damaged it may have been counted as something else: all are then made
// anew.
func (r *Refresh) tally(ctx context.Context) error {
	if len(r.seen) == 0 {
		return nil
	}
	kept, err := r.w.Tallies(ctx)
	if err != nil {
		return err
	}
	now := store.NewTallies(kept)
	for _, s := range r.seen {
		if s.was != nil && s.was.Damaged {
			if now, err = Tallies(ctx, r.w); err != nil {
				return err
			}
			break
		}
		now.Change(s.was, s.is)
	}
	changed, err := now.Changed(kept, func(k store.Kind) (store.Bounds, error) { return r.w.BoundsOf(ctx, k) })
	if err != nil {
		return err
	}
	return r.w.Apply(ctx, &store.Changes{Tallies: changed})
}

// Tallies counts all markets afresh. Damaged rows are counted as they are.
func Tallies(ctx context.Context, r store.Reader) (*store.Tallies, error) {
	all := store.NewTallies(nil)
	err := store.EachMarket(ctx, r, store.MarketQuery{Unlisted: true, Damaged: true}, func(rows []store.MarketRow) error {
		for i := range rows {
			all.Change(nil, &rows[i])
		}
		return nil
	})
	return all, err
}
