package parser_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/llmtest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/parser"
	"github.com/ladderback/ladderback/strategy"
)

// What a model reads of a prompt that is refused for words alone, left over or not exact,
// is offered with the fields that nobody else has read; what contradicts the rules, leaves
// a number out or makes one up is not.
func TestNearlyReadByAModel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		prompt, means string   // what the model answers, in words that the rules read
		alone         []string // nil: nothing is offered
	}{
		{"Buy Up on BTC 15m below 40c with about four minutes left, tp 60c", "Buy Up on BTC 15m below 40c with at most 4 minutes left, tp 60c", []string{"entry.1"}},
		{"Buy Up on BTC 15m below 40c with about four minutes left, tp 60c", "Buy Up on BTC 15m below 40c with at most 5 minutes left, tp 60c", nil},
		{"Buy Up on BTC 15m below 40c with about four minutes left, tp 60c", "Buy Up on BTC 15m below 40c with at most 4 minutes left, tp 65c", nil},
		{"Buy Up on BTC 15m below 40c with about four minutes left, tp 60c", "Buy Up on BTC 15m below 40c with at most 4 minutes left", nil},
		{"Buy Up on BTC 15m below 40c with about four minutes left, tp 60c", "Buy Down on BTC 15m below 40c with at most 4 minutes left, tp 60c", nil},
		{"Buy Down on ETH 5m below 40c. Actually no, make that Up.", "Buy Down on ETH 5m below 40c", nil},
		{"Don't buy Up unless it's below 30c, BTC 15m", "Buy Up below 30c, BTC 15m", []string{"market.coin", "market.market_type", "side", "entry", "exit.take_profit", "exit.stop_loss", "exit.hold_to_expiry"}},
		{"Buy Up on BTC 15m at around 35c or less, $50 a trade", "Buy Up on BTC 15m at 35c or less, $50 a trade", []string{"entry.0"}},
	} {
		right, refusal := parser.Rules(c.means, parser.Overrides{})
		require.Nil(t, refusal, c.means)
		answer, err := json.Marshal(right.Strategy)
		require.NoError(t, err)
		res, refusal := parser.Parse(t.Context(), answering(t, string(answer)), c.prompt, parser.Overrides{})
		require.Nil(t, res, c.prompt)
		e := market.AsError(refusal)
		if c.alone == nil { // but what the words around the numbers say most likely
			require.True(t, e.Confirm == nil || len(e.Confirm.Likely) > 0 && e.Confirm.Alone == nil, "%s\n%s", c.prompt, c.means)
			continue
		}
		require.NotNil(t, e.Confirm, "%s\n%s", c.prompt, e.Message)
		require.JSONEq(t, string(answer), string(e.Confirm.Strategy))
		require.Equal(t, c.alone, e.Confirm.Alone, c.prompt)
		require.NotEmpty(t, e.Confirm.LeftOut)
		require.Contains(t, e.Message, "only the language model has read")
		again, no := parser.Rules(e.Suggestion, parser.Overrides{}) // the suggestion says the same
		require.Nil(t, no)
		require.True(t, again.Strategy.Equal(right.Strategy))
		taken := parser.Taken(refusal)
		require.Equal(t, strategy.SourceLLM, taken.Source)
		require.True(t, taken.Strategy.Equal(right.Strategy))
	}
}

// What is shown to somebody is read more widely than what is believed, and nothing that the
// rules read is denied: the answers are what the rules read in other words.
func TestShownMoreWidelyThanBelieved(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		prompt, means string
		shown         bool
	}{
		// A count of a story, before the rules.
		{"Been burned three times, so now I use this one: buy Down on ETH 5m below 30c, trail 7c", "Buy Down on ETH 5m below 30c, trail 7c", true},
		{"chapter 7: up, sol 5m, after min 1, >55c", "up, sol 5m, after 1 minute, >55c", true},
		{"bitcoin fifteen minute buy up at thirty cents then at twenty", "bitcoin fifteen minute buy up at thirty cents", false},
		// A side, a length that is taken back or spoken of, and what is bought.
		{"SOL15 up?? no - DOWN. <= 32c. tp 45. sl 22. $10", "SOL 15m DOWN. <= 32c. tp 45. sl 22. $10", true},
		{"SOL15 up?? no - DOWN. <= 32c. tp 45. sl 22. $10", "SOL 15m UP. <= 32c. tp 45. sl 22. $10", false},
		{"down eth 4h at 28c, sl 20c (hourly was no good)", "down eth 4h at 28c, sl 20c", true},
		{"down eth 4h at 28c, sl 20c (hourly was no good)", "down eth 1h at 28c, sl 20c", false},
		{"coin: BTC\ncoin: ETH\nside: up\nprice: < 0.4", "coin: ETH\nside: up\nprice: < 0.4", true}, // one of two to choose from
		{"coin: BTC\ncoin: ETH\nside: up\nprice: < 0.4", "coin: SOL\nside: up\nprice: < 0.4", false},
		{"bitcoin or ethereum fifteen minute buy up under thirty cents", "ethereum fifteen minute buy up under thirty cents", false},
		{"Buy Up under 30c on BTC 15m, but reverse to Down if it doesn't work out", "Buy Up under 30c on BTC 15m", false},
		// One of two readings, and none of them.
		{"btc 15m down when it pops over 55c in the last 5 min, sl 40c", "btc 15m down above 55c with at most 5 minutes left, sl 40c", true},
		{"btc 15m down when it pops over 55c in the last 5 min, sl 40c", "btc 15m down when it has risen by more than 55c in 5 minutes, sl 40c", true},
		{"btc 15m down when it pops over 55c in the last 5 min, sl 40c", "btc 15m down above 55c, sl 40c", false},
		// What the rules cannot put together, or take for what it is not.
		{"down, bnb 15m, imbalance > .65, < 45c", "Buy Down on BNB 15m when imbalance > 0.65 and Down is below 45c", true},
		{"down, bnb 15m, imbalance > .65, < 45c", "Buy Down on BNB 15m when Down is below 45c", false},
		{"grab up on eth 5m when its under 22c, flip it at 40c", "buy up on eth 5m when its under 22c, take profit at 40c", true},
		{"grab up on eth 5m when its under 22c, flip it at 40c", "buy up on eth 5m when its under 22c", false},
		{"I'd skip anything wider than 3 cents and buy Down on BNB 15m under 35 cents otherwise. A wide spread is a warning.", "buy Down on BNB 15m under 35 cents when the spread is at most 3 cents", true},
		{"I'd skip anything wider than 3 cents and buy Down on BNB 15m under 35 cents otherwise. A wide spread is a warning.", "buy Down on BNB 15m under 35 cents when the spread is more than 3 cents", false},
		{"gimme up, xrp 5m, when theres under a wee minute left and its over 85c", "up, xrp 5m, when under 1 minute is left and its over 85c", true},
		// What was corrected, and what the rules cannot tell the role of.
		{"Update: moved the stop from 25c to 22c. LTC 5m, Up at 40c or less, tp 52c, stop 22c", "LTC 5m, Up at 40c or less, tp 52c, stop 25c", false},
		{"ADA 1h Up at 40c or less, sell 50c\nedit: make that 36c or less", "ADA 1h Up at 36c or less, sell 50c", true},
		{"ADA 1h Up at 40c or less, sell 50c\nedit: make that 36c or less", "ADA 1h Up at 30c or less, sell 50c", false},
		// What a strategy cannot do stays refused.
		{"Buy Up on BTC 15m under 38c, 20 euros", "Buy Up on BTC 15m under 38c", false},
		{"Buy Up on BTC 15m below 35c, double after losses", "Buy Up on BTC 15m below 35c", false},
		{"Strategy of the week: all majors, Up under 25c, last 2 min", "Up under 25c, last 2 min", false},
	} {
		answer, refusal := parser.Rules(c.means, parser.Overrides{})
		require.Nil(t, refusal, c.means)
		res, refusal := parser.Parse(t.Context(), answering(t, asJSON(t, answer.Strategy)), c.prompt, parser.Overrides{})
		require.Nil(t, res, c.prompt)
		o := refusal.Offer()
		shown := o.Confirm != nil && o.Source == strategy.SourceLLM && o.Confirm.Equal(answer.Strategy)
		require.Equal(t, c.shown, shown, "%s\n%s\n%s", c.prompt, c.means, refusal.Message)
		require.True(t, !shown || len(o.Alone) > 0 || len(o.LeftOut) > 0, c.prompt) // what to look at
	}
}

// Prompts that are refused for corrections, negations and inexact words, with what a
// model reads in them.
var nearly = [][2]string{
	{"Buy Up on BTC 15m below 40c with about four minutes left, tp 60c", "Buy Up on BTC 15m below 40c with at most 4 minutes left, tp 60c"},
	{"Buy Down on ETH 5m below 40c. Actually no, make that Up.", "Buy Up on ETH 5m below 40c"},
	{"Don't buy Up unless it's below 30c, BTC 15m, stop at 12c", "Buy Up below 30c, BTC 15m, stop at 12c"},
	{"Buy Up on BTC 15m at around 35c or less, $50 a trade", "Buy Up on BTC 15m at 35c or less, $50 a trade"},
	{"Buy Up below 40c, roughly 5 minutes in, stop at 25c", "Buy Up below 40c after 5 minutes, stop at 25c"},
	{"ETH hourly, Up once it's not too expensive, say under 45c", "ETH hourly, Up under 45c"},
	{"On SOL 1h get Down near 20c or lower, out at 35c, over 80 markets", "On SOL 1h get Down at 20c or lower, out at 35c, over 80 markets"},
	{"XRP 15m: Up under 33c, cash out somewhere about 50c, $20", "XRP 15m: Up under 33c, cash out at 50c, $20"},
	{"Buy Up on BTC 1h under 30c unless there's almost no time, so more than 10 minutes left, tp 45c", "Buy Up on BTC 1h under 30c with more than 10 minutes left, tp 45c"},
	{"Roughly speaking buy Down on DOGE 5m when the spread is at most 2c and it costs under 44c", "buy Down on DOGE 5m when the spread is at most 2c and it costs under 44c"},
}

// A model that has one thing wrong is never believed, its answer is offered at most twice
// in a hundred times, and then the field is marked.
func TestWrongAnswersToConfirm(t *testing.T) {
	t.Parallel()
	offered, tried := 0, 0
	for _, c := range nearly {
		right, refusal := parser.Rules(c[1], parser.Overrides{})
		require.Nil(t, refusal, c[1])
		answer, err := json.Marshal(right.Strategy)
		require.NoError(t, err)
		_, refusal = parser.Parse(t.Context(), answering(t, string(answer)), c[0], parser.Overrides{})
		require.NotNil(t, refusal, c[0])
		require.NotNil(t, refusal.Offer().Confirm, "%s: %s", c[0], refusal.Message)
		for _, m := range llmtest.Mutations(string(answer)) {
			s, err := strategy.Parse([]byte(m.JSON))
			if err != nil || s.Equal(right.Strategy) {
				continue
			}
			tried++
			res, refusal := parser.Parse(t.Context(), answering(t, m.JSON), c[0], parser.Overrides{})
			require.Nil(t, res, "%s\n%s", c[0], m.JSON)
			if o := refusal.Offer(); o.Confirm != nil && !o.Confirm.Equal(right.Strategy) {
				offered++
				t.Logf("offered: %s %s of %q: %s", m.Kind, m.Path, c[0], o.Confirm.Summary())
				require.True(t, slices.ContainsFunc(o.Alone, func(path string) bool { return marks(path, m.Path) }), "%v", o.Alone)
			}
		}
	}
	require.Greater(t, tried, 100)
	require.LessOrEqual(t, offered*50, tried)
}

// An answer with orders is never believed where the rules read none. It is offered, with
// every order marked, where it has each number of the prompt, no others, and the market and
// the side that the rules read.
func TestOrdersToConfirm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		prompt, means string
		alone         []string // of orders; nil: nothing is offered
	}{
		{"BTC 15m: park a bid for Up around 30c and yank it after two minutes", "Bid 30c for Up on BTC 15m, cancel after 2 minutes", []string{"order"}},
		{"BTC 15m: park a bid for Up around 30c and yank it after two minutes", "Bid 31c for Up on BTC 15m, cancel after 2 minutes", nil},
		{"BTC 15m: park a bid for Up around 30c and yank it after two minutes", "Bid 30c for Down on BTC 15m, cancel after 2 minutes", nil},
		{"BTC 15m: park a bid for Up around 30c and yank it after two minutes", "Bid 30c for Up on ETH 15m, cancel after 2 minutes", nil},
		{"BTC 15m: park a bid for Up around 30c and yank it after two minutes", "Bid 30c for Up on BTC 15m", nil},
		{"Scoop Up on ETH 5m somewhere below 40c, $20 a go, then nibble another $10 should it sink towards 35c", "Buy $20 of Up on ETH 5m below 40c, add another $10 if it drops to 35c", []string{"then"}},
		{"Scoop Up on ETH 5m somewhere below 40c, $20 a go, then nibble another $10 should it sink towards 35c", "Buy $20 of Up on ETH 5m below 40c, add another $15 if it drops to 35c", nil},
		// What is said of orders otherwise than the rules know it is borne out, or nothing is offered.
		{"zork me fifteen shares of up on eth 5m at an ask below 30c, sell at 44c", "15 shares of up on eth 5m at an ask below 30c, sell at 44c", []string{"size"}},
		{"zork me fifteen shares of up on eth 5m at an ask below 30c, sell at 44c", "15 shares of up on eth 5m at an ask above 30c, sell at 44c", nil},
		{"zork me fifteen shares of up on eth 5m at an ask below 30c, sell at 44c", "15 shares of up on eth 5m at a bid below 30c, sell at 44c", nil},
		{"zork me fifteen shares of up on eth 5m at an ask below 30c, sell at 44c", "15 shares of up on eth 5m at an ask below 30c, target 44c above entry", nil},
		{"zork me fifteen shares of up on eth 5m at an ask below 30c, sell at 44c", "15 shares of up on eth 5m at an ask below 30c, sell at 44c, never hold to expiry", nil},
		{"zork me fifteen shares of up on eth 5m at an ask below 30c, sell at 44c", "15 shares of up on eth 5m at an ask below 30c, sell at 44c, $70 per trade", nil},
		{"Buy Down on XRP 5m below 30c, stop 22c. If I get stopped out you might buy it another time, at most 2 entries per round", "Buy Down on XRP 5m below 30c, stop 22c, at most 2 entries per round, after a stop", []string{"again"}},
		{"Bankroll 600 dollars, one twentieth of the bag each time, Up on SOL 5m below 35c", "Bankroll $600, a twentieth of the bankroll each time, Up on SOL 5m below 35c", []string{"size", "bankroll"}},
		{"buy down on xrp hourly at forty cents or less jettison half at fifty cents and the rest at sixty cents", "buy down on xrp hourly at 40c or less, sell half at 50c and the rest at 60c", []string{"then"}},
		{"Buy Up below 35c on BTC 15m, fill or kill", "Buy Up below 35c on BTC 15m", nil},
		{"Buy Up below 35c on BTC 15m, sell some at 50c", "Buy Up below 35c on BTC 15m, sell at 50c", nil},
	} {
		right, refusal := parser.Rules(c.means, parser.Overrides{})
		require.Nil(t, refusal, c.means)
		answer, err := json.Marshal(right.Strategy)
		require.NoError(t, err)
		res, refusal := parser.Parse(t.Context(), answering(t, string(answer)), c.prompt, parser.Overrides{})
		require.Nil(t, res, c.prompt)
		e := market.AsError(refusal)
		if c.alone == nil { // but what the words around the numbers say most likely
			require.True(t, e.Confirm == nil || len(e.Confirm.Likely) > 0 && e.Confirm.Alone == nil, "%s\n%s", c.prompt, c.means)
			continue
		}
		require.NotNil(t, e.Confirm, "%s\n%s", c.prompt, e.Message)
		require.JSONEq(t, string(answer), string(e.Confirm.Strategy))
		require.Subset(t, e.Confirm.Alone, c.alone)
		taken := parser.Taken(refusal)
		require.True(t, taken.Strategy.Equal(right.Strategy))
		require.Equal(t, strategy.SourceLLM, taken.Source)
	}
}
