package rewrite

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/strategy"
)

// has says, by the classes of words that name a thing without a value of it, whether a
// strategy has it: then a sentence that names it may be left out.
var has = map[string]func(s *strategy.Canonical, e *lexicon.Entry) bool{
	"COIN":    func(s *strategy.Canonical, e *lexicon.Entry) bool { return e.Slots[0].Value == s.Market().Coin },
	"TOK":     names,
	"EITHER":  func(s *strategy.Canonical, _ *lexicon.Entry) bool { return s.Side() == strategy.Either },
	"LENWORD": lasts,
	"FAV":     func(s *strategy.Canonical, _ *lexicon.Entry) bool { return s.Side() == strategy.Either },
	"TRAIL":   func(s *strategy.Canonical, _ *lexicon.Entry) bool { return s.Exit().TrailingStop != nil },
	"SL":      func(s *strategy.Canonical, _ *lexicon.Entry) bool { return s.Exit().Stops() },
	"TP":      func(s *strategy.Canonical, _ *lexicon.Entry) bool { return s.Exit().Aims() },
	"SELL":    func(s *strategy.Canonical, _ *lexicon.Entry) bool { return s.Exit().Sells() },
	"HOLD":    held,
	"RIDE":    held,
}

func conditional(s *strategy.Canonical) bool {
	return len(s.Entry())+len(s.EntryAny()) > 0
}

// names reports whether a token is the one that is bought, or one of a condition.
func names(s *strategy.Canonical, e *lexicon.Entry) bool {
	return e.Slots[0].Value == string(s.Side()) || e.Name == "candidate" || slices.ContainsFunc(s.Entry(), func(c strategy.Condition) bool { return e.Slots[0].Value == string(c.Token) })
}

// lasts reports whether a word of a length names the one of the market.
func lasts(s *strategy.Canonical, e *lexicon.Entry) bool {
	return lengthOf(e) == string(s.Market().Type)
}

// lengthOf is the length that a word of one names.
func lengthOf(e *lexicon.Entry) string {
	n, _ := strconv.ParseInt(e.Slots[0].Value, 10, 64)
	return grammar.LengthName(n / lexicon.Micro)
}

func held(s *strategy.Canonical, _ *lexicon.Entry) bool { return s.Exit().HoldToExpiry }

// means reports whether what is left out may say what is left: of which coin a market is, what a
// number is of, that a condition is not one.
func (w *writer) means(from, to int32) bool {
	coin := func(i int32, t *token) bool { return !t.out && w.p.HasClass(i, i+1, "COIN", "ANYCOIN") }
	if w.p.HasClass(to, min(to+2, w.n), "LEN") && !w.some(0, w.n, coin) { // "gold 15m"
		return true
	}
	lo, hi := w.around("clause", from, to)
	return w.orphans(lo, hi) || w.mentions(from, to)
}

// orphans reports whether what is left out of a clause says what the numbers are that are left
// of it: "make $10", "$20 max loss".
func (w *writer) orphans(lo, hi int32) bool {
	of := func(i int32, t *token) bool {
		return t.out && w.p.HasClass(i, i+1, "MAKE", "PROFIT", "LOSS", "SL", "TP", "REFUSE", "BUDGET", "STAKE")
	}
	others := func(i int32, t *token) bool {
		return t.ruled && !t.out && !t.number && w.p.IsSpoken(i) && !w.p.HasClass(i, i+1, "CMP", "LCMP", "POST", "PER")
	}
	return w.some(lo, hi, of) && w.some(lo, hi, func(_ int32, t *token) bool { return t.number && !t.out }) && !w.some(lo, hi, others)
}

// mentions reports whether a sentence of which something is left out has a value still, and no
// word of buying: what turns it, "a spread above 3c kills the trade", may be what was left out.
func (w *writer) mentions(from, to int32) bool {
	lo, hi := w.p.Widen(from, to, func(i int32) bool { return w.p.HasClass(i, i+1, "STOP", "NL", "QUESTION") })
	kept := func(i int32, t *token) bool { return !t.out && w.p.HasClass(i, i+1, "QTY", "DUR", "FIRST", "LAST") }
	return w.some(lo, hi, kept) && !w.p.HasClass(lo, hi, "BUY", "TOK", "EITHER", "FAV", "COIN", "LEN", "SL", "TP", "SELL")
}

// left is how many tokens are left out.
func (w *writer) left() (n int) {
	for _, t := range w.tokens {
		if t.out {
			n++
		}
	}
	return n
}

// text is the prompt with spaces for what is left out, and for the punctuation behind it
// that divides nothing any more.
func (w *writer) text() string {
	text, last := slices.Clone(w.prompt), int32(-1) // the last that is not left out
	blank := func(i int32) {
		s := w.p.Span(i, i+1)
		for k := s.Start; k < s.End; k++ {
			text[k] = ' '
		}
	}
	divides := func(i int32) bool { return i < 0 || w.tokens[i].end || w.tokens[i].comma }
	for i := range w.n {
		switch {
		case w.tokens[i].out:
			blank(i)
			continue
		case i == 0 || !w.tokens[i-1].out || !divides(i) || !divides(last):
		case last >= 0 && w.tokens[last].comma:
			blank(last)
		default:
			blank(i)
			continue
		}
		last = i
	}
	return string(text)
}

// lost are the words that are left out and name what not all of what is left has.
func (w *writer) lost(says []strategy.Canonical) []lexicon.Lexeme {
	return slices.DeleteFunc(slices.Clone(w.named), func(l lexicon.Lexeme) bool {
		e := lexicon.Entries()[l.Entry]
		return !slices.ContainsFunc(says, func(s strategy.Canonical) bool { return !has[e.Class](&s, e) })
	})
}

// loses reports whether what is left lacks something that may have been left out.
func (w *writer) loses(s strategy.Canonical) bool {
	lacks := slices.ContainsFunc(w.borne, func(bears func(strategy.Canonical) bool) bool { return !bears(s) })
	return lacks || w.conditions && !conditional(&s) && !s.Rests() || w.rests && !s.Rests()
}

// suggestion is what is left, unless something is lost.
func (w *writer) suggestion(says []strategy.Canonical) (none Suggestion) {
	if slices.ContainsFunc(says, w.loses) || len(w.lost(says)) > 0 {
		return none
	}
	s := Suggestion{Prompt: tidy(w.text()), Says: says, Nearly: !w.unsure}
	for i := int32(0); i < w.n; i++ {
		j := i
		for j < w.n && w.tokens[j].out {
			j++
		}
		from, to := w.trim(i, j, true)
		if i = j; from == to {
			continue
		}
		lo, hi := w.around("clause", from, to)
		if w.means(from, to) {
			return none
		}
		s.Nearly = s.Nearly && !w.some(lo, hi, w.turns) && w.some(lo, hi, func(i int32, t *token) bool { return !t.out && w.p.IsSpoken(i) })
		if strings.Contains(w.p.Text(from, to), `"`) {
			return none
		}
		at := w.p.Span(from, to)
		s.LeftOut = append(s.LeftOut, [2]int{int(at.Start), int(at.End)})
	}
	return s
}
