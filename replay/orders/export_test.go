package orders

import (
	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay/tape"
)

// Replica holds what a player is shown of a market, as captures come in.
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

// Executable returns what selling so many shares of a token would bring, as a
// player finds it and by walking the whole ladder.
func (x *Replica) Executable(token int, left market.Size) (fast, slow fills.Average) {
	var d Player
	d.held[token].shares = left
	for _, l := range x.tape.Ladder(nil, token, market.Bid, 0) {
		if size := min(l.Size, left-slow.Shares); size > 0 {
			slow.Value = slow.Value.Add(fills.Value(l.Price, size))
			slow.Shares += size
		}
	}
	return d.executable(&x.tape, token), slow
}
