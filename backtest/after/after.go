// Package after says what happened after the fills of a backtest: how the price went on, how
// far it went against and for each trade, how long a record its ratio needs, and how deep
// other orders of the same results would have fallen.
package after

import (
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// Horizons are how long after the fill markouts are taken, beside settlement.
var Horizons = [...]market.Span{market.Second, 5 * market.Second, 30 * market.Second}

// Trade is what happened after the entry of one trade, in USD per share of the token bought:
// positive is for it. Of a trade that bought both tokens nothing is said.
type Trade struct {
	// Markout1s and those beside it are type price so long after the fill − the average
	// price paid, without fees; null: the round was over by then, or no price was known.
	Markout1s  *stats.Decimal `json:"markout_1s"`
	Markout5s  *stats.Decimal `json:"markout_5s"`
	Markout30s *stats.Decimal `json:"markout_30s"`
	// MarkoutSettlement is what a share paid in the end − the price paid, sold before or not.
	MarkoutSettlement *stats.Decimal `json:"markout_settlement"`
	// MAE and MFE are the maximum adverse and favourable excursion: the lowest price from the
	// fill to the exit − the price paid, at most 0, and the highest, at least 0.
	MAE *stats.Decimal `json:"mae"`
	MFE *stats.Decimal `json:"mfe"`
}

// markouts in the order of Horizons, settlement last.
func (t *Trade) markouts() [len(Horizons) + 1]**stats.Decimal {
	return [...]**stats.Decimal{&t.Markout1s, &t.Markout5s, &t.Markout30s, &t.MarkoutSettlement}
}

// Of returns what happened after a trade, by the prices of its round.
func Of(t *replay.Trade, x *replay.Series) (out Trade) {
	if t.Opposite.Average.Known() {
		return out
	}
	paid := t.Entry.Round()
	since := func(m market.Mid) *stats.Decimal {
		if m == market.NoMid {
			return nil
		}
		return new(stats.Decimal(int64(m)*int64(market.CashOne)/int64(market.MidOne) - int64(paid)))
	}
	all := out.markouts()
	for i, h := range Horizons {
		if at := t.EntryTime + h; at < t.Market.End {
			*all[i] = since(x.Mid(t.Token, at))
		}
	}
	out.MarkoutSettlement = new(stats.Decimal(int64(t.Payout) - int64(paid)))
	low, high := x.Extremes(t.Token, t.EntryTime, min(t.ExitTime, t.Market.End-1))
	if out.MAE, out.MFE = since(low), since(high); out.MAE != nil {
		*out.MAE, *out.MFE = min(*out.MAE, 0), max(*out.MFE, 0)
	}
	return out
}

// Markout is the mean of markouts, one observation a trade.
type Markout struct {
	After  string         `json:"after"`  // "1s", "5s", "30s", "settlement"
	Trades int            `json:"trades"` // of which it is known
	Mean   *stats.Decimal `json:"mean"`   // USD a share; null without trades
	// Interval is the 95 % interval of the mean, by clusters of rounds that end together;
	// null under the number of trades and ends that a verdict needs.
	Interval *stats.Interval `json:"interval"`
}

// Report is what happened after the fills.
type Report struct {
	Markouts []Markout      `json:"markouts"` // in the order of After
	MeanMAE  *stats.Decimal `json:"mean_mae"`
	MeanMFE  *stats.Decimal `json:"mean_mfe"`
	// MinTrackRecord is how many trades a true ratio of 0 needs not to be mistaken for that
	// of the trades in 19 of 20 cases (stats.MinTrackRecord); null: no number of them is
	// enough, or there are too few to say.
	MinTrackRecord *int `json:"min_track_record"`
	// Drawdown is that of resampled orders of the same ends of rounds; null without trades.
	Drawdown *stats.DrawdownBand `json:"drawdown"`
	Trades   []Trade             `json:"trades"` // as those of the report
}

// Sum sums up trades, in the order of the report, and the results that they are of.
func Sum(trades []Trade, results []stats.Trade, seed int64) *Report {
	r := &Report{Trades: trades, MinTrackRecord: stats.MinTrackRecord(results), Drawdown: stats.Drawdowns(results, seed)}
	for i, name := range [...]string{"1s", "5s", "30s", "settlement"} {
		m := Markout{After: name}
		m.Mean, m.Interval, m.Trades = meanOf(trades, results, seed, func(t *Trade) *stats.Decimal { return *t.markouts()[i] })
		r.Markouts = append(r.Markouts, m)
	}
	r.MeanMAE, _, _ = meanOf(trades, results, seed, func(t *Trade) *stats.Decimal { return t.MAE })
	r.MeanMFE, _, _ = meanOf(trades, results, seed, func(t *Trade) *stats.Decimal { return t.MFE })
	return r
}

func meanOf(trades []Trade, results []stats.Trade, seed int64, value func(*Trade) *stats.Decimal) (mean *stats.Decimal, interval *stats.Interval, n int) {
	var known []stats.Trade
	for i := range trades {
		if v := value(&trades[i]); v != nil {
			known = append(known, stats.Trade{Close: results[i].Close, PnL: market.Cash(*v)})
		}
	}
	if len(known) == 0 {
		return nil, nil, 0
	}
	st := stats.Of(known, seed)
	return st.MeanPnL, st.MeanPnLInterval, len(known)
}
