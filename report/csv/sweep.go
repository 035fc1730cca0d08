package csv

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/stats"
)

// WriteSweep writes a header line and the variants of s, one a line, best first
// (RFC 4180 with line feeds): the rank, the number, a column for each field varied
// under its name, and the numbers of the JSON; empty where there is none. The
// combinations that are no strategy are not in it.
func WriteSweep(w io.Writer, s *backtest.Sweep) error {
	c := csv.NewWriter(w)
	header := []string{"rank", "number"}
	for i := range s.Axes {
		header = append(header, s.Axes[i].Field)
	}
	header = append(header, "own", "eligible", "trades", "ends", "win_rate", "mean_pnl", "mean_pnl_low", "mean_pnl_high",
		"total_pnl", "return_on_stake", "sharpe", "verdict", "p_stepdown", "survives")
	if err := c.Write(header); err != nil {
		return fmt.Errorf("write csv: %w", err)
	}
	for i := range s.Variants {
		v := &s.Variants[i]
		line := []string{strconv.Itoa(i + 1), strconv.Itoa(v.Number)}
		for _, value := range v.Values {
			line = append(line, value.String())
		}
		var low, high *stats.Decimal
		if v.Interval != nil {
			low, high = &v.Interval[0], &v.Interval[1]
		}
		line = append(line, strconv.FormatBool(v.Number == s.Own.Number), strconv.FormatBool(v.Eligible),
			strconv.Itoa(v.Trades), strconv.Itoa(v.Ends), number(v.WinRate), number(v.MeanPnL), number(low), number(high),
			v.TotalPnL.String(), number(v.ReturnOnStake), number(v.Sharpe), string(v.Verdict), number(v.P), strconv.FormatBool(v.Survives))
		if err := c.Write(line); err != nil {
			return fmt.Errorf("write csv: variant %d: %w", v.Number, err)
		}
	}
	c.Flush()
	if err := c.Error(); err != nil {
		return fmt.Errorf("write csv: %w", err)
	}
	return nil
}

// number writes d; empty for nil.
func number(d *stats.Decimal) string {
	if d == nil {
		return ""
	}
	return d.String()
}
