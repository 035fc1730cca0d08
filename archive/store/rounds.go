package store

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"

	"github.com/ladderback/ladderback/market"
)

// Rounds returns the rows of every listed up/down round that passes the filter, in any
// order.
//
// It compares three things that an archive knows of them: the tallies, kept while rows
// were written, with the index that rounds are found by, and that with the rows. A round
// that can no longer be found, or another in its place, is ErrDamaged: pages of a file
// that were exchanged, repeated or never written have checksums that hold.
func Rounds(ctx context.Context, r Reader, f market.RoundFilter) ([]MarketRow, error) {
	s, err := newSampler(ctx, r, market.RoundDraw{RoundFilter: f}, "")
	if err != nil {
		return nil, err
	}
	var keys []RoundKey
	if err := s.keys(ctx, s.from, s.to, func(k *RoundKey) { keys = append(keys, *k) }); err != nil {
		return nil, err
	}
	return s.rows(ctx, keys)
}

// Sample returns the rows of the listed rounds of a category (empty: of any) that d draws,
// newest end first, ties by market id, as market.RoundDraw.Of does of all rounds.
//
// It reads what it takes: the counts come from the tallies, and of the days that the
// sample lies in the index of rounds is compared with their tallies, and the rows with
// the index, as Rounds does with all. Only a day that a bound of d cuts, or of which the
// tallies leave open which rounds are covered enough, is counted round by round; and a
// random sample looks at the id of every round of the days that have one to draw.
func Sample(ctx context.Context, r Reader, d market.RoundDraw, c market.Category) ([]MarketRow, market.RoundCount, error) {
	s, err := newSampler(ctx, r, d, c)
	if err != nil {
		return nil, market.RoundCount{}, err
	}
	n, err := s.count(ctx)
	if err != nil {
		return nil, n, err
	}
	take := s.newest
	if d.Random {
		take = s.random
	}
	keys, err := take(ctx, min(d.Limit, n.Covered))
	if err != nil {
		return nil, n, err
	}
	slices.SortFunc(keys, compareRounds)
	rows, err := s.rows(ctx, keys)
	slices.SortFunc(rows, func(a, b MarketRow) int {
		return compareRounds(RoundKey{a.ID, a.Market.VenueID, a.Market.End, 0, 0}, RoundKey{b.ID, b.Market.VenueID, b.Market.End, 0, 0})
	})
	return rows, n, err
}

func compareRounds(a, b RoundKey) int {
	return cmp.Or(market.NewestFirst(a.End, b.End, a.VenueID, b.VenueID), cmp.Compare(a.ID, b.ID))
}

// Holdings returns what there is of each coin and length among the listed rounds of a
// category; empty: of any.
func Holdings(ctx context.Context, r Reader, c market.Category) ([]market.Holding, error) {
	s, err := newSampler(ctx, r, market.RoundDraw{}, c)
	if err != nil {
		return nil, err
	}
	var out []market.Holding
	for _, one := range s.series {
		var n StandingCounts
		var b Bounds
		for i := range s.all {
			if t := &s.all[i]; s.counts(t) && t.Coin == one[0] && t.Type == one[1] {
				n.Add(t.Rounds, 1)
				b.add(t.Bounds)
			}
		}
		if b == (Bounds{}) {
			continue // none is listed
		}
		h := market.Holding{Coin: one[0], Type: one[1], First: b.Ended, Last: b.End}
		for i := range n.Steps[0] {
			h.Rounds += int(n.Steps[0][i])
			h.Inferred += int(n.Steps[1][i])
		}
		out = append(out, h)
	}
	return out, nil
}

// sampler reads rounds by their tallies and their index.
type sampler struct {
	r        Reader
	d        market.RoundDraw
	category market.Category // empty: any
	all      []Tally         // of all days, of the rounds of the filter's coin and length
	series   [][2]string     // coins and lengths of these
	from, to int64           // days that the filter selects, or cuts
}

func newSampler(ctx context.Context, r Reader, d market.RoundDraw, c market.Category) (*sampler, error) {
	s := &sampler{r: r, d: d, category: c, from: FirstDay, to: LastDay}
	if d.From != 0 {
		s.from = DayOf(d.From)
	}
	if d.To != 0 {
		s.to = DayOf(max(d.To, math.MinInt64+1) - 1)
	}
	var err error
	if s.all, err = TotalsOf(ctx, r); err != nil {
		return nil, err
	}
	s.all = slices.DeleteFunc(s.all, func(t Tally) bool {
		return t.Coin == "" || t.Type == "" || d.Coin != "" && t.Coin != d.Coin || d.Type != "" && t.Type != d.Type
	})
	for i := range s.all {
		if one := [2]string{s.all[i].Coin, s.all[i].Type}; !slices.Contains(s.series, one) {
			s.series = append(s.series, one)
		}
	}
	return s, nil
}

// tallies returns the tallies of days, inclusive.
func (s *sampler) tallies(ctx context.Context, from, to int64) ([]Tally, error) {
	return s.r.Tallies(ctx, TallyQuery{From: from, To: to, Rounds: true, Coin: s.d.Coin, Type: s.d.Type})
}

// counts reports whether a tally is of what is asked for.
func (s *sampler) counts(t *Tally) bool {
	return t.Category != "" && (s.category == "" || t.Category == s.category)
}

// count counts the rounds that the draw selects.
func (s *sampler) count(ctx context.Context) (n market.RoundCount, err error) {
	if s.d.From == 0 && s.d.To == 0 && s.tallied(&n, s.all) {
		return n, nil
	}
	n = market.RoundCount{}
	err = s.keysOf(ctx, func(day int64, tallies []Tally) bool { return s.cuts(day) || !s.tallied(&n, tallies) },
		func(k *RoundKey) { s.may(&n, k) })
	return n, err
}

// keysOf passes the rounds of the days that are wanted by their tallies, and pass the
// filter, to each. Tallies of all days are compared with those of single ones.
func (s *sampler) keysOf(ctx context.Context, wanted func(day int64, tallies []Tally) bool, each func(*RoundKey)) error {
	days, err := s.tallies(ctx, FirstDay, LastDay)
	if err == nil {
		err = sameRounds("counted by day", universe(days), "in all", universe(s.all))
	}
	if err != nil {
		return err
	}
	days = slices.DeleteFunc(days, func(t Tally) bool { return t.Day < s.from || t.Day > s.to })
	return s.keysIn(ctx, days, wanted, each)
}

// keysIn passes the rounds of those days that are wanted by their tallies, all of which it
// is given, and pass the filter, to each.
func (s *sampler) keysIn(ctx context.Context, days []Tally, wanted func(day int64, tallies []Tally) bool, each func(*RoundKey)) error {
	slices.SortFunc(days, func(a, b Tally) int { return cmp.Compare(a.Day, b.Day) })
	var open []int64
	for i := 0; i < len(days); {
		day, first := days[i].Day, i
		for i < len(days) && days[i].Day == day {
			i++
		}
		if wanted(day, days[first:i]) {
			open = append(open, day)
		}
	}
	// Days beside each other are read together.
	for i := 0; i < len(open); {
		from, to := open[i], open[i]
		for i++; i < len(open) && open[i] == to+1; i++ {
			to = open[i]
		}
		if err := s.keys(ctx, from, to, each); err != nil {
			return err
		}
	}
	return nil
}

// draws reports whether a day has a round to draw, or may have.
func (s *sampler) draws(_ int64, tallies []Tally) bool {
	var day market.RoundCount
	return !s.tallied(&day, tallies) || day.Covered > 0
}

// tallied adds to n the rounds of tallies; false, and nothing is added: it takes a look
// at each of them.
func (s *sampler) tallied(n *market.RoundCount, tallies []Tally) bool {
	var c StandingCounts
	universe := 0
	for i := range tallies {
		if t := &tallies[i]; s.counts(t) {
			universe += int(t.Markets)
			c.Add(t.Rounds, 1)
		}
	}
	if !c.count(n, &s.d) {
		return false
	}
	n.Universe += universe
	return true
}

// cuts reports whether the filter selects a part of a day.
func (s *sampler) cuts(day int64) bool {
	return s.d.From != 0 && day == s.from && int64(s.d.From)%int64(market.Day) != 0 ||
		s.d.To != 0 && day == s.to && int64(s.d.To)%int64(market.Day) != 0
}

// may counts a round, and reports whether it may be sampled.
func (s *sampler) may(n *market.RoundCount, k *RoundKey) bool {
	return k.Standing.In(s.category) && n.Add(&s.d, k.Standing.Basis(), k.Standing.Captured(), k.Standing.Coverage())
}

// keys passes the rounds that end on some days, and pass the filter, to each, after
// comparing all of those days with their tallies.
func (s *sampler) keys(ctx context.Context, from, to int64, each func(*RoundKey)) error {
	tallies, err := s.tallies(ctx, from, to)
	if err != nil {
		return err
	}
	var found Universe
	first, last := market.Earliest, market.Latest
	if from > FirstDay {
		first = market.Instant(from) * market.Day
	}
	if to < LastDay {
		last = market.Instant(to+1)*market.Day - 1
	}
	for _, one := range s.series {
		err := s.r.RoundKeys(ctx, one[0], one[1], first, last, func(k *RoundKey) {
			found.Add(universeOf(k.Sum, k.End, k.Standing), 1)
			if (s.d.From == 0 || k.End >= s.d.From) && (s.d.To == 0 || k.End < s.d.To) {
				each(k)
			}
		})
		if err != nil {
			return err
		}
	}
	return sameRounds("found", found, "counted", universe(tallies))
}

// universe returns what tallies count.
func universe(tallies []Tally) (u Universe) {
	for i := range tallies {
		u.Add(tallies[i].Universe, 1)
	}
	return u
}

// newest returns the keys of the n rounds with the newest ends. It looks at every round of
// the days that have one to draw, over windows of days that double.
func (s *sampler) newest(ctx context.Context, n int) (out []RoundKey, err error) {
	newest := market.Earliest
	for i := range s.all {
		if s.counts(&s.all[i]) {
			newest = max(newest, s.all[i].End)
		}
	}
	to := min(s.to, DayOf(newest))
	var read market.RoundCount
	for days := int64(1); len(out) < n && to >= s.from; days = min(2*days, 1<<30) {
		from := max(s.from, to-days+1)
		tallies, err := s.tallies(ctx, from, to)
		if err == nil {
			err = s.keysIn(ctx, tallies, s.draws, func(k *RoundKey) {
				if s.may(&read, k) {
					out = append(out, *k)
				}
			})
		}
		if err != nil {
			return nil, err
		}
		to = from - 1
	}
	slices.SortFunc(out, compareRounds)
	if len(out) < n {
		return nil, fmt.Errorf("%d rounds found, %d counted: %w", len(out), n, ErrDamaged)
	}
	return out[:n], nil
}

// random returns the keys of the n rounds whose market.DrawKey sorts first, in memory
// for about as many. It looks at every round of each day that has one to draw.
func (s *sampler) random(ctx context.Context, n int) ([]RoundKey, error) {
	type drawn struct {
		key [sha256.Size]byte
		of  RoundKey
	}
	var held []drawn
	cut := func() {
		slices.SortFunc(held, func(a, b drawn) int { return cmp.Or(bytes.Compare(a.key[:], b.key[:]), compareRounds(a.of, b.of)) })
		held = held[:min(n, len(held))]
	}
	var read market.RoundCount
	some := func(day int64, tallies []Tally) bool { return n > 0 && s.draws(day, tallies) }
	err := s.keysOf(ctx, some, func(k *RoundKey) {
		if !s.may(&read, k) {
			return
		}
		if held = append(held, drawn{market.DrawKey(s.d.Seed, k.VenueID), *k}); len(held) >= 2*n+1000 {
			cut()
		}
	})
	if err != nil {
		return nil, err
	}
	cut()
	out := make([]RoundKey, len(held))
	for i := range held {
		out[i] = held[i].of
	}
	return out, nil
}

// roundPage is how many rows are asked for at a time.
const roundPage = 5000

// rows returns the rows of the keys, but for those that no list has.
func (s *sampler) rows(ctx context.Context, keys []RoundKey) ([]MarketRow, error) {
	var out []MarketRow
	for len(keys) > 0 {
		page := keys[:min(roundPage, len(keys))]
		keys = keys[len(page):]
		ids, at := make([]ID, len(page)), make(map[ID]*RoundKey, len(page))
		for i := range page {
			ids[i], at[page[i].ID] = page[i].ID, &page[i]
		}
		rows, err := s.r.Markets(ctx, MarketQuery{IDs: ids, Unlisted: true})
		if err != nil {
			return nil, err
		}
		if len(rows) != len(page) {
			return nil, fmt.Errorf("%d rounds read, %d found: %w", len(rows), len(page), ErrDamaged)
		}
		for i := range rows {
			if !s.d.Passes(&rows[i].Market) {
				return nil, fmt.Errorf("market %s was found as a round, but is another: %w", rows[i].Market.VenueID, ErrDamaged)
			}
			if err := at[rows[i].ID].is(&rows[i]); err != nil {
				return nil, err
			}
		}
		out = append(out, slices.DeleteFunc(rows, func(row MarketRow) bool { return row.Market.Category == "" })...)
	}
	return out, nil
}

func sameRounds(is string, a Universe, was string, b Universe) error {
	if a == b {
		return nil
	}
	return fmt.Errorf("%d rounds %s, %d %s, or not the same rounds: %w", a.Markets, is, b.Markets, was, ErrDamaged)
}
