package wslog

import "github.com/ladderback/ladderback/market"

// Type says what a message is.
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
	// Listing names the tokens of a market (new_market).
	Listing
	// Resolved says which token won (market_resolved).
	Resolved
	// GapMark is the collector's own statement that it missed a stretch of time.
	GapMark
	// ResetMark is the collector's own statement that it reconnected.
	ResetMark
)

// Reason says why a message or a line was not taken.
type Reason uint8

// Reasons. OK means that it was taken.
const (
	OK Reason = iota
	BadJSON
	TooLong
	NotAMessage
	UnknownEvent
	BadWrapper
	NoTime
	BadTime
	NoToken
	BadID
	NoLevels
	BadLevel
	BadPrice
	PriceRange
	PricePrecision
	BadSize
	NegativeSize
	SizeRange
	SizePrecision
	BadSide
	BadGap
	NoMarket
	BadOutcome
	WinnerNotAToken
	numReasons
)

// String returns the reason in words, as the table of an import shows it.
func (r Reason) String() string {
	switch r {
	case OK:
		return "ok"
	case BadJSON:
		return "not valid JSON"
	case TooLong:
		return "line too long"
	case NotAMessage:
		return "not a message"
	case UnknownEvent:
		return "event type not known"
	case BadWrapper:
		return "both msg and payload"
	case NoTime:
		return "no time"
	case BadTime:
		return "time not understood"
	case NoToken:
		return "no token id"
	case BadID:
		return "id not understood"
	case NoLevels:
		return "book without bids and asks"
	case BadLevel:
		return "level not understood"
	case BadPrice:
		return "price not a number"
	case PriceRange:
		return "price outside 0 to 1"
	case PricePrecision:
		return "price finer than 0.0001"
	case BadSize:
		return "size not a number"
	case NegativeSize:
		return "negative size"
	case SizeRange:
		return "size too large"
	case SizePrecision:
		return "size finer than 0.000001"
	case BadSide:
		return "side not understood"
	case BadGap:
		return "gap not understood"
	case NoMarket:
		return "no market named"
	case BadOutcome:
		return "tokens and outcomes do not match"
	case WinnerNotAToken:
		return "winner is not a token of the market"
	}
	return "unknown reason"
}

// Message is one thing that a line says. Byte slices and level slices belong
// to the Decoder and are valid until its next call.
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

	Recv market.Instant // receiver's clock; Exch where the line has none
	Exch market.Instant // exchange's clock; zero: not given

	// Bids and Asks, best first, no price twice on a side. For Book they are
	// the whole ladder, without levels of size zero.
	Bids, Asks []market.Level

	Quote market.Quote
	Trade market.Trade // Trade; for Tick only Price, the new tick
	Gap   market.Gap

	// Listing and Resolved. Assets and Outcomes are of equal length, both empty
	// when the message names none. Winner is the winning token of a Resolved,
	// and WinnerOutcome its name; one of them may be empty.
	Question      []byte
	Assets        [][]byte
	Outcomes      [][]byte
	Winner        []byte
	WinnerOutcome []byte
}
