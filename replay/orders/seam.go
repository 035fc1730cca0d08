package orders

import (
	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
)

// Seam is where tests break a player on purpose, to show that the laws notice. Nothing
// else sets one. It is asked once per market and candidate, and once per order, never
// while a capture is looked at.
type Seam interface {
	// Considers decides whether a token is a candidate at all.
	Considers(m *market.Market, token int) bool
	// Travels returns how long an order takes to arrive.
	Travels(a Action, d market.Span) market.Span
	// Meets returns the levels that an order meets, best first.
	Meets(a Action, m Meeting) []market.Level
	// Judges returns what a take profit that may trigger is judged on.
	Judges(v fills.Average, best market.Level) fills.Average
	// Pays returns the fill that is booked, of shares that were bought as bought.
	Pays(a Action, f fills.Fill, bought market.Size, payout market.Cash) fills.Fill
}

// Meeting is an order that meets levels.
type Meeting struct {
	Market     *market.Market
	Token      int
	Signal, At market.Instant // that sent the order, and of its arrival or later try
	Levels     []market.Level // best first; may be changed
}

func (o *order) action() Action {
	if o.buy {
		return Buy
	}
	return Sell
}

// travels returns how long an order travels.
func (d *Player) travels(o *order) market.Span {
	if d.Seam == nil {
		return d.Latency
	}
	return d.Seam.Travels(o.action(), d.Latency)
}

// meets returns what an order meets of the levels that are offered.
func (d *Player) meets(o *order, at market.Instant, levels []market.Level) []market.Level {
	if d.Seam == nil {
		return levels
	}
	return d.Seam.Meets(o.action(), Meeting{d.market, o.token, o.signal, at, levels})
}

// pays returns the fill that is booked.
func (d *Player) pays(a Action, token int, f fills.Fill) fills.Fill {
	if d.Seam == nil {
		return f
	}
	bought := market.Size(0)
	for i := range d.Outcome.Legs {
		if l := &d.Outcome.Legs[i]; l.Action == Buy && l.Token == token {
			bought += l.Shares
		}
	}
	return d.Seam.Pays(a, f, bought, d.market.Payout.Fractions[token])
}
