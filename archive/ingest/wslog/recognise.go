package wslog

import (
	"bytes"

	"github.com/ladderback/ladderback/archive/ingest/stream"
)

// Recognise reports whether one of the whole lines of prefix, the beginning of
// a file, is one that this package takes messages from.
func Recognise(prefix []byte) bool {
	var d Decoder
	for len(prefix) > 0 {
		line, rest, _ := bytes.Cut(prefix, []byte("\n"))
		for _, m := range d.Decode(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))) {
			switch m.Reject {
			case stream.BadJSON, stream.NotAMessage, stream.TooLong:
			default:
				return true
			}
		}
		prefix = rest
	}
	return false
}
