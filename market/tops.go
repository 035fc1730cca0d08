package market

import (
	"context"
	"iter"
)

// Tops is what an archive knows of a round with one book whose best prices are known
// without its ladders having been read. It is not safe for concurrent use.
type Tops struct {
	// Read returns tops in order of time, from the first on: what the book showed before
	// the start, then each instant in [start, end) at which a best price, type price, or
	// whether a ladder is known changed, and always the first captured instant. They are
	// about so many, but more than at the last call, or all that there are, which
	// math.MaxInt asks for; more says that there are further ones. They are valid until
	// Close, and not modified.
	Read func(about int) (tops []Top, more bool, err error)
	// Close gives back what Read holds; nil: nothing. Read is not called after it.
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
