// Package rewrite finds the nearest prompt that can be read to one that was
// refused, where there is one that loses nothing.
//
// It changes a prompt in two ways alone: it leaves out words, clauses and sentences
// that hold nothing which a strategy can say, and it writes a percentage that stands for a
// price as one. So every number, exit, coin, length, budget, sample and
// condition that a strategy can hold stays, and none is added.
package rewrite

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lazy"
	"github.com/ladderback/ladderback/strategy"
)

// Obstacle is a phrase that keeps a prompt from being read: the Unicode code
// points [Start, End).
type Obstacle struct {
	Start, End int
	Outside    bool   // a value that is not this market's
	Unread     bool   // not understood, rather than known to be impossible
	Why        string // name of the reason, "" for none of the known ones
	// Bears reports whether a strategy has something of what it speaks of; nil: that cannot be told.
	Bears func(strategy.Canonical) bool
}

// Suggestion is a prompt that can be read in place of one that cannot.
type Suggestion struct {
	Prompt  string
	Says    []strategy.Canonical // what it is read as, maybe in more than one way
	LeftOut [][2]int             // of the refused prompt: Unicode code points [start, end), in its order
	// Nearly: what is left out holds nothing at all, not even something that a strategy
	// cannot say.
	Nearly bool
}

// Reader reads a prompt: what it says, maybe in more than one way, or what keeps it from
// being read.
type Reader func(prompt string) ([]strategy.Canonical, []Obstacle)

// rounds bounds how often what is left is read once more.
const rounds = 6

// Nearest returns the nearest prompt that can be read, an empty one if none can without
// losing something.
func Nearest(prompt string, obstacles []Obstacle, read Reader) (none Suggestion) {
	if s := inCents(prompt, obstacles, read); s.Prompt != "" {
		return s
	}
	p := grammar.New(prompt)
	defer p.Close()
	words := newWriter(prompt, p).nearest(obstacles, read, false)
	if words.Nearly {
		return words
	}
	if s := newWriter(prompt, p).nearest(obstacles, read, true); s.Prompt != "" {
		return s
	}
	if words.Prompt != "" {
		return words
	}
	return newWriter(prompt, p).bare(obstacles, read)
}

// bare leaves out the words of obstacles alone, wherever they stand, until what is left can be read.
func (w *writer) bare(obstacles []Obstacle, read Reader) Suggestion {
	return w.until(obstacles, read, func(list []Obstacle) bool { return w.each(list, w.drops) })
}

// nearest leaves out what is around obstacles until what is left can be read.
func (w *writer) nearest(obstacles []Obstacle, read Reader, sentences bool) Suggestion {
	return w.until(obstacles, read, func(list []Obstacle) bool {
		return w.each(list, func(o *Obstacle, from, to int32) bool { return w.leaves(o, from, to, sentences) })
	})
}

// until does something to obstacles, and to those of what is left, until that can be read.
func (w *writer) until(obstacles []Obstacle, read Reader, does func(list []Obstacle) bool) (none Suggestion) {
	for range rounds {
		before := w.left()
		if !does(obstacles) || w.left() == before {
			return none
		}
		says, more := read(w.text())
		if len(says) > 0 {
			return w.suggestion(says)
		}
		obstacles = more
	}
	return none
}

// each does something to every obstacle that another has not taken along; false: not to all.
func (w *writer) each(obstacles []Obstacle, does func(o *Obstacle, from, to int32) bool) bool {
	return !slices.ContainsFunc(obstacles, func(o Obstacle) bool {
		from, to := w.at(&o)
		return from < to && !does(&o, from, to)
	})
}

var percentage = lazy.Compile(`^(\d{1,2}) ?(%|percent|pct)$`)

// inCents writes percentages as prices, where each of them turns out to be one
// that a condition or an exit compares with.
func inCents(prompt string, obstacles []Obstacle, read Reader) (none Suggestion) {
	runes, out, at := []rune(prompt), "", 0
	var prices []strategy.Number
	for _, o := range obstacles {
		m := percentage.FindStringSubmatch(string(runes[o.Start:o.End]))
		if m == nil || o.Why != "percent" {
			return none
		}
		n, _ := strconv.Atoi(m[1]) // two digits at most
		out += string(runes[at:o.Start]) + m[1] + "c"
		prices = append(prices, strategy.Int(n)/100)
		at = o.End
	}
	if at == 0 {
		return none
	}
	out += string(runes[at:])
	says, _ := read(out)
	if len(says) != 1 {
		return none
	}
	entry := slices.Concat(append([][]strategy.Condition{says[0].Entry()}, says[0].EntryAny()...)...)
	for _, p := range prices {
		if !slices.ContainsFunc(entry, func(c strategy.Condition) bool { return c.Threshold == p && c.Type.IsPrice() }) {
			return none
		}
	}
	return Suggestion{Prompt: out, Says: says}
}

var spaces = lazy.Compile(`[ \t]+`)

// tidy closes the gaps that words leave.
func tidy(s string) string {
	s = spaces.ReplaceAllString(s, " ")
	for _, gap := range [...]string{" ,", " .", " ;", " :", ",,", ",.", ",;", ".."} {
		s = strings.ReplaceAll(s, gap, gap[1:])
	}
	return strings.Trim(s, " ,;\n")
}
