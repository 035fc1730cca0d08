package market

import (
	"context"
	"iter"
)

// Glance is a market with one book whose top is known without its ladders having
// been read.
type Glance struct {
	// Tops returns the next tops as of TopRecorder.Tops, appended to dst: about so
	// many, and at least one unless none are left; all of them for math.MaxInt. It is
	// not safe for concurrent use.
	Tops func(dst []Top, least int) (tops []Top, more bool, err error)
	// Prices, set before the first call of Tops, says that nobody asks for the sizes
	// of tops, which may be 0 then.
	Prices bool
	// Close gives back what Tops holds; nil: nothing. Tops is not called after it.
	Close func()
	// Cuts returns instants at which reading can begin, in order: From costs what was
	// captured since the last of them that is not after its argument. It is called once
	// From or Ladders has yielded a capture. The result is not modified; nil: there are none.
	Cuts func() []Instant
	// Ladders is From without what is no ladder, which takes less: the ladder by any
	// instant from at on is the same as after all captures, and the last capture may be
	// later than the last that it yields. Nil: there is no such way.
	Ladders func(ctx context.Context, at Instant) iter.Seq2[*Capture, error]
	// From yields captures such that what was received by any instant from at on
	// is the same as after all captures: the ladder, the last trade, and the time
	// of the last capture. Those after at are all of them, in receive order; those
	// before need not be, and of trades size, side and exchange time may be left out.
	From func(ctx context.Context, at Instant) iter.Seq2[*Capture, error]
}
