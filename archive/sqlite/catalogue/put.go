package catalogue

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/archive/sqlite/grams"
	"github.com/ladderback/ladderback/archive/sqlite/pool"
	"github.com/ladderback/ladderback/archive/sqlite/short"
	"github.com/ladderback/ladderback/archive/sqlite/txn"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// Rows that are there already are compared with what is to be put, and only what
// differs is written: an index costs more than the look, and most of them stay
// as they are when captures of a market, or the word of another source, come in.

// table is a table with one row an id.
type table struct {
	name    string
	columns []string // behind the id
	insert  string   // nothing of it is taken back by itself: a copy of each page that it changes would be
}

func newTable(kind store.ClaimKind, columns string) table {
	name := txn.Tables[kind]
	t := table{name: name, columns: strings.Fields(columns)}
	t.insert = "INSERT OR FAIL INTO " + name + " (id, " + strings.Join(t.columns, ", ") + ") VALUES (?" + strings.Repeat(", ?", len(t.columns)) + ")"
	return t
}

var (
	marketTable = newTable(store.MarketClaim, `venue venue_id alt_id slug question description category event series event_id series_id
		tags coin type start_at end_at source_closed source_closed_at source_updated_at mirrored tick min_size
		status closed_at updated_at undated disputed owners captures first last captured coverage silence pair_lag
		trades_once content basis payout outcomes standing sum`)
	eventTable = newTable(store.EventClaim, `venue venue_id slug title series series_id category tags
		start_at end_at source_updated_at updated_at status markets search`)
	seriesTable = newTable(store.SeriesClaim, `venue venue_id slug title recurrence category tags
		source_updated_at updated_at markets search`)
)

// putRow writes the values of a row's columns over those that it had, and returns its
// number; was nil: there was none.
func (t *Catalogue) putRow(ctx context.Context, in table, id store.ID, number int64, was, is []any) (int64, error) {
	if was == nil {
		return t.Insert(ctx, in.insert, append([]any{int64(id)}, is...)...)
	}
	var set []string
	var args []any
	for i, c := range in.columns {
		if !sameValue(was[i], is[i]) {
			set = append(set, c+" = ?")
			args = append(args, is[i])
		}
	}
	if len(set) == 0 {
		return number, nil
	}
	return number, t.Exec(ctx, "UPDATE "+in.name+" SET "+strings.Join(set, ", ")+" WHERE number = ?", append(args, number)...)
}

func sameValue(a, b any) bool {
	if x, ok := a.([]byte); ok {
		return bytes.Equal(x, b.([]byte))
	}
	return a == b
}

// marketValues returns the values of the columns of marketTable.
func (t *Catalogue) marketValues(ctx context.Context, row *store.MarketRow) ([]any, error) {
	m, s := &row.Market, &row.Stats
	payout, err := t.word(ctx, short.Payout(m.Payout))
	if err != nil {
		return nil, err
	}
	outcomes, err := t.word(ctx, short.Outcomes(row))
	if err != nil {
		return nil, err
	}
	return []any{
		string(m.Venue), m.VenueID, m.AltID, short.Slug(m), m.Question, m.Description, string(m.Category),
		int64(row.Event), int64(row.Series), m.EventID, m.SeriesID, short.Tags(m.Tags), m.Coin, m.Type, int64(m.Start), int64(m.End),
		m.Closed, int64(m.ClosedAt), int64(m.UpdatedAt), m.Mirrored, int64(m.Tick), int64(m.MinSize),
		int64(row.Status), int64(row.ClosedAt), int64(row.UpdatedAt), row.Undated, row.Disputed, short.IDs(row.Owners),
		s.Captures, int64(s.First), int64(s.Last), s.Captured, s.Coverage, int64(s.Silence), int64(s.PairLag), s.TradesOnce,
		hash(s.Content), hash(row.Basis), payout, outcomes, int64(store.StandingOf(row)), row.Sum(),
	}, nil
}

// hash is a hash in a column: empty where there is none.
func hash(h [32]byte) []byte {
	if h == ([32]byte{}) {
		return []byte{}
	}
	return h[:]
}

// Put puts markets, events and series, and what searches find them by.
func (t *Catalogue) Put(ctx context.Context, c *store.Changes) error {
	for _, put := range []func(context.Context, *store.Changes) error{t.putMarkets, t.putEvents, t.putSeries} {
		if err := put(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

func (t *Catalogue) putMarkets(ctx context.Context, c *store.Changes) error {
	was, numbers, err := t.marketsThere(ctx, c)
	if err != nil {
		return err
	}
	var none store.MarketRow
	changed, tags := changes{}, grams.NewTags(store.MarketClaim)
	for i := range c.Markets {
		row := &c.Markets[i]
		old := was[row.ID]
		text := searchMarket(old)
		var before []any
		if old != nil {
			if before, err = t.marketValues(ctx, old); err != nil {
				return err
			}
		} else {
			old = &none
			if err := t.putVenue(ctx, row.Market.Venue); err != nil {
				return err
			}
		}
		now, err := t.marketValues(ctx, row)
		if err != nil {
			return err
		}
		number, err := t.putRow(ctx, marketTable, row.ID, numbers[row.ID], before, now)
		if err == nil {
			err = t.putBeside(ctx, number, old, row)
		}
		if err != nil {
			return fmt.Errorf("market %s: %w", row.Market.VenueID, err)
		}
		changeTags(tags, number, old.Market.Category, old.Market.Tags, row.Market.Category, row.Market.Tags)
		changed.note(number, text, searchMarket(row))
		was[row.ID], numbers[row.ID] = row, number
	}
	return t.putGrams(ctx, store.MarketClaim, changed, tags)
}

// marketsThere returns the rows that those of c replace, and their numbers.
func (t *Catalogue) marketsThere(ctx context.Context, c *store.Changes) (map[store.ID]*store.MarketRow, map[store.ID]int64, error) {
	was := make(map[store.ID]*store.MarketRow, len(c.Markets))
	var ids, ask []store.ID
	for i := range c.Markets {
		id := c.Markets[i].ID
		if row := c.Was[id]; row != nil {
			was[id] = row
		} else if c.New {
			continue
		} else {
			ask = append(ask, id)
		}
		ids = append(ids, id)
	}
	numbers, err := t.Numbers(ctx, store.MarketClaim, ids)
	if err != nil {
		return nil, nil, err
	}
	ask = slices.DeleteFunc(ask, func(id store.ID) bool { return numbers[id] == 0 })
	if len(ask) == 0 {
		return was, numbers, nil
	}
	rows, err := t.Markets(ctx, store.MarketQuery{IDs: ask, Unlisted: true, Damaged: true})
	for i := range rows {
		was[rows[i].ID] = &rows[i]
	}
	return was, numbers, err
}

// putBeside puts what stands in other tables than the market's own.
func (t *Catalogue) putBeside(ctx context.Context, number int64, was, is *store.MarketRow) error {
	if err := t.putGaps(ctx, was, is); err != nil {
		return err
	}
	if err := t.putTokens(ctx, number, was, is); err != nil {
		return err
	}
	return t.putSchedule(ctx, number, was, is)
}

func (t *Catalogue) putTokens(ctx context.Context, number int64, was, is *store.MarketRow) error {
	keys := func(row *store.MarketRow, i int) []store.ID {
		if i < len(row.Keys) {
			return row.Keys[i]
		}
		return nil
	}
	before := was.Market.Tokens
	if short.Outcomes(was) != "" {
		before = nil
	}
	plain := short.Outcomes(is) != ""
	if plain && len(before) > 0 || was.Damaged {
		if err := t.Exec(ctx, `DELETE FROM tokens WHERE market = ?`, number); err != nil {
			return err
		}
		before = nil
	}
	if plain {
		return nil
	}
	for i, k := range is.Market.Tokens {
		own := keys(is, i)
		var err error
		switch {
		case i >= len(before):
			err = t.Exec(ctx, `INSERT OR FAIL INTO tokens (market, position, id, venue_id, label, outcome, derived, keys) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
				number, i, tokenID(is, i), short.Token(&is.Market, k), k.Label, int64(k.Outcome), k.Derived, short.IDs(own))
		case before[i] != k || was.Market.VenueID != is.Market.VenueID:
			err = t.Exec(ctx, `UPDATE tokens SET id = ?, venue_id = ?, label = ?, outcome = ?, derived = ?, keys = ? WHERE market = ? AND position = ?`,
				tokenID(is, i), short.Token(&is.Market, k), k.Label, int64(k.Outcome), k.Derived, short.IDs(own), number, i)
		case !slices.Equal(keys(was, i), own):
			err = t.Exec(ctx, `UPDATE tokens SET keys = ? WHERE market = ? AND position = ?`, short.IDs(own), number, i)
		}
		if err != nil {
			return err
		}
	}
	if n := len(is.Market.Tokens); len(before) > n {
		return t.Exec(ctx, `DELETE FROM tokens WHERE market = ? AND position >= ?`, number, n)
	}
	return nil
}

func tokenID(row *store.MarketRow, i int) int64 {
	return int64(store.TokenID(row.Market.Venue, row.Market.Tokens[i].VenueID))
}

func (t *Catalogue) putGaps(ctx context.Context, was, is *store.MarketRow) error {
	steps := pool.Steps{On: t}
	for _, g := range was.Gaps {
		steps.Exec(ctx, `DELETE FROM gaps WHERE token_id = ? AND from_at = ?`, tokenID(was, g.Token), int64(g.From))
	}
	for _, g := range is.Gaps {
		steps.Exec(ctx, `INSERT OR REPLACE INTO gaps (token_id, from_at, to_at) VALUES (?, ?, ?)`, tokenID(is, g.Token), int64(g.From), int64(g.To))
	}
	return steps.Err
}

func (t *Catalogue) putSchedule(ctx context.Context, number int64, was, is *store.MarketRow) error {
	a, b := was.Market.Fees, is.Market.Fees
	switch {
	case b == nil && a == nil:
		return nil
	case b == nil:
		return t.Exec(ctx, `DELETE FROM schedules WHERE market = ?`, number)
	case a != nil && *a == *b:
		return nil
	}
	return t.Exec(ctx, `INSERT INTO schedules (market, rate, exponent, taker_only) VALUES (?, ?, ?, ?)
		ON CONFLICT (market) DO UPDATE SET rate = excluded.rate, exponent = excluded.exponent, taker_only = excluded.taker_only`,
		number, b.Rate, b.Exponent, b.TakerOnly)
}

// changeTags notes the tags that a row has in the place of those that it had in its category.
func changeTags(all *grams.Tags, number int64, was market.Category, before []string, is market.Category, tags []string) {
	if was == is && slices.Equal(before, tags) {
		return
	}
	all.Lose(number, was, before)
	if is != "" {
		all.Gain(number, is, tags)
	}
}

func eventValues(row *store.EventRow) []any {
	e := &row.Event
	return []any{
		string(e.Venue), e.VenueID, e.Slug, e.Title, int64(row.Series), e.SeriesID, string(e.Category), short.Tags(e.Tags),
		int64(e.Start), int64(e.End), int64(e.UpdatedAt), int64(row.UpdatedAt), int64(row.Status), row.Markets, store.SearchText(e.Title, e.Slug),
	}
}

// putGroups puts events, or series: of says of a row its id, its public id, its category and
// its tags, the values of its columns and how it is searched for; read reads those that are
// there.
func putGroups[R any](ctx context.Context, t *Catalogue, kind store.ClaimKind, in table, rows []R, of func(*R) groupRow, read func(context.Context, store.GroupQuery) ([]R, error)) error {
	puts := store.Column(rows, of)
	ids := store.Column(puts, func(row *groupRow) store.ID { return row.id })
	numbers, err := t.Numbers(ctx, kind, ids)
	if err != nil {
		return err
	}
	there, err := read(ctx, store.GroupQuery{IDs: slices.DeleteFunc(ids, func(id store.ID) bool { return numbers[id] == 0 })})
	if err != nil {
		return err
	}
	was := make(map[store.ID]groupRow, len(there))
	for _, old := range store.Column(there, of) {
		was[old.id] = old
	}
	changed, tags := changes{}, grams.NewTags(kind)
	for _, row := range puts {
		old := was[row.id]
		number, err := t.putRow(ctx, in, row.id, numbers[row.id], old.values, row.values)
		if err != nil {
			return fmt.Errorf("%s %s: %w", in.name, row.venueID, err)
		}
		changeTags(tags, number, old.category, old.tags, row.category, row.tags)
		changed.note(number, old.search, row.search)
		was[row.id], numbers[row.id] = row, number
	}
	return t.putGrams(ctx, kind, changed, tags)
}

// groupRow is what is put of an event or a series; search is zero for what no index of texts
// has.
type groupRow struct {
	id       store.ID
	venueID  string
	category market.Category
	tags     []string
	values   []any
	search   grams.Row
}

func (t *Catalogue) putEvents(ctx context.Context, c *store.Changes) error {
	return putGroups(ctx, t, store.EventClaim, eventTable, c.Events, func(row *store.EventRow) groupRow {
		e := &row.Event
		return groupRow{row.ID, e.VenueID, e.Category, e.Tags, eventValues(row), searchEvent(row)}
	}, t.Events)
}

func (t *Catalogue) putSeries(ctx context.Context, c *store.Changes) error {
	return putGroups(ctx, t, store.SeriesClaim, seriesTable, c.Series, func(row *store.SeriesRow) groupRow {
		s := &row.Series
		return groupRow{row.ID, s.VenueID, s.Category, s.Tags, seriesValues(row), grams.Row{}}
	}, t.Series)
}

func seriesValues(row *store.SeriesRow) []any {
	s := &row.Series
	return []any{
		string(s.Venue), s.VenueID, s.Slug, s.Title, s.Recurrence, string(s.Category), short.Tags(s.Tags),
		int64(s.UpdatedAt), int64(row.UpdatedAt), row.Markets, store.SearchText(s.Title, s.Slug),
	}
}
