package words

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/figures"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/replay"
)

// Figure is one number of a report in a readable form.
type Figure struct {
	Name  string
	Value string
	// Sign is −1, 0 or 1 for a gain or a loss, else 0.
	Sign int
	// Interval is the 95 % interval, TooFew, or empty for a number without one.
	Interval string
	// Baseline is the baseline's number; empty if there is none.
	Baseline string
	// Help explains the number in one sentence.
	Help string
}

// Figures returns the numbers of a report in three parts: what was made, how
// the trades went, and what was at stake.
func Figures(r *backtest.Report) [3][]Figure {
	return [3][]Figure{made(r), traded(r), staked(r)}
}

func sign(d *stats.Decimal) int {
	switch {
	case d == nil, *d == 0:
		return 0
	case *d < 0:
		return -1
	}
	return 1
}

// made are the numbers of a verdict.
func made(r *backtest.Report) []Figure {
	st, a := &r.Stats, &r.Analysis
	out := []Figure{
		{Name: "mean pnl per trade", Value: figures.Or(st.MeanPnL, figures.USD), Sign: sign(st.MeanPnL), Interval: Interval(st.MeanPnLInterval, figures.USD),
			Help: "Total pnl divided by the number of trades."},
		{Name: "win rate", Value: figures.Rate(r.WinRate), Interval: Interval(st.WinRateInterval, figures.Rate),
			Help: "Share of the trades with a pnl above zero."},
		{Name: "priced-in win rate", Value: figures.Or(a.BreakEvenWinRate, figures.Rate),
			Help: "Share of the trades that would settle at $1 if every share were worth just what it cost, fee included."},
		{Name: "total pnl", Value: figures.USD(r.TotalPnL), Sign: sign(&r.TotalPnL),
			Help: "Money received minus money paid, fees included."},
		{Name: "return on money staked", Value: figures.Or(a.ReturnOnStake, figures.SignedRate), Sign: sign(a.ReturnOnStake),
			Help: "Total pnl divided by what all trades cost together."},
		{Name: "edge per share", Value: figures.Or(st.Edge, figures.SignedPrice), Sign: sign(st.Edge),
			Help: "What a share turned out to be worth minus what it cost, before fees and whatever the exit."},
	}
	if b := r.Baseline.Value; b != nil {
		out[0].Baseline = figures.Or(b.MeanPnL, figures.USD)
		out[1].Baseline = figures.Rate(b.WinRate)
		out[3].Baseline = figures.USD(b.TotalPnL)
	}
	return out
}

// traded are the numbers of single trades.
func traded(r *backtest.Report) []Figure {
	st, a := &r.Stats, &r.Analysis
	out := []Figure{
		{Name: "trades", Value: figures.Number(len(r.Trades)), Help: "Markets in which the entry was filled."},
		{Name: "average win", Value: figures.Or(a.AvgWin, figures.USD), Sign: sign(a.AvgWin), Help: "Mean pnl of the winning trades."},
		{Name: "average loss", Value: figures.Or(a.AvgLoss, figures.USD), Sign: sign(a.AvgLoss), Help: "Mean pnl of the losing trades."},
		{Name: "payoff ratio", Value: figures.Plain(a.Payoff, 2), Help: "Average win divided by average loss."},
		{Name: "profit factor", Value: figures.Plain(st.ProfitFactor, 2), Help: "Dollars won per dollar lost."},
		{Name: "best trade", Value: one(r, a.BestTrade), Sign: signOf(r, a.BestTrade), Help: "The highest pnl, and the number of its trade."},
		{Name: "worst trade", Value: one(r, a.WorstTrade), Sign: signOf(r, a.WorstTrade), Help: "The lowest pnl, and the number of its trade."},
		{Name: "median pnl", Value: figures.Or(st.MedianPnL, figures.USD), Sign: sign(st.MedianPnL), Help: "Half of the trades made more, half less."},
		{Name: "standard deviation", Value: figures.Or(st.SDPnL, figures.Dollars), Help: "How far the pnl of a trade scatters around the mean."},
		{Name: "longest losing streak", Value: figures.Number(st.LongestLosingStreak), Help: "Most losing trades in a row."},
		{Name: "average holding time", Value: figures.Seconds(st.AvgHoldSeconds), Help: "From entry to exit."},
	}
	if b := r.Baseline.Value; b != nil {
		out[0].Baseline = figures.Number(b.MarketsTraded)
	}
	return out
}

// staked are the numbers of money at work.
func staked(r *backtest.Report) []Figure {
	st, a := &r.Stats, &r.Analysis
	return []Figure{
		{Name: "money staked", Value: figures.Dollars(a.Staked), Help: "What all trades cost together, entry fees included."},
		{Name: "most at risk at once", Value: fmt.Sprintf("%s (%s open)", figures.Dollars(a.MaxAtRisk), figures.Number(a.MaxOpen)),
			Help: "The most that positions open at the same time had cost together."},
		{Name: "max drawdown", Value: figures.Dollars(st.MaxDrawdown), Help: "Deepest fall of the equity curve below its highest point before."},
		{Name: "average entry price", Value: figures.Or(st.AvgEntryPrice, figures.Price), Help: "Mean price of a share over the trades, without fees."},
		{Name: "fees", Value: figures.Dollars(st.Fees), Help: "Of all entries and sales."},
		{Name: "pnl before fees", Value: figures.USD(st.GrossPnL), Sign: sign(&st.GrossPnL), Help: "Total pnl plus fees: these trades without their fees."},
	}
}

// one writes the pnl of a trade with its number.
func one(r *backtest.Report, number int) string {
	if number < 1 || number > len(r.Trades) {
		return figures.None
	}
	return fmt.Sprintf("%s (#%s)", figures.USD(r.Trades[number-1].PnL), figures.Number(number))
}

func signOf(r *backtest.Report, number int) int {
	if number < 1 || number > len(r.Trades) {
		return 0
	}
	return sign(&r.Trades[number-1].PnL)
}

// Breakdown is the pnl by something that trades share.
type Breakdown struct {
	Name string           `json:"name"`
	Rows []backtest.Group `json:"rows"` // with keys for people
}

// HourOfEntry names the breakdown that may have 24 rows.
const HourOfEntry = "hour of entry, UTC"

// Breakdowns returns the breakdowns of a report that tell groups apart: always
// the one by exit reason, the others when they have at least two groups.
func Breakdowns(r *backtest.Report) []Breakdown {
	a := &r.Analysis
	out := []Breakdown{}
	add := func(name string, least int, groups []backtest.Group, key func(string) string) {
		if len(groups) < least {
			return
		}
		b := Breakdown{Name: name}
		for _, g := range groups {
			g.Key = key(g.Key)
			b.Rows = append(b.Rows, g)
		}
		out = append(out, b)
	}
	add("exit reason", 1, a.ByExit, func(k string) string { return Exit(replay.ExitReason(k)) })
	add("entry price", 2, a.ByEntryPrice, func(k string) string {
		low, _ := strconv.Atoi(strings.TrimPrefix(k, "0.")) // 0 to 9 tenths
		return fmt.Sprintf("%d¢ to %d¢", 10*low, 10*low+10)
	})
	add("coin", 2, a.ByCoin, func(k string) string { return k })
	add(HourOfEntry, 2, a.ByHour, func(k string) string { return k + ":00" })
	return out
}
