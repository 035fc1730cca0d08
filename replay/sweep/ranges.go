package sweep

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/strategy"
)

// MaxVariants is the most combinations of values that a grid may have.
const MaxVariants = 10_000

// Axis is a field and its values, ascending and distinct.
type Axis struct {
	Field  string            `json:"field"`
	Values []strategy.Number `json:"values"`
}

// ParseAxis reads the value of --vary: FIELD=FROM:TO:STEP with both ends included,
// or FIELD=VALUE,VALUE,…, in exact decimals. A range whose step does not meet TO
// ends with the last value before it. Whether a strategy has the field is not
// checked. Errors have code bad_request.
func ParseAxis(text string) (Axis, error) {
	name, values, ok := strings.Cut(text, "=")
	name, values = strings.TrimSpace(name), strings.TrimSpace(values)
	bad := func(format string, args ...any) error {
		return market.Errorf(market.CodeBadRequest, "%s: %s", text, fmt.Sprintf(format, args...))
	}
	if !ok || name == "" || values == "" {
		return Axis{}, bad("expected FIELD=FROM:TO:STEP or FIELD=VALUE,VALUE,…")
	}
	a := Axis{Field: name}
	isRange := strings.Contains(values, ":")
	separator := ","
	if isRange {
		separator = ":"
	}
	for part := range strings.SplitSeq(values, separator) {
		n, err := parseValue(strings.TrimSpace(part))
		if err != nil || n > largest || n < -largest {
			return Axis{}, bad("%q is not a decimal number of at most 6 decimals, dollars ($0.5) or cents (50c)", strings.TrimSpace(part))
		}
		a.Values = append(a.Values, n)
	}
	if isRange {
		var err error
		if a.Values, err = stepped(a.Values); err != nil {
			return Axis{}, bad("%s", err)
		}
	}
	slices.Sort(a.Values)
	a.Values = slices.Compact(a.Values)
	if len(a.Values) > MaxVariants {
		return Axis{}, bad("%d values: at most %d variants", len(a.Values), MaxVariants)
	}
	return a, nil
}

// parseValue reads a number, or an amount as people write it: $0.5, 50c.
func parseValue(text string) (strategy.Number, error) {
	cents, ok := strings.CutSuffix(text, "c")
	if !ok {
		return strategy.ParseNumber(strings.TrimPrefix(text, "$"))
	}
	n, err := strategy.ParseNumber(cents)
	if err == nil && n%100 != 0 {
		err = fmt.Errorf("%s is finer than a decimal of 6 digits", text)
	}
	return n / 100, err
}

// Whole returns the axes with whole names of fields of s: a name may be the end of one,
// such as take_profit, if it is that of no other. Names that are none stay.
func Whole(s strategy.Canonical, axes []Axis) []Axis {
	out := slices.Clone(axes)
	all := Fields(s)
	for i, a := range out {
		var found []string
		for _, f := range all {
			if f == a.Field {
				found = []string{f}
				break
			}
			if strings.HasSuffix(f, "."+a.Field) {
				found = append(found, f)
			}
		}
		if len(found) == 1 {
			out[i].Field = found[0]
		}
	}
	return out
}

// stepped returns the values of a range, given its three parts.
func stepped(parts []strategy.Number) ([]strategy.Number, error) {
	if len(parts) != 3 {
		return nil, fmt.Errorf("a range has three parts, FROM:TO:STEP, not %d", len(parts))
	}
	from, to, step := parts[0], parts[1], parts[2]
	switch {
	case step == 0:
		return nil, errors.New("a step of 0 does not move")
	case to != from && (to > from) != (step > 0):
		return nil, fmt.Errorf("a step of %s does not lead from %s to %s", step, from, to)
	case (to-from)/step >= MaxVariants:
		return nil, fmt.Errorf("%d values: at most %d variants; take a larger step", (to-from)/step+1, MaxVariants)
	}
	var out []strategy.Number
	for k := range (to-from)/step + 1 {
		out = append(out, from+k*step)
	}
	return out, nil
}

// largest bounds the values of an axis so that their differences cannot
// overflow; it is beyond the bounds of every field.
const largest = strategy.Number(1_000_000_000) * strategy.One

// Variant is one strategy of a sweep.
type Variant struct {
	Strategy strategy.Canonical
	// Cell is the first combination of values that gives this strategy, as an index
	// into Grid.Cells.
	Cell int
}

// Invalid is a combination of values that makes no valid strategy.
type Invalid struct {
	Values []strategy.Number `json:"values"` // one an axis
	Reason string            `json:"reason"`
}

// Grid is every combination of the values of some axes, and the strategies that
// result.
type Grid struct {
	Axes []Axis
	// Variants are distinct in canonical form, in the order of their cells.
	Variants []Variant
	// Invalid are the combinations that make no valid strategy, in the order of
	// their cells.
	Invalid []Invalid
	// Cells gives the variant of each combination, the last axis running fastest;
	// −1 if it is invalid. Combinations that mean the same share a variant.
	Cells []int
	// Own is the variant that is the strategy itself; −1 when it is not on the
	// grid.
	Own int

	own []*strategy.Number // the strategy's own values, one an axis
}

// NewGrid combines the values of the axes with s. It fails, with code bad_request,
// if a field is unknown or given twice, if a whole-number field is given a
// fraction, if there are too many combinations, or if none is a valid strategy.
func NewGrid(s strategy.Canonical, axes []Axis) (*Grid, error) {
	g := &Grid{Axes: axes, Own: -1}
	if len(axes) == 0 {
		return nil, market.Errorf(market.CodeBadRequest, "nothing to vary: expected FIELD=FROM:TO:STEP; there are %s", strings.Join(Fields(s), ", "))
	}
	varied := make([]field, len(axes))
	total := 1
	for i, a := range axes {
		f, err := fieldOf(s, a.Field)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(axes[:i], func(b Axis) bool { return b.Field == a.Field }) {
			return nil, market.Errorf(market.CodeBadRequest, "%s: varied twice", a.Field)
		}
		if k := slices.IndexFunc(a.Values, func(n strategy.Number) bool { _, ok := n.Whole(); return f.whole && !ok }); k >= 0 {
			return nil, market.Errorf(market.CodeBadRequest, "%s: %s: expected whole seconds", a.Field, a.Values[k])
		}
		if len(a.Values) == 0 {
			return nil, market.Errorf(market.CodeBadRequest, "%s: no values", a.Field)
		}
		varied[i] = f
		total *= len(a.Values)
		if total > MaxVariants {
			return nil, market.Errorf(market.CodeBadRequest, "%s: more than %d variants: take larger steps, or vary fewer fields", counts(axes), MaxVariants)
		}
	}
	g.fill(s, varied, total)
	if len(g.Variants) == 0 {
		return nil, market.Errorf(market.CodeBadRequest, "none of the %d variants is a valid strategy: %s", total, g.Invalid[0].Reason)
	}
	return g, nil
}

// counts writes how many values each axis has: "21 × 40 × 30".
func counts(axes []Axis) string {
	parts := make([]string, len(axes))
	for i, a := range axes {
		parts[i] = fmt.Sprint(len(a.Values))
	}
	return strings.Join(parts, " × ")
}

// fill makes the variants of every cell.
func (g *Grid) fill(s strategy.Canonical, varied []field, total int) {
	g.Cells = make([]int, total)
	seen := make(map[string]int, total)
	own := s.Hash()
	itself := s.Strategy()
	for _, f := range varied {
		var v *strategy.Number
		if n, ok := f.get(&itself); ok {
			v = n.Ptr()
		}
		g.own = append(g.own, v)
	}
	for cell := range g.Cells {
		values := g.Values(cell)
		object := s.Strategy()
		for i, f := range varied {
			f.set(&object, values[i])
		}
		c, err := strategy.Canonicalize(object)
		if err != nil {
			g.Cells[cell] = -1
			g.Invalid = append(g.Invalid, Invalid{values, strings.ReplaceAll(err.Error(), "strategy.", "")})
			continue
		}
		hash := c.Hash()
		k, ok := seen[hash]
		if !ok {
			k = len(g.Variants)
			seen[hash] = k
			g.Variants = append(g.Variants, Variant{c, cell})
			if hash == own {
				g.Own = k
			}
		}
		g.Cells[cell] = k
	}
}

// Duplicates counts the valid combinations that mean the same as an earlier one.
func (g *Grid) Duplicates() int { return len(g.Cells) - len(g.Invalid) - len(g.Variants) }

// Values returns the values of a cell, one for each axis.
func (g *Grid) Values(cell int) []strategy.Number {
	out := make([]strategy.Number, len(g.Axes))
	for i, k := range g.place(cell) {
		out[i] = g.Axes[i].Values[k]
	}
	return out
}

// place returns the index of a cell on each axis.
func (g *Grid) place(cell int) []int {
	out := make([]int, len(g.Axes))
	for i := len(g.Axes) - 1; i >= 0; i-- {
		n := len(g.Axes[i].Values)
		out[i] = cell % n
		cell /= n
	}
	return out
}

// cellAt is the inverse of place.
func (g *Grid) cellAt(place []int) int {
	cell := 0
	for i, k := range place {
		cell = cell*len(g.Axes[i].Values) + k
	}
	return cell
}

// Neighbours returns the variants whose cells are at most one step away from one of
// the variant's on every axis, ascending and distinct; the variant itself is not
// among them.
func (g *Grid) Neighbours(variant int) []int {
	at := g.place(g.Variants[variant].Cell)
	beside := make([]int, len(at))
	var out []int
	var walk func(axis int)
	walk = func(axis int) {
		if axis == len(at) {
			if k := g.Cells[g.cellAt(beside)]; k >= 0 && k != variant {
				out = append(out, k)
			}
			return
		}
		for step := -1; step <= 1; step++ {
			if k := at[axis] + step; k >= 0 && k < len(g.Axes[axis].Values) {
				beside[axis] = k
				walk(axis + 1)
			}
		}
	}
	walk(0)
	slices.Sort(out)
	return slices.Compact(out)
}
