package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// ByDistance makes a store read lists by distance even where they are short.
func ByDistance(s *Store) *Store {
	s.distant = true
	return s
}

// SumRows puts the checksums of rows that a test has put by itself, and the tallies.
func SumRows(ctx context.Context, s *Store) error {
	return pgx.BeginFunc(ctx, s.pool, func(t pgx.Tx) error {
		if _, err := t.Exec(ctx, beginWrite, int64(writeLock)); err != nil {
			return err
		}
		w := &writer{tx: tx{s, t}, t: t}
		all := store.NewTallies(nil, nil)
		err := store.EachMarket(ctx, w, store.MarketQuery{Unlisted: true, Damaged: true}, func(rows []store.MarketRow) error {
			b := &batch{}
			for i := range rows {
				all.Change(nil, &rows[i])
				b.add("checksum", `UPDATE markets SET sum = $1, standing = $2 WHERE id = $3`, rows[i].Sum(), int64(store.StandingOf(&rows[i])), int64(rows[i].ID))
			}
			return w.send(ctx, b)
		})
		if err != nil {
			return err
		}
		b := &batch{}
		for _, total := range []bool{false, true} {
			tallies, err := all.Changed(total, nil) // none has become less
			if err != nil {
				return err
			}
			c := &store.Changes{Tallies: tallies}
			if total {
				c.Seal = new(all.Seal(0, tallies))
			}
			b.putTallies(c)
		}
		b.putTallies(&store.Changes{Days: all.ChangedDays()})
		if err := w.sumParts(ctx, b); err != nil {
			return err
		}
		sources, err := w.sources(ctx, nil, func(*store.Source, int64) error { return nil })
		if err != nil {
			return err
		}
		b.putSources(&store.Changes{Sources: sources})
		return w.send(ctx, b)
	})
}

func (t *writer) sumParts(ctx context.Context, b *batch) error {
	parts, err := collect(ctx, &t.tx, `SELECT `+partColumns+` FROM parts`, nil, func(r pgx.Rows, p *store.Part) error {
		_, err := scanPartSum(r, p)
		return err
	})
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
	b.putParts(&store.Changes{Parts: parts})
	return nil
}
