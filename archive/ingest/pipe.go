package ingest

import (
	"context"
	"io"
	"os"
)

// Interruptible returns a reader of r that fails with the error of ctx once ctx
// has ended, even while a read of r is blocked: nothing else ends the wait for
// the writer of a pipe. Data read from r after that is lost.
func Interruptible(ctx context.Context, r io.Reader) io.Reader {
	out, in := io.Pipe()
	context.AfterFunc(ctx, func() { _ = in.CloseWithError(ctx.Err()) })
	go func() {
		_, err := io.Copy(in, r)
		_ = in.CloseWithError(err)
	}()
	return out
}

// OpenInterruptible opens the file at path, which may be a FIFO, for reading:
// neither waiting for a writer nor reading outlasts ctx.
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
