package backtest

import (
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// Explanation follows one trade of a saved run from the words of the prompt to
// the last cent. Money is in USD, times are UTC.
type Explanation struct {
	Number int           `json:"number"` // of the trade, from 1
	Of     int           `json:"of"`     // trades in the run
	Trade  Trade         `json:"trade"`  // with its legs
	Market MarketSummary `json:"market"`
	// Differs names the fields in which the saved trade differs from what the
	// archive gives now; empty if they are equal.
	Differs []string `json:"differs"`
	// EntryWords and ExitWords are the prompt's words behind the entry and
	// behind the exit that ended the trade; empty without a prompt.
	EntryWords []strategy.Span `json:"entry_words"`
	ExitWords  []strategy.Span `json:"exit_words"`
	// Conditions are the conditions of the entry at the signal. Before is the
	// evaluation of the entry before that; nil if the signal came from the
	// first one.
	Conditions []ConditionView `json:"conditions"`
	Before     *Look           `json:"before"`
	// EntryCaptures are the captures around the entry's signal and arrival,
	// ExitCaptures those around the exit's.
	EntryCaptures Captures `json:"entry_captures"`
	ExitCaptures  Captures `json:"exit_captures"`
	// Orders are in order of arrival: refused and filled entries, then every
	// attempt at the exit.
	Orders []OrderView `json:"orders"`
	// Resting is the life of each order that could rest, under each rule; nil where the
	// strategy rests nothing.
	Resting *Lives `json:"resting,omitempty"`
	// Judged lists the evaluations of the position at its fill and whenever a
	// trigger was at most 0.02 away or was reached; Looks counts all
	// evaluations.
	Judged []Judgement `json:"judged"`
	Looks  int         `json:"looks"`
	// Settlement is nil when everything was sold.
	Settlement *SettlementView `json:"settlement"`
	// Fees names the fee schedule and where it was published.
	Fees FeeView `json:"fee_schedule"`
}

// MarketSummary identifies a market and says how it ended.
type MarketSummary struct {
	ID     string        `json:"id"`
	Slug   string        `json:"slug"`
	Start  Time          `json:"start"`
	End    Time          `json:"end"`
	Basis  market.Basis  `json:"winner_basis"`
	Payout stats.Decimal `json:"payout"` // of one share of the token bought
}

// ConditionView is a condition with its value at an instant.
type ConditionView struct {
	Condition strategy.Condition `json:"condition"`
	Value     *stats.Decimal     `json:"value"` // nil: unknown
	Holds     bool               `json:"holds"`
}

// Look is one evaluation of the entry.
type Look struct {
	Time       Time            `json:"time"`
	Conditions []ConditionView `json:"conditions"`
}

// Captures are the captures around an order, each with the best bid and ask
// after it.
type Captures struct {
	Rows []CaptureView `json:"rows"`
	// Skipped counts the captures between signal and arrival that are not
	// listed; they follow the first ListedTravelling.
	Skipped int `json:"skipped"`
}

// CaptureView is one capture.
type CaptureView struct {
	Time  Time           `json:"time"`  // received
	Exch  *Time          `json:"exch"`  // the exchange's clock; nil: not given
	Token string         `json:"token"` // label of the token it was received for
	Kind  string         `json:"kind"`
	Bid   *stats.Decimal `json:"bid"` // best bid afterwards of the token traded
	Ask   *stats.Decimal `json:"ask"`
	Phase string         `json:"phase"` // before, signal, travelling, after
}

// OrderView is the arrival of an order.
type OrderView struct {
	// Order ("entry", "exit", or "then.N" with N from 0) and Token ("up" or "down") stand
	// where a strategy has orders beside one entry and one exit.
	Order   string         `json:"order,omitempty"`
	Token   string         `json:"token,omitempty"`
	Action  replay.Action  `json:"action"`
	Signal  Time           `json:"signal"`
	Arrival Time           `json:"arrival"`
	Retry   bool           `json:"retry"` // a later attempt at a pending exit
	AsOf    *Time          `json:"as_of"`
	Fill    fills.Kind     `json:"fill,omitempty"` // the kind of data that the order met
	Cap     *stats.Decimal `json:"cap"`            // highest price that an entry pays; nil for a sale
	Refused string         `json:"refused,omitempty"`
	// Levels are the side that the order met: every level taken, and the next
	// one.
	Levels []LevelView   `json:"levels"`
	Shares stats.Decimal `json:"shares"`
	// Average is Σ price × size ÷ shares; Cash is the money exchanged without
	// the fee, rounded against the trader; Fee is rounded once.
	Average stats.Decimal `json:"average"`
	Cash    stats.Decimal `json:"cash"`
	Fee     stats.Decimal `json:"fee"`
}

// LevelView is one level that an order met.
type LevelView struct {
	Price stats.Decimal `json:"price"`
	// Shown is nil if the source gives no size. Earlier is what the position's
	// earlier sales took from the level.
	Shown   *stats.Decimal `json:"shown"`
	Earlier stats.Decimal  `json:"earlier"`
	Taken   stats.Decimal  `json:"taken"`
	// Value (price × taken) and Fee are exact decimals.
	Value string `json:"value"`
	Fee   string `json:"fee"`
}

// Judgement is one evaluation of the open position.
type Judgement struct {
	Time Time `json:"time"`
	// Whole is the average price per share if the whole position were sold,
	// counting shares without a bid at 0; Takeable the average over what the
	// bids can take, nil without bids.
	Whole    stats.Decimal  `json:"executable_bid"`
	Takeable *stats.Decimal `json:"takeable_bid"`
	// Profit and Stop are the trigger prices, and High the high-water mark of
	// the trailing stop; nil if unused or not yet known.
	Profit  *stats.Decimal    `json:"take_profit"`
	Stop    *stats.Decimal    `json:"stop_loss"`
	High    *stats.Decimal    `json:"high_water"`
	Trigger replay.ExitReason `json:"trigger,omitempty"`
}

// SettlementView is what the shares held at the end paid.
type SettlementView struct {
	Time     Time          `json:"time"`
	Shares   stats.Decimal `json:"shares"`
	Payout   stats.Decimal `json:"payout"`
	Proceeds stats.Decimal `json:"proceeds"`
}

// FeeView is a fee schedule with its formula.
type FeeView struct {
	Name    string `json:"name"`
	Source  string `json:"source"`
	Formula string `json:"formula"`
}
