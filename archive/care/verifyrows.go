package care

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/ladderback/ladderback/archive/derive"
	"github.com/ladderback/ladderback/archive/scan"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// rows derives markets anew and compares them with their rows. What is read of captures
// already is taken from there. An error is something that could not be read.
func (v *step) rows(ctx context.Context, r store.Reader, rows []*store.MarketRow, read map[store.ID]*scan.Derived) error {
	basis := make(map[store.ID][32]byte, len(rows))
	for _, row := range rows {
		basis[row.ID] = row.Basis
	}
	sums := func(ctx context.Context, r store.Reader, row *store.MarketRow, own []derive.Placed) (store.Stats, error) {
		if was := read[row.ID]; was != nil && row.Basis == basis[row.ID] {
			return was.Stats, nil
		}
		return resum(ctx, r, row, own)
	}
	derived, err := derive.Markets(ctx, r, rows, sums)
	if err != nil {
		return err
	}
	for _, row := range rows {
		want := derived[row.ID]
		if want == nil {
			v.noteMarket(row, errors.New("no source names it"))
			continue
		}
		derive.Settle(want, v.marks[want.Market.Category])
		if want.Stats.Content != row.Stats.Content {
			v.noteMarket(row, fmt.Errorf("content hash is %x: the captures give %x", row.Stats.Content, want.Stats.Content))
		} else if name := firstDifference(want, row); name != "" {
			v.noteMarket(row, fmt.Errorf("%s differs from what its sources give", name))
		}
	}
	return nil
}

// firstDifference names the first field in which two rows differ; empty: none.
func firstDifference(a, b *store.MarketRow) string {
	if a.Sum() == b.SumAsRead() {
		return ""
	}
	x, y := reflect.ValueOf(*a), reflect.ValueOf(*b)
	for i := range x.NumField() {
		name := x.Type().Field(i).Name
		if name == "Checksum" { // of what was read alone
			continue
		}
		if name != "Market" {
			if !equalValues(x.Field(i), y.Field(i)) {
				return name
			}
			continue
		}
		for k := range x.Field(i).NumField() {
			if !equalValues(x.Field(i).Field(k), y.Field(i).Field(k)) {
				return x.Field(i).Type().Field(k).Name
			}
		}
	}
	return ""
}

// equalValues is DeepEqual with an empty list equal to none.
func equalValues(a, b reflect.Value) bool {
	if a.Kind() == reflect.Slice {
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !equalValues(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

// watermarks checks that each category's is its newest capture.
func (v *step) watermarks(ctx context.Context, r store.Reader) error {
	for _, c := range []market.Category{market.Crypto, market.Sports} {
		at, err := r.NewestCapture(ctx, c)
		if err != nil {
			return err
		}
		if at != v.marks[c] {
			v.note(Damage{Problem: fmt.Sprintf("watermark of %s is %v, but its newest capture is from %v", c, v.marks[c], at)})
		}
	}
	return nil
}

// totals compares the tallies of all days with their seal.
func (v *step) totals(ctx context.Context, r store.Reader) error {
	_, err := store.TotalsOf(ctx, r)
	if errors.Is(err, store.ErrDamaged) {
		v.note(Damage{Problem: err.Error()})
		return nil
	}
	return err
}

// tallies counts all markets anew and compares them with what is kept. each is passed all
// of them, a page at a time, and an error of it, or in reading them, ends the whole.
func (v *step) tallies(ctx context.Context, r store.Reader, each func([]store.MarketRow) error) error {
	_, err := store.TotalsOf(ctx, r)
	all := store.NewTallies(nil, nil)
	listed := store.EachMarket(ctx, r, store.MarketQuery{Unlisted: true, Damaged: true, Page: store.Page{Limit: pageRows}}, func(rows []store.MarketRow) error {
		for i := range rows {
			all.Count(&rows[i])
		}
		return each(rows)
	})
	if err == nil {
		err = listed
	}
	if err == nil {
		err = v.tally(ctx, r, all)
	}
	if errors.Is(err, store.ErrDamaged) {
		v.note(Damage{Problem: err.Error()})
		err = nil
	}
	return cmp.Or(listed, err)
}

// tally compares counts of all markets with what is kept.
func (v *step) tally(ctx context.Context, r store.Reader, all *store.Tallies) error {
	if err := derive.Hold(ctx, r, all); err != nil {
		return err
	}
	for _, total := range []bool{false, true} {
		differ, err := all.Changed(total, nil) // all were added: none has become less
		if err != nil {
			return err
		}
		for _, t := range differ {
			when := ""
			if !total {
				when = ", of those that end on " + day(t.Day) + ","
			}
			v.note(Damage{Problem: fmt.Sprintf("tally of %s %s %s %s%s does not match its markets", t.Category, t.Coin, t.Type, t.Status, when)})
		}
	}
	for _, d := range all.ChangedDays() {
		v.note(Damage{Problem: fmt.Sprintf("tally of %s, of those that start on %s, does not match its markets", d.Category, day(d.Day))})
	}
	return nil
}

// day writes a day since 1970.
func day(d int64) string {
	if d <= store.FirstDay || d >= store.LastDay {
		return fmt.Sprintf("day %d", d)
	}
	return (market.Instant(d) * market.Day).Time().Format("2006-01-02")
}

// events derives events anew and compares them with their rows: those that have one market,
// as far as their rows say, or all others. The others' turn counts the first.
func (v *step) events(ctx context.Context, r store.Reader, own bool) error {
	q := store.GroupQuery{Several: !own, Page: store.Page{Limit: store.PageRows}}
	if !own {
		var err error
		if v.own, err = r.Alone(ctx); err != nil {
			return err
		}
	}
	for {
		rows, err := r.Events(ctx, q)
		if err != nil || len(rows) == 0 {
			return err
		}
		key := rows[len(rows)-1].Key(store.ByUpdatedAt)
		q.After = &key
		rows = slices.DeleteFunc(rows, func(row store.EventRow) bool { return (row.Markets == 1) != own })
		ids := store.Column(rows, func(row *store.EventRow) store.ID { return row.ID })
		want, err := derive.Events(ctx, r, ids, nil)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if !sameEvents(want[row.ID], row) {
				v.note(Damage{Problem: fmt.Sprintf("event %s (%s) differs from what its sources give", row.Event.Slug, row.Event.VenueID)})
			}
		}
	}
}

// ownEvents derives the events anew that one of these markets has for itself, as far as their
// rows say, and counts those that are as they are kept. Where these are not all of them, events
// says what is wrong.
func (v *step) ownEvents(ctx context.Context, known *paged, rows []store.MarketRow) {
	var markets derive.Listed
	for i := range rows {
		if !rows[i].Damaged {
			markets.Add(rows[i].Event, &rows[i])
		}
	}
	own := slices.DeleteFunc(slices.Collect(maps.Keys(markets.Totals)), func(id store.ID) bool { return markets.Totals[id].Markets != 1 })
	ask := slices.DeleteFunc(slices.Clone(own), func(id store.ID) bool { return known.events[id].ID != 0 })
	if _, err := known.Events(ctx, store.GroupQuery{IDs: ask}); err != nil {
		return
	}
	own = slices.DeleteFunc(own, func(id store.ID) bool { return known.events[id].Markets != 1 })
	want, err := derive.Events(ctx, known, own, &markets)
	for _, id := range own {
		if err == nil && sameEvents(want[id], known.events[id]) {
			v.own.Add(id)
		}
	}
}

// series derives every series anew and compares it with its row. markets are all that are
// listed; nil: they are read.
func (v *step) series(ctx context.Context, r store.Reader, markets *derive.Listed) error {
	q := store.GroupQuery{Page: store.Page{Limit: store.PageRows}}
	for {
		rows, err := r.Series(ctx, q)
		if err != nil || len(rows) == 0 {
			return err
		}
		ids := store.Column(rows, func(row *store.SeriesRow) store.ID { return row.ID })
		want, err := derive.Series(ctx, r, ids, markets)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if !sameSeries(want[row.ID], row) {
				v.note(Damage{Problem: fmt.Sprintf("series %s (%s) differs from what its sources give", row.Series.Slug, row.Series.VenueID)})
			}
		}
		key := rows[len(rows)-1].Key()
		q.After = &key
	}
}

// sameEvents reports whether two rows are equal, no tags to none.
func sameEvents(a, b store.EventRow) bool {
	same := slices.Equal(a.Event.Tags, b.Event.Tags)
	a.Event.Tags, b.Event.Tags = nil, nil
	return same && reflect.DeepEqual(a, b)
}

// sameSeries is sameEvents for series.
func sameSeries(a, b store.SeriesRow) bool {
	same := slices.Equal(a.Series.Tags, b.Series.Tags)
	a.Series.Tags, b.Series.Tags = nil, nil
	return same && reflect.DeepEqual(a, b)
}
