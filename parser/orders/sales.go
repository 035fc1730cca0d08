package orders

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ladderback/ladderback/parser/lazy"
	"github.com/ladderback/ladderback/strategy"
)

// phrasal is a token, or where a price goes.
var phrasal = lazy.Compile(`\b(?:down (?:under|below|beneath|to)|up (?:over|above|past|to)) `)

// atPriced is a price without a side.
var atPriced = lazy.Compile(`(?:\bat|@|:) ?` + slots["x"].exp)

// afterTime is a time that may be of the round or from the entry on.
var afterTime = lazy.Compile(`\bafter ` + slots["dur"].exp + `(?: |$)`)

// part adds a sale of a part: at a price, at a gain, after a time or on conditions.
func (b *builder) part(m *match) {
	o := strategy.Then{Do: strategy.Sell, Token: strategy.TokenSame, Shares: m.number("shares"), Fraction: m.share()}
	if m.said["n8"] != "" {
		o.Shares = b.bare(m, "n8")
	}
	rests := m.said["rests"] != "" || b.limits && (m.pattern.behind == partsBefore || m.pattern.behind == soldsBefore)
	if !rests {
		o.When = b.soldWhen(m)
	} else if o.Order = b.limit(m); o.Order == nil {
		b.fail("at what price does it rest?")
	} else if m.said["conds"] != "" {
		o.When = b.when(m, true)
	}
	b.asksGain(m, o.When)
	b.sells(o)
}

// soldWhen is when a part is sold that does not rest.
func (b *builder) soldWhen(m *match) []strategy.Condition {
	switch {
	case m.said["p"] != "":
		return []strategy.Condition{{Type: strategy.BestBid, Token: strategy.TokenSame, Comparator: b.strictly(m), Threshold: m.number("p")}}
	case m.said["x"]+m.said["dur"] != "":
		return m.since()
	case atPriceOf.MatchString(m.said["conds"]):
		m.said["p"] = atPriceOf.FindStringSubmatch(m.said["conds"])[1]
		return price(strategy.TokenSame, b.beyond(m), m.number("p"))
	}
	list := b.when(m, true)
	_, isHeld := heldCondition(m.said["conds"])
	if at := bare.FindStringIndex(m.said["conds"]); at != nil && !isHeld && !orBeyond.MatchString(m.said["conds"][at[1]:]) {
		b.fail(whichWay)
	}
	return list
}

// asksGain asks of a price behind a part that is sold at a gain whether it is one.
func (b *builder) asksGain(m *match, when []strategy.Condition) {
	gained := b.before().Do == strategy.Sell && slices.ContainsFunc(b.before().When, func(c strategy.Condition) bool { return c.Type == strategy.HeldProfit })
	below := m.said["p"] != "" && m.said["lt"] == "" && len(when) == 1 && !when[0].Comparator.IsLower()
	if gained && (below || elided.MatchString(m.said["conds"])) {
		b.fail("a gain, as the part before it, or a price? say \"at +10c\", or \"when its price is above 60c\"")
	}
}

// strictly is on which side of a price a part is sold: where it is said so, beyond it alone.
func (b *builder) strictly(m *match) strategy.Comparator {
	by := b.beyond(m)
	switch m.said["up"] + m.said["lt"] {
	case "above", "over", ">":
		return strategy.GT
	case "below", "under", "<":
		return strategy.LT
	}
	return by
}

// restPart rests a sale of a part, and those that follow it in a list; under a heading also what is left.
func (b *builder) restPart(m *match) {
	b.part(m)
	b.limits, b.listed = true, strings.HasSuffix(m.said["rests"], "s")
}

// remains sells what is left at a price.
func (b *builder) remains(*match) { b.s.Exit.RestTakeProfit = b.s.Exit.RestTakeProfit || b.listed }

// parted sells in equal parts at the prices of a list, the last of them all that is left.
func (b *builder) parted(m *match) {
	n, i := equal[m.said["in"]], 0
	all := b.levels(m, func(one *match) {
		one.said["frac"] = "1/" + strconv.Itoa(n)
		switch i++; {
		case i < n:
			b.part(one)
		case b.s.Exit.Aims():
			b.fail("two targets for what is left; give one")
		case b.beyond(one) == strategy.GTE:
			b.s.Exit.TakeProfit = one.number("p").Ptr()
		default:
			b.fail("a target or a stop? say \"sell half at 60c and the rest at 80c\"")
		}
	})
	if all != n {
		b.fail("as many prices as parts? say \"sell half at 60c and the rest at 80c\"")
	}
}

// equal are parts of one size, by their name.
var equal = map[string]int{"halves": 2, "half": 2, "thirds": 3, "quarters": 4, "fourths": 4, "fifths": 5}

// keeps leaves a part unsold, which is all that the sales of parts leave.
func (b *builder) keeps(m *match) {
	if left := strategy.One - b.parts - m.number("frac"); left < 0 || left >= strategy.Cents(1) {
		b.fail("what is sold and what is kept are not all there is; say \"sell half at 60c, hold the rest\"")
	}
}

// leaves reports whether so many shares are what the sales of parts leave.
func (b *builder) leaves(n strategy.Number) bool {
	if b.s.Size == nil || b.s.Size.Shares == 0 {
		return false
	}
	left := b.s.Size.Shares
	for _, o := range b.s.Then {
		if o.Do != strategy.Sell || o.Token != strategy.TokenSame {
			return false // what is bought besides may be left
		}
		left -= o.Shares + o.Fraction*b.s.Size.Shares/strategy.One
	}
	return max(left-n, n-left) < strategy.One/10 // a third is rounded
}

// all sells all of it on an occasion that is no exit: those the grammar reads.
func (b *builder) sellAll(m *match) {
	if atPriced.MatchString(m.said["conds"]) {
		b.fail("a target, a stop, or a price at that time? say \"sell at 60c\" or \"when its price is above 60c\"")
	}
	if afterTime.MatchString(m.said["conds"]) {
		b.fail("after this time of the round, or from the entry on? say \"at minute 2\" or \"2 minutes after entry\"")
	}
	list := b.when(m, true)
	if phrasal.MatchString(m.said["conds"]) && slices.ContainsFunc(list, func(c strategy.Condition) bool { return c.Token == strategy.TokenOpposite }) {
		b.fail("the other token, or a move? say \"the other side is below 40c\" or \"when it falls below 40c\"")
	}
	if c := m.said["conds"]; len(list) == 1 && (list[0].Type == strategy.HeldProfit || list[0].Token == strategy.TokenNone && list[0].Type != strategy.PairCost || list[0].Type.IsPrice() && list[0].Token == strategy.TokenSame) || strings.HasPrefix(c, "unless ") || strings.HasPrefix(c, "while ") {
		b.fail("is this an exit? say \"sell at 60c\", \"stop at 25c\", \"sell after 2 minutes\" or \"exit 1 minute before the end\"")
	}
	b.s.Then = append(b.s.Then, strategy.Then{Do: strategy.Sell, Token: strategy.TokenSame, Fraction: strategy.One, When: list})
}

// sells adds a sale of a part, which with those before it is no more than all, and which no target
// below it comes before.
func (b *builder) sells(o strategy.Then) {
	if b.parts += o.Fraction; b.parts > strategy.One {
		b.fail("parts that add up to more than all there is")
	}
	if most := b.s.Exit.TakeProfit; most != nil && len(o.When) == 1 && o.When[0].Type == strategy.BestBid && o.When[0].Comparator == strategy.GTE && o.When[0].Threshold > *most {
		b.fail("the target below this price sells everything first; say a stop for what is left, or a higher target")
	}
	b.s.Then = append(b.s.Then, o)
}
