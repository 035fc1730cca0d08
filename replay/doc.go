// Package replay is the engine: it replays a strategy over resolved up/down
// rounds and fills it against their captured books. At each instant it sees only
// what had been received by then, and it is pure: the same rounds, captures,
// strategy and options give the same trades, whatever the number of workers.
package replay
