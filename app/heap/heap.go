// Package heap lets a program start without collecting garbage: what Go and its packages make at the
// start is a few megabytes, of which the collector, beginning at four, took a quarter of the time of a short command.
package heap

import (
	"os"
	"runtime"
	"runtime/debug"
)

const (
	// Usual is GOGC where nobody sets it.
	Usual = 100
	// start is GOGC until garbage is collected first, at 60 MB: 15 times the four at which it else is.
	start = 15 * Usual
)

// A package with few imports is initialised before those that make much.
func init() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(start)
	// What nothing refers to is found by the first collection. Whoever has set another GOGC since keeps it.
	runtime.AddCleanup(new([64]byte), func(struct{}) {
		if set := debug.SetGCPercent(Usual); set != start {
			debug.SetGCPercent(set)
		}
	}, struct{}{})
}
