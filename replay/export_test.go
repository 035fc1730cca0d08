package replay

import (
	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/tape"
)

// Break is what tests may do to the engine: see seam. Nil functions change
// nothing.
type Break struct {
	Considers  func(m *market.Market, token int) bool
	Latency    func(a Action, d market.Span) market.Span
	Asks, Bids func(Meeting) []market.Level
	Fee        func(c market.Cash) market.Cash
	Brings     func(v fills.Average, best market.Level) fills.Average
	Settled    func(bought, left market.Size) market.Size
}

// Meeting is an order that meets levels, best first.
type Meeting struct {
	Market     *market.Market
	Token      int
	Signal, At market.Instant
	Levels     []market.Level
}

var _ seam = (*Break)(nil)

func (b *Break) considers(m *market.Market, token int) bool {
	return b.Considers == nil || b.Considers(m, token)
}

func (b *Break) travels(a Action, d market.Span) market.Span {
	if b.Latency != nil {
		return b.Latency(a, d)
	}
	return d
}

func (b *Break) meets(a Action, m meeting) []market.Level {
	f := b.Bids
	if a == Buy {
		f = b.Asks
	}
	if f != nil {
		return f(Meeting{m.market, m.token, m.signal, m.at, m.levels})
	}
	return m.levels
}

func (b *Break) brings(v fills.Average, best market.Level) fills.Average {
	if b.Brings != nil {
		return b.Brings(v, best)
	}
	return v
}

func (b *Break) pays(a Action, f fills.Fill, bought market.Size, payout market.Cash) fills.Fill {
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

// Replica holds what the engine knows of a market, as captures come in.
type Replica struct{ tape tape.Tape }

// NewReplica begins a market.
func NewReplica(r *market.Round) *Replica {
	var x Replica
	x.tape.Load(r, false)
	return &x
}

// Apply takes a capture in.
func (x *Replica) Apply(c *market.Capture) {
	x.tape.Apply(c)
	x.tape.Refresh()
}

// Executable returns what selling so many shares of a token would bring, as the
// engine finds it and by walking the whole ladder.
func (x *Replica) Executable(token int, left market.Size) (fast, slow fills.Average) {
	r := runner{open: position{trade: &Trade{Token: token}, left: left}}
	if best := x.tape.Views[token].Quote.Bid; best.Price != market.NoPrice {
		fast = r.executable(&x.tape, best)
	}
	for _, l := range x.tape.Ladder(nil, token, market.Bid, 0) {
		if size := min(l.Size, left-slow.Shares); size > 0 {
			slow.Value = slow.Value.Add(fills.Value(l.Price, size))
			slow.Shares += size
		}
	}
	return fast, slow
}
