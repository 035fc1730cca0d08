package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/runs"
)

// softStop is how long the chunks of runs may go on when their process stops.
const softStop = 20 * time.Second

// workFlags are settings of work on runs that only tests and campaigns change.
type workFlags struct {
	chunk, lease, pause, little time.Duration
	engine                      int
}

func (f *workFlags) add(flags *pflag.FlagSet) {
	flags.DurationVar(&f.chunk, "chunk", 0, "estimated work of a chunk at least")
	flags.DurationVar(&f.lease, "lease", 0, "after how long a silent worker counts as dead")
	flags.DurationVar(&f.pause, "pause", 0, "before a chunk that failed is tried again")
	flags.DurationVar(&f.little, "little", 0, "estimated work that a server does itself while its client waits")
	flags.IntVar(&f.engine, "engine", 0, "number of the engine")
	for _, name := range []string{"chunk", "lease", "pause", "little", "engine"} {
		_ = flags.MarkHidden(name) // it was just added
	}
}

func (f *workFlags) config(c runs.Config) runs.Config {
	c.Chunk, c.Lease, c.Pause, c.Engine = f.chunk, f.lease, f.pause, f.engine
	return c
}

// workerFlags are the flags of worker, as given.
type workerFlags struct {
	archives                        *[]string
	config, accessAddr, metricsAddr string
	slots                           int
	work                            workFlags
}

func (a *app) worker() *cobra.Command {
	var f workerFlags
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Work on the kept runs of servers, on this machine",
		Long: `Works on the runs and sweeps that servers keep, until stopped (Ctrl-C or
SIGTERM): chunks at work are finished, or put back after 20 seconds. It takes
the archive and the store of keys (--access) of the servers, both in PostgreSQL
unless everything is on one machine; start as many as you like. It answers
nothing but /healthz, /readyz and /metrics on --metrics-addr. docs/operations.md
leads from one server to several with workers.`,
		Example: `  ladderback worker --archive postgres://db/archive --access postgres://db/keys
  ladderback worker --config ladderback.yaml --archive postgres://db/archive --slots 4`,
		Args: noArgs,
		RunE: a.begin(func(cmd *cobra.Command, _ []string) error { return a.runWorker(cmd, &f) }),
	}
	flags := cmd.Flags()
	f.archives = a.archiveFlag(flags)
	flags.StringVar(&f.config, "config", "", "configuration file (YAML), as of serve")
	flags.StringVar(&f.accessAddr, "access", "", "store of keys and runs: a file, or postgres://… (default beside the first archive)")
	flags.StringVar(&f.metricsAddr, "metrics-addr", "", "address of the health checks and the Prometheus metrics, or none (default 127.0.0.1:9090)")
	flags.IntVar(&f.slots, "slots", 2, "chunks of one organization at a time; there is one place more, for the others")
	f.work.add(flags)
	return cmd
}

func (a *app) runWorker(cmd *cobra.Command, f *workerFlags) (err error) {
	ctx := cmd.Context()
	if f.slots < 1 {
		return usagef("--slots %d: expected 1 or more", f.slots)
	}
	s, err := a.settings(f.config)
	if err != nil {
		return err
	}
	if cmd.Flags().Changed("access") {
		s.Access = f.accessAddr
	}
	if cmd.Flags().Changed("metrics-addr") {
		s.MetricsAddr = f.metricsAddr
	}
	log := slog.New(slog.DiscardHandler)
	if !a.quiet {
		log = slog.New(slog.NewJSONHandler(a.err, &slog.HandlerOptions{Level: s.LogLevel, ReplaceAttr: withoutSecrets(s.secrets()...)}))
	}
	ar, err := a.read(ctx, *f.archives)
	if err != nil {
		return err
	}
	ar.Remember(s.MemoryMB << 20)
	held := a.hold(ar, *f.archives)
	defer func() { err = errors.Join(err, held.Close()) }()
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	var current holder
	current.set(ar)
	scheduler, closeScheduler, err := a.scheduler(ctx, s.Access, *f.archives, f.work.config(runs.Config{
		Slots: f.slots, Workers: s.RunWorkers, Soft: softStop, Log: log, Source: func(context.Context) replay.Source { return current.get() }, Observe: runs.NewMetrics(registry).Observe,
	}))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeScheduler()) }()
	tell := a.teller(log)
	stopHealth, err := a.health(s, ar, scheduler, registry, tell)
	if err != nil {
		return err
	}
	defer stopHealth()
	go held.watch(ctx, &current, log, func(ctx context.Context) (reader, error) {
		ar, err := a.read(ctx, *f.archives)
		if err == nil {
			ar.Remember(s.MemoryMB << 20)
		}
		return ar, err
	})
	tell("Working on runs over %s, %s", ar.Address(), plural(f.slots, "slot"))
	scheduler.Work(ctx)
	tell("Stopped: what was not finished is put back.")
	return nil
}

// health serves the checks and metrics of a worker; stop ends that.
func (a *app) health(s *settings, ar reader, scheduler *runs.Scheduler, m *prometheus.Registry, tell func(string, ...any)) (stop func(), err error) {
	if s.MetricsAddr == "" || s.MetricsAddr == "none" {
		return func() {}, nil
	}
	l, err := listenOn("metrics-addr", s.MetricsAddr)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
		defer cancel()
		if _, err := ar.Watermarks(ctx, ""); err != nil {
			http.Error(w, "the archive does not answer", http.StatusServiceUnavailable)
			return
		}
		if _, err := scheduler.Now(ctx); err != nil {
			http.Error(w, "the store of runs does not answer", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ready")
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(m, promhttp.HandlerOpts{}))
	srv := s.httpServer(mux)
	go func() { _ = srv.Serve(l) }() // ends when it is closed
	tell("Metrics on %s", "http://"+l.Addr().(*net.TCPAddr).String()+"/metrics")
	return func() { _ = srv.Close() }, nil
}
