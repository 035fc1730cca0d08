package replaytest

import (
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/replay/queue"
	"github.com/ladderback/ladderback/strategy"
)

// Orders returns a random valid strategy with orders beside one entry that takes and
// one exit, in canonical form, one that trades more often than not.
func (r Random) Orders() strategy.Canonical {
	for {
		s := r.draft()
		r.extend(&s)
		if c, err := strategy.Canonicalize(s); err == nil && c.Extended() {
			return c
		}
	}
}

// OrderOptions returns random options, with a rule for what rests.
func (r Random) OrderOptions() replay.Options {
	o := r.Options()
	o.Queue = pick(r, queue.Through, queue.Back, queue.Front)
	return o
}

func (r Random) extend(s *strategy.Strategy) {
	if len(s.Entry) > 1 {
		s.Entry = s.Entry[:1]
	}
	if r.chance(60) {
		s.Order = r.order(strategy.Buy)
	}
	s.Exit.RestTakeProfit = r.chance(40) && (s.Exit.TakeProfit != nil || s.Exit.TakeProfitOffset != nil)
	if r.chance(65) {
		for range pick(r, 1, 1, 2, 3, 6) {
			s.Then = append(s.Then, r.then(s.Side))
		}
	}
	if r.chance(40) {
		s.Again = &strategy.Again{MaxEntries: 2 + r.IntN(4), AfterSeconds: pick(r, 0, 0, 1, 5, 20)}
		if r.chance(30) {
			s.Again.After = []strategy.Reason{strategy.ReasonStopLoss, strategy.ReasonCancelled}
		}
	}
	s.Merge = r.chance(40)
	if r.chance(30) {
		s.Size = &strategy.Size{Shares: strategy.Number(1 + r.IntN(150_000_000))}
	}
	if r.chance(25) {
		r.bankroll(s)
	}
}

func (r Random) bankroll(s *strategy.Strategy) {
	s.Bankroll = &strategy.Bankroll{Start: strategy.Number(1 + r.IntN(300_000_000))}
	if r.chance(30) {
		s.Bankroll.DailyLoss = strategy.Number(1 + r.IntN(50_000_000))
	}
	if r.chance(30) {
		s.Bankroll.MaxOpen = strategy.Number(1 + r.IntN(100_000_000))
	}
	if r.chance(30) {
		s.Bankroll.MaxLosingStreak = 1 + r.IntN(3)
	}
	switch r.IntN(3) {
	case 0:
		s.Size = &strategy.Size{BankrollFraction: r.price(500, 10_000)}
	case 1:
		s.Size = &strategy.Size{Kelly: &strategy.Kelly{Probability: r.price(4_000, 9_900), Fraction: r.price(1_000, 10_000)}}
	}
}

func (r Random) order(do strategy.Action) *strategy.Order {
	o := &strategy.Order{PostOnly: r.chance(30)}
	near, far := &o.RestFromBid, &o.RestFromAsk
	if do == strategy.Sell {
		near, far = far, near
	}
	switch r.IntN(4) {
	case 0, 1:
		o.RestAt = r.price(2_000, 8_000).Ptr()
	case 2:
		n := strategy.Cents(r.IntN(7) - 3)
		*near = &n
	case 3:
		*far = strategy.Cents(1 + r.IntN(5)).Ptr()
	}
	if r.chance(30) {
		o.CancelAfterSeconds = 1 + r.IntN(60)
	}
	if r.chance(30) {
		o.CancelWhen = []strategy.Condition{r.orderCondition()}
	}
	return o
}

func (r Random) orderCondition() strategy.Condition {
	switch r.IntN(6) {
	case 0:
		c := strategy.Condition{
			Type: strategy.HeldProfit, Token: pick(r, strategy.TokenSame, strategy.TokenOpposite),
			Comparator: pick(r, strategy.LTE, strategy.GTE), Threshold: r.price(1, 1_500),
		}
		if c.Comparator == strategy.LTE {
			c.Threshold = -c.Threshold
		}
		return c
	case 1:
		return strategy.Condition{Type: strategy.PairCost, Comparator: strategy.LTE, Threshold: r.price(8_500, 9_999) + strategy.Cents(r.IntN(10))}
	case 2:
		return strategy.Condition{Type: strategy.SinceEntry, Comparator: pick(r, strategy.GTE, strategy.GT, strategy.LTE), Threshold: strategy.Int(r.IntN(60))}
	}
	return r.condition(strategy.Either)
}

func (r Random) then(side strategy.Side) strategy.Then {
	o := strategy.Then{
		Do:    pick(r, strategy.Buy, strategy.Sell),
		Token: pick(r, strategy.TokenSame, strategy.TokenOpposite),
		On:    pick(r, strategy.OnEntry, strategy.OnEntry, strategy.OnEntry, strategy.OnTakeProfit, strategy.OnStopLoss, strategy.OnEndOfWindow, strategy.OnExit),
		Times: pick(r, 1, 1, 1, 2, 4), AfterSeconds: pick(r, 0, 0, 0, 3, 10),
	}
	if side != strategy.Either && r.chance(25) {
		o.On = strategy.OnStart
	}
	switch kind := r.IntN(3); {
	case kind == 0:
		o.Shares = strategy.Number(1 + r.IntN(60_000_000))
	case o.Do == strategy.Sell:
		o.Fraction = r.price(500, 10_000)
	case kind == 1:
		o.USD = strategy.Number(1 + r.IntN(30_000_000))
	default:
		o.Match = true
	}
	if r.chance(55) {
		o.Order = r.order(o.Do)
	}
	for range pick(r, 0, 1, 1, 1, 2) {
		o.When = append(o.When, r.orderCondition())
	}
	return o
}
