package market

import "fmt"

// Side is a side of a book, or the aggressor's side of a trade.
type Side uint8

// Sides. For a trade, Bid means that the aggressor bought, Ask that it sold.
const (
	SideUnknown Side = iota
	Bid
	Ask
)

// String returns "bid", "ask" or "unknown".
func (s Side) String() string {
	switch s {
	case Bid:
		return "bid"
	case Ask:
		return "ask"
	}
	return "unknown"
}

// Opposite returns the other side; SideUnknown is its own opposite.
func (s Side) Opposite() Side {
	switch s {
	case Bid:
		return Ask
	case Ask:
		return Bid
	}
	return SideUnknown
}

// Level is one price of a ladder and the size resting there. In level changes,
// a size of zero removes the level.
type Level struct {
	Price Price
	Size  Size
}

// Sided returns l, or an empty side in its usual form.
func (l Level) Sided() Level {
	if l.Price < 0 {
		return Level{Price: NoPrice}
	}
	return l
}

// Kind says what a capture holds.
type Kind uint8

// Kinds of capture. The numbers are part of the archive's format: never change
// or reuse one.
const (
	// KindBook is a message with the full ladder of a token.
	KindBook Kind = 1
	// KindChange is a message with the new sizes of some levels of a token.
	KindChange Kind = 2
	// KindQuote is a best bid and ask, with sizes where the source has them.
	KindQuote Kind = 3
	// KindTrade is a trade message of the source.
	KindTrade Kind = 4
	// KindPrice is a bare price, from a source with neither book nor quote.
	KindPrice Kind = 5
	// KindTick is a change of the smallest price step.
	KindTick Kind = 6
	// KindReset marks that the recorder reconnected; it changes no value.
	KindReset Kind = 7
	// KindMetric is a quantity reported by the source itself (liquidity,
	// volume), which takes precedence over derived values.
	KindMetric Kind = 8
)

// String returns the name of k in lower case.
func (k Kind) String() string {
	switch k {
	case KindBook:
		return "book"
	case KindChange:
		return "change"
	case KindQuote:
		return "quote"
	case KindTrade:
		return "trade"
	case KindPrice:
		return "price"
	case KindTick:
		return "tick"
	case KindReset:
		return "reset"
	case KindMetric:
		return "metric"
	}
	return "unknown"
}

// Quote is a top of book. A side with a negative price (NoPrice) is empty. A
// price with a size of zero means that the source gives no size.
type Quote struct {
	Bid, Ask Level
}

// NoPrice marks the empty side of a Quote.
const NoPrice Price = -1

// Mirror returns q as seen from the other token of a mirrored pair.
func (q Quote) Mirror() Quote {
	return Quote{Bid: mirrorLevel(q.Ask), Ask: mirrorLevel(q.Bid)}
}

func mirrorLevel(l Level) Level {
	if l.Price == NoPrice {
		return l
	}
	return Level{Price: l.Price.Mirror(), Size: l.Size}
}

// Trade is one execution reported by the source.
type Trade struct {
	Price Price
	Size  Size // zero: not given
	Side  Side // the aggressor's; SideUnknown: not given
}

// Capture is one thing received about one token of a market. Which fields are
// meaningful depends on Kind:
//
//	KindBook, KindChange  Replace, Bids, Asks
//	KindQuote             Quote
//	KindTrade             Trade
//	KindPrice             Trade.Price
//	KindTick              Trade.Price is the new tick
//	KindReset             none
//	KindMetric            Metric
//
// Bids and Asks say how the token's ladder changes: when Replace is true, the
// ladder is emptied first; then each level is set to the given size, zero
// removing it. Levels are sorted best first, and no price occurs twice on a
// side. A KindBook capture need not have Replace set: a decoder may return the
// difference from the previous ladder, as long as applying it yields the full
// ladder of the message.
//
// A Capture returned by a reader, slices included, is valid only until the next
// one is read.
type Capture struct {
	Token int // index in Market.Tokens of the token it was received for
	Kind  Kind
	Recv  Instant // receiver's clock: the capture time everywhere
	Exch  Instant // exchange's clock; zero: not given. May be after Recv
	// Ord is the position among the messages of one receive time of the market
	// within the source file, from 0.
	Ord uint32

	Replace bool
	Bids    []Level
	Asks    []Level

	Quote  Quote
	Trade  Trade
	Metric Metric
}

// Metric holds quantities that the source itself reports for the whole market,
// in units of 1e-6 USD; NoMetric, or any negative value, means not given.
type Metric struct {
	Liquidity Cash
	Volume    Cash // since the market's start
}

// NoMetric marks a quantity that was not given.
const NoMetric Cash = -1

// IsLadder reports whether c changes the ladder.
func (c *Capture) IsLadder() bool { return c.Kind == KindBook || c.Kind == KindChange }

// Follows returns an error for a capture of m that cannot follow one at an instant.
func (c *Capture) Follows(at Instant, m *Market) error {
	switch {
	case c.Token < 0 || c.Token >= len(m.Tokens):
		return fmt.Errorf("capture at %s: token %d: expected one of %d", c.Recv, c.Token, len(m.Tokens))
	case c.Recv < at:
		return fmt.Errorf("capture at %s comes after one at %s: expected receive order", c.Recv, at)
	}
	return nil
}
