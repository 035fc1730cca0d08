package scan

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math/bits"
	"slices"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// staleAfter is how long a captured value counts towards the coverage of a
// round.
const staleAfter = 30 * market.Second

// AppendContent appends the bytes of a capture on which equality, order and the
// content hash are based, without the token and the receive time. For equality and order
// a KindBook holds its full ladder, with Replace set; for the content hash it is the
// difference that Ladders gives. Numbers are big endian.
//
//	kind u8, exchange time i64, then
//	book, change   number of bids u16, of asks u16, then each level best first:
//	               price u16, size u64 (a full ladder without levels of size zero)
//	quote          bid price i16, bid size u64, ask price i16, ask size u64;
//	               price −1: empty side
//	trade          price u16, size u64, side u8
//	price, tick    price u16
//	reset          nothing
//	metric         liquidity i64, volume i64; −1: not given
func AppendContent(b []byte, c *market.Capture) []byte {
	b = append(b, byte(c.Kind))
	b = binary.BigEndian.AppendUint64(b, uint64(c.Exch))
	switch c.Kind {
	case market.KindBook, market.KindChange:
		at := len(b)
		b = append(b, 0, 0, 0, 0)
		var bids, asks uint16
		b, bids = appendLevels(b, c.Bids, c.Replace)
		b, asks = appendLevels(b, c.Asks, c.Replace)
		binary.BigEndian.PutUint16(b[at:], bids)
		binary.BigEndian.PutUint16(b[at+2:], asks)
	case market.KindQuote:
		b = appendLevel(b, c.Quote.Bid)
		b = appendLevel(b, c.Quote.Ask)
	case market.KindTrade:
		b = appendLevel(b, market.Level{Price: c.Trade.Price, Size: c.Trade.Size})
		b = append(b, byte(c.Trade.Side))
	case market.KindPrice, market.KindTick:
		b = binary.BigEndian.AppendUint16(b, uint16(c.Trade.Price))
	case market.KindMetric:
		b = binary.BigEndian.AppendUint64(b, uint64(c.Metric.Liquidity))
		b = binary.BigEndian.AppendUint64(b, uint64(c.Metric.Volume))
	}
	return b
}

func appendLevels(b []byte, levels []market.Level, resting bool) ([]byte, uint16) {
	b = slices.Grow(b, levelBytes*len(levels))
	n, at := uint16(0), b[len(b):cap(b)]
	for _, l := range levels {
		if resting && l.Size == 0 {
			continue
		}
		binary.BigEndian.PutUint16(at, uint16(l.Price))
		binary.BigEndian.PutUint64(at[2:levelBytes], uint64(l.Size))
		at = at[levelBytes:]
		n++
	}
	return b[:len(b)+levelBytes*int(n)], n
}

// levelBytes is how many bytes appendLevel appends.
const levelBytes = 10

func appendLevel(b []byte, l market.Level) []byte {
	b = binary.BigEndian.AppendUint16(b, uint16(l.Price))
	return binary.BigEndian.AppendUint64(b, uint64(l.Size))
}

// Ladders turns the captures of a market, in order, into those that the content hash
// covers: of a whole ladder no more than what it changes of that of its token before. The
// zero value is ready to use, by one goroutine.
type Ladders struct {
	of     []sides // by token
	spare  []market.Level
	now    sides // of change
	change market.Capture
}

// Change returns the next capture as the content hash covers it: a KindBook, whose ladder is
// full and whose Replace is set, as the difference from the ladder that the books and
// changes of its token led to, and anything else as it is. The result is valid until the
// next call, or as long as c.
func (l *Ladders) Change(c *market.Capture) *market.Capture {
	if !c.IsLadder() {
		return c
	}
	for len(l.of) <= c.Token {
		l.of = append(l.of, sides{})
	}
	of := &l.of[c.Token]
	if c.Kind == market.KindBook {
		l.now.diff(of, c)
		l.change = *c
		l.change.Replace, l.change.Bids, l.change.Asks = false, l.now.bids, l.now.asks
		c = &l.change
	}
	of.bids, l.spare = block.AppendMerged(l.spare[:0], of.bids, c.Bids, true), of.bids
	of.asks, l.spare = block.AppendMerged(l.spare[:0], of.asks, c.Asks, false), of.asks
	return c
}

// Tally computes the statistics of a market from its captures, added in order
// and without duplicates, by one goroutine.
type Tally struct {
	start, end market.Instant
	undated    bool           // the market lasts from its first capture to its last
	newest     market.Instant // of all captures, resets included
	stats      store.Stats
	digest     hash.Hash
	head       [10]byte
	value      market.Instant // of the newest capture that gives a value; zero: none
	whole      bool           // a whole ladder was captured
	covered    market.Span
	last       market.Instant  // newest capture; zero: none
	buf        []byte          // of put: not yet hashed
	twice      bool            // two trades may be the same one
	trader     int             // the token that traded first
	traded     []tradeID       // what it traded, until another does
	trades     map[tradeID]int // the tokens of all trades, from then on
}

// tradeID is what two entries for the same trade have in common.
type tradeID struct {
	exch market.Instant
	size market.Size
}

// trade notes a trade, for Stats.TradesOnce.
func (t *Tally) trade(token int, c *market.Capture) {
	if t.twice || c.Exch == 0 {
		return
	}
	id := tradeID{c.Exch, c.Trade.Size}
	if t.trades == nil {
		if len(t.traded) == 0 {
			t.trader = token
		}
		if token == t.trader {
			t.traded = append(t.traded, id)
			return
		}
		t.trades = make(map[tradeID]int, len(t.traded))
		for _, one := range t.traded {
			t.trades[one] = t.trader
		}
		t.traded = nil
	}
	if was, ok := t.trades[id]; ok && was != token {
		t.twice, t.trades = true, nil
		return
	}
	t.trades[id] = token
}

// NewTally returns an empty tally of a market that lasts [start, end).
func NewTally(start, end market.Instant) *Tally {
	return &Tally{start: start, end: end, digest: sha256.New()}
}

// NewUndatedTally returns an empty tally of a market that lasts from the receive time
// of its first capture until that of its last, which is not within it.
func NewUndatedTally() *Tally {
	t := NewTally(0, market.Latest) // nothing is cut off at the end before Done
	t.undated = true
	return t
}

// Bounds returns the start and the end of the market; of an undated one those that the
// captures so far give, zero without any.
func (t *Tally) Bounds() (start, end market.Instant) {
	if t.undated {
		return t.start, t.newest
	}
	return t.start, t.end
}

// Add adds the next capture, of the token with that index and with the given
// content, as the content hash covers it. counts: the rule for mirrored pairs keeps it; the others are stored
// and hashed but say nothing about the round.
func (t *Tally) Add(token int, c *market.Capture, content []byte, counts bool) {
	appendPlace(t.head[:0], token, c.Recv)
	t.digest.Write(t.head[:])
	t.digest.Write(content)
	t.count(token, c, counts)
}

// appendPlace appends what the content hash has of a capture in front of its content.
func appendPlace(b []byte, token int, recv market.Instant) []byte {
	b = binary.BigEndian.AppendUint16(b, uint16(token))
	return binary.BigEndian.AppendUint64(b, uint64(recv))
}

// hashTogether is how many bytes of captures are hashed together.
const hashTogether = 8 << 10

// put is Add of a capture whose content is that of c itself. A tally takes either all
// its captures by Add or all by put, which holds some of them until they are hashed.
func (t *Tally) put(c *market.Capture, counts bool) {
	if len(t.buf) >= hashTogether {
		t.digest.Write(t.buf)
		t.buf = t.buf[:0]
	}
	t.buf = AppendContent(appendPlace(t.buf, c.Token, c.Recv), c)
	t.count(c.Token, c, counts)
}

// count adds a capture to what is counted and measured.
func (t *Tally) count(token int, c *market.Capture, counts bool) {
	kind, recv := c.Kind, c.Recv
	s := &t.stats
	s.Captures++
	t.newest = recv
	if t.undated && t.start == 0 {
		t.start = recv
	}
	if kind == market.KindReset || !counts {
		return
	}
	if s.First == 0 {
		s.First = recv
	}
	s.Captured = s.Captured || t.start <= recv && recv < t.end
	t.silence(recv)
	s.Last, t.last = recv, recv
	switch kind {
	case market.KindBook, market.KindChange, market.KindQuote, market.KindPrice:
		t.whole = t.whole || kind == market.KindBook
		if kind == market.KindChange && !t.whole {
			break // of a ladder that was never seen whole: no value is known
		}
		t.cover(recv)
		t.value = recv
	case market.KindTrade:
		t.trade(token, c)
	}
}

// cover counts the time up to now for which the value known was fresh.
func (t *Tally) cover(now market.Instant) {
	if t.value == 0 {
		return
	}
	from, to := max(t.value, t.start), min(now, t.value+staleAfter, t.end)
	if from < to {
		t.covered += to - from
	}
}

func (t *Tally) silence(now market.Instant) {
	from, to := max(t.last, t.start), min(now, t.end)
	if t.start < t.end && to-from > t.stats.Silence {
		t.stats.Silence = to - from
	}
}

// Done returns the statistics. tokens are in market order.
func (t *Tally) Done(tokens []market.Token) store.Stats {
	s := t.stats
	if t.undated {
		t.end = t.newest
		s.Captured = t.start <= s.First && s.First < t.end // the first of those that count
	}
	s.TradesOnce = !t.twice
	t.cover(market.Latest)
	t.silence(market.Latest)
	s.Silence = t.stats.Silence
	if t.start < t.end {
		s.Coverage = Millionths(int64(t.covered), int64(t.end-t.start))
	}
	if s.Captures > 0 {
		t.digest.Write(t.buf)
		t.buf = t.buf[:0]
		s.Content = contentHash(t.digest.Sum(nil), tokens)
	}
	return s
}

// Millionths returns part ÷ whole in units of 1e-6, rounded down. 0 ≤ part ≤
// whole, whole > 0.
func Millionths(part, whole int64) int64 {
	hi, lo := bits.Mul64(uint64(part), 1_000_000)
	q, _ := bits.Div64(hi, lo, uint64(whole))
	return int64(q)
}

// contentHash is the SHA-256 of "ladderback content 1\n", the SHA-256 of the
// captures in order (each: token index u16, receive time i64 big endian, content
// as of appendContent), and the ids of the tokens in market order, each behind
// its length as u16 big endian.
func contentHash(captures []byte, tokens []market.Token) [32]byte {
	b := append([]byte("ladderback content 1\n"), captures...)
	for _, k := range tokens {
		b = binary.BigEndian.AppendUint16(b, uint16(len(k.VenueID)))
		b = append(b, k.VenueID...)
	}
	return sha256.Sum256(b)
}
