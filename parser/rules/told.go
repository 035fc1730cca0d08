package rules

import (
	"regexp"
	"slices"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
)

// told is what a sentence with an exit or a condition begins with that tells of it, and does
// not say it: what others do, what was, what may be, what is another run's.
var told = regexp.MustCompile(`(?i)^(?:(?:and|but|so|well|ok|okay|now|also|yes|maybe|perhaps|actually)[ ,]+)*(?:` +
	`(?:everyone|everybody|nobody|no one|some(?: people| folks| traders| others| of us)?|people|most(?: people| traders| of them| folks)?|others|other people|traders|folks|pros|they|he|she|it (?:often )?sells|(?:you|one) (?:could|can|might|may)) ` +
	`|i (?:had|used to|got|was|sold|forgot|tried|regret|regretted|hate|hated|paid|failed|(?:would|could|should|might) ?(?:have|'ve))\b` +
	`|(?:i'm |i am )?(?:considering|thinking (?:about|of))\b|(?:i )?(?:might|may) |also (?:test|try|with)\b` +
	`|got (?:out|stopped)\b|was stopped\b|sold (?:mine )?at\b|used to\b` +
	`|(?:alternative|alternatively|plan b|option [a-e]|variant(?: [a-e])?|backup|next|optional|todo|to do|tbd|old)\b)`)

// judged is what stands behind an exit or a condition that takes it back, or judges it.
var judged = regexp.MustCompile(`(?i)^(?:[-:(,=?]|\.\.\.)? ?(?:never|nope|bad|danger|careful|off|removed|disabled|deleted|dropped|none|no longer|or none|or not|` +
	`(?:is|are|was|were|would be|seems|looks|sounds) (?:(?:a bit|so|just|really|very|always|too) )?(?:off|gone|silly|wrong|dumb|bad|stupid|crazy|mad|pointless|useless|fine|ok|okay|good|expensive|early|late|high|low|tight|a mistake|a bad idea|for (?:cowards|fools|others|losers)))\b`)

// tellsOf reports whether an exit or a condition is told of and not said: "everyone sells at
// 60c", "I had a stop at 30c", "plan B: stop at 30c", "a stop at 30c is silly".
func tellsOf(r *reader, items []grammar.Item, i int) bool {
	it := &items[i]
	if it.Kind == "item.market" || buys(it) || !sells(it) && it.Meaning.Conds() == nil {
		return false
	}
	s := *r.sentenceAround(it.From, it.To)
	if slices.ContainsFunc(items, func(o grammar.Item) bool { return buys(&o) && o.From >= s.from && o.To <= s.to }) {
		return false
	}
	if s.from > 1 && r.p.HasClass(s.from-1, s.from, "COLON") {
		s.from = r.sentenceAround(s.from-2, s.from-1).from
	}
	n := int32(r.p.Tokens())
	return told.MatchString(r.p.Text(s.from, it.To)) || judged.MatchString(r.p.Text(it.To, min(it.To+8, n)))
}

// neutral are the words that say no more of a condition in whose sentence they stand.
var neutral = lexicon.WordSet(reasons["neutral"])

// beside reports whether a sentence of conditions alone has words that may turn, soften or
// only mention them: "I hate the last 2 minutes", "deal breaker: spread above 3c", "a spread above
// 3c is bad", "even in the last 2 minutes". Its other words are a closed list.
func beside(r *reader, items []grammar.Item, i int) bool {
	conditions := func(it *grammar.Item) bool {
		return it.Meaning.Conds() != nil && !sells(it) && !buys(it) && it.Kind != "item.market"
	}
	if !conditions(&items[i]) {
		return false
	}
	from, to := r.p.Widen(items[i].From, items[i].To, func(i int32) bool { return r.p.HasClass(i, i+1, "STOP", "NL", "QUESTION") })
	held := make([]bool, to)
	for k := range items {
		it := &items[k]
		if it.To <= from || it.From >= to {
			continue
		}
		if !conditions(it) {
			return false
		}
		r.leavesOf(it, func(n, _ *grammar.Node, _ *grammar.Item) {
			l := &r.p.Lexemes[n.Lexeme]
			for at := l.From; at < min(l.To, to); at++ {
				held[at] = true
			}
		})
	}
	for at := from; at < to; at++ {
		if !held[at] && r.p.IsWord(at) && !neutral[r.p.Word(at)] {
			return true
		}
	}
	return false
}
