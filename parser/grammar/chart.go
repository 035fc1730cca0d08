package grammar

import (
	"slices"

	"github.com/ladderback/ladderback/parser/lexicon"
)

// Limits of a chart: they bound its work and memory on any prompt.
const (
	maxParts    = 9
	maxMeanings = 4 // of one symbol and extent
	// MaxSteps bounds the steps of productions on a prompt.
	MaxSteps = 24_000
)

// Costs of a cover. A reading is the cheaper the fewer pieces it is made of.
const (
	costLexeme = 10
	costFiller = 12
	costMended = 6
	costItem   = 14
	costJoint  = 3
)

// edge is a constituent: a lexeme, or a production with its parts.
type edge struct {
	s        symbol
	nparts   int8 // 0: a lexeme
	from, to int32
	rule     int32
	cost     int32
	lexeme   int32
	parts    [maxParts]int32
	says     Meaning
	next     int32 // next edge with the same symbol and extent, 0: none
}

// active is a production read in part.
type active struct {
	state  int32
	from   int32
	cost   int32
	before int32 // the same with one part less, 0: none
	part   int32
	next   int32 // next that ends at the same position, 0: none
}

// chart reads a lattice bottom-up, position by position. The first edge and the first
// active stand for none.
type chart struct {
	g        *table
	x        *lexicon.Lattice
	n        int32
	edges    []edge
	actives  []active
	at       []position
	packed   map[uint64]int32 // by symbol and extent: the first edge
	agenda   []int32
	steps    int
	looked   int                // tokens gone through for what may be passed over
	tokens   []flags            // what each may be
	openings []chatSpan         // what a second reading may leave out before a rule
	telling  bool               // stories may have everyday words of other things in them
	work     edge               // the one being made
	says     [maxParts]*Meaning // of its parts
}

// position is what a chart has at a place between two tokens.
type position struct {
	ending  int32        // the first active that ends there
	pieces  []int32      // edges that end there and may cover the prompt
	lexemes []lexemeSpan // by where they end
	passing []passage    // where fillers lead from it
}

// lexemeSpan is a lexeme with the fillers behind it.
type lexemeSpan struct {
	from, to, lexeme, cost int32
}

// passage leads over fillers.
type passage struct{ to, cost int32 }

func newChart() *chart {
	return &chart{packed: make(map[uint64]int32, 4096), edges: make([]edge, 1), actives: make([]active, 1)}
}

func (c *chart) reset(g *table, x *lexicon.Lattice) {
	c.g, c.x, c.n, c.steps, c.looked = g, x, int32(x.Tokens()), 0, 0
	c.edges, c.actives, c.agenda = c.edges[:1], c.actives[:1], c.agenda[:0]
	for len(c.at) <= int(c.n) {
		c.at = append(c.at, position{})
	}
	for i := range c.n + 1 {
		at := &c.at[i]
		*at = position{0, at.pieces[:0], at.lexemes[:0], at.passing[:0]}
	}
	clear(c.packed)
}

// parse fills the chart.
func (c *chart) parse() {
	c.tokens = c.makeProfile()
	c.passages()
	for i := range c.x.Lexemes {
		e := &c.x.Lexemes[i]
		for _, p := range c.at[e.To].passing {
			c.at[p.to].lexemes = append(c.at[p.to].lexemes, lexemeSpan{e.From, p.to, int32(i), p.cost})
		}
	}
	for p := int32(0); p <= c.n; p++ {
		for _, l := range c.at[p].lexemes {
			c.lexeme(l)
		}
		for len(c.agenda) > 0 {
			e := c.agenda[len(c.agenda)-1]
			c.agenda = c.agenda[:len(c.agenda)-1]
			c.advance(e)
		}
	}
}

// longestPassage bounds how many tokens of fillers are passed over at once.
const longestPassage = 24

// starts says of each position whether something can begin there.
func (c *chart) starts() []bool {
	starts := make([]bool, c.n+1)
	starts[0], starts[c.n] = true, true
	for _, l := range c.x.Lexemes {
		starts[l.From] = true
		if c.g.sense(l.Entry).flags&(isBreaks|isComma) != 0 {
			starts[l.To] = true // commentary may begin
		}
	}
	return starts
}

// passages finds where fillers lead from each position, the cheapest way.
func (c *chart) passages() {
	starts, fillers := c.starts(), c.x.Fillers
	for p := int32(0); p <= c.n; p++ {
		best := [longestPassage + 1]int32{1} // costs, more by one; 0: no way
		for len(fillers) > 0 && fillers[0].From < p {
			fillers = fillers[1:]
		}
		end := min(p+longestPassage, c.n)
		for _, f := range fillers {
			if f.From > end {
				break
			}
			if f.To == f.From+1 && c.tokens[f.From]&isMark != 0 {
				continue
			}
			if at := best[f.From-p]; at > 0 && f.To <= end {
				if old := &best[f.To-p]; *old == 0 || at+costFiller+f.Rank < *old {
					*old = at + costFiller + f.Rank
				}
			}
		}
		for q := p; q <= end; q++ {
			if at := best[q-p]; at > 0 && starts[q] {
				c.at[p].passing = append(c.at[p].passing, passage{q, at - 1})
			}
		}
	}
}

// lexeme adds the symbols of one lexeme.
func (c *chart) lexeme(l lexemeSpan) {
	lx := &c.x.Lexemes[l.lexeme]
	is := c.g.sense(lx.Entry)
	for _, s := range is.symbols {
		if s == 0 {
			continue
		}
		e := edge{s: s, from: l.from, to: l.to, cost: costLexeme + l.cost, lexeme: l.lexeme}
		if lx.Mended {
			e.cost += costMended
		}
		if c.g.names[s][0] != '\'' { // a lexeme by name says nothing but its name
			e.says = is.says
			if is.number > 0 {
				e.says.number(is.number, &lx.Value, is.flags&isMinus != 0)
			}
		}
		c.add(&e)
	}
}

func packedKey(s symbol, from, to int32) uint64 {
	return uint64(s)<<40 | uint64(from)<<20 | uint64(to)
}

// add packs an edge: of those with one meaning the cheapest stays.
func (c *chart) add(e *edge) {
	key := packedKey(e.s, e.from, e.to)
	head, n := c.packed[key], 0
	for i := head; i > 0; i = c.edges[i].next {
		o := &c.edges[i]
		if o.says.equal(&e.says) {
			if e.cost < o.cost {
				e.next, e.says = o.next, o.says // which may have its conditions in another order
				*o = *e
				c.agenda = append(c.agenda, i)
			}
			return
		}
		n++
	}
	if n >= maxMeanings {
		return
	}
	i := int32(len(c.edges))
	if len(c.edges) == cap(c.edges) { // doubled: append grows by a quarter, which makes five times as much
		c.edges = slices.Grow(c.edges, len(c.edges)+1024)
	}
	e.next, c.packed[key] = head, i
	c.edges = append(c.edges, *e)
	if c.g.kind[e.s] != notItem {
		c.at[e.to].pieces = append(c.at[e.to].pieces, i)
	}
	c.agenda = append(c.agenda, i)
}

// advance moves every production that waits for the edge.
func (c *chart) advance(i int32) {
	if c.steps > MaxSteps {
		return
	}
	e := &c.edges[i]
	s, from, to, cost := e.s, e.from, e.to, e.cost
	if next := c.g.first[s]; next > 0 {
		c.step(next, from, to, cost, 0, i)
	}
	for a := c.at[from].ending; a > 0; a = c.actives[a].next {
		act := &c.actives[a]
		if next := c.g.behind(act.state, s); next > 0 {
			c.step(next, act.from, to, act.cost+cost, a, i)
		}
	}
}

func (c *chart) step(state, from, to, cost, before, part int32) {
	at := &c.g.tree[state]
	c.steps++
	for f := at.finals; f > 0; f = c.g.ends[f].next {
		c.steps++
		c.complete(c.g.ends[f].production, from, to, cost, before, part)
	}
	if at.child > 0 && to < c.n {
		c.actives = append(c.actives, active{state, from, cost, before, part, c.at[to].ending})
		c.at[to].ending = int32(len(c.actives) - 1)
	}
}

func (c *chart) complete(production, from, to, cost, before, part int32) {
	line, k := production/maxFinal, production%maxFinal
	r := &c.g.rules[line]
	e := &c.work // actions take pointers: a local one would be allocated each time
	*e = edge{s: r.lhs, from: from, to: to, rule: line, cost: cost + r.cost, nparts: int8(k)}
	says := c.says[:k]
	k--
	e.parts[k] = part
	for p := before; p > 0; p = c.actives[p].before {
		k--
		e.parts[k] = c.actives[p].part
	}
	for i := range says {
		says[i] = &c.edges[e.parts[i]].says
	}
	if !r.apply(says, &e.says) || c.g.kind[r.lhs] == isItem && e.says.lost() {
		return
	}
	c.add(e)
}

// apply works out the meaning of a production.
func (r *rule) apply(list []*Meaning, out *Meaning) bool {
	for _, p := range list {
		if !out.unify(p, r.skip) {
			return false
		}
	}
	for i := range r.steps {
		if !r.steps[i].apply(list, out) {
			return false
		}
	}
	return true
}

func (s *step) apply(list []*Meaning, out *Meaning) bool {
	switch s.kind {
	case '=':
		return out.agrees(s.slot, s.values[0])
	case '-':
		out.Take(s.slot)
	case '>':
		v, ok := out.Take(s.slot)
		return ok && out.agrees(s.to, v*s.times)
	case '?', '!':
		said := out.Has(s.slot) && (len(s.values) == 0 || slices.Contains(s.values, out.v[s.slot]))
		return said == (s.kind == '?')
	default:
		return s.act.f(list, out)
	}
	return true
}
