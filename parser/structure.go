package parser

// alts are alternatives, each a list of conditions that hold together.
type alts [][]int

// segment is a stretch between hard joints: one or more alternatives.
type segment struct {
	alts      alts
	commaOnly bool // nothing but a comma divides it from the one before
	trailing  bool // a time ends the last of several alternatives, without "and"
	commaOr   bool // a comma stands before the "or" of the last alternative
	leading   bool // a time begins the first of several alternatives
	grouped   bool
}

// shape sorts the conditions into those that must all hold and alternatives.
func (p *parser) shape() (entry []int, any alts) {
	segs, _ := p.segments(0, 0)
	if p.err != nil {
		return nil, nil
	}
	for i, s := range segs {
		if len(s.alts) < 2 {
			continue
		}
		for _, k := range [2]int{i - 1, i + 1} {
			if k < 0 || k >= len(segs) || len(segs[k].alts) == 0 {
				continue
			}
			if segs[max(i, k)].commaOnly && !p.allTimes(segs[k].alts) && !s.grouped {
				p.ambiguous(s)
				return nil, nil
			}
		}
		if s.trailing || s.leading {
			p.ambiguous(s)
			return nil, nil
		}
	}
	for _, s := range segs {
		switch {
		case len(s.alts) == 1:
			entry = append(entry, s.alts[0]...)
		case len(s.alts) > 1 && any == nil:
			any = s.alts
		case len(s.alts) > 1:
			p.bad(p.conds[s.alts[0][0]].from, p.conds[s.alts[0][0]].to, "alternatives can be said once; this is a second \"or\" beside another")
			return nil, nil
		}
	}
	if len(any) > 4 {
		p.bad(p.conds[any[0][0]].from, p.conds[any[0][0]].to, "there can be at most 4 alternatives")
	}
	return entry, any
}

func (p *parser) allTimes(a alts) bool {
	for _, g := range a {
		for _, c := range g {
			if !p.conds[c].isTime {
				return false
			}
		}
	}
	return true
}

func (p *parser) ambiguous(s segment) {
	last := s.alts[len(s.alts)-1]
	from, to := p.conds[s.alts[0][0]].from, p.conds[last[len(last)-1]].to
	p.bad(from, to, "what does \"or\" divide here? put the alternatives in brackets: \"A and (B or C)\"")
}

// segments reads the structure from elem i on, to its end or the bracket that
// closes it.
func (p *parser) segments(i, depth int) ([]segment, int) {
	var out []segment
	cur := segment{}
	var alt []int
	open := false // an "or" waits for its right side
	joined := false
	afterComma := false
	orAt := -1
	flush := func(comma bool) {
		if len(alt) > 0 {
			cur.alts = append(cur.alts, alt)
			alt = nil
		}
		if len(cur.alts) > 0 {
			cur.commaOnly = afterComma
			p.checkTimes(&cur)
			out = append(out, cur)
			afterComma = comma
		} else if !comma {
			afterComma = false
		}
		cur = segment{}
		if open {
			p.dangling(orAt)
		}
		open = false
	}
	for ; i < len(p.elems) && p.err == nil; i++ {
		e := p.elems[i]
		switch e.kind {
		case eCond:
			alt = append(alt, e.cond)
			open = false
			if joined || p.sameFrom(alt) {
				p.conds[e.cond].joined = true
			}
			joined = false
			continue
		case eAnd:
			joined = true
			continue
		case eComma:
			switch next := p.nextKind(i + 1); next {
			case eOr:
			case eAnd:
				if !open {
					flush(false)
				}
			default:
				if !open {
					flush(true)
				}
			}
		case eHard:
			if open && p.nextKind(i+1) == eCond && p.kind(e.at) == kIf {
				break // "or if …"
			}
			flush(false)
		case eOr:
			orAt = e.at
			cur.commaOr = i > 0 && p.elems[i-1].kind == eComma
			switch {
			case len(alt) > 0:
				cur.alts = append(cur.alts, alt)
				alt = nil
				open = true
			case len(cur.alts) > 0:
				open = true
			case len(out) > 0:
				cur = out[len(out)-1]
				cur.commaOr = i > 0 && p.elems[i-1].kind == eComma
				out = out[:len(out)-1]
				open = true
			default:
				p.dangling(e.at)
			}
		case eOpen:
			if depth > 8 {
				p.bad(e.at, e.at+1, "brackets within brackets this deep cannot be read")
				return out, i
			}
			sub, end := p.segments(i+1, depth+1)
			i = end
			if p.err != nil {
				return out, i
			}
			flat, group, ok := p.flatten(sub)
			if !ok {
				p.bad(e.at, e.at+1, "alternatives within alternatives cannot be read")
				return out, i
			}
			if len(flat) > 0 {
				open = false
			}
			for _, c := range flat {
				p.conds[c].boxed = true
			}
			if group == nil {
				alt = append(alt, flat...)
				break
			}
			if len(cur.alts) > 0 || open {
				p.bad(e.at, e.at+1, "alternatives within alternatives cannot be read")
				return out, i
			}
			flush(false)
			if len(flat) > 0 {
				out = append(out, segment{alts: alts{flat}, grouped: true})
			}
			cur = segment{alts: group, grouped: true}
			flush(false)
		case eClose:
			if depth > 0 {
				flush(false)
				return out, i
			}
			flush(false)
		}
		joined = false
	}
	flush(false)
	return out, i
}

// sameFrom reports whether the last two conditions of alt come from one phrase.
func (p *parser) sameFrom(alt []int) bool {
	n := len(alt)
	return n > 1 && p.conds[alt[n-1]].from == p.conds[alt[n-2]].from
}

// flatten joins the segments of a bracket: into one list, or one list and one
// set of alternatives.
func (p *parser) flatten(segs []segment) (flat []int, group alts, ok bool) {
	for _, s := range segs {
		switch {
		case len(s.alts) == 1:
			flat = append(flat, s.alts[0]...)
		case group == nil:
			group = s.alts
		default:
			return nil, nil, false
		}
	}
	return flat, group, true
}

// nextKind returns the kind of the first elem from i on that is no comma.
func (p *parser) nextKind(i int) elemKind {
	for ; i < len(p.elems); i++ {
		if p.elems[i].kind != eComma {
			return p.elems[i].kind
		}
	}
	return eHard
}

// checkTimes notes a time of which it is not clear whether it bounds one of
// several alternatives or all of them: one at either end, without "and".
func (p *parser) checkTimes(s *segment) {
	if len(s.alts) < 2 || s.grouped {
		return
	}
	last := s.alts[len(s.alts)-1]
	first := s.alts[0]
	others := func(except int) bool {
		for k, g := range s.alts {
			if k == except {
				continue
			}
			for _, c := range g {
				if p.conds[c].isTime {
					return true
				}
			}
		}
		return false
	}
	for k := 1; k < len(s.alts); k++ {
		a, b := s.alts[k-1], s.alts[k]
		if tail := a[len(a)-1]; len(a) > 1 && p.conds[tail].isTime && !p.conds[tail].joined && p.allTimes(alts{b}) && !p.conds[b[0]].boxed && !p.conds[b[0]].inIf {
			s.trailing = true // "under 40c in the first minute or last minute"
		}
	}
	end := last[len(last)-1]
	if p.conds[end].isTime && !p.conds[end].joined && !p.conds[end].boxed && len(last) > 1 && !s.commaOr && !others(len(s.alts)-1) {
		s.trailing = true
	}
	if p.conds[first[0]].isTime && !p.conds[first[0]].boxed && len(first) > 1 && !p.conds[first[1]].joined && !others(0) {
		s.leading = true
	}
}

// dangling refuses an "or" that joins nothing.
func (p *parser) dangling(at int) {
	p.bad(at, at+1, "what does \"or\" join? it stands between two conditions, or between two exits")
}
