package history

import "github.com/ladderback/ladderback/market"

// Tops passes each change of a market's best bids and asks to emit: the time it
// was received, the index of the token and its top of book from then on. A side
// without a price is empty; a size of zero means that the source gives none. The
// other token of a mirrored pair changes with the one captured. The captures
// are all of the market, with the rule for mirrored pairs applied. emit returns
// false to stop.
func Tops(m *market.Market, captures Captures, emit func(t market.Instant, token int, q market.Quote) bool) error {
	s := newState(m)
	defer s.release()
	s.bare = true
	type last struct {
		q     market.Quote
		known bool
	}
	was := make([]last, len(s.books))
	for c, err := range captures {
		if err != nil {
			return err
		}
		if !c.IsLadder() && c.Kind != market.KindQuote {
			continue
		}
		s.apply(c)
		at := c.Token
		if s.mirrored {
			at = 0
		}
		now := last{s.books[at].top, s.books[at].known()}
		if was[at] == now || !now.known {
			continue
		}
		was[at] = now
		if !emit(c.Recv, at, now.q) || s.mirrored && !emit(c.Recv, 1, now.q.Mirror()) {
			return nil
		}
	}
	return nil
}

// Trades passes the trades of a market to emit, in receive order: of a trade
// that the source logged for both tokens of a mirrored pair, the one received
// first. The capture is valid during the call. emit returns false to stop.
func Trades(m *market.Market, captures Captures, emit func(c *market.Capture) bool) error {
	var p pairs
	for c, err := range captures {
		if err != nil {
			return err
		}
		if c.Kind == market.KindTrade && (!m.Mirrored || p.fresh(c)) && !emit(c) {
			return nil
		}
	}
	return nil
}
