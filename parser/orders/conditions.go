package orders

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/strategy"
)

const (
	compared = `(?:costs? (?:me |us )?)?(?P<cmp>is at most|is at least|is below|is above|at most|at least|below|under|less than|no more than|above|over|more than|is under|is over|costs? (?:less than|under|below|at most)|drops? (?:below|under)|<=|<|>=|>)`
	signed   = `(?P<cents>-?\d+(?:\.\d+)?) ?c(?:ents?)?`
)

var comparators = map[string]strategy.Comparator{
	"at most": strategy.LTE, "no more than": strategy.LTE, "at least": strategy.GTE, "below": strategy.LT, "under": strategy.LT,
	"less than": strategy.LT, "<": strategy.LT, "<=": strategy.LTE, ">": strategy.GT, ">=": strategy.GTE, "above": strategy.GT, "over": strategy.GT, "more than": strategy.GT,
}

// held are the conditions on what is held, which the grammar of entries has not.
var held = []struct {
	exp   *regexp.Regexp
	typ   strategy.Type
	token strategy.Token
	way   int // 1: a profit of so much at least, -1: a loss, 0: as compared
}{
	{whole(`(?:its|the) profit ` + compared + ` ` + signed), strategy.HeldProfit, strategy.TokenSame, 0},
	{whole(`the other side's profit ` + compared + ` ` + signed), strategy.HeldProfit, strategy.TokenOpposite, 0},
	{whole(`(?:it's|it is|i'm|i am|we're|the position is|the trade is)? ?(?:up|in profit by|ahead by)(?: by)?(?: at least)? ` + signed), strategy.HeldProfit, strategy.TokenSame, 1},
	{whole(`(?:it's|it is|i'm|i am|we're|the position is|the trade is)? ?(?:down|losing|behind by)(?: by)?(?: at least)? ` + signed), strategy.HeldProfit, strategy.TokenSame, -1},
	{whole(`(?:(?:the |a )?pair(?:'s)?(?: cost| price)?|the cost of both|both(?: sides| tokens)?(?: together)?|the two(?: together| combined)?|the (?:total|combined) cost|together they|they) (?:together )?` + compared + ` (?:\$(?P<dollars>\d*\.?\d+)|(?P<plain>\d?\.\d+)|` + signed + `)(?: together| combined| in total)?`), strategy.PairCost, strategy.TokenNone, 0},
	{whole(`(?P<cmp>at least|at most|more than|less than) (?P<dur>.+?) (?:has|have) passed since (?:the )?(?:entry|fill)`), strategy.SinceEntry, strategy.TokenNone, 0},
	{whole(`(?P<dur>.+?) (?:has passed |have passed |passed )?(?:after|since) (?:the )?(?:entry|fill|my fill|my entry)`), strategy.SinceEntry, strategy.TokenNone, 1},
}

func whole(exp string) *regexp.Regexp { return regexp.MustCompile(`^` + exp + `$`) }

var (
	errConditions = errors.New("these are not conditions")
	windowed      = regexp.MustCompile(`^(in the first .+? (?:seconds?|minutes?)) when \(`)
	acts          = regexp.MustCompile(`\b(?:hold|held|rest|half|sell|buy|exit|stop|target|remainder|merge|cancel|add|another)\b`)
	moves         = regexp.MustCompile(`^(?:falls?|drops?|dips?|goes|rises?|climbs|reach|reaches|hits|touches) `)
	named         = regexp.MustCompile(`\b(?:up|down|yes|no)(?:'s)?\b`)
	bracketed     = regexp.MustCompile(`^(?:in the first [a-z0-9. ]+ )?when \(([^()]*)\)$`)
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
	var list []strategy.Condition
	var rest []string
	for _, part := range strings.Split(words, " and ") {
		if c, ok := heldCondition(part); ok {
			list = append(list, c)
		} else {
			rest = append(rest, part)
		}
	}
	if len(rest) == 0 {
		return list, nil
	}
	text := window + "when " + moves.ReplaceAllString(strings.Join(rest, " and "), "it $0")
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

// heldCondition reads one condition on what is held.
func heldCondition(words string) (c strategy.Condition, ok bool) {
	for _, h := range held {
		m := h.exp.FindStringSubmatch(words)
		if m == nil {
			continue
		}
		said := func(name string) string {
			if i := h.exp.SubexpIndex(name); i >= 0 {
				return m[i]
			}
			return ""
		}
		c = strategy.Condition{Type: h.typ, Token: h.token, Comparator: strategy.GTE}
		if by := said("cmp"); by != "" {
			longest := ""
			for name, comparator := range comparators {
				if strings.HasSuffix(by, name) && len(name) > len(longest) {
					longest, c.Comparator = name, comparator
				}
			}
		}
		switch {
		case said("dur") != "":
			c.Threshold, ok = value("dur", said("dur"))
			if !ok { // "0 seconds" is no length of time
				c.Threshold, ok = 0, said("dur") == "0 seconds"
			}
		case said("cents") != "":
			n, err := strategy.ParseNumber(said("cents"))
			c.Threshold, ok = n/100, err == nil && n%100 == 0
		default:
			n, err := strategy.ParseNumber(said("dollars") + said("plain"))
			c.Threshold, ok = n, err == nil
		}
		if h.way < 0 {
			c.Threshold, c.Comparator = -c.Threshold, strategy.LTE
		}
		return c, ok
	}
	return c, false
}
