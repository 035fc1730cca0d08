package care_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/market"
)

// other makes a value another one of its kind.
func other(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(v.Uint() + 1)
	case reflect.Pointer:
		was := v.Elem()
		v.Set(reflect.New(v.Type().Elem()))
		if was.IsValid() {
			v.Elem().Set(was)
		}
		other(v.Elem())
	case reflect.Slice:
		was := v.Len()
		grown := reflect.MakeSlice(v.Type(), max(1, was), max(1, was))
		reflect.Copy(grown, v)
		v.Set(grown)
		if was > 0 || v.Type().Elem().Kind() == reflect.String {
			other(v.Index(v.Len() - 1))
		}
	case reflect.Array:
		other(v.Index(0))
	case reflect.Struct:
		other(v.Field(0))
	}
}

// listed is an archive of captures and metadata.
func listed(t *testing.T) *archivetest.Archive {
	t.Helper()
	a := archivetest.NewFile(t)
	s := archivetest.NewScenario(5, 60)
	for _, f := range append(s.Split(5, 2), archivetest.Metadata(s, 5, 1)...) {
		require.NoError(t, archivetest.Put(t.Context(), a, s, &f))
	}
	return a
}

// problems are those of a market; of the empty id, those of none.
func problems(v *care.Verification, id string) (out []string) {
	for _, d := range v.Damage {
		if d.Market == id {
			out = append(out, d.Problem)
		}
	}
	return out
}

// TestVerifyNamesFields: whatever field of a market's row is not what its sources give, the
// market is told of, and the field.
func TestVerifyNamesFields(t *testing.T) {
	t.Parallel()
	a := listed(t)
	list, err := a.Markets(t.Context(), store.MarketQuery{})
	require.NoError(t, err)
	at := slices.IndexFunc(list, func(l store.Listing) bool { return l.Stats.Captures > 0 && len(l.Market.Tokens) == 2 })
	require.GreaterOrEqual(t, at, 0)
	row := list[at].MarketRow
	put := func(row store.MarketRow) {
		t.Helper()
		require.NoError(t, a.Store().Update(t.Context(), func(w store.Writer) error {
			return w.Apply(t.Context(), &store.Changes{Markets: []store.MarketRow{row}})
		}))
	}
	for _, within := range []string{"", "Market", "Stats"} {
		names := reflect.ValueOf(&row).Elem()
		if within != "" {
			names = names.FieldByName(within)
		}
		for i := range names.NumField() {
			name := names.Type().Field(i).Name
			switch name {
			case "ID", "Venue", "VenueID": // whose row it is
				continue
			case "Market", "Stats", "Damaged", "Checksum", "Keeps":
				if within == "" { // fields of their own, or of no store
					continue
				}
			}
			changed := row
			into := reflect.ValueOf(&changed).Elem()
			if within != "" {
				into = into.FieldByName(within)
			}
			other(into.Field(i))
			put(changed)
			v, err := care.Verify(t.Context(), a.Store(), care.Check{})
			require.NoError(t, err, name)
			say := name + " differs from what its sources give"
			if within == "Stats" {
				say = "Stats differs from what its sources give"
			}
			if name == "Content" {
				say = fmt.Sprintf("content hash is %x: the captures give %x", changed.Stats.Content, row.Stats.Content)
			}
			require.Contains(t, problems(v, row.Market.VenueID), say, "%s %s", within, name)
			put(row)
		}
	}
	v, err := care.Verify(t.Context(), a.Store(), care.Check{})
	require.NoError(t, err)
	require.Empty(t, v.Damage)
}

// TestVerifyNamesRows: rows beside those of markets that are not what their sources give, and
// blocks of nobody, are told of by name, each alone.
func TestVerifyNamesRows(t *testing.T) {
	t.Parallel()
	a := listed(t)
	ctx := t.Context()
	apply := func(c store.Changes) {
		t.Helper()
		require.NoError(t, a.Store().Update(ctx, func(w store.Writer) error { return w.Apply(ctx, &c) }))
	}
	var events []store.EventRow
	var series []store.SeriesRow
	var days []store.Day
	var tallies, totals []store.Tally
	var marks map[market.Category]market.Instant
	require.NoError(t, a.Store().View(ctx, func(r store.Reader) (err error) {
		one := store.Page{Limit: 1}
		if events, err = r.Events(ctx, store.GroupQuery{Page: one}); err != nil {
			return err
		}
		if series, err = r.Series(ctx, store.GroupQuery{Page: one}); err != nil {
			return err
		}
		if days, err = r.Days(ctx, store.FirstDay, store.LastDay); err != nil {
			return err
		}
		if tallies, err = r.Tallies(ctx, store.TallyQuery{From: store.FirstDay, To: store.LastDay}); err != nil {
			return err
		}
		if totals, err = store.TotalsOf(ctx, r); err != nil {
			return err
		}
		marks, err = r.Watermarks(ctx)
		return err
	}))
	require.NotEmpty(t, events)
	require.NotEmpty(t, series)
	require.NotEmpty(t, days)
	require.NotEmpty(t, tallies)
	require.NotEmpty(t, totals)
	event, family, day, tally, sum := events[0], series[0], days[0], tallies[0], totals[0]
	event.Event.Title += "x"
	family.Series.Tags = append([]string{"x"}, family.Series.Tags...)
	day.Captures++
	tally.Markets++
	sum.Captures++
	date := func(day int64) string { return (market.Instant(day) * market.Day).Time().Format("2006-01-02") }
	for say, c := range map[string][2]store.Changes{
		fmt.Sprintf("event %s (%s) differs from what its sources give", event.Event.Slug, event.Event.VenueID):          {{Events: []store.EventRow{event}}, {Events: events}},
		fmt.Sprintf("series %s (%s) differs from what its sources give", family.Series.Slug, family.Series.VenueID):     {{Series: []store.SeriesRow{family}}, {Series: series}},
		fmt.Sprintf("watermark of crypto is %v, but its newest capture is from %v", marks["crypto"]+1, marks["crypto"]): {{Watermarks: map[market.Category]market.Instant{market.Crypto: marks["crypto"] + 1}}, {Watermarks: marks}},
		fmt.Sprintf("tally of %s, of those that start on %s, does not match its markets", day.Category, date(day.Day)):  {{Days: []store.Day{day}}, {Days: days[:1]}},
		fmt.Sprintf("tally of %s %s %s %s, of those that end on %s, does not match its markets", tally.Category, tally.Coin, tally.Type, tally.Status, date(tally.Day)): {
			{Tallies: []store.Tally{tally}}, {Tallies: tallies[:1]}},
		"tallies are not those last stored: archive damaged": {{Tallies: []store.Tally{sum}}, {Tallies: totals[:1]}},
	} {
		apply(c[0])
		v, err := care.Verify(ctx, a.Store(), care.Check{})
		require.NoError(t, err)
		require.Equal(t, []string{say}, problems(v, ""))
		apply(c[1])
		v, err = care.Verify(ctx, a.Store(), care.Check{})
		require.NoError(t, err)
		require.Empty(t, v.Damage, say)
	}

	stray := store.Block{BlockRef: store.BlockRef{Token: 77, Stream: block.Books, First: 1, Last: 2, Captures: 1}, Data: []byte("x")}
	apply(store.Changes{Blocks: []store.Block{stray}})
	v, err := care.Verify(ctx, a.Store(), care.Check{})
	require.NoError(t, err)
	require.Equal(t, []string{"blocks of 1 tokens belong to no market"}, problems(v, ""))
}

// TestVerifyFindsEvents: whichever event's row is not what its markets give, whatever number of
// them it says it has, it is told of, and no other.
func TestVerifyFindsEvents(t *testing.T) {
	t.Parallel()
	a := archivetest.NewFile(t)
	ctx := t.Context()
	f := archivetest.File{Name: "events.json", Authority: store.FromExchange}
	for i, event := range []string{"alone", "two", "two", "mixed", "mixed", "hidden"} {
		m := market.Market{Venue: market.Polymarket, VenueID: fmt.Sprint("0x", i), EventID: event, Category: market.Sports, UpdatedAt: market.Instant(i + 1)}
		if event == "hidden" || event == "mixed" && i == 4 {
			m.Category = "" // in no list
		}
		f.Claims = append(f.Claims, m)
	}
	require.NoError(t, archivetest.Put(ctx, a, archivetest.NewScenario(1, 1), &f))
	var events []store.EventRow
	require.NoError(t, a.Store().View(ctx, func(r store.Reader) (err error) {
		events, err = r.Events(ctx, store.GroupQuery{})
		return err
	}))
	require.Len(t, events, 3)
	nobody := events[0]
	nobody.ID, nobody.Event.VenueID, nobody.Markets = 77, "nobody", 0
	for _, event := range append(events, nobody) {
		for _, markets := range []int64{0, 1, 2, 3} {
			changed := event
			changed.Markets = markets
			changed.Event.Title = fmt.Sprint("of ", markets)
			for _, c := range []*store.EventRow{&changed, &event} {
				require.NoError(t, a.Store().Update(ctx, func(w store.Writer) error { return w.Apply(ctx, &store.Changes{Events: []store.EventRow{*c}}) }))
				v, err := care.Verify(ctx, a.Store(), care.Check{})
				require.NoError(t, err)
				if c == &event && event.ID != nobody.ID {
					require.Empty(t, v.Damage)
				} else {
					require.Equal(t, []string{fmt.Sprintf("event %s (%s) differs from what its sources give", event.Event.Slug, event.Event.VenueID)}, problems(v, ""))
				}
			}
		}
	}
}

// meanwhile is a store that is written to after it was looked into once, and before it is
// looked into again.
type meanwhile struct {
	store.Store
	once  sync.Once
	write func() error
}

func (m *meanwhile) View(ctx context.Context, read func(store.Reader) error) (err error) {
	first := false
	m.once.Do(func() {
		first = true
		err = errors.Join(m.Store.View(ctx, read), m.write())
	})
	if first {
		return err
	}
	return m.Store.View(ctx, read)
}

// TestVerifyBesideAnImport: what is written while an archive is looked at is no damage, and
// neither are blocks of markets that came meanwhile.
func TestVerifyBesideAnImport(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2} { // without captures, and with some
		a := archivetest.NewFile(t)
		s := archivetest.NewScenario(5, 120)
		files := append(archivetest.Metadata(s, 5, 1), s.Split(5, 3)...)
		there, later := files[:n], files[n:]
		for i := range there {
			require.NoError(t, archivetest.Put(t.Context(), a, s, &there[i]))
		}
		beside := &meanwhile{Store: a.Store(), write: func() (err error) {
			for i := range later {
				err = errors.Join(err, archivetest.Put(t.Context(), a, s, &later[i]))
			}
			return err
		}}
		v, err := care.Verify(t.Context(), beside, care.Check{})
		require.NoError(t, err)
		require.Empty(t, v.Damage, "%d files were there", n)
	}
}

// TestDamageInWords: one line says where the damage is, as far as that is known, and what
// mends it.
func TestDamageInWords(t *testing.T) {
	t.Parallel()
	source := store.Source{Name: "day.jsonl"}
	source.SHA256[0], source.ID = 0xab, 1
	at := market.Instant(1767225600) * market.Second
	for want, d := range map[string]care.Damage{
		"it is":                      {Problem: "it is"},
		"market m-slug (0x1): it is": {Market: "0x1", Slug: "m-slug", Problem: "it is"},
		"books: it is":               {Stream: block.Books, Problem: "it is"},
		"market m-slug (0x1): books of token 12, " + fmt.Sprintf("%v to %v", at, at+market.Second) +
			": it is; importing day.jsonl again (its SHA-256 begins with ab0000000000) repairs it": {
			Market: "0x1", Slug: "m-slug", Token: "12", Stream: block.Books, First: at, Last: at + market.Second, Problem: "it is", Source: source},
	} {
		require.Equal(t, want, d.String())
	}
}
