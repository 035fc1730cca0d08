// Package stats has the statistics of a backtest: exact sums that are rounded
// once, and a bootstrap over clusters of trades that end together. Where float64
// takes part it holds whole numbers exactly.
package stats

import (
	"math/big"
	"slices"

	"github.com/ladderback/ladderback/market"
)

// Verdict says what the trades show about the strategy's mean pnl.
type Verdict string

// Verdicts.
const (
	// NotEnough: fewer than 30 trades, or fewer than 20 distinct ends of rounds.
	NotEnough Verdict = "not_enough_evidence"
	// Positive: the whole interval of the mean pnl is above 0.
	Positive Verdict = "positive"
	// Negative: the whole interval of the mean pnl is below 0.
	Negative Verdict = "negative"
	// NoEdge: the interval of the mean pnl contains 0.
	NoEdge Verdict = "no_edge"
)

// What a verdict needs at least.
const (
	MinTrades = 30
	MinEnds   = 20
)

// Stats are the statistics of the trades. Money is in USD. A nil field has no
// value: every mean without trades, SDPnL below two trades.
type Stats struct {
	// MeanPnL = total pnl ÷ n.
	MeanPnL *Decimal `json:"mean_pnl"`
	// SDPnL = √(Σ(pnl − mean)² ÷ (n − 1)).
	SDPnL *Decimal `json:"sd_pnl"`
	// MedianPnL is the middle pnl, or the mean of the middle two.
	MedianPnL *Decimal `json:"median_pnl"`
	// ProfitFactor = Σ of the pnl above 0 ÷ −Σ of the pnl below 0; nil without
	// losses.
	ProfitFactor *Decimal `json:"profit_factor"`
	// MaxDrawdown is the deepest fall of the equity curve below its running
	// maximum, where the curve starts at 0; ≥ 0.
	MaxDrawdown Decimal `json:"max_drawdown"`
	// LongestLosingStreak is the longest run of trades with pnl < 0, in the
	// order of the report.
	LongestLosingStreak int `json:"longest_losing_streak"`
	// AvgHoldSeconds is the mean of exit time − entry time.
	AvgHoldSeconds *Decimal `json:"avg_hold_seconds"`
	// Fees of all trades.
	Fees Decimal `json:"fees"`
	// GrossPnL = total pnl + fees.
	GrossPnL Decimal `json:"gross_pnl"`
	// AvgEntryPrice is the unweighted mean of the entry prices.
	AvgEntryPrice *Decimal `json:"avg_entry_price"`
	// Edge = mean over trades of (payout per share of the token bought − entry
	// price): what a share turned out to be worth above its cost, before fees
	// and whatever the exit.
	Edge *Decimal `json:"edge"`
	// WinRateInterval and MeanPnLInterval are 95 % intervals, nil with the verdict
	// NotEnough: the percentiles of a handful of trades mean nothing. See bootstrap.
	WinRateInterval *Interval `json:"win_rate_interval"`
	MeanPnLInterval *Interval `json:"mean_pnl_interval"`
	Verdict         Verdict   `json:"verdict"`
}

// Interval is [low, high].
type Interval [2]Decimal

// Trade is what the statistics need of one trade.
type Trade struct {
	// Close is the end of the round. Trades with the same Close form a cluster:
	// rounds that end together move together, so they are resampled together.
	Close  market.Instant
	PnL    market.Cash
	Fees   market.Cash
	Hold   market.Span
	Entry  []market.Level // what the entry took
	Payout market.Cash    // per share of the token bought, CashOne = 1 USD
	// Payouts are, where both tokens were bought, what a share of each paid in units of
	// 1e-6 USD, with the shares; nil: Payout.
	Payouts []market.Level
}

// average is an exact average price: Σ price × size over Σ size. The zero
// value stands for no shares.
type average struct {
	value *big.Int // in 1e-10 USD
	size  int64    // in 1e-6 share
}

// value ÷ size is in 1e-4 USD: times 100 it is in Decimal's unit. Means of
// averages are summed with 30 digits more.
var (
	hundred = big.NewInt(100)
	guard   = new(big.Int).Exp(big.NewInt(10), big.NewInt(30), nil)
)

// guarded returns the average in units of 1e-36 USD, rounded down.
func (a average) guarded() *big.Int {
	if a.size == 0 {
		return new(big.Int)
	}
	v := new(big.Int).Mul(a.value, hundred)
	return v.Mul(v, guard).Quo(v, big.NewInt(a.size))
}

// Of returns the statistics of trades in the order of the report; the equity
// curve is their running sum.
func Of(ss []Trade, seed int64) Stats {
	st := Stats{Verdict: NotEnough}
	if len(ss) == 0 {
		return st
	}
	pnls := make([]int64, len(ss))
	var total, fees, hold int64
	for i := range ss {
		pnls[i] = int64(ss[i].PnL)
		total += pnls[i]
		fees += int64(ss[i].Fees)
		hold += int64(ss[i].Hold)
	}
	n := len(ss)
	st.MeanPnL = new(Mean(total, n))
	st.SDPnL = deviation(pnls, total)
	st.MedianPnL = new(median(pnls))
	st.ProfitFactor = profitFactor(pnls)
	st.MaxDrawdown = drawdown(pnls)
	st.LongestLosingStreak = losingStreak(pnls)
	st.AvgHoldSeconds = new(Mean(hold, n))
	st.Fees = Decimal(fees)
	st.GrossPnL = Decimal(total + fees)
	st.AvgEntryPrice, st.Edge = prices(ss)
	st.infer(ss, seed)
	return st
}

// infer fills the intervals and the verdict, where there are enough trades.
func (st *Stats) infer(ss []Trade, seed int64) {
	cs := clusters(ss)
	if len(ss) < MinTrades || len(cs) < MinEnds {
		return // NotEnough, without intervals
	}
	pnl, win := bootstrap(cs, seed)
	st.MeanPnLInterval = &Interval{pnl.low.decimal(), pnl.high.decimal()}
	st.WinRateInterval = &Interval{
		Ratio(win.low.sum, win.low.n), Ratio(win.high.sum, win.high.n),
	}
	st.Verdict = pnl.verdict()
}

// deviation returns the sample standard deviation, √((n·Σx² − (Σx)²) ÷
// (n·(n − 1))), or nil below two values.
func deviation(xs []int64, total int64) *Decimal {
	n := int64(len(xs))
	if n < 2 {
		return nil
	}
	squares, x := new(big.Int), new(big.Int)
	for _, v := range xs {
		x.SetInt64(v)
		squares.Add(squares, x.Mul(x, x))
	}
	x.SetInt64(total)
	num := squares.Mul(squares, big.NewInt(n))
	num.Sub(num, x.Mul(x, x))
	return new(rootOf(num, new(big.Int).Mul(big.NewInt(n), big.NewInt(n-1))))
}

func median(xs []int64) Decimal {
	sorted := slices.Sorted(slices.Values(xs))
	n := len(sorted)
	if n%2 == 1 {
		return Decimal(sorted[n/2])
	}
	return Mean(sorted[n/2-1]+sorted[n/2], 2)
}

func profitFactor(xs []int64) *Decimal {
	var won, lost int64
	for _, v := range xs {
		if v > 0 {
			won += v
		} else {
			lost -= v
		}
	}
	if lost == 0 {
		return nil
	}
	return new(Ratio(won, lost))
}

func drawdown(xs []int64) Decimal {
	var sum, high, deepest int64
	for _, v := range xs {
		sum += v
		high = max(high, sum)
		deepest = max(deepest, high-sum)
	}
	return Decimal(deepest)
}

func losingStreak(xs []int64) int {
	longest, run := 0, 0
	for _, v := range xs {
		if v < 0 {
			run++
		} else {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

// prices returns the mean entry price and the edge. Averages that have no end
// as decimals are cut after 36 digits before they are summed.
func prices(ss []Trade) (entry, edge *Decimal) {
	sum, paid := new(big.Int), new(big.Int)
	for i := range ss {
		sum.Add(sum, averageOf(ss[i].Entry).guarded())
		if ss[i].Payouts != nil { // these are in hundredths of a price
			v := averageOf(ss[i].Payouts).guarded()
			paid.Add(paid, v.Quo(v, hundred))
			continue
		}
		paid.Add(paid, new(big.Int).Mul(big.NewInt(int64(ss[i].Payout)), guard))
	}
	den := new(big.Int).Mul(guard, big.NewInt(int64(len(ss))))
	paid.Sub(paid, sum)
	return new(Round(sum, den)), new(Round(paid, den))
}

// averageOf returns the average price of what was taken from levels.
func averageOf(levels []market.Level) average {
	a := average{value: new(big.Int)}
	x := new(big.Int)
	for _, l := range levels {
		a.value.Add(a.value, x.Mul(big.NewInt(int64(l.Price)), big.NewInt(int64(l.Size))))
		a.size += int64(l.Size)
	}
	return a
}
