package store

import (
	"cmp"
	"strings"

	"github.com/ladderback/ladderback/market"
)

// Which rows a query selects, and in which order, is decided here. A store only
// translates it into its own query language.

// Op is how a column is compared with a value.
type Op string

// Ops.
const (
	Equal   Op = "="
	Differs Op = "<>"
	AtLeast Op = ">="
	AtMost  Op = "<="
	Below   Op = "<"
	Above   Op = ">"
)

// Condition is a comparison that every selected row satisfies.
type Condition struct {
	Column string
	Op     Op
	Value  any // int64, string or bool
	// Rule: the value is fixed by a rule rather than given by the query, so an
	// index can be made for it.
	Rule bool
}

// conditions collects them.
type conditions []Condition

func (c *conditions) rule(column string, op Op, v any) {
	*c = append(*c, Condition{column, op, v, true})
}

// text requires a column to equal v, unless v is empty.
func (c *conditions) text(column, v string) {
	if v != "" {
		*c = append(*c, Condition{Column: column, Op: Equal, Value: v})
	}
}

// time adds a bound, unless it is zero.
func (c *conditions) time(column string, op Op, v market.Instant) {
	if v != 0 {
		*c = append(*c, Condition{Column: column, Op: op, Value: int64(v)})
	}
}

// Conditions returns the query's conditions on single columns of a market,
// except Dates.
func (q *MarketQuery) Conditions() []Condition {
	var c conditions
	c.text("venue", string(q.Venue))
	c.text("category", string(q.Category))
	if q.Coin != "" || q.UpDown {
		c.rule("coin", Differs, "")
	}
	c.text("coin", q.Coin)
	if q.UpDown {
		c.rule("type", Differs, "")
	}
	c.text("type", q.Type)
	if q.OpenOnly || q.Closing != 0 {
		c.rule("status", Equal, int64(Open))
	}
	if !q.Unlisted {
		c.rule("category", Differs, "")
	}
	if q.Disputed {
		c.rule("disputed", Equal, true)
	}
	c.time("end_at", AtLeast, q.EndFrom)
	c.time("end_at", Below, q.EndTo)
	if q.Closing != 0 {
		c.rule("undated", Equal, false)
		c.rule("end_at", Differs, int64(0))
		c.time("end_at", AtMost, q.Closing)
	}
	if q.Reopening != 0 {
		c.rule("status", Equal, int64(Closed))
		c.rule("source_closed", Equal, false)
		c.time("end_at", Above, q.Reopening)
	}
	return c
}

// Conditions returns the query's conditions on single columns of a series or an
// event, except Dates and OpenOnly.
func (q *GroupQuery) Conditions() []Condition {
	var c conditions
	c.text("category", string(q.Category))
	return c
}

// OpenConditions returns the conditions that OpenOnly and Several impose on an event.
func (q *GroupQuery) OpenConditions() []Condition {
	var c conditions
	if q.OpenOnly {
		c.rule("status", Equal, int64(Open))
	}
	if q.Several {
		c.rule("markets", Differs, int64(1))
	}
	return c
}

// Conditions returns the conditions that the bounds impose on start and end.
func (d Dates) Conditions() []Condition {
	var c conditions
	for _, b := range []struct {
		column string
		op     Op
		at     market.Instant
	}{
		{"start_at", AtLeast, d.StartMin}, {"start_at", AtMost, d.StartMax}, {"end_at", AtLeast, d.EndMin}, {"end_at", AtMost, d.EndMax},
	} {
		if b.at != 0 {
			c.rule(b.column, Differs, int64(0))
			c.time(b.column, b.op, b.at)
		}
	}
	return c
}

// Order returns the columns that a list is sorted by; each breaks the ties of
// those before it. behind is the operator by which the columns of a later row
// compare with those of an earlier one.
func (p Page) Order() (columns [3]string, behind Op) {
	columns = [3]string{"updated_at", "venue_id", "venue"}
	switch p.Sort {
	case ByStart:
		columns[0] = "start_at"
	case ByEnd:
		columns[0] = "end_at"
	}
	if p.Ascending {
		return columns, Above
	}
	return columns, Below
}

// Compare orders keys as Page.Order orders rows.
func (p Page) Compare(a, b Key) int {
	if !p.Ascending {
		a, b = b, a
	}
	return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.VenueID, b.VenueID), cmp.Compare(a.Venue, b.Venue))
}

// separator separates the two texts of SearchText; neither contains it.
const separator = "\x1f"

// SearchText returns the searchable text of a row, made of the two texts it can
// be found by.
func SearchText(a, b string) string {
	clean := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, separator, " ")) }
	return clean(a) + separator + clean(b)
}

// SearchFor returns what the SearchText of a row must contain to match the
// words of a query; empty: anything. none: no row can match.
func SearchFor(search string) (text string, none bool) {
	return strings.ToLower(search), strings.Contains(search, separator)
}
