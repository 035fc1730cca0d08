package main

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ladderback/ladderback/app"
	"github.com/ladderback/ladderback/archive/ingest"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/identity"
)

// flagValues are the values that a shell may offer for a flag, by the command
// and the flag, else by the flag alone.
func flagValues(command, flag string) []string {
	switch flag {
	case "format":
		switch command {
		case "backtest", "sweep":
			return []string{"table", "json", "csv", "html"}
		case "history":
			return historyFormats
		case "export":
			return []string{"parquet", "csv", "jsonl"}
		case "import":
			return ingest.Formats()
		}
		return []string{"table", "json"}
	case "resolution":
		return strings.Split(app.ResolutionNames, ", ")
	}
	return map[string][]string{
		"parser":   {"auto", "rules", "llm"},
		"sampling": {"recent", "random"},
		"fees":     {"venue", "none"},
		"winners":  {"official", "inferred"},
		"include":  {"fills", "sensitivity", "after"},
		"status":   statuses,
		"category": {"crypto", "sports"},
		"coin":     {"BTC", "ETH", "SOL", "XRP"},
		"type":     {"5m", "15m", "1h", "4h", "1d"},
		"types":    {"5m", "15m", "1h", "4h", "1d"},
	}[flag]
}

// fileFlags are the flags whose value is a file; other unknown values get no
// completion.
var fileFlags = []string{"archive", "strategy", "out", "config", "access", "rejects", "markets", "junit", "batch", "save"}

// setCompletion tells shells the values of the flags and arguments of a command
// and of those below it.
func (a *cli) setCompletion(cmd *cobra.Command) {
	a.completeFlags(cmd)
	if cmd.ValidArgsFunction == nil && len(cmd.ValidArgs) == 0 {
		switch cmd.Name() {
		case "history":
			cmd.ValidArgsFunction = a.historyArgs
		case "explain":
			cmd.ValidArgsFunction = a.explainArgs
		case "backtest", "parse", "serve", "sweep", "simulate", "version":
			cmd.ValidArgsFunction = cobra.NoFileCompletions
		}
	}
	for _, c := range cmd.Commands() {
		a.setCompletion(c)
	}
}

// completeFlags tells shells the values of the flags of a command.
func (a *cli) completeFlags(cmd *cobra.Command) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if slices.Contains(fileFlags, f.Name) && f.Value.Type() != "int" || f.Value.Type() == "bool" {
			return
		}
		if _, ok := cmd.GetFlagCompletionFunc(f.Name); ok {
			return
		}
		err := cmd.RegisterFlagCompletionFunc(f.Name, func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
			switch f.Name {
			case "plan":
				return a.planNames(cmd), cobra.ShellCompDirectiveNoFileComp
			case "market":
				return a.slugs(cmd, begun), cobra.ShellCompDirectiveNoFileComp
			case "token":
				return []string{"Up", "Down"}, cobra.ShellCompDirectiveNoFileComp
			}
			return flagValues(cmd.Name(), f.Name), cobra.ShellCompDirectiveNoFileComp
		})
		if err != nil {
			panic(err) // the flag is there, and has no values yet
		}
	})
}

// historyArgs completes the arguments of history: the kind of point, then the
// market.
func (a *cli) historyArgs(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		return historyKinds, cobra.ShellCompDirectiveNoFileComp
	case 1:
		return a.slugs(cmd, begun), cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// explainArgs completes the arguments of explain: a run, which may be left out and is the
// number of a kept one, last or a file, then the slug of one of its trades.
func (a *cli) explainArgs(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	name, directive := "last", cobra.ShellCompDirectiveDefault // files are runs too
	switch len(args) {
	case 0:
	case 1:
		name, directive = args[0], cobra.ShellCompDirectiveNoFileComp
	default:
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx := cmd.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	run, err := a.FindRun(ctx, name)
	if err != nil {
		return nil, directive
	}
	var out []string
	if len(args) == 0 {
		out = a.runNames(begun)
	}
	for _, t := range run.Body.Report.Trades {
		if strings.HasPrefix(t.MarketSlug, begun) && !slices.Contains(out, t.MarketSlug) && len(out) < slugsOffered {
			out = append(out, t.MarketSlug)
		}
	}
	return out, directive
}

// runNames returns the kept runs that begin with begun, as they are named, the newest
// first.
func (a *cli) runNames(begun string) (out []string) {
	for _, k := range a.Kept() {
		if n := strconv.Itoa(k.Number); strings.HasPrefix(n, begun) {
			out = append(out, n+"\t"+k.Prompt)
		}
	}
	if strings.HasPrefix("last", begun) {
		out = append(out, "last\tthe newest run")
	}
	return out
}

func (a *cli) planNames(cmd *cobra.Command) []string {
	config, _ := cmd.Flags().GetString("config") // empty when there is no such flag
	plans := identity.DefaultPlans()
	if s, err := a.Settings(config); err == nil {
		plans = s.PlansInEffect()
	}
	return slices.Sorted(maps.Keys(plans))
}

// Bounds of a look into the archive while somebody waits for a completion.
const (
	slugsOffered = 100
	slugsWait    = 2 * time.Second
)

// slugs returns the slugs of markets that start with begun, newest first; none
// if the archive cannot be read, or the demo archive is not built yet.
func (a *cli) slugs(cmd *cobra.Command, begun string) []string {
	given, _ := cmd.Flags().GetStringArray("archive")
	slices.Sort(given) // the line is parsed twice for a completion
	given = slices.Compact(given)
	addrs, err := a.Addresses(given)
	if err != nil || len(addrs) == 0 && !a.DemoIsMade() {
		return nil
	}
	ctx := cmd.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, cancel := context.WithTimeout(ctx, slugsWait)
	defer cancel()
	quiet := *a
	quiet.quiet = true
	quiet.shared()
	ar, err := quiet.Read(ctx, given)
	if err != nil {
		return nil
	}
	defer ar.Close()
	found, err := ar.Markets(ctx, store.MarketQuery{Search: begun, Page: store.Page{Sort: store.ByEnd, Limit: slugsOffered}})
	if err != nil {
		return nil
	}
	var out []string
	for _, m := range found {
		if strings.HasPrefix(m.Market.Slug, begun) {
			out = append(out, m.Market.Slug)
		}
	}
	return out
}
