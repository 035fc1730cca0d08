package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/archive/table"
	"github.com/ladderback/ladderback/market"
)

// catalogueFiles are the files of the table Markets.
type catalogueFiles struct {
	markets *file[table.MarketRow]
	tokens  *file[table.TokenRow]
	payouts *file[table.PayoutRow]
	gaps    *file[table.GapRow]
}

// rowsAtOnce is how many rows of the catalogue are read at a time.
const rowsAtOnce = 256

// catalogue writes the files of the table Markets.
func (x *run) catalogue(ctx context.Context) (err error) {
	var f catalogueFiles
	if f.markets, err = create[table.MarketRow](x, "markets", x.catalogueFile("markets")); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.markets.end(err == nil)) }()
	if f.tokens, err = create[table.TokenRow](x, "tokens", x.catalogueFile("tokens")); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.tokens.end(err == nil)) }()
	if f.payouts, err = create[table.PayoutRow](x, "payouts", x.catalogueFile("payouts")); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.payouts.end(err == nil)) }()
	if f.gaps, err = create[table.GapRow](x, "gaps", x.catalogueFile("gaps")); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.gaps.end(err == nil)) }()

	events, series := map[store.ID]bool{}, map[store.ID]bool{}
	for part := range slices.Chunk(x.chosen, rowsAtOnce) {
		rows, err := x.rowsOf(ctx, part)
		if err != nil {
			return err
		}
		for i := range rows {
			events[rows[i].Event], series[rows[i].Series] = true, true
			if err := f.put(&rows[i]); err != nil {
				return err
			}
		}
		x.advance(int64(len(part)))
	}
	return errors.Join(x.events(ctx, events), x.series(ctx, series))
}

func (x *run) catalogueFile(name string) string {
	return filepath.Join(x.o.Out, string(Markets), name+"."+string(x.o.Format))
}

// rowsOf returns the rows of markets in their order.
func (x *run) rowsOf(ctx context.Context, part []chosen) ([]store.Listing, error) {
	ids := make([]store.ID, len(part))
	at := map[store.ID]int{}
	for i, c := range part {
		ids[i], at[c.id] = c.id, i
	}
	rows, err := x.a.Markets(ctx, store.MarketQuery{IDs: ids})
	if err != nil {
		return nil, err
	}
	if len(rows) != len(part) {
		return nil, fmt.Errorf("%d markets of %d: %w", len(rows), len(part), store.ErrChanged)
	}
	slices.SortFunc(rows, func(a, b store.Listing) int { return at[a.ID] - at[b.ID] })
	return rows, nil
}

func (f *catalogueFiles) put(row *store.Listing) error {
	m, k := &row.Market, keyOf(&row.Market)
	if err := f.markets.put(marketRowOf(row)); err != nil {
		return err
	}
	for i, t := range m.Tokens {
		if err := f.tokens.put(table.TokenRow{
			Venue: k.venue, MarketID: k.market, Slug: k.slug, Position: int32(i),
			TokenID: t.VenueID, Label: t.Label, Outcome: t.Outcome.String(), Derived: t.Derived,
		}); err != nil {
			return err
		}
		if m.Payout != nil {
			if err := f.payouts.put(table.PayoutRow{
				Venue: k.venue, MarketID: k.market, Slug: k.slug, TokenID: t.VenueID, Label: t.Label,
				Basis: string(m.Payout.Basis), Pays: m.Payout.Fractions[i].Float(),
			}); err != nil {
				return err
			}
		}
	}
	for _, g := range row.Gaps {
		if err := f.gaps.put(table.GapRow{
			Venue: k.venue, MarketID: k.market, Slug: k.slug,
			TokenID: k.tokens[g.Token], Label: m.Tokens[g.Token].Label, From: int64(g.From), To: int64(g.To),
		}); err != nil {
			return err
		}
	}
	return nil
}

func marketRowOf(row *store.Listing) table.MarketRow {
	m, s := &row.Market, &row.Stats
	r := table.MarketRow{
		Venue: string(m.Venue), MarketID: m.VenueID, Slug: m.Slug, AltID: m.AltID, Question: m.Question, Description: m.Description,
		Category: string(m.Category), EventID: m.EventID, SeriesID: m.SeriesID, Tags: tagsOf(m.Tags), Coin: m.Coin, Type: m.Type,
		Start: int64(m.Start), End: int64(m.End), Undated: row.Undated, Status: row.Status.String(),
		ClosedAt: int64(row.ClosedAt), UpdatedAt: int64(row.UpdatedAt),
		SourceClosed: m.Closed, SourceClosing: int64(m.ClosedAt), SourceUpdate: int64(m.UpdatedAt),
		Mirrored: m.Mirrored, Captures: s.Captures, First: int64(s.First), Last: int64(s.Last),
	}
	if m.Tick != 0 {
		r.Tick = new(m.Tick.Float())
	}
	if m.MinSize != 0 {
		r.MinSize = new(m.MinSize.Float())
	}
	if m.Fees != nil {
		r.FeeRate, r.FeeExponent, r.FeeTakerOnly = new(table.Micros(m.Fees.Rate)), new(int64(m.Fees.Exponent)), new(m.Fees.TakerOnly)
	}
	if i := m.Payout.Winner(); i >= 0 {
		r.Winner = m.Tokens[i].Label
	}
	if m.Payout != nil {
		r.WinnerBasis = string(m.Payout.Basis)
	}
	if s.Captures > 0 {
		r.Content = fmt.Sprintf("%x", s.Content)
		if m.IsUpDown() {
			r.Coverage = new(market.Cash(s.Coverage).Float())
		}
	}
	return r
}

func (x *run) events(ctx context.Context, ids map[store.ID]bool) error {
	id := func(r *store.EventRow) store.ID { return r.ID }
	return groups(ctx, x, "events", ids, x.a.Events, id, func(r *store.EventRow) table.EventRow {
		e := &r.Event
		return table.EventRow{
			Venue: string(e.Venue), EventID: e.VenueID, Slug: e.Slug, Title: e.Title, SeriesID: e.SeriesID,
			Category: string(e.Category), Tags: tagsOf(e.Tags), Start: int64(e.Start), End: int64(e.End),
			Status: r.Status.String(), Markets: r.Markets, UpdatedAt: int64(r.UpdatedAt),
		}
	})
}

func (x *run) series(ctx context.Context, ids map[store.ID]bool) error {
	id := func(r *store.SeriesRow) store.ID { return r.ID }
	return groups(ctx, x, "series", ids, x.a.Series, id, func(r *store.SeriesRow) table.SeriesRow {
		s := &r.Series
		return table.SeriesRow{
			Venue: string(s.Venue), SeriesID: s.VenueID, Slug: s.Slug, Title: s.Title, Recurrence: s.Recurrence,
			Category: string(s.Category), Tags: tagsOf(s.Tags), Markets: r.Markets, UpdatedAt: int64(r.UpdatedAt),
		}
	})
}

// groups writes the file of the events or series that have these ids, in order of id; 0 is
// that of nothing.
func groups[R, T any](ctx context.Context, x *run, name string, ids map[store.ID]bool, read func(context.Context, store.GroupQuery) ([]R, error), id func(*R) store.ID, of func(*R) T) (err error) {
	f, err := create[T](x, name, x.catalogueFile(name))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.end(err == nil)) }()
	delete(ids, 0)
	for part := range slices.Chunk(slices.Sorted(maps.Keys(ids)), rowsAtOnce) {
		rows, err := read(ctx, store.GroupQuery{IDs: part})
		if err != nil {
			return err
		}
		slices.SortFunc(rows, func(a, b R) int { return cmp.Compare(id(&a), id(&b)) })
		for i := range rows {
			if err := f.put(of(&rows[i])); err != nil {
				return err
			}
		}
	}
	return nil
}
