package roles

import (
	"slices"
	"strings"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
)

// counting are the classes of numbers that no part of a strategy is read from here.
var counting = []string{"SHARES", "PCT", "TICKS", "DAYS", "CLOCK", "BADNUM", "BADMONEY", "TIMES", "DECADE", "ZERO", "ZEROUSD"}

// plain reports whether nothing turns on more than the numbers: alternatives, the other token, what
// is counted otherwise.
func (d *draft) plain() bool {
	n := int32(d.p.Tokens())
	if d.p.HasClass(0, n, counting...) || d.p.HasClass(0, n, "OTHER") && !slices.ContainsFunc(d.t.conds, ofOther) {
		return false
	}
	alternatives := slices.ContainsFunc(d.t.items, func(it grammar.Item) bool { e := it.Meaning.Conds(); return e != nil && len(e.Any) > 0 })
	for k, role := range d.roles {
		if d.timesAnExit(k, role) || role == "none" && d.keyed(k) {
			return false
		}
	}
	for i := range d.t.words {
		if d.turns(i) {
			return false
		}
	}
	return !alternatives
}

func ofOther(c *grammar.Cond) bool { return c != nil && c.Tok == grammar.TokOther }

// turns reports whether a word counts shares, joins two conditions of the entry, denies the time of one,
// or is of a time without a number: "the first minute".
func (d *draft) turns(i int) bool {
	w, class := d.t.words[i], d.t.classes[i]
	first := d.p.HasClass(int32(i), int32(i)+1, "FIRST", "LAST") && d.t.at[i] < 0
	return w == "shares" || w == "contracts" || class == "OR" && d.enters(i, -1) && d.enters(i, 1) || class == "NOT" && d.opens(i) ||
		first && units[d.t.word(i+1)] && d.t.at[i+1] < 0
}

// timesAnExit reports whether a time that seems to be of the entry stands in a clause of an exit.
func (d *draft) timesAnExit(k int, role string) bool {
	if kind, _, _ := strings.Cut(role, "."); !times[kind] || role == "within.change" || exits[role] != "" {
		return false
	}
	lo, hi := d.p.Widen(d.t.numbers[k].From, d.t.numbers[k].To, func(i int32) bool { return d.t.ends[i] || d.p.HasClass(i, i+1, "ARROW") })
	for i, n := range d.t.numbers {
		if n.From >= lo && n.To <= hi && i != k && exits[d.roles[i]] != "" && !dollars[d.roles[i]] && d.roles[i] != "sample" {
			return true
		}
	}
	return d.p.HasClass(lo, hi, "SELL", "SL", "TP", "TRAIL")
}

// keyed reports whether a number stands behind a key that is not known: "cooldown: 5m".
func (d *draft) keyed(k int) bool {
	at := int(d.t.numbers[k].From)
	sign := d.t.class(at - 1)
	return (sign == "COLON" || sign == "EQ") && (d.t.class(at-2) == "UNK" || d.t.class(at-2) == "")
}

// units are those of times.
var units = lexicon.WordSet("minute minutes min mins second seconds sec secs hour hours")

// opens reports whether the next number behind a token, in its clause, says until when one buys.
func (d *draft) opens(i int) bool {
	for i++; i < len(d.t.at) && !d.t.ends[i]; i++ {
		if k := d.t.at[i]; k >= 0 {
			return d.roles[k] == "within"
		}
	}
	return false
}

// enters reports whether the next number on one side of a token is of the entry.
func (d *draft) enters(i, step int) bool {
	for ; i >= 0 && i < len(d.t.at); i += step {
		if k := d.t.at[i]; k >= 0 {
			return strings.ContainsAny(d.roles[k], ".") || d.roles[k] == "within"
		}
	}
	return false
}
