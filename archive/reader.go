package archive

import (
	"context"
	"fmt"
	"maps"
	"slices"

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

// gatherRefs collects the blocks that a market's visible parts name, and checks
// that none is missing.
func gatherRefs(ctx context.Context, r Reader, row *MarketRow) ([]BlockRef, map[ID]int, error) {
	parts, err := r.Parts(ctx, row.Owners)
	if err != nil {
		return nil, nil, err
	}
	index := row.index()
	all, err := r.Refs(ctx, slices.Sorted(maps.Keys(index)), market.Earliest, market.Latest)
	if err != nil {
		return nil, nil, err
	}
	refs, err := visibleRefs(row, index, parts, all)
	return refs, index, err
}

// index returns the index in the market's tokens by block key.
func (row *MarketRow) index() map[ID]int {
	index := map[ID]int{}
	for i, keys := range row.Keys {
		for _, k := range keys {
			index[k] = i
		}
	}
	return index
}

// visibleRefs keeps of all blocks of a market's tokens those that its visible
// parts name, in place, and checks that none is missing.
func visibleRefs(row *MarketRow, index map[ID]int, parts []Part, all []BlockRef) ([]BlockRef, error) {
	type partOf struct {
		token  ID
		stream block.Stream
		source SourceID
	}
	want := map[partOf]int64{}
	for _, p := range parts {
		if _, ok := index[p.Token]; ok && p.Whole {
			want[partOf{p.Token, p.Stream, p.Source}] += p.Blocks
		}
	}
	refs := all[:0]
	for _, ref := range all {
		k := partOf{ref.Token, ref.Stream, ref.Source}
		if _, ok := want[k]; ok {
			want[k]--
			refs = append(refs, ref)
		}
	}
	for k, n := range want {
		what := "missing"
		if n < 0 {
			n, what = -n, "too many"
		}
		if n != 0 {
			return nil, fmt.Errorf("%d blocks of %v of token %s are %s: %w",
				n, k.stream, row.Market.Tokens[index[k.token]].VenueID, what, ErrDamaged)
		}
	}
	return refs, nil
}

// summarise reads all captures of a market and sums them up.
func summarise(ctx context.Context, r Reader, row *MarketRow) (Stats, error) {
	refs, index, err := gatherRefs(ctx, r, row)
	if err != nil {
		return Stats{}, err
	}
	m := &row.Market
	seq := newSequence(r, m.Tokens, refs, func(k ID) int { return index[k] }, true)
	view := newBookView(m, seq)
	t := newTally(m.Start, m.End)
	err = seq.run(ctx, func(c *market.Capture, l *lane) bool {
		if c.Kind == market.KindBook && !c.Replace {
			c = l.complete()
		}
		t.buf = appendContent(t.buf[:0], c)
		t.add(c.Token, c, t.buf, !c.IsLadder() || view.counts(c))
		return true
	})
	if err != nil {
		return Stats{}, fmt.Errorf("market %s: %w", m.VenueID, err)
	}
	s := t.done(m.Tokens)
	s.PairLag = view.lag
	return s, nil
}
