package market

import (
	"context"
	"iter"
)

// Glance is a market with one book whose top is known without its ladders having
// been read.
type Glance struct {
	// Tops returns tops as of TopRecorder.Tops, appended to dst.
	Tops func(dst []Top) ([]Top, error)
	// Cuts are instants at which reading can begin, in order: From costs what was
	// captured since the last of them that is not after its argument.
	Cuts []Instant
	// From yields captures such that what was received by any instant from at on
	// is the same as after all captures: the ladder, the last trade, and the time
	// of the last capture. Those after at are all of them, in receive order; those
	// before need not be.
	From func(ctx context.Context, at Instant) iter.Seq2[*Capture, error]
}
