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
	store         Store
	memory        *memory // nil: nothing is kept
	limits        limits
	blockCaptures int                          // most a block is given; zero: as many as it takes
	encoders      [block.Metrics + 1]sync.Pool // of *block.Encoder, by stream
}

// Option changes how an Archive works.
type Option func(*Archive)

// BlockCaptures bounds the captures of a block, for tests that want many small
// blocks. An import that is repeated must use the same.
func BlockCaptures(most int) Option { return func(a *Archive) { a.blockCaptures = most } }

// ImportMemory bounds, roughly, the bytes that an import, or a copy into the
// archive, holds before it writes, for tests that want many transactions.
func ImportMemory(bytes int) Option {
	return func(a *Archive) { a.limits = limits{bytes, 1 + bytes/1000, bytes, int64(bytes), bytes} }
}

// New returns the archive in a store, which belongs to it from then on.
func New(s Store, options ...Option) *Archive {
	a := &Archive{store: s, limits: usualLimits()}
	for _, o := range options {
		o(a)
	}
	return a
}

// full reports whether a block is to be ended.
func (a *Archive) full(e *block.Encoder) bool {
	return e.Full() || a.blockCaptures > 0 && e.Len() >= a.blockCaptures
}

// Close closes the archive and its store. It waits for what is being read or
// written right now; a sequence of captures that goes on ends with an error. A
// second call does nothing.
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
// yielded with a nil capture; ErrChanged: a write took away what was being read.
// Sequences may run concurrently.
func (a *Archive) Captures(ctx context.Context, m *market.Market) iter.Seq2[*market.Capture, error] {
	return func(yield func(*market.Capture, error) bool) {
		if err := a.captures(ctx, m, yield); err != nil {
			yield(nil, fmt.Errorf("captures of %s: %w", m.VenueID, err))
		}
	}
}

func (a *Archive) captures(ctx context.Context, m *market.Market, yield func(*market.Capture, error) bool) error {
	p, err := a.plan(ctx, m)
	if err != nil {
		return err
	}
	return a.follow(ctx, p, m, yield)
}

// follow yields the captures of m that p leads to. Captures name tokens by their
// place: one behind those that m has is not yielded.
func (a *Archive) follow(ctx context.Context, p *plan, m *market.Market, yield func(*market.Capture, error) bool) error {
	places, other := max(1, len(m.Tokens)), false
	var blocks BlockReader = a.store
	if p.near != nil {
		blocks = p.near
	}
	seq := p.sequence(blocks, p.refs, false)
	view := newBookView(&p.row.Market, seq)
	err := seq.run(ctx, func(c *market.Capture, l *lane) bool {
		if c = view.see(c, l); c == nil {
			return true
		}
		if other = c.Token >= places; other {
			return false
		}
		return yield(c, nil)
	})
	if other {
		return fmt.Errorf("it has more tokens than when it was looked up: %w", ErrChanged)
	}
	return a.blame(ctx, p, err)
}

// plan is what is needed to read the captures of a market.
type plan struct {
	row   MarketRow
	refs  []BlockRef
	index map[ID]int // index in the market's tokens by block key
	near  *near      // its blocks; nil: not read yet
}

func (p *plan) sequence(blocks BlockReader, refs []BlockRef, track bool) *sequenceOf {
	return newSequence(blocks, p.row.Market.Tokens, refs, func(k ID) int { return p.index[k] }, track)
}

// plan looks up a market and its blocks on one snapshot.
func (a *Archive) plan(ctx context.Context, m *market.Market) (*plan, error) {
	p := &plan{}
	err := a.store.View(ctx, func(r Reader) error {
		rows, err := r.Markets(ctx, MarketQuery{IDs: []ID{MarketID(m.Venue, m.VenueID)}, Unlisted: true})
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			return ErrNotFound
		}
		p.row = rows[0]
		p.refs, p.index, err = gatherRefs(ctx, r, &p.row)
		return err
	})
	return p, err
}
