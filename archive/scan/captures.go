package scan

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/archive/tops"
	"github.com/ladderback/ladderback/market"
)

// Captures yields the captures of one market of a store in receive order, with
// the rule for mirrored pairs applied: of the ladder captures with one exchange
// time, only those of the token received first are kept. The capture and its
// slices are valid until the next iteration. An error ends the sequence and is
// yielded with a nil capture; ErrChanged means that a write removed what was
// being read. Sequences may run concurrently.
func Captures(ctx context.Context, s store.Store, m *market.Market) iter.Seq2[*market.Capture, error] {
	return func(yield func(*market.Capture, error) bool) {
		if err := captures(ctx, s, m, yield); err != nil {
			yield(nil, fmt.Errorf("captures of %s: %w", m.VenueID, err))
		}
	}
}

func captures(ctx context.Context, s store.Store, m *market.Market, yield func(*market.Capture, error) bool) error {
	p, err := planOf(ctx, s, m)
	if err != nil {
		return err
	}
	return p.follow(ctx, s, m, yield)
}

// plan is what is needed to read the captures of a market.
type plan struct {
	row    store.MarketRow
	refs   []store.BlockRef // not to be changed: they may be others' too
	index  map[store.ID]int // index in the market's tokens by block key
	parts  []store.Part     // that the row was made from; nil: not known, or not read
	near   *preloaded       // its blocks; nil: not read yet
	places *tops.Places     // of its ladders; nil: its tops do not tell
	tapes  tapes            // of its trades, as far as replays have asked for them

	mu     sync.Mutex // for what follows, and for refs where unread is set
	unread bool       // refs have not been read: locate does

	tops     *store.BlockRef // nil: there are none, they were not asked for, or they are damaged
	topsData []byte          // the blocks of tops
	kept     bool            // it is not thrown away, so what has been read of its tops may be kept with it
	keeps    keptTops        // that; not modified
}

// planOf looks up a market and its blocks on one snapshot.
func planOf(ctx context.Context, s store.Store, m *market.Market) (*plan, error) {
	p := &plan{}
	err := s.View(ctx, func(r store.Reader) error {
		rows, err := r.Markets(ctx, store.MarketQuery{IDs: []store.ID{store.MarketID(m.Venue, m.VenueID)}, Unlisted: true})
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			return store.ErrNotFound
		}
		p.row, p.index = rows[0], rows[0].Index()
		p.refs, err = r.Blocks(ctx, &p.row)
		return err
	})
	return p, err
}

// planAs is planOf for the captures that row summarises, or ErrChanged.
func planAs(ctx context.Context, s store.Store, row *store.MarketRow) (*plan, error) {
	p, err := planOf(ctx, s, &row.Market)
	if errors.Is(err, store.ErrNotFound) || err == nil && p.row.Basis != row.Basis {
		err = store.ErrChanged
	}
	return p, err
}

func (p *plan) sequence(blocks store.BlockReader, refs []store.BlockRef, track bool) *sequenceOf {
	return newSequence(blocks, p.row.Market.Tokens, refs, func(k store.ID) int { return p.index[k] }, track)
}

// follow yields the captures of m that p leads to. Captures refer to tokens by
// index; a capture with an index beyond the tokens of m is not yielded.
func (p *plan) follow(ctx context.Context, s store.Store, m *market.Market, yield func(*market.Capture, error) bool) error {
	known, beyond := max(1, len(m.Tokens)), false
	var blocks store.BlockReader = s
	if p.near != nil {
		blocks = p.near
	}
	seq := p.sequence(blocks, p.refs, false)
	view := newBookView(&p.row.Market, seq)
	err := seq.run(ctx, func(c *market.Capture, l *lane) bool {
		if c = view.handOut(c, l); c == nil {
			return true
		}
		if beyond = c.Token >= known; beyond {
			return false
		}
		return yield(c, nil)
	})
	if beyond {
		return fmt.Errorf("it has gained tokens since it was looked up: %w", store.ErrChanged)
	}
	return p.blame(ctx, s, err)
}

// blame classifies err, which occurred while the blocks of p were read:
// ErrChanged if a write has removed them since.
func (p *plan) blame(ctx context.Context, s store.Store, err error) error {
	if !errors.Is(err, store.ErrDamaged) {
		return err
	}
	now, again := planAs(ctx, s, &p.row)
	if errors.Is(again, store.ErrChanged) || again == nil && !slices.Equal(now.refs, p.refs) {
		return store.ErrChanged
	}
	return err
}

// NextBlock returns the start of the first block of the row's market that
// begins at or after end; market.Latest: there is none. If the row no longer
// describes the market's captures, the error is ErrChanged.
func NextBlock(ctx context.Context, s store.Store, row *store.MarketRow, end market.Instant) (market.Instant, error) {
	p, err := planAs(ctx, s, row)
	if err != nil {
		return 0, err
	}
	first := market.Latest
	for i := range p.refs {
		if at := p.refs[i].First; at >= end {
			first = min(first, at)
		}
	}
	return first, nil
}
