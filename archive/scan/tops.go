package scan

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"sync"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// topsVersion is the version of what a row of tops holds. Tops of version 2 have no
// places in front of them. Those of version 1 besides say, as sizes, what stands within
// market.TopReach of a price, and nothing of the price itself. They go on being read.
const (
	topsVersion  = 3
	topsVersion2 = 2
	topsVersion1 = 1
)

// TopsSequence is the sequence of the tops of a market whose captures have that
// basis: tops of other captures are told by it.
func TopsSequence(basis [32]byte) int64 { return int64(binary.BigEndian.Uint64(basis[:]) >> 1) }

// hasTops reports whether tops are kept of a market: it is a round with one book,
// which is known by ladders alone.
func hasTops(m *market.Market, refs []store.BlockRef) bool {
	is := func(s block.Stream) func(store.BlockRef) bool {
		return func(r store.BlockRef) bool { return r.Stream == s }
	}
	return slices.ContainsFunc(refs, is(block.Books)) && !slices.ContainsFunc(refs, is(block.Quotes)) && canTop(m)
}

func canTop(m *market.Market) bool {
	return m.IsUpDown() && m.Mirrored && len(m.Tokens) == 2 && m.Start < m.End
}

// hasTops is hasTops of the blocks of a plan, as its parts tell of them.
func (p *plan) hasTops() bool {
	ladders := p.places != nil
	for _, part := range store.PlaceParts(p.index, p.parts) {
		if part.Stream == block.Quotes {
			return false
		}
		ladders = ladders || part.Stream == block.Books
	}
	return ladders && canTop(&p.row.Market)
}

// recorders keeps what tops are derived with.
var recorders = sync.Pool{New: func() any { return new(market.TopRecorder) }}

// Tops derives the block of tops of a market from its captures: without data when
// the market has no tops, nil when it is no round, or has no captures.
func Tops(ctx context.Context, r store.Reader, row *store.MarketRow) (*store.Block, error) {
	m := &row.Market
	if !m.IsUpDown() || row.Basis == [32]byte{} {
		return nil, nil
	}
	refs, err := r.Blocks(ctx, row)
	if err != nil {
		return nil, err
	}
	if !hasTops(m, refs) {
		return topsBlock(row, nil, nil)
	}
	rec := recorders.Get().(*market.TopRecorder)
	defer recorders.Put(rec)
	rec.Begin(m.Start, m.End)
	p := &plan{row: *row, refs: refs, index: row.Index()}
	seq := p.sequence(r, refs, false)
	view := newBookView(m, seq)
	err = seq.run(ctx, func(c *market.Capture, l *lane) bool {
		if c = view.see(c, l); c == nil {
			return true
		}
		return rec.Add(c)
	})
	if err != nil {
		return nil, fmt.Errorf("market %s: %w", m.VenueID, err)
	}
	return topsBlock(row, placesOf(refs), rec.Tops())
}

// topsBlock encodes tops: the places of the ladders, and blocks of quotes behind one
// another, in which a price alone is the last trade's.
func topsBlock(row *store.MarketRow, places *places, tops []market.Top) (*store.Block, error) {
	out := &store.Block{Data: []byte{}, BlockRef: store.BlockRef{
		Token: row.ID, Stream: block.Tops, Sequence: TopsSequence(row.Basis), Version: topsVersion,
	}}
	if len(tops) > 0 {
		out.First, out.Last = tops[0].At, tops[len(tops)-1].At
		out.Data = places.append(out.Data)
	}
	enc, err := block.NewEncoder(block.Quotes, block.Options{})
	if err != nil {
		return nil, err
	}
	finish := func() error {
		b, err := enc.Finish(nil)
		out.Data = append(out.Data, b.Data...)
		return err
	}
	put := func(c *market.Capture) error {
		out.Captures++
		if err := enc.Add(c); err != nil || !enc.Full() {
			return err
		}
		return finish()
	}
	trade := market.NoPrice
	for i := range tops {
		t := &tops[i]
		if !t.Known || t.Price() != t.Quote.PriceWith(trade) {
			trade = t.Trade
			if err := put(&market.Capture{Kind: market.KindPrice, Recv: t.At, Trade: market.Trade{Price: trade}}); err != nil {
				return nil, err
			}
		}
		if !t.Known {
			continue
		}
		q := t.Quote
		q.Bid.Size, q.Ask.Size = market.Size(market.RoughsOf(q.Bid.Size, t.Near[0])), market.Size(market.RoughsOf(q.Ask.Size, t.Near[1]))
		if err := put(&market.Capture{Kind: market.KindQuote, Recv: t.At, Quote: q}); err != nil {
			return nil, err
		}
	}
	if enc.Len() > 0 {
		if err := finish(); err != nil {
			return nil, err
		}
	}
	out.Bytes, out.Checksum = len(out.Data), store.Checksum(out.Data)
	return out, nil
}

// openTops takes the bytes of a row of tops apart: the places of the ladders, which may
// be nil, and the blocks of tops. ok is false where the bytes are not those of the row, or
// cannot be read.
func openTops(ref *store.BlockRef, data []byte) (p *places, blocks []byte, ok bool) {
	if len(data) != ref.Bytes || store.Checksum(data) != ref.Checksum {
		return nil, nil, false
	}
	switch {
	case ref.Version == topsVersion && len(data) > 0:
		return readPlaces(data)
	case ref.Version >= topsVersion1 && ref.Version <= topsVersion:
		return nil, data, true
	}
	return nil, nil, false
}

// SoundTops returns the markets, of those given, whose tops are there and were made
// of what they are now, as far as can be told without their captures.
func SoundTops(ctx context.Context, r store.Reader, rows []*store.MarketRow) (map[store.ID]bool, error) {
	want := map[store.ID]int64{}
	var ids []store.ID
	for _, row := range rows {
		ids = append(ids, row.ID)
		want[row.ID] = TopsSequence(row.Basis)
	}
	refs, err := r.Tops(ctx, ids)
	if err != nil {
		return nil, err
	}
	out, d := map[store.ID]bool{}, new(block.Decoder)
	err = r.ReadBlocks(ctx, refs, func(i int, data []byte) error {
		ref := &refs[i]
		_, blocks, ok := openTops(ref, data)
		if !ok || want[ref.Token] != ref.Sequence || ref.Version != topsVersion {
			return nil
		}
		tops, err := readTops(d, ref, blocks)
		if err != nil {
			return nil
		}
		first, last := market.Instant(0), market.Instant(0)
		if len(tops) > 0 {
			first, last = tops[0].At, tops[len(tops)-1].At
		}
		out[ref.Token] = ref.First == first && ref.Last == last
		return nil
	})
	if errors.Is(err, store.ErrDamaged) {
		return out, nil
	}
	return out, err
}

// readTops returns the tops in a block.
func readTops(d *block.Decoder, ref *store.BlockRef, data []byte) ([]market.Shown, error) {
	r := topReader{dec: d, ref: ref, data: data}
	return r.read(math.MaxInt)
}

// topReader reads the tops in a block, some at a time.
type topReader struct {
	dec  *block.Decoder
	ref  *store.BlockRef
	data []byte         // what has not been opened
	open bool           // the decoder has a block of them
	room *room          // where tops stands, if it is read into one
	tops []market.Shown // what has been read; the last one may change while there is more
	done bool           // there is no more
}

// read reads further tops until there are so many, or no more, and returns all of them.
func (t *topReader) read(least int) ([]market.Shown, error) {
	for !t.done && len(t.tops)-1 < least {
		some, err := t.next()
		if err != nil {
			return nil, err
		}
		t.done = len(some) == 0
		t.take(some)
	}
	if t.done {
		return t.tops, nil
	}
	return t.tops[:len(t.tops)-1], nil
}

// take adds what has been read: a top is made of all captures of an instant, and keeps
// what they do not say of the one before.
func (t *topReader) take(some []market.Shown) {
	dst := slices.Grow(t.tops, len(some))
	now := market.Shown{Bid: market.NotKnown, Ask: market.NotKnown, Trade: int16(market.NoPrice)}
	if len(dst) > 0 {
		now = dst[len(dst)-1]
	}
	at, bid, ask, trade, sizes := now.At, now.Bid, now.Ask, now.Trade, now.Sizes // in registers
	for i := range some {
		q := &some[i]
		if q.At != at {
			dst = dst[:len(dst)+1]
		}
		if at = q.At; q.Known() {
			bid, ask, sizes = q.Bid, q.Ask, q.Sizes
		} else {
			trade = q.Trade
		}
		top := &dst[len(dst)-1]
		top.At, top.Bid, top.Ask, top.Trade, top.Sizes = at, bid, ask, trade, sizes
	}
	t.tops = dst
}

// next reads further captures; none are left when it returns none.
func (t *topReader) next() ([]market.Shown, error) {
	for {
		if t.open {
			if some := t.some(); len(some) > 0 {
				return some, nil
			}
			if err := t.dec.Err(); err != nil {
				return nil, damaged(t.ref, err)
			}
		}
		if len(t.data) == 0 {
			return nil, nil
		}
		n := block.Length(t.data)
		if n == 0 || n > len(t.data) {
			return nil, damaged(t.ref, errors.New("not a block"))
		}
		if err := t.dec.Open(t.data[:n]); err != nil {
			return nil, damaged(t.ref, err)
		}
		if t.dec.Header().Stream != block.Quotes {
			return nil, damaged(t.ref, errors.New("not a block of quotes"))
		}
		t.data, t.open = t.data[n:], true
	}
}

// some returns further captures of the block that is open. Those of version 1 have
// what stands near a price as its size.
func (t *topReader) some() []market.Shown {
	if t.ref.Version != topsVersion1 {
		return t.dec.NextQuotes()
	}
	c := t.dec.Next()
	if c == nil {
		return nil
	}
	top := market.Top{At: c.Recv, Quote: c.Quote, Trade: market.NoPrice, Known: c.Kind != market.KindPrice}
	if !top.Known {
		top.Trade = c.Trade.Price
	}
	top.Near = [2]market.Rough{market.Roughly(c.Quote.Bid.Size), market.Roughly(c.Quote.Ask.Size)}
	top.Quote.Bid.Size, top.Quote.Ask.Size = 0, 0
	return []market.Shown{top.Shown()}
}

// CheckTops reports whether the tops of a market are kept as its captures give
// them: what is wrong, or missing, of them otherwise; nil: nothing.
func CheckTops(ctx context.Context, r store.Reader, row *store.MarketRow) error {
	want, err := Tops(ctx, r, row)
	if err != nil || want == nil {
		return err
	}
	refs, err := r.Tops(ctx, []store.ID{row.ID})
	if err != nil {
		return err
	}
	if len(refs) == 0 || len(refs) == 1 && refs[0].Version < topsVersion && refs[0].Sequence == want.Sequence {
		return ErrNoTops
	}
	if len(refs) > 1 || refs[0] != want.BlockRef {
		return fmt.Errorf("tops differ from what its captures give: %w", store.ErrDamaged)
	}
	return r.ReadBlocks(ctx, refs, func(_ int, data []byte) error {
		if !bytes.Equal(data, want.Data) {
			return fmt.Errorf("tops differ from what its captures give: %w", store.ErrDamaged)
		}
		return nil
	})
}

// ErrNoTops means that the archive was made before tops were kept, or before they
// said what they do now.
var ErrNoTops = errors.New("no tops are kept of the round, or tops that say less")

// Glances returns a function that gives the tops of markets that will be asked
// for in roughly this order, through these pointers; nil where an archive has none, or
// none that fit its captures. Tops of several upcoming markets are read together.
// Markets may be asked for in that order again: what has been found of them by then is
// kept up to 36 MB, and what was found at first holds.
//
// listed is as for Planned.
func Glances(s store.Store, markets []*market.Market, listed *Listed) func(context.Context, *market.Market) (*market.Glance, error) {
	h := newAhead(s, markets, listed)
	h.tops = true
	return func(ctx context.Context, m *market.Market) (*market.Glance, error) {
		p := h.take(ctx, m)
		if p == nil || p.tops == nil || p.tops.Bytes == 0 {
			return nil, ctx.Err()
		}
		k := &p.row.Market
		if k.Start != m.Start || k.End != m.End || !m.Mirrored || len(m.Tokens) != len(k.Tokens) || !p.hasTops() {
			return nil, nil
		}
		return h.glance(p), nil
	}
}

// glance returns what a plan knows of its market.
func (h *ahead) glance(p *plan) *market.Glance {
	r := p.topReader()
	g := &market.Glance{Cuts: p.cuts}
	g.Tops = func(least int) ([]market.Shown, bool, error) {
		if r.dec == nil && !r.done && len(r.tops)-1 < least {
			r.dec, r.room = decoders.Get().(*block.Decoder), rooms.Get().(*room)
			r.tops = r.room.take(p.tops.Captures) // again from the first
		}
		tops, err := r.read(least)
		return tops, !r.done, err
	}
	g.Close = func() {
		if r.dec != nil {
			h.keepTops(p, r)
			giveDecoder(r.dec)
			rooms.Put(r.room)
		}
	}
	g.From = func(ctx context.Context, at market.Instant) iter.Seq2[*market.Capture, error] {
		return func(yield func(*market.Capture, error) bool) {
			err := h.locate(ctx, p)
			if err == nil {
				err = p.around(ctx, h.store, at, yield)
			}
			if err != nil {
				yield(nil, fmt.Errorf("captures of %s: %w", p.row.Market.VenueID, err))
			}
		}
	}
	if p.places != nil {
		g.Ladders = func(ctx context.Context, at market.Instant) iter.Seq2[*market.Capture, error] {
			return func(yield func(*market.Capture, error) bool) { h.ladders(ctx, p, at, yield) }
		}
	}
	return g
}

// room is where tops are read to. Those that are kept stay where they are, and the next
// stand behind them.
type room struct {
	free  []market.Shown
	taken int // how many tops what take returned last has space for
}

var rooms = sync.Pool{New: func() any { return new(room) }}

// roomTops is how many tops a room has space for: a megabyte.
const roomTops = 1 << 16

// take returns space for so many tops, or for roomTops: more have to find their own.
func (m *room) take(n int) []market.Shown {
	if m.taken = min(max(n, 0), roomTops); cap(m.free) < m.taken {
		m.free = make([]market.Shown, 0, roomTops)
	}
	return m.free[:0:m.taken]
}

// keep leaves alone the first n tops of what take returned.
func (m *room) keep(n int) { m.free = m.free[n:n:cap(m.free)] }

// topReader returns a reader of the tops of a plan that has read what is kept of them.
func (p *plan) topReader() *topReader {
	p.mu.Lock()
	defer p.mu.Unlock()
	return &topReader{ref: p.tops, data: p.topsData, tops: p.shown, done: p.allShown}
}

// keepTops keeps what has been read of the tops of a plan with it, while there is room.
func (h *ahead) keepTops(p *plan, r *topReader) {
	p.mu.Lock()
	defer p.mu.Unlock()
	const shown = 16
	size := int64(shown * len(r.tops))
	if !p.kept || len(r.tops) <= len(p.shown) || len(r.tops) > r.room.taken {
		return
	}
	if h.kept.Add(size) > keptBytes {
		h.kept.Add(-size)
		return
	}
	r.room.keep(len(r.tops))
	p.shown, p.allShown = slices.Clip(r.tops), r.done
}

// cuts returns where blocks of ladders begin.
func (p *plan) cuts() []market.Instant {
	if p.places != nil {
		return p.places.cuts()
	}
	var out []market.Instant
	for i := range p.refs {
		if p.refs[i].Stream == block.Books {
			out = append(out, p.refs[i].First)
		}
	}
	slices.Sort(out)
	return out
}

// around yields captures as of market.Glance.From.
func (p *plan) around(ctx context.Context, s store.Store, at market.Instant, yield func(*market.Capture, error) bool) error {
	end := newSuffix(p, at, market.Latest, ForReplay)
	var err error
	if len(end.ladders) == 1 {
		err = end.single(ctx, s, yield)
	} else {
		err = end.several(ctx, s, yield)
	}
	return p.blame(ctx, s, err)
}
