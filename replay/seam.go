package replay

import (
	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
)

// seam is where tests break the engine on purpose, to show that the laws notice.
// Nothing else sets one. It is asked once per market and candidate, and once per
// order, never while a capture is looked at.
type seam interface {
	// considers decides whether a token is a candidate at all.
	considers(m *market.Market, token int) bool
	// travels returns how long an order takes to arrive.
	travels(a Action, d market.Span) market.Span
	// meets returns the levels that an order meets, best first.
	meets(a Action, m meeting) []market.Level
	// brings returns what a take profit that may trigger is judged on.
	brings(v fills.Average, best market.Level) fills.Average
	// pays returns the fill that is booked, of shares that were bought as bought.
	pays(a Action, f fills.Fill, bought market.Size, payout market.Cash) fills.Fill
}

// meeting is an order that meets levels.
type meeting struct {
	market *market.Market
	token  int
	signal market.Instant // that sent the order
	at     market.Instant
	levels []market.Level // best first; may be changed
}

// latency returns how long an order travels.
func (r *runner) latency(a Action) market.Span {
	d := r.options.Latency()
	if r.seam != nil {
		d = r.seam.travels(a, d)
	}
	return d
}

// meets returns what an order at hand meets at its arrival, or at a later try.
func (r *runner) meets(a Action, at market.Instant, levels []market.Level) []market.Level {
	if r.seam != nil {
		levels = r.seam.meets(a, meeting{r.market, r.now.token, r.now.signal, at, levels})
	}
	return levels
}

// brings turns what the bids take into the average over the whole position:
// shares that they cannot take count at 0.
func (r *runner) brings(got fills.Average, best market.Level) fills.Average {
	v := fills.Average{Value: got.Value, Shares: r.open.left}
	if r.seam != nil {
		v = r.seam.brings(v, best)
	}
	return v
}

func (r *runner) pays(a Action, f fills.Fill) fills.Fill {
	if r.seam == nil {
		return f
	}
	bought := f.Shares
	payout := r.market.Payout.Fractions[r.now.token]
	if r.open.trade != nil {
		bought = r.open.trade.Shares
	}
	return r.seam.pays(a, f, bought, payout)
}
