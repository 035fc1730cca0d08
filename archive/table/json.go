package table

import (
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
	bids, asks []levelText // best first
	stale      bool        // some have not been written
}

// levelText is a level with its texts, and a comma behind each.
type levelText struct {
	size        market.Size
	price       market.Price
	written     bool // the sizes are that of now
	own, mirror priced
}

// priced is the text of a level as one of a pair's tokens sees it.
type priced struct {
	price, all uint8 // lengths: without the size; tooLong: there is no text
	text       [levelRoom]byte
}

const (
	levelBytes = 64 // of a levelText
	levelRoom  = 22
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

// set sets levels of a side whose prices ascend if by is 1, descend if it is -1.
func set(all []levelText, levels []market.Level, by market.Price) []levelText {
	i := 0
	for _, l := range levels {
		rank := by * l.Price
		if i > 0 && by*all[i-1].price >= rank {
			i = 0
		}
		for i < len(all) && by*all[i].price < rank {
			i++
		}
		stands := i < len(all) && all[i].price == l.Price
		switch {
		case stands && l.Size == 0:
			all = slices.Delete(all, i, i+1)
		case stands:
			if at := &all[i]; at.size != l.Size {
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
	for i := range levels {
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
	p.price = uint8(len(append(appendDecimal(append(p.text[:0], '['), int64(price), 4), ',')))
}

// write writes the sizes that have changed.
func write(levels []levelText) {
	var room [longest]byte
	for i := range levels {
		l := &levels[i]
		if l.written {
			continue
		}
		size := append(appendDecimal(room[:0], int64(l.size), 6), ']', ',')
		for _, p := range [...]*priced{&l.own, &l.mirror} {
			if p.all = p.price + uint8(len(size)); p.all > levelRoom {
				p.all = tooLong
			} else {
				copy(p.text[p.price:], size)
			}
		}
		l.written = true
	}
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
