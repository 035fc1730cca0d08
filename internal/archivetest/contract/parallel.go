package contract

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/market"
)

// testParallel imports all files at once: the archive is that of one after the
// other. What is read meanwhile is sound.
func testParallel(t *testing.T, open Open) {
	for seed := range seeds(t, 3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			s := archivetest.NewScenario(seed, 150)
			files := append(s.Split(seed, 5), archivetest.Metadata(s, seed, 3)...)
			alone := newArchive(t, open, intake.Config{BlockCaptures: 4})
			for i := range files {
				require.NoError(t, archivetest.Put(t.Context(), alone, s, &files[i]))
			}
			a := newArchive(t, open, intake.Config{BlockCaptures: 4})
			g, ctx := errgroup.WithContext(t.Context())
			for i := range files {
				g.Go(func() error { return archivetest.Put(ctx, a, s, &files[i]) })
				g.Go(func() error { return archivetest.Put(ctx, a, s, &files[len(files)-1-i]) })
			}
			g.Go(func() error {
				v, err := a.Verify(ctx, nil)
				if err == nil && len(v.Damage) > 0 {
					err = errors.New(v.Damage[0].String())
				}
				return err
			})
			require.NoError(t, g.Wait())
			require.Equal(t, archivetest.Dump(t, alone), archivetest.Dump(t, a))
			requireSound(t, a)
		})
	}
}

// testOneImport puts the markets of one file from several goroutines.
func testOneImport(t *testing.T, open Open) {
	s := archivetest.NewScenario(4, 300)
	f := s.Whole()
	alone := newArchive(t, open, intake.Config{BlockCaptures: 4})
	require.NoError(t, archivetest.Put(t.Context(), alone, s, &f))
	a := newArchive(t, open, intake.Config{BlockCaptures: 4})
	imp, err := a.Begin(t.Context(), f.Source())
	require.NoError(t, err)
	defer imp.Close()
	g, ctx := errgroup.WithContext(t.Context())
	for i := range s.Markets {
		g.Go(func() error { return putMarket(ctx, imp, s, i) })
	}
	require.NoError(t, g.Wait())
	src, err := imp.Finish(t.Context(), intake.End{Messages: int64(len(s.Messages)), Rejected: map[string]int64{"none": 1}, Problem: "cut"})
	require.NoError(t, err)
	require.True(t, src.Complete)
	require.Equal(t, archivetest.Dump(t, alone), archivetest.Dump(t, a))
	list, err := a.Sources(t.Context())
	require.NoError(t, err)
	require.Equal(t, []store.Source{src}, list)
	require.EqualValues(t, len(s.Markets), src.Counts.Markets)
	require.Positive(t, src.Counts.Duplicates)
}

func putMarket(ctx context.Context, imp *intake.Import, s *archivetest.Scenario, i int) error {
	m, err := imp.Market(ctx, s.Markets[i])
	if err != nil {
		return err
	}
	for _, msg := range s.Messages {
		if msg.Market != i {
			continue
		}
		c := msg.Capture
		if err := m.Add(&c); err != nil {
			return err
		}
	}
	return m.Done(ctx)
}

// testReopen closes a market in the middle of a file and opens it again, and
// lets the file name the market by slug before it gives the id.
func testReopen(t *testing.T, open Open) {
	s := archivetest.NewScenario(6, 200)
	f := s.Whole()
	alone := newArchive(t, open, intake.Config{BlockCaptures: 4})
	require.NoError(t, archivetest.Put(t.Context(), alone, s, &f))
	want := contents(t, alone)
	for _, slugFirst := range []bool{false, true} {
		a := newArchive(t, open, intake.Config{BlockCaptures: 4, Memory: 1000})
		imp, err := a.Begin(t.Context(), f.Source())
		require.NoError(t, err)
		for n, msg := range s.Messages {
			m := s.Markets[msg.Market]
			if slugFirst && n < len(s.Messages)/2 {
				m = market.Market{Venue: m.Venue, Slug: m.Slug, Category: m.Category, Tokens: m.Tokens}
			}
			mi, err := imp.Market(t.Context(), m)
			require.NoError(t, err)
			c := msg.Capture
			require.NoError(t, mi.Add(&c))
			if n%17 == 0 {
				require.NoError(t, mi.Done(t.Context()))
			}
		}
		_, err = imp.Finish(t.Context(), intake.End{})
		require.NoError(t, err)
		require.NoError(t, imp.Close())
		require.Equal(t, want, contents(t, a), "slug first: %v", slugFirst)
		requireSound(t, a)
	}
}

// testNeverDone leaves an import in the middle: no capture of it is seen, and
// importing the file completes it, as removing it leaves nothing.
func testNeverDone(t *testing.T, open Open) {
	s := archivetest.NewScenario(8, 200)
	f := s.Whole()
	a := newArchive(t, open, intake.Config{BlockCaptures: 4, Memory: 1000})
	imp, err := a.Begin(t.Context(), f.Source())
	require.NoError(t, err)
	for _, msg := range s.Messages {
		mi, err := imp.Market(t.Context(), s.Markets[msg.Market])
		require.NoError(t, err)
		c := msg.Capture
		require.NoError(t, mi.Add(&c))
	}
	require.NoError(t, imp.Close())
	rows, err := a.Markets(t.Context(), store.MarketQuery{Unlisted: true})
	require.NoError(t, err)
	for _, r := range rows {
		require.Zero(t, r.Stats)
		_, err := archivetest.Trace(&r.Market, a.Captures(t.Context(), &r.Market))
		require.NoError(t, err)
	}
	requireSound(t, a)
	info, err := a.Info(t.Context())
	require.NoError(t, err)
	require.Positive(t, info.Waiting)
	require.Equal(t, 1, info.Unfinished)
	list, err := a.Sources(t.Context())
	require.NoError(t, err)
	require.False(t, list[0].Complete)
	require.Positive(t, list[0].Counts.Blocks, "some of it was written")
	b := newArchive(t, open)
	_, err = care.Copy(t.Context(), a.Store(), b.Store(), nil)
	require.NoError(t, err)
	require.NoError(t, b.RemoveSource(t.Context(), list[0].ID))
	info, err = b.Info(t.Context())
	require.NoError(t, err)
	require.Zero(t, info.Waiting)
	requireSound(t, b)
	require.NoError(t, archivetest.Put(t.Context(), a, s, &f))
	checkModel(t, a, s)
	requireSound(t, a)
}

// testStill gives many captures one receive time, in one file and in two that
// overlap: the order is that of the file, equal ones count once.
func testStill(t *testing.T, open Open) {
	s := archivetest.NewScenario(2, 300)
	for i := range s.Messages {
		s.Messages[i].Capture.Recv = archivetest.Start
	}
	f := s.Whole()
	a := newArchive(t, open)
	require.NoError(t, archivetest.Put(t.Context(), a, s, &f))
	checkModel(t, a, s)
	want := contents(t, a)
	again := s.Whole()
	again.Name = "again.jsonl"
	require.NoError(t, archivetest.Put(t.Context(), a, s, &again))
	checkModel(t, a, s)
	require.Equal(t, want, contents(t, a))
}

// testRecut takes up an import that was left in the middle by a program that
// cut blocks differently.
func testRecut(t *testing.T, open Open) {
	for _, memory := range []int{1000, 1 << 20} {
		t.Run(fmt.Sprint(memory), func(t *testing.T) {
			s := archivetest.NewScenario(8, 200)
			f := s.Whole()
			under := open(t)
			leave(t, archivetest.New(under, intake.Config{BlockCaptures: 4, Memory: 1000}), s, &f)
			a := archivetest.New(under, intake.Config{BlockCaptures: 7, Memory: memory})
			t.Cleanup(func() { require.NoError(t, a.Close()) })
			err := archivetest.Put(t.Context(), a, s, &f)
			if errors.Is(err, store.ErrAgain) {
				requireSound(t, a)
				err = archivetest.Put(t.Context(), a, s, &f)
			}
			require.NoError(t, err)
			checkModel(t, a, s)
			requireSound(t, a)
		})
	}
}

// leave begins to import a file, and ends before it is finished.
func leave(t *testing.T, a *archivetest.Archive, s *archivetest.Scenario, f *archivetest.File) {
	imp, err := a.Begin(t.Context(), f.Source())
	require.NoError(t, err)
	putAll(t, imp, s)
	require.NoError(t, imp.Close())
}

func putAll(t *testing.T, imp *intake.Import, s *archivetest.Scenario) {
	for _, msg := range s.Messages {
		mi, err := imp.Market(t.Context(), s.Markets[msg.Market])
		require.NoError(t, err)
		c := msg.Capture
		require.NoError(t, mi.Add(&c))
	}
}

// testOvertaken lets an import be overtaken by another one of the same file:
// what that one has reported as imported stays so, whatever becomes of the
// first.
func testOvertaken(t *testing.T, open Open) {
	s := archivetest.NewScenario(8, 200)
	f := s.Whole()
	a := newArchive(t, open, intake.Config{BlockCaptures: 4, Memory: 1000})
	slow, err := a.Begin(t.Context(), f.Source())
	require.NoError(t, err)
	require.NoError(t, archivetest.Put(t.Context(), a, s, &f))
	want := archivetest.Dump(t, a)
	putAll(t, slow, s)
	require.NoError(t, slow.Close())
	require.Equal(t, want, archivetest.Dump(t, a))
	requireSound(t, a)
	list, err := a.Sources(t.Context())
	require.NoError(t, err)
	require.True(t, list[0].Complete)
}
