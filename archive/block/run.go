package block

import (
	"fmt"
	"sync"

	"github.com/ladderback/ladderback/market"
)

// entry is a capture without its content.
type entry struct {
	kind       market.Kind
	whole      bool // Replace
	ord        uint32
	bids, asks int32 // how many levels
	recv, exch market.Instant
}

// content is what captures hold that are no ladders.
type content struct {
	quote  market.Quote
	trade  market.Trade
	metric market.Metric
}

// run is a block's content as plain values: what the columns are made of.
type run struct {
	entries  []entry
	levels   []market.Level // of the keyframe and all entries in order, bids before asks
	contents []content      // of all entries that are neither ladder nor reset

	keyLevels, keyBidLevels int // of the keyframe: all, bids
}

// keyframe returns the levels of the keyframe.
func (r *run) keyframe() (bids, asks []market.Level) {
	n, m := r.keyBidLevels, r.keyLevels
	return r.levels[:n:n], r.levels[n:m:m]
}

// smallRun is how many captures an encoder has room for between two blocks, at most:
// there may be thousands of encoders.
const smallRun = 64

// spareRuns are larger ones without content, for encoders that need the room.
var spareRuns sync.Pool // of *run

// release gives up what r holds, where that is much.
func (r *run) release() {
	if cap(r.entries) <= smallRun && cap(r.levels) <= 8*smallRun {
		r.clear()
		return
	}
	spare := *r
	spare.clear()
	spareRuns.Put(&spare)
	*r = run{}
}

// grow makes room for what is more than a small run holds.
func (r *run) grow() {
	if len(r.entries) < smallRun || len(r.entries) < cap(r.entries) {
		return
	}
	if spare, ok := spareRuns.Get().(*run); ok {
		spare.entries = append(spare.entries, r.entries...)
		spare.levels = append(spare.levels, r.levels...)
		spare.contents = append(spare.contents, r.contents...)
		spare.keyLevels, spare.keyBidLevels = r.keyLevels, r.keyBidLevels
		*r = *spare
	}
}

func (r *run) clear() {
	r.entries, r.levels, r.contents = r.entries[:0], r.levels[:0], r.contents[:0]
	r.keyLevels, r.keyBidLevels = 0, 0
}

// contentOf returns what counts of c.
func contentOf(c *market.Capture) content {
	var n content
	switch c.Kind {
	case market.KindQuote:
		n.quote = c.Quote
		if n.quote.Bid.Price == market.NoPrice {
			n.quote.Bid.Size = 0
		}
		if n.quote.Ask.Price == market.NoPrice {
			n.quote.Ask.Size = 0
		}
	case market.KindTrade:
		n.trade = c.Trade
	case market.KindPrice, market.KindTick:
		n.trade.Price = c.Trade.Price
	case market.KindMetric:
		n.metric = c.Metric
	}
	return n
}

// check returns an error when c cannot be added.
func (e *Encoder) check(c *market.Capture) error {
	if StreamOf(c.Kind) != e.stream || e.stream == 0 {
		return fmt.Errorf("add %v capture at %v to a block of %v: %w", c.Kind, c.Recv, e.stream, ErrCapture)
	}
	if c.Recv <= 0 || c.Recv > maxInstant || c.Exch < 0 || c.Exch > maxInstant {
		return fmt.Errorf("add %v capture: times %d and %d µs: expected years 1970 to 9999: %w", c.Kind, c.Recv, c.Exch, ErrCapture)
	}
	if c.Recv < e.last {
		return fmt.Errorf("add %v capture at %v after one at %v: %w", c.Kind, c.Recv, e.last, ErrOrder)
	}
	if e.Full() {
		return fmt.Errorf("add %v capture at %v: %w", c.Kind, c.Recv, ErrFull)
	}
	if what := wrong(c); what != "" {
		return fmt.Errorf("add %v capture at %v: %s: %w", c.Kind, c.Recv, what, ErrCapture)
	}
	if c.Kind == market.KindBook && !c.Replace && !e.known {
		return fmt.Errorf("add %v capture at %v: a difference from an unknown ladder: %w", c.Kind, c.Recv, ErrCapture)
	}
	return nil
}

// wrong says what is wrong with the content of c; empty: nothing.
func wrong(c *market.Capture) string {
	ok, what := true, ""
	switch c.Kind {
	case market.KindBook, market.KindChange:
		return wrongLevels(c)
	case market.KindQuote:
		ok, what = quotable(c.Quote.Bid) && quotable(c.Quote.Ask), "price or size out of range"
	case market.KindTrade:
		ok, what = c.Trade.Price.Valid() && c.Trade.Size >= 0 && c.Trade.Side <= market.Ask, "price, size or side out of range"
	case market.KindPrice, market.KindTick:
		ok, what = c.Trade.Price.Valid(), "price out of range"
	case market.KindMetric:
		ok, what = c.Metric.Liquidity >= market.NoMetric && c.Metric.Volume >= market.NoMetric, "amount out of range"
	}
	if ok {
		return ""
	}
	return what
}

func wrongLevels(c *market.Capture) string {
	if !ordered(c.Bids, true) || !ordered(c.Asks, false) {
		return "levels not best first, or a price or size out of range"
	}
	if c.Kind == market.KindChange && c.Replace {
		return "level changes with Replace set"
	}
	return ""
}

func quotable(l market.Level) bool {
	return l.Price == market.NoPrice || l.Price.Valid() && l.Size >= 0
}
