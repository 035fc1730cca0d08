package postgres

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// where collects conditions and their arguments.
type where struct {
	conds []string
	args  []any
}

// add adds a condition, in which each ? stands for the next argument.
func (w *where) add(cond string, args ...any) {
	var b strings.Builder
	n := len(w.args)
	for _, r := range cond {
		if r == '?' {
			n++
			b.WriteString("$" + strconv.Itoa(n))
			continue
		}
		b.WriteRune(r)
	}
	w.conds = append(w.conds, b.String())
	w.args = append(w.args, args...)
}

// String returns the WHERE clause; empty without conditions.
func (w *where) String() string {
	if len(w.conds) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(w.conds, " AND ")
}

// among adds that a column is one of the ids. One id alone is compared, so that
// an index which goes on with the order of the list serves both.
func (w *where) among(column string, ids []int64) {
	if len(ids) == 1 {
		w.add(column+" = ?", ids[0])
		return
	}
	w.add(column+" = ANY (?::bigint[])", ids)
}

// all adds conditions on columns of the table or alias named.
func (w *where) all(alias string, conds []store.Condition) {
	for _, c := range conds {
		v := c.Value
		text, ok := v.(string)
		switch {
		case c.Rule && ok:
			w.add(alias + c.Column + " " + string(c.Op) + " '" + strings.ReplaceAll(text, "'", "''") + "'")
			continue
		case c.Rule:
			w.add(fmt.Sprint(alias, c.Column, " ", c.Op, " ", v))
			continue
		case ok:
			v = keep(text)
		}
		w.add(alias+c.Column+" "+string(c.Op)+" ?", v)
	}
}

// tags adds a filter on tags as columns hold them, which only what has a category
// is found by.
func (w *where) tags(alias string, tags []string, anyOf bool) {
	if len(tags) == 0 {
		return
	}
	op := "@>"
	if anyOf {
		op = "&&"
	}
	w.add(alias+"tags "+op+" ?::text[] AND "+alias+"category <> ''", tags)
}

// text returns the filter on a text; empty: none.
func (w *where) text(words string) string {
	text, none := store.SearchFor(words)
	if none {
		w.add("false")
		return ""
	}
	return keep(text)
}

// called returns the ids of the rows of a table of which the column is one of
// the texts.
func (t *tx) called(ctx context.Context, table, column string, texts ...string) ([]int64, error) {
	ids := []int64{}
	err := t.each(ctx, `SELECT id FROM `+table+` WHERE `+column+` = ANY ($1::text[])`, []any{keepAll(texts)}, func(r pgx.Rows) error {
		var id int64
		err := r.Scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids, err
}

// marketList returns the list that a query asks for.
func (t *tx) marketList(ctx context.Context, q *store.MarketQuery) (*list, error) {
	w := &where{}
	l := &list{table: "markets", alias: "m", w: w, page: q.Page, f: filter{
		tags: keepAll(q.Tags), anyTag: q.AnyTag, category: keep(string(q.Category)), open: q.OpenOnly, dates: q.Dates,
	}}
	l.f.search = w.text(q.Search)
	l.named = q.IDs != nil || q.Name != "" || q.Names != nil || q.Events != nil || q.EventID != "" || q.EventSlugs != nil || q.Unlisted
	if q.IDs != nil {
		w.add("m.id = ANY (?::bigint[])", numbers(q.IDs))
	}
	if q.Name != "" {
		ids, err := t.ofVenues(ctx, q.Name, store.MarketID)
		if err != nil {
			return nil, err
		}
		n := keep(q.Name)
		w.add("(m.id = ANY (?::bigint[]) OR m.slug = ? OR m.alt_id <> '' AND m.alt_id = ?)", ids, n, n)
	}
	if q.Names != nil {
		w.names(q.Names)
	}
	if err := t.groupIDs(ctx, l, q); err != nil {
		return nil, err
	}
	w.all("m.", q.Conditions())
	return l, nil
}

// groupIDs adds the conditions on event and series. What is named by text is
// looked up first: the ids let the server read the list in its order.
func (t *tx) groupIDs(ctx context.Context, l *list, q *store.MarketQuery) error {
	w := l.w
	if q.Events != nil {
		w.add("m.event <> 0")
		w.among("m.event", numbers(q.Events))
	}
	if q.EventID != "" {
		ids, err := t.ofVenues(ctx, q.EventID, store.EventID)
		if err != nil {
			return err
		}
		w.add("m.event <> 0")
		w.among("m.event", ids)
	}
	if q.Series != nil {
		w.add("m.series <> 0")
		l.f.series = numbers(q.Series)
		w.among("m.series", l.f.series)
	}
	for _, g := range []struct {
		table, column, of string
		texts             []string
		given             bool
	}{
		{"events", "slug", "m.event", q.EventSlugs, q.EventSlugs != nil},
		{"series", "slug", "m.series", q.SeriesSlugs, q.SeriesSlugs != nil},
	} {
		if !g.given {
			continue
		}
		ids, err := t.called(ctx, g.table, g.column, g.texts...)
		if err != nil {
			return err
		}
		if g.of == "m.series" {
			l.f.series = ids
		}
		w.add(g.of + " <> 0")
		w.among(g.of, ids)
	}
	return nil
}

// names adds that a market goes by one of the names. One look-up per index
// rather than a disjunction over three.
func (w *where) names(names []store.Name) {
	venues, texts := namePairs(names)
	ids := store.Column(names, func(n *store.Name) int64 { return int64(store.MarketID(n.Venue, n.Text)) })
	const one = `SELECT n.id FROM unnest(?::text[], ?::text[]) j(venue, name) JOIN markets n ON n.%s = j.name AND n.venue = j.venue`
	w.add("m.id IN (SELECT unnest(?::bigint[]) UNION "+fmt.Sprintf(one, "slug")+
		" UNION "+fmt.Sprintf(one, "alt_id")+" AND n.alt_id <> '')", ids, venues, texts, venues, texts)
}

// ofVenues returns the ids of what any venue may call by a public id.
func (t *tx) ofVenues(ctx context.Context, venueID string, id func(market.Venue, string) store.ID) ([]int64, error) {
	ids := []int64{}
	err := t.each(ctx, `SELECT name FROM venues`, nil, func(r pgx.Rows) error {
		var venue string
		err := r.Scan(&venue)
		restore(&venue)
		ids = append(ids, int64(id(market.Venue(venue), venueID)))
		return err
	})
	return ids, err
}

func namePairs(names []store.Name) (venues, texts []string) {
	venues, texts = make([]string, len(names)), make([]string, len(names))
	for i, n := range names {
		venues[i], texts[i] = keep(string(n.Venue)), keep(n.Text)
	}
	return venues, texts
}

func groupWhere(q *store.GroupQuery, alias string) *where {
	w := &where{}
	if q.IDs != nil {
		w.add(alias+"id = ANY (?::bigint[])", numbers(q.IDs))
	}
	if q.Slugs != nil {
		venues, texts := namePairs(q.Slugs)
		w.add("("+alias+"slug, "+alias+"venue) IN (SELECT j.name, j.venue FROM unnest(?::text[], ?::text[]) j(venue, name))", venues, texts)
	}
	w.all(alias, q.Conditions())
	return w
}
