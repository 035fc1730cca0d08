package sqlite_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/simulate"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/sqlite/file"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/market"
)

// BenchmarkDemo makes the demo archive and reads it:
//
//	go test ./archive/sqlite -run - -bench Demo -benchtime 1x
func BenchmarkDemo(b *testing.B) {
	for b.Loop() {
		path := filepath.Join(b.TempDir(), "a.db")
		opened, _, err := sqlite.Create(b.Context(), path)
		require.NoError(b, err)
		a := archivetest.New(opened)
		sim, err := simulate.New(simulate.Demo())
		require.NoError(b, err)
		begin := time.Now()
		src, err := sim.Write(b.Context(), a.Archive, simulate.WriteOptions{})
		require.NoError(b, err)
		b.Logf("made in %v: %+v", time.Since(begin), src.Counts)
		begin = time.Now()
		rounds, err := a.Rounds(b.Context(), market.RoundFilter{})
		require.NoError(b, err)
		b.Logf("%d rounds in %v", len(rounds), time.Since(begin))
		begin = time.Now()
		n := 0
		for _, r := range rounds {
			for _, err := range a.Captures(b.Context(), r.Market) {
				require.NoError(b, err)
				n++
			}
		}
		b.Logf("%d captures in %v", n, time.Since(begin))
		begin = time.Now()
		v, err := a.Verify(b.Context(), nil)
		require.NoError(b, err)
		require.Empty(b, v.Damage)
		b.Logf("verified in %v", time.Since(begin))
		require.NoError(b, a.Close())
		require.NoError(b, file.Seal(b.Context(), path))
	}
}
