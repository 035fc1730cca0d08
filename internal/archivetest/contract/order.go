package contract

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
)

// testOrder imports captures and metadata in several orders, with and without
// further sources that are removed again: the archive is the same.
func testOrder(t *testing.T, open Open) {
	for seed := range seeds(t, 4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 4))
			s := archivetest.NewScenario(seed, 40)
			files := append(s.Split(seed, 3), archivetest.Metadata(s, seed, 1+int(seed)%6)...)
			extra := append(s.Split(seed+1000, 2), archivetest.Metadata(s, seed+1000, 2)...)
			var want string
			for round := range 3 {
				a := newArchive(t, open)
				all := append([]archivetest.File(nil), files...)
				if round > 0 {
					all = append(all, extra...)
					rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
				}
				for i := range all {
					require.NoError(t, archivetest.Put(t.Context(), a, s, &all[i]))
				}
				if round > 0 {
					for i := range extra {
						require.NoError(t, a.RemoveSource(t.Context(), extra[i].Source().SourceID()))
					}
				}
				got := archivetest.Dump(t, a)
				if round == 0 {
					want = got
					continue
				}
				require.Equal(t, want, got, "seed %d round %d", seed, round)
			}
		})
	}
}

// testDeferred imports captures and metadata with the settling put off, which is done
// now and then, or when too much is held: the archive is the same. Some of the files
// are there already, were begun and left, or are given twice.
func testDeferred(t *testing.T, open Open) {
	for seed := range seeds(t, 4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 5))
			s := archivetest.NewScenario(seed, 40)
			files := append(s.Split(seed, 2), archivetest.Metadata(s, seed, 6)...)
			want := newArchive(t, open)
			for i := range files {
				require.NoError(t, archivetest.Put(t.Context(), want, s, &files[i]))
			}
			for _, c := range []intake.Config{{}, {BlockCaptures: 5, Memory: 1000}} {
				a := newArchive(t, open, c)
				rnd.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
				for i := range files {
					switch rnd.IntN(5) {
					case 0:
						require.NoError(t, archivetest.Put(t.Context(), a, s, &files[i]))
					case 1: // it said something else, and was left in the middle
						other := archivetest.Metadata(s, seed+100, 1)[0]
						imp, err := a.Begin(t.Context(), files[i].Source())
						require.NoError(t, err)
						imp.Defer()
						m, err := imp.Market(t.Context(), other.Claims[0])
						require.NoError(t, err)
						require.NoError(t, m.Done(t.Context()))
						require.NoError(t, imp.Close())
					case 2:
						require.NoError(t, a.Settle(t.Context(), nil))
					}
				}
				for i := range files {
					require.NoError(t, archivetest.Defer(t.Context(), a, s, &files[i]))
					if rnd.IntN(3) == 0 {
						require.NoError(t, archivetest.Defer(t.Context(), a, s, &files[rnd.IntN(i+1)]))
					}
					if rnd.IntN(4) == 0 {
						require.NoError(t, a.Settle(t.Context(), nil))
					}
				}
				through := 0
				require.NoError(t, a.Settle(t.Context(), func(done, all int) {
					require.Greater(t, done, through)
					through = done
					require.LessOrEqual(t, done, all)
				}))
				require.Equal(t, archivetest.Dump(t, want), archivetest.Dump(t, a), "seed %d, %+v", seed, c)
				requireSameSources(t, want, a)
				v, err := a.Verify(t.Context(), nil)
				require.NoError(t, err)
				require.Empty(t, v.Damage)
				require.Empty(t, v.Unfinished)
			}
		})
	}
}

// requireSameSources holds the sources of two archives against one another, blocks and
// duplicates aside: those depend on how captures were cut.
func requireSameSources(t testing.TB, a, b *archivetest.Archive) {
	t.Helper()
	var have [2][]store.Source
	for i, x := range []*archivetest.Archive{a, b} {
		list, err := x.Sources(t.Context())
		require.NoError(t, err)
		for _, src := range list {
			src.Counts = store.Counts{Messages: src.Counts.Messages, Rejected: src.Counts.Rejected, Markets: src.Counts.Markets}
			have[i] = append(have[i], src)
		}
	}
	require.ElementsMatch(t, have[0], have[1])
}
