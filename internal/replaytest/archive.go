// Package replaytest is an archive in memory for tests of the engine and of what
// is built on it. Rounds and captures come from code, or from a small text form
// that a trader can read.
package replaytest

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

var _ replay.Source = (*Archive)(nil)

// Archive holds rounds in memory. It is a replay.Source; concurrent use is
// fine while nothing is changed.
type Archive struct {
	All []*Round
}

// Round is one up/down market and everything that was received about it.
type Round struct {
	Market market.Market
	Gaps   []market.TokenGap
	// Captures in receive order, of all tokens, before the rule for mirrored
	// pairs. KindBook captures have Replace set.
	Captures []market.Capture
}

// Written is that of an archive which does not change.
func (a *Archive) Written(context.Context) (int64, error) { return 1, nil }

// Rounds returns the rounds that pass the filter.
func (a *Archive) Rounds(ctx context.Context, f market.RoundFilter) ([]market.Round, error) {
	var out []market.Round
	for _, r := range a.All {
		m := &r.Market
		if f.Coin != "" && m.Coin != f.Coin || f.Type != "" && m.Type != f.Type ||
			f.From != 0 && m.End < f.From || f.To != 0 && m.End >= f.To {
			continue
		}
		out = append(out, r.Round())
	}
	return out, ctx.Err()
}

// Round returns what an archive says about r.
func (r *Round) Round() market.Round {
	m := &r.Market
	round := market.Round{Market: m, Gaps: r.Gaps}
	round.Content = r.content()
	for c := range r.Counted() {
		inside := c.Recv >= m.Start && c.Recv < m.End
		round.Captured = round.Captured || inside && c.Kind != market.KindReset
	}
	round.Coverage = r.coverage()
	return round
}

// content hashes every capture: equal rounds give equal hashes.
func (r *Round) content() [sha256.Size]byte {
	var b []byte
	put := func(numbers ...int64) {
		for _, n := range numbers {
			b = binary.AppendVarint(b, n)
		}
	}
	levels := func(levels []market.Level) {
		put(int64(len(levels)))
		for _, l := range levels {
			put(int64(l.Price), int64(l.Size))
		}
	}
	for i := range r.Captures {
		c := &r.Captures[i]
		put(int64(c.Token), int64(c.Kind), int64(c.Recv), int64(c.Exch), int64(c.Ord))
		levels(c.Bids)
		levels(c.Asks)
		levels([]market.Level{c.Quote.Bid, c.Quote.Ask})
		put(int64(c.Trade.Price), int64(c.Trade.Size), int64(c.Trade.Side), int64(c.Metric.Liquidity), int64(c.Metric.Volume))
	}
	return sha256.Sum256(b)
}

// coverage is the share of the round during which the last capture of a value was not
// older than 30 s, in units of 1e-6. Changes before the first whole ladder give none.
func (r *Round) coverage() int64 {
	const fresh = 30 * market.Second
	m := &r.Market
	known, until, whole := market.Span(0), m.Start, false
	for c := range r.Counted() {
		switch c.Kind {
		case market.KindReset, market.KindTrade, market.KindTick, market.KindMetric:
			continue // no value
		case market.KindChange:
			if !whole {
				continue
			}
		case market.KindBook:
			whole = true
		}
		from, to := max(c.Recv, until), min(c.Recv+fresh, m.End)
		if to > from {
			known += to - from
			until = to
		}
	}
	if m.End <= m.Start {
		return 0
	}
	return int64(known * 1_000_000 / (m.End - m.Start))
}

// Captures yields the captures of m that count. Each is a copy whose slices are
// overwritten by the next, as a reader's would be.
func (a *Archive) Captures(ctx context.Context, m *market.Market) iter.Seq2[*market.Capture, error] {
	return func(yield func(*market.Capture, error) bool) {
		i := slices.IndexFunc(a.All, func(r *Round) bool {
			return r.Market.Venue == m.Venue && r.Market.VenueID == m.VenueID
		})
		if i < 0 {
			yield(nil, fmt.Errorf("market %s: not in the archive", m.VenueID))
			return
		}
		var out market.Capture
		var bids, asks []market.Level
		for c := range a.All[i].Counted() {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			bids = append(bids[:0], c.Bids...)
			asks = append(asks[:0], c.Asks...)
			out = *c
			out.Bids, out.Asks = bids, asks
			if !yield(&out, nil) {
				return
			}
		}
	}
}

// Counted yields the captures that count: of a mirrored pair's ladder captures
// of one exchange time only those of the token received first.
func (r *Round) Counted() iter.Seq[*market.Capture] {
	return func(yield func(*market.Capture) bool) {
		first := map[market.Instant]int{}
		for i := range r.Captures {
			c := &r.Captures[i]
			if r.Market.Mirrored && c.IsLadder() && c.Exch != 0 {
				if _, ok := first[c.Exch]; !ok {
					first[c.Exch] = c.Token
				}
				if first[c.Exch] != c.Token {
					continue
				}
			}
			if !yield(c) {
				return
			}
		}
	}
}
