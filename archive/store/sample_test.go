package store_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// counted is an archive in memory that keeps tallies as stores do: changed in each
// transaction, from what is stored of those that it touches.
type counted struct {
	store.Reader
	rows    map[store.ID]store.MarketRow
	tallies map[store.TallyKey]store.Tally
	days    map[string]store.Day
	seal    int64
}

func newCounted() *counted {
	return &counted{rows: map[store.ID]store.MarketRow{}, tallies: map[store.TallyKey]store.Tally{}, days: map[string]store.Day{}}
}

// write puts rows in the place of those of the same id; nil: the row goes.
func (a *counted) write(t *testing.T, changed map[store.ID]*store.MarketRow) {
	t.Helper()
	var seen []store.Seen
	for _, id := range slices.Sorted(maps.Keys(changed)) {
		s := store.Seen{Is: changed[id]}
		if was, ok := a.rows[id]; ok {
			s.Was = &was
		}
		seen = append(seen, s)
	}
	keys, from, to := store.Touched(seen)
	require.True(t, slices.IsSortedFunc(keys, func(a, b store.TallyKey) int {
		return cmp.Or(cmp.Compare(a.Coin, b.Coin), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Day, b.Day))
	}))
	var kept []store.Tally
	for _, k := range keys {
		if one, ok := a.tallies[k]; ok {
			kept = append(kept, one)
		}
	}
	var days []store.Day
	for _, d := range a.days {
		if from <= d.Day && d.Day <= to {
			days = append(days, d)
		}
	}
	tallies := store.NewTallies(kept, days)
	for _, s := range seen {
		tallies.Change(s.Was, s.Is)
	}
	for id, row := range changed {
		if delete(a.rows, id); row != nil {
			a.rows[id] = *row
		}
	}
	a.keep(t, tallies)
}

// keep stores what has changed.
func (a *counted) keep(t *testing.T, tallies *store.Tallies) {
	t.Helper()
	bounds := func(k store.TallyKey) (store.Bounds, error) { return a.bounds(k), nil }
	for _, total := range []bool{true, false} {
		changed, err := tallies.Changed(total, bounds)
		require.NoError(t, err)
		if total {
			a.seal = tallies.Seal(a.seal, changed)
		}
		for _, one := range changed {
			if a.tallies[one.TallyKey] = one; one.Markets == 0 {
				delete(a.tallies, one.TallyKey)
			}
		}
	}
	for _, d := range tallies.ChangedDays() {
		k := fmt.Sprint(d.Category, d.Day)
		if a.days[k] = d; d.Markets == 0 {
			delete(a.days, k)
		}
	}
}

// bounds looks at each row for what a tally bounds.
func (a *counted) bounds(k store.TallyKey) (b store.Bounds) {
	early := func(at *market.Instant, v market.Instant) {
		if v != 0 && (*at == 0 || v < *at) {
			*at = v
		}
	}
	for _, row := range a.rows {
		if store.KindOf(&row) != k.Kind || k.Day != store.AllDays && store.DayOf(row.Market.End) != k.Day {
			continue
		}
		one := store.BoundsOf(&row)
		early(&b.Start, one.Start)
		early(&b.Ended, one.Ended)
		early(&b.First, one.First)
		b.End, b.Last = max(b.End, one.End), max(b.Last, one.Last)
	}
	return b
}

func (a *counted) Tallies(_ context.Context, q store.TallyQuery) (out []store.Tally, _ error) {
	for k, one := range a.tallies {
		if k.Day < q.From || k.Day > q.To || q.Rounds && (k.Coin == "" || k.Type == "") || q.Coin != "" && q.Coin != k.Coin || q.Type != "" && q.Type != k.Type {
			continue
		}
		out = append(out, one)
	}
	return out, nil
}

func (a *counted) Seal(context.Context) (int64, error) { return a.seal, nil }

func (a *counted) RoundKeys(_ context.Context, coin, length string, from, to market.Instant, f func(*store.RoundKey)) error {
	for id, row := range a.rows {
		if m := &row.Market; m.Coin == coin && m.Type == length && from <= m.End && m.End <= to {
			f(&store.RoundKey{ID: id, VenueID: m.VenueID, End: m.End, Standing: store.StandingOf(&row), Sum: row.Sum()})
		}
	}
	return nil
}

func (a *counted) Markets(_ context.Context, q store.MarketQuery) (out []store.MarketRow, _ error) {
	for _, id := range q.IDs {
		if row, ok := a.rows[id]; ok {
			row.Checksum = row.Sum()
			out = append(out, row)
		}
	}
	return out, nil
}

// drawnRow is a random market: most are rounds, some end on the same day, some never.
func drawnRow(r *rand.Rand, n int) *store.MarketRow {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	m := market.Market{
		Venue: market.Polymarket, VenueID: fmt.Sprint("m", n), Category: market.Category(pick("", "crypto", "crypto", "crypto", "sports")),
		Coin: pick("", "BTC", "BTC", "ETH"), Tokens: []market.Token{{VenueID: "u", Outcome: market.Up}, {VenueID: "d", Outcome: market.Down}},
	}
	if m.Coin != "" {
		m.Type = pick("5m", "15m")
	}
	if r.IntN(8) == 0 {
		m.Venue = market.Simulated
	}
	if r.IntN(12) > 0 {
		m.End = market.Instant(r.IntN(9)-2)*market.Day + market.Instant(r.IntN(3))*7*market.Hour
		m.Start = m.End - market.Instant(r.IntN(3))*market.Hour
	}
	row := &store.MarketRow{ID: store.ID(n), UpdatedAt: market.Instant(r.IntN(100)), Disputed: r.IntN(9) == 0}
	if r.IntN(4) > 0 {
		row.Stats = store.Stats{
			Captures: int64(1 + r.IntN(50)), First: market.Instant(1 + r.IntN(50)), Last: market.Instant(50 + r.IntN(50)), Captured: r.IntN(4) > 0,
			Coverage: []int64{0, 9_999, 10_000, 500_000, 900_000, 905_000, 909_999, 999_999, 1_000_000}[r.IntN(9)],
		}
	}
	switch r.IntN(5) {
	case 0:
	case 1:
		m.Payout = &market.Payout{Basis: market.Inferred, Fractions: []market.Cash{0, market.CashOne}}
	case 2:
		m.Payout = &market.Payout{Basis: market.Official, Fractions: []market.Cash{0}} // of a token it says nothing
	default:
		m.Payout = &market.Payout{Basis: market.Official, Fractions: []market.Cash{market.CashOne, 0}}
		row.Status = store.Resolved
	}
	row.Market = m
	return row
}

// drawnArchive is what several transactions leave that put, change and remove rows.
func drawnArchive(t *testing.T, seed uint64) *counted {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	a := newCounted()
	for range 4 {
		changed := map[store.ID]*store.MarketRow{}
		for range 30 {
			n := 1 + r.IntN(50)
			changed[store.ID(n)] = drawnRow(r, n)
			if r.IntN(5) == 0 {
				changed[store.ID(n)] = nil
			}
		}
		a.write(t, changed)
	}
	return a
}

// TestTalliesAreWhatCountingAllGives, whichever way the rows came to be as they are; and
// what was counted anew takes the place of anything that is stored.
func TestTalliesAreWhatCountingAllGives(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		a, once := drawnArchive(t, seed), newCounted()
		all := map[store.ID]*store.MarketRow{}
		for id, row := range a.rows {
			all[id] = &row
		}
		once.write(t, all)
		require.Equal(t, once.tallies, a.tallies, "seed %d", seed)
		require.Equal(t, once.days, a.days, "seed %d", seed)
		require.Equal(t, once.seal, a.seal, "seed %d", seed)
		for k, one := range a.tallies {
			require.Equal(t, a.bounds(k), one.Bounds, "seed %d: %+v", seed, k)
		}
		_, err := store.TotalsOf(t.Context(), a)
		require.NoError(t, err)

		spoilt := drawnArchive(t, seed+1000)
		spoilt.rows = a.rows
		anew := store.NewTallies(nil, nil)
		for _, row := range all {
			anew.Change(nil, row)
		}
		anew.Replace(slices.Collect(maps.Values(spoilt.tallies)), slices.Collect(maps.Values(spoilt.days)))
		spoilt.keep(t, anew)
		require.Equal(t, once.tallies, spoilt.tallies, "seed %d", seed)
		require.Equal(t, once.days, spoilt.days, "seed %d", seed)
		require.Equal(t, once.seal, spoilt.seal, "seed %d", seed)
	}
}

// rounds are the listed rounds as a source gives them that knows nothing of tallies.
func (a *counted) rounds(c market.Category) (out []market.Round) {
	for _, row := range a.rows {
		m := row.Market
		if m.IsUpDown() && m.Category != "" && (c == "" || m.Category == c) {
			out = append(out, market.Round{Market: &m, Captured: row.Stats.Captured, Coverage: row.Stats.Coverage})
		}
	}
	return out
}

func ids(rounds []market.Round) (out []string) {
	for _, r := range rounds {
		out = append(out, r.Market.VenueID)
	}
	return out
}

func rowIDs(rows []store.MarketRow) (out []string) {
	for i := range rows {
		out = append(out, rows[i].Market.VenueID)
	}
	return out
}

// TestSampleIsThatOfAllRounds: what is drawn by tallies and the index is what
// market.RoundDraw.Of draws from every round.
func TestSampleIsThatOfAllRounds(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		a := drawnArchive(t, seed)
		r := rand.New(rand.NewPCG(seed, 5))
		for range 25 {
			d := market.RoundDraw{Inferred: r.IntN(2) == 0, Limit: r.IntN(12), Random: r.IntN(2) == 0, Seed: int64(r.IntN(3))}
			d.Covered = []int64{0, 1, 9_999, 10_000, 10_001, 905_000, 909_999, 910_000, 999_999, 1_000_000}[r.IntN(10)]
			d.Coin, d.Type = []string{"", "BTC", "ETH", "SOL"}[r.IntN(4)], []string{"", "5m", "15m"}[r.IntN(3)]
			at := func() market.Instant {
				return market.Instant(r.IntN(9)-2)*market.Day + market.Instant(r.IntN(4))*7*market.Hour + market.Instant(r.IntN(2))
			}
			if r.IntN(2) == 0 {
				d.From = at()
			}
			if r.IntN(2) == 0 {
				d.To = at()
			}
			c := []market.Category{"", market.Crypto, market.Sports}[r.IntN(3)]
			want, wantN := d.Of(a.rounds(c))
			got, n, err := store.Sample(t.Context(), a, d, c)
			require.NoError(t, err)
			require.Equal(t, wantN, n, "seed %d: %+v %q", seed, d, c)
			require.Equal(t, ids(want), rowIDs(got), "seed %d: %+v %q", seed, d, c)

			rows, err := store.Rounds(t.Context(), a, d.RoundFilter)
			require.NoError(t, err)
			all := a.rounds("")
			all = slices.DeleteFunc(all, func(r market.Round) bool { return !d.Passes(r.Market) })
			require.ElementsMatch(t, ids(all), rowIDs(rows), "seed %d: %+v", seed, d.RoundFilter)
		}
	}
}

// TestHoldings counts what can be replayed of each coin and length.
func TestHoldings(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		a := drawnArchive(t, seed)
		for _, c := range []market.Category{"", market.Crypto, market.Sports} {
			want := map[[2]string]market.Holding{}
			for _, r := range a.rounds(c) {
				m := r.Market
				k := [2]string{m.Coin, m.Type}
				h := want[k]
				h.Coin, h.Type = m.Coin, m.Type
				if m.End != 0 && (h.First == 0 || m.End < h.First) {
					h.First = m.End
				}
				h.Last = max(h.Last, m.End)
				if r.Captured && m.Start < m.End {
					switch m.Decided() {
					case market.Official:
						h.Rounds++
					case market.Inferred:
						h.Inferred++
					}
				}
				want[k] = h
			}
			got, err := store.Holdings(t.Context(), a, c)
			require.NoError(t, err)
			require.ElementsMatch(t, slices.Collect(maps.Values(want)), got, "seed %d %q", seed, c)
		}
	}
}

// TestWhatIsNotFoundIsTold: a round that the index has lost, or has as another, a row that
// is gone, or older, and tallies that are as they were before.
func TestWhatIsNotFoundIsTold(t *testing.T) {
	t.Parallel()
	a := newCounted()
	all := map[store.ID]*store.MarketRow{}
	for n := range 9 {
		row := drawnRow(rand.New(rand.NewPCG(1, 1)), n+1)
		row.Market.Category, row.Market.Coin, row.Market.Type = market.Crypto, "BTC", "5m"
		row.Market.Start, row.Market.End = market.Instant(n)*market.Day+1, market.Instant(n)*market.Day+2
		row.Market.Payout = &market.Payout{Basis: market.Official, Fractions: []market.Cash{market.CashOne, 0}}
		row.Stats = store.Stats{Captures: 1, First: 1, Last: 1, Captured: true, Coverage: 1_000_000}
		all[row.ID] = row
	}
	a.write(t, all)
	newest := market.RoundDraw{Limit: 3}
	random := market.RoundDraw{Limit: 3, Random: true}
	sample := func(a *counted, d market.RoundDraw) error {
		_, _, err := store.Sample(t.Context(), a, d, "")
		return err
	}
	copied := func() *counted {
		return &counted{rows: maps.Clone(a.rows), tallies: maps.Clone(a.tallies), days: maps.Clone(a.days), seal: a.seal}
	}
	require.NoError(t, sample(a, newest))
	require.NoError(t, sample(a, random))

	lost := copied()
	delete(lost.rows, 9)
	require.ErrorIs(t, sample(lost, newest), store.ErrDamaged)
	require.ErrorContains(t, sample(lost, random), "8 rounds found, 9 counted")
	_, err := store.Rounds(t.Context(), lost, market.RoundFilter{})
	require.ErrorContains(t, err, "8 rounds found, 9 counted, or not the same rounds")

	older := copied()
	was := older.rows[9]
	was.UpdatedAt++
	older.rows[9] = was
	require.ErrorIs(t, sample(older, newest), store.ErrDamaged, "as many, and not the same")

	elsewhere := copied() // a row that the index has right, and that is another
	require.ErrorContains(t, sample(&counted{rows: elsewhere.rows, tallies: elsewhere.tallies, seal: elsewhere.seal + 1}, newest), "tallies are not those last stored")
	for k, one := range elsewhere.tallies {
		if k.Day == 8 {
			delete(elsewhere.tallies, k)
			require.ErrorIs(t, sample(elsewhere, random), store.ErrDamaged)
			elsewhere.tallies[k] = one
		}
	}
	require.NoError(t, sample(elsewhere, random))
}

// TestDayOf: days begin at midnight, before 1970 too, and the bounds are those of instants.
func TestDayOf(t *testing.T) {
	t.Parallel()
	for at, want := range map[market.Instant]int64{
		0: 0, 1: 0, market.Day - 1: 0, market.Day: 1, -1: -1, -market.Day: -1, -market.Day - 1: -2,
		math.MaxInt64: store.LastDay, math.MinInt64: store.FirstDay,
	} {
		require.Equal(t, want, store.DayOf(at), "%d", int64(at))
	}
}
