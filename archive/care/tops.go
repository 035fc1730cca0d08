package care

import (
	"context"
	"fmt"

	"github.com/ladderback/ladderback/archive/scan"
	"github.com/ladderback/ladderback/archive/store"
)

// topsAtOnce is for how many rounds tops are made in one transaction.
const topsAtOnce = 64

// Tops makes the tops of the rounds that have none, or others than their captures
// give, and returns of how many it did. An archive made before tops were kept
// answers the same without, only more slowly.
func Tops(ctx context.Context, s store.Store) (made int, err error) {
	var lacking []store.ID
	err = s.View(ctx, func(r store.Reader) error {
		lacking = lacking[:0]
		return store.EachMarket(ctx, r, store.MarketQuery{UpDown: true, Unlisted: true}, func(rows []store.MarketRow) error {
			for i := range rows {
				if err := scan.CheckTops(ctx, r, &rows[i]); err != nil {
					lacking = append(lacking, rows[i].ID)
				}
			}
			return ctx.Err()
		})
	})
	if err != nil {
		return 0, fmt.Errorf("look for rounds without tops: %w", err)
	}
	for from := 0; from < len(lacking); from += topsAtOnce {
		ids := lacking[from:min(from+topsAtOnce, len(lacking))]
		err := s.Update(ctx, func(w store.Writer) error {
			rows, err := w.Markets(ctx, store.MarketQuery{IDs: ids, Unlisted: true})
			if err != nil {
				return err
			}
			c := &store.Changes{DropTops: ids}
			for i := range rows {
				b, err := scan.DeriveTops(ctx, w, &rows[i])
				if err != nil {
					return err
				}
				if b != nil {
					c.Blocks = append(c.Blocks, *b)
				}
			}
			return w.Apply(ctx, c)
		})
		if err != nil {
			return made, fmt.Errorf("make tops: %w", err)
		}
		made += len(ids)
	}
	return made, nil
}
