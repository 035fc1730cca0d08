package rules

import (
	"slices"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lazy"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/parser/rules/said"
)

// told is what a sentence with an exit or a condition begins with that tells of it, and does
// not say it: what others do, what was, what may be, what is another run's.
var told = lazy.Compile(`(?i)^(?:(?:and|but|so|well|ok|okay|now|also|yes|maybe|perhaps|actually)[ ,]+)*(?:` +
	`(?:everyone|everybody|nobody|no one|some(?: people| folks| traders| others| of us)?|people|most(?: people| traders| of them| folks)?|others|other people|traders|folks|pros|they|he|she|it (?:often )?sells|(?:you|one) (?:could|can|might|may)) ` +
	`|i (?:had|used to|got|was|sold|forgot|tried|regret|regretted|hate|hated|paid|failed|(?:would|could|should|might) ?(?:have|'ve))\b` +
	`|(?:i'm |i am )?(?:considering|thinking (?:about|of))\b|(?:i )?(?:might|may) |also (?:test|try|with)\b` +
	`|(?:my (?:friend|brother|buddy|dad|uncle|mate)|someone|a friend|bots|common (?:advice|mistake)|(?:conventional|common) wisdom|the (?:textbook|book)|myth|wrong|mistake|bad|sometimes|often|rarely|seldom|hardly|failing that|worst case|in theory|why|pointless|another idea|second test|i wish)\b` +
	`|(?:i|we)(?:'d| had|'ve| have)? (?:been|tested|remember|heard|read|saw|seen|noticed|could|hope|removed|deleted|dropped|gave up|miss|lack|fear|quit|stopped|doubt|sometimes|often|rarely|seldom|hardly)\b|i'm (?:told|supposed)\b|it's silly\b|(?:maybe|perhaps) (?:a |an )?(?:stop|target|tp|sl)\b|(?:my |the )?(?:stop|target) was\b` +
	`|how (?:would|might) (?:that|this|it) have (?:gone|done|worked)\b|(?:a (?:friend|bot|guy|mate|trader)|somebody|degens|whales|bots|makers|market makers|smart money|insiders|one guy|someone|would an?|would it) |(?:i'm|i am) done (?:buying|selling) ` +
	`|i (?:made|took|lost|gained|earned) (?:a |an )?\$?[.\d]|(?:made|took|earned|result was) (?:a |an )?[.\d]+ ?(?:c|cents?) (?:profit|loss|gain)|(?:result|results|outcome|that way|so) ?:? ?(?:i (?:make|win|lose) )?(?:a )?\$?[.\d]+ ?(?:c|cents?) (?:profit|loss|gain)|(?:that way |so )(?:i|you)(?: can| can't)? (?:win|lose) |(?:i|you) can't lose |i (?:win|lose) \.?\d|got (?:out|stopped)\b|was stopped\b|sold (?:mine )?at\b|used to\b` +
	`|(?:rejected|archive|ideas for later|wish ?list|(?:my )?mistakes|things i(?:'ve| have)? tried|what others do|questions|him|her|them|book says|not used|old rules|someday|alternative|alternatively|plan b|option [a-e]|variant(?: [a-e])?|backup|optional|todo|to do|tbd|old)\b|off ?:)`)

// asks is what a sentence begins with that asks of an exit, a condition or an amount, and does not ask for it.
var asks = lazy.Compile(`(?i)^(?:(?:and|but|so|well|ok|okay|now|also|or) )*(?:do (?:i|we|you) (?:need|think|want|have|even|really)|(?:does|could|will|would) (?:(?:an?|the|my) (?:stop|target|trail|exit|[$.\d])|selling |holding )|does (?:an?|the|my) |are (?:stops|targets) |what (?:does|do) (?:an?|the|my) |who |what good (?:is|are|does) |is it (?:dumb|smart|wise|stupid|crazy|silly|ok|okay|fine|bad|good|better|safer) to (?:use|have|set|put) |is [$]\d+ (?:a trade|per trade|each) (?:too|enough)|has anyone (?:used|tried|had)\b|any(?:one|body) (?:tried|used|using|ever) |should (?:the|i|my|it|we)|is (?:a|the) (?:stop|target|trailing|trail|spread)|is (?:an? |the |my )?\.?\d+ ?(?:c|cents?)\b|(?:to |would you )?hold (?:[a-z]+ )*or )`)

// usedTo is what somebody did before, or may do: "I used to bet $50".
var usedTo = lazy.Compile(`(?i)^(?:i|we|he|she|they) (?:used to|forgot to|might|tried to|used) (?:use |bet |risk |stake |put )?(?:an? )?(?:stop|target|trail|take|\$|\d)`)

// judged is what stands behind an exit or a condition that takes it back, or judges it.
var judged = lazy.Compile(`(?i)^\?\)|^(?:[-:(,=?#]|\.\.\.)? ?(?:never|nope|bad|danger|careful|off|removed|disabled|deleted|dropped|none|no longer|or none|or not|scrapped|deprecated|unused|inactive|n/a|draft|naah?|absolutely not|no way|useless|back then|sometimes|often|allegedly|supposedly|apparently|i doubt|tbd|or whatever|if you like|` +
	`at first\b|to begin with|is an option|(?:could|might|would|may) (?:work|help)|ruined|hurts|sucks|fails|failed|['"]? ?(?:he|she|they) (?:said|says|say)|` +
	`(?:is|are|was|were|would be|seems|looks|sounds) (?:(?:a bit|so|just|really|very|always|too) )?(?:off|gone|silly|wrong|dumb|bad|stupid|crazy|mad|pointless|useless|fine|ok|okay|good|expensive|early|late|high|low|tight|a mistake|a bad idea|for (?:cowards|fools|others|losers)))\b`)

// example ends with words for one.
var example = lazy.Compile(`(?i)\b(?:e\.? ?g\.?,?|for example,?|for instance,?|such as)(?: an?| the)? ?$`)

// asksOf reports whether an exit, a condition or an amount is asked about: "does a stop at 20c help?".
func asksOf(r *reader, _ []grammar.Item, _ int, it *grammar.Item) bool {
	return it.Kind != "item.market" && !said.Buys(it) && (said.Sells(it) || said.HasConds(it) || said.IsAmount(it)) && r.isAsked(it)
}

// isAsked reports whether an item stands in a question that asks of it, or in what somebody did before, or may do.
func (r *reader) isAsked(it *grammar.Item) bool {
	s := r.sentenceAround(it.From, it.To)
	text := r.p.Text(s.from, it.To)
	return usedTo.MatchString(text) || r.p.HasClass(s.to, min(s.to+1, int32(r.p.Tokens())), "QUESTION") && asks.MatchString(text)
}

// tellsOf reports whether an exit or a condition is told of and not said: "everyone sells at
// 60c", "I had a stop at 30c", "plan B: stop at 30c", "a stop at 30c is silly".
func tellsOf(r *reader, items []grammar.Item, _ int, it *grammar.Item) bool {
	if it.Kind == "item.market" || said.Buys(it) || !said.Sells(it) && !said.HasConds(it) {
		return false
	}
	s := *r.sentenceAround(it.From, it.To)
	if slices.ContainsFunc(items, func(o grammar.Item) bool { return said.Buys(&o) && o.From >= s.from && o.To <= s.to }) {
		return false
	}
	if head := r.head(items, s.from); head < s.from && (r.p.HasClass(s.from-1, s.from, "COLON") || told.MatchString(r.p.Text(head, s.from))) {
		s.from = head
	}
	return example.MatchString(r.p.Text(max(it.From-5, 0), it.From)) || told.MatchString(r.p.Text(s.from, it.To)) || judged.MatchString(r.p.Text(it.To, min(it.To+8, int32(r.p.Tokens()))))
}

// head is where the sentence or line before a place begins that says nothing itself, the place
// where there is none.
func (r *reader) head(items []grammar.Item, at int32) int32 {
	r.look()
	to := at
	for to > 0 && r.ends[to-1] {
		to--
	}
	if to == 0 || to == at {
		return at
	}
	from := r.sentenceAround(to-1, to).from
	if slices.ContainsFunc(items, func(o grammar.Item) bool { return o.From < to && o.To > from }) {
		return at
	}
	return from
}

// neutral are the words that say no more of a condition in whose sentence they stand, and
// besidesBounds those that say no more of a bound, but of a time that it may be outside of.
var neutral, besidesBounds = lexicon.WordSet(reasons["neutral"]), lexicon.WordSet("too as well")

// stakes and samples are the words that say no more of an amount of dollars or a number of rounds
// in whose clause nothing else is said.
var stakes, samples = lexicon.WordSet(reasons["stakes"]), lexicon.WordSet(reasons["samples"])

// amountOf reports whether an amount or a number that stands alone in its clause may be of
// something else: "my goal: $500", "I watched 200 rounds", "hold for the $1".
func amountOf(r *reader, items []grammar.Item, i int, it *grammar.Item) bool {
	plain := stakes
	switch it.Kind {
	case "item.sample":
		plain = samples
	case "item.money":
	default:
		return false
	}
	if r.hasClass(it, "BUDGET", "STAKE", "PER", "SAMPLE", "LAST") {
		return false
	}
	from, to := r.keyed(it)
	for k := range items {
		if o := &items[k]; k != i && o.From < to && o.To > from {
			return false
		}
	}
	return r.p.Some(from, to, func(at int32) bool { return r.isLeft(at) && !plain[r.p.Word(at)] })
}

// judges are words that begin a phrase which judges, or leaves open: "is fine", "if possible".
var judges = lexicon.WordSet("is are was if would could might can")

// isFiller reports whether a token is of a phrase of several words that says nothing.
func (r *reader) isFiller(at int32) bool {
	return slices.ContainsFunc(r.p.Fillers, func(f lexicon.Filler) bool {
		return f.From <= at && at < f.To && f.To-f.From > 1 && !judges[r.p.Word(f.From)]
	})
}

// denies is the head of a list of what must not hold.
var denies = lazy.Compile(`(?i)^[- ]*(?:none|not|neither|exclude|excluded|without|never|avoid)\b[^:.\n]*:[\s-]*$`)

// beside reports whether a sentence of conditions alone has words that may turn, soften or
// only mention them: "I hate the last 2 minutes", "deal breaker: spread above 3c", "a spread above
// 3c is bad", "even in the last 2 minutes". Its other words are a closed list.
func beside(r *reader, items []grammar.Item, i int, it *grammar.Item) bool {
	if r.speaksAgainst(it) {
		return true
	}
	if !said.IsBound(it) {
		return false
	}
	r.look()
	from, to := r.p.Widen(it.From, it.To, func(i int32) bool { return r.stops[i] })
	if denies.MatchString(r.p.Text(r.head(items, from), from)) {
		return true
	}
	return alone(items, from, to) && r.hasOtherWords(from, to)
}

// against are words that speak against what they stand beside.
var against = lexicon.WordSet(`rarely seldom hardly wait waiting pause paused pausing halt halted careful hate dislike fear beware danger avoid
	freeze suspend suspended asleep abort invalid worried scared never`)

// speaksAgainst reports whether a word that an item with conditions does not hold, in it or before
// it in its clause, speaks against it.
func (r *reader) speaksAgainst(it *grammar.Item) bool {
	if !said.HasConds(it) {
		return false
	}
	from, _ := r.p.Widen(it.From, it.From, r.isBreak)
	return r.p.Some(from, it.To, func(at int32) bool { return !r.held[at] && against[r.p.Word(at)] })
}

// alone reports whether all items in [from, to) have conditions alone.
func alone(items []grammar.Item, from, to int32) bool {
	return !slices.ContainsFunc(items, func(it grammar.Item) bool { return it.To > from && it.From < to && !said.IsBound(&it) })
}

// hasOtherWords reports whether words that no item holds are none of those that may stand
// beside conditions.
func (r *reader) hasOtherWords(from, to int32) bool {
	return r.p.Some(from, to, func(at int32) bool {
		w := r.p.Word(at)
		return !r.held[at] && r.p.IsWord(at) && !neutral[w] && !r.isFiller(at) && !(besidesBounds[w] && r.p.HasClass(from, to, "CMP", "LCMP", "POST"))
	})
}

// comment is the beginning of one, but for a number, "#2".
var comment = lazy.Compile(`(?i)^ *(?:#+ |/\*|//|--+ |\[ ?\]|#+(?:sl|tp|stop|target|budget|size|stake|sample|entry|exit|max|min|trail)\w*["']? *[:=])`)

// inline is the beginning of one behind what is said.
var inline = lazy.Compile(`(?i)\S +(?:#+ ?(?:sl|tp|stop|target|budget|size|stake|sample|entry|exit|max|min|trail)\w*["']? *[:=]|/\*)`)

// values are the classes of what a rule gives.
var values = []string{"CENT", "DEC", "USDC", "USD", "INT", "REAL", "DUR", "PLUSNUM", "MINUSNUM", "FRAC"}

// comments reports whether a value stands in a line that is a comment: "# tp 50c", "// stop 20c".
func comments(r *reader, _ []grammar.Item, i int, it *grammar.Item) bool {
	r.look()
	line, _ := r.p.Widen(it.From, it.From, func(i int32) bool { return r.lines[i] })
	commented := comment.MatchString(r.p.Text(line, min(line+4, it.From+3, it.To))) || inline.MatchString(r.p.Text(line, min(it.From+3, it.To)))
	return it.Kind != "item.market" && commented && r.hasClass(it, values...)
}

// pays is what a share pays at the end, what is wanted in all, or what came of it.
var pays = lazy.Compile(`(?i)\b(?:hold|holding|settles?|pays?|payout|collect|redeems?|resolves?) (?:(?:at|for|to|the|until|is|a|full) )*\$ ?1(?:\.00?)?\b|\b(?:want|like|hope|need|trying|aim) to (?:make|win|earn|gain) \$|^(?:results?|expected|outcome|profit|returns?|pnl)["']? ?[:=]`)

// stands are words between a coin and what it costs.
var stands = lexicon.WordSet("at is near above over under below")

// costsSo reports whether an amount is what a share pays, "hold for the $1", or what a coin costs,
// "Bitcoin at $90k".
func costsSo(r *reader, items []grammar.Item, i int, it *grammar.Item) bool {
	from, to := r.around(items, i)
	coin := stands[r.p.Word(it.From)] && r.behind(it.From, "COIN")
	return it.Kind == "item.money" && (coin || pays.MatchString(r.p.Text(from, to)))
}
