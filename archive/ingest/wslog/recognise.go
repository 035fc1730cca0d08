package wslog

import (
	"bytes"

	"github.com/ladderback/ladderback/archive/ingest/stream"
)

// Recognise reports whether any complete line of prefix, the beginning of a
// file, is one from which this package reads messages.
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
