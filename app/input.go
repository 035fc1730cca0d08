package app

import (
	"context"
	"io"

	"github.com/ladderback/ladderback/archive/ingest"
)

// OpenInput opens a file for reading, or standard input for "-". Cancelling the
// command ends its wait for input.
func (a *App) OpenInput(ctx context.Context, path string) (io.ReadCloser, error) {
	if path == "-" {
		return io.NopCloser(ingest.Interruptible(ctx, a.In)), nil
	}
	return ingest.OpenInterruptible(ctx, path)
}

// ReadFile reads a file, or standard input for "-".
func (a *App) ReadFile(ctx context.Context, path string) ([]byte, error) {
	in, err := a.OpenInput(ctx, path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return io.ReadAll(in)
}
