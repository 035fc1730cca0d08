// Package backtesttest has fixtures of reports for the tests of those who make
// and render them, and golden files.
package backtesttest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Golden compares got with a file of testdata, or writes it under -update.
func Golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	if !bytes.Equal(want, got) {
		require.Equal(t, string(want), string(got), "%s; run with -update after looking at the difference", path)
	}
}

// FirstRound is the start of the first round of the fixtures.
const FirstRound = market.Instant(1_776_088_800) * market.Second

// Strategy buys Up under 35 cents with a target and a stop.
func Strategy() strategy.Strategy {
	return strategy.Strategy{
		Market: strategy.MarketSpec{Coin: "BTC", Type: "15m"},
		Side:   strategy.Up,
		Entry: []strategy.Condition{{
			Type: strategy.Price, Token: strategy.TokenUp, Comparator: strategy.LT,
			Threshold: strategy.Cents(35), WithinSeconds: 300,
		}},
		Exit: strategy.Exit{
			TakeProfit: strategy.Cents(55).Ptr(), StopLoss: strategy.Cents(20).Ptr(), HoldToExpiry: true,
		},
		BudgetPerTrade: strategy.Int(50),
		SampleSize:     200,
	}
}

// Round is the i-th round of BTC 15m; up says who won.
func Round(i int, up bool) market.Round {
	start := FirstRound + market.Instant(i)*15*market.Minute
	slug := fmt.Sprintf("btc-updown-15m-%d", start/market.Second)
	paid := []market.Cash{0, market.CashOne}
	if up {
		paid = []market.Cash{market.CashOne, 0}
	}
	id := fmt.Sprintf("0x%064x", i+1)
	m := &market.Market{
		Venue: market.Polymarket, VenueID: id, Slug: slug, Category: market.Crypto,
		Coin: "BTC", Type: "15m", Start: start, End: start + 15*market.Minute, Mirrored: true,
		Tokens: []market.Token{
			{VenueID: fmt.Sprintf("%d", 1000+2*i), Label: "Up", Outcome: market.Up},
			{VenueID: fmt.Sprintf("%d", 1001+2*i), Label: "Down", Outcome: market.Down},
		},
		Payout: &market.Payout{Basis: market.Official, Fractions: paid},
	}
	return market.Round{Market: m, Captured: true, Content: sha256.Sum256([]byte(id)), Coverage: 1_000_000}
}

// level is a level at so many cents with whole shares.
func level(cents, shares int64) market.Level {
	return market.Level{Price: market.Price(cents * 100), Size: market.Size(shares) * market.SizeOne}
}

// fill takes levels whole.
func fill(fee market.Cash, up bool, levels ...market.Level) fills.Fill {
	f := fills.Fill{Levels: levels, Fee: fee}
	for _, l := range levels {
		f.Shares += l.Size
		f.Value = f.Value.Add(fills.Value(l.Price, l.Size))
	}
	f.Cash = f.Value.Floor()
	if up {
		f.Cash = f.Value.Ceil()
	}
	return f
}

// Trade buys 100 + 50 shares at 34 and 35 cents after a signal that saw 34, and
// sells them at the given prices; without prices it settles.
func Trade(round market.Round, sold ...int64) *replay.Trade {
	m := round.Market
	signal := m.Start + 61*market.Second + 250*market.Millisecond
	buy := fill(2_345_670, true, level(34, 100), level(35, 50))
	t := &replay.Trade{
		Market: m, Signal: signal, EntryTime: signal + 250*market.Millisecond,
		Shares: buy.Shares, Entry: fills.Average{Value: buy.Value, Shares: buy.Shares},
		Cost: buy.Cash + buy.Fee, Fees: buy.Fee,
		AskAtSignal: 3400, BidAtSignal: market.NoPrice, Payout: m.Payout.Fractions[0],
	}
	t.Slippage = buy.Value.Sub(fills.Value(3400, buy.Shares))
	t.Legs = append(t.Legs, replay.Leg{
		Action: replay.Buy, Signal: signal, Time: t.EntryTime, AsOf: t.EntryTime - 40_000, Kind: fills.BookLadder, Fill: buy,
	})
	leg := replay.Leg{Action: replay.Settle, Time: m.End, Kind: fills.Settlement, Fill: fill(0, false)}
	t.Reason = replay.Expiry
	if len(sold) == 0 {
		leg.Shares = t.Shares
		leg.Value = fills.Scaled(int64(t.Payout), t.Shares)
		leg.Cash = leg.Value.Floor()
	} else {
		t.Reason, t.BidAtSignal = replay.StopLoss, market.Price(sold[0]*100)
		if sold[0] > 35 {
			t.Reason = replay.TakeProfit
		}
		var levels []market.Level
		for _, cents := range sold {
			levels = append(levels, level(cents, 150/int64(len(sold))))
		}
		exit := t.EntryTime + 200*market.Second
		leg = replay.Leg{
			Action: replay.Sell, Signal: exit - 250*market.Millisecond, Time: exit, AsOf: exit - 1,
			Kind: fills.BookLadder, Fill: fill(1_111_110, false, levels...),
		}
		t.Slippage = t.Slippage.Add(fills.Value(t.BidAtSignal, t.Shares)).Sub(leg.Value)
	}
	t.Legs = append(t.Legs, leg)
	t.ExitTime, t.ExitFill = leg.Time, leg.Kind
	t.Exit = fills.Average{Value: leg.Value, Shares: leg.Shares}
	t.Proceeds, t.Fees = leg.Cash-leg.Fee, t.Fees+leg.Fee
	return t
}

// ResultOf makes a result of rounds and their trades (nil: none), oldest first.
func ResultOf(rounds []market.Round, trades []*replay.Trade) *replay.Result {
	res := &replay.Result{Strategy: strategytest.Canonicalize(Strategy()), Options: replay.DefaultOptions()}
	for i, round := range slices.Backward(rounds) {
		res.Markets = append(res.Markets, replay.MarketResult{
			Round: round, Trade: trades[i], Signalled: trades[i] != nil,
			Schedule: fills.Schedule{Name: "polymarket crypto from 2026-03-30", Known: true},
		})
	}
	for _, t := range trades {
		if t != nil {
			res.Trades = append(res.Trades, t)
		}
	}
	slices.SortStableFunc(res.Trades, func(a, b *replay.Trade) int { return cmp.Compare(a.ExitTime, b.ExitTime) })
	n, filled := len(rounds), len(res.Trades)
	res.Funnel = replay.Funnel{Universe: n + 40, Resolved: n + 9, Captured: n + 4, Covered: n + 4, Sampled: n, Signalled: filled, Filled: filled}
	return res
}

// Result is a result of n rounds, of which most trade.
func Result(n int) *replay.Result {
	random := rand.New(rand.NewPCG(7, 7))
	rounds, trades := make([]market.Round, n), make([]*replay.Trade, n)
	for i := range n {
		rounds[i] = Round(i, random.IntN(3) == 0)
		switch random.IntN(5) {
		case 0:
		case 1, 2:
			trades[i] = Trade(rounds[i], 55+random.Int64N(3))
		case 3:
			trades[i] = Trade(rounds[i], 20-random.Int64N(2), 18-random.Int64N(3))
		default:
			trades[i] = Trade(rounds[i])
		}
	}
	res := ResultOf(rounds, trades)
	res.Refusals[replay.Capped], res.Refusals[replay.StaleBook] = 3, 1
	return res
}

// Quiet is a result that nothing is to be said against.
func Quiet() *replay.Result {
	const n = 40
	rounds, trades := make([]market.Round, n), make([]*replay.Trade, n)
	for i := range n {
		rounds[i] = Round(i, true)
		trades[i] = Trade(rounds[i], 55)
	}
	return ResultOf(rounds, trades)
}

// Build makes the report of res, with a baseline that buys the same rounds.
func Build(t testing.TB, res *replay.Result, include ...backtest.Include) *backtest.Report {
	t.Helper()
	runs := backtest.Runs{Main: res}
	if len(res.Trades) > 0 {
		base := *res
		base.Trades = slices.Clone(res.Trades[:len(res.Trades)/2])
		runs.Baseline = &base
	}
	c := replay.Case{Strategy: res.Strategy, Options: res.Options}
	if slices.Contains(include, backtest.IncludeSensitivity) {
		for _, v := range backtest.SensitivityCases(c) {
			one := *res
			one.Strategy, one.Options = v.Strategy, v.Options
			runs.Sensitivity = append(runs.Sensitivity, &one)
		}
	}
	o := backtest.DefaultOptions()
	o.Options, o.Include = res.Options, include
	r, err := backtest.Build(runs, o)
	require.NoError(t, err)
	return r
}

// Body wraps a report as an answer to a prompt.
func Body(r *backtest.Report) *backtest.Body {
	return &backtest.Body{
		Prompt:   "Buy Up on BTC 15m under 35 cents in the first 5 minutes, tp 55c, stop 20c, $50 per trade, last 200 markets please",
		Strategy: strategytest.Canonicalize(Strategy()),
		Source:   strategy.SourceRules,
		Note:     "No language model is configured; the rules read the prompt.",
		Parse: &strategy.Trace{
			Summary: "Buy Up on BTC 15m markets in the first 5 minutes when Up's price is below 35c. Take profit at 55c. Stop loss at 20c. Otherwise hold to expiry. $50 per trade. Sample of 200 markets.",
			Assumptions: []strategy.Assumption{
				{Field: "exit.hold_to_expiry", Value: json.RawMessage("true"), Why: "the prompt does not say what happens at the end"},
			},
			Spans: []strategy.Span{
				{Start: 0, End: 6, Text: "Buy Up", Field: "side"},
				{Start: 18, End: 32, Text: "under 35 cents", Field: "entry[0]"},
				{Start: 33, End: 55, Text: "in the first 5 minutes", Field: "entry[0].within_seconds"},
				{Start: 57, End: 63, Text: "tp 55c", Field: "exit.take_profit"},
				{Start: 65, End: 73, Text: "stop 20c", Field: "exit.stop_loss"},
			},
			Ignored: []strategy.Span{{Start: 107, End: 113, Text: "please"}},
		},
		Report: r,
	}
}

// Archive has n rounds of BTC 15m in which Up falls under 35 cents a minute
// after the start and then goes to the target, to the stop, or to the end.
func Archive(t testing.TB, n int) *replaytest.Archive {
	t.Helper()
	var b strings.Builder
	for i := range n {
		start := (FirstRound + market.Instant(i)*15*market.Minute) / market.Second
		winner := "down"
		if i%3 == 2 {
			winner = "up"
		}
		fmt.Fprintf(&b, "market btc-updown-15m-%d winner=%s min=5\n", start, winner)
		b.WriteString("-2   up book 0.48x100 0.47x500 | 0.52x100 0.53x200\n")
		fmt.Fprintf(&b, "%d up book 0.33x100 0.32x500 | 0.34x100 0.35x%d\n", 60+i%20, 20+i)
		fmt.Fprintf(&b, "%d.2 up book 0.32x100 0.31x500 | 0.34x90 0.36x400\n", 60+i%20)
		for s := 90; s < 280; s += 20 {
			fmt.Fprintf(&b, "%d up book 0.3%dx100 | 0.4x90\n", s+i%10, s%3)
		}
		switch i % 3 {
		case 0:
			b.WriteString("300 up book 0.56x40 0.55x500 | 0.58x100\n")
		case 1:
			b.WriteString("300 up book 0.19x60 0.18x40 | 0.22x100\n")
			b.WriteString("301 up book 0.17x600 | 0.22x100\n")
		}
	}
	a, err := replaytest.Parse(b.String())
	require.NoError(t, err)
	return a
}

// Run backtests s over src.
func Run(t testing.TB, src replay.Source, s strategy.Strategy, o backtest.Options) *backtest.Report {
	t.Helper()
	r, err := backtest.Run(context.Background(), src, strategytest.Canonicalize(s), o, replay.Parallel{})
	require.NoError(t, err)
	return r
}

// Masked takes out hashes over the captures, which depend on how the archive in
// memory makes them.
func Masked(s string) []byte {
	return regexp.MustCompile(`[0-9a-f]{12,}`).ReplaceAll([]byte(s), []byte("(hash)"))
}

// Saved writes a run and reads it back, as the command does.
func Saved(t testing.TB, src replay.Source, s strategy.Strategy, o backtest.Options) *backtest.Body {
	t.Helper()
	var file bytes.Buffer
	answer := Body(Run(t, src, s, o))
	answer.Strategy = strategytest.Canonicalize(s)
	require.NoError(t, answer.WriteJSON(&file))
	b, err := backtest.ReadBody(&file)
	require.NoError(t, err)
	return b
}

// Keys returns the keys of a JSON object in order.
func Keys(t *testing.T, object json.RawMessage) []string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(object))
	_, err := d.Token()
	require.NoError(t, err)
	var out []string
	for d.More() {
		k, err := d.Token()
		require.NoError(t, err)
		out = append(out, k.(string))
		var skip json.RawMessage
		require.NoError(t, d.Decode(&skip))
	}
	return out
}

// Fields returns the members of a JSON object.
func Fields(t *testing.T, object json.RawMessage) map[string]json.RawMessage {
	t.Helper()
	m := map[string]json.RawMessage{}
	require.NoError(t, json.Unmarshal(object, &m))
	return m
}

// Marshal writes v as JSON.
func Marshal(t *testing.T, v any) json.RawMessage {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return b
}
