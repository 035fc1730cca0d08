package history_test

import (
	"math/big"
	"slices"

	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/market"
)

// The oracle follows the rules of the package's documentation word by word: it
// reads every grid point of every bucket from the captures, from the first one
// on, with maps and fractions.

const grid = 250 * market.Millisecond

type ladderMap map[market.Price]market.Size

// seen is what an observer of one market knows at one time.
type seen struct {
	m          *market.Market
	bids, asks []ladderMap // per token
	ladder     []bool      // a ladder was captured, of the token or its mirror
	quotes     []*market.Quote
	price      []*market.Price
	trade      []*market.Price
	volume     *big.Rat
	liquidity  *market.Cash
	total      *market.Cash
}

func usd(p market.Price, s market.Size) *big.Rat {
	r := new(big.Rat).SetFrac64(int64(p), 10_000)
	return r.Mul(r, new(big.Rat).SetFrac64(int64(s), 1_000_000))
}

// at replays the captures up to and including t.
func at(m *market.Market, captures []market.Capture, t market.Instant) *seen {
	n := len(m.Tokens)
	s := &seen{m: m, bids: make([]ladderMap, n), asks: make([]ladderMap, n), ladder: make([]bool, n),
		quotes: make([]*market.Quote, n), price: make([]*market.Price, n), trade: make([]*market.Price, n), volume: new(big.Rat)}
	for i := range n {
		s.bids[i], s.asks[i] = ladderMap{}, ladderMap{}
	}
	var counted []market.Capture
	for _, c := range captures {
		if c.Recv > t {
			break
		}
		s.one(c, c.Token, false)
		if m.Mirrored {
			s.one(c, 1-c.Token, true)
		}
		if c.Kind == market.KindTrade && !s.logged(&counted, c) {
			s.volume.Add(s.volume, usd(c.Trade.Price, c.Trade.Size))
		}
	}
	return s
}

// logged reports whether the trade was logged before for the other token, and
// strikes that one out.
func (s *seen) logged(counted *[]market.Capture, c market.Capture) bool {
	if s.m.Mirrored && c.Exch != 0 {
		for i, o := range *counted {
			if o.Token != c.Token && o.Exch == c.Exch && o.Trade.Size == c.Trade.Size && o.Trade.Price+c.Trade.Price == market.PriceOne {
				*counted = slices.Delete(*counted, i, i+1)
				return true
			}
		}
		*counted = append(*counted, c)
	}
	return false
}

// one applies a capture to one token, as its mirror or not.
func (s *seen) one(c market.Capture, token int, mirror bool) {
	flip := func(p market.Price) market.Price {
		if mirror {
			return market.PriceOne - p
		}
		return p
	}
	switch c.Kind {
	case market.KindBook, market.KindChange:
		if c.Kind == market.KindChange && !s.ladder[token] {
			return // of a ladder that nobody has seen whole
		}
		s.ladder[token] = true
		bids, asks := c.Bids, c.Asks
		if mirror {
			bids, asks = asks, bids
		}
		if c.Replace {
			clear(s.bids[token])
			clear(s.asks[token])
		}
		for _, l := range bids {
			s.bids[token][flip(l.Price)] = l.Size
		}
		for _, l := range asks {
			s.asks[token][flip(l.Price)] = l.Size
		}
	case market.KindQuote:
		q := c.Quote
		if mirror {
			q = q.Mirror()
		}
		s.quotes[token] = &q
	case market.KindPrice:
		p := flip(c.Trade.Price)
		s.price[token] = &p
	case market.KindTrade:
		p := flip(c.Trade.Price)
		s.trade[token] = &p
	case market.KindMetric:
		if c.Metric.Liquidity != market.NoMetric {
			s.liquidity = &c.Metric.Liquidity
		}
		if c.Metric.Volume != market.NoMetric {
			s.total = &c.Metric.Volume
		}
	}
}

func levels(m ladderMap, side market.Side) []market.Level {
	out := []market.Level{}
	for p, z := range m {
		if z > 0 {
			out = append(out, market.Level{Price: p, Size: z})
		}
	}
	slices.SortFunc(out, func(a, b market.Level) int {
		if side == market.Bid {
			return int(b.Price - a.Price)
		}
		return int(a.Price - b.Price)
	})
	return out
}

// book returns the token's ladder as an answer shows it.
func (s *seen) book(token int) history.Ladder {
	l := history.Ladder{Known: s.ladder[token] || s.quotes[token] != nil, Bids: []market.Level{}, Asks: []market.Level{}}
	if s.ladder[token] {
		l.Bids, l.Asks = levels(s.bids[token], market.Bid), levels(s.asks[token], market.Ask)
	} else if q := s.quotes[token]; q != nil {
		if q.Bid.Price != market.NoPrice && q.Bid.Size > 0 {
			l.Bids = append(l.Bids, q.Bid)
		}
		if q.Ask.Price != market.NoPrice && q.Ask.Size > 0 {
			l.Asks = append(l.Asks, q.Ask)
		}
	}
	return l
}

// top returns best bid and ask, nil where a side is empty.
func (s *seen) top(token int) (bid, ask *market.Level) {
	if s.ladder[token] {
		if b := levels(s.bids[token], market.Bid); len(b) > 0 {
			bid = &b[0]
		}
		if a := levels(s.asks[token], market.Ask); len(a) > 0 {
			ask = &a[0]
		}
		return bid, ask
	}
	if q := s.quotes[token]; q != nil {
		if q.Bid.Price != market.NoPrice {
			bid = &q.Bid
		}
		if q.Ask.Price != market.NoPrice {
			ask = &q.Ask
		}
	}
	return bid, ask
}

func ratOf(p market.Price) *big.Rat { return new(big.Rat).SetFrac64(int64(p), 10_000) }

// value returns the token's price; nil: none.
func (s *seen) value(token int) *big.Rat {
	if !s.ladder[token] && s.quotes[token] == nil {
		switch {
		case s.price[token] != nil:
			return ratOf(*s.price[token])
		case s.trade[token] != nil:
			return ratOf(*s.trade[token])
		}
		return nil
	}
	bid, ask := s.top(token)
	if bid == nil && ask == nil {
		return nil
	}
	if bid != nil && ask != nil && (ask.Price-bid.Price <= 1000 || s.trade[token] == nil) {
		return ratOf(bid.Price+ask.Price).Mul(ratOf(bid.Price+ask.Price), big.NewRat(1, 2))
	}
	if s.trade[token] == nil {
		if bid != nil {
			return ratOf(bid.Price)
		}
		return ratOf(ask.Price)
	}
	p := *s.trade[token]
	if ask != nil && p > ask.Price {
		p = ask.Price
	}
	if bid != nil && p < bid.Price {
		p = bid.Price
	}
	return ratOf(p)
}

func (s *seen) liquid() *big.Rat {
	if s.liquidity != nil {
		return new(big.Rat).SetFrac64(int64(*s.liquidity), 1_000_000)
	}
	sum := new(big.Rat)
	for token := range s.m.Tokens {
		if s.ladder[token] {
			for p, z := range s.bids[token] {
				sum.Add(sum, usd(p, z))
			}
		} else if bid, _ := s.top(token); bid != nil {
			sum.Add(sum, usd(bid.Price, bid.Size))
		}
	}
	return sum
}

func (s *seen) traded() *big.Rat {
	if s.total != nil {
		return new(big.Rat).SetFrac64(int64(*s.total), 1_000_000)
	}
	return s.volume
}

// micros rounds to 1e-6, half to even.
func micros(r *big.Rat) int64 {
	x := new(big.Rat).Mul(r, big.NewRat(1_000_000, 1))
	q, rest := new(big.Int).DivMod(x.Num(), x.Denom(), new(big.Int))
	twice := rest.Lsh(rest, 1).Cmp(x.Denom())
	if twice > 0 || twice == 0 && q.Bit(0) == 1 {
		q.Add(q, big.NewInt(1))
	}
	return q.Int64()
}

type mean struct {
	sum *big.Rat
	n   int64
}

func (m *mean) add(r *big.Rat) {
	if m.sum == nil {
		m.sum = new(big.Rat)
	}
	m.sum.Add(m.sum, r)
	m.n++
}

func (m *mean) micros() int64 { return micros(new(big.Rat).Quo(m.sum, big.NewRat(m.n, 1))) }

type bucket struct {
	T      market.Instant
	Prices []int64
	Books  []history.Ladder
	Metric *history.Metric
}

// buckets returns everything that is to be said of the window.
func buckets(m *market.Market, captures []market.Capture, w history.Window, known history.Known) []bucket {
	var out []bucket
	knownAt := func(g market.Instant) bool { return known.From <= g && g < known.To }
	for t := market.Instant(0); t < w.End; t += w.Resolution {
		if t < w.Start {
			continue
		}
		b := bucket{T: t}
		prices := make([]mean, len(m.Tokens))
		var liquidity, spread, volume mean
		for g := t; g < t+w.Resolution; g += grid {
			if !knownAt(g) {
				continue
			}
			s := at(m, captures, g)
			b.Books = nil
			for i := range m.Tokens {
				b.Books = append(b.Books, s.book(i))
				if v := s.value(i); v != nil {
					prices[i].add(v)
				}
			}
			liquidity.add(s.liquid())
			volume.add(s.traded())
			if bid, ask := s.top(0); bid != nil && ask != nil {
				spread.add(new(big.Rat).Sub(ratOf(ask.Price), ratOf(bid.Price)))
			}
		}
		for i := range prices {
			b.Prices = append(b.Prices, history.None)
			if prices[i].n > 0 {
				b.Prices[i] = prices[i].micros()
			}
		}
		if liquidity.n > 0 {
			if spread.n == 0 {
				for g := t - grid; g >= 0 && spread.n == 0; g -= grid {
					if !knownAt(g) {
						continue
					}
					if bid, ask := at(m, captures, g).top(0); bid != nil && ask != nil {
						spread.add(new(big.Rat).Sub(ratOf(ask.Price), ratOf(bid.Price)))
					}
				}
			}
			if spread.n > 0 {
				b.Metric = &history.Metric{Liquidity: liquidity.micros(), Volume: volume.micros(), Spread: spread.micros()}
			}
		}
		out = append(out, b)
	}
	return out
}
