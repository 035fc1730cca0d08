// Package clause builds the conditions of statements on the embedded store.
package clause

import (
	"fmt"
	"strings"

	"github.com/ladderback/ladderback/archive/sqlite/short"
	"github.com/ladderback/ladderback/archive/store"
)

// Where collects conditions and their arguments.
type Where struct {
	conds []string
	Args  []any
}

// Add adds a condition, which must hold with all others, and its arguments.
func (w *Where) Add(cond string, args ...any) {
	w.conds = append(w.conds, cond)
	w.Args = append(w.Args, args...)
}

// Cond returns the conditions as one, which is true without any.
func (w *Where) Cond() string {
	return strings.Join(append([]string{"1"}, w.conds...), " AND ")
}

// String returns the WHERE clause; empty without conditions.
func (w *Where) String() string {
	if len(w.conds) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(w.conds, " AND ")
}

// All adds conditions on columns of the table or alias named.
func (w *Where) All(alias string, conds []store.Condition) {
	for _, c := range conds {
		if c.Rule {
			w.Add(alias + c.Column + " " + string(c.Op) + " " + literal(c.Value))
			continue
		}
		w.Add(alias+c.Column+" "+string(c.Op)+" ?", c.Value)
	}
}

// literal spells the value of a rule.
func literal(v any) string {
	switch v := v.(type) {
	case string:
		return "'" + strings.ReplaceAll(v, "'", "''") + "'"
	case bool:
		if !v {
			return "0"
		}
		return "1"
	}
	return fmt.Sprint(v)
}

// Tags adds a filter on tags. kind is that of table tags. However many tags there
// are, the statement stays the same.
func (w *Where) Tags(alias string, kind int, tags []string, anyOf bool) {
	if len(tags) == 0 {
		return
	}
	has := func(tag string) string {
		return fmt.Sprintf(`EXISTS (SELECT 1 FROM tags u WHERE u.tag = %[1]s AND u.category = %[2]scategory AND u.kind = %[3]d
			AND u.sheet = %[2]snumber / %[4]d AND in_rows(u.rows, %[2]snumber))`, tag, alias, kind, short.SheetRows)
	}
	switch {
	case len(tags) == 1:
		w.Add(has("?"), tags[0])
	case anyOf:
		w.Add(`EXISTS (SELECT 1 FROM json_each(?) j WHERE `+has("j.value")+`)`, short.Text(tags))
	default:
		w.Add(`NOT EXISTS (SELECT 1 FROM json_each(?) j WHERE NOT `+has("j.value")+`)`, short.Text(tags))
	}
}

// Search adds a filter on a text.
func (w *Where) Search(in, words string) {
	switch text, none := store.SearchFor(words); {
	case none:
		w.Add("0")
	case text != "":
		w.Add("instr("+in+", ?) > 0", text)
	}
}

// Page adds the place to go on from, and returns ORDER BY and LIMIT.
func (w *Where) Page(alias string, p store.Page) string { return w.PageOf(alias, p, 0) }

// PageOf is page of rows that are equal in so many of the first columns.
func (w *Where) PageOf(alias string, p store.Page, equal int) string {
	columns, behind := p.Order()
	dir := " DESC"
	if p.Ascending {
		dir = " ASC"
	}
	var names, order []string
	for _, c := range columns[equal:] {
		names, order = append(names, alias+c), append(order, alias+c+dir)
	}
	if p.After != nil {
		at := []any{int64(p.After.Value), p.After.VenueID, string(p.After.Venue)}
		w.Add("("+strings.Join(names, ", ")+") "+string(behind)+" (?"+strings.Repeat(", ?", len(names)-1)+")", at[equal:]...)
	}
	out := " ORDER BY " + strings.Join(order, ", ")
	if p.Limit > 0 {
		out += fmt.Sprintf(" LIMIT %d", p.Limit)
	}
	return out
}
