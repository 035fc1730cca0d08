package rewrite_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/parser/rewrite"
	"github.com/ladderback/ladderback/parser/rules"
	"github.com/ladderback/ladderback/strategy"
)

// read reads a prompt as the rules do.
func read(prompt string) ([]strategy.Canonical, []rewrite.Obstacle) {
	res, refusal := rules.Read(prompt, rules.Overrides{})
	if res != nil {
		return []strategy.Canonical{res.Strategy}, nil
	}
	var list []rewrite.Obstacle
	for _, k := range refusal.Obstacles {
		list = append(list, rewrite.Obstacle{Start: k.Start, End: k.End, Outside: k.Outside, Unread: k.Unread, Why: k.Why})
	}
	return nil, list
}

// nearest is the nearest prompt to one that is refused, and the words that it leaves out.
func nearest(t *testing.T, prompt string) (rewrite.Suggestion, []string) {
	t.Helper()
	says, obstacles := read(prompt)
	require.Empty(t, says, "%q can be read", prompt)
	require.NotEmpty(t, obstacles, prompt)
	s := rewrite.Nearest(prompt, obstacles, read)
	var out []string
	for _, at := range s.LeftOut {
		out = append(out, string([]rune(prompt)[at[0]:at[1]]))
	}
	return s, out
}

// TestNearest: what is left out of prompts, and what is kept; without a suggestion something
// would be lost that a strategy can say.
func TestNearest(t *testing.T) {
	t.Parallel()
	const below = "Buy Up below 35c"
	for _, c := range []struct {
		prompt, want string
		out          []string
		nearly       bool
	}{
		// Words that hold nothing, in a clause of which the rest is read.
		{"Bye Up on BTC 15m when Up drops below 35 cents", "Up on BTC 15m when Up drops below 35 cents", []string{"Bye"}, true},
		{"Buy Up on zork below 35c", below, []string{"on zork"}, true},
		{below + ", last 200 markets zork style", below + ", last 200 markets", []string{"zork style"}, true},
		{below + " zork 7", "", nil, false},
		{"zork 5 buy Up below 35c", "", nil, false},
		{below + ", zork after 5 minutes", "", nil, false},
		{below + " week markets", "", nil, false},
		{below + ", hodl \"zork\" style", "", nil, false},

		// Whole clauses, from their joint on, and sentences of talk.
		{below + " if funding is positive", below, []string{"if funding is positive"}, false},
		{below + " when the moon is zorky", below, []string{"when the moon is zorky"}, false},
		{below + " unless the RSI is above 70", below, []string{"unless the RSI is above 70"}, false},
		{below + " and if funding is positive and the spread is below 2c", below + " and if the spread is below 2c", []string{"funding is positive and"}, false},
		{"Buy Up when RSI is below 30 and Up below 35c", "Buy Up when Up below 35c", []string{"RSI is below 30 and"}, false},
		{below + " or if funding is positive", "", nil, false},
		{"Buy Up when RSI is below 30", "", nil, false},
		{"Buy Up when the moon is zorky", "", nil, false},
		{below + ", news permitting, take profit at 55c", below + ", take profit at 55c", []string{"news permitting"}, false},
		{"cheap tickets are overpriced, so the other side is worth it. " + below + ".", below + ".", []string{"cheap tickets are overpriced, so the other side is worth it"}, false},
		{below + ", except on Mondays", "", nil, false},
		{below + ", double after a loss", "", nil, false},

		// What talk names has to be in what is left, or stays where it is of the market.
		{"my trailing zork is sad. " + below + ", trail by 5c", below + ", trail by 5c", []string{"my trailing zork is sad"}, false},
		{"my trailing zork is sad. " + below, "", nil, false},
		{"Down is for zorks. " + below, "", nil, false},

		// Values stay, times too.
		{below + ", but not in the first minute, that is too zorky for me", below + ", but not in the first minute, that is too", []string{"zorky for me"}, true},
		{"The second half is zorky. " + below + " in the second third", "", nil, false},
		{"Above 35c it is zorky. " + below, "", nil, false},
		{below + ", zork 35c", "", nil, false},

		// Numbers, and names of prompts.
		{"name: zork 30c\nside: up\nentry: below 35c", "", nil, false},
		{below + ". Two zorks.", "", nil, false},
		{below + ". Two-share grumble.", "", nil, false},
		{below + ". Three-round grumble.", below + ". Three-round.", []string{"grumble"}, true},
		{"Day 12 of testing zorks on 20 rounds: buy up below 35c", "", nil, false},
		{"Nobody wants to zork up in March. Buy Down below 35c", "Buy Down below 35c", []string{"Nobody wants to zork up in March"}, false},
		{"Nobody wants to zork Up tokens in March. Buy Down below 35c", "", nil, false},
		{"Zorking up on my thread from March. Bid 35c for Up", "Bid 35c for Up", []string{"Zorking up on my thread from March"}, false},
		{"zork: 3\nside: up\nentry: below 35c\nzork: 3", "", nil, false},
		{"buy the zork okay buy up below 35c", "", nil, false},

		// What is said of orders, where what is left rests.
		{"Bid 30c for Up, iceberg style", "Bid 30c for Up", []string{"iceberg style"}, false},
		{"Bid 30c for Up, fill or kill", "Bid 30c for Up", []string{"fill or kill"}, false},
		{below + ", fill or kill", "", nil, false},
		{below + ", post only", "", nil, false},

		// Percentages that turn out to be prices.
		{"Buy Up on BTC 15m below 35%", "Buy Up on BTC 15m below 35c", nil, false},
		{"Buy Up when the ask is at most 35 percent and the bid above 20%", "Buy Up when the ask is at most 35c and the bid above 20c", nil, false},
		{"Buy Up when the spread is below 5%", "", nil, false},
		{below + ", take profit at 55%", "", nil, false},
		{"Buy Up below 35% of my bankroll on BTC 15m", "", nil, false},
	} {
		s, out := nearest(t, c.prompt)
		require.Equal(t, c.want, s.Prompt, c.prompt)
		require.Equal(t, c.out, out, c.prompt)
		require.Equal(t, c.nearly, s.Nearly, c.prompt)
		if c.want != "" {
			says, _ := read(s.Prompt)
			require.Equal(t, says, s.Says, c.prompt)
		}
	}
}

var number = regexp.MustCompile(`\d+`)

// TestOnlyLeavesOut: a suggestion is the prompt without words of it; all of its numbers stay,
// in their order, and what it is said to mean is how it is read.
func TestOnlyLeavesOut(t *testing.T) {
	t.Parallel()
	fillers := []string{"zork style", "glory to the zork", "if the RSI is above 70", "on Mondays", "news permitting", "unless gold moons"}
	found := 0
	for _, prompt := range []string{
		"Buy Up on ETH 15m below 35c, take profit at 55c, $50 per trade, last 200 markets",
		"Bid 30c for Down, cancel after 2 minutes",
	} {
		clauses := strings.Split(prompt, ", ")
		for i := range len(clauses) * len(fillers) {
			filler := fillers[i%len(fillers)]
			with := strings.Join(slices.Insert(slices.Clone(clauses), 1+i/len(fillers), filler), ", ")
			says, obstacles := read(with)
			if len(says) > 0 || len(obstacles) == 0 {
				continue
			}
			s := rewrite.Nearest(with, obstacles, read)
			if s.Prompt == "" {
				continue
			}
			found++
			again, _ := read(s.Prompt)
			require.Equal(t, again, s.Says, with)
			left, end := []rune(with), 0
			for _, at := range s.LeftOut {
				require.GreaterOrEqual(t, at[0], end, with)
				require.Greater(t, at[1], at[0], with)
				end = at[1]
				for k := at[0]; k < at[1]; k++ {
					left[k] = ' '
				}
			}
			letters := func(s string) string {
				return strings.Map(func(r rune) rune {
					if unicode.IsLetter(r) || unicode.IsDigit(r) {
						return r
					}
					return -1
				}, s)
			}
			require.Equal(t, letters(string(left)), letters(s.Prompt), with)
			outside := strings.Contains(filler, "RSI")
			if !outside {
				require.Equal(t, number.FindAllString(with, -1), number.FindAllString(s.Prompt, -1), with)
			}
		}
	}
	require.Greater(t, found, 10)
}

// TestAskedAgain: what is left is read again, a few times, while something more is left out;
// more readings than one are all told.
func TestAskedAgain(t *testing.T) {
	t.Parallel()
	one, _ := read("Buy Up below 35c")
	two, _ := read("Buy Down below 35c")
	both := []strategy.Canonical{one[0], two[0]}
	prompt := "Buy Up below 35c" + strings.Repeat(", zork", 20)
	asked := 0
	at := func(i int) []rewrite.Obstacle {
		start := len("Buy Up below 35c, ") + len("zork, ")*i
		return []rewrite.Obstacle{{Start: start, End: start + 4, Unread: true}}
	}
	after := func(n int) rewrite.Reader {
		asked = 0
		return func(text string) ([]strategy.Canonical, []rewrite.Obstacle) {
			require.Len(t, []rune(text), len(prompt), "what is left stands where it did")
			if asked++; asked == n {
				return both, nil
			}
			return nil, at(asked)
		}
	}
	s := rewrite.Nearest(prompt, at(0), after(3))
	require.Equal(t, both, s.Says)
	require.Equal(t, "Buy Up below 35c"+strings.Repeat(", zork", 17), s.Prompt)
	s = rewrite.Nearest(prompt, at(0), after(100))
	require.Empty(t, s.Prompt)
	require.LessOrEqual(t, asked, 12, "both ways of leaving out are bounded")

	asked = 0
	stuck := func(string) ([]strategy.Canonical, []rewrite.Obstacle) { asked++; return nil, at(0) }
	require.Empty(t, rewrite.Nearest(prompt, at(0), stuck).Prompt)
	require.LessOrEqual(t, asked, 2, "nothing more was left out")
}

// TestAsked: where one phrase may be meant in two ways, or what is bought is missing, both
// ways are told, each as a whole; where one of them cannot be read nothing is.
func TestAsked(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string][2]string{
		"Buy on BTC 15m below 35c, tp 50c":                  {"Buy Up on BTC 15m below 35c, tp 50c", "Buy Down on BTC 15m below 35c, tp 50c"},
		"buy up on btc and eth 5m below 40c":                {"buy up on eth 5m below 40c", "buy up on btc 5m below 40c"},
		"buy up below 40c, tp 55c, tp 60c":                  {"buy up below 40c, tp 60c", "buy up below 40c, tp 55c"},
		"I have $500 saved. Buy up below 40c, $25 each":     {"buy up below 40c, $25 each", "buy up below 40c, $25 each, bankroll $500"},
		"buy up below 40c, flip it at 50c, stop 30c":        {"buy up below 40c, tp 50c, stop 30c", "buy up below 40c, tp 50c, stop 30c, after the target buy the other side"},
		"zork zorkly, buy up below 40c, flip em out at 50c": {"buy up below 40c, tp 50c", "buy up below 40c, tp 50c, after the target buy the other side"},
		"btc 15m up under 30c, zork after 5 minutes":        {"btc 15m up under 30c, sell after 5 minutes", "btc 15m up under 30c, buy after 5 minutes"},
		"buy up below 40c, sell in 60":                      {"buy up below 40c, sell at 60c", "buy up below 40c, sell after 60 seconds"},
		"buy up after 5 minutes, ditch it at 30c":           {"buy up after 5 minutes, tp 30c", "buy up after 5 minutes, stop 30c"},
		"bid 30c for up on btc 15m, zork after 5 minutes":   {}, // or cancelled then
		"buy bitcoin":                                            {},
		"never buy up above 60c":                                 {},
		"buy up below 40c, flip to down":                         {},
		"btc 15m up under 30c, zork after a zork":                {},
		"I have $500 and 300 cats saved. Buy up zork below 40c7": {},
	} {
		says, obstacles := read(prompt)
		require.Empty(t, says, prompt)
		s := rewrite.Ask(prompt, obstacles, read)
		if want[0] == "" {
			require.Empty(t, s.Says, prompt)
			continue
		}
		require.Len(t, s.Says, 2, prompt)
		require.Empty(t, s.Prompt)
		for i, text := range want {
			means, _ := read(text)
			require.Len(t, means, 1, text)
			require.Equal(t, means[0].Summary(), s.Says[i].Summary(), prompt)
		}
		for _, at := range s.LeftOut {
			require.Regexp(t, `^(zork|on|'s zork)`, string([]rune(prompt)[at[0]:at[1]]), prompt)
		}
	}
}
