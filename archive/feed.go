package archive

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/market"
)

// feed is the captures of one token and stream.
type feed struct {
	token  int // in the claim's tokens
	stream block.Stream
	key    ID
	sum    *partSum
	lane   int64
	number int64 // blocks in the lane
	enc    *block.Encoder
	kinds  Kinds // of the block being made
	traded int64 // by it, as of BlockRef
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
		t.Key = m.doc.tokenKey(t)
	}
	f := &feed{token: token, stream: s, key: t.Key}
	m.i.mu.Lock()
	defer m.i.mu.Unlock()
	id := partID{t.Key, s}
	f.sum = m.i.parts[id]
	if f.sum == nil {
		f.sum = &partSum{Part: Part{PartKey: PartKey{m.owner, m.i.src.ID, t.Key, s}}}
		m.i.parts[id] = f.sum
	}
	if f.sum.Owner != m.owner {
		return nil, fmt.Errorf("token %s is that of another market in this file: %w", t.ID, block.ErrCapture)
	}
	if f.sum.lanes > 0 {
		m.fresh.spoil()
	}
	f.lane = f.sum.lanes
	f.sum.lanes++
	var err error
	if f.enc, err = m.i.a.encoder(s); err != nil {
		return nil, err
	}
	m.feeds = append(m.feeds, f)
	m.i.feeds.Add(1)
	return f, nil
}

// finish ends the block of a feed.
func (m *MarketImport) finish(f *feed) error {
	if f.enc.Len() == 0 {
		return nil
	}
	err := m.keep(f, f.enc, BlockRef{Position: f.lane<<32 | f.number, Kinds: f.kinds, Traded: f.traded})
	f.number++
	f.kinds, f.traded = 0, 0
	m.letGo(f)
	return err
}

// keep encodes what enc holds as a block, of which ref says the position within
// the part, and what is summed up while it is filled.
func (m *MarketImport) keep(f *feed, enc *block.Encoder, ref BlockRef) error {
	b, err := enc.Finish(nil)
	if err != nil {
		return fmt.Errorf("import %s: market %s: %w", m.i.src.Name, m.label(), err)
	}
	h := b.Header
	m.blocks = append(m.blocks, Block{
		BlockRef: BlockRef{
			Token: f.key, Stream: f.stream, First: h.First, Sequence: sequence(m.i.src.ID, f.key, f.stream, ref.Position),
			Last: h.Last, Source: m.i.src.ID, Position: ref.Position, Captures: h.Captures, Changes: h.Changes,
			Kinds: ref.Kinds, Traded: ref.Traded,
			Bytes: len(b.Data), Checksum: crc32.Checksum(b.Data, castagnoli),
			Anchor: h.Anchor, Keyframe: h.Keyframe, Version: h.Version,
		},
		Data: b.Data,
	})
	m.bytes += len(b.Data)
	s := &f.sum.Part
	s.Blocks++
	s.Captures += int64(h.Captures)
	s.Changes += int64(h.Changes)
	s.Bytes += int64(len(b.Data))
	if s.First == 0 || h.First < s.First {
		s.First = h.First
	}
	s.Last = max(s.Last, h.Last)
	s.Span = max(s.Span, h.Last-h.First)
	return nil
}

// flushLate makes a lane of the late captures of a feed.
func (m *MarketImport) flushLate(f *feed) error {
	if len(f.late) == 0 {
		return nil
	}
	slices.SortStableFunc(f.late, func(a, b market.Capture) int { return cmp.Compare(a.Recv, b.Recv) })
	enc, err := m.i.a.encoder(f.stream)
	if err != nil {
		return err
	}
	defer m.i.a.encoders[f.stream].Put(enc)
	ref := BlockRef{Position: f.sum.lanes << 32}
	f.sum.lanes++
	group := feed{}
	for k := range f.late {
		c := &f.late[k]
		m.buf = appendContent(m.buf[:0], c)
		if group.holds(c.Recv, m.buf) {
			m.dups++
			continue
		}
		if err := enc.Add(c); err != nil {
			return err
		}
		group.note(c.Recv, m.buf)
		ref.Kinds |= kindsOf(c)
		ref.Traded = addTraded(ref.Traded, c)
		if m.i.a.full(enc) {
			if err := m.keep(f, enc, ref); err != nil {
				return err
			}
			ref = BlockRef{Position: ref.Position + 1}
		}
	}
	clear(f.late)
	f.late = f.late[:0]
	m.letGo(f)
	if enc.Len() == 0 {
		return nil
	}
	return m.keep(f, enc, ref)
}

// hold counts what c takes in memory, and reports whether the feed must give
// up what it holds: all open feeds together hold too much, and this one more
// than its share.
func (m *MarketImport) hold(f *feed, c *market.Capture) bool {
	n := int64(64 + 16*(len(c.Bids)+len(c.Asks)))
	f.held += n
	most := m.i.a.limits.heldBytes
	return m.i.held.Add(n) > most && f.held*max(1, m.i.feeds.Load()) > most
}

// letGo counts that a feed holds nothing any more, if so.
func (m *MarketImport) letGo(f *feed) {
	if f.enc.Len() == 0 && len(f.late) == 0 {
		m.i.held.Add(-f.held)
		f.held = 0
	}
}

// giveUp makes blocks of all that a feed holds.
func (m *MarketImport) giveUp(f *feed) error {
	if err := m.finish(f); err != nil {
		return err
	}
	return m.flushLate(f)
}
