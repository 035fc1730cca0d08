package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/ladderback/ladderback/backtest/figures"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/runs"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// softStop is how long the chunks of runs may go on when their process stops.
const softStop = 20 * time.Second

// WorkOptions are settings of work on runs that only tests and campaigns change. Zero is
// the default of each.
type WorkOptions struct {
	Chunk  time.Duration // estimated work of a chunk at least
	Lease  time.Duration // after which a silent worker counts as dead
	Pause  time.Duration // before a chunk that failed is tried again
	Little time.Duration // estimated work that a server does itself while its client waits
	Engine int           // number of the engine
}

func (o *WorkOptions) config(c runs.Config) runs.Config {
	c.MinChunkWork, c.Lease, c.RetryDelay, c.Engine = o.Chunk, o.Lease, o.Pause, o.Engine
	return c
}

// WorkerOptions is what a worker is told beside its settings.
type WorkerOptions struct {
	Archives []string // addresses; none: the demo archive
	Slots    int      // chunks of one organization at a time
	Work     WorkOptions
	Log      *slog.Logger
	Tell     func(format string, args ...any) // gets what people should know
}

// Work works on the kept runs of servers until ctx ends.
func (a *App) Work(ctx context.Context, s *Settings, o WorkerOptions) (err error) {
	held, err := a.OpenWatched(ctx, o.Archives, s.MemoryMB<<20)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Close()) }()
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	var current currentSource
	current.set(held.ar)
	record, closeTries, err := a.triesOf(ctx, o.Archives, o.Log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeTries()) }()
	scheduler, closeScheduler, err := a.scheduler(ctx, s.Access, o.Archives, o.Work.config(runs.Config{
		Tries: record, Slots: o.Slots, Workers: s.RunWorkers, GracePeriod: softStop, Log: o.Log,
		Source:  func(context.Context) replay.Source { return current.get() },
		Observe: runs.NewMetrics(registry).Observe,
	}))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeScheduler()) }()
	stopHealth, err := s.health(held.ar, scheduler, registry, o.Tell)
	if err != nil {
		return err
	}
	defer stopHealth()
	go held.watch(ctx, &current, o.Log)
	o.Tell("Working on runs over %s, %s", held.ar.Address(), figures.Count(o.Slots, "slot"))
	scheduler.Work(ctx)
	o.Tell("Stopped: what was not finished is put back.")
	return nil
}

// health serves the checks and metrics of a worker; stop ends that.
func (s *Settings) health(ar Reader, scheduler *runs.Scheduler, m *prometheus.Registry, tell func(string, ...any)) (stop func(), err error) {
	if s.MetricsAddr == "" || s.MetricsAddr == "none" {
		return func() {}, nil
	}
	l, err := ListenOn("metrics-addr", s.MetricsAddr)
	if errors.Is(err, syscall.EADDRINUSE) && s.MetricsAddr == defaultAddresses()["metrics_addr"] {
		// Most likely a server on this machine has it, which nobody asked for either.
		tell("No health checks and no metrics: %s is in use; --metrics-addr gives this worker an address of its own", s.MetricsAddr)
		return func() {}, nil
	}
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
	return answer(l, s.httpServer(mux), tell), nil
}

// answer has srv answer on l until stop is called.
func answer(l net.Listener, srv *http.Server, tell func(string, ...any)) (stop func()) {
	go func() { _ = srv.Serve(l) }() // ends when it is closed
	tell("Metrics on http://%s/metrics", l.Addr())
	return func() { _ = srv.Close() }
}

// ServeMetrics answers Prometheus on an address, with those of the process beside m's own,
// until stop is called; empty and none are no address.
func ServeMetrics(addr string, m *prometheus.Registry, tell func(string, ...any)) (stop func(), err error) {
	if addr == "" || addr == "none" {
		return func() {}, nil
	}
	m.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	l, err := ListenOn("metrics-addr", addr)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m, promhttp.HandlerOpts{}))
	return answer(l, &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}, tell), nil
}
