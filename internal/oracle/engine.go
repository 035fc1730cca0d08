package oracle

import (
	"github.com/ladderback/ladderback/replay"
)

// Of writes down what the engine found as a Ledger, so that the two can be
// compared.
func Of(r *replay.Result) *Ledger {
	l := &Ledger{
		Universe: r.Funnel.Universe, Resolved: r.Funnel.Resolved, Captured: r.Funnel.Captured, Covered: r.Funnel.Covered,
		Sampled: r.Funnel.Sampled, Signalled: r.Funnel.Signalled, Filled: r.Funnel.Filled,
		Refusals: refusalsOf(r.Refusals),
	}
	for _, m := range r.Markets {
		o := Outcome{MarketID: m.Round.Market.VenueID, Signalled: m.Signalled, Refusals: refusalsOf(m.Refusals)}
		if m.Trade != nil {
			o.Trade = tradeOf(m.Trade)
		}
		l.Markets = append(l.Markets, o)
	}
	for _, t := range r.Trades {
		l.Trades = append(l.Trades, tradeOf(t))
	}
	return l
}

func refusalsOf(r replay.Refusals) map[string]int {
	out := map[string]int{}
	for reason, n := range r {
		if n != 0 {
			out[replay.Reason(reason).String()] = n
		}
	}
	return out
}

func tradeOf(t *replay.Trade) *Trade {
	out := &Trade{
		MarketID: t.Market.VenueID, Token: t.Token,
		Signal: t.Signal, EntryTime: t.EntryTime, ExitTime: t.ExitTime,
		Reason: string(t.Reason), EntryFill: string(t.EntryFill()), ExitFill: string(t.ExitFill),
		Shares: t.Shares, Entry: t.Entry.Rat(), Exit: t.Exit.Rat(),
		Cost: t.Cost, Proceeds: t.Proceeds, Fees: t.Fees, Slippage: t.Slippage.Rat(),
		AskAtSignal: t.AskAtSignal, BidAtSignal: t.BidAtSignal, Payout: t.Payout,
	}
	for _, l := range t.Legs {
		out.Legs = append(out.Legs, Leg{
			Action: string(l.Action), Signal: l.Signal, Time: l.Time, AsOf: l.AsOf, Kind: string(l.Kind),
			Levels: l.Levels, Shares: l.Shares, Value: l.Value.Rat(), Cash: l.Cash, Fee: l.Fee,
		})
	}
	return out
}
