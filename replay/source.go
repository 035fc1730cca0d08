package replay

import (
	"context"
	"iter"

	"github.com/ladderback/ladderback/market"
)

// Source is where the engine gets rounds and their captures from.
type Source interface {
	// Rounds returns every up/down round that passes the filter, in any order,
	// decided or not.
	Rounds(ctx context.Context, f market.RoundFilter) ([]market.Round, error)

	// Captures yields the captures of one market in receive order, from the
	// first to the last, with the rule for mirrored pairs applied (of one
	// exchange time only the ladder captures of the token received first). The
	// capture and its slices are valid until the next iteration. An error ends
	// the sequence and is yielded with a nil capture. Sequences of different
	// markets may run concurrently.
	Captures(ctx context.Context, m *market.Market) iter.Seq2[*market.Capture, error]
}
