package orders

import (
	"slices"
	"strings"

	"github.com/ladderback/ladderback/parser/lazy"
	"github.com/ladderback/ladderback/parser/orders/kinds"
	"github.com/ladderback/ladderback/strategy"
)

// mostHeading are the bytes of the longest heading.
const mostHeading = 120

var (
	// headingEnd is what no heading goes beyond.
	headingEnd = lazy.Compile(`[.:;?!\n,\]]|(?: (?:on|for|of|in)(?: the)?)? (?:` + coins + `)\b`)
	// keyValue is what stands behind a key, whose value it is.
	keyValue = lazy.Compile(`^ ?[:=] ?[$+-]?\.?\d`)
	// beforeTopic and behindTopic are what may stand around the name in a heading: words that
	// ask, try, tell and learn, none that change what is named.
	beforeTopic = lazy.Compile(`^(?:(?:site|something|want|wanted|wanna|posting|sharing|showing|following up|would love|love|know|therefore|second opinion|opinion|feedback|on|mind|checking|done|look|looking|wish|want|small|evaluate|live|it|need|needed|include|includes|support|supports|handle|tell|allowed|heard|mentioned|told|learnt|friends?|somebody|someone|everyone|being|word|just|nice|little|cheeky|sneaky|conservative|careful|patient|at|backtest|kindly|check|add|model|size|i'd|time[- ]based|hmm|ok|okay|now|so|and|but|hi|hello|hey|guys|please|can|could|would|will|something|do|does|did|has|have|had|is|are|how|what|what's|why|if|anyone|anybody|somebody|any|let's|lets|let|allow|us|try|tried|trying|test|tests|testing|study|about|with|for|to|by|happens?|happen|my|your|our|a|an|the|this|that|some|another|next|new|old|quick|simple|basic|first|update|question|questions|thoughts|idea|i|we|you|me|it|like|use|using|used|uses|run|running|see|show|simulate|learned|learn|learning|read|think|understand|understood|deserves|conviction|in|set up|works?|here|here's|time|experiment|talk|thread|post|protocol)(?: |$))*$`)
	// plainly is what stands before the subject of a sentence that says something of all the world, claims what is behind it,
	// "A maker earns the spread.", and overturns has what makes it a rule of this strategy's all the same.
	plainly   = lazy.Compile(`^(?:(?:being(?: the)?|an?|good|patient) )*$`)
	claims    = lazy.Compile(`^(?: always| often| usually| really)? (?:earns?|beats?|pays?|wins?|saves?|kills?|makes?|collects?|matters?|lets?|gives?|feels?|means?|deserves?|keeps?|gets?|smooths?|helps?|changes?|changed|reverts?|fails?|works?|hurts?|has|have|costs?|is|are)(?: [a-z'-]+){0,6}$`)
	overturns = lazy.Compile(`\b(?:not|no|never|[a-z]+n't|nothing|off|out|over|up|downs?|ups?|to|stop|stopped|pulled|cancell?ed|ends?|ended|changing|removed|dropped|halted|paused|suspended|prohibited|banned|forbidden|disabled|allowed|skip(?:ped)?|gone|dead|done|without|instead|only|if|when|once|unless|until|while|after|before|on|in|` +
		`one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]+teen|[a-z]+ty|hundred|half|halve[ds]?|thirds?|quarters?|twice|doubled?|times|percent|cents?|dollars|bucks|shares?|contracts?|sizes?|sized|limits?|resting|same|each|every|smaller|bigger|cheaper|higher|lower|first|last|partial|full|both|optional|manual|mental|early|late|tight|tighter|wide|wider|staggered)\b`)
	behindTopic = lazy.Compile(`^(?: (?:is (?:underrated|overrated|fun|easy|hard|great|king|key|life|simple|boring)|done (?:right|properly)|imo|tbh|bros|(?:version )?for (?:the )?(?:beginners|cautious|patient|brave|lazy|rest of us)(?: ones| people)?|helps?|pays|makes sense|is worth it|thing|for (?:feedback|review|comments)|quoting|scalping|entry|entries|stud(?:y|ies)|tests?|experiments?|ideas?|plans?|strateg(?:y|ies)|setups?|examples?|protocol|thread|talk|guide|run|notes?|trades?|play|bot|stuff|construction|building|builders?|lol|haha|like an? (?:adult|pro|grown[- ]?up|boss)|rules?|people|folks|gang(?: here)?|crew|strats?|challenge|criterion|as discussed|diary|style(?: for)?|crowd|fans?|enjoyers?|nerds?|versions?|edition|style|variants?|posts?|questions?|updates?|lovers?|please|now|today|yesterday|recently|lately|somewhere|this week|last week|on here|works? now|works?|do|have done|has done|would do|perform(?:s|ed)?|like this|this time|for me|for you|for all of you|guys|all|here|i like|(?:is|are) (?:my|our) (?:thing|style|plan|way|approach)|(?:is|are) what (?:i|we)(?: want|'d like| would like)? (?:to )?(?:look at|test|try|study)(?: today)?|works here|for dummies|i run|i use|from the (?:start|open)))*$`)
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
	for i := range kinds.Topics {
		f.steps += len(text)
		place := kinds.Topics[i].Exp.FindStringIndex(text)
		if valued := strings.HasPrefix(kinds.Topics[i].Field, "exit.") && keyValue.MatchString(f.text[at+len(text):]); valued {
			continue // "take profit: 0.50"
		}
		if place != nil && !f.stands(denied, at+place[1]) && surrounds(text[:place[0]], text[place[1]:]) {
			p.field = kinds.Topics[i].Field
			is = append(is, func(s *strategy.Strategy) bool { return kinds.Topics[i].Has(s, text[place[0]:place[1]]) })
		}
	}
	p.topic = func(s *strategy.Strategy) bool {
		return slices.ContainsFunc(is, func(has func(s *strategy.Strategy) bool) bool { return has(s) })
	}
	return match{from: at, to: at + len(text), pattern: p}, len(is) > 0
}

// surrounds reports whether words before and behind a name change nothing of what is named.
func surrounds(before, behind string) bool {
	return beforeTopic.MatchString(before) && behindTopic.MatchString(behind) ||
		plainly.MatchString(before) && claims.MatchString(behind) && !overturns.MatchString(behind)
}

// topicWords is the expression of all that names what is said elsewhere.
func topicWords() string {
	all := []string{perSide}
	for i := range kinds.Topics {
		all = append(all, kinds.Topics[i].Exp.String())
	}
	return `(?:` + strings.Join(all, "|") + `)`
}
