// Package strategytest generates strategies for property tests of the packages
// that read, write or replay them.
package strategytest

import (
	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/strategy"
)

// Valid generates valid strategies, not necessarily canonical, that cover every
// field, type of condition, comparator, token and extension. Draws that break a
// rule between fields are mended by dropping what broke it.
func Valid() *rapid.Generator[strategy.Strategy] {
	return rapid.Custom(func(t *rapid.T) strategy.Strategy {
		s := drawRaw(t)
		for range maxRepairs {
			err := Validate(s)
			if err == nil {
				return s
			}
			repair(&s, err)
		}
		t.Fatalf("no valid strategy after %d repairs: %v", maxRepairs, s)
		return s
	})
}

// Canonical generates valid strategies in canonical form.
func Canonical() *rapid.Generator[strategy.Canonical] { return rapid.Map(Valid(), Canonicalize) }

// Canonicalize returns the canonical form of a strategy that is known to be
// valid, and panics otherwise.
func Canonicalize(s strategy.Strategy) strategy.Canonical {
	c, err := strategy.Canonicalize(s)
	if err != nil {
		panic("strategytest: " + err.Error())
	}
	return c
}

// Changed returns the canonical form of what change makes of c.
func Changed(c strategy.Canonical, change func(*strategy.Strategy)) strategy.Canonical {
	s := c.Strategy()
	change(&s)
	return Canonicalize(s)
}

const maxRepairs = 24

// repair drops the field at fault.
func repair(s *strategy.Strategy, err error) {
	e, ok := err.(*strategy.Error) //nolint:errorlint // Validate returns it unwrapped
	if !ok {
		panic("strategytest: not a *strategy.Error: " + err.Error())
	}
	switch e.Field {
	case "strategy.exit.take_profit":
		s.Exit.TakeProfit = nil
	case "strategy.exit.stop_loss":
		s.Exit.StopLoss = nil
	case "strategy.exit.exit_before_seconds":
		s.Exit.ExitBeforeSeconds = 0
	default: // an empty entry window, or too many conditions once folded
		switch {
		case len(s.EntryAny) > 0:
			s.EntryAny = nil
		case s.Exit.ExitBeforeSeconds != 0:
			s.Exit.ExitBeforeSeconds = 0
		case len(s.Entry) > 0:
			s.Entry = s.Entry[:len(s.Entry)-1]
		default:
			panic("strategytest: cannot mend: " + err.Error())
		}
	}
}

func drawRaw(t *rapid.T) strategy.Strategy {
	s := strategy.Strategy{
		Market: strategy.MarketSpec{Coin: coin().Draw(t, "coin"), Type: marketType().Draw(t, "market_type")},
		Side:   rapid.SampledFrom([]strategy.Side{strategy.Up, strategy.Down, strategy.Either}).Draw(t, "side"),
		Entry:  []strategy.Condition{},
	}
	length, _ := strategy.Length(s.Market.Type)
	d := drawer{t: t, side: s.Side, length: int(length / 1_000_000)}
	s.BudgetPerTrade = d.budget()
	s.SampleSize = d.sample()
	for range rapid.SampledFrom([]int{0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 6, 8}).Draw(t, "conditions") {
		s.Entry = append(s.Entry, d.condition())
	}
	if rapid.IntRange(0, 3).Draw(t, "alternatives") == 0 {
		for range rapid.IntRange(2, 4).Draw(t, "groups") {
			var group []strategy.Condition
			for range rapid.IntRange(1, 4).Draw(t, "in group") {
				group = append(group, d.condition())
			}
			s.EntryAny = append(s.EntryAny, group)
		}
		if rapid.IntRange(0, 4).Draw(t, "one group twice") == 0 {
			s.EntryAny = [][]strategy.Condition{s.EntryAny[0], s.EntryAny[0]}
		}
	}
	s.Exit = d.exit()
	return s
}

func coin() *rapid.Generator[string] {
	var tickers []string
	for _, c := range market.Coins() {
		tickers = append(tickers, c.Ticker)
	}
	return rapid.OneOf(
		rapid.SampledFrom([]string{"BTC", "ETH", "SOL", "XRP", strategy.Any}),
		rapid.SampledFrom(tickers),
	)
}

// MarketTypes are the lengths of rounds that a strategy can name, shortest
// first, and any.
var MarketTypes = []string{"5m", "15m", "1h", "4h", "1d", strategy.Any}

func marketType() *rapid.Generator[string] { return rapid.SampledFrom(MarketTypes) }

// drawer draws the parts that depend on the side and the market's length.
type drawer struct {
	t      *rapid.T
	side   strategy.Side
	length int // seconds
}

func (d drawer) budget() strategy.Number {
	const most = int64(1_000_000 * strategy.One)
	return strategy.Number(rapid.OneOf(
		rapid.SampledFrom([]int64{100_000_000, 50_000_000, 12_500_000, 1, most}),
		rapid.Map(rapid.Int64Range(1, 2000), func(n int64) int64 { return n * int64(strategy.One) }),
		rapid.Int64Range(1, most),
	).Draw(d.t, "budget"))
}

func (d drawer) sample() int {
	return rapid.OneOf(rapid.SampledFrom([]int{1, 50, 200, 1000, 10_000}), rapid.IntRange(1, 10_000)).Draw(d.t, "sample")
}

// price draws a price strictly between 0 and 1: mostly whole cents, sometimes
// finer.
func (d drawer) price(label string) strategy.Number {
	return strategy.Number(100 * rapid.OneOf(
		rapid.Map(rapid.IntRange(1, 99), func(c int) int { return c * 100 }),
		rapid.Map(rapid.IntRange(1, 999), func(c int) int { return c * 10 }),
		rapid.IntRange(1, 9999),
	).Draw(d.t, label))
}

// ratio draws 0..1 in steps of 1e-4.
func (d drawer) ratio(label string) strategy.Number {
	return strategy.Number(100 * rapid.OneOf(
		rapid.SampledFrom([]int{0, 1, 200, 500, 6000, 10_000}),
		rapid.IntRange(0, 10_000),
	).Draw(d.t, label))
}

// wholeSeconds draws 1..length.
func (d drawer) wholeSeconds(label string) int {
	return rapid.OneOf(
		rapid.Map(rapid.IntRange(1, d.length/60), func(m int) int { return m * 60 }),
		rapid.IntRange(1, d.length),
		rapid.IntRange(1, 120),
	).Draw(d.t, label)
}

// seconds draws a threshold on the clock: mostly whole, sometimes finer, from 0
// to the market's length.
func (d drawer) seconds() strategy.Number {
	if rapid.IntRange(0, 5).Draw(d.t, "fraction of a second") == 0 {
		return strategy.Number(rapid.OneOf(
			rapid.SampledFrom([]int64{0, 500_000, 1, 90_500_000}),
			rapid.Int64Range(0, int64(d.length)*int64(strategy.One)),
		).Draw(d.t, "seconds"))
	}
	return strategy.Int(d.wholeSeconds("seconds"))
}

func (d drawer) condition() strategy.Condition {
	info := rapid.SampledFrom(append(strategy.ConditionTypes(), strategy.ConditionTypes()[0], strategy.ConditionTypes()[0])).Draw(d.t, "type")
	c := strategy.Condition{
		Type:       info.Type,
		Comparator: rapid.SampledFrom(info.Comparators).Draw(d.t, "comparator"),
	}
	if !c.Type.IsTime() {
		c.Token = rapid.SampledFrom([]strategy.Token{d.side.Held(), d.side.Other()}).Draw(d.t, "token")
	}
	switch c.Type {
	case strategy.Price, strategy.BestAsk, strategy.BestBid:
		c.Threshold = d.price("price")
	case strategy.Spread, strategy.Imbalance:
		c.Threshold = d.ratio("ratio")
	case strategy.AskDepth, strategy.BidDepth:
		c.Threshold = d.dollars()
	case strategy.PriceChange:
		c.Threshold = d.ratio("change")
		if rapid.Bool().Draw(d.t, "down") {
			c.Threshold = -c.Threshold
		}
		c.WithinSeconds = d.wholeSeconds("look-back")
	default:
		c.Threshold = d.seconds()
	}
	if c.Type.IsLevel() && rapid.IntRange(0, 2).Draw(d.t, "bounded") == 0 {
		c.WithinSeconds = d.wholeSeconds("within")
	}
	return c
}

func (d drawer) dollars() strategy.Number {
	return strategy.Number(rapid.OneOf(
		rapid.Map(rapid.Int64Range(0, 10_000), func(n int64) int64 { return n * int64(strategy.One) }),
		rapid.Int64Range(0, 100_000*int64(strategy.One)),
	).Draw(d.t, "dollars"))
}

func (d drawer) exit() strategy.Exit {
	e := strategy.Exit{HoldToExpiry: rapid.IntRange(0, 3).Draw(d.t, "hold") != 0}
	switch rapid.IntRange(0, 3).Draw(d.t, "target") {
	case 0, 1:
		e.TakeProfit = d.price("take profit").Ptr()
	case 2:
		e.TakeProfitOffset = d.price("take profit offset").Ptr()
	}
	switch rapid.IntRange(0, 3).Draw(d.t, "stop") {
	case 0, 1:
		e.StopLoss = d.price("stop loss").Ptr()
	case 2:
		e.StopLossOffset = d.price("stop loss offset").Ptr()
	}
	if rapid.IntRange(0, 4).Draw(d.t, "trail") == 0 {
		e.TrailingStop = d.price("trailing stop").Ptr()
	}
	if rapid.IntRange(0, 4).Draw(d.t, "hold at most") == 0 {
		e.MaxHoldSeconds = d.wholeSeconds("max hold")
	}
	if rapid.IntRange(0, 4).Draw(d.t, "exit before") == 0 {
		e.ExitBeforeSeconds = d.wholeSeconds("exit before")
		e.HoldToExpiry = false
	}
	return e
}

// Validate reports the first rule that s breaks, as a *strategy.Error.
func Validate(s strategy.Strategy) error {
	_, err := strategy.Canonicalize(s)
	return err
}

// PriceNumber returns p as a Number, exactly.
func PriceNumber(p market.Price) strategy.Number {
	return strategy.Number(p) * (strategy.One / strategy.Number(market.PriceOne))
}
