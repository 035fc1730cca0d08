package orders

import (
	"regexp"
	"strings"

	"github.com/ladderback/ladderback/strategy"
)

// What stands around a phrase and makes it no rule: it is told of others or of before, asked,
// doubted, struck out, taken back or corrected.
var (
	// tells is what a sentence begins with that tells of what it says.
	tells = regexp.MustCompile(`^[^a-z0-9]*(?:(?:and|but|so|well|ok|okay|also)[ ,]+)*(?:(?:(?:some|most|other|many) (?:people|folks|traders|of us|bots)|others|people|traders|folks|everyone|everybody|nobody|someone|he|she|they|his|her|their|my (?:friend|brother|buddy|dad|mate|uncle)(?:'s)?|the (?:exchange|market maker|book|competition))\b|[a-z]+'s plan\b|` +
		`(?:i|we|it|you|bet you)(?:'d| would| could| might| may)? (?:used to|hate|hated|wonder|doubt|could|might|added|sold|cancelled|canceled|bought|merged|re-?entered|tried|bet)\b|bet you|there(?:'s| is| are)\b|(?:it's|it is|that's) (?:a mistake|a bad idea|silly|bad|wrong|risky|stupid)\b|too (?:risky|late|bold)\b|i (?:forgot|considered|thought of)\b|who would\b)`)
	// questions ask about what is done, not for it.
	questions = regexp.MustCompile(`^[^a-z0-9]*(?:(?:and|but|so)[ ,]+)*(?:should|shall|does|did|do|is|are|was|were|must|may|might) (?:i|we|it|they|he|she|this|that|there)\b|^[^a-z0-9]*(?:can|could|will|would) (?:it|they|he|she|this|that)\b|\b(?:should|shall|do|did) i\b`)
	// asksFor is one for it all the same.
	asksFor = regexp.MustCompile(`\bis (?:it|there|this) (?:possible|a way|ok|okay|fine|any way)\b|\bwould (?:it|this|that) (?:work|be)\b|\bdoes (?:it|this) work\b`)
	// strikes are what stands before a phrase that is not done, or not always.
	strikes = regexp.MustCompile(`(?:\b(?:maybe|perhaps|possibly|probably|sometimes|usually|often|rarely|seldom|hardly|barely|occasionally|bet you'd)|\b(?:bad|versus|vs|compare|next version|worse|instead of):|//|\[ \]|~~)[ a-z]{0,8}$`)
	// takes are words that take back what stands before them, or make it vague.
	takes = regexp.MustCompile(`^[^a-z0-9]*(?:(?:just |only )?kidding|(?:scratch|scrap|forget|never ?mind)(?: (?:that|it|this))?\s*(?:$|[.,;!])|or (?:maybe )?not\b|on second thoughts?|(?:wrong|nope|no|void|off|null|pending)\s*(?:$|[.!\n])|(?:just|only) (?:the )?one\b|(?:the )?first one only|not the (?:last|first|second)|but only once|whichever (?:comes |is )?first|use market orders|(?:says|said|according to)\b|or let|let it (?:rest|stand|be)|keep (?:it(?: all)?|everything|all(?: of it)?)\s*[.!]?\s*$|(?:all of it|everything)\s*[.!]?\s*$|that (?:was|is) wrong|maybe\b|sometimes\b|perhaps\b|usually\b|rejected|removed|discarded|deprecated|dropped|tbd)`)
	// corrects is a value that replaces one before it.
	corrects = regexp.MustCompile(`^[\s,.(-]*(?:no|nope|nah|actually|wait|sorry|oops|i mean|make (?:that|it)|or rather|rather|correction|better)\b[,:]?(?: (?:make (?:that|it)|i mean|actually))?,? (?:\$?\.?\d|half|one|two|three|four|five|ten|twenty|thirty|forty|fifty|sixty|a (?:half|third|quarter|tenth|twentieth))`)
	// steps are what happens after what a phrase waits for.
	steps = regexp.MustCompile(`^,? ?(?:and |but )?(?:then )?(?:holds|turns|comes back|stays|bounces|recovers|back (?:above|below|over|under))\b|^,? ?then (?:above|below|over|under|back)\b`)
	// instead is what is done when an order is cancelled.
	instead = regexp.MustCompile(`^[\s,.;]*(?:(?:and|then)[\s,]+)*(?:market|take|replace|improve|chase|retry|repeat)\s*(?:it\s*)?(?:$|[.,;!\n])`)
	// headed is a line that ends with a colon, before lines of a list.
	headed = regexp.MustCompile(`(?:^|\n)([^\n:]*):[ ]*\n[^:]*$`)
	// voids are headings under which nothing is a rule, or is one at some time alone.
	voids = regexp.MustCompile(`\b(?:rejected|discarded|scrapped|removed|deprecated|dropped|wish ?list|to ?do|to discuss|later|questions?|examples?|ideas?|option [b-z]|alternatives?|competition|variants?|old|not used|unused)\b|'s plan\b|\b(?:if|when|while|spread|first|last|after|before|until|minutes?|seconds?)\b`)
)

// aside is a phrase with what stands around it.
type aside struct {
	m        *match
	sentence string // up to the end of the phrase
	clause   string // of that, what stands behind its last comma
	before   string // of that, what stands before the phrase
	behind   string // all that stands behind it
	next     string // the sentences behind it
	asked    bool   // the sentence ends with a question mark
	heading  string // the line that heads its list, "" for none
}

// asides are what makes a phrase no rule, and what is told of it.
var asides = []struct {
	is  func(a *aside) bool
	why string
}{
	{func(a *aside) bool {
		return tells.MatchString(a.sentence) || tells.MatchString(a.clause) || a.asked && questions.MatchString(a.sentence) && !asksFor.MatchString(a.sentence) || a.asked && strings.TrimSpace(a.before) == ""
	}, "a rule of its own, or told of others or of before, or asked? say it by itself, such as \"sell half at 60c\", or leave it out"},
	{func(a *aside) bool {
		return strikes.MatchString(a.before) || takes.MatchString(a.behind) || takes.MatchString(a.next)
	}, "is this done or not? say it by itself, or leave it out"},
	{func(a *aside) bool { return corrects.MatchString(a.behind) }, "two values; give one"},
	{func(a *aside) bool { return steps.MatchString(a.behind) }, "one thing after another cannot be said: all conditions hold at one instant"},
	{func(a *aside) bool {
		return strings.HasPrefix(a.m.pattern.field, "order.cancel") && instead.MatchString(a.behind)
	}, "what comes instead of an order that is cancelled cannot be said, but \"re-enter after a cancelled entry\""},
	{func(a *aside) bool { return voids.MatchString(a.heading) }, "under this heading, is it done, and when? say it by itself, or leave it out"},
}

// asideOf is what stands around a phrase.
func (f *Found) asideOf(m *match) *aside {
	from := m.from
	for from > 0 && (!strings.ContainsRune(".;!?\n", rune(f.text[from-1])) || isDecimal(f.text[from-1:])) {
		from--
	}
	to := m.to - 1
	for to < len(f.text) && (!strings.ContainsRune(".;!?\n", rune(f.text[to])) || isDecimal(f.text[to:])) {
		to++
	}
	a := &aside{m: m, sentence: f.text[from:m.to], before: f.text[from:m.from], behind: f.text[m.to:], asked: to < len(f.text) && f.text[to] == '?'}
	a.clause = f.text[from+1+strings.LastIndexByte(a.before, ',') : m.to]
	if at := sentenceStop.FindStringIndex(a.behind); at != nil {
		a.next = a.behind[at[1]:]
	}
	if h := headed.FindStringSubmatch(f.text[:m.from]); h != nil {
		a.heading = h[1]
	}
	return a
}

// isDecimal reports whether a text begins with the point of a number.
func isDecimal(text string) bool {
	return len(text) > 1 && text[0] == '.' && text[1] >= '0' && text[1] <= '9'
}

// isTold reports what stands around a phrase that makes it no rule, "" for nothing.
func (f *Found) isTold(m *match) string {
	a := f.asideOf(m)
	for _, t := range asides {
		if t.is(a) {
			return t.why
		}
	}
	return ""
}

// told is a phrase that is no rule.
func (d *doubt) told() *Fault { return d.each(d.f.isTold) }

// besides is a condition straight behind what is done besides the entry, which may be of that.
func (d *doubt) besides() *Fault {
	return d.each(func(m *match) string {
		if m.pattern.field != "then" && m.pattern.field != "again" {
			return ""
		}
		if d.of("entry", m.to, len(d.f.text), func(s strategy.Span) bool { return strings.Trim(d.f.text[m.to:s.Start], " ") == "," }) == nil {
			return ""
		}
		return "is this a condition of this, or of the entry? say the entry's conditions before it"
	})
}

// relative are values of exits that are counted from the one before them, not from the entry.
var relative = regexp.MustCompile(`\blater$|\b(?:after that|after another|another|those|these)\b`)

// counted is an exit behind a further order that may be counted from it, or be of it alone.
func (d *doubt) counted() *Fault {
	return d.each(func(m *match) string {
		if m.pattern.field != "then" {
			return ""
		}
		of := d.of("exit.", m.from, len(d.f.text), func(s strategy.Span) bool {
			beside := !strings.ContainsAny(d.f.text[m.to:max(s.Start, m.to)], ".;\n") && stepped.MatchString(s.Text)
			lower := d.s.Exit.StopLoss != nil && m.said["x"] != "" && s.Field == "exit.stop_loss" && restOf.MatchString(d.f.text[min(m.to, s.End):s.End])
			each := eachOf.MatchString(d.f.text[s.Start:min(s.End+8, len(d.f.text))]) || strings.HasPrefix(d.clauseOf(&s), "each ")
			return each || beside || lower || relative.MatchString(strings.ToLower(s.Text)) || thatOf.MatchString(d.clauseOf(&s))
		})
		if of == nil {
			return ""
		}
		return "from the entry on, or from what stands before it? say its price, such as \"the rest at 70c\", or \"sell 5 minutes after entry\""
	})
}

// restOf is what is left at a price.
var restOf = regexp.MustCompile(`^[ ,.;]*(?:and |then )*(?:sell )?(?:the (?:rest|other half)|another (?:half|third|quarter)|a (?:half|third|quarter)) (?:at|@)`)

// eachOf is an exit of each of several purchases.
var eachOf = regexp.MustCompile(`\b(?:under|below|above|over|of|for) each\b`)

// stepped is a distance that may be one from the price before it.
var stepped = regexp.MustCompile(`(?i)\b(?:higher|lower|more)$`)

// thatOf is what is held, or what was bought last.
var thatOf = regexp.MustCompile(`\b(?:sell|exit|stop|target|dump|tp|sl)(?: for| on)? (?:that|those|these)\b`)

// ofEach are words of an amount for each of two tokens.
var ofEach = regexp.MustCompile(`(?i)\b(?:each|apiece|per side)\b`)

// ofOne is an amount for one of two bids.
var ofOne = regexp.MustCompile(`^ (?:on|for) (?:the )?(?:up|down)\b`)

// oneAmount is an amount that is said of one of two bids alone.
func (d *doubt) oneAmount() *Fault {
	if matches(d.s) && !quoted(d.s) {
		if at := d.of("budget", 0, len(d.f.text), func(s strategy.Span) bool { return ofEach.MatchString(s.Text) }); at != nil {
			return &Fault{*at, "as many as of the other token, or for so much? give one"}
		}
	}
	if !quoted(d.s) {
		return nil
	}
	if at := d.of("budget", 0, len(d.f.text), func(s strategy.Span) bool { return ofOne.MatchString(d.f.text[s.End:]) && d.rest[s.End] == ' ' }); at != nil {
		return &Fault{*at, "how much on each? say \"$20 each\", or an amount behind both"}
	}
	return nil
}
