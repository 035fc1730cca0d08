package strategy

// checkBounds refuses conditions that must hold together and bound one value
// from both sides so that no value is left: those of the entry, and those of a
// group. A crossing bounds as gt or lt does. Bounds on time are the window's.
func checkBounds(s *Strategy) error {
	if err := conflict(located("entry", s.Entry)); err != nil {
		return err
	}
	for g, group := range s.EntryAny {
		if err := conflict(located(index("entry_any", g), group)); err != nil {
			return err
		}
	}
	return nil
}

// placed is a condition with its path.
type placed struct {
	path string
	Condition
}

func located(path string, list []Condition) []placed {
	out := make([]placed, len(list))
	for i, c := range list {
		out[i] = placed{index(path, i), c}
	}
	return out
}

// conflict returns a fault about the first two conditions that exclude each
// other; nil when there are none.
func conflict(list []placed) error {
	for i, a := range list {
		for _, b := range list[i+1:] {
			if exclude(a.Condition, b.Condition) || exclude(b.Condition, a.Condition) {
				return clash(a.path, b.path, "%s cannot hold together with strategy.%s (%s)", a.Condition, b.path, b.Condition)
			}
		}
	}
	return nil
}

// exclude reports whether low bounds a value from below, high the same value
// from above, and nothing lies between them.
func exclude(low, high Condition) bool {
	if low.Type.IsTime() || low.Type != high.Type || low.Token != high.Token ||
		low.Type == PriceChange && low.WithinSeconds != high.WithinSeconds {
		return false
	}
	above := low.Comparator == GT || low.Comparator == CrossesAbove
	below := high.Comparator == LT || high.Comparator == CrossesBelow
	if !above && low.Comparator != GTE || !below && high.Comparator != LTE {
		return false
	}
	return low.Threshold > high.Threshold || low.Threshold == high.Threshold && (above || below)
}
