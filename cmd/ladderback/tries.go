package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ladderback/ladderback/backtest/figures"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/report/listing"
	"github.com/ladderback/ladderback/report/usage"
	"github.com/ladderback/ladderback/report/words"
	"github.com/ladderback/ladderback/strategy"
	"github.com/ladderback/ladderback/tries"
)

func (a *cli) tries() *cobra.Command {
	var f showFlags
	var archives *[]string
	var organization, holdOut string
	cmd := &cobra.Command{
		Use:   "tries [COIN LENGTH]",
		Short: "What was tried on which rounds, how often; the lockbox of rounds put aside",
		Long: `Every backtest and sweep is a try on rounds of its coin and length, and the more
there were, the more luck the best of them had: sweeps are deflated for the tries
before them, and a report says "12th look at BTC 15m" and whether its verdict holds.
The same strategy over the same rounds is one try, however often it is run; one that
crashes, fails or is interrupted counts, once. A sweep counts for as many independent
tries as its variants are. The record is beside the archive (real-tries.db), or in its
database.

--hold-out 30% puts the newest rounds aside before anything is tried: no command replays
them until 'tries open', which is said once and stands in every receipt afterwards,
with the time and the number of tries. A server over the archive keeps to both, by the
organization of its keys (--organization; that of keys without one, and of the command
line, is local). 'ladderback help sweeps' explains the rest.`,
		Example: `  ladderback tries
  ladderback tries btc 15m
  ladderback tries --hold-out 30%
  ladderback tries open
  ladderback tries reset btc 15m --reason 'new idea: only the last minute'`,
		Args: a.args(&f, func(cmd *cobra.Command, args []string) error {
			if len(args) != 0 && len(args) != 2 {
				return usagef("expected COIN LENGTH, for example 'ladderback tries btc 15m', or neither; got %d arguments%s",
					len(args), usage.Nearest(args[0], usage.Subcommands(cmd)))
			}
			return nil
		}),
	}
	archives = a.archiveFlag(cmd.Flags())
	f.add(cmd)
	cmd.Flags().StringVar(&organization, "organization", tries.Local, "whose tries: that of a server's keys")
	cmd.Flags().StringVar(&holdOut, "hold-out", "", "put the newest rounds aside: a share of the time recorded (30%), or all that end at this time or later")
	cmd.RunE = a.begin(func(cmd *cobra.Command, args []string) error {
		if holdOut != "" {
			if len(args) > 0 {
				return usagef("--hold-out puts rounds of every coin and length aside: leave out %s", strings.Join(args, " "))
			}
			return a.putAside(cmd.Context(), *archives, organization, holdOut)
		}
		return a.showTries(cmd.Context(), *archives, organization, args)
	})
	cmd.AddCommand(a.openLockbox(), a.resetTries())
	return cmd
}

// family reads COIN LENGTH as strategies name them; both are empty without arguments.
func family(args []string) (coin, typ string, err error) {
	if len(args) == 0 {
		return "", "", nil
	}
	coin, typ = strings.ToUpper(args[0]), args[1]
	if ticker, ok := market.CoinByName(args[0]); ok {
		coin = ticker
	}
	if !strings.EqualFold(typ, strategy.Any) {
		usual, _, ok := market.ParseLength(typ)
		if !ok {
			return "", "", usagef("%q: expected the length of a round, such as 15m, or any", typ)
		}
		typ = usual
	} else {
		typ = strategy.Any
	}
	if coin != strategy.Any && !strategy.KnownCoin(coin) {
		return "", "", usagef("%q: expected a coin, such as BTC, or any", args[0])
	}
	return coin, typ, nil
}

// onRecord runs f on the record of tries over an archive that is there.
func (a *cli) onRecord(ctx context.Context, archives []string, f func(*tries.Store) error) error {
	ar, err := a.Read(ctx, archives)
	if err != nil {
		return err
	}
	if err := ar.Close(); err != nil {
		return err
	}
	s, err := a.Tries(ctx, archives)
	if err != nil {
		return err
	}
	defer s.Close()
	return f(s)
}

func (a *cli) showTries(ctx context.Context, archives []string, organization string, args []string) error {
	coin, typ, err := family(args)
	if err != nil {
		return err
	}
	return a.onRecord(ctx, archives, func(s *tries.Store) error {
		r, err := s.Record(ctx, organization, coin, typ)
		if err != nil {
			return err
		}
		return a.answer(r, func() {
			a.overDemo = false
			listing.Tries(a.out, r, a.width)
		})
	})
}

// putAside closes a lockbox.
func (a *cli) putAside(ctx context.Context, archives []string, organization, text string) error {
	from, err := a.holdOutFrom(ctx, archives, text)
	if err != nil {
		return err
	}
	return a.onRecord(ctx, archives, func(s *tries.Store) error {
		h, err := s.PutAside(ctx, organization, from)
		return a.showLockbox(h, err)
	})
}

// showLockbox shows what became of a lockbox, unless that is err.
func (a *cli) showLockbox(h *replay.HoldOut, err error) error {
	if err != nil {
		return err
	}
	return a.answer(h, func() {
		a.overDemo = false
		fmt.Fprintln(a.out, words.Lock(h))
	})
}

// holdOutFrom reads a share of the time recorded, or a time.
func (a *cli) holdOutFrom(ctx context.Context, archives []string, text string) (market.Instant, error) {
	share, ok := strings.CutSuffix(text, "%")
	if !ok {
		if n, err := strconv.ParseFloat(text, 64); err == nil && n <= 100 {
			return 0, usagef("--hold-out %q: expected a share of the time recorded with its sign, like 30%%, or a time", text)
		}
		at, err := market.ParseTime(text)
		if err != nil {
			return 0, usagef("--hold-out %q: expected a share of the time recorded, like 30%%, or a time: %s", text, err)
		}
		return at, nil
	}
	n, err := market.ParseDecimal(share, 4)
	if err != nil || n <= 0 || n >= 100*10_000 {
		return 0, usagef("--hold-out %q: expected more than 0%% and less than 100%%", text)
	}
	ar, err := a.Read(ctx, archives)
	if err != nil {
		return 0, err
	}
	defer ar.Close()
	return tries.Share(ctx, ar, n)
}

func (a *cli) openLockbox() *cobra.Command {
	var f showFlags
	var archives *[]string
	var organization string
	cmd := &cobra.Command{
		Use:   "open",
		Short: "Open the lockbox, once: from now on its rounds are replayed, and every receipt says so",
		Long: `Opens the lockbox that 'tries --hold-out' closed. It is said once: from then on the
rounds that were held out are replayed like all others, and every receipt carries when
it was opened, and after how many tries. Run what you want to know first.`,
		Example: `  ladderback tries open`,
		Args: a.args(&f, func(_ *cobra.Command, args []string) error {
			return noArguments("tries open", args)
		}),
	}
	archives = a.archiveFlag(cmd.Flags())
	f.add(cmd)
	cmd.Flags().StringVar(&organization, "organization", tries.Local, "whose tries: that of a server's keys")
	cmd.RunE = a.begin(func(cmd *cobra.Command, _ []string) error {
		return a.onRecord(cmd.Context(), *archives, func(s *tries.Store) error {
			h, err := s.OpenLockbox(cmd.Context(), organization)
			return a.showLockbox(h, err)
		})
	})
	return cmd
}

func noArguments(name string, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no %q", name, args[0])
	}
	return nil
}

func (a *cli) resetTries() *cobra.Command {
	var f showFlags
	var archives *[]string
	var organization, reason string
	cmd := &cobra.Command{
		Use:   "reset COIN LENGTH",
		Short: "Take the tries on rounds of a coin and length out of the count, on the record",
		Long: `Takes the tries on rounds of one coin and length out of the count, as strategies name
them. They stay on the record, and so does the reset, with its reason.`,
		Example: `  ladderback tries reset btc 15m --reason 'new idea: only the last minute'`,
		Args: a.args(&f, func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef("expected COIN LENGTH, for example 'ladderback tries reset btc 15m --reason WHY'; got %d arguments", len(args))
			}
			if strings.TrimSpace(reason) == "" {
				return usagef("a reset needs a --reason: it stays on the record")
			}
			return nil
		}),
	}
	archives = a.archiveFlag(cmd.Flags())
	f.add(cmd)
	cmd.Flags().StringVar(&organization, "organization", tries.Local, "whose tries: that of a server's keys")
	cmd.Flags().StringVar(&reason, "reason", "", "why; it stays on the record")
	cmd.RunE = a.begin(func(cmd *cobra.Command, args []string) error {
		coin, typ, err := family(args)
		if err != nil {
			return err
		}
		return a.onRecord(cmd.Context(), *archives, func(s *tries.Store) error {
			n, err := s.Reset(cmd.Context(), organization, coin, typ, reason)
			if err != nil {
				return err
			}
			return a.answer(map[string]any{"coin": coin, "market_type": typ, "tries": n, "reason": reason}, func() {
				a.overDemo = false
				fmt.Fprintf(a.out, "%s on %s %s taken out of the count; that is on the record.\n", figures.Count(n, "try"), coin, typ)
			})
		})
	})
	return cmd
}
