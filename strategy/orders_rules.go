package strategy

import (
	"cmp"
	"slices"
)

const (
	maxThen       = 19
	maxWhen       = 8
	maxCancelWhen = 4
	maxTimes      = 20
	minEntries    = 2
	maxEntries    = 20
	maxShares     = 1_000_000 * One
	maxBankroll   = 1_000_000_000 * One
	maxStreak     = 10_000
)

// reasons are those of Again, triggers those of Then, each in canonical order.
var (
	reasons  = []Reason{ReasonTakeProfit, ReasonStopLoss, ReasonEndOfWindow, ReasonOrder, ReasonMerged, ReasonExpiry, ReasonCancelled}
	triggers = []Trigger{OnEntry, OnStart, OnTakeProfit, OnStopLoss, OnEndOfWindow, OnExit}
)

func reasonOrder(r Reason) int { return order(r, reasons...) }

// checkOrders applies the rules of the fields of orders that can be judged on the
// object as it is.
func checkOrders(s *Strategy, length int) error {
	if err := checkOrder("order", s.Order, Buy, s, length); err != nil {
		return err
	}
	if s.Exit.RestTakeProfit && s.Exit.TakeProfit == nil && s.Exit.TakeProfitOffset == nil {
		return clash("exit.rest_take_profit", "exit.take_profit", "true needs a target: expected strategy.exit.take_profit or strategy.exit.take_profit_offset")
	}
	if n := len(s.Then); n > maxThen || s.Then != nil && n == 0 {
		return fault("then", "holds %d orders: expected 1 to %d", n, maxThen)
	}
	for i := range s.Then {
		if err := checkThen(index("then", i), &s.Then[i], s, length); err != nil {
			return err
		}
	}
	if err := checkAgain(s, length); err != nil {
		return err
	}
	return checkMoney(s)
}

// checkOrder applies the rules of one limit order, which buys or sells; nil is
// valid.
func checkOrder(path string, o *Order, do Action, s *Strategy, length int) error {
	if o == nil {
		return nil
	}
	prices := []struct {
		name  string
		value *Number
		least Number // the limit lies above it
		words string
	}{
		{"rest_at", o.RestAt, 0, "a price strictly between 0 and 1"},
		{"rest_from_bid", o.RestFromBid, -One, "strictly between -1 and 1"},
		{"rest_from_ask", o.RestFromAsk, -One, "strictly between -1 and 1"},
	}
	far := 2
	if do == Sell {
		far = 1
	}
	prices[far].least, prices[far].words = 0, "strictly between 0 and 1, as a "+string(do)+" rests on its own side of the book"
	var given []string
	for _, p := range prices {
		if p.value == nil {
			continue
		}
		given = append(given, path+"."+p.name)
		if *p.value <= p.least || *p.value >= One {
			return fault(path+"."+p.name, "%s is out of range: expected %s", *p.value, p.words)
		}
		if err := checkDecimals(path+"."+p.name, *p.value); err != nil {
			return err
		}
	}
	if err := exactlyOne(path, given, "rest_at, rest_from_bid and rest_from_ask"); err != nil {
		return err
	}
	if o.CancelAfterSeconds < 0 {
		return fault(path+".cancel_after_seconds", "%d is out of range: expected whole seconds, at least 1", o.CancelAfterSeconds)
	}
	if err := checkLength(path+".cancel_after_seconds", o.CancelAfterSeconds, s.Market.Type, length); err != nil {
		return err
	}
	if n := len(o.CancelWhen); n > maxCancelWhen || o.CancelWhen != nil && n == 0 {
		return fault(path+".cancel_when", "holds %d conditions: expected 1 to %d", n, maxCancelWhen)
	}
	return checkList(path+".cancel_when", o.CancelWhen, scope{s.Side, true, s.Market.Type, length})
}

// exactlyOne refuses none, or more than one, of the fields that exclude each other.
func exactlyOne(path string, given []string, names string) error {
	switch len(given) {
	case 0:
		return fault(path, "holds none of %s: expected exactly one", names)
	case 1:
		return nil
	}
	return clash(given[0], given[1], "and %s exclude each other: expected exactly one of %s", rooted(given[1]), names)
}

func checkThen(path string, o *Then, s *Strategy, length int) error {
	switch {
	case o.Do != Buy && o.Do != Sell:
		return fault(path+".do", "%q is not an action: expected buy or sell", clip(string(o.Do)))
	case o.Token != TokenSame && o.Token != TokenOpposite:
		return fault(path+".token", "%q is not a token of an order: expected same or opposite", clip(string(o.Token)))
	}
	if err := checkTrigger(path, o, s); err != nil {
		return err
	}
	if len(o.When) > maxWhen {
		return fault(path+".when", "holds %d conditions: expected at most %d", len(o.When), maxWhen)
	}
	if err := checkList(path+".when", o.When, scope{s.Side, true, s.Market.Type, length}); err != nil {
		return err
	}
	if err := checkAmount(path, o); err != nil {
		return err
	}
	if err := checkOrder(path+".order", o.Order, o.Do, s, length); err != nil {
		return err
	}
	switch {
	case o.Times < 0 || o.Times > maxTimes:
		return fault(path+".times", "%d is out of range: expected 1 to %d", o.Times, maxTimes)
	case o.AfterSeconds < 0:
		return fault(path+".after_seconds", "%d is out of range: expected whole seconds, at least 0", o.AfterSeconds)
	}
	return checkLength(path+".after_seconds", o.AfterSeconds, s.Market.Type, length)
}

// checkTrigger refuses a trigger that is unknown, does not go with the side, or
// names an exit that the strategy does not have, and an order that would be sent
// at once with the entry although it takes.
func checkTrigger(path string, o *Then, s *Strategy) error {
	switch {
	case o.On != "" && order(o.On, triggers...) < 0:
		return fault(path+".on", "%q is not a trigger: expected entry, start, take_profit, stop_loss, end_of_window or exit", clip(string(o.On)))
	case o.On == OnStart && s.Side == Either:
		return clash(path+".on", "side", "start does not go with side either, whose token is not known then: expected side up or down")
	case (o.On == "" || o.On == OnEntry || o.On == OnStart) && len(o.When) == 0 && o.Order == nil:
		return clash(path+".when", path+".order", "is empty, which goes with on entry or start only where the order rests: expected a condition or %s.order", rooted(path))
	}
	profit, stop, clock := s.Exit.kinds()
	for _, need := range []struct {
		on    Trigger
		has   bool
		field string
		words string
	}{
		{OnTakeProfit, profit, "exit.take_profit", "a target: expected strategy.exit.take_profit or strategy.exit.take_profit_offset"},
		{OnStopLoss, stop, "exit.stop_loss", "a stop: expected strategy.exit.stop_loss, stop_loss_offset or trailing_stop"},
		{OnEndOfWindow, clock, "exit.hold_to_expiry", "an exit by the clock: expected strategy.exit.hold_to_expiry false or max_hold_seconds"},
		{OnExit, profit || stop || clock, "exit.take_profit", "an exit: expected a target, a stop or an exit by the clock in strategy.exit"},
	} {
		if o.On == need.on && !need.has {
			return clash(path+".on", need.field, "%q needs %s", o.On, need.words)
		}
	}
	return nil
}

// kinds reports which kinds of exit there are.
func (e *Exit) kinds() (profit, stop, clock bool) {
	return e.TakeProfit != nil || e.TakeProfitOffset != nil,
		e.StopLoss != nil || e.StopLossOffset != nil || e.TrailingStop != nil,
		!e.HoldToExpiry || e.MaxHoldSeconds != 0
}

// checkAmount refuses none or several amounts, one that does not go with what the
// order does, and one out of range.
func checkAmount(path string, o *Then) error {
	var given []string
	for _, a := range []struct {
		name  string
		value Number
		most  Number
		do    Action // empty: goes with both
	}{
		{"usd", o.USD, maxBudget, Buy}, {"shares", o.Shares, maxShares, ""}, {"fraction", o.Fraction, One, Sell},
	} {
		if a.value == 0 {
			continue
		}
		at := path + "." + a.name
		given = append(given, at)
		if a.do != "" && a.do != o.Do {
			return clash(at, path+".do", "does not go with do %s", o.Do)
		}
		if a.value < 0 || a.value > a.most {
			return fault(at, "%s is out of range: expected above 0 and at most %s", a.value, a.most)
		}
	}
	if err := checkDecimals(path+".fraction", o.Fraction); err != nil {
		return err
	}
	if o.Match {
		if o.Do != Buy {
			return clash(path+".match", path+".do", "does not go with do %s", o.Do)
		}
		given = append(given, path+".match")
	}
	return exactlyOne(path, given, map[Action]string{Buy: "usd, shares and match", Sell: "shares and fraction"}[o.Do])
}

func checkAgain(s *Strategy, length int) error {
	a := s.Again
	if a == nil {
		return nil
	}
	switch {
	case a.MaxEntries < minEntries || a.MaxEntries > maxEntries:
		return fault("again.max_entries", "%d is out of range: expected %d to %d", a.MaxEntries, minEntries, maxEntries)
	case a.AfterSeconds < 0:
		return fault("again.after_seconds", "%d is out of range: expected whole seconds, at least 0", a.AfterSeconds)
	case a.After != nil && len(a.After) == 0:
		return fault("again.after", "is empty: expected at least one reason, or the field left out")
	}
	for i, r := range a.After {
		if reasonOrder(r) < 0 {
			return fault(index("again.after", i), "%q is not a reason: expected take_profit, stop_loss, end_of_window, order, merged, expiry or cancelled", clip(string(r)))
		}
	}
	return checkLength("again.after_seconds", a.AfterSeconds, s.Market.Type, length)
}

// checkMoney applies the rules of merging, sizes and the bankroll.
func checkMoney(s *Strategy) error {
	if s.Merge && !buysOpposite(s.Then) {
		return clash("merge", "then", "true needs shares of both tokens: expected a buy of the opposite token in strategy.then")
	}
	if err := checkSize(s.Size, s.Bankroll); err != nil {
		return err
	}
	return checkBankroll(s.Bankroll)
}

func buysOpposite(list []Then) bool {
	return slices.ContainsFunc(list, func(t Then) bool { return t.Do == Buy && t.Token == TokenOpposite })
}

func checkSize(z *Size, b *Bankroll) error {
	if z == nil {
		return nil
	}
	var given []string
	if z.Shares != 0 {
		given = append(given, "size.shares")
		if z.Shares < 0 || z.Shares > maxShares {
			return fault("size.shares", "%s is out of range: expected above 0 and at most %s", z.Shares, maxShares)
		}
	}
	if f := z.BankrollFraction; f != 0 {
		given = append(given, "size.bankroll_fraction")
		if err := checkShare("size.bankroll_fraction", f); err != nil {
			return err
		}
	}
	if k := z.Kelly; k != nil {
		given = append(given, "size.kelly")
		if k.Probability <= 0 || k.Probability >= One {
			return fault("size.kelly.probability", "%s is out of range: expected strictly between 0 and 1", k.Probability)
		}
		if err := cmp.Or(checkDecimals("size.kelly.probability", k.Probability), checkShare("size.kelly.fraction", k.Fraction)); err != nil {
			return err
		}
	}
	if err := exactlyOne("size", given, "shares, bankroll_fraction and kelly"); err != nil {
		return err
	}
	if z.Shares == 0 && (b == nil || b.Start == 0) {
		return clash(given[0], "bankroll.start", "needs a bankroll: expected strategy.bankroll.start in US dollars")
	}
	return nil
}

// checkShare refuses a fraction out of range, or with more decimals than prices
// have.
func checkShare(path string, v Number) error {
	if v <= 0 || v > One {
		return fault(path, "%s is out of range: expected above 0 and at most 1", v)
	}
	return checkDecimals(path, v)
}

func checkBankroll(b *Bankroll) error {
	if b == nil {
		return nil
	}
	if *b == (Bankroll{}) {
		return fault("bankroll", "is empty: expected start, daily_loss, max_open or max_losing_streak")
	}
	for _, f := range []struct {
		path  string
		value Number
	}{{"bankroll.start", b.Start}, {"bankroll.daily_loss", b.DailyLoss}, {"bankroll.max_open", b.MaxOpen}} {
		if f.value < 0 || f.value > maxBankroll {
			return fault(f.path, "%s is out of range: expected above 0 and at most %s", f.value, maxBankroll)
		}
	}
	if n := b.MaxLosingStreak; n < 0 || n > maxStreak {
		return fault("bankroll.max_losing_streak", "%d is out of range: expected 1 to %d", n, maxStreak)
	}
	return nil
}

// checkOrderMeaning applies the rules to the conditions of orders in canonical
// form: bounds that no value satisfies, and times that never come.
func checkOrderMeaning(s *Strategy) error {
	seconds, _ := lengthSeconds(s.Market.Type)
	check := func(path string, list []Condition) error {
		if err := conflict(located(path, list)); err != nil {
			return err
		}
		w := window{from: 0, to: Int(seconds) - 1}
		for i, c := range list {
			w.narrow(index(path, i), c, Int(seconds))
		}
		if w.empty() {
			return windowFault(path, &w, seconds, s.Market.Type, "", "")
		}
		return nil
	}
	ofOrder := func(path string, o *Order) error {
		if o == nil {
			return nil
		}
		return check(path+".cancel_when", o.CancelWhen)
	}
	if err := ofOrder("order", s.Order); err != nil {
		return err
	}
	for i := range s.Then {
		path := index("then", i)
		if err := check(path+".when", s.Then[i].When); err != nil {
			return err
		}
		if err := ofOrder(path+".order", s.Then[i].Order); err != nil {
			return err
		}
	}
	return nil
}
