package listing

import (
	"fmt"
	"io"
	"slices"

	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/archive/table"
	"github.com/ladderback/ladderback/market"
)

// History writes one line a bucket: for people, so rounded; JSON and CSV are
// exact. Books take one line a bucket and token.
func History(w io.Writer, q *history.Query, p *history.Page) error {
	if p.Count == 0 {
		_, err := fmt.Fprintln(w, "no points in this window")
		return err
	}
	when := timesEvery(q.Window.Resolution)
	switch q.Points {
	case history.MetricPoints:
		t := NewTable(w, "time (UTC)", "liquidity", "spread", "volume")
		NumbersRight(t, 2, 3, 4)
		for _, m := range p.Lists[0].Metrics {
			t.AppendRow([]any{when(m.T), places(m.Liquidity, 2), places(m.Spread, 4), places(m.Volume, 2)})
		}
		t.Render()
		return nil
	case history.BookPoints:
		return writeBooks(w, q, p, when)
	case history.QuotePoints:
		return writeQuotes(w, q, p, when)
	}
	first, last := q.Tokens()
	columns := append([]string{"time (UTC)"}, history.Labels(&q.Row.Market)[first:last]...)
	var right []int
	for i := range columns[1:] {
		right = append(right, i+2)
	}
	t := NewTable(w, columns...)
	NumbersRight(t, right...)
	inTime(p, func(at market.Instant, points []int) {
		row := []any{when(at)}
		for i, k := range points {
			price := ""
			if k >= 0 {
				price = places(p.Lists[i].Prices[k].P, 4)
			}
			row = append(row, price)
		}
		t.AppendRow(row)
	})
	t.Render()
	return nil
}

// writeBooks writes the best bid and ask of each book and its number of levels.
func writeBooks(w io.Writer, q *history.Query, p *history.Page, when func(market.Instant) string) error {
	t := NewTable(w, "time (UTC)", "token", "bid", "size", "ask", "size", "bids", "asks")
	NumbersRight(t, 3, 4, 5, 6, 7, 8)
	first, last := q.Tokens()
	labels := history.Labels(&q.Row.Market)[first:last]
	levels := 0
	best := func(side []market.Level) (any, any) {
		if len(side) == 0 {
			return "", ""
		}
		return places(int64(side[0].Price)*100, 4), places(int64(side[0].Size), 2)
	}
	inTime(p, func(at market.Instant, points []int) {
		for i, k := range points {
			if k < 0 {
				continue
			}
			b := &p.Lists[i].Books[k]
			bid, bidSize := best(b.Bids)
			ask, askSize := best(b.Asks)
			t.AppendRow([]any{when(at), labels[i], bid, bidSize, ask, askSize, len(b.Bids), len(b.Asks)})
			levels += len(b.Bids) + len(b.Asks)
		}
	})
	t.Render()
	if levels > 0 {
		return nil
	}
	_, err := fmt.Fprint(w, `
No level in any of these books. Where only best bids and asks were captured,
without sizes, there are no books: 'history quotes' has them.
`)
	return err
}

// writeQuotes writes the best bid and ask of each token, with their sizes where they
// are known.
func writeQuotes(w io.Writer, q *history.Query, p *history.Page, when func(market.Instant) string) error {
	t := NewTable(w, "time (UTC)", "token", "bid", "size", "ask", "size")
	NumbersRight(t, 3, 4, 5, 6)
	first, last := q.Tokens()
	labels := history.Labels(&q.Row.Market)[first:last]
	inTime(p, func(at market.Instant, points []int) {
		for i, k := range points {
			if k < 0 {
				continue
			}
			one := &p.Lists[i].Quotes[k]
			t.AppendRow(slices.Concat([]any{when(at), labels[i]}, quoteCells(one.Bid), quoteCells(one.Ask)))
		}
	})
	t.Render()
	return nil
}

// timesEvery returns how times are written in buckets of that length: no finer than
// they are.
func timesEvery(bucket market.Span) func(market.Instant) string {
	layout := "2006-01-02 15:04"
	switch {
	case bucket < market.Second:
		layout += ":05.000"
	case bucket < market.Minute:
		layout += ":05"
	}
	return func(t market.Instant) string { return t.Time().Format(layout) }
}

// places writes a number in units of 1e-6, rounded to a number of decimals, halves away
// from 0: the spread of a crossed book is negative.
func places(v int64, decimals int) string {
	sign := ""
	if v < 0 {
		sign, v = "-", -v
	}
	unit := int64(1)
	for range 6 - decimals {
		unit *= 10
	}
	v = (v + unit/2) / unit
	unit = 1
	for range decimals {
		unit *= 10
	}
	return fmt.Sprintf("%s%s.%0*d", sign, Grouped(v/unit), decimals, v%unit)
}

// inTime passes each instant at which some list has a point, in order, with the
// index of the point in each list, -1 where it has none.
func inTime(p *history.Page, each func(at market.Instant, points []int)) {
	next, found := make([]int, len(p.Lists)), make([]int, len(p.Lists))
	for {
		when, ok := earliest(p, next)
		if !ok {
			return
		}
		for i := range p.Lists {
			found[i] = -1
			if l := &p.Lists[i]; next[i] < points(l) && timeOf(l, next[i]) == when {
				found[i] = next[i]
				next[i]++
			}
		}
		each(when, found)
	}
}

// points returns how many prices, books or quotes a list has.
func points(l *history.List) int { return len(l.Prices) + len(l.Books) + len(l.Quotes) }

// timeOf returns the time of a price, book or quote of a list.
func timeOf(l *history.List, i int) market.Instant {
	switch {
	case len(l.Prices) > 0:
		return l.Prices[i].T
	case len(l.Quotes) > 0:
		return l.Quotes[i].T
	}
	return l.Books[i].T
}

// earliest returns the earliest time of the points that at points to.
func earliest(p *history.Page, at []int) (when market.Instant, ok bool) {
	for i := range p.Lists {
		l := &p.Lists[i]
		if at[i] < points(l) && (!ok || timeOf(l, at[i]) < when) {
			when, ok = timeOf(l, at[i]), true
		}
	}
	return when, ok
}

// quoteCells are the price and the size of one side of a quote, empty where there
// is none.
func quoteCells(l market.Level) []any {
	switch {
	case l.Price == market.NoPrice:
		return []any{"", ""}
	case l.Size == 0:
		return []any{places(int64(l.Price)*100, 4), ""}
	}
	return []any{places(int64(l.Price)*100, 4), places(int64(l.Size), 2)}
}

// Trades writes a line a trade.
func Trades(w io.Writer, trades []table.Trade) error {
	if len(trades) == 0 {
		_, err := fmt.Fprintln(w, "no trades in this window")
		return err
	}
	t := NewTable(w, "time (UTC)", "token", "side", "price", "size")
	NumbersRight(t, 4, 5)
	for _, r := range trades {
		side, size := "", ""
		if r.Side != nil {
			side = *r.Side
		}
		if r.Size != nil {
			size = string(*r.Size)
		}
		t.AppendRow([]any{r.T.Time().Format("2006-01-02 15:04:05.000000"), r.Label, side, r.Price, size})
	}
	t.Render()
	return nil
}
