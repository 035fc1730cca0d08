package report

import (
	"math/big"

	"github.com/ladderback/ladderback/market"
)

// The parts that the tests of this package reach into.

// Row is one trade as the statistics see it.
type Row struct {
	Close  market.Instant
	PnL    market.Cash
	Fees   market.Cash
	Hold   market.Span
	Levels []market.Level // of the entry
	Payout market.Cash
}

// Compute returns the statistics of rows.
func Compute(rows []Row, seed int64) Stats {
	ss := make([]sample, len(rows))
	for i, r := range rows {
		ss[i] = sample{
			Outcome: Outcome{Close: r.Close, PnL: r.PnL},
			fees:    r.Fees, hold: r.Hold, payout: r.Payout,
			entry: averageOf(r.Levels),
		}
	}
	return compute(ss, seed)
}

// Round and Root are the exact roundings.
func Round(num, den *big.Int) Decimal  { return round(num, den) }
func RootOf(num, den *big.Int) Decimal { return rootOf(num, den) }

// Thin is the thinning of lines.
func Thin(xs, ys []float64) (tx, ty []float64) {
	ps := make([]point, len(xs))
	for i := range xs {
		ps[i] = point{xs[i], ys[i]}
	}
	for _, p := range thin(ps) {
		tx, ty = append(tx, p.x), append(ty, p.y)
	}
	return tx, ty
}
