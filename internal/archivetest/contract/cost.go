package contract

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/scan"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/archivetest"
	"github.com/ladderback/ladderback/market"
)

// counting is a store that counts the blocks that are read of it.
type counting struct {
	store.Store
	blocks atomic.Int64
}

func (c *counting) ReadBlocks(ctx context.Context, refs []store.BlockRef, each func(int, []byte) error) error {
	c.blocks.Add(int64(len(refs)))
	return c.Store.ReadBlocks(ctx, refs, each)
}

// longMarket is one of a day of which everything is captured: ladders of one
// token or of both, trades of both, and what the source reports.
func longMarket(both, twice bool) *archivetest.Scenario {
	s := &archivetest.Scenario{Markets: []market.Market{{
		Venue: market.Polymarket, VenueID: "0xday", Slug: "btc-updown-1d-1776038400", Question: "A day", Category: market.Crypto, Mirrored: true,
		Start: archivetest.Start, End: archivetest.Start + market.Day,
		Tokens: []market.Token{{VenueID: "91", Outcome: market.Up}, {VenueID: "92", Outcome: market.Down}},
	}}}
	add := func(c market.Capture, token int) {
		c.Token, c.Exch = token, c.Recv-market.Second
		s.Messages = append(s.Messages, archivetest.Message{Capture: c})
	}
	level := func(p market.Price, n int) []market.Level {
		return []market.Level{{Price: p, Size: market.Size(1+n%97) * market.SizeOne}}
	}
	for n := range int(market.Day / (20 * market.Second)) {
		at := archivetest.Start + market.Instant(n)*20*market.Second
		p := market.Price(4000 + 100*(n%17))
		book := market.Capture{Kind: market.KindBook, Recv: at, Replace: true, Bids: level(p, n), Asks: level(p+100, n+1)}
		add(book, 0)
		if both {
			book.Recv += market.Second
			book.Bids, book.Asks = level((p+100).Mirror(), n+1), level(p.Mirror(), n)
			add(book, 1)
			s.Messages[len(s.Messages)-1].Capture.Exch = at - market.Second // the same, of the other token
		}
		trade := market.Capture{Kind: market.KindTrade, Recv: at + 5*market.Second, Trade: market.Trade{Price: p, Size: market.Size(n+1) * 1234}}
		add(trade, n%2)
		if twice && n == 3 { // one trade, logged for both tokens
			trade.Trade.Price = p.Mirror()
			add(trade, 1-n%2)
		}
		if n%30 == 7 {
			add(market.Capture{Kind: market.KindMetric, Recv: at + 6*market.Second, Metric: market.Metric{Liquidity: market.Cash(n) * market.CashOne, Volume: market.NoMetric}}, 0)
		}
	}
	return s
}

// testCost reads pages all over a market of a day, and counts the blocks that
// each takes: those of a page at the end are as many as those of one at the
// start, and what the page says is what all captures give.
func testCost(t *testing.T, open Open) {
	for _, both := range []bool{false, true} {
		t.Run(fmt.Sprint("ladders of both tokens ", both), func(t *testing.T) {
			under := &counting{Store: open(t)}
			a := archivetest.New(under, intake.Config{BlockCaptures: 20})
			t.Cleanup(func() { require.NoError(t, a.Close()) })
			s := longMarket(both, false)
			f := s.Whole()
			require.NoError(t, archivetest.Put(t.Context(), a, s, &f))
			pages := pagesOf(t, a)
			first := map[string]int64{}
			for hour := range 24 {
				for kind, page := range pages {
					from := archivetest.Start + market.Instant(hour)*market.Hour + 10*market.Minute
					before := under.blocks.Load()
					got := page(from, false)
					cost := under.blocks.Load() - before
					require.Equal(t, page(from, true), got, "%s of hour %d", kind, hour)
					require.Len(t, got, 30, "%s of hour %d", kind, hour)
					if hour == 0 {
						first[kind] = cost
					}
					// Up to five lanes, each with a block that begins elsewhere.
					require.LessOrEqual(t, cost, first[kind]+5, "blocks read for %s of hour %d", kind, hour)
				}
			}
			t.Logf("blocks of a page at the start: %v", first)
		})
	}
	// A trade that counts once although it is there twice is looked for from
	// the first.
	t.Run("a trade logged twice", func(t *testing.T) {
		a := newArchive(t, open, intake.Config{BlockCaptures: 20})
		s := longMarket(false, true)
		f := s.Whole()
		require.NoError(t, archivetest.Put(t.Context(), a, s, &f))
		page := pagesOf(t, a)["metrics"]
		for hour := range 24 {
			from := archivetest.Start + market.Instant(hour)*market.Hour
			require.Equal(t, page(from, true), page(from, false))
		}
	})
}

// pagesOf returns for each kind of page what makes it: the half hour from an
// instant on, in minutes, from all captures or from those that are needed.
func pagesOf(t *testing.T, a *archivetest.Archive) map[string]func(from market.Instant, all bool) []string {
	row, err := a.Market(t.Context(), "0xday", "")
	require.NoError(t, err)
	m := &row.Market
	request := func(from market.Instant) history.Request {
		w := history.Window{Start: from, End: from + 30*market.Minute, Resolution: market.Minute}
		return history.Request{Market: m, Window: w, Known: history.KnownOf(&row.MarketRow, row.Watermark)}
	}
	captures := func(q *history.Request, all bool, use scan.Use) history.Captures {
		if all {
			q.Exact = 0
			return a.Captures(t.Context(), m)
		}
		return a.CapturesFrom(t.Context(), row, q.Exact, min(q.Window.Stop(), q.Known.To), use)
	}
	return map[string]func(market.Instant, bool) []string{
		"prices": func(from market.Instant, all bool) (out []string) {
			q := request(from)
			q.Exact = from
			require.NoError(t, history.Prices(q, captures(&q, all, scan.ForPrices), func(at market.Instant, p []int64) bool {
				out = append(out, fmt.Sprint(at, p))
				return true
			}))
			return out
		},
		"books": func(from market.Instant, all bool) (out []string) {
			q := request(from)
			q.Exact = from
			require.NoError(t, history.Books(q, captures(&q, all, scan.ForBooks), func(at market.Instant, b []history.Ladder) bool {
				out = append(out, fmt.Sprint(at, b))
				return true
			}))
			return out
		},
		"metrics": func(from market.Instant, all bool) (out []string) {
			q := request(from)
			q.Exact = max(from-history.Grid, q.Known.From)
			require.NoError(t, history.Metrics(q, captures(&q, all, scan.ForAll), func(at market.Instant, m history.Metric) bool {
				out = append(out, fmt.Sprint(at, m))
				return true
			}))
			return out
		},
	}
}
