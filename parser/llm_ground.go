package parser

import (
	"fmt"
	"slices"

	"github.com/ladderback/ladderback/strategy"
)

// target is a number of the answer on its way to the prompt.
type target struct {
	path   string
	want   strategy.Number
	what   targetKind
	length int64 // seconds of the market
}

type targetKind uint8

const (
	ofPrice targetKind = iota
	ofChange
	ofDollars // depths
	ofRatio
	ofSeconds
	ofExitBefore // seconds before the end: also the length less a minute named
	ofBudget
	ofSample
)

// ground reports the first number of a strategy that the prompt does not hold
// and that is no default, then the first of the other things that the prompt
// does not bear out; nil when all is grounded.
func (e *evidence) ground(s *strategy.Strategy) *objection {
	for _, t := range targets(s) {
		if !e.find(t) {
			return ungrounded(t.path, t.want.String())
		}
	}
	for _, check := range []func(*strategy.Strategy) (string, string){e.checkMarket, e.checkSide, e.checkHold, e.checkConditions} {
		if path, value := check(s); path != "" {
			return ungrounded(path, value)
		}
	}
	return e.unread(s)
}

func ungrounded(path, value string) *objection {
	return &objection{
		modelFailure{outcome: "ungrounded", note: fmt.Sprintf("the language model's answer says %s for %s, which the prompt does not", value, path)},
		fmt.Sprintf("strategy.%s: %s does not come from the sentence, and it is no default.", path, value),
	}
}

// unread reports the first number of the prompt that no field came from.
func (e *evidence) unread(s *strategy.Strategy) *objection {
	for _, v := range e.values {
		if v.used || e.mended || v.harmless() || isLength(v.v, s) {
			continue
		}
		return &objection{
			modelFailure{outcome: "unread", note: fmt.Sprintf("the language model left %q of the prompt unread", v.text)},
			fmt.Sprintf("the number %q of the sentence is in no field.", v.text),
		}
	}
	return nil
}

// harmless reports whether a value may stand in a sentence without setting
// anything: "the first one", "one at a time".
func (v *evidenced) harmless() bool {
	return v.implied || v.v.unit == uOrd || (v.v.words && v.v.n == micro && v.v.unit == uNone)
}

// isLength reports whether a value may name the length of the markets.
func isLength(v value, s *strategy.Strategy) bool {
	length, ok := strategy.Length(s.Market.Type)
	return ok && s.Market.Type != strategy.Any && (v.unit == uTime && v.n == int64(length) || v.unit == uNone && v.n*60 == int64(length))
}

// targets lists the numbers of a strategy that must come from the prompt.
func targets(s *strategy.Strategy) []target {
	length, _ := strategy.Length(s.Market.Type)
	var out []target
	add := func(path string, want strategy.Number, what targetKind) {
		out = append(out, target{path, want, what, int64(length) / micro})
	}
	conditions := func(path string, list []strategy.Condition) {
		for i, c := range list {
			at := fmt.Sprintf("%s[%d]", path, i)
			add(at+".threshold", c.Threshold, thresholdKind(c.Type))
			if c.WithinSeconds != 0 {
				add(at+".within_seconds", strategy.Int(c.WithinSeconds), ofSeconds)
			}
		}
	}
	conditions("entry", s.Entry)
	for i, g := range s.EntryAny {
		conditions(fmt.Sprintf("entry_any[%d]", i), g)
	}
	for _, f := range []struct {
		path  string
		value *strategy.Number
	}{
		{"exit.take_profit", s.Exit.TakeProfit}, {"exit.stop_loss", s.Exit.StopLoss}, {"exit.take_profit_offset", s.Exit.TakeProfitOffset},
		{"exit.stop_loss_offset", s.Exit.StopLossOffset}, {"exit.trailing_stop", s.Exit.TrailingStop},
	} {
		if f.value != nil {
			add(f.path, *f.value, ofPrice)
		}
	}
	if s.Exit.MaxHoldSeconds != 0 {
		add("exit.max_hold_seconds", strategy.Int(s.Exit.MaxHoldSeconds), ofSeconds)
	}
	if s.Exit.ExitBeforeSeconds != 0 {
		add("exit.exit_before_seconds", strategy.Int(s.Exit.ExitBeforeSeconds), ofExitBefore)
	}
	add("budget_per_trade", s.BudgetPerTrade, ofBudget)
	add("sample_size", strategy.Int(s.SampleSize), ofSample)
	return out
}

func thresholdKind(t strategy.Type) targetKind {
	switch t {
	case strategy.AskDepth, strategy.BidDepth:
		return ofDollars
	case strategy.Imbalance:
		return ofRatio
	case strategy.PriceChange:
		return ofChange
	case strategy.TimeElapsed, strategy.TimeRemaining:
		return ofSeconds
	}
	return ofPrice
}

// find looks for the value that a target came from and marks every one that it
// may have come from; a default needs none.
func (e *evidence) find(t target) bool {
	found := false
	for i := range e.values {
		if t.from(e.values[i].v) {
			e.values[i].used, found = true, true
		}
	}
	if found {
		return true
	}
	switch t.what {
	case ofPrice:
		return e.fav && t.want == strategy.One/2
	case ofSeconds:
		return e.open && t.want == strategy.Int(defaultOpenSeconds)
	case ofBudget:
		return t.want == defaultBudget
	case ofSample:
		return t.want == strategy.Int(defaultSample)
	}
	return false
}

// from reports whether a target may have come from a value of the prompt.
func (t target) from(v value) bool {
	const most = 1_000_000_000 * micro // beyond what any field holds
	if v.n < 0 || v.n > most {
		return false
	}
	return inDecade(v, t) || slices.ContainsFunc(readings(v, t), func(n int64) bool { return n == int64(t.want) })
}

// Defaults of the language that are numbers.
const (
	defaultOpenSeconds = 10
	defaultSample      = 50
	defaultBudget      = 100 * strategy.One
)

// readings lists what a value may mean for a target, in units of 1e-6.
func readings(v value, t target) []int64 {
	switch t.what {
	case ofPrice, ofChange:
		out := priceReadings(v)
		if t.what == ofChange {
			for _, n := range out {
				out = append(out, -n)
			}
		}
		return out
	case ofRatio:
		return ratioReadings(v)
	case ofSeconds, ofExitBefore:
		out := timeReadings(v, t.length)
		if t.what == ofExitBefore {
			for _, n := range out {
				out = append(out, t.length*micro-n)
			}
		}
		return out
	case ofDollars, ofBudget:
		if v.unit == uDollar || v.unit == uNone {
			return []int64{v.n}
		}
	case ofSample:
		if v.unit == uNone {
			return []int64{v.n}
		}
	}
	return nil
}

func priceReadings(v value) []int64 {
	switch v.unit {
	case uCent:
		return []int64{v.n / 100}
	case uDollar:
		return []int64{v.n}
	case uNone, uPoint:
		return []int64{v.n, v.n / 100}
	case uFrac:
		if v.den != 0 {
			return []int64{int64(v.num) * micro / int64(v.den)}
		}
	}
	return nil
}

// ratioReadings also takes "bids r times the asks" as r ÷ (1 + r), rounded to
// four decimals.
func ratioReadings(v value) []int64 {
	n := v.n
	switch v.unit {
	case uFrac:
		if v.den == 0 {
			return nil
		}
		n = int64(v.num) * micro / int64(v.den)
	case uNone, uTimes:
	default:
		return nil
	}
	if n < 0 || n > 1_000_000*micro {
		return nil
	}
	scaled := (n*10_000 + (n+micro)/2) / (n + micro)
	return []int64{n, scaled * 100}
}

func timeReadings(v value, length int64) []int64 {
	switch v.unit {
	case uTime, uClock:
		return []int64{v.n}
	case uNone:
		return []int64{v.n, v.n * 60, v.n * 3600}
	case uOrd: // the third minute, the first third
		out := []int64{v.n, v.n * 60, v.n * 3600, v.n - micro, (v.n - micro) * 60, (v.n - micro) * 3600}
		return append(out, parts(length, v.n/micro)...)
	case uFrac:
		den := int64(v.den)
		if den != 0 {
			return append(parts(length, den), 60*micro*int64(v.num)/den, 3600*micro*int64(v.num)/den)
		}
	}
	return nil
}

// parts lists 1/n, 2/n, … of a round, in units of 1e-6 second.
func parts(length, n int64) []int64 {
	var out []int64
	for k := int64(1); k < n && n <= 20; k++ {
		out = append(out, length*micro*k/n)
	}
	return out
}

// inDecade reports whether a price lies in "the 40s".
func inDecade(v value, t target) bool {
	if v.unit != uDecade || t.what != ofPrice {
		return false
	}
	cents := int64(t.want) / 10_000
	from := v.n / micro
	return int64(t.want)%10_000 == 0 && cents >= from && cents <= from+9
}

// checkMarket holds coin and length against those that are named; with none
// named only the defaults are borne out.
func (e *evidence) checkMarket(s *strategy.Strategy) (path, value string) {
	coin := s.Market.Coin
	switch {
	case coin == strategy.Any && !e.anyCoin,
		coin != strategy.Any && len(e.coins) > 0 && !slices.Contains(e.coins, coin),
		coin != strategy.Any && len(e.coins) == 0 && (coin != defaultCoin || e.anyCoin):
		return "market.coin", coin
	}
	kind := s.Market.Type
	length, _ := strategy.Length(kind)
	named := slices.Contains(e.lengths, int64(length)/micro) && kind != strategy.Any
	for _, v := range e.values {
		named = named || isLength(v.v, s)
	}
	if !named && kind != defaultType && (kind != strategy.Any || !e.anyLen) {
		return "market.market_type", kind
	}
	return "", ""
}

// Defaults of the language that are words.
const (
	defaultCoin = "BTC"
	defaultType = "15m"
)

// checkSide holds the token bought against those that are named.
func (e *evidence) checkSide(s *strategy.Strategy) (path, value string) {
	borne := e.either
	switch s.Side {
	case strategy.Up:
		borne = e.up || (e.either && e.down)
	case strategy.Down:
		borne = e.down || (e.either && e.up)
	case strategy.Either:
		borne = e.either || (e.up && e.down)
	}
	if !borne {
		return "side", string(s.Side)
	}
	for i, c := range s.Entry {
		if c.Token == s.Side.Other() && !e.either && (!e.up || !e.down) {
			return fmt.Sprintf("entry[%d].token", i), string(c.Token)
		}
	}
	return "", ""
}

// checkHold: a position is sold before the end only on words that say so.
func (e *evidence) checkHold(s *strategy.Strategy) (path, value string) {
	if !s.Exit.HoldToExpiry && s.Exit.ExitBeforeSeconds == 0 && !e.before && (!e.negated || !e.held) && e.strange < manyStrange {
		return "exit.hold_to_expiry", "false"
	}
	return "", ""
}

// checkConditions holds what is compared, and how, against the words of the
// prompt.
func (e *evidence) checkConditions(s *strategy.Strategy) (path, value string) {
	check := func(at string, list []strategy.Condition) {
		for i, c := range list {
			if path == "" && !c.Type.IsTime() {
				if field, v := e.checkCondition(c); field != "" {
					path, value = fmt.Sprintf("%s[%d].%s", at, i, field), v
				}
			}
		}
	}
	check("entry", s.Entry)
	for i, g := range s.EntryAny {
		check(fmt.Sprintf("entry_any[%d]", i), g)
	}
	return path, value
}

func (e *evidence) checkCondition(c strategy.Condition) (field, value string) {
	if !e.agrees(c) {
		return "comparator", string(c.Comparator)
	}
	if e.strange >= manyStrange {
		return "", ""
	}
	down := c.Comparator == strategy.LT || c.Comparator == strategy.CrossesBelow
	up := c.Comparator == strategy.GT || c.Comparator == strategy.CrossesAbove
	if c.Type != strategy.PriceChange && !e.fav && !e.negated && (down && !e.below || up && !e.above) {
		return "comparator", string(c.Comparator)
	}
	if named, ok := namedBy(c.Type); ok && !slices.ContainsFunc(named, func(q qty) bool { return e.qtys[q] }) {
		return "type", string(c.Type)
	}
	return "", ""
}

// agrees holds the comparator of a level condition against the comparators
// that stand beside the values it may have come from: when all of them have
// one, it is one of those.
func (e *evidence) agrees(c strategy.Condition) bool {
	if !c.Type.IsLevel() || c.Comparator.IsCrossing() {
		return true
	}
	t := target{want: c.Threshold, what: thresholdKind(c.Type)}
	bare := true
	for _, v := range e.values {
		if v.implied || !t.from(v.v) {
			continue
		}
		if v.cmp == cmpNone || v.crossed || comparatorOf(v.cmp) == c.Comparator {
			return true
		}
		bare = false
	}
	return bare
}

// namedBy returns the words for what a type compares; ok is false for types
// that need none.
func namedBy(t strategy.Type) (named []qty, ok bool) {
	switch t {
	case strategy.BestAsk:
		return []qty{qAsk, qAskDepth}, true
	case strategy.BestBid:
		return []qty{qBid, qBidDepth}, true
	case strategy.Spread:
		return []qty{qSpread}, true
	case strategy.AskDepth:
		return []qty{qAskDepth, qDepth, qAsk}, true
	case strategy.BidDepth:
		return []qty{qBidDepth, qDepth, qBid}, true
	case strategy.Imbalance:
		return []qty{qImbalance, qRatio, qBid, qAsk, qBidDepth, qAskDepth, qDepth}, true
	}
	return nil, false
}
