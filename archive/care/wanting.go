package care

import (
	"cmp"
	"context"
	"slices"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// wantingPage is how many markets are looked at together.
const wantingPage = 500

// Wanting returns the names, slug or else id, of the markets of a venue that there are
// captures of and no official payout, in order: those whose metadata, or the end of it,
// is missing.
func Wanting(ctx context.Context, s store.Store, v market.Venue) (names []string, err error) {
	q := store.MarketQuery{Venue: v, Unlisted: true, Page: store.Page{Sort: store.ByEnd, Limit: wantingPage}}
	for {
		var rows []store.MarketRow
		err := s.View(ctx, func(r store.Reader) (err error) {
			if rows, err = r.Markets(ctx, q); err != nil {
				return err
			}
			return wanting(ctx, r, rows, &names)
		})
		if err != nil {
			return nil, err
		}
		if len(rows) < q.Limit {
			slices.Sort(names)
			return slices.Compact(names), nil
		}
		after := rows[len(rows)-1].Key(q.Sort)
		q.After = &after
	}
}

// wanting adds the names of those of rows.
func wanting(ctx context.Context, r store.Reader, rows []store.MarketRow, names *[]string) error {
	of := map[store.ID]string{}
	var owners []store.ID
	for i := range rows {
		if p := rows[i].Market.Payout; p != nil && p.Basis == market.Official {
			continue
		}
		for _, o := range rows[i].Owners {
			of[o] = cmp.Or(rows[i].Market.Slug, rows[i].Market.VenueID)
			owners = append(owners, o)
		}
	}
	parts, err := r.Parts(ctx, owners)
	for _, p := range parts {
		if p.Whole && p.Blocks > 0 {
			*names = append(*names, of[p.Owner])
		}
	}
	return err
}
