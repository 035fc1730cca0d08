package oracle

import (
	"slices"

	"github.com/ladderback/ladderback/internal/oracle/exact"
	"github.com/ladderback/ladderback/internal/oracle/seen"
	"github.com/ladderback/ladderback/market"
)

// Queue is the rule by which resting orders fill.
type Queue string

// The three rules.
const (
	Through Queue = "through"
	Back    Queue = "back"
	Front   Queue = "front"
)

// Queues are the three rules, from the fewest fills to the most.
func Queues() []Queue { return []Queue{Through, Back, Front} }

// world is step 1. "Captures apply, resting orders fill."
func (p *play) world() {
	if !p.isCapture() {
		return
	}
	first, _ := slices.BinarySearchFunc(p.Frames, p.now, func(f seen.Frame, t market.Instant) int { return int(f.At - t) })
	for i := first; i < len(p.Frames) && p.Frames[i].At == p.now; i++ {
		p.forget(&p.Frames[i])
	}
	tape := p.tape()
	book := 0
	if p.same == 1 && !p.Market.Mirrored {
		book = 1
	}
	for _, book := range []int{book, 1 - book} {
		for _, ask := range []bool{p.same == 1 && p.Market.Mirrored, p.same != 1 || !p.Market.Mirrored} {
			p.fillSide(book, ask, tape)
		}
	}
}

// forget is what a capture does to the memory of what was taken: "after every capture
// taken = min(taken, shown) per level, 0 when the level is gone".
func (p *play) forget(f *seen.Frame) {
	for at, had := range p.taken {
		s := f.Tokens[at.book]
		levels := s.Bids
		if at.ask {
			levels = s.Asks
		}
		now := market.Size(0)
		for _, l := range levels {
			if l.Price == at.price {
				now = l.Size
			}
		}
		if now != seen.Unlimited && now < had {
			p.taken[at] = now
		}
	}
}

// flow is what traded at one price at one instant.
type flow struct {
	shares market.Size
	used   market.Size // by own orders
}

// tape is what traded at this instant, by price, less what was owed: "trades at their
// price are first those of others who, in the record, bought what we had; only the
// excess counts". "A trade of one token of a mirrored pair at q is one of the other at
// 1 − q. A trade without size is no flow."
func (p *play) tape() map[spot]*flow {
	out := map[spot]*flow{}
	all := p.Round.Captures
	first, _ := slices.BinarySearchFunc(all, p.now, func(c market.Capture, t market.Instant) int { return int(c.Recv - t) })
	for i := first; i < len(all) && all[i].Recv == p.now; i++ {
		c := &all[i]
		if c.Kind != market.KindTrade || p.Mirror[i] || c.Trade.Size <= 0 {
			continue
		}
		at := p.inBook(c.Token, c.Trade.Price, false)
		at.ask = false
		if out[at] == nil {
			out[at] = &flow{}
		}
		out[at].shares += c.Trade.Size
	}
	for at, f := range out {
		n := min(f.shares, p.owed[at])
		f.shares -= n
		p.owed[at] -= n
	}
	return out
}

// fillSide fills the own resting orders of one side of a book. "Own orders of one side
// share, by price, arrival, precedence."
func (p *play) fillSide(book int, ask bool, tape map[spot]*flow) {
	var mine []*order
	for _, o := range p.live() {
		if at := p.place(o); o.state == resting && at.book == book && at.ask == ask && o.arrival < p.now {
			mine = append(mine, o)
		}
	}
	slices.SortStableFunc(mine, func(a, b *order) int {
		pa, pb := p.place(a).price, p.place(b).price
		switch {
		case pa != pb && ask:
			return int(pa - pb)
		case pa != pb:
			return int(pb - pa)
		case a.arrival != b.arrival:
			return int(a.arrival - b.arrival)
		}
		return a.rank - b.rank
	})
	for _, o := range mine {
		if o.state == resting {
			p.fillResting(o, tape)
		}
	}
	for _, o := range mine {
		p.wear(o, tape)
	}
}

// portion is a part of a fill: shares of a level shown, or shares traded at a price.
type portion struct {
	n     market.Size // endless: as many as wanted
	level *spot       // shown
	flow  *flow       // traded: from the place that skip leads to
	skip  market.Size
}

// fillResting fills one order.
//
// "Fills = min(remaining, Offers + Below + X), down to 0.01 share. They (the offers)
// fill first, best first; traded ones go from the highest price down." "In a declared
// gap nothing fills."
func (p *play) fillResting(o *order, tape map[spot]*flow) {
	if p.InGap(o.token, p.now) {
		return
	}
	parts := p.offers(o)
	parts = append(parts, p.atLimit(o, tape)...)
	parts = append(parts, p.beyond(o, tape)...)
	all := market.Size(0)
	for _, x := range parts {
		if x.n == endless {
			all = o.left
			break
		}
		all += x.n
	}
	n := min(o.left, all) / lot * lot
	if n <= 0 {
		return
	}
	rest := n
	for _, x := range parts {
		k := rest
		if x.n != endless {
			k = min(k, x.n)
		}
		if k == 0 {
			continue
		}
		if x.level != nil {
			p.take(*x.level, k)
		} else {
			x.flow.used = x.skip + k
		}
		rest -= k
	}
	levels := []market.Level{{Price: o.limit, Size: n}}
	o.given += n
	// "The maker's fee is rounded once over the order, a leg has the growth."
	charged := p.makerFee()([]market.Level{{Price: o.limit, Size: o.given}})
	growth := exact.Sub(charged, o.makerFee)
	o.makerFee = charged
	p.fill(o, PlayedLeg{
		Kind: "resting", AsOf: p.now, Levels: levels, Shares: n, Value: exact.ValueOf(levels), Fee: exact.CashOf(growth),
	})
}

// offers are "shares shown at or under P, less what is taken. None in a crossed
// capture."
func (p *play) offers(o *order) []portion {
	s := seen.AsOf(p.Frames, p.now).Tokens[o.token]
	if bid, ask := s.BestBid(), s.BestAsk(); bid != nil && ask != nil && *bid > *ask {
		return nil
	}
	var out []portion
	for _, l := range p.available(o.token, !o.sell) {
		if !p.meets(o, l.Price) {
			continue
		}
		at := p.inBook(o.token, l.Price, !o.sell)
		out = append(out, portion{n: l.Size, level: &at})
	}
	return out
}

// atLimit is X: nothing under through; under back what traded at P beyond the queue
// ahead; under front all of it, or, "before the market's first trade message, the fall
// of the bid size shown at P since the last capture".
func (p *play) atLimit(o *order, tape map[spot]*flow) []portion {
	at := p.place(o)
	at.ask = false
	skip := market.Size(0)
	switch p.rule {
	case Through:
		return nil
	case Back:
		if o.ahead == endless {
			return nil
		}
		skip = o.ahead
	case Front:
		if f := p.fallen(o, tape); f != nil {
			tape[at] = f
		}
	}
	f := tape[at]
	if f == nil {
		return nil
	}
	skip = max(skip, f.used)
	return []portion{{n: max(0, f.shares-skip), flow: f, skip: skip}}
}

// fallen is the fall of the size shown at the order's limit since the last capture, as
// flow; nil where trades are known, or it is known already.
func (p *play) fallen(o *order, tape map[spot]*flow) *flow {
	at := p.place(o)
	at.ask = false
	if tape[at] != nil || p.Traded <= p.now {
		return nil
	}
	before := seen.AsOf(p.Frames, p.now-1)
	if before == nil {
		return nil
	}
	was, is := shownAt(before.Tokens[o.token], o), shownAt(seen.AsOf(p.Frames, p.now).Tokens[o.token], o)
	if was == endless || is == endless {
		return nil
	}
	return &flow{shares: max(0, was-is)}
}

// beyond is Below: what traded at prices under P, from the highest down.
func (p *play) beyond(o *order, tape map[spot]*flow) []portion {
	mine := p.place(o)
	var at []spot
	for q := range tape {
		if q.book == mine.book && p.isBeyond(o, q) {
			at = append(at, q)
		}
	}
	slices.SortFunc(at, func(a, b spot) int {
		if mine.ask {
			return int(a.price - b.price)
		}
		return int(b.price - a.price)
	})
	var out []portion
	for _, q := range at {
		f := tape[q]
		out = append(out, portion{n: f.shares - f.used, flow: f, skip: f.used})
	}
	return out
}

// isBeyond says whether a trade at q went through the order's limit.
func (p *play) isBeyond(o *order, q spot) bool {
	mine := p.place(o)
	if mine.ask {
		return q.price > mine.price
	}
	return q.price < mine.price
}

// wear is what an instant does to the queue ahead. "Only trades at P wear it off;
// after an instant with Below it is 0."
func (p *play) wear(o *order, tape map[spot]*flow) {
	mine := p.place(o)
	for q, f := range tape {
		switch {
		case q.book != mine.book || f.shares == 0:
		case p.isBeyond(o, q):
			o.ahead = 0
		case q.price == mine.price && o.ahead != endless:
			o.ahead = max(0, o.ahead-f.shares)
		}
	}
}

// queueAhead is "V: the bid size shown at P as of the arrival; 0 above the best bid;
// endless under what the stream shows".
func (p *play) queueAhead(o *order) market.Size {
	return shownAt(seen.AsOf(p.Frames, p.now).Tokens[o.token], o)
}

// shownAt is the size shown at the order's limit on its own side, none where the price is
// not shown; or endless: under the last price that is shown, and where the size there is not
// given.
func shownAt(s seen.Shown, o *order) market.Size {
	levels, beyond := s.Bids, func(p market.Price) bool { return o.limit < p }
	if o.sell {
		levels, beyond = s.Asks, func(p market.Price) bool { return o.limit > p }
	}
	if len(levels) > 0 && beyond(levels[len(levels)-1].Price) {
		return endless
	}
	for _, l := range levels {
		if l.Price == o.limit {
			return l.Size // unlimited is endless
		}
	}
	return 0
}

func lessOf(a, b market.Size) market.Size {
	switch {
	case a == endless:
		return b
	case b == endless:
		return a
	}
	return min(a, b)
}
