package skim

import (
	"context"
	"iter"
	"math"
	"sort"

	"github.com/ladderback/ladderback/market"
)

// Watch is what somebody watches behind an instant: the top of the book, or one best bid
// against bounds.
type Watch struct {
	After market.Instant // what was known by then has been seen
	// Until is when they look whatever is captured; changes from then on are of no interest
	// before that. market.Latest: never.
	Until market.Instant
	// Bid, where Bounded is set, are the bounds within which a best bid changes nothing.
	// Otherwise every top does.
	Bid     Bounds
	Bounded bool
	// Gates each let a top pass that is of interest; none: every top is, or Bid says.
	Gates []Gate
}

// Value is one that a top tells of the first token.
type Value uint8

// Values: the best bid, the best ask, type price.
const (
	BestBid Value = iota
	BestAsk
	TypePrice
)

// Gate lets a top pass whose value is known and lies in [Low, High].
type Gate struct {
	Of        Value
	Low, High market.Mid // at least 0
}

// shut reports whether a top does not pass.
func (g *Gate) shut(t *market.Top) bool {
	var v market.Mid
	switch g.Of {
	case BestBid:
		v = 2 * market.Mid(t.Bid)
	case BestAsk:
		v = 2 * market.Mid(t.Ask)
	default:
		v = t.Price()
	}
	return v < g.Low || v > g.High // what is not known is below 0
}

func shut(gates []Gate, t *market.Top) bool {
	for i := range gates {
		if gates[i].shut(t) {
			return true
		}
	}
	return false
}

// Bounds are those of the best bid of a token: while it is within them, or there is none,
// nothing happens.
type Bounds struct {
	Token int
	High  market.Price // a bid at or above it is out of bounds; beyond PriceOne: none is
	// Low: a bid at or below it is out of bounds. So is one above it that may hold less than
	// Size, unless the bids within market.TopReach of it hold Size together and are all
	// above Low. market.NoPrice: there is no such bound.
	Low  market.Price
	Size market.Size
}

// Hold reports whether nothing happens at a best bid, with so much at least standing near it.
func (b *Bounds) Hold(bid market.Level, near market.Size) bool {
	switch {
	case bid.Price == market.NoPrice:
		return true
	case bid.Price >= b.High:
		return false
	case b.Low == market.NoPrice:
		return true
	case bid.Price <= b.Low:
		return false
	}
	return bid.Size >= b.Size || bid.Price-market.TopReach > max(0, b.Low) && near >= b.Size
}

func (b *Bounds) hold(t *market.Top) bool { return b.Hold(t.BestBid(b.Token), t.Least[b.Token].Near()) }

// Price is type price of the first token from an instant on.
type Price struct {
	At    market.Instant
	Price market.Mid
}

// Round is a round whose tops are known. It is not safe for concurrent use.
type Round struct {
	tops *market.Tops
	read []market.Top
	all  bool // there are no more to read
	next int  // a guess at what after returns when it is asked next
	past []Price
	err  error
}

// New returns the round of these tops, which Close closes.
func New(tops *market.Tops) *Round { return &Round{tops: tops} }

// Close gives back what was read. Nothing is asked for after it.
func (r *Round) Close() {
	if r.tops.Close != nil {
		r.tops.Close()
	}
}

// Err returns why tops could not be read. The round then answers as if none followed.
func (r *Round) Err() error { return r.err }

// together is how many tops are read together.
const together = 128

// more reads on until about so many tops have been read.
func (r *Round) more(about int) {
	tops, more, err := r.tops.Read(about)
	if r.all = !more || err != nil; err != nil {
		r.err = err
		return
	}
	r.read = tops
}

// after returns how many tops there are up to an instant, inclusive.
func (r *Round) after(at market.Instant) int {
	// Mostly it is the same as before, or one more.
	for n := r.next; n < len(r.read) && (n == 0 || r.read[n-1].At <= at); n++ {
		if r.read[n].At > at {
			r.next = n
			return n
		}
		if n > r.next {
			break
		}
	}
	for !r.all && (len(r.read) == 0 || r.read[len(r.read)-1].At <= at) {
		r.more(len(r.read) + together)
	}
	r.next = sort.Search(len(r.read), func(i int) bool { return r.read[i].At > at })
	return r.next
}

// at returns the instant of a top; market.Latest: there are no more.
func (r *Round) at(n int) market.Instant {
	for n >= len(r.read) && !r.all {
		r.more(n + together)
	}
	if n < len(r.read) {
		return r.read[n].At
	}
	return market.Latest
}

// By returns the newest top at or before an instant; nil: there is none. The caller must not
// modify it.
func (r *Round) By(at market.Instant) *market.Top {
	if n := r.after(at); n > 0 {
		return &r.read[n-1]
	}
	return nil
}

// Next returns the first instant behind w.After at which what is watched may have changed;
// one from w.Until on, or market.Latest: there is none before.
func (r *Round) Next(w Watch) market.Instant {
	n := r.after(w.After)
	switch {
	case w.Bounded:
		for r.at(n) < w.Until && w.Bid.hold(&r.read[n]) {
			n++
		}
		r.next = n
	case len(w.Gates) > 0:
		for r.at(n) < w.Until && shut(w.Gates, &r.read[n]) {
			n++
		}
		r.next = n
	}
	return r.at(n)
}

// Past returns the changes of type price over the whole round, in turn. The caller must not
// modify them.
func (r *Round) Past() []Price {
	if r.past == nil {
		r.more(math.MaxInt)
		r.past = make([]Price, 0, 1)
		for i := range r.read {
			if p := r.read[i].Price(); len(r.past) == 0 || r.past[len(r.past)-1].Price != p {
				r.past = append(r.past, Price{r.read[i].At, p})
			}
		}
	}
	return r.past
}

// HasLadders reports whether ladders can be read by themselves.
func (r *Round) HasLadders() bool { return r.tops.Ladders != nil }

// Captures yields captures from an instant on, as market.Tops.From does, or, of ladders
// alone, as market.Tops.Ladders.
func (r *Round) Captures(ctx context.Context, from market.Instant, ladders bool) iter.Seq2[*market.Capture, error] {
	if ladders {
		return r.tops.Ladders(ctx, from)
	}
	return r.tops.From(ctx, from)
}

// Cuts is market.Tops.Cuts; nil: there are none.
func (r *Round) Cuts() []market.Instant {
	if r.tops.Cuts == nil {
		return nil
	}
	return r.tops.Cuts()
}
