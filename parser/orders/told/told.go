// Package told says of words what stands around them that makes them no rule.
package told

import (
	"strings"

	"github.com/ladderback/ladderback/parser/lazy"
)

// mends are words of a correction.
const mends = `(?:(?:um+|uh+|er+|hm+|ah|oh|well)[\s,:.]+)*(?:no|nope|nah|actually|wait|sorry|oops|whoops|i mean|i meant|or rather|rather|correction|better|edit|pardon|excuse me|hang on|hold on|(?:scratch|strike|change|correct) that(?: to)?|let me rephrase|let's|lets|my bad|(?:that|it) should be|should be|should have said|correct is|make (?:that|it)|on second thoughts?)\b`

// What stands around a phrase and makes it no rule: it is told of others or of before, asked,
// doubted, struck out, taken back or corrected.
var (
	// tells is what a sentence begins with that tells of what it says.
	tells = lazy.Compile(`^[^a-z0-9]*(?:(?:and|but|so|well|ok|okay|also)[ ,]+)*(?:(?:(?:some|most|other|many) (?:people|folks|traders|of us|bots)|others|people|traders|folks|everyone|everybody|nobody|someone|he|she|they|his|her|their|my (?:friend|brother|buddy|dad|mate|uncle)(?:'s)?|the (?:exchange|market maker|book|competition))\b|[a-z]+'s plan\b|` +
		`(?:i|we|it|you|bet you)(?:'d| would| could| might| may)? (?:used to|hate|hated|wonder|doubt|could|might|added|sold|cancelled|canceled|bought|merged|re-?entered|tried|bet)\b|bet you|there(?:'s| is| are)\b|(?:it's|it is|that's) (?:a mistake|a bad idea|silly|bad|wrong|risky|stupid)\b|too (?:risky|late|bold)\b|i (?:forgot|considered|thought of)\b|who would\b|(?:should|shall) (?:i|we)\b|would it be (?:better|wise|smart|good|worth)\b)`)
	// others are those who do what it says.
	others = lazy.Compile(`\b(?:people|others|traders|folks|everyone|everybody|someone|somebody|anyone|they|a (?:friend|bot|guy|mate|trader)|degens|whales|bots|makers|smart money|the (?:book|market|crowd)|one guy|(?:i|we) used to) (?:buy|sell|add|bid|hedge|cancel|merge|re-?enter|exit|join)s?\b`)
	// questions ask about what is done, not for it.
	questions = lazy.Compile(`^[^a-z0-9]*(?:(?:and|but|so)[ ,]+)*(?:should|shall|does|did|do|is|are|was|were|must|may|might) (?:i|we|it|they|he|she|this|that|there)\b|^[^a-z0-9]*(?:can|could|will|would) (?:it|they|he|she|this|that)\b|\b(?:should|shall|do|did) i\b`)
	// whatIf asks what something would do beside a strategy that is said before, with its price.
	whatIf = lazy.Compile(`^[^a-z0-9]*(?:(?:and|but|so)[ ,]+)*what (?:if|happens if|would happen if)\b`)
	priced = lazy.Compile(`\d ?c\b|\d ?¢|\bcents?\b|\.\d`)
	// asksFor is one for it all the same.
	asksFor = lazy.Compile(`\bis (?:it|there|this) (?:possible|a way|ok|okay|fine|any way)\b|\bwould (?:it|this|that) (?:work|be)\b|\bdoes (?:it|this) work\b`)
	// strikes are what stands before a phrase that is not done, or not always.
	strikes = lazy.Compile(`(?:\b(?:maybe|perhaps|possibly|probably|sometimes|usually|often|rarely|seldom|hardly|barely|occasionally|bet you'd|next time)|\b(?:bad|versus|vs|compare|next version|worse|instead of|rejected(?: idea)?|mistake|dropped|variant|plan b|option b|strategy (?:2|two|b)):|\b(?:otherwise|alternatively|or else),?|//|\[ \]|~~)[ a-z]{0,8}$`)
	// takes are words that take back what stands before them, or make it vague.
	takes = lazy.Compile(`^[^a-z0-9]*(?:(?:just |only )?kidding|(?:scratch|scrap|forget|never ?mind)(?: (?:that|it|this))?\s*(?:$|[.,;!])|or (?:maybe )?not\b|on second thoughts?|(?:wrong|nope|no|void|off|null|pending)\s*(?:$|[.!\n])|(?:just|only) (?:the )?one\b|(?:the )?first one only|not the (?:last|first|second)|but only (?:once|if|when|while|with|in|after|before)\b|whichever (?:comes |is )?first|use market orders|(?:says|said|according to)\b|or let|let it (?:rest|stand|be)|keep (?:it(?: all)?|everything|all(?: of it)?)\s*[.!]?\s*$|(?:all of it|everything)\s*[.!]?\s*$|that (?:was|is) wrong|maybe\b|sometimes\b|perhaps\b|usually\b|rejected|removed|discarded|deprecated|dropped|tbd)`)
	// corrects is a value that replaces one before it.
	corrects = lazy.Compile(`^[\s,.(-]*(?:` + mends + `[\s,:.]*)+(?:to |a |an )?(?:\$?\.?\d|half|one|two|three|four|five|ten|twenty|thirty|forty|fifty|sixty|quarter|third|tenth|twentieth|all|everything|expiry|when it|if it)`)
	// recants is another doing that replaces one before it.
	recants = lazy.Compile(`^[\s,.(—-]*(?:(?:no|nope|nah|actually|sorry|oops|rather|correction|better|edit|update|changed my mind|scratch that|i mean) ?[,.:!;—-]+|(?:no|oh|ah)[ ,]+(?:wait|please|sorry|actually|better)\b|(?:better|i mean|actually|rather) )(?:[\s,:.!—-]*(?:wait|please|better|actually|sorry)\b)*[\s,:.!—-]*(?:i |i'd |i would )?(?:under|below|over|above|after|before|only|add|sell|buy|pull|cancel|bid|rest|hold|merge|flip|hedge|re-?enter)\b`)
	// recanted is before a phrase that replaces an amount before it.
	recanted = lazy.Compile(`\d[^.;\n]*[,—-] ?(?:no|nope|nah|actually|sorry|oops|i mean)[ ,:]+$`)
	// turns is another token, or all, for what is done besides.
	turns = lazy.Compile(`^[\s,.(-]*(?:` + mends + `[\s,:.]*)+(?:(?:the )?(?:ups?|downs?)|everything|all(?: of it)?)\b`)
	// steps are what happens after what a phrase waits for.
	steps = lazy.Compile(`^,? ?(?:and |but )?(?:then )?(?:holds|turns|comes back|stays|bounces|recovers|back (?:above|below|over|under))\b|^,? ?then (?:above|below|over|under|back)\b`)
	// instead is what is done when an order is cancelled.
	instead = lazy.Compile(`^[\s,.;]*(?:(?:and|then)[\s,]+)*(?:market|take|replace|improve|chase|retry|repeat)\s*(?:it\s*)?(?:$|[.,;!\n])`)
	// headed is a line that ends with a colon, before lines of a list.
	headed = lazy.Compile(`(?:^|\n)([^\n:]*):[ ]*\n[^:]*$`)
	// voids are headings under which nothing is a rule, or is one at some time alone.
	voids = lazy.Compile(`\b(?:rejected|discarded|scrapped|removed|deprecated|dropped|wish ?list|to ?do|to discuss|later|questions?|examples?|ideas?|option [b-z]|alternatives?|competition|variants?|old|not used|unused)\b|'s plan\b|\b(?:if|when|while|spread|first|last|after|before|until|minutes?|seconds?)\b`)
)

// aside is a phrase with what stands around it.
type aside struct {
	field    string // that the phrase sets
	earlier  string // what stands before its sentence
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
		return tells.MatchString(a.sentence) || tells.MatchString(a.clause) || others.MatchString(a.clause) || a.asked && questions.MatchString(a.sentence) && !asksFor.MatchString(a.sentence) || a.asked && (strings.TrimSpace(a.before) == "" || whatIf.MatchString(a.sentence) && priced.MatchString(a.earlier))
	}, "a rule of its own, or told of others or of before, or asked? say it by itself, such as \"sell half at 60c\", or leave it out"},
	{func(a *aside) bool {
		return strikes.MatchString(a.before) || takes.MatchString(a.behind) || takes.MatchString(a.next)
	}, "is this done or not? say it by itself, or leave it out"},
	{func(a *aside) bool {
		return recanted.MatchString(a.before) || corrects.MatchString(a.behind) || recants.MatchString(a.behind) || a.field == "then" && turns.MatchString(a.behind)
	}, "two values; give one"},
	{func(a *aside) bool { return steps.MatchString(a.behind) }, "one thing after another cannot be said: all conditions hold at one instant"},
	{func(a *aside) bool {
		return strings.HasPrefix(a.field, "order.cancel") && instead.MatchString(a.behind)
	}, "what comes instead of an order that is cancelled cannot be said, but \"re-enter after a cancelled entry\""},
	{func(a *aside) bool { return voids.MatchString(a.heading) }, "under this heading, is it done, and when? say it by itself, or leave it out"},
}

// Why is why a phrase of a text, the bytes [from, to), is no rule by what stands around it, "" where it is
// one; field is the field of the strategy that it sets. The text is in lower case.
func Why(text string, from, to int, field string) string {
	a := around(text, from, to, field)
	for _, t := range asides {
		if t.is(a) {
			return t.why
		}
	}
	return ""
}

func around(text string, from, to int, field string) *aside {
	first := from
	for first > 0 && !ends(text, first-1) {
		first--
	}
	last := to - 1
	for last < len(text) && !ends(text, last) {
		last++
	}
	a := &aside{field: field, earlier: text[:first], sentence: text[first:to], before: text[first:from], behind: text[to:], asked: last < len(text) && text[last] == '?'}
	a.clause = text[first+1+strings.LastIndexByte(a.before, ',') : to]
	if at := stop.FindStringIndex(a.behind); at != nil {
		a.next = a.behind[at[1]:]
	}
	if h := headed.FindStringSubmatch(text[:from]); h != nil {
		a.heading = h[1]
	}
	return a
}

// stop ends a sentence.
var stop = lazy.Compile(`[;\n]|\.(?:\s|$)`)

// ends reports whether a sentence ends at a place: not at the point of a number.
func ends(text string, at int) bool {
	point := text[at] == '.' && at+1 < len(text) && text[at+1] >= '0' && text[at+1] <= '9'
	return strings.IndexByte(".;!?\n", text[at]) >= 0 && !point
}
