package grammar

// As returns the cheapest reading of the whole prompt as a category, for the
// examples of rules.
func (p *Parse) As(category string) (Node, bool) {
	best, cost := int32(-1), int32(0)
	s, ok := p.chart.g.ids[category]
	for _, f := range p.chart.passing[0] {
		i, packed := p.chart.packed[uint64(s)<<40|uint64(f.to)<<20|uint64(p.chart.n)]
		for ; ok && packed && i >= 0; i = p.chart.edges[i].next {
			if e := &p.chart.edges[i]; best < 0 || e.cost < cost {
				best, cost = i, e.cost
			}
		}
	}
	if best < 0 {
		return Node{}, false
	}
	return p.node(best), true
}
