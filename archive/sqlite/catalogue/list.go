package catalogue

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/archive/sqlite/clause"
	"github.com/ladderback/ladderback/archive/sqlite/pool"
	"github.com/ladderback/ladderback/archive/sqlite/short"
	"github.com/ladderback/ladderback/archive/sqlite/txn"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

const marketColumns = `m.id, m.venue, m.venue_id, m.alt_id, m.slug, m.question, m.description, m.category, m.event, m.series, m.event_id, m.series_id,
	m.tags, m.coin, m.type, m.start_at, m.end_at, m.source_closed, m.source_closed_at, m.source_updated_at, m.mirrored, m.tick, m.min_size,
	m.status, m.closed_at, m.updated_at, m.undated, m.disputed, m.owners, m.captures, m.first, m.last, m.captured, m.coverage, m.silence, m.pair_lag,
	m.trades_once, m.content, m.basis, m.payout, m.outcomes, m.sum, m.number`

const marketTables = ` FROM markets m`

func marketWhere(q *store.MarketQuery) *clause.Where {
	w := &clause.Where{}
	if q.IDs != nil {
		w.Add("m.number IN "+txn.At(store.MarketClaim, txn.InList), txn.List(q.IDs))
	}
	if q.Name != "" {
		w.Add("(m.number IN "+txn.At(store.MarketClaim, "IN (SELECT market_id(name, ?) FROM venues)")+" OR m.slug <> '=' AND m.slug = ? OR m.alt_id <> '' AND m.alt_id = ?)",
			q.Name, short.SlugAsKept(q.Name), q.Name)
	}
	if q.Names != nil {
		addNames(w, q.Names)
	}
	if q.Events != nil {
		w.Add("m.number IN "+txn.At(txn.EventsOf, txn.InList), txn.List(q.Events))
	}
	if q.Series != nil {
		w.Add("m.series <> 0 AND m.series IN (SELECT value FROM json_each(?))", txn.List(q.Series))
	}
	for _, c := range q.Conditions() {
		alias := bounded("m.", c, q.Page)
		if c.Column == "category" && c.Op == store.Equal && q.Closing == 0 {
			// Half of the rows or all of them: never the way to find any (the plus
			// keeps indexes that begin with the category out of the plan).
			alias = "+m."
		}
		w.All(alias, []store.Condition{c})
	}
	const called = `IN (SELECT e.id FROM json_each(?) j CROSS JOIN venues v CROSS JOIN events e
		WHERE e.number IN (SELECT at FROM ids WHERE kind = 2 AND id = event_id(v.name, j.value)) AND e.venue_id = j.value`
	if q.EventID != "" {
		w.Add("m.number IN "+txn.At(txn.EventsOf, called+")"), short.Text([]string{q.EventID}))
	}
	if q.EventSlugs != nil {
		const bySlug = called + ` AND e.slug = j.value UNION ALL SELECT e.id FROM json_each(?) j CROSS JOIN events e WHERE e.slug = j.value AND e.slug <> e.venue_id)`
		slugs := short.Text(q.EventSlugs)
		w.Add("m.number IN "+txn.At(txn.EventsOf, bySlug), slugs, slugs)
	}
	if q.SeriesSlugs != nil {
		w.Add("m.series <> 0 AND m.series IN (SELECT id FROM series WHERE slug IN (SELECT value FROM json_each(?)))", short.Text(q.SeriesSlugs))
	}
	for _, c := range q.Dates.Conditions() {
		w.All(bounded("m.", c, q.Page), []store.Condition{c})
	}
	w.Tags("m.", int(store.MarketClaim), q.Tags, q.AnyTag)
	w.Search("market_text(m.question, m.slug, m.venue_id)", q.Search)
	return w
}

// bounded returns the alias for a condition. On the side where the place that a list goes
// on from bounds what it is sorted by, no other bound may be looked up in its place: the
// rows between are walked over (the plus keeps the column's index out of the plan).
func bounded(alias string, c store.Condition, p store.Page) string {
	columns, _ := p.Order()
	lower, upper := c.Op == store.AtLeast || c.Op == store.Above, c.Op == store.AtMost || c.Op == store.Below
	if p.After != nil && c.Column == columns[0] && (p.Ascending && lower || !p.Ascending && upper) {
		return "+" + alias
	}
	return alias
}

// names selects the markets that go by one of the names: one look-up per index
// and venue rather than a disjunction over three columns. The id of a market is
// the hash of its public one.
func addNames(w *clause.Where, names []store.Name) {
	ids := make([]store.ID, len(names))
	texts, slugs := map[market.Venue][]string{}, map[market.Venue][]string{}
	for i, n := range names {
		ids[i] = store.MarketID(n.Venue, n.Text)
		texts[n.Venue] = append(texts[n.Venue], n.Text)
		slugs[n.Venue] = append(slugs[n.Venue], short.SlugAsKept(n.Text))
	}
	const (
		bySlug = ` UNION ALL SELECT n.number FROM json_each(?) j CROSS JOIN markets n WHERE n.slug = j.value AND n.slug <> '=' AND n.venue = ?`
		byAlt  = ` UNION ALL SELECT n.number FROM json_each(?) j CROSS JOIN markets n WHERE n.alt_id = j.value AND n.alt_id <> '' AND n.venue = ?`
	)
	args := []any{txn.List(ids)}
	for _, venue := range slices.Sorted(maps.Keys(texts)) {
		args = append(args, short.Text(slugs[venue]), string(venue), short.Text(texts[venue]), string(venue))
	}
	w.Add("m.number IN (SELECT at FROM ids WHERE kind = 1 AND id "+txn.InList+strings.Repeat(bySlug+byAlt, len(texts))+")", args...)
}

func namePairs(names []store.Name) [][2]string {
	return store.Column(names, func(n *store.Name) [2]string { return [2]string{string(n.Venue), n.Text} })
}

func equal(w *clause.Where, cond, v string) {
	if v != "" {
		w.Add(cond, v)
	}
}

// Listings returns markets with the slugs of their events and series.
func (t *Catalogue) Listings(ctx context.Context, q store.MarketQuery) ([]store.Listing, error) {
	rows, err := t.Markets(ctx, q)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	events, err := t.slugs(ctx, "events", store.EventClaim, rows, func(r *store.MarketRow) store.ID { return r.Event })
	if err != nil {
		return nil, err
	}
	series, err := t.slugs(ctx, "series", store.SeriesClaim, rows, func(r *store.MarketRow) store.ID { return r.Series })
	if err != nil {
		return nil, err
	}
	return store.Listed(rows, events, series)
}

// slugs returns the slugs of what rows belong to, by id.
func (t *Catalogue) slugs(ctx context.Context, table string, kind store.ClaimKind, rows []store.MarketRow, of func(*store.MarketRow) store.ID) (map[store.ID]string, error) {
	ids := store.Column(rows, of)
	slices.Sort(ids)
	out := map[store.ID]string{}
	err := t.Each(ctx, `SELECT id, slug FROM `+table+` WHERE number IN `+txn.At(kind, txn.InList), []any{txn.List(slices.Compact(ids))}, func(r *sql.Rows) error {
		var id store.ID
		var slug string
		err := r.Scan(&id, &slug)
		out[id] = slug
		return err
	})
	return out, err
}

// Markets returns the markets that q selects, in the order q asks for.
func (t *Catalogue) Markets(ctx context.Context, q store.MarketQuery) ([]store.MarketRow, error) {
	if text, none := store.SearchFor(q.Search); text != "" && !none && q.Limit > 0 && !namesMarkets(&q) {
		return t.searchMarkets(ctx, q, text)
	}
	parts, err := t.listParts(ctx, &q)
	if err != nil {
		return nil, err
	}
	var out []store.MarketRow
	for _, stretch := range parts {
		if q.Limit > 0 {
			stretch.Limit = q.Limit - len(out)
		}
		if stretch.Limit < 0 || q.Limit > 0 && stretch.Limit == 0 {
			break
		}
		rows, err := t.stretch(ctx, &q, stretch)
		if out = append(out, rows...); err != nil {
			return out, err
		}
	}
	return out, nil
}

// listParts returns the parts of a list of markets, which are one where its rows are known by number.
func (t *Catalogue) listParts(ctx context.Context, q *store.MarketQuery) ([]stretch, error) {
	var only []int64
	var err error
	switch {
	case len(q.IDs) >= txn.FewIDs:
		only, err = t.Rows(ctx, store.MarketClaim, q.IDs)
		q.IDs = nil
	case q.Limit > 0 && !namesMarkets(q):
		only, err = t.onlyMarkets(ctx, fewRows, q)
	}
	if err != nil || only == nil {
		return stretches(q), err
	}
	return []stretch{{Page: q.Page, numbers: only}}, nil
}

// stretch is a part of a list of markets: those whose time that it is sorted by has
// this sign. Zero, not known, is told from any by part.
type stretch struct {
	store.Page
	part bool
	sign int
	// numbers are those of the only rows; nil: all.
	numbers []int64
}

// stretches returns the parts of a list, in its order. Where the query names the
// markets, or all of them are asked for, they are sorted; else they are walked over
// in the order of an index, which only has those whose time is known, or of one of
// the others.
func stretches(q *store.MarketQuery) []stretch {
	if q.Limit <= 0 || namesMarkets(q) {
		return []stretch{{Page: q.Page}}
	}
	signs := []int{1, 0, -1}
	if q.Ascending {
		slices.Reverse(signs)
	}
	if q.After != nil {
		signs = signs[slices.Index(signs, cmp.Compare(q.After.Value, 0)):]
	}
	var out []stretch
	for i, sign := range signs {
		s := stretch{Page: q.Page, part: true, sign: sign}
		if i > 0 {
			s.After = nil
		}
		if may(q, s.sign) {
			out = append(out, s)
		}
	}
	return out
}

// namesMarkets reports whether the query names its markets, by themselves, by their
// groups or by an instant: those are few.
func namesMarkets(q *store.MarketQuery) bool {
	return q.IDs != nil || q.Name != "" || q.Names != nil || q.Events != nil || q.Series != nil || q.EventID != "" ||
		q.EventSlugs != nil || q.SeriesSlugs != nil || q.Closing != 0 || q.Reopening != 0
}

// statement returns what follows the columns and tables of a query for a part of a
// list, and its arguments.
func (s *stretch) statement(q *store.MarketQuery) (string, []any) {
	w := marketWhere(q)
	if s.numbers != nil {
		w.Add("m.number IN (SELECT value FROM json_each(?))", txn.List(s.numbers))
	}
	if columns, _ := s.Order(); s.part {
		at := "m." + columns[0]
		switch above, below := (store.Condition{Column: columns[0], Op: store.Above}), (store.Condition{Column: columns[0], Op: store.Below}); s.sign {
		case 1:
			w.Add(at + " <> 0 AND " + bounded("m.", above, s.Page) + columns[0] + " > 0")
		case -1:
			w.Add(at + " <> 0 AND " + bounded("m.", below, s.Page) + columns[0] + " < 0")
		default:
			w.Add(at + " = 0")
		}
	}
	tail := "" // page adds a condition
	if s.part && s.sign == 0 {
		tail = w.PageOf("m.", s.Page, 1) // the first is the same of all
	} else {
		tail = w.Page("m.", s.Page)
	}
	return w.String() + tail, w.Args
}

// may reports whether the bounds of a query leave times of a sign, of those that its
// list is sorted by.
func may(q *store.MarketQuery, sign int) bool {
	columns, _ := q.Order()
	for _, c := range slices.Concat(q.Conditions(), q.Dates.Conditions()) {
		v, ok := c.Value.(int64)
		if !ok || c.Column != columns[0] {
			continue
		}
		above := c.Op == store.AtLeast && v > 0 || c.Op == store.Above && v >= 0
		if sign == 0 && c.Op == store.Differs && v == 0 || sign <= 0 && above {
			return false
		}
	}
	return true
}

func (t *Catalogue) stretch(ctx context.Context, q *store.MarketQuery, s stretch) ([]store.MarketRow, error) {
	where, args := s.statement(q)
	of := marketList{rows: make([]store.MarketRow, 0, min(max(s.Limit, len(s.numbers)), maxAhead)), at: map[int64]int{}}
	var words short.Words
	err := t.EachRow(ctx, "SELECT "+marketColumns+marketTables+where, args, func(r *pool.Row) error { return of.scan(r, &words) })
	if err != nil || len(of.rows) == 0 {
		return of.rows, err
	}
	if err := t.addWords(ctx, &of, &words); err != nil {
		return of.rows, err
	}
	if err := t.addSchedules(ctx, &of); err != nil {
		return of.rows, err
	}
	numbers := []int64{} // of those whose tokens have rows
	for i := range of.rows {
		if len(of.rows[i].Market.Tokens) == 0 {
			numbers = append(numbers, of.kept[i].number)
		}
	}
	if err := t.addTokens(ctx, numbers, of.row); err != nil {
		return of.rows, err
	}
	return of.rows, store.CheckMarkets(of.rows, of.sums, q.Damaged)
}

// maxAhead bounds the rows that there is room for before they are read.
const maxAhead = 64

// marketList is rows of markets with what is kept of them beside.
type marketList struct {
	rows []store.MarketRow
	sums []int64
	kept []struct{ number, payout, outcomes int64 }
	at   map[int64]int // by number
}

func (l *marketList) row(number int64) *store.MarketRow { return &l.rows[l.at[number]] }

// scan adds a row.
func (l *marketList) scan(r *pool.Row, words *short.Words) (err error) {
	l.rows = append(l.rows, store.MarketRow{})
	row := &l.rows[len(l.rows)-1]
	m, s := &row.Market, &row.Stats
	row.ID, m.Venue, m.VenueID, m.AltID, m.Slug = store.ID(r.Int()), market.Venue(words.Same(r.Bytes())), r.Text(), r.Text(), r.Text()
	m.Question, m.Description, m.Category = r.Text(), r.Text(), market.Category(words.Same(r.Bytes()))
	row.Event, row.Series, m.EventID, m.SeriesID = store.ID(r.Int()), store.ID(r.Int()), r.Text(), words.Same(r.Bytes())
	if m.Tags, err = words.Tags(r.Bytes()); err != nil {
		return err
	}
	m.Coin, m.Type, m.Start, m.End = words.Same(r.Bytes()), words.Same(r.Bytes()), market.Instant(r.Int()), market.Instant(r.Int())
	m.Closed, m.ClosedAt, m.UpdatedAt, m.Mirrored = r.Bool(), market.Instant(r.Int()), market.Instant(r.Int()), r.Bool()
	m.Tick, m.MinSize = pool.Small[market.Price](r), market.Size(r.Int())
	row.Status, row.ClosedAt, row.UpdatedAt = pool.Small[store.Status](r), market.Instant(r.Int()), market.Instant(r.Int())
	row.Undated, row.Disputed, row.Owners = r.Bool(), r.Bool(), short.ReadIDs(r.Bytes())
	s.Captures, s.First, s.Last, s.Captured = r.Int(), market.Instant(r.Int()), market.Instant(r.Int()), r.Bool()
	s.Coverage, s.Silence, s.PairLag, s.TradesOnce = r.Int(), market.Span(r.Int()), market.Span(r.Int()), r.Bool()
	copy(s.Content[:], r.Bytes())
	copy(row.Basis[:], r.Bytes())
	kept := struct{ number, payout, outcomes int64 }{payout: r.Int(), outcomes: r.Int()}
	l.sums = append(l.sums, r.Int())
	kept.number = r.Int()
	l.at[kept.number] = len(l.kept)
	l.kept = append(l.kept, kept)
	m.Slug = short.LongSlug(m.Slug, m.VenueID)
	return nil
}

// addWords fills in payouts, and the tokens that words have.
func (t *Catalogue) addWords(ctx context.Context, of *marketList, words *short.Words) error {
	ids, texts := []int64{}, map[int64][]byte{}
	for i := range of.kept {
		ids = append(ids, of.kept[i].payout, of.kept[i].outcomes)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	err := t.EachRow(ctx, `SELECT id, text FROM words WHERE id IN (SELECT value FROM json_each(?))`, []any{txn.List(ids)}, func(r *pool.Row) error {
		texts[r.Int()] = bytes.Clone(r.Bytes())
		return nil
	})
	for i := range of.rows {
		row := &of.rows[i]
		if err == nil {
			row.Market.Payout, err = words.Payout(texts[of.kept[i].payout])
		}
		if word := texts[of.kept[i].outcomes]; err == nil && len(word) > 0 {
			err = addOutcomes(row, word, words)
		}
	}
	return t.Fail(err)
}

// addSchedules fills in schedules of fees.
func (t *Catalogue) addSchedules(ctx context.Context, of *marketList) error {
	if some, err := t.Has(ctx, `SELECT EXISTS (SELECT 1 FROM schedules)`); err != nil || !some {
		return err
	}
	const query = `SELECT market, rate, exponent, taker_only FROM schedules WHERE market IN (SELECT value FROM json_each(?))`
	return t.EachRow(ctx, query, []any{txn.List(slices.Collect(maps.Keys(of.at)))}, func(r *pool.Row) error {
		of.row(r.Int()).Market.Fees = &market.FeeSchedule{Rate: r.Int(), Exponent: int(r.Int()), TakerOnly: r.Bool()}
		return nil
	})
}

// addOutcomes gives a row the tokens of a word.
func addOutcomes(row *store.MarketRow, word []byte, words *short.Words) (err error) {
	if row.Market.Tokens, err = words.Outcomes(word); err != nil {
		return err
	}
	row.Keys = make([][]store.ID, len(row.Market.Tokens))
	for i := range row.Market.Tokens {
		short.LongToken(&row.Market, &row.Market.Tokens[i])
	}
	return nil
}

// addTokens fills in tokens and gaps.
func (t *Catalogue) addTokens(ctx context.Context, numbers []int64, row func(int64) *store.MarketRow) error {
	const tokens = `SELECT market, id, venue_id, label, outcome, derived, keys FROM tokens
		WHERE market IN (SELECT value FROM json_each(?)) ORDER BY market, position`
	if len(numbers) == 0 {
		return nil
	}
	var all []store.ID
	var words short.Words
	err := t.EachRow(ctx, tokens, []any{txn.List(numbers)}, func(r *pool.Row) error {
		m, id := row(r.Int()), store.ID(r.Int())
		k := market.Token{VenueID: r.Text(), Label: words.Same(r.Bytes()), Outcome: pool.Small[market.Outcome](r), Derived: r.Bool()}
		keys := r.Bytes()
		if short.LongToken(&m.Market, &k); id != store.TokenID(m.Market.Venue, k.VenueID) {
			return nil // nobody finds it: the row, without it, differs from its checksum
		}
		all = append(all, id)
		m.Market.Tokens = append(m.Market.Tokens, k)
		m.Keys = append(m.Keys, short.ReadIDs(keys))
		return nil
	})
	if err != nil {
		return err
	}
	const gaps = `SELECT token_id, from_at, to_at FROM gaps
		WHERE token_id IN (SELECT value FROM json_each(?)) ORDER BY token_id, from_at`
	if some, err := t.Has(ctx, `SELECT EXISTS (SELECT 1 FROM gaps)`); err != nil || !some {
		return err
	}
	found := map[store.ID][]market.Gap{}
	err = t.Each(ctx, gaps, []any{txn.List(all)}, func(r *sql.Rows) error {
		var id store.ID
		var g market.Gap
		err := r.Scan(&id, &g.From, &g.To)
		found[id] = append(found[id], g)
		return err
	})
	if err != nil {
		return err
	}
	for _, n := range numbers { // in token order within each market
		m := row(n)
		for i, k := range m.Market.Tokens {
			for _, g := range found[store.TokenID(m.Market.Venue, k.VenueID)] {
				m.Gaps = append(m.Gaps, market.TokenGap{Token: i, Gap: g})
			}
		}
	}
	return nil
}

func groupWhere(q *store.GroupQuery, alias string, kind store.ClaimKind) *clause.Where {
	w := &clause.Where{}
	if q.IDs != nil {
		w.Add(alias+"number IN "+txn.At(kind, txn.InList), txn.List(q.IDs))
	}
	if q.Slugs != nil {
		addSlugs(w, alias, q.Slugs)
	}
	w.All("+"+alias, q.Conditions()) // no way to find any, as for markets
	w.Tags(alias, int(kind), q.Tags, q.AnyTag)
	w.Search(alias+"search", q.Search)
	return w
}

// addSlugs selects the rows of slugs. The first condition leads to them; lists are read once,
// however many rows.
func addSlugs(w *clause.Where, alias string, names []store.Name) {
	texts, venue, several := make([]string, len(names)), names[0].Venue, false
	for i, n := range names {
		texts[i], several = n.Text, several || n.Venue != venue
	}
	w.Add(alias+`slug IN (SELECT value FROM json_each(?))`, short.Text(texts))
	if several {
		w.Add(`(`+alias+`slug, `+alias+`venue) IN (SELECT value ->> 1, value ->> 0 FROM json_each(?))`, short.Text(namePairs(names)))
	} else {
		w.Add("+"+alias+"venue = ?", string(venue))
	}
}

// someEvents asks whether any event has a category.
const someEvents = `SELECT EXISTS (SELECT 1 FROM events WHERE category = ?)`

// Events returns the events that q selects, in the order q asks for.
func (t *Catalogue) Events(ctx context.Context, q store.GroupQuery) ([]store.EventRow, error) {
	if some, err := t.mayHaveEvents(ctx, &q); err != nil || !some {
		return nil, err
	}
	text, none := store.SearchFor(q.Search)
	if text != "" && !none && q.Limit > 0 && q.IDs == nil && q.Slugs == nil && q.SeriesID == "" && q.SeriesSlug == "" {
		return t.searchEvents(ctx, q, text)
	}
	names := q.Slugs
	if q.Limit <= 0 { // those that go by others are left out here: they are few
		q.Slugs = nil
	}
	w := eventWhere(&q)
	if names != nil {
		numbers, err := t.slugged(ctx, names)
		if err != nil {
			return nil, err
		}
		w.Add("e.number IN (SELECT value FROM json_each(?))", txn.List(numbers))
	}
	tail := w.Page("e.", q.Page)
	rows, err := t.events(ctx, w.String()+tail, w.Args)
	if names != nil && q.Slugs == nil {
		rows = called(rows, names)
	}
	return rows, err
}

// called returns those of events that go by names.
func called(rows []store.EventRow, names []store.Name) []store.EventRow {
	by := make(map[store.Name]bool, len(names))
	for _, n := range names {
		by[n] = true
	}
	return slices.DeleteFunc(rows, func(row store.EventRow) bool { return !by[store.Name{Venue: row.Event.Venue, Text: row.Event.Slug}] })
}

// mayHaveEvents reports whether a query may select any event.
func (t *Catalogue) mayHaveEvents(ctx context.Context, q *store.GroupQuery) (bool, error) {
	if q.IDs != nil && len(q.IDs) == 0 || q.Slugs != nil && len(q.Slugs) == 0 {
		return false, nil
	}
	if q.Category == "" {
		return true, nil
	}
	return t.Has(ctx, someEvents, string(q.Category))
}

// ownSlug selects the numbers of events by slugs that are not their public ids.
const ownSlug = `SELECT number FROM json_each(?) j CROSS JOIN events e WHERE e.slug = j.value AND e.slug <> e.venue_id`

// slugged returns the numbers of the events that go by slugs, and may return others.
func (t *Catalogue) slugged(ctx context.Context, names []store.Name) ([]int64, error) {
	ids, slugs := make([]store.ID, len(names)), make([]string, len(names))
	for i, n := range names {
		ids[i], slugs[i] = store.EventID(n.Venue, n.Text), n.Text
	}
	numbers, err := t.Rows(ctx, store.EventClaim, ids)
	if err != nil {
		return nil, err
	}
	own, err := pool.Collect(ctx, t, ownSlug, []any{short.Text(slugs)}, func(r *sql.Rows, n *int64) error { return r.Scan(n) })
	return append(numbers, own...), err
}

// events runs a query, of which rest follows the table.
func (t *Catalogue) events(ctx context.Context, rest string, args []any) ([]store.EventRow, error) {
	const columns = `SELECT e.id, e.venue, e.venue_id, e.slug, e.title, e.series, e.series_id, e.category, e.tags,
		e.start_at, e.end_at, e.source_updated_at, e.updated_at, e.status, e.markets FROM events e`
	var out []store.EventRow
	var words short.Words
	err := t.EachRow(ctx, columns+rest, args, func(r *pool.Row) (err error) {
		var row store.EventRow
		e := &row.Event
		row.ID, e.Venue, e.VenueID, e.Slug, e.Title = store.ID(r.Int()), market.Venue(words.Same(r.Bytes())), r.Text(), r.Text(), r.Text()
		row.Series, e.SeriesID, e.Category = store.ID(r.Int()), words.Same(r.Bytes()), market.Category(words.Same(r.Bytes()))
		e.Tags, err = words.Tags(r.Bytes())
		e.Start, e.End, e.UpdatedAt, row.UpdatedAt = market.Instant(r.Int()), market.Instant(r.Int()), market.Instant(r.Int()), market.Instant(r.Int())
		row.Status, row.Markets = pool.Small[store.Status](r), r.Int()
		out = append(out, row)
		return err
	})
	return out, err
}

// Series returns the series that q selects, in the order q asks for.
func (t *Catalogue) Series(ctx context.Context, q store.GroupQuery) ([]store.SeriesRow, error) {
	if q.IDs != nil && len(q.IDs) == 0 || q.Slugs != nil && len(q.Slugs) == 0 {
		return nil, nil
	}
	w := groupWhere(&q, "s.", store.SeriesClaim)
	if q.Any() {
		in := &clause.Where{}
		in.Add("m.series = s.id AND m.series <> 0 AND m.category <> ''")
		in.All("m.", q.Dates.Conditions())
		w.Add("EXISTS (SELECT 1 FROM markets m"+in.String()+")", in.Args...)
	}
	q.Sort = store.ByUpdatedAt
	tail := w.Page("s.", q.Page)
	const columns = `SELECT s.id, s.venue, s.venue_id, s.slug, s.title, s.recurrence, s.category, s.tags,
		s.source_updated_at, s.updated_at, s.markets FROM series s`
	var words short.Words
	return pool.Collect(ctx, t, columns+w.String()+tail, w.Args, func(r *sql.Rows, row *store.SeriesRow) error {
		s := &row.Series
		var tags sql.RawBytes
		err := r.Scan(&row.ID, &s.Venue, &s.VenueID, &s.Slug, &s.Title, &s.Recurrence, &s.Category, &tags,
			&s.UpdatedAt, &row.UpdatedAt, &row.Markets)
		if err != nil {
			return err
		}
		s.Tags, err = words.Tags(tags)
		return err
	})
}
