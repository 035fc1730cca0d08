package backtest

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"sync"

	"github.com/ladderback/ladderback/backtest/after"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/replay/orders"
)

// Runs are the replays that a report is made of, all over the same sample.
type Runs struct {
	Main *replay.Result
	// Data is DataHash of the rounds of Main; empty: not known.
	Data string
	// Baseline is the replay of BaselineCase; nil when it was not asked for, or
	// Main has no trades.
	Baseline *replay.Result
	// Sensitivity holds the replays of SensitivityCases, in order; nil when they
	// were not asked for.
	Sensitivity []*replay.Result
	// Queue holds the replays of QueueCases, in order; nil where nothing rests.
	Queue []*replay.Result
	// After is what happened after the entry of each trade of Main; nil when it was not
	// asked for.
	After []after.Trade
	// Available is what the archive has, for a run that found nothing to replay.
	Available []Holding
}

// Build makes the report. It fails only where money does not fit the numbers of
// the report.
func Build(runs Runs, o Options) (*Report, error) {
	res := runs.Main
	o = o.normal().Ruled(res.Strategy)
	total, err := totalPnL(res)
	if err != nil {
		return nil, err
	}
	data := sync.OnceValues(func() (string, error) {
		if runs.Data != "" {
			return runs.Data, nil
		}
		return dataHash(res)
	})
	go data() // beside the statistics
	r := &Report{
		SampleSize:    res.Strategy.SampleSize(),
		MarketsFound:  len(res.Markets),
		MarketsTraded: len(res.Trades),
		WinRate:       winRate(res.Trades),
		TotalPnL:      stats.Decimal(total),
		EquityCurve:   make([]stats.Decimal, 0, len(res.Trades)),
		Trades:        make([]Trade, 0, len(res.Trades)),
		Funnel:        Funnel{Funnel: res.Funnel, Refusals: refusalsOf(res.Refusals)},
		Options:       o,
		Available:     runs.Available,
		FeeSchedules:  schedules(res),
		Analysis:      analysisOf(runs),
	}
	coverage := make(map[*market.Market]int64, len(res.Markets))
	for i := range res.Markets {
		coverage[res.Markets[i].Round.Market] = res.Markets[i].Round.Coverage
	}
	trades := make([]stats.Trade, len(res.Trades))
	var equity market.Cash
	for i, t := range res.Trades {
		equity += t.PnL()
		r.EquityCurve = append(r.EquityCurve, stats.Decimal(equity))
		r.Trades = append(r.Trades, tradeOf(t, coverage[t.Market], slices.Contains(o.Include, IncludeFills), res.Strategy.Extended()))
		trades[i] = sampleOf(t)
	}
	r.Stats = stats.Of(trades, o.Seed)
	if slices.Contains(o.Include, IncludeAfter) {
		if len(runs.After) != len(trades) {
			return nil, fmt.Errorf("report: %d trades followed: expected %d", len(runs.After), len(trades))
		}
		r.After = after.Sum(runs.After, trades, o.Seed)
	}
	if o.Baseline {
		r.Baseline = Maybe[Baseline]{Set: true, Value: baselineOf(runs)}
	}
	if slices.Contains(o.Include, IncludeSensitivity) {
		if r.Sensitivity, err = sensitivityOf(res, runs.Sensitivity); err != nil {
			return nil, err
		}
	}
	r.addOrders(runs)
	r.Warnings = warningsOf(res, r)
	r.Receipt, err = receiptOf(res, r, data)
	return r, err
}

// normal returns o with Include sorted and unique.
func (o Options) normal() Options {
	o.Include = slices.Compact(slices.Sorted(slices.Values(o.Include)))
	if o.Include == nil {
		o.Include = []Include{}
	}
	return o
}

// errOverflow says that money of a run does not fit 64 bits of micro-dollars.
var errOverflow = errors.New("amount beyond 9,223,372,036,854 USD")

// totalPnL returns the sum of the trades' pnl, with an error when any sum on
// the way does not fit.
func totalPnL(res *replay.Result) (market.Cash, error) {
	total, gross, fees := new(big.Int), new(big.Int), new(big.Int)
	for _, t := range res.Trades {
		total.Add(total, big.NewInt(int64(t.PnL())))
		gross.Add(gross, new(big.Int).Abs(big.NewInt(int64(t.PnL()))))
		fees.Add(fees, big.NewInt(int64(t.Fees)))
	}
	if !gross.Add(gross, fees).IsInt64() {
		return 0, fmt.Errorf("report: sum over %d trades: %w", len(res.Trades), errOverflow)
	}
	return market.Cash(total.Int64()), nil
}

func winRate(trades []*replay.Trade) stats.Decimal {
	won := int64(0)
	for _, t := range trades {
		if t.PnL() > 0 {
			won++
		}
	}
	if len(trades) == 0 {
		return 0
	}
	return stats.Ratio(won, int64(len(trades)))
}

func sampleOf(t *replay.Trade) stats.Trade {
	levels, payouts := boughtOf(t)
	return stats.Trade{
		Close: t.Market.End, PnL: t.PnL(), Fees: t.Fees, Hold: t.ExitTime - t.EntryTime,
		Entry: levels, Payout: t.Payout, Payouts: payouts,
	}
}

// tradeOf writes one trade; coverage is that of its round. extended: of a strategy with
// orders beside one entry and one exit.
func tradeOf(t *replay.Trade, coverage int64, withLegs, extended bool) Trade {
	token := &t.Market.Tokens[t.Token]
	out := Trade{
		MarketID:   t.Market.VenueID,
		MarketSlug: t.Market.Slug,
		TokenID:    token.VenueID,
		TokenLabel: token.Label,
		Side:       token.Outcome.String(),
		EntryTime:  t.EntryTime,
		EntryPrice: stats.Decimal(t.Entry.Round()),
		EntryFill:  t.EntryFill(),
		Shares:     stats.Decimal(t.Shares),
		Cost:       stats.Decimal(t.Cost),
		ExitTime:   t.ExitTime,
		ExitPrice:  stats.Decimal(t.Exit.Round()),
		ExitFill:   t.ExitFill,
		ExitReason: t.Reason,
		Proceeds:   stats.Decimal(t.Proceeds),
		Fees:       stats.Decimal(t.Fees),
		PnL:        stats.Decimal(t.PnL()),
		Slippage:   stats.Decimal(t.Slippage.Round()),
	}
	if !t.Exit.Known() {
		out.ExitPrice = stats.None // all was merged
	}
	if extended {
		out.Entries = new(t.Entries)
	}
	if b := &t.Opposite; b.Average.Known() {
		out.Opposite = &Opposite{stats.Decimal(b.Average.Shares), stats.Decimal(b.Cost), stats.Decimal(b.Average.Round())}
	}
	if coverage < lowCoverage {
		out.Coverage = new(stats.Decimal(coverage))
	}
	if withLegs {
		for i := range t.Legs {
			leg := legOf(&t.Legs[i], t.Market.Payout.Fractions[t.Legs[i].Token])
			if extended {
				leg.of(&t.Legs[i], t.Market)
			}
			out.Legs = append(out.Legs, leg)
		}
	}
	return out
}

// legOf writes one leg; payout is what a share of its token pays.
func legOf(l *replay.Leg, payout market.Cash) Leg {
	out := Leg{
		Action: l.Action,
		Signal: known(l.Signal),
		Time:   l.Time,
		AsOf:   known(l.AsOf),
		Levels: levelsOf(l.Levels),
		Fill:   l.Kind,
		Fee:    stats.Decimal(l.Fee),
	}
	if l.Action == replay.Settle {
		out.Levels = [][2]stats.Decimal{{stats.Decimal(payout), stats.Decimal(l.Shares)}}
	}
	return out
}

// of adds which order a leg is of.
func (l *Leg) of(g *replay.Leg, m *market.Market) {
	l.Order = g.Order
	if g.Action != replay.Merge {
		l.Token = m.Tokens[g.Token].Outcome.String()
	}
}

func levelsOf(levels []market.Level) [][2]stats.Decimal {
	out := make([][2]stats.Decimal, len(levels))
	for i, l := range levels {
		out[i] = [2]stats.Decimal{priceOf(l.Price), stats.Decimal(l.Size)}
	}
	return out
}

// priceOf returns p, of 1e-4 USD, in units of 1e-6.
func priceOf(p market.Price) stats.Decimal {
	return stats.Decimal(p) * (stats.One / stats.Decimal(market.PriceOne))
}

func known(t market.Instant) *Time {
	if t == 0 {
		return nil
	}
	return &t
}

func refusalsOf(r replay.Refusals) Refusals {
	return Refusals{
		WouldCross:   r[orders.WouldCross],
		SelfCross:    r[orders.SelfCross],
		BadLimit:     r[orders.BadLimit],
		TooMany:      r[orders.TooMany],
		NoCash:       r[orders.NoCash],
		NoEdge:       r[orders.NoEdge],
		DailyLoss:    r[orders.DailyLoss],
		LosingStreak: r[orders.LosingStreak],

		TooLate:      r[replay.TooLate],
		Gap:          r[replay.InGap],
		Stale:        r[replay.StaleBook],
		Crossed:      r[replay.Crossed],
		NoLiquidity:  r[replay.NoLiquidity],
		Capped:       r[replay.Capped],
		BelowMinSize: r[replay.BelowMinSize],
	}
}

// schedules returns the names of the fee schedules of the sampled markets.
func schedules(res *replay.Result) []string {
	names := []string{}
	if res.Options.Fees != replay.FeesVenue {
		return names
	}
	for i := range res.Markets {
		if s := &res.Markets[i].Schedule; s.Known && s.Name != "" {
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
