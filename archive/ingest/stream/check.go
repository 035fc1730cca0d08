package stream

import (
	"sort"

	"github.com/ladderback/ladderback/archive/ingest/scalar"
	"github.com/ladderback/ladderback/market"
)

// ladderCheck holds the ladder that the changes of a token lead to against the
// best prices that the source states. What is stated holds once all changes of
// one exchange time are made, so it is looked at when the next one comes.
type ladderCheck struct {
	known      bool // a whole book was seen, and the ladder has gone on from it
	bids, asks []market.Level

	best           market.Quote // stated last
	hasBid, hasAsk bool
	exch, recv     market.Instant // of the change that stated it
	diverged       market.Instant // since when the ladder is wrong; zero: it is not
}

// maxChecked is how many levels of a side are followed. A ladder of more is not
// held against anything until the next whole book.
const maxChecked = 2000

// divergedFor is how long a ladder known to be wrong counts as a gap after the
// last message of its token in the file, when no whole book follows: as long as
// a replay takes a ladder for fresh.
const divergedFor = 30 * market.Second

// follow takes a ladder message of t into account.
func (im *importer) follow(t *token, m *Message) {
	c := &t.check
	if m.Type == Book {
		im.restart(t, m)
		return
	}
	if !c.known || c.diverged != 0 {
		return
	}
	if m.Exch != c.exch || m.Recv != c.recv {
		if im.compare(t); c.diverged != 0 {
			return
		}
	}
	for _, l := range m.Bids {
		c.bids = setLevel(c.bids, l, market.Bid)
	}
	for _, l := range m.Asks {
		c.asks = setLevel(c.asks, l, market.Ask)
	}
	c.known = len(c.bids) <= maxChecked && len(c.asks) <= maxChecked
	if m.BestBid {
		c.best.Bid, c.hasBid = m.Best.Bid, true
	}
	if m.BestAsk {
		c.best.Ask, c.hasAsk = m.Best.Ask, true
	}
	c.exch, c.recv = m.Exch, m.Recv
}

// restart takes a whole book of t into account.
func (im *importer) restart(t *token, m *Message) {
	c := &t.check
	im.compare(t)
	if c.diverged != 0 && m.Recv > c.diverged {
		im.to.Diverged(t.of.handle, t.index, market.Gap{From: c.diverged, To: m.Recv})
	}
	c.diverged, c.hasBid, c.hasAsk = 0, false, false
	c.known = len(m.Bids) <= maxChecked && len(m.Asks) <= maxChecked
	c.bids, c.asks = c.bids[:0], c.asks[:0]
	if c.known {
		c.bids, c.asks = append(c.bids, m.Bids...), append(c.asks, m.Asks...)
	}
}

// compare holds the ladder of t against what was stated of it last.
func (im *importer) compare(t *token) {
	c := &t.check
	if c.known && c.diverged == 0 &&
		(c.hasBid && bestOf(c.bids, market.Bid) != c.best.Bid.Price || c.hasAsk && bestOf(c.asks, market.Ask) != c.best.Ask.Price) {
		c.diverged = c.recv
	}
	c.hasBid, c.hasAsk = false, false
}

// settleLadders puts the gaps of ladders that are wrong to the end.
func (im *importer) settleLadders(b *book) {
	for _, t := range b.tokens {
		im.compare(t)
		if t.check.diverged != 0 && t.seen >= t.check.diverged {
			im.to.Diverged(b.handle, t.index, market.Gap{From: t.check.diverged, To: t.seen + divergedFor})
		}
	}
}

func bestOf(levels []market.Level, s market.Side) market.Price {
	if len(levels) == 0 {
		return market.NoPrice
	}
	return scalar.BestPrice(levels[0].Price, s)
}

// setLevel gives a level of a side, best first, its new size.
func setLevel(side []market.Level, l market.Level, s market.Side) []market.Level {
	i := sort.Search(len(side), func(i int) bool {
		if s == market.Bid {
			return side[i].Price <= l.Price
		}
		return side[i].Price >= l.Price
	})
	found := i < len(side) && side[i].Price == l.Price
	switch {
	case found && l.Size == 0:
		return append(side[:i], side[i+1:]...)
	case found:
		side[i] = l
	case l.Size != 0:
		side = append(side, market.Level{})
		copy(side[i+1:], side[i:])
		side[i] = l
	}
	return side
}
