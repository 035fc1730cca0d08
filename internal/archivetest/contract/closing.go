package contract

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
)

// testClose closes an archive while it is read, and again: those that read get
// what they asked for or an error, and nobody waits for ever.
func testClose(t *testing.T, open Open) {
	s := archivetest.NewScenario(3, 200)
	f := s.Whole()
	a := newArchive(t, open, intake.Config{BlockCaptures: 3})
	require.NoError(t, archivetest.Put(t.Context(), a, s, &f))
	want := find(t, a, s.Markets[0].Slug)

	var readers, begun sync.WaitGroup
	for range 20 {
		readers.Add(1)
		begun.Add(1)
		go func() {
			defer readers.Done()
			for first := true; ; first = false {
				row, err := a.Market(t.Context(), s.Markets[0].Slug, "")
				if err == nil {
					_, err = archivetest.Trace(&row.Market, a.Captures(t.Context(), &row.Market))
				}
				if first {
					begun.Done()
				}
				if err != nil {
					return
				}
			}
		}()
	}
	begun.Wait()
	var closers sync.WaitGroup
	for range 3 {
		closers.Go(func() { require.NoError(t, a.Close()) })
	}
	closers.Wait()
	readers.Wait()
	require.NoError(t, a.Close())

	_, err := a.Markets(t.Context(), store.MarketQuery{})
	require.Error(t, err)
	for _, err := range a.Captures(t.Context(), &want.Market) {
		require.Error(t, err)
	}
	require.Error(t, archivetest.Put(t.Context(), a, s, &archivetest.File{Name: "late.jsonl", Messages: f.Messages}))
}
