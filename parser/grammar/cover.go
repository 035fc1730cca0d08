package grammar

import (
	"slices"

	"github.com/ladderback/ladderback/parser/lexicon"
)

const (
	// coverMargin is how much dearer than the cheapest a cover may be to be
	// looked at; see [Margin] for which of them count.
	coverMargin = 200
	coversKept  = 8
	// forbidden is the cost of an item that may not stand straight behind
	// another.
	forbidden = 900
)

// path is a cover of the prompt up to a position.
type path struct {
	cost int32
	sum  uint64 // of the meanings of its items
	prev int32  // -1: none
	edge int32  // -1: none, or one of the values below
	from int32
	to   int32
	last symbol // the item it ends with, or lastCut; 0 behind anything else
}

// lastCut is the last of a path that ends where an item on the market must follow.
const lastCut = -1

// Paths that end with no edge.
const (
	edgeChat = -2 // commentary
	edgeSkip = -3 // a token that cannot be read
)

// costSkip is the cost of passing over a token that cannot be read, where a
// prompt is refused and everything that is wrong is looked for.
const costSkip = 150

// coverer finds the cheapest covers.
type coverer struct {
	c      *chart
	skips  bool
	market symbol // item.market
	// heading is the joint that begins a list of exits.
	heading symbol
	chat    *chat
	paths   []path
	at      [][]int32 // by position, cheapest first
}

// put adds a path that ends at a position, unless one that says the same and
// ends alike is as cheap.
func (v *coverer) put(pos int32, p path) {
	list := v.at[pos]
	if k := slices.IndexFunc(list, func(q int32) bool { return v.paths[q].sum == p.sum && v.paths[q].last == p.last }); k >= 0 {
		if p.cost >= v.paths[list[k]].cost {
			return
		}
		list = slices.Delete(list, k, k+1)
	}
	i := len(list)
	for i > 0 && v.paths[list[i-1]].cost > p.cost {
		i--
	}
	if i == coversKept {
		return
	}
	p.to = pos
	v.paths = append(v.paths, p)
	list = slices.Insert(list, i, int32(len(v.paths)-1))
	v.at[pos] = list[:min(len(list), coversKept)]
}

// run fills the positions.
func (v *coverer) run() {
	c := v.c
	v.at, v.market, v.heading = make([][]int32, c.n+1), c.g.ids["item.market"], c.g.ids["joint.exit"]
	for _, f := range c.at[0].passing {
		v.put(f.to, path{cost: f.cost, prev: -1, edge: -1})
	}
	v.chat = c.commentary()
	v.chat.spans = append(v.chat.spans, c.openings...)
	for pos := int32(1); pos <= c.n; pos++ {
		for _, pi := range v.at[pos-1] {
			if p := &v.paths[pi]; v.skips {
				v.put(pos, path{cost: p.cost + costSkip, sum: p.sum, prev: pi, edge: edgeSkip, from: pos - 1})
			}
		}
		for _, ei := range c.at[pos].pieces {
			v.extend(pos, ei)
		}
		for _, ch := range v.chat.spans {
			if ch.to != pos {
				continue
			}
			for _, pi := range v.at[ch.from] {
				p := &v.paths[pi]
				if ch.behind && p.last != v.market {
					continue
				}
				n := path{cost: p.cost + ch.cost, sum: p.sum, prev: pi, edge: edgeChat, from: ch.from}
				if n.last = v.waiting(p); ch.before {
					if n.last != 0 {
						continue
					}
					n.last = lastCut
				}
				v.put(pos, n)
			}
		}
	}
}

// waiting is the heading that nothing has followed yet, 0 for none.
func (v *coverer) waiting(p *path) symbol {
	if p.last == v.heading {
		return p.last
	}
	return 0
}

// extend adds the piece ei to every path that ends where it begins.
func (v *coverer) extend(pos, ei int32) {
	e := &v.c.edges[ei]
	kind := v.c.g.kind[e.s]
	if (kind == isRefused || kind == isOutside) && v.chat.inside(e.from, pos) {
		return
	}
	for _, pi := range v.at[e.from] {
		p := &v.paths[pi]
		if p.last == lastCut && e.s != v.market {
			continue
		}
		n := path{cost: p.cost + e.cost, sum: p.sum, prev: pi, edge: ei, from: e.from}
		switch kind {
		case isItem:
			more := v.c.g.follow[[2]symbol{p.last, e.s}]
			if more >= forbidden {
				continue
			}
			n.cost, n.sum, n.last = n.cost+costItem+more, n.sum+e.says.sum(), e.s
		case isJoint:
			n.cost += costJoint
			if n.last = v.waiting(p); e.s == v.heading {
				n.last = e.s
			}
		default:
			n.sum += 0x5bd1e995
		}
		v.put(pos, n)
	}
}

// Reading is one cover of a prompt.
type Reading struct {
	Cost  int
	Items []Item
	// Commentary are the spans of tokens that were taken as commentary.
	Commentary [][2]int32
	// Unread are the spans of tokens that could not be read; see [Parse.Partial].
	Unread [][2]int32
}

// Item is a piece of a cover that says something.
type Item struct {
	Kind    string // the name of its category
	Meaning Meaning
	From    int32 // tokens
	To      int32
	edge    int32
}

func (c *chart) item(ei int32) Item {
	e := &c.edges[ei]
	return Item{c.g.names[e.s], e.says, e.from, e.to, ei}
}

// Refused reports whether the item is something that the object cannot say, or
// has a part that is, or a value that is not this market's.
func (i *Item) Refused() (refused, outside bool) {
	g := theTable()
	k := g.kind[g.ids[i.Kind]]
	return k == isRefused || k == isItem && i.Meaning.Has(SlotWhy), k == isOutside
}

// Parse is a prompt read by the table. It is not safe for concurrent use, and
// must be closed.
type Parse struct {
	*lexicon.Lattice
	chart    *chart
	readings []Reading
}

// Readings returns the cheapest covers of the whole prompt, cheapest first,
// each with another meaning; none when the prompt is not covered.
func (p *Parse) Readings() []Reading { return p.readings }

func (c *chart) cover() []Reading {
	v := &coverer{c: c}
	v.run()
	var out []Reading
	seen := map[uint64]bool{}
	for _, pi := range v.at[c.n] {
		p := &v.paths[pi]
		if len(out) > 0 && int(p.cost) > out[0].Cost+coverMargin || seen[p.sum] || p.last == v.heading {
			continue
		}
		seen[p.sum] = true
		out = append(out, v.reading(pi))
	}
	return out
}

func (v *coverer) reading(pi int32) Reading {
	r := Reading{Cost: int(v.paths[pi].cost)}
	for q := pi; q >= 0; q = v.paths[q].prev {
		p := &v.paths[q]
		switch {
		case p.edge == edgeSkip:
			if n := len(r.Unread); n > 0 && r.Unread[n-1][0] == p.from+1 {
				r.Unread[n-1][0] = p.from
			} else {
				r.Unread = append(r.Unread, [2]int32{p.from, p.from + 1})
			}
		case p.edge == edgeChat:
			r.Commentary = append(r.Commentary, [2]int32{p.from, p.to})
		case p.edge >= 0 && v.c.g.kind[v.c.edges[p.edge].s] != isJoint:
			r.Items = append(r.Items, v.c.item(p.edge))
		}
	}
	slices.Reverse(r.Items)
	slices.Reverse(r.Commentary)
	slices.Reverse(r.Unread)
	return r
}

// Partial returns the cheapest way to read the prompt if unreadable spans may
// be skipped, so that everything wrong with it can be named.
func (p *Parse) Partial() Reading {
	v := &coverer{c: p.chart, skips: true}
	v.run()
	return v.reading(v.at[p.chart.n][0])
}

// Expected lists the symbols that productions wait for at a position, in
// tokens: what might have stood there, some of it more than once.
func (p *Parse) Expected(at int32) []string {
	var out []string
	g := p.chart.g
	for a := p.chart.at[at].ending; a > 0; a = p.chart.actives[a].next {
		for next := g.tree[p.chart.actives[a].state].child; next > 0; next = g.tree[next].sibling {
			out = append(out, g.names[g.tree[next].symbol])
		}
	}
	return out
}
