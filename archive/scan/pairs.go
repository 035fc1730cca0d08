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
	// owner is, per book, the lane whose ladder the book is; nil when it is that
	// of none.
	owner []*lane
	// pairs maps an exchange time to the token of its first ladder capture. Nil
	// when only one token of the market has ladders.
	pairs map[market.Instant]pairOf
	lag   market.Span // longest time from a pair's first capture to its last
	// most is the longest that this time is known to be. What comes later than
	// that after a capture of the other token was not preceded by it: the first
	// one came before the captures that are read.
	most market.Span
}

type pairOf struct {
	token int
	recv  market.Instant
}

func newBookView(m *market.Market, s *sequenceOf) *bookView {
	v := &bookView{mirrored: m.Mirrored, owner: make([]*lane, max(1, len(m.Tokens))), most: market.Latest}
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

// counts applies the rule for mirrored pairs: it reports whether the ladder
// capture c, the next one, is a capture at all.
func (v *bookView) counts(c *market.Capture) bool {
	if v.pairs == nil || c.Exch == 0 {
		return true
	}
	first, ok := v.pairs[c.Exch]
	switch {
	case !ok, c.Recv-first.recv > v.most && first.token != c.Token:
		v.pairs[c.Exch] = pairOf{c.Token, c.Recv}
		return true
	case first.token != c.Token:
		v.lag = max(v.lag, c.Recv-first.recv)
		return false
	}
	return true
}

// would reports what counts will say of c.
func (v *bookView) would(c *market.Capture) bool {
	if v.pairs == nil || c.Exch == 0 {
		return true
	}
	first, ok := v.pairs[c.Exch]
	return !ok || first.token == c.Token || c.Recv-first.recv > v.most
}

// see returns c, the head of l or a copy without a lane, as it is to be handed
// out, or nil when it does not count.
func (v *bookView) see(c *market.Capture, l *lane) *market.Capture {
	if !c.IsLadder() {
		return c
	}
	book := c.Token
	if v.mirrored {
		book = 0
	}
	// Unless l goes on as the owner, the book is no longer that of any lane, nor
	// is the ladder of a lane whose capture does not count that of the book.
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
