package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/report/progress"
	"github.com/ladderback/ladderback/report/terminal"
	"github.com/ladderback/ladderback/strategy"
)

// calibrationFlags are the flags of calibration, as given.
type calibrationFlags struct {
	showFlags
	from, to, winners  string
	last, bands, times int
	workers            int
	out                string
}

func (a *cli) calibration() *cobra.Command {
	var f calibrationFlags
	var archives *[]string
	d := backtest.DefaultCalibrationOptions()
	cmd := &cobra.Command{
		Use:   "calibration COIN LENGTH",
		Short: "Where is a market wrong at all: prices against outcomes, by price and time left",
		Long: `Holds the price of the token Up against what it paid, in every round of a coin and
length and not only where a strategy would trade: how often did Up come true at 20 to
40 cents with two minutes left? Where the share lies outside of its 95% band around
the outcome, the market was wrong, or luck was; ◆ marks what luck hardly explains.
COIN may be any. Prices are those captured by the time, never later ones; looks in
gaps, or more than 30 s behind the last capture of a book, are left out and counted.
'ladderback help prices' explains the rest.`,
		Example: `  ladderback calibration btc 15m
  ladderback calibration any 5m --from 2026-04-01 --bands 10 --json`,
		Args: a.args(&f.showFlags, func(cmd *cobra.Command, args []string) error {
			if err := a.formatOfOut(cmd, f.out, tableFiles, &f.format); err != nil {
				return err
			}
			if len(args) != 2 {
				return usagef("expected COIN LENGTH, for example 'ladderback calibration btc 15m'; got %d arguments", len(args))
			}
			return nil
		}),
	}
	flags := cmd.Flags()
	archives = a.archiveFlag(flags)
	f.add(cmd)
	windowFlags(flags, &f.from, &f.to, "rounds that end at or after this time (2026-04-01 14:00, ISO 8601 or Unix seconds)", "rounds that end before this time")
	flags.StringVar(&f.winners, "winners", string(d.Winners), "official, or inferred (counts both)")
	flags.IntVar(&f.last, "last", d.Last, "look at so many rounds, the newest, at most 10000")
	flags.IntVar(&f.bands, "bands", d.Bands, "bands of prices, 1 to 20")
	flags.IntVar(&f.times, "times", d.Times, "times in a round, evenly spread, 1 to 20")
	flags.IntVar(&f.workers, "workers", 0, "markets to read in parallel (default one per core); does not affect results")
	flags.StringVar(&f.out, "out", "", "write to this file; its extension (.json, .txt) sets the format")
	cmd.RunE = a.begin(func(cmd *cobra.Command, args []string) error { return a.runCalibration(cmd, &f, *archives, args) })
	return cmd
}

func (a *cli) runCalibration(cmd *cobra.Command, f *calibrationFlags, archives, args []string) error {
	o, err := f.options(args)
	if err != nil {
		return err
	}
	if err := checkWorkers(cmd.Flags(), f.workers); err != nil {
		return err
	}
	ar, err := a.Read(cmd.Context(), archives)
	if err != nil {
		return err
	}
	defer ar.Close()
	if o.HoldOut, err = a.HoldOut(cmd.Context(), archives); err != nil {
		return err
	}
	bar := a.startProgress("Reading", progress.Count("rounds"))
	c, err := backtest.Calibrate(cmd.Context(), ar, o, parallel(f.workers, bar))
	bar.Stop()
	if err != nil {
		return err
	}
	return a.write("--out", f.out, func(w io.Writer) error {
		if f.format == "json" {
			return c.WriteJSON(w)
		}
		a.overDemo = false // the warnings say it
		return terminal.Calibration(w, c, terminal.Screen{Width: a.width, Color: a.colour && f.out == ""})
	})
}

// options turns the flags and arguments into options.
func (f *calibrationFlags) options(args []string) (backtest.CalibrationOptions, error) {
	o := backtest.DefaultCalibrationOptions()
	o.Coin, o.Type = strings.ToUpper(args[0]), args[1]
	if ticker, ok := market.CoinByName(args[0]); ok {
		o.Coin = ticker
	} else if strings.EqualFold(args[0], strategy.Any) {
		o.Coin = strategy.Any
	}
	for _, bound := range []struct {
		flag, text string
		into       **market.Instant
	}{{"from", f.from, &o.From}, {"to", f.to, &o.To}} {
		if bound.text == "" {
			continue
		}
		t, err := market.ParseTime(bound.text)
		if err != nil {
			return o, usagef("--%s: %s", bound.flag, err)
		}
		*bound.into = &t
	}
	o.Winners, o.Last, o.Bands, o.Times = replay.Winners(f.winners), f.last, f.bands, f.times
	if err := o.Validate(); err != nil {
		switch name, _, _ := strings.Cut(err.Error(), ":"); name {
		case "last", "bands", "times":
			return o, usagef("--%s", err)
		}
		return o, flagError(err)
	}
	return o, nil
}
