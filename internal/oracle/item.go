package oracle

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/ladderback/ladderback/internal/oracle/exact"
	"github.com/ladderback/ladderback/market"
)

func itoa(n int) string { return strconv.Itoa(n) }

// PlayedLeg is one execution of a round.
type PlayedLeg struct {
	Order  string // entry, exit, then.N; empty: merge, settle
	Action string // buy, sell, merge, settle
	Token  int    // −1: both
	Reason string // of a sell or merge
	Signal market.Instant
	Time   market.Instant
	AsOf   market.Instant
	Kind   string
	Levels []market.Level
	Shares market.Size
	Value  *big.Rat
	Cash   market.Cash
	Fee    market.Cash
}

// Item is the one item of a round, with all its legs.
type Item struct {
	Token                int // of the first buy
	EntryTime, ExitTime  market.Instant
	EntryFill, ExitFill  string
	Reason               string
	Shares               market.Size // of all buys of that token
	Entry, Exit          *big.Rat    // averages without fees; Exit nil: all merged
	Cost, Proceeds, Fees market.Cash
	PnL                  market.Cash
	Entries              int
	OppositeShares       market.Size
	OppositeCost         market.Cash
	OppositePrice        *big.Rat // nil: none bought
	Legs                 []PlayedLeg
}

func (p *play) book(l PlayedLeg) { p.legs = append(p.legs, l) }

// item settles what is held and sums up the round; nil: nothing was bought.
//
// "Shares held at the end pay the token's payout, no fee."
func (p *play) item() *Item {
	for _, token := range p.bySame() {
		n := p.hold[token].shares
		if n == 0 {
			continue
		}
		value := exact.Mul(exact.Size(n), exact.Cash(p.Market.Payout.Fractions[token]))
		at := p.Market.End
		if p.Market.ClosedAt != 0 {
			at = p.Market.ClosedAt
		}
		p.book(PlayedLeg{
			Action: "settle", Token: token, Time: at, Kind: "settlement", Shares: n, Value: value,
			Cash: exact.CashOf(exact.Floor(value, 1_000_000)),
		})
	}
	first := -1
	for i, l := range p.legs {
		if l.Action == "buy" {
			first = i
			break
		}
	}
	if first < 0 {
		return nil
	}
	buy := p.legs[first]
	it := &Item{
		Token: buy.Token, EntryTime: buy.Time, EntryFill: buy.Kind, Reason: "expiry", Legs: p.legs, Entries: p.entriesFilled(),
	}
	paid, got, gone, opposite := new(big.Rat), new(big.Rat), market.Size(0), new(big.Rat)
	for _, l := range p.legs {
		it.Fees += l.Fee
		if l.Action == "buy" {
			it.Cost += l.Cash + l.Fee
		} else {
			// "exit_* of the last closing leg (expiry: nothing was sold or merged)."
			it.Proceeds += l.Cash - l.Fee
			it.ExitTime, it.ExitFill = l.Time, l.Kind
			if l.Reason != "" {
				it.Reason = l.Reason
			}
		}
		switch {
		case l.Action == "buy" && l.Token == it.Token:
			it.Shares += l.Shares
			paid = exact.Add(paid, l.Value)
		case l.Action == "buy":
			it.OppositeShares += l.Shares
			it.OppositeCost += l.Cash + l.Fee
			opposite = exact.Add(opposite, l.Value)
		case l.Token == it.Token: // sold or settled
			gone += l.Shares
			got = exact.Add(got, l.Value)
		}
	}
	it.PnL = it.Proceeds - it.Cost
	it.Entry = exact.Div(paid, exact.Size(it.Shares))
	if gone > 0 {
		it.Exit = exact.Div(got, exact.Size(gone))
	}
	if it.OppositeShares > 0 {
		it.OppositePrice = exact.Div(opposite, exact.Size(it.OppositeShares))
	}
	return it
}

// entriesFilled are the entries of which a share was bought.
func (p *play) entriesFilled() int {
	n := 0
	for _, o := range p.orders {
		if o.slot == &p.entry && o.life.Filled > 0 {
			n++
		}
	}
	return n
}

// trade is the item of one entry that takes and one exit that takes.
func (p *play) trade() *Trade {
	it := p.out.Item
	t := &Trade{
		MarketID: p.Market.VenueID, Token: it.Token, Signal: it.Legs[0].Signal, Reason: it.Reason,
		BidAtSignal: market.NoPrice, Payout: p.Market.Payout.Fractions[it.Token],
	}
	for _, o := range p.orders {
		switch {
		case o.life.Filled > 0 && !o.sell:
			t.AskAtSignal = *o.touch
		case o.sell && o.touch != nil:
			t.BidAtSignal = *o.touch
		}
	}
	for _, l := range it.Legs {
		t.Legs = append(t.Legs, Leg{
			Action: l.Action, Signal: l.Signal, Time: l.Time, AsOf: l.AsOf, Kind: l.Kind, Levels: l.Levels,
			Shares: l.Shares, Value: l.Value, Cash: l.Cash, Fee: l.Fee,
		})
	}
	t.finish()
	return t
}

// String writes what became of a round, one fact a line.
func (r *Played) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "market %s signalled=%t\n", r.MarketID, r.Signalled)
	writeCounts(&b, "refusals", r.Refusals)
	writeCounts(&b, "then_refusals", r.ThenRefusals)
	for _, o := range r.Orders {
		b.WriteString(o.String() + "\n")
	}
	if r.Item != nil {
		r.Item.write(&b)
	}
	return b.String()
}

func writeCounts(b *strings.Builder, name string, counts map[string]int) {
	fmt.Fprintf(b, "%s %v\n", name, counts)
}

// String writes the life of an order.
func (l *Life) String() string {
	do := "buys"
	if l.Sell {
		do = "sells"
	}
	s := fmt.Sprintf("order %s %s %d signal=%s arrival=%s", l.Name, do, l.Token, l.Signal, l.Arrival)
	if l.Resting {
		s += fmt.Sprintf(" limit=%s size=%s ahead=%s", l.Limit, l.Size, sizeText(l.Ahead))
	}
	return s + fmt.Sprintf(" filled=%s end=%s at %s", l.Filled, l.End, l.Ended)
}

func sizeText(s market.Size) string {
	if s == endless {
		return "endless"
	}
	return s.String()
}

func ratText(r *big.Rat) string {
	if r == nil {
		return "none"
	}
	return r.RatString()
}

func (it *Item) write(b *strings.Builder) {
	fmt.Fprintf(b, "item token=%d entry=%s exit=%s reason=%s fills %s %s shares=%s at %s out at %s\n",
		it.Token, it.EntryTime, it.ExitTime, it.Reason, it.EntryFill, it.ExitFill, it.Shares, ratText(it.Entry), ratText(it.Exit))
	fmt.Fprintf(b, "  cost=%s proceeds=%s fees=%s pnl=%s entries=%d opposite=%s for %s at %s\n",
		it.Cost, it.Proceeds, it.Fees, it.PnL, it.Entries, it.OppositeShares, it.OppositeCost, ratText(it.OppositePrice))
	for _, l := range it.Legs {
		fmt.Fprintf(b, "  %s %s %d %s time=%s as_of=%s %s shares=%s value=%s cash=%s fee=%s:",
			l.Order, l.Action, l.Token, l.Reason, l.Time, l.AsOf, l.Kind, l.Shares, l.Value.RatString(), l.Cash, l.Fee)
		for _, level := range l.Levels {
			fmt.Fprintf(b, " %sx%s", level.Price, level.Size)
		}
		b.WriteByte('\n')
	}
}
