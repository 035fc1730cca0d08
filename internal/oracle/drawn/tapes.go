package drawn

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/internal/strategytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// Orders draws what orders that rest meet: tapes of trades beside books, and
// strategies of every field of orders whose limits lie where those trades happen. The
// same seed gives the same things.
type Orders struct{ *rand.Rand }

// NewOrders returns Orders for a seed.
func NewOrders(seed uint64) Orders { return Orders{rand.New(rand.NewPCG(seed, 0x6f7264657273))} }

func (r Orders) once(in int) bool { return r.IntN(in) == 0 }

func among[T any](r Orders, of ...T) T { return of[r.IntN(len(of))] }

const cent market.Price = 100

// Tape is an archive of a few rounds with trades: mirrored pairs and two books, crossed
// and empty books, levels that appear and vanish, declared gaps, quotes with and
// without sizes, prices alone, trades under, at and over the touch, trades told twice,
// trades without sizes, and rounds without any.
func (r Orders) Tape(rounds int) *replaytest.Archive {
	a := &replaytest.Archive{}
	for i := range rounds {
		a.All = append(a.All, r.round(i))
	}
	return a
}

func (r Orders) round(i int) *replaytest.Round {
	m := r.market(i)
	t := &tape{
		Orders: r, round: &replaytest.Round{Market: m}, center: cent * market.Price(15+r.IntN(70)),
		stream: among(r, "ladder", "ladder", "ladder", "ladder", "ladder", "quote", "quote", "price", "mixture"),
		trades: among(r, 0, 3, 3, 3, 6), both: r.once(2), step: among(r, 250*market.Millisecond, 500*market.Millisecond, market.Second),
	}
	t.play()
	for r.once(5) {
		from := m.Start + market.Span(r.IntN(60))*t.step
		t.round.Gaps = append(t.round.Gaps, market.TokenGap{
			Token: r.IntN(2), Gap: market.Gap{From: from, To: from + market.Span(1+r.IntN(12))*t.step},
		})
	}
	slices.SortStableFunc(t.round.Gaps, func(a, b market.TokenGap) int { return int(a.From - b.From) })
	return t.round
}

func (r Orders) market(i int) market.Market {
	start := market.Instant(1776088800)*market.Second + market.Span(among(r, 0, 0, 0, 1, 2))*30*market.Second
	if r.once(12) { // near midnight
		start = market.Instant(1776124800)*market.Second - market.Span(r.IntN(3))*15*market.Second
	}
	end := start + market.Span(among(r, 30, 30, 60))*market.Second
	id := fmt.Sprintf("m%d", i)
	m := market.Market{
		Venue:   among(r, market.Polymarket, market.Polymarket, market.Polymarket, market.Kalshi),
		VenueID: id, Slug: id, Category: market.Crypto, Coin: "BTC", Type: "5m", Start: start, End: end, Closed: true,
		Tokens: []market.Token{
			{VenueID: id + ":up", Label: "Up", Outcome: market.Up}, {VenueID: id + ":down", Label: "Down", Outcome: market.Down},
		},
		Mirrored: !r.once(4), MinSize: among[market.Size](r, 0, 0, 0, 0, 5*market.SizeOne, market.SizeOne),
		Tick: among[market.Price](r, 0, 100, 100, 10), Payout: &market.Payout{Basis: market.Official},
	}
	if r.once(4) {
		m.Fees = &market.FeeSchedule{Rate: among[int64](r, 70_000, 0, 250_000), Exponent: r.IntN(3), TakerOnly: !r.once(3)}
	}
	if r.once(3) {
		m.ClosedAt = end + market.Span(r.IntN(40))*market.Second/4
	}
	up := among(r, market.CashOne, 0, market.CashOne, 0, 500_000, 333_333)
	m.Payout.Fractions = []market.Cash{up, market.CashOne - up}
	return m
}

// tape draws the captures of one round.
type tape struct {
	Orders
	round  *replaytest.Round
	center market.Price // of Up
	stream string
	trades int // of ten captures
	both   bool
	step   market.Span
	shown  [2]ladder // by token, as Up's when mirrored
}

type ladder struct{ bids, asks []market.Level }

func (t *tape) play() {
	m := &t.round.Market
	at := m.Start + market.Span(t.IntN(8)-6)*t.step
	for i := range 10 + t.IntN(50) {
		token := 0
		if t.both && t.once(2) || t.once(12) {
			token = 1
		}
		t.capture(at, token, i == 0)
		at += among[market.Span](t.Orders, 0, 0, 1, 1, 1, 2, 4) * t.step
		if t.once(30) {
			at += 31 * market.Second
		}
		if t.once(20) {
			at += market.Span(t.IntN(1000)) * market.Microsecond
		}
	}
}

func (t *tape) add(c market.Capture) {
	if n := len(t.round.Captures); n > 0 && t.round.Captures[n-1].Recv == c.Recv {
		c.Ord = t.round.Captures[n-1].Ord + 1
	}
	t.round.Captures = append(t.round.Captures, c)
}

func (t *tape) capture(at market.Instant, token int, first bool) {
	c := market.Capture{Recv: at, Token: token}
	if !t.once(3) {
		c.Exch = at - market.Span(t.IntN(4))*50*market.Millisecond
	}
	switch n := t.IntN(10); {
	case !first && n < t.trades:
		t.trade(c)
	case !first && t.once(25):
		c.Kind = among(t.Orders, market.KindTick, market.KindReset, market.KindMetric)
		c.Trade.Price = among[market.Price](t.Orders, 100, 10)
		c.Metric = market.Metric{Liquidity: 5, Volume: market.NoMetric}
		t.add(c)
	default:
		t.value(c, first)
	}
}

// trade draws a trade near the touch, and often the message of it that the other token
// had: at once or later, first or second.
func (t *tape) trade(c market.Capture) {
	c.Kind = market.KindTrade
	up := t.center + cent*market.Price(among(t.Orders, -1, -1, 1, 1, 0, -2, 2, -3, 3, -4, 4, -6, 6))
	up = min(max(up, cent), market.PriceOne-cent)
	c.Trade = market.Trade{Price: up, Size: t.size(), Side: among(t.Orders, market.Bid, market.Ask, market.SideUnknown)}
	if c.Token == 1 {
		c.Trade.Price = market.PriceOne - up
	}
	if t.once(15) {
		c.Trade.Size = 0
	}
	t.add(c)
	if t.once(3) {
		c.Token, c.Trade.Price = 1-c.Token, market.PriceOne-c.Trade.Price
		if t.once(6) {
			c.Trade.Size += market.SizeOne
		}
		t.add(c)
	}
}

func (t *tape) size() market.Size {
	return among[market.Size](t.Orders, 10, 3, 20, 1, 50, 7, 100)*market.SizeOne +
		among[market.Size](t.Orders, 0, 0, 0, 10_000, 5_000, 123_456)
}

// value draws a book, a change of it, a quote or a price.
func (t *tape) value(c market.Capture, first bool) {
	if t.once(3) {
		t.center += cent * market.Price(t.IntN(7)-3)
		t.center = min(max(t.center, 8*cent), market.PriceOne-8*cent)
	}
	kind := t.stream
	if kind == "mixture" {
		kind = among(t.Orders, "ladder", "quote", "price")
	}
	l := &t.shown[c.Token]
	if first || t.once(3) || kind != "ladder" {
		*l = t.ladder(c.Token)
	}
	switch {
	case kind == "price":
		c.Kind, c.Trade.Price = market.KindPrice, t.of(c.Token, 0)
	case kind == "quote":
		c.Kind, c.Quote = market.KindQuote, market.Quote{Bid: t.top(l.bids), Ask: t.top(l.asks)}
	case first || t.once(2):
		for _, side := range [][]market.Level{l.bids, l.asks} {
			if len(side) > 0 && t.once(2) { // the same levels with other sizes
				side[t.IntN(len(side))].Size = t.size()
			}
		}
		c.Kind, c.Replace = market.KindBook, true
		c.Bids, c.Asks = slices.Clone(l.bids), slices.Clone(l.asks)
	default:
		c.Kind, c.Bids, c.Asks = market.KindChange, t.change(c.Token, -1), t.change(c.Token, 1)
	}
	t.add(c)
}

// of is k cents from where the token's prices are.
func (t *tape) of(token, k int) market.Price {
	p := t.center
	if token == 1 {
		p = market.PriceOne - p
	}
	return min(max(p+cent*market.Price(k), cent), market.PriceOne-cent)
}

func (t *tape) ladder(token int) ladder {
	var l ladder
	gap := among(t.Orders, 1, 1, 1, 2, 3)
	for k := range t.IntN(5) {
		if !t.once(4) {
			l.bids = append(l.bids, market.Level{Price: t.of(token, -gap-k), Size: t.size()})
		}
	}
	for k := range t.IntN(5) {
		if !t.once(4) {
			l.asks = append(l.asks, market.Level{Price: t.of(token, gap+k), Size: t.size()})
		}
	}
	if t.once(14) {
		l.asks = append(l.asks, market.Level{Price: t.of(token, -gap-1), Size: t.size()})
	}
	bestFirst(l.bids, l.asks)
	return ladder{unique(l.bids), unique(l.asks)}
}

func (t *tape) top(side []market.Level) market.Level {
	if len(side) == 0 {
		return market.Level{Price: market.NoPrice}
	}
	l := side[0]
	if t.once(3) {
		l.Size = 0
	}
	return l
}

func (t *tape) change(token, sign int) []market.Level {
	var out []market.Level
	for range t.IntN(3) {
		l := market.Level{Price: t.of(token, sign*(t.IntN(6)-1))}
		if !t.once(2) {
			l.Size = t.size()
		}
		out = append(out, l)
	}
	if sign < 0 {
		bestFirst(out, nil)
	} else {
		bestFirst(nil, out)
	}
	return unique(out)
}

// Settings are options under which orders arrive, and are refused.
func (r Orders) Settings() replay.Options {
	o := replay.DefaultOptions()
	o.LatencyMS = among[int64](r, 250, 250, 250, 0, 1000, 500)
	o.MaxSlippage = among[replay.Slippage](r, 50_000, 50_000, replay.NoCap, 0, 10_000)
	o.StaleMS = among[replay.Stale](r, replay.StaleDefault, replay.StaleDefault, 0, 1000)
	if r.once(3) {
		o.Fees = replay.FeesNone
	}
	return o
}

// Strategy is a valid strategy that uses orders, made for the tape.
func (r Orders) Strategy(a *replaytest.Archive) strategy.Canonical {
	p := &plan{Orders: r, prices: []market.Price{5000}}
	for _, round := range a.All {
		for _, c := range round.Captures {
			for _, l := range slices.Concat(c.Bids, c.Asks, []market.Level{c.Quote.Bid, c.Quote.Ask, {Price: c.Trade.Price}}) {
				if l.Price > 0 && l.Price < market.PriceOne {
					p.prices = append(p.prices, l.Price, market.PriceOne-l.Price)
				}
			}
		}
	}
	for {
		s := p.strategy()
		for range 12 {
			c, err := strategy.Canonicalize(s)
			if err == nil {
				return c
			}
			var fault *strategy.Error
			if !errors.As(err, &fault) {
				panic("drawn: " + err.Error())
			}
			p.mend(&s, strings.TrimPrefix(fault.Field, "strategy."))
		}
	}
}

// plan draws the parts of a strategy of orders.
type plan struct {
	Orders
	prices []market.Price
	side   strategy.Side
}

// mend drops the field at fault.
func (p *plan) mend(s *strategy.Strategy, field string) {
	switch {
	case strings.HasPrefix(field, "exit.stop_loss"):
		s.Exit.StopLoss, s.Exit.StopLossOffset = nil, nil
	case strings.HasPrefix(field, "exit.take_profit"):
		s.Exit.TakeProfit, s.Exit.TakeProfitOffset, s.Exit.RestTakeProfit = nil, nil, false
	case strings.HasPrefix(field, "then["):
		var i int
		if _, err := fmt.Sscanf(field, "then[%d]", &i); err == nil && i < len(s.Then) {
			s.Then = slices.Delete(s.Then, i, i+1)
		}
		if len(s.Then) == 0 {
			s.Then = nil
		}
	case field == "merge":
		s.Merge = false
	case strings.HasPrefix(field, "size"):
		s.Size = nil
	case strings.HasPrefix(field, "order"):
		s.Order = nil
	case strings.HasPrefix(field, "exit"):
		s.Exit = strategy.Exit{HoldToExpiry: true}
	default:
		s.Entry = []strategy.Condition{}
	}
}

func (p *plan) strategy() strategy.Strategy {
	p.side = among(p.Orders, strategy.Up, strategy.Down, strategy.Up, strategy.Down, strategy.Either)
	s := strategy.Strategy{
		Market: strategy.MarketSpec{Coin: strategy.Any, Type: strategy.Any}, Side: p.side, Entry: []strategy.Condition{}, SampleSize: 50,
		BudgetPerTrade: among(p.Orders, 20*strategy.One, 5*strategy.One, 100*strategy.One, strategy.One/2, 3*strategy.One),
		Exit:           p.exit(),
	}
	for range among(p.Orders, 0, 0, 0, 1, 1, 2) {
		s.Entry = append(s.Entry, p.entryCondition())
	}
	if !p.once(3) {
		s.Order = p.order(strategy.Buy)
	}
	for range among(p.Orders, 0, 0, 1, 1, 2, 3, 5) {
		s.Then = append(s.Then, p.then())
	}
	if p.once(3) {
		s.Again = &strategy.Again{MaxEntries: 2 + p.IntN(4), AfterSeconds: among(p.Orders, 0, 0, 1, 3)}
		if p.once(2) {
			s.Again.After = []strategy.Reason{among(p.Orders, strategy.ReasonTakeProfit, strategy.ReasonStopLoss, strategy.ReasonEndOfWindow,
				strategy.ReasonOrder, strategy.ReasonMerged, strategy.ReasonCancelled)}
		}
	}
	s.Merge = p.once(3)
	if p.once(3) {
		s.Size = &strategy.Size{Shares: strategy.Number(1+p.IntN(30)) * strategy.One}
	}
	if p.once(4) {
		p.purse(&s)
	}
	return s
}

func (p *plan) purse(s *strategy.Strategy) {
	s.Bankroll = &strategy.Bankroll{Start: among(p.Orders, 20*strategy.One, 5*strategy.One, 100*strategy.One)}
	switch p.IntN(5) {
	case 0:
		s.Bankroll.DailyLoss = among(p.Orders, strategy.One, 5*strategy.One)
	case 1:
		s.Bankroll.MaxOpen = among(p.Orders, strategy.One, 5*strategy.One, 15*strategy.One)
	case 2:
		s.Bankroll.MaxLosingStreak = 1 + p.IntN(2)
	}
	switch p.IntN(4) {
	case 0:
		s.Size = &strategy.Size{BankrollFraction: among(p.Orders, strategy.One, strategy.One/2, strategy.One/20)}
	case 1:
		s.Size = &strategy.Size{Kelly: &strategy.Kelly{Probability: strategy.Cents(20 + p.IntN(75)), Fraction: among(p.Orders, strategy.One, strategy.One/2)}}
	}
}

// price is one that occurs, or one beside it.
func (p *plan) price() strategy.Number {
	at := p.prices[p.IntN(len(p.prices))] + cent*market.Price(among(p.Orders, 0, 0, 0, 1, -1, 2, -2))
	if p.once(12) {
		at += 50
	}
	return strategytest.PriceNumber(min(max(at, cent), market.PriceOne-cent))
}

func (p *plan) seconds() strategy.Number {
	return strategy.Number(1+p.IntN(40)) * strategy.One / among[strategy.Number](p.Orders, 1, 1, 2, 4)
}

func (p *plan) compares() strategy.Comparator {
	return among(p.Orders, strategy.LT, strategy.LTE, strategy.GT, strategy.GTE)
}

func (p *plan) entryCondition() strategy.Condition {
	c := p.bookCondition()
	if c.Token == strategy.TokenSame || c.Token == strategy.TokenOpposite {
		held := c.Token == strategy.TokenSame
		c.Token = p.side.Held()
		if !held {
			c.Token = p.side.Other()
		}
	}
	return c
}

// bookCondition is one that an order may have: of same or opposite.
func (p *plan) bookCondition() strategy.Condition {
	c := strategy.Condition{Comparator: p.compares(), Token: among(p.Orders, strategy.TokenSame, strategy.TokenSame, strategy.TokenOpposite)}
	switch p.IntN(6) {
	case 0, 1, 2:
		c.Type, c.Threshold = among(p.Orders, strategy.Price, strategy.BestAsk, strategy.BestBid), p.price()
		if p.once(4) {
			c.Comparator = among(p.Orders, strategy.CrossesAbove, strategy.CrossesBelow)
		}
	case 3:
		c.Type, c.Threshold = strategy.Spread, strategy.Cents(1+p.IntN(6))
	case 4:
		c.Type, c.Threshold, c.Token = among(p.Orders, strategy.TimeElapsed, strategy.TimeRemaining), p.seconds(), strategy.TokenNone
	case 5:
		c.Type, c.Threshold, c.WithinSeconds = strategy.PriceChange, strategy.Cents(p.IntN(5)-2), 1+p.IntN(10)
	}
	return c
}

func (p *plan) condition() strategy.Condition {
	switch p.IntN(7) {
	case 0:
		return strategy.Condition{Type: strategy.HeldProfit, Comparator: p.compares(), Token: among(p.Orders, strategy.TokenSame, strategy.TokenSame, strategy.TokenOpposite), Threshold: strategy.Cents(p.IntN(13) - 6)}
	case 1:
		return strategy.Condition{Type: strategy.PairCost, Comparator: p.compares(), Threshold: strategy.Cents(94 + p.IntN(14))}
	case 2:
		return strategy.Condition{Type: strategy.SinceEntry, Comparator: p.compares(), Threshold: p.seconds() / 2}
	}
	return p.bookCondition()
}

func (p *plan) order(do strategy.Action) *strategy.Order {
	o := &strategy.Order{PostOnly: p.once(3)}
	near := strategy.Cents(p.IntN(5) - 2).Ptr()
	far := strategy.Cents(1 + p.IntN(4)).Ptr()
	switch {
	case p.once(2):
		o.RestAt = p.price().Ptr()
	case p.once(2) == (do == strategy.Buy):
		o.RestFromBid = near
		if do == strategy.Sell {
			o.RestFromBid = far
		}
	default:
		o.RestFromAsk = far
		if do == strategy.Sell {
			o.RestFromAsk = near
		}
	}
	if p.once(3) {
		o.CancelAfterSeconds = 1 + p.IntN(12)
	}
	if p.once(4) {
		o.CancelWhen = []strategy.Condition{p.condition()}
	}
	return o
}

func (p *plan) then() strategy.Then {
	o := strategy.Then{
		Do: among(p.Orders, strategy.Buy, strategy.Buy, strategy.Sell), Token: among(p.Orders, strategy.TokenSame, strategy.TokenOpposite),
		On: among(p.Orders, strategy.OnEntry, strategy.OnEntry, strategy.OnEntry, strategy.OnStart, strategy.OnStart, strategy.OnTakeProfit,
			strategy.OnStopLoss, strategy.OnEndOfWindow, strategy.OnExit),
		Times: among(p.Orders, 1, 1, 2, 5), AfterSeconds: among(p.Orders, 0, 0, 1, 4),
	}
	if o.Do == strategy.Sell && !p.once(4) {
		o.Token = strategy.TokenSame
	}
	if !p.once(3) {
		o.Order = p.order(o.Do)
	}
	for range among(p.Orders, 0, 1, 1, 2) {
		o.When = append(o.When, p.condition())
	}
	switch {
	case p.once(3):
		o.Shares = strategy.Number(1+p.IntN(20)) * strategy.One
	case o.Do == strategy.Sell:
		o.Fraction = among(p.Orders, strategy.One, strategy.One/2, strategy.One/4)
	case o.Token == strategy.TokenOpposite && p.once(2):
		o.Match = true
	default:
		o.USD = strategy.Number(1+p.IntN(10)) * strategy.One
	}
	return o
}

func (p *plan) exit() strategy.Exit {
	e := strategy.Exit{HoldToExpiry: !p.once(4)}
	offset := func() *strategy.Number { return strategy.Cents(1 + p.IntN(8)).Ptr() }
	switch p.IntN(4) {
	case 0:
		e.TakeProfit = p.price().Ptr()
	case 1:
		e.TakeProfitOffset = offset()
	}
	e.RestTakeProfit = (e.TakeProfit != nil || e.TakeProfitOffset != nil) && !p.once(3)
	switch p.IntN(5) {
	case 0:
		e.StopLoss = p.price().Ptr()
	case 1:
		e.StopLossOffset = offset()
	case 2:
		e.TrailingStop = offset()
	}
	if p.once(5) {
		e.MaxHoldSeconds = 1 + p.IntN(15)
	}
	if p.once(8) {
		e.ExitBeforeSeconds, e.HoldToExpiry = 1+p.IntN(20), false
	}
	return e
}
