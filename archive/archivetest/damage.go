package archivetest

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive"
)

// flipping is a store that flips a bit of one block on its way out.
type flipping struct {
	archive.Store
	victim *archive.BlockRef
	bit    int
}

func (f *flipping) flip(refs []archive.BlockRef, each func(int, []byte) error) func(int, []byte) error {
	return func(i int, data []byte) error {
		if f.victim != nil && refs[i] == *f.victim {
			data = slices.Clone(data)
			data[f.bit/8] ^= 1 << (f.bit % 8)
		}
		return each(i, data)
	}
}

func (f *flipping) ReadBlocks(ctx context.Context, refs []archive.BlockRef, each func(int, []byte) error) error {
	return f.Store.ReadBlocks(ctx, refs, f.flip(refs, each))
}

func (f *flipping) View(ctx context.Context, read func(archive.Reader) error) error {
	return f.Store.View(ctx, func(r archive.Reader) error { return read(flippingReader{r, f}) })
}

type flippingReader struct {
	archive.Reader
	f *flipping
}

func (r flippingReader) ReadBlocks(ctx context.Context, refs []archive.BlockRef, each func(int, []byte) error) error {
	return r.Reader.ReadBlocks(ctx, refs, r.f.flip(refs, each))
}

// testDamage flips bits in blocks: each is found, named by market, stream and
// span with the source that mends it, and spoils nothing but its market.
func testDamage(t *testing.T, open Open) {
	rnd := rand.New(rand.NewPCG(1, 5))
	s := NewScenario(3, 120)
	store := &flipping{Store: open(t)}
	a := archive.New(store, archive.BlockCaptures(9))
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	f := s.Whole()
	require.NoError(t, Put(t.Context(), a, s, &f))
	requireSound(t, a)
	rows, err := a.Markets(t.Context(), archive.MarketQuery{})
	require.NoError(t, err)
	for i := range rows {
		for _, key := range slices.Concat(rows[i].Keys...) {
			var refs []archive.BlockRef
			require.NoError(t, store.Store.View(t.Context(), func(r archive.Reader) (err error) {
				refs, err = r.Refs(t.Context(), []archive.ID{key}, 0, 1<<62)
				return err
			}))
			for k := range refs[:min(3, len(refs))] {
				store.victim, store.bit = &refs[k], rnd.IntN(refs[k].Bytes*8)
				checkDamage(t, a, rows, i, &refs[k], f.Name)
			}
			store.victim = nil
		}
	}
	requireSound(t, a)
}

func checkDamage(t *testing.T, a *archive.Archive, rows []archive.Listing, i int, ref *archive.BlockRef, file string) {
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
		_, err := Trace(m, a.Captures(t.Context(), m))
		if k == i {
			require.ErrorIs(t, err, archive.ErrDamaged)
		} else {
			require.NoError(t, err)
		}
	}
}
