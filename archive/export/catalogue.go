package export

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/archive/table"
	"github.com/ladderback/ladderback/market"
)

// The tables of what is known about markets. Empty text and unknown times are
// null.

type marketRow struct {
	Venue         string   `parquet:"venue,dict"`
	MarketID      string   `parquet:"market_id"`
	Slug          string   `parquet:"slug"`
	AltID         string   `parquet:"alt_id,optional"`
	Question      string   `parquet:"question,optional"`
	Description   string   `parquet:"description,optional,dict"`
	Category      string   `parquet:"category,dict"`
	EventID       string   `parquet:"event_id,optional"`
	SeriesID      string   `parquet:"series_id,optional,dict"`
	Tags          string   `parquet:"tags,optional,dict"`
	Coin          string   `parquet:"coin,optional,dict"`
	Type          string   `parquet:"type,optional,dict"`
	Start         int64    `parquet:"start,optional,timestamp(microsecond)"`
	End           int64    `parquet:"end,optional,timestamp(microsecond)"`
	Undated       bool     `parquet:"undated"` // start and end are its first and last capture
	Status        string   `parquet:"status,dict"`
	ClosedAt      int64    `parquet:"closed_at,optional,timestamp(microsecond)"`
	UpdatedAt     int64    `parquet:"updated_at,optional,timestamp(microsecond)"`
	SourceClosed  bool     `parquet:"source_closed"` // what a source states of the three above
	SourceClosing int64    `parquet:"source_closed_at,optional,timestamp(microsecond)"`
	SourceUpdate  int64    `parquet:"source_updated_at,optional,timestamp(microsecond)"`
	Winner        string   `parquet:"winner,optional,dict"` // label of the token that pays 1
	WinnerBasis   string   `parquet:"winner_basis,optional,dict"`
	Mirrored      bool     `parquet:"mirrored"`
	Tick          *float64 `parquet:"tick,optional,dict"`
	MinSize       *float64 `parquet:"min_size,optional,dict"`
	FeeRate       *float64 `parquet:"fee_rate,optional,dict"`
	FeeExponent   *int64   `parquet:"fee_exponent,optional,dict"`
	FeeTakerOnly  *bool    `parquet:"fee_taker_only,optional"`
	Captures      int64    `parquet:"captures"`
	First         int64    `parquet:"first_capture,optional,timestamp(microsecond)"`
	Last          int64    `parquet:"last_capture,optional,timestamp(microsecond)"`
	Coverage      *float64 `parquet:"coverage,optional"` // of a round, 0 to 1
	Content       string   `parquet:"content,optional"`  // hash of its captures
}

type tokenRow struct {
	Venue    string `parquet:"venue,dict"`
	MarketID string `parquet:"market_id"`
	Slug     string `parquet:"slug"`
	Position int32  `parquet:"position"` // in the market, from 0
	TokenID  string `parquet:"token_id"`
	Label    string `parquet:"label,dict"`
	Outcome  string `parquet:"outcome,dict"` // up, down, other
	Derived  bool   `parquet:"derived"`      // no source gives its id
}

type payoutRow struct {
	Venue    string  `parquet:"venue,dict"`
	MarketID string  `parquet:"market_id"`
	Slug     string  `parquet:"slug"`
	TokenID  string  `parquet:"token_id"`
	Label    string  `parquet:"label,dict"`
	Basis    string  `parquet:"basis,dict"` // official, inferred
	Pays     float64 `parquet:"pays,dict"`  // USD a share, 0 to 1
}

type gapRow struct {
	Venue    string `parquet:"venue,dict"`
	MarketID string `parquet:"market_id,dict"`
	Slug     string `parquet:"slug,dict"`
	TokenID  string `parquet:"token_id,dict"`
	Label    string `parquet:"label,dict"`
	From     int64  `parquet:"gap_from,timestamp(microsecond)"`
	To       int64  `parquet:"gap_to,timestamp(microsecond)"`
}

type eventRow struct {
	Venue     string `parquet:"venue,dict"`
	EventID   string `parquet:"event_id"`
	Slug      string `parquet:"slug"`
	Title     string `parquet:"title,optional"`
	SeriesID  string `parquet:"series_id,optional,dict"`
	Category  string `parquet:"category,dict"`
	Tags      string `parquet:"tags,optional,dict"`
	Start     int64  `parquet:"start,optional,timestamp(microsecond)"`
	End       int64  `parquet:"end,optional,timestamp(microsecond)"`
	Status    string `parquet:"status,dict"`
	Markets   int64  `parquet:"markets"`
	UpdatedAt int64  `parquet:"updated_at,optional,timestamp(microsecond)"`
}

type seriesRow struct {
	Venue      string `parquet:"venue,dict"`
	SeriesID   string `parquet:"series_id"`
	Slug       string `parquet:"slug"`
	Title      string `parquet:"title,optional"`
	Recurrence string `parquet:"recurrence,optional,dict"`
	Category   string `parquet:"category,dict"`
	Tags       string `parquet:"tags,optional,dict"`
	Markets    int64  `parquet:"markets"`
	UpdatedAt  int64  `parquet:"updated_at,optional,timestamp(microsecond)"`
}

// catalogueFiles are the files of the table Markets.
type catalogueFiles struct {
	markets *file[marketRow]
	tokens  *file[tokenRow]
	payouts *file[payoutRow]
	gaps    *file[gapRow]
}

// rowsAtOnce is how many rows of the catalogue are read at a time.
const rowsAtOnce = 256

// catalogue writes the files of the table Markets.
func (x *run) catalogue(ctx context.Context) (err error) {
	var f catalogueFiles
	if f.markets, err = create[marketRow](x, "markets", x.catalogueFile("markets")); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.markets.end(err == nil)) }()
	if f.tokens, err = create[tokenRow](x, "tokens", x.catalogueFile("tokens")); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.tokens.end(err == nil)) }()
	if f.payouts, err = create[payoutRow](x, "payouts", x.catalogueFile("payouts")); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.payouts.end(err == nil)) }()
	if f.gaps, err = create[gapRow](x, "gaps", x.catalogueFile("gaps")); err != nil {
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
		if err := f.tokens.put(tokenRow{k.venue, k.market, k.slug, int32(i), t.VenueID, t.Label, t.Outcome.String(), t.Derived}); err != nil {
			return err
		}
		if m.Payout != nil {
			if err := f.payouts.put(payoutRow{k.venue, k.market, k.slug, t.VenueID, t.Label, string(m.Payout.Basis), m.Payout.Fractions[i].Float()}); err != nil {
				return err
			}
		}
	}
	for _, g := range row.Gaps {
		if err := f.gaps.put(gapRow{k.venue, k.market, k.slug, k.tokens[g.Token], m.Tokens[g.Token].Label, int64(g.From), int64(g.To)}); err != nil {
			return err
		}
	}
	return nil
}

func marketRowOf(row *store.Listing) marketRow {
	m, s := &row.Market, &row.Stats
	r := marketRow{
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

func (x *run) events(ctx context.Context, ids map[store.ID]bool) (err error) {
	f, err := create[eventRow](x, "events", x.catalogueFile("events"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.end(err == nil)) }()
	for part := range slices.Chunk(idsOf(ids), rowsAtOnce) {
		rows, err := x.a.Events(ctx, store.GroupQuery{IDs: part})
		if err != nil {
			return err
		}
		slices.SortFunc(rows, func(a, b store.EventRow) int { return int(min(1, max(-1, a.ID-b.ID))) })
		for i := range rows {
			e := &rows[i].Event
			err := f.put(eventRow{
				string(e.Venue), e.VenueID, e.Slug, e.Title, e.SeriesID, string(e.Category), tagsOf(e.Tags),
				int64(e.Start), int64(e.End), rows[i].Status.String(), rows[i].Markets, int64(rows[i].UpdatedAt),
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *run) series(ctx context.Context, ids map[store.ID]bool) (err error) {
	f, err := create[seriesRow](x, "series", x.catalogueFile("series"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.end(err == nil)) }()
	for part := range slices.Chunk(idsOf(ids), rowsAtOnce) {
		rows, err := x.a.Series(ctx, store.GroupQuery{IDs: part})
		if err != nil {
			return err
		}
		slices.SortFunc(rows, func(a, b store.SeriesRow) int { return int(min(1, max(-1, a.ID-b.ID))) })
		for i := range rows {
			s := &rows[i].Series
			err := f.put(seriesRow{
				string(s.Venue), s.VenueID, s.Slug, s.Title, s.Recurrence, string(s.Category), tagsOf(s.Tags),
				rows[i].Markets, int64(rows[i].UpdatedAt),
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// idsOf returns the ids, without that of nothing, in order.
func idsOf(set map[store.ID]bool) []store.ID {
	var out []store.ID
	for id := range set {
		if id != 0 {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}
