package store

import (
	"cmp"
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

// Tally summarises the markets of a kind. It is updated in the transactions
// that change them, so that the contents of an archive are known without
// reading all of it, and so that a market that can no longer be found is
// noticed.
type Tally struct {
	Kind
	Universe
	Captured int64 // with a capture within the round
	Captures int64 // Stats.Captures of all
	Inferred int64 // with an inferred payout
	Disputed int64
	Bounds
}

// Bounds are the earliest start and first capture, and the latest end and last
// capture, of some markets; zero: unknown.
type Bounds struct {
	Start, End, First, Last market.Instant
}

// BoundsOf returns the bounds of one market.
func BoundsOf(row *MarketRow) Bounds {
	b := Bounds{Start: row.Market.Start, End: row.Market.End}
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
	earlier(&b.First, o.First)
	b.End, b.Last = max(b.End, o.End), max(b.Last, o.Last)
}

// narrows reports whether the bounds, which include was, may become narrower when now
// takes its place.
func (b *Bounds) narrows(was, now Bounds) bool {
	earliest := func(b, was, now market.Instant) bool { return was != 0 && was <= b && (now == 0 || now > was) }
	latest := func(b, was, now market.Instant) bool { return was != 0 && was >= b && now < was }
	return earliest(b.Start, was.Start, now.Start) || earliest(b.First, was.First, now.First) ||
		latest(b.End, was.End, now.End) || latest(b.Last, was.Last, now.Last)
}

// Universe is a fingerprint of a set of markets: their number and
// order-independent sums over them. Sets with equal fingerprints are taken to
// be equal.
type Universe struct {
	Markets int64
	Sums    int64 // of MarketRow.Sum, the lower 32 bits of each
	Ends    int64 // of their ends, each modulo EndModulus
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
	return Universe{1, row.Sum() & 0xffffffff, int64(row.Market.End) % EndModulus}
}

// change counts is in place of was; nil: there was or is none. It reports whether the
// bounds may have become narrower and must be recomputed.
func (t *Tally) change(was, is *MarketRow) (narrower bool) {
	var now Bounds
	if is != nil {
		now = BoundsOf(is)
	}
	if was != nil {
		t.count(was, -1)
		narrower = t.narrows(BoundsOf(was), now)
	}
	if is != nil {
		t.count(is, 1)
		t.add(now)
	}
	return narrower
}

// count counts a market, except for its bounds; sign −1 removes it.
func (t *Tally) count(row *MarketRow, sign int64) {
	t.Universe.Add(UniverseOf(row), sign)
	t.Captures += sign * row.Stats.Captures
	count := func(n *int64, yes bool) {
		if yes {
			*n += sign
		}
	}
	p := row.Market.Payout
	count(&t.Captured, row.Stats.Captured)
	count(&t.Inferred, p != nil && p.Basis == market.Inferred)
	count(&t.Disputed, row.Disputed)
}

// Sum returns the checksum of the row.
func (t *Tally) Sum() int64 {
	var e encoding
	e.text(string(t.Category), t.Coin, t.Type)
	e.num(int64(t.Status), t.Markets, t.Sums, t.Ends, t.Captured, t.Captures, t.Inferred, t.Disputed,
		int64(t.Start), int64(t.End), int64(t.First), int64(t.Last))
	return e.sum()
}

// Matches reports whether the filter selects the kind: up/down rounds of the
// filter's coin and length, where not empty.
func (k Kind) Matches(f market.RoundFilter) bool {
	return k.Coin != "" && k.Type != "" && (f.Coin == "" || k.Coin == f.Coin) && (f.Type == "" || k.Type == f.Type)
}

// Tallies are the tallies of an archive by kind while they are being updated.
type Tallies struct {
	kept     map[Kind]*Tally
	narrower map[Kind]bool
}

// NewTallies starts from the stored tallies.
func NewTallies(kept []Tally) *Tallies {
	t := &Tallies{map[Kind]*Tally{}, map[Kind]bool{}}
	for _, k := range kept {
		t.kept[k.Kind] = &k
	}
	return t
}

// Change counts is in place of was; nil: there was or is none.
func (t *Tallies) Change(was, is *MarketRow) {
	if was != nil && (is == nil || KindOf(is) != KindOf(was)) {
		t.of(was, was, nil)
		was = nil
	}
	if is != nil {
		t.of(is, was, is)
	}
}

// of changes the tally of the kind of row.
func (t *Tallies) of(row, was, is *MarketRow) {
	k := KindOf(row)
	of := t.kept[k]
	if of == nil {
		of = &Tally{Kind: k}
		t.kept[k] = of
	}
	if of.change(was, is) {
		t.narrower[k] = true
	}
}

// Changed returns the tallies that differ from was, in order; bounds is called
// for kinds whose bounds may have become narrower. A tally without markets is
// to be deleted.
func (t *Tallies) Changed(was []Tally, bounds func(Kind) (Bounds, error)) ([]Tally, error) {
	before := map[Kind]Tally{}
	for _, w := range was {
		before[w.Kind] = w
		if t.kept[w.Kind] == nil {
			t.kept[w.Kind] = &Tally{Kind: w.Kind}
		}
	}
	var out []Tally
	for k, now := range t.kept {
		if t.narrower[k] && now.Markets > 0 {
			b, err := bounds(k)
			if err != nil {
				return nil, err
			}
			now.Bounds = b
		}
		if *now != before[k] {
			out = append(out, *now)
		}
	}
	slices.SortFunc(out, func(a, b Tally) int { return compareKinds(a.Kind, b.Kind) })
	return out, nil
}

func compareKinds(a, b Kind) int {
	return cmp.Or(cmp.Compare(a.Category, b.Category), cmp.Compare(a.Coin, b.Coin), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Status, b.Status))
}
