package orders

import (
	"slices"
	"strings"

	"github.com/ladderback/ladderback/parser/lazy"
	"github.com/ladderback/ladderback/parser/orders/kinds"
	"github.com/ladderback/ladderback/strategy"
)

// limit is the limit that a phrase says; nil: none.
func (b *builder) limit(m *match) *strategy.Order {
	o := &strategy.Order{PostOnly: m.said["only"] != "" || m.said["maker"] != ""}
	distance := m.number("x") + m.number("x2")
	switch m.said["way"] + m.said["way2"] {
	case "below", "under", "lower than", "behind", "off", "-", "minus":
		distance = -distance
	}
	touch := m.said["touch"] + m.said["touch2"] + m.said["touch3"]
	switch {
	case m.said["p"] != "":
		o.RestAt = m.number("p").Ptr()
	case touch == "bid":
		o.RestFromBid = distance.Ptr()
	case touch != "":
		o.RestFromAsk = (-distance).Ptr()
	default:
		return nil
	}
	o.CancelAfterSeconds = b.seconds(m.number("dur"))
	if m.said["cwhen"] != "" {
		o.CancelWhen = b.conditions(m.said["cwhen"])
	}
	b.last = o
	return o
}

func (b *builder) restEntry(m *match) {
	b.single("the price at which the entry rests")
	b.s.Order = b.limit(m)
	if m.said["shares"] != "" {
		b.shares(m)
	}
	for _, change := range b.ahead {
		change(b.s.Order)
	}
	b.ahead = nil
}

// bothSides rests bids on both tokens from the start.
func (b *builder) bothSides(m *match) {
	b.restEntry(m)
	if b.s.Side != strategy.Up || b.err != nil {
		b.fail("two bids, one on Up and one on Down: say nothing else of what is bought")
		return
	}
	b.twin = true
	o := *b.s.Order
	if m.said["p2"] != "" {
		o.RestAt = m.number("p2").Ptr()
	}
	usd := b.s.BudgetPerTrade
	switch of, other := m.said["usd"], m.said["usd2"]; {
	case (of == "") != (other == ""):
		b.fail("how much on each? say \"$20 each\", or an amount behind both")
	case other != "":
		usd = m.number("usd2")
	}
	b.s.Then = append(b.s.Then, strategy.Then{Do: strategy.Buy, Token: strategy.TokenOpposite, On: strategy.OnStart, USD: usd, Order: &o})
}

// ended changes the order that was said last, and its twin on the other token; where none
// was, the one that the entry is bought with.
func (b *builder) ended(change func(o *strategy.Order)) {
	if b.last == nil {
		b.ahead = append(b.ahead, change)
		return
	}
	if b.which(); b.all() || b.rungs > 0 && b.rungs == len(b.resting()) {
		for _, o := range b.resting() {
			change(o)
		}
		return
	}
	change(b.last)
	if twin := b.before(); twin.On == strategy.OnStart && b.last == b.s.Order {
		change(twin.Order)
	}
}

// resting are the orders that rest, the entry's first: the second of two bids is its twin.
func (b *builder) resting() []*strategy.Order { return kinds.Resting(b.s) }

// all reports whether a phrase speaks of every order.
func (b *builder) all() bool { return ofAll.MatchString(b.words()) }

// words are those of the phrase that is added.
func (b *builder) words() string { return b.f.text[b.f.matches[b.at].from:b.f.matches[b.at].to] }

// ofBuy are words of an order that buys.
var ofBuy = lazy.Compile(`\b(?:bid|buy|entry|limit buy|buy order)\b`)

// ofAll are words of more orders than one.
var ofAll = lazy.Compile(`\b(?:both|all|each|every|everything|them|orders|bids|quotes)\b`)

// which asks which order a phrase speaks of where several rest.
func (b *builder) which() {
	n := len(b.resting())
	if len(b.s.Then) > 0 && b.s.Then[0].On == strategy.OnStart {
		n--
	}
	buysMore := slices.ContainsFunc(b.s.Then, func(o strategy.Then) bool { return o.Do == strategy.Buy && o.Order != nil })
	switch {
	case n <= 1 || b.all() || n == b.rungs:
	case !buysMore && ofBuy.MatchString(b.words()):
		b.last = b.s.Order
	default:
		b.fail("which order? say it right behind the first one, or \"cancel both …\", \"both post only\"")
	}
}

// ofSale asks of a cancel of "it" straight behind a sale which order that is.
func (b *builder) ofSale() {
	life := lasts.MatchString(b.words())
	if !life && !itOrBoth.MatchString(b.words()) || ofBuy.MatchString(b.words()) {
		return
	}
	between, some := b.between()
	beside := some && b.f.matches[b.at-1].pattern.field == "exit.rest_take_profit" && strings.Trim(between, " ,.;\nand") == ""
	if beside || life && exitBehind.MatchString(b.f.text[:b.f.matches[b.at].from]) {
		b.fail("which order, the one that buys or the one that sells? say \"cancel the bid after 2 minutes\"; a resting target is not cancelled")
	}
}

var (
	itOrBoth = lazy.Compile(`\b(?:it|this|that|them|both)\b`)
	// lasts are words of how long an order stands.
	lasts      = lazy.Compile(`^(?:the |my )?(?:order|bid|quote)? ?(?:good|valid|time in force|tif|ttl|gtt|dies|lapses|expires?|expiring)\b`)
	exitBehind = lazy.Compile(`\b(?:stop|sl|stop loss|tp|target|take profit)(?: at| @|:)? ?` + slots["p"].exp + `[,.;]? (?:and |then )*$`)
)

func (b *builder) postOnly(*match) { b.ended(func(o *strategy.Order) { o.PostOnly = true }) }

func (b *builder) cancelAfter(m *match) {
	n := b.seconds(m.number("dur") + m.number("n"))
	b.ofSale()
	if b.last != nil && b.last.CancelAfterSeconds != 0 {
		b.fail("two times after which one order is cancelled; give one")
	}
	b.ended(func(o *strategy.Order) { o.CancelAfterSeconds = n })
}

func (b *builder) cancelWhen(m *match) {
	list := b.when(m, b.last != nil && b.last != b.s.Order)
	b.ofSale()
	if kinds.Quotes(b.s) && pronoun.MatchString(m.said["conds"]) {
		b.fail("\"its\": of two bids, which one's? say \"Up's price\" or \"Down's price\"")
	}
	if b.last != nil && b.last.CancelWhen != nil {
		b.fail("one order is cancelled on two occasions: the conditions of a cancel must all hold; join them with \"and\", or give one, and a time such as \"cancel after 2 minutes\"")
	}
	b.ended(func(o *strategy.Order) { o.CancelWhen = list })
}

// offers rests the target, where it is not what is done when the bid is cancelled.
func (b *builder) offers(m *match) {
	if i := b.at - 1; i >= 0 && strings.HasPrefix(b.f.matches[i].pattern.field, "order.cancel") && strings.HasSuffix(strings.TrimSpace(b.f.text[:m.from]), " and") {
		b.fail("is it offered when the order is cancelled, or when it has filled? say \"sell with a limit at 60c\"")
	}
	b.restTarget(m)
}

func (b *builder) restTarget(*match) { b.s.Exit.RestTakeProfit = true }

// endless says of an order that nothing cancels it.
func (b *builder) endless(*match) {
	b.ended(func(o *strategy.Order) {
		if o.CancelAfterSeconds != 0 || o.CancelWhen != nil {
			b.fail("cancelled, or good till it is? give one")
		}
	})
}
