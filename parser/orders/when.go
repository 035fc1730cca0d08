package orders

import (
	"slices"
	"strings"

	"github.com/ladderback/ladderback/parser/lazy"
	"github.com/ladderback/ladderback/strategy"
)

func (b *builder) conditions(words string) []strategy.Condition {
	words = thenOf.ReplaceAllString(words, "$1 ")
	if ranked.MatchString(words) {
		b.fail("which token? say \"its price\" or \"the other side's price\"")
	}
	list, err := b.f.conditions(words, b.s.Market, b.s.Side)
	if err != nil {
		b.fail("these conditions cannot be read for a strategy that buys %s; say \"its price\" or \"the other side's price\"", b.s.Side)
	}
	return list
}

// thenOf is a token with a word that says nothing: "if Up then goes to 85c".
var thenOf = lazy.Compile(`^((?:the )?(?:ups?|downs?|it|price)) then `)

// ranked are names of a token that may by then be the other one's.
var ranked = lazy.Compile(`\b(?:favou?rite|leader|underdog|leading|trailing|(?:cheaper|dearer|pricier|higher|lower|stronger|weaker) (?:side|token|one))\b`)

// when are the conditions of a phrase. "Up 60c" is a gain where there is that much to gain
// on what is held, if anything is.
func (b *builder) when(m *match, isHeld bool) []strategy.Condition {
	_, most := b.paid()
	for part := range strings.SplitSeq(m.said["conds"], " and ") {
		part = strings.Trim(part, " ,")
		if c, ok := heldCondition(part); ok && gains.MatchString(part) && (!isHeld || most < strategy.One && (c.Threshold+most >= strategy.One || c.Threshold <= -most)) {
			b.fail("a gain of more than there is to gain, or a price? say \"Up's price is above 60c\"")
		}
	}
	list := b.directed(b.conditions(m.said["conds"]), m.said["conds"])
	b.asksWhose(m, list)
	if occasion.MatchString(m.said["conds"]) && !slices.ContainsFunc(list, func(c strategy.Condition) bool { return !until(c) }) {
		if by := m.said["conds"]; len(list) == 1 && m.pattern.field == "order.cancel_when" && (strings.HasPrefix(by, "by ") || endsBy.MatchString(by) && m.said["empty"] != "") {
			list[0].Comparator = map[strategy.Type]strategy.Comparator{strategy.TimeElapsed: strategy.GTE, strategy.TimeRemaining: strategy.LTE}[list[0].Type]
			return list // what is done by then
		}
		b.fail("until then, or from then on? say \"at minute 5\" or \"with 2 minutes left\"")
	}
	return list
}

var (
	// bareIt is a price of "it", or of nothing, which is of what was spoken of last.
	bareIt = lazy.Compile(`^(?:(?:it|that)(?:'s| (?:falls|drops|dips|rises|climbs|goes|gets|is|hits|reaches|comes))|above|over|below|under)\b|^[<>]`)
	// elided is a bound without a subject.
	elided = lazy.Compile(`^(?:[<>]|(?:above|over|below|under)\b)`)
	// byThen is a time by which something is to be so.
	byThen = lazy.Compile(`\bby (?:minute|half|the (?:end|last|first))`)
	// often is an occasion that comes more than once.
	often = lazy.Compile(`\b(?:each|every) time\b|\bwhenever\b`)
	// spoken ends with what is compared, that was spoken of last; bookish are verbs of the spread.
	spoken  = lazy.Compile(`^(?s:.*)\b(?:(spread)|(imbalance|imb)|(the ask)|price|ups?|downs?|yes|no)\b`)
	bookish = lazy.Compile(`\b(?:narrow|widen|tighten)`)
	// ratio is a number that is no price in cents.
	ratio = lazy.Compile(`\b0?\.\d+$`)
)

// asksWhose asks what "it" is: which token, or what was compared before.
func (b *builder) asksWhose(m *match, list []strategy.Condition) {
	words := m.said["conds"]
	isPrice := func(c strategy.Condition) bool { return c.Type == strategy.Price && c.Token == strategy.TokenSame }
	i := slices.IndexFunc(list, isPrice)
	if i < 0 || !bareIt.MatchString(words) && !bookish.MatchString(words) {
		return
	}
	of := spoken.FindStringSubmatch(b.f.text[:m.from])
	switch {
	case spokenOf(b.s), elided.MatchString(words) && slices.ContainsFunc(b.s.Entry, func(c strategy.Condition) bool { return c.Token == b.s.Side.Other() && c.Type.IsPrice() }):
		b.fail("\"it\": which token? say \"Up's price\" or \"Down's price\"")
	case bookish.MatchString(words) || of != nil && (of[1] != "" && list[i].Threshold <= strategy.Cents(10) || of[2] != "" && ratio.MatchString(words) || of[3] != ""):
		b.fail("\"it\": its price, or what was compared before? say \"its price\" or \"its spread\"")
	}
}

// asks asks what a further order on conditions leaves open: how often it comes, and after what, where
// they hold as soon as the entry is bought.
func (b *builder) asks(m *match) {
	if m.pattern.field != "then" || m.said["no"] != "" || len(b.s.Then) == 0 {
		return
	}
	next := b.at + 1
	if m.said["conds"] != "" && often.MatchString(b.f.text[m.from:m.to]) && (next == len(b.f.matches) || b.f.matches[next].said["n"] == "") {
		b.fail("once, or how often? say \"if Up falls below 35c\", or \"up to 3 times\" behind it")
	}
	if byThen.MatchString(m.said["conds"]) {
		b.fail("until then, or from then on? say \"at minute 5\" or \"in the first 5 minutes\"")
	}
	if o := b.before(); o.Do == strategy.Buy && o.On == "" && o.Order == nil && len(o.When) > 0 && !slices.ContainsFunc(o.When, func(c strategy.Condition) bool { return !b.isMet(&c) }) {
		b.fail("this holds as soon as the entry is bought; of which token is the price, or what comes before it?")
	}
}

// isMet reports whether a condition on a price of what is held is met by what the entry pays.
func (b *builder) isMet(c *strategy.Condition) bool {
	lo, hi := b.paid()
	for _, e := range b.s.Entry {
		if other := e.Token == b.s.Side.Other() && e.Type.IsPrice(); other && e.Comparator.IsLower() {
			hi = min(hi, strategy.One-e.Threshold)
		} else if other {
			lo = max(lo, strategy.One-e.Threshold)
		}
	}
	met := c.Threshold > hi && hi < strategy.One
	if c.Comparator.IsLower() {
		met = c.Threshold < lo
	}
	return met && c.Type.IsPrice() && c.Token == strategy.TokenSame && !c.Comparator.IsCrossing()
}

// unsold reports whether it is never sold for the first of some reasons.
func (b *builder) unsold(after []strategy.Reason) bool {
	e := &b.s.Exit
	return e.MaxHoldSeconds+e.ExitBeforeSeconds != 0 && len(after) == 1 && (after[0] == strategy.ReasonTakeProfit && !e.Aims() || after[0] == strategy.ReasonStopLoss && !e.Stops())
}

// spokenOf reports whether the token that is not bought was spoken of last.
func spokenOf(s *strategy.Strategy) bool {
	list := s.Entry
	if n := len(s.Then); n > 0 {
		list = s.Then[n-1].When
	} else if s.Order != nil {
		return false // it is what is bid for
	}
	if len(list) == 0 {
		return false
	}
	last := list[len(list)-1]
	return last.Type.IsPrice() && (last.Token == strategy.TokenOpposite || last.Token == s.Side.Other())
}

// endsBy is a time by which something is not done.
var endsBy = lazy.Compile(`^(?:before|(?:in|during|within) the first) `)

// until reports whether a condition is a time that ends.
func until(c strategy.Condition) bool {
	return c.Type == strategy.TimeElapsed && !c.Comparator.IsLower() || c.Type == strategy.TimeRemaining && c.Comparator.IsLower()
}

var (
	// neutral is a level that is met, without a word for the side from which.
	neutral = lazy.Compile(`[a-z'] ` + slots["p"].exp + `$`)
	// directed are words that say it.
	directed = lazy.Compile(`[<>]|\b(?:below|under|beneath|above|over|most|least|less|more|than|higher|lower|better|worse|cheaper|drop\w*|f[ae]ll\w*|dip\w*|sinks?|slid\w*|rise\w*|rose|climb\w*|jump\w*|spike\w*|rall\w*|pops?|tank\w*|crash\w*|plung\w*|gain\w*|los\w+|exceed\w*|cross\w*|between|widen\w*|narrow\w*|tight\w*|wider|(?:up|down) to|max|min|not|no|beyond|past|through|break\w*)\b`)
	// meets are verbs of a price that comes to a level.
	meets = lazy.Compile(`\b(?:hits?|reach(?:es)?|touch(?:es)?)\b`)
)

// directed gives a level that is said without a direction the one from which it is reached: of what the
// entry pays, a higher price is met from below. What has none is asked for.
func (b *builder) directed(list []strategy.Condition, words string) []strategy.Condition {
	for part := range strings.SplitSeq(words, " and ") {
		part = strings.Trim(part, " ,")
		at := bare.FindStringIndex(part)
		if (!neutral.MatchString(part) || directed.MatchString(part)) && (at == nil || orBeyond.MatchString(part[at[1]:])) || b.err != nil {
			continue
		}
		of := b.conditions(part)
		for i := range list {
			if slices.Contains(of, list[i]) && (list[i].Comparator == strategy.GTE || list[i].Comparator == strategy.LTE) {
				b.direct(&list[i], meets.MatchString(part))
			}
		}
	}
	return list
}

// direct gives one condition its direction; met: the price comes there.
func (b *builder) direct(c *strategy.Condition, met bool) {
	lo, hi := b.paid()
	bounded := lo > 0 || hi < strategy.One
	switch {
	case !levels[c.Type]:
	case !c.Type.IsPrice() || c.Token != strategy.TokenSame:
		if !met || !c.Type.IsPrice() || c.Comparator != strategy.GTE {
			b.fail(whichWay)
		}
	case !bounded && !met:
		b.fail(whichWay)
	case !bounded:
	case c.Threshold > hi:
		c.Comparator = strategy.GTE
	case c.Threshold < hi && (c.Threshold < lo || hi < strategy.One):
		c.Comparator = strategy.LTE
	default:
		b.fail(whichWay)
	}
}

// levels are what may be met from above and from below.
var levels = map[strategy.Type]bool{strategy.Price: true, strategy.BestBid: true, strategy.BestAsk: true, strategy.Spread: true, strategy.Imbalance: true}

const whichWay = "at this or above, or below? say \"is at least …\" or \"is at most …\""

// price is a condition on the price of a token.
func price(token strategy.Token, by strategy.Comparator, at strategy.Number) []strategy.Condition {
	return []strategy.Condition{{Type: strategy.Price, Token: token, Comparator: by, Threshold: at}}
}

// more is the price at which a further buy takes. Above what the entry pays it would be
// reached at once.
func (b *builder) more(m *match) []strategy.Condition {
	at := m.number("p")
	switch by := m.said["up"]; {
	case by == "above" || by == "over" || by == ">":
		return price(strategy.TokenSame, strategy.GT, at)
	case by+m.said["over"] != "":
		return price(strategy.TokenSame, strategy.GTE, at)
	}
	if lo, hi := b.paid(); at > hi || hi == strategy.One && lo > 0 && at > lo {
		b.fail("more at a higher price than the entry's? say \"if it rises to …\"")
	}
	return price(strategy.TokenSame, m.comparator(), at)
}

// comparator is how a phrase bounds a price from above.
func (m *match) comparator() strategy.Comparator {
	if m.said["lt"] != "" {
		return strategy.LT
	}
	return strategy.LTE
}

// since is the gain or the time from the entry on that a phrase says.
func (m *match) since() []strategy.Condition {
	if m.said["x"] != "" {
		return []strategy.Condition{{Type: strategy.HeldProfit, Token: strategy.TokenSame, Comparator: strategy.GTE, Threshold: m.number("x")}}
	}
	return []strategy.Condition{{Type: strategy.SinceEntry, Comparator: strategy.GTE, Threshold: m.number("dur")}}
}

// atPriceOf is the price of what is held, without a comparator.
var atPriceOf = lazy.Compile(`^(?:the |its )?(?:price|it)(?: is| is at| gets to| comes to| at)? (` + slots["p"].exp + `)$`)

// beyond is on which side of what is paid a price is: above it a target, below it a stop.
func (b *builder) beyond(m *match) strategy.Comparator {
	lo, hi := b.paid()
	up, down := m.said["over"]+m.said["up"] != "", m.said["lt"] != ""
	if at := m.number("p"); !down && above(at, lo, hi, up) {
		return strategy.GTE
	} else if !up && (at < lo || at < hi && hi < strategy.One || hi == strategy.One && lo == 0 && down) {
		return strategy.LTE
	}
	b.fail("a target or a stop? say \"if it rises to …\" or \"if it falls to …\"")
	return strategy.GTE
}

// above reports whether a price is a target for what pays from lo to hi: beyond the most, or above the
// least where there is no most; where there is neither it is said, or the upper half.
func above(at, lo, hi strategy.Number, said bool) bool {
	switch {
	case hi < strategy.One:
		return at > hi
	case lo > 0:
		return at > lo
	}
	return said || at >= strategy.One/2
}

// paid are the bounds on what the entry pays: 0 and 1 where there are none.
func (b *builder) paid() (lo, hi strategy.Number) {
	hi = strategy.One
	if b.s.Order != nil && b.s.Order.RestAt != nil {
		hi = *b.s.Order.RestAt
	}
	for _, c := range b.s.Entry {
		if c.Token != b.s.Side.Held() || !c.Type.IsPrice() {
			continue
		}
		switch c.Comparator {
		case strategy.CrossesAbove: // about there
			lo, hi = max(lo, c.Threshold), min(hi, c.Threshold)
		case strategy.LT, strategy.LTE, strategy.CrossesBelow:
			hi = min(hi, c.Threshold)
		default:
			lo = max(lo, c.Threshold)
		}
	}
	return lo, hi
}

// share is the part that a phrase speaks of.
func (m *match) share() strategy.Number {
	return m.number("frac") + m.number("ratio")
}

// bare is a price without a comparator.
var bare = lazy.Compile(`\b(?:is|are|it's|price|at|bid) ` + slots["p"].exp + `\b`)

// orBeyond says behind a price on which side of it.
var orBeyond = lazy.Compile(`^,? or (?:more|higher|better|above|over|less|lower|below|under)\b`)
