package rules_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/parser/rules"
)

// Without what a prompt says of orders what rests would take, and without a length that is
// not there another market is traded: nothing is suggested.
func TestOrdersAndLengthsAreNotLeftOut(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{
		"Post only: buy Up on BTC 15m at 37 cents, take profit at 49 cents, $70.",
		"Patience is a virtue. Post only: buy Up on BTC 15m at 37 cents",
		"Limit order! Buy Up on BTC 15m below 37 cents",
		"week markets of BTC: buy Up below 40c",
		"The month market of bitcoin. Buy Up below 40c",
		"bid 30c for Up on BTC 15m, cancel it in the first 2 minutes",
		"No limit orders. Bid 30c for Up",
		"Buy Up below 40c, half at 30c",      // of what is it half?
		"mood bearish -> buy Down below 40c", // what an arrow follows from
		"so i like resting. Buy Up below 30c",
		"merge: nothing. Bid 45c on Up and 45c on Down from the open",
	} {
		_, refusal := rules.Read(prompt, rules.Overrides{})
		require.NotNil(t, refusal, prompt)
		require.Empty(t, market.AsError(refusal).Suggestion, prompt)
	}
}

// What turns what stands beside it, or takes back what stands before it, is not left out: nothing is
// offered that says the opposite.
func TestWhatTurnsIsNotLeftOut(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{
		"Buy Up if it fails to reach 60c",
		"Buy Up if it refuses to drop below 40c",
		"Buy Up absent a 10c drop in 2 minutes",
		"Oppose the favorite above 80c",
		"Bet that Up loses",
		"Buy Up below 40c. Forget ETH.",
		"Buy Up below 40c. ETH is too thin.",
		"Buy Up below 40c. I gave up on ETH.",
		"Buy Up below 40c. No ETH.",
		"Buy Up below 40c. I avoid the hourly.",
		"Buy Up below 40c, sell at 60c, halting at minute 10",
		"Buy Up below 40c, sell at 60c. Drop the target.",
		"Buy Up below 40c, stop 20c. Actually no stop.",
		"Buy Up below 40c. Pause at 60c.",
		"buy up under 40, max drawdown $30",
		"Buy up under 40c on BTC 15m with $50, stop 20c, passive.",
		"buy the zork okay buy up below 35c",
	} {
		_, refusal := rules.Read(prompt, rules.Overrides{})
		require.NotNil(t, refusal, prompt)
		require.Empty(t, market.AsError(refusal).Suggestion, prompt)
		require.Nil(t, market.AsError(refusal).Confirm, prompt)
	}
}

// What is nearly read is offered with the words that it leaves out, none of which holds
// anything; where a word with a meaning would be left out, nothing is.
func TestNearlyRead(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string][]string{
		"buy up below 40c my dude, all glory to the hypnotoad zorg":                    {"glory to the hypnotoad zorg"},
		"thinking bnb hourly is good at buy Up at 0,3 with sell at 0,5":                {"at"},
		"Buy Up below 40c. Anything but ETH.":                                          nil,
		"buy up below 40c before minute 5, no, 6":                                      nil,
		"buy up when the zorb index is below 40 and the price is 30c":                  nil,
		"buy up below 40c, glork 20c":                                                  nil,
		"btc 15m under 35c tp 55c":                                                     nil,
		"buy up under 40c with at least 3 to 4 minutes left":                           nil,
		"buy Down at -20c, btc 15m":                                                    nil,
		"buy up when it's 35c exactly":                                                 nil,
		"buy the dip on up lol, btc 5m":                                                nil,
		"Buy Up Bitcoin 5 minutes max 41 cents. For the last minute, stop is 36 cents": nil,
		"buy up on btc 15m under 40c, zork only":                                       nil,
		"buy up below 35%":                                                             nil,
	} {
		_, refusal := rules.Read(prompt, rules.Overrides{})
		require.NotNil(t, refusal, prompt)
		e := market.AsError(refusal)
		if want == nil {
			require.Nil(t, e.Confirm, prompt)
			continue
		}
		require.NotNil(t, e.Confirm, prompt)
		require.Equal(t, market.CodeBadRequest, e.Code)
		var left []string
		for _, s := range e.Confirm.LeftOut {
			require.Equal(t, s.Text, string([]rune(prompt)[s.Start:s.End]))
			require.Contains(t, e.Message, s.Text)
			left = append(left, s.Text)
		}
		require.Equal(t, want, left, prompt)
		res, no := rules.Read(e.Suggestion, rules.Overrides{})
		require.Nil(t, no, e.Suggestion)
		object, err := json.Marshal(res.Strategy)
		require.NoError(t, err)
		require.JSONEq(t, string(object), string(e.Confirm.Strategy))
		require.Equal(t, res.Strategy.Summary(), e.Confirm.Summary)
	}
}

// A prompt that can be read in two ways comes with both.
func TestTwoReadingsAreChoices(t *testing.T) {
	t.Parallel()
	_, refusal := rules.Read("buy up if it trades up to 65c", rules.Overrides{})
	require.NotNil(t, refusal)
	e := market.AsError(refusal)
	require.Len(t, e.Choices, 2)
	require.Nil(t, e.Confirm)
	for _, c := range e.Choices {
		require.Contains(t, refusal.Message, c.Summary)
		res, no := rules.Read(c.Summary, rules.Overrides{})
		require.Nil(t, no)
		object, err := json.Marshal(res.Strategy)
		require.NoError(t, err)
		require.JSONEq(t, string(object), string(c.Strategy))
	}
}

// Every word that is misspelt is named with what it may mean, and the prompt with those
// words is suggested.
func TestMisspeltWordsAreNamed(t *testing.T) {
	t.Parallel()
	_, refusal := rules.Read("buy up blow 40c wth a spead of 2c or less", rules.Overrides{})
	require.NotNil(t, refusal)
	require.Contains(t, refusal.Message, `did you mean`)
	_, refusal = rules.Read("Bye Up on BTC 15m wen Up drps below 35 cnts", rules.Overrides{})
	require.NotNil(t, refusal)
	for _, word := range []string{"buy", "drops", "cents"} {
		require.Contains(t, refusal.Message, `did you mean "`+word+`"`)
	}
	require.Equal(t, "buy Up on BTC 15m wen Up drops below 35 cents", market.AsError(refusal).Suggestion)
}

// What is refused is refused for what it says.
func TestReasonsAreTheRightOnes(t *testing.T) {
	t.Parallel()
	for prompt, why := range map[string]string{
		"buy up below 30c on very short markets": `"on very short markets": a market lasts`,
		"OP: buy up below 30c on BTC 15m":        `"OP:": this is read as a whole`,
	} {
		_, refusal := rules.Read(prompt, rules.Overrides{})
		require.NotNil(t, refusal, prompt)
		require.Contains(t, refusal.Message, why)
	}
}

// A sentence or what leads in a list that gives no value is left out of what is suggested,
// where the rest has what it names.
func TestWordsBesideRulesAreLeftOut(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"Late-round favourite: either side, price > 0.93, BTC 5m":                                       "either side, price > 0.93, BTC 5m",
		"scalp zqn: up sol 15m under 48c, don't hold to expiry":                                         "up sol 15m under 48c, don't hold to expiry",
		"The argument for hourly rounds is that noise averages out. ETH hourly, Up at 60c, exit at 80c": "ETH hourly, Up at 60c, exit at 80c",
		"The argument for hourly rounds is that noise averages out. ETH 5m, Up at 60c, exit at 80c":     "", // another length
		"ETH fan club: Up under 40c on BTC 15m":                                                         "", // another coin
		"ETH will surely go up today, zork. Buy Up below 40c":                                           "", // another coin
		"Would you dare running Down, BNB 15m, 36c or lower, $20":                                       "Down, BNB 15m, 36c or lower, $20",
		"zorky maker idea: btc 5m: bid 40c on up, post only, cancel after 15 secs":                      "Buy Up on BTC 5m markets at the start. Hold to expiry. $100 per trade. Sample of 50 markets. Rest at 40c, post only, cancelled after 15 seconds.", // told
		"My maker setup (critique wanted): buy Up on BTC 15m below 40c":                                 "",                                                                                                                                                 // it does not rest
		"buy Down on BTC 5m under 9c, hoping for a pullback; exit at 15c":                               "buy Down on BTC 5m under 9c, hoping; exit at 15c",
		"Two triggers, same trade: Up XRP 15m under 28c, or Up XRP 15m gaining 7c in 30s. TP 50c.":      "", // either
		"coin: ADA\nround: 1h\nside: Up\ncross: above 0.55\ntarget: 0.70":                               "", // a key of it
		"Buy Up on BTC 15m below 40c\nnever: spread > 3c":                                               "", // the other way round
		"Buy Up on BTC 15m below 40c. 10m before end -> sell some":                                      "", // what is done then
		"Buy Up on BTC 15m below 40c, few hundred rounds":                                               "", // how many
		"Disable re-entry. Buy Up below 35c on BTC 15m, stop at 20c, re-enter twice.":                   "", // or none
		"cross: above 0.55\ncoin: ADA\nround: 1h\nside: Up\ntarget: 0.70":                               "", // the first key of all
		"never: spread > 3c\nBuy Up on BTC 15m below 40c":                                               "",
		"+1 to the guy above. I do SOL 5m, Up above 70c":                                                "", // of what is the 1?
		"sell short Down at 70c, BTC 15m":                                                               "", // another thing
		"buy up when it dumps, btc 5m":                                                                  "", // when?
		"The Up token's ask, not its bid, under 35c; buy Up":                                            "", // of what?
		"buy up below 40c, then zork must recover":                                                      "",
		"side: up\nentry: price < 0.4 && !(spread > 0.02)":                                              "",
	} {
		_, refusal := rules.Read(prompt, rules.Overrides{})
		require.NotNil(t, refusal, prompt)
		require.Equal(t, want, market.AsError(refusal).Suggestion, prompt)
	}
}

// What is left with two readings comes with both.
func TestChoicesOfWhatIsLeft(t *testing.T) {
	t.Parallel()
	_, refusal := rules.Read("Zork the whales, folks. buy up if it trades up to 65c", rules.Overrides{})
	require.NotNil(t, refusal)
	e := market.AsError(refusal)
	require.Len(t, e.Choices, 2)
	require.Empty(t, e.Suggestion)
	require.Contains(t, e.Message, `both leave out "Zork the whales, folks"`)
}
