package archive

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/ladderback/ladderback/archive/block"
	"github.com/ladderback/ladderback/market"
)

// Archive is an archive of captures. It is safe for concurrent use.
type Archive struct {
	store    Store
	encoders [block.Metrics + 1]sync.Pool // of *block.Encoder, by stream
	lanes    sync.Pool                    // of *lane
}

// New returns the archive in a store, which belongs to it from then on.
func New(s Store) *Archive { return &Archive{store: s} }

// Close closes the archive and its store.
func (a *Archive) Close() error { return a.store.Close() }

// Address returns where the archive is, for messages.
func (a *Archive) Address() string { return a.store.Address() }

func (a *Archive) encoder(s block.Stream) (*block.Encoder, error) {
	if e, ok := a.encoders[s].Get().(*block.Encoder); ok {
		e.Reset(s)
		return e, nil
	}
	return block.NewEncoder(s, block.Options{})
}

// Rounds returns every up/down round that passes the filter, decided or not,
// newest end first, ties by market id ascending.
func (a *Archive) Rounds(ctx context.Context, f market.RoundFilter) ([]market.Round, error) {
	var rows []MarketRow
	err := a.store.View(ctx, func(r Reader) (err error) {
		rows, err = r.Markets(ctx, MarketQuery{UpDown: true, Coin: f.Coin, Type: f.Type, EndFrom: f.From, EndTo: f.To})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("rounds: %w", err)
	}
	out := make([]market.Round, len(rows))
	for i := range rows {
		row := &rows[i]
		out[i] = market.Round{
			Market: &row.Market, Captured: row.Stats.Captured, Content: row.Stats.Content,
			Coverage: row.Stats.Coverage, Gaps: row.Gaps,
		}
	}
	slices.SortFunc(out, func(x, y market.Round) int {
		switch {
		case x.Market.End != y.Market.End:
			if x.Market.End > y.Market.End {
				return -1
			}
			return 1
		case x.Market.VenueID < y.Market.VenueID:
			return -1
		case x.Market.VenueID > y.Market.VenueID:
			return 1
		}
		return 0
	})
	return out, nil
}

// Captures yields the captures of one market in receive order, from the first
// to the last, with the rule for mirrored pairs applied: of one exchange time
// only the ladder captures of the token received first. The capture and its
// slices are valid until the next iteration. An error ends the sequence and is
// yielded with a nil capture. Sequences may run concurrently.
func (a *Archive) Captures(ctx context.Context, m *market.Market) iter.Seq2[*market.Capture, error] {
	return func(yield func(*market.Capture, error) bool) {
		if err := a.captures(ctx, m, yield); err != nil {
			yield(nil, fmt.Errorf("captures of %s: %w", m.VenueID, err))
		}
	}
}

func (a *Archive) captures(ctx context.Context, m *market.Market, yield func(*market.Capture, error) bool) error {
	var refs []BlockRef
	var index map[ID]int
	var row MarketRow
	err := a.store.View(ctx, func(r Reader) error {
		rows, err := r.Markets(ctx, MarketQuery{IDs: []ID{MarketID(m.Venue, m.VenueID)}, Unlisted: true})
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			return ErrNotFound
		}
		row = rows[0]
		refs, index, err = gatherRefs(ctx, r, &row)
		return err
	})
	if err != nil {
		return err
	}
	seq := newSequence(a.store, row.Market.Tokens, refs, func(k ID) int { return index[k] }, false)
	view := newBookView(&row.Market, seq)
	return seq.run(ctx, func(c *market.Capture, l *lane) bool {
		if c = view.see(c, l); c == nil {
			return true
		}
		return yield(c, nil)
	})
}
