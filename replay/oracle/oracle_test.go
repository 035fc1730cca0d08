package oracle_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/replay/oracle"
	"github.com/ladderback/ladderback/replay/replaytest"
)

// campaign names the variable that says how many hundreds of random archives are
// compared (with rapid's default number of checks); 15 without it.
const campaign = "LADDERBACK_ORACLE_HUNDREDS"

// perArchive is how many strategies are replayed over each archive, in one pass
// of the engine.
const perArchive = 4

// TestEngineEqualsOracle compares trades, legs, refusals and funnel of both
// engines over random archives, strategies and options.
func TestEngineEqualsOracle(t *testing.T) {
	t.Parallel()
	n := 15
	if v := os.Getenv(campaign); v != "" {
		var err error
		n, err = strconv.Atoi(v)
		require.NoError(t, err, campaign)
	}
	var seen tally
	t.Run("archives", func(t *testing.T) {
		for i := range n {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				rapid.Check(t, func(t *rapid.T) { compareRandom(t, &seen) })
			})
		}
	})
	t.Log(&seen)
}

func compareRandom(t *rapid.T, seen *tally) {
	a := oracle.Archives(3).Draw(t, "archive")
	var cases []replay.Case
	for range perArchive {
		cases = append(cases, replay.Case{
			Strategy: oracle.Strategies(a).Draw(t, "strategy"),
			Options:  oracle.Options().Draw(t, "options"),
		})
	}
	for i, want := range oracle.Run(a.All, cases...) {
		seen.add(want)
		got, err := replay.Run(context.Background(), a, cases[i], replay.Parallel{Workers: 1})
		if err == nil && want.String() == oracle.Of(got).String() {
			continue
		}
		less, c := minimize(a, cases[i], func(a *replaytest.Archive, c replay.Case) bool {
			want, got := ledgers(a, c)
			return want != got
		})
		w, g := ledgers(less, c)
		t.Fatalf("%s", difference(less, c, w, g))
	}
}

// difference says all that is needed to look into a difference.
func difference(a *replaytest.Archive, c replay.Case, want, got string) string {
	s, _ := json.Marshal(c.Strategy)
	o, _ := json.Marshal(c.Options)
	return fmt.Sprintf("strategy %s\noptions %s\n\n%s\n--- oracle\n%s--- engine\n%s--- end\n", s, o, oracle.Text(a), want, got)
}

// tally counts what happened, to see that much did.
type tally struct {
	sync.Mutex
	cases, markets, signalled, trades int
	refusals, reasons, fills          map[string]int
	legs                              map[int]int
}

func (n *tally) add(l *oracle.Ledger) {
	n.Lock()
	defer n.Unlock()
	if n.refusals == nil {
		n.refusals, n.reasons, n.fills, n.legs = map[string]int{}, map[string]int{}, map[string]int{}, map[int]int{}
	}
	n.cases++
	n.markets += l.Sampled
	n.signalled += l.Signalled
	n.trades += l.Filled
	for why, count := range l.Refusals {
		n.refusals[why] += count
	}
	for _, t := range l.Trades {
		n.reasons[t.Reason]++
		n.fills[t.EntryFill+"-"+t.ExitFill]++
		n.legs[len(t.Legs)]++
	}
}

func (n *tally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d cases, %d markets, %d signalled, %d trades\n", n.cases, n.markets, n.signalled, n.trades)
	fmt.Fprintf(&b, "refusals %v\nexits %v\nfills %v\nlegs %v", n.refusals, n.reasons, n.fills, n.legs)
	return b.String()
}
