package backtest_test

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/internal/backtesttest"
	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

func jsonOf(t *testing.T, b *backtest.Body) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, b.WriteJSON(&out))
	return out.Bytes()
}

func TestFieldsInOrder(t *testing.T) {
	t.Parallel()
	r := backtesttest.Build(t, backtesttest.Result(20), backtest.IncludeSensitivity, backtest.IncludeFills)
	b := jsonOf(t, backtesttest.Body(r))
	require.Equal(t, []string{"prompt", "strategy", "source", "note", "parse", "report"}, backtesttest.Keys(t, b))
	rep := backtesttest.Fields(t, b)["report"]
	require.Equal(t, []string{
		"sample_size", "markets_found", "markets_traded", "win_rate", "total_pnl", "equity_curve", "trades",
		"stats", "analysis", "baseline", "funnel", "options", "fee_schedules", "warnings", "sensitivity", "receipt",
	}, backtesttest.Keys(t, rep))
	of := backtesttest.Fields(t, rep)
	require.Equal(t, []string{
		"mean_pnl", "sd_pnl", "median_pnl", "profit_factor", "max_drawdown", "longest_losing_streak",
		"avg_hold_seconds", "fees", "gross_pnl", "avg_entry_price", "edge",
		"win_rate_interval", "mean_pnl_interval", "verdict",
	}, backtesttest.Keys(t, of["stats"]))
	require.Equal(t, []string{
		"entry_seconds", "markets_traded", "win_rate", "mean_pnl", "total_pnl", "excess_mean_pnl",
	}, backtesttest.Keys(t, of["baseline"]))
	require.Equal(t, []string{
		"universe", "resolved", "captured", "covered", "sampled", "signalled", "filled", "refusals",
	}, backtesttest.Keys(t, of["funnel"]))
	require.Equal(t, []string{
		"too_late", "gap", "stale", "crossed", "no_liquidity", "capped", "below_min_size",
	}, backtesttest.Keys(t, backtesttest.Fields(t, of["funnel"])["refusals"]))
	require.Equal(t, []string{
		"sampling", "seed", "from", "to", "latency_ms", "max_slippage", "stale_ms", "fees", "winners", "min_coverage", "baseline", "include",
	}, backtesttest.Keys(t, of["options"]))
	require.Equal(t, []string{"strategy", "options", "data", "engine", "report"}, backtesttest.Keys(t, of["receipt"]))

	var trades, cells []json.RawMessage
	require.NoError(t, json.Unmarshal(of["trades"], &trades))
	require.Equal(t, []string{
		"market_id", "market_slug", "token_id", "token_label", "side",
		"entry_time", "entry_price", "entry_fill", "shares", "cost",
		"exit_time", "exit_price", "exit_fill", "exit_reason",
		"proceeds", "fees", "pnl", "slippage", "legs",
	}, backtesttest.Keys(t, trades[0]))
	var legs []json.RawMessage
	require.NoError(t, json.Unmarshal(backtesttest.Fields(t, trades[0])["legs"], &legs))
	require.Equal(t, []string{"action", "signal", "time", "as_of", "levels", "fill", "fee"}, backtesttest.Keys(t, legs[0]))
	require.NoError(t, json.Unmarshal(of["sensitivity"], &cells))
	require.Len(t, cells, 32)
	require.Equal(t, []string{"latency_ms", "fees", "budget", "total_pnl"}, backtesttest.Keys(t, cells[0]))
}

func TestOptionsAsApplied(t *testing.T) {
	t.Parallel()
	res := backtesttest.Result(3)
	require.JSONEq(t, `{"sampling":"recent","seed":1,"from":null,"to":null,"latency_ms":250,"max_slippage":0.05,
		"stale_ms":30000,"fees":"venue","winners":"official","min_coverage":0,"baseline":true,"include":[]}`,
		string(backtesttest.Marshal(t, backtesttest.Build(t, res).Options)))
	from := backtesttest.FirstRound
	res.Options.From, res.Options.MaxSlippage = &from, replay.NoCap
	require.JSONEq(t, `{"sampling":"recent","seed":1,"from":"2026-04-13T14:00:00Z","to":null,"latency_ms":250,"max_slippage":"none",
		"stale_ms":30000,"fees":"venue","winners":"official","min_coverage":0,"baseline":true,"include":["fills","sensitivity"]}`,
		string(backtesttest.Marshal(t, backtesttest.Build(t, res, backtest.IncludeSensitivity, backtest.IncludeFills, backtest.IncludeFills).Options)))
}

// One trade, worked by hand: 100 shares at 0.34 and 50 at 0.35 cost 34 + 17.5 =
// 51.5 and a fee of 2.34567; 150 shares sold at 0.56 give 84 less 1.11111.
func TestTradeByHand(t *testing.T) {
	t.Parallel()
	rounds := []market.Round{backtesttest.Round(0, false)}
	r := backtesttest.Build(t, backtesttest.ResultOf(rounds, []*replay.Trade{backtesttest.Trade(rounds[0], 56)}), backtest.IncludeFills)
	require.JSONEq(t, `{
		"market_id": "0x0000000000000000000000000000000000000000000000000000000000000001",
		"market_slug": "btc-updown-15m-1776088800", "token_id": "1000", "token_label": "Up", "side": "up",
		"entry_time": "2026-04-13T14:01:01.5Z", "entry_price": 0.343333, "entry_fill": "book_ladder",
		"shares": 150, "cost": 53.84567,
		"exit_time": "2026-04-13T14:04:21.5Z", "exit_price": 0.56, "exit_fill": "book_ladder", "exit_reason": "take_profit",
		"proceeds": 82.88889, "fees": 3.45678, "pnl": 29.04322, "slippage": 0.5,
		"legs": [
			{"action": "buy", "signal": "2026-04-13T14:01:01.25Z", "time": "2026-04-13T14:01:01.5Z", "as_of": "2026-04-13T14:01:01.46Z",
			 "levels": [[0.34, 100], [0.35, 50]], "fill": "book_ladder", "fee": 2.34567},
			{"action": "sell", "signal": "2026-04-13T14:04:21.25Z", "time": "2026-04-13T14:04:21.5Z", "as_of": "2026-04-13T14:04:21.499999Z",
			 "levels": [[0.56, 150]], "fill": "book_ladder", "fee": 1.11111}
		]}`, string(backtesttest.Marshal(t, r.Trades[0])))
	require.Equal(t, []stats.Decimal{29_043_220}, r.EquityCurve)
	require.Equal(t, stats.One, r.WinRate)
}

func TestSettlementLeg(t *testing.T) {
	t.Parallel()
	rounds := []market.Round{backtesttest.Round(0, true)}
	r := backtesttest.Build(t, backtesttest.ResultOf(rounds, []*replay.Trade{backtesttest.Trade(rounds[0])}), backtest.IncludeFills)
	require.JSONEq(t, `{"action": "settle", "signal": null, "time": "2026-04-13T14:15:00Z", "as_of": null,
		"levels": [[1, 150]], "fill": "settlement", "fee": 0}`, string(backtesttest.Marshal(t, r.Trades[0].Legs[1])))
	require.Equal(t, replay.Expiry, r.Trades[0].ExitReason)
	require.Equal(t, fills.Settlement, r.Trades[0].ExitFill)
}

func TestWithoutTrades(t *testing.T) {
	t.Parallel()
	rounds := []market.Round{backtesttest.Round(0, true)}
	r := backtesttest.Build(t, backtesttest.ResultOf(rounds, make([]*replay.Trade, 1)))
	text := backtesttest.Marshal(t, r)
	of := backtesttest.Fields(t, text)
	require.Equal(t, "0", string(of["win_rate"]))
	require.Equal(t, "0", string(of["total_pnl"]))
	require.Equal(t, "[]", string(of["equity_curve"]))
	require.Equal(t, "[]", string(of["trades"]))
	require.Equal(t, "null", string(of["baseline"]))
	require.JSONEq(t, `{"mean_pnl":null,"sd_pnl":null,"median_pnl":null,"profit_factor":null,"max_drawdown":0,
		"longest_losing_streak":0,"avg_hold_seconds":null,"fees":0,"gross_pnl":0,"avg_entry_price":null,"edge":null,
		"win_rate_interval":null,"mean_pnl_interval":null,"verdict":"not_enough_evidence"}`, string(of["stats"]))
	require.Contains(t, string(of["warnings"]), "few_trades")
}

func TestBaselineLeftOut(t *testing.T) {
	t.Parallel()
	res := backtesttest.Result(5)
	o := backtest.DefaultOptions()
	o.Options, o.Baseline = res.Options, false
	r, err := backtest.Build(backtest.Runs{Main: res}, o)
	require.NoError(t, err)
	require.NotContains(t, backtesttest.Keys(t, backtesttest.Marshal(t, r)), "baseline")
}

func TestBaselineWithoutTradesOfItsOwn(t *testing.T) {
	t.Parallel()
	res := backtesttest.Result(5)
	base := *res
	base.Trades = nil
	r, err := backtest.Build(backtest.Runs{Main: res, Baseline: &base}, backtest.DefaultOptions())
	require.NoError(t, err)
	require.JSONEq(t, `{"entry_seconds":61,"markets_traded":0,"win_rate":0,"mean_pnl":null,"total_pnl":0,"excess_mean_pnl":null}`,
		string(backtesttest.Marshal(t, r.Baseline)))
}

func TestBaselineCase(t *testing.T) {
	t.Parallel()
	trades := make([]*replay.Trade, 4)
	for i, ms := range []int64{90_999, 12_000, 61_250, 70_000} {
		round := backtesttest.Round(i, true)
		trades[i] = backtesttest.Trade(round)
		trades[i].Signal = round.Market.Start + market.Instant(ms)*market.Millisecond
	}
	s := backtesttest.Strategy()
	s.EntryAny = [][]strategy.Condition{s.Entry, s.Entry}
	c, ok := backtest.BaselineCase(replay.Case{Strategy: strategytest.Canonicalize(s), Options: replay.DefaultOptions()}, trades)
	require.True(t, ok)
	// Seconds 12, 61, 70, 90: the lower of the middle two.
	require.Equal(t, []strategy.Condition{{Type: strategy.TimeElapsed, Comparator: strategy.GTE, Threshold: strategy.Int(61)}}, c.Strategy.Entry())
	require.Nil(t, c.Strategy.EntryAny())
	require.Equal(t, s.Exit, *c.Strategy.Exit())
	require.Len(t, s.Entry, 1, "the strategy itself is not touched")
	_, ok = backtest.BaselineCase(c, nil)
	require.False(t, ok)
}

func TestSensitivityNesting(t *testing.T) {
	t.Parallel()
	r := backtesttest.Build(t, backtesttest.Result(3), backtest.IncludeSensitivity)
	i := 0
	for _, latency := range []int64{0, 250, 1000, 3000} {
		for _, fees := range []replay.Fees{replay.FeesVenue, replay.FeesNone} {
			for _, budget := range []stats.Decimal{25, 50, 100, 250} {
				s := r.Sensitivity[i]
				require.Equal(t, latency, s.LatencyMS)
				require.Equal(t, fees, s.Fees)
				require.Equal(t, budget*stats.One, s.Budget)
				i++
			}
		}
	}
	require.Len(t, r.Sensitivity, i)
}

// Reading a saved run and writing it again gives the same bytes, and the
// receipt knows a changed one.
func TestSavedRun(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 40} {
		text := jsonOf(t, backtesttest.Body(backtesttest.Build(t, backtesttest.Result(n), backtest.IncludeSensitivity, backtest.IncludeFills)))
		read, err := backtest.ReadBody(bytes.NewReader(text))
		require.NoError(t, err)
		require.Equal(t, string(text), string(jsonOf(t, read)))
		require.True(t, read.Report.Intact())
		read.Report.TotalPnL++
		require.False(t, read.Report.Intact())
	}
	for name, text := range map[string]string{
		"empty": "", "no JSON": "total 5", "no report": `{"prompt":"x"}`, "array": "[]", "cut": `{"report":{"trades":[`,
	} {
		_, err := backtest.ReadBody(strings.NewReader(text))
		require.Error(t, err, name)
	}
}

func TestReceipt(t *testing.T) {
	t.Parallel()
	res := backtesttest.Result(10)
	a := backtesttest.Build(t, res).Receipt
	require.Equal(t, a, backtesttest.Build(t, res).Receipt)
	require.Equal(t, backtest.Engine, a.Engine)

	other := backtesttest.Result(10)
	other.Options.LatencyMS = 0
	b := backtesttest.Build(t, other).Receipt
	require.Equal(t, a.Strategy, b.Strategy)
	require.NotEqual(t, a.Options, b.Options)
	require.Equal(t, a.Data, b.Data)
	require.NotEqual(t, a.Report, b.Report)

	other = backtesttest.Result(10)
	other.Markets[4].Round.Content[3] ^= 1
	require.NotEqual(t, a.Data, backtesttest.Build(t, other).Receipt.Data)

	other = backtesttest.Result(10)
	other.Markets[4].Round.Market.Payout.Fractions = []market.Cash{500_000, 500_000}
	require.NotEqual(t, a.Data, backtesttest.Build(t, other).Receipt.Data)

	other = backtesttest.Result(10)
	other.Markets[0], other.Markets[1] = other.Markets[1], other.Markets[0]
	require.NotEqual(t, a.Data, backtesttest.Build(t, other).Receipt.Data)

	// What a replay does not read is not part of the data.
	other = backtesttest.Result(10)
	other.Markets[4].Round.Market.Question = "?"
	other.Markets[4].Round.Market.UpdatedAt = 5
	require.Equal(t, a, backtesttest.Build(t, other).Receipt)
}

// A number of JSON has neither exponent, nor trailing zeros, nor −0.
func TestNumbersArePlain(t *testing.T) {
	t.Parallel()
	plain := regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]{0,5}[1-9])?$`)
	rapid.Check(t, func(t *rapid.T) {
		d := stats.Decimal(rapid.Int64Range(-math.MaxInt64, math.MaxInt64).Draw(t, "d"))
		text, err := json.Marshal(d)
		require.NoError(t, err)
		require.Regexp(t, plain, string(text))
		require.NotEqual(t, "-0", string(text))
		var back stats.Decimal
		require.NoError(t, json.Unmarshal(text, &back))
		require.Equal(t, d, back)
	})
}

func TestGoldenJSON(t *testing.T) {
	t.Parallel()
	b := jsonOf(t, backtesttest.Body(backtesttest.Build(t, backtesttest.Result(40), backtest.IncludeFills, backtest.IncludeSensitivity)))
	var pretty bytes.Buffer
	require.NoError(t, json.Indent(&pretty, b, "", " "))
	backtesttest.Golden(t, "report.json", pretty.Bytes())
}

func TestOverflowIsAnError(t *testing.T) {
	t.Parallel()
	res := backtesttest.Result(6)
	for _, t := range res.Trades {
		t.Proceeds = 1 << 62
	}
	_, err := backtest.Build(backtest.Runs{Main: res}, backtest.DefaultOptions())
	require.ErrorContains(t, err, "beyond")
}

// TestClustersAreEndsOfRounds: trades of several coins whose rounds end together
// are one cluster, whenever they were closed.
func TestClustersAreEndsOfRounds(t *testing.T) {
	t.Parallel()
	var rounds []market.Round
	var trades []*replay.Trade
	for i := range 45 {
		round := backtesttest.Round(i, i%3 == 0)
		// Three coins in each quarter of an hour.
		m := round.Market
		m.Coin = []string{"BTC", "ETH", "SOL"}[i%3]
		m.Start -= market.Span(i-i/3) * 15 * market.Minute
		m.End = m.Start + 15*market.Minute
		rounds = append(rounds, round)
		if i/3%2 == 0 {
			trades = append(trades, backtesttest.Trade(round, int64(40+i)))
		} else {
			trades = append(trades, backtesttest.Trade(round))
		}
		trades[i].EntryTime += market.Span(i) * market.Second
		trades[i].ExitTime -= market.Span(i) * market.Second
	}
	r := backtesttest.Build(t, backtesttest.ResultOf(rounds, trades))
	rows := make([]stats.Trade, len(r.Trades))
	ends := map[string]market.Instant{}
	for i := range rounds {
		ends[rounds[i].Market.VenueID] = rounds[i].Market.End
	}
	for i := range r.Trades {
		rows[i] = stats.Trade{Close: ends[r.Trades[i].MarketID], PnL: market.Cash(r.Trades[i].PnL)}
	}
	want := stats.Of(rows, r.Options.Seed)
	require.Equal(t, want.MeanPnLInterval, r.Stats.MeanPnLInterval)
	require.Equal(t, want.WinRateInterval, r.Stats.WinRateInterval)
	require.Equal(t, stats.NotEnough, r.Stats.Verdict, "45 trades, but only 15 ends")
	for i := range rows {
		rows[i].Close = market.Instant(i) // as if each had an end of its own
	}
	require.NotEqual(t, stats.Of(rows, r.Options.Seed).MeanPnLInterval, r.Stats.MeanPnLInterval)
}
