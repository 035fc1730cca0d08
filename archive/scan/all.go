package scan

import (
	"context"
	"fmt"
	"iter"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// All yields every capture of one market of a store in the order of its content
// hash: equal ones once, those that the rule for mirrored pairs leaves out
// included. A KindBook has its whole ladder, with Replace set. The capture and
// its slices are valid until the next iteration. An error ends the sequence and
// is yielded with a nil capture; ErrChanged means that a write removed what was
// being read.
func All(ctx context.Context, s store.Store, m *market.Market) iter.Seq2[*market.Capture, error] {
	return func(yield func(*market.Capture, error) bool) {
		if err := all(ctx, s, m, yield); err != nil {
			yield(nil, fmt.Errorf("captures of %s: %w", m.VenueID, err))
		}
	}
}

func all(ctx context.Context, s store.Store, m *market.Market, yield func(*market.Capture, error) bool) error {
	p, err := planOf(ctx, s, m)
	if err != nil {
		return err
	}
	known, beyond := max(1, len(m.Tokens)), false
	err = p.sequence(s, p.refs, true).run(ctx, func(c *market.Capture, l *lane) bool {
		if beyond = c.Token >= known; beyond {
			return false
		}
		if c.Kind == market.KindBook && !c.Replace && l != nil {
			c = l.complete()
		}
		return yield(c, nil)
	})
	if beyond {
		return fmt.Errorf("it has gained tokens since it was looked up: %w", store.ErrChanged)
	}
	return p.blame(ctx, s, err)
}
