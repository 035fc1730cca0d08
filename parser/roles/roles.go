// Package roles tells which part of a strategy each number of a prompt is most likely of, by the
// words around it, as they were in prompts that somebody has labelled: a linear model with whole
// weights, so the same on every machine. What comes of it is never believed; it is offered, held
// against the prompt by package guard.
package roles

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/binary"
	"io"
	"math"
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

// model has the names of the roles, and by feature what it says; constant in spirit.
type model struct {
	names []string
	cells map[uint32][]cell
}

var theModel = sync.OnceValue(func() *model { return unpack(packed) })

// unpack reads weights as Pack writes them; what is compiled in is whole.
func unpack(packed []byte) *model {
	m := &model{cells: map[uint32][]cell{}}
	zip, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return m
	}
	raw, err := io.ReadAll(zip)
	if err != nil {
		return m
	}
	names, raw, _ := bytes.Cut(raw, []byte("\n"))
	m.names = strings.Fields(string(names))
	feature, all := uint32(0), make([]cell, 0, len(raw)/2)
	for len(raw) > 0 {
		step, n := binary.Uvarint(raw)
		feature += uint32(step)
		count := int(raw[n])
		raw = raw[n+1:]
		from := len(all)
		for i := range count {
			all = append(all, cell{raw[2*i], int8(raw[2*i+1])})
		}
		m.cells[feature], raw = all[from:len(all):len(all)], raw[2*count:]
	}
	return m
}

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

// plainly is by how much more than for the next must be said for a role that is told.
const plainly = 30

// tell returns the role of each of the numbers, and the least by which one is said rather than the
// next.
func (t *text) tell() (roles []string, sure int) {
	m := theModel()
	sure = math.MaxInt
	sums := make([]int, len(m.names))
	roles = t.each(func(_ int, features []uint32) string {
		clear(sums)
		for _, f := range features {
			for _, c := range m.cells[f] {
				sums[c.role] += int(c.weight)
			}
		}
		best, next := 0, -1
		for i, s := range sums {
			switch {
			case s > sums[best]:
				best, next = i, best
			case i != best && (next < 0 || s > sums[next]):
				next = i
			}
		}
		sure = min(sure, sums[best]-sums[next])
		return m.names[best]
	})
	return roles, sure
}
