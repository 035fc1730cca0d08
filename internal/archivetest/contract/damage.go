package contract

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
)

// flipping is a store that flips a bit of one block on its way out.
type flipping struct {
	store.Store
	victim *store.BlockRef
	bit    int
}

func (f *flipping) flip(refs []store.BlockRef, each func(int, []byte) error) func(int, []byte) error {
	return func(i int, data []byte) error {
		if f.victim != nil && refs[i] == *f.victim {
			data = slices.Clone(data)
			data[f.bit/8] ^= 1 << (f.bit % 8)
		}
		return each(i, data)
	}
}

func (f *flipping) ReadBlocks(ctx context.Context, refs []store.BlockRef, each func(int, []byte) error) error {
	return f.Store.ReadBlocks(ctx, refs, f.flip(refs, each))
}

func (f *flipping) View(ctx context.Context, read func(store.Reader) error) error {
	return f.Store.View(ctx, func(r store.Reader) error { return read(flippingReader{r, f}) })
}

type flippingReader struct {
	store.Reader
	f *flipping
}

func (r flippingReader) ReadBlocks(ctx context.Context, refs []store.BlockRef, each func(int, []byte) error) error {
	return r.Reader.ReadBlocks(ctx, refs, r.f.flip(refs, each))
}

// testDamage flips bits in blocks: each is found, named by market, stream and
// span with the source that mends it, and spoils nothing but its market.
func testDamage(t *testing.T, open Open) {
	rnd := rand.New(rand.NewPCG(1, 5))
	s := archivetest.NewScenario(3, 120)
	under := &flipping{Store: open(t)}
	a := archivetest.New(under, intake.Config{BlockCaptures: 9})
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	f := s.Whole()
	require.NoError(t, archivetest.Put(t.Context(), a, s, &f))
	requireSound(t, a)
	rows, err := a.Markets(t.Context(), store.MarketQuery{})
	require.NoError(t, err)
	for i := range rows {
		for _, key := range slices.Concat(rows[i].Keys...) {
			var refs []store.BlockRef
			require.NoError(t, under.Store.View(t.Context(), func(r store.Reader) (err error) {
				refs, err = r.Refs(t.Context(), []store.ID{key}, 0, 1<<62)
				return err
			}))
			for k := range refs[:min(3, len(refs))] {
				under.victim, under.bit = &refs[k], rnd.IntN(refs[k].Bytes*8)
				checkDamage(t, a, rows, i, &refs[k], f.Name)
			}
			under.victim = nil
		}
	}
	requireSound(t, a)
}

func checkDamage(t *testing.T, a *archivetest.Archive, rows []store.Listing, i int, ref *store.BlockRef, file string) {
	t.Helper()
	v, err := a.Verify(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, v.Damage, 1)
	d := v.Damage[0]
	require.Equal(t, rows[i].Market.VenueID, d.Market)
	require.Equal(t, ref.Stream, d.Stream)
	require.Equal(t, ref.First, d.First)
	require.Equal(t, ref.Last, d.Last)
	require.Equal(t, file, d.Source.Name)
	for k := range rows {
		m := &rows[k].Market
		_, err := archivetest.Trace(m, a.Captures(t.Context(), m))
		if k == i {
			require.ErrorIs(t, err, store.ErrDamaged)
		} else {
			require.NoError(t, err)
		}
	}
}
