package wire

import (
	"context"
	"sync/atomic"
	"time"
)

// Within returns a context that ends some time after something first asks for its end: what is
// answered from memory never does, and starts no clock. end lets go of it.
func Within(ctx context.Context, most time.Duration) (within context.Context, end func()) {
	w := &waited{Context: ctx, most: most}
	return w, w.end
}

// waited is the context of Within.
type waited struct {
	context.Context
	most time.Duration
	on   atomic.Pointer[started]
}

// started is a context whose clock runs.
type started struct {
	context.Context
	cancel context.CancelFunc
}

func (w *waited) start() context.Context {
	if s := w.on.Load(); s != nil {
		return s
	}
	s := &started{}
	s.Context, s.cancel = context.WithTimeout(w.Context, w.most)
	if !w.on.CompareAndSwap(nil, s) {
		s.cancel()
	}
	return w.on.Load()
}

func (w *waited) end() {
	if s := w.on.Load(); s != nil {
		s.cancel()
	}
}

// Deadline implements context.Context.
func (w *waited) Deadline() (time.Time, bool) { return w.start().Deadline() }

// Done implements context.Context.
func (w *waited) Done() <-chan struct{} { return w.start().Done() }

// Err implements context.Context.
func (w *waited) Err() error { return w.start().Err() }

// Value implements context.Context.
func (w *waited) Value(key any) any {
	if s := w.on.Load(); s != nil {
		return s.Value(key)
	}
	return w.Context.Value(key)
}
