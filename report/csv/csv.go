// Package csv writes the trades of a report as comma-separated values.
package csv

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/stats"
)

// csvHeader names the columns: the fields of a trade in their order,
// without the legs.
var csvHeader = []string{
	"market_id", "market_slug", "token_id", "token_label", "side",
	"entry_time", "entry_price", "entry_fill", "shares", "cost",
	"exit_time", "exit_price", "exit_fill", "exit_reason",
	"proceeds", "fees", "pnl", "slippage", "coverage",
}

// orderColumns stand behind them where a strategy has orders beside one entry and one
// exit.
var orderColumns = []string{"entries", "opposite_shares", "opposite_cost", "opposite_avg_price"}

// afterColumns stand last where a report has what happened after the fills.
var afterColumns = []string{"markout_1s", "markout_5s", "markout_30s", "markout_settlement", "mae", "mfe"}

// Write writes a header line and the trades of r, one per line (RFC 4180 with
// line feeds), in the order of the report. Numbers and times are written as in
// the JSON.
func Write(w io.Writer, r *backtest.Report) error {
	c := csv.NewWriter(w)
	extended := slices.ContainsFunc(r.Trades, func(t backtest.Trade) bool { return t.Entries != nil })
	header := csvHeader
	if extended {
		header = slices.Concat(csvHeader, orderColumns)
	}
	if r.After != nil {
		header = slices.Concat(header, afterColumns)
	}
	if err := c.Write(header); err != nil {
		return fmt.Errorf("write csv: %w", err)
	}
	for i := range r.Trades {
		t := &r.Trades[i]
		coverage := "" // set in poorly recorded rounds only
		if t.Coverage != nil {
			coverage = t.Coverage.String()
		}
		row := []string{
			t.MarketID, t.MarketSlug, t.TokenID, t.TokenLabel, t.Side,
			t.EntryTime.String(), t.EntryPrice.String(), string(t.EntryFill), t.Shares.String(), t.Cost.String(),
			t.ExitTime.String(), t.ExitPrice.String(), string(t.ExitFill), string(t.ExitReason),
			t.Proceeds.String(), t.Fees.String(), t.PnL.String(), t.Slippage.String(), coverage,
		}
		if extended {
			row = append(row, ofOrders(t)...)
		}
		if r.After != nil {
			a := &r.After.Trades[i]
			for _, v := range []*stats.Decimal{a.Markout1s, a.Markout5s, a.Markout30s, a.MarkoutSettlement, a.MAE, a.MFE} {
				text := ""
				if v != nil {
					text = v.String()
				}
				row = append(row, text)
			}
		}
		if err := c.Write(row); err != nil {
			return fmt.Errorf("write csv: trade %d: %w", i+1, err)
		}
	}
	c.Flush()
	if err := c.Error(); err != nil {
		return fmt.Errorf("write csv: %w", err)
	}
	return nil
}

// ofOrders returns what stands under orderColumns: nothing of the other token where none
// was bought.
func ofOrders(t *backtest.Trade) []string {
	out := []string{"", "", "", ""}
	if t.Entries != nil {
		out[0] = strconv.Itoa(*t.Entries)
	}
	if o := t.Opposite; o != nil {
		out[1], out[2], out[3] = o.Shares.String(), o.Cost.String(), o.AvgPrice.String()
	}
	return out
}
