package replay

import (
	"context"
	"iter"

	"github.com/ladderback/ladderback/market"
)

// Source provides the engine with rounds and their captures.
type Source interface {
	// Rounds returns every up/down round that passes the filter, in any order,
	// decided or not.
	Rounds(ctx context.Context, f market.RoundFilter) ([]market.Round, error)

	// Captures yields the captures of one market in receive order, from the
	// first to the last, with the rule for mirrored pairs applied (of one
	// exchange time only the ladder captures of the token received first). The
	// capture and its slices are valid until the next iteration. An error ends
	// the sequence and is yielded with a nil capture. Sequences of different
	// markets may run concurrently.
	Captures(ctx context.Context, m *market.Market) iter.Seq2[*market.Capture, error]
}

// Planner is a Source that reads many markets more cheaply together than one by
// one.
type Planner interface {
	Source

	// Planned returns Captures for markets about to be requested in roughly this
	// order, by these pointers, and mostly once each.
	Planned(markets []*market.Market) func(context.Context, *market.Market) iter.Seq2[*market.Capture, error]
}

// Glancer is a Source that may know the tops of markets without reading their
// captures.
type Glancer interface {
	Source

	// Glances returns what is known of the tops of markets about to be requested
	// in roughly this order, by these pointers, and mostly once each. A nil Glance
	// means that nothing is known of that market, whose captures say it all.
	Glances(markets []*market.Market) func(context.Context, *market.Market) (*market.Glance, error)
}

// plannedSource is a Source that is ready to be asked for some markets.
type plannedSource struct {
	Source
	captures func(context.Context, *market.Market) iter.Seq2[*market.Capture, error] // nil: those of Source
	glances  func(context.Context, *market.Market) (*market.Glance, error)           // nil: nothing is known
}

func (s plannedSource) Captures(ctx context.Context, m *market.Market) iter.Seq2[*market.Capture, error] {
	if s.captures == nil {
		return s.Source.Captures(ctx, m)
	}
	return s.captures(ctx, m)
}

// glance returns what is known of the tops of a market; nil: nothing.
func (s plannedSource) glance(ctx context.Context, m *market.Market) (*market.Glance, error) {
	if s.glances == nil {
		return nil, nil
	}
	return s.glances(ctx, m)
}

// planFor returns src, planned for the rounds where it can be.
func planFor(src Source, rounds []market.Round) plannedSource {
	markets := make([]*market.Market, len(rounds))
	for i := range rounds {
		markets[i] = rounds[i].Market
	}
	out := plannedSource{Source: src}
	if p, ok := src.(Planner); ok {
		out.captures = p.Planned(markets)
	}
	if g, ok := src.(Glancer); ok {
		out.glances = g.Glances(markets)
	}
	return out
}
