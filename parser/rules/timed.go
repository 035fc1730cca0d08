package rules

import (
	"slices"
	"strings"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/lexicon"
	"github.com/ladderback/ladderback/parser/rules/said"
)

// alsoIn reports whether a time is one in which it is bought too, or alone: "also in the last 2 minutes".
func alsoIn(r *reader, _ []grammar.Item, _ int, it *grammar.Item) bool {
	return said.IsTime(it) && it.From > 0 && (r.p.Word(it.From-1) == "also" || r.p.Word(it.From) == "also")
}

// denial is where times are denied, and onward what is denied with the first of them: another first
// or last time. Whatever else stands behind a comma or "and" may be demanded again: "skip the first 2
// minutes, with at least 3 minutes left", "unless the spread is over 3c and only if Down is above 55c".
var (
	denial  = words(`\b(?:not?|skip|skipping|avoid|avoiding|never|without|ignore|don't|dont|except|stay out|out|stop|cease)\b.*?(?:,| and\b)(.*)`)
	onward  = words(`^ ?(?:(?:and|but|or|also) )*(?:(?:nor|not|no|never|skip|avoid)\b|[<>≤≥=]|(?:in |during )?(?:the )?(?:first|last|final|opening|closing|initial)\b[^,]*$)`)
	another = words(`\b(?:unless|except|excluding|(?:but|not) (?:if|when))\b.*\band (?:only|with|there|when|if|while)\b`)
)

// reaches reports whether a negation runs over what may be demanded again.
func reaches(r *reader, _ []grammar.Item, _ int, it *grammar.Item) bool {
	denied := 0
	if !said.HasConds(it) {
		return false
	}
	for c := range it.Meaning.Conds().Walk() {
		if c.IsDenied() {
			denied++
		}
	}
	text := r.text(it)
	m := denial.FindStringSubmatch(text)
	return denied > 1 && m != nil && (!onward.MatchString(m[1]) || strings.Contains(text, ", in ") || strings.HasSuffix(text, " only")) || r.hasClass(it, "UNLESS", "AVOID") && another.MatchString(text)
}

// buysAtEnd reports whether a purchase runs on to the end of the round, which is when it is bought
// or how long it is held: "buy Up at the close".
func buysAtEnd(r *reader, items []grammar.Item, i int, it *grammar.Item) bool {
	if i == 0 || !said.IsExit(it) || !it.Meaning.Has(grammar.SlotHold) || items[i-1].To != it.From || !said.Buys(&items[i-1]) {
		return false
	}
	rides := i > 1 && said.IsExit(&items[i-2]) && items[i-2].To == items[i-1].From // "ride the leader into the close"
	return !rides && atEnd[r.p.Word(it.From)]
}

// atEnd are words of an instant.
var atEnd = lexicon.WordSet("at into on")

// unitless reports whether a number without a unit at which it is sold may be one of minutes: "at minute 10
// below 40c, sell at 13", "exit with 2".
func unitless(r *reader, items []grammar.Item, i int, it *grammar.Item) bool {
	at := max(it.Meaning.Get(grammar.SlotSold), it.Meaning.Get(grammar.SlotSL))
	if at == 0 || at > minutes || !r.hasClass(it, "INT") || r.hasClass(it, "CENT", "DEC", "USD", "USDC", "SL", "TP") {
		return false
	}
	from := r.sentenceAround(it.From, it.To).from
	return slices.ContainsFunc(items[:i], func(o grammar.Item) bool {
		return o.From >= from && said.HasTime(&o)
	})
}

// minutes is the most of a number of cents, in 1e-6, that may be one of minutes.
const minutes = 150_000

// sold are words of a sale that is no item: "after minute 13 at any price", "take what I can".
var sold = words(`\b(?:take (?:what|any|the market)|at any price|give up|let it|whatever|it (?:must|should|has to|needs to) (?:happen|be there))`)

// ofSale reports whether a time stands behind an exit and may be of it, or of what is done then: "tp
// 60c. In the last 2 minutes let it ride", "sell at 60c, within 5 minutes".
func ofSale(r *reader, items []grammar.Item, i int, it *grammar.Item) bool {
	if !said.IsTime(it) || said.Buys(it) || i == 0 || !said.IsExit(&items[i-1]) && !said.Sells(&items[i-1]) {
		return false
	}
	r.look()
	from, to := r.p.Widen(it.From, it.To, func(at int32) bool { return r.stops[at] })
	if from >= items[i-1].To {
		holds := i+1 < len(items) && items[i+1].From < to && (said.IsExit(&items[i+1]) || items[i+1].Kind == "item.buy" && !items[i+1].Meaning.Has(grammar.SlotSide))
		return holds || sold.MatchString(r.p.Text(from, to))
	}
	within := r.p.Word(it.From) == "within" || r.p.Word(it.From) == "before"
	return it.From == items[i-1].To+1 && within && r.p.HasClass(items[i-1].From, items[i-1].To, "SELL")
}

// holdsIn reports whether it is not to be held in a time that is read as one of the entry: "I don't
// want to be in the trade during the last minute".
func holdsIn(r *reader, _ []grammar.Item, _ int, it *grammar.Item) bool {
	return said.IsTime(it) && r.hasClass(it, "NOT", "AVOID") && holdings.MatchString(r.text(it))
}

var holdings = words(`\b(?:be|stay|being|sit|get caught) (?:in|long|short)\b|\bin (?:the|a|any) (?:trade|market|position)\b|\b(?:holding|exposed|a position)\b`)

// strayed lists the times of conditions beside which, in their clause, stand words that may turn or
// soften them: "done with 2 minutes left", "by halfway", "the last 2 minutes too". What may stand
// before one is a closed list, and what may not behind it.
func (r *reader) strayed(reading *grammar.Reading) (list []Obstacle) {
	var walk func(n *grammar.Node)
	walk = func(n *grammar.Node) {
		if n.Symbol == "time" {
			if from, to := r.turned(n); from < to {
				list = append(list, r.no(from, to, "howlong"))
			}
			return
		}
		for i := range n.Parts {
			walk(&n.Parts[i])
		}
	}
	for i := range reading.Items {
		if said.HasConds(&reading.Items[i]) {
			n := r.p.Node(&reading.Items[i])
			walk(&n)
		}
	}
	return list
}

// turned is the clause around a time with a word that may turn it, empty where there is none.
func (r *reader) turned(n *grammar.Node) (from, to int32) {
	first, last := r.extent(n)
	for from = first; from > 0 && r.p.Word(first) != ":" && r.passed(from-1); {
		from--
	}
	for to = last; int(to) < r.p.Tokens() && r.passed(to); {
		to++
	}
	for k := from; k < to; k++ {
		if k < last && r.passed(k) && r.turnsTime(k) || k >= last && behind[r.p.Word(k)] {
			return from, to
		}
	}
	return 0, 0
}

// turnsTime reports whether a word that nothing holds may turn the time that it stands before.
func (r *reader) turnsTime(at int32) bool {
	w := r.p.Word(at)
	return turning[w] || !neutral[w] && !before[w] && !r.isFiller(at)
}

// passed reports whether a token is a word of a clause that nothing holds.
func (r *reader) passed(at int32) bool { return !r.held[at] && !r.isBreak(at) && r.p.IsWord(at) }

// before lists the words besides neutral ones that say nothing more of the time behind them; turning
// lists those that are neutral elsewhere and turn a time; behind lists those that turn the time
// before them.
var before, behind, turning = lexicon.WordSet(reasons["before times"]), lexicon.WordSet(reasons["behind times"]), lexicon.WordSet(reasons["turning times"])

// extent is where the words of a node begin and end.
func (r *reader) extent(n *grammar.Node) (from, to int32) {
	first, last := n, n
	for first.Line != nil {
		first = &first.Parts[0]
	}
	for last.Line != nil {
		last = &last.Parts[len(last.Parts)-1]
	}
	return r.p.Lexemes[first.Lexeme].From, r.p.Lexemes[last.Lexeme].To
}
