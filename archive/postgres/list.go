package postgres

import (
	"context"
	"crypto/md5"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// A page of a list is read in one of three ways:
//
//   - in order, along an index that is in the order of the list and holds no
//     row, or few, that the filter does not select;
//   - gathered, where few rows are selected, and no more looked at: all of them, by
//     whatever index the server takes, then sorted;
//   - by distance, where many are: the index <table>_list is read from the end of
//     the list on, leaving out each part of it in which nothing can be selected.
//
// All give the same page.

// orderBy returns ORDER BY of the list of a table or alias.
func orderBy(alias string, p store.Page) string {
	columns, _ := p.Order()
	dir := " DESC"
	if p.Ascending {
		dir = " ASC"
	}
	return fmt.Sprintf(" ORDER BY %[1]s.%[2]s%[5]s, %[1]s.%[3]s%[5]s, %[1]s.%[4]s%[5]s", alias, columns[0], columns[1], columns[2], dir)
}

// column returns the column that a list is sorted by.
func column(p store.Page) string {
	columns, _ := p.Order()
	return columns[0]
}

// limit returns LIMIT; empty for all.
func limit(p store.Page) string {
	if p.Limit <= 0 {
		return ""
	}
	return " LIMIT " + strconv.Itoa(p.Limit)
}

// from adds that rows are behind the page's place.
func (w *where) from(alias string, p store.Page) {
	if p.After == nil {
		return
	}
	c, behind := p.Order()
	w.add(fmt.Sprintf("(%[1]s.%[2]s, %[1]s.%[3]s, %[1]s.%[4]s) %[5]s (?, ?, ?)", alias, c[0], c[1], c[2], behind),
		int64(p.After.Value), keep(p.After.VenueID), keep(string(p.After.Venue)))
}

// list is a list of rows of a table, which has the alias in w. w holds every
// condition but those of the filter's text, tags and dates.
type list struct {
	table, alias string
	w            *where
	f            filter
	page         store.Page
	named        bool // w names rows, or what few rows belong to
	distant      bool // read by distance: set by source
}

// source returns what stands for the table in FROM, and conditions that remain,
// so that the rows in the page's order, cut to its limit, are the page.
func (t *tx) source(ctx context.Context, l *list) (from, conds string, err error) {
	plain := l.table + " " + l.alias
	if !l.named && l.page.Limit > 0 && l.mixed() {
		s, err := t.sampleOf(ctx, l.table)
		if err != nil {
			return "", "", err
		}
		if !t.s.distant && s.few(&l.f, l.page.Limit) {
			text, err := t.text(ctx, l, s)
			if err != nil {
				return "", "", err
			}
			return l.gathered(text) + " JOIN " + plain + " ON " + l.alias + ".id = l.id", "", nil
		}
		if from := l.nearest(); from != "" {
			l.distant = true
			return from + " JOIN " + plain + " ON " + l.alias + ".id = l.id", "", nil
		}
	}
	l.filter()
	return plain, l.w.String(), nil
}

// list runs the query for a page of a list.
func (t *tx) list(ctx context.Context, l *list, query string, scan func(pgx.Rows) error) error {
	if !l.distant {
		return t.each(ctx, query, l.w.args, scan)
	}
	// The server takes what several filters select together for too little, and
	// would rather read all of it and sort.
	b := &reads{}
	b.add(`SET LOCAL enable_bitmapscan = off`, nil, nil)
	b.add(query, l.w.args, scan)
	b.add(`SET LOCAL enable_bitmapscan TO DEFAULT`, nil, nil)
	return t.read(ctx, b)
}

// mixed reports whether no index holds just the rows selected in the order of
// the list.
func (l *list) mixed() bool {
	equal := 0
	for _, given := range []bool{l.f.category != "", l.f.series != nil, l.f.open} {
		if given {
			equal++
		}
	}
	return l.f.search != "" || len(l.f.tags) > 0 || l.f.dates.Any() ||
		equal > 1 || equal > 0 && l.page.Sort != store.ByUpdatedAt
}

// filter adds the conditions of text, tags and dates, and the page's place.
func (l *list) filter() {
	if l.f.search != "" {
		l.w.add(l.alias+".search LIKE ?", pattern(l.f.search))
	}
	l.rest()
}

func (l *list) rest() {
	l.w.all(l.alias+".", l.f.dates.Conditions())
	l.w.tags(l.alias+".", l.f.tags, l.f.anyTag)
	l.w.from(l.alias, l.page)
}

// text returns lists of patterns of LIKE, one of each of which rows with the text of the
// filter match, that the index of texts is asked for; none: it knows nothing of the text.
func (t *tx) text(ctx context.Context, l *list, s *sample) (lists [][]string, err error) {
	if n := utf8.RuneCountInString(l.f.search); n == 1 || n == 2 {
		patterns, known, err := t.around(ctx, l.table, l.f.search)
		if known {
			lists = [][]string{patterns}
		}
		return lists, err
	}
	for _, text := range s.windows(l.f.search) {
		lists = append(lists, []string{pattern(text)})
	}
	return lists, nil
}

// gathered returns the ids of the page, as l, from all rows selected.
func (l *list) gathered(text [][]string) string {
	for _, patterns := range text {
		cond, args := "false", []any{}
		for _, p := range patterns {
			cond += " OR " + l.alias + ".search LIKE ?"
			args = append(args, p)
		}
		l.w.add("("+strings.TrimPrefix(cond, "false OR ")+")", args...)
	}
	if len(text) == 0 {
		l.filter()
	} else {
		l.w.add("strpos("+l.alias+".search, ?) > 0", l.f.search)
		l.rest()
	}
	a := l.alias
	return fmt.Sprintf("(WITH found AS MATERIALIZED (SELECT %[1]s.id, %[1]s.%[2]s, %[1]s.venue_id, %[1]s.venue FROM %[3]s %[1]s%[4]s) SELECT f.id FROM found f%[5]s%[6]s) l",
		a, column(l.page), l.table, l.w.String(), orderBy("f", l.page), limit(l.page))
}

const (
	// endOfLists is the last instant of which list_before_end tells how far it is from the end.
	endOfLists = 1<<53 - 1
	// maxText is the longest text, in bytes, that list_text returns.
	maxText = 1500
)

// beforeEnd does what list_before_end does.
func beforeEnd(i market.Instant) int64 { return endOfLists - min(max(int64(i), 0), endOfLists) }

// listKeys returns what a row is filtered by for equality, as numbers. Two may be the
// same.
func listKeys(tags []string, c market.Category, series store.ID, s store.Status) []int32 {
	out := make([]int32, 0, len(tags)+3)
	for _, tag := range tags {
		out = append(out, key(keep(tag)))
	}
	return append(out, key("category", keep(string(c))), key("series", strconv.FormatInt(int64(series), 10)), key("status", strconv.Itoa(int(s))))
}

// key is one of what listKeys returns.
func key(words ...string) int32 {
	sum := md5.Sum([]byte(strings.Join(words, " ")))
	return int32(binary.BigEndian.Uint32(sum[:]))
}

// nearest returns the ids of the page and of a few rows more, as l, by distance;
// empty when the index knows nothing of what is selected.
func (l *list) nearest() string {
	near := l.near()
	if len(near.conds) == 0 {
		return ""
	}
	l.filter()
	near.args = l.w.args
	exact := strings.Join(l.w.conds, " AND ")
	near = l.near(l.w.args...)
	from := "-1" // behind the end
	if l.page.Ascending {
		from = "9007199254740992"
	}
	a := l.alias
	// In a CASE, what is exact takes part in no choice of an index. Rows of long
	// texts are few and found by their length.
	out := fmt.Sprintf("SELECT n.id FROM (SELECT %[1]s.id FROM %[2]s %[1]s%[3]s AND CASE WHEN %[4]s THEN true ELSE false END ORDER BY list_before_end(%[1]s.%[5]s) <-> %[6]s FETCH FIRST %[7]d ROWS WITH TIES) n",
		a, l.table, near.String(), exact, column(l.page), from, l.page.Limit)
	if l.f.search != "" {
		out += fmt.Sprintf(" UNION (SELECT %[1]s.id FROM %[2]s %[1]s WHERE octet_length(%[1]s.search) > %[3]d AND CASE WHEN %[4]s THEN true ELSE false END)",
			a, l.table, maxText, exact)
	}
	l.w.args = near.args
	return "(" + out + ") l"
}

// near returns the conditions that <table>_list knows of, each of which what is
// selected meets, behind the arguments given. Of a text too long for the index
// they may not hold.
func (l *list) near(args ...any) *where {
	w := &where{args: args}
	all, anyOf := l.f.keys()
	for _, keys := range anyOf {
		if len(keys) == 1 {
			all = append(all, keys[0])
		} else if len(keys) > 1 {
			w.add(l.alias+".keys && ?::integer[]", keys)
		}
	}
	if len(all) > 0 {
		w.add(l.alias+".keys @> ?::integer[]", all)
	}
	d := l.f.dates
	l.bound(w, "start_at", d.StartMin, d.StartMax)
	l.bound(w, "end_at", d.EndMin, d.EndMax)
	if l.f.search != "" && trigrams(l.f.search) != nil {
		w.add("list_text("+l.alias+".search) LIKE ?", pattern(l.f.search))
	}
	if after := l.page.After; after != nil && len(w.conds) > 0 {
		if l.page.Ascending {
			l.bound(w, column(l.page), after.Value, 0)
		} else {
			l.bound(w, column(l.page), 0, after.Value)
		}
	}
	return w
}

// bound adds inclusive bounds on the instant of a column; zero: none.
func (l *list) bound(w *where, column string, from, to market.Instant) {
	if from != 0 {
		w.add("list_before_end("+l.alias+"."+column+") <= ?", beforeEnd(from))
	}
	if to != 0 {
		w.add("list_before_end("+l.alias+"."+column+") >= ?", beforeEnd(to))
	}
}
