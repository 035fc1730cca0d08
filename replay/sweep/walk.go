package sweep

import (
	"context"

	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/strategy"
)

// WalkForward is the outcome of choosing on the past: before each block of time the
// variant that looks best until then is chosen, and its trades in the block count.
// Every trade is in a round that had no part in the choice.
type WalkForward struct {
	// BlockHours is the length of a block. Blocks begin at multiples of it since
	// 1970-01-01 UTC and hold the rounds that end in them.
	BlockHours int64 `json:"block_hours"`
	// Blocks are those that hold rounds, in order. Never nil.
	Blocks []Block `json:"blocks"`
	// Choices counts the different variants chosen.
	Choices int `json:"choices"`
	// Trades, TotalPnL, MeanPnL and Interval cover the chosen variants over all
	// blocks. MeanPnL is nil without trades, Interval with the verdict
	// not_enough_evidence.
	Trades   int             `json:"trades"`
	TotalPnL stats.Decimal   `json:"total_pnl"`
	MeanPnL  *stats.Decimal  `json:"mean_pnl"`
	Interval *stats.Interval `json:"mean_pnl_interval"`
	Verdict  stats.Verdict   `json:"verdict"`
}

// Block is a stretch of time in which one variant was traded.
type Block struct {
	From market.Instant `json:"from"` // inclusive
	To   market.Instant `json:"to"`   // exclusive
	// PastEnds counts the distinct ends of rounds that the choice rests on: all
	// that were over when the first round of the block began. PurgedEnds counts
	// those before the block that were not over by then, and are left out.
	PastEnds   int `json:"past_ends"`
	PurgedEnds int `json:"purged_ends"`
	// Variant is the number of the variant chosen: among those with enough trades
	// over the past, the one with the highest Sharpe ratio, if that is above 0.
	// Nil: none, and nothing is traded.
	Variant *int              `json:"variant"`
	Values  []strategy.Number `json:"values"` // of the variant; nil without one
	// PastMeanPnL is the variant's mean pnl per trade over the past, MeanPnL that
	// of its trades in the block; nil without trades.
	PastMeanPnL *stats.Decimal `json:"past_mean_pnl"`
	Trades      int            `json:"trades"`
	TotalPnL    stats.Decimal  `json:"total_pnl"`
	MeanPnL     *stats.Decimal `json:"mean_pnl"`
}

// blockFor chooses a length of blocks for rounds that end over a span: a tenth of
// it, up to a whole hour, or a whole day where that is more than one.
func blockFor(span market.Span) market.Span {
	unit := market.Hour
	if span > 10*market.Day {
		unit = market.Day
	}
	return max((span/10+unit-1)/unit, 1) * unit
}

// walk runs the ledger forward in blocks; 0 lets it choose their length.
func (l *Ledger) walk(ctx context.Context, block market.Span, seed int64) (*WalkForward, error) {
	w := &WalkForward{Blocks: []Block{}, Verdict: stats.NotEnough}
	if len(l.Ends) == 0 {
		return w, nil
	}
	if block == 0 {
		block = blockFor(l.Ends[len(l.Ends)-1] - l.Ends[0])
	}
	w.BlockHours = int64(block / market.Hour)
	var made stats.Clustered
	chosen := make(map[int]bool)
	for from := 0; from < len(l.Ends); {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b := Block{From: l.Ends[from] / block * block}
		b.To = b.From + block
		to, begins := from, market.Latest
		for ; to < len(l.Ends) && l.Ends[to] < b.To; to++ {
			begins = min(begins, l.starts[to])
		}
		for b.PastEnds < from && l.Ends[b.PastEnds] <= begins {
			b.PastEnds++
		}
		b.PurgedEnds = from - b.PastEnds
		if k, ok := l.bestOf(b.PastEnds); ok {
			s := &l.cases[k]
			chosen[k] = true
			b.Variant, b.Values = new(k+1), l.Grid.Values(l.Grid.Variants[k].Cell)
			b.PastMeanPnL = meanOf(s.clustered(0, b.PastEnds))
			c := s.clustered(from, to)
			b.Trades, b.TotalPnL, b.MeanPnL = tally(c), totalOf(c), meanOf(c)
			made.PnL, made.Trades = append(made.PnL, c.PnL...), append(made.Trades, c.Trades...)
		}
		w.Blocks = append(w.Blocks, b)
		from = to
	}
	w.Choices = len(chosen)
	w.Trades, w.TotalPnL, w.MeanPnL = tally(made), totalOf(made), meanOf(made)
	found, err := stats.Infer(ctx, []stats.Clustered{made}, seed, 1)
	if err != nil {
		return nil, err
	}
	w.Interval, w.Verdict = found[0].Interval, found[0].Verdict
	return w, nil
}

// bestOf returns the variant with the highest Sharpe ratio over the first so many
// ends, of those with enough trades and a ratio above 0; of equals the first.
func (l *Ledger) bestOf(ends int) (variant int, ok bool) {
	best := 0.0
	for k := range l.Grid.Variants {
		s := &l.cases[k]
		trades, traded := 0, 0
		for _, n := range s.count[:ends] {
			trades += int(n)
			if n > 0 {
				traded++
			}
		}
		if trades < stats.MinTrades || traded < stats.MinEnds {
			continue
		}
		if ratio, known := momentsOf(s.pnl[:ends]).sharpe(); known && ratio > best {
			best, variant, ok = ratio, k, true
		}
	}
	return variant, ok
}

func tally(c stats.Clustered) int {
	n := int64(0)
	for _, v := range c.Trades {
		n += v
	}
	return int(n)
}

func totalOf(c stats.Clustered) stats.Decimal {
	sum := int64(0)
	for _, v := range c.PnL {
		sum += v
	}
	return stats.Decimal(sum)
}

// meanOf is the mean pnl of a trade; nil without one.
func meanOf(c stats.Clustered) *stats.Decimal {
	n := tally(c)
	if n == 0 {
		return nil
	}
	return new(stats.Mean(int64(totalOf(c)), n))
}
