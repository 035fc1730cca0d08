package replaytest

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// Ledger writes what a replay did, for a trader to read and a test to compare:
// times in seconds from each market's start, averages and slippage exact (as a
// fraction where they have no short decimal).
func Ledger(r *replay.Result) string {
	var b strings.Builder
	f := r.Funnel
	fmt.Fprintf(&b, "universe %d, resolved %d, captured %d, sampled %d, signalled %d, filled %d\n",
		f.Universe, f.Resolved, f.Captured, f.Sampled, f.Signalled, f.Filled)
	if s := Refused(r.Refusals); s != "" {
		fmt.Fprintf(&b, "refused: %s\n", s)
	}
	for _, t := range r.Trades {
		writeTrade(&b, t)
	}
	return b.String()
}

// Refused writes refusals by reason, "gap 1, capped 2"; empty: none.
func Refused(r replay.Refusals) string {
	var parts []string
	for reason, n := range r {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", replay.Reason(reason), n))
		}
	}
	return strings.Join(parts, ", ")
}

func writeTrade(b *strings.Builder, t *replay.Trade) {
	m := t.Market
	since := func(i market.Instant) string { return market.FormatDecimal(int64(i-m.Start), 6) }
	fmt.Fprintf(b, "%s of %s\n", m.Tokens[t.Token].Label, m.Slug)
	for _, l := range t.Legs {
		fmt.Fprintf(b, "  %-7s %-7s", since(l.Time), l.Action)
		if l.Signal != 0 {
			fmt.Fprintf(b, "signal %s, ", since(l.Signal))
		}
		if l.Action != replay.Settle {
			fmt.Fprintf(b, "as of %s, ", since(l.AsOf))
		}
		fmt.Fprintf(b, "%s: %s", l.Kind, levels(t, &l))
		if l.Action == replay.Buy {
			fmt.Fprintf(b, "; pays %s, fee %s\n", l.Cash, l.Fee)
		} else {
			fmt.Fprintf(b, "; receives %s, fee %s\n", l.Cash, l.Fee)
		}
	}
	fmt.Fprintf(b, "  %s: %s shares in at %s, out at %s; cost %s, proceeds %s, fees %s, pnl %s, slippage %s",
		t.Reason, t.Shares, average(t.Entry), average(t.Exit), t.Cost, t.Proceeds, t.Fees, t.PnL(), exact(t.Slippage.Rat()))
	switch {
	case t.CapBound:
		b.WriteString("; the cap left budget unspent")
	case t.Partial:
		b.WriteString("; the book left budget unspent")
	}
	b.WriteString("\n")
}

func levels(t *replay.Trade, l *replay.Leg) string {
	if l.Action == replay.Settle {
		return fmt.Sprintf("%s @ %s", l.Shares, t.Payout)
	}
	var parts []string
	for _, level := range l.Levels {
		parts = append(parts, fmt.Sprintf("%s @ %s", level.Size, level.Price))
	}
	return strings.Join(parts, ", ")
}

func average(v fills.Average) string { return exact(v.Rat()) }

// exact writes a number with at most twelve decimals, or as a fraction.
func exact(r *big.Rat) string {
	const most = 12
	n, ok := r.FloatPrec()
	if !ok || n > most {
		return r.RatString()
	}
	return r.FloatString(n)
}
