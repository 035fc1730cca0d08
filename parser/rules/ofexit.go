package rules

import (
	"slices"
	"strings"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/parser/rules/said"
	"github.com/ladderback/ladderback/strategy"
)

// lasting are words that begin what holds from or up to some moment, or as long as
// something else does: behind a comma too, that is said of what stands before it.
var lasting = lexicon.WordSet(reasons["lasting"])

// ofExits lists the conditions and times of the entry that by their place are said of
// an exit beside them, which can have none: "stop at 28c only if the spread is below
// 2c", "tp 58c (not before minute 20)", "after minute 5, stop at 35c".
func (r *reader) ofExits(reading *grammar.Reading) []Obstacle {
	var list []Obstacle
	for i := range reading.Items {
		from, to := i, i
		switch {
		case !said.Bounds(&reading.Items[i]) || r.hasClass(&reading.Items[i], entryWords...) && !(r.behind(reading.Items[i].From, "COMMA") && lasting[r.p.Word(reading.Items[i].From)]):
			continue
		case r.followsExit(reading.Items, i):
			from--
		case r.leadsExit(reading.Items, i):
			to++
		default:
			continue
		}
		list = append(list, r.no(reading.Items[from].From, r.p.WordsEnd(reading.Items[from].From, reading.Items[to].To), "sellsif"))
	}
	return list
}

// untimed lists the favorites that are late or early where no time of the entry says how.
func (r *reader) untimed(reading *grammar.Reading, s strategy.Canonical) (list []Obstacle) {
	timed := func(c strategy.Condition) bool {
		return c.Type == strategy.TimeElapsed || c.Type == strategy.TimeRemaining || c.Type != strategy.PriceChange && c.WithinSeconds > 0
	}
	if slices.ContainsFunc(slices.Concat(append(s.EntryAny(), s.Entry())...), timed) {
		return nil
	}
	for i := range reading.Items {
		it := &reading.Items[i]
		if r.says(it, "late favorite") {
			list = append(list, r.noItem(it, "vaguetime"))
		}
	}
	return list
}

// untrailed lists the trailing stops that commentary names and a strategy does not have.
func (r *reader) untrailed(reading *grammar.Reading, s strategy.Canonical) (list []Obstacle) {
	for _, c := range reading.Commentary {
		if s.Exit().TrailingStop == nil && r.p.HasClass(c[0], c[1], "TRAIL") {
			list = append(list, r.no(c[0], c[1], "novalue"))
		}
	}
	return list
}

// followsExit reports whether the condition of item i is said of the exit before it:
// one in its clause, and in a clause of its own one in a sentence of exits, in a list
// of them, behind other words, or that lasts.
func (r *reader) followsExit(items []grammar.Item, i int) bool {
	if i == 0 || !said.Sells(&items[i-1]) && !said.IsExit(&items[i-1]) {
		return i == 1 && r.sizes(items, &items[0], &items[1])
	}
	exit, cond := &items[i-1], &items[i]
	between := func(classes ...string) bool { return r.p.HasClass(exit.To, cond.From, classes...) }
	switch {
	case r.changesExit(exit, cond):
		return true
	case between("STOP", "QUESTION"), between(entryWords...), between("COMMA", "SOFT") && r.goesOn(items, i, said.Buys):
		return false
	case !between("COMMA", "SOFT", "COLON", "SLASH"), between("ARROW", "LP"):
		return true
	}
	return r.goesOn(items, i, said.Sells) || r.lasts(exit, cond) || r.thenToo(items, i) || !slices.ContainsFunc(items, func(it grammar.Item) bool {
		return it.From != cond.From && (said.Bounds(&it) || said.Buys(&it)) && !r.p.HasClass(min(it.From, exit.From), max(it.From, exit.From), "STOP", "QUESTION")
	})
}

// changesExit reports whether a condition that is no sentence's own changes the exit before it: "raise to 35c after
// 5 minutes", "unless it's before minute 10".
func (r *reader) changesExit(exit, cond *grammar.Item) bool {
	raises := r.p.HasClass(cond.From, cond.From+1, "MOVE") && r.p.Word(cond.From+1) == "to"
	return raises || r.p.HasClass(exit.To, cond.From, "STOP") && r.p.Word(cond.From) == "unless"
}

// then is a verb of selling, and behind its price and a comma what may be of it: "sell at 60c, when 5 minutes
// are left". Behind a noun it is the entry's: "tp 60c, in the first 5 minutes".
var then = words(`^(?:and |then )*(?:sell|exit|get out|out|bail|bail out|close|close out|stop|stop out|cut|dump|cash out|take profit|trail)(?: (?:it|them|all))* (?:(?:at|by|@) )?[$.\d]+ ?(?:c|¢|cents?)?(?: or [a-z]+)? ?[,;] (?:only |but )?(?:by|at|past|when|if|unless|after|in|no later than|except|during|before|until|till|from|once|while|provided|as long as)\b`)

// thenToo reports whether the condition of item i stands so behind the exit before it, and the entry has others.
func (r *reader) thenToo(items []grammar.Item, i int) bool {
	return then.MatchString(r.p.Text(items[i-1].From, items[i].To)) && slices.ContainsFunc(items[:i], func(o grammar.Item) bool { return said.HasConds(&o) })
}

// goesOn reports whether the sentence of item i goes on with an item that is so.
func (r *reader) goesOn(items []grammar.Item, i int, is func(it *grammar.Item) bool) bool {
	return i+1 < len(items) && is(&items[i+1]) && !r.p.HasClass(items[i].To, items[i+1].From, "STOP", "QUESTION")
}

// lasts reports whether a condition stands behind other words than the exit's, or
// holds from or up to some moment.
func (r *reader) lasts(exit, cond *grammar.Item) bool {
	comma := r.p.HasClass(exit.To, cond.From, "COMMA")
	return r.p.Some(exit.To, cond.To, func(k int32) bool { return k < cond.From && r.p.IsWord(k) || comma && lasting[r.p.Word(k)] })
}

// leadsExit reports whether the condition of item i is said of the exit behind it, or of the amount in a
// sentence that buys nothing: it begins a sentence that goes on with that, or a clause, and the entry has others.
func (r *reader) leadsExit(items []grammar.Item, i int) bool {
	cond, before := &items[i], int32(0)
	if !r.leads(items, i) {
		return false
	}
	if i > 0 {
		before = items[i-1].To
	}
	between := func(classes ...string) bool { return r.p.HasClass(before, cond.From, classes...) }
	behind := func(classes ...string) bool { return r.p.HasClass(cond.To, items[i+1].From, classes...) }
	sentence := i == 0 || between("STOP", "QUESTION")
	opens := r.p.HasClass(cond.From, cond.From+1, "WORD", "IF", "UNLESS") || said.IsTime(cond) && r.p.Word(cond.To-1) == "in"
	switch {
	case behind("SLASH"), between(entryWords...):
		return false
	case behind("COMMA", "SOFT") && !behind("ARROW"):
		return sentence && opens
	}
	return sentence || opens && between("COMMA", "SOFT", "AND")
}

// leads reports whether an exit or an amount stands behind the condition of item i, and the entry has others.
func (r *reader) leads(items []grammar.Item, i int) bool {
	is := func(it *grammar.Item) bool {
		return said.Sells(it) || said.IsExit(it) && r.entered(items, it) && !r.p.HasClass(items[i].To, it.From, "SOFT") || i == 0 && r.sizes(items, it, &items[i])
	}
	had := slices.ContainsFunc(items[:i], func(it grammar.Item) bool { return said.HasConds(&it) })
	return r.goesOn(items, i, is) && items[i].Kind != "item.pred" && (had || r.entered(items, &items[i]))
}

// sizes reports whether an amount stands beside a condition in a sentence that buys nothing, before the purchase.
func (r *reader) sizes(items []grammar.Item, amount, cond *grammar.Item) bool {
	apart := r.p.HasClass(min(amount.To, cond.To), max(amount.From, cond.From), "STOP", "SOFT")
	return said.IsAmount(amount) && !apart && r.entered(items, cond)
}

// entered reports whether it is bought, on conditions, in a sentence behind that of an item, which buys nothing.
func (r *reader) entered(items []grammar.Item, at *grammar.Item) bool {
	s := *r.sentenceAround(at.From, at.To)
	return slices.ContainsFunc(items, func(it grammar.Item) bool {
		return said.Buys(&it) && it.From >= s.to && (said.HasConds(&it) || r.o.Limit != nil)
	}) &&
		!slices.ContainsFunc(items, func(it grammar.Item) bool { return said.Buys(&it) && it.From >= s.from && it.To <= s.to })
}

// entryWords are the classes of words of buying, and of not doing so.
var entryWords = []string{"ENTRYCUE", "ENTRYREF", "AVOID"}

// ofOneself reports whether a token is how somebody fares: "because I'm up", "pause once I'm down $50".
func ofOneself(r *reader, _ []grammar.Item, _ int, it *grammar.Item) bool {
	text := r.p.Text(max(it.From-3, 0), it.To)
	return it.Kind != "item.market" && !said.Sells(it) && oneself.MatchString(text)
}

var (
	oneself = words(`\b(?:i ?'m|im|i am|i was|we ?'re|we are|we were|they ?'re) (?:still |now |already |all )?(?:up|down)\b`)
	// soldThen ends with a sale at a time, waited with a pause; leads and joins are what stands between
	// one and what follows it.
	soldThen = words(`\bthen (?:i )?(?:it )?(?:sell|exit|out|close|dump|get out)(?: (?:it|them|all))?$`)
	waited   = words(`\blet [a-z0-9 ]*(?:minutes?|mins?|seconds?|secs?|hours?|round|half|\d ?[smh])\b[a-z ]*(?:go by|pass)$`)
	leads    = words(`^[ ,]*(?:and[ ,]*)?then\b|\bthen[ ,]*(?:i[ ,]*)?$`)
	joins    = words(`^[ ,]*and[ ,]*(?:i[ ,]*)?$`)
)

// thenSells reports whether a time leads to a sale that is read by itself: "hold 5 minutes, then sell at 60c",
// "let two minutes go by and sell at 60c", "sell half at 50c, 2 minutes later sell the rest".
func thenSells(r *reader, items []grammar.Item, i int, it *grammar.Item) bool {
	held := it.Meaning.Has(grammar.SlotMaxHold)
	if !held && (!said.HasConds(it) || !waited.MatchString(r.p.Text(max(it.From-2, 0), it.To))) {
		return false
	}
	if held && r.sellsOn(it) {
		return true
	}
	if i+1 == len(items) || !said.Sells(&items[i+1]) || items[i+1].Meaning.Has(grammar.SlotMaxHold) {
		return false
	}
	between, next := r.p.Text(it.To, items[i+1].From), r.p.Text(items[i+1].From, items[i+1].To)
	return leads.MatchString(between) || leads.MatchString(" "+next) || !held && joins.MatchString(between)
}

// sellsOn reports whether a sale at a time goes on behind it, or is of what is left of a part.
func (r *reader) sellsOn(it *grammar.Item) bool {
	text := strings.ToLower(r.text(it))
	return r.o.Ordered && strings.Contains(text, " later ") || soldThen.MatchString(text) && it.To < int32(r.p.Tokens()) && !r.isBreak(it.To)
}
