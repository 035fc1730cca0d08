package backtest

import (
	"context"
	"fmt"

	"github.com/ladderback/ladderback/backtest/looks"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// Tally says the how manieth try of its rounds something is.
type Tally = looks.Tally

// Looked is what is about to be looked at: a strategy, or so many variants of one by the
// axes of a sweep, over rounds.
type Looked struct {
	Strategy strategy.Canonical
	Options  replay.Options
	Axes     []SweepAxis // nil: a backtest
	Variants int         // 1 for a backtest
	Rounds   []market.Round
	Data     string // of Rounds, as Receipt.Data; Counted fills it in
}

// Counter counts a try before anything of it is replayed, so that one that is cut off counts
// too, and says which look it is.
type Counter func(ctx context.Context, l *Looked) (Tally, error)

// Counted counts a try; a nil counter, and no rounds, count nothing.
func (c Counter) Counted(ctx context.Context, l *Looked) (n Tally, err error) {
	if c == nil || len(l.Rounds) == 0 {
		return Tally{}, nil
	}
	if l.Data, err = DataHash(l.Rounds); err != nil {
		return n, fmt.Errorf("count the try: %w", err)
	}
	if n, err = c(ctx, l); err != nil {
		err = fmt.Errorf("count the try: %w", err)
	}
	return n, err
}
