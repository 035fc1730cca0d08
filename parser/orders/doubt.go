package orders

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/parser/lazy"
	"github.com/ladderback/ladderback/parser/orders/kinds"
	"github.com/ladderback/ladderback/strategy"
)

// doubt is a strategy beside the words of its prompt: what the grammar read as the entry's or
// the exit's may be of an order.
type doubt struct {
	f     *Found
	s     *strategy.Strategy
	rest  string // the prompt without the phrases of orders, in plain
	spans []strategy.Span
}

// doubts are tried in turn: the first that has a fault tells it.
var doubts = []func(d *doubt) *Fault{
	phrase((*doubt).told), phrase((*doubt).counted), phrase((*doubt).besides), (*doubt).oneAmount, phrase((*doubt).twoPrices), phrase((*doubt).occasion), (*doubt).life, (*doubt).end, (*doubt).second,
	unlisted((*doubt).both), (*doubt).above, unlisted(phrase((*doubt).ofOther)), unlisted(phrase((*doubt).partTime)), phrase((*doubt).count), unlisted(phrase((*doubt).before)),
	unlisted(phrase((*doubt).first)), unlisted(phrase((*doubt).sold)), phrase((*doubt).sees), phrase((*doubt).amounts), phrase((*doubt).bare),
}

// phrase is a doubt that every phrase is asked for.
func phrase(message func(d *doubt, m *match) string) func(d *doubt) *Fault {
	return func(d *doubt) *Fault { return d.each(func(m *match) string { return message(d, m) }) }
}

// unlisted is one that no further orders have which are a list in full words.
func unlisted(has func(d *doubt) *Fault) func(d *doubt) *Fault {
	return func(d *doubt) *Fault {
		if slices.ContainsFunc(d.f.matches, func(m match) bool { return m.said["no"] != "" }) {
			return nil
		}
		return has(d)
	}
}

// Doubt is the fault of a strategy that its words say in a place where they may be of
// something else, nil for none. The spans are those of the rest of the prompt.
func (f *Found) Doubt(s *strategy.Strategy, spans []strategy.Span) *Fault {
	d := &doubt{f: f, s: s, rest: plain(f.Rest), spans: spans}
	for _, has := range doubts {
		if fault := has(d); fault != nil {
			return fault
		}
	}
	return nil
}

// each returns a fault with the message that a function has for a phrase, at that phrase.
func (d *doubt) each(message func(m *match) string) *Fault {
	for i := range d.f.matches {
		if m := &d.f.matches[i]; m.pattern.topic == nil {
			if text := message(m); text != "" {
				return &Fault{d.f.Spans[i], text}
			}
		}
	}
	return nil
}

// of reports whether some span of a field, or of one of its parts, begins in [from, to] and
// is as asked.
func (d *doubt) of(field string, from, to int, is func(s strategy.Span) bool) *strategy.Span {
	i := slices.IndexFunc(d.spans, func(s strategy.Span) bool {
		return strings.HasPrefix(s.Field, field) && s.Start >= from && s.Start <= to && (is == nil || is(s))
	})
	if i < 0 {
		return nil
	}
	return &d.spans[i]
}

// faultAt is a fault of a span, nil where there is none.
func faultAt(at *strategy.Span, message string) *Fault {
	if at == nil {
		return nil
	}
	return &Fault{*at, message}
}

// rested is the phrase of the order that the entry rests with, nil for none.
func (d *doubt) rested() *match {
	for i := range d.f.matches {
		if m := &d.f.matches[i]; m.pattern.field == "order" && d.s.Order != nil {
			return m
		}
	}
	return nil
}

// clauseOf is the text of a span with what stands before it in its clause, but for phrases of orders.
func (d *doubt) clauseOf(s *strategy.Span) string {
	text := d.rest[:s.End]
	from := strings.LastIndexAny(text[:s.Start], ",;.:&\n") + 1
	return strings.TrimSpace(text[max(from, strings.LastIndex(text[:s.Start], " - ")+1):])
}

var (
	// ranged is what goes on with a second price.
	ranged = lazy.Compile(`^(?:-| to | or )(?:\$?0?\.\d|\d+ ?(?:c\b|cents?\b)|\d+(?:\s|$|[.,;]))|^ ?(?:(?:ups?|downs?) ?)?(?:x ?|for )\d+(?:\.\d+)?(?:\s|$|[.,;])|^ - (?:\$?0?\.\d+|\d+)(?: ?c(?:ents?)?)?(?:\s*(?:$|[.,;\n])| (?:on|for)\b)`)
	// also is the beginning of another occasion of what was said before it.
	also = lazy.Longest(`^[\s,]*(?:but|though) (?:only |not |never )+(?:in|before|after|when|if|with|during|until|while)\b|^[\s,]*[;.]\s+(?:if|when|whenever|once)\b|^[\s,]*(?:and|&) (?:the |its )?|^[\s,.;]*(?:(?:and|&|also|or|plus|too|as well)[\s,]+)+(?:just )?(?:if|when|whenever|once|unless|while|as soon as|with|in|at|after|before|during|within)\b`)
	// lasting is how long something goes on.
	lasting = lazy.Compile(`^(?:and |but |only )*(?:while|as long as|so long as|until|till|til|during|up to minute|for the (?:first|next|last|final)|rest(?:ing)?(?: for)? \d)`)
	// outlasts are a time up to which it rests, and after which nothing is bought.
	outlasts = lazy.Compile(`\bfrom (?:the |minute )[^,.;]* (?:to|till|until) |\bfor the first\b|\b(?:never|no|stop|don't|do not|not) (?:any )?(?:buy|orders?\b|fill|bid)`)
	// ending are words of the end of an order, or of what it has bought.
	ending = lazy.Compile(`^(?:and )?leave\b|\b(?:(?:orders?|bids?|quotes?)|gone|giv(?:e|ing) up|(?:kill|pull|drop|scrap|bin|yank) (?:it|them|this|that))\b`)
	// gives are those of the end of something, whatever it is.
	gives = lazy.Compile(`\bgiv(?:e|ing) up\b|^(?:(?:and|then|it|is|order|the|which) )*(?:expir|ends?\b|ending|valid|good|live|active|lasts\b|lasting|stays?\b|stands?\b|lift|remov|abandon|quit)`)
	// kept are words of how long something is left alone.
	kept = lazy.Compile(`\b(?:keep|leave|let) (?:it|them|this|that)\b|^(?:and |then )*(?:abandon|quit|time limit|time ?out)\b`)
	// crossing are words of an order that takes.
	crossing = lazy.Compile(`\b(?:(?:at|take|hit|cross|to|with) (?:the )?market|(?:at|as) market|market (?:orders?|buy)|cross the spread)\b`)
	// thenBuys is a purchase behind a cancel.
	thenBuys = lazy.Compile(`^[\s,.;]*(?:and then|then|and|otherwise|else|instead)[\s,]+(?:i |just |rather |we |again )*(?:buy|grab|bid|(?:take|get) (?:it|the|up|down|at|what|some|another)\b|enter|re-?bid|re-?post|re-?quote|put it back|put another|place|try|join|lift|hit|pay)\b`)
	// thenTakes is one behind a time.
	thenTakes = lazy.Compile(`^ (?:i |just |rather |we |again |then )*buy\b|^,? (?:i |just |rather |we |then )*(?:pay|lift|take (?:it|the ask|the offer|whatever))\b`)
	// sellsIt is a word that sells what was named before it.
	sellsIt = lazy.Compile(`\b(?:sell|dump|exit|close|unload|get out of|take profit on|stop) (?:it|that|them|this|those)\b|\b(?:it|that|this) (?:has|have|gets) (?:an? |its )?(?:own )?(?:stop|target)|\b(?:hold|keep) (?:it|that|them|this|those) (?:for )?(?:\d|an? |half|one|two|three|five|ten)`)
)

// twoPrices is a limit at two prices.
func (d *doubt) twoPrices(m *match) string {
	if m.pattern.field == "order" && m.said["p"] != "" && ranged.MatchString(d.f.text[m.to:]) && d.f.text[m.to-1] != ' ' {
		return oneLimit
	}
	return ""
}

const oneLimit = "an order rests at one price; say \"bid 30c for Up\", and further ones each: \"add another $50 at 25c\""

// occasion is a condition of the entry that stands where another one of an order would: "cancel
// after 3 minutes and if the spread is over 5c".
func (d *doubt) occasion(m *match) string {
	cancel := strings.HasPrefix(m.pattern.field, "order.cancel")
	if !cancel && m.pattern.field != "then" {
		return ""
	}
	place := also.FindStringIndex(d.f.text[m.to:])
	if place == nil || d.of("entry", m.to, m.to+place[1], nil) == nil {
		return ""
	}
	if cancel {
		return "is this when the order is cancelled, or when it is sent? say \"cancel after 2 minutes or if …\", or the condition before the order"
	}
	return "is this a condition of this order, or of the entry? say the entry's conditions before it"
}

// life is a condition of the entry in words of how long its order rests, of which nothing else
// says when it ends.
func (d *doubt) life() *Fault {
	m := d.rested()
	if m == nil || d.s.Order.CancelAfterSeconds != 0 || d.s.Order.CancelWhen != nil {
		return nil
	}
	lasts := d.of("entry", m.from, len(d.f.text), func(s strategy.Span) bool {
		return lasting.MatchString(strings.TrimLeft(d.f.text[s.Start:], " ,")) || strings.HasSuffix(d.rest[:s.Start], " while ") || strings.HasSuffix(d.rest[:s.Start], " long as ")
	})
	if lasts == nil && outlasts.MatchString(d.rest) && slices.ContainsFunc(d.s.Entry, until) {
		lasts = &d.f.Spans[0]
	}
	return faultAt(lasts, "is this how long the order rests, or when it is sent? say \"cancel after 2 minutes\", \"cancel if …\", or \"in the first 5 minutes\" and \"if …\"")
}

// end is a sale of what is held after a time in words of the end of an order.
func (d *doubt) end() *Fault {
	m := d.rested()
	if m == nil {
		return nil
	}
	is := func(s strategy.Span) bool {
		clause := d.clauseOf(&s)
		return ending.MatchString(clause) || kept.MatchString(clause) && d.s.Order.CancelAfterSeconds == 0
	}
	at := cmp.Or(d.of("exit.max_hold", m.to, len(d.f.text), is), d.of("exit.exit_before", m.to, len(d.f.text), is), d.of("entry", m.to, len(d.f.text), func(s strategy.Span) bool { return gives.MatchString(d.clauseOf(&s)) }))
	return faultAt(at, "is the order cancelled then, or what it has bought sold? say \"cancel after 2 minutes\" or \"sell after 2 minutes\"")
}

// second is a purchase that takes, behind one that rests.
func (d *doubt) second() *Fault {
	if d.rested() == nil {
		return nil
	}
	const message = "one order that rests, and another that takes when it is cancelled, cannot be said; leave one out"
	for _, place := range crossing.FindAllStringIndex(d.rest, -1) {
		if before := d.rest[:place[0]]; !deniedBefore.MatchString(before) && !saleOf.MatchString(before) {
			return &Fault{d.f.Spans[0], message}
		}
	}
	late := func(s strategy.Span) bool { return clock.MatchString(s.Text) && thenTakes.MatchString(d.rest[s.End:]) }
	if at := d.of("entry", d.rested().to, len(d.rest), late); at != nil {
		return &Fault{*at, message}
	}
	return d.each(func(m *match) string {
		if strings.HasPrefix(m.pattern.field, "order.cancel") && thenBuys.MatchString(d.rest[m.to:]) {
			return message
		}
		return ""
	})
}

var (
	deniedBefore = lazy.Compile(denied.exp)
	saleOf       = lazy.Compile(soldBefore.exp)
)

// both is a condition or an exit at a price beside two bids, which only the first of them would have.
func (d *doubt) both() *Fault {
	if !kinds.Quotes(d.s) {
		return nil
	}
	if slices.ContainsFunc(d.s.Then, func(o strategy.Then) bool { return o.Token == strategy.TokenSame }) {
		return &Fault{d.f.Spans[0], "of two bids, one on Up and one on Down: which one is bought more of, or sold a part of?"}
	}
	if dollars := func(o strategy.Then) bool { return o.On == strategy.OnStart && o.USD != 0 }; d.s.Size != nil && slices.ContainsFunc(d.s.Then, dollars) {
		return &Fault{d.f.Spans[0], "a size is the entry's alone: how much is bid on the other side? say its dollars or its shares"}
	}
	if e := &d.s.Exit; len(d.s.Entry)+len(d.s.EntryAny) > 0 || e.Aims() || e.Stops() || e.TrailingStop != nil {
		return &Fault{d.f.Spans[0], "of two bids, one on Up and one on Down, the second rests from the start, and is sold by the clock alone: a condition of the entry, a target or a stop would be the first one's"}
	}
	return nil
}

// above is an order that rests above the most that the entry may pay: it is likely the target.
func (d *doubt) above() *Fault {
	m := d.rested()
	if m == nil || d.s.Order.RestAt == nil || strings.HasPrefix(d.f.text[m.from:], "rest ") {
		return nil
	}
	for _, c := range d.s.Entry {
		is := c.Token == d.s.Side.Held() && (c.Type == strategy.Price || c.Type == strategy.BestAsk)
		if is && !c.Comparator.IsLower() && c.Threshold < *d.s.Order.RestAt {
			return &Fault{d.f.span(m), "does the entry rest above what it may pay, or is this the price at which it is sold? say \"sell with a limit at 60c\", or one price for the entry"}
		}
	}
	return nil
}

// ofOther is a sale of "it" behind a purchase of the other token.
func (d *doubt) ofOther(m *match) string {
	others := slices.ContainsFunc(d.s.Then, func(o strategy.Then) bool { return o.Do == strategy.Buy && o.Token == strategy.TokenOpposite })
	if !others || m.pattern.field != "then" || m.said["tok"] == "" || m.said["tok"] == "it" {
		return ""
	}
	end := len(d.f.text)
	if stop := sentenceStop.FindStringIndex(d.f.text[m.to:]); stop != nil {
		end = m.to + stop[0]
	}
	sold := cmp.Or(d.of("exit.take", m.to, end, nil), d.of("exit.trail", m.to, end, nil))
	if sold == nil && d.hedges() {
		sold = d.of("exit.stop", m.to, end, nil)
	}
	if sold == nil {
		sold = d.of("exit.", m.to, len(d.f.text), func(s strategy.Span) bool { return sellsIt.MatchString(d.clauseOf(&s)) })
	}
	if sold != nil {
		return "is this a sale of the token that is bought then? what is bought of the other side is sold by the clock alone; say the exits of the entry before it"
	}
	return ""
}

// amounts asks of shares straight behind a purchase of the other token that has none whose it is: "hedge with Down
// at 50c, 20 shares".
func (d *doubt) amounts(m *match) string {
	place := sharesBehind.FindStringIndex(d.f.text[m.to:])
	if m.pattern.field != "then" || m.said["tok"] == "" || m.said["usd"]+m.said["shares"]+m.said["match"] != "" || place == nil {
		return ""
	}
	size := func(o match) bool { return o.pattern.field == "size" && o.from >= m.to && o.from <= m.to+place[1] }
	if !slices.ContainsFunc(d.f.matches, size) {
		return ""
	}
	return "is this amount of the entry, or of what is bought then? say \"hedge with 20 shares of Down at 40c\", and the entry's before it"
}

// bare asks of a number without a unit that an order is "with", of money or at a price: "bid for Up with 20".
func (d *doubt) bare(m *match) string {
	if m.pattern.field != "order" || !withBare.MatchString(d.f.text[m.from:m.to]) {
		return ""
	}
	return "dollars, shares or a price? say \"bid 30c for Up\", \"with $20\" or \"20 shares\""
}

// withBare is a number without a unit behind "with".
var withBare = lazy.Compile(`(?: with| w/) ?[1-9]\d*$`)

// sharesBehind is a number of shares behind an order.
var sharesBehind = lazy.Compile(`^[ ,(]*(?:(?:with|for) )?\d+ ?(?:shares|contracts)`)

// hedges reports whether the other token is bought beside the entry, and not to match it.
func (d *doubt) hedges() bool {
	return slices.ContainsFunc(d.s.Then, func(o strategy.Then) bool {
		return o.Do == strategy.Buy && o.Token == strategy.TokenOpposite && !o.Match && o.On == ""
	})
}

// sentenceStop ends a sentence.
var sentenceStop = lazy.Compile(`[;\n]|\.(?:\s|$)`)

// partTime is a time of the entry behind the sale of a part, where what is left may be sold.
func (d *doubt) partTime(m *match) string {
	if m.pattern.field != "then" || m.said["frac"]+m.said["ratio"]+m.said["level"] == "" {
		return ""
	}
	if at := d.of("entry", m.to, len(d.f.text), func(s strategy.Span) bool { return clock.MatchString(s.Text) && !enters.MatchString(d.clauseOf(&s)) }); at != nil {
		return "a time behind the sale of a part: is the rest sold then, or is it when the entry is bought? say \"sell the rest after 5 minutes\", or the entry's time before it"
	}
	return ""
}

// enters are words of the entry.
var enters = lazy.Compile(`\b(?:enter|entry|entries|entering|buy|buying|buys|trade|trading)\b`)

// clock is a time of the round.
var clock = lazy.Compile(`(?i)\b(?:seconds?|secs?|s|minutes?|mins?|m|hours?|h|end|left|close|expiry)\b`)

// oneOf is a number before another one.
var oneOf = lazy.Compile(`(?:\bone|\d ?c?) (?:to|or|till) $`)

// count is a number that goes on before it, or a time before it that may be the first one's.
func (d *doubt) count(m *match) string {
	switch {
	case oneOf.MatchString(lastOf(d.f.text[:m.from])):
		return "two numbers; give one"
	case m.pattern.field != "again":
	case buysBehind.MatchString(d.f.text[m.to:]):
		return "is the round entered again, or the other token bought? say \"after a stop, buy $20 of the other side\""
	case stoppedTwice.MatchString(d.f.text[m.from:m.to]):
		return "what happens after a second stop cannot be said; say \"re-enter after a stop, up to 3 entries\""
	case afterFirst.MatchString(d.f.text[m.from:m.to]):
		return "is it entered after this time, or again after it? say \"3 minutes in\" or \"up to 3 entries, 3 minutes apart\""
	}
	return ""
}

// afterFirst is a time before how many entries there are.
var afterFirst = lazy.Compile(`^[^a-z0-9]*(?:(?:and|then|but|also) )*after ` + slots["dur"].exp + `,? (?:and )?(?:(?:up to|at most|max(?:imum)?(?: of)?|no more than|allow|only) )*[a-z0-9]+ entr`)

// buysBehind is a purchase of a token behind an entry again.
var buysBehind = lazy.Compile(`^,? ?(?:and |then )?(?:again )?(?:buy|buying|with|grab)\b[^.;\n,]{0,24}\b(?:ups?|downs?|other side)\b`)

// stoppedTwice is a number of stops before another entry.
var stoppedTwice = lazy.Compile(`\bstopped (?:out )?(?:twice|thrice|(?:\d|two|three) times)`)

// span is where a phrase stands.
func (f *Found) span(m *match) strategy.Span {
	return f.Spans[slices.IndexFunc(f.matches, func(o match) bool { return o.from == m.from })]
}

// before is a sale of all that is read across the sale of a part, whose time or price it has: "so with 5
// minutes left sell half, with 1 minute left sell the rest"; or a price behind a part that is sold on
// another condition.
func (d *doubt) before(m *match) string {
	if m.pattern.field != "then" || m.said["frac"]+m.said["ratio"]+m.said["shares"]+m.said["n8"] == "" {
		return ""
	}
	if m.said["conds"] != "" && pricedBehind.MatchString(d.f.text[m.to:]) {
		return "is the part sold at that price, or then? say \"sell half at 60c\""
	}
	across := func(s strategy.Span) bool {
		return s.Start < m.from && s.End > m.to && strings.ContainsAny(d.f.text[s.Start:m.from], "0123456789")
	}
	if d.of("exit.", 0, m.from, across) == nil {
		return ""
	}
	return "is the part sold then, or at what stands behind it? say \"sell half at 60c\", \"sell half with 5 minutes left\""
}

// pricedBehind is a price behind a part that is sold on another condition.
var pricedBehind = lazy.Compile(`^ (?:[a-z]+ )?(?:at|@) ?\$?[.\d]`)

// soldPart is a word of selling.
var soldPart = lazy.Compile(sales)

// first is a buy that nothing says is a further one, where no other is the entry: "add $30 at 25c; buy
// $30 below 35c".
func (d *doubt) first(m *match) string {
	text := d.f.text[m.from:m.to]
	if m.said["conds"] != "" {
		text = againWith.ReplaceAllString(text, "$1")
	}
	switch {
	case len(d.s.Entry)+len(d.s.EntryAny) > 0 || d.s.Order != nil || m.pattern.field != "then" || !buysMore.MatchString(text):
	case m == &d.f.matches[0] && d.of("side", m.to, len(d.f.text), nil) != nil:
		return "which purchase is the first one? say it before the others: \"buy Up below 40c\", and then \"add another $20 at 30c\""
	case m.said["tok"] == "" && !furtherOne.MatchString(text) && m.said["conds"]+m.said["p"] != "":
		return "the first purchase, or a further one? say the first one by itself: \"buy Up below 40c\", and then \"add another $20 at 30c\""
	}
	return ""
}

// againWith is an amount behind a price that comes again: "when it's under 40c again with $30".
var againWith = lazy.Compile(`( )again (?:with |for )?\$`)

// furtherOne are words of a further purchase.
var furtherOne = lazy.Compile(`\b(?:more|again|another|add|adding|adds|extra|further|additional|same|once|dca|down|in|top|rest|resting|second|third|next|2nd|3rd)\b|\+`)

// sold is a number of shares that the clause of a sale has, read as the size of the entry; the rest, read
// as the price at which the entry rests.
func (d *doubt) sold(m *match) string {
	clause := d.f.text[strings.LastIndexAny(d.f.text[:m.from], ",;.\n")+1 : m.from]
	switch {
	case m.pattern.field == "size" && m.said["shares"] != "" && soldPart.MatchString(clause) && !buysMore.MatchString(clause):
		return "a part is sold in a clause of its own: \"sell 10 shares at 60c\""
	case m.pattern.field == "size" && m.said["shares"] != "" && keepsSome.MatchString(clause):
		return "how many are bought, or how many are kept? say \"20 shares\", or \"sell half at 60c\""
	case m.pattern.field == "order" && restAt.MatchString(d.f.text[m.from:m.to]) && slices.ContainsFunc(d.s.Then, func(o strategy.Then) bool { return o.Do == strategy.Sell }):
		return "is the rest sold there, or does the entry rest there? say \"sell the rest at 60c\" or \"bid 40c for Up\""
	case strings.HasPrefix(m.pattern.field, "order.cancel_after") && ofLength.MatchString(d.f.text[m.from:m.to]):
		return "when is it cancelled? say \"cancel after 2 minutes\""
	}
	return ""
}

var (
	keepsSome = lazy.Compile(`\b(?:keep|hold|leave|i (?:already )?(?:own|have|hold|got))(?: back)?\s*$`)
	restAt    = lazy.Compile(`^[^a-z0-9]*rest (?:@|at) ?`)
	ofLength  = lazy.Compile(`^[^a-z0-9]*(?:5|15) ?(?:m|mins?|minutes?)\b|^[^a-z0-9]*(?:[14] ?h|hour)`)
)

// sees is an order that somebody else has, "if someone bids 40c for Up", or one with a second price or a
// number of nothing: "bid 45c on Up for 60c".
func (d *doubt) sees(m *match) string {
	if m.pattern.field == "order" && forPrice.MatchString(d.f.text[m.to:]) {
		return "what is this price or number of? say \"$20 per trade\", or \"sell at 60c\""
	}
	if m.pattern.field == "size" && atATime.MatchString(d.f.text[m.to:]) {
		return "how often, and up to how many? say \"20 shares\", and further ones each: \"add another 20 shares at 30c\""
	}
	if m.pattern.field == "order" && seen.MatchString(lastOf(d.f.text[:m.from])) {
		return "a bid of yours, or one that is seen? say \"bid 40c for Up\" or \"when its bid is at least 40c\""
	}
	return ""
}

// atATime is behind a number of shares that is bought more than once.
var atATime = lazy.Compile(`^(?: at)? a time\b`)

// forPrice is a price or a number behind an order, with its token.
var forPrice = lazy.Compile(`^ ?(?:(?:the )?(?:ups?|downs?))? for \.?\d+(?:\.\d+)? ?(?:c|cents?|¢)?(?:\s*$|[.,;\n]\D)`)

// seen is before an order whose it is, where it is none of ours.
var seen = lazy.Compile(`\b(?:someone|somebody|anyone|the book|they|others|people|there's|there is|i see|you see)(?: [a-z']+){0,2} (?:an? )?$|\b(?:there's|there is|i see) an? $`)
