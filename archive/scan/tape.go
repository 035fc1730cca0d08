package scan

import (
	"math"
	"slices"
	"sync"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// tape is what a replay asks of the trades in a block: when each was received, and its
// price. It is a twentieth of what a decoder makes of them, and kept with the plan of a
// market, since several orders in a round ask for the last trade before them.
type tape struct {
	first  market.Instant
	recv   []uint32 // microseconds behind first
	prices []uint16
	unfit  bool // the block has to be read: its trades do not fit, or have an order
}

// tapeBytes is how many bytes a tape takes a trade.
const tapeBytes = 6

// tapes are those of the blocks of a market that have been read. The zero value has none.
type tapes struct {
	mu sync.Mutex
	of map[blockKey]*tape
}

func (t *tapes) get(ref *store.BlockRef) *tape {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.of[keyOf(ref)]
}

func (t *tapes) put(ref *store.BlockRef, p *tape) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of == nil {
		t.of = map[blockKey]*tape{}
	}
	t.of[keyOf(ref)] = p
}

// tapeOf reads the block that a decoder has opened.
func tapeOf(d *block.Decoder, ref *store.BlockRef) (*tape, error) {
	p := &tape{first: ref.First, recv: make([]uint32, 0, ref.Captures), prices: make([]uint16, 0, ref.Captures)}
	if ref.Last-ref.First > math.MaxUint32 {
		return &tape{unfit: true}, nil
	}
	for c := d.Next(); c != nil; c = d.Next() {
		if c.Ord != 0 {
			return &tape{unfit: true}, nil
		}
		p.recv, p.prices = append(p.recv, uint32(c.Recv-p.first)), append(p.prices, uint16(c.Trade.Price))
	}
	if err := d.Err(); err != nil {
		return nil, damaged(ref, err)
	}
	return p, nil
}

// before returns how many trades were received before an instant.
func (p *tape) before(at market.Instant) int {
	if at <= p.first {
		return 0
	}
	if at-p.first > math.MaxUint32 {
		return len(p.recv)
	}
	n, _ := slices.BinarySearch(p.recv, uint32(at-p.first))
	return n
}

// taped lets a lane of one block of trades use the tape of it, or make one.
func (l *lane) taped(t *tapes) {
	switch p := t.get(&l.refs[0]); {
	case p == nil:
		l.tapes = t
	case !p.unfit:
		l.tape = p
	}
}

// play moves a lane to the next trade of its tape, and at first to the last one before
// l.skip, if there is one.
func (l *lane) play() {
	if l.open {
		l.played++
	} else {
		l.open, l.played = true, max(0, l.tape.before(l.skip)-1)
	}
	if l.played >= len(l.tape.recv) {
		l.head = nil
		return
	}
	l.whole = market.Capture{Token: l.token, Kind: market.KindTrade, Recv: l.tape.first + market.Instant(l.tape.recv[l.played])}
	l.whole.Trade.Price = market.Price(l.tape.prices[l.played])
	l.head, l.at = &l.whole, l.whole.Recv
}
