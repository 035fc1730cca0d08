package strategy_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/strategy"
)

// TestCanonicalForm gives the entry and the alternatives before and after. The
// short form of a condition is that of Condition.String.
func TestCanonicalForm(t *testing.T) {
	t.Parallel()
	p60 := cond("price", `"up"`, "lt", "0.35", "60")
	for name, c := range map[string]struct {
		entry, groups string
		want, wantAny string
	}{
		"nothing":                      {"[]", "", "", ""},
		"smallest of two windows":      {list(p60, cond("best_ask", `"up"`, "lt", "0.4", "120")), "", "price up lt 0.35 within 60 s; best_ask up lt 0.4 within 60 s", ""},
		"window set on all":            {list(p60, cond("spread", `"down"`, "lte", "0.02", "null")), "", "price up lt 0.35 within 60 s; spread down lte 0.02 within 60 s", ""},
		"elapsed becomes a window":     {list(price("lt", "0.35"), elapsed("lte", "300")), "", "price up lt 0.35 within 300 s", ""},
		"below becomes at most":        {list(price("lt", "0.35"), elapsed("lt", "300")), "", "price up lt 0.35 within 300 s", ""},
		"smaller elapsed":              {list(p60, elapsed("lte", "30")), "", "price up lt 0.35 within 30 s", ""},
		"larger elapsed goes":          {list(p60, elapsed("lte", "90")), "", "price up lt 0.35 within 60 s", ""},
		"half a second stays":          {list(p60, elapsed("lt", "30.5")), "", "price up lt 0.35 within 60 s; time_elapsed lte 30.5", ""},
		"less than a second stays":     {list(price("lt", "0.35"), elapsed("lte", "0.5")), "", "price up lt 0.35; time_elapsed lte 0.5", ""},
		"zero stays":                   {list(price("lt", "0.35"), elapsed("lt", "0")), "", "price up lt 0.35; time_elapsed lte 0", ""},
		"no level condition":           {list(elapsed("lt", "120"), elapsed("lte", "60"), elapsed("lte", "60.5")), "", "time_elapsed lte 60; time_elapsed lte 60.5", ""},
		"a change is no level":         {list(cond("price_change", `"up"`, "lte", "-0.1", "60"), elapsed("lt", "300")), "", "price_change up lte -0.1 within 60 s; time_elapsed lte 300", ""},
		"a change keeps its look-back": {list(cond("price_change", `"up"`, "lte", "-0.1", "60"), price("lt", "0.35"), elapsed("lt", "300")), "", "price up lt 0.35 within 300 s; price_change up lte -0.1 within 60 s", ""},
		"lower bounds stay":            {list(price("lt", "0.35"), elapsed("gte", "30"), remaining("gt", "60")), "", "price up lt 0.35; time_elapsed gte 30; time_remaining gt 60", ""},
		"duplicates go":                {list(p60, p60, cond("price", `"up"`, "lt", "0.350", "120")), "", "price up lt 0.35 within 60 s", ""},
		"sorted": {list(remaining("gte", "60"), elapsed("gte", "60"), cond("price_change", `"up"`, "gte", "0.1", "60"), cond("price_change", `"up"`, "gte", "0.1", "30"),
			cond("imbalance", `"up"`, "gt", "0.5", "null"), price("lt", "0.5"), cond("price", `"down"`, "gt", "0.5", "null"), price("gt", "0.2")), "",
			"price up lt 0.5; price up gt 0.2; price down gt 0.5; imbalance up gt 0.5; price_change up gte 0.1 within 30 s; price_change up gte 0.1 within 60 s; time_elapsed gte 60; time_remaining gte 60", ""},
		"comparators sorted":       {list(price("crosses_below", "0.4"), price("crosses_above", "0.3"), price("gte", "0.2"), price("gt", "0.2"), price("lte", "0.5"), price("lt", "0.5")), "", "price up lt 0.5; price up lte 0.5; price up gt 0.2; price up gte 0.2; price up crosses_above 0.3; price up crosses_below 0.4", ""},
		"groups fold alone":        {list(price("lt", "0.5")), list(list(price("gt", "0.2"), elapsed("lt", "60")), list(elapsed("lt", "30"))), "price up lt 0.5", "price up gt 0.2 within 60 s | time_elapsed lte 30"},
		"groups sorted by JSON":    {"[]", list(list(price("lt", "0.3")), list(price("lt", "0.35")), list(price("gt", "0.6"))), "", "price up gt 0.6 | price up lt 0.3 | price up lt 0.35"},
		"a longer group first":     {"[]", list(list(price("lt", "0.3")), list(price("lt", "0.3"), price("gt", "0.2"))), "", "price up lt 0.3; price up gt 0.2 | price up lt 0.3"},
		"equal groups are one":     {"[]", list(list(price("lt", "0.3")), list(price("lt", "0.30"), price("lt", "0.3")), list(price("gt", "0.6"))), "", "price up gt 0.6 | price up lt 0.3"},
		"a single group joins":     {list(p60), list(list(cond("spread", `"up"`, "lt", "0.1", "90"), elapsed("lt", "30")), list(cond("spread", `"up"`, "lt", "0.1", "30"))), "price up lt 0.35 within 30 s; spread up lt 0.1 within 30 s", ""},
		"a single group, no level": {"[]", list(list(elapsed("lt", "60")), list(elapsed("lte", "60"), elapsed("lte", "90"))), "time_elapsed lte 60", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change := map[string]string{"entry": c.entry, "exit": noExit}
			if c.groups != "" {
				change["entry_any"] = c.groups
			}
			s, err := strategy.Parse(with(t, change))
			require.NoError(t, err)
			require.Equal(t, c.want, join(s.Entry()))
			var groups []string
			for _, g := range s.EntryAny() {
				groups = append(groups, join(g))
			}
			require.Equal(t, c.wantAny, strings.Join(groups, " | "))
		})
	}
}

func join(conditions []strategy.Condition) string {
	var words []string
	for _, c := range conditions {
		words = append(words, c.String())
	}
	return strings.Join(words, "; ")
}

func TestHashIsThatOfTheCanonicalForm(t *testing.T) {
	t.Parallel()
	s, err := strategy.Decode([]byte(base))
	require.NoError(t, err)
	a := canonical(t, s).Hash()
	// printf '%s' "$base" | sha256sum
	require.Equal(t, "7e755be16325d1006aa7d801f9193d173e9725367acfe63f81104f46fd2a12c0", a)

	other, err := strategy.Decode(with(t, map[string]string{"entry": list(elapsed("lt", "300"), price("lt", "0.35"))}))
	require.NoError(t, err)
	b := canonical(t, other).Hash()
	require.Equal(t, a, b)
	require.True(t, canonical(t, s).Equal(canonical(t, other)))
	other.SampleSize++
	require.False(t, canonical(t, s).Equal(canonical(t, other)))
}

func TestCanonicalSharesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		canonical := strategytest.Canonical().Draw(t, "s")
		before, err := json.Marshal(canonical)
		require.NoError(t, err)
		c := canonical.Strategy()
		s, err := strategy.Canonicalize(c)
		require.NoError(t, err)
		require.True(t, s.Equal(canonical))
		for _, list := range append([][]strategy.Condition{c.Entry}, c.EntryAny...) {
			for i := range list {
				list[i] = strategy.Condition{}
			}
		}
		for _, p := range []*strategy.Number{c.Exit.TakeProfit, c.Exit.StopLoss, c.Exit.TakeProfitOffset, c.Exit.StopLossOffset, c.Exit.TrailingStop} {
			if p != nil {
				*p = 0
			}
		}
		for _, unchanged := range []strategy.Canonical{canonical, s} {
			after, err := json.Marshal(unchanged)
			require.NoError(t, err)
			require.Equal(t, string(before), string(after))
		}
	})
}

// TestCanonicalFormDoesNotDependOnOrder shuffles conditions and groups and
// repeats one.
func TestCanonicalFormDoesNotDependOnOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := strategytest.Valid().Draw(t, "s")
		want := canonical(t, s)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		shuffled := s
		shuffled.Entry = shuffle(rng, s.Entry, 8)
		shuffled.EntryAny = nil
		for _, i := range rng.Perm(len(s.EntryAny)) {
			shuffled.EntryAny = append(shuffled.EntryAny, shuffle(rng, s.EntryAny[i], 4))
		}
		got := canonical(t, shuffled)
		require.Equal(t, want, got)
		require.Equal(t, want.Hash(), got.Hash())
	})
}

func shuffle(rng *rand.Rand, list []strategy.Condition, most int) []strategy.Condition {
	out := make([]strategy.Condition, 0, len(list)+1)
	for _, i := range rng.Perm(len(list)) {
		out = append(out, list[i])
	}
	if len(out) > 0 && len(out) < most {
		out = append(out, out[rng.IntN(len(out))])
	}
	return out
}

// TestFoldingKeepsTheMeaning compares a strategy with its canonical form at
// random instants with random values of everything that a condition can read.
func TestFoldingKeepsTheMeaning(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := strategytest.Valid().Draw(t, "s")
		c := canonical(t, s).Strategy()
		seconds, _ := strategy.Length(s.Market.Type)
		w := world{seed: rapid.Uint64().Draw(t, "values"), length: strategy.Number(seconds)}
		for range 40 {
			w.elapsed = strategy.Number(rapid.Int64Range(0, int64(w.length)).Draw(t, "elapsed"))
			w.seed++
			require.Equal(t, w.enters(s), w.enters(c), "at %s\n%+v\n%+v", w.elapsed, s, c)
		}
		for _, bound := range bounds(s) {
			for _, at := range []strategy.Number{bound - 1, bound, bound + 1} {
				w.elapsed = at
				require.Equal(t, w.enters(s), w.enters(c), "at %s\n%+v\n%+v", w.elapsed, s, c)
			}
		}
	})
}

// world gives every condition without its bound on elapsed time a truth value,
// mostly true, that depends on the condition and the seed alone.
type world struct {
	seed            uint64
	length, elapsed strategy.Number
}

func (w world) enters(s strategy.Strategy) bool {
	if !w.all(s.Entry) {
		return false
	}
	return len(s.EntryAny) == 0 || slices.ContainsFunc(s.EntryAny, w.all)
}

func (w world) all(list []strategy.Condition) bool {
	for _, c := range list {
		if !w.holds(c) {
			return false
		}
	}
	return true
}

func (w world) holds(c strategy.Condition) bool {
	switch c.Type {
	case strategy.TimeElapsed:
		// Elapsed time equal to the threshold of lt: canonically lte.
		if c.Comparator == strategy.LT {
			c.Comparator = strategy.LTE
		}
		return compare(w.elapsed, c)
	case strategy.TimeRemaining:
		return compare(w.length-w.elapsed, c)
	}
	if c.Type.IsLevel() {
		if c.WithinSeconds != 0 && w.elapsed > strategy.Int(c.WithinSeconds) {
			return false
		}
		c.WithinSeconds = 0
	}
	h := w.seed
	for _, b := range []byte(c.String()) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return h>>32%8 != 0
}

func compare(v strategy.Number, c strategy.Condition) bool {
	switch c.Comparator {
	case strategy.LT:
		return v < c.Threshold
	case strategy.LTE:
		return v <= c.Threshold
	case strategy.GT:
		return v > c.Threshold
	}
	return v >= c.Threshold
}

// bounds returns the instants at which a time bound of s begins or ends to
// hold.
func bounds(s strategy.Strategy) []strategy.Number {
	var out []strategy.Number
	for _, list := range append([][]strategy.Condition{s.Entry}, s.EntryAny...) {
		for _, c := range list {
			if c.Type == strategy.TimeElapsed {
				out = append(out, c.Threshold)
			}
			if c.WithinSeconds != 0 {
				out = append(out, strategy.Int(c.WithinSeconds))
			}
		}
	}
	return out
}
