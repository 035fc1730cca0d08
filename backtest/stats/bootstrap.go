package stats

import (
	"cmp"
	"math/big"
	"math/bits"
	"runtime"
	"slices"
	"sync"

	"github.com/ladderback/ladderback/market"
)

// Resamples is how many times the trades are resampled for an interval.
const Resamples = 10_000

// The percentiles of the resamples that bound a 95 % interval, by nearest rank
// (the inverse of the empirical distribution, without interpolation): of the
// sorted 10,000 the 250th and the 9,750th.
const (
	lowRank  = Resamples*25/1000 - 1
	highRank = Resamples*975/1000 - 1
)

// interval is a 95 % interval of a mean, [low, high], with the exact sums that
// its ends came from.
type interval struct {
	low, high mean
}

// mean is a sum over a count, count > 0.
type mean struct {
	sum int64
	n   int64
}

// compare orders two means exactly.
func (m mean) compare(o mean) int {
	if ms, os := cmp.Compare(m.sum, 0), cmp.Compare(o.sum, 0); ms != os {
		return cmp.Compare(ms, os)
	}
	// Same sign: |m.sum|·o.n against |o.sum|·m.n in 128 bits.
	ah, al := bits.Mul64(magnitude(m.sum), uint64(o.n))
	bh, bl := bits.Mul64(magnitude(o.sum), uint64(m.n))
	c := cmp.Compare(ah, bh)
	if c == 0 {
		c = cmp.Compare(al, bl)
	}
	if m.sum < 0 {
		return -c
	}
	return c
}

func magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

// decimal returns m rounded half even, for a sum in micro-units.
func (m mean) decimal() Decimal { return Round(big.NewInt(m.sum), big.NewInt(m.n)) }

// cluster is the sum over the trades of one close.
type cluster struct {
	pnl, wins, trades int64
}

// clusters groups trades by close, in order of close.
func clusters(trades []Trade) []cluster {
	at := make(map[market.Instant]int)
	var ends []market.Instant
	for i := range trades {
		if _, ok := at[trades[i].Close]; !ok {
			at[trades[i].Close] = 0
			ends = append(ends, trades[i].Close)
		}
	}
	slices.Sort(ends)
	for i, e := range ends {
		at[e] = i
	}
	cs := make([]cluster, len(ends))
	for i := range trades {
		c := &cs[at[trades[i].Close]]
		c.pnl += int64(trades[i].PnL)
		c.trades++
		if trades[i].PnL > 0 {
			c.wins++
		}
	}
	return cs
}

// bootstrap returns the 95 % percentile intervals of the mean pnl (in
// micro-dollars) and of the win rate (as wins per trade) over the clusters, of
// which there must be one at least.
//
// Method: the percentile interval of the nonparametric bootstrap (B. Efron, R.
// Tibshirani, An Introduction to the Bootstrap, 1993, 13.3) with whole clusters
// as units of resampling (A. C. Cameron, J. B. Gelbach, D. L. Miller,
// "Bootstrap-Based Improvements for Inference with Clustered Errors", Review of
// Economics and Statistics 90, 2008: the pairs cluster bootstrap). Each of the
// 10,000 resamples draws as many clusters as there are, with replacement, and
// takes the sum over their trades divided by the count of their trades; both
// intervals use the same draws.
//
// One generator, PCG-DXSM with the two words (seed, 0), serves all resamples in
// order; cluster index = high 64 bits of (next word × number of clusters). Sums
// are integers and means are ordered as exact fractions, so the result depends
// on nothing but the trades and the seed.
func bootstrap(cs []cluster, seed int64) (pnl, win interval) {
	return bootstrapIn(runtime.GOMAXPROCS(0), cs, seed)
}

// bootstrapIn is bootstrap with the resamples drawn in so many parts, beside one
// another: each draws with the generator as it is behind the parts before.
func bootstrapIn(parts int, cs []cluster, seed int64) (pnl, win interval) {
	pnls, wins := make([]mean, Resamples), make([]mean, Resamples)
	var parted sync.WaitGroup
	for part := range parts {
		from, to := part*Resamples/parts, (part+1)*Resamples/parts
		parted.Go(func() {
			half := from + (to-from)/2
			a, b := pcgBehind(seed, uint64(from)*uint64(len(cs))), pcgBehind(seed, uint64(half)*uint64(len(cs)))
			for r := from; r < half; r++ {
				two := half + r - from
				var one, other cluster
				one, other, a, b = resampleTwo(cs, a, b)
				pnls[r], wins[r] = one.means()
				pnls[two], wins[two] = other.means()
			}
			if to-from > 2*(half-from) {
				one, _, _, _ := resampleTwo(cs, b, b)
				pnls[to-1], wins[to-1] = one.means()
			}
		})
	}
	parted.Wait()
	parted.Go(func() { slices.SortFunc(pnls, mean.compare) })
	slices.SortFunc(wins, mean.compare)
	parted.Wait()
	return interval{pnls[lowRank], pnls[highRank]}, interval{wins[lowRank], wins[highRank]}
}

// resampleTwo draws len(cs) clusters from each of two states of the generator, and
// returns the sums and the states behind them. A word waits for the one before it, but
// not for one of another state.
func resampleTwo(cs []cluster, a, b uint128) (one, other cluster, _, _ uint128) {
	n := uint64(len(cs))
	for range cs {
		a, b = a.next(), b.next()
		i, _ := bits.Mul64(a.word(), n)
		k, _ := bits.Mul64(b.word(), n)
		one.add(&cs[i])
		other.add(&cs[k])
	}
	return one, other, a, b
}

func (c *cluster) add(o *cluster) {
	c.pnl += o.pnl
	c.wins += o.wins
	c.trades += o.trades
}

// means returns the mean pnl and the share of wins of the trades.
func (c *cluster) means() (pnl, win mean) { return mean{c.pnl, c.trades}, mean{c.wins, c.trades} }
