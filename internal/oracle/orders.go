package oracle

import (
	"math/big"
	"sort"

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
	for _, g := range w.round.Gaps {
		if (w.market.Mirrored || g.Token == token) && g.From <= a && a < g.To {
			return "gap"
		}
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

// enter executes an entry order that arrives at a, before the end. budget is in
// USD; limit is the highest price it may pay, nil: none.
func (w *watch) enter(token int, a market.Instant, budget, limit *big.Rat, o replay.Options) (Leg, refusal) {
	if why := w.unfit(token, a, o); why != "" {
		return Leg{}, why
	}
	f := asOf(w.frames, a)
	s := f.tokens[token]
	if len(s.asks) == 0 {
		return Leg{}, "no_liquidity"
	}
	var within []market.Level // asks at or under the cap
	for _, l := range s.asks {
		if limit == nil || price(l.Price).Cmp(limit) <= 0 {
			within = append(within, l)
		}
	}
	if len(within) == 0 {
		return Leg{}, "capped"
	}
	// Rule: the largest multiple of 0.01 share whose cost, rounded up to 1e-6,
	// and fee fit the budget.
	fee := w.fee(o)
	buy := func(lots int64) (levels []market.Level, cost, charged *big.Rat, there bool) {
		levels, shares := walk(within, market.Size(lots)*lot)
		return levels, ceilTo(valueOf(levels), 1_000_000), fee(levels), shares == market.Size(lots)*lot
	}
	fits := func(lots int64) bool {
		_, cost, charged, there := buy(lots)
		return there && add(cost, charged).Cmp(budget) <= 0
	}
	const most = 200_000_000_000_000 // lots: more than any budget buys at 0.0001 USD
	lots := int64(sort.Search(most, func(n int) bool { return !fits(int64(n) + 1) }))
	if lots > 0 && !fits(lots) || fits(lots+1) {
		panic("oracle: cost and fee are not monotone")
	}
	shares := market.Size(lots) * lot
	if shares < lot || shares < w.market.MinSize {
		return Leg{}, "below_min_size"
	}
	levels, cost, charged, _ := buy(lots)
	return Leg{
		Action: "buy", Time: a, AsOf: f.at, Kind: s.stream.fillKind(),
		Levels: levels, Shares: shares, Value: valueOf(levels),
		Cash: cashOf(cost), Fee: cashOf(charged),
	}, ""
}

// taken is what was sold into the bids already, by price.
type taken map[market.Price]market.Size

// after forgets what has gone. Rule: after every capture taken = min(taken,
// shown) per level, 0 when the level is gone.
func (t taken) after(bids []market.Level) {
	for p, had := range t {
		now := market.Size(0)
		for _, l := range bids {
			if l.Price == p {
				now = l.Size
			}
		}
		if now != unlimited && now < had {
			t[p] = now
		}
	}
}

// available are the bids less what was taken. Rule: max(0, shown − taken).
func (t taken) available(bids []market.Level) []market.Level {
	var out []market.Level
	for _, l := range bids {
		if l.Size != unlimited {
			l.Size = max(0, l.Size-t[l.Price])
		}
		out = append(out, l)
	}
	return out
}

// sell executes an exit order at a: as many of the shares as the bids take, in
// multiples of 0.01 share, without a cap. Nothing is exchanged when the market
// is unfit or the bids take nothing.
func (w *watch) sell(token int, a market.Instant, shares market.Size, t taken, o replay.Options) (Leg, bool) {
	if w.unfit(token, a, o) != "" {
		return Leg{}, false
	}
	f := asOf(w.frames, a)
	s := f.tokens[token]
	bids := t.available(s.bids)
	_, there := walk(bids, shares)
	shares = there / lot * lot
	if shares == 0 {
		return Leg{}, false
	}
	levels, _ := walk(bids, shares)
	for _, l := range levels {
		t[l.Price] += l.Size
	}
	return Leg{
		Action: "sell", Time: a, AsOf: f.at, Kind: s.stream.fillKind(),
		Levels: levels, Shares: shares, Value: valueOf(levels),
		Cash: cashOf(floorTo(valueOf(levels), 1_000_000)), Fee: cashOf(w.fee(o)(levels)),
	}, true
}

// fee is the fee rule under the options.
func (w *watch) fee(o replay.Options) feeRule {
	if o.Fees == replay.FeesNone {
		return noFee
	}
	return feesOf(w.market)
}
