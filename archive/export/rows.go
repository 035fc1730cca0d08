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

type level struct {
	Price float64 `parquet:"price,dict"`
	Size  float64 `parquet:"size,dict"`
}

// captureRow is a capture. What does not go with its kind is null; lists are
// empty.
type captureRow struct {
	Venue     string   `parquet:"venue,dict"`
	Category  string   `parquet:"category,dict"`
	MarketID  string   `parquet:"market_id,dict"`
	Slug      string   `parquet:"slug,dict"`
	TokenID   string   `parquet:"token_id,dict"`
	Label     string   `parquet:"label,dict"`
	Seq       int64    `parquet:"seq,delta"` // in the market, from 1
	T         int64    `parquet:"t,timestamp(microsecond),delta"`
	ExchangeT int64    `parquet:"exchange_t,optional,timestamp(microsecond),delta"`
	Kind      string   `parquet:"kind,dict"`
	Bids      []level  `parquet:"bids,list"`
	Asks      []level  `parquet:"asks,list"`
	Bid       *float64 `parquet:"bid,optional,dict"`
	BidSize   *float64 `parquet:"bid_size,optional"`
	Ask       *float64 `parquet:"ask,optional,dict"`
	AskSize   *float64 `parquet:"ask_size,optional"`
	Price     *float64 `parquet:"price,optional,dict"`
	Size      *float64 `parquet:"size,optional"`
	Side      string   `parquet:"side,optional,dict"`
	Liquidity *float64 `parquet:"liquidity,optional"`
	Volume    *float64 `parquet:"volume,optional"`
}

func (r *captureRow) values() int { return 1 + len(r.Bids) + len(r.Asks) }

// levelRow is a level of a book or a change, a side of a quote, or another
// capture. A book or a quote without any has one row without a side.
type levelRow struct {
	Venue     string   `parquet:"venue,dict"`
	Category  string   `parquet:"category,dict"`
	MarketID  string   `parquet:"market_id,dict"`
	Slug      string   `parquet:"slug,dict"`
	TokenID   string   `parquet:"token_id,dict"`
	Label     string   `parquet:"label,dict"`
	Seq       int64    `parquet:"seq,delta"`
	T         int64    `parquet:"t,timestamp(microsecond),delta"`
	ExchangeT int64    `parquet:"exchange_t,optional,timestamp(microsecond),delta"`
	Kind      string   `parquet:"kind,dict"`
	Side      string   `parquet:"side,optional,dict"`
	Level     int32    `parquet:"level,optional"`
	Price     *float64 `parquet:"price,optional,dict"`
	Size      *float64 `parquet:"size,optional,dict"`
	Liquidity *float64 `parquet:"liquidity,optional"`
	Volume    *float64 `parquet:"volume,optional"`
}

// quoteRow is the top of book after a change; null: the side is empty, or the
// source gives no size.
type quoteRow struct {
	MarketID string   `parquet:"market_id,dict"`
	Slug     string   `parquet:"slug,dict"`
	TokenID  string   `parquet:"token_id,dict"`
	Label    string   `parquet:"label,dict"`
	T        int64    `parquet:"t,timestamp(microsecond),delta"`
	Bid      *float64 `parquet:"bid,optional,dict"`
	BidSize  *float64 `parquet:"bid_size,optional"`
	Ask      *float64 `parquet:"ask,optional,dict"`
	AskSize  *float64 `parquet:"ask_size,optional"`
}

type tradeRow struct {
	MarketID  string   `parquet:"market_id,dict"`
	Slug      string   `parquet:"slug,dict"`
	TokenID   string   `parquet:"token_id,dict"`
	Label     string   `parquet:"label,dict"`
	T         int64    `parquet:"t,timestamp(microsecond),delta"`
	ExchangeT int64    `parquet:"exchange_t,optional,timestamp(microsecond),delta"`
	Side      string   `parquet:"side,optional,dict"`
	Price     float64  `parquet:"price,dict"`
	Size      *float64 `parquet:"size,optional"`
}

// The rows of tables in buckets begin with the market; the rest is as in the
// bulk answers of the data routes.
type priceRow struct {
	MarketID string  `parquet:"market_id,dict"`
	Slug     string  `parquet:"slug,dict"`
	T        int64   `parquet:"t,timestamp(microsecond),delta"`
	TokenID  string  `parquet:"token_id,dict"`
	Label    string  `parquet:"label,dict"`
	P        float64 `parquet:"p"`
}

type bookRow struct {
	MarketID string  `parquet:"market_id,dict"`
	Slug     string  `parquet:"slug,dict"`
	T        int64   `parquet:"t,timestamp(microsecond),delta"`
	TokenID  string  `parquet:"token_id,dict"`
	Label    string  `parquet:"label,dict"`
	Side     string  `parquet:"side,dict"`
	Level    int32   `parquet:"level"`
	Price    float64 `parquet:"price,dict"`
	Size     float64 `parquet:"size,dict"`
}

type metricRow struct {
	MarketID  string  `parquet:"market_id,dict"`
	Slug      string  `parquet:"slug,dict"`
	T         int64   `parquet:"t,timestamp(microsecond),delta"`
	Liquidity float64 `parquet:"liquidity"`
	Spread    float64 `parquet:"spread"`
	Volume    float64 `parquet:"volume"`
}

func cashOf(c market.Cash) *float64 {
	if c < 0 {
		return nil
	}
	return new(c.Float())
}

func levelsOf(levels []market.Level) []level {
	out := make([]level, len(levels))
	for i, l := range levels {
		out[i] = level{l.Price.Float(), l.Size.Float()}
	}
	return out
}

// captures writes a market's captures.
func (x *run) captures(ctx context.Context, row *store.Listing, put func(captureRow) error) error {
	m, k, seq := &row.Market, keyOf(&row.Market), int64(0)
	for c, err := range scan.All(ctx, x.a.Store(), m) {
		if err != nil {
			return err
		}
		seq++
		r := captureRow{
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
func (x *run) levels(ctx context.Context, row *store.Listing, put func(levelRow) error) error {
	m, k, seq := &row.Market, keyOf(&row.Market), int64(0)
	for c, err := range scan.All(ctx, x.a.Store(), m) {
		if err != nil {
			return err
		}
		seq++
		r := levelRow{
			Venue: k.venue, Category: k.category, MarketID: k.market, Slug: k.slug, TokenID: k.tokens[c.Token], Label: k.labels[c.Token],
			Seq: seq, T: int64(c.Recv), ExchangeT: int64(c.Exch), Kind: c.Kind.String(),
		}
		switch c.Kind {
		case market.KindBook, market.KindChange, market.KindQuote:
			err = r.sides(c, put)
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

// sides writes a row for each level of c.
func (r levelRow) sides(c *market.Capture, put func(levelRow) error) error {
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
func (x *run) quotes(ctx context.Context, row *store.Listing, put func(quoteRow) error) error {
	k := keyOf(&row.Market)
	var failed error
	err := history.Tops(&row.Market, x.a.Captures(ctx, &row.Market), func(t market.Instant, token int, q market.Quote) bool {
		failed = put(quoteRow{
			k.market, k.slug, k.tokens[token], k.labels[token], int64(t),
			table.Price(q.Bid.Price), table.Size(q.Bid), table.Price(q.Ask.Price), table.Size(q.Ask),
		})
		return failed == nil
	})
	if failed != nil {
		return failed
	}
	return err
}

// trades writes a market's trades, one that was logged for both tokens once.
func (x *run) trades(ctx context.Context, row *store.Listing, put func(tradeRow) error) error {
	k := keyOf(&row.Market)
	var failed error
	err := history.Trades(&row.Market, x.a.Captures(ctx, &row.Market), func(c *market.Capture) bool {
		_, size, side := said(c)
		failed = put(tradeRow{
			k.market, k.slug, k.tokens[c.Token], k.labels[c.Token], int64(c.Recv), int64(c.Exch), side, c.Trade.Price.Float(), size,
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

func (x *run) prices(ctx context.Context, row *store.Listing, put func(priceRow) error) error {
	k := keyOf(&row.Market)
	var failed error
	return x.buckets(ctx, row, history.PricePoints, history.Emit{Prices: func(t market.Instant, p []int64) bool {
		for i, v := range p {
			if v != history.None && failed == nil {
				failed = put(priceRow{k.market, k.slug, int64(t), k.tokens[i], k.labels[i], table.Micros(v)})
			}
		}
		return failed == nil
	}}, &failed)
}

func (x *run) books(ctx context.Context, row *store.Listing, put func(bookRow) error) error {
	k := keyOf(&row.Market)
	var failed error
	return x.buckets(ctx, row, history.BookPoints, history.Emit{Books: func(t market.Instant, books []history.Ladder) bool {
		for i := range books {
			table.Sides(books[i].Bids, books[i].Asks, func(side string, level int, l market.Level) {
				if failed == nil {
					failed = put(bookRow{k.market, k.slug, int64(t), k.tokens[i], k.labels[i], side, int32(level), l.Price.Float(), l.Size.Float()})
				}
			})
		}
		return failed == nil
	}}, &failed)
}

func (x *run) metrics(ctx context.Context, row *store.Listing, put func(metricRow) error) error {
	k := keyOf(&row.Market)
	var failed error
	return x.buckets(ctx, row, history.MetricPoints, history.Emit{Metrics: func(t market.Instant, m history.Metric) bool {
		failed = put(metricRow{k.market, k.slug, int64(t), table.Micros(m.Liquidity), table.Micros(m.Spread), table.Micros(m.Volume)})
		return failed == nil
	}}, &failed)
}

// tagsOf writes tags as one text.
func tagsOf(tags []string) string { return strings.Join(tags, ",") }
