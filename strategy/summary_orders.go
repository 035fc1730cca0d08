package strategy

import (
	"strconv"
	"strings"
)

// orderSentences are the sentences of the fields of orders, in the order of the
// object, each with a space before it.
//
// Their grammar goes on from that of Summary:
//
//	rest     = "Rest at " cents "." | "Rest " place "."    place with manner, as below
//	place    = "at " cents | "at the best bid" | "at the best ask"
//	         | cents (" above" | " below") (" the best bid" | " the best ask")
//	manner   = [ ", post only" ] [ ", cancelled after " duration ] [ ", cancelled " [ window " " ] "when (" held ")" ]
//	then     = "Order " NUMBER ": " [ trigger ", " ] (buy | sell) [ ", resting " place manner ]
//	           [ ", up to " NUMBER " times" ] [ ", " duration " apart" ] [ ", " [ window " " ] "when (" held ")" ] "."
//	trigger  = "from the start" | "after a take profit" | "after a stop" | "after an exit by the clock" | "after an exit"
//	buy      = "buy " (dollars " of " | NUMBER (" share of " | " shares of ") | "to match ") token
//	sell     = "sell " (NUMBER (" share of " | " shares of ") | "a fraction of " NUMBER " of ") token
//	token    = "it" | "the other side"
//	held     = a list of conditions, in which also stand
//	           ("its profit " | "the other side's profit ") comparison " " cents
//	         | "the pair's cost " comparison " " cents
//	         | degree " " duration (" has" | " have") " passed since entry"
//	again    = "Up to " NUMBER " entries a round" [ ", " duration " apart" ] [ ", after " reason { " or " reason } ] "."
//	reason   = "a take profit" | "a stop" | "an exit by the clock" | "a sale" | "a merge" | "expiry" | "a cancelled entry"
//	merge    = "Merge pairs."
//	size     = "Size " NUMBER (" share." | " shares.") | "Size a fraction of " NUMBER " of the bankroll."
//	         | "Size a fraction of " NUMBER " of Kelly at a fair value of " cents "."
//	bankroll = "Bankroll of " dollars "." | "Stop for the day after losing " dollars "." | "At most " dollars " open."
//	         | "Stop for the day after " NUMBER (" loss" | " losses") " in a row."
//
// A target that rests is "with a limit": "Take profit at 55c with a limit."
func orderSentences(s *Strategy) string {
	var b strings.Builder
	sentence := func(parts ...string) { b.WriteString(" " + strings.Join(parts, "") + ".") }
	if s.Order != nil {
		sentence("Rest ", restWords(s.Order))
	}
	for i := range s.Then {
		sentence("Order ", strconv.Itoa(i+1), ": ", thenWords(&s.Then[i]))
	}
	if a := s.Again; a != nil {
		sentence("Up to ", strconv.Itoa(a.MaxEntries), " entries a round", apartWords(a.AfterSeconds), reasonWords(a.After))
	}
	if s.Merge {
		sentence("Merge pairs")
	}
	if z := s.Size; z != nil {
		sentence("Size ", sizeWords(z))
	}
	if k := s.Bankroll; k != nil {
		for _, part := range []struct {
			said  bool
			words string
		}{
			{k.Start != 0, "Bankroll of $" + k.Start.String()},
			{k.DailyLoss != 0, "Stop for the day after losing $" + k.DailyLoss.String()},
			{k.MaxOpen != 0, "At most $" + k.MaxOpen.String() + " open"},
			{k.MaxLosingStreak == 1, "Stop for the day after 1 loss in a row"},
			{k.MaxLosingStreak > 1, "Stop for the day after " + strconv.Itoa(k.MaxLosingStreak) + " losses in a row"},
		} {
			if part.said {
				sentence(part.words)
			}
		}
	}
	return b.String()
}

// restWords says where a limit rests, and what ends it.
func restWords(o *Order) string {
	words := ""
	switch {
	case o.RestAt != nil:
		words = "at " + centsWords(*o.RestAt)
	case o.RestFromBid != nil:
		words = fromWords(*o.RestFromBid, "the best bid")
	default:
		words = fromWords(-*o.RestFromAsk, "the best ask")
	}
	if o.PostOnly {
		words += ", post only"
	}
	if o.CancelAfterSeconds != 0 {
		words += ", cancelled after " + durationWords(Int(o.CancelAfterSeconds))
	}
	if o.CancelWhen != nil {
		words += ", cancelled " + heldWords(o.CancelWhen)
	}
	return words
}

func fromWords(distance Number, touch string) string {
	switch {
	case distance > 0:
		return centsWords(distance) + " above " + touch
	case distance < 0:
		return centsWords(-distance) + " below " + touch
	}
	return "at " + touch
}

// heldWords says a list of conditions of an order.
func heldWords(list []Condition) string {
	words := "when (" + listWords(list) + ")"
	if w := windowOf(list); w != 0 {
		return windowWords(w) + " " + words
	}
	return words
}

var triggerWords = map[Trigger]string{
	OnStart: "from the start, ", OnTakeProfit: "after a take profit, ", OnStopLoss: "after a stop, ",
	OnEndOfWindow: "after an exit by the clock, ", OnExit: "after an exit, ",
}

func thenWords(o *Then) string {
	token := "it"
	if o.Token == TokenOpposite {
		token = "the other side"
	}
	words := triggerWords[o.On] + string(o.Do) + " "
	switch {
	case o.Match:
		words += "to match " + token
	case o.USD != 0:
		words += "$" + o.USD.String() + " of " + token
	case o.Shares != 0:
		words += counted(o.Shares, "share") + " of " + token
	default:
		words += "a fraction of " + o.Fraction.String() + " of " + token
	}
	if o.Order != nil {
		words += ", resting " + restWords(o.Order)
	}
	if o.Times > 1 {
		words += ", up to " + strconv.Itoa(o.Times) + " times"
	}
	words += apartWords(o.AfterSeconds)
	if o.When != nil {
		words += ", " + heldWords(o.When)
	}
	return words
}

func apartWords(seconds int) string {
	if seconds == 0 {
		return ""
	}
	return ", " + durationWords(Int(seconds)) + " apart"
}

var reasonNames = map[Reason]string{
	ReasonTakeProfit: "a take profit", ReasonStopLoss: "a stop", ReasonEndOfWindow: "an exit by the clock", ReasonOrder: "a sale",
	ReasonMerged: "a merge", ReasonExpiry: "expiry", ReasonCancelled: "a cancelled entry",
}

func reasonWords(after []Reason) string {
	if after == nil {
		return ""
	}
	words := make([]string, len(after))
	for i, r := range after {
		words[i] = reasonNames[r]
	}
	return ", after " + strings.Join(words, " or ")
}

func sizeWords(z *Size) string {
	switch {
	case z.Shares != 0:
		return counted(z.Shares, "share")
	case z.BankrollFraction != 0:
		return "a fraction of " + z.BankrollFraction.String() + " of the bankroll"
	}
	return "a fraction of " + z.Kelly.Fraction.String() + " of Kelly at a fair value of " + centsWords(z.Kelly.Probability)
}
