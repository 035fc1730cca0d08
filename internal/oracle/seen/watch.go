package seen

import (
	"math"
	"slices"

	"github.com/ladderback/ladderback/internal/replaytest"
	"github.com/ladderback/ladderback/market"
)

// Watch is one market and what was received about it.
type Watch struct {
	Round  *replaytest.Round
	Market *market.Market
	Frames []Frame
	// Captures are the capture instants in [start, end).
	Captures []market.Instant
	// Mirror marks, of the captures received, trades that are told a second time.
	Mirror []bool
	// Traded is when the first trade message was received; the latest time: never.
	Traded market.Instant
}

// Of watches a round, whose frames are FramesOf(r).
func Of(r *replaytest.Round, frames []Frame) *Watch {
	w := &Watch{Round: r, Market: &r.Market, Frames: frames, Mirror: mirrorTrades(r), Traded: math.MaxInt64}
	for _, c := range r.Captures {
		if c.Kind == market.KindTrade {
			w.Traded = min(w.Traded, c.Recv)
		}
	}
	for _, f := range frames {
		if f.last && w.Within(f.At) {
			w.Captures = append(w.Captures, f.At)
		}
	}
	return w
}

// Within says whether t is in [start, end).
func (w *Watch) Within(t market.Instant) bool { return w.Market.Start <= t && t < w.Market.End }

// CaptureIndex is the place of a capture instant among them; −1: it is none.
func (w *Watch) CaptureIndex(t market.Instant) int {
	i, ok := slices.BinarySearch(w.Captures, t)
	if !ok {
		return -1
	}
	return i
}

// InGap says whether the source declares a gap of the token, or of either of a mirrored market.
func (w *Watch) InGap(token int, a market.Instant) bool {
	return slices.ContainsFunc(w.Round.Gaps, func(g market.TokenGap) bool {
		return (w.Market.Mirrored || g.Token == token) && g.Covers(a)
	})
}

// mirrorTrades marks trades that are told twice. "Of two messages of one exchange
// time and size that mirror each other the later is none."
func mirrorTrades(r *replaytest.Round) []bool {
	out := make([]bool, len(r.Captures))
	if !r.Market.Mirrored {
		return out
	}
	alone := map[market.Instant][]market.Capture{} // by exchange time: not yet paired
	for i, c := range r.Captures {
		if c.Kind != market.KindTrade || c.Exch == 0 {
			continue
		}
		told := slices.IndexFunc(alone[c.Exch], func(b market.Capture) bool {
			return b.Token != c.Token && b.Trade.Size == c.Trade.Size && b.Trade.Price == market.PriceOne-c.Trade.Price
		})
		if told < 0 {
			alone[c.Exch] = append(alone[c.Exch], c)
			continue
		}
		alone[c.Exch] = slices.Delete(alone[c.Exch], told, told+1)
		out[i] = true
	}
	return out
}
