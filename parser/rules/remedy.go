package rules

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

// reasons says why each group of phrases is refused, and the nearest thing that
// can be said.
var reasons = map[string]string{
	"limit":       "orders that rest or wait at a price cannot be said: an order is sent when the conditions hold; say \"buy Up when its ask is at most 38c\"",
	"short":       "a strategy buys one token and sells it later, it does not sell short; to bet against Up, buy Down",
	"hedge":       "a strategy holds one token of a market; say which one to buy",
	"sizing":      "every trade has the same budget and there is one entry per market; say \"$50 per trade\"",
	"reentry":     "there is one entry per market; give the conditions of the first",
	"partial":     "a position is sold as a whole; give one price to sell all of it at",
	"breakeven":   "stops stay where they are, but for a trailing one; say \"stop at 20c\" or \"trail by 5c\"",
	"multiple":    "multiples of the price or the stake cannot be said; give the price itself, such as \"take profit at 70c\"",
	"sequence":    "one thing after another cannot be said: all conditions hold at one instant; say \"is below\", \"crosses above\" or \"has fallen by 10c in the last 2 minutes\"",
	"high":        "a strategy does not know the highs and lows of the price; say \"trail by 5c\" for a stop below the highest bid since entry",
	"anyof":       "alternatives are said with \"or\"; say \"buy Up if Up is below 30c or its spread is below 1c\"",
	"last":        "conditions hold at one instant and cannot be required to last; leave out how long",
	"both":        "a strategy buys one side of a market; say Up, Down, or \"either side\" for whichever meets the conditions first",
	"compare":     "one strategy at a time, and no comparison between values; describe one and run the other by itself",
	"switch":      "a strategy enters once and on one side; the other one is a strategy of its own",
	"total":       "the budget is per trade, and there is no overall limit; say \"$50 per trade\"",
	"shares":      "a trade is sized in dollars, not shares; say \"$50 per trade\"",
	"topsize":     "this cannot be compared; say \"ask depth is at least $500\", \"bid depth\", \"spread\" or \"imbalance\"",
	"currency":    "budgets are in US dollars; say \"$50 per trade\"",
	"days":        "the sample is a number of markets; say \"last 200 markets\"",
	"equal":       "equality cannot be a condition; say \"at most\", \"at least\" or \"between 40c and 45c\"",
	"vague":       "this is not exact; give a number",
	"vagueprice":  "this is not exact; give a price, such as \"below 35c\"",
	"vaguespread": "this is not exact; say \"spread is at most 2c\"",
	"vaguedepth":  "this is not exact; say \"imbalance is above 0.6\" or \"at least $500 of depth on the bid\"",
	"vaguetime":   "this is not exact; say \"in the first 5 minutes\", \"in the last 2 minutes\" or \"after 5 minutes\"",
	"vagueamount": "this is not exact; give a number",
	"search":      "the strategy must be given, it is not searched for; say \"Buy Up on BTC 15m when Up is below 35c, take profit at 55c\"",
	"fade":        "say which token to buy, Up or Down, and at what price",
	"language":    "only English can be read",
	"account":     "the budget is dollars for each trade; say \"$50 per trade\"",
	"ticks":       "write ticks and points as cents, such as \"5c\"",
	"average":     "a strategy does not know averages or statistics; give a price, such as \"below 35c\"",
	"close":       "what a round closes at is not known before its end; say \"is above 60c in the last minute\"",
	"profitmoney": "profit and loss in dollars cannot be said; say \"take profit 10c above entry\" or give the price of the token",
	"sinceopen":   "a change since the open cannot be said; give a look-back, such as \"has fallen by 10c in the last 2 minutes\"",
	"story":       "only the strategy can be read; leave out the story around it",
	"lasttrade":   "the last trade by itself cannot be compared; say \"price\"",
	"number":      "this number is too large, too fine or out of range; write it plainly",
	"exitat":      "held to the end and paid out, or sold before it? say \"hold to expiry\" or \"exit 10 seconds before the end\"",
	"anycoin":     "any coin, or any length? say \"any coin\" or \"any length\"",
	"instruction": "only a strategy can be said here; say its values, such as \"stop at 20c\"",
	"sellsif":     "an exit is a price, a distance from entry or a time; it cannot have a condition of its own",
	"exittime":    "an exit at a price holds all the time; it cannot be bounded to a part of the round",
}
