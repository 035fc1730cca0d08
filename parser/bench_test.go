package parser_test

import (
	"strings"
	"testing"

	"github.com/ladderback/ladderback/parser"
)

// ordinary prompts, as traders type them.
var ordinary = []string{
	"Buy Up on BTC 15m when Up drops below 35 cents in the first 5 minutes, take profit at 55c, stop at 20c, $50 per trade, last 200 markets",
	"eth 5m: down < 0.42 first 60s tp 0.55 sl 0.30 $25 n=500",
	"yo ape into up on sol 15m if it dips under 25c, diamond hands till expiry, 10 bucks a pop",
	"Could we look at purchasing the Down token on the four-hour Ethereum market, but only in the final thirty minutes, if it trades at or above eighty-five cents?",
	"Buy the favorite above 70c with two minutes left and let it ride. Any coin, 5m.",
	"Buy Down while Up is above 70c but the spread is below 2c. ETH 15m. Get out at 55c or with 1 minute left.",
}

func BenchmarkRulesOrdinary(b *testing.B) {
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, refusal := parser.Rules(ordinary[i%len(ordinary)], parser.Overrides{}); refusal != nil {
			b.Fatal(refusal)
		}
	}
}

// hostile prompts of 2,000 characters.
func hostile() map[string]string {
	pad := func(s string) string { return strings.Repeat(s, 2000/len(s)+1)[:2000] }
	return map[string]string{
		"long and right":   ordinary[0] + strings.Repeat(" please", 250),
		"conditions":       pad("buy up below 35c and "),
		"alternatives":     pad("up below 35c or down below 35c or "),
		"brackets":         pad("("),
		"values":           pad("35c "),
		"commas":           pad(", "),
		"exits":            pad("sell at 60c or "),
		"exits behind":     pad("if it hits 60c, "),
		"corrections":      pad("35c actually "),
		"unknown":          pad("xyzzyx "),
		"unknown bounds":   pad("xyz < "),
		"lengths":          pad("15m "),
		"coins":            pad("BTC "),
		"two coins":        pad("BTC ETH "),
		"misspelt":         pad("belwo "),
		"one word":         pad("a"),
		"one number":       pad("9"),
		"number words":     pad("hundred and "),
		"first":            pad("first 5 minutes "),
		"chain":            pad("60c target "),
		"times":            pad("between minute 2 and "),
		"emoji":            strings.Repeat("📈", 2000),
		"refused at end":   ordinary[0] + strings.Repeat(" please", 240) + " 7",
		"ratio":            pad("bids twice the asks "),
		"ifs":              pad("if it is "),
		"nots":             pad("not "),
		"the longest trie": pad("within the first of the last "),
		"rungs":            pad("$20 more at 35c, "),
		"further buys":     pad("add another $50 if it drops to 20c, "),
		"cancels":          pad("take profit at 60c and cancel if "),
	}
}

// No prompt of the longest size is to take more than 20 ms; that its work is bounded
// is a test of parser/rules.
//
//	GOMAXPROCS=1 go test ./parser -run '^$' -bench RulesHostile
func BenchmarkRulesHostile(b *testing.B) {
	for name, prompt := range hostile() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, _ = parser.Rules(prompt, parser.Overrides{})
			}
		})
	}
}
