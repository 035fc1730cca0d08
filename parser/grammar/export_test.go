package grammar

// As returns the cheapest reading of the whole prompt as a category, for the
// examples of rules.
func (p *Parse) As(category string) (Node, bool) {
	best := int32(-1)
	s, ok := p.chart.g.ids[category]
	if !ok {
		return Node{}, false
	}
	for _, f := range p.chart.passing[0] {
		head, ok := p.chart.packed[uint64(s)<<40|uint64(f.to)<<20|uint64(p.chart.n)]
		if !ok {
			continue
		}
		for i := head; i >= 0; i = p.chart.edges[i].next {
			if best < 0 || p.chart.edges[i].cost < p.chart.edges[best].cost {
				best = i
			}
		}
	}
	if best < 0 {
		return Node{}, false
	}
	return p.node(best), true
}
