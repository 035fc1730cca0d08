package strategytest

import (
	"strings"

	"pgregory.net/rapid"

	"github.com/ladderback/ladderback/strategy"
)

// Extended generates valid strategies that use at least one field of orders, not
// necessarily canonical, that cover every one of them. Draws that break a rule
// between fields are mended by dropping what broke it.
func Extended() *rapid.Generator[strategy.Strategy] {
	return rapid.Custom(func(t *rapid.T) strategy.Strategy {
		s := Valid().Draw(t, "base")
		length, _ := strategy.Length(s.Market.Type)
		d := drawer{t: t, side: s.Side, length: int(length / 1_000_000)}
		for !s.Extended() {
			d.extend(&s)
		}
		for range maxRepairs {
			err := Validate(s)
			if err == nil {
				break
			}
			mend(&s, err)
		}
		if !s.Extended() { // all of it broke a rule
			s.Again = d.again()
		}
		return s
	})
}

// CanonicalExtended generates such strategies in canonical form.
func CanonicalExtended() *rapid.Generator[strategy.Canonical] {
	return rapid.Map(Extended(), Canonicalize)
}

// mend drops the field of orders at fault, or what it contradicts.
func mend(s *strategy.Strategy, err error) {
	e, ok := err.(*strategy.Error) //nolint:errorlint // Validate returns it unwrapped
	if !ok {
		panic("strategytest: not a *strategy.Error: " + err.Error())
	}
	field := strings.TrimPrefix(e.Field, "strategy.")
	switch {
	case strings.HasPrefix(field, "order"):
		s.Order = nil
	case strings.HasPrefix(field, "then"):
		s.Then = nil
	case field == "merge":
		s.Merge = false
	case field == "exit.rest_take_profit":
		s.Exit.RestTakeProfit = false
	case strings.HasPrefix(field, "size"):
		s.Size = nil
	default: // an exit that can fire at the price at which the entry rests
		s.Order = nil
	}
}

func (d drawer) chance(label string, oneIn int) bool {
	return rapid.IntRange(1, oneIn).Draw(d.t, label) == 1
}

// extend sets fields of orders, some of them.
func (d drawer) extend(s *strategy.Strategy) {
	if d.chance("order", 2) {
		s.Order = d.order(strategy.Buy)
	}
	if d.chance("rest take profit", 4) {
		s.Exit.RestTakeProfit = s.Exit.TakeProfit != nil || s.Exit.TakeProfitOffset != nil
	}
	if d.chance("then", 2) {
		for range rapid.SampledFrom([]int{1, 1, 1, 2, 2, 3, 5, 19}).Draw(d.t, "orders") {
			s.Then = append(s.Then, d.then(&s.Exit))
		}
	}
	if d.chance("again", 4) {
		s.Again = d.again()
	}
	s.Merge = d.chance("merge", 3)
	if d.chance("bankroll", 4) {
		s.Bankroll = d.bankroll()
	}
	if d.chance("size", 3) {
		s.Size = d.size()
	}
}

func (d drawer) order(do strategy.Action) *strategy.Order {
	o := &strategy.Order{PostOnly: d.chance("post only", 3)}
	signed := func(label string) *strategy.Number {
		n := d.price(label)
		switch rapid.IntRange(0, 2).Draw(d.t, label+" sign") {
		case 0:
			n = 0
		case 1:
			n = -n
		}
		return n.Ptr()
	}
	switch kind := rapid.IntRange(0, 3).Draw(d.t, "rests"); {
	case kind < 2:
		o.RestAt = d.price("rest at").Ptr()
	case kind == 2 && do == strategy.Buy:
		o.RestFromBid = signed("from the bid")
	case kind == 2:
		o.RestFromAsk = signed("from the ask")
	case do == strategy.Buy:
		o.RestFromAsk = d.price("under the ask").Ptr()
	default:
		o.RestFromBid = d.price("over the bid").Ptr()
	}
	if d.chance("cancel after", 3) {
		o.CancelAfterSeconds = d.wholeSeconds("cancelled after")
	}
	if d.chance("cancel when", 4) {
		o.CancelWhen = d.orderConditions(1, 4)
	}
	return o
}

// orderConditions draws a list of conditions of an order.
func (d drawer) orderConditions(least, most int) []strategy.Condition {
	var out []strategy.Condition
	for range rapid.IntRange(least, most).Draw(d.t, "conditions of an order") {
		out = append(out, d.orderCondition())
	}
	return out
}

func (d drawer) orderCondition() strategy.Condition {
	if d.chance("of the book", 2) {
		d.side = strategy.Either
		return d.condition()
	}
	types := strategy.OrderConditionTypes()
	info := rapid.SampledFrom(types[len(types)-3:]).Draw(d.t, "type of what is held")
	c := strategy.Condition{Type: info.Type, Comparator: rapid.SampledFrom(info.Comparators).Draw(d.t, "comparator")}
	switch info.Type {
	case strategy.HeldProfit:
		c.Token = rapid.SampledFrom(info.Tokens).Draw(d.t, "token")
		c.Threshold = d.ratio("profit")
		if rapid.Bool().Draw(d.t, "loss") {
			c.Threshold = -c.Threshold
		}
	case strategy.PairCost:
		c.Threshold = d.ratio("pair cost") + d.ratio("more of it")
	default:
		c.Threshold = d.seconds()
	}
	return c
}

func (d drawer) then(e *strategy.Exit) strategy.Then {
	o := strategy.Then{
		Do:    rapid.SampledFrom([]strategy.Action{strategy.Buy, strategy.Buy, strategy.Sell}).Draw(d.t, "do"),
		Token: rapid.SampledFrom([]strategy.Token{strategy.TokenSame, strategy.TokenOpposite}).Draw(d.t, "token of an order"),
		On:    rapid.SampledFrom(d.triggers(e)).Draw(d.t, "on"),
		Times: rapid.SampledFrom([]int{1, 1, 1, 2, 3, 20}).Draw(d.t, "times"),
	}
	if d.chance("rests", 2) {
		o.Order = d.order(o.Do)
	}
	least := 0
	if o.Order == nil && (o.On == strategy.OnEntry || o.On == strategy.OnStart) {
		least = 1
	}
	o.When = d.orderConditions(least, rapid.SampledFrom([]int{1, 2, 8}).Draw(d.t, "most conditions"))
	if d.chance("spaced", 3) {
		o.AfterSeconds = d.wholeSeconds("after")
	}
	switch kind := rapid.IntRange(0, 2).Draw(d.t, "amount"); {
	case kind == 0:
		o.Shares = d.shares()
	case o.Do == strategy.Sell:
		o.Fraction = d.share("fraction")
	case kind == 1:
		o.Match = true
	default:
		o.USD = d.budget()
	}
	return o
}

// triggers are those that go with the side and the exits.
func (d drawer) triggers(e *strategy.Exit) []strategy.Trigger {
	out := []strategy.Trigger{strategy.OnEntry, strategy.OnEntry}
	if d.side != strategy.Either {
		out = append(out, strategy.OnStart)
	}
	profit := e.TakeProfit != nil || e.TakeProfitOffset != nil
	stop := e.StopLoss != nil || e.StopLossOffset != nil || e.TrailingStop != nil
	clock := !e.HoldToExpiry || e.MaxHoldSeconds != 0
	if profit {
		out = append(out, strategy.OnTakeProfit)
	}
	if stop {
		out = append(out, strategy.OnStopLoss)
	}
	if clock {
		out = append(out, strategy.OnEndOfWindow)
	}
	if profit || stop || clock {
		out = append(out, strategy.OnExit)
	}
	return out
}

func (d drawer) again() *strategy.Again {
	a := &strategy.Again{MaxEntries: rapid.IntRange(2, 20).Draw(d.t, "entries")}
	if d.chance("later", 2) {
		a.AfterSeconds = d.wholeSeconds("entered again after")
	}
	if d.chance("for some reasons", 2) {
		a.After = rapid.SliceOfN(rapid.SampledFrom(Reasons), 1, 8).Draw(d.t, "reasons")
	}
	return a
}

// Reasons are those for which a round is entered again, in canonical order.
var Reasons = []strategy.Reason{strategy.ReasonTakeProfit, strategy.ReasonStopLoss, strategy.ReasonEndOfWindow, strategy.ReasonOrder,
	strategy.ReasonMerged, strategy.ReasonExpiry, strategy.ReasonCancelled}

// size draws a size; those of a bankroll are mended away where there is none.
func (d drawer) size() *strategy.Size {
	switch rapid.IntRange(0, 2).Draw(d.t, "size of an entry") {
	case 0:
		return &strategy.Size{Shares: d.shares()}
	case 1:
		return &strategy.Size{BankrollFraction: d.share("of the bankroll")}
	}
	return &strategy.Size{Kelly: &strategy.Kelly{Probability: d.price("probability"), Fraction: d.share("of Kelly")}}
}

func (d drawer) bankroll() *strategy.Bankroll {
	b := &strategy.Bankroll{}
	if !d.chance("no start", 4) {
		b.Start = d.budget()
	}
	if d.chance("daily loss", 3) {
		b.DailyLoss = d.budget()
	}
	if d.chance("most open", 3) {
		b.MaxOpen = d.budget()
	}
	if d.chance("losing streak", 3) || *b == (strategy.Bankroll{}) {
		b.MaxLosingStreak = rapid.IntRange(1, 50).Draw(d.t, "losing streak")
	}
	return b
}

// share draws a fraction above 0, at most 1.
func (d drawer) share(label string) strategy.Number {
	return strategy.Number(100 * rapid.OneOf(
		rapid.SampledFrom([]int{500, 1000, 2500, 3333, 5000, 10_000}),
		rapid.IntRange(1, 10_000),
	).Draw(d.t, label))
}

func (d drawer) shares() strategy.Number {
	return strategy.Number(rapid.OneOf(
		rapid.Map(rapid.Int64Range(1, 500), func(n int64) int64 { return n * int64(strategy.One) }),
		rapid.Map(rapid.Int64Range(1, 100_000_000), func(n int64) int64 { return n * 10_000 }),
		rapid.SampledFrom([]int64{1, 10_000, 1_000_000 * int64(strategy.One)}),
	).Draw(d.t, "shares"))
}
