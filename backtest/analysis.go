package backtest

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"

	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// Analysis shows where the pnl of a run came from and what it took to make it.
// Money is in USD. A nil field has no value, like every mean without trades.
type Analysis struct {
	// FirstRound and LastRound are the earliest start and the latest end of the
	// rounds replayed; nil if there were none.
	FirstRound *Time `json:"first_round"`
	LastRound  *Time `json:"last_round"`
	// Staked is the total cost of the trades, entry fees included.
	Staked stats.Decimal `json:"staked"`
	// ReturnOnStake = total pnl ÷ Staked.
	ReturnOnStake *stats.Decimal `json:"return_on_stake"`
	// AvgWin and AvgLoss are the mean pnl of the trades with pnl > 0 and < 0;
	// nil if there are none.
	AvgWin  *stats.Decimal `json:"avg_win"`
	AvgLoss *stats.Decimal `json:"avg_loss"`
	// Payoff = AvgWin ÷ −AvgLoss; nil without either.
	Payoff *stats.Decimal `json:"payoff"`
	// BreakEvenWinRate is the mean over trades of cost ÷ shares bought, of both tokens:
	// the win rate at which trades held to expiry would break even, fees included.
	BreakEvenWinRate *stats.Decimal `json:"break_even_win_rate"`
	// MaxAtRisk is the maximum, over time, of the total cost of the open
	// positions, and MaxOpen the maximum number of open positions. A position
	// is open from its entry time until just before its exit time.
	MaxAtRisk stats.Decimal `json:"max_at_risk"`
	MaxOpen   int           `json:"max_open"`
	// BestTrade and WorstTrade are trade numbers, from 1; the first among
	// equals. 0 without trades.
	BestTrade  int `json:"best_trade"`
	WorstTrade int `json:"worst_trade"`
	// BaselineCurve is the baseline's cumulative pnl after each of its trades,
	// in order of closing. Never nil; empty without a baseline.
	BaselineCurve []CurvePoint `json:"baseline_curve"`
	// RoundEnds[i] is the end of the round of Report.Trades[i]. Never nil.
	RoundEnds []Time `json:"round_ends"`
	// ByExit groups by exit reason, ByCoin by coin, ByHour by the UTC hour of
	// entry ("00" to "23"), ByEntryPrice by entry price in bands of 0.1 USD
	// named by their lower bound ("0.0" to "0.9"; 1 is in the last). Groups
	// without trades are left out; the order is that of the reasons, or of the
	// keys. Never nil.
	ByExit       []Group `json:"by_exit"`
	ByCoin       []Group `json:"by_coin"`
	ByHour       []Group `json:"by_hour"`
	ByEntryPrice []Group `json:"by_entry_price"`
}

// CurvePoint is the cumulative pnl from a time on.
type CurvePoint struct {
	Time Time          `json:"time"`
	PnL  stats.Decimal `json:"pnl"`
}

// curveOf adds up the trades in their order, that of their exits.
func curveOf(ts []*replay.Trade) []CurvePoint {
	out := make([]CurvePoint, 0, len(ts))
	var sum market.Cash
	for _, t := range ts {
		sum += t.PnL()
		out = append(out, CurvePoint{t.ExitTime, stats.Decimal(sum)})
	}
	return out
}

// Group summarises the trades that share a key.
type Group struct {
	Key           string         `json:"key"`
	Trades        int            `json:"trades"`
	WinRate       stats.Decimal  `json:"win_rate"`
	TotalPnL      stats.Decimal  `json:"total_pnl"`
	MeanPnL       stats.Decimal  `json:"mean_pnl"`
	ReturnOnStake *stats.Decimal `json:"return_on_stake"`
}

// ExitReasons returns the exit reasons in the order in which reports list them.
func ExitReasons() []replay.ExitReason {
	return []replay.ExitReason{replay.TakeProfit, replay.StopLoss, replay.EndOfWindow, replay.ByOrder, replay.Merged, replay.Expiry}
}

func analysisOf(runs Runs) Analysis {
	res := runs.Main
	ts := res.Trades
	a := Analysis{
		BaselineCurve: []CurvePoint{},
		RoundEnds:     make([]Time, len(ts)),
		ByExit:        groups(ts, func(t *replay.Trade) string { return string(t.Reason) }),
		ByCoin:        groups(ts, func(t *replay.Trade) string { return t.Market.Coin }),
		ByHour:        groups(ts, func(t *replay.Trade) string { return t.EntryTime.Time().Format("15") }),
		ByEntryPrice: groups(ts, func(t *replay.Trade) string {
			return fmt.Sprintf("0.%d", min(9, int64(t.Entry.Round())/100_000))
		}),
	}
	slices.SortStableFunc(a.ByExit, func(x, y Group) int {
		return cmp.Compare(slices.Index(ExitReasons(), replay.ExitReason(x.Key)), slices.Index(ExitReasons(), replay.ExitReason(y.Key)))
	})
	for i := range res.Markets {
		m := res.Markets[i].Round.Market
		if a.FirstRound == nil || m.Start < *a.FirstRound {
			a.FirstRound = new(m.Start)
		}
		if a.LastRound == nil || m.End > *a.LastRound {
			a.LastRound = new(m.End)
		}
	}
	if runs.Baseline != nil {
		a.BaselineCurve = curveOf(runs.Baseline.Trades)
	}
	for i, t := range ts {
		a.RoundEnds[i] = t.Market.End
	}
	a.money(ts)
	a.MaxAtRisk, a.MaxOpen = atRisk(ts)
	return a
}

// fine is 1e36: averages that have no end as decimals are cut there before they
// are summed.
var fine = new(big.Int).Exp(big.NewInt(10), big.NewInt(36), nil)

// money fills what is summed over the trades.
func (a *Analysis) money(ts []*replay.Trade) {
	var staked, total, won, lost market.Cash
	var wins, losses int64
	perShare := new(big.Int) // Σ cost ÷ shares in units of 1e-36 USD, each rounded down
	for i, t := range ts {
		pnl := t.PnL()
		staked, total = staked+t.Cost, total+pnl
		if bought := t.Shares + t.Opposite.Average.Shares; bought > 0 {
			cost := new(big.Int).Mul(big.NewInt(int64(t.Cost)), fine)
			perShare.Add(perShare, cost.Quo(cost, big.NewInt(int64(bought))))
		}
		switch {
		case pnl > 0:
			won, wins = won+pnl, wins+1
		case pnl < 0:
			lost, losses = lost+pnl, losses+1
		}
		if i == 0 || pnl > ts[a.BestTrade-1].PnL() {
			a.BestTrade = i + 1
		}
		if i == 0 || pnl < ts[a.WorstTrade-1].PnL() {
			a.WorstTrade = i + 1
		}
	}
	a.Staked = stats.Decimal(staked)
	a.ReturnOnStake = ratio(int64(total), int64(staked))
	if n := len(ts); n > 0 {
		unit := new(big.Int).Quo(fine, big.NewInt(int64(stats.One)))
		a.BreakEvenWinRate = new(stats.Round(perShare, unit.Mul(unit, big.NewInt(int64(n)))))
	}
	if wins > 0 {
		a.AvgWin = new(stats.Mean(int64(won), int(wins)))
	}
	if losses > 0 {
		a.AvgLoss = new(stats.Mean(int64(lost), int(losses)))
	}
	if wins > 0 && losses > 0 {
		num := new(big.Int).Mul(big.NewInt(int64(won)), big.NewInt(losses))
		den := new(big.Int).Mul(big.NewInt(-int64(lost)), big.NewInt(wins))
		a.Payoff = new(stats.Round(num.Mul(num, big.NewInt(int64(stats.One))), den))
	}
}

// ratio is num ÷ den; nil for nothing to divide by.
func ratio(num, den int64) *stats.Decimal {
	if den <= 0 {
		return nil
	}
	return new(stats.Ratio(num, den))
}

// groups sums the trades of each key, in order of the keys.
func groups(ts []*replay.Trade, key func(*replay.Trade) string) []Group {
	by := make(map[string][]*replay.Trade)
	for _, t := range ts {
		by[key(t)] = append(by[key(t)], t)
	}
	out := make([]Group, 0, len(by))
	for k, of := range by {
		var staked market.Cash
		for _, t := range of {
			staked += t.Cost
		}
		total := int64(sumPnL(of))
		out = append(out, Group{
			Key: k, Trades: len(of), WinRate: winRate(of), TotalPnL: stats.Decimal(total),
			MeanPnL: stats.Mean(total, len(of)), ReturnOnStake: ratio(total, int64(staked)),
		})
	}
	slices.SortFunc(out, func(x, y Group) int { return cmp.Compare(x.Key, y.Key) })
	return out
}

// atRisk returns the most that positions open at one instant had cost together,
// and the most that were open.
func atRisk(ts []*replay.Trade) (peak stats.Decimal, open int) {
	type event struct {
		at   market.Instant
		cost market.Cash
		n    int
	}
	events := make([]event, 0, 2*len(ts))
	for _, t := range ts {
		events = append(events, event{t.EntryTime, t.Cost, 1}, event{t.ExitTime, -t.Cost, -1})
	}
	slices.SortFunc(events, func(x, y event) int { return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.n, y.n)) })
	var cost market.Cash
	n := 0
	for _, e := range events {
		cost, n = cost+e.cost, n+e.n
		peak, open = max(peak, stats.Decimal(cost)), max(open, n)
	}
	return peak, open
}

// Holding is what an archive has of one coin and length.
type Holding struct {
	Coin  string `json:"coin"`
	Type  string `json:"market_type"`
	First Time   `json:"first_end"` // first and last end of its rounds
	Last  Time   `json:"last_end"`
	// Rounds counts the rounds that can be replayed: captured, with an official
	// payout. Inferred counts those that qualify but for their payout, which
	// was inferred.
	Rounds   int `json:"rounds"`
	Inferred int `json:"inferred"`
}

// holdings lists what the rounds are of.
func holdings(rounds []market.Round) []Holding {
	at := make(map[[2]string]int)
	var out []market.Holding
	for i := range rounds {
		m := rounds[i].Market
		if !m.IsUpDown() {
			continue
		}
		k, ok := at[[2]string{m.Coin, m.Type}]
		if !ok {
			k = len(out)
			at[[2]string{m.Coin, m.Type}] = k
			out = append(out, market.Holding{Coin: m.Coin, Type: m.Type, First: m.End, Last: m.End})
		}
		h := &out[k]
		h.First, h.Last = min(h.First, m.End), max(h.Last, m.End)
		switch basis := m.Decided(); {
		case !rounds[i].Captured:
		case basis == market.Official:
			h.Rounds++
		case basis == market.Inferred:
			h.Inferred++
		}
	}
	return sorted(out)
}

// sorted lists holdings by coin and then by length, the shortest first.
func sorted(held []market.Holding) []Holding {
	slices.SortFunc(held, func(x, y market.Holding) int {
		_, a, _ := market.ParseLength(x.Type)
		_, b, _ := market.ParseLength(y.Type)
		return cmp.Or(cmp.Compare(x.Coin, y.Coin), cmp.Compare(a, b), cmp.Compare(x.Type, y.Type))
	})
	out := make([]Holding, len(held))
	for i, h := range held {
		out[i] = Holding{h.Coin, h.Type, h.First, h.Last, h.Rounds, h.Inferred}
	}
	return out
}
