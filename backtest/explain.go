package backtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/ladderback/ladderback/backtest/diff"
	"github.com/ladderback/ladderback/backtest/figures"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// ErrNoTrade means that a run has no such trade.
var ErrNoTrade = errors.New("no such trade")

// ErrOtherArchive says that a run was made from another archive, or from this one
// before it changed.
var ErrOtherArchive = errors.New("expected the archive that the run was made from")

// Explain replays the market of one trade of a saved run over the archive that
// the run was made from. The trade is named by its number, from 1, or by its
// market's slug or id. ErrNoTrade if there is none.
func Explain(ctx context.Context, src replay.Source, b *Body, name string) (*Explanation, error) {
	i, err := findTrade(b.Report, name)
	if err != nil {
		return nil, err
	}
	saved := &b.Report.Trades[i]
	sample, at, err := sampleAround(ctx, src, b, i)
	if err != nil {
		return nil, fmt.Errorf("explain: %w", err)
	}
	if at < 0 {
		return nil, fmt.Errorf("explain: market %s (%s): not in the archive; %w", saved.MarketSlug, saved.MarketID, ErrOtherArchive)
	}
	replayed := func(c replay.Case) (*replay.Trace, error) { return sample.Explain(ctx, src, at, c) }
	trace, c, err := retrace(replayed, b, saved)
	if err != nil {
		return nil, err
	}
	if trace.Result.Trade == nil {
		return nil, fmt.Errorf("explain: market %s (%s): the archive gives no trade there now; %w", saved.MarketSlug, saved.MarketID, ErrOtherArchive)
	}
	x := &Explanation{Number: i + 1, Of: len(b.Report.Trades)}
	if err := x.fill(ctx, src, trace, b, saved); err != nil {
		return nil, fmt.Errorf("explain: market %s: %w", saved.MarketSlug, err)
	}
	if x.Resting, err = livesOf(replayed, trace, c); err != nil {
		return nil, err
	}
	return x, nil
}

// TradeNamed returns a trade by its number, from 1, or by its market's slug or id;
// ErrNoTrade if there is none.
func (r *Report) TradeNamed(name string) (*Trade, error) {
	i, err := findTrade(r, name)
	if err != nil {
		return nil, err
	}
	return &r.Trades[i], nil
}

func findTrade(r *Report, name string) (int, error) {
	if n, err := strconv.Atoi(name); err == nil {
		if n < 1 || n > len(r.Trades) {
			return 0, fmt.Errorf("trade %d: %w: the run has %s", n, ErrNoTrade, figures.Count(len(r.Trades), "trade"))
		}
		return n - 1, nil
	}
	for i := range r.Trades {
		if r.Trades[i].MarketSlug == name || r.Trades[i].MarketID == name {
			return i, nil
		}
	}
	if len(r.Trades) == 0 {
		return 0, fmt.Errorf("trade %q: %w: the run has none", name, ErrNoTrade)
	}
	return 0, fmt.Errorf("trade %q: %w: expected a number from 1 to %d or the slug of a market traded", name, ErrNoTrade, len(r.Trades))
}

// sampleAround returns what is replayed to explain a trade, and which of the rounds is
// its: that alone, or all that share a bankroll with it. −1: the archive has it no more.
func sampleAround(ctx context.Context, src replay.Source, b *Body, trade int) (*replay.Sample, int, error) {
	saved := &b.Report.Trades[trade]
	if b.Strategy.Bankroll() == nil {
		rounds, err := roundsOf(ctx, src, b.Report, b.Strategy.Market(), []int{trade})
		if round, ok := rounds[saved.MarketKey()]; ok && err == nil {
			return &replay.Sample{Rounds: []market.Round{round}}, 0, nil
		}
		return nil, -1, err
	}
	s, err := replay.Draw(ctx, src, replay.Case{Strategy: b.Strategy, Options: b.Report.Options.Options})
	if err != nil {
		return nil, -1, err
	}
	return s, slices.IndexFunc(s.Rounds, func(r market.Round) bool {
		return marketKey(r.Market.VenueID, r.Market.Slug) == saved.MarketKey()
	}), nil
}

// retrace replays the round. A saved stale_ms of 30000 may have been given or
// left out, which is not the same for quotes and prices: the reading that gives
// the saved trade counts, and is the case that is returned.
func retrace(replayed func(replay.Case) (*replay.Trace, error), b *Body, saved *Trade) (*replay.Trace, replay.Case, error) {
	c := replay.Case{Strategy: b.Strategy, Options: b.Report.Options.Options}
	trace, err := replayed(c)
	if err != nil {
		return nil, c, err
	}
	if c.Options.StaleMS == defaultStale && (trace.Result.Trade == nil || len(differences(saved, &trace.Result)) > 0) {
		left := c
		left.Options.StaleMS = replay.StaleDefault
		if other, err := replayed(left); err == nil &&
			other.Result.Trade != nil && len(differences(saved, &other.Result)) == 0 {
			return other, left, nil
		}
	}
	return trace, c, nil
}

// differences names the fields in which a saved trade is not the one found now.
func differences(saved *Trade, found *replay.MarketResult) []string {
	now := tradeOf(found.Trade, found.Round.Coverage, len(saved.Legs) > 0, saved.Entries != nil)
	var texts [2][]byte
	for i, t := range []*Trade{saved, &now} {
		var err error
		if texts[i], err = CompactJSON(t); err != nil {
			return []string{err.Error()}
		}
	}
	fields, err := diff.JSON("", texts[0], texts[1])
	if err != nil {
		return []string{err.Error()}
	}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Field
	}
	return names
}

func (x *Explanation) fill(ctx context.Context, src replay.Source, trace *replay.Trace, b *Body, saved *Trade) error {
	t := trace.Result.Trade
	x.Trade = tradeOf(t, trace.Result.Round.Coverage, true, b.Strategy.Extended())
	x.Differs = differences(saved, &trace.Result)
	x.Market = MarketSummary{
		ID: t.Market.VenueID, Slug: t.Market.Slug, Start: t.Market.Start, End: t.Market.End, Payout: stats.Decimal(t.Payout),
	}
	if t.Market.Payout != nil {
		x.Market.Basis = t.Market.Payout.Basis
	}
	spans := b.Trace().Spans
	x.EntryWords = spansOf(spans, "side", "entry")
	x.ExitWords = spansOf(spans, exitFields(t.Reason)...)
	x.entry(trace)
	schedule := trace.Result.Schedule
	if b.Report.Options.Fees == replay.FeesNone {
		schedule = fills.Schedule{Name: "none charged", Known: true}
	}
	x.Fees = feeView(&schedule)
	x.Orders = []OrderView{}
	for i := range trace.Orders {
		v := orderView(&trace.Orders[i], &schedule)
		if b.Strategy.Extended() {
			v.Order, v.Token = trace.Orders[i].Name, t.Market.Tokens[trace.Orders[i].Token].Outcome.String()
		}
		x.Orders = append(x.Orders, v)
	}
	x.judge(trace)
	last := &t.Legs[len(t.Legs)-1]
	if last.Action == replay.Settle {
		x.Settlement = &SettlementView{last.Time, stats.Decimal(last.Shares), stats.Decimal(t.Payout), stats.Decimal(last.Cash)}
	}
	var err error
	if x.EntryCaptures, err = around(ctx, src, t.Market, t.Token, t.Signal, t.EntryTime); err != nil {
		return err
	}
	x.ExitCaptures = Captures{Rows: []CaptureView{}}
	if sold := &t.Legs[1]; sold.Action == replay.Sell {
		signal := sold.Signal
		if signal == 0 {
			signal = sold.Time
		}
		x.ExitCaptures, err = around(ctx, src, t.Market, t.Token, signal, sold.Time)
	}
	return err
}

// spansOf returns the spans that set one of the fields or a part of it.
func spansOf(spans []strategy.Span, fields ...string) []strategy.Span {
	out := []strategy.Span{}
	for _, s := range spans {
		for _, f := range fields {
			rest, ok := strings.CutPrefix(s.Field, f)
			if ok && (rest == "" || strings.ContainsAny(rest[:1], ".[_")) {
				out = append(out, s)
				break
			}
		}
	}
	return out
}

// exitFields are the fields of the strategy behind an exit.
func exitFields(r replay.ExitReason) []string {
	switch r {
	case replay.TakeProfit:
		return []string{"exit.take_profit"}
	case replay.StopLoss:
		return []string{"exit.stop_loss", "exit.trailing_stop"}
	case replay.EndOfWindow:
		return []string{"exit.max_hold_seconds", "exit.exit_before_seconds", "exit.hold_to_expiry"}
	case replay.ByOrder:
		return []string{"then"}
	case replay.Merged:
		return []string{"merge"}
	}
	return []string{"exit.hold_to_expiry"}
}

// entry fills the conditions at the signal and before it.
func (x *Explanation) entry(trace *replay.Trace) {
	t := trace.Result.Trade
	x.Conditions = []ConditionView{}
	for i := range trace.Evaluations {
		e := &trace.Evaluations[i]
		if e.Position != nil || e.Token != t.Token || e.At > t.Signal {
			continue
		}
		if e.At == t.Signal {
			x.Conditions = conditionViews(e.Conditions)
			return
		}
		x.Before = &Look{Time: e.At, Conditions: conditionViews(e.Conditions)}
	}
}

func conditionViews(rs []replay.Reading) []ConditionView {
	out := make([]ConditionView, len(rs))
	for i, r := range rs {
		out[i] = ConditionView{Condition: r.Condition, Holds: r.Holds}
		if r.Known {
			out[i].Value = new(stats.Decimal(math.RoundToEven(r.Value * float64(stats.One))))
		}
	}
	return out
}

// near is how close to its trigger a look is listed.
const near = 20_000

// judge fills the looks at the position that came near a trigger.
func (x *Explanation) judge(trace *replay.Trace) {
	x.Judged = []Judgement{}
	for i := range trace.Evaluations {
		p := trace.Evaluations[i].Position
		if p == nil {
			continue
		}
		j := Judgement{
			Time: trace.Evaluations[i].At, Whole: stats.Decimal(p.Whole.Round()), Takeable: rounded(p.Takeable),
			Profit: rounded(p.Profit), Stop: rounded(p.Stop), High: rounded(p.High), Trigger: p.Trigger,
		}
		x.Looks++
		if x.Looks == 1 || j.near() {
			x.Judged = append(x.Judged, j)
		}
	}
}

func (j *Judgement) near() bool {
	return j.Trigger != "" ||
		j.Profit != nil && *j.Profit-j.Whole <= near ||
		j.Stop != nil && j.Takeable != nil && *j.Takeable-*j.Stop <= near
}

func rounded(a fills.Average) *stats.Decimal {
	if !a.Known() {
		return nil
	}
	return new(stats.Decimal(a.Round()))
}

func feeView(s *fills.Schedule) FeeView {
	v := FeeView{Name: s.Name, Source: s.Source, Formula: "0"}
	if !s.Known {
		v.Name = "none known for the venue"
	}
	if s.Rate == 0 {
		return v
	}
	v.Formula = "shares × " + market.FormatDecimal(s.Rate, 6)
	if s.PricePower == 1 {
		v.Formula += " × p"
	}
	switch {
	case s.Exponent == 1:
		v.Formula += " × p(1−p)"
	case s.Exponent > 1:
		v.Formula += fmt.Sprintf(" × (p(1−p))^%d", s.Exponent)
	}
	switch s.Rounding {
	case fills.Down1e5:
		v.Formula += ", the sum rounded down to 0.00001"
	case fills.Nearest1e4:
		v.Formula += ", the sum rounded to 0.0001, at least that"
	case fills.UpCent:
		v.Formula += ", the sum rounded up to 0.01"
	}
	return v
}

// feeOf returns the exact fee of one level as a decimal.
func feeOf(s *fills.Schedule, l market.Level) string {
	p := big.NewRat(int64(l.Price), int64(market.PriceOne))
	fee := big.NewRat(int64(l.Size), int64(market.SizeOne))
	fee.Mul(fee, big.NewRat(s.Rate, int64(stats.One)))
	if s.PricePower == 1 {
		fee.Mul(fee, p)
	}
	q := new(big.Rat).Mul(p, new(big.Rat).Sub(big.NewRat(1, 1), p))
	for range s.Exponent {
		fee.Mul(fee, q)
	}
	return exactDecimal(fee)
}

// exactDecimal writes a fraction whose denominator divides a power of ten.
func exactDecimal(r *big.Rat) string {
	digits, _ := r.FloatPrec()
	return r.FloatString(digits)
}

func orderView(o *replay.Order, s *fills.Schedule) OrderView {
	v := OrderView{
		Action: o.Action, Signal: o.Signal, Arrival: o.Arrival, Retry: o.Retry,
		AsOf: known(o.AsOf), Fill: o.Stream.Fill(), Levels: []LevelView{},
	}
	side := o.Bids
	if o.Action == replay.Buy {
		side = o.Asks
		v.Cap = new(priceOf(o.Cap))
	}
	if o.Refused {
		v.Refused = o.Reason.String()
	}
	var taken []market.Level
	if o.Leg != nil {
		taken = o.Leg.Levels
		v.Shares, v.Cash, v.Fee = stats.Decimal(o.Leg.Shares), stats.Decimal(o.Leg.Cash), stats.Decimal(o.Leg.Fee)
		v.Average = stats.Decimal(fills.Average{Value: o.Leg.Value, Shares: o.Leg.Shares}.Round())
	}
	const behind = 2 // levels shown that were not reached
	for i, l := range side {
		if i >= len(taken)+len(o.Taken)+behind {
			break
		}
		lv := LevelView{Price: priceOf(l.Price), Earlier: stats.Decimal(sizeAt(o.Taken, l.Price))}
		if l.Size > 0 {
			lv.Shown = new(stats.Decimal(l.Size))
		}
		got := market.Level{Price: l.Price, Size: sizeAt(taken, l.Price)}
		lv.Taken = stats.Decimal(got.Size)
		lv.Value = exactDecimal(fills.Value(got.Price, got.Size).Rat())
		lv.Fee = feeOf(s, got)
		v.Levels = append(v.Levels, lv)
	}
	return v
}

func sizeAt(levels []market.Level, p market.Price) market.Size {
	for _, l := range levels {
		if l.Price == p {
			return l.Size
		}
	}
	return 0
}
