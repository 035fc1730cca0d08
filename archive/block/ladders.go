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
	counts []uint64 // of levels, per side: of the keyframe, then of each ladder
	first  []uint64 // per side that has levels: where it begins
	gaps   column   // per further level: how far it is from the one before
	sizes  amountReader

	key    int // levels of the keyframe
	levels int // of the keyframe and of all captures

	moves []int32 // per level: how far its place is from that of the one before
	place int32   // of the level read last
	table *[2 * sideBit]amount
}

// readBooks reads the columns of levels and ticks.
func (x *reader) readBooks(r *run, b *body) error {
	l := &x.ladders
	if err := x.readCounts(r, b); err != nil {
		return fmt.Errorf("counts: %w", err)
	}
	sides := 0
	for _, n := range l.counts {
		if n > 0 {
			sides++
		}
	}
	var err error
	if l.first, err = x.readInts(b, 1, sides); err != nil {
		return fmt.Errorf("first prices: %w", err)
	}
	if b.b, err = x.unpacker.read(&l.gaps, b.b, l.levels-sides, b.plain); err != nil {
		return fmt.Errorf("prices: %w", err)
	}
	if err := x.readTicks(r, b); err != nil {
		return fmt.Errorf("ticks: %w", err)
	}
	if l.sizes, err = x.readSizes(b, l.levels); err != nil {
		return fmt.Errorf("sizes: %w", err)
	}
	gaps := intReader{steps: x.intSteps, symbols: l.gaps.symbols, extra: l.gaps.extra}
	if !l.readMoves(&gaps, b.unit) || !l.readLevels(r, b.unit) {
		return errLadders
	}
	return nil
}

// readCounts reads how many levels each capture has, and says so in its entry.
func (x *reader) readCounts(r *run, b *body) error {
	l := &x.ladders
	key, ladders := 0, 0
	if b.h.Keyframe {
		key = 2
	}
	for i := range r.entries {
		if k := r.entries[i].kind; k == market.KindBook || k == market.KindChange {
			ladders++
		}
	}
	counts, err := x.readInts(b, 0, key+2*ladders)
	if err != nil {
		return err
	}
	l.counts, l.key, l.levels = counts, 0, 0
	for i, n := range counts {
		if n > uint64(sideLevels) {
			return errLadders
		}
		l.levels += int(n)
		if i < key {
			l.key += int(n)
		}
	}
	if l.levels-l.key != b.h.Changes {
		return errLadders
	}
	if key > 0 {
		r.keyBidLevels = int(counts[0])
		counts = counts[key:]
	}
	for i := range r.entries {
		n := &r.entries[i]
		if n.kind == market.KindBook || n.kind == market.KindChange {
			n.bids, n.asks = int32(counts[0]), int32(counts[1])
			counts = counts[2:]
		}
	}
	return nil
}

// readTicks reads the column of ticks.
func (x *reader) readTicks(r *run, b *body) error {
	ticks := 0
	for i := range r.entries {
		if r.entries[i].kind == market.KindTick {
			ticks++
		}
	}
	values, err := x.readInts(b, 2, ticks)
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

// readMoves turns the columns of prices into moves from place to place. It
// reports false when a price is out of range or a column not well formed.
func (l *ladderReader) readMoves(gaps *intReader, unit market.Price) bool {
	l.moves = slices.Grow(l.moves[:0], l.levels)[:l.levels]
	moves, first, most := l.moves, l.first, uint64(market.PriceOne/unit)
	var begin [2]uint64 // where the side began last
	place := uint64(0)
	for i, n := range l.counts {
		if n == 0 {
			continue
		}
		side := i & 1
		p := begin[side] + uint64(unzigzag(first[0]))
		first = first[1:]
		begin[side] = p
		from := p | uint64(side)*sideBit
		moves[0] = int32(from - place)
		way, ok := gaps.moves(moves[1:n], int32(side)-1, most)
		moves = moves[n:]
		if side == 0 {
			way = -way
		}
		if !ok || p > most || p+way > most {
			return false
		}
		place = from + way
	}
	return gaps.done()
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

// readLevels makes the levels of r. The first KindBook of the block is a whole
// ladder: it starts from an empty table, as the block itself does. It reports
// false when a size is out of range or the column of sizes not well formed.
func (l *ladderReader) readLevels(r *run, unit market.Price) bool {
	r.levels = slices.Grow(r.levels[:0], l.levels)[:l.levels]
	r.keyLevels = l.key
	l.place = 0
	before := l.key // levels before the first KindBook
	for i := range r.entries {
		n := &r.entries[i]
		if n.kind == market.KindBook {
			n.whole = true
			break
		}
		before += int(n.bids + n.asks)
	}
	l.empty(unit)
	if !l.fill(r.levels[:before], l.moves[:before], unit) {
		return false
	}
	if before < l.levels {
		l.empty(unit)
	}
	return l.fill(r.levels[before:], l.moves[before:], unit) && l.sizes.done()
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
