package oracle_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/internal/oracle"
	"github.com/ladderback/ladderback/internal/oracle/drawn"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// Variables that make a long campaign of TestEngineEqualsOracle: how many
// random archives are compared, and the seed of the first.
const (
	campaignArchives = "LADDERBACK_ORACLE_ARCHIVES"
	campaignSeed     = "LADDERBACK_ORACLE_SEED"
)

// perArchive is how many strategies are replayed over each archive, in one pass
// of the engine.
const perArchive = 4

// fixture is an archive and what is replayed over it.
type fixture struct {
	archive *replaytest.Archive
	cases   []replay.Case
}

func fixtures() *rapid.Generator[fixture] {
	return rapid.Custom(func(t *rapid.T) fixture {
		f := fixture{archive: drawn.Archives(3).Draw(t, "archive")}
		for range perArchive {
			f.cases = append(f.cases, replay.Case{
				Strategy: drawn.Strategies(f.archive).Draw(t, "strategy"),
				Options:  drawn.Options().Draw(t, "options"),
			})
		}
		return f
	})
}

func envInt(t *testing.T, name string, otherwise int) int {
	v := os.Getenv(name)
	if v == "" {
		return otherwise
	}
	n, err := strconv.Atoi(v)
	require.NoError(t, err, name)
	return n
}

// TestEngineEqualsOracle compares trades, legs, refusals and funnel of both
// engines over random archives, strategies and options. Every archive has a
// seed of its own; the smallest case of a difference is printed.
func TestEngineEqualsOracle(t *testing.T) {
	t.Parallel()
	archives, seed := envInt(t, campaignArchives, 500), envInt(t, campaignSeed, 1)
	const chunks = 8
	var seen tally
	t.Run("archives", func(t *testing.T) {
		for chunk := range chunks {
			t.Run(strconv.Itoa(chunk), func(t *testing.T) {
				t.Parallel()
				for i := chunk; i < archives; i += chunks {
					f := fixtures().Example(seed + i)
					require.Empty(t, compare(f, &seen), "seed %d", seed+i)
				}
			})
		}
	})
	t.Logf("%d archives\n%s", archives, &seen)
}

// compare replays the cases on both engines and describes the first difference,
// made as small as it can be; empty: there is none.
func compare(f fixture, seen *tally) string {
	for i, want := range oracle.Run(f.archive.All, f.cases...) {
		seen.add(want)
		if agrees(want, f.archive, f.cases[i]) {
			continue
		}
		less, c := minimize(f.archive, f.cases[i], func(a *replaytest.Archive, c replay.Case) bool {
			want, got := ledgers(a, c)
			return want != got
		})
		w, g := ledgers(less, c)
		return difference(less, c, w, g)
	}
	return together(f)
}

func agrees(want *oracle.Ledger, a *replaytest.Archive, c replay.Case) bool {
	got, err := replay.Run(context.Background(), a, c, replay.Parallel{Workers: 1})
	if err != nil || want.String() != oracle.Of(got).String() {
		return false
	}
	// A replay that records everything finds the same.
	for _, m := range got.Markets {
		trace, err := (&replay.Sample{Rounds: []market.Round{m.Round}}).Explain(context.Background(), a, 0, c)
		if err != nil || !reflect.DeepEqual(trace.Result, m) {
			return false
		}
	}
	return true
}

// together replays all cases in one pass over the sample of the first, and
// describes the first difference.
func together(f fixture) string {
	first := f.cases[0]
	sample, err := replay.Draw(context.Background(), f.archive, first)
	if err != nil {
		return err.Error()
	}
	got, err := sample.Replay(context.Background(), f.archive, replay.Parallel{Workers: 2}, f.cases...)
	if err != nil {
		return err.Error()
	}
	for i, want := range oracle.Over(f.archive.All, first, f.cases...) {
		if w, g := want.String(), oracle.Of(got[i]).String(); w != g {
			return difference(f.archive, f.cases[i], w, "case "+strconv.Itoa(i)+" of one pass\n"+g)
		}
	}
	return ""
}

// difference says all that is needed to look into a difference.
func difference(a *replaytest.Archive, c replay.Case, want, got string) string {
	s, _ := json.Marshal(c.Strategy)
	o, _ := json.Marshal(c.Options)
	return fmt.Sprintf("strategy %s\noptions %s\n\n%s\n--- oracle\n%s--- engine\n%s--- end\n", s, o, drawn.Text(a), want, got)
}

// tally counts what happened, to see that much did.
type tally struct {
	sync.Mutex
	cases, markets, signalled, trades int
	refusals, reasons, fills          map[string]int
	legs                              map[int]int
	proven                            int // orders filled by the tops
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
	if n.proven > 0 {
		fmt.Fprintf(&b, "%d orders filled by the tops\n", n.proven)
	}
	fmt.Fprintf(&b, "refusals %v\nexits %v\nfills %v\nlegs %v", n.refusals, n.reasons, n.fills, n.legs)
	return b.String()
}
