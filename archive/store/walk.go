package store

import (
	"cmp"
	"context"
)

// PageRows is the page size for code that goes over all markets.
const PageRows = 500

// EachMarket passes the markets that q selects to f, a page at a time, of q.Limit; zero: PageRows.
func EachMarket(ctx context.Context, r Reader, q MarketQuery, f func([]MarketRow) error) error {
	q.Page = Page{Sort: ByEnd, Limit: cmp.Or(q.Limit, PageRows)}
	for {
		rows, err := r.Markets(ctx, q)
		if err != nil {
			return err
		}
		if len(rows) > 0 {
			key := rows[len(rows)-1].Key(ByEnd)
			q.After = &key
			if err := f(rows); err != nil {
				return err
			}
		}
		if len(rows) < q.Limit {
			return ctx.Err()
		}
	}
}

// claimPage is the page size for the claims of a source.
const claimPage = 1000

// SourceClaims returns the claims of a source for which want is true; nil: all.
func SourceClaims(ctx context.Context, r Reader, s SourceID, want func(ClaimKey) bool) ([]ClaimKey, error) {
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

// Column returns what of says of each row, in their order; empty for none, not nil.
func Column[R, V any](rows []R, of func(*R) V) []V {
	out := make([]V, len(rows))
	for i := range rows {
		out[i] = of(&rows[i])
	}
	return out
}
