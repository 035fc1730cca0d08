package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/ladderback/ladderback/market"
)

// Rounds returns the rows of every listed up/down round that passes the filter, in any
// order.
//
// It compares three things that an archive knows of them: the tallies, kept while rows
// were written, with the index that rounds are found by, and that with the rows. A round
// that can no longer be found, or another in its place, is ErrDamaged: pages of a file
// that were exchanged, repeated or never written have checksums that hold.
func Rounds(ctx context.Context, r Reader, f market.RoundFilter) ([]MarketRow, error) {
	found, err := foundRounds(ctx, r, f)
	if err != nil {
		return nil, err
	}
	// Tallies and index have the rounds without a category as well, which no list has.
	rows, err := r.Markets(ctx, MarketQuery{UpDown: true, Unlisted: true, Coin: f.Coin, Type: f.Type, EndFrom: f.From, EndTo: f.To})
	if err != nil {
		return nil, err
	}
	var read Universe
	for i := range rows {
		row := &rows[i]
		if !f.Passes(&row.Market) {
			return nil, fmt.Errorf("market %s was found as a round, but is another: %w", row.Market.VenueID, ErrDamaged)
		}
		read.Add(Universe{1, row.Checksum & 0xffffffff, int64(row.Market.End) % EndModulus}, 1)
	}
	rows = slices.DeleteFunc(rows, func(row MarketRow) bool { return row.Market.Category == "" })
	return rows, sameRounds("read", read, "found", found)
}

// foundRounds returns the universe of the rounds that pass the filter, by the index,
// after comparing that with the tallies.
func foundRounds(ctx context.Context, r Reader, f market.RoundFilter) (Universe, error) {
	kept, err := r.Tallies(ctx)
	if err != nil {
		return Universe{}, err
	}
	var want Universe
	for i := range kept {
		if kept[i].Matches(f) {
			want.Add(kept[i].Universe, 1)
		}
	}
	found, err := r.Found(ctx, market.RoundFilter{Coin: f.Coin, Type: f.Type})
	if err == nil {
		err = sameRounds("found", found, "stored", want)
	}
	if err != nil || f.From == 0 && f.To == 0 {
		return found, err
	}
	return r.Found(ctx, f)
}

func sameRounds(is string, a Universe, was string, b Universe) error {
	if a == b {
		return nil
	}
	return fmt.Errorf("%d rounds %s, %d %s, or not the same rounds: %w", a.Markets, is, b.Markets, was, ErrDamaged)
}
