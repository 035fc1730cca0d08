package grammar

// Costs of commentary: dearer than reading the same words.
const (
	costChat        = 40
	costChatUnknown = 30 // for each word that is not vocabulary
)

type chatSpan struct{ from, to, cost int32 }

// profile says of each token what a clause with it may be.
type profile struct {
	plain, unknown, meant, rule, token, breaks, comma, odd []bool
}

func (c *chart) profile() *profile {
	n := int(c.n)
	flags := make([]bool, 8*n)
	p := &profile{flags[:n], flags[n : 2*n], flags[2*n : 3*n], flags[3*n : 4*n], flags[4*n : 5*n], flags[5*n : 6*n], flags[6*n : 7*n], flags[7*n:]}
	for _, f := range c.x.Fillers {
		for i := f.From; i < f.To; i++ {
			p.plain[i] = true
		}
	}
	for i := range c.x.Lexemes {
		e := &c.x.Lexemes[i]
		for k := e.From; k < e.To; k++ {
			c.mark(p, k, c.g.entryClass[e.Entry])
		}
	}
	return p
}

// mark notes that token k is part of a lexeme of a class.
func (c *chart) mark(p *profile, k int32, of class) {
	switch of {
	case classUnknown:
		if c.x.IsWord(k) {
			p.unknown[k] = true
		} else {
			p.odd[k] = true
		}
	case classSmall, classOpinion:
		p.plain[k] = true
	case classBreak:
		p.breaks[k] = true
	case classComma:
		p.comma[k] = true
	case classToken:
		p.token[k] = true
		p.meant[k] = true
	case classMeant:
		p.meant[k] = true
	case classRule:
		p.rule[k] = true
		p.meant[k] = true
	default: // numbers
		p.rule[k] = true
		p.meant[k] = true
	}
}

// commentary finds what says nothing: between two breaks, without a number, a
// word of buying, selling or sizing, a marker of a condition or a negation;
// between commas, without any word that has a meaning.
func (c *chart) commentary() []chatSpan {
	p := c.profile()
	var out []chatSpan
	span := func(i, j int32, strict bool) {
		if i >= j {
			return
		}
		cost := int32(costChat)
		for k := i; k < j; k++ {
			if p.rule[k] || p.odd[k] || strict && (p.meant[k] || p.comma[k]) {
				return
			}
			if p.unknown[k] || p.meant[k] {
				cost += costChatUnknown
			}
		}
		out = append(out, chatSpan{i, j, cost})
	}
	sentence, clause := int32(0), int32(0)
	for k := int32(0); k <= c.n; k++ {
		if k < c.n && !p.breaks[k] && !p.comma[k] {
			continue
		}
		if sentence != clause || k < c.n && p.comma[k] {
			span(clause, k, true)
		}
		clause = k + 1
		if k == c.n || p.breaks[k] {
			span(sentence, k, false)
			sentence = k + 1
		}
	}
	return out
}
