package orders

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/ladderback/ladderback/parser/lazy"
	"github.com/ladderback/ladderback/parser/orders/kinds"
	"github.com/ladderback/ladderback/parser/orders/sift"
	"github.com/ladderback/ladderback/strategy"
)

// Reader reads the conditions of a list in words, by the grammar, for a strategy on
// a market and side: "when its spread is above 6c and Down's bid is below 20c", each
// with its token as the entry of that strategy names it. ok is false where it is anything
// else than a list of conditions that must all hold.
type Reader func(words string, on strategy.MarketSpec, side strategy.Side) (list []strategy.Condition, ok bool)

// Found is what a prompt says of orders.
type Found struct {
	// Rest is the prompt without that: as many code points, at the same places.
	Rest string
	// Spans are the phrases, in the order of the prompt, with the fields they set.
	Spans   []strategy.Span
	matches []match
	read    Reader
	named   bool // headings are looked for
	text    string
	reaches []reach                           // by place, what matches there
	passed  sift.Passed                       // what does anywhere
	before  map[*past][]bool                  // by place, whether that stands before it; nil: not looked for
	reads   map[question][]strategy.Condition // what was read; nil: these are no conditions
	ends    map[int]bool                      // by place, whether a clause ends there
	conds   map[string]bool                   // by words, whether they are conditions
	values  map[[2]string]bool                // by kind and words, whether they are a value
	asked   int                               // bytes that were read to tell that
	steps   int
}

// match is a phrase with its place in code points.
type match struct {
	from, to int
	pattern  *pattern
	said     map[string]string // by the names of slots
	kept     [][2]int          // places of what stays in what the grammar reads
	loose    bool              // some of its conditions may be the entry's
}

// Find looks for phrases of orders, named also for headings that only name what is said
// elsewhere; nil: there are none. One of a prompt that is [Found.Over] has a span, the whole
// prompt, and nothing else.
func Find(prompt string, named bool, read Reader) *Found {
	if f := find(prompt, named, read); f.Over() || len(f.matches) > 0 {
		return f
	}
	return nil
}

func find(prompt string, named bool, read Reader) *Found {
	text := plain(prompt)
	f := &Found{read: read, named: named, text: text, before: map[*past][]bool{}, reads: map[question][]strategy.Condition{}, ends: map[int]bool{}, conds: map[string]bool{}, values: map[[2]string]bool{}}
	rest := []rune(prompt)
	if named && !f.stands(topical, len(text)) {
		return f
	}
	f.reachAll()
	for at := 0; at < len(text) && !f.Over(); {
		m, ok := f.longest(at)
		if !ok {
			m, ok = f.heading(at)
		}
		if !ok {
			at++
			continue
		}
		f.blank(&m, rest)
		at = m.to
		for text[m.to-1] == ' ' {
			m.to--
		}
		f.matches = append(f.matches, m)
	}
	all := []rune(prompt)
	if f.Over() {
		f.Spans = []strategy.Span{{End: len(all), Text: prompt}}
		return f
	}
	f.Rest = string(rest)
	for _, m := range f.matches {
		f.Spans = append(f.Spans, strategy.Span{Start: m.from, End: m.to, Text: string(all[m.from:m.to]), Field: m.pattern.field})
	}
	return f
}

// Late reports whether some phrase is of those that are tried late: one that only names what is said
// elsewhere, or one of what the grammar may read itself.
func (f *Found) Late() bool {
	return f != nil && slices.ContainsFunc(f.matches, func(m match) bool { return m.pattern.late || m.pattern.topic != nil })
}

// plain is a prompt with one byte for each code point: lower case, signs as their
// plainest kin, anything else a mark that no phrase has.
func plain(prompt string) string {
	var b strings.Builder
	for _, r := range prompt {
		switch {
		case r == '¢':
			r = 'c'
		case r == '’' || r == '‘':
			r = '\''
		case r == '–' || r == '—' || r == '−' || r == '‑':
			r = '-'
		case r == '\u00a0' || r == '\t' || r == '_':
			r = ' '
		case r > unicode.MaxASCII || r < ' ' && r != '\n':
			r = '~'
		}
		b.WriteByte(byte(unicode.ToLower(r)))
	}
	return dotted.ReplaceAllString(dotted.ReplaceAllString(b.String(), "$1 $2"), "$1 $2")
}

// dotted is a key within another: "kelly.fraction", "size.kelly.fraction".
var dotted = lazy.Compile(`\b(kelly|bankroll|again|order|size)\.([a-z])`)

var (
	// undone is a value behind a phrase as a key, or an answer, which takes it back: "post only: no", "30 shares? no".
	undone = lazy.Compile(`^\s*(?:[:=?]|->|=>)\s*(?:no|nah|not|none|nothing|never|nope|n|false|off|disabled)\b|^\s*(?:[:=?]|->|=>)\s*0(?:[\s,;]|$)`)
	// upBy is a gain behind a sale, not a token.
	upBy = lazy.Compile(`^ (?:up|down)(?: by)? ` + slots["x"].exp)
	// ofBid is what makes a limit before it one of a purchase.
	ofBid = lazy.Compile(`^ (?:buy|bid|order|for|on|up|down)\b`)
	// counted is a number at the end of a phrase that counts something else than cents: "limit 36c, 30 bucks".
	counted = lazy.Compile(`^\d (?:bucks?|dollars?|usdc?|shares?|contracts?|markets?|rounds?|trades?|entries|times|seconds?|secs?|minutes?|mins?|hours?)\b`)
	// clauseEnds is what stands behind the end of one.
	clauseEnds = lazy.Compile(`^\s*(?:$|[,;&!?()\n|/{}\[\]<>]|\.(?:\s|$)|-\s|:\s|=>|->|~|(?:and|n|um|uh|then|but|otherwise|else|also|please|hold|sell|dump|exit|get out|take profit|target|tp|stop|sl|trail|cancel(?:s|led|ed)?|cxl|pull(?:ed)?|po|post[- ]only|maker|with (?:a |my )?(?:target|stop|tp|sl|take profit|trailing)|buy|bid|merge|re-?enter|limit|budget|bankroll|lfg|lol|lmao|fr|ngl|innit|plz|pls|thx|ty|thanks|cheers|mate|bro|fam|yeah|(?:with|on|from) (?:a |my )?(?:\$?\d[\d,.]*k? )?(?:bankroll|roll)|use|bet|stake|put|risk|starting|that's|this is|(?:a|the|my|our) bankroll|no more than|fair (?:value|price)|add|(?:to|until|till) (?:the )?(?:end|expiry|settlement)|sample|on|(?:for )?(?:` + coins + `)|rest (?:an?|the|my) (?:sell|sale) (?:of|for)|another (?:half|third|quarter)|` + amount + ` (?:shares|contracts) (?:at|when|if))\b|(?:ups?|downs?)(?:,| [^t\s])| ?[a-z]+(?:[<>]=?|(?: [a-z]+)?=)[a-z0-9.$+-]|with ` + slots["usd"].exp + `|` + expand(`{filled}\b`)[1:] + `|` + slots["usd"].exp + `)`)
	// ofBook is what makes an amount one of the book, not of an order.
	ofBook = lazy.Compile(`^ (?:resting )?(?:on|at|of) (?:the |its |each |either |either's |(?:up|down)(?:'s)? )*(?:best )?(?:bids?|asks?|offers?|book|sides?|depth|liquidity)\b`)
	// orAlso is another occasion of a cancel.
	orAlso = lazy.Compile(`^ (?:or|and) (?:after|at) |^,? or `)
	// barely is a price behind a word of a time.
	barely = lazy.Compile(`^(?:by|with|before|from|while) ` + slots["x"].exp)
	// halfOf is half of an hour, not of what is held.
	halfOf = lazy.Compile(`\b(?:half|quarter)(?: of)? \|an? `)
	// ledIn is what has led to them already.
	ledIn = lazy.Compile(`(?:\b(?:or|` + expand("{more}")[1:] + `)|\b(?:cancel|cxl|pull)[a-z ]*:) $`)
	// lead is what conditions of an order begin with: what is no part of them, or a word that is.
	lead = lazy.Compile(expand(`(?P<no>(?:in )?(?:{more}|on|when|:)[ :=] ?)?(?:{occasion})?`))
	// joins is what joins a clause to the one before it.
	joins = lazy.Compile(joining + `$`)
)

var (
	// bounds is the beginning of a clause that may be of the phrase behind it, not of
	// the entry: "in the last minute, sell half at 60c".
	bounds = lazy.Compile(`^\s*(?:(?:and|then|but|only|also) )*(?:if|when|once|whenever|while|unless|after|until|till|as soon as|in|within|during|before|at|on|by|halfway|past|from (?:minute|the)|(?:with )?(?:[a-z0-9.]+ ){1,5}(?:left|to go|remaining|in$))\b`)
	// onMarket is one that says of which market the entry is.
	onMarket = lazy.Compile(`^\s*on [a-z]+ (?:5 ?m|15 ?m|1 ?h|4 ?h|1 ?d|hourly|daily|(?:five|fifteen) min|(?:one|four) hour)[a-z]*\b`)
	// asks is the beginning of a question about what is then said.
	asks = lazy.Compile(`^\s*(?:and |but |so )*(?:if|when) (?:i|we|you) (?:were to )?(?:buy|bid|join|rest|quote|place|put|post|sit|use)\b`)
	// resting is what must hold where an order is sent.
	resting = lazy.Compile(`^\s*(?:and |but |only )*while\b`)
	// timed is the time in which an entry is sent.
	timed = lazy.Compile(`^ (?:only )?(?:in|within|during) (?:the )?(?:first|last|final|opening|closing) `)
	// ownBounds is a clause that is a purchase, whose bounds are its own, or that bounds nothing.
	ownBounds = lazy.Compile(`\b(?:buy|grab|scoop|bid)\b.*\b(?:ups?|downs?|yes|favou?rite|underdog|leader)\b|^\s*(?:from|at) the (?:start|open|opening|beginning|bell)\s*$`)
	// timeLeft is a clause that says what time is left; spent is what more may be bought or sold beside.
	timeLeft = lazy.Compile(`\b(?:left|to go|remaining) *$`)
	spent    = lazy.Compile(sales + `|\$|\b(?:dollars?|bucks|usd|stop|sl|add|another|more shares|hedge|then)\b`)
	// whenever is what an entry, whatever its size, waits for.
	whenever = lazy.Compile(`^ (?:if|when|once|whenever|while) `)
	// filled is what comes after an order, whenever that is.
	filled = lazy.Compile(`^\s*,?\s*` + expand(`(?:{filled}|after (?:the )?entry)\b`)[1:])
	// bounded is the beginning of one that may be of the phrase before it.
	bounded = lazy.Compile(`^\s*,\s*(?:(?:and|but|only|not|never|except|excluding) )*(?:if|when|once|whenever|while|unless|after|until|till|as soon as|in|within|during|before)\b`)
)

// isBound reports whether a clause may be of the phrase of a pattern behind it: what an order
// rests with is no occasion of its end after a time.
func (p *pattern) isBound(clause string) bool {
	clause = onMarket.ReplaceAllString(clause, "")
	return bounds.MatchString(clause) && !filled.MatchString(clause) && !asks.MatchString(clause) && (p.field != "order.cancel_after_seconds" || !resting.MatchString(clause))
}

// clauseBefore is the clause that ends with a text.
func clauseBefore(text string) string {
	joint := joins.FindString(lastOf(text))
	if strings.HasPrefix(strings.TrimLeft(joint, " "), "\n") {
		return "" // another line
	}
	text = strings.TrimRight(strings.TrimSuffix(text, joint), " ,:")
	return text[strings.LastIndexAny(text, ",;.:\n")+1:]
}

// longest returns the longest phrase that begins at a place.
func (f *Found) longest(at int) (best match, ok bool) {
	if !f.begins(at) || strings.HasSuffix(f.text[:at], "re-") { // "re-enter up to 3 times"
		return match{}, false
	}
	all, may := expressions(), f.reaches[at]
	if may.Passed == (sift.Passed{}) || f.goesOn(at) {
		return match{}, false
	}
	var tried *pattern
	for exp := range may.All() {
		p := all.patterns[exp]
		if p == tried {
			continue
		}
		tried = p
		if m, fits := f.matchOf(p, at, may); fits && m.to > best.to {
			best, ok = m, true
		}
	}
	return best, ok
}

// goesOn reports whether what begins at a place belongs to the words before it.
func (f *Found) goesOn(at int) bool {
	c := f.text[at]
	return f.stands(bound, at) || f.stands(excepted, at) || f.stands(keyed, at) || (c == '.' || c >= '0' && c <= '9') && f.stands(numbered, at)
}

// reach are expressions of the table that may match at a place, and the text that any does.
type reach struct {
	sift.Passed
	at   int
	text string
}

// reachAll finds what may match at each place at which a phrase or a part of one may begin.
func (f *Found) reachAll() {
	way := expressions().With(within(f.text, f.named))
	f.reaches = make([]reach, len(f.text))
	for at := range f.reaches {
		if f.begins(at) {
			may, steps := way.From(f.text[at:])
			f.steps += steps
			f.reaches[at] = reach{may, at, f.text[at:min(at+steps, len(f.text))]}
			f.passed.Join(may)
		}
	}
}

// begins reports whether a word or a sign begins at a place.
func (f *Found) begins(at int) bool {
	c := f.text[at]
	return c != ' ' && !(at > 0 && isWord(c) && isWord(f.text[at-1]))
}

// stands reports whether that stands before a place; nil: whatever does.
func (f *Found) stands(what *past, at int) bool {
	if f.before[what] == nil && what != nil {
		f.before[what] = what.sieve().UpTo(f.text)
		f.steps += len(f.text)
	}
	return what == nil || f.before[what][at]
}

func isWord(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '\'' }

// matchOf returns the phrase of a pattern at a place.
func (f *Found) matchOf(p *pattern, at int, may reach) (match, bool) {
	if p.parts != nil {
		if p.lacks(&f.passed) {
			return match{}, false
		}
		return f.bagOf(p, at, may)
	}
	m := match{from: at, to: at, pattern: p, said: map[string]string{}}
	switch {
	case !f.takes(&m, p.exp, may.text):
		return match{}, false
	case !f.fits(p, at, m.to) || !f.valued(&m) || p.open && saleIn.MatchString(m.said["keep"]):
		return match{}, false
	case p.conds:
		return f.withConds(m)
	}
	return m, m.said["conds"] == "" || m.pairs(m.said["conds"]) && f.areConds(m.said["conds"])
}

// takes lets a phrase take the words of an expression behind it, with its slots.
func (f *Found) takes(m *match, exp *expression, text string) bool {
	f.steps += len(text)
	place := exp.compiled().FindStringSubmatchIndex(text)
	if place == nil {
		return false
	}
	to := m.to + place[1]
	if to < len(f.text) && isWord(f.text[to]) && isWord(f.text[to-1]) && !m.pattern.open {
		return false
	}
	for i, name := range exp.compiled().SubexpNames() {
		if name != "" && place[2*i] >= 0 {
			m.said[name] = text[place[2*i]:place[2*i+1]]
			if name == "keep" {
				m.kept = append(m.kept, [2]int{m.to + place[2*i], m.to + place[2*i+1]})
			}
		}
	}
	m.to = to
	return true
}

// between is what may stand between parts of a phrase: no semicolon and no dash with spaces, which
// divide a list.
var between = lazy.Compile(`^(?:[ ,:?=>→]|->|-\b)*(?:(?:and|n|then|but|also|please|i'd|i'll|i'm|im|i am|i|we|it|want|to|with|just|can|may|should|will|would|like)\b[ ,]*)*`)

// bagOf returns the phrase of parts that begins at a place, the longest that fits.
func (f *Found) bagOf(p *pattern, at int, may reach) (best match, ok bool) {
	m := match{from: at, to: at, pattern: p, said: map[string]string{}}
	done, needs, text := make([]bool, len(p.parts)), p.needs, f.text
	for from := at; ; may = f.reaches[from] {
		next, part := f.partOf(&m, done, may)
		if part < 0 {
			return best, ok
		}
		maps.Copy(next.said, m.said)
		next.kept = append(next.kept, m.kept...)
		m, done[part] = next, true
		if part < p.needs {
			needs--
		}
		if needs == 0 && f.fits(p, at, m.to) {
			best, ok = m, true
		}
		if from = m.to + len(between.FindString(text[m.to:])); from >= len(text) || isWord(text[from-1]) {
			return best, ok
		}
	}
}

// partOf returns the longest part that a phrase goes on with at the place of a reach, of those
// that it has not; -1 for none.
func (f *Found) partOf(m *match, done []bool, may reach) (next match, part int) {
	next, part = *m, -1
	for i, exp := range m.pattern.parts {
		one := match{from: m.from, to: may.at, pattern: m.pattern, said: map[string]string{}}
		if !done[i] && may.Has(m.pattern.first+i) && f.takes(&one, exp, may.text) && one.to > next.to && f.valued(&one) && !(may.at == m.from && f.isTime(&one)) {
			next, part = one, i
		}
	}
	return next, part
}

// isTime reports whether a pause between entries that is said first may be a time of what stands before it:
// "sell after 90 seconds, re-enter up to 3 times".
func (f *Found) isTime(m *match) bool {
	return m.pattern.field == "again" && m.said["dur"]+m.said["dur2"] != "" && !f.stands(clauseStart, m.from) && !pauses.MatchString(f.text[m.from:m.to])
}

// pauses are words of a time between two things.
var pauses = lazy.Compile(`\b(?:wait|waiting|pause|chill|stand aside|cool-?down|cool down|apart|between|gap|delay|each time|every time)\b`)

// fits reports whether what stands around [from, to) lets it be a phrase of a pattern.
func (f *Found) fits(p *pattern, from, to int) bool {
	text := f.text
	switch {
	case !f.follows(p, from) || undone.MatchString(text[to:]) || p.cuts(text, to) || f.shared(p, from, to):
		return false
	case p.open:
		return to == len(text) || !isWord(text[to]) || !isWord(text[to-1])
	}
	return p.conds || f.isEnd(to) || p.goesOn(text[to:])
}

// cuts reports whether what stands behind a phrase of a pattern is of its last word.
func (p *pattern) cuts(text string, to int) bool {
	return p.field == "then" && upBy.MatchString(text[to:]) || strings.HasSuffix(text[:to], "limit") && ofBid.MatchString(text[to:]) ||
		p.open && p.field == "order" && counted.MatchString(text[to-1:])
}

// goesOn reports whether a phrase of a pattern may stand before what follows in its clause.
func (p *pattern) goesOn(text string) bool {
	return (p.field == "order" || p.field == "order.post_only") && timed.MatchString(text) || p.field == "size" && whenever.MatchString(text) || p.field == "order.cancel_after_seconds" && orAlso.MatchString(text)
}

// shared reports whether a condition beside [from, to) may be of that phrase, not of the
// entry: "in the last minute, sell half at 60c".
func (f *Found) shared(p *pattern, from, to int) bool {
	if p.alone() || f.joins(p, from) {
		return false
	}
	if bounded.MatchString(f.text[to:]) && !p.own() && !filled.MatchString(f.text[to:]) {
		return true
	}
	if p.field == "exit.rest_take_profit" || p.field == "exit.exit_before_seconds" { // of a target that stays, and of a time, the grammar tells
		return false
	}
	clause := clauseBefore(f.text[:from])
	if p.field == "order.cancel_after_seconds" && timed.MatchString(" "+strings.TrimLeft(clause, " ")) && f.rests(from) {
		return false // "bid 30c for Up, in the last 2 minutes, cancel after 20 seconds"
	}
	return !p.besides(clause, f.text[:from]) && p.isBound(clause) && !(p.behind == partBefore && partSold().MatchString(clause)) // or it is of what is sold there
}

// besides reports whether a clause before a phrase is of the entry whatever that phrase says: "in the first
// minute buy Up below 40c, 20 shares", "3 minutes or more left, 20 shares".
func (p *pattern) besides(clause, before string) bool {
	return (p.field == "size" || p.field == "exit.hold_to_expiry") && ownBounds.MatchString(clause) ||
		p.field == "size" && timeLeft.MatchString(clause) && !spent.MatchString(before)
}

// joins reports whether a phrase stands straight behind another, which has its conditions as this one
// has, or is merged whenever it is bought.
func (f *Found) joins(p *pattern, from int) bool {
	n := len(f.matches)
	if n == 0 {
		return false
	}
	last := &f.matches[n-1]
	switch between := strings.Trim(f.text[last.to:from], " ,"); {
	case p.field == "merge":
		return between == "" || between == "and"
	default:
		return p.own() && last.pattern.own() && between == "and"
	}
}

// alone reports whether no condition beside a phrase of a pattern is of that phrase.
func (p *pattern) alone() bool {
	switch p.field {
	case "order", "order.post_only":
		return true
	case "again":
		return p.open
	}
	return p.topic != nil || strings.HasPrefix(p.field, "bankroll.") || strings.HasPrefix(p.put, "buy")
}

// rests reports whether it is said before a place, in the same sentence, where an entry rests.
func (f *Found) rests(at int) bool {
	n := len(f.matches)
	return n > 0 && f.matches[n-1].pattern.field == "order" && sentenceEnd.FindStringIndex(f.text[f.matches[n-1].to:at]) == nil
}

// partSold finds a sale of a part.
var partSold = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b` + expand("{sells}{part}")[1:]) })

// own reports whether the conditions of a phrase stand before what is done.
func (p *pattern) own() bool {
	return p.exp != nil && !p.conds && strings.Contains(p.exp.pattern, "(?P<conds>")
}

// notBehind is what no phrase that sets a field stands behind.
var notBehind = map[string]*past{"order": nounBefore, "order.post_only": soldBefore, "then": bothBefore}

// ofSales is what phrases that may be of a sale before them stand behind.
var ofSales = map[*past]bool{nil: true, partBefore: true, partsBefore: true, soldsBefore: true, exitBefore: true, clauseStart: true}

// follows reports whether a phrase of a pattern may stand at a place: what it needs before
// it, no negation, and for a purchase no sale that it may be of.
func (f *Found) follows(p *pattern, at int) bool {
	switch {
	case f.stands(denied, at) || !f.stands(p.behind, at) || p.late && f.stands(onlyBefore, at):
		return false
	case notBehind[p.field] != nil && f.stands(notBehind[p.field], at):
		return false
	case p.field == "order" && (p.behind == sentenceBefore || p.behind == clauseStart):
		return !f.stands(partBefore, at) // "sell half at 60c. Rest at 70c"
	case p.behind == amountBefore:
		return !f.stands(otherBefore, at)
	case p.behind == stepBefore:
		return !f.stands(sentenceSold, at)
	case p.field == "then":
		return ofSales[p.behind] || !f.stands(saleBefore, at)
	}
	return p.field != "order" || !f.stands(ofSale, at)
}

// lastOf is the end of a text, from a word on, that is looked at for what stands right
// before a place.
func lastOf(text string) string {
	const most = 64
	if len(text) <= most {
		return text
	}
	text = text[len(text)-most:]
	return text[strings.IndexByte(text, ' ')+1:]
}

// withConds lets a phrase go on with conditions, as far as there are any: to the end of a
// clause of its sentence, before a word of what is done.
func (f *Found) withConds(m match) (match, bool) {
	if !f.led(&m) {
		return match{}, false
	}
	text := f.text[m.to:min(len(f.text), m.to+mostConds)]
	if end := sentenceEnd.FindStringIndex(text); end != nil {
		text = text[:end[0]]
	}
	if end := listed.FindStringIndex(text); end != nil {
		text = text[:end[0]]
	}
	var ends []int
	for to := 1; to <= len(text) && len(ends) < mostEnds; to++ {
		if text[to-1] != ' ' && text[to-1] != ',' && (f.isEnd(m.to+to) || strings.HasPrefix(m.pattern.field, "order.cancel") && orAlso.MatchString(text[to:])) {
			ends = append(ends, to)
		}
	}
	for _, to := range slices.Backward(ends) {
		if words := text[:to]; m.pairs(words) && f.areConds(unjoined(words)) && f.areConds(words) {
			m.said["conds"] = words
			m.loose = loosely(words)
			m.to += to
			return m, true
		}
	}
	return match{}, false
}

// led reports whether conditions may begin behind a phrase, and lets it take what leads to them.
func (f *Found) led(m *match) bool {
	before := f.text[m.from:m.to]
	at := lead.FindStringSubmatchIndex(f.text[m.to:])
	if at[1] == 0 && !ledIn.MatchString(before) || barely.MatchString(f.text[m.to:]) || halfOf.MatchString(before+"|"+f.text[m.to:m.to+at[1]]) {
		return false
	}
	m.to += max(at[3], 0)
	return true
}

// isEnd reports whether a clause ends at a place.
func (f *Found) isEnd(at int) bool {
	is, known := f.ends[at]
	if !known {
		f.steps++
		within := at > 0 && at < len(f.text) && isWord(f.text[at-1]) && isWord(f.text[at])
		is = !within && clauseEnds.MatchString(f.text[at:]) && !ofBook.MatchString(f.text[at:])
		f.ends[at] = is
	}
	return is
}

const (
	mostConds = 400  // bytes of the conditions of one phrase
	mostEnds  = 16   // ends of clauses that are tried for it, the nearest
	mostAsked = 1500 // bytes that are read for conditions before a prompt is given up
	perAsked  = 40   // bytes that each time counts for besides
	mostFound = 64   // phrases
)

// Over reports whether a prompt has more of orders than a strategy can have. It was not read
// to the end.
func (f *Found) Over() bool { return f != nil && (f.asked > mostAsked || len(f.matches) > mostFound) }

// unjoined are words without what joins more to them.
func unjoined(words string) string {
	words = strings.TrimRight(words, " ,")
	if before, is := strings.CutSuffix(words, " and"); is {
		return strings.TrimRight(before, " ,")
	}
	return words
}

// sentenceEnd is what no condition goes beyond.
var sentenceEnd = lazy.Compile(`[;\n]|\.(?:[ \n]|$)|` + acts.String())

// listed divides a list, in which conditions behind an order are the entry's.
var listed = lazy.Compile(` [-|/] `)

// afterComma is a word behind one, and joined those with which more is said of the same order.
var (
	afterComma = lazy.Compile(`, +([a-z0-9.$]+)`)
	joined     = map[string]bool{"and": true, "or": true, "but": true, "if": true, "when": true, "while": true, "unless": true, "once": true, "cancelled": true}
)

// loosely reports whether some of the conditions of an order may be the entry's, behind a comma.
func loosely(words string) bool {
	return slices.ContainsFunc(afterComma.FindAllStringSubmatch(words, -1), func(m []string) bool { return !joined[m[1]] })
}

// pairs reports whether a buy of the other token without a word that announces it says
// that it makes pairs.
func (m *match) pairs(words string) bool {
	_, bare := m.said["pair"]
	return !bare || m.said["match"] != "" || pairing.MatchString(words)
}

var pairing = lazy.Compile(`\b(?:pair|combo|set|both|together|combined)\b`)

// areConds reports whether words are conditions, for a side or for either.
func (f *Found) areConds(words string) bool {
	are, known := f.conds[words]
	if !known && !f.Over() {
		f.asked += perAsked + len(words)
		f.steps += len(words)
		are = slices.ContainsFunc([]strategy.Side{strategy.Up, strategy.Either}, func(side strategy.Side) bool {
			_, err := f.conditions(words, strategy.MarketSpec{Coin: "BTC", Type: "1d"}, side)
			return err == nil
		})
		f.conds[words] = are
	}
	return are
}

// Limit is the price at which the entry rests, nil where none is said.
func (f *Found) Limit() *strategy.Number {
	for i := range f.matches {
		if m := &f.matches[i]; m.pattern.field == "order" && m.said["p"] != "" {
			return m.number("p").Ptr()
		}
	}
	return nil
}

// Keeps reports whether a strategy is all that the words of orders in a prompt name.
func Keeps(prompt string, c strategy.Canonical) bool {
	s := c.Strategy()
	return kinds.Keeps(plain(prompt), &s)
}
