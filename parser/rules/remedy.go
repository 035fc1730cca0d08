package rules

import (
	_ "embed"
	"strings"
)

const outsideRemedy = "conditions read this market's token prices, order books and time only; say, for example, \"when Up is below 35c\""

// unreadRemedies says, by the classes of the words where reading stops, what is
// missing; the first that fits counts.
var unreadRemedies = []struct {
	classes []string
	remedy  string
}{
	{[]string{"CMP", "POST"}, "compared with what? give a price, such as \"below 35c\", or a time"},
	{[]string{"QTY"}, "compared with what? say, for example, \"spread is at most 2c\" or \"ask is below 35c\""},
	{[]string{"MOVE", "CROSS"}, "to where, or by how much? say \"drops below 35c\", \"rises to 60c\" or \"has fallen by 10c in the last 2 minutes\""},
	{[]string{"DUR"}, "a time that belongs to nothing; say \"in the first …\", \"after …\", \"in the last …\" or \"exit … before the end\""},
	{[]string{"USD"}, "what is this amount for? say \"$50 per trade\" for the budget, or \"at least $500 of depth on the ask\""},
	{[]string{"CENT", "DEC", "USDC", "INT", "REAL", "ZERO", "PLUSNUM", "MINUSNUM", "FRAC", "ORD", "TIMES"}, "what is this number for? say \"below …c\", \"take profit at …c\", \"stop at …c\", \"$… per trade\" or \"last … markets\""},
	{[]string{"NOT", "AVOID", "UNLESS"}, "a negation that cannot be read; say what must hold"},
	{[]string{"FIRST", "LAST", "LEFT", "GONE", "OPEN", "END"}, "which time? say \"in the first 5 minutes\", \"in the last 2 minutes\", \"after 5 minutes\" or \"exit 1 minute before the end\""},
	{[]string{"TRADES"}, "how many? say \"last 200 markets\""},
}

// remedyOf says why what the object cannot say is refused.
func remedyOf(why string) string {
	if s, ok := reasons[why]; ok {
		return s
	}
	return "this cannot be said; leave it out"
}

const percentRemedy = "a percentage is not a price; write the token's price in dollars or cents, such as 0.35 or 35c"

//go:embed reasons.txt
var reasonsText string

// reasons says why each group of phrases is refused, and the nearest thing that
// can be said. It is constant in spirit.
var reasons = func() map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(reasonsText) {
		if name, why, ok := strings.Cut(line, ": "); ok && line[0] != '#' {
			out[name] = strings.TrimSpace(why)
		}
	}
	return out
}()
