package tops

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/market"
)

// ErrDamaged means that the bytes are not those of blocks of tops.
var ErrDamaged = errors.New("damaged tops")

// Reader reads the tops in blocks, some at a time. It is not safe for concurrent use.
type Reader struct {
	dec    *block.Decoder
	blocks []byte       // what has not been opened
	open   bool         // the decoder has a block of them
	tops   []market.Top // what has been read; the last one may change while there is more
	done   bool         // there is no more
	taken  int          // captures that they were read from
}

// NewReader returns a reader of the blocks that Open gives. It decodes with dec, and reads
// into space, whose length is 0: more tops than fit find their own.
func NewReader(blocks []byte, dec *block.Decoder, space []market.Top) *Reader {
	return &Reader{dec: dec, blocks: blocks, tops: space}
}

// Read reads further tops until there are so many, or all, which math.MaxInt asks
// for, and returns all of them from the first on; more: there are further ones. They are
// not modified later.
func (r *Reader) Read(about int) (tops []market.Top, more bool, err error) {
	for !r.done && len(r.tops)-1 < about {
		some, err := r.next()
		if err != nil {
			return nil, false, err
		}
		r.done = len(some) == 0
		r.take(some)
	}
	if r.done {
		return r.tops, false, nil
	}
	return r.tops[:len(r.tops)-1], true, nil
}

// Bounds reads all blocks and returns the instants of the first top and the last; zero: there
// are none.
func Bounds(blocks []byte, dec *block.Decoder) (first, last market.Instant, err error) {
	tops, _, err := NewReader(blocks, dec, nil).Read(math.MaxInt)
	if err != nil || len(tops) == 0 {
		return 0, 0, err
	}
	return tops[0].At, tops[len(tops)-1].At, nil
}

// Same reports whether data is what Encode lays out of places and tops, as so many
// captures, or reads alike: of a trade, only what it makes of type price is compared.
func Same(data []byte, captures int, places *Places, tops []market.Top, dec *block.Decoder) bool {
	if len(tops) == 0 {
		return len(data) == 0 && captures == 0
	}
	_, blocks, ok := Open(data)
	if !ok || !bytes.Equal(data[:len(data)-len(blocks)], places.append(nil)) {
		return false
	}
	r := NewReader(blocks, dec, make([]market.Top, 0, len(tops)))
	got, _, err := r.Read(math.MaxInt)
	return err == nil && r.taken == captures && slices.EqualFunc(got, tops, func(a, b market.Top) bool {
		return a.At == b.At && a.Least == b.Least && same(&a, &b)
	})
}

// take adds what has been read: a top is made of all captures of an instant, and keeps
// what they do not say of the one before.
func (r *Reader) take(some []market.Top) {
	dst := slices.Grow(r.tops, len(some))
	now := market.Top{Bid: market.NoLadder, Ask: market.NoLadder, Trade: int16(market.NoPrice)}
	if len(dst) > 0 {
		now = dst[len(dst)-1]
	}
	at, bid, ask, trade, least := now.At, now.Bid, now.Ask, now.Trade, now.Least // in registers
	for i := range some {
		q := &some[i]
		if q.At != at || len(dst) == 0 {
			dst = dst[:len(dst)+1]
		}
		if at = q.At; q.Known() {
			bid, ask, least = q.Bid, q.Ask, q.Least
		} else {
			trade = q.Trade
		}
		top := &dst[len(dst)-1]
		top.At, top.Bid, top.Ask, top.Trade, top.Least = at, bid, ask, trade, least
	}
	r.tops = dst
	r.taken += len(some)
}

// next reads further captures; none are left when it returns none.
func (r *Reader) next() ([]market.Top, error) {
	for {
		if r.open {
			if some := r.dec.NextQuotes(); len(some) > 0 {
				return some, nil
			}
			if err := r.dec.Err(); err != nil {
				return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
			}
		}
		if len(r.blocks) == 0 {
			return nil, nil
		}
		n := block.Length(r.blocks)
		if n == 0 || n > len(r.blocks) {
			return nil, fmt.Errorf("%w: not a block", ErrDamaged)
		}
		if err := r.dec.Open(r.blocks[:n]); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		if r.dec.Header().Stream != block.Quotes {
			return nil, fmt.Errorf("%w: a block of %s, not of quotes", ErrDamaged, r.dec.Header().Stream)
		}
		r.blocks, r.open = r.blocks[n:], true
	}
}
