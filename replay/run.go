package replay

import (
	"context"
	"errors"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/strategy"
)

// Parallel says how a replay is carried out. It has no influence on results.
type Parallel struct {
	Workers int // markets replayed at a time; 0: one per CPU
	// Progress, when not nil, is called with the number of markets done, from
	// 0 to total, never concurrently and never decreasing.
	Progress func(done, total int)
}

// Sample is a set of rounds to replay, drawn once and replayed as often as
// wanted: by the baseline, over a grid of options, by a sweep.
type Sample struct {
	Rounds []market.Round // newest end first, ties by market id
	Funnel Funnel         // up to Sampled
}

// Case is one strategy under one set of options.
type Case struct {
	Strategy strategy.Strategy
	Options  Options
}

// Draw samples the rounds that c trades.
func Draw(ctx context.Context, src Source, c Case) (*Sample, error) {
	return nil, errors.New("replay: not yet")
}

// Replay replays every case over the sampled rounds in one pass over their
// captures and returns one result a case, in order. The cases' own sample size,
// sampling, dates and winners play no part: the sample decides.
func (s *Sample) Replay(ctx context.Context, src Source, p Parallel, cases ...Case) ([]*Result, error) {
	return nil, errors.New("replay: not yet")
}

// Run draws a sample for c and replays c over it.
func Run(ctx context.Context, src Source, c Case, p Parallel) (*Result, error) {
	s, err := Draw(ctx, src, c)
	if err != nil {
		return nil, err
	}
	r, err := s.Replay(ctx, src, p, c)
	if err != nil {
		return nil, err
	}
	return r[0], nil
}
