package meaning_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/meaning"
	"github.com/ladderback/ladderback/strategy"
)

// build makes the strategy of the cheapest reading of a prompt.
func build(t *testing.T, prompt string, o meaning.Overrides) (*meaning.Result, *meaning.Fault) {
	p := grammar.New(prompt)
	defer p.Close()
	require.NotEmpty(t, p.Readings(), prompt)
	res, f := meaning.Build(p.Readings()[0].Items, o)
	if f == nil {
		return res, nil
	}
	require.NotEmpty(t, f.Message)
	return nil, f
}

// A price to sell at is a target above what is paid and a stop below it; parts
// of the round are counted from its length; what is said twice and differently
// is a fault.
func TestBuild(t *testing.T) {
	t.Parallel()
	const rest = " $100 per trade. Sample of 50 markets."
	for prompt, want := range map[string]string{
		"buy up below 40c, sell at 60c":                "Buy Up on BTC 15m markets when Up's price is below 40c. Take profit at 60c. Otherwise hold to expiry." + rest,
		"buy up above 40c, sell at 30c":                "Buy Up on BTC 15m markets when Up's price is above 40c. Stop loss at 30c. Otherwise hold to expiry." + rest,
		"buy up below 40c in the first third, eth 1h":  "Buy Up on ETH 1h markets in the first 20 minutes when Up's price is below 40c. Hold to expiry." + rest,
		"buy the favorite":                             "Buy either side on BTC 15m markets when its price is above 50c. Hold to expiry." + rest,
		"buy down when up is above 60c":                "Buy Down on BTC 15m markets when Up's price is above 60c. Hold to expiry." + rest,
		"buy up below 40c, actually below 35c":         "Buy Up on BTC 15m markets when Up's price is below 35c. Hold to expiry." + rest,
		"buy up below 40c, sell at minute 10, btc 15m": "Buy Up on BTC 15m markets when Up's price is below 40c. Exit 5 minutes before the end." + rest,
	} {
		res, fault := build(t, prompt, meaning.Overrides{})
		require.Nil(t, fault, prompt)
		require.Equal(t, want, res.Strategy.Summary(), prompt)
	}
	for prompt, kind := range map[string]meaning.Kind{
		"buy up below 40c, buy down below 30c":            meaning.Contradicts,
		"buy up below 20c and above 80c":                  meaning.Contradicts,
		"buy up below 40c, tp 60c, tp 70c":                meaning.Contradicts,
		"if the spread is below 2c":                       meaning.NoSide,
		"buy up below 40c, tp 60c, sl 70c":                meaning.Invalid,
		"buy up below 40c in the first third, any length": meaning.Unclear,
	} {
		_, fault := build(t, prompt, meaning.Overrides{})
		require.NotNil(t, fault, prompt)
		require.Equal(t, kind, fault.Kind, "%s: %s", prompt, fault.Message)
	}
}

// The request's own values win, and it is said where the prompt has others.
func TestOverrides(t *testing.T) {
	t.Parallel()
	budget, sample := strategy.Int(20), 7
	res, fault := build(t, "buy up below 40c, $50 per trade", meaning.Overrides{Budget: &budget, SampleSize: &sample})
	require.Nil(t, fault)
	require.Equal(t, budget, res.Strategy.BudgetPerTrade())
	require.Equal(t, sample, res.Strategy.SampleSize())
	require.Len(t, res.Notes, 1)
	require.Equal(t, "budget_per_trade", res.Notes[0].Field)
}

// faultOf is the fault of the cheapest reading of a prompt, and the words at fault.
func faultOf(t *testing.T, prompt string) (*meaning.Fault, []string) {
	t.Helper()
	p := grammar.New(prompt)
	defer p.Close()
	require.NotEmpty(t, p.Readings(), prompt)
	items := p.Readings()[0].Items
	res, f := meaning.Build(items, meaning.Overrides{})
	require.NotNil(t, f, prompt)
	require.Nil(t, res, prompt)
	at := []string{}
	for _, i := range f.Items {
		at = append(at, p.Text(items[i].From, items[i].To))
	}
	return f, at
}

// Each fault says what is open, in a trader's words, at the items that say it: in
// the order of the prompt, whatever order they were found in, each once.
func TestFaults(t *testing.T) {
	t.Parallel()
	const (
		noBound = "no value meets both of these bounds"
		oneOf   = "one of these alternatives says nothing: what is denied, and what is \"or\"? say each bound by itself"
		which   = "a target or a stop? say \"take profit at …\" or \"stop at …\""
		two     = "two sides: a strategy buys one; say Up, Down or \"either side\""
		nothing = "nothing was said before that this corrects"
	)
	for _, c := range []struct {
		prompt  string
		kind    meaning.Kind
		message string
		at      []string
	}{
		{"when up is below 40c", meaning.NoSide, meaning.NoPurchase, []string{}},
		{"buy the other side", meaning.NoSide, "the other side of which? name Up or Down", []string{}},
		{"buy up and down below 40c", meaning.Contradicts, two, []string{"buy up", "down below 40c"}},
		{"buy up below 40c, sell down at 60c", meaning.Unclear, "exits are prices of the token bought, and so is what is paid", []string{"sell down at 60c"}},
		{"buy either side when up is below 30c", meaning.Unclear, "with either side there is no Up and Down; say \"its price\" or \"the other side's price\"", []string{"when up is below 30c"}},
		{"buy up when the ask is below 40c and it is above 30c", meaning.Unclear, "\"it\": the ask, the bid or the price? name which", []string{"when the ask is below 40c and it is above 30c"}},

		{"buy up below 20c and above 80c", meaning.Contradicts, noBound, []string{"buy up below 20c and above 80c"}},
		{"buy up below 40c and at least 40c", meaning.Contradicts, noBound, []string{"buy up below 40c and at least 40c"}},
		{"buy up below 40c, below 35c", meaning.Contradicts, "two values for one bound; give one", []string{"buy up below 40c", "below 35c"}},
		{"buy up below 40c on btc on eth", meaning.Contradicts, "two values for the coin; give one", []string{"buy up below 40c on btc", "on eth"}},
		{"buy up below 40c 15m 1h", meaning.Contradicts, "two values for the length of market; give one", []string{"15m", "1h"}},
		{"buy up below 40c, $50 per trade, $60 per trade", meaning.Contradicts, "two values for the budget; give one", []string{"$50 per trade", "$60 per trade"}},
		{"buy up below 40c, sample of 20, sample of 30", meaning.Contradicts, "two values for the number of markets; give one", []string{"sample of 20", "sample of 30"}},

		{"buy up not above 40c or below 20c", meaning.Unclear, oneOf, []string{"buy up not above 40c or below 20c"}},
		{"buy up below 20c or below 30c", meaning.Unclear, oneOf, []string{"buy up below 20c or below 30c"}},
		{"buy up in the first 5 minutes or with more than 5 minutes left", meaning.Unclear, oneOf, []string{"in the first 5 minutes or with more than 5 minutes left"}},
		{"buy up in the first 6 minutes or with 10 minutes left", meaning.Unclear, oneOf, []string{"in the first 6 minutes or with 10 minutes left"}},
		{"buy up below 40c or at least 40c", meaning.Unclear, oneOf, []string{"buy up below 40c or at least 40c"}},
		{"buy up above 40c and (spread below 2c or in the last minute) and (bid above 10c or ask below 20c)", meaning.Unclear, "two lists of alternatives: give them as one",
			[]string{"and (spread below 2c or in the last minute)", "and (bid above 10c or ask below 20c)"}},
		{"buy up below 40c, then wait 10 seconds", meaning.Unclear, "one thing after another cannot be said: all conditions hold at one instant", []string{"wait 10 seconds"}},

		{"buy up, sell at 30c", meaning.Unclear, which, []string{"sell at 30c"}},
		{"buy up between 30c and 50c, sell at 40c", meaning.Unclear, which, []string{"sell at 40c"}},
		{"buy up when down is between 50c and 70c, sell at 40c", meaning.Unclear, which, []string{"sell at 40c"}},
		{"buy up below 40c or above 60c, sell at 50c", meaning.Unclear, which, []string{"sell at 50c"}},
		{"buy up, sell at 60c, sell at 20c", meaning.Contradicts, "two prices to sell at; say which is the take profit and which the stop", []string{"sell at 60c", "sell at 20c"}},
		{"buy up below 40c, sell at 60c, sell at 70c", meaning.Contradicts, "two prices to sell at; say which is the take profit and which the stop", []string{"sell at 60c", "sell at 70c"}},
		{"buy up below 40c, take profit at 60c, sell at 70c", meaning.Contradicts, "two values for one exit", []string{"take profit at 60c", "sell at 70c"}},
		{"buy up below 40c, tp 60c, tp 70c", meaning.Contradicts, "two values for the take profit; give one", []string{"tp 60c", "tp 70c"}},
		{"buy up below 40c, no stop, stop at 20c", meaning.Contradicts, "this exit is both denied and given", []string{"no stop", "stop at 20c"}},
		{"buy up below 40c, sell at 60c, no take profit", meaning.Contradicts, "this exit is both denied and given", []string{"sell at 60c", "no take profit"}},
		{"buy up below 40c or sell at 60c", meaning.Unclear, "buying or selling? say \"buy … and sell at …\"", []string{"or sell at 60c"}},
		{"buy up below 40c, sell at minute 10, any length", meaning.Unclear, "a time to sell at needs a length of market; say 5m, 15m, 1h, 4h or 1d", []string{"sell at minute 10"}},
		{"buy up below 40c, sell at minute 10, exit 2 minutes before the end", meaning.Contradicts, "two times to sell at", []string{"sell at minute 10", "exit 2 minutes before the end"}},
		{"buy up below 40c, sell at minute 10, hold to expiry", meaning.Contradicts, "held to the end, and sold before it", []string{"sell at minute 10", "hold to expiry"}},
		{"buy up below 40c, hold at most 1.5 seconds", meaning.Unclear, "this is not a whole number; give whole seconds", []string{"hold at most 1.5 seconds"}},

		{"buy up in the first 7th, 5m, below 40c", meaning.Unclear, "this part of the round is not a whole number of seconds; give seconds", []string{"buy up in the first 7th"}},
		{"buy up below 40c, sell halfway, any length", meaning.Unclear, "a part of the round needs a length of market; say 5m, 15m, 1h, 4h or 1d, or give minutes", []string{"sell halfway"}},
		{"buy up if price rises 5c in 1.5 seconds", meaning.Unclear, "the look-back is not a whole number of seconds", []string{"if price rises 5c in 1.5 seconds"}},

		{"actually below 35c", meaning.NothingToFix, nothing, []string{"actually below 35c"}},
		{"buy up below 40c, no wait, eth", meaning.NothingToFix, nothing, []string{", no wait, eth"}},
		{"buy up when up is below 40c, sorry down", meaning.NothingToFix, "is the token that is bought corrected, or the one of the condition? say it once more", []string{"sorry down"}},

		{"buy up below 40c, tp 60c, sl 70c", meaning.Invalid, "the take profit: 0.6 must be above the stop 0.7", []string{"tp 60c", "sl 70c"}},
		{"buy up if its price crosses above 40c and is below 30c", meaning.Invalid, "the entry: Up's price below 0.3 cannot hold together with the entry (Up's price crossing above 0.4)",
			[]string{"if its price crosses above 40c and is below 30c"}},
	} {
		f, at := faultOf(t, c.prompt)
		require.Equal(t, c.kind, f.Kind, c.prompt)
		require.Equal(t, c.message, f.Message, c.prompt)
		require.Equal(t, c.at, at, c.prompt)
		require.False(t, f.Threshold, c.prompt)
	}
	f, _ := faultOf(t, "buy up below 0c")
	require.Equal(t, "the entry: 0 is out of range for price: expected a price strictly between 0 and 1", f.Message)
	require.True(t, f.Threshold, "a number out of its range is told apart")
}

// entry is what the summary of a prompt's strategy says until the budget.
func entry(t *testing.T, prompt string) string {
	t.Helper()
	res, f := build(t, prompt, meaning.Overrides{})
	require.Nil(t, f, prompt)
	said, _, ok := strings.Cut(res.Strategy.Summary(), " $100 per trade.")
	require.True(t, ok, prompt)
	return strings.TrimPrefix(said, "Buy ")
}

// "It" is the token spoken of last, else the one bought; the other side is the one
// that the condition does not name. Alternatives that leave something out stay.
func TestTokens(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"buy up when the spread is below 2c and it is above 40c":      "Up on BTC 15m markets when Up's price is above 40c and Up's spread is below 2c. Hold to expiry.",
		"buy up when down is below 30c and it rises 5c in 10 seconds": "Up on BTC 15m markets when Down's price is below 30c and Down's price has risen by at least 5c in 10 seconds. Hold to expiry.",
		"buy up when down is below 30c and spread is below 2c":        "Up on BTC 15m markets when Down's price is below 30c and Up's spread is below 2c. Hold to expiry.",
		"buy up when the other side is above 60c":                     "Up on BTC 15m markets when Down's price is above 60c. Hold to expiry.",
		"buy either side when the other side's price is below 30c":    "either side on BTC 15m markets when the other side's price is below 30c. Hold to expiry.",
		"buy the other side when up is above 60c":                     "Down on BTC 15m markets when Up's price is above 60c. Hold to expiry.",
		"buy it when up is below 40c":                                 "Up on BTC 15m markets when Up's price is below 40c. Hold to expiry.",
		"buy up in the first 5 minutes or with 5 minutes left":        "Up on BTC 15m markets when (at most 5 minutes have passed) or (at most 5 minutes are left). Hold to expiry.",
		"buy up below 40c or above 40c":                               "Up on BTC 15m markets when (Up's price is above 40c) or (Up's price is below 40c). Hold to expiry.",
		"if up below 40c or down above 60c buy up":                    "Up on BTC 15m markets when (Down's price is above 60c) or (Up's price is below 40c). Hold to expiry.",
	} {
		require.Equal(t, want, entry(t, prompt), prompt)
	}
}

// A correction takes the place of the one thing of its kind that was said last, and
// keeps what it does not say itself.
func TestCorrections(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"buy up if price drops 5c in 30 seconds, actually 8c":                        "Up on BTC 15m markets when Up's price has fallen by at least 8c in 30 seconds. Hold to expiry.",
		"buy up below 40c and in the last 3 minutes, actually in the last 2 minutes": "Up on BTC 15m markets when Up's price is below 40c and at most 2 minutes are left. Hold to expiry.",
		"buy up below 40c, take profit at 60c, actually take profit at 70c":          "Up on BTC 15m markets when Up's price is below 40c. Take profit at 70c. Otherwise hold to expiry.",
		"buy up below 40c, actually down":                                            "Down on BTC 15m markets when Down's price is below 40c. Hold to expiry.",
	} {
		require.Equal(t, want, entry(t, prompt), prompt)
	}
}

// What is paid bounds which of two a price to sell at is: of the token bought, or of
// the other as its mirror; an exit that is named leaves the other.
func TestSoldAt(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"buy up between 30c and 50c, sell at 60c":           "Take profit at 60c. Otherwise hold to expiry.",
		"buy up between 30c and 50c, sell at 20c":           "Stop loss at 20c. Otherwise hold to expiry.",
		"buy up when down is above 60c, sell at 50c":        "Take profit at 50c. Otherwise hold to expiry.", // Up below 40c
		"buy up when down is above 60c, sell at 30c":        "Stop loss at 30c. Otherwise hold to expiry.",
		"buy up below 40c, sell at 60c, sell at 20c":        "Take profit at 60c. Stop loss at 20c. Otherwise hold to expiry.",
		"buy up below 40c, sell at 20c, sell at 60c":        "Take profit at 60c. Stop loss at 20c. Otherwise hold to expiry.",
		"buy up below 40c, take profit at 60c, sell at 20c": "Take profit at 60c. Stop loss at 20c. Otherwise hold to expiry.",
		"buy up below 40c, sell at 60c, take profit at 60c": "Take profit at 60c. Otherwise hold to expiry.",
		"buy up below 40c or above 60c, sell at 70c":        "Take profit at 70c. Otherwise hold to expiry.",
		"buy up, sell at 60c":                               "Take profit at 60c. Otherwise hold to expiry.",
		"buy the favorite, sell at 40c":                     "Stop loss at 40c. Otherwise hold to expiry.",
	} {
		_, exits, ok := strings.Cut(entry(t, prompt), ". ")
		if _, after, cut := strings.Cut(entry(t, prompt), "at the start. "); cut {
			exits = after
		}
		require.True(t, ok, prompt)
		require.Equal(t, want, exits, prompt)
	}
}

// A value that a reading rule chose is noted, one that was said is not; Said has the
// fields that were set or waived, and no defaults.
func TestNotesAndSaid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		prompt, note, value string
		said                []string
	}{
		{"buy up below 40c at the open", "at the open is read as in the first 10 seconds", "10", []string{"entry", "side"}},
		{"buy up at the open", "", "", []string{"entry", "side"}},
		{"buy the underdog", "the favorite is the side above 0.50, the underdog the one below", "0.5", []string{"side"}},
		{"buy the favorite above 70c", "", "", []string{"side"}},
		{"buy the favorite below 70c", "the favorite is the side above 0.50, the underdog the one below", "0.5", []string{"side"}},
		{"buy up below 40c, no take profit, any coin", "", "", []string{"exit.take_profit", "market.coin", "side"}},
		{"buy up below 40c, 15m, $100 per trade, sample of 50", "", "", []string{"budget_per_trade", "market.market_type", "sample_size", "side"}},
	} {
		res, f := build(t, c.prompt, meaning.Overrides{})
		require.Nil(t, f, c.prompt)
		var said []string
		for field, yes := range res.Said {
			if yes {
				said = append(said, field)
			}
		}
		require.ElementsMatch(t, c.said, said, c.prompt)
		if c.note == "" {
			require.Empty(t, res.Notes, c.prompt)
			continue
		}
		require.Equal(t, []strategy.Assumption{{Field: "entry", Value: json.RawMessage(c.value), Why: c.note}}, res.Notes, c.prompt)
	}
}

// A limit that is said beside the items bounds what is paid, like a condition.
func TestLimitBoundsWhatIsPaid(t *testing.T) {
	t.Parallel()
	_, f := build(t, "buy up, sell at 30c", meaning.Overrides{})
	require.Equal(t, meaning.Unclear, f.Kind)
	limit := strategy.Number(200_000)
	res, f := build(t, "buy up, sell at 30c", meaning.Overrides{Limit: &limit})
	require.Nil(t, f)
	require.Equal(t, strategy.Number(300_000), *res.Strategy.Exit().TakeProfit)
}

// Messages of the strategy package lose its field paths and names.
func TestInWords(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"strategy.exit.stop_loss_offset: 0 is out of range":         "the stop: 0 is out of range",
		"strategy.entry[1].threshold and strategy.then[0].when":     "the entry and the further order",
		"strategy.exit.hold_to_expiry beside strategy.market.coin":  "the exit beside the coin",
		"best_ask opposite lte 0.25 cannot hold with price gt -0.5": "the other side's best ask at most 0.25 cannot hold with price above -0.5",
		"time_elapsed gte 600": "time elapsed at least 600",
		"strategy.unheard_of: expected one of lt, gt and 0.3 as given": "the strategy: expected one of lt, gt and 0.3 as given",
	} {
		require.Equal(t, want, meaning.InWords(message))
	}
}
