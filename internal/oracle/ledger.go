package oracle

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/internal/oracle/exact"
	"github.com/ladderback/ladderback/market"
)

// Ledger is what a replay found.
type Ledger struct {
	Universe, Resolved, Captured, Covered, Sampled, Signalled, Filled int

	Refusals map[string]int
	Markets  []Outcome // newest end first, ties by market id
	Trades   []*Trade  // by exit time, then market id
}

// Outcome is what happened in one sampled market.
type Outcome struct {
	MarketID  string
	Signalled bool
	Refusals  map[string]int
	Trade     *Trade // nil: none
}

// Trade is one entry and its way out. Amounts in fractions are in USD.
type Trade struct {
	MarketID string
	Token    int

	Signal, EntryTime, ExitTime market.Instant

	Reason, EntryFill, ExitFill string

	Shares               market.Size
	Entry, Exit          *big.Rat // averages without fees
	Cost, Proceeds, Fees market.Cash
	Slippage             *big.Rat
	AskAtSignal          market.Price
	BidAtSignal          market.Price // NoPrice: none, or no exit was signalled
	Payout               market.Cash
	Legs                 []Leg
}

// Leg is one execution.
type Leg struct {
	Action string         // buy, sell or settle
	Signal market.Instant // of the buy and the first sale; else zero
	Time   market.Instant
	AsOf   market.Instant // zero for the settlement
	Kind   string
	Levels []market.Level // taken; none for the settlement
	Shares market.Size
	Value  *big.Rat
	Cash   market.Cash // without the fee
	Fee    market.Cash
}

// refusalNames are the reasons in the order in which they are checked.
var refusalNames = [...]string{"too_late", "gap", "stale", "crossed", "no_liquidity", "capped", "below_min_size"}

func writeRefusals(b *strings.Builder, counts map[string]int) {
	for _, name := range refusalNames {
		if n := counts[name]; n != 0 {
			fmt.Fprintf(b, " %s=%d", name, n)
		}
	}
	b.WriteByte('\n')
}

// String writes the ledger, one fact a line, in a form in which ledgers are
// equal when what they say is.
func (l *Ledger) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "funnel universe=%d resolved=%d captured=%d covered=%d sampled=%d signalled=%d filled=%d\n",
		l.Universe, l.Resolved, l.Captured, l.Covered, l.Sampled, l.Signalled, l.Filled)
	b.WriteString("refusals")
	writeRefusals(&b, l.Refusals)
	for _, m := range l.Markets {
		m.write(&b)
	}
	for _, t := range l.Trades {
		t.write(&b)
	}
	return b.String()
}

// String writes the outcome as String of a Ledger does, with its trade.
func (o Outcome) String() string {
	var b strings.Builder
	o.write(&b)
	if o.Trade != nil {
		o.Trade.write(&b)
	}
	return b.String()
}

func (o Outcome) write(b *strings.Builder) {
	fmt.Fprintf(b, "market %s signalled=%t traded=%t", o.MarketID, o.Signalled, o.Trade != nil)
	writeRefusals(b, o.Refusals)
}

func (t *Trade) write(b *strings.Builder) {
	fmt.Fprintf(b, "trade %s token=%d signal=%s entry=%s exit=%s reason=%s\n",
		t.MarketID, t.Token, t.Signal, t.EntryTime, t.ExitTime, t.Reason)
	fmt.Fprintf(b, "  fills %s %s shares=%s entry=%s exit=%s\n",
		t.EntryFill, t.ExitFill, t.Shares, t.Entry.RatString(), t.Exit.RatString())
	fmt.Fprintf(b, "  cost=%s proceeds=%s fees=%s pnl=%s slippage=%s\n",
		t.Cost, t.Proceeds, t.Fees, t.Proceeds-t.Cost, t.Slippage.RatString())
	fmt.Fprintf(b, "  ask at signal=%s bid at signal=%s payout=%s\n", t.AskAtSignal, t.BidAtSignal, t.Payout)
	for i := range t.Legs {
		t.Legs[i].write(b)
	}
}

func (l *Leg) write(b *strings.Builder) {
	fmt.Fprintf(b, "  %s signal=%s time=%s as_of=%s %s shares=%s value=%s cash=%s fee=%s:",
		l.Action, l.Signal, l.Time, l.AsOf, l.Kind, l.Shares, l.Value.RatString(), l.Cash, l.Fee)
	for _, level := range l.Levels {
		fmt.Fprintf(b, " %sx%s", level.Price, level.Size)
	}
	b.WriteByte('\n')
}

// finish derives what a trade says as a whole from its legs. bid is the best bid
// that the exit's signal saw.
func (t *Trade) finish() {
	buy := t.Legs[0]
	last := t.Legs[len(t.Legs)-1]
	t.Shares, t.EntryTime, t.EntryFill = buy.Shares, buy.Time, buy.Kind
	t.ExitTime, t.ExitFill = last.Time, last.Kind
	t.Entry = exact.Div(buy.Value, exact.Size(buy.Shares))

	// Rule: cost is paid with the fee, proceeds are received less the fees; fees
	// are both; the exit price is the average over the shares of all exit legs.
	out := new(big.Rat)
	sold, brought := market.Size(0), new(big.Rat)
	t.Cost, t.Fees = buy.Cash+buy.Fee, buy.Fee
	for _, l := range t.Legs[1:] {
		t.Proceeds += l.Cash - l.Fee
		t.Fees += l.Fee
		out = exact.Add(out, l.Value)
		if l.Action == "sell" {
			sold += l.Shares
			brought = exact.Add(brought, l.Value)
		}
	}
	t.Exit = exact.Div(out, exact.Size(t.Shares))

	// Rule: slippage = shares × (entry price − best ask at the signal) + shares
	// sold × (best bid at the signal − their average); a term without that quote
	// is 0.
	t.Slippage = exact.Mul(exact.Size(t.Shares), exact.Sub(t.Entry, exact.Price(t.AskAtSignal)))
	if sold > 0 && t.BidAtSignal != market.NoPrice {
		t.Slippage = exact.Add(t.Slippage, exact.Sub(exact.Mul(exact.Size(sold), exact.Price(t.BidAtSignal)), brought))
	}
}

func sortTrades(trades []*Trade) {
	slices.SortStableFunc(trades, func(a, b *Trade) int {
		if a.ExitTime != b.ExitTime {
			if a.ExitTime < b.ExitTime {
				return -1
			}
			return 1
		}
		return strings.Compare(a.MarketID, b.MarketID)
	})
}
