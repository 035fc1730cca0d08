package replay

import (
	"math"
	"sort"

	"github.com/ladderback/ladderback/market"
)

// skimmer is a tape that shows the tops of a market instead of its captures.
type skimmer struct {
	tape
	glance *market.Tops
	read   bool // tops and past are those of the market: some of them, or all
	all    bool // all
	keep   bool // keep the past
	failed error
	near   [2]market.Size // of each token, what stands near the best bid at least
	tops   []market.Top
	past   []pastPrice // type price from each change on
}

// load makes s ready for a market.
func (s *skimmer) load(r *market.Round, g *market.Tops, history bool) {
	s.tape.load(r, false)
	s.glance, s.read, s.all, s.keep, s.failed = g, false, false, history, nil
	s.tops, s.past = nil, s.past[:0]
}

// topsRead is how many tops are read together.
const topsRead = 128

// need begins to read the tops, once per market. With a past they are all read:
// captures look back to it.
func (s *skimmer) need() error {
	if s.read {
		return s.failed
	}
	s.read = true
	if !s.keep {
		s.more(topsRead)
		return s.failed
	}
	s.more(math.MaxInt)
	for i := range s.tops {
		if p := s.tops[i].Price(); len(s.past) == 0 || s.past[len(s.past)-1].price != p {
			s.past = append(s.past, pastPrice{s.tops[i].At, p})
		}
	}
	s.frames[0].past = s.past
	return s.failed
}

// more reads until there are about so many tops. When it cannot, there are no more, and
// failed says why.
func (s *skimmer) more(about int) {
	tops, more, err := s.glance.Read(about)
	if s.all = !more || err != nil; err != nil {
		s.failed = err
		return
	}
	s.tops = tops
}

// after returns how many tops there are up to an instant, inclusive.
func (s *skimmer) after(at market.Instant) int {
	for !s.all && (len(s.tops) == 0 || s.tops[len(s.tops)-1].At <= at) {
		s.more(len(s.tops) + topsRead)
	}
	return sort.Search(len(s.tops), func(i int) bool { return s.tops[i].At > at })
}

// show sets the tape to the state after the first n tops.
func (s *skimmer) show(n int) {
	s.version++
	up := &s.views[0]
	if n == 0 {
		up.stream, up.quote, up.price = NoStream, noQuote, market.NoMid
		s.started, s.last, s.near = false, market.Earliest, [2]market.Size{}
	} else {
		top := &s.tops[n-1]
		up.stream, up.quote = NoStream, top.Quote()
		if s.started = top.Known(); s.started {
			up.stream = LadderStream
		}
		up.price = up.quote.PriceWith(market.Price(top.Trade))
		s.last = top.At // or later
		s.near = [2]market.Size{top.Least[0].Near(), top.Least[1].Near()}
	}
	down := &s.views[1]
	down.stream, down.quote, down.price = up.stream, up.quote.Mirror(), up.price.Mirror()
}

// at returns the instant of a top; market.Latest: there are no more.
func (s *skimmer) at(n int) market.Instant {
	for n >= len(s.tops) && !s.all {
		s.more(n + topsRead)
	}
	if n < len(s.tops) {
		return s.tops[n].At
	}
	return market.Latest
}
