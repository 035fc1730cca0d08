// Command ladderback imports captures of prediction markets into an archive
// and replays strategies over them.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// coloured reports whether a terminal is to get colours.
func coloured(getenv func(string) string) bool {
	return getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	a := &cli{
		in: os.Stdin, out: os.Stdout, err: os.Stderr, getenv: os.Getenv, environ: os.Environ(),
		terminal: isTerminal(os.Stderr), colour: isTerminal(os.Stdout) && coloured(os.Getenv),
		asks: isTerminal(os.Stdin) && isTerminal(os.Stderr), screen: isTerminal(os.Stdout), width: terminalWidth(os.Stdout),
	}
	// A second Ctrl-C ends the process at once, in case a clean stop takes long.
	context.AfterFunc(ctx, stop)
	code := a.run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}
