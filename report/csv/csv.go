// Package csv writes the trades of a report as comma-separated values.
package csv

import (
	"encoding/csv"
	"fmt"
	"io"

	"github.com/ladderback/ladderback/backtest"
)

// csvHeader names the columns: the fields of a trade in their order,
// without the legs.
var csvHeader = []string{
	"market_id", "market_slug", "token_id", "token_label", "side",
	"entry_time", "entry_price", "entry_fill", "shares", "cost",
	"exit_time", "exit_price", "exit_fill", "exit_reason",
	"proceeds", "fees", "pnl", "slippage", "coverage",
}

// Write writes a header line and the trades of r, one per line (RFC 4180 with
// line feeds), in the order of the report. Numbers and times are written as in
// the JSON.
func Write(w io.Writer, r *backtest.Report) error {
	c := csv.NewWriter(w)
	if err := c.Write(csvHeader); err != nil {
		return fmt.Errorf("write csv: %w", err)
	}
	for i := range r.Trades {
		t := &r.Trades[i]
		coverage := "" // set in poorly recorded rounds only
		if t.Coverage != nil {
			coverage = t.Coverage.String()
		}
		if err := c.Write([]string{
			t.MarketID, t.MarketSlug, t.TokenID, t.TokenLabel, t.Side,
			t.EntryTime.String(), t.EntryPrice.String(), string(t.EntryFill), t.Shares.String(), t.Cost.String(),
			t.ExitTime.String(), t.ExitPrice.String(), string(t.ExitFill), string(t.ExitReason),
			t.Proceeds.String(), t.Fees.String(), t.PnL.String(), t.Slippage.String(), coverage,
		}); err != nil {
			return fmt.Errorf("write csv: trade %d: %w", i+1, err)
		}
	}
	c.Flush()
	if err := c.Error(); err != nil {
		return fmt.Errorf("write csv: %w", err)
	}
	return nil
}
