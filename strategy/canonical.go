package strategy

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"slices"
)

const (
	maxEntry    = 8
	minGroups   = 2
	maxGroups   = 4
	maxInGroup  = 4
	maxBudget   = 1_000_000 * One
	maxSample   = 10_000
	secondUnits = One // one second as a threshold
)

// Canonical is a valid strategy in canonical form: what is replayed, hashed and
// compared. Only this package makes one; the zero value is no strategy (see IsZero),
// on which only MarshalJSON may be called. It is immutable and cheap to copy.
// Slices and pointers that its methods return, other than Strategy's, belong to
// it: the caller must not write to them.
type Canonical struct{ object *Strategy }

// Canonicalize validates s and returns its canonical form, which shares no
// memory with s. Errors are of type *Error.
//
// Within the entry, and within each group by itself, `lt` on elapsed time
// becomes `lte`; the smallest upper bound on elapsed time (within_seconds of a
// level condition, or time_elapsed lte of whole seconds from 1) is set on every
// level condition, and those time_elapsed conditions are dropped; without a level
// condition the smallest one stays. Conditions are sorted and exact duplicates
// removed; groups are sorted by their JSON and duplicates removed; if a single
// group is left, it joins the entry, which is then folded again.
func Canonicalize(s Strategy) (Canonical, error) {
	if err := checkFields(&s); err != nil {
		return Canonical{}, err
	}
	c := fold(s)
	if len(c.Entry) > maxEntry {
		return Canonical{}, fault("entry", "holds %d conditions once the only alternative left in strategy.entry_any joins it: expected at most %d", len(c.Entry), maxEntry)
	}
	if err := checkMeaning(&c); err != nil {
		return Canonical{}, err
	}
	return Canonical{&c}, nil
}

// IsZero reports whether c is no strategy.
func (c Canonical) IsZero() bool { return c.object == nil }

// Strategy returns a copy that the caller owns and may change.
func (c Canonical) Strategy() Strategy {
	s := *c.object
	s.Exit = cloneExit(s.Exit)
	s.Entry = append([]Condition{}, s.Entry...)
	s.EntryAny = nil
	for _, group := range c.object.EntryAny {
		s.EntryAny = append(s.EntryAny, slices.Clone(group))
	}
	foldOrders(&s) // copies: the form is canonical already
	return s
}

// Market says which markets are traded.
func (c Canonical) Market() MarketSpec { return c.object.Market }

// Side is the token bought.
func (c Canonical) Side() Side { return c.object.Side }

// Entry returns the conditions that must all hold; never nil.
func (c Canonical) Entry() []Condition { return c.object.Entry }

// EntryAny returns the alternatives; nil if there are none.
func (c Canonical) EntryAny() [][]Condition { return c.object.EntryAny }

// Exit returns when the position is sold.
func (c Canonical) Exit() *Exit { return &c.object.Exit }

// BudgetPerTrade is US dollars spent per entry.
func (c Canonical) BudgetPerTrade() Number { return c.object.BudgetPerTrade }

// SampleSize is how many resolved markets are replayed.
func (c Canonical) SampleSize() int { return c.object.SampleSize }

// Equal reports whether two canonical forms are the same. The zero value equals
// only another zero value.
func (c Canonical) Equal(o Canonical) bool { return reflect.DeepEqual(c.object, o.object) }

// Hash returns the SHA-256 of the JSON of c, without white space, in lower-case
// hex.
func (c Canonical) Hash() string {
	b, err := json.Marshal(c.object)
	if err != nil {
		panic("strategy: a canonical form that cannot be written: " + err.Error())
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// MarshalJSON writes the object in canonical order; the zero value is null.
func (c Canonical) MarshalJSON() ([]byte, error) { return json.Marshal(c.object) }

// UnmarshalJSON reads an object as Parse does; null changes nothing.
func (c *Canonical) UnmarshalJSON(b []byte) error {
	if bytes.Equal(b, []byte("null")) {
		return nil
	}
	v, err := Parse(b)
	if err != nil {
		return err
	}
	*c = v
	return nil
}

// fold returns the canonical form of a strategy whose fields are valid. It
// shares no memory with s.
func fold(s Strategy) Strategy {
	c := s
	c.Exit = cloneExit(s.Exit)
	c.Entry = Fold(s.Entry)
	c.EntryAny = nil
	foldOrders(&c)
	type keyed struct {
		key   []byte
		group []Condition
	}
	groups := make([]keyed, 0, len(s.EntryAny))
	for _, g := range s.EntryAny {
		folded := Fold(g)
		key, err := json.Marshal(folded)
		if err != nil {
			panic("strategy: a condition that cannot be written: " + err.Error())
		}
		groups = append(groups, keyed{key, folded})
	}
	slices.SortFunc(groups, func(a, b keyed) int { return bytes.Compare(a.key, b.key) })
	groups = slices.CompactFunc(groups, func(a, b keyed) bool { return bytes.Equal(a.key, b.key) })
	if len(groups) == 1 {
		c.Entry = Fold(append(c.Entry, groups[0].group...))
		return c
	}
	for _, g := range groups {
		c.EntryAny = append(c.EntryAny, g.group)
	}
	return c
}

// Fold folds the time bounds of one list of conditions that must all hold,
// sorts it and removes duplicates. The result is never nil.
func Fold(list []Condition) []Condition {
	bound, levels := 0, false
	for _, c := range list {
		levels = levels || c.Type.IsLevel()
		if b := elapsedBound(c); b != 0 && (bound == 0 || b < bound) {
			bound = b
		}
	}
	out := make([]Condition, 0, len(list)+1)
	for _, c := range list {
		switch {
		case c.Type.IsLevel():
			c.WithinSeconds = bound
		case c.Type == TimeElapsed && elapsedBound(c) != 0:
			continue
		case c.Type == TimeElapsed && c.Comparator == LT:
			c.Comparator = LTE
		}
		out = append(out, c)
	}
	if bound != 0 && !levels {
		out = append(out, Condition{Type: TimeElapsed, Comparator: LTE, Threshold: Int(bound)})
	}
	slices.SortFunc(out, compareConditions)
	return slices.Compact(out)
}

// elapsedBound returns the upper bound in whole seconds that c sets on elapsed
// time, or 0 when it sets none that can be moved to within_seconds.
func elapsedBound(c Condition) int {
	switch {
	case c.Type.IsLevel():
		return c.WithinSeconds
	case c.Type == TimeElapsed && (c.Comparator == LT || c.Comparator == LTE) && c.Threshold >= secondUnits:
		if n, ok := c.Threshold.Whole(); ok {
			return n
		}
	}
	return 0
}

func compareConditions(a, b Condition) int {
	return cmp.Or(
		cmp.Compare(typeOrder(a.Type), typeOrder(b.Type)),
		cmp.Compare(tokenOrder(a.Token), tokenOrder(b.Token)),
		cmp.Compare(comparatorOrder(a.Comparator), comparatorOrder(b.Comparator)),
		cmp.Compare(a.Threshold, b.Threshold),
		cmp.Compare(a.WithinSeconds, b.WithinSeconds),
	)
}

func cloneExit(e Exit) Exit {
	for _, p := range []**Number{&e.TakeProfit, &e.StopLoss, &e.TakeProfitOffset, &e.StopLossOffset, &e.TrailingStop} {
		if *p != nil {
			*p = (**p).Ptr()
		}
	}
	return e
}
