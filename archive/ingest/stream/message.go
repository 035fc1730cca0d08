package stream

import (
	"github.com/ladderback/ladderback/archive/ingest/ladder"
	"github.com/ladderback/ladderback/archive/ingest/scalar"
	"github.com/ladderback/ladderback/market"
)

// Type is the type of a message.
type Type uint8

// Types of message.
const (
	Unknown Type = iota
	// Book holds the whole ladder of one token.
	Book
	// Change holds new sizes of some levels of one token. A price_change of the
	// exchange that names several tokens gives one Change a token.
	Change
	// Trade is an execution (last_trade_price).
	Trade
	// Tick is a change of the smallest price step (tick_size_change).
	Tick
	// Quote is a best bid and ask (best_bid_ask).
	Quote
	// Price is a price alone, of a source that has neither book nor quote.
	Price
	// Listing names the tokens of a market (new_market).
	Listing
	// Resolved says which token won (market_resolved).
	Resolved
	// GapMark is the collector's own statement that it missed a stretch of time.
	GapMark
	// ResetMark is the collector's own statement that it reconnected.
	ResetMark
)

// Reason says why a message or a line was rejected.
type Reason = scalar.Reason

// Reasons beside those of package scalar. OK means that it was taken.
const (
	OK              = scalar.OK
	BadJSON         = ladder.BadJSON
	TooLong         = Reason("line too long")
	TooMany         = Reason("too many messages in a line")
	TooManyTokens   = Reason("too many tokens")
	TooManyMarkets  = Reason("too many markets in a file")
	NotAMessage     = Reason("not a message")
	UnknownEvent    = Reason("event type not known")
	BadWrapper      = Reason("both msg and payload")
	NoTime          = scalar.NoTime
	BadTime         = scalar.BadTime
	NoToken         = Reason("no token id")
	BadID           = scalar.BadID
	NoLevels        = Reason("book without bids and asks")
	BadLevel        = ladder.BadLevel
	PriceRange      = scalar.PriceRange
	BadSide         = scalar.BadSide
	TradeRange      = Reason("trade at 0 or 1")
	BadGap          = Reason("gap not understood")
	TooManyGaps     = Reason("too many gaps of a market")
	NoMarket        = Reason("no market named")
	OtherMarket     = Reason("token belongs to another market")
	BadOutcome      = Reason("tokens and outcomes do not match")
	WinnerNotAToken = Reason("winner is not a token of the market")
	TwoWinners      = Reason("winner contradicts an earlier one")
	NoCapture       = Reason("capture cannot be stored")
)

// Message is one item of a line or a row. Byte slices and level slices belong
// to the Source and are valid until its next call.
type Message struct {
	Type Type
	// Reject is OK, or says why the message was not taken; then only Slug,
	// Market and Asset may be set besides.
	Reject Reason
	// Part counts the Messages that one message of the exchange gave, from 0.
	Part int

	Slug   []byte // of the wrapper or the message; empty: not given
	Market []byte // the exchange's condition id; empty: not given
	Asset  []byte // token id; empty for types that concern a whole market
	// AltID is another id of the market, and Label the name of the token's
	// outcome; empty: not given.
	AltID, Label []byte

	Recv market.Instant // receiver's clock; Exch where the line has none
	Exch market.Instant // exchange's clock; zero: not given

	// Bids and Asks, best first, no price twice on a side. For Book they are
	// the whole ladder, without levels of size zero.
	Bids, Asks []market.Level

	Quote market.Quote
	Trade market.Trade // Trade; for Tick and Price only Price
	Gap   market.Gap

	// Best is, for Change, the best bid and ask that the source says the ladder
	// has once all changes of this exchange time are made (market.NoPrice: the
	// side is empty), as far as BestBid and BestAsk say that it does.
	Best             market.Quote
	BestBid, BestAsk bool

	// Listing and Resolved. Assets and Outcomes are of equal length, both empty
	// when the message names none. Winner is the winning token of a Resolved,
	// and WinnerOutcome its name; one of them may be empty.
	Question      []byte
	Assets        [][]byte
	Outcomes      [][]byte
	Winner        []byte
	WinnerOutcome []byte
}

// refused returns why the message is not taken. Nobody trades at 0, what a feed says of a
// price that it does not know, nor at 1: as a trade either would have filled all that rests.
func (m *Message) refused() Reason {
	if m.Reject == OK && m.Type == Trade && (m.Trade.Price <= 0 || m.Trade.Price >= market.PriceOne) {
		return TradeRange
	}
	return m.Reject
}

// ValidID reports whether a text may be an id or a slug of a market or a token: up to 200
// printable characters of ASCII, without a space.
func ValidID(id string) bool {
	if len(id) > 200 {
		return false
	}
	for i := range len(id) {
		if id[i] <= ' ' || id[i] > '~' {
			return false
		}
	}
	return true
}
