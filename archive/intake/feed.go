package intake

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/scan"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// feed is the captures of one token and stream.
type feed struct {
	m      *MarketImport
	token  int // in the claim's tokens
	stream block.Stream
	key    store.ID
	sum    *partSum
	lane   int64
	number int64 // blocks in the lane
	enc    *block.Encoder
	kinds  store.Kinds // of the block being made
	traded int64       // by it, as of BlockRef
	any    bool
	last   market.Instant
	// group holds the contents of the captures at last, and where each ends;
	// many, when there are more than fewAtOnce, their hashes instead.
	group []byte
	ends  []int
	many  map[[16]byte]struct{}
	late  []market.Capture
	held  int64 // bytes of captures in enc and late, roughly
}

// holds reports whether a capture at recv with that content was added last.
func (f *feed) holds(recv market.Instant, content []byte) bool {
	if !f.any || recv != f.last {
		return false
	}
	if f.many != nil {
		_, ok := f.many[shortHash(content)]
		return ok
	}
	from := 0
	for _, end := range f.ends {
		if bytes.Equal(f.group[from:end], content) {
			return true
		}
		from = end
	}
	return false
}

func (f *feed) note(recv market.Instant, content []byte) {
	if !f.any || recv != f.last {
		f.group, f.ends, f.many = f.group[:0], f.ends[:0], nil
	}
	f.any, f.last = true, recv
	if f.many != nil {
		f.many[shortHash(content)] = struct{}{}
		return
	}
	f.group = append(f.group, content...)
	f.ends = append(f.ends, len(f.group))
	if len(f.ends) <= fewAtOnce {
		return
	}
	f.many = map[[16]byte]struct{}{}
	from := 0
	for _, end := range f.ends {
		f.many[shortHash(f.group[from:end])] = struct{}{}
		from = end
	}
	f.group, f.ends = nil, nil
}

// add puts the next capture into the block being made.
func (f *feed) add(c *market.Capture, content []byte) error {
	if err := f.enc.Add(c); err != nil {
		return err
	}
	f.note(c.Recv, content)
	f.kinds |= store.KindsOf(c)
	f.traded = store.AddTraded(f.traded, c)
	return nil
}

// fewAtOnce is up to how many captures of one receive time are compared one by
// one.
const fewAtOnce = 32

func shortHash(content []byte) [16]byte {
	sum := sha256.Sum256(content)
	return [16]byte(sum[:16])
}

func copyCapture(c *market.Capture) market.Capture {
	out := *c
	out.Bids, out.Asks = slices.Clone(c.Bids), slices.Clone(c.Asks)
	return out
}

// feedOf returns the feed of a token and stream, starting one when there is
// none.
func (m *MarketImport) feedOf(token int, s block.Stream) (*feed, error) {
	for _, f := range m.feeds {
		if f.token == token && f.stream == s {
			return f, nil
		}
	}
	t := &m.doc.Tokens[token]
	if t.Key == 0 {
		t.Key = m.doc.TokenKey(t)
	}
	f := &feed{m: m, token: token, stream: s, key: t.Key}
	m.i.mu.Lock()
	defer m.i.mu.Unlock()
	id := partID{t.Key, s}
	f.sum = m.i.parts[id]
	if f.sum == nil {
		f.sum = &partSum{Part: store.Part{PartKey: store.PartKey{Owner: m.owner, Source: m.i.src.ID, Token: t.Key, Stream: s}}}
		m.i.parts[id] = f.sum
	}
	if f.sum.Owner != m.owner {
		return nil, fmt.Errorf("token %s belongs to another market in this file: %w", t.ID, block.ErrCapture)
	}
	f.lane = f.sum.lanes
	f.sum.lanes++
	var err error
	if f.enc, err = m.i.in.encoder(s); err != nil {
		return nil, err
	}
	m.feeds = append(m.feeds, f)
	m.i.feeds.Add(1)
	return f, nil
}

// finish ends the block of a feed.
func (f *feed) finish() error {
	if f.enc.Len() == 0 {
		return nil
	}
	err := f.keep(f.enc, store.BlockRef{Position: f.lane<<32 | f.number, Kinds: f.kinds, Traded: f.traded})
	f.number++
	f.kinds, f.traded = 0, 0
	f.letGo()
	return err
}

// keep encodes what enc holds as a block, of which ref says the position within
// the part, and what is summed up while it is filled.
func (f *feed) keep(enc *block.Encoder, ref store.BlockRef) error {
	b, err := enc.Finish(nil)
	if err != nil {
		return fmt.Errorf("import %s: market %s: %w", f.m.i.src.Name, f.m.label(), err)
	}
	h := b.Header
	f.m.blocks = append(f.m.blocks, store.Block{
		BlockRef: store.BlockRef{
			Token: f.key, Stream: f.stream, First: h.First, Sequence: store.Sequence(f.m.i.src.ID, f.key, f.stream, ref.Position),
			Last: h.Last, Source: f.m.i.src.ID, Position: ref.Position, Captures: h.Captures, Changes: h.Changes,
			Kinds: ref.Kinds, Traded: ref.Traded,
			Bytes: len(b.Data), Checksum: store.Checksum(b.Data),
			Anchor: h.Anchor, Keyframe: h.Keyframe, Version: h.Version,
		},
		Data: b.Data,
	})
	f.m.bytes += len(b.Data)
	s := &f.sum.Part
	s.Blocks++
	s.Captures += int64(h.Captures)
	s.Changes += int64(h.Changes)
	s.Bytes += int64(len(b.Data))
	s.Refs += f.m.blocks[len(f.m.blocks)-1].Sum()
	if s.First == 0 || h.First < s.First {
		s.First = h.First
	}
	s.Last = max(s.Last, h.Last)
	s.Span = max(s.Span, h.Last-h.First)
	return nil
}

// flushLate makes a lane of the late captures of a feed.
func (f *feed) flushLate() error {
	if len(f.late) == 0 {
		return nil
	}
	slices.SortStableFunc(f.late, func(a, b market.Capture) int { return cmp.Compare(a.Recv, b.Recv) })
	enc, err := f.m.i.in.encoder(f.stream)
	if err != nil {
		return err
	}
	defer f.m.i.in.encoders[f.stream].Put(enc)
	ref := store.BlockRef{Position: f.sum.lanes << 32}
	f.sum.lanes++
	group := feed{}
	for k := range f.late {
		c := &f.late[k]
		f.m.buf = scan.AppendContent(f.m.buf[:0], c)
		if group.holds(c.Recv, f.m.buf) {
			f.m.dups++
			continue
		}
		if err := enc.Add(c); err != nil {
			return err
		}
		group.note(c.Recv, f.m.buf)
		ref.Kinds |= store.KindsOf(c)
		ref.Traded = store.AddTraded(ref.Traded, c)
		if f.m.i.in.full(enc) {
			if err := f.keep(enc, ref); err != nil {
				return err
			}
			ref = store.BlockRef{Position: ref.Position + 1}
		}
	}
	clear(f.late)
	f.late = f.late[:0]
	f.letGo()
	if enc.Len() == 0 {
		return nil
	}
	return f.keep(enc, ref)
}

// hold counts what c takes in memory, and reports whether the feed must give
// up what it holds: all open feeds together hold too much, and this one more
// than its share.
func (f *feed) hold(c *market.Capture) bool {
	n := int64(64 + 16*(len(c.Bids)+len(c.Asks)))
	f.held += n
	limit := f.m.i.in.limits.heldBytes
	return f.m.i.held.Add(n) > limit && f.held*max(1, f.m.i.feeds.Load()) > limit
}

// letGo counts that a feed holds nothing any more, if so.
func (f *feed) letGo() {
	if f.enc.Len() == 0 && len(f.late) == 0 {
		f.m.i.held.Add(-f.held)
		f.held = 0
	}
}

// giveUp makes blocks of all that a feed holds.
func (f *feed) giveUp() error {
	if err := f.finish(); err != nil {
		return err
	}
	return f.flushLate()
}
