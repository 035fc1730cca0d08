package rules_test

import (
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/rules"
)

const longestPrompt = 2000

// Prompts that are made to be much work: what can go on for ever in the tables.
var hostile = []string{
	"up below 40c and ", "up or down or ", "10 to ", "not not ", "(", "minute 3 ", "sell at 50c or ", "actually ", "a ", "if up ", "bid depth ask ", "0.5,",
	"up under 30c or (", "in the last 5 minutes or ", "unless ", "1 2 3 ", "buy up ", "up 40c ", "- up < 40c\n", "spread spread ", "5m btc ", "50 ", "price ", "at ", "$5 per trade ", "one hundred and ",
	"[0.3, 0.4) ", "aaaaaaaaab ", "🚀", "15m ", "BTC ", "BTC ETH ", "5m btc ", "xyz < ", "up.price<0.4&&",
	"$20 more at 35c, ", "take profit at 60c and cancel if ", "add another $50 if it drops to 20c, ", "then buy down when ", "once more ", "post only, ",
	"sell half if it rises above 60c, ", "order 1: buy $20 of it, ", "cancel if the spread, the ask, ",
}

// Work and memory are bounded on any prompt of the longest that is read.
func TestWorkIsBounded(t *testing.T) {
	_, _ = rules.Read("bid 40c for up", rules.Overrides{}) // builds the tables, those of orders too
	for _, unit := range hostile {
		prompt := strings.Repeat(unit, longestPrompt/utf8.RuneCountInString(unit))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _ = rules.Read(prompt, rules.Overrides{})
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(32<<20), "%q", unit)
		p := grammar.New(prompt)
		require.Less(t, p.Steps(), grammar.MaxSteps+1000, "%q", unit)
		p.Close()
	}
}

// What is refused again and again is refused with work in the measure of its length: a
// prompt four times as long takes at most six times the allocations, which all reading
// makes, and which do not depend on the machine.
func TestWorkGrowsWithThePrompt(t *testing.T) {
	for _, unit := range []string{"8% ", "8%. ", "news, ", "no RSI ", "if btc pumps "} {
		work := func(length int) float64 {
			prompt := strings.Repeat(unit, length/len(unit))
			return testing.AllocsPerRun(1, func() {
				_, refusal := rules.Read(prompt, rules.Overrides{})
				require.NotNil(t, refusal)
			})
		}
		require.Less(t, work(longestPrompt), 6*work(longestPrompt/4), "%q", unit)
	}
}

// Telling what may be passed over is no more work a word in a long prompt: four times the
// words are at most six times the tokens that are gone through.
func TestPassingOverGrowsWithThePrompt(t *testing.T) {
	for _, unit := range []string{"15m ", "BTC ", "BTC ETH ", "5m btc ", "xyz < ", "5 xyz "} {
		work := func(length int) (n int) {
			p := grammar.New(strings.Repeat(unit, length/len(unit)))
			defer p.Close()
			if again := p.Again(); again != nil {
				defer again.Close()
				n = again.Looked()
			}
			return n + p.Looked()
		}
		require.Less(t, work(longestPrompt), 6*work(longestPrompt/4)+longestPrompt, "%q", unit)
	}
}

// Whatever the prompt is, there is either a strategy or a message, and what is
// suggested can be read.
func FuzzRead(f *testing.F) {
	for _, unit := range hostile {
		f.Add(strings.Repeat(unit, 4))
	}
	f.Add("buy up below 40c if funding is positive, tp 60c")
	f.Fuzz(func(t *testing.T, prompt string) {
		if utf8.RuneCountInString(prompt) > longestPrompt {
			return
		}
		res, refusal := rules.Read(prompt, rules.Overrides{})
		if refusal == nil {
			require.NotEmpty(t, res.Trace.Summary)
			return
		}
		require.NotEmpty(t, refusal.Message)
		for _, p := range refusal.At() {
			require.Less(t, p.Start, p.End)
			require.LessOrEqual(t, p.End, utf8.RuneCountInString(prompt))
		}
		if refusal.Offer().Suggestion != "" {
			_, again := rules.Read(refusal.Offer().Suggestion, rules.Overrides{})
			require.Nil(t, again, refusal.Offer().Suggestion)
		}
	})
}
