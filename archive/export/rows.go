package export

import (
	"context"
	"strings"

	"github.com/ladderback/ladderback/archive/history"
	"github.com/ladderback/ladderback/archive/scan"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/archive/table"
	"github.com/ladderback/ladderback/market"
)

// key is what every row of captures says of its market and token.
type key struct {
	venue, category, market, slug string
	tokens, labels                []string
}

func keyOf(m *market.Market) key {
	k := key{venue: string(m.Venue), category: string(m.Category), market: m.VenueID, slug: m.Slug, labels: history.Labels(m)}
	for _, t := range m.Tokens {
		k.tokens = append(k.tokens, t.VenueID)
	}
	return k
}

func cashOf(c market.Cash) *float64 {
	if c < 0 {
		return nil
	}
	return new(c.Float())
}

func levelsOf(levels []market.Level) []table.Level {
	out := make([]table.Level, len(levels))
	for i, l := range levels {
		out[i] = table.Level{Price: l.Price.Float(), Size: l.Size.Float()}
	}
	return out
}

// captures writes a market's captures.
func (x *run) captures(ctx context.Context, row *store.Listing, put func(table.CaptureRow) error) error {
	m, k, seq := &row.Market, keyOf(&row.Market), int64(0)
	for c, err := range scan.All(ctx, x.a.Store(), m) {
		if err != nil {
			return err
		}
		seq++
		r := table.CaptureRow{
			Venue: k.venue, Category: k.category, MarketID: k.market, Slug: k.slug, TokenID: k.tokens[c.Token], Label: k.labels[c.Token],
			Seq: seq, T: int64(c.Recv), ExchangeT: int64(c.Exch), Kind: c.Kind.String(),
		}
		switch c.Kind {
		case market.KindBook, market.KindChange:
			r.Bids, r.Asks = levelsOf(c.Bids), levelsOf(c.Asks)
		case market.KindQuote:
			r.Bid, r.BidSize = table.Price(c.Quote.Bid.Price), table.Size(c.Quote.Bid)
			r.Ask, r.AskSize = table.Price(c.Quote.Ask.Price), table.Size(c.Quote.Ask)
		case market.KindTrade, market.KindPrice, market.KindTick:
			r.Price, r.Size, r.Side = said(c)
		case market.KindMetric:
			r.Liquidity, r.Volume = cashOf(c.Metric.Liquidity), cashOf(c.Metric.Volume)
		}
		if err := put(r); err != nil {
			return err
		}
	}
	return nil
}

// said is what a trade, a price or a tick says.
func said(c *market.Capture) (price, size *float64, side string) {
	price = table.Price(c.Trade.Price)
	if c.Kind == market.KindTrade {
		size, side = table.Size(market.Level{Price: c.Trade.Price, Size: c.Trade.Size}), table.Aggressor(c.Trade.Side)
	}
	return price, size, side
}

// levels writes a market's captures, a level a row.
func (x *run) levels(ctx context.Context, row *store.Listing, put func(table.LevelRow) error) error {
	m, k, seq := &row.Market, keyOf(&row.Market), int64(0)
	for c, err := range scan.All(ctx, x.a.Store(), m) {
		if err != nil {
			return err
		}
		seq++
		r := table.LevelRow{
			Venue: k.venue, Category: k.category, MarketID: k.market, Slug: k.slug, TokenID: k.tokens[c.Token], Label: k.labels[c.Token],
			Seq: seq, T: int64(c.Recv), ExchangeT: int64(c.Exch), Kind: c.Kind.String(),
		}
		switch c.Kind {
		case market.KindBook, market.KindChange, market.KindQuote:
			err = sides(r, c, put)
		case market.KindMetric:
			r.Liquidity, r.Volume = cashOf(c.Metric.Liquidity), cashOf(c.Metric.Volume)
			err = put(r)
		default:
			if c.Kind != market.KindReset {
				r.Price, r.Size, r.Side = said(c)
			}
			err = put(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sides writes a row for each level of c, like r, the rest of whose fields they share.
func sides(r table.LevelRow, c *market.Capture, put func(table.LevelRow) error) error {
	bids, asks := c.Bids, c.Asks
	if c.Kind == market.KindQuote {
		bids, asks = sideOf(c.Quote.Bid), sideOf(c.Quote.Ask)
	}
	if len(bids)+len(asks) == 0 {
		return put(r)
	}
	for _, s := range []struct {
		name   string
		levels []market.Level
	}{{"bid", bids}, {"ask", asks}} {
		r.Side = s.name
		for i, l := range s.levels {
			r.Level, r.Price, r.Size = int32(i+1), new(l.Price.Float()), new(l.Size.Float())
			if c.Kind == market.KindQuote {
				r.Size = table.Size(l)
			}
			if err := put(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// sideOf is one side of a quote as levels: one, or none.
func sideOf(l market.Level) []market.Level {
	if l.Price == market.NoPrice {
		return nil
	}
	return []market.Level{l}
}

// quotes writes each change of a market's best bids and asks.
func (x *run) quotes(ctx context.Context, row *store.Listing, put func(table.MarketQuoteRow) error) error {
	k := keyOf(&row.Market)
	var failed error
	err := history.Tops(&row.Market, x.a.Captures(ctx, &row.Market), func(t market.Instant, token int, q market.Quote) bool {
		failed = put(table.MarketQuoteRow{
			MarketID: k.market, Slug: k.slug, TokenID: k.tokens[token], Label: k.labels[token], T: int64(t),
			Bid: table.Price(q.Bid.Price), BidSize: table.Size(q.Bid), Ask: table.Price(q.Ask.Price), AskSize: table.Size(q.Ask),
		})
		return failed == nil
	})
	if failed != nil {
		return failed
	}
	return err
}

// trades writes a market's trades, one that was logged for both tokens once.
func (x *run) trades(ctx context.Context, row *store.Listing, put func(table.MarketTradeRow) error) error {
	k := keyOf(&row.Market)
	var failed error
	err := history.Trades(&row.Market, x.a.Captures(ctx, &row.Market), func(c *market.Capture) bool {
		_, size, side := said(c)
		failed = put(table.MarketTradeRow{
			MarketID: k.market, Slug: k.slug, TokenID: k.tokens[c.Token], Label: k.labels[c.Token],
			T: int64(c.Recv), ExchangeT: int64(c.Exch), Side: side, Price: c.Trade.Price.Float(), Size: size,
		})
		return failed == nil
	})
	if failed != nil {
		return failed
	}
	return err
}

// buckets writes the buckets of a market, all that are known, through what emit
// makes of them.
func (x *run) buckets(ctx context.Context, row *store.Listing, p history.Points, emit history.Emit, failed *error) error {
	q, any, err := x.query(ctx, row, p)
	if err != nil || !any {
		return err
	}
	if err := history.Walk(ctx, x.a, q, emit); *failed == nil {
		return err
	}
	return *failed
}

func (x *run) prices(ctx context.Context, row *store.Listing, put func(table.MarketPriceRow) error) error {
	k := keyOf(&row.Market)
	in := table.InMarket{MarketID: k.market, Slug: k.slug}
	var failed error
	return x.buckets(ctx, row, history.PricePoints, history.Emit{Prices: func(t market.Instant, p []int64) bool {
		for i, v := range p {
			if v != history.None && failed == nil {
				failed = put(table.MarketPriceRow{InMarket: in, PriceRow: table.PriceRow{T: int64(t), TokenID: k.tokens[i], Label: k.labels[i], P: table.Micros(v)}})
			}
		}
		return failed == nil
	}}, &failed)
}

func (x *run) books(ctx context.Context, row *store.Listing, put func(table.MarketBookRow) error) error {
	k := keyOf(&row.Market)
	in := table.InMarket{MarketID: k.market, Slug: k.slug}
	var failed error
	return x.buckets(ctx, row, history.BookPoints, history.Emit{Books: func(t market.Instant, books []history.Ladder) bool {
		for i := range books {
			table.Sides(books[i].Bids, books[i].Asks, func(side string, level int, l market.Level) {
				if failed == nil {
					failed = put(table.MarketBookRow{
						InMarket: in, T: int64(t), TokenID: k.tokens[i], Label: k.labels[i],
						Side: side, Level: int32(level), Price: l.Price.Float(), Size: l.Size.Float(),
					})
				}
			})
		}
		return failed == nil
	}}, &failed)
}

func (x *run) metrics(ctx context.Context, row *store.Listing, put func(table.MarketMetricRow) error) error {
	in := table.InMarket{MarketID: row.Market.VenueID, Slug: row.Market.Slug}
	var failed error
	return x.buckets(ctx, row, history.MetricPoints, history.Emit{Metrics: func(t market.Instant, m history.Metric) bool {
		failed = put(table.MarketMetricRow{InMarket: in, MetricRow: table.MetricRow{
			T: int64(t), Liquidity: table.Micros(m.Liquidity), Spread: table.Micros(m.Spread), Volume: table.Micros(m.Volume),
		}})
		return failed == nil
	}}, &failed)
}

// tagsOf writes tags as one text.
func tagsOf(tags []string) string { return strings.Join(tags, ",") }
