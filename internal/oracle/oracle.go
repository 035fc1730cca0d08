package oracle

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// Run samples and replays each case over the rounds and returns a ledger a case,
// in order.
func Run(rounds []*replaytest.Round, cases ...replay.Case) []*Ledger {
	frames := map[*replaytest.Round][]frame{}
	var out []*Ledger
	for _, c := range cases {
		out = append(out, run(rounds, frames, c, c))
	}
	return out
}

// Over replays each case over the rounds that drawn samples, and returns a
// ledger a case, in order.
func Over(rounds []*replaytest.Round, drawn replay.Case, cases ...replay.Case) []*Ledger {
	frames := map[*replaytest.Round][]frame{}
	var out []*Ledger
	for _, c := range cases {
		out = append(out, run(rounds, frames, drawn, c))
	}
	return out
}

func run(rounds []*replaytest.Round, frames map[*replaytest.Round][]frame, drawn, c replay.Case) *Ledger {
	ledger := &Ledger{Refusals: map[string]int{}}
	for _, r := range sample(rounds, frames, drawn, ledger) {
		w := newWatch(r, frames[r])
		out := w.replay(c.Strategy.Strategy(), c.Options)
		ledger.Markets = append(ledger.Markets, out)
		for why, n := range out.Refusals {
			ledger.Refusals[why] += n
		}
		if out.Signalled {
			ledger.Signalled++
		}
		if out.Trade != nil {
			ledger.Filled++
			ledger.Trades = append(ledger.Trades, out.Trade)
		}
	}
	sortTrades(ledger.Trades)
	return ledger
}

// Replay replays each case over one round, sampled or not, and returns an
// outcome a case, in order. The round's payout is known.
func Replay(r *replaytest.Round, cases ...replay.Case) []Outcome {
	w := newWatch(r, framesOf(r))
	var out []Outcome
	for _, c := range cases {
		out = append(out, w.replay(c.Strategy.Strategy(), c.Options))
	}
	return out
}

// sample chooses the rounds that are replayed and counts the funnel up to there.
//
// Rule: up/down markets of the coin and length that end in [from, to), whose
// payout is known (an inferred one only under winners: inferred), with a capture
// in [start, end). Recent: newest end first, ties by market id; random: by the
// hex SHA-256 of "<seed>:<market id>". The first sample_size of them, replayed
// newest end first.
func sample(rounds []*replaytest.Round, frames map[*replaytest.Round][]frame, c replay.Case, l *Ledger) []*replaytest.Round {
	var found []*replaytest.Round
	for _, r := range rounds {
		m, o := &r.Market, c.Options
		if !inUniverse(m, c) {
			continue
		}
		l.Universe++
		if !decided(m, o.Winners) {
			continue
		}
		l.Resolved++
		if _, ok := frames[r]; !ok {
			frames[r] = framesOf(r)
		}
		inside := slices.ContainsFunc(frames[r], func(f frame) bool { return m.Start <= f.at && f.at < m.End })
		if !inside {
			continue
		}
		l.Captured++
		if seen := covered(r); seen*1_000_000 < market.Span(o.MinCoverage)*(m.End-m.Start) {
			continue
		}
		l.Covered++
		found = append(found, r)
	}
	newest := func(a, b *replaytest.Round) int {
		if a.Market.End != b.Market.End {
			return int(b.Market.End - a.Market.End)
		}
		return strings.Compare(a.Market.VenueID, b.Market.VenueID)
	}
	slices.SortFunc(found, newest)
	if c.Options.Sampling == replay.Random {
		hash := func(r *replaytest.Round) string {
			sum := sha256.Sum256(fmt.Appendf(nil, "%d:%s", c.Options.Seed, r.Market.VenueID))
			return hex.EncodeToString(sum[:])
		}
		slices.SortFunc(found, func(a, b *replaytest.Round) int { return strings.Compare(hash(a), hash(b)) })
	}
	found = found[:min(len(found), c.Strategy.SampleSize())]
	slices.SortFunc(found, newest)
	l.Sampled = len(found)
	return found
}

// inUniverse says whether the market is of the coin and length asked for and
// ends in [from, to).
func inUniverse(m *market.Market, c replay.Case) bool {
	want, o := c.Strategy.Market(), c.Options
	return (want.Coin == strategy.Any || m.Coin == want.Coin) &&
		(want.Type == strategy.Any || m.Type == want.Type) &&
		(o.From == nil || m.End >= *o.From) &&
		(o.To == nil || m.End < *o.To)
}

// decided says whether the payout is known on a basis that the option accepts.
func decided(m *market.Market, winners replay.Winners) bool {
	return m.Payout != nil && (m.Payout.Basis == market.Official ||
		winners == replay.WinnersInferred && m.Payout.Basis == market.Inferred)
}

// watch is one market and what was received about it.
type watch struct {
	round  *replaytest.Round
	market *market.Market
	frames []frame
	// captures are the capture instants in [start, end).
	captures []market.Instant
}

func newWatch(r *replaytest.Round, frames []frame) *watch {
	w := &watch{round: r, market: &r.Market, frames: frames}
	for _, f := range frames {
		if f.last && w.within(f.at) {
			w.captures = append(w.captures, f.at)
		}
	}
	return w
}

func (w *watch) within(t market.Instant) bool { return w.market.Start <= t && t < w.market.End }

// captureIndex is the place of a capture instant among them; −1: it is none.
func (w *watch) captureIndex(t market.Instant) int {
	i, ok := slices.BinarySearch(w.captures, t)
	if !ok {
		return -1
	}
	return i
}

// clockFromEnd is the instant of the clock exit counted from the end. Rule: end
// − exit_before_seconds; else, with hold_to_expiry false, end − 1 s − latency.
func (w *watch) clockFromEnd(e strategy.Exit, o replay.Options) (market.Instant, bool) {
	switch {
	case e.ExitBeforeSeconds != 0:
		return w.market.End - market.Span(e.ExitBeforeSeconds)*market.Second, true
	case !e.HoldToExpiry:
		return w.market.End - market.Second - latency(o), true
	}
	return 0, false
}

func latency(o replay.Options) market.Span { return market.Span(o.LatencyMS) * market.Millisecond }

// instants are the instants of evaluation in [start, end), in order.
//
// Rule: the start, each capture, and each start + N or end − N that a time
// condition or a clock exit names; more are added by the caller. Nothing is
// evaluated before the first book, quote or price.
func (w *watch) instants(s strategy.Strategy, o replay.Options, more ...market.Instant) []market.Instant {
	all := append([]market.Instant{w.market.Start}, w.captures...)
	lists := append([][]strategy.Condition{s.Entry}, s.EntryAny...)
	for _, c := range slices.Concat(lists...) {
		switch c.Type {
		case strategy.TimeElapsed:
			all = append(all, w.market.Start+market.Span(c.Threshold))
		case strategy.TimeRemaining:
			all = append(all, w.market.End-market.Span(c.Threshold))
		}
	}
	if clock, ok := w.clockFromEnd(s.Exit, o); ok {
		all = append(all, clock)
	}
	all = append(all, more...)
	slices.Sort(all)
	all = slices.Compact(all)
	return slices.DeleteFunc(all, func(t market.Instant) bool {
		f := asOf(w.frames, t)
		return !w.within(t) || f == nil || !f.data
	})
}

// replay looks for an entry and, once it is filled, for the way out.
func (w *watch) replay(s strategy.Strategy, o replay.Options) Outcome {
	out := Outcome{MarketID: w.market.VenueID, Refusals: map[string]int{}}
	clock, clocked := w.clockFromEnd(s.Exit, o)
	busyUntil := market.Earliest
	for _, at := range w.instants(s, o) {
		// Rule: nothing is evaluated while an order is in flight; after a refusal
		// the entry is evaluated again from the first instant after the arrival.
		if at <= busyUntil {
			continue
		}
		// Rule: no entry is signalled at or after the instant of a clock exit
		// counted from the end.
		if clocked && at >= clock {
			break
		}
		token := w.candidate(s, at)
		if token < 0 {
			continue
		}
		out.Signalled = true
		// Rule: with no ask at the signal nothing is sent, and no_liquidity is
		// counted once a market.
		ask := asOf(w.frames, at).tokens[token].bestAsk()
		if ask == nil {
			out.Refusals["no ask at the signal"] = 1
			continue
		}
		a := at + latency(o)
		if a >= w.market.End { // the market is done
			out.Refusals["too_late"]++
			break
		}
		// Rule: the cap is the best ask at the signal + max_slippage.
		limit := add(price(*ask), cash(market.Cash(o.MaxSlippage)))
		if o.MaxSlippage == replay.NoCap {
			limit = nil
		}
		buy, why := w.enter(token, a, number(s.BudgetPerTrade), limit, o)
		if why != "" {
			out.Refusals[string(why)]++
			busyUntil = a
			continue
		}
		buy.Signal = at
		out.Trade = w.hold(s, o, token, buy, *ask)
		break
	}
	if out.Refusals["no ask at the signal"] > 0 {
		out.Refusals["no_liquidity"]++
		delete(out.Refusals, "no ask at the signal")
	}
	return out
}

// candidate is the token whose entry holds at the instant, or −1.
//
// Rule: with side either both tokens are candidates; when both satisfy the entry
// the one with the higher price is bought, at equal prices the one whose token
// id sorts first. An unknown price is below every known one.
func (w *watch) candidate(s strategy.Strategy, at market.Instant) int {
	up, down := w.market.TokenIndex(market.Up), w.market.TokenIndex(market.Down)
	switch s.Side {
	case strategy.Up:
		if w.entryHolds(s, up, at) {
			return up
		}
		return -1
	case strategy.Down:
		if w.entryHolds(s, down, at) {
			return down
		}
		return -1
	}
	switch u, d := w.entryHolds(s, up, at), w.entryHolds(s, down, at); {
	case u && !d:
		return up
	case d && !u:
		return down
	case !u:
		return -1
	}
	cmp := compareKnown(w.valueAt(strategy.Price, up, at), w.valueAt(strategy.Price, down, at))
	if cmp > 0 || cmp == 0 && w.market.Tokens[up].VenueID < w.market.Tokens[down].VenueID {
		return up
	}
	return down
}

// compareKnown compares two values, where an unknown one (nil) is below every
// known one.
func compareKnown(a, b *big.Rat) int {
	switch {
	case a != nil && b != nil:
		return a.Cmp(b)
	case a != nil:
		return 1
	case b != nil:
		return -1
	}
	return 0
}

// executable is what selling shares into the bids would bring, and how many of
// them the bids take.
func executable(bids []market.Level, shares market.Size) (value *big.Rat, there market.Size) {
	levels, there := walk(bids, shares)
	return valueOf(levels), there
}
