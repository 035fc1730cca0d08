package replay

import (
	"context"
	"iter"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/skim"
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

// Sampler is a Source that draws samples without listing every round.
type Sampler interface {
	Source

	// Sample returns what d.Of would of the rounds that Rounds gives.
	Sample(ctx context.Context, d market.RoundDraw) ([]market.Round, market.RoundCount, error)
}

// HoldingsSource is a Source that knows what it has without listing every round.
type HoldingsSource interface {
	Source

	// Holdings returns what there is of each coin and length, in any order.
	Holdings(ctx context.Context) ([]market.Holding, error)
}

// Planner is a Source that reads many markets more cheaply together than one by
// one.
type Planner interface {
	Source

	// Planned returns Captures for markets about to be requested in roughly this
	// order, by these pointers, and mostly once each.
	Planned(markets []*market.Market) func(context.Context, *market.Market) iter.Seq2[*market.Capture, error]
}

// TopSource is a Source that may know the tops of markets without reading their
// captures.
type TopSource interface {
	Source

	// Tops returns what is known of the tops of markets about to be requested
	// in roughly this order, by these pointers, once by each pass over them. A nil
	// Tops means that nothing is known of that market, whose captures say it all.
	Tops(markets []*market.Market) func(context.Context, *market.Market) (*market.Tops, error)
}

// plannedSource is a Source that is ready to be asked for some markets.
type plannedSource struct {
	Source
	captures func(context.Context, *market.Market) iter.Seq2[*market.Capture, error] // nil: those of Source
	tops     func(context.Context, *market.Market) (*market.Tops, error)             // nil: nothing is known
}

func (s plannedSource) Captures(ctx context.Context, m *market.Market) iter.Seq2[*market.Capture, error] {
	if s.captures == nil {
		return s.Source.Captures(ctx, m)
	}
	return s.captures(ctx, m)
}

// known returns a source of what is known of a market by its tops; nil: nothing.
func (s plannedSource) known(ctx context.Context, m *market.Market) (source, error) {
	if s.tops == nil {
		return nil, nil
	}
	tops, err := s.tops(ctx, m)
	if tops == nil || err != nil {
		return nil, err
	}
	return skim.New(tops), nil
}

// prepared is a Source about which what can be known of the rounds of one sample is
// looked up once.
type prepared struct {
	Source
	sample *Sample
	tops   func(context.Context, *market.Market) (*market.Tops, error)
}

// Prepare returns src for several passes over the sample's rounds, or over parts of them: what src knows of
// their tops is looked up by the first, and may be kept for the others.
func (s *Sample) Prepare(src Source) Source {
	g, ok := src.(TopSource)
	if !ok {
		return src
	}
	return &prepared{src, s, g.Tops(s.markets())}
}

func (s *Sample) markets() []*market.Market {
	out := make([]*market.Market, len(s.Rounds))
	for i := range s.Rounds {
		out[i] = s.Rounds[i].Market
	}
	return out
}

// planFor returns src, planned for the rounds of the sample where it can be.
func (s *Sample) planFor(src Source) plannedSource {
	out, markets := plannedSource{Source: src}, s.markets()
	if p, ok := src.(*prepared); ok {
		out.Source = p.Source
		if p.sample == s || p.sample == s.whole {
			out.tops = p.tops
		}
	}
	if p, ok := out.Source.(Planner); ok {
		out.captures = p.Planned(markets)
	}
	if g, ok := out.Source.(TopSource); ok && out.tops == nil {
		out.tops = g.Tops(markets)
	}
	return out
}

// source says of one round when what a player watches can change next. What it shows by an
// instant is the top of the book; where that does not decide what a player does, the player
// asks for the captures themselves from an instant on, until the tops are enough again:
//
//   - an order arrives, and meets the ladder, unless the best price alone is known to
//     hold all of it;
//   - a position is open whose exits depend on more than the best bid is known to hold;
//   - an entry that waits for the depth of the book may hold;
//   - an entry may hold from an instant on at which nothing was captured, as when a
//     look-back leaves a price behind: it holds at the first capture from then on;
//   - an entry was refused, and is evaluated again at the next capture.
type source interface {
	// Next returns the first instant behind w.After at which what is watched may have
	// changed; one from w.Until on: there is none before.
	Next(w skim.Watch) market.Instant
	// By returns the top by an instant; nil: nothing is known by then.
	By(at market.Instant) *market.Top
	// Past returns type price of the whole round, from each change on.
	Past() []skim.Price
	// Err returns why the source cannot say any more.
	Err() error
	// Captures yields captures such that what was received by any instant from from on is
	// the same as after all captures, and all of those behind it: with ladders, of ladders
	// alone, which HasLadders says can be had.
	Captures(ctx context.Context, from market.Instant, ladders bool) iter.Seq2[*market.Capture, error]
	HasLadders() bool
	// Cuts returns instants at which reading can begin, in order, once captures were read.
	Cuts() []market.Instant
	Close()
}

var _ source = (*skim.Round)(nil)
