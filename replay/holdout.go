package replay

import (
	"context"
	"fmt"

	"github.com/ladderback/ladderback/market"
)

// HoldOut puts the newest rounds aside: nothing replays those that end at From or later
// before it is opened, which happens once.
type HoldOut struct {
	From market.Instant `json:"from"`
	// OpenedAt is when it was opened, and Tries how many tries had been counted by then,
	// of any rounds; nil: it is closed.
	OpenedAt *market.Instant `json:"opened_at"`
	Tries    *int            `json:"tries"`
	// SeenBefore is how many tries had replayed rounds of it before it was put aside: where
	// it is above 0 it was no untouched test even while it was closed.
	SeenBefore int `json:"seen_before"`
}

// Closed reports whether there is a lockbox that nobody has opened; h may be nil.
func (h *HoldOut) Closed() bool { return h != nil && h.OpenedAt == nil }

// Bound keeps f from the rounds of a closed lockbox; h may be nil. A window that lies in it
// is an *OptionError.
func (h *HoldOut) Bound(f *market.RoundFilter) error {
	if !h.Closed() {
		return nil
	}
	if f.From >= h.From && f.From != 0 {
		return &OptionError{Field: "from", Value: f.From.String(), Want: fmt.Sprintf("a time before %s, from which on rounds are held out until the lockbox is opened", h.From)}
	}
	if f.To == 0 || f.To > h.From {
		f.To = h.From
	}
	return nil
}

// Held returns src without the rounds of a closed lockbox, for those who draw no sample of
// their own; src itself where none is closed.
func (h *HoldOut) Held(src Source) Source {
	if !h.Closed() {
		return src
	}
	return heldSource{src, h}
}

type heldSource struct {
	Source
	lock *HoldOut
}

// Rounds implements Source.
func (s heldSource) Rounds(ctx context.Context, f market.RoundFilter) ([]market.Round, error) {
	if err := s.lock.Bound(&f); err != nil {
		return nil, err
	}
	return s.Source.Rounds(ctx, f)
}
