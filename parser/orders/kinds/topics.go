// Package kinds holds strategies against words that only name what they do: a heading, and what is
// offered for a prompt.
package kinds

import (
	"slices"
	"strings"

	"github.com/ladderback/ladderback/parser/lazy"
	"github.com/ladderback/ladderback/strategy"
)

// Topic is what a heading names.
type Topic struct {
	Field string // that its words are told of
	Exp   *lazy.Regexp
	Has   func(s *strategy.Strategy, words string) bool // whether a strategy is what these of them name
}

// Topics are what a sentence may name that is said elsewhere.
var Topics = []Topic{
	names("order", `makers?|mm|quot(?:e|es|ing)|passive(?: (?:entry|entries|bids?))?|rest(?:ing)?|(?:resting |limit )?(?:buy )?(?:orders?|bids?)|limits?|limit entr(?:y|ies)`, Rests),
	names("order.post_only", `post[- ]only`, func(s *strategy.Strategy) bool { return s.Order != nil && s.Order.PostOnly }),
	names("exit.rest_take_profit", `(?:resting |limit )(?:tp|take[- ]profits?|targets?|exits?|sells?)`, func(s *strategy.Strategy) bool { return s.Exit.RestTakeProfit }),
	names("then", `market[- ]making|mak(?:e|ing) (?:a )?markets?|two[- ]sided(?: quot(?:e|es|ing)| makers?)?|quot(?:e|es|ing)(?: on)? both(?: sides)?|straddles?`, Quotes),
	names("then", `box(?: trade| spread)?|complete[- ]sets?|pair completion|lock(?:ed|ing)(?: in)? (?:a )?pairs?|pair lock|pairs?|both (?:tokens|sides)|inventory[- ]neutral|complementary pairs?|pairs? (?:arb(?:itrage)?|trad(?:e|ing))|arb(?:itrage)?`, func(s *strategy.Strategy) bool { return Quotes(s) || Matches(s) }),
	names("then", `flip(?:s|ping)?`, Reverses(strategy.OnStopLoss, strategy.OnTakeProfit, strategy.OnEndOfWindow, strategy.OnExit)),
	names("then", `stop[- ](?:and|n|&)[- ](?:reverse|flip)|switch when wrong`, Reverses(strategy.OnStopLoss)),
	names("then", `hedg(?:e|es|ed|ing|ers?)|insurance`, Reverses(strategy.OnEntry)),
	names("then", `ladder(?:s|ing)?|grid|scal(?:e|ing)[- ]in|ave?rag(?:e|ing)(?: in| down)?|averge in|avg down|dca|adding to losers|pyramid(?:s|ing)?`, Further(strategy.Buy)),
	names("then", `scal(?:e|ing)[- ]out(?: of it)?|exit ladder|partials?|(?:partial|half|quarter) (?:exits?|sales?)|(?:tak(?:e|ing) profits?|sell(?:ing)?|exit(?:s|ing)?) (?:twice|in (?:(?:two|three|four|several|a few) )?(?:parts|steps|stages|pieces|two|three))`, Further(strategy.Sell)),
	names("again", `re-?entr(?:y|ies)|reloads?|re-?enter(?:s|ing)?|(?:another|a second) chance`, func(s *strategy.Strategy) bool { return s.Again != nil }),
	names("size", `(?:fractional )?kelly(?:[- ]siz(?:ing|ed))?`, ByKelly),
	names("size", `siz(?:e|ed|ing) (?:things )?(?:in|by) shares|(?:fixed )?share (?:size|sizing|count)s?`, func(s *strategy.Strategy) bool { return s.Size != nil && s.Size.Shares != 0 }),
	names("size", `bankrolls?|(?:position )?sizing|(?:risk|portfolio|money) (?:controls?|management|limits?|rules?|constraints?)`, func(s *strategy.Strategy) bool { return s.Size != nil || s.Bankroll != nil }),
	names("bankroll.daily_loss", `loss limits?|daily (?:loss )?(?:limits?|stops?)`, func(s *strategy.Strategy) bool { return s.Bankroll != nil && s.Bankroll.DailyLoss != 0 }),
	names("exit.trailing_stop", `trailing stops?`, func(s *strategy.Strategy) bool { return s.Exit.TrailingStop != nil }),
	names("exit.stop_loss", `stop[- ]loss(?:es)?`, func(s *strategy.Strategy) bool { return s.Exit.Stops() }),
	names("exit.take_profit", `take[- ]profits?`, func(s *strategy.Strategy) bool { return s.Exit.Aims() }),
	{"entry", about(`fad(?:es?|ing)(?: (?:the|an?|any|every|those|these|up|down))*(?: (?:spikes?|pumps?|pops?|rips?|rall(?:y|ies)|surges?|jumps?|hype|strength|runs?))?`), fades},
}

func names(field, words string, has func(s *strategy.Strategy) bool) Topic {
	return Topic{field, about(words), func(s *strategy.Strategy, _ string) bool { return has(s) }}
}

func about(words string) *lazy.Regexp {
	return lazy.Longest(`\b(?:` + words + `)(?: (?:` + words + `))*\b`)
}

// fades reports whether a strategy buys one token when the other rises or is dear, and words
// do not name the one that it buys.
func fades(s *strategy.Strategy, words string) bool {
	other := map[strategy.Side]strategy.Token{strategy.Up: strategy.TokenDown, strategy.Down: strategy.TokenUp}[s.Side]
	if other == "" || about(string(s.Side)).MatchString(words) {
		return false
	}
	return slices.ContainsFunc(slices.Concat(append([][]strategy.Condition{s.Entry}, s.EntryAny...)...), func(c strategy.Condition) bool {
		return c.Token == other && c.Comparator.IsLower() && (c.Type.IsPrice() || c.Type == strategy.PriceChange && c.Threshold > 0)
	})
}

// asked are what a prompt's words of orders ask of what is offered for it.
var asked = []Topic{
	names("order.cancel", `cancel(?:s|led|ed|ling)?|cxl|pull(?:s|ed)?|withdraw[n]?|yank|ttl|expires? after`, func(s *strategy.Strategy) bool {
		return slices.ContainsFunc(Resting(s), func(o *strategy.Order) bool { return o.CancelAfterSeconds != 0 || o.CancelWhen != nil })
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
	names("then", `match(?:ing|es|ed)?|same (?:number|amount|quantity|shares)|complete(?:s|d)? the pair`, func(s *strategy.Strategy) bool { return Matches(s) || Quotes(s) }),
	names("again", `(?:an|any|every|each) exit|whenever i exit|either exit`, func(s *strategy.Strategy) bool {
		return s.Again != nil && len(s.Again.After) == 0 || slices.ContainsFunc(s.Then, func(o strategy.Then) bool { return o.On == strategy.OnExit })
	}),
}

// Keeps reports whether a strategy is all that the words of orders in a text name, which is in small letters.
func Keeps(text string, s *strategy.Strategy) bool {
	twice := func(c strategy.Condition) bool { return c.Type == strategy.Price && !c.Comparator.IsLower() }
	if s.Order != nil && s.Order.RestAt != nil && slices.ContainsFunc(s.Entry, twice) { // "limit at 30c, no, 28c"
		return false
	}
	return !slices.ContainsFunc(asked, func(t Topic) bool {
		place := t.Exp.FindStringIndex(text)
		return place != nil && !t.Has(s, text[place[0]:place[1]])
	})
}
