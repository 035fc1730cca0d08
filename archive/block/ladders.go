package block

import (
	"fmt"
	"slices"

	"github.com/ladderback/ladderback/market"
)

// The reader of levels finds what it knows of a level in a table, at the
// level's price in units, the ask side sideBit further.
const (
	placeBits = 14
	priceMask = 1<<placeBits - 1
	sideBit   = 1 << placeBits
	placeMask = sideBit | priceMask
)

// ladderReader puts the columns of levels together.
type ladderReader struct {
	counts intColumn // of levels, per side: of the keyframe, then of each ladder
	first  intColumn // per side that has levels: where it begins
	gaps   intColumn // per further level: how far it is from the one before
	sizes  amountReader

	some   [2 * together]uint64 // counts that were read
	begins [2 * together]uint64 // first prices that were read
	begin  [2]uint64            // where each side began last
	whole  bool                 // a whole ladder has been read

	moves []int32 // per level: how far its place is from that of the one before
	from  uint64  // the place that the next move leads from
	place int32   // of the level read last
	table *[2 * sideBit]amount
}

// openBooks unpacks the columns of levels, and reads the keyframe and the ticks.
func (x *reader) openBooks(r *run, b *body) error {
	l := &x.ladders
	counts, ticks := 0, 0
	for _, f := range x.flags.symbols {
		switch market.Kind(f & kindBits) {
		case market.KindBook, market.KindChange:
			counts += 2
		case market.KindTick:
			ticks++
		}
	}
	if b.h.Keyframe {
		counts += 2
	}
	if err := x.openInts(b, &l.counts, counts, 0); err != nil {
		return fmt.Errorf("counts: %w", err)
	}
	if err := x.openInts(b, &l.first, -1, counts); err != nil {
		return fmt.Errorf("first prices: %w", err)
	}
	if err := x.openInts(b, &l.gaps, -1, maxSymbols); err != nil {
		return fmt.Errorf("prices: %w", err)
	}
	if err := x.readTicks(r, b, ticks); err != nil {
		return fmt.Errorf("ticks: %w", err)
	}
	levels := len(l.first.symbols) + len(l.gaps.symbols)
	if levels < b.h.Changes || levels-b.h.Changes > maxLevels {
		return errLadders
	}
	var err error
	if l.sizes, err = x.readSizes(b, levels); err != nil {
		return fmt.Errorf("sizes: %w", err)
	}
	r.levels, r.keyLevels, r.keyBidLevels = slices.Grow(r.levels[:0], levels), 0, 0
	l.begin, l.from, l.place, l.whole = [2]uint64{}, 0, 0, false
	l.empty(x.unit)
	if !b.h.Keyframe {
		return nil
	}
	counted, ok := l.count(2)
	if !ok || !l.levels(r, counted, x.unit) {
		return errLadders
	}
	r.keyBidLevels, r.keyLevels = int(counted[0]), len(r.levels)
	return nil
}

// readTicks reads the column of ticks.
func (x *reader) readTicks(r *run, b *body, ticks int) error {
	values, err := x.readInts(b, ticks)
	if err != nil {
		return err
	}
	for _, v := range values {
		if v > uint64(market.PriceOne) {
			return errValues
		}
		r.contents = append(r.contents, content{trade: market.Trade{Price: market.Price(v)}})
	}
	return nil
}

// count reads the next n counts of levels.
func (l *ladderReader) count(n int) ([]uint64, bool) {
	some := l.some[:n]
	if !l.counts.fill(some) {
		return nil, false
	}
	for _, k := range some {
		if k > uint64(sideLevels) {
			return nil, false
		}
	}
	return some, true
}

// more reads the levels of the entries of r from an index on. The first KindBook of
// the block is a whole ladder: it starts from an empty table, as the block itself
// does.
func (l *ladderReader) more(r *run, from int, unit market.Price) error {
	counts := 0
	for i := range r.entries[from:] {
		if k := r.entries[from+i].kind; k == market.KindBook || k == market.KindChange {
			counts += 2
		}
	}
	some, ok := l.count(counts)
	if !ok {
		return errLadders
	}
	left := some
	for i := range r.entries[from:] {
		n := &r.entries[from+i]
		if n.kind != market.KindBook && n.kind != market.KindChange {
			continue
		}
		if n.kind == market.KindBook && !l.whole {
			l.whole, n.whole = true, true
			if len(some) > len(left) && !l.levels(r, some[:len(some)-len(left)], unit) {
				return errLadders
			}
			if some = left; len(r.levels) > 0 {
				l.empty(unit)
			}
		}
		n.bids, n.asks = int32(left[0]), int32(left[1])
		left = left[2:]
	}
	if !l.levels(r, some, unit) {
		return errLadders
	}
	return nil
}

// levels reads so many levels of each side, bids and asks in turn. It reports false
// when there are not so many, a price or size is out of range, or a column is not
// well formed.
func (l *ladderReader) levels(r *run, counts []uint64, unit market.Price) bool {
	all, sides := 0, 0
	for _, n := range counts {
		all += int(n)
		if n > 0 {
			sides++
		}
	}
	at := len(r.levels)
	if all > cap(r.levels)-at || all > len(l.sizes.symbols)-l.sizes.at || all-sides > len(l.gaps.symbols)-l.gaps.at {
		return false
	}
	r.levels = r.levels[:at+all]
	l.moves = slices.Grow(l.moves[:0], all)[:all]
	return l.readMoves(counts, l.begins[:sides], unit) && l.fill(r.levels[at:], l.moves, unit)
}

// done reports whether the columns have been read to their end, and gave as many
// levels as the header says.
func (l *ladderReader) done(r *run) bool {
	return l.counts.done() && l.first.done() && l.gaps.done() && l.sizes.done() && len(r.levels) == len(l.sizes.symbols)
}

// readMoves turns the columns of prices into moves from place to place. It
// reports false when a price is out of range or a column not well formed.
func (l *ladderReader) readMoves(counts, first []uint64, unit market.Price) bool {
	if !l.first.fill(first) {
		return false
	}
	moves, most := l.moves, uint64(market.PriceOne/unit)
	place := l.from
	for i, n := range counts {
		if n == 0 {
			continue
		}
		side := i & 1
		p := l.begin[side] + uint64(unzigzag(first[0]))
		first = first[1:]
		l.begin[side] = p
		from := p | uint64(side)*sideBit
		moves[0] = int32(from - place)
		way, ok := l.gaps.moves(moves[1:n], int32(side)-1, most)
		moves = moves[n:]
		if side == 0 {
			way = -way
		}
		if !ok || p > most || p+way > most {
			return false
		}
		place = from + way
	}
	l.from = place
	return !l.gaps.broken
}

// moves fills out with the next moves of a side and returns how far they lead
// together. down is −1 for bids, whose prices fall, and 0 for asks. It reports
// false when a gap is larger than most.
func (r *intReader) moves(out []int32, down int32, most uint64) (way uint64, ok bool) {
	symbols := r.symbols[r.at : r.at+len(out)]
	r.at += len(out)
	for i, s := range symbols {
		gap := uint64(s)
		if gap >= intDirect {
			if gap = r.value(s); gap > most {
				return 0, false
			}
		}
		way += gap + 1
		out[i] = int32(gap+1) ^ down - down
	}
	return way, true
}

// empty makes every level of the table zero, for prices in steps of unit.
func (l *ladderReader) empty(unit market.Price) {
	if l.table == nil {
		l.table = new([2 * sideBit]amount)
		return
	}
	n := int(market.PriceOne/unit) + 1
	clear(l.table[:n])
	clear(l.table[sideBit : sideBit+n])
}

// resting appends the levels of the table that have a size, best first.
func (l *ladderReader) resting(bids, asks []market.Level, unit market.Price) (_, _ []market.Level) {
	n := int(market.PriceOne / unit)
	for p := n; p >= 0; p-- {
		if s := l.table[p].now; s != 0 {
			bids = append(bids, market.Level{Price: market.Price(p) * unit, Size: s})
		}
	}
	for p := range n + 1 {
		if s := l.table[sideBit+p].now; s != 0 {
			asks = append(asks, market.Level{Price: market.Price(p) * unit, Size: s})
		}
	}
	return bids, asks
}

// fill fills out with the levels that the moves lead to. It is where the time
// of a decoder goes: amountReader.next is spelled out.
func (l *ladderReader) fill(out []market.Level, moves []int32, unit market.Price) bool {
	z := &l.sizes
	symbols := z.symbols[z.at : z.at+len(out)]
	z.at += len(out)
	out, moves = out[:len(symbols)], moves[:len(symbols)]
	extra, pos, end := z.extra[:len(z.extra)+padding], z.pos, uint(len(z.extra))*8
	place, table, steps := l.place, l.table, z.steps
	for i, symbol := range symbols {
		place += moves[i]
		t := &steps[symbol]
		bits := uint(t.bits)
		if pos+bits > end || bits > wideBits {
			return false
		}
		a := &table[place&placeMask]
		var s market.Size
		if bits < wideBits {
			s = t.size(a, extra, pos)
		} else {
			s = market.Size(wideAt(extra, pos))
		}
		pos += bits
		if s < 0 {
			return false
		}
		a.set(s)
		out[i] = market.Level{Price: market.Price(place&priceMask) * unit, Size: s}
	}
	l.place, z.pos = place, pos
	return true
}
