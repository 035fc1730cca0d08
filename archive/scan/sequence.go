package scan

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// sequenceOf merges the lanes of one market into its captures: in receive
// order, equal ones once, ties by the rules of the package.
type sequenceOf struct {
	blocks store.BlockReader
	lanes  []*lane // heap by (at, source, token, stream, number)
	tokens []market.Token
	plain  bool    // one source, and one lane of each token and stream
	group  []*lane // of one receive time
	items  []item
	all    []*item // of order
	arena  []market.Level
	bytes  []byte
}

// item is a capture of a receive time that several lanes share, copied.
type item struct {
	c       market.Capture
	lane    *lane
	content []byte // of appendContent, behind the token index
	lo, hi  int    // of content in the arena of bytes
}

// newSequence makes lanes of refs. place gives the token index of a block key.
func newSequence(blocks store.BlockReader, tokens []market.Token, refs []store.BlockRef, place func(store.ID) int, track bool) *sequenceOf {
	s := &sequenceOf{blocks: blocks, tokens: tokens}
	refs = slices.Clone(refs)
	slices.SortFunc(refs, func(a, b store.BlockRef) int {
		return cmp.Or(cmp.Compare(a.Token, b.Token), cmp.Compare(a.Stream, b.Stream),
			cmp.Compare(a.Source, b.Source), cmp.Compare(a.Position, b.Position))
	})
	type streamOf struct {
		token  int
		stream block.Stream
	}
	ladders, sources, streams := 0, map[store.SourceID]bool{}, map[streamOf]bool{}
	for i := 0; i < len(refs); {
		r, j := &refs[i], i+1
		for j < len(refs) && refs[j].Token == r.Token && refs[j].Stream == r.Stream &&
			refs[j].Source == r.Source && refs[j].Position>>32 == r.Position>>32 {
			j++
		}
		s.lanes = append(s.lanes, &lane{
			source: r.Source, stream: r.Stream, number: r.Position >> 32,
			key: r.Token, token: place(r.Token), refs: refs[i:j], at: r.First,
		})
		sources[r.Source], streams[streamOf{place(r.Token), r.Stream}] = true, true
		if r.Stream == block.Books {
			ladders++
		}
		i = j
	}
	s.plain = len(sources) <= 1 && len(streams) == len(s.lanes)
	for _, l := range s.lanes {
		l.track = l.stream == block.Books && (track || ladders > 1 || !s.plain)
	}
	s.heap()
	return s
}

// holdRows makes each block be held against its row when its captures have been read.
func (s *sequenceOf) holdRows() {
	for _, l := range s.lanes {
		l.sums = new(blockSums)
	}
}

// heap puts the lanes in their order.
func (s *sequenceOf) heap() {
	for i := len(s.lanes)/2 - 1; i >= 0; i-- {
		s.sift(i)
	}
}

func before(a, b *lane) bool {
	if a.at != b.at {
		return a.at < b.at
	}
	return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.token, b.token),
		cmp.Compare(a.key, b.key), cmp.Compare(a.stream, b.stream), cmp.Compare(a.number, b.number)) < 0
}

func (s *sequenceOf) sift(i int) {
	h := s.lanes
	for {
		k := 2*i + 1
		if k >= len(h) {
			return
		}
		if k+1 < len(h) && before(h[k+1], h[k]) {
			k++
		}
		if !before(h[k], h[i]) {
			return
		}
		h[i], h[k] = h[k], h[i]
		i = k
	}
}

// settle opens the lane at the top of the heap, or moves it on, and puts it
// where it belongs; a lane at its end leaves the heap.
func (s *sequenceOf) settle(ctx context.Context) error {
	if err := s.lanes[0].advance(ctx, s.blocks); err != nil {
		return err
	}
	s.resettle()
	return nil
}

// emit takes a capture. l is the lane whose head it is, or nil when it is a copy
// of one, whose ladder is whole. It returns false to stop.
type emit func(c *market.Capture, l *lane) bool

// maxAtOnce is the number of lanes whose first blocks are fetched together.
const maxAtOnce = 32

// fetchFirst fetches the first block of each lane in one query: usually it is
// the only one.
func (s *sequenceOf) fetchFirst(ctx context.Context) error {
	if len(s.lanes) < 2 || len(s.lanes) > maxAtOnce {
		return nil
	}
	refs, lanes := make([]store.BlockRef, 0, len(s.lanes)), make([]*lane, 0, len(s.lanes))
	for _, l := range s.lanes {
		if l.tape == nil {
			refs, lanes = append(refs, l.refs[0]), append(lanes, l)
			l.from, l.next, l.raw = 0, 1, make([][]byte, 1)
		}
	}
	return s.blocks.ReadBlocks(ctx, refs, func(i int, data []byte) error {
		lanes[i].raw[0] = copyOf(data)
		return nil
	})
}

// run hands every capture to yield, in order. It is called once.
func (s *sequenceOf) run(ctx context.Context, yield emit) error {
	defer release(slices.Clone(s.lanes))
	if err := s.fetchFirst(ctx); err != nil {
		return err
	}
	for len(s.lanes) > 0 {
		l := s.lanes[0]
		if !l.open {
			if err := s.settle(ctx); err != nil {
				return err
			}
			continue
		}
		limit := s.second()
		if l.at == limit {
			more, err := s.tie(ctx, yield)
			if err != nil || !more {
				return err
			}
			continue
		}
		// This lane alone has captures before limit.
		for l.head != nil && l.at < limit {
			if !yield(l.head, l) {
				return nil
			}
			if err := l.advance(ctx, s.blocks); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		s.resettle()
	}
	return nil
}

// second returns the receive time of the lane that comes after the first.
func (s *sequenceOf) second() market.Instant {
	at := market.Latest
	for i := 1; i <= 2 && i < len(s.lanes); i++ {
		at = min(at, s.lanes[i].at)
	}
	return at
}

// resettle puts the first lane, which has been moved on, where it belongs.
func (s *sequenceOf) resettle() {
	if s.lanes[0].head == nil {
		n := len(s.lanes) - 1
		s.lanes[0], s.lanes[n] = s.lanes[n], nil
		s.lanes = s.lanes[:n]
	}
	if len(s.lanes) > 0 {
		s.sift(0)
	}
}

// tie hands out the captures of a receive time that several lanes share.
func (s *sequenceOf) tie(ctx context.Context, yield emit) (more bool, err error) {
	at := s.lanes[0].at
	s.group = s.group[:0]
	for len(s.lanes) > 0 && s.lanes[0].at == at {
		l := s.lanes[0]
		if !l.open {
			if err := s.settle(ctx); err != nil {
				return false, err
			}
			continue
		}
		n := len(s.lanes) - 1
		s.lanes[0], s.lanes[n] = s.lanes[n], nil
		s.lanes = s.lanes[:n]
		s.sift(0)
		s.group = append(s.group, l)
	}
	if s.simple() {
		more, err = s.interleave(ctx, at, yield)
	} else {
		more, err = s.gather(ctx, at, yield)
	}
	for _, l := range s.group {
		if l.head != nil {
			s.push(l)
		}
	}
	return more, err
}

func (s *sequenceOf) push(l *lane) {
	s.lanes = append(s.lanes, l)
	h := s.lanes
	for i := len(h) - 1; i > 0; {
		p := (i - 1) / 2
		if !before(h[i], h[p]) {
			return
		}
		h[i], h[p] = h[p], h[i]
		i = p
	}
}

// simple reports whether the lanes of the group are of one source and of
// different tokens or streams: then no two captures are equal.
func (s *sequenceOf) simple() bool {
	for i, a := range s.group {
		for _, b := range s.group[:i] {
			if a.source != b.source || a.token == b.token && a.stream == b.stream {
				return false
			}
		}
	}
	return true
}

// interleave hands out the captures at the given time in the order of their one
// source.
func (s *sequenceOf) interleave(ctx context.Context, at market.Instant, yield emit) (bool, error) {
	for {
		var l *lane
		for _, g := range s.group {
			if g.head != nil && g.at == at && (l == nil || g.head.Ord < l.head.Ord) {
				l = g
			}
		}
		if l == nil {
			return true, nil
		}
		if !yield(l.head, l) {
			return false, nil
		}
		if err := l.advance(ctx, s.blocks); err != nil {
			return false, err
		}
	}
}

// groupBytes bounds the captures of one receive time that several sources have.
const groupBytes = 256 << 20

// gather collects the captures at the given time, drops those equal to another,
// orders the rest and hands them out.
func (s *sequenceOf) gather(ctx context.Context, at market.Instant, yield emit) (bool, error) {
	s.items, s.arena, s.bytes = s.items[:0], s.arena[:0], s.bytes[:0]
	for _, l := range s.group {
		for l.head != nil && l.at == at {
			if len(s.bytes) > groupBytes {
				return false, fmt.Errorf("captures received at %v by several sources take more than %d bytes: %w", at, groupBytes, store.ErrDamaged)
			}
			s.collect(l)
			if err := l.advance(ctx, s.blocks); err != nil {
				return false, err
			}
		}
	}
	for i := range s.items {
		it := &s.items[i]
		it.content = s.bytes[it.lo:it.hi]
	}
	for _, it := range s.order() {
		if !yield(&it.c, nil) {
			return false, nil
		}
	}
	return true, nil
}

// collect copies the head of l, whole.
func (s *sequenceOf) collect(l *lane) {
	c := *l.head
	if c.IsLadder() {
		w := l.head
		if l.track {
			w = l.complete()
		}
		c.Replace, c.Bids, c.Asks = w.Replace, s.keep(w.Bids), s.keep(w.Asks)
	}
	it := item{c: c, lane: l, lo: len(s.bytes)}
	s.bytes = append(s.bytes, byte(l.token>>8), byte(l.token))
	s.bytes = AppendContent(s.bytes, &c)
	it.hi = len(s.bytes)
	s.items = append(s.items, it)
}

// keep copies levels into the arena.
func (s *sequenceOf) keep(levels []market.Level) []market.Level {
	at := len(s.arena)
	s.arena = append(s.arena, levels...) // where it moves, those of before stay where they are
	return s.arena[at:len(s.arena):len(s.arena)]
}

// bySource is the order of each source by itself, one after the other.
func bySource(a, b *item) int {
	return cmp.Or(cmp.Compare(a.lane.source, b.lane.source), cmp.Compare(a.c.Ord, b.c.Ord),
		cmp.Compare(a.lane.token, b.lane.token), cmp.Compare(a.lane.stream, b.lane.stream), cmp.Compare(a.lane.number, b.lane.number))
}

// order returns the items to hand out: each content once; in the order of a
// source that holds them all, else by exchange time, token id and content.
func (s *sequenceOf) order() []*item {
	all := s.all[:0]
	for i := range s.items {
		all = append(all, &s.items[i])
	}
	s.all = all
	other := func(i *item) bool { return !bytes.Equal(i.content, all[0].content) }
	if !slices.ContainsFunc(all, other) { // most are one capture that two sources have
		return append(all[:0], slices.MinFunc(all, bySource))
	}
	slices.SortStableFunc(all, bySource)
	// Per source, each content once, in the source's order.
	var perSource [][]*item
	for i := 0; i < len(all); {
		var own []*item
		src, seen := all[i].lane.source, map[string]bool{}
		for ; i < len(all) && all[i].lane.source == src; i++ {
			if !seen[string(all[i].content)] {
				seen[string(all[i].content)] = true
				own = append(own, all[i])
			}
		}
		perSource = append(perSource, own)
	}
	union := slices.Clone(all)
	slices.SortStableFunc(union, func(a, b *item) int { return s.compare(a, b) })
	union = slices.CompactFunc(union, func(a, b *item) bool { return bytes.Equal(a.content, b.content) })
	for _, own := range perSource {
		if len(own) == len(union) {
			return own
		}
	}
	return union
}

func (s *sequenceOf) compare(a, b *item) int {
	return cmp.Or(cmp.Compare(a.c.Exch, b.c.Exch),
		cmp.Compare(s.tokens[a.lane.token].VenueID, s.tokens[b.lane.token].VenueID),
		bytes.Compare(a.content, b.content))
}
