package care

import (
	"context"

	"github.com/ladderback/ladderback/archive/derive"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// Word is what a source says of the payout of a market.
type Word struct {
	Source string // its name
	market.Payout
}

// Words returns what sources say of the payout of a market, the one that counts most
// first.
func Words(ctx context.Context, s store.Store, row *store.MarketRow) (words []Word, err error) {
	err = s.View(ctx, func(r store.Reader) error {
		said, err := derive.Payouts(ctx, r, row)
		if err != nil || len(said) == 0 {
			return err
		}
		sources, err := r.Sources(ctx, store.Column(said, func(w *derive.Said) store.SourceID { return w.Source }))
		if err != nil {
			return err
		}
		names := map[store.SourceID]string{}
		for _, src := range sources {
			names[src.ID] = src.Name
		}
		for _, w := range said {
			words = append(words, Word{names[w.Source], w.Payout})
		}
		return nil
	})
	return words, err
}
