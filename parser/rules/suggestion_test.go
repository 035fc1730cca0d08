package rules_test

import (
	"bufio"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/internal/labelled"
	"github.com/ladderback/ladderback/internal/realdata"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/parser/rules"
)

// labelledSets are the prompts of all labelled sets; those without a label of
// their own have a summary or a refusal behind them.
func labelledSets(t *testing.T) []labelled.Prompt {
	out := append(labelled.Read(t, "../testdata/prompts.jsonl"), labelled.Read(t, "../testdata/prompts2.jsonl")...)
	f, err := os.Open("../testdata/language.txt")
	require.NoError(t, err)
	defer f.Close()
	for in := bufio.NewScanner(f); in.Scan(); {
		if prompt, ok := strings.CutPrefix(in.Text(), "> "); ok {
			out = append(out, labelled.Prompt{Prompt: prompt})
		}
	}
	return out
}

var (
	number   = regexp.MustCompile(`\d+(\.\d+)?`)
	holdable = regexp.MustCompile(`(?i)\d ?(c|¢|cents?|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b|\$ ?\d|\d ?(dollars|bucks)|\b(tp|sl|take profit|target|stop at|markets|rounds|per trade)\b`)
	exitWord = regexp.MustCompile(`(?i)\b(trail\w*|sell)\b`)
)

func TestSuggestionsLoseNothing(t *testing.T) {
	t.Parallel()
	require.Greater(t, checkSuggestions(t, labelledSets(t)), 10)
}

func TestSuggestionsLoseNothingOutside(t *testing.T) {
	t.Parallel()
	n := 0
	for _, name := range []string{"dev.jsonl", "voices.jsonl"} {
		n += checkSuggestions(t, labelled.Read(t, realdata.Prompts(t, name)))
	}
	require.Positive(t, n)
}

// checkSuggestions holds that a suggestion can be read, leaves no number or exit
// out that a strategy can hold, adds no number, and where the prompt has a
// strategy means that. It returns how many suggestions there were.
func checkSuggestions(t *testing.T, list []labelled.Prompt) (suggested int) {
	t.Helper()
	for _, l := range list {
		_, refusal := rules.Read(l.Prompt, rules.Overrides{})
		if refusal == nil || refusal.Offer().Suggestion == "" {
			continue
		}
		suggested++
		res, again := rules.Read(refusal.Offer().Suggestion, rules.Overrides{})
		require.Nil(t, again, "%s\n%s", l.Prompt, refusal.Offer().Suggestion)
		if len(l.Strategies) > 0 {
			require.True(t, l.Strategies[0].Equal(res.Strategy), "%s\n%s", l.Prompt, refusal.Offer().Suggestion)
		}
		if refusal.Offer().Likely != nil { // another text than the prompt's
			continue
		}
		left := ""
		for _, words := range refusal.Offer().LeftOut {
			require.Equal(t, words.Text, string([]rune(l.Prompt)[words.Start:words.End]))
			require.Contains(t, market.AsError(refusal).Message, words.Text)
			left += " " + words.Text
		}
		require.NotRegexp(t, holdable, left, l.Prompt)
		if exitWord.MatchString(left) { // in a sentence without a value of it
			require.True(t, res.Strategy.Exit().Sells(), "%s\n%s", l.Prompt, refusal.Offer().Suggestion)
		}
		kept := number.FindAllString(refusal.Offer().Suggestion, -1)
		require.ElementsMatch(t, number.FindAllString(l.Prompt, -1), append(kept, number.FindAllString(left, -1)...), l.Prompt)
	}
	return suggested
}

// What is offered, and what is not: nothing is offered that loses a part of the
// prompt which a strategy can hold, or puts one in that it does not have.
func TestSuggestions(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"Buy Up below 40c if funding is positive, tp 60c":                                     "Buy Up below 40c, tp 60c",
		"Buy Up when BTC rises 2% and Up is below 40c":                                        "Buy Up when Up is below 40c",
		"Up under 35%, BTC 15m, sl 20c":                                                       "Up under 35c, BTC 15m, sl 20c",
		"buy up below 40c unless the Fed speaks. $20.":                                        "buy up below 40c. $20.",
		"Zorbs glimmer above all, as sure as night. Buy Down on BTC 1h at 15c":                "Buy Down on BTC 1h at 15c",
		"Volume always leads. Buy Up on BTC 15m under 60c when Binance volume spikes, tp 70c": "Buy Up on BTC 15m under 60c, tp 70c",
		"My instinct: buy up below 40c, then it must recover":                                 "",
		"Zorb above all with a trailing stop. Buy up below 40c":                               "", // an exit, maybe
		"coin: ETH\nside: up\nentry: macd crosses above signal\nbudget: 100":                  "", // nothing of the entry is left
		"buy up when RSI is below 30":                                                         "", // nothing of the condition is left
		"buy up when ETH rises 2%, below 40c":                                                 "", // the coin is left
		"Buy Up if it falls 10c in 1 minute then rises 3c":                                    "",
		"buy up below 40c, sell most at 55c":                                                  "",
		"buy up below 40c, tp 20%":                                                            "", // of what?
		"buy up below 40c or when RSI is below 30":                                            "",
		"weekly bitcoin: buy up below 40c":                                                    "",
		"btc 15m under 35c tp 55c":                                                            "",
		"never buy up above 60c":                                                              "",
		"I think Down is too cheap at the start. Buy Down below 40c":                          "Buy Down below 40c",
		"I think Up is too cheap at the start. Buy Down below 40c":                            "", // another side
		"Can I zork with a trailing stop? Buy Up below 40c":                                   "", // it has none
	} {
		_, refusal := rules.Read(prompt, rules.Overrides{})
		require.NotNil(t, refusal, prompt)
		require.Equal(t, want, refusal.Offer().Suggestion, prompt)
	}
}

// A refusal names its phrases, once each remedy, in a trader's words.
func TestWordsOfRefusals(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"buy up btc 15m below 40c, tp 35c":             `"buy up btc 15m below 40c", "tp 35c": the take profit: 0.35 can fire at the entry price itself, as the entry asks for Up's price below 0.4: expected a take profit above 0.4`,
		"buy up below 50c, tp 60c, sl 65c":             `"tp 60c", "sl 65c": the take profit: 0.6 must be above the stop 0.65`,
		"take_profit: 0.55\nbuy up\ntake_profit: 0.60": `"take_profit: 0.55", "take_profit: 0.60": two values for the take profit; give one`,
		"buy up btc 15m at 40c and add again at 30c":   `"add again at 30c": say how often and after what: "re-enter up to 3 times, a minute apart, after a stop" or "up to 3 entries per round"`,
		"XRP 30m / Down under 40c":                     `"30m": a market lasts 5m, 15m, 1h, 4h or 1d; say one of them`,
		"Never buy Up above 60 cents on Bitcoin 15m.":  `this only says what not to buy; say what to buy, and when: "buy Up when Up is at most 60c"`,
		"buy up below 105c":                            `"below 105c": this number is too large, too fine or out of range; a price lies between 0 and 1 dollar, such as "35c"`,
	} {
		_, refusal := rules.Read(prompt, rules.Overrides{})
		require.NotNil(t, refusal, prompt)
		require.Equal(t, want, refusal.Message, prompt)
	}
}

// The phrases of a refusal are where they are said to be.
func TestPhrasesOfRefusals(t *testing.T) {
	t.Parallel()
	prompt := "¿Qué? 📈 buy up below 35% – martingale"
	_, refusal := rules.Read(prompt, rules.Overrides{})
	require.NotNil(t, refusal)
	require.NotEmpty(t, refusal.At())
	for _, p := range refusal.At() {
		require.Equal(t, p.Text, string([]rune(prompt)[p.Start:p.End]))
		require.Contains(t, p.Message, p.Text)
	}
}

// TestReadAllTheSame: a refusal shows what was read of the prompt beside what was
// not, in order and without overlap; neither covers the other.
func TestReadAllTheSame(t *testing.T) {
	t.Parallel()
	prompt := "Buy Up on BTC 15m when Up drops below 35 cents and RSI is under 30, stop at 20c, $50 per trade"
	_, refusal := rules.Read(prompt, rules.Overrides{})
	require.NotNil(t, refusal)
	var fields []string
	end := 0
	for _, s := range refusal.Spans {
		require.GreaterOrEqual(t, s.Start, end)
		end = s.End
		require.Equal(t, s.Text, string([]rune(prompt)[s.Start:s.End]))
		fields = append(fields, s.Field)
		for _, p := range refusal.At() {
			require.False(t, s.Start < p.End && p.Start < s.End, "%q was read, and %q was not", s.Text, p.Text)
		}
	}
	require.Subset(t, fields, []string{"market.coin", "market.market_type", "side", "entry", "exit.stop_loss", "budget_per_trade"})
}
