package rewrite

import (
	"slices"
	"strings"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lazy"
	"github.com/ladderback/ladderback/strategy"
)

// asked are phrases that may be meant in two ways, by the reason for which they are refused:
// what is looked for from where the phrase begins to the end of its clause, or in all of its
// sentence, and what stands there for each of the ways.
var asked = map[string]struct {
	sentence bool
	find     *lazy.Regexp
	as       [2]string
}{
	"switch":     {false, lazy.Compile(`(?i)^flip(?:ping|s)?(?: it| em| them| that)?(?: out)?( (?:at|for|@) .*)$`), [2]string{"out$1", "out$1, after the target buy the other side"}},
	"account":    {true, lazy.Compile(`(?i)^.*?([$] ?\d[\d,.]*k?|\d[\d,.]*k?(?: (?:dollars|bucks|usd))).*$`), [2]string{"", "bankroll $1"}},
	"coinlength": {false, lazy.Compile(`(\d+)$`), [2]string{"${1}m", "at ${1}c"}},
	"unclear":    {false, lazy.Compile(`(?i)^(?:[a-z]+ )?[a-z]+(?: it| em| them)?( (?:at|for|@) [$.]?\d.*)$`), [2]string{"take profit$1", "stop$1"}},
	"sellin":     {false, lazy.Compile(`\b(?:in|by) (\d+)`), [2]string{"at ${1}c", "after $1 seconds"}},
	"unknown":    {false, lazy.Compile(`(?i)^[a-z]{3,}(?: it| em| them)?( (?:after|before|with|within) .*\d ?(?:s|secs?|seconds?|m|mins?|minutes?)\b.*)$`), [2]string{"out$1", "buy$1"}},
}

var breaks = lazy.Compile(`[,;\n!?]|[.](\s|$)`)

// Ask returns the ways in which a prompt can be read of which one phrase may be meant in two:
// what is bought, one of two coins or sides, a word for selling or for a time. Words that
// hold nothing are left out as by [Nearest]. An empty suggestion: there are not two.
func Ask(prompt string, obstacles []Obstacle, read Reader) (none Suggestion) {
	if len(obstacles) == 0 {
		if forbids(prompt) {
			return none
		}
		return inWays(prompt, [][2]int{{0, 0}, {0, 0}}, [2]string{"Buy Up. ", "Buy Down. "}, read)
	}
	var at [][2]int
	for _, o := range obstacles {
		if o.Why == "contradiction" {
			at = append(at, [2]int{o.Start, o.End})
		}
	}
	if len(at) == 2 {
		return inWays(prompt, apart(prompt, at), [2]string{}, read)
	}
	for i := range obstacles {
		if out := meant(prompt, &obstacles[i], read); len(out.Says) > 0 {
			return out
		}
	}
	return none
}

// meant reads a prompt with each of what an obstacle may be meant for.
func meant(prompt string, o *Obstacle, read Reader) (none Suggestion) {
	why := o.Why
	if why == "" && o.Unread && opensClause(prompt, o) {
		why = "unknown"
	}
	way, known := asked[why]
	from, to := around(prompt, o, way.sentence)
	text := string([]rune(prompt)[from:to])
	if !known || !way.find.MatchString(text) {
		return none
	}
	out := inWays(prompt, [][2]int{{from, to}, {from, to}}, [2]string{way.find.ReplaceAllString(text, way.as[0]), way.find.ReplaceAllString(text, way.as[1])}, read)
	if why == "unknown" && slices.ContainsFunc(out.Says, strategy.Canonical.Rests) {
		return none // it may be one of cancelling
	}
	return out
}

// around is from where an obstacle begins, or its sentence, to the end of its clause.
func around(prompt string, o *Obstacle, sentence bool) (from, to int) {
	runes := []rune(prompt)
	from, to = o.Start, len(runes)
	if i := breaks.FindStringIndex(string(runes[o.End:])); i != nil {
		to = o.End + len([]rune(string(runes[o.End:])[:i[0]]))
	}
	if !sentence {
		return from, to
	}
	before, end := string(runes[:from]), 0
	for _, at := range breaks.FindAllStringIndex(before, -1) {
		end = at[1]
	}
	return len([]rune(before[:end])), to
}

// forbids reports whether a prompt says what not to buy.
func forbids(prompt string) bool {
	p := grammar.New(prompt)
	defer p.Close()
	return p.HasClass(0, int32(p.Tokens()), "AVOID")
}

// apart are the coins or the sides that two phrases name, where they do, else the phrases.
func apart(prompt string, at [][2]int) [][2]int {
	p := grammar.New(prompt)
	defer p.Close()
	for _, class := range [...]string{"COIN", "TOK"} {
		var found [][2]int
		for _, a := range at {
			for l, e := range p.Within(0, int32(p.Tokens())) {
				if s := p.Span(l.From, l.To); e.Class == class && a[0] <= int(s.Start) && int(s.End) <= a[1] {
					found = append(found, [2]int{int(s.Start), int(s.End)})
					break
				}
			}
		}
		if len(found) == 2 {
			return found
		}
	}
	return at
}

// opensClause reports whether a clause begins with an obstacle.
func opensClause(prompt string, o *Obstacle) bool {
	text := strings.TrimRight(string([]rune(prompt)[:o.Start]), " ")
	return text == "" || breaks.MatchString(text[len(text)-1:])
}

// inWays reads a prompt with something else at a place, in two ways.
func inWays(prompt string, at [][2]int, with [2]string, read Reader) (none Suggestion) {
	var out Suggestion
	runes := []rune(prompt)
	for i, a := range at {
		text := string(runes[:a[0]]) + with[i] + string(runes[a[1]:])
		says, obstacles := read(text)
		if len(says) == 0 {
			s := Nearest(text, obstacles, read)
			left := moved(s.LeftOut, a, len([]rune(with[i])))
			if says = s.Says; len(out.LeftOut) > 0 && !slices.Equal(out.LeftOut, left) {
				return none
			}
			out.LeftOut = left
		}
		if len(says) != 1 || slices.ContainsFunc(out.Says, says[0].Equal) || bare(&says[0]) || ofBoth(&says[0]) {
			return none
		}
		out.Says = append(out.Says, says[0])
	}
	return out
}

// bare reports whether a strategy has nothing but a side: a prompt of which no more is read is
// none.
func bare(s *strategy.Canonical) bool { return !conditional(s) && !s.Rests() }

// ofBoth reports whether a strategy has prices of both tokens: where it is not clear which is
// bought, each may be of its own purchase.
func ofBoth(s *strategy.Canonical) bool {
	up, down := false, false
	for _, c := range slices.Concat(append([][]strategy.Condition{s.Entry()}, s.EntryAny()...)...) {
		up, down = up || c.Token == strategy.TokenUp, down || c.Token == strategy.TokenDown
	}
	return up && down
}

// moved are places of a text as they are in the one that it was made from, by having n code
// points at a place.
func moved(list [][2]int, at [2]int, n int) (out [][2]int) {
	for _, l := range list {
		if more := at[1] - at[0] - n; l[0] >= at[0]+n {
			l[0], l[1] = l[0]+more, l[1]+more
		}
		out = append(out, l)
	}
	return out
}
