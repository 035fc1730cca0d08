package orders

import (
	"slices"
	"strings"

	"github.com/ladderback/ladderback/parser/lazy"
	"github.com/ladderback/ladderback/strategy"
)

// topic is what a heading names.
type topic struct {
	field string // that its words are told of
	exp   *lazy.Regexp
	has   func(s *strategy.Strategy, words string) bool // whether a strategy is what these of them name
}

// topics are what a sentence may name that is said elsewhere.
var topics = []topic{
	names("order", `makers?|mm|quot(?:e|es|ing)|passive(?: (?:entry|entries|bids?))?|rest(?:ing)?|(?:resting |limit )?(?:buy )?(?:orders?|bids?)|limits?|limit entr(?:y|ies)`, rests),
	names("order.post_only", `post[- ]only`, func(s *strategy.Strategy) bool { return s.Order != nil && s.Order.PostOnly }),
	names("exit.rest_take_profit", `(?:resting |limit )(?:tp|take[- ]profits?|targets?|exits?|sells?)`, func(s *strategy.Strategy) bool { return s.Exit.RestTakeProfit }),
	names("then", `market[- ]making|mak(?:e|ing) (?:a )?markets?|two[- ]sided(?: quot(?:e|es|ing)| makers?)?|quot(?:e|es|ing)(?: on)? both(?: sides)?|straddles?`, quoted),
	names("then", `box(?: trade| spread)?|pair completion|lock(?:ed|ing)(?: in)? (?:a )?pairs?|pair lock|pairs?|both (?:tokens|sides)|inventory[- ]neutral|complementary pairs?|pairs? (?:arb(?:itrage)?|trad(?:e|ing))|arb(?:itrage)?`, func(s *strategy.Strategy) bool { return quoted(s) || matches(s) }),
	names("then", `flip(?:s|ping)?`, reverses(strategy.OnStopLoss, strategy.OnTakeProfit, strategy.OnEndOfWindow, strategy.OnExit)),
	names("then", `stop[- ](?:and|n|&)[- ](?:reverse|flip)|switch when wrong`, reverses(strategy.OnStopLoss)),
	names("then", `hedg(?:e|es|ed|ing|ers?)|insurance`, reverses(strategy.OnEntry)),
	names("then", `ladder(?:s|ing)?|grid|scal(?:e|ing)[- ]in|ave?rag(?:e|ing)(?: in| down)?|averge in|avg down|dca|adding to losers|pyramid(?:s|ing)?`, further(strategy.Buy)),
	names("then", `scal(?:e|ing)[- ]out(?: of it)?|exit ladder|partials?|(?:partial|half|quarter) (?:exits?|sales?)|(?:tak(?:e|ing) profits?|sell(?:ing)?|exit(?:s|ing)?) (?:twice|in (?:(?:two|three|four|several|a few) )?(?:parts|steps|stages|pieces|two|three))`, further(strategy.Sell)),
	names("again", `re-?entr(?:y|ies)|reloads?|re-?enter(?:s|ing)?|(?:another|a second) chance`, func(s *strategy.Strategy) bool { return s.Again != nil }),
	names("size", `(?:fractional )?kelly(?:[- ]siz(?:ing|ed))?`, byKelly),
	names("size", `siz(?:e|ed|ing) (?:things )?(?:in|by) shares|(?:fixed )?share (?:size|sizing|count)s?`, func(s *strategy.Strategy) bool { return s.Size != nil && s.Size.Shares != 0 }),
	names("size", `bankrolls?|(?:position )?sizing|(?:risk|portfolio|money) (?:controls?|management|limits?|rules?|constraints?)`, func(s *strategy.Strategy) bool { return s.Size != nil || s.Bankroll != nil }),
	names("exit.trailing_stop", `trailing stops?`, func(s *strategy.Strategy) bool { return s.Exit.TrailingStop != nil }),
	names("exit.stop_loss", `stop[- ]loss(?:es)?`, func(s *strategy.Strategy) bool { return s.Exit.Stops() }),
	names("exit.take_profit", `take[- ]profits?`, func(s *strategy.Strategy) bool { return s.Exit.Aims() }),
	{"entry", about(`fad(?:es?|ing)(?: (?:the|an?|any|every|those|these|up|down))*(?: (?:spikes?|pumps?|pops?|rips?|rall(?:y|ies)|surges?|jumps?|hype|strength|runs?))?`), fades},
}

// byKelly reports whether a strategy is sized by Kelly's formula.
func byKelly(s *strategy.Strategy) bool { return s.Size != nil && s.Size.Kelly != nil }

func names(field, words string, has func(s *strategy.Strategy) bool) topic {
	return topic{field, about(words), func(s *strategy.Strategy, _ string) bool { return has(s) }}
}

func about(words string) *lazy.Regexp {
	return lazy.Longest(`\b(?:` + words + `)(?: (?:` + words + `))*\b`)
}

// mostHeading are the bytes of the longest heading.
const mostHeading = 120

var (
	// headingEnd is what no heading goes beyond.
	headingEnd = lazy.Compile(`[.:;?!\n,\]]|(?: (?:on|for|of|in)(?: the)?)? (?:` + coins + `)\b`)
	// keyValue is what stands behind a key, whose value it is.
	keyValue = lazy.Compile(`^ ?[:=] ?[$+-]?\.?\d`)
	// beforeTopic and behindTopic are what may stand around the name in a heading: words that
	// ask, try, tell and learn, none that change what is named.
	beforeTopic = lazy.Compile(`^(?:(?:want|wanted|wanna|posting|sharing|showing|following up|would love|love|know|therefore|second opinion|opinion|feedback|on|mind|checking|done|look|looking|wish|want|small|conservative|careful|patient|at|backtest|kindly|check|add|model|size|i'd|time[- ]based|hmm|ok|okay|now|so|and|but|hi|hello|hey|guys|please|can|could|would|will|something|do|does|did|has|have|had|is|are|how|what|what's|why|if|anyone|anybody|somebody|any|let's|lets|let|allow|us|try|tried|trying|test|tests|testing|study|about|with|for|to|by|happens?|happen|my|your|our|a|an|the|this|that|some|another|next|new|old|quick|simple|basic|first|update|question|questions|thoughts|idea|i|we|you|me|it|like|use|using|used|uses|run|running|see|show|simulate|learned|learn|read|think|understand|understood|deserves|conviction|in|set up|works?|here|here's|time|experiment|talk|thread|post|protocol)(?: |$))*$`)
	behindTopic = lazy.Compile(`^(?: (?:is (?:underrated|overrated|fun|easy|hard|great|king|key|life|simple|boring)|done (?:right|properly)|imo|tbh|bros|(?:version )?for (?:the )?(?:beginners|cautious|patient|brave|lazy|rest of us)(?: ones| people)?|helps?|pays|makes sense|is worth it|thing|for (?:feedback|review|comments)|quoting|scalping|entry|entries|stud(?:y|ies)|tests?|experiments?|ideas?|plans?|strateg(?:y|ies)|setups?|examples?|protocol|thread|talk|guide|run|notes?|trades?|play|bot|rules?|people|folks|gang|crew|crowd|fans?|enjoyers?|nerds?|versions?|edition|style|variants?|posts?|questions?|updates?|lovers?|please|now|today|works?|do|have done|has done|would do|perform(?:s|ed)?|like this|this time|for me|for you|for all of you|guys|all|here|i like|(?:is|are) (?:my|our) (?:thing|style|plan|way|approach)|(?:is|are) what (?:i|we)(?: want|'d like| would like)? (?:to )?(?:look at|test|try|study)(?: today)?|works here|for dummies|i run|i use|from the (?:start|open)))*$`)
)

// heading returns the part of a sentence from a place on that names what is said elsewhere:
// "resting order test", "let's try re-entries please".
func (f *Found) heading(at int) (match, bool) {
	if !f.named || f.text[at] == ' ' || !f.stands(topicBefore, at) {
		return match{}, false
	}
	text := f.text[at:min(at+mostHeading, len(f.text))]
	if end := headingEnd.FindStringIndex(text); end != nil {
		text = text[:end[0]]
	} else if len(text) == mostHeading {
		return match{}, false
	}
	p := &pattern{says: func(*builder, *match) {}}
	var is []func(s *strategy.Strategy) bool
	for i := range topics {
		f.steps += len(text)
		place := topics[i].exp.FindStringIndex(text)
		if valued := strings.HasPrefix(topics[i].field, "exit.") && keyValue.MatchString(f.text[at+len(text):]); valued {
			continue // "take profit: 0.50"
		}
		if place != nil && !f.stands(denied, at+place[1]) && beforeTopic.MatchString(text[:place[0]]) && behindTopic.MatchString(text[place[1]:]) {
			p.field = topics[i].field
			is = append(is, func(s *strategy.Strategy) bool { return topics[i].has(s, text[place[0]:place[1]]) })
		}
	}
	p.topic = func(s *strategy.Strategy) bool {
		return slices.ContainsFunc(is, func(has func(s *strategy.Strategy) bool) bool { return has(s) })
	}
	return match{from: at, to: at + len(text), pattern: p}, len(is) > 0
}

// topicWords is the expression of all that names what is said elsewhere.
func topicWords() string {
	all := []string{perSide}
	for i := range topics {
		all = append(all, topics[i].exp.String())
	}
	return `(?:` + strings.Join(all, "|") + `)`
}

// rests reports whether some purchase of a strategy rests: a sale that does is not what a
// heading about resting names.
func rests(s *strategy.Strategy) bool {
	return s.Order != nil || slices.ContainsFunc(s.Then, func(o strategy.Then) bool { return o.Do == strategy.Buy && o.Order != nil })
}

// matches reports whether a strategy makes pairs.
func matches(s *strategy.Strategy) bool {
	return s.Merge || slices.ContainsFunc(s.Then, func(o strategy.Then) bool { return o.Match })
}

// reverses reports whether a strategy buys the other token on one of these occasions.
func reverses(on ...strategy.Trigger) func(s *strategy.Strategy) bool {
	return func(s *strategy.Strategy) bool {
		return slices.ContainsFunc(s.Then, func(o strategy.Then) bool {
			when := o.On
			if when == "" {
				when = strategy.OnEntry
			}
			return o.Do == strategy.Buy && o.Token == strategy.TokenOpposite && slices.Contains(on, when)
		})
	}
}

// further reports whether a strategy buys more of its token, or sells a part.
func further(do strategy.Action) func(s *strategy.Strategy) bool {
	return func(s *strategy.Strategy) bool {
		return slices.ContainsFunc(s.Then, func(o strategy.Then) bool { return o.Do == do && o.Token == strategy.TokenSame })
	}
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
