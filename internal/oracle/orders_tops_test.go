package oracle_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/oracle/drawn"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// taking makes of a strategy one of which nothing rests, and whose conditions read what
// tops say; ok: there is one.
func taking(c strategy.Canonical) (strategy.Canonical, bool) {
	s := c.Strategy()
	s.Order, s.Exit.RestTakeProfit, s.Exit.TrailingStop = nil, false, nil
	deep := func(x strategy.Condition) bool {
		switch x.Type {
		case strategy.AskDepth, strategy.BidDepth, strategy.Imbalance, strategy.PriceChange, strategy.HeldProfit:
			return true
		}
		return x.Comparator.IsCrossing()
	}
	s.Entry = slices.DeleteFunc(s.Entry, deep)
	s.EntryAny = nil
	for i := range s.Then {
		s.Then[i].Order, s.Then[i].When = nil, slices.DeleteFunc(s.Then[i].When, deep)
	}
	s.Then = slices.DeleteFunc(s.Then, func(t strategy.Then) bool {
		return len(t.When) == 0 && (t.On == "" || t.On == strategy.OnEntry || t.On == strategy.OnStart)
	})
	out, err := strategy.Canonicalize(s)
	return out, err == nil
}

// TestTakingOrdersByTops compares what tops say of strategies of several orders that take
// with the oracle: mostly captures between two orders are not read.
func TestTakingOrdersByTops(t *testing.T) {
	t.Parallel()
	const chunks = 4
	tapes, first := envInt(t, campaignTapes, 300), envInt(t, campaignSeed, 50_000_000)
	var seen orderTally
	t.Run("tapes", func(t *testing.T) {
		for chunk := range chunks {
			t.Run(strconv.Itoa(chunk), func(t *testing.T) {
				t.Parallel()
				for i := chunk; i < tapes; i += chunks {
					r := drawn.NewOrders(uint64(first + i))
					a := ladders(r.Tape(1 + r.IntN(3)))
					c := replay.Case{Options: r.Settings()}
					var ok bool
					undated := i%2 == 0
					if c.Strategy, ok = taking(r.Strategy(a)); !ok {
						continue
					}
					if ordersDifferBy(replaytest.Topped{Archive: a}, a, c, undated, &seen) == "" {
						require.Empty(t, differTogether(a, c), "seed %d", first+i)
						continue
					}
					differs := func(a *replaytest.Archive, c replay.Case) bool {
						return ordersDifferBy(replaytest.Topped{Archive: a}, a, c, undated, nil) != ""
					}
					a, c = minimize(a, c, differs)
					require.Fail(t, ordersDifferBy(replaytest.Topped{Archive: a}, a, c, undated, nil), caseText(first+i, a, c.Strategy, c.Options, ""))
				}
			})
		}
	})
	t.Logf("%d tapes\n%s", tapes, &seen)
}

// TestMovesOfTopsAreTheirOwn plays tapes in which tops and captures had counted as many moves
// by chance: a refused entry was not looked at again.
func TestMovesOfTopsAreTheirOwn(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{92500574, 92502416} {
		r := drawn.NewOrders(seed)
		a := ladders(r.Tape(1 + r.IntN(3)))
		c := replay.Case{Options: r.Settings()}
		var ok bool
		c.Strategy, ok = taking(r.Strategy(a))
		require.True(t, ok)
		require.Empty(t, differTogether(a, c), seed)
	}
}

// TestDueBetweenTops plays a tape in which a further buy came to hold at an instant that tops
// went behind, where its other condition did not hold: at the captures that followed nothing
// had moved since it was evaluated, before that instant, and it was passed over.
func TestDueBetweenTops(t *testing.T) {
	t.Parallel()
	r := drawn.NewOrders(70700785)
	a := ladders(r.Tape(1 + r.IntN(3)))
	c := replay.Case{Options: r.Settings()}
	var ok bool
	c.Strategy, ok = taking(r.Strategy(a))
	require.True(t, ok)
	for _, undated := range []bool{true, false} {
		require.Empty(t, ordersDifferBy(replaytest.Topped{Archive: a}, a, c, undated, nil))
	}
}

// differTogether says where what several cases find in one pass by the tops differs from
// what each finds by every capture.
func differTogether(a *replaytest.Archive, c replay.Case) string {
	cases := []replay.Case{c, c, c}
	cases[1].Options.LatencyMS += 700
	half := c.Strategy.BudgetPerTrade().Cash() / 2
	cases[2].Budget = &half
	sample, err := replay.Draw(context.Background(), a, c)
	if err != nil {
		return err.Error()
	}
	got, err := sample.Replay(context.Background(), replaytest.Topped{Archive: a}, replay.Parallel{Workers: 1}, cases...)
	if err != nil {
		return err.Error()
	}
	for i := range cases {
		want, err := sample.Replay(context.Background(), a, replay.Parallel{Workers: 1}, cases[i])
		if err != nil {
			return err.Error()
		}
		for k := range want[0].Markets {
			if w, g := engineFacts(&want[0].Markets[k]), engineFacts(&got[i].Markets[k]); w != g {
				return fmt.Sprintf("case %d\n--- alone\n%s--- together\n%s", i, w, g)
			}
		}
	}
	return ""
}
