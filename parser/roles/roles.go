// Package roles tells what a prompt most likely says by its words, as they were in prompts that somebody
// has labelled: of which part of a strategy each number is, what is said of orders, what is bought, and
// whether it is a prompt to refuse. They are linear models with whole weights, so the same on every machine.
// What comes of it is never believed; it is offered, held against the prompt by package guard.
package roles

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/binary"
	"io"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/ladderback/ladderback/parser/grammar"
)

//go:embed weights.gz
var packed []byte

// cell is what a feature says for a role.
type cell struct {
	role   uint8
	weight int8
}

// table is a linear model: what there is to tell, and by feature what it says for which.
type table struct {
	names    []string
	features []uint32 // ascending
	ends     []int    // by feature: where its cells end, which begin where those before end
	cells    []cell
}

// model is what is told of numbers, and of prompts; constant in spirit.
type model struct {
	roles, shapes table
	asked         [Asked]table
}

var theModel = sync.OnceValue(func() *model { return unpack(packed) })

// unpack reads weights as they are written by the command that learns them; what is compiled in is whole.
func unpack(packed []byte) *model {
	m := &model{}
	zip, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return m
	}
	raw, err := io.ReadAll(zip)
	if err != nil {
		return m
	}
	raw = m.roles.unpack(raw)
	raw = m.shapes.unpack(raw)
	for i := range m.asked {
		raw = m.asked[i].unpack(raw)
	}
	return m
}

// unpack reads one table, and returns what follows it.
func (t *table) unpack(raw []byte) []byte {
	names, raw, _ := bytes.Cut(raw, []byte("\n"))
	t.names = strings.Split(string(names), "\t")
	rows, n := binary.Uvarint(raw)
	raw = raw[n:]
	feature := uint32(0)
	for range rows {
		step, n := binary.Uvarint(raw)
		feature += uint32(step)
		count := int(raw[n])
		raw = raw[n+1:]
		for i := range count {
			t.cells = append(t.cells, cell{raw[2*i], int8(raw[2*i+1])})
		}
		t.features, t.ends = append(t.features, feature), append(t.ends, len(t.cells))
		raw = raw[2*count:]
	}
	return raw
}

// of is what a feature says.
func (t *table) of(feature uint32) []cell {
	i, ok := slices.BinarySearch(t.features, feature)
	if !ok {
		return nil
	}
	from := 0
	if i > 0 {
		from = t.ends[i-1]
	}
	return t.cells[from:t.ends[i]]
}

// sums is how much features say for each that there is to tell.
func (t *table) sums(features []uint32) []int {
	sums := make([]int, len(t.names))
	for _, f := range features {
		for _, c := range t.of(f) {
			sums[c.role] += int(c.weight)
		}
	}
	return sums
}

// best is what features say most for, of some or, nil, of all that there is to tell, and by how much rather
// than the next.
func (t *table) best(features []uint32, of []int) (best, sure int) {
	sums := t.sums(features)
	best, next := -1, -1
	for i, s := range sums {
		switch {
		case of != nil && !slices.Contains(of, i):
		case best < 0 || s > sums[best]:
			best, next = i, best
		case next < 0 || s > sums[next]:
			next = i
		}
	}
	if next < 0 {
		return best, math.MaxInt
	}
	return best, sums[best] - sums[next]
}

// None is the role of a number that is of no part of a strategy.
const None = "none"

// Features goes through the numbers of a prompt with what is seen of each, beside the roles of those
// before it as tell tells them.
func Features(p *grammar.Parse, tell func(k int, features []uint32) string) {
	newText(p).each(tell)
}

func (t *text) each(tell func(k int, features []uint32) string) (roles []string) {
	for k := range t.numbers {
		roles = append(roles, tell(k, t.of(k, roles)))
	}
	return roles
}

// tell returns the role of each of the numbers, and the least by which one is said rather than the next.
func (t *text) tell() (roles []string, sure int) {
	m := &theModel().roles
	sure = math.MaxInt
	roles = t.each(func(_ int, features []uint32) string {
		best, by := m.best(features, nil)
		sure = min(sure, by)
		return m.names[best]
	})
	return roles, sure
}

// Idle lists the tokens of the numbers of a prompt that are most likely of no part of a strategy.
func Idle(p *grammar.Parse) (out [][2]int32) {
	m, t := &theModel().roles, newText(p)
	t.each(func(k int, features []uint32) string {
		best, by := m.best(features, nil)
		if m.names[best] == None && by >= ofNumbers {
			out = append(out, [2]int32{t.numbers[k].From, t.numbers[k].To})
		}
		return m.names[best]
	})
	return out
}

// Reads reports whether a prompt is surely rather one to read than one to refuse.
func Reads(p *grammar.Parse) bool {
	t, m := newText(p), &theModel().shapes
	roles, _ := t.tell()
	sums := m.sums(t.shapeFeatures(roles))
	least := sums[slices.Index(m.names, Refused)] + ofReading
	return slices.ContainsFunc(Fitting(m.names, roles), func(i int) bool { return sums[i] >= least })
}

// whole is what is told of a whole prompt.
type whole struct {
	shape       string
	side        int64 // 0: nothing says it
	post, limit bool
	hold        bool
	sure        int // the least by which one is said rather than the next
}

func (t *text) whole(roles []string) (w whole) {
	m, features := theModel(), t.shapeFeatures(roles)
	best, sure := m.shapes.best(features, Fitting(m.shapes.names, roles))
	w.shape, w.sure = m.shapes.names[best], sure
	ask := func(question int) string {
		best, sure := m.asked[question].best(features, nil)
		w.sure = min(w.sure, sure)
		return m.asked[question].names[best]
	}
	switch first := t.first(); ask(OfSide) {
	case First:
		w.side = first
	case Second:
		w.side = grammar.SideUp + grammar.SideDown - first
	default:
		w.side = grammar.SideEither
	}
	w.post = places.MatchString(w.shape) && ask(OfPost) == Yes
	w.limit = slices.ContainsFunc(roles, func(r string) bool { return strings.HasPrefix(r, "take_profit") }) && ask(OfLimit) == Yes
	w.hold = ask(OfHold) == Yes
	return w
}
