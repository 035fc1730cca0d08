package backtest

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/replay/sweep"
	"github.com/ladderback/ladderback/strategy"
)

// Try is what is about to be looked at: a strategy, or every variant of one, over rounds.
// Equal tries are one, however often they are made: nothing new is seen.
type Try struct {
	Coin, Type string // those of the strategy; each may be strategy.Any
	Side       strategy.Side
	// Strategy, Data and Terms are SHA-256 in lower-case hex: of the canonical strategy and
	// the axes of a sweep, of the rounds (Receipt.Data), and of how orders are filled.
	Strategy, Data, Terms string
	// Variants is how many strategies are looked at: 1 for a backtest.
	Variants int
	// First is the start of the first round, Last the end of the last.
	First, Last market.Instant
}

// Tally says the how manieth try of its rounds something is.
type Tally struct {
	// Look counts from 1 the tries on rounds of the coin and length, of any side.
	Look int `json:"look"`
	// Before is how many independent tries those before it were.
	Before stats.Decimal `json:"tries_before"`
}

// Counter counts a try before anything of it is replayed, so that one that is cut off counts
// too, and says which look it is.
type Counter func(ctx context.Context, t *Try) (Tally, error)

// TryOf returns the try that a replay of a strategy is; of a sweep, axes are its axes and
// variants how many strategies they make. ok is false without rounds: nothing is looked at.
func TryOf(s strategy.Canonical, o replay.Options, axes []SweepAxis, variants int, rounds []market.Round) (_ *Try, ok bool, err error) {
	if len(rounds) == 0 {
		return nil, false, nil
	}
	spec := s.Market()
	t := &Try{Coin: spec.Coin, Type: spec.Type, Side: s.Strategy().Side, Strategy: s.Hash(), Variants: variants, First: market.Latest, Last: market.Earliest}
	if len(axes) > 0 {
		text, err := CompactJSON(axes)
		if err != nil {
			return nil, false, fmt.Errorf("try: axes: %w", err)
		}
		t.Strategy = hash([]byte(t.Strategy), text)
	}
	// Which rounds there are, the data say; the seed draws them, and resamples.
	terms, err := CompactJSON([]any{o.LatencyMS, o.MaxSlippage, o.StaleMS, o.Fees, o.Queue})
	if err != nil {
		return nil, false, fmt.Errorf("try: options: %w", err)
	}
	t.Terms = hash(terms)
	if t.Data, err = roundsHash(len(rounds), func(i int) *market.Round { return &rounds[i] }); err != nil {
		return nil, false, fmt.Errorf("try: %w", err)
	}
	for i := range rounds {
		t.First, t.Last = min(t.First, rounds[i].Market.Start), max(t.Last, rounds[i].Market.End)
	}
	return t, true, nil
}

// counted counts a try; a nil counter, and no rounds, count nothing.
func (c Counter) counted(ctx context.Context, s strategy.Canonical, o replay.Options, axes []SweepAxis, variants int, rounds []market.Round) (Tally, error) {
	if c == nil {
		return Tally{}, nil
	}
	t, ok, err := TryOf(s, o, axes, variants, rounds)
	if err != nil || !ok {
		return Tally{}, err
	}
	look, err := c(ctx, t)
	if err != nil {
		return Tally{}, fmt.Errorf("count the try: %w", err)
	}
	return look, nil
}

// Deflated holds a mean against luck in so many tries.
type Deflated struct {
	Tally
	// Probability is that of a true mean above what luck alone gives the best of all tries:
	// the deflated Sharpe ratio of normal results (sweep.ExpectedMaximum). At the first
	// look it is that of a mean above 0.
	Probability stats.Decimal `json:"deflated_sharpe"`
	// Holds: the interval excludes 0, and Probability is at least MinDeflated.
	Holds bool `json:"holds"`
}

// MinDeflated is the least probability that a mean needs: that of a 95 % interval which
// lies above 0, at the first look.
const MinDeflated = 0.975

// Deflate holds the mean of a verdict, or a difference of means, against so many tries as
// were made before. Nil without an interval.
func (l Tally) Deflate(mean *stats.Decimal, interval *stats.Interval) *Deflated {
	if mean == nil || interval == nil || interval[0] == interval[1] {
		return nil
	}
	// The interval is 2 · 1.96 standard errors wide, those of clusters of trades.
	deviation := (interval[1].Float() - interval[0].Float()) / 2 / distuv.UnitNormal.Quantile(MinDeflated)
	above := math.Abs(mean.Float())/deviation - sweep.ExpectedMaximum(1+l.Before.Float(), 1)
	p := distuv.UnitNormal.CDF(above)
	return &Deflated{
		Tally: l, Probability: stats.Decimal(math.RoundToEven(p * 1e6)),
		Holds: p >= MinDeflated && (interval[0] > 0 || interval[1] < 0),
	}
}

// Deflate holds the verdict of a report against the tries before it.
func (r *Report) Deflate(l Tally) *Deflated {
	return l.Deflate(r.Stats.MeanPnL, r.Stats.MeanPnLInterval)
}
