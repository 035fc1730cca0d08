package rules

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lazy"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/parser/rules/said"
)

// shape is a reading as a line of words, with a sign for each condition: P a bound, p one without
// its unit, M a move, T a time; [ and ] around an exit. The market is left out.
type shape struct {
	text string
	at   []int // by token: where it begins in the text
}

// signOf is the sign of a node with the word that it begins with, if that is one of a few, and ~ before
// it where it is denied, and < or > behind it by its comparator; "" for a node that is no condition.
func (r *reader) signOf(n *grammar.Node) string {
	sign := kinds[n.Symbol]
	if sign == "" {
		return ""
	}
	from, to := r.extent(n)
	text := strings.ToLower(r.p.Text(from, to))
	if sign == "P" && r.p.HasClass(from, to, "INT", "FRAC") && !r.p.HasClass(from, to, "CENT", "DEC", "USDC", "USD") {
		sign = "p"
	}
	if negating.MatchString(text) {
		sign = "~" + sign
	}
	if r.p.HasClass(from, from+1, "BE", "MOVE") || beginning[r.p.Word(from)] {
		sign = r.p.Word(from) + " " + sign
	}
	switch flips := flipping.MatchString(text); {
	case upper.MatchString(text):
		return sign + when(!flips, "<") + when(flips, ">")
	case lower.MatchString(text):
		return sign + when(!flips, ">") + when(flips, "<")
	}
	return sign
}

// kinds are the signs of conditions by their symbols.
var kinds = map[string]string{"pred": "P", "chg": "M", "time": "T"}

// shaper writes a shape.
type shaper struct {
	*reader
	side  int64            // what is bought
	ends  []int32          // by token: the end of the condition or market that begins there, 0 for none
	signs map[int32]string // by token: the sign of the condition that begins there
	edges []string         // by token: the brackets before it
}

// mark notes the conditions and markets below a node.
func (s *shaper) mark(n *grammar.Node) {
	from, to := s.extent(n)
	sign := s.signOf(n)
	if sign != "" || n.Symbol == "market" || n.Symbol == "prep" {
		s.ends[from], s.signs[from] = to, sign
		return
	}
	for i := range n.Parts {
		s.mark(&n.Parts[i])
	}
}

// markItem notes what is in an item.
func (s *shaper) markItem(it *grammar.Item) {
	switch {
	case it.Kind == "item.market":
		s.ends[it.From] = it.To
	case said.Sells(it) || said.IsExit(it):
		s.edges[it.From] += "[ "
		s.edges[it.To] = "] " + s.edges[it.To]
	case said.HasConds(it):
		n := s.p.Node(it)
		s.mark(&n)
	}
}

// word is that of a token, or the sign of the condition that begins there, and where it ends.
func (s *shaper) word(at int32) (text string, to int32) {
	if s.ends[at] > at {
		return s.signs[at], s.ends[at]
	}
	text = strings.ToLower(s.p.Text(at, at+1))
	side := map[string]int64{"up": grammar.SideUp, "down": grammar.SideDown}[text]
	switch {
	case side == 0 || s.side == 0:
		return text, at + 1
	case side == s.side:
		return "Own", at + 1
	}
	return "Other", at + 1
}

// shapeOf is the shape of a reading.
func (r *reader) shapeOf(reading *grammar.Reading) *shape {
	n := int32(r.p.Tokens())
	s := &shaper{r, bought(reading.Items), make([]int32, n), map[int32]string{}, make([]string, n+1)}
	for i := range reading.Items {
		s.markItem(&reading.Items[i])
	}
	var b strings.Builder
	out := &shape{at: make([]int, n+1)}
	for at := int32(0); at < n; {
		b.WriteString(s.edges[at])
		text, to := s.word(at)
		for ; at < to; at++ {
			out.at[at] = b.Len()
		}
		if text != "" {
			b.WriteString(text + " ")
		}
	}
	b.WriteString(s.edges[n])
	out.text, out.at[n] = b.String(), b.Len()
	return out
}

// negating is in a bound that is denied, upper and lower are in the two kinds of them; beginning are words that a
// sign has before it.
var (
	negating  = lazy.Compile(`\b(?:not|never|nothing|isnt|aint|[a-z]+n't|cannot)\b`)
	upper     = lazy.Compile(`\b(?:below|under|less|fewer|most|max|maximum|beneath|cheaper|lower|up to)\b|[<≤]`)
	lower     = lazy.Compile(`\b(?:above|over|more|least|min|minimum|past|higher|exceeds?)\b|[>≥]`)
	flipping  = lazy.Compile(`\b(?:no|not|never|nothing|isnt|aint|[a-z]+n't) (?:[a-z]+ )?(?:below|under|less|fewer|cheaper|lower|above|over|more|past|higher)\b`)
	beginning = lexicon.WordSet("by before at up within for until")
)

// tokens are those of a part of the text.
func (s *shape) tokens(at []int) (from, to int32) {
	i, _ := slices.BinarySearch(s.at, at[0]+1)
	j, _ := slices.BinarySearch(s.at, at[1])
	return int32(max(i-1, 0)), int32(min(j, len(s.at)-1))
}

//go:embed shapes.txt
var shapesText string

// shapes are what is refused by its shape, or by its words alone.
var shapes = sync.OnceValue(func() []refusedShape { return readShapes(shapesText) })

type refusedShape struct {
	why   string
	plain bool // of the words alone
	exp   *lazy.Regexp
}

func readShapes(text string) (out []refusedShape) {
	var parts []string
	for name, exp := range lexicon.Rows(text) {
		exp = strings.NewReplacer(parts...).Replace(exp)
		if name[0] < 'a' {
			parts = append(parts, "{"+name+"}", exp)
			continue
		}
		exp, plain := strings.CutPrefix(exp, "!")
		out = append(out, refusedShape{name, plain, lazy.Compile(exp)})
	}
	return out
}

// shaped lists what a reading is refused for by its shape.
func (r *reader) shaped(reading *grammar.Reading) (list []Obstacle) {
	s, words := r.shapeOf(reading), r.shapeOf(&grammar.Reading{})
	for _, no := range shapes() {
		of := s
		if no.plain {
			of = words
		}
		if at := no.exp.FindStringIndex(of.text); at != nil {
			from, to := of.tokens(at)
			list = append(list, r.no(from, to, no.why))
		}
	}
	return list
}
