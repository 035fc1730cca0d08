package orders

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/strategy"
)

// topic is what a heading names.
type topic struct {
	field string // that its words are told of
	exp   *regexp.Regexp
	has   func(s *strategy.Strategy, words string) bool // whether a strategy is what the words name
}

// topics are what a sentence may name that is said elsewhere.
var topics = []topic{
	names("order", `maker|mm|quot(?:e|es|ing)|passive(?: entry)?|rest(?:ing)?|(?:resting |limit )?(?:buy )?(?:orders?|bids?)|limits?|post[- ]only`, rests),
	names("exit.rest_take_profit", `(?:resting |limit )(?:tp|take[- ]profits?|targets?|exits?|sells?)`, func(s *strategy.Strategy) bool { return s.Exit.RestTakeProfit }),
	names("then", `market[- ]making|mak(?:e|ing) (?:a )?markets?|two[- ]sided(?: quot(?:e|es|ing))?|box(?: trade)?|lock(?:ed|ing)(?: in)? (?:a )?pairs?|flip(?:s|ping)?|straddles?|pair lock|pairs?|both (?:tokens|sides)|hedg(?:e|es|ed|ing)|inventory[- ]neutral|stop[- ]and[- ]reverse`, paired),
	names("then", `ladder(?:s|ing)?|scal(?:e|ing)[- ]in|ave?rag(?:e|ing)(?: in| down)?|averge in|avg down|dca|adding to (?:losers|winners)`, further(strategy.Buy)),
	names("then", `scal(?:e|ing)[- ]out(?: of it)?|(?:exit )?ladder|partials?|partial (?:exits?|sales?)|sell(?:ing)? in parts|exits? in parts`, further(strategy.Sell)),
	names("again", `re-?entr(?:y|ies)|re-?enter(?:s|ing)?|(?:another|a second) chance`, func(s *strategy.Strategy) bool { return s.Again != nil }),
	names("size", `kelly|bankrolls?|(?:(?:kelly|position) )?sizing|money management|risk (?:controls?|management)|siz(?:e|ing) (?:things )?in shares`, func(s *strategy.Strategy) bool { return s.Size != nil || s.Bankroll != nil }),
	names("exit.trailing_stop", `trailing(?: stops?)?`, func(s *strategy.Strategy) bool { return s.Exit.TrailingStop != nil }),
	names("exit.stop_loss", `stop[- ]loss(?:es)?|stops`, func(s *strategy.Strategy) bool { return s.Exit.Stops() }),
	names("exit.take_profit", `take[- ]profits?|targets`, func(s *strategy.Strategy) bool { return s.Exit.Aims() }),
	{"entry", about(`fad(?:es?|ing)(?: (?:the|an?|any|every|those|these|up|down))*(?: (?:spikes?|pumps?|pops?|moves?|rips?|rall(?:y|ies)|surges?|jumps?|hype|strength|runs?))?`), fades},
}

// topicWords is the expression of any of them.
func topicWords() string {
	all := make([]string, len(topics))
	for i := range topics {
		all[i] = topics[i].exp.String()
	}
	return `(?:` + strings.Join(all, "|") + `)`
}

func names(field, words string, has func(s *strategy.Strategy) bool) topic {
	return topic{field, about(words), func(s *strategy.Strategy, _ string) bool { return has(s) }}
}

func about(words string) *regexp.Regexp {
	exp := regexp.MustCompile(`\b(?:` + words + `)(?: (?:` + words + `))*\b`)
	exp.Longest()
	return exp
}

// mostHeading are the bytes of the longest heading.
const mostHeading = 120

// headingEnd is what no heading goes beyond.
var headingEnd = regexp.MustCompile(`[.:;?!\n,\]]| (?:on|for) (?:the )?(?:` + coins + `)\b|$`)

// behindTopic is what may stand behind the name in a heading.
var behindTopic = regexp.MustCompile(`^(?: (?:quoting|stud(?:y|ies)|tests?|experiments?|ideas?|plans?|strateg(?:y|ies)|setups?|entry|entries|exits?|examples?|protocol|thread|talk|guide|run|notes?|trades?|play|bot|rules?|people|folks|gang|crew|crowd|fans?|enjoyers?|nerds?|versions?|edition|style|variants?|posts?|questions?|updates?|lovers?|please|here|now|today|again|works?|do|have done|has done|would do|perform(?:s|ed)?|like this|this time|for me|for you|for all of you|guys|all))*$`)

// heading returns the part of a sentence from a place on that names what is said elsewhere,
// and beside the name holds nothing that a rule is made of: "resting order test", "let's try
// re-entries please".
func (f *Found) heading(at int) (match, bool) {
	if f.idle == nil || f.text[at] == ' ' || !f.stands(topicBefore, at) {
		return match{}, false
	}
	text := f.text[at:min(at+mostHeading, len(f.text))]
	text = text[:headingEnd.FindStringIndex(text)[0]]
	p := &pattern{says: func(*builder, *match) {}}
	var is []func(s *strategy.Strategy) bool
	for i := range topics {
		f.steps += len(text)
		place := topics[i].exp.FindStringIndex(text)
		if place != nil && !f.stands(denied, at+place[1]) && f.idle(text[:place[0]]) && behindTopic.MatchString(text[place[1]:]) {
			p.field = topics[i].field
			is = append(is, func(s *strategy.Strategy) bool { return topics[i].has(s, text[place[0]:place[1]]) })
		}
	}
	p.topic = func(s *strategy.Strategy) bool {
		return slices.ContainsFunc(is, func(has func(s *strategy.Strategy) bool) bool { return has(s) })
	}
	return match{from: at, to: at + len(text), pattern: p}, len(is) > 0
}

// rests reports whether some purchase of a strategy rests: a sale that does is not what a
// heading about resting names.
func rests(s *strategy.Strategy) bool {
	return s.Order != nil || slices.ContainsFunc(s.Then, func(o strategy.Then) bool { return o.Do == strategy.Buy && o.Order != nil })
}

// paired reports whether a strategy buys both tokens.
func paired(s *strategy.Strategy) bool {
	return slices.ContainsFunc(s.Then, func(o strategy.Then) bool { return o.Do == strategy.Buy && o.Token == strategy.TokenOpposite })
}

// further reports whether a strategy buys more of its token, or sells a part.
func further(do strategy.Action) func(s *strategy.Strategy) bool {
	return func(s *strategy.Strategy) bool {
		return slices.ContainsFunc(s.Then, func(o strategy.Then) bool { return o.Do == do && o.Token == strategy.TokenSame })
	}
}

// fades reports whether a strategy buys one token by what the other does, which words may name.
func fades(s *strategy.Strategy, words string) bool {
	other := map[strategy.Side]strategy.Token{strategy.Up: strategy.TokenDown, strategy.Down: strategy.TokenUp}[s.Side]
	if other == "" || about(string(s.Side)).MatchString(words) {
		return false
	}
	return slices.ContainsFunc(slices.Concat(append([][]strategy.Condition{s.Entry}, s.EntryAny...)...), func(c strategy.Condition) bool { return c.Token == other })
}
