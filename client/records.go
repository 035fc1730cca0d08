package client

import (
	"encoding/json"
	"time"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/strategy"
)

// Categories of markets.
const (
	Crypto = "crypto"
	Sports = "sports"
)

// Series is a row of events of one kind, such as all rounds of BTC of 5 minutes.
type Series struct {
	ID          string     `json:"id"`
	Slug        string     `json:"slug"`
	Title       string     `json:"title"`
	Recurrence  *string    `json:"recurrence"` // such as 5m; nil: not known
	Category    string     `json:"category"`
	Tags        []string   `json:"tags"`
	MarketCount int        `json:"market_count"`
	UpdatedAt   *time.Time `json:"updated_at"`
}

// Event is what markets are about.
type Event struct {
	ID          string     `json:"id"`
	Slug        string     `json:"slug"`
	Title       string     `json:"title"`
	SeriesID    *string    `json:"series_id"`
	SeriesSlug  *string    `json:"series_slug"`
	Category    string     `json:"category"`
	Status      string     `json:"status"` // open, closed, resolved
	Tags        []string   `json:"tags"`
	StartDate   *time.Time `json:"start_date"`
	EndDate     *time.Time `json:"end_date"`
	MarketCount int        `json:"market_count"`
	UpdatedAt   *time.Time `json:"updated_at"`
}

// Token is an outcome of a market.
type Token struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// Market is a market as lists show it, and as it is by itself: then with the fields from
// Description on.
type Market struct {
	ID        string     `json:"id"`
	Slug      string     `json:"slug"`
	Question  string     `json:"question"`
	Status    string     `json:"status"` // open, closed, resolved
	StartDate *time.Time `json:"start_date"`
	EndDate   *time.Time `json:"end_date"`
	Tokens    []Token    `json:"tokens"`

	Description       string     `json:"description"`
	ClosedAt          *time.Time `json:"closed_at"`
	WinningTokenID    string     `json:"winning_token_id"` // empty: not resolved
	WinningTokenLabel string     `json:"winning_token_label"`
	Category          string     `json:"category"`
	EventID           *string    `json:"event_id"`
	EventSlug         *string    `json:"event_slug"`
	SeriesSlug        *string    `json:"series_slug"`
	Tags              []string   `json:"tags"`
	UpdatedAt         *time.Time `json:"updated_at"`
}

// Gap is a time, from From up to To, in which nothing was captured of a token.
type Gap struct {
	TokenID string    `json:"token_id"`
	From    time.Time `json:"from"`
	To      time.Time `json:"to"`
}

// Holding is what the archive has of a category.
type Holding struct {
	Category  string     `json:"category"`
	Watermark *time.Time `json:"watermark"` // its newest capture; nil: there is none
	Markets   int        `json:"markets"`
	Resolved  int        `json:"resolved"`
	Captured  int        `json:"captured"`
	Captures  int64      `json:"captures"`
	FirstDay  string     `json:"first_day"` // such as 2026-04-13, UTC; empty: none
	LastDay   string     `json:"last_day"`
	Simulated bool       `json:"simulated"` // some of it
	Days      []Day      `json:"days"`
}

// Day is what the archive has of the markets that end on a UTC day.
type Day struct {
	Day      string  `json:"day"`
	Markets  int     `json:"markets"`
	Resolved int     `json:"resolved"`
	Captured int     `json:"captured"`
	Captures int64   `json:"captures"`
	Coverage float64 `json:"coverage"` // 0 to 1
}

// Rounds are the rounds of a coin and a length that a backtest may replay.
type Rounds struct {
	Coin       string    `json:"coin"`
	MarketType string    `json:"market_type"`
	FirstEnd   time.Time `json:"first_end"`
	LastEnd    time.Time `json:"last_end"`
	Rounds     int       `json:"rounds"`   // with an official payout
	Inferred   int       `json:"inferred"` // more, with a payout that a source merely infers
}

// Archive is what a server holds.
type Archive struct {
	Data   []Holding `json:"data"`
	Rounds []Rounds  `json:"rounds"` // where they were asked for
}

// Price is a bucket's mean price.
type Price struct {
	T time.Time `json:"t"`
	P float64   `json:"p"` // USD, 0 to 1
}

// Level is a price in USD and the shares there; a source without sizes says 0.
type Level [2]float64

// Price is the level's price, USD.
func (l Level) Price() float64 { return l[0] }

// Size is the level's size, shares.
func (l Level) Size() float64 { return l[1] }

// Book is the last book of a bucket, best levels first.
type Book struct {
	T    time.Time `json:"t"`
	Bids []Level   `json:"bids"`
	Asks []Level   `json:"asks"`
}

// Quote is the last best bid and ask of a bucket; nil: the side is empty, or its size is
// not known.
type Quote struct {
	T       time.Time `json:"t"`
	Bid     *float64  `json:"bid"`
	BidSize *float64  `json:"bid_size"`
	Ask     *float64  `json:"ask"`
	AskSize *float64  `json:"ask_size"`
}

// Metrics are a bucket's mean metrics of a market.
type Metrics struct {
	T         time.Time `json:"t"`
	Liquidity float64   `json:"liquidity"` // USD resting
	Spread    float64   `json:"spread"`    // USD a share, of the first token
	Volume    float64   `json:"volume"`    // USD traded since the start
}

// Usage is what a key may do, and has left.
type Usage struct {
	Plan         string `json:"plan"`
	Organization string `json:"organization"`
	Limits       struct {
		RequestsPerMinute  int    `json:"requests_per_minute"`
		RequestsRemaining  int    `json:"requests_remaining"` // of this minute
		GranularityAllowed string `json:"granularity_allowed"`
		MaxHistoryDays     int    `json:"max_history_days"`
		DataPoints         struct {
			Metrics bool `json:"metrics"`
			Prices  bool `json:"prices"`
			Books   bool `json:"books"`
		} `json:"data_points"`
	} `json:"limits"`
	ResetAt *int64 `json:"reset_at"` // Unix seconds; nil: the plan has no limits
}

// ConditionType is a quantity that a condition may test.
type ConditionType struct {
	Type        string    `json:"type"`
	Unit        string    `json:"unit"`
	Min         *float64  `json:"min"`
	Max         *float64  `json:"max"`
	Comparators []string  `json:"comparators"`
	Tokens      []*string `json:"tokens"` // nil: of no token
	Description string    `json:"description"`
}

// Parsed is a prompt that was read.
type Parsed struct {
	Prompt   string            `json:"prompt"`
	Strategy strategy.Strategy `json:"strategy"`
	Source   string            `json:"source"` // llm or rules
	Note     string            `json:"note"`   // why the rules answered although a model was asked
	Parse    strategy.Trace    `json:"parse"`
}

// Run is a backtest or a sweep that the server keeps.
type Run struct {
	ID         string     `json:"id"`
	State      string     `json:"state"` // queued, running, done, failed, cancelled
	Phase      string     `json:"phase"`
	Done       int        `json:"done"` // of Total
	Total      int        `json:"total"`
	CreatedAt  time.Time  `json:"created_at"`
	StartedAt  *time.Time `json:"started_at"`
	EndedAt    *time.Time `json:"ended_at"`
	ExpiresAt  *time.Time `json:"expires_at"`
	Shared     bool       `json:"shared"`
	Cached     bool       `json:"cached"`
	Prompt     string     `json:"prompt"`
	Summary    string     `json:"summary"`
	Coin       string     `json:"coin"`
	MarketType string     `json:"market_type"`
	Side       string     `json:"side"`
	SampleSize int        `json:"sample_size"`
	Budget     float64    `json:"budget"` // USD a trade
	// Tries is which try of its rounds the run is; nil: not counted, or not yet.
	Tries *backtest.Tally `json:"tries,omitempty"`
	// Headline has the numbers of the result; null until it is there.
	Headline json.RawMessage `json:"headline"`
	Error    *string         `json:"error"`
	// Result is the body of the answer, byte for byte; null until the run is done, and in
	// lists.
	Result json.RawMessage `json:"result"`
	// Words are the result in sentences.
	Words json.RawMessage `json:"words"`
}

// TriesRecord is what was tried, and what is held out.
type TriesRecord struct {
	Families []struct {
		Coin        string    `json:"coin"`
		MarketType  string    `json:"market_type"`
		Side        string    `json:"side"`
		Tries       int       `json:"tries"`
		Variants    int       `json:"variants"`
		Independent float64   `json:"independent_tries"`
		Unfinished  int       `json:"unfinished"`
		FirstMade   time.Time `json:"first_made_at"`
		LastMade    time.Time `json:"last_made_at"`
	} `json:"families"`
	// Tries are those that count, newest first, at most 100.
	Tries []Try `json:"tries"`
	// Resets took tries out of the count.
	Resets []struct {
		Coin       string    `json:"coin"`
		MarketType string    `json:"market_type"`
		Tries      int       `json:"tries"`
		Reason     string    `json:"reason"`
		MadeAt     time.Time `json:"made_at"`
	} `json:"resets"`
	// Lockboxes hold the rounds that end at From or later, until they are opened.
	Lockboxes []struct {
		From       time.Time  `json:"from"`
		OpenedAt   *time.Time `json:"opened_at"`
		Tries      *int       `json:"tries"`
		SeenBefore int        `json:"seen_before"`
		MadeAt     time.Time  `json:"made_at"`
	} `json:"lockboxes"`
}

// Try is a backtest or sweep that counts.
type Try struct {
	Coin        string     `json:"coin"`
	MarketType  string     `json:"market_type"`
	Side        string     `json:"side"`
	Kind        string     `json:"kind"` // backtest, sweep
	Prompt      string     `json:"prompt"`
	Variants    int        `json:"variants"`
	Independent float64    `json:"independent_tries"`
	Look        int        `json:"look"`
	Before      float64    `json:"tries_before"`
	FirstRound  time.Time  `json:"first_round"`
	LastRound   time.Time  `json:"last_round"`
	MadeAt      time.Time  `json:"made_at"`
	DoneAt      *time.Time `json:"done_at"`
}

// Ended reports whether the run will not change any more.
func (r *Run) Ended() bool { return r.State == "done" || r.State == "failed" || r.State == "cancelled" }

// Estimate is how much work a run would be.
type Estimate struct {
	Markets int     `json:"markets"`
	Replays int     `json:"replays"`
	Blocks  int64   `json:"blocks"`
	Seconds float64 `json:"seconds"` // of one processor, about
}

// Share is a link to a run, which anybody may read.
type Share struct {
	Token string `json:"token"`
	Path  string `json:"path"`
}

// SharedRun is a run by its link.
type SharedRun struct {
	CreatedAt time.Time       `json:"created_at"`
	Result    json.RawMessage `json:"result"`
	Words     json.RawMessage `json:"words"`
}
