package guard

import (
	"slices"

	"github.com/ladderback/ladderback/parser/lexicon"
)

// leftover objects to an answer where words that no field has may say something: a
// clause of its own behind the first rule, words that turn a rule they stand in, and
// a sentence before the rules that tells to do something. What may be passed over is
// in the grammar's table, by these bounds.
func (g *guard) leftover() *Objection {
	first := int32(len(g.tokens))
	for _, at := range g.says {
		first = min(first, at[0])
	}
	for _, n := range g.used {
		first = min(first, n.From)
	}
	for i, n := int32(0), int32(len(g.tokens)); i < n; i++ {
		j := i
		for j < n && !g.divides(j) {
			j++
		}
		bound := "left"
		switch _, hi := g.sentenceAround(i, j); {
		case g.ruled(i, j):
			bound = "rest"
		case hi <= first:
			bound = "lead"
		}
		for from := i; from < j; from++ {
			to := j
			if bound == "rest" {
				to = g.run(from, j)
			}
			if lo, hi := g.unsaid(from, to); lo < hi {
				if bound == "lead" {
					lo, hi = from, to
				}
				if !g.p.Passes(bound, lo, hi) || g.isUnit(lo) {
					return leftOut(g.p.Text(lo, hi))
				}
			}
			from = max(from, to)
		}
		i = j
	}
	return nil
}

// isUnit reports whether a word that nobody knows stands straight behind a number without a unit: "20k naira".
func (g *guard) isUnit(at int32) bool {
	return at > 0 && g.has(at, at+1, "UNK") && g.has(at-1, at, "INT", "REAL")
}

// divides reports whether a token divides clauses.
func (g *guard) divides(i int32) bool {
	inNumber := slices.ContainsFunc(g.numbers, func(n lexicon.Number) bool { return n.From <= i && i < n.To })
	return !inNumber && g.has(i, i+1, "STOP", "SOFT", "QUESTION", "COMMA", "LP", "RP")
}

// ruled reports whether fields come from words of a clause, or a number in it is taken
// back.
func (g *guard) ruled(i, j int32) bool {
	return slices.ContainsFunc(g.says, func(at [2]int32) bool { return i < at[1] && at[0] < j }) ||
		slices.ContainsFunc(g.used, func(n *lexicon.Number) bool { return i <= n.From && n.To <= j }) ||
		slices.ContainsFunc(g.numbers, func(n lexicon.Number) bool { return i <= n.From && n.To <= j && g.takenBack(&n) })
}

// run is where the words end that follow a token without one that an item says.
func (g *guard) run(i, j int32) int32 {
	for i < j && g.tokens[i] != chat && g.tokens[i] != agreed {
		i++
	}
	return i
}

// unsaid is where the words of a clause begin and end that no item says; empty
// where there are none.
func (g *guard) unsaid(i, j int32) (from, to int32) {
	from, to = j, i
	for k := i; k < j; k++ {
		if s := g.tokens[k]; s != chat && s != agreed && g.p.IsWord(k) && !g.filled(k, k+1) && !g.weighed(k) {
			from, to = min(from, k), k+1
		}
	}
	return from, to
}

// weighed reports whether a token is part of the words by which a number was held
// against its field.
func (g *guard) weighed(k int32) bool {
	return g.some(k, k+1, func(class string, l *lexicon.Lexeme, e *lexicon.Entry) bool {
		return g.counted(l) && (!slices.Contains(unweighed, class) || class == "WORD" && timeOf(class, e) != "")
	})
}

// unweighed are the classes of words that no number is held against.
var unweighed = []string{"UNK", "WORD", "AND", "OR", "BUT", "OPINION", "PERSON", "REFUSE", "OUTSIDE", "VAGUE", "NOT", "UNLESS", "AVOID", "BUY", "HOLD"}
