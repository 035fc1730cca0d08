package care

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/ladderback/ladderback/archive/scan"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// Coverage says how well a market was captured. Shares are in units of 1e-6.
type Coverage struct {
	store.Listing
	// OneSided and Crossed are the shares of the time in the round, from the
	// first book on, at which a side of the book was empty, and at which the
	// best bid was above the best ask. Negative: there was no book.
	OneSided, Crossed int64
	Resets            int // reconnections of a recorder
	// Trades counts the trade messages in the round, Sized those that say how many
	// shares traded: what orders that rest are filled by.
	Trades, Sized int64
	// Gap is the time of the round that sources declare as missing for any of
	// its tokens.
	Gap market.Span
}

// CoverageOf passes the coverage of the markets that q selects to f, in the
// order of q. It reads their captures. Where any round that the archive holds cannot be
// read it fails with store.ErrDamaged: the list would be another.
func CoverageOf(ctx context.Context, s store.Store, q store.MarketQuery, f func(*Coverage) error) error {
	var list []store.Listing
	err := s.View(ctx, func(r store.Reader) (err error) {
		rounds, err := store.Rounds(ctx, r, market.RoundFilter{})
		if err != nil {
			return err
		}
		list, err = r.Listings(ctx, q)
		every := store.MarketQuery{UpDown: true, Page: store.Page{Sort: q.Sort, Ascending: q.Ascending}}
		if err == nil && reflect.DeepEqual(q, every) && len(list) != len(rounds) {
			err = fmt.Errorf("%d of %d rounds listed: %w", len(list), len(rounds), store.ErrDamaged)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("list markets: %w", err)
	}
	book := new(market.Book)
	for i := range list {
		c, err := coverage(ctx, s, &list[i], book)
		if err != nil {
			return fmt.Errorf("coverage: %w", err)
		}
		if err := f(c); err != nil {
			return err
		}
	}
	return nil
}

// sides is what a top of book says of its market.
type sides struct{ oneSided, crossed bool }

func coverage(ctx context.Context, s store.Store, l *store.Listing, book *market.Book) (*Coverage, error) {
	m := &l.Market
	out := &Coverage{Listing: *l, OneSided: -1, Crossed: -1, Gap: missing(l.Gaps, m.Start, m.End)}
	var now sides
	var since market.Instant // of now; zero: no book yet
	var oneSided, crossed, total market.Span
	count := func(to market.Instant) {
		from, to := max(since, m.Start), min(to, m.End)
		if since == 0 || from >= to {
			return
		}
		total += to - from
		if now.oneSided {
			oneSided += to - from
		}
		if now.crossed {
			crossed += to - from
		}
	}
	book.Clear()
	top := topOf{book: book, mirrored: m.Mirrored, first: -1}
	for c, err := range scan.Captures(ctx, s, m) {
		if err != nil {
			return nil, err
		}
		out.note(c)
		q, ok := top.after(c)
		if !ok {
			continue
		}
		count(c.Recv)
		since = c.Recv
		now = sides{
			oneSided: q.Bid.Price == market.NoPrice || q.Ask.Price == market.NoPrice,
			crossed:  q.Bid.Price != market.NoPrice && q.Ask.Price != market.NoPrice && q.Bid.Price > q.Ask.Price,
		}
	}
	count(market.Latest)
	if total > 0 {
		out.OneSided = scan.Millionths(int64(oneSided), int64(total))
		out.Crossed = scan.Millionths(int64(crossed), int64(total))
	}
	return out, nil
}

// missing returns the time of [from, to) that lies in any of the gaps: those of the
// tokens of a market, which most miss together, count once.
func missing(gaps []market.TokenGap, from, to market.Instant) (sum market.Span) {
	gaps = slices.SortedFunc(slices.Values(gaps), func(a, b market.TokenGap) int { return cmp.Compare(a.From, b.From) })
	for _, g := range gaps {
		if at, until := max(g.From, from), min(g.To, to); at < until {
			sum += until - at
			from = until
		}
	}
	return sum
}

// note counts what a capture is beside a value.
func (c *Coverage) note(x *market.Capture) {
	m := &c.Market
	switch {
	case x.Kind == market.KindReset:
		c.Resets++
	case x.Kind == market.KindTrade && m.Start <= x.Recv && x.Recv < m.End:
		c.Trades++
		if x.Trade.Size > 0 {
			c.Sized++
		}
	}
}

// topOf follows the top of book of a market; of one whose tokens do not mirror each
// other that of the token seen first.
type topOf struct {
	book     *market.Book
	mirrored bool
	first    int  // the token seen first; −1: none
	whole    bool // a ladder was seen whole: changes before say nothing
}

// after returns the top of book after c; false when c gives none.
func (t *topOf) after(c *market.Capture) (market.Quote, bool) {
	t.whole = t.whole || c.Kind == market.KindBook
	if !c.IsLadder() && c.Kind != market.KindQuote || c.Kind == market.KindChange && !t.whole {
		return market.Quote{}, false
	}
	if t.first < 0 {
		t.first = c.Token
	}
	if c.Token != t.first && !t.mirrored {
		return market.Quote{}, false
	}
	switch {
	case c.Kind == market.KindQuote:
		return c.Quote, true // one-sided and crossed look the same in a mirror
	case c.Token != t.first:
		t.book.ApplyMirror(c)
	default:
		t.book.Apply(c)
	}
	return t.book.Quote(), true
}
