package market

// Side is a side of a book, or the side of the aggressor of a trade.
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

// Opposite returns the other side; SideUnknown stays.
func (s Side) Opposite() Side {
	switch s {
	case Bid:
		return Ask
	case Ask:
		return Bid
	}
	return SideUnknown
}

// Level is one price of a ladder and what rests there. In level changes a size
// of zero removes the level.
type Level struct {
	Price Price
	Size  Size
}

// Kind says what a capture holds.
type Kind uint8

// Kinds of capture. The numbers are part of the archive's format: never change
// or reuse one.
const (
	// KindBook is a message that held the whole ladder of a token.
	KindBook Kind = 1
	// KindChange is a message with the new sizes of some levels of a token.
	KindChange Kind = 2
	// KindQuote is a best bid and ask, with sizes where the source has them.
	KindQuote Kind = 3
	// KindTrade is a trade message of the source.
	KindTrade Kind = 4
	// KindPrice is a price alone, from a source that has neither book nor quote.
	KindPrice Kind = 5
	// KindTick is a change of the smallest price step.
	KindTick Kind = 6
	// KindReset marks that the recorder reconnected; it changes no value.
	KindReset Kind = 7
	// KindMetric is a quantity that the source itself reports (liquidity,
	// volume), which wins over what is derived.
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
// size of zero with a price means that the source gives no size.
type Quote struct {
	Bid, Ask Level
}

// NoPrice marks the empty side of a Quote.
const NoPrice Price = -1

// Mirror returns q as the other token of a mirrored pair sees it.
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

// Capture is one thing that was received about one token of a market. Which
// fields count depends on Kind:
//
//	KindBook, KindChange  Replace, Bids, Asks
//	KindQuote             Quote
//	KindTrade             Trade
//	KindPrice             Trade.Price
//	KindTick              Trade.Price is the new tick
//	KindReset             none
//	KindMetric            Metric
//
// Bids and Asks say how the token's ladder changes: when Replace is true the
// ladder is emptied first; then each level takes the size given, zero removing
// it. Levels stand best first and no price stands twice on a side. A KindBook
// capture need not have Replace set: a decoder may hand out the difference
// against the ladder before it, as long as applying it gives the whole ladder
// of the message.
//
// A Capture handed out by a reader, with its slices, is valid until the next
// one is asked for.
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
// in units of 1e-6 USD; a negative one (NoMetric) was not given.
type Metric struct {
	Liquidity Cash
	Volume    Cash // since the market's start
}

// NoMetric marks a quantity that was not given.
const NoMetric Cash = -1

// IsLadder reports whether c changes the ladder.
func (c *Capture) IsLadder() bool { return c.Kind == KindBook || c.Kind == KindChange }
