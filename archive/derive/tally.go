package derive

import (
	"context"

	"github.com/ladderback/ladderback/archive/store"
)

// see notes what a market's row was and is; nil: there was or is none.
func (r *Refresh) see(was, is *store.MarketRow) {
	r.groups.see(was, is)
	if was != nil || is != nil {
		r.seen = append(r.seen, store.Seen{Was: was, Is: is})
	}
}

// tally brings the tallies up to date with the rows that have changed. When one of
// those was damaged it may have been counted as something else: all are then made
// anew.
func (r *Refresh) tally(ctx context.Context) error {
	if len(r.seen) == 0 {
		return nil
	}
	for _, s := range r.seen {
		if s.Was != nil && s.Was.Damaged {
			return r.tallyAnew(ctx)
		}
	}
	keys, from, to := store.Touched(r.seen)
	kept, err := r.w.Tallies(ctx, store.TallyQuery{Keys: keys})
	if err != nil {
		return err
	}
	days, err := r.w.Days(ctx, from, to)
	if err != nil {
		return err
	}
	now := store.NewTallies(kept, days)
	for _, s := range r.seen {
		now.Change(s.Was, s.Is)
	}
	return r.putTallies(ctx, now)
}

func (r *Refresh) tallyAnew(ctx context.Context) error {
	now, err := Tallies(ctx, r.w)
	if err != nil {
		return err
	}
	return r.putTallies(ctx, now)
}

// putTallies stores what has changed: what is known of all days follows from that of
// single ones.
func (r *Refresh) putTallies(ctx context.Context, now *store.Tallies) error {
	bounds := func(k store.TallyKey) (store.Bounds, error) { return r.w.BoundsOf(ctx, k) }
	changed, err := now.Changed(false, bounds)
	if err != nil {
		return err
	}
	if err := r.w.Apply(ctx, &store.Changes{Tallies: changed, Days: now.ChangedDays()}); err != nil {
		return err
	}
	if changed, err = now.Changed(true, bounds); err != nil {
		return err
	}
	seal, err := r.w.Seal(ctx)
	if err != nil {
		return err
	}
	seal = now.Seal(seal, changed)
	return r.w.Apply(ctx, &store.Changes{Tallies: changed, Seal: &seal})
}

// Tallies counts all markets afresh, to replace what is stored. Damaged rows are counted
// as they are.
func Tallies(ctx context.Context, r store.Reader) (*store.Tallies, error) {
	all := store.NewTallies(nil, nil)
	err := store.EachMarket(ctx, r, store.MarketQuery{Unlisted: true, Damaged: true}, func(rows []store.MarketRow) error {
		for i := range rows {
			all.Count(&rows[i])
		}
		return nil
	})
	if err == nil {
		err = Hold(ctx, r, all)
	}
	return all, err
}

// Hold has counts of all markets replace what is stored.
func Hold(ctx context.Context, r store.Reader, all *store.Tallies) error {
	kept, err := r.Tallies(ctx, store.TallyQuery{From: store.AllDays, To: store.LastDay})
	if err != nil {
		return err
	}
	days, err := r.Days(ctx, store.FirstDay, store.LastDay)
	all.Replace(kept, days)
	return err
}
