package store

import (
	"cmp"
	"strings"

	"github.com/ladderback/ladderback/market"
)

// What rows a query selects, and in which order, is decided here. A store spells
// it in its own words, and decides nothing.

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

// Condition is a comparison that every row selected passes.
type Condition struct {
	Column string
	Op     Op
	Value  any // int64, string or bool
	// Rule: the value is part of the rule and not of the query, which an index may
	// be made for.
	Rule bool
}

// conditions collects them.
type conditions []Condition

func (c *conditions) rule(column string, op Op, v any) {
	*c = append(*c, Condition{column, op, v, true})
}

// text adds that a column is the text, unless that is empty.
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

// Conditions returns what the query asks of single columns of a market, but for
// Dates.
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

// Conditions returns what the query asks of single columns of a series, or an
// event, but for Dates and OpenOnly.
func (q *GroupQuery) Conditions() []Condition {
	var c conditions
	c.text("category", string(q.Category))
	return c
}

// OpenConditions returns what OpenOnly asks of an event.
func (q *GroupQuery) OpenConditions() []Condition {
	var c conditions
	if q.OpenOnly {
		c.rule("status", Equal, int64(Open))
	}
	return c
}

// Conditions returns what the bounds ask of start and end.
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

// Order returns the columns that a list is in the order of; those behind the
// first decide between rows that are equal before. Behind is how a row that comes
// after another one compares with it, column by column.
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

// Compare orders places as Page.Order orders rows.
func (p Page) Compare(a, b Key) int {
	if !p.Ascending {
		a, b = b, a
	}
	return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.VenueID, b.VenueID), cmp.Compare(a.Venue, b.Venue))
}

// separator stands between the two texts of SearchText; neither has it.
const separator = "\x1f"

// SearchText returns the text of a row that is searched, made of the two that it
// may be found by.
func SearchText(a, b string) string {
	clean := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, separator, " ")) }
	return clean(a) + separator + clean(b)
}

// SearchFor returns what SearchText of a row must contain for the row to be found
// by the words of a query; empty: anything. none: no row is found by them.
func SearchFor(search string) (text string, none bool) {
	return strings.ToLower(search), strings.Contains(search, separator)
}
