package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ladderback/ladderback/app"
	"github.com/ladderback/ladderback/archive/simulate"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/report/listing"
	"github.com/ladderback/ladderback/strategy"
)

func (a *cli) simulate() *cobra.Command {
	var (
		c        simulate.Config
		archives *[]string
		show     showFlags
		mix      bool
	)
	cmd := &cobra.Command{
		Use:   "simulate",
		Short: "Write seeded synthetic rounds into an archive",
		Long: `Writes seeded synthetic up/down rounds into an archive, creating it if there
is none. The same flags give the same captures on every machine; results
over them say that they are simulated. An archive that holds captures of an
exchange is refused without --mix.`,
		Example: `  ladderback simulate --markets 200 --coins BTC,ETH --types 5m,15m --archive sim.db
  ladderback simulate --fair --markets 2000 --types 5m --seed 7 --archive fair.db`,
		Args: a.args(&show, func(cmd *cobra.Command, args []string) error {
			for i := range c.Coins {
				c.Coins[i] = strings.ToUpper(c.Coins[i])
			}
			if err := checkSimulation(&c); err != nil {
				return err
			}
			if _, err := simulate.New(c); err != nil {
				return usagef("%s", err)
			}
			if _, err := a.ToWrite(*archives, "simulate"); err != nil {
				return err
			}
			return noArgs(cmd, args)
		}),
		RunE: a.begin(func(cmd *cobra.Command, _ []string) error { return a.runSimulate(cmd.Context(), *archives, c, mix) }),
	}
	flags := cmd.Flags()
	archives = a.archiveToWrite(flags)
	flags.Uint64Var(&c.Seed, "seed", 1, "seed for all randomness")
	flags.IntVar(&c.Markets, "markets", 200, "total number of resolved rounds, spread evenly over coins and types")
	flags.StringSliceVar(&c.Coins, "coins", []string{"BTC"}, "tickers")
	flags.StringSliceVar(&c.Types, "types", []string{"15m"}, "lengths of rounds: 5m, 15m, 1h, 4h, 1d")
	flags.IntVar(&c.Levels, "ladder", 50, "levels per side, 1 to 98")
	flags.Float64Var(&c.Rate, "rate", 1, "books per second, 0.01 to 20")
	flags.BoolVar(&c.Fair, "fair", false, "a fair game: the price is a martingale that ends at the payout")
	flags.BoolVar(&mix, "mix", false, "also into an archive that holds captures of an exchange")
	show.add(cmd)
	return cmd
}

func (a *cli) runSimulate(ctx context.Context, archives []string, c simulate.Config, mix bool) (err error) {
	target, err := a.ToWrite(archives, "simulate")
	if err != nil {
		return err
	}
	ar, err := a.Create(ctx, target)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ar.Close()) }()
	before, err := ar.Sources(ctx)
	if err != nil {
		return err
	}
	if err := unmixed(before, target); err != nil && !mix {
		return err
	}
	begun := time.Now()
	src, err := a.Simulate(ctx, ar, c)
	if err != nil {
		if ctx.Err() != nil {
			a.say("Complete rounds are kept. Run the same command again to finish the rest.")
		}
		return err
	}
	a.simulated(src, time.Since(begun))
	if unmixed(before, target) != nil {
		a.say("They stand among captures of an exchange. 'ladderback archive remove --source %s --archive %s' takes them out again.", listing.ShortID(src), shown(target))
	}
	if slices.ContainsFunc(before, func(s store.Source) bool { return s.ID == src.ID && s.Complete }) {
		a.say("The archive already has these rounds: nothing was added. Another --seed gives other rounds.")
	}
	return nil
}

// unmixed refuses an archive, at target, among whose sources is one of an exchange.
func unmixed(sources []store.Source, target string) error {
	i := slices.IndexFunc(sources, func(s store.Source) bool { return s.Format != simulate.Format })
	if i < 0 {
		return nil
	}
	return usagef("%s holds captures of an exchange (%s): invented rounds would stand among them, and every result over both would count as simulated. Write to another file, or add --mix; 'archive remove --source' takes a simulation out again",
		shown(target), filepath.Base(sources[i].Name))
}

// shown is an address as messages name it: without a password.
func shown(target string) string {
	if app.IsPostgres(target) {
		return app.WithoutPassword(target)
	}
	return target
}

// checkSimulation refuses coins and types that no strategy could name, and
// numbers out of range, naming the flag.
func checkSimulation(c *simulate.Config) error {
	for _, coin := range c.Coins {
		if !strategy.KnownCoin(coin) {
			return usagef("--coins %s: expected tickers that strategies know, such as BTC, ETH and SOL", coin)
		}
	}
	for _, typ := range c.Types {
		if err := oneOf("types", typ, "5m", "15m", "1h", "4h", "1d"); err != nil {
			return err
		}
	}
	switch {
	case c.Markets < 1 || c.Markets > 1_000_000:
		return usagef("--markets %d: expected 1 to 1000000", c.Markets)
	case c.Levels < 1 || c.Levels > 98:
		return usagef("--ladder %d: expected 1 to 98", c.Levels)
	case !(c.Rate >= 0.01 && c.Rate <= 20):
		return usagef("--rate %v: expected 0.01 to 20", c.Rate)
	}
	return nil
}

// simulated reports what a simulation produced.
func (a *cli) simulated(src store.Source, took time.Duration) {
	n := src.Counts
	if a.json {
		a.printJSON(struct {
			Markets  int64 `json:"markets"`
			Captures int64 `json:"captures"`
			Changes  int64 `json:"level_changes"`
			Blocks   int64 `json:"blocks"`
			Bytes    int64 `json:"bytes"`
		}{n.Markets, n.Captures, n.Changes, n.Blocks, n.Bytes})
		return
	}
	t := listing.NewTable(a.out)
	listing.NumbersRight(t, 2)
	for _, row := range []struct {
		name string
		n    int64
	}{{"markets", n.Markets}, {"captures", n.Captures}, {"level changes", n.Changes}, {"blocks", n.Blocks}, {"bytes", n.Bytes}} {
		t.AppendRow([]any{row.name, listing.Grouped(row.n)})
	}
	t.Render()
	a.say("took %s", took.Round(10*time.Millisecond))
}
