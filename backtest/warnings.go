package backtest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/backtest/figures"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// Warning is something a trader must know before believing the numbers.
type Warning struct {
	Code    Code   `json:"code"`
	Message string `json:"message"` // one or two sentences
}

// Code names a warning.
type Code string

// Codes of warnings, in the order in which they stand in a report.
const (
	InferredWinners Code = "inferred_winners" // payouts that no exchange has said
	NoExit          Code = "no_exit"          // neither a stop nor a take profit
	FewTrades       Code = "few_trades"       // too few for a verdict
	WeakFills       Code = "weak_fills"       // fills against less than a ladder
	Overlap         Code = "overlap"          // rounds that run at the same time
	LowCoverage     Code = "low_coverage"     // rounds that were not recorded throughout
	PartialEntries  Code = "partial_entries"  // less was bought than the budget allows
	Defaults        Code = "defaults"         // a default that shaped the result
	SimulatedData   Code = "simulated"        // captures that no exchange made
	NoFeeSchedule   Code = "no_fee_schedule"  // a venue whose fees are not known
	EntryUnderStop  Code = "entry_under_stop" // entries at or under their own stop
	RestingFills    Code = "resting_fills"    // fills of orders that rested
	OnePath         Code = "one_path"         // compounding over one history
	OrderLimit      Code = "order_limit"      // rounds that sent all the orders they may
	NoTradesHeard   Code = "no_trades_heard"  // orders that rested where no trade is captured
)

// lowCoverage is the coverage below which a round counts as poorly recorded, in
// units of 1e-6.
const lowCoverage = 900_000

// halfCoverage is the coverage below which a round is hardly recorded at all.
const halfCoverage = 500_000

// warningsOf returns the warnings of a report whose other fields are filled.
func warningsOf(res *replay.Result, r *Report) []Warning {
	ws := []Warning{}
	add := func(code Code, message string) {
		if message != "" {
			ws = append(ws, Warning{code, message})
		}
	}
	add(InferredWinners, inferredWinners(res))
	add(NoExit, noExit(res))
	add(FewTrades, fewTrades(res, r))
	add(WeakFills, weakFills(res))
	add(Overlap, overlap(res))
	add(LowCoverage, poorCoverage(res))
	add(PartialEntries, partialEntries(res))
	add(Defaults, defaults(res))
	add(SimulatedData, simulated(res))
	add(NoFeeSchedule, noFeeSchedule(res))
	add(EntryUnderStop, entryUnderStop(res))
	add(RestingFills, restingFills(res))
	add(OnePath, onePath(res))
	add(OrderLimit, orderLimit(res))
	add(NoTradesHeard, noTradesHeard(res))
	return ws
}

// countMarkets returns how many of the sampled markets pass.
func countMarkets(res *replay.Result, pass func(*replay.MarketResult) bool) int {
	n := 0
	for i := range res.Markets {
		if pass(&res.Markets[i]) {
			n++
		}
	}
	return n
}

func inferredWinners(res *replay.Result) string {
	n := countMarkets(res, func(m *replay.MarketResult) bool {
		p := m.Round.Market.Payout
		return p != nil && p.Basis == market.Inferred
	})
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("In %s of the %s replayed the winner was inferred by whoever recorded the data, not stated by the exchange. One wrong winner turns a settled gain into a loss.",
		figures.Count(n, "market"), figures.Number(len(res.Markets)))
}

func noExit(res *replay.Result) string {
	e := res.Strategy.Exit()
	if len(res.Trades) == 0 {
		return ""
	}
	if e.TakeProfit != nil || e.StopLoss != nil || e.TakeProfitOffset != nil || e.StopLossOffset != nil || e.TrailingStop != nil {
		return ""
	}
	if !e.HoldToExpiry || e.MaxHoldSeconds > 0 {
		return "The strategy has neither a stop nor a take profit: only the clock or settlement ends a trade, and a losing trade can lose everything it cost."
	}
	return "The strategy has neither a stop nor a take profit: every trade is held until it settles, and a losing trade loses everything it cost."
}

func fewTrades(res *replay.Result, r *Report) string {
	if r.Stats.Verdict != stats.NotEnough {
		return ""
	}
	if len(res.Trades) == 0 {
		return fmt.Sprintf("No trades in %s: nothing can be said about the strategy.", figures.Count(len(res.Markets), "market"))
	}
	ends := make(map[market.Instant]bool)
	for _, t := range res.Trades {
		ends[t.Market.End] = true
	}
	return fmt.Sprintf("%s over %s: too few for a verdict, which needs %d trades over %d distinct round ends. This result may well be luck.",
		figures.Count(len(res.Trades), "trade"), figures.Count(len(ends), "distinct round end"), stats.MinTrades, stats.MinEnds)
}

func weakFills(res *replay.Result) string {
	executions, quotes, prices := 0, 0, 0
	for _, t := range res.Trades {
		for i := range t.Legs {
			switch t.Legs[i].Kind {
			case fills.BookLadder:
				executions++
			case fills.BestQuote:
				executions++
				quotes++
			case fills.LastPrice:
				executions++
				prices++
			}
		}
	}
	if quotes+prices == 0 {
		return ""
	}
	var kinds []string
	if quotes > 0 {
		kinds = append(kinds, figures.Number(quotes)+" against the best quote only")
	}
	if prices > 0 {
		kinds = append(kinds, figures.Number(prices)+" against a bare price")
	}
	return fmt.Sprintf("%s of the %s (%s%%) were not made against a full order book: %s. The market might have given fewer shares or a worse price.",
		figures.Number(quotes+prices), figures.Count(executions, "fill"), figures.Percent(quotes+prices, executions), strings.Join(kinds, ", "))
}

// overlap counts sampled rounds whose [start, end) meets that of another.
func overlap(res *replay.Result) string {
	ms := make([]*market.Market, len(res.Markets))
	for i := range res.Markets {
		ms[i] = res.Markets[i].Round.Market
	}
	slices.SortStableFunc(ms, func(a, b *market.Market) int { return cmp.Compare(a.Start, b.Start) })
	n, longest := 0, -1 // longest: index of the round that ends last so far
	met := make([]bool, len(ms))
	for i, m := range ms {
		if longest >= 0 && m.Start < ms[longest].End {
			met[i], met[longest] = true, true
		}
		if longest < 0 || m.End > ms[longest].End {
			longest = i
		}
	}
	for _, hit := range met {
		if hit {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s of the %s replayed ran at the same time as another: their results move together, and several budgets are at risk at once. The intervals allow for rounds that end together, but treat rounds that merely overlap as independent.",
		figures.Number(n), figures.Count(len(ms), "market"))
}

func poorCoverage(res *replay.Result) string {
	n := countMarkets(res, func(m *replay.MarketResult) bool { return m.Round.Coverage < lowCoverage })
	if n == 0 {
		return ""
	}
	half := countMarkets(res, func(m *replay.MarketResult) bool { return m.Round.Coverage < halfCoverage })
	return fmt.Sprintf("%s of the %s replayed were recorded for less than 90%% of the round (%s for less than 50%%): entries and exits in the holes were missed or came late. To leave such rounds out, set min_coverage, for example --min-coverage 0.9.",
		figures.Number(n), figures.Count(len(res.Markets), "market"), figures.Number(half))
}

func partialEntries(res *replay.Result) string {
	partial, bound := 0, 0
	for _, t := range res.Trades {
		if t.Partial {
			partial++
			if t.CapBound {
				bound++
			}
		}
	}
	capped := res.Refusals[replay.Capped]
	if partial == 0 && capped == 0 {
		return ""
	}
	var parts []string
	if partial > 0 {
		parts = append(parts, fmt.Sprintf("%s of the %s spent less than the budget because the book ran out of asks (%s at the price cap)",
			figures.Number(partial), figures.Count(len(res.Trades), "entry"), figures.Number(bound)))
	}
	if capped > 0 {
		parts = append(parts, fmt.Sprintf("%s found no ask within the price cap and %s refused", figures.Count(capped, "order"), figures.Plural(capped, "was", "were")))
	}
	return figures.Sentence(strings.Join(parts, "; ") + ". A larger budget would not have earned proportionally more.")
}

// defaults names options and fields that stand at their default and changed
// what happened. It looks at values only: it is the same whether a default was
// left out or written down.
func defaults(res *replay.Result) string {
	d, o := replay.DefaultOptions(), res.Options
	var parts []string
	if n := res.Refusals[replay.Capped]; n > 0 && o.MaxSlippage == d.MaxSlippage {
		parts = append(parts, fmt.Sprintf("max_slippage %s USD (%s refused)", market.Cash(o.MaxSlippage), figures.Count(n, "order")))
	}
	if n := res.Refusals[replay.StaleBook]; n > 0 && (o.StaleMS == d.StaleMS || o.StaleMS == defaultStale) {
		parts = append(parts, fmt.Sprintf("stale_ms %d (%s refused)", defaultStale, figures.Count(n, "order")))
	}
	if f := res.Funnel; f.Covered > f.Sampled && res.Strategy.SampleSize() == defaultSample {
		parts = append(parts, fmt.Sprintf("sample_size %d (%s markets could have been replayed)", defaultSample, figures.Number(f.Covered)))
	}
	if res.Inferred > 0 {
		parts = append(parts, fmt.Sprintf("winners official (%s an inferred payout: --winners inferred replays them too)",
			figures.Count(res.Inferred, "more round")+figures.Plural(res.Inferred, " has", " have")))
	}
	if len(parts) == 0 {
		return ""
	}
	return "These defaults shaped the result: " + strings.Join(parts, ", ") + "."
}

// defaultStale is what an absent stale_ms means for ladders; defaultSample is
// the sample size of a prompt that names none.
const (
	defaultStale  = 30_000
	defaultSample = 50
)

func simulated(res *replay.Result) string {
	n := countMarkets(res, func(m *replay.MarketResult) bool { return m.Round.Market.Venue == market.Simulated })
	if n == 0 {
		return ""
	}
	if n == len(res.Markets) {
		return "These captures are simulated: they came from no exchange, and a profit here says nothing about real markets."
	}
	return fmt.Sprintf("%s of the %s replayed are simulated: they came from no exchange, and a profit there says nothing about real markets.", figures.Number(n), figures.Count(len(res.Markets), "market"))
}

func noFeeSchedule(res *replay.Result) string {
	if res.Options.Fees != replay.FeesVenue {
		return ""
	}
	var venues []string
	n := countMarkets(res, func(m *replay.MarketResult) bool {
		if !m.Schedule.Known {
			venues = append(venues, string(m.Round.Market.Venue))
		}
		return !m.Schedule.Known
	})
	if n == 0 {
		return ""
	}
	slices.Sort(venues)
	return fmt.Sprintf("No fee schedule is known for %s (%s replayed): no fee was charged there, so the real result would be lower.",
		strings.Join(slices.Compact(venues), ", "), figures.Count(n, "market"))
}

// entryUnderStop counts the trades that were bought at or under the strategy's
// own stop, where the first look sells them again.
func entryUnderStop(res *replay.Result) string {
	stop := res.Strategy.Exit().StopLoss
	if stop == nil {
		return ""
	}
	n := 0
	for _, t := range res.Trades {
		if int64(t.Entry.Round()) <= int64(*stop) {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s of the %s bought at or below the stop of %s USD, which sells such a position at once. A floor under the entry price would keep them out.",
		figures.Number(n), figures.Count(len(res.Trades), "trade")+figures.Plural(n, " was", " were"), stop)
}
