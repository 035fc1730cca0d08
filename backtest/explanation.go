package backtest

import (
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// Explanation works one trade of a saved run through, from the words of the
// prompt to the last cent. Money is in USD, times are UTC.
type Explanation struct {
	Number int           `json:"number"` // of the trade, from 1
	Of     int           `json:"of"`     // trades in the run
	Trade  Trade         `json:"trade"`  // with its legs
	Market MarketSummary `json:"market"`
	// Differs names the fields in which the saved trade is not what the archive
	// gives now; empty when they are equal.
	Differs []string `json:"differs"`
	// EntryWords and ExitWords are the prompt's words behind the entry and
	// behind the exit that ended the trade; empty without a prompt.
	EntryWords []strategy.Span `json:"entry_words"`
	ExitWords  []strategy.Span `json:"exit_words"`
	// Conditions are those of the entry, at the signal; Before the last look at
	// the entry before it, nil when the signal was the first.
	Conditions []ConditionView `json:"conditions"`
	Before     *Look           `json:"before"`
	// EntryCaptures are the captures around the entry's signal and arrival,
	// ExitCaptures those around the exit's.
	EntryCaptures Captures `json:"entry_captures"`
	ExitCaptures  Captures `json:"exit_captures"`
	// Orders are in order of arrival: entries refused and filled, then every try
	// of the exit.
	Orders []OrderView `json:"orders"`
	// Judged are the looks at the position at its fill and whenever a trigger
	// was at most 0.02 away or struck; Looks counts all of them.
	Judged []Judgement `json:"judged"`
	Looks  int         `json:"looks"`
	// Settlement is nil when everything was sold.
	Settlement *SettlementView `json:"settlement"`
	// Fees names the fee schedule and where it was published.
	Fees FeeView `json:"fee_schedule"`
}

// MarketSummary says which market it was and how it ended.
type MarketSummary struct {
	ID     string        `json:"id"`
	Slug   string        `json:"slug"`
	Start  Time          `json:"start"`
	End    Time          `json:"end"`
	Basis  market.Basis  `json:"winner_basis"`
	Payout stats.Decimal `json:"payout"` // of one share of the token bought
}

// ConditionView is a condition and its value at an instant.
type ConditionView struct {
	Condition strategy.Condition `json:"condition"`
	Value     *stats.Decimal     `json:"value"` // nil: not known
	Holds     bool               `json:"holds"`
}

// Look is one look at the entry.
type Look struct {
	Time       Time            `json:"time"`
	Conditions []ConditionView `json:"conditions"`
}

// Captures are the captures around an order, with the top of the token's
// market after each.
type Captures struct {
	Rows []CaptureView `json:"rows"`
	// Skipped counts captures between signal and arrival that are not listed:
	// they stand behind the first ListedTravelling of these.
	Skipped int `json:"skipped"`
}

// CaptureView is one capture.
type CaptureView struct {
	Time  Time           `json:"time"`  // received
	Exch  *Time          `json:"exch"`  // the exchange's clock; nil: not given
	Token string         `json:"token"` // label of the token it was received for
	Kind  string         `json:"kind"`
	Bid   *stats.Decimal `json:"bid"` // best bid of the token traded after it
	Ask   *stats.Decimal `json:"ask"`
	Phase string         `json:"phase"` // before, signal, travelling, after
}

// OrderView is an order's arrival.
type OrderView struct {
	Action  replay.Action  `json:"action"`
	Signal  Time           `json:"signal"`
	Arrival Time           `json:"arrival"`
	Retry   bool           `json:"retry"` // a later try of an exit that stands
	AsOf    *Time          `json:"as_of"`
	Fill    fills.Kind     `json:"fill"` // what its market was known by
	Cap     *stats.Decimal `json:"cap"`  // the highest price an entry pays; nil for a sale
	Refused string         `json:"refused,omitempty"`
	// Levels are the side that it met: every level taken and the one behind.
	Levels []LevelView   `json:"levels"`
	Shares stats.Decimal `json:"shares"`
	// Average is Σ price × size ÷ shares; Cash what changed hands without the
	// fee, rounded against the trader; Fee is rounded once.
	Average stats.Decimal `json:"average"`
	Cash    stats.Decimal `json:"cash"`
	Fee     stats.Decimal `json:"fee"`
}

// LevelView is one level that an order met.
type LevelView struct {
	Price stats.Decimal `json:"price"`
	// Shown is nil where the source gives no size. Earlier is what the
	// position's earlier sales had taken of it.
	Shown   *stats.Decimal `json:"shown"`
	Earlier stats.Decimal  `json:"earlier"`
	Taken   stats.Decimal  `json:"taken"`
	// Value = price × taken and Fee are exact, as decimals.
	Value string `json:"value"`
	Fee   string `json:"fee"`
}

// Judgement is one look at the open position.
type Judgement struct {
	Time Time `json:"time"`
	// Whole is what a share would bring if the whole position were sold, shares
	// without a bid at 0; Takeable the average over what the bids can take, nil
	// without bids.
	Whole    stats.Decimal  `json:"executable_bid"`
	Takeable *stats.Decimal `json:"takeable_bid"`
	// Profit and Stop are the prices that trigger, High the trailing stop's high
	// water; nil when unused or not known yet.
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

// FeeView names a fee schedule and writes its formula.
type FeeView struct {
	Name    string `json:"name"`
	Source  string `json:"source"`
	Formula string `json:"formula"`
}
