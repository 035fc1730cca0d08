//go:build unix

package postgres_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/simulate"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/strategy"
)

// replayMarkets is the variable that says how many simulated rounds, like those
// of the demo archive, TestReplayRatio replays from both stores:
//
//	LADDERBACK_REPLAY_MARKETS=1000 go test ./archive/postgres -run ReplayRatio -v
const replayMarkets = "LADDERBACK_REPLAY_MARKETS"

// TestReplayRatio replays the same rounds from the embedded store and from
// PostgreSQL in turn, and says how long each took, and how much of the processor
// this process used; the server's own work shows in the time alone.
func TestReplayRatio(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv(replayMarkets))
	if err != nil {
		t.Skipf("set %s to a number of markets", replayMarkets)
	}
	config := simulate.Demo()
	config.Pairs, config.Markets, config.Coins, config.Types = nil, n, []string{"BTC"}, []string{"15m"}
	sim, err := simulate.New(config)
	require.NoError(t, err)
	here, there := file(t), database(t)
	_, err = sim.Write(t.Context(), here.Archive, simulate.WriteOptions{})
	require.NoError(t, err)
	copied, err := care.Copy(t.Context(), here.Store(), there.Store(), nil)
	require.NoError(t, err)
	t.Logf("%d rounds, %d blocks of %.1f MB", copied.Markets, copied.Blocks, float64(copied.Bytes)/1e6)
	level := func(of strategy.Type, c strategy.Comparator, cents int) strategy.Condition {
		return strategy.Condition{Type: of, Token: strategy.TokenUp, Comparator: c, Threshold: strategy.Cents(cents)}
	}
	s := strategy.Strategy{
		Market: strategy.MarketSpec{Coin: "BTC", Type: "15m"}, Side: strategy.Up,
		Entry:          []strategy.Condition{level(strategy.Price, strategy.LT, 35), level(strategy.Spread, strategy.LTE, 2)},
		Exit:           strategy.Exit{TakeProfit: strategy.Cents(55).Ptr(), StopLoss: strategy.Cents(20).Ptr()},
		BudgetPerTrade: strategy.Int(50), SampleSize: min(n, 1000),
	}
	canonical, err := strategy.Canonicalize(s)
	require.NoError(t, err)
	const rounds = 7
	var wall, used [2][]float64
	var want []byte
	for range rounds {
		for i, a := range []*archivetest.Archive{here, there} {
			begin, before := time.Now(), processor(t)
			got := saved(t, a, canonical)
			wall[i] = append(wall[i], time.Since(begin).Seconds())
			used[i] = append(used[i], (processor(t) - before).Seconds())
			if want == nil {
				want = got
			}
			require.Equal(t, string(want), string(got))
		}
	}
	median := func(v []float64) float64 { slices.Sort(v); return v[len(v)/2] }
	t.Logf("wall: embedded %.2f s, PostgreSQL %.2f s: ratio %.2f", median(wall[0]), median(wall[1]), median(wall[1])/median(wall[0]))
	t.Logf("processor of this process: embedded %.2f s, PostgreSQL %.2f s: ratio %.2f", median(used[0]), median(used[1]), median(used[1])/median(used[0]))
}

// processor returns how long this process has used a processor.
func processor(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkPutBlocks writes transactions of 128 blocks of 32 KB each:
//
//	go test ./archive/postgres -run - -bench PutBlocks -benchtime 3s
func BenchmarkPutBlocks(b *testing.B) {
	s, _ := newStore(b)
	defer s.Close()
	rnd := rand.New(rand.NewPCG(1, 1))
	const many, size = 128, 32 << 10
	blocks := make([]store.Block, many)
	for i := range blocks {
		data := make([]byte, size) // as compressed: nothing is left to compress
		for k := range data {
			data[k] = byte(rnd.Uint32())
		}
		blocks[i] = store.Block{BlockRef: store.BlockRef{Stream: block.Books, Bytes: size}, Data: data}
	}
	b.SetBytes(many * size)
	next := store.ID(0)
	for b.Loop() {
		for i := range blocks {
			next++
			blocks[i].Token, blocks[i].First = next, market.Instant(next)
		}
		require.NoError(b, s.Update(b.Context(), func(w store.Writer) error {
			return w.Apply(b.Context(), &store.Changes{Blocks: blocks})
		}))
	}
	b.ReportMetric(float64(next)/b.Elapsed().Seconds(), "blocks/s")
}
