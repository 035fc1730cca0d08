package ingest

import (
	"github.com/ladderback/ladderback/archive/ingest/stream"
	"github.com/ladderback/ladderback/archive/ingest/wslog"
	"github.com/ladderback/ladderback/market"
)

// MessageCheck returns a function that says why an import of a message of the exchange,
// in a log, would reject it; empty: it would not, as far as the message alone tells. The
// function is not safe for concurrent use.
func MessageCheck() func(message []byte) (reason string) {
	d := new(wslog.Decoder)
	return func(message []byte) string {
		for _, m := range d.DecodeMessage(market.Second, nil, message) {
			if m.Reject != stream.OK {
				return string(m.Reject)
			}
		}
		return ""
	}
}
