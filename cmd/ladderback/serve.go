package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ladderback/ladderback/app"
	"github.com/ladderback/ladderback/report/listing"
)

// serveFlags are the flags of serve, as given.
type serveFlags struct {
	archives                              *[]string
	config, addr, metricsAddr, accessAddr string
	localKey, check, works                bool
	work                                  app.WorkOptions
}

func (a *cli) serve() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the API over an archive",
		Long: `Serves the API over an archive until stopped (Ctrl-C or SIGTERM), then finishes
the requests in flight. New captures appear without a restart.

A configuration file (YAML, --config or $LADDERBACK_CONFIG) and LADDERBACK_*
variables give plans, the language model, TLS and more: docs/operations.md.`,
		Example: `  ladderback serve --archive real.db --local-key
  ladderback serve --archive real.db --addr 0.0.0.0:8080 --access keys.db
  ladderback serve --config ladderback.yaml --check-config`,
		Args: noArgs,
		RunE: a.begin(func(cmd *cobra.Command, _ []string) error { return a.runServe(cmd, &f) }),
	}
	flags := cmd.Flags()
	f.archives = a.archiveFlag(flags)
	flags.StringVar(&f.config, "config", "", "configuration file (YAML)")
	flags.StringVar(&f.addr, "addr", "", "address of the API (default 127.0.0.1:8080)")
	flags.StringVar(&f.metricsAddr, "metrics-addr", "", "address of the Prometheus metrics, or none (default 127.0.0.1:9090)")
	flags.StringVar(&f.accessAddr, "access", "", "store of keys and limits: a file, or postgres://… (default beside the first archive)")
	flags.BoolVar(&f.localKey, "local-key", false, "create an unlimited key and print it; it is kept in memory and ends with the server")
	flags.BoolVar(&f.works, "work", true, "work on kept runs; false: leave them to 'ladderback worker', or to other servers")
	addWork(flags, &f.work)
	flags.BoolVar(&f.check, "check-config", false, "print the effective configuration, secrets hidden, and exit: 0 if it is valid, else 2")
	return cmd
}

func (a *cli) runServe(cmd *cobra.Command, f *serveFlags) (err error) {
	ctx := cmd.Context()
	s, err := a.Settings(f.config)
	if err != nil {
		return f.refused(err)
	}
	for flag, value := range map[string]struct{ from, into *string }{
		"addr": {&f.addr, &s.Addr}, "metrics-addr": {&f.metricsAddr, &s.MetricsAddr}, "access": {&f.accessAddr, &s.Access},
	} {
		if cmd.Flags().Changed(flag) {
			*value.into = *value.from
		}
	}
	if unknown := app.UnknownVariables(a.environ); f.check && len(unknown) > 0 {
		return usagef("%s: no such setting; 'ladderback serve --check-config' without it prints all there are", strings.Join(unknown, ", "))
	}
	if f.check {
		return f.refused(a.WriteConfig(a.out, s, *f.archives))
	}
	log := a.logger(s)
	server, err := a.NewServer(ctx, s, app.ServeOptions{
		Archives: *f.archives, LocalKey: f.localKey, Works: f.works, Work: f.work, Log: log, Mails: a.err, Version: version, Revision: revision(),
		Agents: agents(log),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	tell := a.teller(log)
	if err := a.introduce(ctx, f, server, tell); err != nil {
		return err
	}
	return server.Serve(ctx, tell)
}

// logger returns the log of a server or a worker.
func (a *cli) logger(s *app.Settings) *slog.Logger {
	if a.quiet {
		return slog.New(slog.DiscardHandler)
	}
	return s.Logger(a.err)
}

// teller returns a function that writes the server's messages: as plain text on
// a terminal, otherwise as log lines.
func (a *cli) teller(log *slog.Logger) func(format string, args ...any) {
	if a.terminal {
		return a.say
	}
	return func(format string, args ...any) { log.Info(fmt.Sprintf(format, args...)) }
}

// introduce announces the server's addresses. With --local-key it first creates
// and prints an unlimited key, which lives as long as the server.
func (a *cli) introduce(ctx context.Context, f *serveFlags, server *app.Server, tell func(string, ...any)) error {
	g := server.Keys
	secret := ""
	if f.localKey {
		_, made, err := g.CreateEphemeral("enterprise", "local", "local")
		if err != nil {
			return err
		}
		secret = made
		fmt.Fprintln(a.out, secret)
	}
	missing, err := g.KeysWithoutPlan(ctx)
	if err != nil {
		return err
	}
	for _, plan := range slices.Sorted(maps.Keys(missing)) {
		tell("Plan %s is not configured: its %s will be refused", plan, listing.Plural(missing[plan], "key"))
	}
	tell("Serving %s on %s", server.Archive, server.Base)
	if server.Metrics != "" {
		tell("Metrics on %s", server.Metrics)
	}
	if a.terminal || secret != "" {
		tell("Documentation at %s/docs", server.Base)
	}
	if secret == "" {
		return nil
	}
	ticket, err := g.Ticket(secret)
	if err != nil {
		return err
	}
	shown := secret
	if !a.terminal { // logs are kept: the key itself stands on standard output alone
		shown = "KEY"
	}
	tell("Workbench at %s/#ticket=%s (works once, for ten minutes)", server.Base, ticket)
	tell("Try it: curl -H 'Authorization: Bearer %s' '%s/v1/markets?include_closed=true&limit=1'", shown, server.Base)
	return nil
}

// refused turns a configuration error into a usage error under --check-config.
func (f *serveFlags) refused(err error) error {
	if err == nil || !f.check {
		return err
	}
	return usagef("%s", err)
}
