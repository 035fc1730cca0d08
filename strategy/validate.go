package strategy

import "strconv"

// checkFields applies every rule that can be judged on the object as it is.
func checkFields(s *Strategy) error {
	if s.Market.Coin != Any && !KnownCoin(s.Market.Coin) {
		return unknownCoin(strconv.Quote(clip(s.Market.Coin)))
	}
	length, ok := lengthSeconds(s.Market.Type)
	if !ok {
		return fault("market.market_type", "%q is not a known length: expected 5m, 15m, 1h, 4h, 1d or ANY", clip(s.Market.Type))
	}
	switch s.Side {
	case Up, Down, Either:
	default:
		return fault("side", "%q is not a side: expected up, down or either", clip(string(s.Side)))
	}
	if s.BudgetPerTrade <= 0 || s.BudgetPerTrade > maxBudget {
		return fault("budget_per_trade", "%s is out of range: expected above 0 and at most %s", s.BudgetPerTrade, maxBudget)
	}
	if s.SampleSize < 1 || s.SampleSize > maxSample {
		return fault("sample_size", "%d is out of range: expected 1 to %d", s.SampleSize, maxSample)
	}
	if err := checkEntry(s, length); err != nil {
		return err
	}
	if err := checkExit(&s.Exit, s.Market.Type, length); err != nil {
		return err
	}
	return checkOrders(s, length)
}

func unknownCoin(quoted string) *Error {
	return fault("market.coin", "%s is not a known coin: expected a ticker such as BTC, ETH or SOL, or ANY", quoted)
}

func checkEntry(s *Strategy, length int) error {
	if len(s.Entry) > maxEntry {
		return fault("entry", "holds %d conditions: expected at most %d", len(s.Entry), maxEntry)
	}
	if n := len(s.EntryAny); s.EntryAny != nil && (n < minGroups || n > maxGroups) {
		return fault("entry_any", "holds %d groups: expected %d to %d", n, minGroups, maxGroups)
	}
	in := scope{s.Side, false, s.Market.Type, length}
	if err := checkList("entry", s.Entry, in); err != nil {
		return err
	}
	for g, group := range s.EntryAny {
		path := index("entry_any", g)
		if len(group) < 1 || len(group) > maxInGroup {
			return fault(path, "holds %d conditions: expected 1 to %d", len(group), maxInGroup)
		}
		if err := checkList(path, group, in); err != nil {
			return err
		}
	}
	return nil
}

// scope is where a condition stands: what its tokens and times are held against.
type scope struct {
	side       Side
	ofOrder    bool // of an order, not of the entry
	marketType string
	length     int // of the market, in seconds
}

func checkList(path string, list []Condition, in scope) error {
	for i, c := range list {
		if err := checkCondition(index(path, i), c, in); err != nil {
			return err
		}
	}
	return nil
}

func checkCondition(path string, c Condition, in scope) error {
	switch {
	case typeOrder(c.Type) < 0:
		return fault(path+".type", "%q is not a type of condition", clip(string(c.Type)))
	case c.Type.OfOrders() && !in.ofOrder:
		return fault(path+".type", "%q reads what is held: expected it in the conditions of an order alone", c.Type)
	}
	if err := checkToken(path, c, in); err != nil {
		return err
	}
	switch {
	case comparatorOrder(c.Comparator) < 0:
		return fault(path+".comparator", "%q is not a comparator: expected lt, lte, gt, gte, crosses_above or crosses_below", clip(string(c.Comparator)))
	case c.Comparator.IsCrossing() && !c.Type.IsLevel():
		return clash(path+".comparator", path+".type", "%s does not go with %s: expected lt, lte, gt or gte", c.Comparator, c.Type)
	}
	if err := checkThreshold(path, c, in.marketType, in.length); err != nil {
		return err
	}
	return checkWithin(path, c, in.marketType, in.length)
}

func checkToken(path string, c Condition, in scope) error {
	side := in.side
	path += ".token"
	switch {
	case !c.Type.ReadsToken():
		if c.Token != TokenNone {
			return fault(path, "%q does not go with %s, which reads no token: expected null", clip(string(c.Token)), c.Type)
		}
	case in.ofOrder:
		if c.Token != TokenSame && c.Token != TokenOpposite {
			return fault(path, "%q is not a token of an order's conditions: expected same or opposite", clip(string(c.Token)))
		}
	case c.Token == TokenNone:
		return fault(path, "null does not go with %s: expected %s or %s with side %s", c.Type, side.Held(), side.Other(), side)
	case tokenOrder(c.Token) < 0:
		return fault(path, "%q is not a token: expected up, down, same, opposite or null", clip(string(c.Token)))
	case side == Either && (c.Token == TokenUp || c.Token == TokenDown):
		return clash(path, "side", "%s does not go with side either: expected same or opposite", c.Token)
	case side != Either && (c.Token == TokenSame || c.Token == TokenOpposite):
		return clash(path, "side", "%s does not go with side %s: expected up or down", c.Token, side)
	}
	return nil
}

func checkThreshold(path string, c Condition, marketType string, length int) error {
	path += ".threshold"
	v := c.Threshold
	var ok bool
	var expected string
	switch c.Type {
	case Price, BestAsk, BestBid:
		ok, expected = v > 0 && v < One, "a price strictly between 0 and 1"
	case Spread, Imbalance:
		ok, expected = v >= 0 && v <= One, "0 to 1"
	case PriceChange, HeldProfit:
		ok, expected = v >= -One && v <= One, "-1 to 1"
	case PairCost:
		ok, expected = v >= 0 && v <= 2*One, "0 to 2"
	case AskDepth, BidDepth:
		ok, expected = v >= 0, "US dollars, at least 0"
	default:
		if v > Int(length) {
			return clash(path, "market.market_type", "%s seconds is longer than the market: %s lasts %d seconds", v, marketType, length)
		}
		ok, expected = v >= 0, "seconds, at least 0"
	}
	if !ok {
		return fault(path, "%s is out of range for %s: expected %s", v, c.Type, expected)
	}
	if c.Type.isAmount() {
		return nil
	}
	return checkDecimals(path, v)
}

func checkWithin(path string, c Condition, marketType string, length int) error {
	path += ".within_seconds"
	n := c.WithinSeconds
	switch {
	case c.Type.IsTime() || c.Type.OfOrders():
		if n != 0 {
			return fault(path, "%d does not go with %s: expected null", n, c.Type)
		}
		return nil
	case c.Type == PriceChange && n == 0:
		return fault(path, "null does not go with price_change, which needs a look-back window: expected whole seconds, at least 1")
	case n < 0:
		return fault(path, "%d is out of range: expected whole seconds, at least 1", n)
	}
	return checkLength(path, n, marketType, length)
}

// checkLength refuses a time in whole seconds above the market's length.
func checkLength(path string, n int, marketType string, length int) error {
	if n > length {
		return clash(path, "market.market_type", "%d seconds is longer than the market: %s lasts %d seconds", n, marketType, length)
	}
	return nil
}

// checkDecimals refuses more decimals than prices have.
func checkDecimals(path string, v Number) error {
	if v%priceStep != 0 {
		return fault(path, "%s has more than 4 decimals", v)
	}
	return nil
}

func checkExit(e *Exit, marketType string, length int) error {
	for _, f := range []struct {
		path  string
		value *Number
	}{
		{"exit.take_profit", e.TakeProfit},
		{"exit.stop_loss", e.StopLoss},
		{"exit.take_profit_offset", e.TakeProfitOffset},
		{"exit.stop_loss_offset", e.StopLossOffset},
		{"exit.trailing_stop", e.TrailingStop},
	} {
		if f.value == nil {
			continue
		}
		if *f.value <= 0 || *f.value >= One {
			return fault(f.path, "%s is out of range: expected strictly between 0 and 1", *f.value)
		}
		if err := checkDecimals(f.path, *f.value); err != nil {
			return err
		}
	}
	for _, f := range []struct {
		path  string
		value int
	}{{"exit.max_hold_seconds", e.MaxHoldSeconds}, {"exit.exit_before_seconds", e.ExitBeforeSeconds}} {
		if f.value < 0 {
			return fault(f.path, "%d is out of range: expected whole seconds, at least 1", f.value)
		}
		if err := checkLength(f.path, f.value, marketType, length); err != nil {
			return err
		}
	}
	return checkExitPairs(e)
}

func checkExitPairs(e *Exit) error {
	switch {
	case e.TakeProfit != nil && e.TakeProfitOffset != nil:
		return clash("exit.take_profit", "exit.take_profit_offset", "%s and strategy.exit.take_profit_offset %s exclude each other: expected at most one", *e.TakeProfit, *e.TakeProfitOffset)
	case e.StopLoss != nil && e.StopLossOffset != nil:
		return clash("exit.stop_loss", "exit.stop_loss_offset", "%s and strategy.exit.stop_loss_offset %s exclude each other: expected at most one", *e.StopLoss, *e.StopLossOffset)
	case e.TakeProfit != nil && e.StopLoss != nil && *e.TakeProfit <= *e.StopLoss:
		return clash("exit.take_profit", "exit.stop_loss", "%s must be above strategy.exit.stop_loss %s", *e.TakeProfit, *e.StopLoss)
	case e.ExitBeforeSeconds != 0 && e.HoldToExpiry:
		return clash("exit.exit_before_seconds", "exit.hold_to_expiry", "%d needs strategy.exit.hold_to_expiry false, not true", e.ExitBeforeSeconds)
	}
	return nil
}
