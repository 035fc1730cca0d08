package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

const marketColumns = `m.id, m.venue, m.venue_id, m.alt_id, m.slug, m.question, m.description, m.category,
	m.event, m.series, m.event_id, m.series_id, m.tags, m.coin, m.type, m.start_at, m.end_at,
	m.source_closed, m.source_closed_at, m.source_updated_at, m.mirrored, m.tick, m.min_size,
	m.status, m.closed_at, m.updated_at, m.undated, m.disputed, m.owners,
	m.captures, m.first, m.last, m.captured, m.coverage, m.silence, m.pair_lag, m.trades_once, m.content, m.basis,
	m.payout, m.fractions, m.fee_rate, m.fee_exponent, m.taker_only, m.tokens, m.labels, m.outcomes, m.derived, m.places, m.sum`

// Markets returns the markets that q selects, in the order q asks for.
func (t *tx) Markets(ctx context.Context, q store.MarketQuery) ([]store.MarketRow, error) {
	out, sums, err := t.markets(ctx, &q)
	if err != nil || len(out) == 0 {
		return out, err
	}
	b := &reads{}
	addGaps(b, out)
	if err := t.read(ctx, b); err != nil {
		return nil, err
	}
	return out, t.s.fail(ctx, store.CheckMarkets(out, sums, q.Damaged))
}

// Listings returns the same with the slugs of events and series.
func (t *tx) Listings(ctx context.Context, q store.MarketQuery) ([]store.Listing, error) {
	rows, sums, err := t.markets(ctx, &q)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	b := &reads{}
	addGaps(b, rows)
	events := addSlugs(b, "events", rows, func(r *store.MarketRow) store.ID { return r.Event })
	series := addSlugs(b, "series", rows, func(r *store.MarketRow) store.ID { return r.Series })
	if err := t.read(ctx, b); err != nil {
		return nil, err
	}
	if err := store.CheckMarkets(rows, sums, q.Damaged); err != nil {
		return nil, t.s.fail(ctx, err)
	}
	out, err := store.Listed(rows, events, series)
	return out, t.s.fail(ctx, err)
}

// addSlugs adds the query for the slugs of what rows belong to, by id.
func addSlugs(b *reads, table string, rows []store.MarketRow, of func(*store.MarketRow) store.ID) map[store.ID]string {
	slugs := map[store.ID]string{}
	ids := []int64{}
	for i := range rows {
		id := of(&rows[i])
		if _, ok := slugs[id]; ok || id == 0 {
			continue
		}
		slugs[id] = ""
		ids = append(ids, int64(id))
	}
	if len(ids) == 0 {
		return slugs
	}
	b.add(`SELECT id, slug FROM `+table+` WHERE id = ANY ($1::bigint[])`, []any{ids}, func(r pgx.Rows) error {
		var id int64
		var slug string
		err := r.Scan(&id, &slug)
		restore(&slug)
		slugs[store.ID(id)] = slug
		return err
	})
	return slugs
}

// markets returns the markets that q selects, in its order, without gaps.
func (t *tx) markets(ctx context.Context, q *store.MarketQuery) (out []store.MarketRow, sums []int64, err error) {
	l, err := t.marketList(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	from, conds, err := t.source(ctx, l)
	if err != nil {
		return nil, nil, err
	}
	query := "SELECT " + marketColumns + " FROM " + from + conds + orderBy("m", q.Page) + limit(q.Page)
	err = t.list(ctx, l, query, func(r pgx.Rows) error {
		row, sum, err := scanMarket(r)
		out, sums = append(out, row), append(sums, sum)
		return err
	})
	return out, sums, err
}

func scanMarket(r pgx.Rows) (row store.MarketRow, sum int64, err error) {
	m, s := &row.Market, &row.Stats
	var tags []string
	var owners, fractions []int64
	var content, basis []byte
	var payout *string
	var rate, exponent *int64
	var taker *bool
	var k tokens
	err = r.Scan((*int64)(&row.ID), (*string)(&m.Venue), &m.VenueID, &m.AltID, &m.Slug, &m.Question, &m.Description, (*string)(&m.Category),
		(*int64)(&row.Event), (*int64)(&row.Series), &m.EventID, &m.SeriesID, &tags, &m.Coin, &m.Type, (*int64)(&m.Start), (*int64)(&m.End),
		&m.Closed, (*int64)(&m.ClosedAt), (*int64)(&m.UpdatedAt), &m.Mirrored, (*int32)(&m.Tick), (*int64)(&m.MinSize),
		(*uint8)(&row.Status), (*int64)(&row.ClosedAt), (*int64)(&row.UpdatedAt), &row.Undated, &row.Disputed, &owners,
		&s.Captures, (*int64)(&s.First), (*int64)(&s.Last), &s.Captured, &s.Coverage, (*int64)(&s.Silence), (*int64)(&s.PairLag), &s.TradesOnce, &content, &basis,
		&payout, &fractions, &rate, &exponent, &taker, &k.ids, &k.labels, &k.outcomes, &k.derived, &k.places, &sum)
	if err != nil {
		return row, 0, err
	}
	restore((*string)(&m.Venue), &m.VenueID, &m.AltID, &m.Slug, &m.Question, &m.Description, &m.EventID, &m.SeriesID, &m.Coin, &m.Type)
	m.Tags = restoreAll(tags)
	row.Owners = idsOf(owners)
	copy(s.Content[:], content)
	copy(row.Basis[:], basis)
	if payout != nil {
		m.Payout = &market.Payout{Basis: market.Basis(*payout)}
		for _, f := range fractions {
			m.Payout.Fractions = append(m.Payout.Fractions, market.Cash(f))
		}
	}
	if rate != nil {
		m.Fees = &market.FeeSchedule{Rate: *rate, Exponent: int(*exponent), TakerOnly: *taker}
	}
	k.fill(&row)
	return row, sum, nil
}

// fill gives a row its tokens. Columns of different lengths are damage, which the row's
// checksum shows.
func (k *tokens) fill(row *store.MarketRow) {
	n := min(len(k.ids), len(k.labels), len(k.outcomes), len(k.derived))
	for i := range n {
		restore(&k.ids[i], &k.labels[i])
		row.Market.Tokens = append(row.Market.Tokens, market.Token{VenueID: k.ids[i], Label: k.labels[i], Outcome: market.Outcome(k.outcomes[i]), Derived: k.derived[i]})
		row.Keys = append(row.Keys, nil)
	}
	for p := range slices.Chunk(k.places, 2) {
		if i := p[0]; i >= 0 && i < int64(n) && len(p) == 2 {
			row.Keys[i] = append(row.Keys[i], store.ID(p[1]))
		}
	}
}

// addGaps adds the query for the gaps of rows, to which it adds them.
func addGaps(b *reads, rows []store.MarketRow) {
	at := make(map[store.ID]*store.MarketRow, len(rows))
	ids := make([]int64, len(rows))
	for i := range rows {
		at[rows[i].ID], ids[i] = &rows[i], int64(rows[i].ID)
	}
	const gaps = `SELECT market_id, token, from_at, to_at FROM gaps
		WHERE market_id = ANY ($1::bigint[]) ORDER BY market_id, token, from_at`
	b.add(gaps, []any{ids}, func(r pgx.Rows) error {
		var id int64
		var g market.TokenGap
		err := r.Scan(&id, &g.Token, (*int64)(&g.From), (*int64)(&g.To))
		m := at[store.ID(id)]
		m.Gaps = append(m.Gaps, g)
		return err
	})
}

// none reports a query that names nothing.
func none(q *store.GroupQuery) bool {
	return q.IDs != nil && len(q.IDs) == 0 || q.Slugs != nil && len(q.Slugs) == 0
}

// Events returns the events that q selects, in the order q asks for.
func (t *tx) Events(ctx context.Context, q store.GroupQuery) ([]store.EventRow, error) {
	if none(&q) {
		return nil, nil
	}
	w := groupWhere(&q, "e.")
	l := &list{table: "events", alias: "e", w: w, page: q.Page, named: q.IDs != nil || q.Slugs != nil, f: filter{
		search: w.text(q.Search), tags: keepAll(q.Tags), anyTag: q.AnyTag, category: keep(string(q.Category)), open: q.OpenOnly, dates: q.Dates,
	}}
	for column, text := range map[string]string{"venue_id": q.SeriesID, "slug": q.SeriesSlug} {
		if text == "" {
			continue
		}
		ids, err := t.called(ctx, "series", column, text)
		if err != nil {
			return nil, err
		}
		l.f.series = ids
		w.add("e.series <> 0")
		w.among("e.series", ids)
	}
	w.all("e.", q.OpenConditions())
	from, conds, err := t.source(ctx, l)
	if err != nil {
		return nil, err
	}
	const columns = `SELECT e.id, e.venue, e.venue_id, e.slug, e.title, e.series, e.series_id, e.category, e.tags,
		e.start_at, e.end_at, e.source_updated_at, e.updated_at, e.status, e.markets FROM `
	var out []store.EventRow
	err = t.list(ctx, l, columns+from+conds+orderBy("e", q.Page)+limit(q.Page), into(&out, func(r pgx.Rows, row *store.EventRow) error {
		e := &row.Event
		err := r.Scan((*int64)(&row.ID), (*string)(&e.Venue), &e.VenueID, &e.Slug, &e.Title, (*int64)(&row.Series), &e.SeriesID, (*string)(&e.Category), &e.Tags,
			(*int64)(&e.Start), (*int64)(&e.End), (*int64)(&e.UpdatedAt), (*int64)(&row.UpdatedAt), (*uint8)(&row.Status), &row.Markets)
		restore((*string)(&e.Venue), &e.VenueID, &e.Slug, &e.Title, &e.SeriesID)
		e.Tags = restoreAll(e.Tags)
		return err
	}))
	return out, err
}

// Series returns the series that q selects, in the order q asks for.
func (t *tx) Series(ctx context.Context, q store.GroupQuery) ([]store.SeriesRow, error) {
	if none(&q) {
		return nil, nil
	}
	w := groupWhere(&q, "s.")
	if q.Any() {
		w.anyMarket(q.Dates)
	}
	q.Sort = store.ByUpdatedAt
	l := &list{table: "series", alias: "s", w: w, page: q.Page, named: true, f: filter{search: w.text(q.Search), tags: keepAll(q.Tags), anyTag: q.AnyTag}}
	from, conds, err := t.source(ctx, l)
	if err != nil {
		return nil, err
	}
	const columns = `SELECT s.id, s.venue, s.venue_id, s.slug, s.title, s.recurrence, s.category, s.tags,
		s.source_updated_at, s.updated_at, s.markets FROM `
	var out []store.SeriesRow
	err = t.list(ctx, l, columns+from+conds+orderBy("s", q.Page)+limit(q.Page), into(&out, func(r pgx.Rows, row *store.SeriesRow) error {
		s := &row.Series
		err := r.Scan((*int64)(&row.ID), (*string)(&s.Venue), &s.VenueID, &s.Slug, &s.Title, &s.Recurrence, (*string)(&s.Category), &s.Tags,
			(*int64)(&s.UpdatedAt), (*int64)(&row.UpdatedAt), &row.Markets)
		restore((*string)(&s.Venue), &s.VenueID, &s.Slug, &s.Title, &s.Recurrence)
		s.Tags = restoreAll(s.Tags)
		return err
	}))
	return out, err
}

// anyMarket adds that a market of series s passes the bounds.
func (w *where) anyMarket(d store.Dates) {
	exact := &where{args: w.args}
	exact.add("m.series = s.id AND m.series <> 0 AND m.category <> ''")
	exact.all("m.", d.Conditions())
	near := &where{args: exact.args}
	near.add("m.keys @> ARRAY[('x' || left(md5('series ' || s.id::text), 8))::bit(32)::integer]")
	m := &list{alias: "m"}
	m.bound(near, "start_at", d.StartMin, d.StartMax)
	m.bound(near, "end_at", d.EndMin, d.EndMax)
	// With an OFFSET it is asked of each series, rather than of all markets.
	w.conds = append(w.conds, fmt.Sprintf("EXISTS (SELECT 1 FROM markets m%s AND CASE WHEN %s THEN true ELSE false END OFFSET 0)",
		near.String(), strings.Join(exact.conds, " AND ")))
	w.args = near.args
}

// Alone returns which events are of one market. Sums of ids, of which some would not fit, are of halves.
func (t *tx) Alone(ctx context.Context) (out store.IDs, err error) {
	const query = `SELECT count(*), coalesce(sum(id & 4294967295), 0)::bigint, coalesce(sum(id >> 32), 0)::bigint FROM events WHERE markets = 1`
	return out, t.each(ctx, query, nil, func(r pgx.Rows) error {
		var low, high int64
		err := r.Scan(&out.N, &low, &high)
		out.Sum = store.ID(low + high<<32)
		return err
	})
}

// CountMarkets returns how many markets there are.
func (t *tx) CountMarkets(ctx context.Context) (int64, error) {
	return one[int64](ctx, t, `SELECT count(*) FROM markets`)
}
