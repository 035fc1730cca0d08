package orders

import (
	"slices"
	"strings"

	"github.com/ladderback/ladderback/strategy"
)

// asked are what a prompt's words of orders ask of what is offered for it.
var asked = []topic{
	names("order.cancel", `cancel(?:s|led|ed|ling)?|cxl|pull(?:s|ed)?|withdraw[n]?|yank|ttl|expires? after`, func(s *strategy.Strategy) bool {
		return slices.ContainsFunc(restingOf(s), func(o *strategy.Order) bool { return o.CancelAfterSeconds != 0 || o.CancelWhen != nil })
	}),
	names("order.post_only", `only (?:a )?maker|maker[- ]only|as a maker`, func(s *strategy.Strategy) bool { return s.Order != nil && s.Order.PostOnly }),
	names("exit.rest_take_profit", `(?:sell|sale|selling|exit|target|tp|take profit)(?:[a-z0-9 :]|\.\d)*\b(?:limit|resting|rests in|waiting)|(?:limit|rest|resting) (?:order )?(?:(?:a|the|my|for|to) )*(?:sell|sale|selling|exit|target|tp|take profit)`, func(s *strategy.Strategy) bool {
		return s.Exit.RestTakeProfit || slices.ContainsFunc(s.Then, func(o strategy.Then) bool { return o.Do == strategy.Sell && o.Order != nil })
	}),
	{"then", about(`(?:sell|ditch|dump|exit|close|unload)(?: (?:that|the|my))? (?:ups?|downs?) (?:at|when|if|once|for)`), func(s *strategy.Strategy, words string) bool {
		other := map[strategy.Side]string{strategy.Up: " down", strategy.Down: " up"}[s.Side]
		return other == "" || !strings.Contains(words, other) || slices.ContainsFunc(s.Then, func(o strategy.Then) bool { return o.Do == strategy.Sell && o.Token == strategy.TokenOpposite })
	}},
	names("merge", `merg(?:e|es|ed|ing)|redeem`, func(s *strategy.Strategy) bool { return s.Merge }),
	names("then", `match(?:ing|es|ed)?|same (?:number|amount|quantity|shares)|complete(?:s|d)? the pair`, func(s *strategy.Strategy) bool { return matches(s) || quoted(s) }),
	names("again", `(?:an|any|every|each) exit|whenever i exit|either exit`, func(s *strategy.Strategy) bool {
		return s.Again != nil && len(s.Again.After) == 0 || slices.ContainsFunc(s.Then, func(o strategy.Then) bool { return o.On == strategy.OnExit })
	}),
}

// Keeps reports whether a strategy is all that the words of orders in a prompt name.
func Keeps(prompt string, c strategy.Canonical) bool {
	text, s := plain(prompt), c.Strategy()
	twice := func(c strategy.Condition) bool { return c.Type == strategy.Price && !c.Comparator.IsLower() }
	if s.Order != nil && s.Order.RestAt != nil && slices.ContainsFunc(s.Entry, twice) { // "limit at 30c, no, 28c"
		return false
	}
	return !slices.ContainsFunc(asked, func(t topic) bool {
		place := t.exp.FindStringIndex(text)
		return place != nil && !t.has(&s, text[place[0]:place[1]])
	})
}

// restingOf are the orders of a strategy that rest.
func restingOf(s *strategy.Strategy) (out []*strategy.Order) {
	if s.Order != nil {
		out = append(out, s.Order)
	}
	for i := range s.Then {
		if s.Then[i].Order != nil {
			out = append(out, s.Then[i].Order)
		}
	}
	return out
}
