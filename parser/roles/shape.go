package roles

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ladderback/ladderback/parser/grammar"
	"github.com/ladderback/ladderback/parser/meaning"
)

// A shape is what a prompt says of orders, in the sentences of a summary with # for each number that
// the prompt has and = for a price, an amount or a time that is as much as the one before it, the first amount as the
// budget, without what is asked besides: whether they are post only, and whether the target rests.
// A number's role there is the clause it stands in.

// Shapes that say nothing of orders.
const (
	Plain   = "plain"
	Refused = "refused" // no strategy, by its label
	AnyOf   = "any of"  // sets of conditions, of which one must hold
)

// What is asked of a whole prompt, beside its shape.
const (
	OfSide  = iota // what is bought, in the words of a summary
	OfPost         // of a prompt with resting orders, whether they are post only
	OfLimit        // whether the target rests
	OfHold         // whether what is not sold before is held to expiry
	Asked          // how much is asked
)

// Answers to a question of yes or no.
const (
	Yes = "yes"
	No  = "no"
)

// Answers to the question what is bought: the token that is named first, the other, or either.
const (
	First  = "first"
	Second = "second"
	Either = "either"
)

// postOnly is how a shape with resting orders has them post only.
const postOnly = ", post only"

// places is where orders rest.
var places = regexp.MustCompile(`(?:Rest|resting) [^,.]*`)

// borders of the clauses of a shape.
var clauseEnds = regexp.MustCompile(`[.,():]| and `)

// Slots lists the roles of a shape's numbers, in their order: the clause of each, from the number before it in
// the same clause on.
func Slots(shape string) (out []string) {
	for _, clause := range clauseEnds.Split(shape, -1) {
		parts := strings.Split(clause, "#")
		for i, after := range parts[1:] {
			if i < len(parts)-2 && strings.HasPrefix(after, "c") {
				after = "c"
			}
			out = append(out, strings.TrimSpace(parts[i]+"#"+after))
		}
	}
	return out
}

// ofOrder reports whether a role is one of a shape.
func ofOrder(role string) bool { return strings.Contains(role, "#") }

// fits reports whether a shape has the numbers of the roles, whatever their order.
func fits(slots, roles []string) bool {
	var of []string
	for _, r := range roles {
		if ofOrder(r) {
			of = append(of, r)
		}
	}
	return slices.Equal(slices.Sorted(slices.Values(of)), slices.Sorted(slices.Values(slots)))
}

// Fitting lists which shapes have the numbers of the roles; those of no strategy have any.
func Fitting(shapes, roles []string) (out []int) {
	for i, s := range shapes {
		if s == Refused || s == AnyOf || fits(Slots(s), roles) {
			out = append(out, i)
		}
	}
	return out
}

// ShapeFeatures is what is seen of a whole prompt: its words, those that nobody understands, and what its
// numbers are of.
func ShapeFeatures(p *grammar.Parse, roles []string) []uint32 { return newText(p).shapeFeatures(roles) }

func (t *text) shapeFeatures(roles []string) []uint32 {
	f := &features{t: t}
	first := t.first()
	word := func(i int) string {
		switch {
		case i < 0 || i >= len(t.at):
		case t.at[i] >= 0:
			return "#" + roles[t.at[i]]
		case t.sides[i] != 0 && t.sides[i] != first:
			return "the other token"
		}
		return t.word(i)
	}
	unread := make([]bool, len(t.words))
	for _, u := range t.unread {
		for i := u[0]; i < u[1]; i++ {
			unread[i] = true
		}
	}
	f.add("bias")
	for i := range t.words {
		w := word(i)
		f.add("w", w)
		f.add("c", t.class(i))
		f.add("2", w, word(i+1))
		f.add("2c", t.class(i), t.class(i+1))
		f.add("3", w, word(i+1), word(i+2))
		if unread[i] {
			f.add("u", w)
			f.add("u2", w, word(i+1))
			f.add("u2l", word(i-1), w)
			f.add("uc", t.class(i))
		}
	}
	for _, r := range roles {
		f.add("r", r)
	}
	slices.Sort(f.out)
	return slices.Compact(f.out)
}

// first is the side that is named first; 0: none is.
func (t *text) first() int64 {
	if i := slices.IndexFunc(t.sides, func(s int64) bool { return s != 0 }); i >= 0 {
		return t.sides[i]
	}
	return 0
}

// written fills a shape with the numbers of a prompt.
func (d *draft) written() (string, bool) {
	shape := d.shape
	if shape == Plain {
		return "", true
	}
	if d.post {
		shape = places.ReplaceAllString(shape, "$0"+postOnly)
	}
	used, slots, order, ok := make([]bool, len(d.roles)), Slots(shape), 0, true
	last := map[string]string{"$": strconv.Itoa(meaning.DefaultBudget)}
	if k := slices.Index(d.roles, "budget"); k >= 0 {
		n, _ := d.amount(k, "$#")
		last["$"] = n
	}
	text := blanks.ReplaceAllStringFunc(shape, func(blank string) string {
		unit := strings.Trim(blank, "#=")
		switch {
		case unit == "Order:":
			order++
			return "Order " + strconv.Itoa(order) + ":"
		case strings.Contains(blank, "="):
			return strings.Replace(blank, "=", last[unit], 1)
		}
		k, n, fits := 0, "", false
		for k < len(d.roles) && (used[k] || d.roles[k] != slots[0]) {
			k++
		}
		if k < len(d.roles) {
			used[k] = true
			n, fits = d.amount(k, slots[0])
		}
		slots, ok, last[unit] = slots[1:], ok && fits, n
		return strings.Replace(blank, "#", n, 1)
	})
	return text, ok
}

// blanks are what is filled in a shape: numbers, and those of its orders.
var blanks = regexp.MustCompile(`\$[#=]|[#=]c\b|[#=] seconds|#|Order:`)
