package sqlite

import (
	"context"
	"database/sql"
	"slices"

	"github.com/ladderback/ladderback/archive/sqlite/grams"
	"github.com/ladderback/ladderback/archive/store"
)

// changes are rows to be taken up by the index of texts, without their numbers.
type changes map[store.ID]grams.Row

// note notes a row as it was (zero: there was none) and is.
func (c changes) note(id store.ID, was, is grams.Row) {
	if was == is {
		return
	}
	if was.Text == is.Text {
		is.Text = ""
	}
	if noted, ok := c[id]; ok && is.Text == "" { // twice in one transaction
		is.Text = noted.Text
	}
	c[id] = is
}

func searchMarket(row *store.MarketRow) grams.Row {
	if row == nil || row.Damaged {
		return grams.Row{}
	}
	m := &row.Market
	return grams.Row{Text: store.SearchText(m.Question, m.Slug), Times: [3]int64{int64(row.UpdatedAt), int64(m.Start), int64(m.End)}}
}

func searchEvent(row *store.EventRow) grams.Row {
	if row == nil {
		return grams.Row{}
	}
	e := &row.Event
	return grams.Row{Text: store.SearchText(e.Title, e.Slug), Times: [3]int64{int64(row.UpdatedAt), int64(e.Start), int64(e.End)}}
}

// putGrams brings the index of texts up to date.
func (t *tx) putGrams(ctx context.Context, kind store.ClaimKind, changed changes) error {
	if len(changed) == 0 {
		return nil
	}
	ids := make([]store.ID, 0, len(changed))
	for id := range changed {
		ids = append(ids, id)
	}
	rows := make([]grams.Row, 0, len(changed))
	err := t.each(ctx, `SELECT number, id FROM `+tagged[kind]+` WHERE id IN (SELECT value FROM json_each(?))`, []any{list(ids)}, func(r *sql.Rows) error {
		var number int64
		var id store.ID
		err := r.Scan(&number, &id)
		row := changed[id]
		row.Number = number
		rows = append(rows, row)
		return err
	})
	if err == nil {
		err = grams.Put(ctx, t.l, kind, rows)
	}
	return t.s.fail(err)
}

// walkRows is how many rows of a list are looked at before the index of texts is asked:
// what many rows have is found so sooner.
const walkRows = 200

// texts is a search within a list.
type texts[R any] struct {
	kind store.ClaimKind
	has  string // as in grams.Find
	text string
	page store.Page // its limit is not 0
	// walk looks at the first rows of the list, as many as walkRows.
	walk func() (seen []seenRow, all bool, err error)
	// rows returns those of the ids that are in the list.
	rows func(ids []store.ID, after *store.Key) ([]R, error)
}

// seenRow is a row that was looked at.
type seenRow struct {
	id  store.ID
	key store.Key
	has bool // the text
}

// search returns the rows of a list that contain a text, in its order.
func search[R any](ctx context.Context, t *tx, q texts[R]) ([]R, error) {
	var out []R
	take := func(ids []store.ID) error {
		if len(ids) == 0 {
			return nil
		}
		rows, err := q.rows(ids, q.page.After)
		out = append(out, rows...)
		return err
	}
	seen, all, err := q.walk()
	if err != nil {
		return nil, err
	}
	var ids []store.ID
	for _, s := range seen {
		if s.has {
			ids = append(ids, s.id)
		}
	}
	if err := take(ids[:min(len(ids), q.page.Limit)]); err != nil || all || len(out) >= q.page.Limit {
		return out, err
	}
	if len(seen) > 0 {
		q.page.After = &seen[len(seen)-1].key
	}
	find, err := grams.Find(ctx, t.l, q.kind, tagged[q.kind], q.has, q.text, q.page)
	for err == nil && len(out) < q.page.Limit {
		if ids, err = find.Next(ctx, 2*q.page.Limit); len(ids) == 0 {
			break
		}
		err = take(ids)
	}
	return slices.Clip(out[:min(len(out), q.page.Limit)]), t.s.fail(err)
}

// looked runs a statement on rows of a list: id, the time it is sorted by, public id,
// venue, and whether the text is in it.
func (t *tx) looked(ctx context.Context, columns, rest string, args []any) ([]seenRow, error) {
	var out []seenRow
	err := t.each(ctx, "SELECT "+columns+rest, args, func(r *sql.Rows) error {
		var s seenRow
		err := r.Scan(&s.id, &s.key.Value, &s.key.VenueID, &s.key.Venue, &s.has)
		out = append(out, s)
		return err
	})
	return out, err
}

// searchMarkets is Markets of a query with a text, but none that names its markets.
func (t *tx) searchMarkets(ctx context.Context, q store.MarketQuery, text string) ([]store.MarketRow, error) {
	plain := q
	plain.Search, plain.Limit = "", t.s.walk
	column, _ := q.Order()
	return search(ctx, t, texts[store.MarketRow]{
		kind: store.MarketClaim, has: "market_text(t.question, t.slug, t.venue_id)", text: text, page: q.Page,
		walk: func() (seen []seenRow, all bool, err error) {
			if len(q.Tags) > 0 || t.s.walk == 0 { // few may have them
				return nil, false, nil
			}
			for _, part := range stretches(&plain) {
				if part.Limit = t.s.walk - len(seen); part.Limit <= 0 {
					return seen, false, nil
				}
				where, args := part.statement(&plain)
				some, err := t.looked(ctx, "m.id, m."+column[0]+", m.venue_id, m.venue, instr(market_text(m.question, m.slug, m.venue_id), ?) > 0 FROM markets m",
					where, append([]any{text}, args...))
				if seen = append(seen, some...); err != nil {
					return nil, false, err
				}
			}
			return seen, len(seen) < t.s.walk, nil
		},
		rows: func(ids []store.ID, after *store.Key) ([]store.MarketRow, error) {
			q := q
			q.IDs, q.After, q.Limit = ids, after, 0
			return t.Markets(ctx, q)
		},
	})
}

// searchEvents is Events of a query with a text, but none that names its events.
func (t *tx) searchEvents(ctx context.Context, q store.GroupQuery, text string) ([]store.EventRow, error) {
	column, _ := q.Order()
	return search(ctx, t, texts[store.EventRow]{
		kind: store.EventClaim, has: "t.search", text: text, page: q.Page,
		walk: func() ([]seenRow, bool, error) {
			if len(q.Tags) > 0 || t.s.walk == 0 {
				return nil, false, nil
			}
			plain := q
			plain.Search, plain.Limit = "", t.s.walk
			rest, args := eventStatement(&plain)
			seen, err := t.looked(ctx, "e.id, e."+column[0]+", e.venue_id, e.venue, instr(e.search, ?) > 0 FROM events e", rest, append([]any{text}, args...))
			return seen, len(seen) < t.s.walk, err
		},
		rows: func(ids []store.ID, after *store.Key) ([]store.EventRow, error) {
			q := q
			q.IDs, q.After, q.Limit = ids, after, 0
			return t.Events(ctx, q)
		},
	})
}

// eventStatement returns what follows the columns of a query for events.
func eventStatement(q *store.GroupQuery) (string, []any) {
	w := groupWhere(q, "e.", store.EventClaim)
	equal(w, "e.series <> 0 AND e.series IN (SELECT id FROM series WHERE venue_id = ?)", q.SeriesID)
	equal(w, "e.series <> 0 AND e.series IN (SELECT id FROM series WHERE slug = ?)", q.SeriesSlug)
	w.All("e.", q.OpenConditions())
	w.All("e.", q.Dates.Conditions())
	tail := w.Page("e.", q.Page)
	return w.String() + tail, w.Args
}
