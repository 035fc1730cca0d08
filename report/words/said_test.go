package words_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/compare"
	"github.com/ladderback/ladderback/internal/backtesttest"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/report/words"
)

// A report in sentences says what the other renderings say.
func TestSay(t *testing.T) {
	t.Parallel()
	b := backtesttest.Body(backtesttest.Build(t, backtesttest.Result(40)))
	said := words.Say(b)
	require.Equal(t, words.Verdict(b.Report), [2]string{said.Verdict, said.Why})
	require.Equal(t, words.Headline(b.Report), said.Headline)
	require.Len(t, said.Tiles, 7)
	for _, tile := range said.Tiles {
		require.NotEmpty(t, tile.Name)
		require.NotEmpty(t, tile.Help, tile.Name)
		require.NotEmpty(t, tile.Note, tile.Name)
	}
	require.Contains(t, said.Tiles[3].Note, "if held to expiry", "the edge is not that of the exits")
	require.Len(t, said.Funnel, 6, "nothing was asked of the coverage")
	require.Equal(t, words.Breakdowns(b.Report), said.Breakdowns)

	none := words.Say(backtesttest.Body(backtesttest.Build(t, backtesttest.Result(0))))
	require.Empty(t, none.Tiles)
	text, err := json.Marshal(none)
	require.NoError(t, err)
	require.NotContains(t, string(text), "null", "lists are lists")
}

// What a warning asks of a terminal becomes another replay that is offered; no flag is
// left in any sentence.
func TestSayWarnings(t *testing.T) {
	t.Parallel()
	res := backtesttest.Result(40)
	for i := range res.Markets {
		res.Markets[i].Round.Coverage = 400_000
	}
	res.Inferred = 62
	res.Refusals[replay.Capped] = 3
	said := words.Say(backtesttest.Body(backtesttest.Build(t, res)))
	offered := make(map[string]words.Instead)
	for _, w := range said.Warnings {
		require.NotContains(t, w.Text, "--")
		for _, one := range w.Remedies {
			offered[one.Label] = one.Options
		}
	}
	require.Equal(t, map[string]words.Instead{
		"Leave out rounds with holes":                  {MinCoverage: 900_000},
		"Replay with inferred winners: 62 more rounds": {Winners: replay.WinnersInferred},
		"Pay any ask": {MaxSlippage: "none"},
	}, offered)
}

// Without a round to replay, those of the same coin and length that wait for inferred
// winners are offered.
func TestSayNothing(t *testing.T) {
	t.Parallel()
	b := backtesttest.Body(backtesttest.Build(t, backtesttest.Result(0)))
	m := b.Strategy.Market()
	b.Report.Available = []backtest.Holding{
		{Coin: m.Coin, Type: m.Type, First: backtesttest.FirstRound, Last: backtesttest.FirstRound, Inferred: 62},
		{Coin: "DOGE", Type: m.Type, First: backtesttest.FirstRound, Last: backtesttest.FirstRound, Inferred: 9},
	}
	said := words.Say(b)
	require.Equal(t, "Nothing to replay", said.Verdict)
	require.Contains(t, said.Nothing[1], "62 more with inferred winners")
	require.Equal(t, []words.Remedy{{Label: "Replay with inferred winners: 62 rounds", Options: words.Instead{Winners: replay.WinnersInferred}}}, said.Remedies)
	b.Report.Options.Winners = replay.WinnersInferred
	require.Empty(t, words.Say(b).Remedies)
}

func TestSaySweepAndComparison(t *testing.T) {
	t.Parallel()
	s := backtesttest.SweepBody(backtest.SweepLuck).Sweep
	said := words.SaySweep(s)
	require.Equal(t, words.SweepVerdict(s), [2]string{said.Verdict, said.Why})
	require.Equal(t, words.SweepBest(s), "The best: "+words.SweepValues(s.Axes, s.Best.Values)+". "+said.Best)
	b := backtesttest.Body(backtesttest.Build(t, backtesttest.Result(40)))
	c, err := compare.Runs(b, b)
	require.NoError(t, err)
	require.Equal(t, words.Pair(&c.Numbers[0]), words.SayComparison(c).Words.Numbers[0])
}
