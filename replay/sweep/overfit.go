package sweep

import (
	"math"
	"math/bits"

	"golang.org/x/sync/errgroup"

	"github.com/ladderback/ladderback/backtest/stats"
)

// Overfit says how often choosing the best of the eligible variants on one half of the time
// would have chosen badly for the other half.
type Overfit struct {
	// Probability is that of backtest overfitting: the share of splits in which the variant
	// with the best Sharpe ratio in one half is no better than the median of all in the other.
	Probability stats.Decimal `json:"probability"`
	// Loss is the share of splits in which it lost money in the other half.
	Loss stats.Decimal `json:"loss_probability"`
	// Blocks is into how many stretches of time of as many ends of rounds each, up to one,
	// the sample is cut, Splits how many ways there are to choose half of them.
	Blocks int `json:"blocks"`
	Splits int `json:"splits"`
}

// The most blocks that the time is cut into, and the fewest ends that one should have.
const (
	mostBlocks = 16
	blockEnds  = 4
)

// overfit is combinatorially symmetric cross-validation over blocks of ends in order of time:
// each case is what one variant made at every end. It returns nil for fewer than two cases,
// or where there are no four blocks.
//
// D. H. Bailey, J. M. Borwein, M. López de Prado, Q. J. Zhu, "The Probability of Backtest
// Overfitting", Journal of Computational Finance 20 (4), 2017: of all splits of the blocks
// into two equal halves the case with the best Sharpe ratio in the first is ranked among all
// in the second, ω = rank ÷ (cases + 1), and the probability is the share with
// ln(ω ÷ (1 − ω)) ≤ 0. Cases that are equally good share the mean of their ranks; one without
// a deviation has the ratio 0.
func overfit(cases [][]int64, workers int) *Overfit {
	if len(cases) < 2 {
		return nil
	}
	ends := len(cases[0])
	blocks := min(mostBlocks, ends/blockEnds&^1)
	if blocks < 4 {
		return nil
	}
	return overfitOver(cases, blocks, max(workers, 1))
}

// overfitOver is overfit over an even number of blocks.
func overfitOver(cases [][]int64, blocks, workers int) *Overfit {
	v := newHalves(cases, blocks)
	counts := make([]chosenBadly, workers)
	var group errgroup.Group
	for part := range counts {
		group.Go(func() error {
			counts[part] = v.count(part, workers)
			return nil
		})
	}
	_ = group.Wait() // none fails
	var all chosenBadly
	for _, c := range counts {
		all.splits, all.median, all.loss = all.splits+c.splits, all.median+c.median, all.loss+c.loss
	}
	return &Overfit{
		Probability: stats.Ratio(int64(all.median), int64(all.splits)), Loss: stats.Ratio(int64(all.loss), int64(all.splits)),
		Blocks: blocks, Splits: all.splits,
	}
}

// chosenBadly counts splits: all, those in which the best of a half is no better than the
// median in the other, and those in which it lost money there.
type chosenBadly struct{ splits, median, loss int }

// part is the sum of some blocks of a case, and the sum of the squares.
type part struct{ sum, squares float64 }

func (p part) plus(o part) part  { return part{p.sum + o.sum, p.squares + o.squares} }
func (p part) minus(o part) part { return part{p.sum - o.sum, p.squares - o.squares} }

// halves knows the sums of every subset of the first half of the blocks, and of the second.
type halves struct {
	cases, blocks int
	ends          []int    // of each block
	sums          [][]part // by block, then by case
	high          [][]part // by subset of the second half of the blocks, then by case
	whole         []part
}

func newHalves(cases [][]int64, blocks int) *halves {
	v := &halves{cases: len(cases), blocks: blocks, ends: make([]int, blocks), whole: make([]part, len(cases))}
	n := len(cases[0])
	for b := range blocks {
		from, to := b*n/blocks, (b+1)*n/blocks
		v.ends[b] = to - from
		row := make([]part, len(cases))
		for k, xs := range cases {
			for _, x := range xs[from:to] {
				row[k].sum += float64(x)
				row[k].squares += float64(float64(x) * float64(x))
			}
			v.whole[k] = v.whole[k].plus(row[k])
		}
		v.sums = append(v.sums, row)
	}
	half := blocks / 2
	for mask := range 1 << (blocks - half) {
		v.high = append(v.high, v.of(uint(mask)<<half))
	}
	return v
}

// of sums the blocks of a mask, case by case.
func (v *halves) of(mask uint) []part {
	out := make([]part, v.cases)
	for ; mask != 0; mask &= mask - 1 {
		for k, p := range v.sums[bits.TrailingZeros(mask)] {
			out[k] = out[k].plus(p)
		}
	}
	return out
}

// count goes through every workers-th subset of the first half of the blocks, each with all
// of the second that make half of the blocks with it: once for two splits, one of which has
// the first block.
func (v *halves) count(first, workers int) chosenBadly {
	var out chosenBadly
	half := v.blocks / 2
	here, there := make([]float64, v.cases), make([]float64, v.cases)
	for low := 1 + 2*first; low < 1<<half; low += 2 * workers {
		base := v.of(uint(low))
		for high, upper := range v.high {
			mask := uint(low) | uint(high)<<half
			if bits.OnesCount(mask) != half {
				continue
			}
			n := 0
			for b, ends := range v.ends {
				n += ends * int(mask>>b&1)
			}
			m := total(v.ends) - n
			for k := range here {
				p := base[k].plus(upper[k])
				here[k], there[k] = p.order(n), v.whole[k].minus(p).order(m)
			}
			out.add(here, there)
			out.add(there, here)
		}
	}
	return out
}

func total(ends []int) (n int) {
	for _, e := range ends {
		n += e
	}
	return n
}

// order grows with the Sharpe ratio over so many ends, and has its sign.
func (p part) order(n int) float64 {
	square := float64(p.sum * p.sum)
	spread := float64(float64(n)*p.squares) - square // n² times the variance
	if spread <= 1e-12*float64(n)*p.squares {
		return 0
	}
	return math.Copysign(square/spread, p.sum)
}

// add counts a split: the best of one half in the other.
func (c *chosenBadly) add(chosen, judged []float64) {
	best := 0
	for k, r := range chosen {
		if r > chosen[best] {
			best = k
		}
	}
	below, level := 0, 0
	for _, r := range judged {
		switch {
		case r < judged[best]:
			below++
		case r == judged[best]:
			level++
		}
	}
	c.splits++
	if 2*below+level+1 <= len(judged)+1 { // twice the rank, at most the middle
		c.median++
	}
	if judged[best] < 0 {
		c.loss++
	}
}
