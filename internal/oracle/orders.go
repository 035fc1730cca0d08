package oracle

import (
	"math/big"

	"github.com/ladderback/ladderback/internal/oracle/exact"
	"github.com/ladderback/ladderback/internal/oracle/fee"
	"github.com/ladderback/ladderback/internal/oracle/object"
	"github.com/ladderback/ladderback/internal/oracle/seen"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// lot is the step of an order's size: 0.01 share.
const lot market.Size = 10_000

// walk takes up to wanted shares from the levels, best first, and says what it
// took at each.
func walk(levels []market.Level, wanted market.Size) (taken []market.Level, shares market.Size) {
	for _, l := range levels {
		n := wanted - shares
		if l.Size != seen.Unlimited && l.Size < n {
			n = l.Size
		}
		if n > 0 {
			taken = append(taken, market.Level{Price: l.Price, Size: n})
			shares += n
		}
	}
	return taken, shares
}

// refusal is a reason for which an order exchanges nothing; empty: none.
type refusal string

// tokenOf is same, opposite, up or down as the token of the market m when the strategy's
// token is same.
func tokenOf(name string, m *market.Market, same int) int {
	switch strategy.Token(name) {
	case strategy.TokenUp:
		return m.TokenIndex(market.Up)
	case strategy.TokenDown:
		return m.TokenIndex(market.Down)
	case strategy.TokenOpposite:
		return 1 - same
	}
	return same
}

// tickUnknown is the step of prices where the market's is not known.
const tickUnknown market.Price = 100

// limitPrice is the price of a limit order.
//
// "Exactly one: the limit as a price; best bid at the signal + x; best ask − x.
// Moved to the market's tick (unknown: 0.01), a buy's down, a sell's up."
// A reason is no_liquidity where a quote that it needs is missing, and where only
// prices are captured; bad_limit outside (0, 1).
func limitPrice(l *object.Limit, s seen.Shown, tick market.Price, sell bool) (market.Price, refusal) {
	if s.Stream == seen.Prices || s.Stream == seen.NoStream {
		return 0, "no_liquidity"
	}
	var at *big.Rat
	switch {
	case l.RestAt != nil:
		at = l.RestAt.Rat
	case l.FromBid != nil:
		if s.BestBid() == nil {
			return 0, "no_liquidity"
		}
		at = exact.Add(exact.Price(*s.BestBid()), l.FromBid.Rat)
	default:
		if s.BestAsk() == nil {
			return 0, "no_liquidity"
		}
		at = exact.Sub(exact.Price(*s.BestAsk()), l.FromAsk.Rat)
	}
	return onTick(at, tick, sell)
}

func onTick(at *big.Rat, tick market.Price, up bool) (market.Price, refusal) {
	if tick == 0 {
		tick = tickUnknown
	}
	steps := exact.Mul(at, big.NewRat(int64(market.PriceOne), int64(tick)))
	n := exact.Floor(steps, 1)
	if up {
		n = exact.Ceil(steps, 1)
	}
	p := market.Price(n.Num().Int64()) * tick
	if p <= 0 || p >= market.PriceOne {
		return 0, "bad_limit"
	}
	return p, ""
}

// unfit says whether an order that arrives at a meets a market that cannot be
// traded: in a gap that the source declares, stale, or crossed, in this order.
//
// Rules: a gap is [from, to); of a mirrored market a gap of either token, else
// of the token itself. Stale: no capture of the market in [a − stale_ms, a];
// by default 30 s for ladders and never for quotes and prices; 0 is never.
// Crossed: best bid above best ask.
func (p *play) unfit(token int, a market.Instant) refusal {
	if p.InGap(token, a) {
		return "gap"
	}
	f := seen.AsOf(p.Frames, a)
	s := f.Tokens[token]
	stale := market.Span(p.o.StaleMS) * market.Millisecond
	if p.o.StaleMS == replay.StaleDefault {
		stale = 0
		if s.Stream == seen.Ladders {
			stale = 30 * market.Second
		}
	}
	if stale > 0 && f.At < a-stale {
		return "stale"
	}
	if bid, ask := s.BestBid(), s.BestAsk(); bid != nil && ask != nil && *bid > *ask {
		return "crossed"
	}
	return ""
}

// schedule is the fee of what takes, under the options.
func (p *play) schedule() fee.Schedule {
	if p.o.Fees == replay.FeesNone {
		return fee.Free()
	}
	return fee.Of(p.Market)
}

// takerFee is what a leg that takes owes.
func (p *play) takerFee() fee.Rule { return p.schedule().Fee }

// makerFee is what an order owes for the shares that it gave while it rested.
func (p *play) makerFee() fee.Rule {
	if p.o.Fees == replay.FeesNone {
		return fee.Free().Fee
	}
	return fee.Maker(p.Market).Fee
}
