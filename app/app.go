// Package app is what the commands, the server and its workers share: it opens, watches
// and reopens archives, makes the demo archive, reads the configuration, keeps the last
// runs, and puts a server together. Everything that it needs from outside is in App.
package app

import (
	"io"

	"github.com/ladderback/ladderback/market"
)

// App is what surrounds the program. It is used by one command at a time.
type App struct {
	In     io.Reader                               // for files named "-"
	Getenv func(name string) string                // the environment
	Say    func(format string, args ...any)        // gives people a message, a line without its end
	Show   func(label, things string) (p Progress) // begins to show long work, counted in things
	// OverDemo is told when the demo archive is opened.
	OverDemo func()
	// Packing are the settings for packs; nil: those of the environment.
	Packing *PackSettings
}

// Progress shows how far long work is. Set may be called from any goroutine; Stop ends it.
type Progress struct {
	Set  func(done, all int64)
	Stop func()
}

// UsageError is a mistake in what the program was told, about which its help says more.
type UsageError struct{ err *market.Error }

// Error returns the message.
func (e *UsageError) Error() string { return e.err.Error() }

// Unwrap returns the error with its code.
func (e *UsageError) Unwrap() error { return e.err }

// Usagef returns a UsageError.
func Usagef(format string, args ...any) error {
	return &UsageError{market.Errorf(market.CodeBadRequest, format, args...)}
}
