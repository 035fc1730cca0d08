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
	if int(r) < len(reasonWords) && reasonWords[r] != "" {
		return reasonWords[r]
	}
	return "unknown reason"
}

var reasonWords = [numReasons]string{
	OK:              "ok",
	BadJSON:         "not valid JSON",
	TooLong:         "line too long",
	NotAMessage:     "not a message",
	UnknownEvent:    "event type not known",
	BadWrapper:      "both msg and payload",
	NoTime:          "no time",
	BadTime:         "time not understood",
	NoToken:         "no token id",
	BadID:           "id not understood",
	NoLevels:        "book without bids and asks",
	BadLevel:        "level not understood",
	BadPrice:        "price not a number",
	PriceRange:      "price outside 0 to 1",
	PricePrecision:  "price finer than 0.0001",
	BadSize:         "size not a number",
	NegativeSize:    "negative size",
	SizeRange:       "size too large",
	SizePrecision:   "size finer than 0.000001",
	BadSide:         "side not understood",
	BadGap:          "gap not understood",
	NoMarket:        "no market named",
	BadOutcome:      "tokens and outcomes do not match",
	WinnerNotAToken: "winner is not a token of the market",
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
