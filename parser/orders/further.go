package orders

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ladderback/ladderback/parser/lazy"
	"github.com/ladderback/ladderback/strategy"
)

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
		USD: m.number("usd"), Shares: m.number("shares"), Fraction: m.number("ratio"), Match: m.said["match"] != "", Order: b.limit(m), AfterSeconds: b.seconds(m.number("dur2"))}
	o.Times, _ = strconv.Atoi(m.said["times"]) // 0 where it is not said
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
		if b.s.Size != nil {
			b.fail("how much? the entry is not sized in dollars; say an amount, such as \"$20 of Down\"")
		}
		b.usd = b.s.BudgetPerTrade
		b.assume("then."+strconv.Itoa(len(b.s.Then))+".usd", b.usd, "a further buy without an amount spends as much as the entry")
	}
	return b.usd
}

// before is the further order that was said last, an empty one where there is none.
func (b *builder) before() *strategy.Then {
	if n := len(b.s.Then); n > 0 {
		return &b.s.Then[n-1]
	}
	return &strategy.Then{}
}

// buys is a further buy of what is held: of shares or for dollars.
func (b *builder) buys(m *match) strategy.Then {
	o := strategy.Then{Do: strategy.Buy, Token: strategy.TokenSame, Shares: m.number("shares")}
	if b.afterOther() && m.said["of"] == "" {
		b.fail("more of which token? say \"add $20 of Up …\"")
	}
	sold := b.before().Do == strategy.Sell && b.before().Shares != 0
	switch {
	case sold && m.said["shares"]+m.said["n8"] != "" && !buysMore.MatchString(b.words()):
		b.fail("more bought, or more sold? say \"sell 10 shares at 70c\" or \"buy 10 shares at 30c\"")
	case m.said["of"] != "" && b.token(m.said["of"]) != strategy.TokenSame:
		b.fail("more of the other token? say \"then buy $20 of the other side …\"")
	case m.said["n8"] != "" && b.budget && m.number("n8") == b.s.BudgetPerTrade: // "$25 at 40c, 25 more at 30c"
		o.USD = b.s.BudgetPerTrade
	case m.said["n8"] != "":
		o.Shares = b.bare(m, "n8")
	case o.Shares == 0:
		o.USD = b.spends(m)
	}
	return o
}

// buysMore are words of buying.
var buysMore = lazy.Compile(`\b(?:buy|add|get|grab|bid|buying|adding)\b`)

// bare is a number of what the entry is counted in.
func (b *builder) bare(m *match, name string) strategy.Number {
	if (b.s.Size == nil || b.s.Size.Shares == 0) && !slices.ContainsFunc(b.s.Then, func(o strategy.Then) bool { return o.Shares != 0 }) {
		b.fail("dollars or shares? say \"$20\" or \"20 shares\"")
	}
	return m.number(name)
}

// afterOther reports whether the phrase stands straight behind a purchase of the other token.
func (b *builder) afterOther() bool {
	before := b.before()
	between, _ := b.between()
	return before.Token == strategy.TokenOpposite && before.Do == strategy.Buy && before.On != strategy.OnStart && strings.Trim(between, " ,") == ""
}

// between is the text between the phrase and the one that was said before it; false: there is none.
func (b *builder) between() (string, bool) {
	if b.at == 0 {
		return "", false
	}
	from, to := b.f.matches[b.at-1].to, b.f.matches[b.at].from
	return b.f.text[from:to], true
}

// bids are further buys that rest at the prices of a list.
func (b *builder) bids(m *match) {
	b.levels(m, func(one *match) {
		if one.said["usd"]+one.said["shares"] == "" {
			one.said["usd"], one.said["shares"] = m.said["usd2"], m.said["shares2"]
		}
		one.said["rests"] = "bid"
		b.rung(one)
	})
}

// addNext is one more of several buys: "it" is the price where the condition before it is on one.
func (b *builder) addNext(m *match) {
	if len(b.s.Then) == 0 {
		b.fail("more than what? say \"add $20 when …\" behind what is bought first")
		return
	}
	if pronoun.MatchString(m.said["conds"]) && slices.ContainsFunc(b.before().When, func(c strategy.Condition) bool { return !c.Type.IsPrice() }) {
		b.fail("\"it\": its price, or what was compared before? say \"its price\" or \"its profit\"")
	}
	b.add(m)
}

// rung adds a buy of a ladder: as the entry is bought, resting or taking.
func (b *builder) rung(m *match) {
	b.step(b.buys(m), m)
}

// step adds a further buy at a price of a phrase.
func (b *builder) step(o strategy.Then, m *match) {
	if entry := b.s.Order; m.said["rests"] != "" || entry != nil && entry.RestAt != nil && m.said["lt"]+m.said["up"]+m.said["over"] == "" {
		rests := strategy.Order{}
		if entry != nil {
			rests = *entry
			if m.said["rests"] != "" && (entry.PostOnly || entry.CancelAfterSeconds != 0 || entry.CancelWhen != nil) {
				b.fail("post only, or cancelled: the first order alone, or each? say \"both post only\", \"cancel both after 2 minutes\" behind them")
			}
		}
		rests.RestAt, rests.RestFromBid, rests.RestFromAsk = m.number("p").Ptr(), nil, nil
		o.Order, b.last = &rests, &rests
	} else {
		o.When = b.more(m)
	}
	b.s.Then = append(b.s.Then, o)
}

// ladder is a list of prices at which is bought, each for its amount or all for the same.
func (b *builder) ladder(m *match) {
	if m.pattern.field == "order" {
		b.restEntry(m)
	}
	if m.said["shares2"] != "" {
		b.size(m, strategy.Size{Shares: m.number("shares2")})
	}
	each := m.said["usd2"]+m.said["shares2"] != ""
	if first := m.said["usd"]+m.said["shares"] != ""; first == each && m.pattern.field == "order" {
		b.fail("how much at each price? say \"$20 each\", or an amount behind every price")
	}
	n := b.levels(m, func(one *match) {
		if each != (one.said["usd"]+one.said["shares"] == "") {
			b.fail("how much at each price? say \"$20 each\", or an amount behind every price")
			return
		}
		if each {
			one.said["usd"], one.said["shares"] = m.said["usd2"], m.said["shares2"]
		}
		b.rung(one)
	})
	if many := m.said["many"]; many != "" && many != countWords[n+1] && many != strconv.Itoa(n+1) {
		b.fail("how many prices are these?")
	}
	b.rungs = len(b.resting())
}

var countWords = map[int]string{2: "two", 3: "three", 4: "four", 5: "five"}

// levels does something at each level of a list, and counts them.
func (b *builder) levels(m *match, does func(one *match)) int {
	list := level.FindAllStringSubmatch(m.said["list"], -1)
	for _, place := range list {
		one := &match{pattern: m.pattern, said: map[string]string{"p": place[1] + place[6], "usd": place[2] + place[4], "shares": place[3] + place[5]}}
		maps.DeleteFunc(one.said, func(_, words string) bool { return words == "" })
		if !b.f.valued(one) {
			b.fail("at which price, and how much?")
		}
		does(one)
	}
	return len(list)
}

// atEach does at every price of a list what is said of each.
func atEach(does func(b *builder, m *match)) func(b *builder, m *match) {
	return func(b *builder, m *match) {
		b.levels(m, func(one *match) {
			if one.said["usd"]+one.said["shares"] != "" {
				b.fail("so much at each price, or at this one? give one")
			}
			for name, words := range m.said {
				if name != "list" {
					one.said[name] = words
				}
			}
			does(b, one)
		})
	}
}

// level is one of a list: a price, maybe with an amount behind it or before it.
var level = lazy.Longest(rungs)

// every is a further buy again and again.
func (b *builder) every(m *match) {
	if m.said["unit"] != "" {
		m.said["dur"] = "a " + m.said["unit"]
	}
	o := b.buys(m)
	o.Times, o.AfterSeconds = b.count(m, "n", "how often is what done?"), b.seconds(m.number("dur"))
	o.When = []strategy.Condition{{Type: strategy.SinceEntry, Comparator: strategy.GTE, Threshold: m.number("dur")}}
	b.s.Then = append(b.s.Then, o)
}

// times says how often the further buy before it is sent.
func (b *builder) times(m *match) {
	last := b.before()
	if len(b.s.Then) == 0 || b.at == 0 || b.f.matches[b.at-1].pattern.field != "then" || last.Times != 0 {
		b.fail("how often is what done?")
	}
	last.Times, last.AfterSeconds = b.count(m, "n", "how often is what done?"), b.seconds(m.number("dur"))
}

// add adds a buy of more: at a price, at a gain, after a time or on conditions.
func (b *builder) add(m *match) {
	o := b.buys(m)
	switch {
	case m.said["p"] != "":
		b.step(o, m)
		return
	case m.said["x"]+m.said["dur"] != "":
		o.When = m.since()
	default:
		o.When = b.when(m, true)
	}
	b.s.Then = append(b.s.Then, o)
}

// matched says of the further buy before it that it makes pairs.
func (b *builder) matched(*match) {
	if !b.before().Match {
		b.fail("what is matched? say \"then buy Down to match when both together cost less than 97c\"")
	}
}

// notMerged is what is said of pairs that are held.
const notMerged = "that pairs are held"

// merges gives pairs back, unmerged holds them.
func (b *builder) merges(*match) {
	if b.s.Merge = true; b.once[notMerged] {
		b.fail("merged, or not? give one")
	}
}

func (b *builder) unmerged(*match) {
	if b.once[notMerged] = true; b.s.Merge {
		b.fail("merged, or not? give one")
	}
}

// also adds a buy of the other token for dollars, whatever both cost.
func (b *builder) also(m *match) {
	if b.token(m.said["tok"]) == strategy.TokenSame {
		b.fail("what is bought then: more of what is held, or the other side? say \"add another $20\" or \"then buy $20 of the other side\"")
	}
	b.other(m)
}

// cover adds a buy of the other token for dollars where what is held falls.
func (b *builder) cover(m *match) {
	b.also(m)
	falls := func(c strategy.Condition) bool {
		return (c.Type.IsPrice() || c.Type == strategy.HeldProfit) && c.Token == strategy.TokenSame && (c.Comparator == strategy.LT || c.Comparator == strategy.LTE)
	}
	if !falling.MatchString(m.said["conds"]) || !slices.ContainsFunc(b.before().When, falls) || b.s.Side == strategy.Either {
		b.fail("besides what is bought first, or instead of it? say \"hedge with $20 of Down if Up falls below 35c\"")
	}
}

// hedging are words of a hedge, for which what is held falls.
var hedging = lazy.Compile(`\b(?:hedge|insurance|protection|cover)\b`)

// falling are verbs of a price that goes down.
var falling = lazy.Compile(`\b(?:falls?|drops?|dips?|tanks?|crash(?:es)?|sinks?|slides?|slips?|dumps?|plunges?|nukes?|collapses?|(?:i'm|im|i am)(?: [a-z0-9.]+ ?(?:c|cents?))? down)\b`)

// other adds a buy of a token behind the entry: to match it where it is said so, or
// where the condition is what both cost.
func (b *builder) other(m *match) {
	o := strategy.Then{Do: strategy.Buy, Token: b.token(m.said["tok"])}
	if m.said["p"] != "" {
		o.When = price(o.Token, strategy.LTE, m.number("p"))
	} else {
		if o.Token == strategy.TokenOpposite && compares.MatchString(m.said["conds"]) {
			m.said["conds"] = "the other side is " + m.said["conds"]
		}
		o.When = b.when(m, true)
	}
	b.asksOther(m)
	pair := false
	for _, c := range o.When {
		pair = pair || c.Type == strategy.PairCost
	}
	b.instead(o, pair)
	o.Shares = m.number("shares")
	amount := m.said["usd"]+m.said["shares"] != ""
	switch o.Match = m.said["match"] != "" || pair && !amount; {
	case o.Match && amount:
		b.fail("as many as of the other token, or for so much? give one")
	case !o.Match && o.Shares == 0:
		o.USD = b.spends(m)
	}
	b.s.Then = append(b.s.Then, o)
}

// asksOther asks what a buy of the other token leaves open: when the first is bought, what "it" is.
func (b *builder) asksOther(m *match) {
	if _, bare := m.said["pair"]; bare && len(b.s.Entry)+len(b.s.EntryAny) == 0 && b.s.Order == nil {
		b.fail("is the first one bought at once, whatever both cost? say \"buy Up below 45c, then buy Down when both together cost less than 97c\"")
	}
	if hedges := hedging.MatchString(b.words()) && falling.MatchString(m.said["conds"]); pronoun.MatchString(m.said["conds"]) && !hedges {
		b.fail("\"it\": what is held, or what is bought then? say \"Up's price\" or \"Down's price\"")
	}
}

// pairBid is a further bid on the other token, for as many.
func (b *builder) pairBid(m *match) {
	o := strategy.Then{Do: strategy.Buy, Token: b.token(m.said["tok"]), Match: true, Order: &strategy.Order{RestAt: m.number("p").Ptr()}}
	if o.Token == strategy.TokenSame {
		b.fail("as many as of what? say \"bid 49c for Down to match\"")
	}
	b.last = o.Order
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

// compares is a comparison without what is compared: a price of what is bought there.
var compares = lazy.Compile(`^(?:above|below|over|under|[<>]=?) ?(?:` + slots["p"].exp + `|a |most|least|or )`)

var pronoun = lazy.Compile(`\b(?:it|its|it's)\b`)

// afterExit buys when a stop or a target has sold.
func (b *builder) afterExit(m *match) {
	why, known := reasonOf(m.said["why"])
	on := strategy.Trigger(why)
	if _, whichever := m.said["any"]; whichever {
		on = strategy.OnExit
	} else if !known || why != strategy.ReasonStopLoss && why != strategy.ReasonTakeProfit && why != strategy.ReasonEndOfWindow {
		b.fail("after what? say \"after a stop\" or \"after a take profit\"")
	}
	o := strategy.Then{Do: strategy.Buy, Token: b.token(m.said["tok"]), On: on, Shares: m.number("shares")}
	if o.Shares == 0 {
		o.USD = b.spends(m)
	}
	if m.said["p"] != "" {
		o.Order = &strategy.Order{RestAt: m.number("p").Ptr()}
		b.last = o.Order
	}
	b.s.Then = append(b.s.Then, o)
}
