package archive

import (
	"context"
	"errors"
	"iter"

	"github.com/ladderback/ladderback/market"
)

// Archive is an archive of captures. It is safe for concurrent use.
type Archive struct{}

// Rounds returns every up/down round that passes the filter, decided or not,
// newest end first, ties by market id ascending.
func (a *Archive) Rounds(ctx context.Context, f market.RoundFilter) ([]market.Round, error) {
	return nil, errors.ErrUnsupported
}

// Captures yields the captures of one market in receive order, from the first
// to the last, with the rule for mirrored pairs applied: of one exchange time
// only the ladder captures of the token received first. The capture and its
// slices are valid until the next iteration. An error ends the sequence and is
// yielded with a nil capture. Sequences may run concurrently.
func (a *Archive) Captures(ctx context.Context, m *market.Market) iter.Seq2[*market.Capture, error] {
	return func(yield func(*market.Capture, error) bool) { yield(nil, errors.ErrUnsupported) }
}

// Close closes the archive and its store.
func (a *Archive) Close() error { return nil }
