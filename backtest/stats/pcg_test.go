package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The generator behind so many words is the one that has given as many.
func TestPCGBehind(t *testing.T) {
	t.Parallel()
	for _, seed := range []int64{0, 1, -1, 42, math.MaxInt64, math.MinInt64} {
		want := rand.NewPCG(uint64(seed), 0)
		for n := range uint64(300) {
			got := pcgBehind(seed, n)
			require.Equal(t, *want, *rand.NewPCG(got.hi, got.lo), "%d after %d", seed, n)
			require.Equal(t, want.Uint64(), got.next().word())
		}
	}
	want := rand.NewPCG(7, 0)
	for range 1_234_567 {
		want.Uint64()
	}
	got := pcgBehind(7, 1_234_567)
	require.Equal(t, *want, *rand.NewPCG(got.hi, got.lo))
}

// Intervals do not depend on how many parts the resamples are drawn in.
func TestBootstrapInParts(t *testing.T) {
	t.Parallel()
	cs := make([]cluster, 37)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range cs {
		cs[i] = cluster{pnl: r.Int64N(2_000_001) - 1_000_000, wins: r.Int64N(2), trades: 1 + r.Int64N(3)}
	}
	pnl, win := bootstrapIn(1, cs, 5)
	for _, parts := range []int{2, 3, 7, 64, Resamples + 5} {
		p, w := bootstrapIn(parts, cs, 5)
		require.Equal(t, pnl, p, parts)
		require.Equal(t, win, w, parts)
	}
}
