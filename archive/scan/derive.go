package scan

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/archive/tops"
	"github.com/ladderback/ladderback/market"
)

// Derived is what is kept of a market's captures besides these.
type Derived struct {
	Refs  []store.BlockRef // that the captures are in; not to be changed
	Stats store.Stats      // as of Summarise
	Tops  *RoundTops       // nil: no row of tops belongs to the market
}

// RoundTops are the tops of a round, in front of which the places of its ladders stand.
type RoundTops struct {
	places *tops.Places
	all    []market.Top // none: the market has no tops
}

// Summarise computes the statistics of a market from all its captures.
func Summarise(ctx context.Context, r store.Reader, row *store.MarketRow) (store.Stats, error) {
	d, err := derivation{sums: true}.from(ctx, r, row)
	return d.Stats, err
}

// DeriveTops derives the block of tops of a market from its captures: without data when
// the market has no tops, nil when it is no round, or has no captures.
func DeriveTops(ctx context.Context, r store.Reader, row *store.MarketRow) (*store.Block, error) {
	if !topped(row) {
		return nil, nil
	}
	d, err := derivation{tops: true}.from(ctx, r, row)
	if err != nil {
		return nil, err
	}
	return topsBlock(row, d.Tops)
}

// Derive is Summarise and DeriveTops at once, whose block is not laid out, and holds each
// block against its row as CheckPart does: anything wrong with one is an error. Each is
// decoded once.
func Derive(ctx context.Context, r store.Reader, row *store.MarketRow) (Derived, error) {
	return derivation{sums: true, tops: topped(row), rows: true}.from(ctx, r, row)
}

// topped reports whether a row of tops belongs to a market.
func topped(row *store.MarketRow) bool { return row.Market.IsUpDown() && row.Basis != [32]byte{} }

// recorders keeps what tops are derived with.
var recorders = sync.Pool{New: func() any { return new(tops.Recorder) }}

// derivation says what to derive, and whether rows of blocks are held against these.
type derivation struct{ sums, tops, rows bool }

func (what derivation) from(ctx context.Context, r store.Reader, row *store.MarketRow) (out Derived, err error) {
	refs, err := r.Blocks(ctx, row)
	if err != nil {
		return out, err
	}
	m, index := &row.Market, row.Index()
	var rec *tops.Recorder // nil: there are no tops
	if what.tops && hasTops(m, refs) {
		rec = recorders.Get().(*tops.Recorder)
		defer recorders.Put(rec)
		rec.Begin(m.Start, m.End)
	}
	if what.sums || rec != nil {
		seq := newSequence(r, m.Tokens, refs, func(k store.ID) int { return index[k] }, what.sums)
		if what.rows {
			seq.holdRows()
		}
		if out.Stats, err = what.read(ctx, m, seq, rec); err != nil {
			return Derived{}, fmt.Errorf("market %s: %w", m.VenueID, err)
		}
	}
	out.Refs = refs
	if what.tops {
		out.Tops = &RoundTops{}
	}
	if rec != nil {
		*out.Tops = RoundTops{placesOf(refs), slices.Clone(rec.Tops())}
	}
	return out, nil
}

// read passes the captures of a market to a tally and, unless it is nil, to rec.
func (what derivation) read(ctx context.Context, m *market.Market, seq *sequenceOf, rec *tops.Recorder) (store.Stats, error) {
	view, t := newBookView(m, seq), NewTally(m.Start, m.End)
	var ladders Ladders
	err := seq.run(ctx, func(c *market.Capture, l *lane) bool {
		seen := view.handOut(c, l)
		if rec != nil && seen != nil && !rec.Add(seen) && !what.sums {
			return false
		}
		if !what.sums {
			return true
		}
		switch {
		case seq.plain: // each difference is from the capture before
			c = l.difference()
		case l != nil:
			c = ladders.Change(l.complete())
		default:
			c = ladders.Change(c)
		}
		t.put(c, seen != nil)
		return true
	})
	s := t.Done(m.Tokens)
	s.PairLag = view.lag
	return s, err
}
