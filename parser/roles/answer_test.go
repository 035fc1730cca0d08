package roles_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/roles"
	"github.com/ladderback/ladderback/parser/rules"
	"github.com/ladderback/ladderback/strategy"
)

func behind(t *testing.T, prompt, means string) (int, bool) {
	t.Helper()
	res, no := rules.Read(means, rules.Overrides{})
	require.Nil(t, no, means)
	p := grammar.New(prompt)
	defer p.Close()
	return roles.Behind(p, &res.Strategy)
}

// What a prompt says is behind nothing or little, the same with one thing wrong far behind, or it says what the
// prompt cannot mean.
func TestBehind(t *testing.T) {
	t.Parallel()
	for prompt, c := range map[string]struct {
		right string
		wrong []string // far behind
		never []string // not of the prompt
	}{
		"xrp 5m: when Up nukes 9c inside 40 seconds im on it, +5c or bust": {
			"Buy Up on XRP 5m when it has fallen by at least 9c in 40 seconds, take profit 5c above entry",
			[]string{"Buy Up on XRP 5m when it has fallen by at least 9c in 40 seconds, stop 5c below entry", "Buy Up on XRP 5m below 9c, max hold 40 seconds, take profit 5c above entry"},
			[]string{
				"Buy Up on XRP 5m when it has fallen by at least 8c in 40 seconds, take profit 5c above entry",
				"Buy Up on ETH 5m when it has fallen by at least 9c in 40 seconds, take profit 5c above entry",
				"Buy Up on XRP 1h when it has fallen by at least 9c in 40 seconds, take profit 5c above entry",
				"Buy Up on XRP 5m when Down has fallen by at least 9c in 40 seconds, take profit 5c above entry",
				"Buy Up on XRP 5m when it has fallen by at least 9c in 40 seconds, take profit 5c above entry, stop at 5c",
			},
		},
		"sol 5m Up under 35c, 80 bucks. shave half off at 55c, moonbag goes to 90c, stop is 20c": {
			"Buy Up on SOL 5m below 35c, $80 per trade, sell half at 55c and the rest at 90c, stop at 20c",
			[]string{"Buy Up on SOL 5m below 35c, $80 per trade, take profit at 55c, stop at 20c"},
			[]string{"Buy Up on SOL 5m below 35c, $80 per trade, sell a third at 55c and the rest at 90c, stop at 20c"},
		},
		"SOL 5m favorite, last minute, hodl it": {
			"Buy the favorite on SOL 5m in the last minute", nil, []string{"Buy either side on SOL 5m in the last minute when its spread is at most 2c"},
		},
	} {
		by, ok := behind(t, prompt, c.right)
		require.True(t, ok, prompt)
		require.LessOrEqual(t, by, 80, prompt)
		for _, means := range c.wrong {
			by, ok := behind(t, prompt, means)
			require.True(t, !ok || by > 80, "%s: %d", means, by)
		}
		for _, means := range c.never {
			_, ok := behind(t, prompt, means)
			require.False(t, ok, means)
		}
	}
}

// Numbers of a strategy are found in a prompt whatever their unit.
func TestFieldsOfAStrategy(t *testing.T) {
	t.Parallel()
	res, no := rules.Read("Buy Up on BTC 1h below 35c in the first quarter, $50, sell half at 60c, stop at 20c", rules.Overrides{})
	require.Nil(t, no)
	length, _ := strategy.Length("1h")
	p := grammar.New("15 minutes or 0.25 of it, 60 cents, 0.35, 20, fifty, half")
	defer p.Close()
	numbers := roles.Numbers(p)
	found := map[string][]string{}
	for _, f := range roles.Fields(&res.Strategy) {
		for i := range numbers {
			if f.Of(&numbers[i], length) {
				found[f.Role] = append(found[f.Role], p.Text(numbers[i].From, numbers[i].To))
			}
		}
	}
	require.Equal(t, map[string][]string{
		"price.lt": {"0.35"}, "within": {"15 minutes"}, "stop_loss": {"20"}, "budget": {"fifty"}, "sample": {"fifty"},
		"its bid is at least #c": {"60 cents"}, "sell a fraction of # of it": {"half"},
	}, found)
}
