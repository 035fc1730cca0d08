package strategy

import (
	"strings"
)

// Summary describes the strategy in English: sentences that a trader checks
// before risking money, and that the rules parser reads back into an equal
// strategy. It depends on the object alone.
//
// Its grammar, in which […] is optional and {…} may repeat:
//
//	summary  = "Buy " side " on " markets [ " " window ] entry "." { " " sentence }
//	           and the sentences of orders, see orderSentences
//	side     = "Up" | "Down" | "either side"
//	markets  = COIN " " LENGTH " markets" | LENGTH " markets of any coin"
//	         | COIN " markets of any length" | "markets of any coin and any length"
//	window   = "in the first " duration
//	entry    = " at the start"                             no condition at all
//	         | " when " list
//	         | " when " groups                             alternatives alone
//	         | " when " list ", and (" groups ")"
//	groups   = group " or " group { " or " group }
//	group    = "(" [ window ", " ] list ")"
//	list     = condition { " and " condition }
//	condition = value " " comparison " " amount
//	         | token " price has risen by " degree " " cents " in " duration
//	         | token " price has fallen by " degree " " cents " in " duration
//	         | token " price change in " duration " " comparison " " cents
//	         | degree " " duration (" has passed" | " have passed")
//	         | degree " " duration (" is left" | " are left")
//	value    = token (" price" | " ask" | " bid" | " spread" | " ask depth" | " bid depth" | " imbalance")
//	token    = "Up's" | "Down's" | "its" | "the other side's"
//	comparison = "is below" | "is at most" | "is above" | "is at least" | "crosses above" | "crosses below"
//	degree   = "less than" | "at most" | "more than" | "at least"
//	amount   = cents (price, ask, bid, spread) | dollars (depths) | number (imbalance)
//	cents    = NUMBER "c"                                  "35c", "2.5c", "-10c", "0c"
//	dollars  = "$" NUMBER
//	duration = NUMBER (" second" | " seconds" | " minute" | " minutes")
//	sentence = "Take profit at " cents "."
//	         | "Take profit " cents " above entry."
//	         | "Stop loss at " cents "."
//	         | "Stop loss " cents " below entry."
//	         | "Trail by " cents "."
//	         | "Sell after " duration "."                  from the fill
//	         | "Exit " duration " before the end."         says hold_to_expiry false
//	         | "Never hold to expiry."                     false without a clock of its own
//	         | "Hold to expiry." | "Otherwise hold to expiry."
//	         | dollars " per trade."
//	         | "Sample of " NUMBER (" market." | " markets.")
//
// The window before a list bounds its level conditions (within_seconds); in
// front of "when" it bounds those of the entry alone, in a group those of that
// group alone. "Its" and "the other side's" stand with "either side" only:
// the candidate and the other token. NUMBER is the shortest decimal, without
// separators of thousands.
func (c Canonical) Summary() string {
	s := c.object
	var b strings.Builder
	b.WriteString("Buy " + sideWords(s.Side) + " on " + marketWords(s.Market))
	if w := windowOf(s.Entry); w != 0 {
		b.WriteString(" " + windowWords(w))
	}
	switch {
	case len(s.Entry) == 0 && len(s.EntryAny) == 0:
		b.WriteString(" at the start")
	case len(s.EntryAny) == 0:
		b.WriteString(" when " + listWords(s.Entry))
	case len(s.Entry) == 0:
		b.WriteString(" when " + groupWords(s.EntryAny))
	default:
		b.WriteString(" when " + listWords(s.Entry) + ", and (" + groupWords(s.EntryAny) + ")")
	}
	b.WriteString(".")
	for _, sentence := range exitSentences(&s.Exit) {
		b.WriteString(" " + sentence)
	}
	b.WriteString(" $" + s.BudgetPerTrade.String() + " per trade.")
	b.WriteString(" Sample of " + counted(Int(s.SampleSize), "market") + ".")
	b.WriteString(orderSentences(s))
	return b.String()
}

func sideWords(s Side) string {
	switch s {
	case Up:
		return "Up"
	case Down:
		return "Down"
	}
	return "either side"
}

func marketWords(m MarketSpec) string {
	switch {
	case m.Coin == Any && m.Type == Any:
		return "markets of any coin and any length"
	case m.Coin == Any:
		return m.Type + " markets of any coin"
	case m.Type == Any:
		return m.Coin + " markets of any length"
	}
	return m.Coin + " " + m.Type + " markets"
}

// windowOf returns the within_seconds that the level conditions of a canonical
// list share; 0: none.
func windowOf(list []Condition) int {
	for _, c := range list {
		if c.Type.IsLevel() {
			return c.WithinSeconds
		}
	}
	return 0
}

func windowWords(seconds int) string { return "in the first " + durationWords(Int(seconds)) }

func groupWords(groups [][]Condition) string {
	words := make([]string, len(groups))
	for i, g := range groups {
		if w := windowOf(g); w != 0 {
			words[i] = windowWords(w) + ", "
		}
		words[i] = "(" + words[i] + listWords(g) + ")"
	}
	return strings.Join(words, " or ")
}

func listWords(list []Condition) string {
	words := make([]string, len(list))
	for i, c := range list {
		words[i] = conditionWords(c)
	}
	return strings.Join(words, " and ")
}

func conditionWords(c Condition) string {
	switch c.Type {
	case TimeElapsed:
		return degree(c.Comparator) + " " + durationWords(c.Threshold) + haveOrHas(c.Threshold) + "passed"
	case TimeRemaining:
		return degree(c.Comparator) + " " + durationWords(c.Threshold) + areOrIs(c.Threshold) + "left"
	case PriceChange:
		return changeWords(c)
	case SinceEntry:
		return degree(c.Comparator) + " " + durationWords(c.Threshold) + haveOrHas(c.Threshold) + "passed since entry"
	case PairCost:
		return "the pair's cost " + comparisonWords(c.Comparator) + " " + centsWords(c.Threshold)
	}
	return tokenWords(c.Token) + " " + valueWords(c.Type) + " " + comparisonWords(c.Comparator) + " " + amountWords(c)
}

func changeWords(c Condition) string {
	token, window := tokenWords(c.Token), durationWords(Int(c.WithinSeconds))
	switch {
	case c.Threshold > 0 && (c.Comparator == GT || c.Comparator == GTE):
		return token + " price has risen by " + degree(c.Comparator) + " " + centsWords(c.Threshold) + " in " + window
	case c.Threshold < 0 && c.Comparator == LT:
		return token + " price has fallen by more than " + centsWords(-c.Threshold) + " in " + window
	case c.Threshold < 0 && c.Comparator == LTE:
		return token + " price has fallen by at least " + centsWords(-c.Threshold) + " in " + window
	}
	return token + " price change in " + window + " " + comparisonWords(c.Comparator) + " " + centsWords(c.Threshold)
}

func tokenWords(t Token) string {
	switch t {
	case TokenUp:
		return "Up's"
	case TokenDown:
		return "Down's"
	case TokenSame:
		return "its"
	}
	return "the other side's"
}

func valueWords(t Type) string {
	switch t {
	case BestAsk:
		return "ask"
	case BestBid:
		return "bid"
	case AskDepth:
		return "ask depth"
	case BidDepth:
		return "bid depth"
	case HeldProfit:
		return "profit"
	}
	return string(t)
}

func comparisonWords(c Comparator) string {
	switch c {
	case LT:
		return "is below"
	case LTE:
		return "is at most"
	case GT:
		return "is above"
	case GTE:
		return "is at least"
	case CrossesAbove:
		return "crosses above"
	}
	return "crosses below"
}

func degree(c Comparator) string {
	switch c {
	case LT:
		return "less than"
	case LTE:
		return "at most"
	case GT:
		return "more than"
	}
	return "at least"
}

func amountWords(c Condition) string {
	switch c.Type {
	case AskDepth, BidDepth:
		return "$" + c.Threshold.String()
	case Imbalance:
		return c.Threshold.String()
	}
	return centsWords(c.Threshold)
}

// centsWords writes a price or a change of at most 1 dollar in cents.
func centsWords(n Number) string { return (n * 100).String() + "c" }

// durationWords writes whole minutes as minutes and all else as seconds.
func durationWords(seconds Number) string {
	const minute = 60 * One
	if seconds > 0 && seconds%minute == 0 {
		return counted(seconds/60, "minute")
	}
	return counted(seconds, "second")
}

func counted(n Number, noun string) string {
	if n == One {
		return "1 " + noun
	}
	return n.String() + " " + noun + "s"
}

// singular reports whether durationWords counts one of its unit.
func singular(seconds Number) bool { return seconds == One || seconds == 60*One }

func haveOrHas(seconds Number) string {
	if singular(seconds) {
		return " has "
	}
	return " have "
}

func areOrIs(seconds Number) string {
	if singular(seconds) {
		return " is "
	}
	return " are "
}

func exitSentences(e *Exit) []string {
	var out []string
	limit := ""
	if e.RestTakeProfit {
		limit = " with a limit"
	}
	if e.TakeProfit != nil {
		out = append(out, "Take profit at "+centsWords(*e.TakeProfit)+limit+".")
	}
	if e.TakeProfitOffset != nil {
		out = append(out, "Take profit "+centsWords(*e.TakeProfitOffset)+" above entry"+limit+".")
	}
	if e.StopLoss != nil {
		out = append(out, "Stop loss at "+centsWords(*e.StopLoss)+".")
	}
	if e.StopLossOffset != nil {
		out = append(out, "Stop loss "+centsWords(*e.StopLossOffset)+" below entry.")
	}
	if e.TrailingStop != nil {
		out = append(out, "Trail by "+centsWords(*e.TrailingStop)+".")
	}
	if e.MaxHoldSeconds != 0 {
		out = append(out, "Sell after "+durationWords(Int(e.MaxHoldSeconds))+".")
	}
	switch {
	case e.ExitBeforeSeconds != 0:
		out = append(out, "Exit "+durationWords(Int(e.ExitBeforeSeconds))+" before the end.")
	case !e.HoldToExpiry:
		out = append(out, "Never hold to expiry.")
	case len(out) == 0:
		out = append(out, "Hold to expiry.")
	default:
		out = append(out, "Otherwise hold to expiry.")
	}
	return out
}
