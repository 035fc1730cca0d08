package backtest

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// Path is how the token of a trade was quoted during its round.
type Path struct {
	Trade      int // index in Report.Trades
	Start, End market.Instant
	// Points are in time order, one for each change of the best bid or ask,
	// from the last capture before the start until the end.
	Points []PathPoint
}

// PathPoint is the best bid and ask from an instant on. A side that is empty or
// unknown has the price NoPrice.
type PathPoint struct {
	At       market.Instant
	Bid, Ask market.Price
}

// Paths reads the price paths of trades of r from the archive that r was made
// from: of all trades if there are at most limit, else of the best, the worst,
// the first and the last. They are in the order of the trades.
func Paths(ctx context.Context, src replay.Source, r *Report, m strategy.MarketSpec, limit int) ([]Path, error) {
	chosen := chooseTrades(r, limit)
	if len(chosen) == 0 {
		return nil, nil
	}
	rounds, err := roundsOf(ctx, src, r, m, chosen)
	if err != nil {
		return nil, err
	}
	paths := make([]Path, 0, len(chosen))
	for _, i := range chosen {
		t := &r.Trades[i]
		round, ok := rounds[t.MarketKey()]
		if !ok {
			return nil, fmt.Errorf("paths: market %s (%s): not in the archive", t.MarketSlug, t.MarketID)
		}
		p, err := readPath(ctx, src, round.Market, tokenIndex(round.Market, t.TokenID))
		if err != nil {
			return nil, fmt.Errorf("paths: market %s: %w", t.MarketSlug, err)
		}
		p.Trade = i
		paths = append(paths, p)
	}
	return paths, nil
}

// chooseTrades returns indices of trades, ascending.
func chooseTrades(r *Report, limit int) []int {
	n := len(r.Trades)
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	if n <= limit {
		return all
	}
	ranked := slices.Clone(all)
	slices.SortStableFunc(ranked, func(a, b int) int { return cmp.Compare(r.Trades[a].PnL, r.Trades[b].PnL) })
	chosen := make(map[int]bool)
	for k := 0; len(chosen) < limit; k++ {
		for _, i := range []int{all[k], all[n-1-k], ranked[k], ranked[n-1-k]} {
			if len(chosen) < limit {
				chosen[i] = true
			}
		}
	}
	return slices.DeleteFunc(all, func(i int) bool { return !chosen[i] })
}

// roundsOf returns rounds that the strategy of r trades, by market id and slug: those of
// the trades at some indices, if the archive has them, and perhaps others.
func roundsOf(ctx context.Context, src replay.Source, r *Report, m strategy.MarketSpec, trades []int) (map[string]market.Round, error) {
	f := replay.RoundsOf(m, r.Options.From, r.Options.To)
	// A round ends behind the entry of its trade, and usually by its length at most.
	_, length, ok := market.ParseLength(f.Type)
	if !ok {
		length = market.Day
	}
	near := f
	near.From, near.To = market.Latest, 0
	for _, i := range trades {
		at := r.Trades[i].EntryTime
		near.From, near.To = min(near.From, at), max(near.To, at+length+1)
	}
	byID, err := listRounds(ctx, src, near)
	if err == nil && slices.ContainsFunc(trades, func(i int) bool { _, ok := byID[r.Trades[i].MarketKey()]; return !ok }) {
		byID, err = listRounds(ctx, src, f)
	}
	return byID, err
}

// listRounds returns the rounds that a filter selects, by market id and slug.
func listRounds(ctx context.Context, src replay.Source, f market.RoundFilter) (map[string]market.Round, error) {
	rounds, err := src.Rounds(ctx, f)
	if err != nil {
		return nil, err
	}
	byID := make(map[string]market.Round, len(rounds))
	for _, round := range rounds {
		byID[marketKey(round.Market.VenueID, round.Market.Slug)] = round
	}
	return byID, nil
}

func tokenIndex(m *market.Market, id string) int {
	return slices.IndexFunc(m.Tokens, func(t market.Token) bool { return t.VenueID == id })
}

// readPath follows the best bid and ask of one token.
func readPath(ctx context.Context, src replay.Source, m *market.Market, token int) (Path, error) {
	p := Path{Start: m.Start, End: m.End}
	if token < 0 {
		return p, fmt.Errorf("the token traded is not one of its tokens")
	}
	var book market.Book
	whole := false
	for c, err := range src.Captures(ctx, m) {
		if err != nil {
			return p, err
		}
		if c.Recv >= m.End {
			break
		}
		whole = whole || c.Kind == market.KindBook
		if c.Kind == market.KindChange && !whole {
			continue // of a ladder that was never seen whole
		}
		q, ok := quoteAfter(&book, c, token, m.Mirrored)
		if !ok {
			continue
		}
		p.add(PathPoint{max(c.Recv, m.Start), q.Bid.Price, q.Ask.Price})
	}
	return p, nil
}

// quoteAfter applies a capture and returns the top of the token's book after
// it; false when the capture says nothing about it.
func quoteAfter(book *market.Book, c *market.Capture, token int, mirrored bool) (market.Quote, bool) {
	same := c.Token == token
	if !same && !mirrored {
		return market.Quote{}, false
	}
	switch {
	case c.IsLadder() && same:
		book.Apply(c)
		return book.Quote(), true
	case c.IsLadder():
		book.ApplyMirror(c)
		return book.Quote(), true
	case c.Kind == market.KindQuote && same:
		return c.Quote, true
	case c.Kind == market.KindQuote:
		return c.Quote.Mirror(), true
	case c.Kind == market.KindPrice:
		l := market.Level{Price: c.Trade.Price}
		if !same {
			l.Price = l.Price.Mirror()
		}
		return market.Quote{Bid: l, Ask: l}, true
	}
	return market.Quote{}, false
}

// add appends a point, or lets it take the place of the last one of its
// instant; a point that changes nothing is left out.
func (p *Path) add(next PathPoint) {
	if n := len(p.Points); n > 0 {
		last := &p.Points[n-1]
		if last.At == next.At {
			*last = next
			return
		}
		if last.Bid == next.Bid && last.Ask == next.Ask {
			return
		}
	}
	p.Points = append(p.Points, next)
}
