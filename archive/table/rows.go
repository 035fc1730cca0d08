package table

// The rows about one market, those of NewRows. T is in microseconds since 1970.

// PriceRow is a price in a bucket.
type PriceRow struct {
	T       int64   `parquet:"t,timestamp(microsecond),delta"`
	TokenID string  `parquet:"token_id,dict"`
	Label   string  `parquet:"label,dict"`
	P       float64 `parquet:"p"`
}

// MetricRow is what is measured of a market in a bucket, in USD.
type MetricRow struct {
	T         int64   `parquet:"t,timestamp(microsecond),delta"`
	Liquidity float64 `parquet:"liquidity"`
	Spread    float64 `parquet:"spread"`
	Volume    float64 `parquet:"volume"`
}

type bookRow struct {
	T       int64   `parquet:"t,timestamp(microsecond),delta"`
	TokenID string  `parquet:"token_id,dict"`
	Label   string  `parquet:"label,dict"`
	Side    string  `parquet:"side,dict"`
	Level   int32   `parquet:"level"`
	Price   float64 `parquet:"price"`
	Size    float64 `parquet:"size"`
}

// quoteRow: null where a side is empty, or the source gives no size.
type quoteRow struct {
	T       int64    `parquet:"t,timestamp(microsecond),delta"`
	TokenID string   `parquet:"token_id,dict"`
	Label   string   `parquet:"label,dict"`
	Bid     *float64 `parquet:"bid,optional"`
	BidSize *float64 `parquet:"bid_size,optional"`
	Ask     *float64 `parquet:"ask,optional"`
	AskSize *float64 `parquet:"ask_size,optional"`
}

type tradeRow struct {
	T       int64    `parquet:"t,timestamp(microsecond),delta"`
	TokenID string   `parquet:"token_id,dict"`
	Label   string   `parquet:"label,dict"`
	Side    string   `parquet:"side,optional,dict"`
	Price   float64  `parquet:"price"`
	Size    *float64 `parquet:"size,optional"`
}

// The rows of files that hold many markets, those of NewWriter.

// Level is a level of a book.
type Level struct {
	Price float64 `parquet:"price,dict"`
	Size  float64 `parquet:"size,dict"`
}

// CaptureRow is a capture. What does not go with its kind is null; lists are
// empty.
type CaptureRow struct {
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
	Bids      []Level  `parquet:"bids,list"`
	Asks      []Level  `parquet:"asks,list"`
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

func (r *CaptureRow) values() int { return 1 + len(r.Bids) + len(r.Asks) }

// LevelRow is a level of a book or a change, a side of a quote, or another
// capture. A book or a quote without any has one row without a side.
type LevelRow struct {
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

// MarketQuoteRow is the top of book after a change; null: the side is empty, or the
// source gives no size.
type MarketQuoteRow struct {
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

// MarketTradeRow is a trade; its side is that of who took.
type MarketTradeRow struct {
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

// InMarket is what rows in buckets begin with; the rest is as in bulk answers.
type InMarket struct {
	MarketID string `parquet:"market_id,dict"`
	Slug     string `parquet:"slug,dict"`
}

// MarketPriceRow is a price in a bucket.
type MarketPriceRow struct {
	InMarket
	PriceRow
}

// MarketMetricRow is what is measured of a market in a bucket.
type MarketMetricRow struct {
	InMarket
	MetricRow
}

// MarketBookRow is a level of a book in a bucket.
type MarketBookRow struct {
	InMarket
	T       int64   `parquet:"t,timestamp(microsecond),delta"`
	TokenID string  `parquet:"token_id,dict"`
	Label   string  `parquet:"label,dict"`
	Side    string  `parquet:"side,dict"`
	Level   int32   `parquet:"level"`
	Price   float64 `parquet:"price,dict"`
	Size    float64 `parquet:"size,dict"`
}

// The tables of what is known about markets. Empty text and unknown times are
// null.

// MarketRow is a market as it is known.
type MarketRow struct {
	Venue         string   `parquet:"venue,dict"`
	MarketID      string   `parquet:"market_id"`
	Slug          string   `parquet:"slug"`
	AltID         string   `parquet:"alt_id,optional"`
	Question      string   `parquet:"question,optional"`
	Description   string   `parquet:"description,optional,dict"`
	Category      string   `parquet:"category,dict"`
	EventID       string   `parquet:"event_id,optional"`
	SeriesID      string   `parquet:"series_id,optional,dict"`
	Tags          string   `parquet:"tags,optional,dict"`
	Coin          string   `parquet:"coin,optional,dict"`
	Type          string   `parquet:"type,optional,dict"`
	Start         int64    `parquet:"start,optional,timestamp(microsecond)"`
	End           int64    `parquet:"end,optional,timestamp(microsecond)"`
	Undated       bool     `parquet:"undated"` // start and end are its first and last capture
	Status        string   `parquet:"status,dict"`
	ClosedAt      int64    `parquet:"closed_at,optional,timestamp(microsecond)"`
	UpdatedAt     int64    `parquet:"updated_at,optional,timestamp(microsecond)"`
	SourceClosed  bool     `parquet:"source_closed"` // what a source states of the three above
	SourceClosing int64    `parquet:"source_closed_at,optional,timestamp(microsecond)"`
	SourceUpdate  int64    `parquet:"source_updated_at,optional,timestamp(microsecond)"`
	Winner        string   `parquet:"winner,optional,dict"` // label of the token that pays 1
	WinnerBasis   string   `parquet:"winner_basis,optional,dict"`
	Mirrored      bool     `parquet:"mirrored"`
	Tick          *float64 `parquet:"tick,optional,dict"`
	MinSize       *float64 `parquet:"min_size,optional,dict"`
	FeeRate       *float64 `parquet:"fee_rate,optional,dict"`
	FeeExponent   *int64   `parquet:"fee_exponent,optional,dict"`
	FeeTakerOnly  *bool    `parquet:"fee_taker_only,optional"`
	Captures      int64    `parquet:"captures"`
	First         int64    `parquet:"first_capture,optional,timestamp(microsecond)"`
	Last          int64    `parquet:"last_capture,optional,timestamp(microsecond)"`
	Coverage      *float64 `parquet:"coverage,optional"` // of a round, 0 to 1
	Content       string   `parquet:"content,optional"`  // hash of its captures
}

// TokenRow is a token of a market.
type TokenRow struct {
	Venue    string `parquet:"venue,dict"`
	MarketID string `parquet:"market_id"`
	Slug     string `parquet:"slug"`
	Position int32  `parquet:"position"` // in the market, from 0
	TokenID  string `parquet:"token_id"`
	Label    string `parquet:"label,dict"`
	Outcome  string `parquet:"outcome,dict"` // up, down, other
	Derived  bool   `parquet:"derived"`      // no source gives its id
}

// PayoutRow is what a token of a decided market pays.
type PayoutRow struct {
	Venue    string  `parquet:"venue,dict"`
	MarketID string  `parquet:"market_id"`
	Slug     string  `parquet:"slug"`
	TokenID  string  `parquet:"token_id"`
	Label    string  `parquet:"label,dict"`
	Basis    string  `parquet:"basis,dict"` // official, inferred
	Pays     float64 `parquet:"pays,dict"`  // USD a share, 0 to 1
}

// GapRow is a time in which a source declares that it captured nothing of a token.
type GapRow struct {
	Venue    string `parquet:"venue,dict"`
	MarketID string `parquet:"market_id,dict"`
	Slug     string `parquet:"slug,dict"`
	TokenID  string `parquet:"token_id,dict"`
	Label    string `parquet:"label,dict"`
	From     int64  `parquet:"gap_from,timestamp(microsecond)"`
	To       int64  `parquet:"gap_to,timestamp(microsecond)"`
}

// EventRow is an event.
type EventRow struct {
	Venue     string `parquet:"venue,dict"`
	EventID   string `parquet:"event_id"`
	Slug      string `parquet:"slug"`
	Title     string `parquet:"title,optional"`
	SeriesID  string `parquet:"series_id,optional,dict"`
	Category  string `parquet:"category,dict"`
	Tags      string `parquet:"tags,optional,dict"`
	Start     int64  `parquet:"start,optional,timestamp(microsecond)"`
	End       int64  `parquet:"end,optional,timestamp(microsecond)"`
	Status    string `parquet:"status,dict"`
	Markets   int64  `parquet:"markets"`
	UpdatedAt int64  `parquet:"updated_at,optional,timestamp(microsecond)"`
}

// SeriesRow is a series.
type SeriesRow struct {
	Venue      string `parquet:"venue,dict"`
	SeriesID   string `parquet:"series_id"`
	Slug       string `parquet:"slug"`
	Title      string `parquet:"title,optional"`
	Recurrence string `parquet:"recurrence,optional,dict"`
	Category   string `parquet:"category,dict"`
	Tags       string `parquet:"tags,optional,dict"`
	Markets    int64  `parquet:"markets"`
	UpdatedAt  int64  `parquet:"updated_at,optional,timestamp(microsecond)"`
}
