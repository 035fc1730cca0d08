package fills

import (
	"fmt"
	"math/big"

	"github.com/ladderback/ladderback/market"
)

// Schedule is a fee, a taker's or a maker's: Σ over the levels taken of shares × Rate ×
// p^PricePower × (p(1−p))^Exponent, exact, rounded once per leg. The zero value
// charges nothing and is not Known.
type Schedule struct {
	Name       string // in reports: "polymarket crypto from 2026-03-30"
	Source     string // where it was published; empty: the market's own listing
	Rate       int64  // in units of 1e-6: 0..1,000,000
	PricePower int    // 0 or 1
	Exponent   int    // 0..4
	Rounding   Rounding
	// Known is false for a venue without a schedule: no fee is charged.
	Known bool
}

// Rounding says how a leg's fee is rounded.
type Rounding uint8

// Roundings.
const (
	Down1e5    Rounding = iota // down to 1e-5 USD
	Nearest1e4                 // to the nearest 1e-4 USD, half up; at least 1e-4 when above 0
	UpCent                     // up to 0.01 USD
)

const (
	rateDecimals  = 6
	sizeDecimals  = 6
	priceDecimals = 4
	cashDecimals  = 6

	maxRate     = 1_000_000
	maxExponent = 4
)

// ScheduleOf returns the fee schedule that applies to m: its own if the archive
// has one, else that of its venue, category and length in the dated table, by
// the end of the round. A venue without a schedule gives one that is not Known.
// An error means that m's own schedule cannot be charged.
func ScheduleOf(m *market.Market) (Schedule, error) {
	if f := m.Fees; f != nil {
		if f.Rate < 0 || f.Rate > maxRate || f.Exponent < 0 || f.Exponent > maxExponent {
			return Schedule{}, fmt.Errorf("market %s: fee schedule of rate %s, exponent %d: expected a rate of 0 to 1 and an exponent of 0 to %d",
				m.VenueID, market.FormatDecimal(f.Rate, rateDecimals), f.Exponent, maxExponent)
		}
		return Schedule{
			Name: "the market's own", Rate: f.Rate, Exponent: f.Exponent, Known: true,
		}, nil
	}
	return venueSchedule(m), nil
}

// MakerOf returns what an order pays of m that rested: by m's own schedule if the archive
// has one, else by the dated table. Rebates are not counted. Errors are those of
// ScheduleOf.
func MakerOf(m *market.Market) (Schedule, error) {
	s, err := ScheduleOf(m)
	if err != nil {
		return s, err
	}
	if m.Fees != nil {
		if m.Fees.TakerOnly {
			s.Rate = 0
		}
		return s, nil
	}
	s.Rate = 0
	if row := rowOf(m); row != nil {
		s.Rate = row.maker
	}
	return s, nil
}

// Free returns s with a fee of zero.
func (s Schedule) Free() Schedule {
	s.Rate = 0
	return s
}

// PerShare returns the fee of one share at a price in USD, not rounded.
func (s *Schedule) PerShare(p market.Price) *big.Rat {
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(s.decimals())), nil)
	return new(big.Rat).SetFrac(s.exact(p, market.SizeOne).big(), unit)
}

// Fee returns the fee of one leg that took the levels, rounded once.
func (s *Schedule) Fee(levels []market.Level) market.Cash {
	if s.Rate == 0 {
		return 0
	}
	var sum uint256
	for _, l := range levels {
		sum = sum.plus(s.exact(l.Price, l.Size))
	}
	return s.round(sum)
}

// exact returns the fee of size shares at p in units of 10^-decimals() USD. It
// fits in 217 bits.
func (s *Schedule) exact(p market.Price, size market.Size) uint256 {
	w := uint256{uint64(size)}.times(uint64(s.Rate))
	if s.PricePower == 1 {
		w = w.times(uint64(p))
	}
	for range s.Exponent {
		w = w.times(uint64(p) * uint64(p.Mirror()))
	}
	return w
}

// decimals is the number of decimals of what exact returns.
func (s *Schedule) decimals() int {
	return rateDecimals + sizeDecimals + priceDecimals*(s.PricePower+2*s.Exponent)
}

// round rounds an exact fee.
func (s *Schedule) round(sum uint256) market.Cash {
	switch s.Rounding {
	case Nearest1e4:
		// Half up: the floor in steps of 5e-5, plus one, halved. Anything
		// above 0 pays at least one step.
		half, cut := sum.overPow10(s.decimals() - 5)
		half, rest := half.over(5)
		steps, _ := half.plus(uint256{1}).over(2)
		if steps == (uint256{}) && (cut || rest != 0 || half != uint256{}) {
			steps = uint256{1}
		}
		return stepsOf(steps, 100)
	case UpCent:
		steps, cut := sum.overPow10(s.decimals() - 2)
		if cut {
			steps = steps.plus(uint256{1})
		}
		return stepsOf(steps, 10_000)
	default:
		steps, _ := sum.overPow10(s.decimals() - 5)
		return stepsOf(steps, 10)
	}
}

// stepsOf returns n steps of size step in units of Cash.
func stepsOf(n uint256, step uint64) market.Cash {
	return market.Cash(n.times(step).small())
}
