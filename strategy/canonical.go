package strategy

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
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

// Canonical validates s and returns its canonical form, a deep copy: what is
// replayed, hashed and compared. Two strategies are the same when their
// canonical forms are.
//
// Within the entry, and within each group by itself, `lt` on elapsed time
// becomes `lte`; the smallest upper bound on elapsed time (within_seconds of a
// level condition, or time_elapsed lte of whole seconds from 1) is set on every
// level condition, and those time_elapsed conditions go; without a level
// condition the smallest stays. Conditions are sorted, exact duplicates
// removed; groups are sorted by their JSON, duplicates removed, and a single
// group left joins the entry, which is then folded again.
func Canonical(s Strategy) (Strategy, error) {
	if err := checkFields(&s); err != nil {
		return Strategy{}, err
	}
	c := fold(s)
	if len(c.Entry) > maxEntry {
		return Strategy{}, fault("entry", "holds %d conditions once the only alternative left in strategy.entry_any joins it: expected at most %d", len(c.Entry), maxEntry)
	}
	if err := checkMeaning(&c); err != nil {
		return Strategy{}, err
	}
	return c, nil
}

// Equal reports whether two strategies have the same canonical form. A
// strategy that is not valid equals none.
func Equal(a, b Strategy) bool {
	x, err := CanonicalJSON(a)
	if err != nil {
		return false
	}
	y, err := CanonicalJSON(b)
	return err == nil && bytes.Equal(x, y)
}

// CanonicalJSON returns the JSON of the canonical form, without white space.
func CanonicalJSON(s Strategy) ([]byte, error) {
	c, err := Canonical(s)
	if err != nil {
		return nil, err
	}
	return json.Marshal(c)
}

// Hash returns the SHA-256 of CanonicalJSON in lower-case hex.
func Hash(s Strategy) (string, error) {
	b, err := CanonicalJSON(s)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// fold returns the canonical form of a strategy whose fields are valid. It
// shares no memory with s.
func fold(s Strategy) Strategy {
	c := s
	c.Exit = cloneExit(s.Exit)
	c.Entry = foldList(s.Entry)
	c.EntryAny = nil
	type keyed struct {
		key   []byte
		group []Condition
	}
	groups := make([]keyed, 0, len(s.EntryAny))
	for _, g := range s.EntryAny {
		folded := foldList(g)
		key, err := json.Marshal(folded)
		if err != nil {
			panic("strategy: a condition that cannot be written: " + err.Error())
		}
		groups = append(groups, keyed{key, folded})
	}
	slices.SortFunc(groups, func(a, b keyed) int { return bytes.Compare(a.key, b.key) })
	groups = slices.CompactFunc(groups, func(a, b keyed) bool { return bytes.Equal(a.key, b.key) })
	if len(groups) == 1 {
		c.Entry = foldList(append(c.Entry, groups[0].group...))
		return c
	}
	for _, g := range groups {
		c.EntryAny = append(c.EntryAny, g.group)
	}
	return c
}

// foldList folds the time bounds of one list of conditions that must all hold,
// sorts it and removes duplicates. The result is never nil.
func foldList(list []Condition) []Condition {
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
