// Package rewrite finds the nearest prompt that can be read to one that was
// refused, where there is one that loses nothing.
//
// It changes a prompt in two ways alone: it leaves out whole clauses and sentences
// that hold nothing which a strategy can say, and it writes a percentage that stands for a
// price as one. So every number, exit, coin, length, budget, sample and
// condition that a strategy can hold stays, and none is added.
package rewrite

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/strategy"
)

// Obstacle is a phrase that keeps a prompt from being read: the Unicode code
// points [Start, End).
type Obstacle struct {
	Start, End int
	Outside    bool   // a value that is not this market's
	Why        string // name of the reason, "" for none of the known ones
}

// Suggestion is a prompt that can be read in place of one that cannot.
type Suggestion struct {
	Prompt  string
	LeftOut [][2]int // of the refused prompt: Unicode code points [start, end), in its order
}

// Reader reads a prompt; nil if it is refused.
type Reader func(prompt string) *strategy.Canonical

// related are the reasons of phrases that say how other parts of the prompt go
// together: without them the rest means another thing.
var related = []string{"sequence", "last", "anyof", "compare", "exclusion", "coins", "headless", "switch", "both", "equal", "limit", "short", "contradiction", "invalid", "unclear", "multiple", "sellsif", "exittime", "partial", "breakeven", "days"}

// Nearest returns the nearest prompt that can be read, an empty one if none can
// without losing something.
func Nearest(prompt string, obstacles []Obstacle, read Reader) (none Suggestion) {
	if len(obstacles) == 0 {
		return none
	}
	if s := inCents(prompt, obstacles, read); s.Prompt != "" {
		return s
	}
	w := &writer{prompt: []rune(prompt), lattice: lexicon.Read(prompt), obstacles: obstacles}
	w.findStories()
	if slices.ContainsFunc(obstacles, func(o Obstacle) bool { return o.Start >= w.opening && slices.Contains(related, o.Why) }) {
		return none
	}
	return w.without(read)
}

var percentage = regexp.MustCompile(`^(\d{1,2}) ?(%|percent|pct)$`)

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
	out += string(runes[at:])
	s := read(out)
	if s == nil {
		return none
	}
	entry := slices.Concat(append([][]strategy.Condition{s.Entry()}, s.EntryAny()...)...)
	for _, p := range prices {
		if !slices.ContainsFunc(entry, func(c strategy.Condition) bool {
			return c.Threshold == p && (c.Type == strategy.Price || c.Type == strategy.BestAsk || c.Type == strategy.BestBid)
		}) {
			return none
		}
	}
	return Suggestion{Prompt: out}
}

// Classes of words by what leaving them out loses: nothing, where they end or begin a
// clause too, or only where they are said of a value that is not this market's. All
// others are never left out.
var (
	breaks    = lexicon.WordSet("COMMA STOP QUESTION SOFT COLON NL")
	joints    = lexicon.WordSet("IF UNLESS AND OR")
	nothing   = lexicon.WordSet("UNK WORD BE OPINION OUTSIDE REFUSE VAGUE MEAN FILL NAME IF UNLESS AND OR COMMA STOP QUESTION SOFT COLON NL")
	ofOutside = lexicon.WordSet("PCT DAYS CLOCK BADMONEY INT REAL ZERO CMP LCMP POST MOVE CROSS COIN PRON HIGHER PROFIT")
)

// numbers are the classes of numbers.
var numbers = lexicon.WordSet("CENT DEC USDC USD INT REAL ZERO PLUSNUM MINUSNUM DUR FRAC ORD")

// values are the classes of words of which a sentence without any gives no value, denies
// nothing and chooses nothing that the rest may not have.
var values = lexicon.WordSet(`CENT DEC USDC USD INT REAL ZERO PLUSNUM MINUSNUM DUR FRAC ORD TIMES DECADE EDGE MINUSEDGE ZEROUSD
	BADNUM PCT SHARES CLOCK BADMONEY TICKS DAYS ANYCOIN ANYLEN OTHER UNLESS NOT AVOID TPO SLO`)

// has says, by the classes of words that name a thing without a value of it, whether a
// strategy has it: then a sentence that names it may be left out.
var has = map[string]func(s *strategy.Canonical, e *lexicon.Entry) bool{
	"COIN":    func(s *strategy.Canonical, e *lexicon.Entry) bool { return e.Slots[0].Value == s.Market().Coin },
	"TOK":     func(s *strategy.Canonical, e *lexicon.Entry) bool { return e.Slots[0].Value == string(s.Side()) },
	"EITHER":  func(s *strategy.Canonical, _ *lexicon.Entry) bool { return s.Side() == strategy.Either },
	"LENWORD": lasts,
	"FAV":     func(s *strategy.Canonical, _ *lexicon.Entry) bool { return s.Side() == strategy.Either },
	"IF":      conditional,
	"TRAIL":   func(s *strategy.Canonical, _ *lexicon.Entry) bool { return s.Exit().TrailingStop != nil },
	"SL":      func(s *strategy.Canonical, _ *lexicon.Entry) bool { return s.Exit().Stops() },
	"TP":      func(s *strategy.Canonical, _ *lexicon.Entry) bool { return s.Exit().Aims() },
	"SELL":    func(s *strategy.Canonical, _ *lexicon.Entry) bool { return s.Exit().Sells() },
	"HOLD":    held,
	"RIDE":    held,
}

func conditional(s *strategy.Canonical, _ *lexicon.Entry) bool {
	return len(s.Entry())+len(s.EntryAny()) > 0
}

// lasts reports whether a word of a length names the one of the market.
func lasts(s *strategy.Canonical, e *lexicon.Entry) bool {
	n, _ := strconv.ParseInt(e.Slots[0].Value, 10, 64)
	return grammar.LengthName(n/lexicon.Micro) == string(s.Market().Type)
}

func held(s *strategy.Canonical, _ *lexicon.Entry) bool { return s.Exit().HoldToExpiry }

type writer struct {
	prompt    []rune
	lattice   *lexicon.Lattice
	obstacles []Obstacle
	story     []bool // by token: in a sentence with an obstacle that holds nothing
	opening   int    // where the first sentence that holds something begins, in code points

	out        strings.Builder
	left       [][2]int
	named      []*lexicon.Entry // by what is left out
	conditions bool             // of which something may have been a condition
}

// clause is a part of the prompt, in tokens, with the joint that it begins with.
type clause struct {
	from, to int32
	joint    string // its class, "" for none
	behind   int32  // token behind the joint
}

// clauses cuts the prompt before joints and behind breaks.
func (w *writer) clauses() []clause {
	n := int32(w.lattice.Tokens())
	cuts := make([]clause, n+1) // by token; behind < 0: none begins there
	for i := range cuts {
		cuts[i] = clause{from: int32(i), to: n, behind: -1}
	}
	cuts[0].behind = 0
	for l, e := range w.lattice.Within(0, n) {
		switch c := &cuts[l.From]; {
		case joints[e.Class] && c.behind < l.To:
			c.joint, c.behind = e.Class, l.To
		case breaks[e.Class]:
			cuts[l.To].behind = max(cuts[l.To].behind, l.To)
		}
	}
	out := slices.DeleteFunc(cuts[:n], func(c clause) bool { return c.behind < 0 })
	for i := range len(out) - 1 {
		out[i].to = out[i+1].from
	}
	return out
}

// findStories finds the sentences that tell something beside the rules.
func (w *writer) findStories() {
	n := int32(w.lattice.Tokens())
	w.story, w.opening = make([]bool, n), len(w.prompt)
	says, ends := make([]bool, n), make([]bool, n+1)
	for l, e := range w.lattice.Within(0, n) {
		says[l.From] = says[l.From] || values[e.Class]
		ends[l.To] = ends[l.To] || slices.Contains([]string{"STOP", "QUESTION", "SOFT", "COLON", "NL"}, e.Class)
	}
	ends[n] = true
	for from, to := int32(0), int32(1); to <= n; to++ {
		if !ends[to] {
			continue
		}
		valued, names := slices.Contains(says[from:to], true), w.names(from, to)
		if valued || len(names) > 0 {
			w.opening = min(w.opening, int(w.lattice.Span(from, to).Start))
		}
		if hit, outside := w.hit(&clause{from: from, to: to}); hit && !valued {
			w.conditions, w.named = w.conditions || outside, append(w.named, names...)
			for i := from; i < to; i++ {
				w.story[i] = true
			}
		}
		from = to
	}
}

// names lists what the tokens [from, to) name without a value.
func (w *writer) names(from, to int32) (list []*lexicon.Entry) {
	for _, e := range w.lattice.Within(from, to) {
		if has[e.Class] != nil {
			list = append(list, e)
		}
	}
	return list
}

// without leaves out the clauses with obstacles.
func (w *writer) without(read Reader) (none Suggestion) {
	list := append(w.clauses(), clause{})
	for i := range len(list) - 1 {
		c := &list[i]
		if c.from == c.to { // of "and" alone, which the clause before it took
			continue
		}
		hit, outside := w.hit(c)
		switch {
		case w.story[c.from]:
			w.drop(c)
		case !hit:
			w.out.WriteString(w.text(c.from, c.to))
		case !w.leave(c, &list[i+1], outside):
			return none
		}
	}
	s := Suggestion{Prompt: tidy(w.out.String()), LeftOut: w.left}
	got := read(s.Prompt)
	lost := func(e *lexicon.Entry) bool { return !has[e.Class](got, e) }
	if got == nil || w.conditions && !conditional(got, nil) || slices.ContainsFunc(w.named, lost) {
		return none
	}
	return s
}

// leave leaves out a clause; false where that loses something.
func (w *writer) leave(c, next *clause, outside bool) bool {
	if !w.empty(c, outside) || c.joint == "OR" || next.joint == "OR" || next.joint == "AND" && c.joint == "" {
		return false
	}
	w.conditions = w.conditions || c.joint != "" || outside
	if next.joint == "AND" {
		w.out.WriteString(w.text(c.from, c.behind)) // "when … and": the next is what it begins
		next.from = next.behind
		w.leftOut(c)
	} else {
		w.drop(c)
	}
	return true
}

// drop leaves out a clause but for the break that it ends with.
func (w *writer) drop(c *clause) {
	w.leftOut(c)
	end := w.text(c.to-1, c.to)
	if !strings.ContainsAny(end, ",.;\n") {
		end = " "
	}
	if w.out.Len() > 0 {
		w.out.WriteString(end)
	}
}

// leftOut notes where a clause stands, without the punctuation around it.
func (w *writer) leftOut(c *clause) {
	from, to := c.from, c.to
	for from < to && !w.lattice.IsSpoken(from) {
		from++
	}
	for to > from && !w.lattice.IsSpoken(to-1) {
		to--
	}
	if from < to {
		s := w.lattice.Span(from, to)
		w.left = append(w.left, [2]int{int(s.Start), int(s.End)})
	}
}

// text is the prompt's text of the tokens [from, to), with the space behind; from < to.
func (w *writer) text(from, to int32) string {
	start, end := w.lattice.Span(from, to).Start, int32(len(w.prompt))
	if to < int32(w.lattice.Tokens()) {
		end = w.lattice.Span(to, to+1).Start
	}
	return string(w.prompt[start:end])
}

// hit reports whether an obstacle lies in a clause, and whether one is of a
// value that is not this market's.
func (w *writer) hit(c *clause) (hit, outside bool) {
	s := w.lattice.Span(c.from, c.to)
	for _, o := range w.obstacles {
		if o.Start < int(s.End) && o.End > int(s.Start) {
			hit, outside = true, outside || o.Outside
		}
	}
	return hit, outside
}

// empty reports whether a clause holds nothing that a strategy can say, and notes
// the coins that it names.
func (w *writer) empty(c *clause, outside bool) bool {
	for _, e := range w.lattice.Within(c.from, c.to) {
		switch c := e.Class; {
		case !nothing[c] && !(outside && ofOutside[c]):
			return false
		case c == "COIN":
			w.named = append(w.named, e)
		}
	}
	return true
}

var spaces = regexp.MustCompile(`[ \t]+`)

// tidy closes the gaps that clauses leave.
func tidy(s string) string {
	s = spaces.ReplaceAllString(s, " ")
	for _, gap := range [...]string{" ,", " .", " ;", ",,", ",.", ",;", ".."} {
		s = strings.ReplaceAll(s, gap, gap[1:])
	}
	return strings.Trim(s, " ,;\n")
}
