package backtest

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/ladderback/ladderback/backtest/figures"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/replay/orders"
	"github.com/ladderback/ladderback/replay/queue"
	"github.com/ladderback/ladderback/strategy"
)

// QueueReport is the same strategy under the three rules by which resting orders fill:
// nobody outside the exchange knows the place in the queue.
type QueueReport struct {
	Through QueueSide `json:"through"` // only what must have met the order
	Back    QueueSide `json:"back"`    // behind all who stood there, of whom nobody left
	Front   QueueSide `json:"front"`   // before all of them
}

// QueueSide is what one rule gives.
type QueueSide struct {
	Orders       int            `json:"orders"` // limit orders that were accepted
	FilledShares stats.Decimal  `json:"filled_shares"`
	FillRate     stats.Decimal  `json:"fill_rate"` // of the shares sent; 0 without any
	Trades       int            `json:"trades"`
	WinRate      stats.Decimal  `json:"win_rate"`
	MeanPnL      *stats.Decimal `json:"mean_pnl"` // nil without trades
	TotalPnL     stats.Decimal  `json:"total_pnl"`
	Verdict      stats.Verdict  `json:"verdict"`
	// FilledIfWon and FilledIfLost are the fill rates of resting entries whose token won,
	// and lost; nil without any. A rate that is higher where it lost is the adverse
	// selection that sure fills hide.
	FilledIfWon  *stats.Decimal `json:"filled_if_won"`
	FilledIfLost *stats.Decimal `json:"filled_if_lost"`
	// EquityCurve is the cumulative pnl after each trade, in order of closing, at the times
	// at which they closed. Never nil.
	EquityCurve []CurvePoint `json:"equity_curve"`
}

// Pairs are shares of both tokens of a round.
type Pairs struct {
	// Pairs are those that were held: shares of one token beside as many of the other. What was
	// sold before the other was bought is of none.
	Pairs stats.Decimal `json:"pairs"`
	// MeanCost is what a pair cost at average prices, without fees; nil without pairs.
	MeanCost *stats.Decimal `json:"mean_cost"`
	// Stranded are rounds that settled with more of one token, StrandedPnL their pnl.
	Stranded    int           `json:"stranded"`
	StrandedPnL stats.Decimal `json:"stranded_pnl"`
}

// Bankroll is what became of the purse of all rounds. Fields of cash and equity are nil
// where it had no start.
type Bankroll struct {
	Start       *stats.Decimal `json:"start"`
	End         *stats.Decimal `json:"end"`
	LowestCash  *stats.Decimal `json:"lowest_cash"`
	MaxDrawdown *stats.Decimal `json:"max_drawdown"` // of equity, in USD
	Share       *stats.Decimal `json:"share"`        // of the peak before it
	MostOpen    stats.Decimal  `json:"most_open"`
	// RuinedAt is the first buy that was not sent for want of cash with nothing open.
	RuinedAt *Time `json:"ruined_at"`
}

// Opposite is what was bought of the token that was not bought first.
type Opposite struct {
	Shares   stats.Decimal `json:"shares"`
	Cost     stats.Decimal `json:"cost"` // with fees
	AvgPrice stats.Decimal `json:"avg_price"`
}

// Ruled returns o with the rule for what rests filled in, or without one where nothing does.
func (o Options) Ruled(s strategy.Canonical) Options {
	switch {
	case !s.Rests():
		o.Queue = ""
	case o.Queue == "":
		o.Queue = queue.Through
	}
	return o
}

// QueueCases returns c under the rules for what rests that are not its own; none where
// nothing rests.
func QueueCases(c replay.Case) []replay.Case {
	if !c.Strategy.Rests() {
		return nil
	}
	var out []replay.Case
	for _, rule := range queue.Rules {
		if other := c; rule != c.Options.Queue {
			other.Options.Queue = rule
			out = append(out, other)
		}
	}
	return out
}

// addOrders adds what a report says of orders beside one entry and one exit.
func (r *Report) addOrders(runs Runs) {
	res := runs.Main
	if !res.Strategy.Extended() {
		return
	}
	r.Funnel.ThenRefusals = refusalsOf(res.Then)
	if res.Strategy.Rests() {
		r.Queue = &QueueReport{}
		for _, one := range append([]*replay.Result{res}, runs.Queue...) {
			side := map[queue.Rule]*QueueSide{queue.Through: &r.Queue.Through, queue.Back: &r.Queue.Back, queue.Front: &r.Queue.Front}
			*side[one.Options.Queue] = queueSideOf(one, r.Options.Seed)
		}
	}
	if both(res.Strategy) {
		r.Pairs = holdPairs(res)
	}
	if res.Strategy.Bankroll() != nil {
		r.Bankroll = bankrollOf(res)
	}
}

// both reports whether a strategy may buy both tokens of a round.
func both(s strategy.Canonical) bool {
	opposite := func(o strategy.Then) bool { return o.Do == strategy.Buy && o.Token == strategy.TokenOpposite }
	return slices.ContainsFunc(s.Then(), opposite) || s.Again() != nil && s.Side() == strategy.Either
}

func queueSideOf(res *replay.Result, seed int64) QueueSide {
	var filled, sent, won, wonSent, lost, lostSent market.Size
	out := QueueSide{
		Trades: len(res.Trades), WinRate: winRate(res.Trades), TotalPnL: stats.Decimal(sumPnL(res.Trades)), EquityCurve: curveOf(res.Trades),
	}
	for i := range res.Markets {
		m := &res.Markets[i]
		for k := range m.Limits {
			l := &m.Limits[k]
			out.Orders++
			filled += l.Filled()
			sent += l.Sent
			payout := m.Round.Market.Payout.Fractions[l.Token]
			switch {
			case l.Order != "entry":
			case payout == market.CashOne:
				won += l.Filled()
				wonSent += l.Sent
			case payout == 0:
				lost += l.Filled()
				lostSent += l.Sent
			}
		}
	}
	out.FilledShares = stats.Decimal(filled)
	if sent > 0 {
		out.FillRate = stats.Ratio(int64(filled), int64(sent))
	}
	rate := func(n, of market.Size) *stats.Decimal {
		if of == 0 {
			return nil
		}
		return new(stats.Ratio(int64(n), int64(of)))
	}
	out.FilledIfWon, out.FilledIfLost = rate(won, wonSent), rate(lost, lostSent)
	trades := make([]stats.Trade, len(res.Trades))
	for i, t := range res.Trades {
		trades[i] = sampleOf(t)
	}
	out.Verdict = stats.Of(trades, seed).Verdict
	if n := len(res.Trades); n > 0 {
		out.MeanPnL = new(stats.Mean(int64(sumPnL(res.Trades)), n))
	}
	return out
}

func holdPairs(res *replay.Result) *Pairs {
	out := &Pairs{}
	cost, pairs := new(big.Rat), new(big.Rat)
	for _, t := range res.Trades {
		n := pairsOf(t)
		out.Pairs += stats.Decimal(n)
		size := big.NewRat(int64(n), int64(market.SizeOne))
		pairs.Add(pairs, size)
		each := new(big.Rat).Add(t.Entry.Rat(), t.Opposite.Average.Rat())
		cost.Add(cost, each.Mul(each, size))
		if stranded(t) {
			out.Stranded++
			out.StrandedPnL += stats.Decimal(t.PnL())
		}
	}
	if pairs.Sign() > 0 {
		out.MeanCost = new(roundRat(cost.Quo(cost, pairs)))
	}
	return out
}

// pairsOf is how many shares of both tokens a trade held beside each other, no more than it
// bought of either.
func pairsOf(t *replay.Trade) (pairs market.Size) {
	var held, bought [2]market.Size
	for i := range t.Legs {
		l := &t.Legs[i]
		switch l.Action {
		case replay.Buy:
			pairs += min(l.Shares, max(held[1-l.Token]-held[l.Token], 0))
			held[l.Token], bought[l.Token] = held[l.Token]+l.Shares, bought[l.Token]+l.Shares
		case replay.Merge:
			held[0], held[1] = held[0]-l.Shares, held[1]-l.Shares
		default:
			held[l.Token] -= l.Shares
		}
	}
	return min(pairs, bought[0], bought[1])
}

// stranded reports whether a round settled with more of one token than of the other.
func stranded(t *replay.Trade) bool {
	var held [2]market.Size
	for i := range t.Legs {
		if l := &t.Legs[i]; l.Action == replay.Settle {
			held[l.Token] += l.Shares
		}
	}
	return held[0] != held[1]
}

// roundRat rounds an amount in USD to 6 decimals, half even.
func roundRat(v *big.Rat) stats.Decimal {
	return stats.Round(new(big.Int).Mul(v.Num(), big.NewInt(int64(stats.One))), v.Denom())
}

func bankrollOf(res *replay.Result) *Bankroll {
	f := res.Bankroll
	if f == nil { // there were no rounds
		start := stats.Decimal(res.Strategy.Bankroll().Start)
		if start == 0 {
			return &Bankroll{}
		}
		return &Bankroll{Start: new(start), End: new(start), LowestCash: new(start), MaxDrawdown: new(stats.Decimal), Share: new(stats.Decimal)}
	}
	out := &Bankroll{MostOpen: roundRat(f.MostOpen), RuinedAt: known(f.RuinedAt)}
	if f.Limited {
		out.Start, out.End, out.LowestCash = new(stats.Decimal(f.Start)), new(stats.Decimal(f.End)), new(stats.Decimal(f.LowestCash))
		out.MaxDrawdown, out.Share = new(roundRat(f.MaxDrawdown)), new(roundRat(f.Share))
	}
	return out
}

// boughtOf returns the levels of all buys of a trade, and what each token pays where it
// bought both; nil: one.
func boughtOf(t *replay.Trade) (levels, payouts []market.Level) {
	fractions := t.Market.Payout.Fractions
	for i := range t.Legs {
		l := &t.Legs[i]
		if l.Action != replay.Buy {
			continue
		}
		levels = append(levels, l.Levels...)
		payouts = append(payouts, market.Level{Price: market.Price(fractions[l.Token]), Size: l.Shares})
	}
	if t.Opposite.Average.Shares == 0 {
		payouts = nil
	}
	return levels, payouts
}

// restingFills says what three rules mean, where an order filled as it rested.
func restingFills(res *replay.Result) string {
	for _, t := range res.Trades {
		for i := range t.Legs {
			if t.Legs[i].Kind == fills.Resting {
				return "Some fills are of orders that rested, whose place in the queue nobody outside the exchange knows. The report gives three answers: \"through\" counts only what must have met the order, \"back\" what traded beyond the queue that it joined, \"front\" all that traded at its price. What matters is whether they agree. Rebates and rewards of makers are not counted."
			}
		}
	}
	return ""
}

// onePath says what compounding over one history is worth.
func onePath(res *replay.Result) string {
	b, z := res.Strategy.Bankroll(), res.Strategy.Size()
	if b == nil || z == nil || z.Shares != 0 {
		return ""
	}
	return "The size of each entry follows from what the ones before it made: this is compounding over one history, and the same trades in another order end elsewhere."
}

// orderLimit counts the rounds that had an order to send beyond those that a round sends.
func orderLimit(res *replay.Result) string {
	n := countMarkets(res, func(m *replay.MarketResult) bool { return m.Refusals[orders.TooMany]+m.Then[orders.TooMany] > 0 })
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s of the %s replayed sent %d orders, as many as a round may, and had more to send: entries, further orders or a target that rests were not sent or moved from then on. Stops, targets that are watched and exits by the clock were.",
		figures.Number(n), figures.Count(len(res.Markets), "market"), orders.MaxSent)
}

// noTradesHeard counts the rounds in which an order rested and no trade was captured.
func noTradesHeard(res *replay.Result) string {
	waits := func(l replay.Limit) bool { return l.Taken < l.Sent }
	heard := func(l replay.Limit) bool { return l.Heard }
	waited := countMarkets(res, func(m *replay.MarketResult) bool { return slices.ContainsFunc(m.Limits, waits) })
	n := countMarkets(res, func(m *replay.MarketResult) bool {
		return slices.ContainsFunc(m.Limits, waits) && !slices.ContainsFunc(m.Limits, heard)
	})
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("In %s of the %s in which an order rested no trade was captured before it ended, as where a source records books alone. There \"through\" and \"back\" fill only from what the other side shows at the order's price, so an order that trades would have filled may not have; \"front\" takes each fall of the size shown at its price for a trade, cancels too.",
		figures.Number(n), figures.Count(waited, "market"))
}

// onePaths is what a sweep says of bankrolls.
func onePaths(res *replay.Result) string {
	if res.Strategy.Bankroll() == nil {
		return ""
	}
	return "Each variant plays all rounds with a bankroll of its own, so what it makes in a round follows from those before. The walk-forward and the tests take the rounds apart: they count what the bankroll of each variant made there, not that of somebody who moves from one variant to another."
}
