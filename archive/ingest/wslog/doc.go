// Package wslog reads logs of the exchange's WebSocket feed: JSON lines written
// by a collector as the messages arrived, bare or wrapped with the time of
// receipt, some of them arrays of messages. docs/formats.md describes the
// format for authors of collectors.
//
// The scanner is specialised for these messages and reads several hundred
// megabytes per second; it accepts exactly the lines that encoding/json
// considers valid JSON (up to a maximum nesting depth), and parses every number
// from its text, never through a float.
package wslog
