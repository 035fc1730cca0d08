package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/ladderback/ladderback/api"
	"github.com/ladderback/ladderback/api/access"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/parser"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/runs"
	"github.com/ladderback/ladderback/web"
)

// headerBytes bounds the header of a request.
const headerBytes = 32 << 10

// serveFlags are the flags of serve, as given.
type serveFlags struct {
	archives                              *[]string
	config, addr, metricsAddr, accessAddr string
	localKey, check, works                bool
	work                                  workFlags
}

func (a *app) serve() *cobra.Command {
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
	flags.BoolVar(&f.localKey, "local-key", false, "create an unlimited key, print it, and revoke it when the server stops")
	flags.BoolVar(&f.works, "work", true, "work on kept runs; false: leave them to 'ladderback worker', or to other servers")
	f.work.add(flags)
	flags.BoolVar(&f.check, "check-config", false, "print the effective configuration, secrets hidden, and exit: 0 if it is valid, else 2")
	return cmd
}

// serverGC is GOGC of a server, unless it is set: with the vocabulary and the cache it
// has much in use for good, of which it then holds half as much again, not twice, and
// collecting costs it next to nothing.
const serverGC = 50

// frugal sets the garbage collector for a server; end, to be called once, sets it back.
func (a *app) frugal() (end func()) {
	if a.getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(serverGC)
	return func() { debug.SetGCPercent(before) }
}

func (a *app) runServe(cmd *cobra.Command, f *serveFlags) (err error) {
	ctx := cmd.Context()
	s, err := a.settings(f.config)
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
	if f.check {
		return f.refused(a.printConfig(s, *f.archives))
	}
	defer a.frugal()()
	a.packing = &s.Packs
	log := slog.New(slog.DiscardHandler)
	if !a.quiet {
		log = slog.New(slog.NewJSONHandler(a.err, &slog.HandlerOptions{Level: s.LogLevel, ReplaceAttr: withoutSecrets(s.secrets()...)}))
	}
	ar, err := a.read(ctx, *f.archives)
	if err != nil {
		return err
	}
	reopen := func(ctx context.Context) (reader, error) {
		ar, err := a.read(ctx, *f.archives)
		if err == nil {
			ar.Remember(s.MemoryMB << 20)
		}
		return ar, err
	}
	ar.Remember(s.MemoryMB << 20)
	held := a.hold(ar, *f.archives)
	defer func() { err = errors.Join(err, held.Close()) }()
	store, guard, closeGuard, err := a.guard(ctx, s, f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeGuard()) }()
	var server *api.Server // made below, before the first prompt and the first run
	scheduler, closeScheduler, err := a.scheduler(ctx, s.Access, *f.archives, f.work.config(runs.Config{
		Slots: s.Runs, Workers: s.RunWorkers, Soft: min(softStop, s.Timeouts.Stop), Log: log,
		Source:  func(ctx context.Context) replay.Source { return server.Rounds(ctx) },
		Observe: func(kind runs.TaskKind, outcome string, took time.Duration) { server.ObserveTask(kind, outcome, took) },
	}))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeScheduler()) }()
	model, err := s.model(func(c *parser.ModelConfig) {
		c.Logger = log
		c.Observe = func(call parser.ModelCall) { server.ObserveModel(call) }
	})
	if err != nil {
		return err
	}
	folks, err := s.people(peopleNeeds{store: store, scheduler: scheduler, log: log, mails: a.err, assets: web.Files(), watermark: func(ctx context.Context) (market.Instant, error) {
		return server.Watermark(ctx)
	}})
	if err != nil {
		return err
	}
	server, err = api.New(api.Config{
		Catalogue: ar, Rounds: ar, Guard: guard, Model: model, Log: log,
		CORSOrigins: s.CORSOrigins, Runs: s.Runs, QueuedRuns: s.QueuedRuns, RunWorkers: s.RunWorkers,
		RequestTimeout: s.Timeouts.Request, WriteTimeout: s.Timeouts.Write,
		Scheduler: scheduler, Little: f.work.little, Page: web.Files(), People: folks.handler, Forms: folks.forms, Meter: folks.meter,
		LogRequests: s.LogRequests, SlowRequest: s.SlowRequest, Version: version, Revision: revision(),
	})
	if err != nil {
		return err
	}
	l, err := s.listen(server)
	if err != nil {
		return err
	}
	tell := a.teller(log)
	revoke, err := a.introduce(ctx, f, guard, l, tell, ar)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer func() { err = errors.Join(err, revoke()) }()
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go held.watch(watching, server, log, reopen)
	var working sync.WaitGroup
	answered, closed := untilAnswered(ctx, server)
	working.Go(func() { f.workOn(answered, scheduler) })
	folks.work(watching, &working)
	defer working.Wait()
	defer closed()
	defer stop()
	return l.serve(ctx, s, log, tell)
}

// untilAnswered returns a context that ends with ctx, but not while clients wait for
// what the workers of this process do, and at the latest when closed is called.
func untilAnswered(ctx context.Context, server *api.Server) (answered context.Context, closed func()) {
	answered, closed = context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() {
		for server.Asked() && answered.Err() == nil {
			time.Sleep(20 * time.Millisecond)
		}
		closed()
	})
	return answered, closed
}

// workOn works on kept runs until ctx ends, unless that is left to others.
func (f *serveFlags) workOn(ctx context.Context, scheduler *runs.Scheduler) {
	if f.works {
		scheduler.Work(ctx)
	}
}

// teller returns a function that writes the server's messages: as plain text on
// a terminal, otherwise as log lines.
func (a *app) teller(log *slog.Logger) func(format string, args ...any) {
	if a.terminal {
		return a.say
	}
	return func(format string, args ...any) { log.Info(fmt.Sprintf(format, args...)) }
}

// introduce announces the server's addresses. With --local-key it first creates
// and prints an unlimited key; revoke revokes it when the server stops.
func (a *app) introduce(ctx context.Context, f *serveFlags, g *access.Guard, l *listeners, tell func(string, ...any), ar reader) (revoke func() error, err error) {
	revoke = func() error { return nil }
	secret := ""
	if f.localKey {
		k, made, err := g.Create(ctx, "enterprise", "local", "local")
		if err != nil {
			return nil, err
		}
		secret = made
		fmt.Fprintln(a.out, secret)
		revoke = func() error { // the key lives as long as the server
			_, err := g.Revoke(context.WithoutCancel(ctx), k.ID)
			return err
		}
	}
	missing, err := g.Unplanned(ctx)
	if err != nil {
		return nil, errors.Join(err, revoke())
	}
	for _, plan := range slices.Sorted(maps.Keys(missing)) {
		tell("Plan %s is not configured: its %s will be refused", plan, plural(missing[plan], "key"))
	}
	tell("Serving %s on %s", ar.Address(), l.base)
	if l.metrics != "" {
		tell("Metrics on %s", l.metrics)
	}
	if a.terminal {
		a.say("Documentation at %s/docs", l.base)
		if secret != "" {
			ticket, err := g.Ticket(secret)
			if err != nil {
				return nil, errors.Join(err, revoke())
			}
			a.say("Workbench at %s/#ticket=%s (works once, for ten minutes)", l.base, ticket)
			a.say("Try it: curl -H 'Authorization: Bearer %s' '%s/v1/markets?include_closed=true&limit=1'", secret, l.base)
		}
	}
	return revoke, nil
}

// guard opens the keys and limits. With --local-key, or accounts, they are made or
// migrated.
func (a *app) guard(ctx context.Context, s *settings, f *serveFlags) (access.Store, *access.Guard, func() error, error) {
	addr, err := a.accessAddress(ctx, s.Access, *f.archives)
	if err != nil {
		return nil, nil, nil, err
	}
	store, err := openAccess(ctx, addr, f.localKey || s.Accounts.Enabled)
	if errors.Is(err, access.ErrNotMade) {
		return nil, nil, nil, fmt.Errorf("%w; or serve with --local-key", err)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	plans := s.plans()
	if _, ok := plans["enterprise"]; f.localKey && !ok {
		plans["enterprise"] = access.DefaultPlans()["enterprise"]
	}
	return store, access.NewGuard(store, plans, nil), store.Close, nil
}

// scheduler opens the table of runs, which stands beside the keys, and makes it if it is
// not there.
func (a *app) scheduler(ctx context.Context, accessFlag string, archives []string, cfg runs.Config) (*runs.Scheduler, func() error, error) {
	addr, err := a.accessAddress(ctx, accessFlag, archives)
	if err != nil {
		return nil, nil, err
	}
	if cfg.Store, err = runs.Open(ctx, addr); err != nil {
		return nil, nil, err
	}
	return runs.NewScheduler(cfg), cfg.Store.Close, nil
}

// listeners are the addresses that a server listens on, and their handlers.
type listeners struct {
	servers       []*http.Server
	at            []net.Listener
	base, metrics string // of the API, and of the metrics; empty: none
}

// listen opens the addresses of the API and of the metrics.
func (s *settings) listen(server *api.Server) (*listeners, error) {
	certificate, err := s.certificate()
	if err != nil {
		return nil, err
	}
	public, err := listenOn("addr", s.Addr)
	if err != nil {
		return nil, err
	}
	l := &listeners{
		servers: []*http.Server{s.httpServer(server)}, at: []net.Listener{server.Listener(public)}, base: "http://" + public.Addr().String(),
	}
	if certificate != nil {
		l.base, l.at[0] = "https://"+public.Addr().String(), tls.NewListener(public, certificate)
	}
	if s.MetricsAddr == "" || s.MetricsAddr == "none" {
		return l, nil
	}
	private, err := listenOn("metrics-addr", s.MetricsAddr)
	if err != nil {
		return nil, errors.Join(err, public.Close())
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", server.MetricsHandler())
	l.servers, l.at = append(l.servers, s.httpServer(mux)), append(l.at, private)
	l.metrics = "http://" + private.Addr().String() + "/metrics"
	return l, nil
}

// Close closes the addresses before anything is served on them.
func (l *listeners) Close() error {
	var errs []error
	for _, at := range l.at {
		errs = append(errs, at.Close())
	}
	return errors.Join(errs...)
}

// serve answers until ctx ends, then lets requests in flight finish.
func (l *listeners) serve(ctx context.Context, s *settings, log *slog.Logger, tell func(string, ...any)) error {
	group, gctx := errgroup.WithContext(context.WithoutCancel(ctx))
	for i, srv := range l.servers {
		srv.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelWarn)
		group.Go(func() error {
			err := srv.Serve(l.at[i])
			if errors.Is(err, http.ErrServerClosed) {
				return nil
			}
			return err
		})
	}
	group.Go(func() error {
		select {
		case <-ctx.Done():
		case <-gctx.Done():
		}
		tell("Stopping: finishing the requests in flight.")
		stop, cancel := context.WithTimeout(context.Background(), s.Timeouts.Stop)
		defer cancel()
		var errs []error
		for _, srv := range l.servers {
			errs = append(errs, srv.Shutdown(stop))
		}
		return errors.Join(errs...)
	})
	return group.Wait()
}

// listenOn listens on an address given by a flag or the setting of the same name.
func listenOn(flag, addr string) (net.Listener, error) {
	if err := checkListen(flag, addr); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	return l, nil
}

func (s *settings) httpServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, MaxHeaderBytes: headerBytes, DisableGeneralOptionsHandler: true,
		ReadHeaderTimeout: s.Timeouts.Header,
		ReadTimeout:       s.Timeouts.Body,
		IdleTimeout:       s.Timeouts.Idle,
	}
}

// secrets are the settings that no log may show.
func (s *settings) secrets() []string {
	return append(s.Accounts.clientSecrets(), s.LLM.APIKey, s.Mail.SMTP.Password, s.Packs.SecretKey)
}

// aKey is what an API key looks like anywhere in a text.
var aKey = regexp.MustCompile(`\b` + access.Prefix + `[0-9A-Za-z]{20,}`)

// withoutSecrets returns a function that removes API keys, and the given secrets,
// from everything that is logged: paths, panics, errors.
func withoutSecrets(secrets ...string) func([]string, slog.Attr) slog.Attr {
	return func(_ []string, at slog.Attr) slog.Attr {
		text := ""
		switch v := at.Value; v.Kind() {
		case slog.KindString:
			text = v.String()
		case slog.KindAny:
			err, ok := v.Any().(error)
			if !ok {
				return at
			}
			text = err.Error()
		default:
			return at
		}
		if strings.Contains(text, access.Prefix) {
			text = aKey.ReplaceAllString(text, access.Prefix+"…")
		}
		for _, secret := range secrets {
			if secret != "" {
				text = strings.ReplaceAll(text, secret, "…")
			}
		}
		return slog.String(at.Key, text)
	}
}
