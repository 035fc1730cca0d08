package store

import (
	"encoding/binary"
	"fmt"

	"github.com/ladderback/ladderback/market"
)

// Standing is what sampling asks of an up/down round, in one number, which stands in
// the index that rounds are found by: its category, the basis of its payout, and how
// well it was captured. Zero: it is none, or in no list.
type Standing int64

// Bits of a Standing; those below are Stats.Coverage.
const (
	standsCaptured = 1 << 20
	standsBasis    = 21 // two bits: 0 undecided, 1 official, 2 inferred
	standsCategory = 23 // two bits: 1 crypto, 2 another
)

// StandingOf returns the standing of a market.
func StandingOf(row *MarketRow) Standing {
	m, s := &row.Market, &row.Stats
	if m.Category == "" || !m.IsUpDown() {
		return 0
	}
	out := Standing(2) << standsCategory
	if m.Category == market.Crypto {
		out = 1 << standsCategory
	}
	switch m.Decided() {
	case market.Official:
		out |= 1 << standsBasis
	case market.Inferred:
		out |= 2 << standsBasis
	}
	if s.Captured && m.Start < m.End {
		out |= standsCaptured | Standing(s.Coverage)
	}
	return out
}

// In reports whether the round is listed in the category; empty: in any.
func (s Standing) In(c market.Category) bool {
	return s != 0 && (c == "" || (c == market.Crypto) == (s>>standsCategory == 1))
}

// Basis returns market.Market.Decided of the round.
func (s Standing) Basis() market.Basis {
	return [...]market.Basis{"", market.Official, market.Inferred, ""}[s>>standsBasis&3]
}

// Captured reports whether the round has a capture in [Start, End).
func (s Standing) Captured() bool { return s&standsCaptured != 0 }

// Coverage returns Stats.Coverage of a round that is captured.
func (s Standing) Coverage() int64 { return int64(s & (standsCaptured - 1)) }

// CoverageStep is the width of the steps by which coverage is counted, in 1e-6.
const CoverageStep = 10_000

// StandingCounts count listed rounds with a payout, by its basis: 0 official,
// 1 inferred.
type StandingCounts struct {
	Decided [2]int64
	// Steps counts those captured by coverage: [i*CoverageStep, (i+1)*CoverageStep).
	Steps [2][1 + 1_000_000/CoverageStep]int64
}

// Standings are StandingCounts in few bytes: varints, of each basis the number decided
// and as many pairs of a step and its number as are not zero. Empty: all are zero.
type Standings string

// alone returns the standings of one round.
func (s Standing) alone() Standings {
	var c StandingCounts
	basis := s >> standsBasis & 3
	if basis == 0 {
		return ""
	}
	c.Decided[basis-1] = 1
	if s.Captured() {
		c.Steps[basis-1][s.Coverage()/CoverageStep] = 1
	}
	return c.standings()
}

func (c *StandingCounts) standings() Standings {
	if *c == (StandingCounts{}) {
		return ""
	}
	var b []byte
	for basis := range c.Decided {
		n := int64(0)
		for _, v := range c.Steps[basis] {
			if v != 0 {
				n++
			}
		}
		b = binary.AppendVarint(binary.AppendVarint(b, c.Decided[basis]), n)
		for i, v := range c.Steps[basis] {
			if v != 0 {
				b = binary.AppendVarint(binary.AppendVarint(b, int64(i)), v)
			}
		}
	}
	return Standings(b)
}

// Add adds what standings count; sign −1 subtracts it. Standings that cannot be read,
// which no checksum covers, add nothing more.
func (c *StandingCounts) Add(s Standings, sign int64) {
	b := []byte(s)
	next := func() int64 {
		v, n := binary.Varint(b)
		if n <= 0 {
			b = nil
			return 0
		}
		b = b[n:]
		return v
	}
	for basis := range c.Decided {
		c.Decided[basis] += sign * next()
		for n := next(); n > 0 && len(b) > 0; n-- {
			i, v := next(), next()
			if i >= 0 && i < int64(len(c.Steps[basis])) {
				c.Steps[basis][i] += sign * v
			}
		}
	}
}

// count adds to n the rounds of some tallies that d counts. ok is false when some of
// them may be covered enough or not: then n stands for nothing.
func (c *StandingCounts) count(n *market.RoundCount, d *market.RoundDraw) (ok bool) {
	first := int((d.Covered + CoverageStep - 1) / CoverageStep)
	covered := func(basis int) (some int) {
		for i := first; i < len(c.Steps[basis]); i++ {
			some += int(c.Steps[basis][i])
		}
		return some
	}
	if d.Covered%CoverageStep != 0 && (c.Steps[0][first-1] != 0 || c.Steps[1][first-1] != 0) {
		return false
	}
	for basis := range c.Decided {
		if basis == 1 && !d.Inferred {
			n.Inferred += covered(basis)
			continue
		}
		n.Resolved += int(c.Decided[basis])
		for _, some := range c.Steps[basis] {
			n.Captured += int(some)
		}
		n.Covered += covered(basis)
	}
	return true
}

// RoundKey is an up/down round as it stands in the index that rounds are found by.
type RoundKey struct {
	ID       ID
	VenueID  string
	End      market.Instant
	Standing Standing
	Sum      int64 // of its row
}

// is returns ErrDamaged unless the row is the one that the key stands for.
func (k *RoundKey) is(row *MarketRow) error {
	if m := &row.Market; row.Checksum == k.Sum && m.VenueID == k.VenueID && m.End == k.End && StandingOf(row) == k.Standing {
		return nil
	}
	return fmt.Errorf("market %s was found as a round, but is another: %w", row.Market.VenueID, ErrDamaged)
}
