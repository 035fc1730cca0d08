package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"

	"github.com/ladderback/ladderback/archive/sqlite/pool"
	"github.com/ladderback/ladderback/archive/sqlite/short"
	"github.com/ladderback/ladderback/archive/store"
)

// Most markets that are known by their metadata alone have no times to be listed
// by: they are listed by their public id. An index of those would repeat it; here
// they are kept in spans of ids, which are put in order when they are read.

// spanIDs bounds the markets of a span. Those of one public id stay together.
const spanIDs = 256

// span is a row of the table of markets without times.
type span struct {
	first string
	ids   []store.ID
}

// timelessMarket reports whether a time of the market that lists are sorted by is
// not known.
func timelessMarket(row *store.MarketRow) bool {
	return row.Market.Start == 0 || row.Market.End == 0 || row.UpdatedAt == 0
}

// member is a market that enters the spans or leaves them.
type member struct {
	id      store.ID
	venueID string
	leaves  bool
}

// moveTimeless brings the spans up to date with markets that are in the table, or
// no longer.
func (t *tx) moveTimeless(ctx context.Context, members []member) error {
	slices.SortStableFunc(members, func(a, b member) int { return cmp.Compare(a.venueID, b.venueID) })
	for len(members) > 0 {
		s, next, err := t.spanOf(ctx, members[0].venueID)
		if err != nil {
			return err
		}
		ids := make(map[store.ID]bool, len(s.ids))
		for _, id := range s.ids {
			ids[id] = true
		}
		n := 0
		for ; n < len(members) && (next == nil || members[n].venueID < *next); n++ {
			if m := &members[n]; m.leaves {
				delete(ids, m.id)
			} else {
				ids[m.id] = true
			}
		}
		s.ids = slices.Sorted(maps.Keys(ids))
		if err := t.putSpan(ctx, s); err != nil {
			return err
		}
		members = members[n:]
	}
	return nil
}

// spanOf returns the span that a public id belongs to, and where the next begins;
// nil: there is none.
func (t *tx) spanOf(ctx context.Context, venueID string) (s span, next *string, err error) {
	err = t.each(ctx, `SELECT first, ids FROM timeless WHERE first <= ? ORDER BY first DESC LIMIT 1`, []any{venueID}, s.scan)
	if err == nil {
		err = t.each(ctx, `SELECT first FROM timeless WHERE first > ? ORDER BY first LIMIT 1`, []any{venueID}, func(r *sql.Rows) error {
			next = new(string)
			return r.Scan(next)
		})
	}
	return s, next, err
}

func (s *span) scan(r *sql.Rows) error {
	var ids sql.RawBytes
	err := r.Scan(&s.first, &ids)
	s.ids = short.ReadIDs(ids)
	return err
}

const putSpan = `INSERT OR REPLACE INTO timeless (first, ids) VALUES (?, ?)`

// putSpan writes a span, or several in place of one that has become too long.
func (t *tx) putSpan(ctx context.Context, s span) error {
	switch {
	case len(s.ids) == 0:
		return t.exec(ctx, `DELETE FROM timeless WHERE first = ?`, s.first)
	case len(s.ids) <= spanIDs:
		return t.exec(ctx, putSpan, s.first, short.IDs(s.ids))
	}
	members := make([]member, 0, len(s.ids))
	err := t.each(ctx, `SELECT id, venue_id FROM markets WHERE id IN (SELECT value FROM json_each(?))`, []any{list(s.ids)}, func(r *sql.Rows) error {
		var m member
		err := r.Scan(&m.id, &m.venueID)
		members = append(members, m)
		return err
	})
	if err != nil {
		return err
	}
	slices.SortFunc(members, func(a, b member) int { return cmp.Or(cmp.Compare(a.venueID, b.venueID), cmp.Compare(a.id, b.id)) })
	now := span{first: s.first}
	for i, m := range members {
		// Three quarters full: more will come.
		if len(now.ids) >= spanIDs*3/4 && m.venueID != members[i-1].venueID {
			if err := t.exec(ctx, putSpan, now.first, short.IDs(now.ids)); err != nil {
				return err
			}
			now = span{first: m.venueID}
		}
		now.ids = append(now.ids, m.id)
	}
	return t.exec(ctx, putSpan, now.first, short.IDs(now.ids))
}

// timelessMarkets returns the markets of a part of a list whose time is not known.
func (t *tx) timelessMarkets(ctx context.Context, q *store.MarketQuery, s stretch) ([]store.MarketRow, error) {
	var out []store.MarketRow
	at := "" // a public id of the span to read
	back := !s.Ascending
	if s.After != nil {
		at = s.After.VenueID
	} else if back {
		at = lastID
	}
	for first := true; ; first = false {
		sp, ok, err := t.nextSpan(ctx, at, back, first)
		if err != nil || !ok {
			return out, err
		}
		part := s
		part.among = sp.ids
		part.Limit = s.Limit - len(out)
		rows, err := t.stretch(ctx, q, part)
		if out = append(out, rows...); err != nil || len(out) >= s.Limit {
			return out, err
		}
		at = sp.first
	}
}

// lastID is behind every public id: no text begins with a byte like this.
const lastID = "\xff"

// nextSpan returns the span that a public id belongs to, or else the one that
// comes behind the one that begins with it; false: there is none.
func (t *tx) nextSpan(ctx context.Context, at string, back, own bool) (s span, ok bool, err error) {
	query := `SELECT first, ids FROM timeless WHERE first > ? ORDER BY first LIMIT 1`
	switch {
	case own:
		query = `SELECT first, ids FROM timeless WHERE first <= ? ORDER BY first DESC LIMIT 1`
	case back:
		query = `SELECT first, ids FROM timeless WHERE first < ? ORDER BY first DESC LIMIT 1`
	}
	err = t.each(ctx, query, []any{at}, func(r *sql.Rows) error {
		ok = true
		return s.scan(r)
	})
	if err == nil && !ok && own && !back {
		return t.nextSpan(ctx, at, back, false)
	}
	return s, ok, err
}

// strayTimeless counts the markets without times that the spans lack, and what
// stands in them that does not belong there.
func (s *Store) strayTimeless(ctx context.Context, l *pool.Link) (n int64, err error) {
	want := map[store.ID]string{}
	err = l.Each(ctx, `SELECT id, venue_id FROM markets WHERE start_at = 0 OR end_at = 0 OR updated_at = 0`, nil, func(r *sql.Rows) error {
		var id store.ID
		var venueID string
		err := r.Scan(&id, &venueID)
		want[id] = venueID
		return err
	})
	if err != nil {
		return 0, err
	}
	before, first := []store.ID(nil), "" // the span before, and where it begins
	look := func(ids []store.ID, from string, to *string) {
		for _, id := range ids {
			if at, ok := want[id]; !ok || at < from || to != nil && at >= *to {
				n++
			}
			delete(want, id)
		}
	}
	err = l.Each(ctx, `SELECT first, ids FROM timeless ORDER BY first`, nil, func(r *sql.Rows) error {
		var sp span
		err := sp.scan(r)
		look(before, first, &sp.first)
		before, first = sp.ids, sp.first
		return err
	})
	look(before, first, nil)
	return n + int64(len(want)), err
}
