package catalogue

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/archive/sqlite/clause"
	"github.com/ladderback/ladderback/archive/sqlite/grams"
	"github.com/ladderback/ladderback/archive/sqlite/pool"
	"github.com/ladderback/ladderback/archive/sqlite/short"
	"github.com/ladderback/ladderback/archive/sqlite/txn"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// changes are rows to be taken up by the index of texts, by their numbers.
type changes map[int64]grams.Row

// note notes a row as it was (zero: there was none) and is.
func (c changes) note(number int64, was, is grams.Row) {
	if was == is {
		return
	}
	if was.Text == is.Text {
		is.Text = ""
	}
	if noted, ok := c[number]; ok && is.Text == "" { // twice in one transaction
		is.Text = noted.Text
	}
	is.Number = number
	c[number] = is
}

func searchMarket(row *store.MarketRow) grams.Row {
	if row == nil || row.Damaged {
		return grams.Row{}
	}
	m := &row.Market
	return grams.Row{Text: store.SearchText(m.Question, m.Slug), Times: [3]int64{int64(row.UpdatedAt), int64(m.Start), int64(m.End)}}
}

func searchEvent(row *store.EventRow) grams.Row {
	e := &row.Event
	return grams.Row{Text: store.SearchText(e.Title, e.Slug), Times: [3]int64{int64(row.UpdatedAt), int64(e.Start), int64(e.End)}}
}

// putGrams brings the index of texts, and that of tags, up to date.
func (t *Catalogue) putGrams(ctx context.Context, kind store.ClaimKind, changed changes, tags *grams.Tags) error {
	if err := tags.Put(ctx, t.Link); err != nil || len(changed) == 0 {
		return t.Fail(err)
	}
	rows := slices.SortedFunc(maps.Values(changed), func(a, b grams.Row) int { return cmp.Compare(a.Number, b.Number) })
	return t.Fail(grams.Put(ctx, t.Link, kind, rows))
}

// WalkRows is how many rows of a list are looked at together before the index of texts is
// asked.
const WalkRows = 50

// search is what the searches of all tables have in common. w has the conditions of the
// list but for the text.
func (t *Catalogue) search(kind store.ClaimKind, alias, in, text string, w *clause.Where, bounds []store.Condition, p store.Page) grams.Query {
	q := grams.Query{
		Kind: kind, Table: txn.Tables[kind] + " " + strings.TrimSuffix(alias, "."), Alias: alias, Text: in, Has: text,
		Cond: w.Cond(), Args: w.Args, Bounds: [3]grams.Bounds{grams.All, grams.All, grams.All}, Page: p, Rows: t.walk,
	}
	for _, c := range bounds {
		at, ok := c.Value.(int64)
		i := slices.Index([]string{"updated_at", "start_at", "end_at"}, c.Column)
		if !ok || i < 0 {
			continue
		}
		switch b := &q.Bounds[i]; c.Op {
		case store.AtLeast, store.Above:
			b.From = max(b.From, at)
		case store.AtMost, store.Below:
			b.To = min(b.To, at)
		}
	}
	return q
}

// fewRows is how many rows of a list are sorted rather than looked for in its order.
const fewRows = 2000

// numbered is a query for the numbers of the rows that satisfy a condition.
type numbered struct {
	query string
	args  []any
	sets  bool // for sheets and sets of their rows
}

// errEnough ends a query whose other rows do not matter.
var errEnough = errors.New("enough")

// only returns the numbers of rows, without which no row satisfies all of the conditions,
// unless they are more than most; nil: there may be more.
func (t *Catalogue) only(ctx context.Context, most int, all []numbered) ([]int64, error) {
	var out []int64
	for _, q := range all {
		numbers := []int64{}
		err := t.Link.Each(ctx, q.query, q.args, func(r *sql.Rows) error {
			var n int64
			var rows sql.RawBytes
			into := []any{&n}
			if q.sets {
				into = append(into, &rows)
			}
			if err := r.Scan(into...); err != nil {
				return err
			}
			if q.sets {
				numbers = append(numbers, grams.Numbers(n, rows)...)
			} else {
				numbers = append(numbers, n)
			}
			if len(numbers) > most {
				return errEnough
			}
			return nil
		})
		if errors.Is(err, errEnough) {
			continue
		}
		if err != nil {
			return nil, t.Fail(err)
		}
		slices.Sort(numbers)
		if out != nil {
			numbers = slices.DeleteFunc(numbers, func(n int64) bool { _, ok := slices.BinarySearch(out, n); return !ok })
		}
		out = numbers
	}
	return out, nil
}

// tagNumbers are the numbers of rows with tags.
func tagNumbers(kind store.ClaimKind, c market.Category, tags []string, anyTag bool) (out []numbered) {
	lists := [][]string{tags}
	if !anyTag || len(tags) == 0 {
		lists = nil
		for _, tag := range tags {
			lists = append(lists, []string{tag})
		}
	}
	for _, some := range lists {
		q := numbered{`SELECT sheet, rows FROM json_each(?) j CROSS JOIN tags u WHERE u.tag = j.value AND u.kind = ?`, []any{short.Text(some), int64(kind)}, true}
		if c != "" {
			q.query, q.args = q.query+" AND u.category = ?", append(q.args, string(c))
		}
		out = append(out, q)
	}
	return out
}

// onlyMarkets returns the numbers of markets as only does.
func (t *Catalogue) onlyMarkets(ctx context.Context, most int, q *store.MarketQuery) ([]int64, error) {
	all := tagNumbers(store.MarketClaim, q.Category, q.Tags, q.AnyTag)
	if q.OpenOnly {
		all = append(all, numbered{query: `SELECT number FROM markets INDEXED BY markets_open WHERE status = 0`})
	}
	if q.Category != "" {
		some, err := t.Has(ctx, `SELECT EXISTS (SELECT 1 FROM tallies WHERE day = ? AND category = ?)`, store.AllDays, string(q.Category))
		if err != nil || !some {
			return []int64{}, err
		}
	}
	return t.only(ctx, most, all)
}

// looked looks at rows of a list, of which rest is what follows the table.
func (t *Catalogue) looked(ctx context.Context, q *grams.Query, rest string, args []any) ([]grams.Seen, error) {
	columns, _ := q.Page.Order()
	query := fmt.Sprintf("SELECT %[1]snumber, %[1]s%[2]s, %[1]svenue_id, %[1]svenue, CASE WHEN %[3]s THEN instr(%[4]s, ?) > 0 ELSE 0 END FROM %[5]s",
		q.Alias, columns[0], q.Cond, q.Text, q.Table)
	return pool.Collect(ctx, t, query+rest, slices.Concat(q.Args, []any{q.Has}, args), func(r *sql.Rows, s *grams.Seen) error {
		return r.Scan(&s.Number, &s.Key.Value, &s.Key.VenueID, &s.Key.Venue, &s.Has)
	})
}

// searchMarkets is Markets of a query with a text, but none that names its markets.
func (t *Catalogue) searchMarkets(ctx context.Context, q store.MarketQuery, text string) ([]store.MarketRow, error) {
	q.Search = ""
	find := t.search(store.MarketClaim, "m.", "market_text(m.question, m.slug, m.venue_id)", text, marketWhere(&q),
		slices.Concat(q.Conditions(), q.Dates.Conditions()), q.Page)
	find.Only = func(most int) ([]int64, error) { return t.onlyMarkets(ctx, most, &q) }
	find.Walk = func(p store.Page) ([]grams.Seen, error) {
		// Only what bounds the column that the list is sorted by: what few rows satisfy
		// would be looked for in all.
		all := store.MarketQuery{Unlisted: true, Page: p}
		switch q := q; p.Sort {
		case store.ByStart:
			all.StartMin, all.StartMax = q.StartMin, q.StartMax
		case store.ByEnd:
			all.EndMin, all.EndMax, all.EndFrom, all.EndTo = q.EndMin, q.EndMax, q.EndFrom, q.EndTo
		}
		var out []grams.Seen
		for _, part := range stretches(&all) {
			if part.Limit = p.Limit - len(out); part.Limit == 0 {
				break
			}
			rest, args := part.statement(&all)
			some, err := t.looked(ctx, &find, rest, args)
			if out = append(out, some...); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	numbers, err := grams.Find(ctx, t.Link, find)
	if err != nil || len(numbers) == 0 {
		return nil, t.Fail(err)
	}
	return t.stretch(ctx, &store.MarketQuery{Unlisted: true, Damaged: q.Damaged}, stretch{Page: store.Page{Sort: q.Sort, Ascending: q.Ascending}, numbers: numbers})
}

// searchEvents is Events of a query with a text, but none that names its events.
func (t *Catalogue) searchEvents(ctx context.Context, q store.GroupQuery, text string) ([]store.EventRow, error) {
	q.Search = ""
	find := t.search(store.EventClaim, "e.", "e.search", text, eventWhere(&q), q.Dates.Conditions(), q.Page)
	find.Only = func(most int) ([]int64, error) {
		return t.only(ctx, most, tagNumbers(store.EventClaim, q.Category, q.Tags, q.AnyTag))
	}
	find.Walk = func(p store.Page) ([]grams.Seen, error) {
		w := &clause.Where{}
		for _, c := range q.Dates.Conditions() {
			if columns, _ := p.Order(); c.Column == columns[0] {
				w.All(bounded("e.", c, p), []store.Condition{c})
			}
		}
		tail := w.Page("e.", p)
		return t.looked(ctx, &find, w.String()+tail, w.Args)
	}
	numbers, err := grams.Find(ctx, t.Link, find)
	if err != nil || len(numbers) == 0 {
		return nil, t.Fail(err)
	}
	w := &clause.Where{}
	w.Add("e.number IN (SELECT value FROM json_each(?))", txn.List(numbers))
	tail := w.Page("e.", store.Page{Sort: q.Sort, Ascending: q.Ascending})
	return t.events(ctx, w.String()+tail, w.Args)
}

// eventWhere returns the conditions of a query for events.
func eventWhere(q *store.GroupQuery) *clause.Where {
	w := groupWhere(q, "e.", store.EventClaim)
	equal(w, "e.series <> 0 AND e.series IN (SELECT id FROM series WHERE venue_id = ?)", q.SeriesID)
	equal(w, "e.series <> 0 AND e.series IN (SELECT id FROM series WHERE slug = ?)", q.SeriesSlug)
	w.All("e.", q.OpenConditions())
	for _, c := range q.Dates.Conditions() {
		w.All(bounded("e.", c, q.Page), []store.Condition{c})
	}
	return w
}
