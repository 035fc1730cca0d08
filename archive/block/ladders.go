package block

import (
	"encoding/binary"
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
	only   bool                 // the block has nothing but ladders and level changes

	places []uint16 // of the levels that are read together, with room behind them
	bare   bool     // the levels of captures are not kept, only what they lead to
	bytes  bool     // counts and prices are bytes
	table  *[2 * sideBit]held
	rest   []market.Level // what resting returned last
}

// openBooks unpacks the columns of levels, and reads the keyframe and the ticks.
func (x *reader) openBooks(r *run, b *body) error {
	l := &x.ladders
	counts, ticks := 0, 0
	for f, n := range &x.tally {
		switch market.Kind(f & kindBits) {
		case market.KindBook, market.KindChange:
			counts += 2 * n
		case market.KindTick:
			ticks += n
		}
	}
	l.only = counts == 2*b.h.Captures
	if err := x.openPrices(b, counts); err != nil {
		return err
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
	l.begin, l.whole, l.bare = [2]uint64{}, false, false
	l.empty(x.unit)
	if b.h.Keyframe {
		counted, ok := l.count(2)
		if !ok || !l.levels(r, counted, x.unit) {
			return errLadders
		}
		r.keyBidLevels, r.keyLevels = int(counted[0]), len(r.levels)
	}
	if levels-r.keyLevels != b.h.Changes {
		return errLadders
	}
	return nil
}

// openPrices unpacks the columns of how many levels there are and at which prices. So
// many counts are those of the captures.
func (x *reader) openPrices(b *body, counts int) error {
	l := &x.ladders
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
	l.bytes = narrow(x.unit)
	if l.bytes && len(l.counts.extra)+len(l.first.extra)+len(l.gaps.extra) > 0 {
		return errLadders
	}
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
	if l.bytes {
		symbols, ok := l.counts.take(n)
		for i, s := range symbols {
			some[i] = uint64(s)
		}
		return some, ok
	}
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

// mixed is more for all blocks. The first KindBook of the block is a whole ladder: it
// starts from an empty table, as the block itself does.
func (l *ladderReader) mixed(r *run, from int, unit market.Price) error {
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
			if some = left; l.sizes.at > 0 {
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

// more reads the levels of the entries of r from an index on.
func (l *ladderReader) more(r *run, from int, unit market.Price) error {
	if !l.only || !l.whole {
		return l.mixed(r, from, unit)
	}
	entries := r.entries[from:]
	some, ok := l.count(2 * len(entries))
	if !ok {
		return errLadders
	}
	for i := range entries {
		two := some[2*i : 2*i+2]
		entries[i].bids, entries[i].asks = int32(two[0]), int32(two[1])
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
		sides += int(-n >> 63) // 1 unless n is 0
	}
	at := len(r.levels)
	if all > cap(r.levels)-at || all > len(l.sizes.symbols)-l.sizes.at || all-sides > len(l.gaps.symbols)-l.gaps.at {
		return false
	}
	l.places = slices.Grow(l.places[:0], all+swar)[:all+swar]
	read := l.readPlaces
	if l.bytes {
		read = l.bytePlaces
	}
	if !read(counts, sides, uint64(market.PriceOne/unit)) {
		return false
	}
	places := l.places[:all]
	if l.bare {
		return l.follow(places)
	}
	r.levels = r.levels[:at+all]
	return l.fill(r.levels[at:], places, unit)
}

// done reports whether the columns have been read to their end, and gave as many
// levels as the header says.
func (l *ladderReader) done() bool {
	return l.counts.done() && l.first.done() && l.gaps.done() && l.sizes.done()
}

// swar is how many symbols of gaps are read together, as the bytes of a word. Each is
// below 16, so that a byte holds the sum of them all and of as many ones.
const (
	swar     = 8
	swarOnes = 0x0101010101010101
	swarHigh = 0xf0 * swarOnes
)

// readPlaces turns the columns of prices into the places of levels, of so many sides
// that have any, up to the highest price in units. It reports false when a price is out of range or a column not well formed.
func (l *ladderReader) readPlaces(counts []uint64, sides int, most uint64) bool {
	first, places := l.begins[:sides], l.places
	if !l.first.fill(first) {
		return false
	}
	symbols := l.gaps.symbols[:cap(l.gaps.symbols)]
	for i, n := range counts {
		if n == 0 {
			continue
		}
		side := i & 1
		p := l.begin[side] + uint64(unzigzag(first[0]))
		first = first[1:]
		l.begin[side] = p
		if p > most {
			return false
		}
		down := uint64(side) - 1 // −1 for bids, whose prices fall, and 0 for asks
		place := uint16(p) | uint16(side)*sideBit
		out := places[1 : 1+swar]
		places[0] = place
		var way uint64
		gaps := binary.LittleEndian.Uint64(symbols[l.gaps.at:]) & (1<<(8*(n-1)) - 1)
		if n > 1+swar || gaps&swarHigh != 0 {
			var ok bool
			if way, ok = l.gaps.places(places[1:n], place, uint16(down), most); !ok {
				return false
			}
		} else {
			sums := (gaps + swarOnes) * swarOnes // byte k: of the first k+1 gaps, and ones
			way = sums>>56 + n - 1 - swar
			flip, base := uint16(down), place-uint16(down) // x^−1+1 = −x
			out[0] = base + (uint16(uint8(sums)) ^ flip)
			out[1] = base + (uint16(uint8(sums>>8)) ^ flip)
			out[2] = base + (uint16(uint8(sums>>16)) ^ flip)
			out[3] = base + (uint16(uint8(sums>>24)) ^ flip)
			if n > 1+swar/2 {
				out[4] = base + (uint16(uint8(sums>>32)) ^ flip)
				out[5] = base + (uint16(uint8(sums>>40)) ^ flip)
				out[6] = base + (uint16(uint8(sums>>48)) ^ flip)
				out[7] = base + (uint16(uint8(sums>>56)) ^ flip)
			}
			l.gaps.at += int(n - 1)
		}
		if p+(way^down)-down > most {
			return false
		}
		places = places[n:]
	}
	return !l.gaps.broken
}

// narrowMost is the highest price in units up to which counts and prices are bytes.
const narrowMost = 127

// evens masks every other byte of a word; evenOnes has a one in each of them.
const (
	evens    = 0x00ff00ff00ff00ff
	evenOnes = 0x0001000100010001
)

// bytePlaces is readPlaces where counts and prices are bytes: then the sums of gaps
// are, too.
func (l *ladderReader) bytePlaces(counts []uint64, sides int, most uint64) bool {
	first, ok := l.first.take(sides)
	if !ok {
		return false
	}
	places, wrong := l.places, uint64(0)
	gaps, ok := l.gaps.take(len(places) - swar - sides)
	if !ok {
		return false
	}
	gaps = gaps[:cap(gaps)]
	for i, n := range counts {
		if n == 0 {
			continue
		}
		side := i & 1
		p := l.begin[side] + uint64(unzigzag(uint64(first[0])))
		first = first[1:]
		l.begin[side] = p
		down := uint64(side) - 1 // −1 for bids, whose prices fall, and 0 for asks
		flip := uint16(down)     // x^−1+1 = −x
		place, way := uint16(p)|uint16(side)*sideBit, n-1
		places[0] = place
		out := places[1:]
		for left := n - 1; ; left -= swar {
			some := binary.LittleEndian.Uint64(gaps)
			if left < swar {
				some &= 1<<(8*left) - 1
			}
			way += (some&evens + some>>8&evens) * evenOnes >> 48
			sums := (some + swarOnes) * swarOnes // byte k: of the first k+1 gaps, and ones
			base, eight := place-flip, out[:swar]
			eight[0] = base + (uint16(uint8(sums)) ^ flip)
			eight[1] = base + (uint16(uint8(sums>>8)) ^ flip)
			eight[2] = base + (uint16(uint8(sums>>16)) ^ flip)
			eight[3] = base + (uint16(uint8(sums>>24)) ^ flip)
			eight[4] = base + (uint16(uint8(sums>>32)) ^ flip)
			eight[5] = base + (uint16(uint8(sums>>40)) ^ flip)
			eight[6] = base + (uint16(uint8(sums>>48)) ^ flip)
			eight[7] = base + (uint16(uint8(sums>>56)) ^ flip)
			if left <= swar {
				gaps = gaps[left:]
				break
			}
			place, gaps, out = eight[swar-1], gaps[swar:], out[swar:]
		}
		// The last price is the farthest: if it is in range, no sum has left its byte.
		last := p + (way ^ down) - down
		wrong |= p | (most - p) | last | (most - last)
		places = places[n:]
	}
	return int64(wrong) >= 0
}

// places fills out with the places that the next gaps of a side lead to from one
// place on, and returns how far they lead together. down is −1 for bids, whose prices
// fall, and 0 for asks. It reports false when a gap is larger than most.
func (r *intReader) places(out []uint16, place, down uint16, most uint64) (way uint64, ok bool) {
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
		place += uint16(gap+1) ^ down - down
		out[i] = place
	}
	return way, true
}

// empty makes every level of the table zero, for prices in steps of unit.
func (l *ladderReader) empty(unit market.Price) {
	if l.table == nil {
		l.table = new([2 * sideBit]held)
		return
	}
	n := int(market.PriceOne/unit) + 1
	clear(l.table[:n])
	clear(l.table[sideBit : sideBit+n])
}

// resting returns the levels of the table that have a size, best first.
func (l *ladderReader) resting(unit market.Price) (bids, asks []market.Level) {
	n, out := int(market.PriceOne/unit), l.rest[:0]
	for p := n; p >= 0; p-- {
		if s := l.table[p][heldNow]; s != 0 {
			out = append(out, market.Level{Price: market.Price(p) * unit, Size: s})
		}
	}
	side := len(out)
	for p := range n + 1 {
		if s := l.table[sideBit+p][heldNow]; s != 0 {
			out = append(out, market.Level{Price: market.Price(p) * unit, Size: s})
		}
	}
	l.rest = out
	return out[:side:side], out[side:]
}

// fill fills out with the levels at places. Here, and where the columns are turned
// into places and changes, goes the time of a decoder.
func (l *ladderReader) fill(out []market.Level, places []uint16, unit market.Price) bool {
	symbols, changes, ok := l.sizes.changes(len(out))
	if !ok {
		return false
	}
	out, places, changes = out[:len(symbols)], places[:len(symbols)], changes[:len(symbols)]
	table, by, wrong := l.table, &keeps, market.Size(0)
	for i, symbol := range symbols {
		place := places[i] & placeMask
		h := &table[place]
		s := h[by[symbol]&heldMask] + changes[i]
		wrong |= s
		h.set(s)
		out[i] = market.Level{Price: market.Price(place&priceMask) * unit, Size: s}
	}
	return wrong >= 0
}

// follow is fill for levels that nobody asks for: the table follows them.
func (l *ladderReader) follow(places []uint16) bool {
	symbols, changes, ok := l.sizes.changes(len(places))
	if !ok {
		return false
	}
	places, changes = places[:len(symbols)], changes[:len(symbols)]
	table, by, wrong := l.table, &keeps, market.Size(0)
	for i, symbol := range symbols {
		h := &table[places[i]&placeMask]
		s := h[by[symbol]&heldMask] + changes[i]
		wrong |= s
		h.set(s)
	}
	return wrong >= 0
}
