package table

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"
	"time"

	"github.com/ladderback/ladderback/market"
)

// JSON and CSV of what comes in buckets is written straight into buffers: numbers are the
// shortest decimals of the integers they are kept as.

// appendDecimal writes v, in units of 10^-decimals, with as many decimals as
// needed. decimals is 4 or 6.
func appendDecimal(dst []byte, v int64, decimals int) []byte {
	u := uint64(v)
	if v < 0 {
		dst = append(dst, '-')
		u = -u
	}
	var whole uint64
	var frac uint32
	if decimals == 4 {
		whole, frac = u/10_000, uint32(u%10_000)*100
	} else {
		whole, frac = u/1_000_000, uint32(u%1_000_000)
	}
	dst = appendUint(dst, whole)
	if frac == 0 {
		return dst
	}
	a, b, c := 2*(frac/10_000), 2*(frac/100%100), 2*(frac%100)
	switch { // the last two digits written are not both zero
	case c != 0:
		dst = append(dst, '.', pairs[a], pairs[a+1], pairs[b], pairs[b+1], pairs[c], pairs[c+1])
	case b != 0:
		dst = append(dst, '.', pairs[a], pairs[a+1], pairs[b], pairs[b+1])
	default:
		dst = append(dst, '.', pairs[a], pairs[a+1])
	}
	if dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// pairs are the numbers below 100 in two digits each.
const pairs = "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899"

func appendUint(dst []byte, u uint64) []byte {
	switch {
	case u < 10:
		return append(dst, byte('0'+u))
	case u < 100:
		return append(dst, pairs[2*u], pairs[2*u+1])
	case u < 10_000:
		high, low := 2*(u/100), 2*(u%100)
		if u < 1000 {
			return append(dst, pairs[high+1], pairs[low], pairs[low+1])
		}
		return append(dst, pairs[high], pairs[high+1], pairs[low], pairs[low+1])
	}
	return strconv.AppendUint(dst, u, 10)
}

// Clock writes times; it keeps the text of the minute it wrote last. The zero value is ready to
// use.
type Clock struct {
	minute market.Instant
	text   [20]byte // "2026-08-23T14:00:00Z"; all zero: none was written
}

// Append writes the time of a bucket: "2026-08-23T14:00:00Z", with ".250" only
// where it is not a whole second.
func (c *Clock) Append(dst []byte, t market.Instant) []byte {
	minute, rest := t/market.Minute, t%market.Minute
	if rest < 0 {
		minute, rest = minute-1, rest+market.Minute
	}
	if minute != c.minute || c.text[0] == 0 {
		c.minute = minute
		(minute * market.Minute).Time().AppendFormat(c.text[:0], time.RFC3339)
	}
	s := 2 * (uint32(rest) / uint32(market.Second))
	c.text[17], c.text[18] = pairs[s], pairs[s+1]
	ms := uint32(rest) % uint32(market.Second) / uint32(market.Millisecond)
	if ms == 0 {
		return append(dst, c.text[:]...)
	}
	return append(append(dst, c.text[:19]...), '.', byte('0'+ms/100), byte('0'+ms/10%10), byte('0'+ms%10), 'Z')
}

// AppendPrice writes a price point; t is its time, as of all points, v in units of 1e-6.
func AppendPrice(dst, t []byte, v int64) []byte {
	dst = append(append(dst, `{"t":"`...), t...)
	dst = append(dst, `","p":`...)
	return append(appendDecimal(dst, v, 6), '}')
}

// AppendMetric writes a metrics point, its amounts in units of 1e-6.
func AppendMetric(dst, t []byte, liquidity, spread, volume int64) []byte {
	dst = append(append(dst, `{"t":"`...), t...)
	dst = appendDecimal(append(dst, `","liquidity":`...), liquidity, 6)
	dst = appendDecimal(append(dst, `,"spread":`...), spread, 6)
	dst = appendDecimal(append(dst, `,"volume":`...), volume, 6)
	return append(dst, '}')
}

// Snapshots writes the snapshots of a book, which it is told of as it changes. The text of
// a level is written once, as its token and as the other token of a pair sees it, and copied
// while the level stands: most stand from one snapshot to the next. The zero value is an empty
// book.
type Snapshots struct {
	bids, asks []levelText // best last: most of what comes and goes is near the best
	levels     []market.Level
	stale      bool // some have not been written
}

// levelText is a level with its texts, and a comma behind each.
type levelText struct {
	size        market.Size
	price       market.Price
	written     bool // the sizes are that of now
	gone        bool // unless Replace finds it again
	own, mirror priced
}

// priced is the text of a level as one of a pair's tokens sees it.
type priced struct {
	price, all uint8 // lengths: without the size; tooLong: there is no text
	text       [levelRoom]byte
}

const (
	levelBytes = 64 // of a levelText
	priceRoom  = 8  // "[0.9999,"
	sizeRoom   = 14 // "99999.999999],"
	levelRoom  = priceRoom + sizeRoom
	tooLong    = levelRoom + 1
	// longest is more than any text of a level takes.
	longest = len("[0.9999,9223372036854.775807],") + 2
)

// Clear makes the book an empty one.
func (b *Snapshots) Clear() { b.bids, b.asks = b.bids[:0], b.asks[:0] }

// Bytes returns the approximate memory footprint of b.
func (b *Snapshots) Bytes() int {
	return (cap(b.bids) + cap(b.asks)) * levelBytes
}

// Set sets levels of both sides, whose sizes are zero where they are gone. That takes least
// time where they stand in order, best first.
func (b *Snapshots) Set(bids, asks []market.Level) {
	b.bids = set(b.bids, bids, -1)
	b.asks = set(b.asks, asks, 1)
	b.stale = true
}

// Replace makes the book one of these levels alone, each price once. What stood before keeps
// its text.
func (b *Snapshots) Replace(bids, asks []market.Level) {
	b.bids = b.replace(b.bids, bids, -1)
	b.asks = b.replace(b.asks, asks, 1)
	b.stale = true
}

func (b *Snapshots) replace(all []levelText, levels []market.Level, by market.Price) []levelText {
	if len(all) == 0 { // each goes to the end, if the worst is first
		b.levels = append(b.levels[:0], levels...)
		slices.Reverse(b.levels)
		return set(all, b.levels, by)
	}
	for i := range all {
		all[i].gone = true
	}
	return slices.DeleteFunc(set(all, levels, by), func(l levelText) bool { return l.gone })
}

// set sets levels of a side whose prices ascend from its best on if by is 1, descend if it is -1.
func set(all []levelText, levels []market.Level, by market.Price) []levelText {
	i := len(all) // those from here on are better than the level
	for _, l := range levels {
		rank := by * l.Price
		if i < len(all) && by*all[i].price >= rank {
			i = len(all)
		}
		for i > 0 && by*all[i-1].price < rank {
			i--
		}
		stands := i > 0 && all[i-1].price == l.Price
		switch {
		case stands && l.Size == 0:
			i--
			all = slices.Delete(all, i, i+1)
		case stands:
			at := &all[i-1]
			if at.gone = false; at.size != l.Size {
				at.size, at.written = l.Size, false
			}
		case l.Size != 0:
			all = slices.Insert(all, i, newLevelText(l))
		}
	}
	return all
}

// Append writes a snapshot, of the other token of the pair where other is set.
func (b *Snapshots) Append(dst, t []byte, other bool) []byte {
	bids, asks := b.bids, b.asks
	if b.stale {
		write(bids)
		write(asks)
		b.stale = false
	}
	if other {
		bids, asks = asks, bids
	}
	dst = append(append(dst, `{"t":"`...), t...)
	dst = appendTexts(append(dst, `","bids":[`...), bids, other)
	dst = appendTexts(append(dst, `,"asks":[`...), asks, other)
	return append(dst, '}')
}

// appendTexts appends levels, which are written, and the end of their list.
func appendTexts(dst []byte, levels []levelText, other bool) []byte {
	at := len(dst)
	dst = slices.Grow(dst, longest*(len(levels)+1))
	dst = dst[:cap(dst)]
	for i := len(levels) - 1; i >= 0; i-- {
		l := &levels[i]
		p := &l.own
		if other {
			p = &l.mirror
		}
		if p.all == tooLong {
			at = len(l.appendLong(dst[:at], other))
			continue
		}
		*(*[levelRoom]byte)(dst[at:]) = p.text
		at += int(p.all)
	}
	if len(levels) > 0 {
		at-- // the comma
	}
	return append(dst[:at], ']')
}

// appendLong appends a level that has no text. It is called rarely, and by itself so that the
// loop around it stays short.
func (l *levelText) appendLong(dst []byte, other bool) []byte {
	price := l.price
	if other {
		price = price.Mirror()
	}
	dst = append(appendDecimal(append(dst, '['), int64(price), 4), ',')
	return append(appendDecimal(dst, int64(l.size), 6), ']', ',')
}

func newLevelText(l market.Level) levelText {
	t := levelText{size: l.Size, price: l.Price}
	t.own.begin(l.Price)
	t.mirror.begin(l.Price.Mirror())
	return t
}

func (p *priced) begin(price market.Price) {
	if price <= 0 || price >= market.PriceOne {
		p.price = uint8(len(append(appendDecimal(append(p.text[:0], '['), int64(price), 4), ',')))
		return
	}
	a, b := 2*(uint32(price)/100), 2*(uint32(price)%100)
	*(*[priceRoom]byte)(p.text[:]) = [...]byte{'[', '0', '.', pairs[a], pairs[a+1], pairs[b], pairs[b+1], ','}
	n := priceRoom - 1
	for p.text[n-1] == '0' {
		n--
	}
	p.text[n] = ','
	p.price = uint8(n + 1)
}

// write writes the sizes that have changed.
func write(levels []levelText) {
	var room [sizeDigits + longest]byte
	for i := range levels {
		l := &levels[i]
		if l.written {
			continue
		}
		from, to := writeSize(&room, l.size)
		l.own.end(&room, from, to)
		l.mirror.end(&room, from, to)
		l.written = true
	}
}

// end sets the size to room[from:to].
func (p *priced) end(room *[sizeDigits + longest]byte, from, to int) {
	n := to - from
	if p.all = p.price + uint8(n); n > sizeRoom || p.price > priceRoom {
		p.all = tooLong
		return
	}
	*(*[sizeRoom]byte)(p.text[p.price:]) = [sizeRoom]byte(room[from:])
}

// sizeDigits is how many digits before the point writeSize writes by pairs.
const sizeDigits = 6

// writeSize writes a size and what follows it to room[from:to]. Nearly all are hundredths of a
// share.
func writeSize(room *[sizeDigits + longest]byte, size market.Size) (from, to int) {
	hundredths := uint64(size) / 10_000
	if hundredths >= 100_000_000 || hundredths*10_000 != uint64(size) {
		return 0, len(append(appendDecimal(room[:0], int64(size), 6), ']', ','))
	}
	whole := uint32(hundredths) / 100
	a, b, c, d := 2*(whole/10_000), 2*(whole/100%100), 2*(whole%100), 2*(uint32(hundredths)%100)
	*(*[sizeDigits + 3]byte)(room[:]) = [...]byte{
		pairs[a], pairs[a+1], pairs[b], pairs[b+1], pairs[c], pairs[c+1], '.', pairs[d], pairs[d+1],
	}
	// The first byte of the first five that is not '0', or the sixth.
	from = bits.TrailingZeros64(binary.LittleEndian.Uint64(room[:])&0x0F_0F_0F_0F_0F|1<<40) / 8
	to = sizeDigits + 3
	if room[to-1] == '0' {
		if to--; room[to-1] == '0' {
			to = sizeDigits
		}
	}
	room[to], room[to+1] = ']', ','
	return from, to + 2
}

// AppendQuote writes a top of book: null where a side is empty, or the source
// gives no size.
func AppendQuote(dst, t []byte, q market.Quote) []byte {
	dst = append(append(append(dst, `{"t":"`...), t...), '"')
	return append(appendQuoteFields(dst, q), '}')
}

func appendQuoteFields(dst []byte, q market.Quote) []byte {
	for _, s := range [...]struct {
		price, size string
		level       market.Level
	}{{`,"bid":`, `,"bid_size":`, q.Bid}, {`,"ask":`, `,"ask_size":`, q.Ask}} {
		dst = append(dst, s.price...)
		if s.level.Price == market.NoPrice {
			dst = append(append(append(dst, "null"...), s.size...), "null"...)
			continue
		}
		dst = append(appendDecimal(dst, int64(s.level.Price), 4), s.size...)
		if s.level.Size == 0 {
			dst = append(dst, "null"...)
		} else {
			dst = appendDecimal(dst, int64(s.level.Size), 6)
		}
	}
	return dst
}
