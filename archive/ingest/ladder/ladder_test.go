package ladder_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/ingest/jsonlex"
	"github.com/ladderback/ladderback/archive/ingest/ladder"
	"github.com/ladderback/ladderback/archive/ingest/scalar"
	"github.com/ladderback/ladderback/market"
)

func lv(price market.Price, size market.Size) market.Level {
	return market.Level{Price: price, Size: size}
}

func read(text string, pairs bool) (levels []market.Level, r scalar.Reason, bad bool) {
	var c jsonlex.Cursor
	c.Reset([]byte(text))
	levels, r = ladder.Append(nil, &c, pairs)
	return levels, r, c.Bad || !c.AtEnd()
}

// TestSpellings: a level is the same however a file writes it; the way in which the
// exchange does has a reader of its own.
func TestSpellings(t *testing.T) {
	t.Parallel()
	want := []market.Level{lv(3500, 120_500_000), lv(10, 1)}
	for _, text := range []string{
		`[{"price":"0.35","size":"120.5"},{"price":"0.001","size":"0.000001"}]`,
		`[{"price":"0.3500","size":"120.500000"},{"price":"1e-3","size":"1E-6"}]`,
		` [ { "price" : "0.35" , "size" : "120.5" } , {"price":"0.001","size":"0.000001"} ] `,
		`[{"size":"120.5","price":"0.35"},{"size":"0.000001","price":"0.001"}]`,
		`[{"price":0.35,"size":120.5},{"price":0.001,"size":0.000001}]`,
		`[{"price":"0.35","size":"120.5","orders":[3]},{"new":null,"price":"0.001","size":"0.000001"}]`,
		`[{"price":"9","price":"0.35","size":"120.5"},{"price":"0.001","size":"0.000001"}]`, // the last counts, as in encoding/json
		`[{"pri\u0063e":"0.35","size":"120.5"},{"price":"0.001","size":"0.000001"}]`,
	} {
		for _, pairs := range []bool{false, true} {
			got, r, bad := read(text, pairs)
			require.False(t, bad, text)
			require.Equal(t, scalar.OK, r, text)
			require.Equal(t, want, got, text)
		}
	}
	got, r, bad := read(`[["0.35","120.5"],[0.001,0.000001]]`, true)
	require.False(t, bad)
	require.Equal(t, scalar.OK, r)
	require.Equal(t, want, got)
}

// TestReasons: what is wrong with a side is said of its first bad level; the good ones are
// there, and the cursor stands behind all.
func TestReasons(t *testing.T) {
	t.Parallel()
	good := `{"price":"0.5","size":"1"}`
	for _, c := range []struct {
		text  string
		pairs bool
		want  scalar.Reason
		n     int
	}{
		{`null`, false, scalar.OK, 0},
		{`[]`, false, scalar.OK, 0},
		{`{}`, false, ladder.BadLevel, 0},
		{`"x"`, true, ladder.BadLevel, 0},
		{`[` + good + `,["0.5","1"]]`, false, ladder.BadLevel, 1},
		{`[["0.5"],` + good + `]`, true, ladder.BadLevel, 1},
		{`[["0.5","1","2"],` + good + `]`, true, ladder.BadLevel, 1},
		{`[[]]`, true, ladder.BadLevel, 0},
		{`[7,` + good + `]`, true, ladder.BadLevel, 1},
		{`[{"size":"1"}]`, false, scalar.BadPrice, 0},
		{`[{"price":"0.5"}]`, false, scalar.BadSize, 0},
		{`[{"price":null,"size":"1"}]`, false, scalar.BadPrice, 0},
		{`[{"price":"1.0001","size":"1"}]`, false, scalar.PriceRange, 0},
		{`[{"price":"1","size":"1"},{"price":"0","size":"0"}]`, false, scalar.OK, 2},
		{`[{"price":"-0.1","size":"1"}]`, false, scalar.PriceRange, 0},
		{`[{"price":"0.00005","size":"1"}]`, false, scalar.PricePrecision, 0},
		{`[{"price":"0.5","size":"-1"}]`, false, scalar.NegativeSize, 0},
		{`[{"price":"0.5","size":"0.0000001"}]`, false, scalar.SizePrecision, 0},
		{`[{"price":"0.5","size":"99999999999999999999"}]`, false, scalar.SizeRange, 0},
		{`[{"price":"2","size":"1"},` + good + `,{"price":"0.5","size":"-1"}]`, false, scalar.PriceRange, 1},
	} {
		got, r, bad := read(c.text, c.pairs)
		require.False(t, bad, c.text)
		require.Equal(t, c.want, r, c.text)
		require.Len(t, got, c.n, c.text)
	}
	for _, text := range []string{`[`, `[` + good, `[` + good + `,]`, `[{"price":"0.5","size":"1"]`, `nul`, `[{"price":"0.5",}]`} {
		_, _, bad := read(text, true)
		require.True(t, bad, text)
	}
}

// TestOrder holds Order against what it says: best first, of each price the last, whole
// books without levels of size zero.
func TestOrder(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		l := make([]market.Level, random.IntN(7))
		for i := range l {
			l[i] = lv(market.Price(random.IntN(8)), market.Size(random.IntN(3)))
		}
		switch by := func(a, b market.Level) int { return int(a.Price - b.Price) }; random.IntN(3) {
		case 0:
			slices.SortFunc(l, by)
		case 1:
			slices.SortFunc(l, by)
			slices.Reverse(l)
		}
		for _, side := range []market.Side{market.Bid, market.Ask} {
			for _, whole := range []bool{false, true} {
				last := map[market.Price]market.Size{}
				for _, v := range l {
					last[v.Price] = v.Size
				}
				prices := slices.Sorted(maps.Keys(last))
				if side == market.Bid {
					slices.Reverse(prices)
				}
				want := []market.Level{}
				for _, p := range prices {
					if !whole || last[p] != 0 {
						want = append(want, lv(p, last[p]))
					}
				}
				got := ladder.Order(append([]market.Level{}, l...), side, whole)
				require.Equal(t, want, got, "%v %v whole %v", l, side, whole)
			}
		}
	}
}

// TestAppendKeepsWhatWasThere: two sides are read into one buffer.
func TestAppendKeepsWhatWasThere(t *testing.T) {
	t.Parallel()
	var c jsonlex.Cursor
	var buf []market.Level
	for i := range 3 {
		c.Reset(fmt.Appendf(nil, `[{"price":"0.%d","size":"1"}]`, i+1))
		buf, _ = ladder.Append(buf, &c, false)
	}
	require.Equal(t, []market.Level{lv(1000, 1_000_000), lv(2000, 1_000_000), lv(3000, 1_000_000)}, buf)
}
