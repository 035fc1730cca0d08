package block

import "github.com/ladderback/ladderback/market"

// ladder is the whole ladder of a token: levels best first, no size of zero.
type ladder struct {
	bids, asks []market.Level
	spare      []market.Level
}

func (l *ladder) clear() { l.bids, l.asks = l.bids[:0], l.asks[:0] }

// set makes l the levels given, without those of size zero.
func (l *ladder) set(bids, asks []market.Level) {
	l.bids = appendResting(l.bids[:0], bids)
	l.asks = appendResting(l.asks[:0], asks)
}

// apply gives levels their new sizes.
func (l *ladder) apply(bids, asks []market.Level) {
	l.bids, l.spare = AppendMerged(l.spare[:0], l.bids, bids, true), l.bids
	l.asks, l.spare = AppendMerged(l.spare[:0], l.asks, asks, false), l.asks
}

func appendResting(dst, levels []market.Level) []market.Level {
	for _, v := range levels {
		if v.Size != 0 {
			dst = append(dst, v)
		}
	}
	return dst
}

// better reports whether p comes before q on a side: higher on the bid side.
func better(p, q market.Price, bid bool) bool {
	if bid {
		return p > q
	}
	return p < q
}

// AppendMerged appends to dst the side of a ladder that results from giving some levels of
// old new sizes: zero takes a level away. All are best first, no price twice.
func AppendMerged(dst, old, changes []market.Level, bid bool) []market.Level {
	i := 0
	for _, c := range changes {
		for i < len(old) && better(old[i].Price, c.Price, bid) {
			dst = append(dst, old[i])
			i++
		}
		if i < len(old) && old[i].Price == c.Price {
			i++
		}
		if c.Size != 0 {
			dst = append(dst, c)
		}
	}
	return append(dst, old[i:]...)
}

// AppendDiff appends to dst the changes that turn the side old of a ladder into the side
// now: what AppendMerged takes. All are best first, no price twice; levels of size zero in
// now are taken as absent, and old has none.
func AppendDiff(dst, old, now []market.Level, bid bool) []market.Level {
	i := 0
	for _, n := range now {
		if n.Size == 0 {
			continue
		}
		for i < len(old) && better(old[i].Price, n.Price, bid) {
			dst = append(dst, market.Level{Price: old[i].Price})
			i++
		}
		if i < len(old) && old[i].Price == n.Price {
			if old[i].Size != n.Size {
				dst = append(dst, n)
			}
			i++
			continue
		}
		dst = append(dst, n)
	}
	for ; i < len(old); i++ {
		dst = append(dst, market.Level{Price: old[i].Price})
	}
	return dst
}

// ordered reports whether levels stand best first, no price twice, with prices
// and sizes that a level may have.
func ordered(levels []market.Level, bid bool) bool {
	for i, v := range levels {
		if !v.Price.Valid() || v.Size < 0 {
			return false
		}
		if i > 0 && !better(levels[i-1].Price, v.Price, bid) {
			return false
		}
	}
	return true
}
