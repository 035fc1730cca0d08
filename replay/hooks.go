package replay

import (
	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
)

// hooks are seams through which tests break the engine on purpose, to show that
// the laws notice. Nothing else sets them; nil functions change nothing.
type hooks struct {
	// holds decides whether the entry holds for a token.
	holds func(m *market.Market, token int, at market.Instant, holds bool) bool
	// latency is how long an order travels.
	latency func(a Action, d market.Span) market.Span
	// asks and bids are what an order meets, best first.
	asks, bids func(meeting) []market.Level
	// fee is what a leg is charged.
	fee func(c market.Cash) market.Cash
	// forget lets every sale meet what is shown, whatever was taken before.
	forget bool
	// whole is what take profit is judged on.
	whole func(v fills.Average, best market.Level) fills.Average
	// settled is how many shares are settled.
	settled func(bought, left market.Size) market.Size
	// plain leaves out every shortcut: results must not change.
	plain bool
}

// meeting is an order that meets levels.
type meeting struct {
	market *market.Market
	token  int
	signal market.Instant // that sent the order
	at     market.Instant
	levels []market.Level // best first; may be changed
}
