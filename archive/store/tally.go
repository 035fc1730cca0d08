package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/ladderback/ladderback/market"
)

// Kind is what markets are counted by. Coin and length are empty for markets
// other than up/down rounds; the category is empty for markets without one.
type Kind struct {
	Category   market.Category
	Coin, Type string
	Status     Status
}

// KindOf returns the kind of a market.
func KindOf(row *MarketRow) Kind {
	m := &row.Market
	return Kind{m.Category, m.Coin, m.Type, row.Status}
}

// AllDays is the day of the tally of a kind's markets whenever they end.
const AllDays = math.MinInt64

// FirstDay and LastDay bound the days of instants.
const (
	FirstDay = math.MinInt64/int64(market.Day) - 1
	LastDay  = math.MaxInt64 / int64(market.Day)
)

// DayOf returns the UTC day of an instant, counted since 1970.
func DayOf(t market.Instant) int64 {
	d := int64(t) / int64(market.Day)
	if int64(t)%int64(market.Day) < 0 {
		d--
	}
	return d
}

// TallyKey is what a tally is kept by: the kind of markets, and the day of their end,
// which is that of the zero Instant for those that have none.
type TallyKey struct {
	Kind
	Day int64 // DayOf(End), or AllDays
}

// Tally summarises the markets of a kind that end on a day. It is updated in the
// transactions that change them, so that the contents of an archive are known without
// reading all of it, and so that a market that can no longer be found is noticed.
type Tally struct {
	TallyKey
	Universe
	Captured int64 // with a capture within the round
	Captures int64 // Stats.Captures of all
	Inferred int64 // with an inferred payout
	Disputed int64
	Rounds   Standings // of those that are rounds
	Bounds
}

// TallyQuery selects tallies.
type TallyQuery struct {
	Keys []TallyKey // these; nil: those that the rest selects
	// From and To bound the days, inclusive: AllDays for both selects the tallies of
	// all days, FirstDay and LastDay those of single ones.
	From, To int64
	// Rounds selects those of up/down rounds of Coin and Type, where these are given.
	Rounds     bool
	Coin, Type string
}

// Bounds are the earliest start, end and first capture, and the latest end and last
// capture, of some markets; zero: unknown.
type Bounds struct {
	Start, Ended, End, First, Last market.Instant
}

// BoundsOf returns the bounds of one market.
func BoundsOf(row *MarketRow) Bounds {
	b := Bounds{Start: row.Market.Start, Ended: row.Market.End, End: row.Market.End}
	if row.Stats.Captures > 0 {
		b.First, b.Last = row.Stats.First, row.Stats.Last
	}
	return b
}

// add widens the bounds to include o.
func (b *Bounds) add(o Bounds) {
	earlier := func(at *market.Instant, o market.Instant) {
		if o != 0 && (*at == 0 || o < *at) {
			*at = o
		}
	}
	earlier(&b.Start, o.Start)
	earlier(&b.Ended, o.Ended)
	earlier(&b.First, o.First)
	b.End, b.Last = max(b.End, o.End), max(b.Last, o.Last)
}

// narrows reports whether the bounds, which include was, may become narrower when now
// takes its place.
func (b *Bounds) narrows(was, now Bounds) bool {
	earliest := func(b, was, now market.Instant) bool { return was != 0 && was <= b && (now == 0 || now > was) }
	latest := func(b, was, now market.Instant) bool { return was != 0 && was >= b && now < was }
	return earliest(b.Start, was.Start, now.Start) || earliest(b.Ended, was.Ended, now.Ended) || earliest(b.First, was.First, now.First) ||
		latest(b.End, was.End, now.End) || latest(b.Last, was.Last, now.Last)
}

// Universe is a fingerprint of a set of markets: their number and
// order-independent sums over them. Sets with equal fingerprints are taken to
// be equal.
type Universe struct {
	Markets int64
	Sums    int64 // of MarketRow.Sum, the lower 32 bits of each
	Ends    int64 // of their ends, each modulo EndModulus, and their standings
}

// EndModulus is a prime below 2^32: flipping any bit of an end changes the
// remainder.
const EndModulus = 4294967291

// Add adds another set; sign −1 subtracts it.
func (u *Universe) Add(o Universe, sign int64) {
	u.Markets += sign * o.Markets
	u.Sums += sign * o.Sums
	u.Ends += sign * o.Ends
}

// UniverseOf returns the universe of one market.
func UniverseOf(row *MarketRow) Universe {
	return universeOf(row.Sum(), row.Market.End, StandingOf(row))
}

func universeOf(sum int64, end market.Instant, s Standing) Universe {
	return Universe{1, sum & 0xffffffff, int64(end)%EndModulus + int64(s)}
}

// tallyOf returns the tally of one market.
func tallyOf(row *MarketRow) *Tally { return tallyWith(row, row.Sum()) }

// tallyWith is tallyOf a row of that checksum.
func tallyWith(row *MarketRow, sum int64) *Tally {
	count := func(yes bool) int64 {
		if yes {
			return 1
		}
		return 0
	}
	p := row.Market.Payout
	return &Tally{
		TallyKey: TallyKey{KindOf(row), DayOf(row.Market.End)}, Universe: universeOf(sum, row.Market.End, StandingOf(row)),
		Captured: count(row.Stats.Captured), Captures: row.Stats.Captures,
		Inferred: count(p != nil && p.Basis == market.Inferred), Disputed: count(row.Disputed),
		Rounds: StandingOf(row).alone(), Bounds: BoundsOf(row),
	}
}

// count adds what another tally counts, but for its bounds; sign −1 subtracts it.
func (t *Tally) count(o *Tally, sign int64) {
	t.Universe.Add(o.Universe, sign)
	t.Captured += sign * o.Captured
	t.Captures += sign * o.Captures
	t.Inferred += sign * o.Inferred
	t.Disputed += sign * o.Disputed
	var sum StandingCounts
	sum.Add(t.Rounds, 1)
	sum.Add(o.Rounds, sign)
	t.Rounds = sum.standings()
}

// Sum returns the checksum of the row.
func (t *Tally) Sum() int64 {
	var e encoding
	e.text(string(t.Category), t.Coin, t.Type, string(t.Rounds))
	e.num(int64(t.Status), t.Day, t.Markets, t.Sums, t.Ends, t.Captured, t.Captures, t.Inferred, t.Disputed,
		int64(t.Start), int64(t.Ended), int64(t.End), int64(t.First), int64(t.Last))
	return e.sum()
}

// Sum returns the checksum of the row.
func (d *Day) Sum() int64 {
	var e encoding
	e.text(string(d.Category))
	e.num(d.Day, int64(d.Markets), int64(d.Resolved), int64(d.Captured), int64(d.Simulated), d.Captures, d.Coverage)
	return e.sum()
}

// dayOf returns the Day of one market; false: it is in none.
func dayOf(row *MarketRow) (d Day, ok bool) {
	m, s := &row.Market, &row.Stats
	if m.Category == "" || m.Start <= 0 {
		return d, false
	}
	d = Day{Category: m.Category, Day: DayOf(m.Start), Markets: 1, Captures: s.Captures}
	if row.Status == Resolved {
		d.Resolved = 1
	}
	if s.Captured {
		d.Captured, d.Coverage = 1, s.Coverage
	}
	if m.Venue == market.Simulated {
		d.Simulated = 1
	}
	return d, true
}

func (d *Day) add(o *Day, sign int) {
	d.Markets += sign * o.Markets
	d.Resolved += sign * o.Resolved
	d.Captured += sign * o.Captured
	d.Simulated += sign * o.Simulated
	d.Captures += int64(sign) * o.Captures
	d.Coverage += int64(sign) * o.Coverage
}

// Seen is a market before and after a change; nil: it did not or does not exist.
type Seen struct{ Was, Is *MarketRow }

// Touched returns the keys of the tallies, in order, that changes make different, and the
// first and last of the days that they do; these are out of order when there are none.
func Touched(changes []Seen) (keys []TallyKey, from, to int64) {
	all := map[TallyKey]bool{}
	from, to = LastDay, FirstDay
	for i := range changes {
		for _, row := range []*MarketRow{changes[i].Was, changes[i].Is} {
			if row == nil {
				continue
			}
			all[TallyKey{KindOf(row), DayOf(row.Market.End)}] = true
			all[TallyKey{KindOf(row), AllDays}] = true
			if d, ok := dayOf(row); ok {
				from, to = min(from, d.Day), max(to, d.Day)
			}
		}
	}
	return slices.SortedFunc(maps.Keys(all), compareTallies), from, to
}

// TotalsOf returns the tallies of all days, after comparing them with their seal. One that
// is gone, or is as it was before, is ErrDamaged.
func TotalsOf(ctx context.Context, r Reader) ([]Tally, error) {
	all, err := r.Tallies(ctx, TallyQuery{From: AllDays, To: AllDays})
	if err != nil {
		return nil, err
	}
	seal, err := r.Seal(ctx)
	if err != nil {
		return nil, err
	}
	for i := range all {
		seal -= sealed(&all[i])
	}
	if seal != 0 {
		return nil, fmt.Errorf("tallies are not those last stored: %w", ErrDamaged)
	}
	return all, nil
}

// sealed is what a tally of all days adds to the seal of them.
func sealed(t *Tally) int64 { return t.Sum() & 0xffffffff }

// Tallies are tallies and days of an archive while they are being updated.
type Tallies struct {
	was, kept map[TallyKey]*Tally
	narrower  map[TallyKey]bool
	daysWere  map[dayKey]Day
	days      map[dayKey]*Day
	anew      bool // all were counted
}

type dayKey struct {
	category market.Category
	day      int64
}

// NewTallies starts from what is stored of all that will be changed.
func NewTallies(kept []Tally, days []Day) *Tallies {
	t := &Tallies{map[TallyKey]*Tally{}, map[TallyKey]*Tally{}, map[TallyKey]bool{}, map[dayKey]Day{}, map[dayKey]*Day{}, false}
	for i := range kept {
		now := kept[i]
		t.was[now.TallyKey], t.kept[now.TallyKey] = &kept[i], &now
	}
	for _, d := range days {
		k := dayKey{d.Category, d.Day}
		t.daysWere[k], t.days[k] = d, &d
	}
	return t
}

// Replace says that the stored tallies and days are these, and what was counted is to
// replace them.
func (t *Tallies) Replace(kept []Tally, days []Day) {
	stored := NewTallies(kept, days)
	t.was, t.daysWere, t.anew = stored.was, stored.daysWere, true
	for k := range t.was {
		if t.kept[k] == nil {
			t.kept[k] = &Tally{TallyKey: k}
		}
	}
	for k := range t.daysWere {
		if t.days[k] == nil {
			t.days[k] = &Day{Category: k.category, Day: k.day}
		}
	}
}

// Count counts a market that is as it was read.
func (t *Tallies) Count(row *MarketRow) {
	now := tallyWith(row, row.SumAsRead())
	t.day(row, 1)
	for _, total := range []bool{false, true} {
		t.change(now.of(total), nil, now)
	}
}

// Change counts is in place of was; nil: there was or is none.
func (t *Tallies) Change(was, is *MarketRow) {
	var before, now *Tally
	if was != nil {
		before = tallyOf(was)
		t.day(was, -1)
	}
	if is != nil {
		now = tallyOf(is)
		t.day(is, 1)
	}
	for _, total := range []bool{false, true} {
		if before != nil && (now == nil || before.of(total) != now.of(total)) {
			t.change(before.of(total), before, nil)
			if now != nil {
				t.change(now.of(total), nil, now)
			}
			continue
		}
		if now != nil {
			t.change(now.of(total), before, now)
		}
	}
}

// of returns the key of the tally that counts the market of one.
func (t *Tally) of(total bool) TallyKey {
	k := t.TallyKey
	if total {
		k.Day = AllDays
	}
	return k
}

// change counts is in place of was in one tally.
func (t *Tallies) change(k TallyKey, was, is *Tally) {
	of := t.kept[k]
	if of == nil {
		of = &Tally{TallyKey: k}
		t.kept[k] = of
	}
	var now Bounds
	if is != nil {
		now = is.Bounds
	}
	if was != nil {
		of.count(was, -1)
		if of.narrows(was.Bounds, now) {
			t.narrower[k] = true
		}
	}
	if is != nil {
		of.count(is, 1)
		of.Bounds.add(now)
	}
}

func (t *Tallies) day(row *MarketRow, sign int) {
	one, ok := dayOf(row)
	if !ok {
		return
	}
	k := dayKey{one.Category, one.Day}
	if t.days[k] == nil {
		t.days[k] = &Day{Category: k.category, Day: k.day}
	}
	t.days[k].add(&one, sign)
}

// Changed returns the tallies that differ from those stored, in order: those of all
// days, or those of single ones. bounds is called for those whose bounds may have
// become narrower. A tally without markets is to be deleted.
func (t *Tallies) Changed(total bool, bounds func(TallyKey) (Bounds, error)) ([]Tally, error) {
	var out []Tally
	for k, now := range t.kept {
		if (k.Day == AllDays) != total {
			continue
		}
		if t.narrower[k] && now.Markets > 0 {
			b, err := bounds(k)
			if err != nil {
				return nil, err
			}
			now.Bounds = b
		}
		if was := t.was[k]; was == nil && now.Markets != 0 || was != nil && *now != *was {
			out = append(out, *now)
		}
	}
	slices.SortFunc(out, func(a, b Tally) int { return compareTallies(a.TallyKey, b.TallyKey) })
	return out, nil
}

// Seal returns the seal of the tallies of all days, given the one that is stored and what
// Changed returns of them.
func (t *Tallies) Seal(stored int64, changed []Tally) int64 {
	if t.anew {
		stored = 0
		for _, was := range t.was {
			if was.Day == AllDays {
				stored += sealed(was)
			}
		}
	}
	for i := range changed {
		if was := t.was[changed[i].TallyKey]; was != nil {
			stored -= sealed(was)
		}
		if changed[i].Markets != 0 {
			stored += sealed(&changed[i])
		}
	}
	return stored
}

// ChangedDays returns the days that differ from those stored, in order. One without
// markets is to be deleted.
func (t *Tallies) ChangedDays() []Day {
	var out []Day
	for k, now := range t.days {
		if was, ok := t.daysWere[k]; *now != was && (ok || now.Markets != 0) {
			out = append(out, *now)
		}
	}
	slices.SortFunc(out, func(a, b Day) int {
		return cmp.Or(cmp.Compare(a.Category, b.Category), cmp.Compare(a.Day, b.Day))
	})
	return out
}

func compareTallies(a, b TallyKey) int {
	return cmp.Or(cmp.Compare(a.Coin, b.Coin), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Day, b.Day),
		cmp.Compare(a.Category, b.Category), cmp.Compare(a.Status, b.Status))
}
