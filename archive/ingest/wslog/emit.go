package wslog

import (
	"bytes"

	"github.com/ladderback/ladderback/market"
)

// emitObject turns one object of the top level into messages. d.raw[base] holds
// the members of a message that the object has itself.
func (d *Decoder) emitObject(e *envelope, base int) {
	own := d.raw[base]
	e.slug = own.slug
	switch {
	case e.hasMsg && e.hasLoad:
		d.odd(BadWrapper, &own, e)
	case e.odd != OK && !e.hasGap && !e.reset:
		d.odd(e.odd, &own, e)
	case e.hasMsg || e.hasLoad:
		if e.notAnObj {
			d.odd(NotAMessage, &own, e)
			return
		}
		for i := e.msg.from; i < e.msg.to; i++ {
			d.emit(e, &d.raw[i])
		}
	case e.hasGap || e.reset:
		d.mark(e, &own)
	case e.hasOwn:
		d.emit(e, &own)
	default:
		d.odd(NotAMessage, &own, e)
	}
}

// odd appends a message that was not taken, with what names its market.
func (d *Decoder) odd(r Reason, m *raw, e *envelope) {
	out := d.reject(r)
	out.Slug, out.Market, out.Asset = pick(e.slug, m.slug), m.market, m.asset
}

func pick(a, b []byte) []byte {
	if len(a) > 0 {
		return a
	}
	return b
}

// mark emits what the collector says of itself.
func (d *Decoder) mark(e *envelope, m *raw) {
	switch {
	case e.odd != OK:
		d.odd(e.odd, m, e)
		return
	case m.odd != OK:
		d.odd(m.odd, m, e)
		return
	case e.recv == 0:
		if !e.hasGap {
			d.odd(NoTime, m, e)
			return
		}
		e.recv = e.gap.To
	}
	out := Message{Slug: m.slug, Market: m.market, Asset: m.asset, Recv: e.recv, Exch: m.exch}
	if e.hasGap {
		out.Type, out.Gap = GapMark, e.gap
		if len(m.slug) == 0 && len(m.market) == 0 && len(m.asset) == 0 {
			d.odd(NoMarket, m, e)
			return
		}
		d.msgs = append(d.msgs, out)
		out.Part++
	}
	if e.reset {
		out.Type, out.Gap = ResetMark, market.Gap{}
		d.msgs = append(d.msgs, out)
	}
}

// emit decides what a message is and appends it.
func (d *Decoder) emit(e *envelope, m *raw) {
	kind := m.kind
	if !m.named {
		switch {
		case m.hasBids || m.hasAsks:
			kind = Book
		case m.hasEdits:
			kind = Change
		}
	}
	out := Message{
		Type: kind, Slug: pick(e.slug, m.slug), Market: m.market, Asset: m.asset,
		Recv: e.recv, Exch: m.exch,
	}
	if out.Recv == 0 {
		out.Recv = out.Exch // the only clock there is
	}
	r := m.odd
	switch {
	case r == NotAMessage:
	case kind == Unknown:
		r = UnknownEvent
		if !m.named {
			r = NotAMessage
		}
	case r != OK:
	case out.Recv == 0:
		r = NoTime
	case kind == Change:
		r = d.emitChanges(&out, m)
		if r == OK {
			return
		}
	case kind == Listing || kind == Resolved:
		r = d.fillListing(&out, m)
	case len(m.asset) == 0:
		r = NoToken
	default:
		r = d.fill(&out, m)
	}
	if r != OK {
		d.odd(r, m, e)
		return
	}
	d.msgs = append(d.msgs, out)
}

// fill sets what concerns one token.
func (d *Decoder) fill(out *Message, m *raw) (r Reason) {
	switch out.Type {
	case Book:
		if !m.hasBids && !m.hasAsks {
			return NoLevels
		}
		out.Bids = order(d.levels[m.bids.from:m.bids.to:m.bids.to], market.Bid, true)
		out.Asks = order(d.levels[m.asks.from:m.asks.to:m.asks.to], market.Ask, true)
	case Trade:
		if out.Trade.Price, r = parsePrice(m.price.text); r != OK {
			return r
		}
		if len(m.size.text) > 0 || m.size.bad {
			if out.Trade.Size, r = parseSize(m.size.text); r != OK {
				return r
			}
		}
		if m.badSide {
			return BadSide
		}
		out.Trade.Side = m.side
	case Tick:
		out.Trade.Price, r = parsePrice(m.tick.text)
		if r == OK && out.Trade.Price == 0 {
			r = PriceRange
		}
	case Quote:
		if out.Quote.Bid.Price, r = quotePrice(m.bestBid, 0); r == OK {
			out.Quote.Ask.Price, r = quotePrice(m.bestAsk, market.PriceOne)
		}
	}
	return r
}

// quotePrice reads a best price. An absent one, 0 and the price none, at which
// nobody can trade on that side, mean that the side is empty.
func quotePrice(n number, none market.Price) (market.Price, Reason) {
	if len(n.text) == 0 && !n.bad {
		return market.NoPrice, OK
	}
	p, r := parsePrice(n.text)
	if r == OK && (p == 0 || p == none) {
		p = market.NoPrice
	}
	return p, r
}

// emitChanges appends one Change a token of a price_change, in the order in
// which the tokens come first.
func (d *Decoder) emitChanges(out *Message, m *raw) Reason {
	edits := d.edits[m.edits.from:m.edits.to]
	if !m.hasEdits {
		// The form of one change whose members stand in the message itself.
		level, r := toLevel(m.price, m.size)
		if r == OK && (!m.hasSide || m.badSide) {
			r = BadSide
		}
		if r != OK {
			return r
		}
		d.edits = append(d.edits, edit{side: m.side, level: level})
		edits = d.edits[len(d.edits)-1:]
	}
	if len(edits) == 0 {
		return NoLevels
	}
	for i := range edits {
		if edits[i].asset = pick(edits[i].asset, m.asset); len(edits[i].asset) == 0 {
			return NoToken
		}
	}
	for i := range edits {
		asset := edits[i].asset
		if asset == nil {
			continue // taken with an earlier one of its token
		}
		out.Asset = asset
		out.Bids = order(d.take(edits[i:], asset, market.Bid), market.Bid, false)
		out.Asks = order(d.take(edits[i:], asset, market.Ask), market.Ask, false)
		for k := i; k < len(edits); k++ {
			if bytes.Equal(edits[k].asset, asset) {
				edits[k].asset = nil
			}
		}
		d.msgs = append(d.msgs, *out)
		out.Part++
	}
	return OK
}

// take gathers the levels of one token and side, in order.
func (d *Decoder) take(edits []edit, asset []byte, side market.Side) []market.Level {
	from := len(d.levels)
	for i := range edits {
		if edits[i].side == side && bytes.Equal(edits[i].asset, asset) {
			d.levels = append(d.levels, edits[i].level)
		}
	}
	return d.levels[from:len(d.levels):len(d.levels)]
}

// fillListing sets what names a market's tokens and its winner.
func (d *Decoder) fillListing(out *Message, m *raw) Reason {
	out.Asset = nil
	out.Question = m.question
	out.Assets = d.texts[m.assets.from:m.assets.to:m.assets.to]
	out.Outcomes = d.texts[m.outcomes.from:m.outcomes.to:m.outcomes.to]
	if len(out.Assets) != len(out.Outcomes) {
		return BadOutcome
	}
	if len(out.Market) == 0 && len(out.Slug) == 0 {
		return NoMarket
	}
	if out.Type == Listing {
		if len(out.Assets) == 0 {
			return BadOutcome
		}
		return OK
	}
	out.Winner, out.WinnerOutcome = m.winner, m.winnerOutcome
	if len(out.Winner) == 0 && len(out.WinnerOutcome) == 0 {
		return BadOutcome
	}
	if len(out.Assets) > 0 && !namesWinner(out) {
		return WinnerNotAToken
	}
	return OK
}

// namesWinner reports whether the winner is among the tokens that the message
// itself lists, by every name it is given.
func namesWinner(m *Message) bool {
	for i := range m.Assets {
		if (len(m.Winner) == 0 || bytes.Equal(m.Winner, m.Assets[i])) &&
			(len(m.WinnerOutcome) == 0 || bytes.EqualFold(m.WinnerOutcome, m.Outcomes[i])) {
			return true
		}
	}
	return false
}
