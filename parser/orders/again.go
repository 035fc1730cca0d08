package orders

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ladderback/ladderback/parser/lazy"
	"github.com/ladderback/ladderback/strategy"
)

var reasonNames = map[string]strategy.Reason{
	"cancelled entry": strategy.ReasonCancelled, "merge": strategy.ReasonMerged, "sale": strategy.ReasonOrder, "exit by the clock": strategy.ReasonEndOfWindow, "time exit": strategy.ReasonEndOfWindow, "timed exit": strategy.ReasonEndOfWindow,
	"a take profit": strategy.ReasonTakeProfit, "a stop": strategy.ReasonStopLoss, "an exit by the clock": strategy.ReasonEndOfWindow,
	"a sale": strategy.ReasonOrder, "a merge": strategy.ReasonMerged, "expiry": strategy.ReasonExpiry, "a cancelled entry": strategy.ReasonCancelled,
}

// reasonOf is the exit that words speak of.
func reasonOf(words string) (strategy.Reason, bool) {
	switch {
	case reasonNames[words] != "":
		return reasonNames[words], true
	case strings.Contains(words, "loss") || strings.Contains(words, "stop") || strings.HasPrefix(words, "sl") || words == "clipped":
		return strategy.ReasonStopLoss, true
	case strings.Contains(words, "cancel"):
		return strategy.ReasonCancelled, true
	case words != "":
		return strategy.ReasonTakeProfit, true
	}
	return "", false
}

// cancelledAfter is a time behind a cancel, after which it comes, or what comes after it.
var cancelledAfter = lazy.Compile(`\bcancel[a-z]* (?:unfilled )?after ` + slots["dur"].exp)

// noneAgain is what is said of a round that is entered once.
const noneAgain = "that the round is entered once"

func (b *builder) never(*match) { b.once[noneAgain] = true }

// again lets the round be entered again: so many times in all, or more than once, so far
// apart, after some exits.
func (b *builder) again(m *match) {
	a := cmp.Or(b.s.Again, &strategy.Again{})
	b.s.Again = a
	for i, name := range []string{"n", "n3", "n2", "n4", "n5", "n6"} {
		if m.said[name] == "" {
			continue
		}
		b.single("how often the round is entered")
		n := b.count(m, name, "how often?")
		if a.MaxEntries = n; i > 1 {
			a.MaxEntries = n + 1
		} else if n == 1 {
			b.s.Again = nil
			b.never(m)
			return
		}
	}
	if time := m.number("dur") + m.number("dur2") + m.number("n7"); time != 0 {
		b.single("how far apart entries are")
		if a.AfterSeconds = b.seconds(time); cancelledAfter.MatchString(b.words()) {
			b.fail("cancelled after this time, or entered again after it? say \"cancel after 40 seconds, up to 4 entries, after a cancelled order\"")
		}
	}
	if m.said["why"]+m.said["why3"]+m.said["reasons"] == "" {
		return
	}
	b.single("after what the round is entered again")
	for _, words := range strings.Split(m.said["reasons"], " or ") {
		if reason, ok := reasonNames[words]; ok {
			a.After = append(a.After, reason)
		}
	}
	for _, name := range []string{"why", "why2", "why3"} {
		if reason, ok := reasonOf(m.said[name]); ok && !slices.Contains(a.After, reason) {
			a.After = append(a.After, reason)
		}
	}
}
