package table

import (
	"slices"
	"strconv"

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
	if u < 10 {
		return append(dst, byte('0'+u))
	}
	return strconv.AppendUint(dst, u, 10)
}

// Clock writes times of day; it keeps the text of the day it wrote last. The zero value is
// ready to use.
type Clock struct {
	day  market.Instant
	text [10]byte
	set  bool
}

// Append writes the time of a bucket: "2026-08-23T14:00:00Z", with ".250" only
// where it is not a whole second.
func (c *Clock) Append(dst []byte, t market.Instant) []byte {
	day := t / market.Day
	rest := t % market.Day
	if rest < 0 {
		day, rest = day-1, rest+market.Day
	}
	if !c.set || day != c.day {
		c.day, c.set = day, true
		(day * market.Day).Time().AppendFormat(c.text[:0], "2006-01-02")
	}
	dst = append(dst, c.text[:]...)
	all := uint32(rest / market.Second)
	h, m, s := 2*(all/3600), 2*(all/60%60), 2*(all%60)
	dst = append(dst, 'T', pairs[h], pairs[h+1], ':', pairs[m], pairs[m+1], ':', pairs[s], pairs[s+1])
	if ms := int(rest % market.Second / market.Millisecond); ms != 0 {
		dst = append(dst, '.', byte('0'+ms/100), byte('0'+ms/10%10), byte('0'+ms%10))
	}
	return append(dst, 'Z')
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

// Snapshots writes order book snapshots behind each other. A level that stands as it stood in
// the one before has its text copied: most do. The zero value is ready to use.
type Snapshots struct{ bids, asks side }

// Begin forgets what was written, to be used for others.
func (b *Snapshots) Begin() { b.bids.levels, b.asks.levels = nil, nil }

// side is one side of the snapshot that was written last.
type side struct {
	levels []market.Level // best first
	at     []int          // where the text of each begins, and one behind that of the last with what follows it
	spare  []int
}

// Append writes a snapshot. dst begins with what the last call returned, if there was one,
// whose levels have not changed.
func (b *Snapshots) Append(dst, t []byte, bids, asks []market.Level) []byte {
	dst = append(append(dst, `{"t":"`...), t...)
	dst = b.bids.append(append(dst, `","bids":[`...), bids, -1)
	dst = b.asks.append(append(dst, `,"asks":[`...), asks, 1)
	return append(dst, '}')
}

// append writes levels and the end of their list. Their prices ascend if by is 1, descend if
// it is -1.
func (s *side) append(dst []byte, levels []market.Level, by market.Price) []byte {
	at := s.spare[:0]
	for i, j := 0, 0; i < len(levels); {
		n := alike(levels[i:], s.levels[j:])
		switch {
		case n > 0:
			from, to := s.at[j], s.at[j+n]
			moved, was := len(dst)-from, s.at[j:j+n]
			at = slices.Grow(at, n)[:len(at)+n]
			for k, now := 0, at[len(at)-n:]; k < len(now) && k < len(was); k++ {
				now[k] = was[k] + moved
			}
			dst = append(append(dst, dst[from:to-1]...), ',')
			i, j = i+n, j+n
		case j < len(s.levels) && s.levels[j].Price*by < levels[i].Price*by: // it is gone
			j++
		default:
			at = append(at, len(dst))
			dst = appendDecimal(append(dst, '['), int64(levels[i].Price), 4)
			dst = appendDecimal(append(dst, ','), int64(levels[i].Size), 6)
			dst = append(dst, ']', ',')
			i++
		}
	}
	s.levels, s.at, s.spare = levels, append(at, len(dst)), s.at
	if len(levels) > 0 {
		dst = dst[:len(dst)-1]
	}
	return append(dst, ']')
}

// alike returns how many levels two lists begin with alike.
func alike(a, b []market.Level) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
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
