package care_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/scan"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/market"
)

// filled returns an archive with the captures of a scenario from two files, and
// the files.
func filled(t *testing.T) (*archivetest.Archive, []archivetest.File) {
	t.Helper()
	a := archivetest.NewFile(t)
	s := archivetest.NewScenario(5, 120)
	files := s.Split(5, 2)
	for i := range files {
		require.NoError(t, archivetest.Put(t.Context(), a, s, &files[i]))
	}
	return a, files
}

// TestPreviewIsTheRemoval: a preview changes nothing and says what Remove then
// does; what is left is sound.
func TestPreviewIsTheRemoval(t *testing.T) {
	t.Parallel()
	for name, selection := range map[string]func(a *archivetest.Archive, files []archivetest.File) care.Selection{
		"source": func(_ *archivetest.Archive, files []archivetest.File) care.Selection {
			return care.Selection{Sources: []store.SourceID{files[0].Source().SourceID()}}
		},
		"market": func(a *archivetest.Archive, _ []archivetest.File) care.Selection {
			rows, err := a.Markets(t.Context(), store.MarketQuery{})
			require.NoError(t, err)
			return care.Selection{Markets: []store.ID{rows[0].ID}}
		},
		"ended": func(*archivetest.Archive, []archivetest.File) care.Selection {
			return care.Selection{Before: archivetest.Start + market.Day}
		},
		"nothing": func(*archivetest.Archive, []archivetest.File) care.Selection { return care.Selection{} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, files := filled(t)
			sel := selection(a, files)
			before := archivetest.Dump(t, a)
			preview, err := care.Preview(t.Context(), a.Store(), sel)
			require.NoError(t, err)
			require.False(t, preview.Done)
			require.Equal(t, before, archivetest.Dump(t, a), "a preview changes nothing")
			require.Equal(t, name != "nothing", preview.Captures > 0)

			info, err := a.Info(t.Context())
			require.NoError(t, err)
			done, err := care.Remove(t.Context(), a.Store(), sel)
			require.NoError(t, err)
			require.NoError(t, done.Unshrunk)
			require.True(t, done.Done)
			after, err := a.Info(t.Context())
			require.NoError(t, err)
			require.Equal(t, blocks(info)-preview.Blocks, blocks(after))
			preview.Done = true
			require.Equal(t, preview, done)
			v, err := a.Verify(t.Context(), nil)
			require.NoError(t, err)
			require.Empty(t, v.Damage)
		})
	}
}

func blocks(info *care.Info) (n int64) {
	for _, s := range info.Streams {
		n += s.Blocks
	}
	return n
}

// TestInfo: the summary adds up with what is read back.
func TestInfo(t *testing.T) {
	t.Parallel()
	a, files := filled(t)
	info, err := a.Info(t.Context())
	require.NoError(t, err)
	require.Equal(t, len(files), info.Sources)
	rows, err := a.Markets(t.Context(), store.MarketQuery{})
	require.NoError(t, err)
	var captures int64
	first, last := market.Latest, market.Earliest
	for i := range rows {
		captures += rows[i].Stats.Captures
		first, last = min(first, rows[i].Stats.First), max(last, rows[i].Stats.Last)
	}
	require.Positive(t, captures)
	require.Equal(t, captures, info.Captures)
	require.Equal(t, [2]market.Instant{first, last}, [2]market.Instant{info.First, info.Last})
	stored, markets := int64(0), 0
	for _, s := range info.Streams {
		require.NotEqual(t, block.Stream(0), s.Stream)
		stored += s.Captures
	}
	for _, m := range info.Markets {
		markets += m.Markets
	}
	require.Equal(t, captures+info.Repeated, stored)
	require.Equal(t, len(rows), markets+info.Unlisted)
}

// damaged is a store one of whose blocks has a bit flipped on its way out.
type damaged struct {
	store.Store
	victim *store.BlockRef // as first read
}

func (d *damaged) ReadBlocks(ctx context.Context, refs []store.BlockRef, each func(int, []byte) error) error {
	return d.Store.ReadBlocks(ctx, refs, d.flip(refs, each))
}

func (d *damaged) View(ctx context.Context, read func(store.Reader) error) error {
	return d.Store.View(ctx, func(r store.Reader) error { return read(damagedReader{r, d}) })
}

type damagedReader struct {
	store.Reader
	d *damaged
}

func (r damagedReader) ReadBlocks(ctx context.Context, refs []store.BlockRef, each func(int, []byte) error) error {
	return r.Reader.ReadBlocks(ctx, refs, r.d.flip(refs, each))
}

func (d *damaged) flip(refs []store.BlockRef, each func(int, []byte) error) func(int, []byte) error {
	return func(i int, data []byte) error {
		if d.victim == nil {
			d.victim = &refs[i]
		}
		if *d.victim == refs[i] {
			data = append([]byte(nil), data...)
			data[len(data)/2] ^= 4
		}
		return each(i, data)
	}
}

// TestCopyLeavesDamageBehind: a damaged block is named and not copied; all else
// is, and the copy is sound. Copying again from the undamaged store completes it.
func TestCopyLeavesDamageBehind(t *testing.T) {
	t.Parallel()
	from, _ := filled(t)
	to := archivetest.NewFile(t)
	r, err := care.Copy(t.Context(), &damaged{Store: from.Store()}, to.Store(), nil)
	require.NoError(t, err)
	require.NotEmpty(t, r.Damage)
	require.NotEmpty(t, r.Damage[0].Problem)
	v, err := to.Verify(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, v.Damage)
	require.NotEmpty(t, v.Unfinished)
	require.NotEqual(t, archivetest.Dump(t, from), archivetest.Dump(t, to))

	r, err = care.Copy(t.Context(), from.Store(), to.Store(), nil)
	require.NoError(t, err)
	require.Empty(t, r.Damage)
	require.Equal(t, archivetest.Dump(t, from), archivetest.Dump(t, to))
}

// TestVerifySince looks at what ended or was updated at a time or later, and at nothing
// else: damage to the block of an earlier market is found without it alone.
func TestVerifySince(t *testing.T) {
	t.Parallel()
	a, _ := filled(t)
	rows, err := a.Markets(t.Context(), store.MarketQuery{Page: store.Page{Sort: store.ByEnd, Ascending: true}})
	require.NoError(t, err)
	times := func(row *store.Listing) market.Instant { return max(row.Market.End, row.UpdatedAt) }
	slices.SortFunc(rows, func(x, y store.Listing) int { return cmp.Compare(times(&x), times(&y)) })
	earliest, latest := rows[0], rows[len(rows)-1]
	require.Less(t, times(&earliest), times(&latest))
	require.NoError(t, a.Store().Update(t.Context(), func(w store.Writer) error {
		parts, err := w.Parts(t.Context(), earliest.Owners)
		require.NotEmpty(t, parts)
		parts[0].Captures++
		return errors.Join(err, w.Apply(t.Context(), &store.Changes{Parts: parts[:1]}))
	}))
	for since, damaged := range map[market.Instant]bool{0: true, times(&earliest): true, times(&earliest) + 1: false, times(&latest) + 1: false} {
		var done, of int64
		v, err := care.Verify(t.Context(), a.Store(), care.Check{Since: since, Progress: func(n, all int64) { done, of = n, all }})
		require.NoError(t, err)
		want := 0
		for i := range rows {
			if since == 0 || times(&rows[i]) >= since {
				want++
			}
		}
		require.EqualValues(t, want, v.Markets, "since %v", since)
		require.Equal(t, damaged, len(v.Damage) > 0, "since %v: %v", since, v.Damage)
		require.Equal(t, []int64{v.Markets, v.Markets}, []int64{done, of})
		require.NotZero(t, v.Watermark)
	}
}

// TestVerifyGivesUp: what was found before the caller wanted no more comes with the error.
func TestVerifyGivesUp(t *testing.T) {
	t.Parallel()
	a, _ := filled(t)
	ctx, cancel := context.WithCancel(t.Context())
	v, err := care.Verify(ctx, a.Store(), care.Check{Progress: func(int64, int64) { cancel() }})
	require.ErrorIs(t, err, context.Canceled)
	require.NotZero(t, v.Markets)
}

// TestCoverageCountsTrades: of each round it is said how many trades were captured in it,
// and how many of them with a size.
func TestCoverageCountsTrades(t *testing.T) {
	t.Parallel()
	a, _ := filled(t)
	trades := int64(0)
	require.NoError(t, care.CoverageOf(t.Context(), a.Store(), store.MarketQuery{UpDown: true}, func(c *care.Coverage) error {
		var all, sized int64
		for x, err := range scan.Captures(t.Context(), a.Store(), &c.Market) {
			require.NoError(t, err)
			if x.Kind != market.KindTrade || x.Recv < c.Market.Start || x.Recv >= c.Market.End {
				continue
			}
			if all++; x.Trade.Size > 0 {
				sized++
			}
		}
		require.Equal(t, [2]int64{all, sized}, [2]int64{c.Trades, c.Sized}, c.Market.Slug)
		trades += all
		return nil
	}))
	require.Positive(t, trades)
}
