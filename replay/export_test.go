package replay

import (
	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/orders"
)

// Break is what tests may do to the engine: see seam. Nil functions change
// nothing.
type Break struct {
	Candidate  func(m *market.Market, token int) bool
	Latency    func(a Action, d market.Span) market.Span
	Asks, Bids func(Meeting) []market.Level
	Fee        func(c market.Cash) market.Cash
	Brings     func(v fills.Average, best market.Level) fills.Average
	Settled    func(bought, left market.Size) market.Size
}

// Meeting is an order that meets levels, best first.
type Meeting = orders.Meeting

var _ orders.Seam = (*Break)(nil)

func (b *Break) Considers(m *market.Market, token int) bool {
	return b.Candidate == nil || b.Candidate(m, token)
}

func (b *Break) Travels(a Action, d market.Span) market.Span {
	if b.Latency != nil {
		return b.Latency(a, d)
	}
	return d
}

func (b *Break) Meets(a Action, m Meeting) []market.Level {
	f := b.Bids
	if a == Buy {
		f = b.Asks
	}
	if f != nil {
		return f(m)
	}
	return m.Levels
}

func (b *Break) Judges(v fills.Average, best market.Level) fills.Average {
	if b.Brings != nil {
		return b.Brings(v, best)
	}
	return v
}

func (b *Break) Pays(a Action, f fills.Fill, bought market.Size, payout market.Cash) fills.Fill {
	switch {
	case a == Settle && b.Settled != nil:
		return fills.Settle(b.Settled(bought, f.Shares), payout)
	case a != Settle && b.Fee != nil:
		f.Fee = b.Fee(f.Fee)
	}
	return f
}

// Broken returns s so that it replays with a broken engine.
func (s *Sample) Broken(b *Break) *Sample {
	c := *s
	if b != nil {
		c.seam = b
	}
	return &c
}
