package tape

import "github.com/ladderback/ladderback/fills"

// Stream is the kind of data from which the engine knows a token's market.
type Stream uint8

// Streams, worst first. An order meets the best one with a capture at or before
// its arrival.
const (
	NoStream     Stream = iota
	PriceStream         // prices only
	QuoteStream         // best bid and ask
	LadderStream        // ladders
)

// Fill returns the kind of fill that the stream yields; empty for NoStream.
func (s Stream) Fill() fills.Kind {
	return [...]fills.Kind{"", fills.LastPrice, fills.BestQuote, fills.BookLadder}[s]
}
