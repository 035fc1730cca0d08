package grammar

import (
	"iter"
	"sync"

	"github.com/ladderback/ladderback/parser/lexicon"
)

var charts = sync.Pool{New: func() any { return newChart() }}

// begin begins to make the table, so that the vocabulary is read beside it.
var begin = sync.OnceFunc(func() { go theTable() })

// New reads a prompt by the table.
func New(prompt string) *Parse {
	begin()
	return read(lexicon.Read(prompt), nil, false)
}

// read reads a lattice; openings is what may be left out before rules, telling
// whether stories may have everyday words of other things in them.
func read(x *lexicon.Lattice, openings []chatSpan, telling bool) *Parse {
	c := charts.Get().(*chart)
	c.reset(theTable(), x)
	c.openings, c.telling = openings, telling
	c.parse()
	return &Parse{Lattice: x, chart: c, readings: c.cover()}
}

// Close releases the chart. Afterwards only the lattice and the readings may be
// used.
func (p *Parse) Close() {
	if p.chart != nil {
		charts.Put(p.chart)
		p.chart = nil
	}
}

// Node is a part of a derivation.
type Node struct {
	Symbol   string
	From, To int32 // tokens
	Cost     int
	Meaning  *Meaning
	Note     string // of the assumption that its rule makes, "" for none
	Line     *Line  // the rule, nil for a lexeme
	Parts    []Node
	// Lexeme is the index of the lexeme, -1 for a production.
	Lexeme int32
}

// Node returns how an item was read.
func (p *Parse) Node(i *Item) Node { return p.node(i.edge) }

func (p *Parse) node(ei int32) Node {
	e := &p.chart.edges[ei]
	n := Node{Symbol: p.chart.g.names[e.s], From: e.from, To: e.to, Cost: int(e.cost), Meaning: &e.says, Lexeme: e.lexeme}
	if e.nparts == 0 {
		return n
	}
	r := &p.chart.g.rules[e.rule]
	n.Note, n.Line, n.Lexeme = r.note, &p.chart.g.lines[e.rule], -1
	for _, k := range e.parts[:e.nparts] {
		n.Parts = append(n.Parts, p.node(k))
	}
	return n
}

// Fragments goes through the items that the table reads anywhere in the prompt,
// whether or not they are part of a cover.
func (p *Parse) Fragments() iter.Seq[Item] {
	return func(yield func(Item) bool) {
		for to := range p.chart.n {
			for _, ei := range p.chart.at[to+1].pieces {
				if p.chart.g.kind[p.chart.edges[ei].s] != isJoint && !yield(p.chart.item(ei)) {
					return
				}
			}
		}
	}
}

// Steps returns how much work the chart took: at most MaxSteps, plus the rules
// that the last step completed.
func (p *Parse) Steps() int { return p.chart.steps }

// Looked returns how many tokens were gone through to tell what may be passed over.
func (p *Parse) Looked() int { return p.chart.looked }

// As returns the cheapest reading of the whole prompt as a category, for the
// examples of rules.
func (p *Parse) As(category string) (Node, bool) {
	best, s := int32(0), p.chart.g.ids[category] // 0: no category, of which nothing is packed
	for _, f := range p.chart.at[0].passing {
		for i := p.chart.packed[packedKey(s, f.to, p.chart.n)]; i > 0; i = p.chart.edges[i].next {
			if best == 0 || p.chart.edges[i].cost < p.chart.edges[best].cost {
				best = i
			}
		}
	}
	return p.node(best), best > 0
}
