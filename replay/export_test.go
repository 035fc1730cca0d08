package replay

import (
	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
)

// Break is what tests may do to the engine: see hooks. Nil functions change
// nothing.
type Break struct {
	Holds      func(m *market.Market, token int, at market.Instant, holds bool) bool
	Latency    func(a Action, d market.Span) market.Span
	Asks, Bids func(Meeting) []market.Level
	Fee        func(c market.Cash) market.Cash
	Forget     bool
	Whole      func(v fills.Average, best market.Level) fills.Average
	Settled    func(bought, left market.Size) market.Size
	Plain      bool
}

// Meeting is an order that meets levels, best first.
type Meeting struct {
	Market     *market.Market
	Token      int
	Signal, At market.Instant
	Levels     []market.Level
}

func (b *Break) hooks() *hooks {
	if b == nil {
		return nil
	}
	levels := func(f func(Meeting) []market.Level) func(meeting) []market.Level {
		if f == nil {
			return nil
		}
		return func(m meeting) []market.Level {
			return f(Meeting{m.market, m.token, m.signal, m.at, m.levels})
		}
	}
	return &hooks{
		holds: b.Holds, latency: b.Latency, asks: levels(b.Asks), bids: levels(b.Bids),
		fee: b.Fee, forget: b.Forget, whole: b.Whole, settled: b.Settled, plain: b.Plain,
	}
}

// Broken returns s so that it replays with a broken engine.
func (s *Sample) Broken(b *Break) *Sample {
	c := *s
	c.hooks = b.hooks()
	return &c
}
