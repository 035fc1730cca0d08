// Package fee is what a leg owes, by venue and date.
package fee

import (
	"math/big"
	"time"

	"github.com/ladderback/ladderback/internal/oracle/exact"
	"github.com/ladderback/ladderback/market"
)

// Rule charges one leg for the levels it took, rounded once.
type Rule func(levels []market.Level) *big.Rat

func none([]market.Level) *big.Rat { return new(big.Rat) }

// Schedule is a fee before it is rounded, and its rounding.
type Schedule struct {
	Exact   Rule
	rounded func(*big.Rat) *big.Rat
}

// Fee is a Rule.
func (s Schedule) Fee(levels []market.Level) *big.Rat { return s.rounded(s.Exact(levels)) }

// Free is no fee.
func Free() Schedule {
	return Schedule{Exact: none, rounded: func(x *big.Rat) *big.Rat { return x }}
}

func day(year int, month time.Month, d int) market.Instant {
	return market.InstantOf(time.Date(year, month, d, 0, 0, 0, 0, time.UTC))
}

// sum adds up shares × rate × p^power × (p(1−p))^exponent over the levels.
func sum(levels []market.Level, rate *big.Rat, power, exponent int) *big.Rat {
	total := new(big.Rat)
	for _, l := range levels {
		p := exact.Price(l.Price)
		term := exact.Mul(exact.Size(l.Size), rate)
		for range power {
			term = exact.Mul(term, p)
		}
		for range exponent {
			term = exact.Mul(term, exact.Mul(p, exact.Sub(big.NewRat(1, 1), p)))
		}
		total = exact.Add(total, term)
	}
	return total
}

// plain is Σ shares × r × (p(1−p))^e, rounded down to 1e-5 USD.
func plain(rate *big.Rat, exponent int) Schedule {
	return Schedule{
		Exact:   func(levels []market.Level) *big.Rat { return sum(levels, rate, 0, exponent) },
		rounded: func(x *big.Rat) *big.Rat { return exact.Floor(x, 100_000) },
	}
}

// early is Σ shares × p × r × (p(1−p))^e, to the nearest 1e-4 USD, half up, and
// at least 1e-4 when above 0.
func early(rate *big.Rat, exponent int) Schedule {
	return Schedule{
		Exact: func(levels []market.Level) *big.Rat { return sum(levels, rate, 1, exponent) },
		rounded: func(x *big.Rat) *big.Rat {
			if x.Sign() == 0 {
				return x
			}
			return exact.Larger(exact.Floor(exact.Add(x, big.NewRat(1, 20_000)), 10_000), big.NewRat(1, 10_000))
		},
	}
}

// upToTheCent is shares × r × p(1−p), rounded up to the cent.
func upToTheCent(rate *big.Rat) Schedule {
	return Schedule{
		Exact:   func(levels []market.Level) *big.Rat { return sum(levels, rate, 0, 1) },
		rounded: func(x *big.Rat) *big.Rat { return exact.Ceil(x, 100) },
	}
}

// Of is the fee that applies to a market.
//
// Rule: its own schedule where the archive has it, else the dated table by the
// market's end. Simulated rounds use Polymarket's. A venue without a schedule
// charges nothing.
func Of(m *market.Market) Schedule {
	if m.Fees != nil {
		return plain(big.NewRat(m.Fees.Rate, 1_000_000), m.Fees.Exponent)
	}
	from := func(year int, month time.Month, d int) bool { return m.End >= day(year, month, d) }
	switch m.Venue {
	case market.Kalshi:
		return upToTheCent(big.NewRat(7, 100))
	case market.Polymarket, market.Simulated:
	default:
		return Free()
	}
	if m.Category == market.Sports {
		switch {
		case from(2026, 7, 10):
			return plain(big.NewRat(5, 100), 1)
		case from(2026, 3, 30):
			return plain(big.NewRat(3, 100), 1)
		case from(2026, 2, 18):
			return early(big.NewRat(175, 10_000), 1)
		}
		return Free()
	}
	switch {
	case from(2026, 3, 30):
		return plain(big.NewRat(7, 100), 1)
	case from(2026, 3, 6),
		from(2026, 2, 12) && m.Type == "5m",
		from(2026, 1, 5) && m.Type == "15m":
		return early(big.NewRat(25, 100), 2)
	}
	return Free()
}

// Maker is the fee for the shares that an order gave while it rested.
//
// "The market's own schedule where the archive has one, else the dated table
// (Polymarket: none; Kalshi: 0.0175 for 0.07). Rounded once over the order."
func Maker(m *market.Market) Schedule {
	switch {
	case m.Fees != nil && !m.Fees.TakerOnly:
		return plain(big.NewRat(m.Fees.Rate, 1_000_000), m.Fees.Exponent)
	case m.Fees == nil && m.Venue == market.Kalshi:
		return upToTheCent(big.NewRat(175, 10_000))
	}
	return Free()
}
