package oracle

import (
	"math/big"
	"slices"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// lot is the step of an order's size: 0.01 share.
const lot market.Size = 10_000

// walk takes up to wanted shares from the levels, best first, and says what it
// took at each.
func walk(levels []market.Level, wanted market.Size) (taken []market.Level, shares market.Size) {
	for _, l := range levels {
		n := wanted - shares
		if l.Size != unlimited && l.Size < n {
			n = l.Size
		}
		if n > 0 {
			taken = append(taken, market.Level{Price: l.Price, Size: n})
			shares += n
		}
	}
	return taken, shares
}

// valueOf is Σ price × size.
func valueOf(levels []market.Level) *big.Rat {
	v := new(big.Rat)
	for _, l := range levels {
		v = add(v, mul(price(l.Price), size(l.Size)))
	}
	return v
}

// refusal is a reason for which an order exchanges nothing; empty: none.
type refusal string

// unfit says whether an order that arrives at a meets a market that cannot be
// traded: in a gap that the source declares, stale, or crossed, in this order.
//
// Rules: a gap is [from, to); of a mirrored market a gap of either token, else
// of the token itself. Stale: no capture of the market in [a − stale_ms, a];
// by default 30 s for ladders and never for quotes and prices; 0 is never.
// Crossed: best bid above best ask.
func (w *watch) unfit(token int, a market.Instant, o replay.Options) refusal {
	if w.inGap(token, a) {
		return "gap"
	}
	f := asOf(w.frames, a)
	s := f.tokens[token]
	stale := market.Span(o.StaleMS) * market.Millisecond
	if o.StaleMS == replay.StaleDefault {
		stale = 0
		if s.stream == ladders {
			stale = 30 * market.Second
		}
	}
	if stale > 0 && f.at < a-stale {
		return "stale"
	}
	if bid, ask := s.bestBid(), s.bestAsk(); bid != nil && ask != nil && *bid > *ask {
		return "crossed"
	}
	return ""
}

func (w *watch) inGap(token int, a market.Instant) bool {
	return slices.ContainsFunc(w.round.Gaps, func(g market.TokenGap) bool {
		return (w.market.Mirrored || g.Token == token) && g.Covers(a)
	})
}

// fee is the fee rule under the options.
func (w *watch) fee(o replay.Options) feeRule { return w.fees(o).fee }

func (w *watch) fees(o replay.Options) schedule {
	if o.Fees == replay.FeesNone {
		return free()
	}
	return feesOf(w.market)
}
