package orders

import (
	"regexp"
	"strings"
	"sync"
)

// pattern is a way of saying something of orders.
type pattern struct {
	exp    *regexp.Regexp
	field  string         // of the strategy that it sets
	behind *regexp.Regexp // what must stand before it; nil: anything
	put    string         // what stands for it in what the grammar reads, no longer than it
	open   bool           // the clause goes on behind it, and is the grammar's
	conds  bool           // conditions follow, to the end of a clause
	says   func(b *builder, m *match)
}

// words that patterns are made of.
var words = map[string]string{
	"tok":    `(?:up|down|yes|no|the favou?rite|the leader|the underdog|the cheaper side|either side|it|the other side|the other token|the opposite side)(?: tokens?| shares?)?`,
	"place":  `(?:(?:at|in at|with (?:a )?price(?: of)?) (?:a (?:limit|price) of )?{p}|at the (?:best )?(?P<touch>bid|ask)|{x} (?P<way>above|over|below|under|inside|better than|behind|off) the (?:best )?(?P<touch2>bid|ask))`,
	"put":    `(?:(?:place|put(?: in)?|post|leave|rest|set|work|use|make|park|stick|drop in) )?`,
	"limit":  `(?:a |an |my )?(?P<maker>post[- ]only |maker )?(?:resting |passive )?(?:limit(?: order| bid| buy)?|bid|order|buy order|buy limit)`,
	"as":     `(?:with|by|via|as|using|on) (?:a )?(?:resting )?limit(?: order| sell)?`,
	"cancel": `(?:cancel|cancelled|canceled|pull|pulled|withdraw|kill|yank|scrap)`,
	"gain":   `{x} above (?:entry|my entry|the entry)`,
	"said":   `(?: ?[:=] ?(?:yes|true|on))?`,
	"only":   `(?:, (?P<only>post only))?`,
	"after":  `(?:, cancelled after {dur})?`,
	"cwhen":  `(?:, cancelled (?P<cwhen>(?:in the first [a-z0-9. ]+? )?when \([^()]*\)))?`,
	"when":   `(?:, (?P<when>(?:in the first [a-z0-9. ]+? )?when \([^()]*\)))?`,
	"reason": `(?:a take profit|a stop|an exit by the clock|a sale|a merge|expiry|a cancelled entry|being stopped out|stopping out|a stop loss|a loss|a win|a target)`,
	"it":     `(?:it|the order|the bid|the limit|my order|my bid|them|the rest|that)`,
	"per":    `(?: (?:per|a|each|every|in a|in each) (?:trade|entry|round|market|time))?`,
	"open":   `(?: (?:from|at) the (?:open|start|beginning|bell))?`,
	"sale":   `(?:sell|exit|take[- ]profit|target|tp|close|get out|cash out|close it|sell it)`,
	"more":   `(?:if|when|once|whenever)`,
	"flip":   `(?:buy|flip to|switch to|flip into|go)`,
}

var slotName = regexp.MustCompile(`\{([a-z]+)(\d?)\}`)

// expand makes a regular expression of a pattern: {p} is a price, {dur} a time and so
// on, numbered where one phrase has several; others are words.
func expand(text string) string {
	for {
		out := slotName.ReplaceAllStringFunc(text, func(s string) string {
			name := strings.Trim(s, "{}")
			kind := kindOf(name)
			if slot, ok := slots[kind]; ok {
				return "(?P<" + name + ">" + slot.exp + ")"
			}
			return words[kind]
		})
		if out == text {
			return `^(?:` + out + `)`
		}
		text = out
	}
}

// makes is a phrase of its own, to the end of a clause.
func makes(field, text string, says func(b *builder, m *match)) pattern {
	exp := regexp.MustCompile(expand(text))
	exp.Longest()
	return pattern{exp: exp, field: field, says: says}
}

// begins is the beginning of a clause of which the grammar reads the rest.
func begins(field, put, text string, says func(b *builder, m *match)) pattern {
	p := makes(field, text, says)
	p.put, p.open = put, true
	return p
}

// stands is a phrase for which something else stands in what the grammar reads.
func stands(field, put, text string, says func(b *builder, m *match)) pattern {
	p := makes(field, text, says)
	p.put = put
	return p
}

// follows is a phrase with conditions behind it.
func follows(field, text string, says func(b *builder, m *match)) pattern {
	p := makes(field, text, says)
	p.conds = true
	return p
}

// behind is a pattern that stands behind others alone.
func behind(before *regexp.Regexp, p pattern) pattern {
	p.behind = before
	return p
}

// lazily is a pattern that takes the fewest words.
func lazily(p pattern) pattern {
	p.exp = regexp.MustCompile(p.exp.String())
	return p
}

// sentenceBefore is where a sentence begins: in one, what rests may be what is left.
var sentenceBefore = regexp.MustCompile(`(?:^|[.;:\n])\s*$`)

// entryBefore is a purchase.
var entryBefore = regexp.MustCompile(`\b(?:buy|buys|buying|bid|join|take|get|grab|rest|quote|enter|long)\b`)

// partBefore is a sale of a part.
var partBefore = regexp.MustCompile(`\b(?:sell|take|close|exit|off|out) (?:a |one |two )?(?:half|thirds?|quarters?|fifths?|tenths?)\b`)

// saleIn finds a sale in what is kept of a purchase: its limit is not the purchase's.
var saleIn = regexp.MustCompile(`\b(?:sell|exit|take profit|target|tp|close|get out|cash out)\b`)

// rungs stand behind a purchase at a price.
var rungBefore = regexp.MustCompile(slotBefore())

// moreBefore is a purchase at a price in the same sentence, before what is said to be more.
var moreBefore = regexp.MustCompile(`\b(?:buy|buys|buying|bid|add)\b[^;:\n]*` + slots["p"].exp + `[a-z0-9 ]*,? *(?:and|then)? *$`)

func slotBefore() string {
	return `(?:` + slots["usd"].exp + `|` + slots["p"].exp + `)[a-z ]* at (?:a price of )?` + slots["p"].exp + `\s*(?:,|\band\b|\bthen\b|\s)*$|` +
		`\bbid ` + slots["p"].exp + ` (?:for|on) ` + slots["usd"].exp + `[a-z ]*?\s*(?:,|\band\b|\bthen\b|\s)*$|` +
		`(?:more|another ` + slots["usd"].exp + `|again) at ` + slots["p"].exp + `\s*(?:,|\band\b|\bthen\b|\s)*$`
}

// patterns is the table, made when the first text is read.
var patterns = sync.OnceValue(func() []pattern {
	rung := func(text string) pattern { return behind(rungBefore, makes("then", text, (*builder).rung)) }
	return []pattern{
		// How the entry is bought.
		behind(partBefore, begins("exit.hold_to_expiry", "hold", `(?:hold|keep|let|leave) (?:the )?(?:rest|other half|remainder)\b`, func(*builder, *match) {})),
		behind(partBefore, stands("exit.take_profit", "sell", `(?:sell )?(?:the )?(?:rest|other half|remainder) (?P<keep>at {p})`, func(*builder, *match) {})),
		behind(sentenceBefore, makes("order", `rest {place}{only}{after}{cwhen}`, (*builder).restEntry)),
		begins("order", "buy", `{put}(?:a |my )?(?:limit |resting |maker )?(?:bid|quote) (?:of |at |in at |on |up to |at most |no more than )?{p} (?:for|on) `, (*builder).restEntry),
		begins("order", "buy", `{put}(?:a |my )?(?:limit |resting |maker )?bid {x} (?P<way>above|over|below|under|inside|better than|behind) the (?:best )?(?P<touch2>bid|ask) (?:for|on) `, (*builder).restEntry),
		begins("order", "buy", `(?:join|sit on|quote at|sit at|rest at|hit in at) the (?:best )?(?P<touch>bid) (?:for|on|of) `, (*builder).restEntry),
		begins("order", "buy", `{put}{limit}(?::| to)? buy (?:for |of |on )?(?P<keep>(?:{usd} (?:of |worth of )?)?{tok}) {place}`, (*builder).restEntry),
		begins("order", "buy", `{put}{limit} (?:for |on )(?P<keep>(?:{usd} (?:of |worth of )?)?{tok}) {place}`, (*builder).restEntry),
		begins("order", "buy", `{put}{limit} (?:to buy )?{place} (?:for|on) `, (*builder).restEntry),
		lazily(begins("order", "", `(?P<keep>(?:buy|get|grab|take|snag|long|enter) [a-z0-9$ ']{2,70}?) (?:(?:with|w/|by|via|using) {limit}|resting|passively|as a maker|quoting) {place}`, (*builder).restEntry)),
		makes("order", `{put}{limit} {place}`, (*builder).restEntry),
		makes("order", `(?:bid |quote |rest )?(?:{x} (?P<way>above|over|below|under|inside|better than|behind|off) the (?:best )?(?P<touch2>bid|ask))`, (*builder).restEntry),
		makes("order", `(?:quote|order|bid)(?: rests?)? {place}`, (*builder).restEntry),
		makes("order", `(?:rest at ?[:=]|limit(?: price)? ?[:=]?) ?(?P<p>`+slots["x"].exp+`)`, (*builder).restEntry),

		behind(sentenceBefore, makes("order", `(?:now |so )?(?:with |using )?(?:a |an |my )?(?:resting|limit|maker|passive|post[- ]only)(?: limit)? orders?(?: (?:please|test|idea|plan|strategy|setup|entry|example))*`, (*builder).announced)),

		// Both tokens from the start.
		begins("order", "buy up", `(?:bid|rest|quote|post|place) (?:bids? (?:of |at )?)?{p} (?:on|for) (?:up|yes) and {p2} (?:on|for) (?:down|no){open}`, (*builder).bothSides),
		begins("order", "buy up", `(?:bid|rest|quote|post|place) (?:bids? (?:of |at )?)?{p} (?:on|for) (?:both sides|both tokens|each side){open}`, (*builder).bothSides),
		begins("order", "buy up", `(?:bid|rest|quote|post|make|place|put) (?:a |my )?(?:(?:limit )?(?:bids?|orders?|quotes?|limits?) )?(?:on )?(?:both sides|both tokens|each side|up and down) at (?:{p}|the (?:best )?(?P<touch>bid))(?: each)?{open}`, (*builder).bothSides),
		begins("order", "buy up", `(?:bid|rest|quote|post|make|place|put) (?:a |my )?(?:limit )?(?:bids?|orders?|quotes?|limits?) at {p} on (?:both sides|both tokens|each side|up and down){open}`, (*builder).bothSides),
		begins("order", "buy up", `join the (?:best )?(?P<touch>bid) on (?:both sides|both tokens|each side|up and down){open}`, (*builder).bothSides),

		// How an order is held and ended.
		makes("order.post_only", `(?:as )?(?:post[- ]only|maker[- ]only|a maker only|only as a maker|never take|(?:don't|never|without) cross(?:ing)?(?: the spread)?){said}`, (*builder).postOnly),
		makes("order.cancel_after_seconds", `{cancel}(?: {it})?(?: if (?:it is |it's )?(?:not filled|unfilled|it hasn't filled))?(?:(?: (?:after|within|in):? ?| ?[:=] ?){dur}(?: if (?:it is |it's )?(?:not filled|unfilled))?| after seconds ?[:=] ?{n})`, (*builder).cancelAfter),
		makes("order.cancel_after_seconds", `(?:if (?:it is |it's )?(?:not filled|unfilled) )?(?:after|within|in) {dur},? {cancel}(?: {it})?|(?:good|valid|live|working) for {dur2}`, (*builder).cancelAfter),
		follows("order.cancel_when", `{cancel}(?: {it})? {more} `, (*builder).cancelWhen),

		// The target as a limit.
		stands("exit.rest_take_profit", "", `(?P<keep>{sale}) (?:{as}|resting) (?P<keep2>at {p}|{gain})`, (*builder).restTarget),
		stands("exit.rest_take_profit", "", `(?:{put}(?:the |my ))?(?P<keep>{sale} (?:at |of )?(?:{p}|{gain}))(?:,? {as}|,? resting| \(limit\))`, (*builder).restTarget),
		stands("exit.rest_take_profit", "", `(?:a |my |the )?resting (?P<keep>(?:take[- ]profit|target|tp|exit) (?:at |of )?(?:entry ?(?:\+|plus) ?{x}|{gain}))`, (*builder).restTarget),
		stands("exit.rest_take_profit", "sell", `(?:place |put |rest |leave |post |set |with )?(?:a |my )?(?:resting )?(?:limit sell|sell limit|limit order to sell|take[- ]profit limit|resting (?:take[- ]profit|target|tp)|ask|offer|sell order)(?: order)?(?: for it| it)? (?P<keep>(?:at )?{p})`, (*builder).restTarget),

		// More of it, or of the other token.
		makes("then", `order (?P<no>\d+): (?:(?P<on>from the start|after a take profit|after a stop|after an exit by the clock|after an exit), )?(?P<do>buy|sell) (?:{usd} of|(?P<shares>\d+(?:\.\d+)?) shares? of|a fraction of {ratio} of|(?P<match>to match)) (?P<tok>it|the other side)(?:, resting {place}{only}{after}{cwhen})?(?:, up to (?P<times>\d+) times)?(?:, {dur2} apart)?{when}`, (*builder).numbered),
		rung(`(?:buy )?(?:another )?{usd}(?: of it)? (?:more )?at {p}`),
		rung(`(?:and )?(?:again|once more|the same) at {p}`),
		behind(moreBefore, makes("then", `(?:and |then )?(?:buy |add )?(?:{usd} more|another {usd2}) at {p}`, (*builder).rung)),
		makes("then", `(?:add (?:another )?{usd}(?: more)?|buy another {usd2}|buy {usd3} more)(?: of it)? at {p}`, (*builder).add),
		follows("then", `(?:(?:add|buy) (?:another {usd}|{usd2} more|another {n} shares|{n2} more shares)|add {usd3})(?: of it| to it)? {more} `, (*builder).add),
		makes("then", `{more} (?P<conds>[a-z0-9.$' ]{4,80}?),?(?: then)? (?:i )?(?:add|buy) (?:another {usd}|{usd2} more)(?: of it)?`, (*builder).add),
		follows("then", `(?:double down|average down|buy the same again|add the same again) {more} `, (*builder).add),

		// Part of it.
		stands("then", "sell", `(?:sell|take|close|exit|scale out:?|take off) {frac}(?: of it| of them| of the position| of my shares| off| out)? at {p}(?:,? and| ,|,)? (?:sell )?(?:the )?(?:rest|other half|remainder) (?P<keep>at {p2})`, (*builder).part),
		makes("then", `(?:sell|take|close|exit|scale out:?|take off) {frac}(?: of it| of them| of the position| of my shares| off| out)? at {p}`, (*builder).part),
		makes("then", `(?:sell|take|close|exit) {frac}(?: of it| of them| of the position| of my shares)? with a limit(?: order)? at {p}`, (*builder).partLimit),
		follows("then", `(?:sell|take|close|exit) {frac}(?: of it| of them| of the position| of my shares| off)? {more} `, (*builder).partWhen),

		// The other side.
		behind(entryBefore, follows("then", `(?:(?:and )?then (?:buy )?|hedge: (?:buy )?|hedge (?:by buying|with) )(?:{usd} of |(?P<match>the same (?:number|amount) (?:of shares )?of |as many (?:shares )?of |to match ))?(?P<tok>up|down|the other side|the other token|the opposite side)(?: tokens?| shares?)? {more} `, (*builder).other)),
		behind(entryBefore, makes("then", `(?:(?:and )?then buy |hedge: (?:buy )?|hedge (?:by buying|with) )(?:{usd} of |(?P<match>the same (?:number|amount) (?:of shares )?of |as many (?:shares )?of |to match ))?(?P<tok>up|down|the other side|the other token|the opposite side)(?: tokens?| shares?)? at {p}`, (*builder).other)),
		makes("then", `(?:{more} (?:i'm |i am |it's |it is |it gets )?(?:stopped out|stopped|the stop (?:is )?hits?|the stop fires)|(?:after|on) (?:a |the )?(?:stop|stop loss|being stopped out|stop-out))(?:,| then|, then)? {flip} (?:{usd} of )?(?P<tok>the other side|the other token|the opposite side|up|down|it again)(?: (?:for|with) {usd2})?`, (*builder).afterStop),
		makes("then", `{flip} (?:{usd} of )?(?P<tok>the other side|the other token|the opposite side) (?:on|after|when|if) (?:a stop|i'm stopped out|stopped out|it's stopped out|the stop (?:is )?hits?)`, (*builder).afterStop),
		makes("then", `(?:after|on) (?:a |the )?(?:take profit|target|profit)(?:,| then|, then)? {flip} (?:{usd} of )?(?P<tok>the other side|the other token|the opposite side|up|down)`, (*builder).afterProfit),
		makes("merge", `(?:merge(?:[ _]pairs)?: ?(?:true|yes|on)|merge(?: (?:the )?pairs?| them| both| both sides| the two)?|redeem (?:the )?pairs?|merge (?:them )?into (?:dollars|cash|usdc?))`, func(b *builder, _ *match) { b.s.Merge = true }),

		// Entries again.
		makes("again", `up to {n} entries(?: (?:a|per|each|in a|in each) (?:round|market|window))?(?:, {dur} apart)?(?:, after (?P<reasons>{reason}(?: or {reason})*))?`, (*builder).entries),
		makes("again", `(?:allow |at most |max(?:imum)? (?:of )?)?{n} entries (?:a|per|each|in a|in each) (?:round|market|window)(?:, {dur} apart)?(?:, after (?P<reasons>{reason}(?: or {reason})*))?`, (*builder).entries),
		makes("again", `(?:re-?enter|enter again|buy again|get back in|go again)(?: up to| at most)? {n}(?: more)?(?: times)?(?:,? {dur} apart)?(?:,? after (?P<reasons>{reason}(?: or {reason})*))?`, (*builder).reenter),
		makes("again", `(?:max(?:imum)? |up to |at most |allow )?{n} (?:more )?re-?entr(?:y|ies)(?: (?:a|per|each) (?:round|market))?(?:,? {dur} apart)?(?:,? after (?P<reasons>{reason}(?: or {reason})*))?`, (*builder).reenter),
		makes("again", `(?:re-?enter|enter again|buy again|get back in|go again) after (?P<reasons>{reason}(?: or {reason})*)(?:,? up to {n} times)?(?:,? {dur} apart)?`, (*builder).reenter),

		// Size and purse.
		makes("size", `size(?: of|:)? (?P<shares>`+digits+`) shares?`, (*builder).shares),
		makes("size", `(?:buy |trade |order )?{shares} shares?{per}`, (*builder).shares),
		begins("size", "buy", `buy {shares} (?:shares? of|contracts? of) `, (*builder).shares),
		makes("size", `(?:size )?a fraction of {ratio} of the bankroll`, (*builder).ofBankroll),
		makes("size", `(?:bet |stake |risk |use |size |put |spend )?{frac}(?: (?:of )?(?:the|my|our) (?:bankroll|capital|balance|account)(?: of {usd})?{per}| per trade)`, (*builder).ofBankroll),
		makes("size", `(?:size )?a fraction of {ratio} of kelly at a fair value of {p}`, (*builder).kelly),
		makes("size", `(?:size (?:by|with|at) |bet |use |stake )?(?:{frac}|full)[ -]kelly(?: sizing)?,?(?: (?:with|at|on|for|using))? (?:a |an )?(?:{p} (?:fair value|fair price|probability)|(?:fair value|fair price|probability|win probability) (?:of |at )?{p2})(?: (?:on|of|with) (?:a |my )?(?:bankroll of )?{usd}(?: bankroll)?)?`, (*builder).kelly),
		makes("bankroll.start", `(?:with |on |from )?(?:a |my |the )?(?:starting )?(?:bankroll|capital|purse)(?: of| is|:| =)? {usd}`, (*builder).start),
		makes("bankroll.start", `(?:start|starting)(?: out)? with (?:a bankroll of )?{usd}`, (*builder).start),
		makes("bankroll.daily_loss", `(?:stop|quit|no more|stop trading|done)(?: trading)? for the day (?:after|once|when|if) (?:losing|i lose|we lose|i've lost|i'm down|down|it has lost) {usd}`, (*builder).dailyLoss),
		makes("bankroll.daily_loss", `(?:a |with a |max(?:imum)? )?daily (?:loss(?: limit)?|stop|drawdown limit)(?: of|:)? {usd}`, (*builder).dailyLoss),
		makes("bankroll.max_open", `(?:at most|max(?:imum)?|no more than|up to|never more than) {usd} (?:open|at risk|in the market|exposed|open at once|deployed)(?: at (?:once|a time|any time))?`, (*builder).maxOpen),
		makes("bankroll.max_losing_streak", `(?:stop|quit|stop trading)(?: trading)? for the day after {n} (?:loss(?:es)?|losing trades?|losers)(?: in a row| straight)?`, (*builder).streak),
	}
})
