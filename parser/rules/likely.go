package rules

import (
	"slices"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/guard"
	"github.com/ladderback/ladderback/parser/meaning"
	"github.com/ladderback/ladderback/parser/orders"
	"github.com/ladderback/ladderback/parser/roles"
	"github.com/ladderback/ladderback/strategy"
)

// likely offers what a prompt most likely says by its words, where it is surely told and names nothing that no
// market of ours has.
func (r *Refusal) likely() (none Offer) {
	if r.Code != CodeBadRequest || turnedRound.MatchString(r.prompt) {
		return none
	}
	p := grammar.New(r.prompt)
	defer p.Close()
	text := roles.Prompt(p)
	res, _ := readText(text, Overrides{}) // the request's own values are not of the prompt
	if res == nil || doubled(res.Strategy.Entry()) || atOpen.MatchString(r.prompt) && !opens(res.Strategy) || ofStory.MatchString(r.prompt) && res.Strategy.SampleSize() != meaning.DefaultSample {
		return none
	}
	read, no := guard.Judge(r.prompt, &guard.Answer{Strategy: res.Strategy}, guard.Known{})
	if no != nil {
		read = no.Nearly
	}
	if read == nil {
		return none
	}
	if res, _ = readText(text, r.o); res == nil || !orders.Keeps(r.prompt, res.Strategy) {
		return none
	}
	out := r.instead(res.Strategy, strategy.SourceRules)
	if out.Likely, out.likely = read.Fields, true; len(read.Fields) == 0 {
		out.Likely = []string{"entry"} // what the words that are not understood may restrict
	}
	return out
}

// atOpen is a time of the entry without a number, which no role tells, ofStory a number of rounds that were won or lost,
// "my last eleven trades lost"; opens reports whether a strategy has a first time, or an order that waits.
var atOpen, ofStory = words(`\b(?:at|on) (?:the )?(?:very )?(?:open|start|opening|beginning|outset)\b`), words(`\b(?:last|past|previous|first) [a-z\d]+ (?:trades|rounds|markets|bets|games|entries|ones) (?:i |we |all |just |both )*(?:were|was|lost|won|had|went|didn't|ended|made|got|cost|paid|blew|did|took|ran|gave|have)\b`)

// turnedRound is what turns round what it stands behind or before, which no role tells: "if 2 minutes are left don't."
var turnedRound = words(`\b(?:don't|dont|do not|no trade|no entry|i pass)\s*(?:[.;!\n]|$)|\b(?:other than|apart from|aside from)\b`)

func opens(s strategy.Canonical) bool {
	isFirst := func(c strategy.Condition) bool { return c.Type == strategy.TimeElapsed && !c.Comparator.IsLower() }
	return s.Rests() || len(s.Entry()) == 0 || slices.ContainsFunc(s.Entry(), isFirst)
}

// MayBeRead reports whether a language model may be able to read the prompt: nothing in a rule is known to be
// impossible, or it is surely rather a prompt to read than one to refuse.
func (r *Refusal) MayBeRead() bool {
	if r.Unread || r.Inexact || r.prompt == "" {
		return r.Unread || r.Inexact
	}
	p := grammar.New(r.prompt)
	defer p.Close()
	return roles.Reads(p)
}

// doubled reports whether two conditions bound one value from the same side, or the prices of both tokens.
func doubled(list []strategy.Condition) bool {
	for i, a := range list {
		for _, b := range list[:i] {
			if a.Type == b.Type && (a.Token == b.Token || a.Type == strategy.Price) && a.Comparator.IsLower() == b.Comparator.IsLower() {
				return true
			}
		}
	}
	return false
}
