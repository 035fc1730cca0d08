package orders

import (
	"errors"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/parser/lazy"
	"github.com/ladderback/ladderback/strategy"
)

const (
	compared = `(?:(?:costs?|can be (?:had|bought|completed) for|comes? (?:out )?(?:to|at)|adds? up to|sums? to|totals?|is|are|gets?|drops?|falls?) (?:me |us )?)?(?P<cmp>at most|at least|below|under|less than|no more than|above|over|more than|<=|<|>=|>)`
	mine     = `(?:it's|its|it is|i'm|im|i am|we're|we are|(?:the |my )?(?:position|trade|bag)(?:'s| is)) `
)

const ways = `up|in profit|in the green|ahead|down|in the red|losing|behind`

var (
	// signed is an amount of cents, maybe below none.
	signed = `(?:(?P<cents>-?\d+(?:\.\d+)?) ?c(?:ents?)?|(?P<minus>-)?(?P<x>` + slots["x"].exp + `))`
	// fewCents is what is gained or lost rather than a price, where it is more than that.
	fewCents = `(?:\$?0?\.[01]\d*|1?\d(?:\.\d+)? ?c(?:ents?)?)`
	// pairCost is a bound on what both tokens cost.
	pairCost = compared + ` (?:\$(?P<dollars>\d*\.?\d+)|(?P<plain>\d?\.\d+)|` + signed + `)`
	// gained is a price that something is up or down by, or maybe at.
	gained = `(?:(?:` + mine + `)?(?P<way>` + ways + `)(?: by)?(?: at least)? (?P<x>` + slots["x"].exp + `|a (?:nickel|dime|quarter))|` +
		`(?:` + mine + `)?(?P<way>up|down)(?: by)? (?P<cmp>more than) (?P<x>` + fewCents + `)|` +
		mine + `(?:at least )?(?P<x>` + slots["x"].exp + `|a (?:nickel|dime|quarter)) (?P<way>` + ways + `)|` +
		`(?:` + mine + `(?:worth )?|(?:the )?price is |(?:it )?(?:falls|drops|gets|goes) )?(?:at least )?(?P<x>` + slots["x"].exp + `) (?P<way>above|over|below|under|more than|less than) (?:(?:my |the |our )?(?:(?:avg|average|mean) )?(?:entry|cost|fill|average|avg)(?: price)?|(?:what )?i (?:have )?paid)|(?:at|with|on|for) (?:an? )?(?:(?P<x>` + slots["x"].exp + `) (?P<way>profit|gain|loss)|(?P<way>profit|gain|loss) of (?P<x>` + slots["x"].exp + `)))(?: or more)?(?: (?:a|per) share)?(?: on (?:it|them|this|that|the (?:trade|position)))?`
)

var comparators = map[string]strategy.Comparator{
	"at most": strategy.LTE, "no more than": strategy.LTE, "at least": strategy.GTE, "below": strategy.LT, "under": strategy.LT,
	"less than": strategy.LT, "<": strategy.LT, "<=": strategy.LTE, ">": strategy.GT, ">=": strategy.GTE, "above": strategy.GT, "over": strategy.GT, "more than": strategy.GT,
}

// held are the conditions on what is held, which the grammar of entries has not.
var held = []struct {
	exp   *lazy.Regexp
	typ   strategy.Type
	token strategy.Token
	way   int // 1: of so much at least, a loss as a negative profit, 0: as compared
}{
	{whole(`(?:(?:its|the|my) )?(?:(?:held|open|paper|unreali[sz]ed) )?(?:profit|gain|p&l|pnl)(?: per share)? (?:` + compared + `|is|reaches|hits|gets to) ` + signed + `(?: per share| a share)?`), strategy.HeldProfit, strategy.TokenSame, 0},
	{whole(`the other side's profit ` + compared + ` ` + signed), strategy.HeldProfit, strategy.TokenOpposite, 0},
	{gains, strategy.HeldProfit, strategy.TokenSame, 1},
	{whole(`(?:(?:the |a )?(?:pair|combo|set)(?:'s)?(?: cost| price)?|the cost of both|(?:both|they)(?: sides| tokens)? together|the two(?: together| combined)?|the (?:total|combined) cost|together they) (?:together )?` + pairCost + `(?: together| combined| in total)?`), strategy.PairCost, strategy.TokenNone, 0},
	{whole(`(?:both|they)(?: sides| tokens)? (?:together )?` + pairCost + ` (?:together|combined|in total)`), strategy.PairCost, strategy.TokenNone, 0},
	{whole(`both(?: sides| tokens)? cost together ` + pairCost), strategy.PairCost, strategy.TokenNone, 0},
	{whole(`both(?: sides| tokens)? (?:costs?|comes? (?:out )?(?:to|at)|adds? up to|sums? to|totals?) ` + pairCost), strategy.PairCost, strategy.TokenNone, 0},
	{whole(`(?P<cmp>at least|at most|more than|less than) (?P<dur>.+?) (?:has|have) passed since (?:the )?(?:entry|fill)`), strategy.SinceEntry, strategy.TokenNone, 0},
	{whole(`after (?P<dur>.+?) in (?:the (?:trade|position)|it)|(?P<dur>.+?) after (?:the |my )?(?:i get in|i'm in|im in|i am in|i buy|i bought|purchase|buying|buy|it fills)`), strategy.SinceEntry, strategy.TokenNone, 1},
	{whole(`(?P<dur>.+?) (?:has passed |have passed |passed )?(?:after|since) (?:the )?(?:entry|fill|my fill|my entry)`), strategy.SinceEntry, strategy.TokenNone, 1},
}

func whole(exp string) *lazy.Regexp { return lazy.Compile(`^` + exp + `$`) }

var (
	errConditions = errors.New("these are not conditions")
	gains         = whole(gained)
	mayGain       = lazy.Compile(`^(?:` + mine + `)?(?:up|down) (?:by|(?:above|over|less than) ` + fewCents + `(?: |$))|^(?:over|above|more than|under|below|less than) ` + fewCents + ` (?:up|down)\b|^` + mine + `(?:up|down)\b|^` + gained)
	changed       = lazy.Compile(`\b(?:in|over|within) (?:the )?(?:last|past|[a-z0-9.]+ (?:second|minute|hour|s|m|h)s?\b)`)
	windowed      = lazy.Compile(`^(in the first .+? (?:seconds?|minutes?)) when \(`)
	acts          = lazy.Compile(`\b(?:never|if not (?:at|by)|either (?:is|side|one)|one of them|can't|cannot|won't|no longer|looks like|(?:up|down) (?:more|less) than [^ ]+ (?:c |cents )?(?:in|over|within) |(?:drops|falls|rises|climbs|goes) to [^ ]+(?: cents?)? (?:with)?in (?:\d|an?\b|one|two|three|five|ten)|all (?:when|if|with|at|above|below)|holds?|turns|comes back|(?:is|are|be) held|rest|half|sell|buy|exit|stop|target|remainder|merge|cancel|add|another|still (?:open|live|there|resting|working|waiting|sitting)|plac(?:e|ing)|put(?:ting)?|post|submit|(?:un)?fill(?:s|ed)?|nobody|no one|halfway (?:to|between|from|down|up))\b`)
	moves         = lazy.Compile(`^(?:falls?|drops?|dips?|goes|rises?|climbs|reach|reaches|hits|touches) `)
	named         = lazy.Compile(`\b(?:up|down|yes|no)(?:'s)?\b`)
	upAndDown     = lazy.Compile(`\b(?:up and down|down and up)\b`)
	butNot        = lazy.Compile(`,? but (not|only) `)
	occasion      = lazy.Compile(expand(`(?:{occasion}|(?:at|@) ?` + slots["p"].exp + `)`))
	bracketed     = lazy.Compile(`^(?:in the first [a-z0-9. ]+ )?when \(([^()]*)\)$`)
)

// conditions reads a list of conditions of an order, for a strategy on a market and
// side.
func (f *Found) conditions(words string, on strategy.MarketSpec, side strategy.Side) ([]strategy.Condition, error) {
	words = strings.Join(strings.Fields(words), " ")
	if acts.MatchString(words) {
		return nil, errConditions
	}
	window := ""
	if m := windowed.FindStringSubmatch(words); m != nil {
		window = m[1] + " "
	}
	if m := bracketed.FindStringSubmatch(words); m != nil {
		words = m[1]
	}
	list, rest, ok := heldIn(words)
	switch {
	case !ok:
		return nil, errConditions
	case len(rest) == 0:
		return list, nil
	}
	text := strings.Join(rest, " and ")
	if !occasion.MatchString(text) {
		text = window + "when " + moves.ReplaceAllString(text, "it $0")
	}
	for _, as := range []strategy.Side{strategy.Either, side} {
		if as == strategy.Either && side != strategy.Either && named.MatchString(text) {
			continue
		}
		read := f.answer(question{text, on, as})
		if read == nil {
			continue
		}
		for i := range read {
			switch read[i].Token {
			case as.Held():
				read[i].Token = strategy.TokenSame
			case as.Other():
				read[i].Token = strategy.TokenOpposite
			}
		}
		return slices.Concat(list, read), nil
	}
	return nil, errConditions
}

// heldIn reads what conditions say of what is held, and leaves the rest. ok is false where
// they say what is gained and not how much: that is not Up's price.
func heldIn(words string) (list []strategy.Condition, rest []string, ok bool) {
	words = upAndDown.ReplaceAllString(words, "both")
	for part := range strings.SplitSeq(butNot.ReplaceAllString(words, " and $1 "), " and ") {
		c, isHeld := heldCondition(part)
		switch {
		case isHeld:
			list = append(list, c)
		case mayGain.MatchString(part) && !changed.MatchString(part):
			return nil, nil, false
		default:
			rest = append(rest, part)
		}
	}
	return list, rest, true
}

// question is what a [Reader] is asked.
type question struct {
	words string
	on    strategy.MarketSpec
	side  strategy.Side
}

// answer reads conditions, the same ones once; nil: they are none.
func (f *Found) answer(q question) []strategy.Condition {
	list, known := f.reads[q]
	if !known {
		list, _ = f.read(q.words, q.on, q.side)
		f.reads[q] = list
	}
	return slices.Clone(list)
}

// orLess is an amount that is the most.
var orLess = lazy.Compile(`(\$?\.?\d[\d.]* ?(?:c|cents?)?\b) or (?:less|lower)\b`)

// losses are words of a loss.
var losses = map[string]bool{"down": true, "in the red": true, "losing": true, "behind": true, "below": true, "under": true, "less than": true, "loss": true}

// heldCondition reads one condition on what is held.
func heldCondition(words string) (c strategy.Condition, ok bool) {
	words = orLess.ReplaceAllString(words, "at most $1")
	for _, h := range held {
		m := h.exp.FindStringSubmatch(words)
		if m == nil {
			continue
		}
		said := func(name string) string {
			for i, of := range h.exp.Get().SubexpNames() {
				if of == name && m[i] != "" {
					return m[i]
				}
			}
			return ""
		}
		c = strategy.Condition{Type: h.typ, Token: h.token, Comparator: strategy.GTE}
		if by := said("cmp"); by != "" {
			c.Comparator = comparators[by]
		}
		switch {
		case said("dur") != "":
			c.Threshold, ok = value("dur", said("dur"))
			if !ok { // "0 seconds" is no length of time
				c.Threshold, ok = 0, said("dur") == "0 seconds"
			}
		case said("x") != "":
			c.Threshold, ok = value("x", said("x"))
		case said("cents") != "":
			n, err := strategy.ParseNumber(said("cents"))
			c.Threshold, ok = n/100, err == nil && n%100 == 0
		default:
			n, err := strategy.ParseNumber(said("dollars") + said("plain"))
			c.Threshold, ok = n, err == nil
		}
		if said("minus") != "" {
			c.Threshold = -c.Threshold
		}
		if losses[said("way")] {
			c.Threshold, c.Comparator = -c.Threshold, map[strategy.Comparator]strategy.Comparator{strategy.GTE: strategy.LTE, strategy.GT: strategy.LT}[c.Comparator]
		}
		return c, ok
	}
	return c, false
}
