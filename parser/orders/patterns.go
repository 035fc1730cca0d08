package orders

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ladderback/ladderback/parser/lazy"
	"github.com/ladderback/ladderback/parser/orders/kinds"
	"github.com/ladderback/ladderback/parser/orders/sift"
	"github.com/ladderback/ladderback/strategy"
)

// pattern is a way of saying something of orders.
type pattern struct {
	exp    *expression
	first  int    // the place of the first of its expressions among all
	field  string // of the strategy that it sets
	behind *past  // what must stand before it; nil: anything
	put    string // what stands for it in what the grammar reads, no longer than it
	open   bool   // the clause goes on behind it, and is the grammar's
	conds  bool   // conditions follow, to the end of a clause
	late   bool   // it is tried where a prompt is refused without it
	parts  []*expression
	needs  int                             // of the parts, the first so many
	topic  func(s *strategy.Strategy) bool // whether a strategy is what the words name; nil: they say it
	says   func(b *builder, m *match)
}

// words that patterns are made of.
var words = map[string]string{
	"tok":      `(?:the )?(?:ups?|downs?|dn|yes|no|favou?rite|leader|underdog|cheaper side|either side|it|other side|other token|other one|opposite side|opposite token|opposite)(?: tokens?| shares?| contracts?| side)?`,
	"at":       `(?:at or (?:below|under)|at most|in at|at|@|<=)`,
	"below":    `(?P<lt>below|under|beneath|<)`,
	"best":     `(?:the )?(?:best |current |top |highest )?`,
	"named":    `(?:` + coins + `) (?:` + amount + ` ?(?:m|mins?|minutes?|h|hours?)|hourly|daily)s?(?: (?:markets?|rounds?))?`,
	"market":   `(?: (?:on|in|for|of) (?:the )?{named})?`,
	"place":    `(?:(?:(?:at|in at|in|with|(?:with )?(?:a )?price(?: of)?|on|for) (?:a (?:limit|price) of )?|@ ?){p}|(?:at |@ ?){best}(?P<touch>bid|ask|offer)|(?:(?:at|with) )?{x} (?P<way>above|over|below|under|inside|better than|more than|higher than|lower than|behind|off) {best}(?P<touch2>bid|ask|offer)|(?:at |on )?(?:the )?same (?:price |level )?as {best}(?P<touch>bid|ask|offer)|(?:at )?{best}(?P<touch3>bid|ask|offer) ?(?P<way2>\+|-|plus|minus) ?{x2})`,
	"put":      `(?:(?:place|throw(?: in| up)?|put(?: in| up)?|give me|gimme|lob(?: in)?|bung(?: in)?|wait(?:ing)? with|post|leave|rest|set|work|use|make|park|stick|slap|drop in|send|submit|try)(?: in)? )?`,
	"limit":    `(?:a buy|(?:a |an |my |the |one )?(?P<maker>post[- ]only |maker(?:[- ]only)? |only maker )?(?:resting |passive |standing |gtc |good[- ]till?[- ]cancell?ed )*(?:limit(?: order| bid| buy)?|resting buy|(?:limit )?order (?:of|for) (?:a )?(?:buy|buying|purchase)|bids?|orders?|quotes?|buy order(?: limit)?|order limit|buy limit(?: order)?)(?: in)?)`,
	"as":       `(?:(?:with|w/|by|via|as|using|on|through) (?:a |an )?(?:resting )?limit(?: orders?| sell| buy)?)`,
	"cancel":   `(?:(?:(?:i|we|to|then|please|just|both|all) )*(?:(?:(?:the|my) )?(?:order|bid|it) (?:(?:must|should|is|has|gets|to|be|will) )+)?(?:cancels?|cancelled|canceled|cxl|pull|pulled|withdraw|withdrawn|kill|killed|yank|scrap|bin|annul|remove|removed|delete|deleted)(?: {it})?|drop {it}|take {it} (?:down|off))(?: as well| too)?`,
	"empty":    `(?:(?:if|when)(?:{still}| {not})* {not}(?:{still}| {not})* {taken}|(?:if|when)(?:{still})* (?:unfilled|open|live|resting|working|waiting|sitting|no fill)|unless(?:{still})* {taken}|(?:it is |it's |is |still )*(?:not filled|unfilled|not taken|no fill))(?: yet)?`,
	"still":    `(?: (?:it|it's|it is|the order|the bid|that|is|has|been|still|gets?))`,
	"not":      `(?:not|isn't|isnt|ain't|aint|hasn't|hasnt|nobody|nothing|no one|noone|doesn't|didn't|don't|dont|does not|did not|do not)`,
	"taken":    `(?:filled|fill|taken|hit|hits(?: it| me)?|happens|comes|executed|takes(?: it)?|fills(?: it| me)?|sells(?: it)?(?: to me)?|bites)`,
	"gain":     `(?:(?:at |for )?{x} (?:above|over|higher than) (?:entry|my entry|the entry)|(?:at )?\+ ?{x}(?: (?:over|from|above|on) (?:the |my )?entry)?|(?:at )?entry ?(?:\+|plus) ?{x})`,
	"is":       `(?: (?:is|in the book|rests|sits|waits|stands|goes|works|set|placed|resting|sitting|waiting|chillin|chilling|standing|hanging|parked|live|on the book|out|in|up|also|too|then|will|should|be|there))`,
	"filled":   `(?:(?:if|when|once|as soon as|soon as|after (?:it|that|this|the bid|the order))(?: (?:it|i|i'm|that|this|the|each|one|bid|order|limit|is|am|has|been|gets?))* (?:fills?|filled)|(?:if|when|once) i (?:get|have|own) (?:it|them)|-> ?filled ?->)`,
	"rests":    `(?:,? {as}|,? limit(?: order| sell)?|,? resting(?: limit)?|,? \((?:resting |limit|resting)(?:limit)?(?: order)?\)| (?:rests|waits|is resting|is (?:a )?(?:resting )?limit(?: order)?))(?: (?:in|on) the book)?`,
	"fill":     `(?:{filled}|after (?:the |a |each )?(?:fill|buy|buying|purchase)|(?:conditional )?(?:up)?on (?:the |a |each )?(?:first )?fill)`,
	"share":    `(?:shares?|contracts?|shs?)`,
	"amount":   `(?:{usd}|{shares} {share})`,
	"of":       `(?:(?P<keep>{usd} (?:of |worth of )?)|{shares} {share}(?: of)? )?`,
	"level":    `(?:(?:(?:at:?|@|on|at a bid of|(?P<up>above|over|>=?)|(?P<lt>below|under|<=?)) ?)?{p}(?P<over> or (?:more|higher|better|above))?|{gain}|{since})`,
	"since":    `(?:after (?:(?:i |we )?(?:have |'ve )?(?:held|been holding)(?: it| them)?(?: for)? )?{dur}(?: in(?: the trade)?)?|{dur} (?:after|from) (?:(?:the |my )?(?:entry|fill|buying|purchase|buy)|i'm in|i am in|im in|i buy|i bought|i get in|getting in|it fills))`,
	"said":     `(?: ?[:=] ?(?:yes|true|on))?`,
	"only":     `(?:, (?P<only>post only))?`,
	"after":    `(?:, cancelled after {dur})?`,
	"cwhen":    `(?:, cancelled (?P<cwhen>(?:in the first [a-z0-9. ]+? )?when \([^()]*\)))?`,
	"when":     `(?:, (?P<when>(?:in the first [a-z0-9. ]+? )?when \([^()]*\)))?`,
	"reason":   `(?:a take profit|a stop|an exit by the clock|a sale|a merge|expiry|a cancelled entry)`,
	"it":       `(?:(?:the|my) (?:order|bid|limit|quote|buy|entry|limit order|buy order|limit buy)|(?:what|whatever|anything)(?: is|'s| remains| stays)? (?:unfilled|not filled|still open)|(?:the |any |all )?unfilled (?:orders?|bids?|ones)|the rest|(?:this|that) (?:bid|order)|this|it|them|that|bid|order|both(?: (?:bids|orders|quotes))?|them all|all(?: of them| (?:the |my )?(?:orders|bids|quotes))?|everything)`,
	"per":      `(?: (?:per|a|each|every|in a|in each|into each|into every|for each|for every|on each|on every) (?:trade|entry|round|market|time|bet|pop|go|shot|hit|clip|position))?`,
	"round":    `(?: (?:(?:per|a|each|every|in a|in each|in one|in the same|in same|in the|in) )(?:round|market|window))?`,
	"open":     `(?:,? (?:right )?when the (?:market|round) opens|,? (?:from|at|right at|right from|@) (?:the )?(?:very )?(?:round )?(?:open|opening|start|beginning|bell)(?: of (?:the|each|every|a) (?:round|market))?)?`,
	"sale":     `(?:sell(?: all(?: of it)?| everything| the lot| it all| them all)?|exit|take[- ]profit|target|tp|close|get out|cash out|close it|sell it|dump(?: it)?|unload(?: it)?|sold|goes out)`,
	"sell":     `(?:sell|offer|selling|dump|unload|offload|trim|flatten|take|close|exit|scale out:?|bank|ditch|liquidate|take off|get out of|chop|cut|reduce(?: it)?)(?: by)?`,
	"sells":    `(?:(?:tp|target|take[- ]profit|exit) ?\d(?: ?[:=] ?|[ @])(?:{sell} )?|(?:scale[ _-]outs?|partials?|partial exits?)(?: ?[:=]\s*-?)? (?:{sell} )?|(?:exits|targets?|tps?|take[- ]profits?|sells|sales) ?[:=]\s*-? ?|{sell}[:=]? ?)`,
	"ordinal":  `(?:(?:first|second|third|final|last|1st|2nd|3rd|next) )`,
	"sold":     `(?:off(?: the table)?|out|comes off(?: the table)?|goes|(?:i |we )?sell|is sold|gets sold|sold)`,
	"part":     `(?:(?:the|my|first|next|another) )*(?:{frac}(?: part)?|{ratio} of|{shares} (?:{share}|of (?:them|those)))(?: (?:of )?(?:the |my )?(?:it|them|everything|position|shares|bag|stack|lot))?(?: off(?: the table)?| out)?`,
	"half":     `(?:(?:the|my|first|next|another) )*(?:{frac}(?: part)?|{ratio} of)(?: (?:of )?(?:the |my )?(?:it|them|everything|position|shares|bag|stack|lot))?`,
	"rest":     `(?:all )?(?:the )?(?:rest|other half|remaining half|second half|(?:last|final) (?:half|third|quarter)|other (?:shares|ones|contracts)|remainder|remaining|everything else|bal(?:ance)?|remaining (?:shares|ones)|what remains|(?:a |the )?moon ?bag|(?:what's|whats|what is|whatever's|whatever is|that is|that's) left)`,
	"left":     `(?:{rest}|(?:the )?(?:last|other|remaining|final) {shares9}\b(?: {share}| of them)?)`,
	"again":    `(?:another|again|more|a further|further|one more|a (?:last|second|third|final)|extra|additional)`,
	"end":      `(?:(?:to|until|till|into|at|for) (?:the )?(?:end|expiry|expirey|expiration|settlement|resolution|close|result|settle)|(?:until|till) (?:it |they )?(?:expires?|settles?|resolves?))`,
	"occasion": `(?:(?:unless|while|with|at (?:minute|half|the|\d+:\d\d (?:left|to go)|t ?-|an? (?:profit|gain|loss)|(?:an? )?{cents} (?:profit|gain|loss)|{some}(?: (?:left|to go|before))\b)|(?:in|during|within) the|past|from (?:minute|the)|by|before|halfway|above|below|over|under|after (?:minute|the)|{some} (?:before|into))\b|w/|<|>|t ?- ?\d)`,
	"counts":   `(?:(?:[ -]| and )?` + number + `)+`, // as they are sifted
	"loss":     `(?:(?:the |my )?(?:daily loss|loss (?:of the |of a )?day|day(?:'s)? loss|loss (?:for|on) the day))`,
	"ofkelly":  `(?:(?:{frac}|(?P<full>full))[ -]kelly|{frac} of (?:a )?kelly)`,
	"cents":    slots["x"].exp,
	"some":     slots["dur"].exp,
	"more":     `(?:if|when|once|whenever|as soon as|soon as|the moment|each time|every time|should)`,
	"buy":      `(?:(?:i|want|to|we|after|also) )*(?:buy|buying|get|grab|scoop|throw(?: in)?|put(?: in)?|toss(?: in)?|chuck(?: in)?|chip in|snag|purchase|pick up|snipe|press|commit|pile on|tack on|stack|{add})`,
	"add":      `(?:add|adding|reload|top up(?: with)?|scale in(?: with)?|average (?:down|in)(?: with)?)`,
	"once":     `(?:,? (?:instead|right away|straight away|immediately|at once))?`,
	"flip":     `(?:(?:flip (?:n|and)|i'd like it|i'd like|i would like|i want|it should|please|just|to|i) )*(?:buy|flip(?: over)?|switch(?: over)?|reverse|go|get|grab|take|slap|throw|put|enter)(?: to| into)?`,
	"both":     `(?:both (?:sides|tokens|outcomes|legs|up and down)|each (?:side|token))`,
	"quote":    `(?:two |a |my )*(?:{put}{limit}s?|bidding|bids?|rests?|quotes?|posts?|places?|makes?|puts?)(?: (?:two |a )?(?:limit )?(?:bids?|orders?|quotes?|limits?))?(?:(?: on)? (?:{both}|the two sides))?{open}(?P<keep> (?:on|in) (?:the )?{named})?[:,]?`,
	"then":     `(?:(?:and )?then (?:i )?(?:also )?(?:{buy} )?|{filled},? (?:then )?(?:i )?buy |(?:(?:and|then|i) )*(?:match|pair) (?:it |them |my shares )?(?:up )?with |{buy} also |also buy |complete the pair (?:with|by buying) |hedge ?[:=] ?(?:buy )?|hedge (?:by buying|with) )`,
	"match":    `(?:(?:(?:the|an?) )?(?:same|equal|matching) (?:number|amount|count|quantity)(?: of shares)? of |equal (?:shares|numbers?|amounts?) of |(?:just )?as many (?:(?:shares )?of )?|match(?: it)? (?:with|w/) |to match |(?:the )?matching (?:shares of )?)`,
	"many":     `(?:to match(?: (?:the|my) (?:shares|position|size))?|match(?:ed)?|match(?:ing)? (?:the )?shares|the same quantity|(?:for |in )?(?:(?:the )?(?:same|matching)|an? equal) (?:number|amount|count|quantity|size|shares)(?: of (?:shares|it))?|in equal (?:shares|size|numbers?|amounts?)|as many(?: shares)?|matching shares)`,
	"pairs":    `(?: (?:(?:the|all|any|whatever|what|is|matched|complete|gets) )*(?:pairs?(?: up)?|them|em|it|both(?: sides)?|the two|matched|matches))?`,
	"why":      `(?:(?P<keep>stop)(?:s|ped)?(?: me)?(?: out)? (?P<keep>at {p9})|(?P<keep>(?:stop[- ]?loss|stop|sl|take[- ]?profit|target|tp) (?:at |of )?{x9})|stops?(?: me)?(?: out)?|stopped(?: me)?(?: out)?|stop[- ]?loss(?:es)?|stop[- ]?outs?|stopping out|sl|loss|win|cancelled (?:entry|order|bid)|cancel(?:lation|led(?: unfilled| w/ no fill| with no fill)?)?|merge|sale|expiry|exit by the clock|time(?:d)? exit|take[- ]profits?|tp|targets?|profit)(?: (?:is |gets |was |be |has been )?(?:hits?|fires|triggers?|triggered|reached|met|done|filled|taken|happens?|executed))?`,
	"upon":     `(?:only )?(?:if|when|once|whenever|after|on|upon|following|should)(?: each| that| this| be| up| down| every| a| an| the| my| being| getting| i| i'm| im| i am| it| it's| it is| gets?| am| is| was| been| have| order| bid| position| closed| closes| by)*`,
}

var slotName = lazy.Compile(`\{([a-z]+)(\d?)\}`)

// expand makes a regular expression of a pattern: {p} is a price, {dur} a time and so
// on, numbered where one phrase has several; others are words.
func expand(text string) string {
	for {
		out := slotName.Get().ReplaceAllStringFunc(text, func(s string) string {
			name := strings.Trim(s, "{}")
			kind := kindOf(name)
			if slot, ok := slots[kind]; ok {
				return "(?P<" + name + ">" + slot.exp + ")"
			}
			return words[kind]
		})
		if out == text {
			return `^(?:` + strings.ReplaceAll(out, "[:=]", sets) + `)`
		}
		text = out
	}
}

// sets stands between a key and its value.
const sets = `(?:[:=]|->|=>)`

// expression is one that is written out and compiled when a text may match it, which few do.
type expression struct {
	pattern  string
	compiled func() *regexp.Regexp
}

func longest(pattern string) *expression {
	return &expression{pattern, sync.OnceValue(func() *regexp.Regexp {
		exp := regexp.MustCompile(expand(pattern))
		exp.Longest()
		return exp
	})}
}

// makes is a phrase of its own, to the end of a clause.
func makes(field, text string, says func(b *builder, m *match)) pattern {
	return pattern{exp: longest(text), field: field, says: says}
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
func behind(before *past, p pattern) pattern {
	p.behind = before
	return p
}

// deed is what is done at a level, behind it or before it, or on an occasion: at a price, a gain
// or a time, on conditions.
func deed(field, act, level string, says func(b *builder, m *match)) []pattern {
	const some, then = `(?:[a-z0-9$' <>=+-]|[.,]\d)`, `(?: then| please| just)?(?: (?:i|we|it)(?:'d| would|'ll| will| want| may| should| like)*)?(?: to)? `
	all := []pattern{
		makes(field, `{more} (?P<conds>`+some+`{4,80}?),?`+then+act, says),
		behind(sentenceBefore, makes(field, `(?P<conds>{occasion}`+some+`{0,80}?),`+then+act, says)),
		behind(clauseStart, makes(field, `(?P<conds>{occasion}`+some+`{0,80}?)`+then+act, says)),
		follows(field, act+`,? `, says),
	}
	return append([]pattern{makes(field, act+`(?: in)? `+level, says), behind(clauseStart, makes(field, level+`:? (?:(?:then|i|we|to|want|would|will|like|i'd) )*`+act, says))}, all...)
}

// pair are quotes of both tokens, each with what stands before and behind its name.
func pair(before, after string) string {
	const up, down, joint = `(?:the )?(?:ups?|yes)`, `(?:the )?(?:downs?|dn|no)`, `(?:,? (?:and|n|&|\+) |, ?| ?/ ?|; ?|\n ?)(?:(?:a )?(?:post[- ]only )?(?:(?:limit )?bid (?:at |in )?)?)?`
	other := func(text string) string {
		return strings.NewReplacer("{p}", "{p2}", "{usd}", "{usd2}", "(?P<keep>", "(?:").Replace(text)
	}
	return before + up + after + joint + other(before) + down + other(after) + `|` + other(before) + down + other(after) + joint + before + up + after
}

// late is a pattern that is tried where a prompt is refused without it.
func late(p pattern) pattern {
	p.late = true
	return p
}

// anyOrder are parts in any order.
func anyOrder(parts ...string) string {
	if len(parts) == 1 {
		return parts[0]
	}
	var all []string
	for i, first := range parts {
		all = append(all, first+` (?:`+anyOrder(slices.Delete(slices.Clone(parts), i, i+1)...)+`)`)
	}
	return strings.Join(all, "|")
}

// heads is a pattern of words that name what a strategy is.
func heads(is func(s *strategy.Strategy) bool, p pattern) pattern {
	p.topic = is
	return p
}

// lately are patterns that are, and that stand behind others alone.
func lately(all []pattern, before *past) []pattern {
	for i := range all {
		if all[i].late = true; all[i].behind == nil {
			all[i].behind = before
		}
	}
	return all
}

// lazily is a pattern that takes the fewest words.
func lazily(p pattern) pattern {
	text := p.exp.pattern
	p.exp = &expression{text, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expand(text)) })}
	return p
}

// bag is a phrase of parts in any order, each once at most, of which it has the first
// so many.
func bag(field string, needs int, says func(b *builder, m *match), parts ...string) pattern {
	p := pattern{field: field, needs: needs, says: says}
	for _, text := range parts {
		p.parts = append(p.parts, longest(text))
	}
	return p
}

// perSide are words of an amount that is for each of two bids.
const perSide = `(?:(?:per|a|each|for each|on each|on both|both) (?:sides?|legs?)|each one)`

// coins are the coins that a clause may begin with.
const coins = `btc|bitcoin|eth|ethereum|ether|sol|solana|xrp|ripple|doge|dogecoin|bnb|hype|ltc|litecoin|ada|cardano`

// saleIn finds an exit or another price in what is kept of a purchase: the limit behind it is not the purchase's.
var saleIn = lazy.Compile(sales + `|\b(?:stop|sl|trail)\b|(?:at|@) ?\$?\d`)

// patterns is the table, made when the first text is read.
var patterns = sync.OnceValue(func() []pattern {
	rung := func(text string) pattern { return behind(rungBefore, makes("then", text, (*builder).rung)) }
	nothing := func(*builder, *match) {}
	onePrice := func(b *builder, _ *match) {
		b.fail(oneLimit)
	}
	onBid := func(b *builder, _ *match) {
		b.fail("does it rest at the best bid, or is it bought when the bid is there? say \"join the bid on Up\" or \"when its bid is below 40c\"")
	}
	ended := func(b *builder, _ *match) {
		b.fail("until when is it bought, or until when does it rest? say \"cancel after 2 minutes\" or \"in the first 5 minutes\"")
	}
	exact := `(?P<p>` + slots["x"].exp + `)`
	const (
		price  = `(?:(?:at |when |if )?(?:the |its )?price(?: is)? )?(?:{at}|{below}|(?P<up>above|over|>=?)) ?{p}(?: or (?:less|lower|below|under|better)|(?P<over> or (?:more|higher|above)))?`
		many   = `(?:(?:up to|at most|max(?:imum)?(?: of)?:?|no more than|allow|only) )*`
		adds   = `(?:(?:dca|scal(?:e|ing) in|averag(?:e|ing) (?:down|in)|pyramid(?:ing)?|ladder)(?:[ :=]+))?(?:(?:{buy}:? )?(?:(?:{again}|\+) ?(?:for |with )?{amount}(?: more)?|(?:{amount}|{n8}) {again})|{buy}:? {shares} {again} {share}|dca[ :=]+{amount}|{add}(?: \d)?(?: ?[:=]\s*-?)? (?:{amount}|{n8})(?: {again})?|(?:second|third|2nd|3rd|fourth|next)(?: (?:purchase|buy|entry|one|add|tranche|leg))?(?: is| of|:)? {amount})(?: of (?P<of>ups?|downs?|yes|no|it)| to it| at it| on it| worth| at (?:the )?market)?`
		red    = `(?:i'm|im|i am|we're|we are|the day is) {usd} (?:down|in the red|in the hole|behind)`
		lost   = `(?:after|once|when|if|at) (?:(?:losing|i lose|i lost|we lose|i've lost|i have lost|i'm down|im down|i am down|down|it has lost|i drop|minus|dropping|droppin|a (?:daily )?loss of|in one day i (?:lose|lost)|{loss}(?: is| reaches| hits| gets to)) |-){usd}|-{usd}|(?:after|once|when|if) ` + red
		streak = `(?:(?:after|once|when|if|at) )?(?:i lose |max |with )?(?:(?:i )?los(?:e|ing) {n3} (?:in a row|straight)|{n3} (?:(?:consecutive|straight) (?:loss(?:es)?|losing trades?|losers)|(?:loss(?:es)?|(?:losing|lost) trades?|losers|ls|times|trades (?:are )?lost) (?:in a row|straight|one after (?:the |an)?other)|trades (?:in a row (?:have |are )?lost|have lost in a row)))(?: (?:per|a|in a|each|in one) day)?`
		halts  = `(?:i |we |then |i'm |im |i am |we're |it's )*(?:stop|quit|out|that's it|thats it|that is it|no more(?: (?:buys|trades|entries))?|no (?:buys|trades|entries)|done|halt|finish|pause|rest|pull the plug|call it)(?: trading)?`
		day    = `(?:(?: for)?(?: the(?: rest of the)?| a| that| this)? day| until (?:tomorrow|midnight))`
		daily  = `(?: (?:(?:in|on) (?:a|one|the|that)|a|for the|that) day| today)`
		bank   = `(?:(?:the|my|our|a|your) )?(?:bankroll|roll|capital|balance|account)`
	)
	return slices.Concat([]pattern{
		// How the entry is bought.
		behind(partBefore, begins("exit.take_profit", "sell", `(?:(?:final|last): ?)?(?:let |out with )?{sells}?{left}:?(?: of it)?(?: {sold}| go)?(?P<keep>,? ?(?:@|\+|w/|(?:at|when|if|once|after|before|in|with|on|an?|one|two|half|\d+(?:\.\d+)?c?)\b|:? ?\d*\.\d))`, (*builder).remains)),
		behind(partBefore, stands("exit.take_profit", "", `{ordinal}?(?P<keep>tp|take profit|target)(?: ?\d)?(?: ?[:=])? (?P<keep>(?:at |@ ?)?{p}) ?(?:(?:on|for|of) {rest}|\({rest}\))|{rest}:? (?:at )?(?P<keep>(?:target|tp|take profit) (?:at |@ ?)?{p})|(?P<keep>take profit )(?:on|for|of) {rest} (?P<keep>(?:at|@) ?{p})`, nothing)),
		behind(partBefore, stands("exit.rest_take_profit", "sell", `(?:{sells}?{left}(?: {sold})? {as}|(?:{sell} )?{as} {rest}|(?:and )?{put}(?:a )?limit sell (?:for |of )?{rest}|rest the (?:take[- ]profit|target|tp) (?:for|on) {rest})(?: ?[:=])? (?P<keep>(?:(?:at|@) ?)?{p})|(?:{sells}?{left}:?|{sell} all(?: of it)?) (?P<keep>(?:at|@) ?{p}){rests}`, (*builder).restTarget)),
		behind(partBefore, stands("exit.take_profit", "sell at", `(?:hold|keep|leave|let) {rest}(?: (?:run|ride|go))? (?:for|till|until|to) (?P<keep>{p})`, nothing)),
		behind(partBefore, stands("exit.exit_before_seconds", "sell", `(?:{sell}|get out) (?:of )?{rest}`, nothing)),
		behind(partBefore, begins("exit.hold_to_expiry", "hold", `(?:hold|keep|let|leave) {rest}\b`, nothing)),
		behind(partBefore, stands("exit.hold_to_expiry", "hold", `(?:(?:let|leave|keep|hold|and) )*{left}(?: i|:)?(?:(?: (?:keeps?|rides?|runs?|go(?:es)?|stays?(?: in)?|settles?|expires?|is (?:held|kept)|held|holds?|on))+(?: {end})?| {end})|(?:keep|hold) (?:(?:the )?(?:last|other|remaining|final) )?{shares9}\b(?: {share}| of them)?(?: {end})?`, nothing)),
		behind(tokenBefore, stands("exit.hold_to_expiry", "hold", `(?:and )?(?:hold|keep|ride)(?:ing)? both(?: (?:sides|tokens|legs|of them))?(?: {end})?|both(?: (?:sides|tokens|legs|of them))?(?: (?:rides?|runs?|go(?:es)?|stays?(?: in)?|(?:are |is )?held|holds?))? {end}`, nothing)),
		begins("order", "buy", `bid `+exact+`(?:(?: or (?:less|lower|below|under|cheaper|better))? (?:for|on))? (?P<keep>{tok})`, (*builder).restEntry),
		begins("order", "buy", `(?:my|the) (?:bid|limit|order|limit order) (?:for|on) (?P<keep>{tok}{market}) (?:is|sits at|rests at|stands at|goes in at) `+exact, (*builder).restEntry),
		behind(clauseStart, makes("order", `(?:work|leave|place|put in|put|post|rest|set|park|stick) (?:a |my )`+exact+` (?:resting |limit |maker )*(?:bid|limit|buy order)`, (*builder).restEntry)),
		begins("order", "", `bid {p} (?:up|down) to {p2}`, onePrice),
		behind(limitBefore, makes("then", `then {usd} at {p}`, (*builder).rung)),
		begins("order", "buy", `(?:place|put(?: in)?|post|leave|rest|set|work|use|make|park|stick|send|submit) (?:in )?{limit} (?:at |of |between |from )+{p} ?(?:and|to|-) ?{p2}(?: (?:for|on))?`, onePrice),
		makes("order", `bids? (?:between |from )?{p} ?(?:and|to|-) ?{p2} (?:for|on) {tok}`, onePrice),
		behind(limitBefore, begins("order", "", `(?:(?:then|and|i|we|will) )*(?:lower|raise|chase|move|bump|lift|take|improve|increase|drop|walk|step|reprice|bring)(?: (?:it|the (?:bid|order|limit|price)|my (?:bid|order|limit)))?(?: up| down)? to {p}`, onePrice)),
		behind(priceBefore, begins("order", "", `(?:up|down) to (?:\$?0?\.\d+|\d+(?:\.\d+)? ?c(?:ents?)?)\b`, onePrice)),
		behind(boughtBefore, begins("order", "", `(?:on|at) (?:the )?(?:best |top )?bid (?:below|under|beneath|at|for|up to|<=?) ?{p}`, onBid)),
		behind(limitBefore, makes("order", `(?:valid |good )?(?:until|till) (?:(?:the )?minute \d+|{dur} (?:before (?:the )?(?:end|close|expiry|settlement)|left|in|remain(?:s|ing)?))`, ended)),
		bag("order", 2, (*builder).restEntry, `bid:? `+exact, `(?:ttl|gtt|good for|cancel(?: after)?|cxl) {dur}|(?P<only>post only|po)`),
		begins("order", "buy", `(?:{put}{limit}|{put}(?:(?:ladder|scale) in with |(?P<many>two|three|four|five|\d) )?(?:a )?(?:ladder (?:of )?)?(?:(?:limit )?(?:bids?|limits|orders)|limit buys)(?: to buy)?)(?: (?:for |on )?(?P<keep>{tok}),?)?:?(?: for)? (?:(?:at |@ ?)?{p}(?:(?:,? (?:for|with)|:) (?:(?P<keep>{usd})|{shares} {share}))?|(?:(?P<keep>{usd})|{shares} {share}) (?:at|@) ?{p})(?P<list>(?:`+comma+rungs+`){1,4})(?: (?:for|on|of) (?P<keep>{tok}))?(?:,? `+each+`)?`, (*builder).ladder),
		begins("order", "buy", `(?:{put}{limit}|bidding) (?:`+anyOrder(`(?:at |@ ?)?`+exact, `(?:for |with |of )?(?:(?P<keep>{usd})|{shares} {share})(?: of)?`, `(?:(?:for|on|of) )?(?P<keep>{tok})`)+`)`, (*builder).restEntry),
		behind(sideBefore, makes("order", `(?:resting |limit )?bid (?:at )?{p}(?: limit)?{open}`, (*builder).restEntry)),
		behind(sentenceBefore, makes("order", `rest {place}{only}{after}{cwhen}`, (*builder).restEntry)),
		behind(clauseStart, makes("order", `rest (?:at )?{best}(?P<touch3>bid|ask|offer) ?(?P<way2>\+|-|plus|minus) ?{x2}`, (*builder).restEntry)),
		begins("order", "buy", `{put}{limit} (?:of |at |in at |on |up to |at most |no more than )?{p} (?:for|on) `, (*builder).restEntry),
		begins("order", "buy", `{put}(?:{limit} )?{x} (?P<way>above|over|below|under|inside|better than|more than|behind|off) {best}(?P<touch2>bid|ask|offer) (?:for|on) `, (*builder).restEntry),
		begins("order", "buy", `(?:improve|outbid|beat) {best}(?P<touch2>bid) (?:by {x} (?:on|for) (?P<keep>{tok})|(?:on|for) (?P<keep>{tok}) by {x})`, (*builder).restEntry),
		begins("order", "buy", `(?:join|joining|sit on|quote at|sit at|sitting at|rest at|hit in at) {best}(?P<touch>bid) (?:for|on|of) `, (*builder).restEntry),
		makes("order", `(?:(?:entry )?order ?[:=] ?|entry ?[:=] ?)?(?:join|joining|sit on|quote at|sit at|rest at|(?P<only>post[- ]only) (?:at|on)) {best}(?P<touch>bid)`, (*builder).restEntry),
		begins("order", "", `(?:join|joining|sit on|quote at|sit at|rest at) {best}(?P<touch>bid) (?P<keep>(?:only )?(?:while|if|when|once|as long as)\b)`, (*builder).restEntry),
		begins("order", "buy", `{put}(?:a |my )?`+exact+` (?:resting |maker )*(?:limit bid|limit buy|limit order|limit|bid) (?:on|for) `, (*builder).restEntry),
		begins("order", "buy", `{put}{limit}(?::| ,|,| to| for| for to)? buy(?:ing)? (?:for |of |on )?{of}(?P<keep>{tok}{market}),? {place}`, (*builder).restEntry),
		begins("order", "buy", `(?:{put}{limit}|(?:rest|place|post|leave|work|put in) (?:a )?buy) (?:for |on |of ){of}(?P<keep>{tok}{market}|{named} {tok}),? {place}`, (*builder).restEntry),
		begins("order", "buy", `(?:place |make |post )?(?:an )?offer to buy (?P<keep>{tok}{market}),? {place}`, (*builder).restEntry),
		begins("order", "buy", `{put}(?:an? )?(?:limit buy|buy limit|limit bid|buy order|resting buy|limit order:?(?: to)? buy):? (?:for |of )?(?P<keep>{tok}) (?:{place}|(?:at |@ ?)?`+exact+`)`, (*builder).restEntry),
		begins("order", "buy", `{put}{limit} (?:to buy )?{place} (?:for|on) `, (*builder).restEntry),
		begins("order", "buy", `(?:lowball|quote|bid(?: for| on)?|passively buy|passive (?:entry|acquisition|buy) (?:of |on |into )?) ?(?P<keep>{tok}) (?:{place}|`+exact+`)`, (*builder).restEntry),
		lazily(begins("order", "", `(?P<keep>(?:buy|get|grab|take|snag|long|enter) [a-z0-9$ ']{2,70}?) (?:(?:with|w/|by|via|using) {limit}|resting|passively|as a maker|quoting) {place}`, (*builder).restEntry)),
		lazily(begins("order", "buy", `bid(?:ding)? (?:at )?`+exact+` (?:for|on) (?P<keep>{tok}[a-z0-9 ]{0,40}?),? {as}`, (*builder).restEntry)),
		lazily(begins("order", "", `(?P<keep>(?:buy|get|grab|take|snag|scoop|nab|long|enter) [a-z0-9$ ']{2,70}?) (?:for|at) {p}(?: or (?:better|less|lower|cheaper|below))? {as}`, (*builder).restEntry)),
		makes("order", `(?:with |at |by )?{put}{limit}(?: rests?| waiting| sitting| that (?:rests|waits|sits))?(?: (?:in|on) the book)?:? (?:of (?:@ )?{p}|{place}){open}`, (*builder).restEntry),
		makes("order", `(?:order ?[:=] ?)?(?:a )?limit(?: order| buy| bid)? (?:at )?{p}{open}`, (*builder).restEntry),
		behind(sidedBefore, makes("order", `(?:(?:at|@) ?)?(?:a )?{p}(?: (?P<maker>post[- ]only )?limit(?: order| buy| bid)?|,? (?P<only>post[- ]only|maker[- ]only))`, (*builder).restEntry)),
		heads(kinds.Rests, makes("order", `(?:order(?: type)?|entry type|type) ?[:=] ?(?:limit|maker|passive)(?: order)?`, nothing)),
		makes("then", `(?:and )?(?:hedge|protect|cover|insure)(?: it| that| this| the position)? (?:with|w/|by) {usd}`, func(b *builder, _ *match) {
			b.fail("what is bought with it, and when? say \"hedge with Down at 40c\"")
		}),
		behind(limitBefore, makes("order", `(?:instead of|rather than) (?:taking(?: (?:it|the (?:ask|offer)))?|crossing(?: the spread)?|hitting the (?:ask|offer)|lifting the (?:ask|offer)|a market (?:order|buy)|buying at (?:the )?market)`, nothing)),
		behind(limitBefore, makes("order", `gtc|good[- ]till?[- ]cancell?ed|no (?:expiry|cancel)|(?:i )?(?:leave|keep) {it}(?: up| in| there| resting)* (?:for )?(?:(?:the )?(?:whole|entire|full) (?:round|market|time)|all round|(?:until|till) it fills)`, (*builder).endless)),
		makes("order", `(?:(?:bid|quote|rest|place|post)(?: it)? )?(?:{x} (?P<way>above|over|below|under|inside|better than|behind|off) {best}(?P<touch2>bid|ask))(?:,? resting)?|resting {x} (?P<way>above|over|below|under|inside|behind|off) {best}(?P<touch2>bid|ask)`, (*builder).restEntry),
		begins("order", "", `(?:{put}{limit}:? {place}|(?:(?:bid|quote|rest|place|post)(?: it)? )?{x} (?P<way>above|over|below|under|inside|better than|behind|off) {best}(?P<touch2>bid|ask)),? (?:resting )?(?P<keep>(?:only )?(?:while|if|when|whenever|once|as long as)\b)`, (*builder).restEntry),
		lazily(begins("order", "", `(?:(?:i'd|i|we|let's|to|like|want|please) )*{put}(?:a |my )?(?:limit order|limit buy)(?: for me)?[:,]? {of}(?P<keep>(?:ups?|downs?|`+coins+`)[a-z0-9$ ',:]{2,50}?),? (?:at|@) ?{p}`, (*builder).restEntry)),
		makes("order", `rest from (?P<touch>bid) ?[:=] ?{x}`, (*builder).restEntry),
		makes("order", `(?:rest at ?[:=]|limit(?: price)? ?[:=]|bid ?[:=]) ?(?:`+exact+`|{best}(?P<touch>bid))|limit (?:price )?(?:`+exact+`|(?:at |the )?(?:best|top) (?P<touch>bid))`, (*builder).restEntry),

		// Both tokens from the start.
		begins("order", "buy up", `(?:from the (?:open|start),? )?{quote} (?:`+pair(`(?:at |of |for |@ ?)?{p} (?:bid )?(?:on |for )?`, `(?P<keep> (?:with|for) {usd})?`)+`|`+pair(`(?:on |for )?`, ` ?(?:at|@|[:=])? ?{p}(?P<keep> (?:with|for) {usd})?`)+`|`+pair(`(?:a )?(?P<keep>{usd}) (?:limit )?(?:bid|order) (?:on |for )?`, ` (?:at|@) ?{p}`)+`)(?: each)?{open}`, (*builder).bothSides),
		begins("order", "buy up", `{put}(?:`+pair(`(?:a )?{p} bid (?:on |for )?`, ``)+`{open}|`+pair(`(?:an? )?(?:limit )?(?:order|bid|buy) (?:to buy |for |of )`, ` at {p}`)+`|`+pair(`bid (?:on |for )?`, ` ?[:=] ?{p}`)+`)`, (*builder).bothSides),
		begins("order", "buy up", `(?:on {both}(?: i)? {quote} (?:at |of )?{p}|{quote} (?:(?:at |of )?{p} (?:(?:on |for )?{both}|on up and down)|(?:on |for )?(?:{both}|up and down) (?:at )?(?:{p}|the (?:best )?(?P<touch>bid)))|(?:bids on both(?: sides)?{open},? )(?:ups?|yes) (?:at )?{p},?(?: (?:and|n|&))? (?:downs?|no) (?:at )?{p2}|join the (?:best )?(?P<touch>bid) on (?:{both}|up and (?:join )?(?:the (?:best )?bid )?(?:on )?down))(?: each)?{open}`, (*builder).bothSides),
		begins("order", "buy up", `{quote} (?:(?:at |of |@ ?)?{p} (?:on|for) (?:ups?|yes)|(?:on |for )?(?:ups?|yes) (?:at |@ ?){p}){open},? (?:and )?(?:the )?same (?:for|on|with|at) (?:the )?(?:downs?|dn|no){open}`, (*builder).bothSides),
		makes("size", `(?:size )?{shares} {share} (?:each|apiece|`+perSide+`)`, (*builder).sharesEach),
		pattern{exp: longest(perSide), field: "then", topic: kinds.Quotes, says: nothing},

		// How an order is held and ended.
		makes("order.post_only", `maker ?[:=] ?(?:yes|true|on)|(?:(?:it|this|that)(?: is|'s) |with (?:a )?|as (?:a )?|both |all )?(?:post[- ]only(?: orders?)?|maker[- ]only|only maker|po|a maker only|only as (?:a )?maker|never take|(?:don't|never|without) cross(?:ing)?(?: the spread)?)(?: (?:on |for )?(?:both|each|all)(?: (?:sides|bids|orders))?)?{said}`, (*builder).postOnly),
		bag("order.cancel_after_seconds", 2, (*builder).cancelAfter, `{cancel}`, `(?:if )?(?:(?:after|within|in|at|@|for):? ?|[:=] ?)?{dur}(?: later| after (?:placing|placement|that))?`, `{empty}`),
		makes("order.cancel_after_seconds", `cancel after(?: seconds)? ?[:=] ?(?:{n}|{dur})|(?:(?:(?:the |my )?(?:order|bid) is )?(?:good|valid)(?: for)?|(?:live|working|open|alive|(?:i )?(?:leave|keep|let) {it} (?:sitting )?(?:there|in|up|out|open|live|resting|working|on the book|rest|sit)(?: there)?) for|(?:life|lifetime)(?: of (?:the )?order)?(?: is| of|:)?) (?:at most |up to |max )?{dur}(?: max| at most| tops)?(?:,? (?:and )?then {cancel})?|(?:i )?(?:leave|keep|let) {it} for {dur},? (?:and )?then {cancel}|(?:(?:give it|it gets|gets|it has|has) )?{dur} to (?:fill|get filled),? (?:or|else|otherwise|if not)(?: then)?,? {cancel}|(?:the |my )?(?:order|bid|quote) (?:dies|lapses|expires) after {dur}|(?:ttl|gtt|time in force|tif|(?:expires?|expiring) (?:after|in)) ?[:=]? ?{dur}`, (*builder).cancelAfter),
		behind(cancelBefore, makes("order.cancel_after_seconds", `(?:or|and) (?:after|at) {dur}(?:,? whichever (?:is |comes )?(?:first|earlier|sooner))?`, (*builder).cancelAfter)),
		behind(cancelBefore, follows("order.cancel_when", `or (?:else )?`, (*builder).cancelWhen)),
	}, deed("order.cancel_when", `{cancel}(?: (?P<empty>{empty}))?:?`, `(?P<conds>(?:at|@) ?`+slots["p"].exp+`)`, (*builder).cancelWhen), []pattern{

		// What is done when it has filled is what is done.
		behind(cancelBefore, makes("order", `{filled}[.!]?$`, func(b *builder, _ *match) {
			sold := b.f.stands(saleBefore, b.f.matches[b.at].from)                    // "cancel after 2 minutes, sell at 60c if it fills"
			if sold || strings.HasSuffix(strings.TrimRight(b.words(), ".!"), " it") { // "keep it if I get it"
				return
			}
			b.fail("cancelled when it is filled? say \"cancel after 2 minutes\" or \"cancel if it is not filled after 2 minutes\"")
		})),
		behind(limitBefore, makes("order", `(?:and )?{filled},?(?: then)?`, nothing)),
		behind(clauseStart, makes("order", `{fill},(?: then)?|after (?:the )?entry,`, nothing)),

		// The target as a limit.
		stands("exit.rest_take_profit", "", `(?:(?:my|the|a) )?(?P<keep>{sale})(?:{is})* (?:{as}|resting|passively|as a maker|a limit(?: order)?) (?P<keep>(?:at|@|on) ?{p}|{gain})`, (*builder).restTarget),
		stands("exit.rest_take_profit", "", `(?:{put}(?:the |my ))?(?P<keep>{sale}(?: ?[:=])? (?:at |of )?(?:{p}|{gain})|take (?:a )?{x} profit)(?:,? also)?{rests}`, (*builder).restTarget),
		stands("exit.rest_take_profit", "sell", `(?:offer|sell)(?: (?:it|them))?(?: out)? (?:(?P<keep>at {p}) {as}|{as} (?P<keep>(?:at )?{p}))`, (*builder).restTarget),
		stands("exit.rest_take_profit", "sell", `(?:offer (?:(?:it|them)(?: out)?|what(?:ever)? (?:i (?:get|got|hold)|fills|is filled))|(?:rest|place|put|post|leave|set|work)(?: out| up| in)? (?:a |an |my |the )?(?:sell|ask|offer|sale)) (?P<keep>(?:at |@ ?){p})`, (*builder).offers),
		behind(quoteBefore, stands("exit.rest_take_profit", "sell", `offer (?P<keep>{p2})`, (*builder).restTarget)),
		stands("exit.rest_take_profit", "sell", `(?:(?:the |my )?(?:tp|take[- ]profit|target|exit)(?: ?[:=]| is)? ?)?(?:place |put |rest |leave |post |set |with |slap |stick |throw )?(?:a |my |the )?(?:resting |gtc )?(?:limit sell|(?:resting|gtc|passive) sell|passive exit|sell(?:ing)? limit|limit(?: order)? (?:to|for) (?:an? |the |my )?(?:sell|selling|sale|exit)|take[- ]profit limit(?: order)?(?: resting)?|limit take[- ]profit|limit exit|resting (?:take[- ]profit|target|tp|limit sell)|sell order)(?: order)?(?: for it| it| everything| all(?: of it)?| the lot)?(?:{is})*:? (?P<keep>(?:(?:at |of |on |@ )?(?:{p}|{gain})|in {x}))(?: (?:for (?:all of it|it all|everything|the lot)|on it))?|(?:place |put |rest |leave |post |set |with |throw |stick |slap )?(?:a |an |my )?(?:ask|offer)(?: for it| it)? (?P<keep>at {p2})`, (*builder).restTarget),
		stands("exit.rest_take_profit", "", `(?P<keep>{sale}):? limit,? (?P<keep>(?:at |@ ?)?{p})`, (*builder).restTarget),
		stands("exit.rest_take_profit", "sell", `(?:and )?rest (?:the |my |a )?(?:sale|sell|exit|target|tp|take[- ]profit)(?: {as})? (?P<keep>(?:at |@ ?)?{p})`, (*builder).restTarget),
		makes("exit.rest_take_profit", `rest[_ ]take[_ ]profit ?[:=] ?(?:true|yes|on)|rest the (?:take[- ]profit|target)`, (*builder).restTarget),

		// More of it, or of the other token.
		makes("then", `order (?P<no>\d+): (?:(?P<on>from the start|after a take profit|after a stop|after an exit by the clock|after an exit), )?(?P<do>buy|sell) (?:{usd} of|(?P<shares>\d+(?:\.\d+)?) shares? of|a fraction of {ratio} of|(?P<match>to match)) (?P<tok>it|the other side)(?:, resting {place}{only}{after}{cwhen})?(?:, up to (?P<times>\d+) times)?(?:, {dur2} apart)?{when}`, (*builder).numbered),
		rung(`(?:and |n |then )?(?:(?:buy )?another {n8}|(?:buy |(?:buy )?(?:another |\+ ?|{again} )){amount}(?: of it)?(?: more)?|{amount}(?: of it)? more) ` + price),
		behind(stepBefore, makes("then", `(?:(?:and|then|last|final|the last|finally) )*{amount}(?: of it)? `+price, (*builder).rung)),
		behind(stepBefore, makes("then", `(?:and |then )?(?:another |again )?(?:at |@ ?)?{p}(?:,? (?:for|with)|:) {amount}`, (*builder).rung)),
		behind(levelBefore, begins("then", "", `(?P<list>`+rungs+`(?:`+comma+rungs+`){0,4}),? `+each+`\b`, (*builder).ladder)),
		late(behind(sentenceBefore, heads(kinds.Further(strategy.Buy), begins("then", "buy", `(?:ladder(?:ing)?|scal(?:e|ing)|averag(?:e|ing))(?: in| into| in to| on| for)?:? (?P<keep>{tok})`, nothing)))),
		rung(`(?:and )?(?:again|once more|the same) ` + price),
		behind(addedBefore, makes("then", many+`{n} (?:times|adds)(?:,? (?:at least |min(?:imum)? )?{dur} apart)?`, (*builder).times)),
		makes("then", `add:? (?:at |@ ?)?{p},? (?:for |with )?{amount}`, (*builder).rung),
		makes("then", adds+` (?:each at|at each of) (?P<list>`+rungs+`(?:`+comma+rungs+`){1,4})`, atEach((*builder).rung)),
		late(behind(stepBefore, makes("then", `(?:and |then )?{n8} (?:at|@) ?{p}`, (*builder).rung))),
		makes("then", adds+`,? every (?:{dur}|(?P<unit>second|minute|hour)),? (?:for )?`+many+`{n} times?`, (*builder).every),
	}, deed("then", adds, `(?:`+price+`(?P<rests>,? {as})?|(?P<rests>{as}) (?:at )?{p}|{since}|{gain})`, (*builder).add),
		[]pattern{
			behind(limitBefore, makes("then", `(?:{fill}:?,? )?(?:(?:also|then|i|want|and|bid) )*{put}(?:(?:a|two|three|further|more|additional|other|also) )*(?:(?:limits?|bids?)(?: orders?)?|orders?):? (?:(?:of|for|at|go in|in) )*(?P<list>`+rungs+`(?:`+comma+rungs+`){0,4})(?:,? `+each+`)?`, (*builder).bids)),
			makes("then", `(?:and )?(?:{put}(?P<rests>{limit})|(?P<rests>rest|post)) (?:(?:for |of |to buy )?(?:{again} {amount}|{amount} {again}) (?:at|@) ?{p}|(?:at |@ ?)?{p} (?:for|with) {again} {amount})`, (*builder).add),
			behind(addedBefore, follows("then", `(?:and |then )?(?:another )?{amount} {more} `, (*builder).addNext)),
			follows("then", `(?:double (?:down|up|(?:the |my )?(?:position|size|bet))|average down|buy the same again|add the same again) `, (*builder).add),

			// Part of it.
			behind(partsBefore, makes("then", `(?:and |then )?(?:{part}|{ratio}|{shares} more)(?P<rests> {as})?:? {level}(?P<rests>{rests})?`, (*builder).part)),
			makes("then", `(?:i )?(?:take|offer) (?:the next |another |a further )?{shares} (?:(?:more )?{share}|of (?:them|those)) (?:at|on|@) ?{p}|(?:take|offer) {p} for (?:another )?{shares} {share}`, func(b *builder, _ *match) {
				b.fail("bought or sold? say \"add 20 shares at 30c\" or \"sell 20 shares at 60c\"")
			}),
			behind(partsBefore, makes("then", `(?:and |then )?(?:at |@ ?){p},? (?:i )?(?:sell )?(?:another|a further|the next) {frac}`, (*builder).part)),
			makes("then", `{sells}(?:at |@ )?{p}(?:,? ?(?:for |on |\()| ){part}\)?`, (*builder).part),
			makes("then", `(?:with )?{put}(?:a |my )?(?P<rests>(?:resting )?limit sells?|(?:rest|place|post|leave|work)(?: out)? (?:a |the |my )?(?:resting )?(?:sell|sale)|sell limits?|limits? to sell|limit orders? to sell|{sell} {as})(?: orders?)?:? (?:(?:for|of|on) )?{part}(?: ?[:=])? (?:(?:at|@) ?)?{p}`, (*builder).restPart),
			behind(partBefore, makes("then", `{more} (?P<conds>[a-z0-9.$' <>=]{4,80}?),? {sells}?(?:another|a further|the next) {frac}`, (*builder).part)),
			behind(partBefore, follows("then", `(?:and |then )?(?:another |a further |the next )?{frac} `, (*builder).part)),
			makes("then", `{sells}(?:{part}|{n8}) (?:each at|at each of) (?P<list>`+rungs+`(?:`+comma+rungs+`){1,4})`, atEach((*builder).part)),
			late(behind(exitBefore, follows("then", `or `, (*builder).sellAll))),
			late(makes("then", `{sells}{n8}(?: off)? (?:at |@ ?){p}(?P<rests>{rests})?`, (*builder).part)),
			late(behind(soldsBefore, makes("then", `(?:and |then )?{n8}(?: off)? (?:at |@ ?){p}(?P<rests>{rests})?`, (*builder).part))),
			makes("then", `(?:{sells}|scale out )(?:it )?in (?P<in>halves|half|thirds|quarters|fourths|fifths):? (?:at |@ ?)?(?P<list>`+rungs+`(?:`+comma+rungs+`){1,4})`, (*builder).parted),
			behind(partBefore, stands("exit.hold_to_expiry", "hold", `(?:hold|keep|leave|let)(?: (?:the|a|my|other|last|final))* {frac}(?: of it)?(?: (?:runs?|rides?|{end}))*`, (*builder).keeps)),
			makes("then", `{ordinal}?(?P<over>tp|target|take[- ]profit)(?: ?\d)?:? (?:at |@ ?)?{p} ?(?:for |on |\()?{part}\)?`, (*builder).part),
		}, lately(deed("then", `(?:sell|exit|dump|close|get out|bail|cash out|unload|liquidate|unwind)(?: (?:it|them|everything|all(?: of it)?|out|of it|the (?:position|whole thing|lot)))*`, `(?P<conds>x^)`, (*builder).sellAll), clauseStart), deed("then", `(?:{sells}{part}(?P<rests> {as}(?: at (?:the )?(?:best )?(?P<touch>ask|bid))?)?(?: ?[:=])?|{half} {sold}|let (?:{half}|{shares} {share}) go|{shares} {share}(?: of it)? (?:off|(?:i|we) sell|is sold|gets sold|sold)):?`, `{level}(?P<rests>{rests})?`, (*builder).part),
		[]pattern{
			// The first of several purchases, and what each costs.
			begins("side", "", `(?:first|main|initial) (?P<keep>entry is|entry:)`, nothing),
			begins("budget_per_trade", "", `capital(?: of| ?[:=])? (?P<keep>(?:{usd}|{n}) (?:per|a|each) (?:trade|entry|position|market|round))`, nothing),
			begins("side", "buy", `(?:i )?(?:start|open|begin|lead)(?: off)? with (?P<keep>{usd} (?:of|in|on) {tok})`, nothing),
			// What an exit is of, where it is all.
			behind(exitBefore, makes("exit", `(?:for|on) (?:the whole (?:bag|lot|stack|position|thing)|all(?: of it)?|everything|it all|the lot)`, nothing)),

			// The other side.
			behind(tokenBefore, follows("then", `(?:{then}|(?P<pair>(?:{buy} )?))(?:{usd} of |{shares} {share}(?: of)? |(?P<match>{match}))?(?P<tok>{tok})(?: too| also| as well)?(?P<match>,? \(?{many}\)?)?,? {more} `, (*builder).other)),
			late(behind(entryBefore, follows("then", `{then}(?:{usd} of )?(?P<tok>{tok})(?: too| also| as well)? `, (*builder).other))),
			behind(entryBefore, makes("then", `{more} (?P<conds>[a-z0-9.$' <>=]{4,80}?),?(?: then)? (?:i )?(?:also )?(?P<pair>){buy} (?:(?P<match>{match})(?P<tok>{tok})|(?P<tok>{tok})(?: too| also)?(?P<match> {many})?)`, (*builder).other)),
			behind(tokenBefore, makes("then", `{more} (?P<conds>[a-z0-9.$' <>=-]{4,80}?),?(?: then)? (?:i )?(?:also )?{buy} (?:(?P<match>{match})(?P<tok>{tok})|(?P<tok>{tok})(?: too| also)?,?(?P<match> {many}))`, (*builder).other)),
			behind(tokenBefore, makes("then", `{more} (?P<conds>[a-z0-9.$' <>=]{4,80}?),?(?: then)? (?:i )?(?:(?:{buy}|{flip}) (?:{usd} (?:of |on |in |into |worth of ))?(?:(?P<tok>{tok})(?: (?:for|with) {usd})? (?:too|also|as well|to (?:hedge|protect)(?: it)?|`+asHedge+`)|(?P<tok>{tok}) (?:too|also|as well) (?:for|with) {usd}(?: `+asHedge+`)?)|hedge (?:it )?(?:with|w/|by) (?:buying )?{usd} (?:of|on|in) (?P<tok>{tok}))`, (*builder).also)),
			behind(tokenBefore, makes("then", `{more} (?P<conds>[a-z0-9.$' <>=]{4,80}?),?(?: then)? (?:i )?{buy} (?:{usd} (?:of|on|worth of)|{shares} {share}(?: of)?) (?P<tok>{tok})(?: too| also| as well)?`, (*builder).cover)),
			behind(tokenBefore, follows("then", `(?:(?:tail )?hedge:?|(?:(?:for|as|my|the) )?(?:an? )?(?:protection|insurance|hedge|cover)(?:,?:?| is)|(?:and )?(?:hedge|protect|cover|insure)(?: it| that| this| the position)? (?:with|w/|by)) (?:i )?(?:(?:buy|buying|grab|put|get|with) )?(?:{usd} (?:of |on |in |into |worth of )?|{shares} {share}(?: of)? )?(?P<tok>{tok})(?: (?:(?:for|with) )?{usd})? `, (*builder).also)),
			behind(rungBefore, follows("then", `(?:and |then )?{usd} (?:of|on|in) (?P<tok>{tok}) {more} `, (*builder).also)),
			behind(tokenBefore, follows("then", `(?:(?:(?:and|then) )?(?:plus|then|also) {usd} (?:of|on|in) (?P<tok>{tok})|(?:and )?(?:also )?{buy} (?:{usd} (?:of|on|in|worth of)|{shares} {share}(?: of)?) (?P<tok>{tok}) `+asHedge+`) {more} `, (*builder).also)),
			behind(entryBefore, makes("then", `(?:(?:and )?then buy |hedge: (?:buy )?|hedge (?:by buying|with) )(?:{usd} of |{shares} {share}(?: of)? |(?P<match>{match}))?(?P<tok>{tok})(?: too| also)? at {p}(?: or (?:less|lower|better))?(?P<match> {many})?`, (*builder).other)),
			behind(limitBefore, makes("then", `(?:{fill},? )?(?:i )?bid (?:at )?{p} for (?:{match}(?P<tok>{tok})|(?P<tok>{tok}),? {many})|(?:(?:and|then) )*{put}{limit} (?:for|on) (?P<tok>{tok}) at {p},? {many}`, (*builder).pairBid)),
			makes("then", `(?:and )?(?:{many}|(?:matching|match) (?:the |my |both )?(?:shares|sizes?|share counts?|number)(?: of shares)?)`, (*builder).matched),
			bag("then", 2, (*builder).afterExit, exited, `{flip} (?:(?:another )?{usd} (?:of |on |worth of |in |into )?|{shares} {share} (?:of |on ))?(?P<tok>{tok}|it again)(?: (?:for|with|w/) (?:another |the same )?{usd})?{once}|{flip} (?P<tok>{tok}) {usd}{once}|{usd} (?:goes )?(?:on|into|of) (?P<tok>{tok}){once}|(?P<tok>(?:the )?(?:other|opposite) (?:side|token)),? (?:for )?{usd}{once}`),
			bag("then", 2, (*builder).afterExit, exited, `{put}(?:a )?bid (?:for|on) (?P<tok>{tok}) at {p}(?: (?:for|with|w/) (?:another |the same )?{usd})?`),
			bag("then", 2, (*builder).afterExit, exited, `bid `+exact+` (?:on |for )?(?P<tok>{tok})(?: (?:for|with|w/) {usd})?`),
			behind(sentenceBefore, bag("then", 3, (*builder).afterExit, exited, `{flip} (?P<tok>{tok})`, `{usd}`)),
			makes("merge", `(?:and )?(?:merge(?:[ _]pairs)? ?[:=] ?(?:true|yes|on)|(?:(?:when|once|if) (?:i have both|both (?:are |have |get )?(?:fill|filled)),? )?(?:please )?merg(?:ed?|ing){pairs}(?: (?:when|once|if) (?:(?:both|they)(?: are| have| get| sides)* (?:fill|filled|in|done)|(?:i|u|you|we) (?:have|hold|own|get|got) (?:both|the pair)|paired))?(?: on completion)?|redeem (?:the )?pairs?|merge (?:them )?into (?:dollars|cash|usdc?)|(?:(?:the|any|all|every|completed?|matched|full|finished) )?pairs? (?:are |gets? |is |please |to be )?merged?(?: as they (?:form|fill|come))?)`, (*builder).merges),
			makes("merge", `no merg(?:e|ing)|(?:without|don't|do not|never) merg(?:e|ing)(?: (?:them|it|pairs|the pairs))?|merge ?[:=] ?(?:no|false|off)`, (*builder).unmerged),

			// Entries again.
			makes("again", `up to {n} entries(?: (?:a|per|each|in a|in each) (?:round|market|window))?(?:, {dur} apart)?(?:, after (?P<reasons>{reason}(?: or {reason})*))?`, (*builder).again),
			bag("again", 1, (*builder).again, total, waits, upon),
			bag("again", 2, (*builder).again, reentry+`|`+weakly, upon, total, once, waits),
			bag("again", 2, (*builder).again, reentry+`|`+anew, once, waits, upon, total),
			bag("again", 2, (*builder).again, reentry, total, waits, upon),
			bag("again", 2, (*builder).again, `(?:up to |at most |max(?:imum)? |no more than )*{n2} (?:re[- ]?entr(?:y|ies)|retr(?:y|ies))|re[- ]?entr(?:y|ies) ?[:=] ?{n2}(?: ?x)?`, upon, waits),
			bag("again", 2, (*builder).again, reentry, waits, upon),
			bag("again", 2, (*builder).again, `(?:(?:i'd like|i want|allow|give it|with|and) )*(?P<n6>one) more (?:entry|try|go|attempt|shot){round}`, upon, waits),
			bag("again", 2, (*builder).again, anew, `{dur} (?:apart|between (?:them|entries|tries))`, upon),
			makes("again", `(?:no|never|without|don't|dont|do not|not) (?:any )?(?:re-?entr(?:y|ies|ing)|re-?enter(?:ing)?|re enter|(?:second|further|more) entr(?:y|ies))(?: again)?{round}(?: after (?:an? |any )?{why})?|(?:only )?(?:one|1|a single) entry(?: only)?{round}(?: only)?|enter (?:only )?once(?: only)?{round}`, (*builder).never),
			behind(againBefore, bag("again", 1, (*builder).again, apart, upon)),
			begins("again", "", `(?:up to|at most|max(?:imum)?(?: of)?|no more than) (?:{n} ?(?:-|to|or) ?)?{n2} (?:entries|tries|goes|attempts|positions|orders|trades|buys|round trips|shots)\b`, func(b *builder, _ *match) {
				b.fail("how often is the round entered, and when again? say \"up to 3 entries\" in a clause of its own, such as \"…, up to 3 entries.\"")
			}),
			makes("again", `(?:re-?entry|re-?enter|re enter)[ _]after ?[:=] ?(?:a |the )?(?P<why>{why})`, (*builder).again),
			bag("again", 2, (*builder).again, `again ?[:=]\s*|\[?again\]?\s`, `max entries ?[:=]? ?{n3}`, `after seconds ?[:=]? ?{n7}`, `after ?[:=]? ?(?:a )?(?P<why>{why})`),
			behind(entriesBefore, makes("again", `after ?[:=] ?(?:a )?(?P<why>{why})`, (*builder).again)),
			makes("again", `(?:re-?entry|re-?enter|re enter) (?:delay|cooldown|wait|gap|pause|after seconds) ?[:=] ?(?:{dur}|{n7} ?)`, (*builder).again),
			behind(entriesBefore, makes("again", `(?:delay|cooldown|wait|gap|pause|after seconds)(?: between(?: entries| them)?)? ?[:=] ?(?:{dur}|{n7} ?)`, (*builder).again)),

			// Size and purse.
			makes("size", `(?:(?:can you |could you |would you |please |kindly |i |just )*(?:sized?|sizing|size it|make it|make that|stake|amount|quantity|qty|(?:each|every) trade)(?: of| is| at| as|:| ?=)? ?)?(?:exactly )?{shares} {share}{per}(?: instead of dollars)?|(?:(?:size )?shares(?: size)?|(?:the )?number of shares) ?(?:[:=]|is) ?{shares}`, (*builder).shares),
			begins("size", "", `(?:buy )?(?:up to|as many as) {shares} {share}`, func(b *builder, _ *match) {
				b.fail("up to how many it is bought cannot be said; say \"20 shares\" or \"$50 per trade\"")
			}),
			behind(amountBefore, begins("size", "", `(?P<keep>(?:(?:buy|get|grab|take)(?: me)? )?){shares} (?P<keep>ups?|downs?|yes|no) {share}`, (*builder).shares)),
			behind(amountBefore, begins("size", "", `(?P<keep>(?:(?:buy|get|grab|give|snag|take|trade|order|like)(?: me)? )?)(?:exactly |just |only )?{shares} {share} (?:(?:of |from |on )?(?P<keep>(?:the )?(?:ups?|downs?|yes|no|dn|it|favou?rite|leader|underdog|cheaper side|`+coins+`)\b)|(?P<keep>@|(?:at|if|when|whenever|once|below|under|for)\b))`, (*builder).shares)),
			makes("size", `(?:size )?a fraction of {ratio} of the bankroll|(?:bankroll fraction|(?:fraction|share|part)(?: of (?:the |my )?bankroll)?){per} ?[:=]? ?(?:{ratio}|{frac}){per}`, (*builder).ofBankroll),
			makes("size", `(?:(?:(?:in|on|for|per) (?:each|every|a) trade|(?:each|every) time),? )?(?:(?:i|we|want|will|would|like|to) )*(?:(?:bet|stake|risk|use|size|put|spend|sizing|position sizing|position size|position|(?:each|every) (?:trade|bet|entry|position)|with)(?: it)?(?: by| with| as| at| is)?(?: ?[:=])? ?)?(?:(?:(?:the )?{frac}(?: part)?|{ratio}) (?:of )?(?:`+bank+`(?: of {usd}| \({usd}\))?|(?:a|my|the|our) (?:{usd2}|(?P<n>\d+k)) (?:bankroll|roll|capital)){per}|{frac} per trade)(?: on each| each| on| to)?`, (*builder).ofBankroll),
			behind(purseBefore, makes("size", `(?:(?:(?:each|every) trade |to |should |i |we |want )*(?:bet|stake|risk|use|put|spend|toss|throw)s? )?(?:(?:{frac}|{ratio}) of (?:it|that)|(?:the |a )?{frac} part){per}(?: on each| each| on| at)?`, (*builder).ofBankroll)),
			late(makes("size", `(?:(?:bet|stake|risk)(?:ting|ing)?|size:?) {frac}{per}`, (*builder).ofBankroll)),
			makes("size", `(?:size )?a fraction of {ratio} of kelly at a fair value of {p}`, (*builder).kelly),
			makes("size", `(?:(?:and|so|i|we|think|believe|figure|reckon) )*(?:the |my )?fair (?:value|price)(?: (?:of|for) (?P<tok>ups?|downs?))? is {p}(?: in my (?:view|opinion|book))?|(?:i )?(?:put|see) the (?:chance|probability|odds) of (?P<tok>ups?|downs?) at {p}|(?:i )?(?:think|believe|figure|reckon) (?:its|it's|it is) worth {p}`, (*builder).kelly),
			makes("size", `(?:size )?by kelly,? {frac}`, (*builder).kelly),
			makes("size", `(?:(?:fractional )?kelly(?: fraction)?(?: at| of)?:? (?:{frac}|{ratio})|kelly[- ]sized|(?:size (?:by |with |at )?|bet |use |stake )?{ofkelly}(?: sizing)?),? `+fair+`(?: (?:on|of) (?P<tok>ups?|downs?))?`, (*builder).kelly),
			behind(kellyBefore, makes("size", valued, (*builder).kelly)),
			makes("size", `(?:(?:(?:could|can|would) (?:it|you|we|i) |please )?size (?:by |with |at )?|(?:each|every) trade is |bet |use |stake |i want |i use )?{ofkelly}(?: sizing)?(?: (?:on|of|for))?|(?:fractional )?kelly(?: at)?:? (?:{frac}|{ratio})|(?:sizing|size) ?[:=] ?kelly|(?:size )?kelly fraction(?: of| ?[:=])? ?(?:{ratio}|{frac})|(?:size )?kelly (?:probability|p|fair value) ?[:=] ?{p}`, (*builder).kelly),
			stands("size", "buy", `{ofkelly}(?: sizing)?,? `+fair+` for (?P<keep>ups?|downs?)`, (*builder).kelly),
			behind(kellyBefore, stands("size", "buy", fair+` for (?P<keep>ups?|downs?)`, (*builder).kelly)),
			behind(kellyBefore, stands("size", "buy", `fair value (?:of|for) (?P<keep>up|down)(?: is| at| of| =)? {p}`, (*builder).kelly)),
			behind(kellyBefore, makes("size", fair+`(?: (?:on|of|with))?`, (*builder).kelly)),
			late(heads(kinds.ByKelly, makes("size", fair+`(?: (?:on|of|for) (?P<tok>ups?|downs?))?|`+valued, (*builder).kelly))),
			makes("size", `(?:(?:stake|bet|use|risk|with|on) )?(?:the (?:whole|entire|full)|all (?:of )?(?:the|my)) (?:bankroll|roll|capital|purse)(?: of {usd})?`, func(b *builder, _ *match) {
				b.fail("what part of the bankroll is a trade? say \"a twentieth of the bankroll of $1,000\"")
			}),
			makes("bankroll.start", `(?:(?:start|begin) (?:the |my |a ))?(?:(?:and|with|on|from|of|the|a|my|our|starting|initial|let) )*(?:bankroll|roll|capital|purse)(?: start)?(?: of| is| be| at| ?[:=])? ?{usd}(?: acct| account| total| in total)?|(?:bankroll|roll)(?: start)?(?: is| of| ?[:=])? ?{n}|(?:(?:got|have|a|my|with|on|and|i) )*(?:{usd2}|(?P<n>\d+k)) (?:total |starting )?(?:bankroll|roll|account)`, (*builder).start),
			makes("bankroll.start", `(?:i have|i've got|i have got) {usd} of (?:bankroll|capital)`, (*builder).start),
			makes("bankroll.start", `(?:i have |i've got |i have got |with )?{usd}(?: in total| total| in all)? (?:as|for|is) (?:my |the |a |our )?(?:whole |total |starting )?(?:bankroll|roll|capital)`, (*builder).start),
			late(heads(func(s *strategy.Strategy) bool { return s.Size != nil }, makes("bankroll.start", `(?:i (?:have|got|start with) )?{usd} (?:in total|to (?:start|begin|play)(?: with)?(?: in total)?)`, (*builder).start))),
			late(heads(limited, makes("bankroll.start", `i (?:have|got|start with) {usd}(?: in total| total)?`, (*builder).startWith))),
			makes("bankroll.start", `(?:start|starting|begin)(?: out)? with (?:a bankroll of )?{usd}(?: in total| total)?`, (*builder).startWith),
			behind(purseBefore, makes("bankroll.start", `start(?:ing)?(?: at)? {usd}|start ?[:=] ?(?:{usd}|{n})`, (*builder).start)),
			bag("bankroll.daily_loss", 2, (*builder).dailyLoss, halts+day, `(?:`+lost+`)`+daily+`?`),
			bag("bankroll.daily_loss", 2, (*builder).dailyLoss, halts, `(?:`+lost+`)`+daily+`|(?:when|if|once) {loss}(?: is| reaches| hits| gets to) {usd}`),
			bag("bankroll.daily_loss", 3, (*builder).lossOrStreak, halts+day, lost+`|`+streak, `or (?:`+lost+`|`+streak+`|`+red+`|{usd}(?: lost)?`+daily+`?)`),
			bag("bankroll.max_losing_streak", 2, (*builder).streak, halts+day+`?`, streak),
			makes("bankroll.daily_loss", `(?:bankroll )?(?:a |with a |max(?:imum)? )?(?:daily|day) (?:max )?(?:loss(?: limit| cap| stop)?|stop|drawdown limit)(?: of|:| ?=| after losing| at)? ?-?(?:{usd}|{n})`, (*builder).dailyLoss),
			makes("bankroll.daily_loss", `(?:max(?:imum)? )?loss(?: limit)?(?: (?:per|a|each) day(?: of| is|:| ?=)? ?{usd}|(?: of|:| ?=| is)? ?{usd} (?:per|a|each) day)`, (*builder).dailyLoss),
			makes("bankroll.daily_loss", `(?:in|on|over) (?:one|a|any|each) day (?:i |we )?(?:can |may |want to )?lose (?:at most|max(?:imum)?|no more than|up to) {usd}`, (*builder).dailyLoss),
			makes("bankroll.max_open", `(?:at most|max(?:imum)?|no more than|up to|(?:please )?(?:i )?never (?:want to |to )?(?:have |hold |keep )?(?:more than|over|above)) (?:{usd}|{n3}) (?:open|at risk|in the market|in open positions|tied up|exposed|deployed)(?: at (?:once|a time|one time|any time|the same time))?|(?:i )?never (?:want to |to )?(?:have|hold|keep) (?:more than|over) {usd} at (?:once|a time|one time|any time|the same time)|(?:(?:gross|total|my) )*(?:(?:open )?exposure|open positions) (?:is |are )?(?:(?:capped|limited) (?:at|to)|at most) {usd}|open at (?:the )?same time (?:at most|max(?:imum)?) {usd}|(?:bankroll )?max(?:imum)? (?:open|exposure)(?: exposure)?(?:(?: of| ?[:=])? ?{usd2}| ?[:=] ?{n})`, (*builder).maxOpen),
			makes("bankroll.max_losing_streak", `(?:(?:bankroll )?max losing streak(?: of)? ?[:=]? ?|(?:max )?(?:losing streak|losses in a row|consecutive losses) ?[:=] ?){n3}(?: losses)?(?:,? (?:then|and)(?: then)? `+halts+day+`)?|max(?:imum)?(?: of)? {n3} (?:losses in a row|(?:consecutive|straight) losses)(?: (?:per|a|in a|each) day)?|losing streak ?[:=] ?`+halts+day+` (?:after|at) {n3}(?: losses)?`, (*builder).streak),
		})
})

// Parts of a ladder: what divides its levels, a level, and as much at each.
const comma = `(?:,? (?:and|then|&|\+) |, ?| ?/ ?|; ?|\n ?(?:[-*] )?)(?:(?:also )?(?:a )?(?:bid|limit)(?: of| at| for)? )?`

var (
	rungs = `(?:(?:at |@ ?)?(` + slots["p"].exp + `)(?:(?:,? (?:for|with)|:) ` + sums + `)?|(?:(?:another|last|final|the last) )?` + sums + `(?: more)? (?:at|@) ?(` + slots["p"].exp + `))`
	sums  = `(?:(` + slots["usd"].exp + `)|(` + amount + `) (?:shares?|contracts?|shs?))`
	each  = `(?:for |with )?(?:(?P<keep>{usd2})|{shares2} {share}) (?:each|ea|apiece|(?:per|a|at each|on each) (?:level|rung|step|order|bid|price)|at each)`
)

// Parts of entries again: the word for it, one that may be another, how often, and when.
const (
	reentry = `(?:(?:let it|let me|let us|allow|allowed|can|may|please|i|it|we|want|to|just) )*(?:re[- ]?enters?|re[- ]?entry|re[- ]?entries|re-?arm|re-?buy|re-?try|reloads?|put it back(?: up)?)(?: (?:is )?(?:allowed|ok|okay|fine))?`
	anew    = `(?:(?:then|its|it's|it|is|may|can|allowed|able|fine|ok|okay|to|i|you|allow|want|let me|let it|i'd like|i'd|would|like) )*(?:(?:enter|buy|go|go in|try|get in|play|trade)(?: it)? (?:again|once more|one more time)|(?:get|go|jump|hop|come|climb|buy|be|let me|put me|get me|i'm|im|i am) back in|run it back)`
	weakly  = anew + `|back in|again|once more|another (?:go|try|entry)`
	total   = `re-?enter(?:ing)? (?:up to |at most |max(?:imum)? )+{n} times (?:in )?total|(?:(?:up to|at most|max(?:imum)?(?: of)?|no more than|allow|only|total) )*(?:{n} (?:entr(?:y|ies)|entires)|(?:(?:i|it|may|can) )*enter(?:ing)? (?:up to |at most |max(?:imum)? )+{n} times)(?: (?:in total|total|max(?:imum)?|tops))?{round}(?: (?:at most|max(?:imum)?|tops))?|(?:up to|at most|max(?:imum)?(?: of)?|no more than) {n} trades? (?:per|a|each|every|in a|in each) (?:round|market|window)|(?:max(?:imum)?|total) entries(?: (?:per|a) round)? ?[:=]? ?{n3}|entries (?:per|a|each) round ?[:=] ?(?:up to |at most |max(?:imum)? )?{n3}|re-?entries ?[:=] ?{n2}`
	once    = `(?:(?:up to|at most|max(?:imum)?(?: of)?|no more than|only) )*(?:{n2}(?: more)? (?:times?|tries|re-?entr(?:y|ies))(?: more)?|{n2} more|(?P<n4>once|twice)(?: more)?|(?P<n6>one) (?:more time|time more|time)(?: only)?|(?:i'd like )?(?P<n6>one) more entry|x ?(?P<n5>\d+)|(?P<n5>\d+) ?x)(?: (?:at most|max(?:imum)?|tops))?{round}(?:,? (?:not|no) more)?`
	apart   = `(?:(?:wait|waiting|pause|chill|stand aside|cooldown|cool down|with|after|at least|min(?:imum)?|not (?:until|before|sooner than))(?: of| for| at least)* )?(?:a )?{dur} (?:apart|later(?: at the earliest)?|after(?:wards)?|first|between(?: (?:them|em|entries|(?:an? |each |the )?(?:exit|sale) and (?:the |a )?(?:next |new )?(?:entry|buy|one)))?|in between|each time|every time|delay|wait|pause|gap|breather|break|cool-?down|cool down|after (?:(?:an|any|each|every|the)(?: previous| last)? exit|(?:(?:the|a|each|every) )?(?P<why3>{why}))(?: or (?:a |an |the )?(?P<why2>{why}))?)`
	waits   = apart + `|(?:but )?(?:only )?(?:with )?(?:an? )?(?:wait|waiting|(?:not|no) sooner than|not before|pause|chill|stand aside|after|gap|delay)(?: for| of| at least)? {dur2}(?: before(?: that)?| later)?|(?:cooldown|cool-down|delay|pause|gap|wait) ?[:=]? ?{dur2}`
	fair    = `(?:(?:with|at|@|on|for|using) )?(?:a |an |my |the |that )?(?:{p} (?:is )?(?:fair value|fair price|fair|probability)|(?:(?:real|true|win|fair) )?(?:fair value|fair price|fair|probability|estimate|value|p(?:\((?P<tok>ups?|downs?)\))?)(?: of winning)?(?: of| at| is)? ?[=:]? ?{p2}(?: on (?P<tok>ups?|downs?))?)`
	exited  = `(?:{upon} (?P<why>{why}|clipped)|{more} (?:the |my )?(?P<why>stop) (?:gets|takes) me(?: out)?|{more} it (?P<why>stops me)(?: out)?|{more} (?:i have|i've|it has|it's|it is) sold at (?:my|the) (?P<why>target)|(?:after|on|upon) (?:any|every|each|an|the) exit(?P<any>)|(?:{more}|whenever) i (?:exit|get out)(?P<any>)|{more} (?:i'm|im|i am|it is|it's) (?:out|sold)(?: on any exit)?(?P<any>)|{more} (?:it |i )?(?P<why>takes? profit|(?P<keep>takes? profit at {x9}))|{more} (?:it |the price )?(?:hits|reaches|touches) (?:my |the )?(?P<why>(?P<keep>(?:stop|target|tp|sl) (?:at |of )?{x9})|stop|target|tp|sl)|(?:gets? |got )?(?P<why>stopped(?: me)?(?: out)?|(?P<keep>stop)ped(?: me)?(?: out)? (?P<keep>at {x9})))`
	asHedge = `(?:as|for|like) (?:an? )?(?:insurance|hedge|protection|cover)`
	valued  = `i (?:think|reckon|believe|figure|say|estimate|see|put) (?P<tok>ups?|downs?)(?: is|'s| are)? (?:(?:really |fairly )?worth {p}|at {p}(?: fair)?)`
	upon    = `(?:after|for|on) (?:every|any|each) (?:exit|reason|exit reason)|any exit reason|` + exited + `(?: or (?:a |an |the )?(?P<why2>{why}))?(?: only)?`
)

// expressions are those of the table, with the pattern of each.
var expressions = sync.OnceValue(func() (all struct {
	*sift.Sieve
	patterns []*pattern
}) {
	table, exps := patterns(), []string(nil)
	for i := range table {
		p := &table[i]
		p.first = len(exps)
		for _, exp := range append(p.parts, p.exp) {
			if exp != nil {
				exps, all.patterns = append(exps, sifted(`^(?:`+exp.pattern+`)`)), append(all.patterns, p)
			}
		}
	}
	all.Sieve = sift.New(false, part, exps...)
	return all
})

// within are the expressions that may match somewhere in a text: none of a phrase of parts that lacks one it
// needs, and where headings are not looked for none that is tried late.
func within(text string, named bool) (out sift.Passed) {
	all := expressions()
	may := all.May(text)
	for exp := range may.All() {
		if p := all.patterns[exp]; (named || !p.late && p.topic == nil) && !p.lacks(&may) {
			out.Add(exp)
		}
	}
	return out
}

// lacks reports whether a part that a phrase needs is not among expressions.
func (p *pattern) lacks(may *sift.Passed) bool {
	for part := range p.needs {
		if !may.Has(p.first + part) {
			return true
		}
	}
	return false
}

// part is what stands for a name in an expression that is sifted.
func part(name string) string { return sifted(cmp.Or(slots[name].exp, words[name])) }

// sifted is an expression as it is sifted: between the words of an amount nothing need stand.
func sifted(exp string) string {
	return strings.ReplaceAll(strings.ReplaceAll(exp, "[:=]", sets), counts, "{counts}")
}
