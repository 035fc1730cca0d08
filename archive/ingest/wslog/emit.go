package wslog

import (
	"bytes"

	"github.com/ladderback/ladderback/archive/ingest/ladder"
	"github.com/ladderback/ladderback/archive/ingest/scalar"
	"github.com/ladderback/ladderback/archive/ingest/stream"
	"github.com/ladderback/ladderback/market"
)

// emitObject turns one object of the top level into messages. d.raw[base] holds
// the members of a message that the object has itself.
func (d *Decoder) emitObject(e *envelope, base int) {
	own := d.raw[base]
	e.slug = own.slug
	switch {
	case e.hasMsg && e.hasLoad:
		d.odd(stream.BadWrapper, &own, e)
	case e.odd != stream.OK && !e.hasGap && !e.reset:
		d.odd(e.odd, &own, e)
	case e.hasMsg || e.hasLoad:
		if e.notAnObj {
			d.odd(stream.NotAMessage, &own, e)
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
		d.odd(stream.NotAMessage, &own, e)
	}
}

// odd appends a message that was not taken, with what names its market.
func (d *Decoder) odd(r stream.Reason, m *raw, e *envelope) {
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
	case e.odd != stream.OK:
		d.odd(e.odd, m, e)
		return
	case m.odd != stream.OK:
		d.odd(m.odd, m, e)
		return
	case e.recv == 0:
		if !e.hasGap {
			d.odd(stream.NoTime, m, e)
			return
		}
		e.recv = e.gap.To
	}
	out := stream.Message{Slug: m.slug, Market: m.market, Asset: m.asset, Recv: e.recv, Exch: m.exch}
	if e.hasGap {
		out.Type, out.Gap = stream.GapMark, e.gap
		if len(m.slug) == 0 && len(m.market) == 0 && len(m.asset) == 0 {
			d.odd(stream.NoMarket, m, e)
			return
		}
		d.msgs = append(d.msgs, out)
		out.Part++
	}
	if e.reset {
		out.Type, out.Gap = stream.ResetMark, market.Gap{}
		d.msgs = append(d.msgs, out)
	}
}

// emit decides what a message is and appends it.
func (d *Decoder) emit(e *envelope, m *raw) {
	kind := m.kind
	if !m.named {
		switch {
		case m.hasBids || m.hasAsks:
			kind = stream.Book
		case m.hasEdits:
			kind = stream.Change
		}
	}
	out := stream.Message{
		Type: kind, Slug: pick(e.slug, m.slug), Market: m.market, Asset: m.asset,
		Recv: e.recv, Exch: m.exch,
	}
	if out.Recv == 0 {
		out.Recv = out.Exch // the only clock there is
	}
	r := m.odd
	switch {
	case r == stream.NotAMessage:
	case kind == stream.Unknown:
		r = stream.UnknownEvent
		if !m.named {
			r = stream.NotAMessage
		}
	case r != stream.OK:
	case out.Recv == 0:
		r = stream.NoTime
	case kind == stream.Change:
		r = d.emitChanges(&out, m)
		if r == stream.OK {
			return
		}
	case kind == stream.Listing || kind == stream.Resolved:
		r = d.fillListing(&out, m)
	case len(m.asset) == 0:
		r = stream.NoToken
	default:
		r = d.fill(&out, m)
	}
	if r != stream.OK {
		d.odd(r, m, e)
		return
	}
	d.msgs = append(d.msgs, out)
}

// fill sets what concerns one token.
func (d *Decoder) fill(out *stream.Message, m *raw) (r stream.Reason) {
	switch out.Type {
	case stream.Book:
		if !m.hasBids && !m.hasAsks {
			return stream.NoLevels
		}
		out.Bids = ladder.Order(d.levels[m.bids.from:m.bids.to:m.bids.to], market.Bid, true)
		out.Asks = ladder.Order(d.levels[m.asks.from:m.asks.to:m.asks.to], market.Ask, true)
	case stream.Trade:
		if out.Trade.Price, r = scalar.Price(m.price.text); r != stream.OK {
			return r
		}
		if len(m.size.text) > 0 || m.size.bad {
			if out.Trade.Size, r = scalar.Size(m.size.text); r != stream.OK {
				return r
			}
		}
		if m.badSide {
			return stream.BadSide
		}
		out.Trade.Side = m.side
	case stream.Tick:
		out.Trade.Price, r = scalar.Price(m.tick.text)
		if r == stream.OK && out.Trade.Price == 0 {
			r = stream.PriceRange
		}
	case stream.Quote:
		if out.Quote.Bid.Price, r = quotePrice(m.bestBid, market.Bid); r == stream.OK {
			out.Quote.Ask.Price, r = quotePrice(m.bestAsk, market.Ask)
		}
	}
	return r
}

// fillBest sets what the last of the edits of a token says of the best prices.
// What cannot be read there says nothing.
func (d *Decoder) fillBest(out *stream.Message, edits []edit) {
	out.BestBid, out.BestAsk = false, false
	for i := len(edits) - 1; i >= 0; i-- {
		e := &edits[i]
		if !bytes.Equal(e.asset, out.Asset) {
			continue
		}
		if p, r := scalar.Price(e.bestBid.text); r == stream.OK {
			out.Best.Bid.Price, out.BestBid = scalar.BestPrice(p, market.Bid), true
		}
		if p, r := scalar.Price(e.bestAsk.text); r == stream.OK {
			out.Best.Ask.Price, out.BestAsk = scalar.BestPrice(p, market.Ask), true
		}
		return
	}
}

// quotePrice reads a best price; an absent one is an empty side too.
func quotePrice(n number, side market.Side) (market.Price, stream.Reason) {
	if len(n.text) == 0 && !n.bad {
		return market.NoPrice, stream.OK
	}
	p, r := scalar.Price(n.text)
	return scalar.BestPrice(p, side), r
}

// emitChanges appends one Change a token of a price_change, in the order in
// which the tokens come first.
func (d *Decoder) emitChanges(out *stream.Message, m *raw) stream.Reason {
	edits := d.edits[m.edits.from:m.edits.to]
	if !m.hasEdits {
		// The form of one change whose members stand in the message itself.
		level, r := ladder.Of(m.price.text, m.size.text)
		if r == stream.OK && (!m.hasSide || m.badSide) {
			r = stream.BadSide
		}
		if r != stream.OK {
			return r
		}
		d.edits = append(d.edits, edit{side: m.side, level: level, bestBid: m.bestBid, bestAsk: m.bestAsk})
		edits = d.edits[len(d.edits)-1:]
	}
	if len(edits) == 0 {
		return stream.NoLevels
	}
	for i := range edits {
		if edits[i].asset = pick(edits[i].asset, m.asset); len(edits[i].asset) == 0 {
			return stream.NoToken
		}
	}
	from := len(d.msgs)
	for i := range edits {
		asset := edits[i].asset
		if asset == nil {
			continue // taken with an earlier one of its token
		}
		if out.Part == maxTokens {
			d.msgs = d.msgs[:from]
			return stream.TooManyTokens
		}
		out.Asset = asset
		d.fillBest(out, edits[i:])
		out.Bids = ladder.Order(d.take(edits[i:], asset, market.Bid), market.Bid, false)
		out.Asks = ladder.Order(d.take(edits[i:], asset, market.Ask), market.Ask, false)
		for k := i; k < len(edits); k++ {
			if bytes.Equal(edits[k].asset, asset) {
				edits[k].asset = nil
			}
		}
		d.msgs = append(d.msgs, *out)
		out.Part++
	}
	return stream.OK
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
func (d *Decoder) fillListing(out *stream.Message, m *raw) stream.Reason {
	out.Asset = nil
	out.Question = m.question
	out.Assets = d.texts[m.assets.from:m.assets.to:m.assets.to]
	out.Outcomes = d.texts[m.outcomes.from:m.outcomes.to:m.outcomes.to]
	if len(out.Assets) != len(out.Outcomes) {
		return stream.BadOutcome
	}
	if len(out.Market) == 0 && len(out.Slug) == 0 {
		return stream.NoMarket
	}
	if out.Type == stream.Listing {
		if len(out.Assets) == 0 {
			return stream.BadOutcome
		}
		return stream.OK
	}
	out.Winner, out.WinnerOutcome = m.winner, m.winnerOutcome
	if len(out.Winner) == 0 && len(out.WinnerOutcome) == 0 {
		return stream.BadOutcome
	}
	if len(out.Assets) > 0 && !namesWinner(out) {
		return stream.WinnerNotAToken
	}
	return stream.OK
}

// namesWinner reports whether the winner is among the tokens that the message
// itself lists, by every name it is given.
func namesWinner(m *stream.Message) bool {
	for i := range m.Assets {
		if (len(m.Winner) == 0 || bytes.Equal(m.Winner, m.Assets[i])) &&
			(len(m.WinnerOutcome) == 0 || bytes.EqualFold(m.WinnerOutcome, m.Outcomes[i])) {
			return true
		}
	}
	return false
}
