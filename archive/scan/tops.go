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
		q.Bid.Size, q.Ask.Size = packRough(q.Bid.Size, t.Near[0]), packRough(q.Ask.Size, t.Near[1])
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

// roughBits is how many bits of the size that stands in a block are Near's; those
// above it are the price's own.
const roughBits = 4

// packRough returns two lower bounds as a size that is small, and changes by few
// amounts: their logarithms beside each other.
func packRough(at market.Size, near market.Rough) market.Size {
	return market.Size(market.Roughly(at))<<roughBits | market.Size(near)
}

// unpackRough is the inverse of packRough.
func unpackRough(s market.Size) (at market.Size, near market.Rough) {
	return roughSizes[s>>roughBits&(1<<roughBits-1)], market.Rough(s & (1<<roughBits - 1))
}

// roughSizes are the sizes of every market.Rough that packRough has room for.
var roughSizes = func() (sizes [1 << roughBits]market.Size) {
	for i := range sizes {
		sizes[i] = min(market.MostRough, market.Rough(i)).Size()
	}
	return sizes
}()

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
	var tops []market.Top
	err = r.ReadBlocks(ctx, refs, func(i int, data []byte) error {
		ref := &refs[i]
		_, blocks, ok := openTops(ref, data)
		if !ok || want[ref.Token] != ref.Sequence || ref.Version != topsVersion {
			return nil
		}
		var err error
		if tops, err = readTops(tops[:0], d, ref, blocks); err != nil {
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

// readTops appends the tops in a block to dst.
func readTops(dst []market.Top, d *block.Decoder, ref *store.BlockRef, data []byte) ([]market.Top, error) {
	r := newTopReader(d, ref, data)
	dst, _, err := r.read(dst, math.MaxInt)
	return dst, err
}

// topReader reads the tops in a block, some at a time.
type topReader struct {
	dec  *block.Decoder
	ref  *store.BlockRef
	data []byte         // what has not been opened
	open bool           // the decoder has a block of them
	some []block.Quoted // what has been read, and not been handed out
	now  market.Top     // the last one
}

func newTopReader(d *block.Decoder, ref *store.BlockRef, data []byte) *topReader {
	none := market.Level{Price: market.NoPrice}
	return &topReader{dec: d, ref: ref, data: data, now: market.Top{Quote: market.Quote{Bid: none, Ask: none}, Trade: market.NoPrice}}
}

// read appends the next tops to dst, at least so many, unless none are left. Each
// call is given what the one before returned, or a copy, for the first may belong
// to the last top in it.
func (t *topReader) read(dst []market.Top, least int) (tops []market.Top, more bool, err error) {
	for enough := len(dst) + least; ; {
		if len(t.some) == 0 {
			if ok, err := t.next(); !ok {
				return dst, false, err
			}
		}
		if dst = t.take(dst, enough); len(t.some) > 0 {
			return dst, true, nil
		}
	}
}

// take appends what has been read as tops, until there are enough.
func (t *topReader) take(dst []market.Top, enough int) []market.Top {
	dst = slices.Grow(dst, len(t.some))
	now := t.now // in parts, so that none is read again while it is being written
	for i := range t.some {
		q := &t.some[i]
		if q.Recv != now.At {
			if len(dst) >= enough {
				t.some, t.now = t.some[i:], now
				return dst
			}
			dst = dst[:len(dst)+1]
		}
		now.At = q.Recv
		if q.Alone == market.NoPrice {
			now.Known = true
			now.Quote.Bid.Price, now.Quote.Ask.Price = q.Bid, q.Ask
			now.Quote.Bid.Size, now.Near[0] = unpackRough(q.BidSize)
			now.Quote.Ask.Size, now.Near[1] = unpackRough(q.AskSize)
		} else {
			now.Trade = q.Alone
		}
		top := &dst[len(dst)-1]
		top.At, top.Trade, top.Known = now.At, now.Trade, now.Known
		top.Near[0], top.Near[1] = now.Near[0], now.Near[1]
		top.Quote.Bid.Price, top.Quote.Bid.Size = now.Quote.Bid.Price, now.Quote.Bid.Size
		top.Quote.Ask.Price, top.Quote.Ask.Size = now.Quote.Ask.Price, now.Quote.Ask.Size
	}
	t.some, t.now = nil, now
	return dst
}

// next reads further captures and reports whether there are any.
func (t *topReader) next() (bool, error) {
	for {
		if t.open {
			if t.some = t.dec.NextQuotes(); len(t.some) > 0 {
				if t.ref.Version == topsVersion1 {
					renew(t.some)
				}
				return true, nil
			}
			if err := t.dec.Err(); err != nil {
				return false, damaged(t.ref, err)
			}
		}
		if len(t.data) == 0 {
			return false, nil
		}
		n := block.Length(t.data)
		if n == 0 || n > len(t.data) {
			return false, damaged(t.ref, errors.New("not a block"))
		}
		if err := t.dec.Open(t.data[:n]); err != nil {
			return false, damaged(t.ref, err)
		}
		if t.dec.Header().Stream != block.Quotes {
			return false, damaged(t.ref, errors.New("not a block of quotes"))
		}
		t.data, t.open = t.data[n:], true
	}
}

// renew makes captures of tops of version 1 such as they are now.
func renew(some []block.Quoted) {
	for i := range some {
		q := &some[i]
		q.BidSize, q.AskSize = packRough(0, market.Roughly(q.BidSize)), packRough(0, market.Roughly(q.AskSize))
	}
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
// kept up to 24 MB, and what was found at first holds.
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
	var r *topReader
	g := &market.Glance{Cuts: p.cuts}
	g.Tops = func(dst []market.Top, least int) ([]market.Top, bool, error) {
		if r == nil {
			d := decoders.Get().(*block.Decoder)
			d.Prices = g.Prices
			r = newTopReader(d, p.tops, p.topsData)
		}
		return r.read(dst, least)
	}
	g.Close = func() {
		if r != nil {
			giveDecoder(r.dec)
			r = nil
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
