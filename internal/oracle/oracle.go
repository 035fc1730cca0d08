package oracle

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/internal/oracle/exact"
	"github.com/ladderback/ladderback/internal/oracle/object"
	"github.com/ladderback/ladderback/internal/oracle/seen"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// Run samples and replays each case over the rounds and returns a ledger a case,
// in order.
func Run(rounds []*replaytest.Round, cases ...replay.Case) []*Ledger {
	frames := map[*replaytest.Round][]seen.Frame{}
	var out []*Ledger
	for _, c := range cases {
		out = append(out, run(rounds, frames, c, c))
	}
	return out
}

// Over replays each case over the rounds that drawn samples, and returns a
// ledger a case, in order.
func Over(rounds []*replaytest.Round, drawn replay.Case, cases ...replay.Case) []*Ledger {
	frames := map[*replaytest.Round][]seen.Frame{}
	var out []*Ledger
	for _, c := range cases {
		out = append(out, run(rounds, frames, drawn, c))
	}
	return out
}

func run(rounds []*replaytest.Round, frames map[*replaytest.Round][]seen.Frame, drawn, c replay.Case) *Ledger {
	ledger := &Ledger{Refusals: map[string]int{}}
	s := object.Read(c.Strategy)
	for _, r := range sample(rounds, frames, drawn, ledger) {
		out := replayOne(seen.Of(r, frames[r]), s, c.Options)
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
	w := seen.Of(r, seen.FramesOf(r))
	var out []Outcome
	for _, c := range cases {
		out = append(out, replayOne(w, object.Read(c.Strategy), c.Options))
	}
	return out
}

// replayOne plays a strategy of one entry that takes and exits that take, for which
// the rule of what rests does not matter.
func replayOne(w *seen.Watch, s *object.Object, o replay.Options) Outcome {
	p := newPlay(w, s, o, Through, nil)
	pass(p)
	out := Outcome{MarketID: w.Market.VenueID, Signalled: p.out.Signalled, Refusals: p.out.Refusals}
	if p.out.Item != nil {
		out.Trade = p.trade()
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
func sample(rounds []*replaytest.Round, frames map[*replaytest.Round][]seen.Frame, c replay.Case, l *Ledger) []*replaytest.Round {
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
			frames[r] = seen.FramesOf(r)
		}
		inside := slices.ContainsFunc(frames[r], func(f seen.Frame) bool { return m.Start <= f.At && f.At < m.End })
		if !inside {
			continue
		}
		l.Captured++
		if seen := seen.Covered(r); seen*1_000_000 < market.Span(o.MinCoverage)*(m.End-m.Start) {
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

func latency(o replay.Options) market.Span { return market.Span(o.LatencyMS) * market.Millisecond }

// executable is what selling shares into the bids would bring, and how many of
// them the bids take.
func executable(bids []market.Level, shares market.Size) (value *big.Rat, there market.Size) {
	levels, there := walk(bids, shares)
	return exact.ValueOf(levels), there
}
