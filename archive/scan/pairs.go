package scan

import (
	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/market"
)

// bookView hands captures out for one book per market or token: it applies the
// rule for mirrored pairs and sees to it that every difference is against the
// ladder that was handed out before.
type bookView struct {
	mirrored bool
	// owner is, per book, the lane whose ladder the book equals now; nil: no lane's.
	owner []*lane
	// pairs maps an exchange time to the token of its first ladder capture. Nil
	// when only one token of the market has ladders.
	pairs map[market.Instant]pairOf
	lag   market.Span // longest time from a pair's first capture to its last
	// mostLag is the longest that lag is known to be. A capture that comes later than
	// that after one of the other token with its exchange time is no second of that
	// pair: what the first was is not read.
	mostLag market.Span
}

type pairOf struct {
	token int
	recv  market.Instant
}

func newBookView(m *market.Market, s *sequenceOf) *bookView {
	v := &bookView{mirrored: m.Mirrored, owner: make([]*lane, max(1, len(m.Tokens))), mostLag: market.Latest}
	token := -1
	for _, l := range s.lanes {
		if l.stream != block.Books {
			continue
		}
		if token >= 0 && token != l.token && m.Mirrored {
			v.pairs = map[market.Instant]pairOf{}
		}
		token = l.token
	}
	return v
}

// counts applies the rule for mirrored pairs to c, the next ladder capture: it notes c, and
// reports whether it is a capture at all.
func (v *bookView) counts(c *market.Capture) bool {
	if v.pairs == nil || c.Exch == 0 {
		return true
	}
	first, ok := v.pairs[c.Exch]
	switch {
	case !ok, c.Recv-first.recv > v.mostLag && first.token != c.Token:
		v.pairs[c.Exch] = pairOf{c.Token, c.Recv}
		return true
	case first.token != c.Token:
		v.lag = max(v.lag, c.Recv-first.recv)
		return false
	}
	return true
}

// wouldCount reports what counts would, and notes nothing.
func (v *bookView) wouldCount(c *market.Capture) bool {
	if v.pairs == nil || c.Exch == 0 {
		return true
	}
	first, ok := v.pairs[c.Exch]
	return !ok || first.token == c.Token || c.Recv-first.recv > v.mostLag
}

// handOut returns c as it is to be handed out; nil: it does not count. c is the head of l,
// or, where l is nil, a copy of what a lane held.
func (v *bookView) handOut(c *market.Capture, l *lane) *market.Capture {
	if !c.IsLadder() {
		return c
	}
	book := c.Token
	if v.mirrored {
		book = 0
	}
	// A change by another lane than the owner leaves the book equal to no lane's ladder; so
	// does a capture of the owner that does not count.
	same := l != nil && v.owner[book] == l
	counts := v.counts(c)
	switch {
	case !counts && !same && l != nil: // nothing changes
	case !counts:
		v.owner[book] = nil
	case c.Kind == market.KindChange:
		if !same {
			v.owner[book] = nil
		}
	default:
		if !same && !c.Replace {
			c = l.complete()
		}
		v.owner[book] = l
	}
	if !counts {
		return nil
	}
	return c
}
