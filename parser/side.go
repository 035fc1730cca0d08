package parser

import (
	"github.com/ladderback/ladderback/strategy"
)

// side decides which token is bought.
func (f *finisher) side() {
	if f.sideEither() {
		return
	}
	var named *mention
	var held *mention
	for k := range f.buys {
		m := &f.buys[k]
		tok := m.tok
		switch tok {
		case tokPron:
			continue
		case tokHeld:
			held = m
			continue
		case tokOther:
			prev := f.spokenBefore(m.at)
			if prev == nil {
				f.bad(m.at, m.at+1, "the other side of what? name Up or Down")
				return
			}
			m.tok = tokUp + tokDown - prev.tok
		}
		if named != nil && named.tok != m.tok {
			f.clash(named.span, m.span, "both sides; a strategy buys one: say \"either side\" for whichever comes first")
			return
		}
		named = m
	}
	switch {
	case held != nil && named != nil:
		f.clash(held.span, named.span, "one side or either? say one")
	case held != nil:
		f.s.Side = strategy.Either
	case named != nil:
		f.s.Side = sideOf(named.tok)
	default:
		f.sideFromMentions()
	}
}

func sideOf(tok int16) strategy.Side {
	if tok == tokDown {
		return strategy.Down
	}
	return strategy.Up
}

// spokenBefore returns the last token named before lexeme at.
func (f *finisher) spokenBefore(at int) *mention {
	var out *mention
	for _, list := range [][]mention{f.lone, f.buys} {
		for k := range list {
			m := &list[k]
			if m.at < at && (m.tok == tokUp || m.tok == tokDown) && (out == nil || m.at > out.at) {
				out = m
			}
		}
	}
	return out
}

// sideFromMentions takes the token that heads the prompt, or the only one, as
// what is bought.
func (f *finisher) sideFromMentions() {
	var up, down, head *mention
	for k := range f.lone {
		m := &f.lone[k]
		if m.forbids {
			continue
		}
		switch m.tok {
		case tokUp:
			if up == nil {
				up = m
			}
		case tokDown:
			if down == nil {
				down = m
			}
		default:
			continue
		}
		if m.head && head == nil {
			head = m
		}
	}
	switch {
	case up == nil && down == nil:
		f.noSide()
	case up != nil && down != nil:
		other := down
		if head != nil && head.tok == tokDown {
			other = up
		}
		if head == nil || !f.onlyBehindIf(other.tok) || f.emptyBuy || f.pronBuy() {
			if up.at > down.at {
				up, down = down, up
			}
			f.clash(up.span, down.span, "which of them is bought? say \"buy Up\" or \"buy Down\"")
			return
		}
		f.s.Side = sideOf(head.tok)
	default:
		m := up
		if m == nil {
			m = down
		}
		if (f.emptyBuy || head == nil) && !f.pronBuy() {
			for k := range f.conds {
				if c := &f.conds[k]; !c.isTime && c.how == howHeld && c.typ == strategy.Price {
					f.clash(m.span, c.span, "what is bought? say \"buy Up\" or \"buy Down\"")
					return
				}
			}
		}
		f.s.Side = sideOf(m.tok)
		f.assume(fieldSide, string(f.s.Side), "the only token named is the one bought")
	}
}

// onlyBehindIf reports whether a token is named as the subject of conditions
// behind if, when, while alone.
func (f *finisher) onlyBehindIf(tok int16) bool {
	for _, m := range f.lone {
		if m.tok == tok && m.head {
			return false
		}
	}
	return true
}

func (f *finisher) pronBuy() bool {
	for _, m := range f.buys {
		if m.pron {
			return true
		}
	}
	return false
}

func (f *finisher) noSide() {
	switch {
	case f.prohibitions > 0 || len(f.nots) > 0:
		at := 0
		if len(f.nots) > 0 {
			at = f.nots[0].at
		}
		r := refuse(CodeBadRequest, "a prompt that only forbids gives no strategy; say what to buy, such as \"Buy Up when Up is below 35c\"")
		r.fix = fixForbids
		if len(f.nots) > 0 {
			r.Phrases = []strategy.Span{f.span(at, at+1)}
		}
		f.fail(r)
	case len(f.conds) == 0 && len(f.exits) == 0 && f.purchases == 0 && f.coin == nil:
		f.fail(refuse(CodeBadRequest, "there is no strategy in this; say, for example, \"Buy Up on BTC 15m when Up is below 35c, take profit at 55c\""))
	default:
		r := refuse(CodeBadRequest, "the side is missing; say \"buy Up\", \"buy Down\" or \"buy either side\"")
		r.fix = fixSide
		f.fail(r)
	}
}

// sideEither recognises "Up below 35c or Down below 35c": the same conditions
// on each token, of which the first that meets them is bought.
func (f *finisher) sideEither() bool {
	if len(f.any) != 2 {
		return false
	}
	for _, m := range f.buys {
		if m.tok == tokHeld || m.tok == tokOther {
			return false
		}
	}
	for _, c := range f.entry {
		if !f.conds[c].isTime && f.conds[c].how != howHeld {
			return false
		}
	}
	first := f.soleToken(f.any[0])
	second := f.soleToken(f.any[1])
	if first == tokNone || second == tokNone || first == second {
		return false
	}
	explicit := map[int16]bool{}
	for _, m := range f.buys {
		if m.tok == tokUp || m.tok == tokDown {
			explicit[m.tok] = true
		}
	}
	if len(explicit) == 2 && !f.orBuys {
		return false
	}
	if len(explicit) == 1 {
		for _, g := range f.any {
			for _, c := range g {
				if f.conds[c].inIf && (sideOf(f.conds[c].tok) == strategy.Up) != explicit[tokUp] {
					return false // "or when Down is over 65c": a condition, no purchase
				}
			}
		}
	}
	if len(f.any[0]) != len(f.any[1]) && len(explicit) > 0 {
		f.clash(f.conds[f.any[0][0]].span, f.conds[f.any[1][0]].span, "each side with a condition of its own; a strategy buys one side, or either on the same condition")
		return true
	}
	for k := range min(len(f.any[0]), len(f.any[1])) {
		a, b := f.conds[f.any[0][k]], f.conds[f.any[1][k]]
		if a.typ != b.typ || a.cmp != b.cmp || a.n != b.n || a.win != b.win || a.at != b.at {
			if len(explicit) > 0 {
				f.clash(a.span, b.span, "each side with a condition of its own; a strategy buys one side, or either on the same condition")
				return true
			}
			return false
		}
	}
	if len(f.any[0]) != len(f.any[1]) {
		return false
	}
	f.s.Side = strategy.Either
	for k, c := range f.any[0] {
		f.conds[c].tok, f.conds[c].how = tokHeld, howHeld
		f.conds[f.any[1][k]].tok, f.conds[f.any[1][k]].how = tokHeld, howHeld
	}
	f.entry = append(f.entry, f.any[0]...)
	f.any, f.either = nil, true
	f.assume(fieldSide, "either", "the same is said of Up and of Down: the first to meet it is bought")
	return true
}

// soleToken returns the token that every condition of a list names; tokNone:
// none, or not one only.
func (f *finisher) soleToken(list []int) int16 {
	tok := tokNone
	for _, k := range list {
		c := &f.conds[k]
		if c.isTime {
			continue
		}
		if c.tok != tokUp && c.tok != tokDown || tok != tokNone && c.tok != tok {
			return tokNone
		}
		tok = c.tok
	}
	return tok
}

// checkMentions refuses what contradicts the side.
func (f *finisher) checkMentions() {
	for _, m := range f.nots {
		if f.s.Side == strategy.Either {
			f.bad(m.at, m.at+1, "either side, or not this one? say one")
			return
		}
		same := sideOf(m.tok) == f.s.Side && m.tok != tokOther
		prev := f.spokenBefore(m.at)
		switch {
		case m.head: // of a clause that forbids, with or without conditions
			if !same && f.condsAt(m.at) {
				f.bad(m.at, m.at+1, "when not to buy the other side changes nothing; leave it out")
				return
			}
			if same && !f.condsAt(m.at) {
				f.bad(m.at, m.at+1, "to buy it or not? say one")
				return
			}
		case same && (prev == nil || prev.tok == m.tok):
			f.bad(m.at, m.at+1, "to buy it or not? say one")
			return
		}
	}
	for _, m := range f.lone {
		if (m.tok == tokUp || m.tok == tokDown) && f.s.Side != strategy.Either && sideOf(m.tok) != f.s.Side && !f.usedIn(m.at) {
			f.fail(refuseSpan(CodeBadRequest, m.span, "what of it? a strategy buys one side; say \"when %s is below …\" for a condition", m.span.Text))
			return
		}
	}
	for _, h := range f.hints {
		if f.s.Side == strategy.Either || sideOf(h.tok) != f.s.Side {
			f.bad(h.at, h.at+1, "this points the other way than the side that is bought")
			return
		}
	}
	for _, a := range f.exits {
		if a.tok != tokNone && a.tok != tokHeld && (f.s.Side == strategy.Either || sideOf(a.tok) != f.s.Side) {
			f.fail(refuseSpan(CodeBadRequest, a.span, "exits are judged on the token that is held; give its own price"))
			return
		}
	}
}

// usedIn reports whether the lexeme at belongs to a condition or an exit.
func (f *finisher) usedIn(at int) bool {
	for k := range f.conds {
		if c := &f.conds[k]; c.from <= at && at < c.to || c.how == howEllipsis && c.from > at {
			return true
		}
	}
	for _, a := range f.exits {
		if a.from <= at && at < a.to {
			return true
		}
	}
	return f.x(at).field >= fieldCond
}

// condsAt reports whether a condition stands behind lexeme at in its clause.
func (f *finisher) condsAt(at int) bool {
	for k := range f.conds {
		if f.conds[k].from >= at && f.sameSentence(at, f.conds[k].from) {
			return true
		}
	}
	return false
}

func (f *finisher) sameSentence(a, b int) bool {
	for k := a; k < b; k++ {
		switch f.kind(k) {
		case kStop, kComma, kBut:
			return false
		}
	}
	return true
}
