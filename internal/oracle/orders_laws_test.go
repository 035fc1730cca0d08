package oracle_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/oracle"
	"github.com/ladderback/ladderback/internal/oracle/drawn"
	"github.com/ladderback/ladderback/internal/oracle/object"
	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/replay/queue"
	"github.com/ladderback/ladderback/strategy"
)

// campaignTapes names the variable that makes a long campaign of the tests over random
// tapes of orders: how many.
const campaignTapes = "LADDERBACK_ORACLE_TAPES"

// player plays a strategy over all rounds of a tape.
type player func(t *testing.T, a *replaytest.Archive, s strategy.Canonical, o replay.Options, rule oracle.Queue) []*oracle.Played

// players are whom the laws hold for.
var players = map[string]player{"oracle": playTape, "engine": playEngine}

// overTapes runs a check over random tapes and strategies of orders, each with a seed, for
// each player.
func overTapes(t *testing.T, first int, check func(t *testing.T, play player, seed int, a *replaytest.Archive, s strategy.Canonical, o replay.Options)) {
	const chunks = 2
	all, tapes := t, envInt(t, campaignTapes, 150)
	for name, play := range players {
		for chunk := range chunks {
			t.Run(name+"/"+strconv.Itoa(chunk), func(t *testing.T) {
				t.Parallel()
				for i := chunk; i < tapes && !all.Failed(); i += chunks {
					seed := first + i
					r := drawn.NewOrders(uint64(seed))
					a := r.Tape(1 + r.IntN(3))
					check(t, play, seed, a, r.Strategy(a), r.Settings())
				}
			})
		}
	}
}

// playEngine plays with the engine. Rounds that it does not sample are empty.
func playEngine(t *testing.T, a *replaytest.Archive, s strategy.Canonical, o replay.Options, rule oracle.Queue) []*oracle.Played {
	o.Queue = queue.Rule(rule)
	got, err := replay.Run(t.Context(), a, replay.Case{Strategy: s, Options: o}, replay.Parallel{Workers: 1})
	require.NoError(t, err)
	var out []*oracle.Played
	for _, r := range a.All {
		p := &oracle.Played{MarketID: r.Market.VenueID}
		for i := range got.Markets {
			if m := &got.Markets[i]; m.Round.Market.VenueID == p.MarketID {
				p = playedBy(m)
			}
		}
		out = append(out, p)
	}
	return out
}

// playedBy tells what became of a round as the oracle does, but for orders that take.
func playedBy(m *replay.MarketResult) *oracle.Played {
	p := &oracle.Played{
		MarketID: m.Round.Market.VenueID, Signalled: m.Signalled, Refusals: refusalNames(m.Refusals), ThenRefusals: refusalNames(m.Then),
	}
	for _, l := range m.Limits {
		p.Orders = append(p.Orders, &oracle.Life{
			Name: l.Order, Token: l.Token, Sell: l.Action == replay.Sell, Resting: true, Limit: l.Price, Size: l.Sent, Signal: l.Signal,
			Arrival: l.Accepted, Filled: l.Filled(), End: string(l.End), Ended: l.Ended,
		})
	}
	if m.Trade == nil {
		return p
	}
	p.Item = &oracle.Item{
		Token: m.Trade.Token, Reason: string(m.Trade.Reason), Shares: m.Trade.Shares, Entry: m.Trade.Entry.Rat(), Cost: m.Trade.Cost,
		Proceeds: m.Trade.Proceeds, Fees: m.Trade.Fees, PnL: m.Trade.PnL(), Entries: m.Trade.Entries,
	}
	for _, l := range m.Trade.Legs {
		p.Item.Legs = append(p.Item.Legs, oracle.PlayedLeg{
			Order: l.Order, Action: string(l.Action), Token: l.Token, Reason: string(l.Reason), Kind: string(l.Kind), Signal: l.Signal,
			Time: l.Time, AsOf: l.AsOf, Levels: l.Levels, Shares: l.Shares, Value: l.Value.Rat(), Cash: l.Cash, Fee: l.Fee,
		})
	}
	return p
}

// playTape plays with the oracle.
func playTape(_ *testing.T, a *replaytest.Archive, s strategy.Canonical, o replay.Options, rule oracle.Queue) []*oracle.Played {
	if s.Bankroll() != nil {
		return oracle.PlayTogether(a.All, object.Read(s), o, rule).Rounds
	}
	var out []*oracle.Played
	for _, r := range a.All {
		out = append(out, oracle.PlayOne(r, object.Read(s), o, rule))
	}
	return out
}

func caseText(seed int, a *replaytest.Archive, s strategy.Canonical, o replay.Options, more string) string {
	text, _ := json.Marshal(s)
	options, _ := json.Marshal(o)
	return fmt.Sprintf("seed %d\nstrategy %s\noptions %s\n%s\n%s", seed, text, options, drawn.Text(a), more)
}

// TestOrdersBooks: nothing is sold that is not held, no order fills beyond its size, a
// maker pays its limit, what is paid and got adds up, and rules differ for what rests
// alone.
func TestOrdersBooks(t *testing.T) {
	t.Parallel()
	overTapes(t, 20_000_000, func(t *testing.T, play player, seed int, a *replaytest.Archive, s strategy.Canonical, o replay.Options) {
		for _, rule := range oracle.Queues() {
			for _, p := range play(t, a, s, o, rule) {
				if err := sound(p); err != nil {
					require.Fail(t, err.Error(), caseText(seed, a, s, o, p.String()))
				}
			}
		}
	})
}

// sound says what is wrong with what became of a round.
func sound(p *oracle.Played) error {
	for _, l := range p.Orders {
		if l.End == "" || l.Resting && l.Size > 0 && l.Filled > l.Size {
			return fmt.Errorf("%s", l)
		}
	}
	if p.Item == nil {
		return nil
	}
	for _, l := range p.Item.Legs {
		if l.Kind == "resting" && !slices.ContainsFunc(p.Orders, func(x *oracle.Life) bool {
			return x.Name == l.Order && x.Token == l.Token && x.Arrival < l.Time && l.Time <= x.Ended
		}) {
			return fmt.Errorf("%s filled at %s as it rested, which it did not", l.Order, l.Time)
		}
	}
	return balanced(p.Item)
}

// balanced says what does not add up in an item.
func balanced(it *oracle.Item) error {
	held := [2]market.Size{}
	money := market.Cash(0)
	for _, l := range it.Legs {
		switch l.Action {
		case "buy":
			held[l.Token] += l.Shares
			money -= l.Cash + l.Fee
		case "merge":
			held[0] -= l.Shares
			held[1] -= l.Shares
			money += market.Cash(l.Shares) // a dollar a pair
		default:
			held[l.Token] -= l.Shares
			money += l.Cash - l.Fee
		}
		if held[0] < 0 || held[1] < 0 || l.Shares <= 0 || l.Shares%10_000 != 0 {
			return fmt.Errorf("held %v after a leg of %s shares at %s", held, l.Shares, l.Time)
		}
	}
	if held != [2]market.Size{} || money != it.PnL {
		return fmt.Errorf("held %v at the end, money %s", held, money)
	}
	return nil
}

// TestPlainStrategiesAreTriedWithoutBound: strategies with orders send a hundred a round at
// most, others as many as ever.
func TestPlainStrategiesAreTriedWithoutBound(t *testing.T) {
	t.Parallel()
	const refused = 120
	text := "market btc-updown-5m-1776088800 winner=up\n"
	for i := range refused {
		text += fmt.Sprintf("%d up book 0.29x500 | 0.30x500\n%d.1 up book 0.59x500 | 0.60x500\n", i+1, i+1)
	}
	a, err := replaytest.Parse(text + "200 up book 0.29x500 | 0.30x500\n")
	require.NoError(t, err)
	s, err := strategy.Parse([]byte(`{"market":{"coin":"BTC","market_type":"5m"},"side":"up",
		"entry":[{"type":"best_ask","token":"up","comparator":"lt","threshold":0.35,"within_seconds":null}],
		"exit":{"take_profit":null,"stop_loss":null,"hold_to_expiry":true},"budget_per_trade":10,"sample_size":1}`))
	require.NoError(t, err)
	c := replay.Case{Strategy: s, Options: replay.DefaultOptions()}
	got, err := replay.Run(t.Context(), a, c, replay.Parallel{Workers: 1})
	require.NoError(t, err)
	require.Equal(t, refused, got.Refusals[replay.Capped])
	require.Len(t, got.Trades, 1)
	require.Equal(t, oracle.Run(a.All, c)[0].String(), oracle.Of(got).String())
}

// TestAPurseAddsUp: start and all proceeds less all costs is the end, and cash is never
// below 0.
func TestAPurseAddsUp(t *testing.T) {
	t.Parallel()
	traded := 0
	for seed := range uint64(300) {
		r := drawn.NewOrders(25_000_000 + seed)
		a := r.Tape(3)
		x := r.Strategy(a).Strategy()
		x.Bankroll = &strategy.Bankroll{Start: strategy.Number(1+seed%20) * strategy.One}
		s, err := strategy.Canonicalize(x)
		require.NoError(t, err)
		got, err := replay.Run(t.Context(), a, replay.Case{Strategy: s, Options: r.Settings()}, replay.Parallel{Workers: 1})
		require.NoError(t, err)
		money := market.Cash(1+seed%20) * market.CashOne
		for i := range got.Trades {
			money += got.Trades[i].PnL()
			traded++
		}
		if len(got.Markets) > 0 {
			b := got.Markets[0].Bankroll
			require.Equal(t, money, b.End, "seed %d", seed)
			require.GreaterOrEqual(t, b.LowestCash, market.Cash(0), "seed %d", seed)
		}
	}
	require.Greater(t, traded, 100)
}

// TestOneRestingOrderFillsInOrderOfTheRules: through ≤ back ≤ front at every instant,
// for one order that is sent and cancelled alike.
func TestOneRestingOrderFillsInOrderOfTheRules(t *testing.T) {
	t.Parallel()
	overTapes(t, 21_000_000, func(t *testing.T, play player, seed int, a *replaytest.Archive, s strategy.Canonical, o replay.Options) {
		one := alone(t, s)
		filled := map[oracle.Queue][]*oracle.Played{}
		for _, rule := range oracle.Queues() {
			filled[rule] = play(t, a, one, o, rule)
		}
		for i, r := range a.All {
			for _, c := range r.Captures {
				least := [3]market.Size{}
				for n, rule := range oracle.Queues() {
					least[n] = boughtBy(filled[rule][i], c.Recv)
				}
				if least[0] > least[1] || least[1] > least[2] {
					require.Fail(t, fmt.Sprint(least, c.Recv), caseText(seed, a, one, o, ""))
				}
			}
		}
	})
}

// alone is the entry of a strategy as a limit of a few shares, held to the end.
func alone(t *testing.T, s strategy.Canonical) strategy.Canonical {
	x := s.Strategy()
	x.Exit, x.Then, x.Again, x.Merge, x.Bankroll = strategy.Exit{HoldToExpiry: true}, nil, nil, false, nil
	x.Size = &strategy.Size{Shares: 10 * strategy.One}
	x.Entry, x.EntryAny = []strategy.Condition{}, nil
	if x.Order == nil {
		x.Order = &strategy.Order{RestFromBid: strategy.Cents(0).Ptr()}
	}
	x.Order.CancelWhen = nil
	out, err := strategy.Canonicalize(x)
	require.NoError(t, err)
	return out
}

func boughtBy(p *oracle.Played, at market.Instant) market.Size {
	n := market.Size(0)
	if p.Item != nil {
		for _, l := range p.Item.Legs {
			if l.Action == "buy" && l.Time <= at {
				n += l.Shares
			}
		}
	}
	return n
}

// TestTwoHalvesFillWhatOneDoes: two limit orders of N/2 sent together fill what one of N
// does.
func TestTwoHalvesFillWhatOneDoes(t *testing.T) {
	t.Parallel()
	overTapes(t, 22_000_000, func(t *testing.T, play player, seed int, a *replaytest.Archive, s strategy.Canonical, o replay.Options) {
		for _, r := range a.All {
			r.Market.MinSize = 0
		}
		x := alone(t, s).Strategy()
		if x.Side == strategy.Either {
			x.Side = strategy.Up
		}
		whole, half := &strategy.Order{RestAt: strategy.Cents(30 + seed%40).Ptr()}, strategy.Then{
			Do: strategy.Buy, Token: strategy.TokenSame, On: strategy.OnStart, Shares: 10 * strategy.One,
		}
		half.Order = whole
		x.Order, x.Size = nil, nil
		x.Entry = []strategy.Condition{{Type: strategy.BestAsk, Token: x.Side.Held(), Comparator: strategy.LT, Threshold: strategy.One / 1000}}
		x.Then = []strategy.Then{half}
		one, err := strategy.Canonicalize(x)
		require.NoError(t, err)
		half.Shares = 5 * strategy.One
		x.Then = []strategy.Then{half, half}
		two, err := strategy.Canonicalize(x)
		require.NoError(t, err)
		for _, rule := range oracle.Queues() {
			want, got := play(t, a, one, o, rule), play(t, a, two, o, rule)
			for i, r := range a.All {
				for _, c := range r.Captures {
					// each of the halves is down to 0.01 share
					diff := boughtBy(want[i], c.Recv) - boughtBy(got[i], c.Recv)
					if diff < -20_000 || diff > 20_000 {
						require.Fail(t, string(rule), caseText(seed, a, two, o, want[i].String()+got[i].String()))
					}
				}
			}
		}
	})
}

// TestAnOrderWhoseTriggerNeverHoldsChangesNothing compares a strategy with the same and
// one more order, which is never sent.
func TestAnOrderWhoseTriggerNeverHoldsChangesNothing(t *testing.T) {
	t.Parallel()
	overTapes(t, 23_000_000, func(t *testing.T, play player, seed int, a *replaytest.Archive, s strategy.Canonical, o replay.Options) {
		x := s.Strategy()
		x.Then = append(x.Then, strategy.Then{
			Do: strategy.Buy, Token: strategy.TokenOpposite, USD: strategy.One, Times: 5, AfterSeconds: 1,
			When: []strategy.Condition{
				{Type: strategy.PairCost, Comparator: strategy.LT, Threshold: strategy.One / 10_000},
				{Type: strategy.TimeElapsed, Comparator: strategy.GTE, Threshold: strategy.Number(seed%30) * strategy.One / 4},
			},
		})
		more, err := strategy.Canonicalize(x)
		require.NoError(t, err)
		for _, rule := range oracle.Queues() {
			want, got := play(t, a, s, o, rule), play(t, a, more, o, rule)
			for i := range want {
				if want[i].String() != got[i].String() {
					require.Equal(t, want[i].String(), got[i].String(), caseText(seed, a, more, o, string(rule)))
				}
			}
		}
	})
}

// TestOrdersMirror: Up and Down swapped, winner and strategy with them, the same money.
func TestOrdersMirror(t *testing.T) {
	t.Parallel()
	overTapes(t, 24_000_000, func(t *testing.T, play player, seed int, a *replaytest.Archive, s strategy.Canonical, o replay.Options) {
		if s.Side() == strategy.Either {
			return // ties go by the token's id
		}
		swapped, b := swappedStrategy(t, s), &replaytest.Archive{}
		for _, r := range a.All {
			c := *r
			c.Market.Payout = &market.Payout{Basis: market.Official, Fractions: []market.Cash{r.Market.Payout.Fractions[1], r.Market.Payout.Fractions[0]}}
			c.Captures, c.Gaps = append([]market.Capture{}, r.Captures...), append([]market.TokenGap{}, r.Gaps...)
			for i := range c.Captures {
				c.Captures[i].Token = 1 - c.Captures[i].Token
			}
			for i := range c.Gaps {
				c.Gaps[i].Token = 1 - c.Gaps[i].Token
			}
			b.All = append(b.All, &c)
		}
		for _, rule := range oracle.Queues() {
			want, got := play(t, a, s, o, rule), play(t, b, swapped, o, rule)
			for i := range want {
				if moneyText(want[i]) != moneyText(got[i]) {
					require.Equal(t, moneyText(want[i]), moneyText(got[i]), caseText(seed, a, s, o, string(rule)+"\n"+want[i].String()+got[i].String()))
				}
			}
		}
	})
}

func moneyText(p *oracle.Played) string {
	if p.Item == nil {
		return fmt.Sprint(p.Refusals, p.ThenRefusals)
	}
	return fmt.Sprint(p.Refusals, p.ThenRefusals, p.Item.Cost, p.Item.Proceeds, p.Item.Fees, p.Item.Reason, p.Item.Shares)
}

func swappedStrategy(t *testing.T, s strategy.Canonical) strategy.Canonical {
	text, err := json.Marshal(s)
	require.NoError(t, err)
	swapped := strings.NewReplacer(`"up"`, `"down"`, `"down"`, `"up"`).Replace(string(text))
	var x strategy.Strategy
	require.NoError(t, json.Unmarshal([]byte(swapped), &x))
	out, err := strategy.Canonicalize(x)
	require.NoError(t, err)
	return out
}
