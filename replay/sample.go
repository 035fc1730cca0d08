package replay

import (
	"context"
	"fmt"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/orders"
	"github.com/ladderback/ladderback/strategy"
)

// Sample is a set of rounds, drawn once and replayed any number of times: by the
// baseline, over a grid of options, by a sweep.
type Sample struct {
	Rounds []market.Round // newest end first, ties by market id
	Funnel Funnel         // up to Sampled
	// Inferred counts the rounds excluded by Options.Winners alone: a source
	// inferred their payout, and everything else about them qualifies.
	Inferred int

	whole *Sample     // that it is a part of; nil: it is whole
	seam  orders.Seam // nil but in tests
}

// Part returns Rounds[from:to] as a sample, with the counts of the whole.
func (s *Sample) Part(from, to int) *Sample {
	return &Sample{Rounds: s.Rounds[from:to:to], Funnel: s.Funnel, Inferred: s.Inferred, whole: s, seam: s.seam}
}

// Draw samples the rounds that c trades: up/down rounds of its coin and length
// with a payout that counts and a capture in [start, end), covered for at least
// MinCoverage of the round, ending in [from, to) and before a closed lockbox.
// The newest are taken first, or, for Random, those whose hex SHA-256 of
// "<seed>:<market id>" sorts first.
func Draw(ctx context.Context, src Source, c Case) (*Sample, error) {
	if err := c.validate(); err != nil {
		return nil, fmt.Errorf("draw a sample: %w", err)
	}
	rounds := RoundsOf(c.Strategy.Market(), c.Options.From, c.Options.To)
	if err := c.Options.HoldOut.Bound(&rounds); err != nil {
		return nil, fmt.Errorf("draw a sample: %w", err)
	}
	d := market.RoundDraw{
		RoundFilter: rounds, Inferred: c.Options.Winners == WinnersInferred, Covered: int64(c.Options.MinCoverage),
		Limit: c.Strategy.SampleSize(), Random: c.Options.Sampling == Random, Seed: c.Options.Seed,
	}
	return DrawRounds(ctx, src, d)
}

// DrawRounds samples rounds for those who look at prices, and trade nothing.
func DrawRounds(ctx context.Context, src Source, d market.RoundDraw) (*Sample, error) {
	s := &Sample{}
	var n market.RoundCount
	var err error
	if sampler, ok := src.(Sampler); ok {
		s.Rounds, n, err = sampler.Sample(ctx, d)
	} else {
		var all []market.Round
		all, err = src.Rounds(ctx, d.RoundFilter)
		s.Rounds, n = d.Of(all)
	}
	if err != nil {
		return nil, fmt.Errorf("draw a sample: %w", err)
	}
	s.Inferred = n.Inferred
	s.Funnel = Funnel{Universe: n.Universe, Resolved: n.Resolved, Captured: n.Captured, Covered: n.Covered, Sampled: len(s.Rounds)}
	return s, nil
}

// RoundsOf returns what selects the rounds of a coin and a length, each of which may be
// strategy.Any, that end in [from, to); nil: no bound.
func RoundsOf(m strategy.MarketSpec, from, to *market.Instant) market.RoundFilter {
	f := market.RoundFilter{Coin: m.Coin, Type: m.Type}
	if f.Coin == strategy.Any {
		f.Coin = ""
	}
	if f.Type == strategy.Any {
		f.Type = ""
	}
	if from != nil {
		f.From = *from
	}
	if to != nil {
		f.To = *to
	}
	return f
}
