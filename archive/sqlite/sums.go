package sqlite

import (
	"context"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// sumRows puts the checksums of rows that have none, and the tallies.
func (t *tx) sumRows(ctx context.Context) error {
	all := store.NewTallies(nil)
	err := store.EachMarket(ctx, t, store.MarketQuery{Unlisted: true, Damaged: true}, func(rows []store.MarketRow) error {
		for i := range rows {
			all.Change(nil, &rows[i])
			if err := t.exec(ctx, `UPDATE markets SET sum = ? WHERE id = ?`, rows[i].Sum(), int64(rows[i].ID)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	tallies, err := all.Changed(nil, nil) // none has become less
	if err != nil {
		return err
	}
	if err := t.putTallies(ctx, &store.Changes{Tallies: tallies}); err != nil {
		return err
	}
	if err := t.sumParts(ctx); err != nil {
		return err
	}
	sources, _, err := t.sources(ctx, nil)
	if err != nil {
		return err
	}
	return t.putSources(ctx, &store.Changes{Sources: sources})
}

func (t *tx) sumParts(ctx context.Context) error {
	owners, err := t.ids(ctx, `SELECT DISTINCT owner FROM parts`)
	if err != nil {
		return err
	}
	for _, owner := range owners {
		parts, _, err := t.partRows(ctx, `owner = ?`, int64(owner))
		if err != nil {
			return err
		}
		for i := range parts {
			p := &parts[i]
			refs, err := t.Refs(ctx, []store.ID{p.Token}, market.Earliest, market.Latest)
			if err != nil {
				return err
			}
			p.Refs = 0
			for k := range refs {
				if r := &refs[k]; r.Source == p.Source && r.Stream == p.Stream {
					p.Refs += r.Sum()
				}
			}
		}
		if err := t.putCaptures(ctx, &store.Changes{Parts: parts}); err != nil {
			return err
		}
	}
	return nil
}
