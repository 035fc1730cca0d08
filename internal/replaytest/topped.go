package replaytest

import (
	"context"
	"iter"
	"math"
	"slices"

	"github.com/ladderback/ladderback/archive/tops"
	"github.com/ladderback/ladderback/market"
)

// Topped is an Archive that knows the tops of its rounds, and can be read from
// any whole ladder on: what an engine makes of it must be what it makes of the
// Archive.
type Topped struct{ *Archive }

// Tops gives the tops of each round that has one book, known by ladders alone.
func (a Topped) Tops([]*market.Market) func(context.Context, *market.Market) (*market.Tops, error) {
	return func(ctx context.Context, m *market.Market) (*market.Tops, error) {
		var all []*market.Capture
		for c, err := range a.Captures(ctx, m) {
			if err != nil {
				return nil, err
			}
			if c.Kind == market.KindQuote || c.Kind == market.KindPrice {
				return nil, nil
			}
			own := *c
			own.Bids, own.Asks = slices.Clone(c.Bids), slices.Clone(c.Asks)
			all = append(all, &own)
		}
		if !m.Mirrored || len(m.Tokens) != 2 {
			return nil, nil
		}
		var rec tops.Recorder
		rec.Begin(m.Start, m.End)
		var cuts []int
		for i, c := range all {
			if !rec.Add(c) {
				break
			}
			if c.Kind == market.KindBook && c.Replace && i%3 != 0 {
				cuts = append(cuts, i)
			}
		}
		found, given := rec.Tops(), 0
		g := &market.Tops{Read: func(about int) ([]market.Top, bool, error) {
			if given += 1 + about%3; about == math.MaxInt { // some at a time: rounds here have few
				given = len(found)
			}
			given = min(given, len(found))
			return found[:given], given < len(found), nil
		}}
		begins := make([]market.Instant, 0, len(cuts))
		for _, i := range cuts {
			begins = append(begins, all[i].Recv)
		}
		g.Cuts = func() []market.Instant { return begins }
		g.From = func(_ context.Context, at market.Instant) iter.Seq2[*market.Capture, error] {
			first := 0
			for _, i := range cuts {
				if all[i].Recv < at {
					first = i
				}
			}
			return func(yield func(*market.Capture, error) bool) {
				for i := first - 1; i >= 0; i-- {
					if all[i].Kind == market.KindTrade {
						if !yield(all[i], nil) {
							return
						}
						break
					}
				}
				for _, c := range all[first:] {
					if !yield(c, nil) {
						return
					}
				}
			}
		}
		g.Ladders = func(_ context.Context, at market.Instant) iter.Seq2[*market.Capture, error] {
			first := 0
			for _, i := range cuts {
				if all[i].Recv < at {
					first = i
				}
			}
			return func(yield func(*market.Capture, error) bool) {
				for _, c := range all[first:] {
					if c.IsLadder() && !yield(c, nil) {
						return
					}
				}
			}
		}
		return g, nil
	}
}
