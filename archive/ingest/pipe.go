package ingest

import (
	"context"
	"io"
	"os"
)

// Interruptible returns a reader of r that ends with the error of ctx once that has
// ended, also while a read of r waits: nothing else ends the wait for whoever
// writes to a pipe. What r gives after that is lost.
func Interruptible(ctx context.Context, r io.Reader) io.Reader {
	out, in := io.Pipe()
	context.AfterFunc(ctx, func() { _ = in.CloseWithError(ctx.Err()) })
	go func() {
		_, err := io.Copy(in, r)
		_ = in.CloseWithError(err)
	}()
	return out
}

// OpenInterruptible opens the file at path for reading, a FIFO too: neither the
// wait for somebody to write to it nor reading it outlasts ctx.
func OpenInterruptible(ctx context.Context, path string) (io.ReadCloser, error) {
	fi, err := os.Stat(path)
	if err == nil && fi.Mode().IsRegular() {
		return os.Open(path)
	}
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.Open(path)
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		if o.err != nil {
			return nil, o.err
		}
		return struct {
			io.Reader
			io.Closer
		}{Interruptible(ctx, o.f), o.f}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
