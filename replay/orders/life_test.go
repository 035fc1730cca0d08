package orders_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/replay/orders"
	"github.com/ladderback/ladderback/strategy"
)

// example is a strategy over captures, in the form of replaytest.Parse behind the line of
// the market, and what must become of it, worked out by hand.
type example struct {
	name     string
	strategy string // beside the usual: buy Up of BTC 5m at once, $100, hold to expiry
	options  string // beside no fees and 250 ms
	captures string
	want     string
}

// played replays an example.
func played(t *testing.T, e example) *replay.Result {
	t.Helper()
	object := map[string]any{}
	other := map[string]any{}
	require.NoError(t, json.Unmarshal([]byte(`{"market": {"coin": "BTC", "market_type": "5m"}, "side": "up", "entry": [],
		"exit": {"take_profit": null, "stop_loss": null, "hold_to_expiry": true}, "budget_per_trade": 100, "sample_size": 50}`), &object))
	require.NoError(t, json.Unmarshal([]byte("{"+e.strategy+"}"), &other), e.name)
	maps.Copy(object, other)
	text, err := json.Marshal(object)
	require.NoError(t, err)
	s, err := strategy.Parse(text)
	require.NoError(t, err, e.name)
	o := replay.DefaultOptions()
	o.Fees = replay.FeesNone
	require.NoError(t, json.Unmarshal([]byte("{"+e.options+"}"), &o), e.name)
	captures := e.captures
	if !strings.Contains(captures, "market ") {
		captures = "market btc-updown-5m-1776088800 winner=up\n" + captures
	}
	a, err := replaytest.Parse(captures)
	require.NoError(t, err, e.name)
	r, err := replay.Run(t.Context(), a, replay.Case{Strategy: s, Options: o}, replay.Parallel{})
	require.NoError(t, err, e.name)
	return r
}

// told writes what became of the orders of the rounds: limit orders, then legs, then what
// was refused.
func told(r *replay.Result) string {
	var b strings.Builder
	for i := len(r.Markets) - 1; i >= 0; i-- { // in the order of time
		m := &r.Markets[i]
		tokens := m.Round.Market.Tokens
		since := func(at market.Instant) string { return market.FormatDecimal(int64(at-m.Round.Market.Start), 6) }
		for _, l := range m.Limits {
			fmt.Fprintf(&b, "%s: %s %s %s at %s, from %s: %s taken, %s rested, %s at %s\n",
				l.Order, l.Action, l.Sent, tokens[l.Token].Label, l.Price, since(l.Accepted), l.Taken, l.Rested, l.End, since(l.Ended))
		}
		if m.Trade != nil {
			for _, l := range m.Trade.Legs {
				fmt.Fprintf(&b, "%s %s %s %s for %s\n", since(l.Time), l.Action, l.Shares, tokens[l.Token].Label, l.Cash)
			}
			fmt.Fprintf(&b, "%s\n", m.Trade.Reason)
		}
		if s := replaytest.Refused(m.Refusals); s != "" {
			fmt.Fprintf(&b, "refused: %s\n", s)
		}
		if s := replaytest.Refused(m.Then); s != "" {
			fmt.Fprintf(&b, "then refused: %s\n", s)
		}
	}
	return strings.TrimSpace(b.String())
}

func check(t *testing.T, list []example) {
	t.Helper()
	for _, e := range list {
		want := strings.ReplaceAll(strings.TrimSpace(e.want), "\t", "")
		require.Equal(t, want, told(played(t, e)), "%s", e.name)
	}
}

// TestRules: an order for 20 shares joins 50 at 30c. What trades at 30c wears the queue off
// or not, what trades below it must have met the order, whatever the rule.
func TestRules(t *testing.T) {
	t.Parallel()
	const joins = `"order": {"rest_from_bid": 0}, "size": {"shares": 20}`
	const trades = `
		10 up book  0.30x50 | 0.32x100
		20 up trade 0.30x40
		30 up trade 0.30x15
		40 up trade 0.29x2
		50 up trade 0.30x4`
	const falls = `
		10 up book  0.30x50 | 0.32x100
		20 up book  0.30x38 | 0.32x100
		25 up trade 0.31x1
		30 up book  0.30x10 | 0.32x100`
	const owed = `
		10    up   book  0.29x50 | 0.32x100
		10.25 up   book  0.29x50 | 0.30x5
		20    up   book  0.29x50 | 0.30x4
		30    up   book  0.29x50 | 0.32x100
		40    up   book  0.28x50 | 0.30x4
		50    down trade 0.71x3
		60    up   trade 0.30x20`
	const bids = `"order": {"rest_at": 0.3}, "size": {"shares": 20}`
	check(t, []example{
		{"through", joins, `"queue": "through"`, trades, `
			entry: buy 20 Up at 0.3, from 10.25: 0 taken, 2 rested, expired at 299
			40 buy 2 Up for 0.6
			300 settle 2 Up for 2
			expiry`},
		{"back: 50 ahead, of which 40 and 10 went", joins, `"queue": "back"`, trades, `
			entry: buy 20 Up at 0.3, from 10.25: 0 taken, 11 rested, expired at 299
			30 buy 5 Up for 1.5
			40 buy 2 Up for 0.6
			50 buy 4 Up for 1.2
			300 settle 11 Up for 11
			expiry`},
		{"front", joins, `"queue": "front"`, trades, `
			entry: buy 20 Up at 0.3, from 10.25: 0 taken, 20 rested, filled at 20
			20 buy 20 Up for 6
			300 settle 20 Up for 20
			expiry`},
		{"back: nobody ahead ever left", joins, `"queue": "back"`, falls, `
			entry: buy 20 Up at 0.3, from 10.25: 0 taken, 0 rested, expired at 299`},
		{"front: what is shown falls, until a trade is told", joins, `"queue": "front"`, falls, `
			entry: buy 20 Up at 0.3, from 10.25: 0 taken, 12 rested, expired at 299
			20 buy 12 Up for 3.6
			300 settle 12 Up for 12
			expiry`},
		{"through: offers are met, what was taken of them is not there again", bids, `"queue": "through"`, owed, `
			entry: buy 20 Up at 0.3, from 10.25: 5 taken, 7 rested, expired at 299
			10.25 buy 5 Up for 1.5
			40 buy 4 Up for 1.2
			50 buy 3 Up for 0.9
			300 settle 12 Up for 12
			expiry`},
		{"back: the 9 that were taken are owed, 11 are left for 8", bids, `"queue": "back"`, owed, `
			entry: buy 20 Up at 0.3, from 10.25: 5 taken, 15 rested, filled at 60
			10.25 buy 5 Up for 1.5
			40 buy 4 Up for 1.2
			50 buy 3 Up for 0.9
			60 buy 8 Up for 2.4
			300 settle 20 Up for 20
			expiry`},
		{"in a crossed capture and in a gap nothing is offered", bids, ``, `
			gap up 30 40
			10 up book 0.29x50 | 0.32x100
			20 up book 0.31x50 | 0.30x4
			30 up book 0.29x50 | 0.30x4
			40 up book 0.29x50 | 0.30x4`, `
			entry: buy 20 Up at 0.3, from 10.25: 0 taken, 4 rested, expired at 299
			40 buy 4 Up for 1.2
			300 settle 4 Up for 4
			expiry`},
	})
}

// TestLifeOfALimitOrder: when it arrives, is refused, is cancelled, expires.
func TestLifeOfALimitOrder(t *testing.T) {
	t.Parallel()
	const bids = `"order": {"rest_at": 0.3}, "size": {"shares": 20}`
	check(t, []example{
		{"a fill at the instant of the cancel counts, one behind it is none",
			`"order": {"rest_at": 0.3, "cancel_after_seconds": 60}, "size": {"shares": 20}`, ``, `
			10        up book 0.29x50 | 0.32x100
			70.5      up book 0.29x50 | 0.30x3
			70.500001 up book 0.29x50 | 0.30x9`, `
			entry: buy 20 Up at 0.3, from 10.25: 0 taken, 3 rested, cancelled at 70.5
			70.5 buy 3 Up for 0.9
			300 settle 3 Up for 3
			expiry`},
		{"cancelled as its conditions hold, after the latency",
			`"order": {"rest_at": 0.3, "cancel_when": [{"type": "spread", "token": "same", "comparator": "gte", "threshold": 0.06, "within_seconds": null}]}, "size": {"shares": 20}`, ``, `
			10    up book 0.29x50 | 0.32x100
			20    up book 0.29x50 | 0.35x100
			20.25 up book 0.28x50 | 0.30x1
			21    up book 0.28x50 | 0.30x9`, `
			entry: buy 20 Up at 0.3, from 10.25: 0 taken, 1 rested, cancelled at 20.25
			20.25 buy 1 Up for 0.3
			300 settle 1 Up for 1
			expiry`},
		{"posted only, it is refused as it meets the other side, and tried again",
			`"order": {"rest_at": 0.3, "post_only": true}, "size": {"shares": 20}`, ``, `
			10   up book 0.29x50 | 0.32x100
			10.2 up book 0.29x50 | 0.30x5
			20   up book 0.28x50 | 0.31x100`, `
			entry: buy 20 Up at 0.3, from 20.25: 0 taken, 0 rested, expired at 299
			refused: would_cross 1`},
		{"it arrives a second before the end: too late", bids, ``, `298.75 up book 0.29x50 | 0.32x100`, `refused: too_late 1`},
		{"a microsecond earlier it rests", bids, ``, `298.749999 up book 0.29x50 | 0.32x100`, `
			entry: buy 20 Up at 0.3, from 298.999999: 0 taken, 0 rested, expired at 299`},
		{"a capture of the last second fills nothing", bids, ``, `
			10  up book 0.29x50 | 0.32x100
			299 up book 0.29x50 | 0.30x1
			299.000001 up book 0.29x50 | 0.30x9`, `
			entry: buy 20 Up at 0.3, from 10.25: 0 taken, 1 rested, expired at 299
			299 buy 1 Up for 0.3
			300 settle 1 Up for 1
			expiry`},
		{"a buy's price goes down to the tick, of a cent where it is not known",
			`"order": {"rest_at": 0.309}, "size": {"shares": 20}`, ``, `10 up book 0.29x50 | 0.32x100`, `
			entry: buy 20 Up at 0.3, from 10.25: 0 taken, 0 rested, expired at 299`},
		{"which is the market's else",
			`"order": {"rest_at": 0.309}, "size": {"shares": 20}`, ``, "9 up tick 0.001\n10 up book 0.29x50 | 0.32x100", `
			entry: buy 20 Up at 0.309, from 10.25: 0 taken, 0 rested, expired at 299`},
		{"below the ask", `"order": {"rest_from_ask": 0.02}, "size": {"shares": 20}`, ``, `10 up book 0.25x50 | 0.32x100`, `
			entry: buy 20 Up at 0.3, from 10.25: 0 taken, 0 rested, expired at 299`},
		{"a price at 0 is none, told once", `"order": {"rest_from_bid": -0.04}, "size": {"shares": 20}`, ``, `
			10 up book 0.04x50 | 0.32x100
			20 up book 0.04x50 | 0.33x100`, `refused: bad_limit 1`},
		{"nor is one of a quote that is missing", `"order": {"rest_from_ask": 0.02}, "size": {"shares": 20}`, ``, `
			10 up book 0.04x50 |
			20 up book 0.05x50 |`, `refused: no_liquidity 1`},
		{"where only prices are captured nothing rests", bids, ``, "10 up price 0.29\n20 up price 0.28", `refused: no_liquidity 1`},
		{"of its money, the most at its limit", `"order": {"rest_at": 0.3}, "budget_per_trade": 1`, ``, `10 up book 0.29x50 | 0.32x100`, `
			entry: buy 3.33 Up at 0.3, from 10.25: 0 taken, 0 rested, expired at 299`},
		{"under the market's smallest order", `"order": {"rest_at": 0.3}, "size": {"shares": 4.99}`, ``, `
			market btc-updown-5m-1776088800 winner=up min=5
			10 up book 0.29x50 | 0.32x100`, `refused: below_min_size 1`},
		{"without latency it rests at its signal, and the capture of that instant does not fill it", bids, `"latency_ms": 0`, `
			10 up book 0.29x50 | 0.32x100
			20 up book 0.29x50 | 0.30x1`, `
			entry: buy 20 Up at 0.3, from 10: 0 taken, 1 rested, expired at 299
			20 buy 1 Up for 0.3
			300 settle 1 Up for 1
			expiry`},
	})
}

// TestOrdersBesideTheEntry: targets that rest, orders behind an entry or an exit, both tokens.
func TestOrdersBesideTheEntry(t *testing.T) {
	t.Parallel()
	check(t, []example{
		{"the target rests from the entry's fill on; for what it has not sold a second before the end it is too late", `"size": {"shares": 10}, "exit": {"take_profit": 0.6, "stop_loss": null, "hold_to_expiry": true, "rest_take_profit": true}`, ``, `
			10 up book  0.50x10 | 0.52x100
			40 up book  0.60x4  | 0.62x100
			50 up trade 0.61x3`, `
			exit: sell 10 Up at 0.6, from 10.5: 0 taken, 7 rested, expired at 299
			10.25 buy 10 Up for 5.2
			40 sell 4 Up for 2.4
			50 sell 3 Up for 1.8
			300 settle 3 Up for 3
			take_profit
			then refused: too_late 1`},
		{"a sell takes its shares from the target, which is less at once",
			`"size": {"shares": 10}, "exit": {"take_profit": 0.9, "stop_loss": null, "hold_to_expiry": true, "rest_take_profit": true},
			"then": [{"do": "sell", "token": "same", "when": [{"type": "best_bid", "token": "same", "comparator": "gte", "threshold": 0.6, "within_seconds": null}], "fraction": 0.25}]`, ``, `
			10 up book 0.50x10 | 0.52x100
			40 up book 0.60x40 | 0.62x100
			50 up book 0.90x40 | 0.92x100`, `
			exit: sell 7.5 Up at 0.9, from 10.5: 0 taken, 7.5 rested, filled at 50
			10.25 buy 10 Up for 5.2
			40.25 sell 2.5 Up for 1.5
			50 sell 7.5 Up for 6.75
			take_profit`},
		{"when stopped out, the other side",
			`"size": {"shares": 10}, "exit": {"take_profit": null, "stop_loss": 0.4, "hold_to_expiry": true}, "then": [{"do": "buy", "token": "opposite", "on": "stop_loss", "shares": 5}]`, ``, `
			10 up book 0.50x10 | 0.52x100
			20 up book 0.40x40 | 0.42x100
			30 up book 0.45x40 | 0.46x100`, `
			10.25 buy 10 Up for 5.2
			20.25 sell 10 Up for 4
			20.5 buy 5 Down for 3
			300 settle 5 Down for 0
			stop_loss`},
		{"again, later than it became flat by so many seconds",
			`"size": {"shares": 10}, "exit": {"take_profit": 0.6, "stop_loss": null, "hold_to_expiry": true}, "again": {"max_entries": 2, "after_seconds": 30}`, ``, `
			10   up book 0.50x100 | 0.52x100
			20   up book 0.60x100 | 0.62x100
			21   up book 0.50x100 | 0.52x100
			60   up book 0.60x100 | 0.62x100
			70   up book 0.50x100 | 0.52x100`, `
			10.25 buy 10 Up for 5.2
			20.25 sell 10 Up for 6
			50.5 buy 10 Up for 5.2
			60.25 sell 10 Up for 6
			take_profit`},
		{"both tokens make pairs, which are a dollar at once", `"size": {"shares": 10}, "merge": true, "then": [{"do": "buy", "token": "opposite", "when": [{"type": "pair_cost", "comparator": "lte", "threshold": 1.02, "token": null, "within_seconds": null}], "match": true}]`, ``, `
			10 up book 0.50x100 | 0.52x100
			20 up book 0.56x4   | 0.60x100`, `
			10.25 buy 10 Up for 5.2
			10.5 buy 10 Down for 5
			10.5 merge 10 Up for 10
			merged`},
		{"a cent less for both is not to be had", `"size": {"shares": 10}, "merge": true, "then": [{"do": "buy", "token": "opposite", "when": [{"type": "pair_cost", "comparator": "lte", "threshold": 1.01, "token": null, "within_seconds": null}], "match": true}]`, ``, `
			10 up book 0.50x100 | 0.52x100`, `
			10.25 buy 10 Up for 5.2
			300 settle 10 Up for 10
			expiry`},
		{"twice, so long after the first ended",
			`"size": {"shares": 10}, "then": [{"do": "buy", "token": "same", "when": [{"type": "best_ask", "token": "same", "comparator": "gte", "threshold": 0.5, "within_seconds": null}], "shares": 5, "times": 2, "after_seconds": 30}]`, ``, `
			10 up book 0.50x100 | 0.52x100
			20 up book 0.50x100 | 0.52x101
			30 up book 0.50x100 | 0.52x102`, `
			10.25 buy 10 Up for 5.2
			10.5 buy 5 Up for 2.6
			40.75 buy 5 Up for 2.6
			300 settle 20 Up for 20
			expiry`},
		{"a clock from the end withdraws what rests, though nothing is held",
			`"size": {"shares": 10}, "order": {"rest_at": 0.3}, "exit": {"take_profit": null, "stop_loss": null, "hold_to_expiry": false, "exit_before_seconds": 60}`, ``, `
			10  up book 0.40x10 | 0.50x10
			250 up book 0.20x10 | 0.29x10`, `
			entry: buy 10 Up at 0.3, from 10.25: 0 taken, 0 rested, withdrawn at 240.25`},
		{"own orders never meet: Down at 55c is an offer of Up at 45c, and goes first",
			`"size": {"shares": 10}, "order": {"rest_at": 0.45}, "then": [{"do": "buy", "token": "opposite", "on": "start", "shares": 10, "order": {"rest_at": 0.55}}]`, ``, `
			10 up book 0.40x10 | 0.50x10`, `
			then.0: buy 10 Down at 0.55, from 10.25: 0 taken, 0 rested, expired at 299
			refused: self_cross 1`},
		{"at 54c both rest",
			`"size": {"shares": 10}, "order": {"rest_at": 0.45}, "then": [{"do": "buy", "token": "opposite", "on": "start", "shares": 10, "order": {"rest_at": 0.54}}]`, ``, `
			10 up book 0.40x10 | 0.50x10`, `
			then.0: buy 10 Down at 0.54, from 10.25: 0 taken, 0 rested, expired at 299
			entry: buy 10 Up at 0.45, from 10.25: 0 taken, 0 rested, expired at 299`},
		{"as an exit arrives, all that rests is withdrawn",
			`"size": {"shares": 10}, "exit": {"take_profit": null, "stop_loss": 0.4, "hold_to_expiry": true}, "then": [{"do": "buy", "token": "same", "shares": 5, "order": {"rest_at": 0.3}}]`, ``, `
			10   up book 0.50x10 | 0.52x100
			20   up book 0.40x40 | 0.42x100
			30   up book 0.28x40 | 0.30x100`, `
			then.0: buy 5 Up at 0.3, from 10.5: 0 taken, 0 rested, withdrawn at 20.25
			10.25 buy 10 Up for 5.2
			20.25 sell 10 Up for 4
			stop_loss`},
	})
}

const halves = `"size": {"bankroll_fraction": 0.5}, "bankroll": {"start": 100}`

// flat is a round in which Up is offered at 50c without an end.
func flat(slug string) string {
	return "market btc-updown-5m-" + slug + "\n10 up book 0.49x100000 | 0.50x100000\n"
}

// TestPurse: rounds share one purse. What an entry spends is a part of what there is.
func TestPurse(t *testing.T) {
	t.Parallel()
	won, lost := flat("1776088800 winner=up"), flat("1776089100 winner=down")
	check(t, []example{
		{"half of 100, then half of 150", halves, ``, won + lost, `
			10.25 buy 100 Up for 50
			300 settle 100 Up for 100
			expiry
			10.25 buy 150 Up for 75
			300 settle 150 Up for 0
			expiry`},
		{"Kelly: (0.6 - 0.5) / (1 - 0.5) of 100, half of it", `"size": {"kelly": {"probability": 0.6, "fraction": 0.5}}, "bankroll": {"start": 100}`, ``, won, `
			10.25 buy 20 Up for 10
			300 settle 20 Up for 20
			expiry`},
		{"none where the price is the probability", `"size": {"kelly": {"probability": 0.5, "fraction": 1}}, "bankroll": {"start": 100}`, ``, won, `refused: no_edge 1`},
		{"at most so much is open", halves[:len(halves)-1] + `, "max_open": 20}`, ``, won, `
			10.25 buy 40 Up for 20
			300 settle 40 Up for 40
			expiry`},
		{"together with what is held", `"budget_per_trade": 15, "bankroll": {"start": 100, "max_open": 20},
			"then": [{"do": "buy", "token": "same", "when": [{"type": "best_ask", "token": "same", "comparator": "gte", "threshold": 0.55, "within_seconds": null}], "usd": 10}]`, ``,
			won + "20 up book 0.54x1000 | 0.56x1000", `
			10.25 buy 30 Up for 15
			20.25 buy 8.92 Up for 4.9952
			300 settle 38.92 Up for 38.92
			expiry`},
		{"what is left does not pay a hundredth of a share", `"bankroll": {"start": 0.004}`, ``, won, `refused: no_cash 1`},
		{"after the day's loss no more", `"budget_per_trade": 50, "bankroll": {"start": 1000, "daily_loss": 50}`, ``, lost + flat("1776089400 winner=up"), `
			10.25 buy 100 Up for 50
			300 settle 100 Up for 0
			expiry
			refused: daily_loss 1`},
		{"a cent less is not it", `"budget_per_trade": 50, "bankroll": {"start": 1000, "daily_loss": 50.01}`, ``, lost + flat("1776089400 winner=up"), `
			10.25 buy 100 Up for 50
			300 settle 100 Up for 0
			expiry
			10.25 buy 100 Up for 50
			300 settle 100 Up for 100
			expiry`},
		{"two losses in a row, and none between", `"budget_per_trade": 50, "bankroll": {"start": 1000, "max_losing_streak": 2}`, ``,
			lost + flat("1776089400 winner=up") + flat("1776089700 winner=down") + flat("1776090000 winner=down") + flat("1776090300 winner=up"), `
			10.25 buy 100 Up for 50
			300 settle 100 Up for 0
			expiry
			10.25 buy 100 Up for 50
			300 settle 100 Up for 100
			expiry
			10.25 buy 100 Up for 50
			300 settle 100 Up for 0
			expiry
			10.25 buy 100 Up for 50
			300 settle 100 Up for 0
			expiry
			refused: losing_streak 1`},
		{"a loss that is settled at midnight is of the day that begins", `"budget_per_trade": 50, "bankroll": {"start": 1000, "max_losing_streak": 1}`, ``,
			flat("1776124500 winner=down") + flat("1776124800 winner=up"), `
			10.25 buy 100 Up for 50
			300 settle 100 Up for 0
			expiry
			refused: losing_streak 1`},
		{"one of the day before is over by then", `"budget_per_trade": 50, "bankroll": {"start": 1000, "max_losing_streak": 1}`, ``,
			flat("1776124200 winner=down") + flat("1776124500 winner=down") + flat("1776124800 winner=up"), `
			10.25 buy 100 Up for 50
			300 settle 100 Up for 0
			expiry
			refused: losing_streak 1
			10.25 buy 100 Up for 50
			300 settle 100 Up for 100
			expiry`},
	})

	f := played(t, example{strategy: halves, captures: won + lost}).Bankroll
	require.NotNil(t, f)
	require.Equal(t, []market.Cash{100 * market.CashOne, 75 * market.CashOne, 50 * market.CashOne}, []market.Cash{f.Start, f.End, f.LowestCash})
	require.Equal(t, []string{"75", "1/2", "75"}, []string{f.MaxDrawdown.RatString(), f.Share.RatString(), f.MostOpen.RatString()})
	require.Zero(t, f.RuinedAt)
	ruined := played(t, example{strategy: `"bankroll": {"start": 0.004}`, captures: won}).Bankroll
	require.Equal(t, market.Instant(1776088810)*market.Second, ruined.RuinedAt)
	require.Nil(t, played(t, example{captures: won}).Bankroll, "without one there is none")
	var none *orders.Purse
	require.Equal(t, none, orders.NewPurse(played(t, example{captures: won}).Strategy, market.CashOne))
}

// TestTradesHeard: of a limit order it is known whether a trade was captured before it ended,
// of either token, by messages that fill nothing too.
func TestTradesHeard(t *testing.T) {
	t.Parallel()
	for captures, heard := range map[string]bool{
		"":                     false,
		"20 up trade 0.50x1":   true,
		"20 down trade 0.50x0": true,
		"5 up trade 0.50x1":    true,
		"80 up trade 0.20x100": false,
	} {
		r := played(t, example{
			strategy: `"order": {"rest_at": 0.3, "cancel_after_seconds": 60}, "size": {"shares": 20}`,
			captures: "5 up book 0.30x50 | 0.32x100\n" + captures + "\n90 up book 0.30x50 | 0.32x100",
		})
		require.Len(t, r.Markets[0].Limits, 1)
		require.Equal(t, heard, r.Markets[0].Limits[0].Heard, captures)
	}
}
