package regress

import (
	"go.yaml.in/yaml/v3"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// Record is what a suite keeps of one run: what a person wants to see at a
// glance, and hashes over everything else. Names are those of the report.
type Record struct {
	// Refused is set, alone, when there is no strategy to replay.
	Refused *Refused `json:"refused,omitempty"`
	Summary string   `json:"summary,omitempty"` // of the strategy, in English
	// Strategy is omitted if the case itself states a strategy.
	Strategy *strategy.Canonical `json:"strategy,omitempty"`
	*Numbers
}

// Refused is why a prompt or a strategy was refused.
type Refused struct {
	Error   string `json:"error"` // the API's code
	Message string `json:"message"`
}

// Numbers is what a suite keeps of a report.
type Numbers struct {
	MarketsFound  int           `json:"markets_found"`
	MarketsTraded int           `json:"markets_traded"`
	WinRate       stats.Decimal `json:"win_rate"`
	TotalPnL      stats.Decimal `json:"total_pnl"`
	Stats         Stats         `json:"stats"`
	Baseline      *Baseline     `json:"baseline"` // nil: not asked for, or no trades
	Funnel        replay.Funnel `json:"funnel"`
	// Refusals counts entry orders that were refused, by reason.
	Refusals backtest.Refusals `json:"refusals"`
	Exits    Exits             `json:"exits"`
	Warnings []backtest.Code   `json:"warnings"`
	Receipt  backtest.Receipt  `json:"receipt"`
}

// Stats is the report's headline statistics.
type Stats struct {
	MeanPnL         *stats.Decimal  `json:"mean_pnl"`
	MeanPnLInterval *stats.Interval `json:"mean_pnl_interval"`
	MaxDrawdown     stats.Decimal   `json:"max_drawdown"`
	Fees            stats.Decimal   `json:"fees"`
	Edge            *stats.Decimal  `json:"edge"`
	Verdict         stats.Verdict   `json:"verdict"`
}

// Baseline summarises the entry by the clock.
type Baseline struct {
	EntrySeconds  int           `json:"entry_seconds"`
	MarketsTraded int           `json:"markets_traded"`
	TotalPnL      stats.Decimal `json:"total_pnl"`
}

// Exits counts the trades by exit reason.
type Exits struct {
	TakeProfit  int `json:"take_profit"`
	StopLoss    int `json:"stop_loss"`
	EndOfWindow int `json:"end_of_window"`
	Order       int `json:"order,omitempty"`  // a sell beside the exits
	Merged      int `json:"merged,omitempty"` // given back in pairs
	Expiry      int `json:"expiry"`
}

// recordedFields are the names at the top of a Record.
func recordedFields() []string {
	return []string{
		"refused", "summary", "strategy", "markets_found", "markets_traded", "win_rate", "total_pnl",
		"stats", "baseline", "funnel", "refusals", "exits", "warnings", "receipt",
	}
}

// numbersOf picks the numbers out of a report.
func numbersOf(r *backtest.Report) *Numbers {
	n := &Numbers{
		MarketsFound: r.MarketsFound, MarketsTraded: r.MarketsTraded, WinRate: r.WinRate, TotalPnL: r.TotalPnL,
		Stats: Stats{
			MeanPnL: r.Stats.MeanPnL, MeanPnLInterval: r.Stats.MeanPnLInterval, MaxDrawdown: r.Stats.MaxDrawdown,
			Fees: r.Stats.Fees, Edge: r.Stats.Edge, Verdict: r.Stats.Verdict,
		},
		Funnel: r.Funnel.Funnel, Refusals: r.Funnel.Refusals,
		Warnings: make([]backtest.Code, 0, len(r.Warnings)), Receipt: r.Receipt,
	}
	if b := r.Baseline.Value; b != nil {
		n.Baseline = &Baseline{b.EntrySeconds, b.MarketsTraded, b.TotalPnL}
	}
	for i := range r.Trades {
		switch r.Trades[i].ExitReason {
		case replay.TakeProfit:
			n.Exits.TakeProfit++
		case replay.StopLoss:
			n.Exits.StopLoss++
		case replay.EndOfWindow:
			n.Exits.EndOfWindow++
		case replay.ByOrder:
			n.Exits.Order++
		case replay.Merged:
			n.Exits.Merged++
		case replay.Expiry:
			n.Exits.Expiry++
		}
	}
	for _, w := range r.Warnings {
		n.Warnings = append(n.Warnings, w.Code)
	}
	return n
}

// tree returns the record as it is written into a suite.
func (r *Record) tree() (*yaml.Node, error) { return treeOf(r) }

// treeOf returns v, by its JSON form, as it is written into a suite.
func treeOf(v any) (*yaml.Node, error) {
	text, err := backtest.CompactJSON(v)
	if err != nil {
		return nil, err
	}
	n, err := toTree(text)
	if err != nil {
		return nil, err
	}
	for _, part := range n.Content {
		arrange(part)
	}
	return n, nil
}
