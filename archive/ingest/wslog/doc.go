// Package wslog reads the exchange's WebSocket log: JSON lines that a collector
// wrote as the messages came in, bare or wrapped with the time of receipt, some
// of them arrays of messages. docs/formats.md describes the format for people
// who write a collector.
//
// The scanner is made for these messages and reads several hundred megabytes a
// second; it accepts exactly the lines that are valid JSON for encoding/json
// (up to a depth of nesting), and reads every number from its text, never
// through a float.
package wslog
