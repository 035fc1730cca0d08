package stats

import (
	"context"
	"errors"
	"math/bits"
	"slices"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/floats"
)

// Clustered is what the trades of one case made, summed over clusters: those of
// one close, in order of close, as clusters groups them.
type Clustered struct {
	PnL    []int64 // in micro-dollars
	Trades []int64 // > 0
}

// enough reports whether there are trades and ends for a verdict.
func (c *Clustered) enough() bool {
	trades := int64(0)
	for _, n := range c.Trades {
		trades += n
	}
	return trades >= MinTrades && len(c.PnL) >= MinEnds
}

// Inference is what the trades say about their mean pnl: that of Of.
type Inference struct {
	Interval *Interval // nil with the verdict NotEnough
	Verdict  Verdict
}

// width is how many cases share a pass over the resamples: so many sums, and a
// row of so many numbers a cluster, stay close to the processor.
const width = 128

// Infer returns, for each case, the interval of the mean pnl and the verdict that
// Of gives for its trades and the seed. Cases with equally many clusters share
// their draws, which is what makes a thousand of them affordable.
func Infer(ctx context.Context, cases []Clustered, seed int64, workers int) ([]Inference, error) {
	out := make([]Inference, len(cases))
	bySize := make(map[int][]int)
	for i := range cases {
		out[i].Verdict = NotEnough
		if cases[i].enough() {
			n := len(cases[i].PnL)
			bySize[n] = append(bySize[n], i)
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(workers, 1))
	for _, alike := range bySize {
		for block := range slices.Chunk(alike, width) {
			group.Go(func() error { return inferBlock(ctx, cases, block, seed, out) })
		}
	}
	return out, group.Wait()
}

// inferBlock fills out for cases of equally many clusters.
func inferBlock(ctx context.Context, cases []Clustered, block []int, seed int64, out []Inference) error {
	var columns [][]int64
	count := make([]int, len(block)) // the column of the case's trades; −1: as many in every resample
	for _, i := range block {
		columns = append(columns, cases[i].PnL)
	}
	for k, i := range block {
		trades := cases[i].Trades
		count[k] = -1
		if slices.Max(trades) == slices.Min(trades) {
			continue
		}
		count[k] = len(block) + slices.IndexFunc(columns[len(block):], func(c []int64) bool { return slices.Equal(c, trades) })
		if count[k] < len(block) {
			count[k] = len(columns)
			columns = append(columns, trades)
		}
	}
	sums := make([][Resamples]int64, len(columns))
	err := Resample(ctx, columns, 0, Resamples, seed, func(r int, drawn []float64) {
		for k, v := range drawn {
			sums[k][r] = int64(v)
		}
	})
	if errors.Is(err, errTooLarge) {
		for _, i := range block {
			out[i] = inferAlone(&cases[i], seed)
		}
		return nil
	}
	if err != nil {
		return err
	}
	means := make([]mean, Resamples)
	for k, i := range block {
		if count[k] < 0 {
			slices.Sort(sums[k][:])
			n := cases[i].Trades[0] * int64(len(cases[i].Trades))
			out[i] = inference(interval{mean{sums[k][lowRank], n}, mean{sums[k][highRank], n}})
			continue
		}
		for r := range means {
			means[r] = mean{sums[k][r], sums[count[k]][r]}
		}
		slices.SortFunc(means, mean.compare)
		out[i] = inference(interval{means[lowRank], means[highRank]})
	}
	return nil
}

// inferAlone is for sums that float64 does not hold.
func inferAlone(c *Clustered, seed int64) Inference {
	cs := make([]cluster, len(c.PnL))
	for i := range cs {
		cs[i] = cluster{pnl: c.PnL[i], trades: c.Trades[i]}
	}
	pnl, _ := bootstrap(cs, seed)
	return inference(pnl)
}

func inference(i interval) Inference {
	return Inference{&Interval{i.low.decimal(), i.high.decimal()}, i.verdict()}
}

// verdict says where the interval of a mean pnl lies.
func (i interval) verdict() Verdict {
	switch {
	case i.low.sum > 0:
		return Positive
	case i.high.sum < 0:
		return Negative
	}
	return NoEdge
}

// errTooLarge says that sums may not be exact.
var errTooLarge = errors.New("sums beyond 2^53")

// few columns are summed one by one: calling for them would take longer.
const few = 6

// Resample draws as many clusters as there are, with replacement, for each resample
// of [from, to), and calls visit with the number of the resample and the sum of each
// column over the clusters drawn. A resample has the same draws whatever the range. Columns hold one whole number a cluster, all of equally
// many clusters; the draws are those of bootstrap, the same for every column, so
// that what the columns have in common stays together. Sums are whole numbers
// held exactly; an error is returned for numbers too large for that (2^53), and
// when ctx ends. visit must not keep the slice.
func Resample(ctx context.Context, columns [][]int64, from, to int, seed int64, visit func(r int, sums []float64)) error {
	if len(columns) == 0 || len(columns[0]) == 0 {
		return nil
	}
	n, k := len(columns[0]), len(columns)
	rows := make([]float64, n*k)
	most := 0.0
	for c, column := range columns {
		for i, v := range column {
			rows[i*k+c] = float64(v)
			most = max(most, rows[i*k+c], -rows[i*k+c])
		}
	}
	if most*float64(n) >= 1<<53 {
		return errTooLarge
	}
	state := pcgBehind(seed, uint64(from)*uint64(n))
	sums := make([]float64, k)
	for r := from; r < to; r++ {
		if r%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		clear(sums)
		for range n {
			state = state.next()
			i, _ := bits.Mul64(state.word(), uint64(n))
			row := rows[int(i)*k : int(i)*k+k]
			if k > few {
				floats.Add(sums, row)
				continue
			}
			for c, v := range row {
				sums[c] += v
			}
		}
		visit(r, sums)
	}
	return nil
}
