package backtest

import (
	"encoding/json"

	"github.com/ladderback/ladderback/backtest/after"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/fills"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// Report is what a backtest found. Money is in USD, prices in USD per share,
// times are UTC. Its JSON form has the fields in this order and is the same
// bytes for the same archive, strategy and options.
type Report struct {
	// SampleSize is the number of markets asked for, MarketsFound the number
	// replayed, and MarketsTraded the number in which the entry was filled.
	SampleSize    int `json:"sample_size"`
	MarketsFound  int `json:"markets_found"`
	MarketsTraded int `json:"markets_traded"`
	// WinRate = trades with pnl > 0 ÷ trades; 0 without trades.
	WinRate  stats.Decimal `json:"win_rate"`
	TotalPnL stats.Decimal `json:"total_pnl"`
	// EquityCurve[i] is the cumulative pnl after Trades[i]. Never nil.
	EquityCurve []stats.Decimal `json:"equity_curve"`
	// Trades are ordered by exit time, then market id. Never nil.
	Trades []Trade `json:"trades"`

	Stats    stats.Stats `json:"stats"`
	Analysis Analysis    `json:"analysis"`
	// Baseline is left out when it was not asked for, and null without trades.
	Baseline Maybe[Baseline] `json:"baseline,omitzero"`
	Funnel   Funnel          `json:"funnel"`
	Options  Options         `json:"options"`
	// Available says what the archive has when nothing was found to replay; else it
	// is left out.
	Available []Holding `json:"available,omitempty"`
	// FeeSchedules names the schedules that the sampled markets' fees follow,
	// sorted; empty when no fee is charged. Never nil.
	FeeSchedules []string `json:"fee_schedules"`
	// Warnings are in the order of the codes. Never nil.
	Warnings []Warning `json:"warnings"`
	// Sensitivity is left out unless it was asked for.
	Sensitivity []Sensitivity `json:"sensitivity,omitempty"`
	// After is left out unless it was asked for.
	After *after.Report `json:"after,omitempty"`
	// Queue, Pairs and Bankroll are left out where nothing rests, one token alone is
	// bought, and there is no bankroll.
	Queue    *QueueReport `json:"queue,omitempty"`
	Pairs    *Pairs       `json:"pairs,omitempty"`
	Bankroll *Bankroll    `json:"bankroll,omitempty"`
	Receipt  Receipt      `json:"receipt"`

	head []byte // of a report that Build made, and nobody changes: its JSON up to the receipt
}

// Trade is one entry and its exit.
type Trade struct {
	MarketID   string        `json:"market_id"`
	MarketSlug string        `json:"market_slug"`
	TokenID    string        `json:"token_id"`
	TokenLabel string        `json:"token_label"`
	Side       string        `json:"side"`       // "up" or "down": the token bought
	EntryTime  Time          `json:"entry_time"` // arrival of the entry order
	EntryPrice stats.Decimal `json:"entry_price"`
	EntryFill  fills.Kind    `json:"entry_fill"`
	Shares     stats.Decimal `json:"shares"`
	Cost       stats.Decimal `json:"cost"` // paid, entry fee included
	// ExitTime and ExitFill are those of the last leg, ExitPrice is the average
	// over all shares (stats.None: all were merged), ExitReason that of the trigger.
	ExitTime   Time              `json:"exit_time"`
	ExitPrice  stats.Decimal     `json:"exit_price"`
	ExitFill   fills.Kind        `json:"exit_fill"`
	ExitReason replay.ExitReason `json:"exit_reason"`
	Proceeds   stats.Decimal     `json:"proceeds"` // received, exit fees taken off
	Fees       stats.Decimal     `json:"fees"`     // of all legs
	PnL        stats.Decimal     `json:"pnl"`      // proceeds − cost
	// Slippage is what was paid above the best ask, and got below the best bid,
	// of the instants that sent the orders. Positive is worse.
	Slippage stats.Decimal `json:"slippage"`
	// Coverage marks a trade in a poorly captured round: the share of the round that
	// lies within 30 s behind a capture, when that is below 0.9; else nil.
	Coverage *stats.Decimal `json:"coverage,omitempty"`
	// Entries is how many entries were filled, Opposite what was bought of the other token:
	// of a strategy with orders beside one entry and one exit.
	Entries  *int      `json:"entries,omitempty"`
	Opposite *Opposite `json:"opposite,omitempty"`
	// Legs are present with Options.Include fills only.
	Legs []Leg `json:"legs,omitempty"`
}

// MarketKey says which market the trade was made in: its id and slug.
func (t *Trade) MarketKey() string { return marketKey(t.MarketID, t.MarketSlug) }

func marketKey(id, slug string) string { return id + "\x00" + slug }

// Leg is one execution of a trade.
type Leg struct {
	Action replay.Action `json:"action"`
	// Signal is the instant at which the order was sent: set for the buy and
	// the first sale, else nil.
	Signal *Time `json:"signal"`
	Time   Time  `json:"time"`
	// AsOf is the time of the capture that the order met; nil for a settlement.
	AsOf *Time `json:"as_of"`
	// Levels are [price, size] taken, best first; of a settlement
	// [payout, shares].
	Levels [][2]stats.Decimal `json:"levels"`
	Fill   fills.Kind         `json:"fill"`
	Fee    stats.Decimal      `json:"fee"`
	// Token ("up" or "down"; none of a merge) and Order ("entry", "exit", or "then.N" with
	// N from 0; none of a merge and a settlement) stand in legs of a strategy with orders
	// beside one entry and one exit.
	Token string `json:"token,omitempty"`
	Order string `json:"order,omitempty"`
}

// Time is an instant, written in RFC 3339 UTC with as many of six decimals as
// needed.
type Time = market.Instant

// Baseline is the same strategy with its entry replaced by the clock: buy
// EntrySeconds after the start, whatever the market does.
type Baseline struct {
	// EntrySeconds is the lower median over the trades of the time from the
	// start to the signal, in whole seconds.
	EntrySeconds  int           `json:"entry_seconds"`
	MarketsTraded int           `json:"markets_traded"`
	WinRate       stats.Decimal `json:"win_rate"` // 0 without trades
	// MeanPnL and ExcessMeanPnL (the strategy's mean − this mean) are nil
	// without trades.
	MeanPnL       *stats.Decimal `json:"mean_pnl"`
	TotalPnL      stats.Decimal  `json:"total_pnl"`
	ExcessMeanPnL *stats.Decimal `json:"excess_mean_pnl"`
}

// Funnel counts the markets that were left after each step; each count is part
// of the one before.
type Funnel struct {
	replay.Funnel
	Refusals Refusals `json:"refusals"`
	// ThenRefusals counts those of all orders but the entry; left out when there are none.
	ThenRefusals Refusals `json:"then_refusals,omitzero"`
}

// Refusals counts entry orders that were refused, by reason.
type Refusals struct {
	TooLate      int `json:"too_late"`
	Gap          int `json:"gap"`
	Stale        int `json:"stale"`
	Crossed      int `json:"crossed"`
	NoLiquidity  int `json:"no_liquidity"`
	Capped       int `json:"capped"`
	BelowMinSize int `json:"below_min_size"`
	WouldCross   int `json:"would_cross,omitempty"`
	SelfCross    int `json:"self_cross,omitempty"`
	BadLimit     int `json:"bad_limit,omitempty"`
	TooMany      int `json:"too_many,omitempty"`
	NoCash       int `json:"no_cash,omitempty"`
	NoEdge       int `json:"no_edge,omitempty"`
	DailyLoss    int `json:"daily_loss,omitempty"`
	LosingStreak int `json:"losing_streak,omitempty"`
}

// Options are the options as applied: those of the engine, and what the report
// contains.
type Options struct {
	replay.Options
	Baseline bool      `json:"baseline"` // default true
	Include  []Include `json:"include"`  // sorted, unique, never nil
}

// Include names an optional part of the report.
type Include string

// Parts that can be asked for.
const (
	IncludeFills       Include = "fills"       // the legs of each trade
	IncludeSensitivity Include = "sensitivity" // total pnl under other latencies, fees, budgets
	IncludeAfter       Include = "after"       // what happened after the fills
)

// Includes lists them.
func Includes() []Include { return []Include{IncludeFills, IncludeSensitivity, IncludeAfter} }

// DefaultOptions returns the options used when none are given.
func DefaultOptions() Options {
	return Options{Options: replay.DefaultOptions(), Baseline: true, Include: []Include{}}
}

// Sensitivity is the total pnl over the same markets under one combination.
type Sensitivity struct {
	LatencyMS int64         `json:"latency_ms"`
	Fees      replay.Fees   `json:"fees"`
	Budget    stats.Decimal `json:"budget"`
	TotalPnL  stats.Decimal `json:"total_pnl"`
}

// MoreTrades returns about how many trades more it would take for the interval of a mean
// pnl of the size seen to exclude 0 four times in five (stats.Needed); 0 for a verdict
// other than no_edge, or without a mean.
func (r *Report) MoreTrades() int {
	st := &r.Stats
	if st.Verdict != stats.NoEdge || *st.MeanPnL == 0 {
		return 0
	}
	// The interval is 2 · 1.96 standard errors wide, those of clusters of trades.
	const critical = 1.959964
	width := st.MeanPnLInterval[1].Float() - st.MeanPnLInterval[0].Float()
	t := st.MeanPnL.Abs().Float() / width * 2 * critical
	return max(0, stats.Needed(t, len(r.Trades), critical)-len(r.Trades))
}

// Maybe is a field that may be absent (the zero value), null (Set, with a nil
// Value), or present.
type Maybe[T any] struct {
	Set   bool
	Value *T
}

// IsZero reports whether the field is absent.
func (m Maybe[T]) IsZero() bool { return !m.Set }

// MarshalJSON writes the value, or null.
func (m Maybe[T]) MarshalJSON() ([]byte, error) { return json.Marshal(m.Value) }

// UnmarshalJSON reads the value, or null.
func (m *Maybe[T]) UnmarshalJSON(b []byte) error {
	m.Set = true
	return json.Unmarshal(b, &m.Value)
}
