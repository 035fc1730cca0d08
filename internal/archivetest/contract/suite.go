// Package contract is what every store of an archive must pass: one
// suite, run over each store, in the words of package archive alone.
package contract

import (
	"fmt"
	"iter"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/market"
)

// Open returns a new, empty store.
type Open func(t testing.TB) store.Store

// contents returns the content hash of each market, by slug.
func contents(t testing.TB, a *archivetest.Archive) map[string]string {
	t.Helper()
	rows, err := a.Markets(t.Context(), store.MarketQuery{})
	require.NoError(t, err)
	out := map[string]string{}
	for _, r := range rows {
		out[r.Market.Slug] = fmt.Sprintf("%x of %d", r.Stats.Content, r.Stats.Captures)
	}
	return out
}

// Lists runs the part of the suite that is about lists, for a store with several
// ways to read them.
func Lists(t *testing.T, open Open) { testLists(t, open) }

// Run runs the suite.
func Run(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, Open){
		"captures are those of the model":     testModel,
		"content does not depend on the cuts": testSplits,
		"rows do not depend on the order":     testOrder,
		"deferred is as good as at once":      testDeferred,
		"a suffix is the end of the whole":    testFrom,
		"a page costs the same everywhere":    testCost,
		"what is kept is what is there":       testRemember,
		"who reads what is gone is told so":   testChanged,
		"a market that goes while it is read": testGone,
		"planned captures are the same":       testPlanned,
		"rounds listed once give the same":    testListed,
		"moments differ as archives do":       testMoment,
		"lists are what their filters say":    testLists,
		"status and times":                    testStatus,
		"sources can be removed":              testRemove,
		"imports at once are as good as one":  testParallel,
		"one import, many hands":              testOneImport,
		"a clock that stands still":           testStill,
		"a market is opened again":            testReopen,
		"an import begun otherwise":           testRecut,
		"an import that is overtaken":         testOvertaken,
		"an import that another program left": testResumed,
		"an import left in the middle":        testNeverDone,
		"coverage, worked out by hand":        testCoverage,
		"a pair counts once":                  testPair,
		"rounds that no list has":             testUnlistedRounds,
		"a sample is of all rounds":           testSamples,
		"every answer is that of a recount":   testRecount,
		"the newest are not looked for long":  testNewest,
		"counts that are not of the markets":  testMiscounted,
		"closing":                             testClose,
		"a copy is the same":                  testCopy,
		"damage is found, named and mended":   testDamage,
		"tops are those of the captures":      testTops,
		"tops say where the ladders are":      testPlaces,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open)
		})
	}
}

// Seeds names the variable that says how many seeds the tests of this suite
// that make up scenarios take, instead of a few.
const Seeds = "LADDERBACK_SEEDS"

// Most is how many seeds a test takes at most where Seeds says nothing. What they vary is
// made of captures above all stores, so that the store that costs least takes all of them
// and the others some.
var Most uint64 = math.MaxUint64

func seeds(t testing.TB, usual uint64) uint64 {
	s := os.Getenv(Seeds)
	if s == "" {
		return min(usual, Most)
	}
	n, err := strconv.ParseUint(s, 10, 32)
	require.NoError(t, err)
	return n
}

func newArchive(t testing.TB, open Open, c ...intake.Config) *archivetest.Archive {
	a := archivetest.New(open(t), c...)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	return a
}

func testModel(t *testing.T, open Open) {
	for seed := range seeds(t, 5) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			s := archivetest.NewScenario(seed, 20+int(seed%10)*40)
			a := newArchive(t, open, intake.Config{BlockCaptures: 1 + int(seed)%7, Memory: 500 << (seed % 5 * 3)})
			f := s.Whole()
			require.NoError(t, archivetest.Put(t.Context(), a, s, &f))
			checkModel(t, a, s)
		})
	}
}

// checkModel compares what the archive hands out with the naive model.
func checkModel(t testing.TB, a *archivetest.Archive, s *archivetest.Scenario) {
	t.Helper()
	for i := range s.Markets {
		row, err := a.Market(t.Context(), s.Markets[i].Slug, "")
		require.NoError(t, err)
		m := &row.Market
		var own []archivetest.Message
		for _, msg := range s.Messages {
			if msg.Market == i {
				own = append(own, msg)
			}
		}
		place := func(k int) int {
			want := s.Markets[i].Tokens[k]
			return slices.IndexFunc(m.Tokens, func(o market.Token) bool {
				return o.VenueID == want.VenueID || want.VenueID == "" && o.Label == want.Label
			})
		}
		want, err := archivetest.Trace(m, archivetest.Model(m, own, place))
		require.NoError(t, err)
		got, err := archivetest.Trace(m, a.Captures(t.Context(), m))
		require.NoError(t, err)
		require.Equal(t, want, got, "market %s", m.Slug)
		checkSpan(t, row, archivetest.Model(m, own, place))
	}
}

// checkSpan compares what a row says of when its market was captured with the
// captures that the archive hands out for it.
func checkSpan(t testing.TB, row *store.Listing, captures iter.Seq2[*market.Capture, error]) {
	t.Helper()
	var first, last market.Instant
	inside := false
	for c, err := range captures {
		require.NoError(t, err)
		if c.Kind == market.KindReset {
			continue
		}
		if first == 0 {
			first = c.Recv
		}
		last = c.Recv
		inside = inside || row.Market.Start <= c.Recv && c.Recv < row.Market.End
	}
	s := row.Stats
	require.Equal(t, []any{first, last, inside}, []any{s.First, s.Last, s.Captured}, "market %s", row.Market.Slug)
}

// checkRepeated compares what Info counts of two archives of the same captures,
// of which whole has them of one source.
func checkRepeated(t testing.TB, whole, a *archivetest.Archive) {
	t.Helper()
	want, err := whole.Info(t.Context())
	require.NoError(t, err)
	got, err := a.Info(t.Context())
	require.NoError(t, err)
	require.Equal(t, want.Captures, got.Captures)
	stored := int64(0)
	for _, s := range got.Streams {
		stored += s.Captures
	}
	require.Equal(t, stored, got.Captures+got.Repeated)
}

func testSplits(t *testing.T, open Open) {
	for seed := range seeds(t, 5) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			s := archivetest.NewScenario(seed, 60+int(seed%10)*30)
			whole := newArchive(t, open, intake.Config{BlockCaptures: 5})
			f := s.Whole()
			require.NoError(t, archivetest.Put(t.Context(), whole, s, &f))
			want := contents(t, whole)
			for cut := range uint64(3) {
				a := newArchive(t, open, intake.Config{BlockCaptures: 1 + int(cut)*3, Memory: 1 << (9 + 4*cut)})
				files := s.Split(seed*10+cut, 5)
				for i := range files {
					require.NoError(t, archivetest.Put(t.Context(), a, s, &files[i]))
					require.NoError(t, archivetest.Put(t.Context(), a, s, &files[i]))
				}
				require.Equal(t, want, contents(t, a), "seed %d cut %d", seed, cut)
				checkRepeated(t, whole, a)
				checkModel(t, a, s)
			}
		})
	}
}
