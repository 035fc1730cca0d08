package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ladderback/ladderback/app"
	"github.com/ladderback/ladderback/archive/care"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/report/listing"
)

// marketsFlags are those of markets.
type marketsFlags struct {
	search, coin, typ, category, status string
	limit                               int
}

func (f *marketsFlags) check() error {
	switch {
	case f.limit < 1:
		return usagef("--limit %d: expected 1 or more", f.limit)
	case f.category != "" && !market.Category(f.category).Valid():
		return usagef("--category %q: expected crypto or sports", f.category)
	}
	if f.status == "" {
		return nil
	}
	return oneOf("status", f.status, statuses...)
}

// statuses are the stages of a market.
var statuses = []string{store.Open.String(), store.Closed.String(), store.Resolved.String()}

func (a *cli) markets() *cobra.Command {
	var f marketsFlags
	var show showFlags
	var archives *[]string
	cmd := &cobra.Command{
		Use:   "markets",
		Short: "List, search and show the markets of an archive",
		Long: `Lists the markets of the archive, those that ended last first: open, closed (past
the end, or closed by the exchange) and resolved (the official payout is known).
--search looks in slug and question. 'markets show' tells everything about one.
Times are UTC.`,
		Example: `  ladderback markets --search btc --type 15m --limit 50
  ladderback markets show btc-updown-15m-1775005200`,
		Args: a.args(&show, func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("markets takes no %q: 'ladderback markets' lists them, --search WORDS those with the words in slug or question, 'ladderback markets show SLUG' one", args[0])
			}
			return f.check()
		}),
	}
	archives = a.archiveFlag(cmd.Flags())
	show.add(cmd)
	cmd.Flags().StringVar(&f.search, "search", "", "only markets with this in slug or question")
	cmd.Flags().StringVar(&f.coin, "coin", "", "rounds of this coin")
	cmd.Flags().StringVar(&f.typ, "type", "", "rounds of this length: 5m, 15m, 1h, …")
	cmd.Flags().StringVar(&f.category, "category", "", "crypto or sports")
	cmd.Flags().StringVar(&f.status, "status", "", "only open, closed or resolved markets")
	cmd.Flags().IntVar(&f.limit, "limit", 20, "list at most this many")
	cmd.RunE = a.begin(func(cmd *cobra.Command, _ []string) (err error) {
		ar, err := a.Read(cmd.Context(), *archives)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, ar.Close()) }()
		return a.listMarkets(cmd.Context(), ar, &f)
	})
	cmd.AddCommand(a.marketsShow())
	return cmd
}

func (a *cli) listMarkets(ctx context.Context, ar app.Reader, f *marketsFlags) error {
	rows, more, err := f.find(ctx, ar)
	if err != nil {
		return err
	}
	if a.json {
		a.printJSON(listing.MarketsDocument(rows, more))
		return nil
	}
	if len(rows) == 0 {
		return a.noMarket(ctx, ar, f)
	}
	listing.Markets(a.out, rows)
	if more {
		fmt.Fprintln(a.out, "There are more: raise --limit, or narrow with --search, --coin, --type.")
	}
	return nil
}

// noMarket says that nothing matches and, where a coin or length was asked for, which of
// them the archive has.
func (a *cli) noMarket(ctx context.Context, ar app.Reader, f *marketsFlags) error {
	fmt.Fprintln(a.out, "no market matches")
	if f.coin == "" && f.typ == "" {
		return nil
	}
	held, err := backtest.Available(ctx, ar)
	if err != nil || len(held) == 0 {
		return err
	}
	var coins, types []string
	for _, h := range held {
		coins, types = append(coins, h.Coin), append(types, h.Type)
	}
	for _, names := range []*[]string{&coins, &types} {
		slices.Sort(*names)
		*names = slices.Compact(*names)
	}
	fmt.Fprintf(a.out, "The archive has rounds of %s; --type takes %s.\n", strings.Join(coins, ", "), strings.Join(types, ", "))
	return nil
}

// find returns the markets that the flags select, and whether there are more than
// the limit.
func (f *marketsFlags) find(ctx context.Context, ar app.Reader) (rows []store.Listing, more bool, err error) {
	q := store.MarketQuery{
		Search: f.search, Coin: strings.ToUpper(f.coin), Type: f.typ, Category: market.Category(f.category), OpenOnly: f.status == store.Open.String(),
		Page: store.Page{Sort: store.ByEnd, Limit: f.limit + 1},
	}
	for {
		page, err := ar.Markets(ctx, q)
		if err != nil {
			return nil, false, err
		}
		for i := range page {
			if f.status != "" && page[i].Status.String() != f.status {
				continue
			}
			if len(rows) == f.limit {
				return rows, true, nil
			}
			rows = append(rows, page[i])
		}
		if len(page) < q.Limit {
			return rows, false, nil
		}
		after := page[len(page)-1].Key(store.ByEnd)
		q.After = &after
	}
}

func (a *cli) marketsShow() *cobra.Command {
	var show showFlags
	var archives *[]string
	cmd := &cobra.Command{
		Use:     "show MARKET",
		Short:   "What is known about one market: ids, times, tokens, payout, captures",
		Long:    "Tells what is known about one market, by slug or id. Times are UTC.",
		Example: "  ladderback markets show btc-updown-15m-1775005200",
		Args:    a.args(&show, exactly(1, "expected one market: its slug or id")),
	}
	archives = a.archiveFlag(cmd.Flags())
	show.add(cmd)
	cmd.RunE = a.begin(func(cmd *cobra.Command, args []string) (err error) {
		ar, err := a.Read(cmd.Context(), *archives)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, ar.Close()) }()
		row, err := ar.Market(cmd.Context(), args[0], "")
		if errors.Is(err, store.ErrNotFound) {
			return market.Errorf(market.CodeNotFound, "market not found: %s", args[0])
		}
		if err != nil {
			return err
		}
		said, err := care.Words(cmd.Context(), ar.StoreOf(&row.Market), &row.MarketRow)
		if err != nil {
			return err
		}
		words := listing.Disagreement(said, &row.Market)
		return a.answer(listing.MarketDocument(row, words), func() { listing.Market(a.out, row, words) })
	})
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return a.slugs(cmd, begun), cobra.ShellCompDirectiveNoFileComp
	}
	return cmd
}
