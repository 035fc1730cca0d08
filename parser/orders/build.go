package orders

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ladderback/ladderback/strategy"
)

// Fault is why a phrase cannot be added to the strategy.
type Fault struct {
	Span    strategy.Span
	Message string
}

// builder adds phrases to a strategy.
type builder struct {
	f       *Found
	s       *strategy.Strategy
	budget  bool                      // the prompt says a budget
	at      int                       // the phrase that is added
	last    *strategy.Order           // the order that was said last; nil: none
	ahead   []func(o *strategy.Order) // what was said of the entry's order before it
	parts   strategy.Number           // what the sales of parts add up to
	usd     strategy.Number           // what the last further order spends, 0: none
	assumed []strategy.Assumption
	err     error
	once    map[string]bool
}

// Add adds what was found to the strategy of the rest. said reports whether a field
// of that one is said in the prompt.
func (f *Found) Add(s *strategy.Strategy, said func(field string) bool) (assumed []strategy.Assumption, fault *Fault) {
	b := &builder{f: f, s: s, budget: said("budget_per_trade"), once: map[string]bool{}}
	for i := range f.matches {
		b.at = i
		f.matches[i].pattern.says(b, &f.matches[i])
		if f.matches[i].loose {
			b.fail("a condition of this order, or of the entry? say \"and\" before it, or a sentence of its own")
		}
		for _, name := range []string{"p", "p2"} {
			if words := f.matches[i].said[name]; words != "" && isBare(name, words) {
				b.assume(f.matches[i].pattern.field, f.matches[i].number(name), "a bare number of 2 to 99 in the place of a price is cents")
			}
		}
		if b.err != nil {
			return nil, &Fault{f.Spans[i], b.err.Error()}
		}
	}
	if b.money(); len(b.ahead) > 0 {
		return nil, &Fault{f.Spans[0], "which order? say where it rests, such as \"bid 30c for Up\""}
	}
	return b.assumed, b.lacks()
}

// lacks is the fault of what is named and not said, nil for none.
func (b *builder) lacks() *Fault {
	for i := range b.f.matches {
		switch p := b.f.matches[i].pattern; {
		case p.topic != nil && !p.topic(b.s):
			return &Fault{b.f.Spans[i], "this is named and not said: say what is done, or leave it out"}
		case p.field == "again" && b.s.Again.MaxEntries == 0:
			b.s.Again.MaxEntries = 2
		case p.field == "size" && b.s.Size != nil && b.s.Size.Kelly != nil && (b.s.Size.Kelly.Probability == 0 || b.s.Size.Kelly.Fraction == 0):
			return &Fault{b.f.Spans[i], "Kelly needs a fraction and a fair value: say \"half Kelly with a 60c fair value\""}
		}
	}
	return nil
}

func (b *builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf(format, args...)
	}
}

func (b *builder) assume(field string, value strategy.Number, why string) {
	b.assumed = append(b.assumed, strategy.Assumption{Field: field, Value: json.RawMessage(value.String()), Why: why})
}

// single refuses a field that is said twice.
func (b *builder) single(field string) {
	if b.once[field] {
		b.fail("two values for %s; give one", field)
	}
	b.once[field] = true
}

// seconds is a time of a phrase in whole seconds.
func (b *builder) seconds(time strategy.Number) int {
	n, ok := time.Whole()
	if !ok {
		b.fail("this is not a whole number of seconds")
	}
	return n
}

func (b *builder) conditions(words string) []strategy.Condition {
	if ranked.MatchString(words) {
		b.fail("which token? say \"its price\" or \"the other side's price\"")
	}
	list, err := b.f.conditions(words, b.s.Market, b.s.Side)
	if err != nil {
		b.fail("these conditions cannot be read for a strategy that buys %s; say \"its price\" or \"the other side's price\"", b.s.Side)
	}
	return list
}

// ranked are names of a token that may by then be the other one's.
var ranked = regexp.MustCompile(`\b(?:favou?rite|leader|underdog|leading|trailing|(?:cheaper|dearer|pricier|higher|lower|stronger|weaker) (?:side|token|one))\b`)

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
	return b.directed(b.conditions(m.said["conds"]), m.said["conds"])
}

var (
	// neutral is a level that is met, without a word for the side from which.
	neutral = regexp.MustCompile(`[a-z'] ` + slots["p"].exp + `$`)
	// directed are words that say it.
	directed = regexp.MustCompile(`[<>]|\b(?:below|under|beneath|above|over|most|least|less|more|than|higher|lower|better|worse|cheaper|drop\w*|f[ae]ll\w*|dip\w*|sinks?|slid\w*|rise\w*|rose|climb\w*|jump\w*|spike\w*|rall\w*|pops?|tank\w*|crash\w*|plung\w*|gain\w*|los\w+|exceed\w*|cross\w*|between|widen\w*|narrow\w*|tight\w*|wider|(?:up|down) to|max|min|not|no|beyond|past|through|break\w*)\b`)
	// meets are verbs of a price that comes to a level.
	meets = regexp.MustCompile(`\b(?:hits?|reach(?:es)?|touch(?:es)?)\b`)
)

// directed gives a level that is said without a direction the one from which it is reached: of what the
// entry pays, a higher price is met from below. What has none is asked for.
func (b *builder) directed(list []strategy.Condition, words string) []strategy.Condition {
	for part := range strings.SplitSeq(words, " and ") {
		part = strings.Trim(part, " ,")
		if !neutral.MatchString(part) || directed.MatchString(part) || b.err != nil {
			continue
		}
		of := b.conditions(part)
		for i := range list {
			if len(of) == 1 && list[i] == of[0] {
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
	case !levelsOfPrice[c.Type] || c.Token != strategy.TokenSame:
		if !met || !levelsOfPrice[c.Type] || c.Comparator != strategy.GTE {
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

const whichWay = "at this or above, or below? say \"is at least …\" or \"is at most …\""

// levels are what has a level that may be met from above and from below, levelsOfPrice those
// that are prices of a token.
var (
	levels        = map[strategy.Type]bool{strategy.Price: true, strategy.BestBid: true, strategy.BestAsk: true, strategy.Spread: true, strategy.Imbalance: true}
	levelsOfPrice = map[strategy.Type]bool{strategy.Price: true, strategy.BestBid: true, strategy.BestAsk: true}
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
	if m.said["dur"] != "" {
		o.CancelAfterSeconds = b.seconds(m.number("dur"))
	}
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
	o := *b.s.Order
	if m.said["p2"] != "" {
		o.RestAt = m.number("p2").Ptr()
	}
	b.s.Then = append(b.s.Then, strategy.Then{Do: strategy.Buy, Token: strategy.TokenOpposite, On: strategy.OnStart, USD: b.s.BudgetPerTrade, Order: &o})
}

// ended changes the order that was said last, and its twin on the other token; where none
// was, the one that the entry is bought with.
func (b *builder) ended(change func(o *strategy.Order)) {
	if b.last == nil {
		b.ahead = append(b.ahead, change)
		return
	}
	if b.which(); b.all() {
		for _, o := range b.resting() {
			change(o)
		}
		return
	}
	change(b.last)
	if n := len(b.s.Then); n > 0 && b.s.Then[n-1].On == strategy.OnStart && b.last == b.s.Order {
		change(b.s.Then[n-1].Order)
	}
}

// resting are the orders that rest, the entry's first: the second of two bids is its twin.
func (b *builder) resting() (all []*strategy.Order) {
	if b.s.Order != nil {
		all = append(all, b.s.Order)
	}
	for i := range b.s.Then {
		if o := b.s.Then[i].Order; o != nil {
			all = append(all, o)
		}
	}
	return all
}

// all reports whether a phrase speaks of every order.
func (b *builder) all() bool { return ofAll.MatchString(b.words()) }

// words are those of the phrase that is added.
func (b *builder) words() string { return b.f.text[b.f.matches[b.at].from:b.f.matches[b.at].to] }

// ofBuy are words of an order that buys.
var ofBuy = regexp.MustCompile(`\b(?:bid|buy|entry|limit buy|buy order)\b`)

// ofAll are words of more orders than one.
var ofAll = regexp.MustCompile(`\b(?:both|all|each|every|everything|them|orders|bids|quotes)\b`)

// which asks which order a phrase speaks of where several rest.
func (b *builder) which() {
	n := len(b.resting())
	if len(b.s.Then) > 0 && b.s.Then[0].On == strategy.OnStart {
		n--
	}
	buysMore := slices.ContainsFunc(b.s.Then, func(o strategy.Then) bool { return o.Do == strategy.Buy && o.Order != nil })
	switch {
	case n <= 1 || b.all():
	case !buysMore && ofBuy.MatchString(b.words()):
		b.last = b.s.Order
	default:
		b.fail("which order? say it right behind the first one, or \"cancel both …\", \"both post only\"")
	}
}

func (b *builder) postOnly(*match) { b.ended(func(o *strategy.Order) { o.PostOnly = true }) }

func (b *builder) cancelAfter(m *match) {
	n := b.seconds(m.number("dur") + m.number("n"))
	if b.last != nil && b.last.CancelAfterSeconds != 0 {
		b.fail("two times after which one order is cancelled; give one")
	}
	b.ended(func(o *strategy.Order) { o.CancelAfterSeconds = n })
}

func (b *builder) cancelWhen(m *match) {
	list := b.when(m, b.last != nil && b.last != b.s.Order)
	if b.last != nil && b.last.CancelWhen != nil {
		b.fail("one order is cancelled on two occasions; join the conditions with \"and\"")
	}
	b.ended(func(o *strategy.Order) { o.CancelWhen = list })
}

func (b *builder) restTarget(*match) { b.s.Exit.RestTakeProfit = true }

var triggers = map[string]strategy.Trigger{
	"from the start": strategy.OnStart, "after a take profit": strategy.OnTakeProfit, "after a stop": strategy.OnStopLoss,
	"after an exit by the clock": strategy.OnEndOfWindow, "after an exit": strategy.OnExit,
}

// numbered adds an order of a list in full words, which must count from 1.
func (b *builder) numbered(m *match) {
	if m.said["no"] != strconv.Itoa(len(b.s.Then)+1) {
		b.fail("orders are counted from 1: expected order %d", len(b.s.Then)+1)
	}
	o := strategy.Then{Do: strategy.Action(m.said["do"]), Token: b.token(m.said["tok"]), On: triggers[m.said["on"]],
		USD: m.number("usd"), Shares: m.number("shares"), Fraction: m.number("ratio"), Match: m.said["match"] != "", Order: b.limit(m)}
	if m.said["times"] != "" {
		o.Times, _ = strconv.Atoi(m.said["times"])
	}
	if m.said["dur2"] != "" {
		o.AfterSeconds = b.seconds(m.number("dur2"))
	}
	if m.said["when"] != "" {
		o.When = b.conditions(m.said["when"])
	}
	b.s.Then = append(b.s.Then, o)
}

// token is how an order names a token in words.
func (b *builder) token(words string) strategy.Token {
	side := strategy.Side("")
	switch strings.Fields(strings.TrimPrefix(words, "the ") + " it")[0] {
	case "up", "ups", "yes":
		side = strategy.Up
	case "down", "downs", "dn", "no":
		side = strategy.Down
	case "it":
		return strategy.TokenSame
	case "other", "opposite":
		return strategy.TokenOpposite
	default: // the favorite, the leader: by then it may be either
		b.fail("which token? say \"the other side\", Up or Down")
	}
	switch b.s.Side {
	case strategy.Either:
		b.fail("with either side there is no Up and Down; say \"the other side\"")
	case side:
		return strategy.TokenSame
	}
	return strategy.TokenOpposite
}

// spends is what a further buy spends: what is said, what the last one spent, or as
// much as the entry.
func (b *builder) spends(m *match) strategy.Number {
	if n := m.number("usd") + m.number("usd2"); n != 0 {
		b.usd = n
	}
	if b.usd == 0 {
		b.usd = b.s.BudgetPerTrade
		b.assume("then."+strconv.Itoa(len(b.s.Then))+".usd", b.usd, "a further buy without an amount spends as much as the entry")
	}
	return b.usd
}

// buys is a further buy of what is held: of shares or for dollars.
func (b *builder) buys(m *match) strategy.Then {
	o := strategy.Then{Do: strategy.Buy, Token: strategy.TokenSame, Shares: m.number("shares")}
	if o.Shares == 0 {
		o.USD = b.spends(m)
	}
	return o
}

// price is a condition on the price of a token.
func price(token strategy.Token, by strategy.Comparator, at strategy.Number) []strategy.Condition {
	return []strategy.Condition{{Type: strategy.Price, Token: token, Comparator: by, Threshold: at}}
}

// rung adds a buy of a ladder: as the entry is bought, resting or taking.
func (b *builder) rung(m *match) {
	o := b.buys(m)
	if b.s.Order != nil && b.s.Order.RestAt != nil && m.said["lt"] == "" {
		rests := *b.s.Order
		rests.RestAt = m.number("p").Ptr()
		o.Order, b.last = &rests, &rests
	} else {
		o.When = b.more(m)
	}
	b.s.Then = append(b.s.Then, o)
}

// more is the price at which a further buy takes. Above what the entry pays it would be
// reached at once.
func (b *builder) more(m *match) []strategy.Condition {
	at := m.number("p")
	if _, hi := b.paid(); at > hi {
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

// times says how often the further buy before it is sent.
func (b *builder) times(m *match) {
	n, ok := m.count("n")
	last := len(b.s.Then) - 1
	if !ok || b.at == 0 || b.f.matches[b.at-1].pattern.field != "then" || last < 0 || b.s.Then[last].Times != 0 {
		b.fail("how often is what done?")
		return
	}
	b.s.Then[last].Times, b.s.Then[last].AfterSeconds = n, b.seconds(m.number("dur"))
}

// add adds a buy of more, at a price or on conditions.
func (b *builder) add(m *match) {
	if m.said["p"] != "" {
		b.rung(m)
		return
	}
	o := b.buys(m)
	o.When = b.when(m, true)
	b.s.Then = append(b.s.Then, o)
}

// part adds a sale of a part: at a price, at a gain, after a time or on conditions.
func (b *builder) part(m *match) {
	o := strategy.Then{Do: strategy.Sell, Token: strategy.TokenSame, Shares: m.number("shares"), Fraction: m.share()}
	on := func(typ strategy.Type, token strategy.Token, by strategy.Comparator, at strategy.Number) {
		o.When = []strategy.Condition{{Type: typ, Token: token, Comparator: by, Threshold: at}}
	}
	rests := m.said["rests"] != ""
	switch {
	case rests && m.said["p"] == "":
		b.fail("at what price does it rest?")
	case rests:
		o.Order = &strategy.Order{RestAt: m.number("p").Ptr()}
		b.last = o.Order
	case m.said["p"] != "":
		on(strategy.BestBid, strategy.TokenSame, b.beyond(m), m.number("p"))
	case m.said["x"] != "":
		on(strategy.HeldProfit, strategy.TokenSame, strategy.GTE, m.number("x"))
	case m.said["dur"] != "":
		on(strategy.SinceEntry, strategy.TokenNone, strategy.GTE, m.number("dur"))
	case atPriceOf.MatchString(m.said["conds"]):
		m.said["p"] = atPriceOf.FindStringSubmatch(m.said["conds"])[1]
		on(strategy.Price, strategy.TokenSame, b.beyond(m), m.number("p"))
	default:
		o.When = b.when(m, true)
		_, isHeld := heldCondition(m.said["conds"])
		if at := bare.FindStringIndex(m.said["conds"]); at != nil && !isHeld && !orBeyond.MatchString(m.said["conds"][at[1]:]) {
			b.fail(whichWay)
		}
	}
	b.sells(o)
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

// atPriceOf is the price of what is held, without a comparator.
var atPriceOf = regexp.MustCompile(`^(?:the |its )?(?:price|it)(?: is| is at| gets to| comes to| at)? (` + slots["p"].exp + `)$`)

// beyond is on which side of what is paid a price is: above it a target, below it a stop.
func (b *builder) beyond(m *match) strategy.Comparator {
	lo, hi := b.paid()
	switch at := m.number("p"); {
	case at > hi || hi == strategy.One && lo == 0 && at >= strategy.One/2:
		return strategy.GTE
	case (at < lo || at < hi && hi < strategy.One) && m.said["over"] == "":
		return strategy.LTE
	}
	b.fail("a target or a stop? say \"if it rises to …\" or \"if it falls to …\"")
	return strategy.GTE
}

// paid are the bounds on what the entry pays: 0 and 1 where there are none.
func (b *builder) paid() (lo, hi strategy.Number) {
	hi = strategy.One
	if b.s.Order != nil && b.s.Order.RestAt != nil {
		hi = *b.s.Order.RestAt
	}
	for _, c := range b.s.Entry {
		if c.Token != b.s.Side.Held() || c.Type != strategy.Price && c.Type != strategy.BestAsk && c.Type != strategy.BestBid {
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
var bare = regexp.MustCompile(`\b(?:is|are|it's|price|at|bid) ` + slots["p"].exp + `\b`)

// orBeyond says behind a price on which side of it.
var orBeyond = regexp.MustCompile(`^,? or (?:more|higher|better|above|over|less|lower|below|under)\b`)

// matched says of the further buy before it that it makes pairs.
func (b *builder) matched(*match) {
	if last := len(b.s.Then) - 1; last < 0 || !b.s.Then[last].Match {
		b.fail("what is matched? say \"then buy Down to match when both together cost less than 97c\"")
	}
}

// other adds a buy of a token behind the entry: to match it where it is said so, or
// where the condition is what both cost.
func (b *builder) other(m *match) {
	o := strategy.Then{Do: strategy.Buy, Token: b.token(m.said["tok"])}
	if m.said["p"] != "" {
		o.When = price(o.Token, strategy.LTE, m.number("p"))
	} else {
		o.When = b.when(m, true)
	}
	if _, bare := m.said["pair"]; bare && len(b.s.Entry)+len(b.s.EntryAny) == 0 && b.s.Order == nil {
		b.fail("is the first one bought at once, whatever both cost? say \"buy Up below 45c, then buy Down when both together cost less than 97c\"")
	}
	if pronoun.MatchString(m.said["conds"]) {
		b.fail("\"it\": what is held, or what is bought then? say \"Up's price\" or \"Down's price\"")
	}
	pair := false
	for _, c := range o.When {
		pair = pair || c.Type == strategy.PairCost
	}
	b.instead(o, pair)
	switch o.Match = m.said["match"] != "" || pair && m.said["usd"] == ""; {
	case o.Match && m.said["usd"] != "":
		b.fail("as many as of the other token, or for so much? give one")
	case !o.Match:
		o.USD = b.spends(m)
	}
	b.s.Then = append(b.s.Then, o)
}

// instead asks of a purchase behind a bid and its cancel whether it comes where nothing was filled: a
// further order is sent after the fill.
func (b *builder) instead(o strategy.Then, pair bool) {
	behind := b.at > 0 && strings.HasPrefix(b.f.matches[b.at-1].pattern.field, "order.cancel")
	if b.s.Order != nil && (o.Token == strategy.TokenSame || behind && !pair) {
		b.fail("is this bought when the first order has filled, or when it is cancelled? after a cancel nothing else can be bought")
	}
}

var pronoun = regexp.MustCompile(`\b(?:it|its|it's)\b`)

// afterExit buys when a stop or a target has sold.
func (b *builder) afterExit(m *match) {
	on := strategy.OnStopLoss
	if why, ok := reasonOf(m.said["why"]); !ok {
		b.fail("after what? say \"after a stop\" or \"after a take profit\"")
	} else if why == strategy.ReasonTakeProfit {
		on = strategy.OnTakeProfit
	}
	b.s.Then = append(b.s.Then, strategy.Then{Do: strategy.Buy, Token: b.token(m.said["tok"]), On: on, USD: b.spends(m)})
}

var reasonNames = map[string]strategy.Reason{
	"cancelled entry": strategy.ReasonCancelled, "merge": strategy.ReasonMerged, "sale": strategy.ReasonOrder, "exit by the clock": strategy.ReasonEndOfWindow,
	"a take profit": strategy.ReasonTakeProfit, "a stop": strategy.ReasonStopLoss, "an exit by the clock": strategy.ReasonEndOfWindow,
	"a sale": strategy.ReasonOrder, "a merge": strategy.ReasonMerged, "expiry": strategy.ReasonExpiry, "a cancelled entry": strategy.ReasonCancelled,
}

// reasonOf is the exit that words speak of.
func reasonOf(words string) (strategy.Reason, bool) {
	switch {
	case reasonNames[words] != "":
		return reasonNames[words], true
	case strings.Contains(words, "loss") || strings.Contains(words, "stop") || strings.HasPrefix(words, "sl") || words == "clipped":
		return strategy.ReasonStopLoss, true
	case words != "":
		return strategy.ReasonTakeProfit, true
	}
	return "", false
}

// again lets the round be entered again: so many times in all, or more than once, so far
// apart, after some exits.
func (b *builder) again(m *match) {
	a := b.s.Again
	if a == nil {
		a = &strategy.Again{}
		b.s.Again = a
	}
	for i, name := range []string{"n", "n3", "n2", "n4", "n5", "n6"} {
		if m.said[name] == "" {
			continue
		}
		b.single("how often the round is entered")
		n, ok := m.count(name)
		if !ok {
			b.fail("how often?")
		}
		if a.MaxEntries = n; i > 1 {
			a.MaxEntries = n + 1
		}
	}
	if time := m.number("dur") + m.number("dur2") + m.number("n7"); time != 0 {
		b.single("how far apart entries are")
		a.AfterSeconds = b.seconds(time)
	}
	if m.said["why"]+m.said["why3"]+m.said["reasons"] == "" {
		return
	}
	b.single("after what the round is entered again")
	for _, words := range strings.Split(m.said["reasons"], " or ") {
		if reason, ok := reasonNames[words]; ok {
			a.After = append(a.After, reason)
		}
	}
	for _, name := range []string{"why", "why2", "why3"} {
		if reason, ok := reasonOf(m.said[name]); ok && !slices.Contains(a.After, reason) {
			a.After = append(a.After, reason)
		}
	}
}

func (b *builder) size(m *match, z strategy.Size) {
	b.single("the size of an entry")
	b.s.Size = &z
	if m.said["usd"]+m.said["usd2"] != "" {
		b.start(m)
	}
}

func (b *builder) shares(m *match) {
	b.size(m, strategy.Size{Shares: m.number("shares")})
}

func (b *builder) ofBankroll(m *match) {
	b.size(m, strategy.Size{BankrollFraction: m.share()})
}

// kelly is a fraction of Kelly, its fair value, or both.
func (b *builder) kelly(m *match) {
	k := &strategy.Kelly{Fraction: m.share(), Probability: m.number("p") + m.number("p2")}
	if m.said["full"] != "" {
		k.Fraction = strategy.One
	}
	if m.said["tok"] != "" && b.token(m.said["tok"]) != strategy.TokenSame {
		b.fail("a fair value of the token that is not bought: say the one of that which is")
	}
	if z := b.s.Size; z != nil && z.Kelly != nil && (z.Kelly.Fraction == 0 || k.Fraction == 0) && (z.Kelly.Probability == 0 || k.Probability == 0) {
		z.Kelly.Fraction, z.Kelly.Probability = z.Kelly.Fraction+k.Fraction, z.Kelly.Probability+k.Probability
		return
	}
	b.size(m, strategy.Size{Kelly: k})
}

// purse is the bankroll, made when it is first spoken of.
func (b *builder) purse(field string) *strategy.Bankroll {
	b.single(field)
	if b.s.Bankroll == nil {
		b.s.Bankroll = &strategy.Bankroll{}
	}
	return b.s.Bankroll
}

// dollars is an amount that a phrase says, with its sign or behind a key.
func (m *match) dollars() strategy.Number {
	return m.number("usd") + m.number("usd2") + m.number("n")
}

func (b *builder) start(m *match) { b.purse("the bankroll").Start = m.dollars() }

// startWith is a bankroll that may be the first purchase where it is no more than that.
func (b *builder) startWith(m *match) {
	if b.start(m); b.s.Size == nil && m.dollars() <= b.s.BudgetPerTrade {
		b.fail("all there is, or the first purchase? say \"bankroll $500\" or \"$50 per trade\"")
	}
}

func (b *builder) dailyLoss(m *match) { b.purse("the loss of a day").DailyLoss = m.dollars() }
func (b *builder) maxOpen(m *match)   { b.purse("the most that is open").MaxOpen = m.dollars() }

func (b *builder) streak(m *match) {
	n, ok := m.count("n3")
	if !ok {
		b.fail("how many losses?")
	}
	b.purse("the losses in a row").MaxLosingStreak = n
}

// money notes that where a size is said and no budget, the default bounds what it comes to.
func (b *builder) money() {
	if b.s.Size != nil && !b.budget {
		b.assume("budget_per_trade", b.s.BudgetPerTrade, "no budget was named; the most that an entry spends")
	}
}
